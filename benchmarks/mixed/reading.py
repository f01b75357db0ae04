"""What does it cost to read and encode text, gaps, dates and truth values? Beside a file of numbers alone.

    python benchmarks/mixed/reading.py --bin target/release/kernsieve [--rows 1000000] [--repeats 3]

Both files have 20 columns of features and the class. They are fitted by `lda` without cross-validation, which reports
the seconds of reading and encoding; the two take turns. Needs NumPy and pandas.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd


def numbers(rng, n):
    return pd.DataFrame({f"x{j}": rng.normal(size=n).round(6) for j in range(20)})


def mixed(rng, n):
    """Ten columns of numbers, two of them with gaps; five of text; two dates; three truth values."""
    frame = pd.DataFrame({f"x{j}": rng.normal(size=n).round(6) for j in range(10)})
    for j in range(2):
        frame.loc[rng.random(n) < 0.1, f"x{j}"] = np.nan
    for j, count in enumerate([2, 4, 8, 16, 40]):
        frame[f"text{j}"] = np.array([f"level {k}" for k in range(count)])[rng.integers(0, count, n)]
    for j in range(2):
        days = np.datetime64("2015-01-01") + rng.integers(0, 3000, n).astype("timedelta64[D]")
        frame[f"date{j}"] = days.astype(str)
    for j in range(3):
        frame[f"flag{j}"] = np.where(rng.random(n) < 0.5, "true", "false")
    return frame


def read_seconds(program, path):
    words = [program, "fit", path, "--target", "class", "--method", "lda", "--no-cv", "--no-model"]
    words += ["--missing", "median", "--json", "--quiet"]
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    report = json.loads(done.stdout)
    return report["seconds"]["read"], report["n_features"]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", required=True, help="the kernsieve program")
    words.add_argument("--rows", type=int, default=1_000_000)
    words.add_argument("--repeats", type=int, default=3)
    words = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for make in (numbers, mixed):
            rng = np.random.default_rng(0)
            frame = make(rng, words.rows)
            frame["class"] = np.where(frame["x2"] + rng.normal(size=words.rows) > 0, "yes", "no")
            files[make.__name__] = Path(folder) / f"{make.__name__}.csv"
            frame.to_csv(files[make.__name__], index=False)
        seconds = {kind: [] for kind in files}
        for _ in range(words.repeats):
            for kind, path in files.items():
                found, features = read_seconds(words.bin, path)
                seconds[kind].append(found)
                size = path.stat().st_size / 1e6
                print(f"{kind}: {found:.2f} s, {features} features, {size:.0f} MB", flush=True)
    ratio = np.median(seconds["mixed"]) / np.median(seconds["numbers"])
    print(f"the mixed file takes {ratio:.2f} times the time of the numbers")


if __name__ == "__main__":
    main()
