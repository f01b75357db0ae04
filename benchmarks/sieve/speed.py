"""How long does a whole fit of the sieve take, and how does that grow?

    python benchmarks/sieve/speed.py --bin target/release/kernsieve
    python benchmarks/sieve/speed.py --bin target/release/kernsieve --rows 500 --growth 10000    # a short run

Three tables: whole fits beside `GridSearchCV(SVC)` with 10 x 11 settings and 5 folds, two threads each; the growth in
rows, sieve only; predictions at the models' own sizes. It needs a machine that does nothing else: CPU seconds (user
and system) stand beside the wall time and are what remains comparable if it is not.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from program import fit, run, table, write

TEST_ROWS = 20_000
SETTINGS = {"C": np.logspace(-2, 4, 10), "gamma": np.logspace(-4, 1, 11)}


def simulated(n, p, seed):
    """A border with interactions in six of the features; one row in twenty has the wrong class."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    f = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.7 * x[:, 3] + 0.5 * x[:, 4] ** 2 - 0.5 + 0.4 * x[:, 5]
    return x, ((f > 0) != (rng.random(n) < 0.05)) * 1


def tuned_svc(folder, threads):
    """In a process of its own: the search, then predictions on one thread. Prints seconds and errors."""
    from joblib.externals.loky import get_reusable_executor
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    with np.load(folder / "rows.npz") as rows:
        x, y, test, truth = (rows[k] for k in ("x", "y", "test", "truth"))
    began = time.perf_counter()
    search = GridSearchCV(
        make_pipeline(StandardScaler(), SVC(cache_size=500)),
        {f"svc__{k}": v for k, v in SETTINGS.items()},
        cv=5,
        n_jobs=threads,
    ).fit(x, y)
    wall = time.perf_counter() - began
    began = time.perf_counter()
    error = float(np.mean(search.predict(test) != truth))
    predict = time.perf_counter() - began
    kept = int(search.best_estimator_[-1].n_support_.sum())
    print(json.dumps({"wall": wall, "error": error, "predict": predict, "kept": kept}))
    get_reusable_executor().shutdown(wait=True)


def nothing():
    """What a process costs before it does anything."""
    import sklearn.model_selection
    import sklearn.svm  # noqa: F401

    print("{}")


def child(*words):
    """This program in a process of its own: what it printed, and its CPU seconds."""
    printed, cost = run(sys.executable, Path(__file__).resolve(), "--child", *words)
    return json.loads(printed), cost


def prediction(program, model, test, folder, repeats):
    """Median seconds of `predict` on one thread, reading and writing included."""
    out = folder / "out.csv"
    words = [program, "predict", model, test, "--threads", 1, "--quiet", "--output", out]
    return statistics.median(run(*words)[1]["wall"] for _ in range(repeats))


def fits(words):
    rows, speeds = [], []
    idle = child("nothing", ".", 1)[1]["cpu"]
    for n in words.rows:
        for p in words.features:
            x, y = simulated(n, p, 1)
            test, truth = simulated(TEST_ROWS, p, 2)
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                files = [folder / f"{part}.csv" for part in ("train", "test")]
                write(files[0], x, y)
                write(files[1], test, truth)
                np.savez(folder / "rows.npz", x=x, y=y, test=test, truth=truth)
                options = ["--method", "sieve", "--threads", words.threads, "--model", folder / "model.ks"]
                report, cost = fit(words.bin, files[0], *options, "--test", files[1])
                peer, peer_cost = child("svc", folder, words.threads)
                fit(words.bin, files[0], "--method", "lda", "--model", folder / "lda.ks")
                whole = prediction(words.bin, folder / "model.ks", files[1], folder, words.repeats)
                reading = prediction(words.bin, folder / "lda.ks", files[1], folder, words.repeats)
            cpu = peer_cost["cpu"] - idle - peer["predict"]
            kept = report["retained_samples"]["count"]
            rows.append(
                [
                    n,
                    p,
                    f"{cost['wall']:.1f}",
                    f"{cost['cpu']:.1f}",
                    f"{peer['wall']:.1f}",
                    f"{cpu:.1f}",
                    f"{peer['wall'] / cost['wall']:.1f}",
                    f"{cpu / cost['cpu']:.1f}",
                    f"{100 * report['test_error']:.1f}",
                    f"{100 * peer['error']:.1f}",
                ]
            )
            net = max(whole - reading, 1e-3)
            speeds.append(
                [
                    n,
                    p,
                    f"{kept} x {len(report['selected_features'])}",
                    f"{TEST_ROWS / net:.3g}",
                    f"{TEST_ROWS / whole:.3g}",
                    f"{peer['kept']} x {p}",
                    f"{TEST_ROWS / peer['predict']:.3g}",
                ]
            )
            print(f"{n} x {p} done", file=sys.stderr)
    return rows, speeds


def growth(words):
    rows, last = [], None
    for n in words.growth:
        x, y = simulated(n, 20, 1)
        test, truth = simulated(TEST_ROWS, 20, 2)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            files = [folder / f"{part}.csv" for part in ("train", "test")]
            write(files[0], x, y)
            write(files[1], test, truth)
            report, cost = fit(
                words.bin, files[0], "--method", "sieve", "--threads", words.threads, "--test", files[1]
            )
        power = "" if last is None else f"{np.log(cost['cpu'] / last[1]) / np.log(n / last[0]):.2f}"
        last = n, cost["cpu"]
        seconds = report["seconds"]
        rows.append(
            [
                n,
                f"{cost['wall']:.1f}",
                f"{cost['cpu']:.1f}",
                f"{seconds['tune']:.1f}",
                f"{seconds['fit']:.1f}",
                power,
                f"{cost['memory']:.0f}",
                f"{100 * report['test_error']:.1f}",
                report["retained_samples"]["count"],
            ]
        )
        print(f"{n} x 20 done", file=sys.stderr)
    return rows


def numbers(text):
    return [int(v) for v in text.split(",") if v]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", help="the kernsieve program")
    words.add_argument("--rows", type=numbers, default=[500, 2000, 4000])
    words.add_argument("--features", type=numbers, default=[20, 60])
    words.add_argument("--growth", type=numbers, default=[10_000, 30_000, 100_000, 300_000, 1_000_000])
    words.add_argument("--threads", type=int, default=2)
    words.add_argument("--repeats", type=int, default=5, help="of predictions")
    words.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    words = words.parse_args()
    if words.child:
        task, folder, threads = words.child
        return nothing() if task == "nothing" else tuned_svc(Path(folder), int(threads))
    if not words.bin:
        sys.exit("--bin names the kernsieve program")
    rows, speeds = fits(words)
    print(f"Whole fits, {words.threads} threads each; SVC tuned over 10 x 11 settings in 5 folds:\n")
    header = "rows, features, sieve wall s, sieve CPU s, SVC wall s, SVC CPU s, wall ratio, CPU ratio"
    print(table([*header.split(", "), "sieve error %", "SVC error %"], rows))
    print("\nGrowth in rows, 20 features:\n")
    header = "rows, wall s, CPU s, tuning s, fit s, power of the rows, peak MiB, error %, rows kept"
    print(table(header.split(", "), growth(words)))
    print("\nPredictions a second, one thread (sieve: less what an LDA needs on the same file; with it):\n")
    header = "rows, features, sieve keeps, sieve rows/s, with files, SVC keeps, SVC rows/s"
    print(table(header.split(", "), speeds))
    return None


if __name__ == "__main__":
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    main()
