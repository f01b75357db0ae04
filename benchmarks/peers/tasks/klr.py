"""One fit of kernel logistic regression next to the mode of a Gaussian process, which is the same function."""

import os

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from timing import Worker, alternate


def run(bench):
    sizes, repeats = ((100, 200), 1) if bench.short else ((500, 1000, 2000), 3)
    threads, medians = os.cpu_count(), []
    for n in sizes:
        rng = np.random.default_rng(5)
        x = rng.normal(size=(n, 5))
        y = ((x[:, 0] ** 2 + x[:, 1] ** 2 + rng.normal(size=n)) > 2).astype(int)
        with Worker(bench, "klr", {"x": x, "y": y[:, None]}, ["x", n, 5, "y", 1.5, 1 / (2 * n)]) as w:
            w.seconds(1)
            peer = GaussianProcessClassifier(RBF(1.5, "fixed"), optimizer=None, max_iter_predict=100)
            peer.fit(x, y)
            # Its Newton iteration ends when its objective moves by less than 1e-10.
            apart = np.abs(peer.base_estimator_.pi_ - w.result((n, 2))[:, 1]).max()
            assert apart < 1e-4, apart
            pairs = alternate(lambda w=w: w.seconds(threads), lambda p=peer, x=x, y=y: p.fit(x, y), repeats)
            medians.append(np.median(pairs, axis=0))
    agreement = f"probabilities {apart:.0e} apart"
    task = "klr, one fit / GaussianProcessClassifier, fixed kernel"
    bench.line(task, f"n {sizes[-1]}, d 5", threads, pairs, agreement)
    bench.growth(task, "n", sizes, *np.transpose(medians))
