"""kernsieve beside scikit-learn, in one run: `cargo xtask bench`.

Tasks are timed in turn, ours and the peer's, on the same numbers; what is printed is the median of the ratios with its
spread. Results are compared before anything is timed. `--short` takes small sizes, for a test of the benchmark itself.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np
from densities import GRID, l2_classification
from lasso import lasso
from logistic import feature_import, logistic_regression
from scipy.linalg import qr
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from timing import Worker, alternate, exponent, row


def gram(program, n, d, repeats):
    x = np.random.default_rng(0).normal(size=(n, d))
    b = np.sqrt(d)
    with tempfile.TemporaryDirectory() as folder:
        w = Worker(program, Path(folder), "gram", {"x": x}, ["x", n, d, b])
        w.seconds(1)
        reference = rbf_kernel(x, gamma=1 / (2 * b * b))
        assert np.abs(w.result((n, n)) - reference).max() < 1e-12
        for threads in (1, os.cpu_count()):
            pairs = alternate(lambda: w.seconds(threads), lambda: rbf_kernel(x, gamma=1 / (2 * b * b)), repeats)
            row("Gaussian Gram matrix / rbf_kernel", f"n {n}, d {d}", threads, pairs, n * n / 1e6, "M entries/s")
        w.close()


def svc(n, d, noise, seed=0):
    """A fitted SVC and rows to predict."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    score = (x[:, :4] ** 2).sum(1) - 3.4 + noise * rng.normal(size=n)
    return SVC(C=1.0, gamma=1 / (2 * d)).fit(x, score > 0)


def predict(program, train, rows, d, noise, repeats):
    model = svc(train, d, noise)
    s = len(model.support_)
    x = np.random.default_rng(1).normal(size=(rows, d))
    arrays = {"x": x, "support": model.support_vectors_, "coef": model.dual_coef_.T}
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["x", rows, d, "support", s, "coef", model.intercept_[0], np.sqrt(d)]
        w = Worker(program, Path(folder), "predict", arrays, arguments)
        w.seconds(1)
        few = min(rows, 2000)
        assert np.abs(w.result((rows,))[:few] - model.decision_function(x[:few])).max() < 1e-9
        for threads in (1, os.cpu_count()):
            pairs = alternate(lambda: w.seconds(threads), lambda: model.predict(x), repeats)
            row("predict / SVC.predict", f"{rows} rows, {s} support, d {d}", threads, pairs, rows, "rows/s")
        w.close()


def gemm_rate(n):
    """GFLOP/s of a square matrix product of OpenBLAS, the yardstick of this machine."""
    a = np.random.default_rng(0).normal(size=(n, n))
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        a @ a
        seconds.append(time.perf_counter() - start)
    return 2 * n**3 / np.median(seconds) / 1e9


def selections(program, sizes, long, repeats):
    """Full paths of orthogonal least squares on Gaussian Gram matrices beside SciPy's column-pivoted QR of them; one path of
    `long[1]` steps at `long[0]` rows, where the paper stops at 752 of 10,000."""
    threads = os.cpu_count()
    own, peer, slow = [], [], []
    for n in sizes:
        pairs, mgs = selection(program, n, n, repeats if n < 4000 else 1)
        own.append(np.median(pairs[:, 0]))
        peer.append(np.median(pairs[:, 1]))
        slow.append(mgs)
    rate = 4 / 3 * sizes[-1] ** 3 / own[-1] / 1e9
    machine = gemm_rate(min(sizes[-1], 3000))
    print(f"|  | {rate:.0f} of {machine:.0f} GFLOP/s of a matrix product | {threads} | {100 * rate / machine:.0f} % |  |  |", flush=True)
    print(
        f"|  | growth with n, exponent | {threads} | {exponent(sizes, own):.2f} | {exponent(sizes, peer):.2f} "
        f"| Gram-Schmidt {exponent(sizes, slow):.2f} |",
        flush=True,
    )
    with Selection(program, *long) as w:
        seconds = w.seconds(threads)
    print(f"| OLS path | n {long[0]}, {long[1]} steps | {threads} | {seconds:.2f} s |  |  |", flush=True)


class Selection(Worker):
    """The selection of `steps` of `n` samples."""

    def __init__(self, program, n, steps):
        self.folder = tempfile.TemporaryDirectory()
        rng = np.random.default_rng(0)
        self.x = rng.normal(size=(n, 10))
        self.y = (rng.integers(0, 3, n)[:, None] == np.arange(3)).astype(float)
        arguments = ["x", n, 10, 1.0, "y", 3, steps]
        super().__init__(program, Path(self.folder.name), "ols", {"x": self.x, "y": self.y}, arguments)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        self.folder.cleanup()


def selection(program, n, steps, repeats):
    with Selection(program, n, steps) as w:
        k = rbf_kernel(w.x, gamma=0.5)
        w.seconds(1)
        order = w.result((-1,)).astype(int)
        assert len(order) == n - 1 and len(set(order)) == n - 1  # centred columns: one less than n are independent
        assert (order[:20] == gram_schmidt(k, w.y, 20)).all()
        threads = os.cpu_count()
        pairs = alternate(lambda: w.seconds(threads), lambda: qr(k, mode="r", pivoting=True), repeats)
        row("full OLS path / scipy pivoted QR", f"n {n}", threads, pairs, 4 / 3 * n**3 / 1e9, "GFLOP/s")
        few = alternate(lambda: w.seconds(threads), lambda: gram_schmidt(k, w.y, 20), 1)
        slow = few[0, 1] / 20 * (n - 1)
        print(f"|  | NumPy Gram-Schmidt, from 20 steps | {threads} |  |  | about {slow / few[0, 0]:,.0f}x |", flush=True)
        return pairs, slow


def prediction_against_size(program, sizes, rows, d):
    """Rows a second that a model of so many samples predicts."""
    rng = np.random.default_rng(2)
    x, seconds = rng.normal(size=(rows, d)), []
    for s in sizes:
        arrays = {"x": x, "support": rng.normal(size=(s, d)), "coef": rng.normal(size=(s, 1))}
        with tempfile.TemporaryDirectory() as folder:
            w = Worker(program, Path(folder), "predict", arrays, ["x", rows, d, "support", s, "coef", 0.0, np.sqrt(d)])
            w.seconds(1)
            seconds.append(min(w.seconds(os.cpu_count()) for _ in range(3)))
            w.close()
    figures = ", ".join(f"{s}: {rows / t:,.2g}" for s, t in zip(sizes, seconds))
    print(f"| predict, rows/s by samples kept | {rows} rows, d {d} | {os.cpu_count()} | {figures} |  |  |", flush=True)


def streaming(program, sizes, d, candidates):
    """sMKDA among few candidates, rows streaming through: time against the number of rows."""
    rng, seconds = np.random.default_rng(3), []
    for n in sizes:
        x = rng.normal(size=(n, d))
        y = (x[:, :3] ** 2).sum(1) > 2.4
        with tempfile.TemporaryDirectory() as folder:
            arrays = {"x": x, "y": y.astype(float)[:, None]}
            w = Worker(program, Path(folder), "smkda", arrays, ["x", n, d, np.sqrt(d), "y", 100, candidates])
            seconds.append(w.seconds(os.cpu_count()))
            w.close()
    figures = ", ".join(f"{n}: {t:.2f} s" for n, t in zip(sizes, seconds))
    print(
        f"| smkda --candidates {candidates}, one fit | d {d}; {figures} | {os.cpu_count()} "
        f"| exponent {exponent(sizes, seconds):.2f} |  |  |",
        flush=True,
    )


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


def rings(n, p, seed):
    """Lapanowski & Gaynanova's first simulation with `p - 2` noise features."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(4 * n, p))
    x[:, 2:] = rng.normal(scale=0.5**0.5, size=(4 * n, p - 2))
    radius = np.hypot(x[:, 0], x[:, 1])
    keep = np.flatnonzero((radius >= 2 / 3) | (radius <= 2 / 3 - 0.1))[:n]
    return x[keep], (radius[keep] < 2 / 3).astype(int)


def sparse_kos_in_numpy(x, y, quantiles=(0.05, 0.1, 0.2, 0.3, 0.5), penalties=20, folds=5):
    """The paper's algorithm and tuning in NumPy as one would write it down: 500 fits; returns the weights."""
    x = (x - x.mean(0)) / x.std(0)
    rng = np.random.default_rng(0)
    fold = np.zeros(len(y), int)
    for c in (0, 1):
        rows = rng.permutation(np.flatnonzero(y == c))
        fold[rows] = np.arange(len(rows)) % folds

    def squares(a, b):
        return (a.T[:, :, None] - b.T[:, None, :]) ** 2

    def solve(d2, theta, w, sigma2, g):
        n = len(theta)
        k = np.exp(-np.tensordot(w**2, d2, 1) / sigma2)
        m = k - k.mean(0) - k.mean(1)[:, None] + k.mean()
        alpha = np.linalg.solve(m @ m + g * (m + 1e-5 * np.eye(n)), m @ theta)
        r = theta - m @ alpha
        return k, m, alpha, r @ r / n + g / n * alpha @ (m @ alpha + 1e-5 * alpha)

    def step(d2, theta, w, sigma2, g, k, m, alpha, lam):
        n = len(theta)
        a = alpha - alpha.mean()
        t = np.stack([(k * d2[j]) @ a for j in range(len(w))], axis=1) * (-2 * w / sigma2)
        t -= t.mean(0)
        q = t.T @ t / n
        beta = t.T @ (theta - m @ alpha + t @ w) / n - g / n / 2 * t.T @ alpha
        if lam is None:
            return 2 * np.abs(beta).max()
        new = w.copy()
        for _ in range(100):
            before = new.copy()
            for j in range(len(w)):
                if q[j, j] > 0:
                    part = beta[j] - q[j] @ new + q[j, j] * new[j]
                    new[j] = np.clip(np.sign(part) * max(abs(part) - lam / 2, 0) / q[j, j], -1, 1)
            if np.abs(new - before).max() < 1e-6:
                break
        return new

    def fit(d2, theta, w, sigma2, g, lam):
        k, m, alpha, value = solve(d2, theta, w, sigma2, g)
        value += lam * np.abs(w).sum()
        for _ in range(20):
            to, share = step(d2, theta, w, sigma2, g, k, m, alpha, lam), 1.0
            while share > 1e-3:
                trial = w + share * (to - w)
                new = solve(d2, theta, trial, sigma2, g)
                if new[3] + lam * np.abs(trial).sum() < value:
                    break
                share /= 2
            gain = value - new[3] - lam * np.abs(trial).sum()
            if gain < 1e-5:
                break
            w, (k, m, alpha, _), value = trial, new, value - gain
        return w, k, alpha

    def ridge(d2, sigma2):
        n = d2.shape[1]
        k = np.exp(-d2.sum(0) / sigma2)
        m = k - k.mean(0) - k.mean(1)[:, None] + k.mean()
        total = (m * m).sum()
        t = n / (n - 2) * ((np.diag(m) ** 2).sum() - total / n) / total
        return t / (1 - t)

    def scored(y):
        n1, n2 = (y == 0).sum(), (y == 1).sum()
        return np.where(y == 0, np.sqrt(n2 / n1), -np.sqrt(n1 / n2))

    whole, theta = squares(x, x), scored(y)
    between = whole.sum(0)[y == 0][:, y == 1].ravel()
    best = (np.inf, None)
    ones = np.ones(x.shape[1])
    for sigma2 in np.quantile(between, quantiles):
        g = ridge(whole, sigma2)
        k, m, alpha, _ = solve(whole, theta, ones, sigma2, g)
        grid = np.geomspace(1e-3, 1, penalties) * step(whole, theta, ones, sigma2, g, k, m, alpha, None)
        wrong = np.zeros(penalties)
        for f in range(folds):
            train, test = fold != f, fold == f
            d2, th = squares(x[train], x[train]), scored(y[train])
            gf, w = ridge(d2, sigma2), ones
            for i, lam in enumerate(grid):
                w, k, alpha = fit(d2, th, w, sigma2, gf, lam)
                a = alpha - alpha.mean()
                z = (np.exp(-np.tensordot(w**2, squares(x[test], x[train]), 1) / sigma2) - k.mean(0)) @ a
                own = (k - k.mean(0)) @ a
                means = [own[y[train] == c].mean() for c in (0, 1)]
                wrong[i] += ((np.abs(z - means[0]) > np.abs(z - means[1])).astype(int) != y[test]).sum()
        i = penalties - 1 - wrong[::-1].argmin()
        if wrong[i] < best[0]:
            best = (wrong[i], (sigma2, g, grid[: i + 1]))
    sigma2, g, path = best[1]
    w = ones
    for lam in path:
        w = fit(whole, theta, w, sigma2, g, lam)[0]
    return np.abs(w)


def sparse_tuning(program, n, sizes, features, repeats):
    """The full automatic tuning of sparse KOS beside the paper's algorithm in NumPy, and its growth."""

    def ours(n, p):
        x, y = rings(n, p, 0)
        folder = tempfile.TemporaryDirectory()
        w = Worker(program, Path(folder.name), "sparse-kos", {"x": x, "y": y[:, None]}, ["x", len(y), p, "y"])
        return w, folder, x, y

    threads = os.cpu_count()
    w, folder, x, y = ours(n, 4)
    w.seconds(1)
    weights = w.result((-1,))
    assert (weights[:2] > 0).all(), weights
    pairs = alternate(lambda: w.seconds(threads), lambda: sparse_kos_in_numpy(x, y), repeats)
    row("sparse-kos, whole tuning / the paper's algorithm in NumPy", f"n {n}, p 4", threads, pairs, 1, "tunings/s")
    w.close()
    for label, runs in (("n", [(n, 4) for n in sizes]), ("p", [(n, p) for p in features])):
        times = []
        for shape in runs:
            w, folder, *_ = ours(*shape)
            w.seconds(threads)
            times.append(min(w.seconds(threads) for _ in range(2)))
            w.close()
        axis = sizes if label == "n" else features
        figures = ", ".join(f"{label} {a}: {t:.2f} s" for a, t in zip(axis, times))
        print(f"| sparse-kos, whole tuning | {figures} | {threads} | exponent {exponent(axis, times):.2f} |  |  |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.environ.get("KERNSIEVE_BENCH", "kernsieve-bench"))
    parser.add_argument("--short", action="store_true")
    a = parser.parse_args()
    print("| task (ours / peer) | size | our threads | ours | peer | peer's time over ours, median (quartiles) |")
    print("|---|---|---|---|---|---|")
    if a.short:
        gram(a.program, 500, 20, 3)
        predict(a.program, 300, 2000, 20, 0.0, 3)
        selections(a.program, (150, 300), (600, 50), 3)
        prediction_against_size(a.program, (10, 100), 2000, 20)
        streaming(a.program, (2000, 4000), 5, 100)
        sparse_tuning(a.program, 60, (40, 80), (3, 6), 1)
        feature_import(a.program, 40, (20, 40), 2, 1)
        logistic_regression(a.program, (100, 200), 1)
        l2_classification(a.program, 60, 5, {"gamma": [0.1], "C": [1.0, 4.0]}, 1)
        lasso(a.program, ("no such set", 100, 20, 3), 1)
        lasso(a.program, ("no such set", 30, 60, 2), 1, (1e-4,))
        return
    for d in (20, 200):
        gram(a.program, 4000, d, 9)
    predict(a.program, 200, 100_000, 20, 0.0, 5)
    predict(a.program, 3000, 10_000, 100, 3.0, 5)
    selections(a.program, (1250, 2000, 2500, 5000), (10_000, 752), 3)
    prediction_against_size(a.program, (10, 50, 100, 500, 2000), 100_000, 20)
    streaming(a.program, (62_500, 125_000, 250_000), 20, 1000)
    sparse_tuning(a.program, 176, (100, 200, 400), (4, 8, 16), 2)
    feature_import(a.program, 62, (500, 1000, 2000), 3, 1)
    logistic_regression(a.program, (500, 1000, 2000), 3)
    l2_classification(a.program, 400, 20, GRID, 3)
    l2_classification(a.program, 3000, 100, GRID, 1)
    lasso(a.program, ("semeion", 1593, 256, 10), 5)
    lasso(a.program, ("west_breast_ln", 49, 7129, 2), 5)


if __name__ == "__main__":
    main()
