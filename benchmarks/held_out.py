"""Sets of rows whose splits are written down: who trains on which rows, so that all methods see the same.

A folder of data holds `NAME.csv` or `NAME.csv.gz` with the class in the column `class` (or `NAME_train.csv` and
`NAME_test.csv`, which count as one file). A folder of splits holds `NAME.csv.gz` with the columns
`split,train_rows,test_rows`, rows counted from 0 and separated by blanks.
"""

import csv
import gzip
from pathlib import Path


def text(path):
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")


def names(folder):
    """The sets that a folder of splits is about."""
    return [path.name.removesuffix(".csv.gz") for path in sorted(folder.glob("*.csv.gz"))]


def lines(folder, name):
    """Header and rows of a set."""
    parts = [[name], [f"{name}_train", f"{name}_test"]]
    for files in parts:
        found = [next((p for p in (folder / f"{n}.csv", folder / f"{n}.csv.gz") if p.exists()), None) for n in files]
        if None not in found:
            read = [text(path).splitlines() for path in found]
            return read[0][0], [row for file in read for row in file[1:]]
    return None, []


def splits(folder, name):
    """Numbers of the splits, with rows to train and to test."""
    for split in csv.DictReader(text(folder / f"{name}.csv.gz").splitlines()):
        yield int(split["split"]), [[int(i) for i in split[f"{part}_rows"].split()] for part in ("train", "test")]


def write(folder, header, rows, parts):
    """The files of one split: rows to train on, rows to test on."""
    files = [Path(folder) / "train.csv", Path(folder) / "test.csv"]
    for path, part in zip(files, parts, strict=True):
        path.write_text("\n".join([header, *(rows[i] for i in part)]) + "\n", encoding="utf-8")
    return files
