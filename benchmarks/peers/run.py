"""kernsieve beside scikit-learn, in one run: `cargo xtask bench`.

Tasks are timed in turn, ours and the peer's, on the same numbers; what is printed is the median of the ratios with its
spread. Results are compared before anything is timed. `--short` takes small sizes, for a test of the benchmark itself.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.linalg import qr
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC


PAUSE = 0.2  # seconds


class Worker:
    """A kernsieve-bench process that runs its task whenever it is asked to."""

    def __init__(self, program, folder, task, arrays, arguments):
        paths = {}
        for name, array in arrays.items():
            paths[name] = folder / f"{name}.bin"
            np.ascontiguousarray(array, dtype="<f8").tofile(paths[name])
        self.out = folder / "out.bin"
        words = [str(paths.get(a, a)) for a in arguments]
        self.process = subprocess.Popen(
            [program, task, *words, self.out], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def seconds(self, threads):
        self.process.stdin.write(f"{threads}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("kernsieve-bench ended early")
        return float(answer)

    def result(self, shape):
        return np.fromfile(self.out, dtype="<f8").reshape(shape)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def alternate(ours, theirs, repeats):
    """Seconds of both, in turn, with a pause in which the other's threads go to sleep."""
    pairs = []
    for _ in range(repeats):
        time.sleep(PAUSE)
        mine = ours()
        time.sleep(PAUSE)
        start = time.perf_counter()
        theirs()
        pairs.append((mine, time.perf_counter() - start))
    return np.array(pairs)


def row(task, size, threads, pairs, rate, unit):
    ratio = pairs[:, 1] / pairs[:, 0]
    low, high = np.percentile(ratio, [25, 75])
    mine, theirs = np.median(pairs, axis=0)
    figure = f"{np.median(ratio):5.1f}x ({low:.1f} to {high:.1f})"
    print(f"| {task} | {size} | {threads} | {rate / mine:,.3g} {unit} | {rate / theirs:,.3g} {unit} | {figure} |", flush=True)
    return np.median(ratio)


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


def exponent(sizes, seconds):
    """Slope of log time against log size."""
    return np.polyfit(np.log(sizes), np.log(seconds), 1)[0]


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
        return
    for d in (20, 200):
        gram(a.program, 4000, d, 9)
    predict(a.program, 200, 100_000, 20, 0.0, 5)
    predict(a.program, 3000, 10_000, 100, 3.0, 5)
    selections(a.program, (1250, 2000, 2500, 5000), (10_000, 752), 3)
    prediction_against_size(a.program, (10, 50, 100, 500, 2000), 100_000, 20)
    streaming(a.program, (62_500, 125_000, 250_000), 20, 1000)


if __name__ == "__main__":
    main()
