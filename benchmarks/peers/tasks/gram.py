"""A Gaussian Gram matrix next to scikit-learn's."""

import os

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from timing import Worker, alternate


def run(bench):
    sizes, repeats = ((250, 500), 3) if bench.short else ((1000, 2000, 4000), 9)
    for d in (20,) if bench.short else (20, 200):
        medians = []
        for n in sizes:
            x, b = np.random.default_rng(0).normal(size=(n, d)), np.sqrt(d)

            def peer(x=x, gamma=1 / (2 * b * b)):
                return rbf_kernel(x, gamma=gamma)

            with Worker(bench, "gram", {"x": x}, ["x", n, d, b]) as w:
                w.seconds(1)
                apart = np.abs(w.result((n, n)) - peer()).max()
                assert apart < 1e-12, apart
                for threads in (1, os.cpu_count()) if n == sizes[-1] else (os.cpu_count(),):
                    pairs = alternate(lambda w=w, t=threads: w.seconds(t), peer, repeats)
                    if n == sizes[-1]:
                        rate = (n * n / 1e6, "M entries/s")
                        bench.line(
                            "Gaussian Gram matrix / rbf_kernel",
                            f"n {n}, d {d}",
                            threads,
                            pairs,
                            f"{apart:.0e} apart",
                            rate,
                        )
                medians.append(np.median(pairs, axis=0))
        bench.growth(f"Gaussian Gram matrix / rbf_kernel, d {d}", "n", sizes, *np.transpose(medians))
