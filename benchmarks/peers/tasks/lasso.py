"""Paths of the lasso next to scikit-learn, celer and skglm."""

import os
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lasso_path
from timing import Worker, alternate

PENALTIES = 2.0 ** np.arange(10, -16, -1)


def standardised(x):
    deviation = x.std(0)
    return (x - x.mean(0)) / np.where(deviation > 0, deviation, 1)


def data_set(name, n, p, classes):
    """A data set of the papers if available, else similar numbers: standardised features, centred class
    indicators.
    """
    folder = Path(os.environ.get("KERNSIEVE_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
    for path in (folder / f"{name}.csv", folder / f"{name}.csv.gz"):
        if path.exists():
            import pandas as pd

            table = pd.read_csv(path)
            x, y = table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy()
            break
    else:
        name = f"like {name}"
        rng = np.random.default_rng(6)
        y = np.arange(n) % classes
        # Few factors behind many features, and means that differ.
        x = (
            rng.normal(size=(n, 20)) @ rng.normal(size=(20, p))
            + 2 * rng.normal(size=(n, p))
            + 2 * rng.normal(size=(classes, p))[y]
        )
    labels = np.unique(y)
    targets = np.column_stack([y == c for c in (labels if len(labels) > 2 else labels[:1])]).astype(float)
    return name, standardised(x), targets - targets.mean(0)


def largest_gap(x, targets, coef, penalties):
    """Duality gap relative to |t|^2, the largest over targets and penalties; coef is targets x penalties x features."""
    worst = 0.0
    for t, path in zip(targets.T, coef):
        for w, penalty in zip(path, penalties):
            r = t - x @ w
            s = min(1, penalty / max(np.abs(x.T @ r).max(), 1e-300))
            gap = r @ r / 2 + penalty * np.abs(w).sum() - s * t @ r + s**2 * r @ r / 2
            worst = max(worst, gap / (t @ t))
    return worst


def run(bench):
    if bench.short:
        lasso(bench, ("no such set", 100, 20, 3), 1)
        lasso(bench, ("no such set", 30, 60, 2), 1, (1e-4,))
        return
    lasso(bench, ("semeion", 1593, 256, 10), 5)
    lasso(bench, ("west_breast_ln", 49, 7129, 2), 5)


def lasso(bench, shape, repeats, tolerances=(1e-4, 1e-8)):
    """All classes and all penalties: ours in one call, theirs class by class, to the same duality gap."""
    name, x, targets = data_set(*shape)
    (n, p), k, threads = x.shape, targets.shape[1], os.cpu_count()
    penalties = PENALTIES[PENALTIES < 1.01 * np.abs(x.T @ targets).max()]
    columns = np.asfortranarray(x)
    warnings.simplefilter("ignore", ConvergenceWarning)
    for tol in tolerances:
        arguments = ["x", n, p, "t", k, penalties[0], len(penalties), 2 * tol]
        with Worker(bench, "lasso", {"x": x, "t": targets}, arguments) as w:
            w.seconds(threads)
            gap = largest_gap(x, targets, w.result((k, len(penalties), p)), penalties)
            assert gap <= 1.01 * tol, gap
            for peer, solve in peers(columns, penalties / n, tol).items():
                coef = [solve(t) for t in targets.T]  # once for the compilers of some of them
                other = largest_gap(x, targets, coef, penalties)
                pairs = alternate(
                    lambda w=w: w.seconds(threads), lambda solve=solve: [solve(t) for t in targets.T], repeats
                )
                size = f"{name}: {n} x {p}, {k} target{'s' if k > 1 else ''}, {len(penalties)} penalties, gap {tol:.0e}"
                bench.line(f"lasso path / {peer}", size, threads, pairs, f"gaps {gap:.0e}, {other:.0e}")


def peers(x, alphas, tol):
    """Functions from a target to coefficients, penalties x features; those that are installed."""
    found = {"scikit-learn lasso_path": lambda t: lasso_path(x, t, alphas=alphas, tol=tol, max_iter=100_000)[1].T}
    if x.shape[1] <= x.shape[0]:
        return found  # celer and skglm are made for more features than rows
    try:
        from celer import celer_path

        found["celer_path"] = lambda t: celer_path(x, t, "lasso", alphas=alphas, tol=tol, max_iter=1000)[1].T
    except ImportError:
        pass
    try:
        from skglm import Lasso

        def skglm_path(t):
            model = Lasso(tol=tol, fit_intercept=False, warm_start=True, max_iter=1000)
            path = []
            for alpha in alphas:
                model.alpha = alpha
                path.append(model.fit(x, t).coef_.copy())
            return np.array(path)

        found["skglm Lasso, warm starts"] = skglm_path
    except ImportError:
        pass
    return found
