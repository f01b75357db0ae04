"""Data sets of CSV files as rows and as numbers."""

import csv
import gzip

import numpy as np


def load(folder, name):
    """Header and rows of a file whose last column is the class."""
    path = next(p for p in (folder / f"{name}.csv", folder / f"{name}.csv.gz") if p.exists())
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as f:
        header, *rows = csv.reader(f)
    return header, rows


def write(path, header, rows):
    with open(path, "w", newline="") as f:
        csv.writer(f).writerows([header, *rows])


def drawable(rows):
    """Rows of classes that have two rows or more: a single one cannot be both trained on and held out."""
    labels, counts = np.unique([row[-1] for row in rows], return_counts=True)
    often = {label for label, count in zip(labels, counts, strict=True) if count > 1}
    return [row for row in rows if row[-1] in often]


def numbers(header, rows, train):
    """Columns of numbers, missing ones the mean of the training rows; text becomes one column per value in them."""
    columns = []
    for j in range(len(header) - 1):
        values = [row[j] for row in rows]
        try:
            column = np.array([float(v or "nan") for v in values])
            columns.append(np.where(np.isnan(column), np.nanmean(column[train]), column))
        except ValueError:
            levels = sorted({values[i] for i in train})
            columns.extend(np.array([float(v == level) for v in values]) for level in levels)
    return np.column_stack(columns)
