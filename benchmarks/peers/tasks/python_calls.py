"""What a call through Python costs over the same work in Rust. Calls are timed twenty at a time, as a loop would make them."""

import numpy as np
from kernsieve import KOS
from timing import Worker, alternate, timed


CALLS = 20


def run(bench):
    n, d, repeats = (40, 3, 5) if bench.short else (200, 10, 15)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d))
    y = np.arange(n) % 2
    x[y == 1] += 1.0
    arrays = {"x": x, "y": y[:, None]}
    settings = ["x", n, d, "y", "kos", 3.0, 1.0]
    estimator = KOS(bandwidth=3.0, ridge=1.0, estimate=False, n_jobs=1).fit(x, y)
    for task, name, call in (
        ("train", "fit", lambda: estimator.fit(x, y)),
        ("posterior", "predict_proba", lambda: estimator.predict_proba(x)),
    ):
        with Worker(bench, task, arrays, settings) as w:

            def ours(w=w):
                return sum(w.seconds(1) for _ in range(CALLS)) / CALLS

            def theirs(call=call):
                return timed(lambda: [call() for _ in range(CALLS)]) / CALLS

            ours(), theirs()
            pairs = alternate(ours, theirs, repeats)
            apart = np.abs(w.result((n, 2)) - estimator.predict_proba(x)).max()
        own, through = np.median(pairs, axis=0)
        more = 1000 * (through - own)
        agreement = f"{more:.2f} ms more in Python; probabilities differ by {apart:.0e}"
        bench.line(f"{name} of KOS: Rust / through Python", f"n {n}, d {d}", 1, pairs, agreement)
