"""The import of a few of many features for few rows, next to sequential selection around a support vector machine."""

import os

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.svm import SVC
from timing import Worker, alternate


def run(bench):
    n, widths, features = (40, (20, 40), 2) if bench.short else (62, (500, 1000, 2000), 3)
    threads, times = os.cpu_count(), []
    for p in widths:
        rng = np.random.default_rng(4)
        x, y = rng.normal(size=(n, p)), np.arange(n) % 2
        # Shifts that make the first features clearly the best ones.
        x[:, :features] += 1.5 * (2 * y[:, None] - 1)
        x = (x - x.mean(0)) / x.std(0)
        with Worker(bench, "fivm", {"x": x, "y": y[:, None]}, ["x", n, p, "y", 2.0, 0.35, features]) as w:
            w.seconds(1)
            found = sorted(w.result().astype(int))
            assert found == list(range(features)), found
            times.append(min(w.seconds(threads) for _ in range(5)))
            if p == widths[-1]:
                selector = SequentialFeatureSelector(SVC(), n_features_to_select=features, cv=5)
                pairs = alternate(lambda w=w: w.seconds(threads), lambda x=x, y=y, s=selector: s.fit(x, y), 2)
                theirs = sum(selector.get_support()[:features])
                agreement = f"{features} and {theirs} of the {features} informative features"
                size = f"n {n}, p {p}, {features} features"
                bench.line("fivm, fixed settings / SequentialFeatureSelector(SVC)", size, threads, pairs, agreement)
    bench.growth(f"fivm, {features} imports, n {n}", "p", widths, times)
