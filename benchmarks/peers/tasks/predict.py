"""Prediction next to a support vector machine, with its own support vectors."""

import os

import numpy as np
from sklearn.svm import SVC
from timing import Worker, alternate


def run(bench):
    if bench.short:
        beside_svc(bench, 300, (1000, 2000), 20, 0.0, 3)
        against_size(bench, (10, 100), 2000, 20)
        return
    beside_svc(bench, 200, (25_000, 50_000, 100_000), 20, 0.0, 5)
    beside_svc(bench, 3000, (2500, 5000, 10_000), 100, 3.0, 5)
    against_size(bench, (25, 50, 100, 200, 400, 800, 1600), 100_000, 20)


def svc(n, d, noise):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d))
    score = (x[:, :4] ** 2).sum(1) - 3.4 + noise * rng.normal(size=n)
    return SVC(C=1.0, gamma=1 / (2 * d)).fit(x, score > 0)


def beside_svc(bench, train, sizes, d, noise, repeats):
    model = svc(train, d, noise)
    s, medians = len(model.support_), []
    for rows in sizes:
        x = np.random.default_rng(1).normal(size=(rows, d))
        arrays = {"x": x, "support": model.support_vectors_, "coef": model.dual_coef_.T}
        arguments = ["x", rows, d, "support", s, "coef", model.intercept_[0], np.sqrt(d)]
        with Worker(bench, "predict", arrays, arguments) as w:
            w.seconds(1)
            few = min(rows, 2000)
            apart = np.abs(w.result()[:few] - model.decision_function(x[:few])).max()
            assert apart < 1e-9, apart
            for threads in (1, os.cpu_count()) if rows == sizes[-1] else (os.cpu_count(),):
                pairs = alternate(lambda w=w, t=threads: w.seconds(t), lambda x=x: model.predict(x), repeats)
                if rows == sizes[-1]:
                    size = f"{rows} rows, {s} support vectors, d {d}"
                    bench.line(
                        "predict / SVC.predict", size, threads, pairs, f"scores {apart:.0e} apart", (rows, "rows/s")
                    )
            medians.append(np.median(pairs, axis=0))
    bench.growth(f"predict / SVC.predict, {s} support vectors, d {d}", "rows", sizes, *np.transpose(medians))


def against_size(bench, sizes, rows, d):
    """What a model of fewer samples saves."""
    rng = np.random.default_rng(2)
    x, seconds = rng.normal(size=(rows, d)), []
    for s in sizes:
        arrays = {"x": x, "support": rng.normal(size=(s, d)), "coef": rng.normal(size=(s, 1))}
        with Worker(bench, "predict", arrays, ["x", rows, d, "support", s, "coef", 0.0, np.sqrt(d)]) as w:
            w.seconds(1)
            seconds.append(min(w.seconds(os.cpu_count()) for _ in range(3)))
    bench.growth(f"predict {rows} rows, d {d}", "samples kept", sizes, seconds)
