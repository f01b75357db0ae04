"""Kernel logistic regression and the import of features beside scikit-learn."""

import os
import tempfile
from pathlib import Path

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.svm import SVC
from timing import Worker, alternate, exponent, row


def feature_import(program, n, widths, features, repeats):
    """Selection of a few of many features for few rows, beside sequential selection around a support vector machine."""
    threads, times = os.cpu_count(), []
    for p in widths:
        rng = np.random.default_rng(4)
        x, y = rng.normal(size=(n, p)), np.arange(n) % 2
        # Shifts that make the first features clearly the best ones.
        x[:, :features] += 1.5 * (2 * y[:, None] - 1)
        x = (x - x.mean(0)) / x.std(0)
        with tempfile.TemporaryDirectory() as folder:
            arrays = {"x": x, "y": y[:, None]}
            w = Worker(program, Path(folder), "fivm", arrays, ["x", n, p, "y", 2.0, 0.35, features])
            w.seconds(1)
            found = sorted(w.result((-1,)).astype(int))
            assert found == list(range(features)), found
            times.append(min(w.seconds(threads) for _ in range(5)))
            if p == widths[-1]:
                selector = SequentialFeatureSelector(SVC(), n_features_to_select=features, cv=5)
                pairs = alternate(lambda: w.seconds(threads), lambda: selector.fit(x, y), repeats)
                size = f"n {n}, p {p}, {features} features"
                row("fivm, fixed settings / SequentialFeatureSelector(SVC)", size, threads, pairs, 1, "selections/s")
            w.close()
    figures = ", ".join(f"p {p}: {1000 * t:.1f} ms" for p, t in zip(widths, times))
    print(f"| fivm, {features} imports | n {n}; {figures} | {threads} | exponent {exponent(widths, times):.2f} |  |  |", flush=True)


def logistic_regression(program, sizes, repeats):
    """One fit with fixed settings beside the mode of a Gaussian process, which is the same function."""
    threads, times = os.cpu_count(), []
    for n in sizes:
        rng = np.random.default_rng(5)
        x = rng.normal(size=(n, 5))
        y = ((x[:, 0] ** 2 + x[:, 1] ** 2 + rng.normal(size=n)) > 2).astype(int)
        with tempfile.TemporaryDirectory() as folder:
            arrays = {"x": x, "y": y[:, None]}
            w = Worker(program, Path(folder), "klr", arrays, ["x", n, 5, "y", 1.5, 1 / (2 * n)])
            w.seconds(1)
            peer = GaussianProcessClassifier(RBF(1.5, "fixed"), optimizer=None, max_iter_predict=100)
            peer.fit(x, y)
            # Its Newton iteration ends when its objective moves by less than 1e-10.
            assert np.abs(peer.base_estimator_.pi_ - w.result((n, 2))[:, 1]).max() < 1e-4
            times.append(min(w.seconds(threads) for _ in range(3)))
            if n == sizes[-1]:
                pairs = alternate(lambda: w.seconds(threads), lambda: peer.fit(x, y), repeats)
                row("klr, one fit / GaussianProcessClassifier, fixed kernel", f"n {n}, d 5", threads, pairs, 1, "fits/s")
            w.close()
    figures = ", ".join(f"n {n}: {1000 * t:.0f} ms" for n, t in zip(sizes, times))
    print(f"| klr, one fit | {figures} | {threads} | exponent {exponent(sizes, times):.2f} |  |  |", flush=True)
