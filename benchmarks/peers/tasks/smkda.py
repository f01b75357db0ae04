"""Whole tuning of `SMKDA().fit` next to a support vector machine with the grid of Kim & Scott (2010), section 6."""

import os

import numpy as np
from kernsieve import SMKDA
from scipy.ndimage import affine_transform
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tasks.l2qp import GRID
from timing import alternate, timed


def run(bench):
    if bench.short:
        tuning(bench, 150, 60, {"gamma": [0.01], "C": [1.0, 4.0]})
    else:
        tuning(bench, 5620, 2388, GRID)


def digits_like(n, m, seed=0):
    """`n` rows to train on and `m` to test: handwritten digits of 8 x 8 pixels, each turned, stretched, slanted and moved a little.

    Images of the test come from 597 of the 1797 that scikit-learn has, those of training from the others.
    """
    images, digits = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(digits))

    def drawn(base, count):
        rows = np.empty((count, 64))
        for k in range(count):
            angle, slant = rng.normal(0, 0.08), rng.normal(0, 0.1)
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            map_ = turn @ np.array([[1, slant], [0, 1]]) @ np.diag(np.exp(rng.normal(0, 0.06, 2)))
            shift = 3.5 - map_ @ np.full(2, 3.5) + rng.normal(0, 0.35, 2)
            image = affine_transform(images[base[k % len(base)]].reshape(8, 8), map_, shift, order=1)
            rows[k] = np.clip(np.rint(image), 0, 16).ravel()
        return rows, digits[base[np.arange(count) % len(base)]]

    return drawn(order[597:], n), drawn(order[:597], m)


def tuning(bench, n, m, grid):
    threads = 1 if bench.short else os.cpu_count()
    (x, y), (new, truth) = digits_like(n, m)
    scale = StandardScaler().fit(x)
    mine = SMKDA(n_jobs=threads)
    search = GridSearchCV(SVC(), grid, cv=5, n_jobs=threads)
    scaled = scale.transform(x)
    pairs = alternate(lambda: timed(lambda: mine.fit(x, y)), lambda: search.fit(scaled, y), 1)
    errors = 1 - mine.score(new, truth), 1 - search.score(scale.transform(new), truth)
    kept = len(mine.support_), search.best_estimator_.support_.size
    bench.line(
        "SMKDA().fit / GridSearchCV(SVC), 10 x 11",
        f"n {n}, d 64, 10 classes",
        threads,
        pairs,
        f"errors {100 * errors[0]:.1f} %, {100 * errors[1]:.1f} %; samples kept {kept[0]}, {kept[1]}",
    )
