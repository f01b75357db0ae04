"""L2 kernel classification beside a support vector machine, each with the grid of Kim & Scott (2010), section 6."""

import os
import tempfile
from pathlib import Path

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from timing import Worker, alternate, row

# Bandwidths 2^-2 to 2^7 and costs 2^-5, 2^-3 to 2^15: 10 x 11. Ours has 50 bandwidths from 0.01 to 10; both have 5 folds.
GRID = {"gamma": [0.5 / 4.0**k for k in range(-2, 8)], "C": [2.0**k for k in range(-5, 16, 2)]}


def twonorm(n, d, seed):
    """Two normal classes with means `a` and `-a`, `a = (2 / sqrt(d), ...)` (Breiman 1996): the least error is 2.3 %."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, d)) + (2 * y[:, None] - 1) * 2 / np.sqrt(d), y


def l2_classification(program, n, d, grid, repeats):
    """Whole tuning and training, and one training with the settings so found. Both times hold the prediction of 2000 new rows, of which the errors are printed."""
    threads = os.cpu_count()
    x, y = twonorm(n, d, 0)
    new, truth = twonorm(2000, d, 1)
    mean, deviation = x.mean(0), x.std(0)
    x, new = (x - mean) / deviation, (new - mean) / deviation

    def errors(w, peer):
        mine = (w.result((2000, 2)).argmax(1) != truth).mean()
        return f"n {n}, d {d}; errors {100 * mine:.1f} %, {100 * (peer.predict(new) != truth).mean():.1f} %"

    arrays = {"x": x, "y": y[:, None], "new": new}
    with tempfile.TemporaryDirectory() as folder:
        w = Worker(program, Path(folder), "l2qp", arrays, ["x", n, d, "y", "new", 2000, "0.01,10,50"])
        peer = GridSearchCV(SVC(), grid, cv=5, n_jobs=threads)
        pairs = alternate(lambda: w.seconds(threads), lambda: peer.fit(x, y).predict(new), repeats)
        row("l2qp, whole tuning / GridSearchCV(SVC), 10 x 11", errors(w, peer), threads, pairs, 1, "tunings/s")
        w.close()
    with tempfile.TemporaryDirectory() as folder:
        # The middle of the bandwidths that twonorm of this size likes.
        width = str(np.sqrt(d) / 2)
        w = Worker(program, Path(folder), "l2qp", arrays, ["x", n, d, "y", "new", 2000, f"{width},{width},1"])
        one = SVC(**peer.best_params_)
        for count in (1, threads):
            pairs = alternate(lambda: w.seconds(count), lambda: one.fit(x, y).predict(new), max(repeats, 3))
            row("l2qp, one training / SVC with its best setting", errors(w, one), count, pairs, 1, "trainings/s")
        w.close()
