"""sMKDA among few candidates, rows streaming through: time against the number of rows."""

import os

import numpy as np
from timing import Worker


def run(bench):
    sizes, d, candidates = ((2000, 4000), 5, 100) if bench.short else ((62_500, 125_000, 250_000), 20, 1000)
    rng, seconds = np.random.default_rng(3), []
    for n in sizes:
        x = rng.normal(size=(n, d))
        y = (x[:, :3] ** 2).sum(1) > 2.4
        arrays = {"x": x, "y": y.astype(float)[:, None]}
        with Worker(bench, "smkda", arrays, ["x", n, d, np.sqrt(d), "y", 100, candidates]) as w:
            seconds.append(w.seconds(os.cpu_count()))
    bench.growth(f"smkda --candidates {candidates}, one fit, d {d}", "n", sizes, seconds)
