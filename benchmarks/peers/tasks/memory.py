"""Memory of one fit against the number of rows: the most that a process of its own ever had."""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

# Settings fixed: what is measured is a fit, not the search.
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


def run(bench):
    sizes = (250, 500) if bench.short else (1000, 2000, 4000)
    methods = ("lda", "kos") if bench.short else METHODS
    with tempfile.TemporaryDirectory() as folder:
        files = [rows(Path(folder) / f"{n}.csv", n) for n in sizes]
        for name in methods:
            words = [
                "--target",
                "class",
                "--method",
                *name.split(" "),
                *METHODS[name],
                "--no-cv",
                "--no-calibration",
                "--quiet",
                "--json",
            ]
            bench.growth(f"{name}, one fit, 5 features", "n", sizes, [peak(bench, f, words) for f in files], unit="MB")


def rows(path, n):
    """Two classes, one inside the other."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(n, 5))
    y = np.where((x[:, :2] ** 2).sum(1) + 0.3 * rng.normal(size=n) > 1.4, "a", "b")
    with open(path, "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["f1", "f2", "f3", "f4", "f5", "class"])
        out.writerows([*map(repr, map(float, r)), c] for r, c in zip(x, y, strict=True))
    return path


# A process starts with the memory of the one that started it, so a small one does, and says how much its child had.
LAUNCHER = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""


def peak(bench, file, words):
    """Megabytes."""
    command = [sys.executable, "-I", "-S", "-c", LAUNCHER, bench.command_line, "fit", file, *words]
    done = subprocess.run([str(w) for w in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout) / 1024  # kilobytes on Linux
