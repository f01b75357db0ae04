"""L2 kernel classification next to a support vector machine, each with the grid of Kim & Scott (2010), section 6."""

import os

import numpy as np
from optional import thundersvm
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from timing import Worker, alternate

# Bandwidths 2^-2 to 2^7 and costs 2^-5, 2^-3 to 2^15: 10 x 11. Ours has 50 bandwidths from 0.01 to 10; both have 5
# folds.
GRID = {"gamma": [0.5 / 4.0**k for k in range(-2, 8)], "C": [2.0**k for k in range(-5, 16, 2)]}
ROWS = 2000  # to predict


def run(bench):
    if bench.short:
        classification(bench, (30, 60), 5, {"gamma": [0.1], "C": [1.0, 4.0]}, 1)
        return
    classification(bench, (200, 400, 800), 20, GRID, 3)
    classification(bench, (3000,), 100, GRID, 2)


def twonorm(n, d, seed):
    """Two normal classes with means `a` and `-a`, `a = (2 / sqrt(d), ...)` (Breiman 1996): the least error is 2.3 %."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, d)) + (2 * y[:, None] - 1) * 2 / np.sqrt(d), y


def classification(bench, sizes, d, grid, repeats):
    """Whole tuning and training, and one training with the settings found.

    All times include the prediction of new rows, whose errors are printed.
    """
    threads, medians = os.cpu_count(), []
    new, truth = twonorm(ROWS, d, 1)
    for n in sizes:
        x, y = twonorm(n, d, 0)
        mean, deviation = x.mean(0), x.std(0)
        arrays = {"x": (x - mean) / deviation, "y": y[:, None], "new": (new - mean) / deviation}

        def errors(w, peer, arrays=arrays):
            mine = (w.result((ROWS, 2)).argmax(1) != truth).mean()
            return f"errors {100 * mine:.1f} %, {100 * (peer.predict(arrays['new']) != truth).mean():.1f} %"

        def worker(bandwidths, arrays=arrays, n=n):
            return Worker(bench, "l2qp", arrays, ["x", n, d, "y", "new", ROWS, bandwidths])

        search = GridSearchCV(SVC(), grid, cv=5, n_jobs=1 if bench.short else threads)
        with worker("0.01,10,50") as w:
            pairs = alternate(lambda w=w: w.seconds(threads), fitted(search, arrays, y), repeats)
            medians.append(np.median(pairs, axis=0))
            task = "l2qp, whole tuning / GridSearchCV(SVC), 10 x 11"
            bench.line(task, f"n {n}, d {d}", threads, pairs, errors(w, search))
        if n < sizes[-1]:
            continue
        # The middle of the bandwidths that suit twonorm at this size.
        width = np.sqrt(d) / 2
        with worker(f"{width},{width},1") as w:
            w.seconds(1)  # memory that is allocated for the first time
            for name, make in (("SVC", SVC), ("thundersvm", thundersvm(bench))):
                if make is None:
                    continue
                one = make(**search.best_params_)
                for count in (1, threads):
                    pairs = alternate(lambda w=w, t=count: w.seconds(t), fitted(one, arrays, y), max(repeats, 3))
                    task_one = f"l2qp, one training / {name} with its best setting"
                    bench.line(task_one, f"n {n}, d {d}", count, pairs, errors(w, one))
    if len(sizes) > 1:
        bench.growth(f"{task}, d {d}", "n", sizes, *np.transpose(medians))


def fitted(peer, arrays, y):
    return lambda: peer.fit(arrays["x"], y).predict(arrays["new"])
