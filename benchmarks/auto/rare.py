"""A rare class: does tuning for a measure help in that measure on other rows?

    python benchmarks/auto/rare.py --bin target/release/kernsieve

Draws of 7,000 rows and 6 features, of which 1 in 200 is ill: the odds grow with one feature, with the square of
another and where two have the same sign; two features are noise. Fitted as it is, with `--score auc`, and with
`--threshold best:f1`; measured on 40,000 other rows. Prints Markdown.
"""

import argparse
import csv
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "sieve"))

from program import fit, mean, table

WAYS = {"plain": [], "--score auc": ["--score", "auc"], "--threshold best:f1": ["--threshold", "best:f1"]}
MEASURES = "auc", "f1", "found", "precision", "error", "always", "cpu"


def draw(path, rows, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, 6))
    odds = 1.6 * x[:, 0] + 1.2 * x[:, 1] ** 2 + 1.4 * x[:, 2] * x[:, 3] - 11.6
    ill = random.random(rows) < 1 / (1 + np.exp(-odds))
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow([*(f"x{j + 1}" for j in range(6)), "class"])
        out.writerows([*(f"{v:.6g}" for v in row), "ill" if y else "well"] for row, y in zip(x, ill, strict=True))
    return ill.mean()


def measured(words, files, options):
    report, cost = fit(words.bin, files[0], "--test", files[1], "--positive", "ill", "--threads", words.threads, *options)
    test = report["test"]
    return {
        "auc": test["auc"],
        "f1": test["f1"],
        "found": test["recall"],
        # No row is called: none of the calls is wrong.
        "precision": 1.0 if test["precision"] is None else test["precision"],
        "error": test["error"],
        "always": test["baseline"]["error"],
        "cpu": cost["cpu"],
    }


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", required=True, help="the kernsieve program")
    words.add_argument("--draws", type=int, default=10)
    words.add_argument("--rows", type=int, default=7000)
    words.add_argument("--others", type=int, default=40_000, help="rows to measure on")
    words.add_argument("--threads", type=int, default=2)
    words = words.parse_args()
    results = {way: [] for way in WAYS}
    for seed in range(words.draws):
        with tempfile.TemporaryDirectory() as folder:
            files = Path(folder) / "train.csv", Path(folder) / "test.csv"
            shares = draw(files[0], words.rows, seed), draw(files[1], words.others, 1000 + seed)
            print(f"draw {seed}: {100 * shares[0]:.2f} % ill", file=sys.stderr)
            for way, options in WAYS.items():
                results[way].append(measured(words, files, options))
                print(way, *(f"{k} {v:.4g}" for k, v in results[way][-1].items()), file=sys.stderr, flush=True)
    rows = []
    for way, found in results.items():
        rows.append([way, *(f"{mean(r[m] for r in found):.4g}" for m in MEASURES)])
    print(table(["fit", *MEASURES], rows))
    for way, measure in (("--score auc", "auc"), ("--threshold best:f1", "f1")):
        gaps = np.array([a[measure] - b[measure] for a, b in zip(results[way], results["plain"], strict=True)])
        se = gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else float("nan")
        print(f"\n`{way}` minus plain in {measure}: {gaps.mean():+.4f} +- {se:.4f}, better in {(gaps > 0).sum()}", end="")
        print(f", equal in {(gaps == 0).sum()} of {len(gaps)} draws")


if __name__ == "__main__":
    main()
