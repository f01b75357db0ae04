"""Full paths of orthogonal least squares on Gaussian Gram matrices next to SciPy's column-pivoted QR of them."""

import os
import time
from contextlib import contextmanager

import numpy as np
from scipy.linalg import qr
from sklearn.metrics.pairwise import rbf_kernel
from timing import Worker, alternate, timed


def run(bench):
    # A path of few steps at the end: the paper stops at 752 of 10,000.
    sizes, long, repeats = ((150, 300), (600, 50), 3) if bench.short else ((1250, 2500, 5000), (10_000, 752), 3)
    threads, medians, slow = os.cpu_count(), [], []
    for n in sizes:
        with worker(bench, n, n) as (w, x, y):
            k = rbf_kernel(x, gamma=0.5)
            w.seconds(1)
            order = w.result().astype(int)
            assert len(order) == n - 1 and len(set(order)) == n - 1  # centred columns: one less than n are independent
            assert (order[:20] == gram_schmidt(k, y, 20)).all()

            def peer(k=k):
                return qr(k, mode="r", pivoting=True)

            pairs = alternate(lambda w=w: w.seconds(threads), peer, repeats)
            rate = (4 / 3 * n**3 / 1e9, "GFLOP/s")
            checked = "first 20 as by Gram-Schmidt; QR has another order"
            bench.line("full OLS path / scipy pivoted QR", f"n {n}", threads, pairs, checked, rate)
            medians.append(np.median(pairs, axis=0))
            slow.append(timed(lambda k=k, y=y: gram_schmidt(k, y, 20)) / 20 * (n - 1))
    own = [m[0] for m in medians]
    bench.growth("full OLS path / scipy pivoted QR", "n", sizes, *np.transpose(medians))
    bench.growth("full OLS path / NumPy Gram-Schmidt, from 20 steps", "n", sizes, own, slow)
    rate, machine = 4 / 3 * sizes[-1] ** 3 / own[-1] / 1e9, gemm_rate(min(sizes[-1], 3000))
    share = 100 * rate / machine
    bench.note(
        f"The full OLS path of {sizes[-1]} samples runs at {rate:.0f} GFLOP/s, {share:.0f} % of a matrix product."
    )
    with worker(bench, *long) as (w, *_):
        bench.note(f"An OLS path of {long[1]} of {long[0]} samples takes {w.seconds(threads):.2f} s.")


@contextmanager
def worker(bench, n, steps):
    """A worker that selects `steps` of `n` samples, and its data."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 10))
    y = (rng.integers(0, 3, n)[:, None] == np.arange(3)).astype(float)
    with Worker(bench, "ols", {"x": x, "y": y}, ["x", n, 10, 1.0, "y", 3, steps]) as w:
        yield w, x, y


def gemm_rate(n):
    """GFLOP/s of a square matrix product of OpenBLAS, the yardstick of this machine."""
    a = np.random.default_rng(0).normal(size=(n, n))
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        a @ a
        seconds.append(time.perf_counter() - start)
    return 2 * n**3 / np.median(seconds) / 1e9


def gram_schmidt(k, y, steps):
    """Modified Gram-Schmidt: every remaining column is made orthogonal at every step."""
    p, y = k - k.mean(0), y - y.mean(0)
    order = []
    for _ in range(steps):
        norms = np.maximum((p * p).sum(0), 1e-300)
        gain = ((y.T @ p) ** 2).sum(0) / (norms + 1e-9)
        gain[order] = -1
        best = int(gain.argmax())
        order.append(best)
        q = p[:, best] / np.sqrt(norms[best])
        p = p - np.outer(q, q @ p)
    return order
