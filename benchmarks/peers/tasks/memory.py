"""Memory of one fit against the number of rows: the peak of a separate process."""

import csv
import tempfile
from pathlib import Path

import numpy as np
from timing import one_fit

# Settings are fixed: this measures a fit, not the search.
METHODS = {
    "lda": [],
    "mkda": ["--bandwidth", 2, "--ridge", 0.01],
    "kos": ["--bandwidth", 2],
    "smkda": ["--bandwidth", 2, "--max-support", 50],
    "smkda --candidates 200": ["--bandwidth", 2, "--max-support", 50],
    "sparse-kos --candidates 100": ["--bandwidth", 2, "--sparsity", 0.05],
    "klr": ["--bandwidth", 2, "--ridge", 0.01],
    "fivm": ["--bandwidth", 2, "--ridge", 0.01, "--max-features", 2],
    "l1-dkf": ["--sparsity", 1],
    "l2qp": ["--bandwidth", 1, "--balance", 1],
    "l2le": ["--bandwidth", 1, "--ridge", 1],
}


# Methods whose memory stops growing with the square of the rows.
MANY = ("l2qp", "smkda --candidates 200", "sparse-kos --candidates 100")


def run(bench):
    sizes = (250, 500) if bench.short else (1000, 2000, 4000)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("lda", "kos") if bench.short else METHODS:
            against_rows(bench, folder, name, "one fit, 5 features", sizes)
        for name in () if bench.short else MANY:
            against_rows(bench, folder, name, "one fit, many rows", (7500, 15_000, 30_000))


def against_rows(bench, folder, name, what, sizes):
    words = ["--method", *name.split(" "), *METHODS[name]]
    peaks = [one_fit(bench, rows(Path(folder) / f"{n}.csv", n), words)[1] for n in sizes]
    bench.growth(f"{name}, {what}", "n", sizes, peaks, unit="MB")


def rows(path, n):
    """Two classes, one inside the other."""
    if path.exists():
        return path
    rng = np.random.default_rng(7)
    x = rng.normal(size=(n, 5))
    y = np.where((x[:, :2] ** 2).sum(1) + 0.3 * rng.normal(size=n) > 1.4, "a", "b")
    with open(path, "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["f1", "f2", "f3", "f4", "f5", "class"])
        out.writerows([*map(repr, map(float, r)), c] for r, c in zip(x, y, strict=True))
    return path
