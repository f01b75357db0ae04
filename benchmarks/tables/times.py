"""Kim & Scott (2010), Table 4: time of a search and all fits, as a ratio to a support vector machine's.

Both are counted in seconds of the processor, the search and the fits of one split after the other. This needs NumPy and
scikit-learn.
"""

import os
import subprocess
import sys
import time
from importlib.util import find_spec

import l2
from cells import published
from program import ProgramError
from table import Extra, Table
from work import digest

SETS = ("Thyroid", "Heart", "B.Cancer", "Titanic", "Banana")
METHODS = ("L2QP-0", "L2QP-1", "L2QP_eta-0", "L2QP_eta-1")
# Section 6: the grids of the support vector machine.
WIDTHS = [2.0**e for e in range(-2, 8)]
COSTS = [2.0**e for e in range(-5, 16, 2)]


def seconds_of(words):
    """Processor time of a command."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise ProgramError(" ".join(map(str, words)))
    return used.ru_utime + used.ru_stime


def of_machine(pair, tuned, count):
    """Seconds of the support vector machine: the search on the first training sets, and a fit on every one."""
    import numpy as np
    from sklearn.svm import SVC

    start, best = time.thread_time(), []
    for k in range(tuned):
        marks, x, labels = l2.file_rows(pair(k)[0])
        marks, x, labels = np.array(marks), np.array(x), np.array(labels)
        errors = {}
        for width in WIDTHS:
            for cost in COSTS:
                wrong = 0
                for fold in range(l2.FOLDS):
                    train, test = marks != fold, marks == fold
                    m = SVC(C=cost, gamma=1 / (2 * width**2)).fit(x[train], labels[train])
                    wrong += int((m.predict(x[test]) != labels[test]).sum())
                errors[width, cost] = wrong
        best.append(min(errors, key=errors.get))
    width, cost = (sorted(v)[len(v) // 2] for v in zip(*best, strict=True))
    for k in range(count):
        _, x, labels = l2.file_rows(pair(k)[0])
        SVC(C=cost, gamma=1 / (2 * width**2)).fit(x, labels)
    return time.thread_time() - start


def of_method(work, method, pair, width, tuned, count):
    """Seconds of the program for the same."""
    options, balanced = l2.METHODS[method], "eta" in method
    grid = ["--bandwidths", l2.log_grid(0.01, 10, 11 if balanced else 50)]
    if balanced:
        grid += ["--balances", l2.log_grid(1, 2 ** (width / 2), 10)]
    end = ["--no-standardize", "--no-calibration", "--threads", "1", "--json"]
    search = [*options, *grid, "--groups", "fold", "--folds", l2.FOLDS, *end]
    fixed = [*options, "--drop", "fold", "--bandwidth", 0.5, "--no-cv", *end]
    if balanced:
        fixed += ["--balance", 2]

    def seconds(k, words):
        return seconds_of([work.program, "fit", str(pair(k)[0]), "--target", "class", *map(str, words)])

    return sum(seconds(k, search) for k in range(tuned)) + sum(seconds(k, fixed) for k in range(count))


def run(work, cells):
    del cells  # Times on other machines are not judged.
    if find_spec("sklearn") is None:
        print("l2-4 compares with scikit-learn, which is not there: left out", file=sys.stderr)
        return [Extra("ratios", [], [])]
    told = {(r["dataset"], r["method"]): float(r["seconds_total"]) for r in published("l2-4") if r["seconds_total"]}
    files, rows = {r["dataset"]: r["file"] for r in published("l2-2")}, []
    count = work.splits(l2.SPLITS)
    tuned = min(l2.TUNED, count)
    for name in ("Thyroid",) if work.short else SETS:

        def task(mark, method, tuned, count, file=files[name]):
            del mark
            with l2.split_files(work, file) as (pair, width):
                if method == "S-SVM":
                    return of_machine(pair, tuned, count)
                return of_method(work, method, pair, width(), tuned, count)

        keys = [(digest(work.file(files[name])), m, tuned, count) for m in ("S-SVM", *METHODS)]
        machine, *ours = work.map(f"{name}, times", keys, task)
        ratios = zip(METHODS, ours, strict=True)
        shown = [f"{told[name, m] / told[name, 'S-SVM']:.2f} / {s / machine:.2f}" for m, s in ratios]
        rows.append([name, *shown, count])
    return [Extra("ratios", ["data", *(f"{m}: paper / ours" for m in METHODS), "splits"], rows)]


TABLES = [
    Table("l2-4", "Kim & Scott 2010, Table 4: times as ratios", (), l2.SPLITS, (), list, run),
]
