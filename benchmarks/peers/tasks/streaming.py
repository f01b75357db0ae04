"""sMKDA among few candidates, rows streaming through: time and memory against the number of rows."""

import tempfile
from pathlib import Path

import numpy as np
from timing import one_fit


def run(bench):
    sizes, d, candidates = ((2000, 4000), 5, 100) if bench.short else ((250_000, 500_000, 1_000_000), 20, 2000)
    words = ["--method", "smkda", "--candidates", candidates, "--bandwidth", np.sqrt(d), "--max-support", 100]
    with tempfile.TemporaryDirectory() as folder:
        times, peaks = zip(*(one_fit(bench, rows(Path(folder) / "rows.csv", n, d), words) for n in sizes), strict=True)
    bench.growth(f"smkda --candidates {candidates}, one fit, d {d}", "n", sizes, [t["seconds"]["fit"] for t in times])
    bench.growth(f"smkda --candidates {candidates}, memory, d {d}", "n", sizes, peaks, unit="MB")


def rows(path, n, d):
    """A ball inside a shell, in three of the features."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, d)).round(4)
    y = (x[:, :3] ** 2).sum(1) > 2.4
    names = [*(f"f{j}" for j in range(d)), "class"]
    np.savetxt(path, np.column_stack([x, y]), "%g", ",", header=",".join(names), comments="")
    return path
