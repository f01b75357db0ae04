"""klr and fivm against Ghosh & Wang (2015) written out in NumPy, and against scikit-learn and SciPy."""

import json

import numpy as np
import pandas as pd
import pytest
from conftest import DATA, kernsieve
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.special import expit, log_softmax, softmax
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression


def sample(n, p, c, seed):
    """Classes that differ in the first two features, nonlinearly; the others are noise. Standardised."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    r = x[:, 0] ** 2 + x[:, 1] ** 2 + 0.3 * rng.normal(size=n)
    y = np.digitize(r, np.quantile(r, np.arange(1, c) / c))
    return (x - x.mean(0)) / x.std(0), y


def gram(a, b, width):
    return np.exp(-cdist(a, b, "sqeuclidean") / (2 * width**2))


def objective(k, y, ridge, a):
    """Eq. 16 for one column of coefficients, eq. 24 for several."""
    f = k @ a
    if a.shape[1] == 1:
        loss = np.logaddexp(0, -np.where(y == 1, 1, -1) * f[:, 0]).mean()
    else:
        loss = -log_softmax(f, axis=1)[np.arange(len(y)), y].mean()
    return loss + ridge * np.einsum("ic,ij,jc", a, k, a)


def newton(k, y, ridge):
    """The corrected Newton iteration of section 4.1 for two classes: no conjugate gradients, no bounds."""
    n, sign, a = len(y), np.where(y == 1, 1.0, -1.0), np.zeros(len(y))
    for _ in range(100):
        p = expit(sign * (k @ a))
        w = p * (1 - p)
        new = np.linalg.solve(w[:, None] * k / n + 2 * ridge * np.eye(n), (w * (k @ a) + sign * (1 - p)) / n)
        if np.abs(new - a).max() < 1e-13 * np.abs(new).max():
            break
        a = new
    return a[:, None]


@pytest.mark.parametrize(("n", "c", "ridge", "seed"), [(60, 2, 0.3, 1), (80, 2, 1e-4, 2), (70, 3, 0.01, 3), (60, 5, 1e-3, 4)])
def test_klr_is_the_minimum_of_the_stated_objective(workshop, n, c, ridge, seed):
    x, y = sample(n, 3, c, seed)
    fit = workshop.fit(x, y, "--method", "klr", "--bandwidth", 1.3, "--ridge", ridge, "--no-cv", "--no-standardize")
    _, p, z = workshop.predict(x)
    k = gram(x, x, 1.3)
    assert z.shape[1] == (1 if c == 2 else c)
    # Probabilities are the softmax of the outputs.
    logits = np.column_stack([np.zeros(n), z[:, 0]]) if c == 2 else z
    assert np.abs(p - softmax(logits, axis=1)).max() < 1e-14
    # The coefficients that the optimality condition gives from the probabilities reproduce the outputs: K r = 0 to
    # 1e-10.
    onehot = np.eye(c)[y]
    a = (onehot - p) / (2 * ridge * n)
    a = a[:, 1:] if c == 2 else a
    assert np.abs(2 * ridge * (k @ a - z)).max() < 1e-10
    assert abs(objective(k, y, ridge, a) - fit["objective"]) < 1e-10
    # No other solver finds a smaller objective.
    def value(v):
        m = v.reshape(a.shape)
        f = k @ m
        q = softmax(np.column_stack([np.zeros(n), f[:, 0]]) if c == 2 else f, axis=1)
        gap = (onehot - q)[:, -m.shape[1] :] if c == 2 else onehot - q
        return objective(k, y, ridge, m), (k @ (2 * ridge * m - gap / n)).ravel()

    peer = minimize(value, np.zeros(a.size), jac=True, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-12})
    assert fit["objective"] <= peer.fun + 1e-12
    assert peer.fun - fit["objective"] < 1e-5


@pytest.mark.parametrize("c", [2, 3])
def test_a_linear_kernel_is_logistic_regression(workshop, c):
    x, y = sample(90, 4, c, 5)
    ridge = 0.02
    workshop.fit(x, y, "--method", "klr", "--kernel", "linear", "--ridge", ridge, "--no-cv", "--no-standardize")
    new = np.random.default_rng(0).normal(size=(50, 4))
    _, p, _ = workshop.predict(new)
    # sum of losses + |w|^2 / (2 C), without an intercept.
    peer = LogisticRegression(C=1 / (2 * ridge * len(y)), fit_intercept=False, tol=1e-12, max_iter=10_000).fit(x, y)
    assert np.abs(p - peer.predict_proba(new)).max() < 1e-6


def test_two_classes_are_the_mode_of_a_gaussian_process(workshop):
    # With lambda = 1 / (2 n) the objective is minus the log posterior of a Gaussian process, over n.
    x, y = sample(70, 2, 2, 6)
    workshop.fit(x, y, "--method", "klr", "--bandwidth", 1.5, "--ridge", 1 / 140, "--no-cv", "--no-standardize")
    _, p, _ = workshop.predict(x)
    peer = GaussianProcessClassifier(RBF(1.5, "fixed"), optimizer=None, max_iter_predict=1000).fit(x, y)
    assert np.abs(peer.base_estimator_.pi_ - p[:, 1]).max() < 1e-6


def test_priors_shift_the_logits(workshop):
    x, y = sample(60, 2, 3, 7)
    fixed = ["--method", "klr", "--bandwidth", 1.5, "--ridge", 0.01, "--no-cv", "--no-standardize"]
    workshop.fit(x, y, *fixed)
    _, before, _ = workshop.predict(x)
    workshop.fit(x, y, *fixed, "--priors", "0.6,0.3,0.1")
    _, after, _ = workshop.predict(x)
    moved = before * np.array([0.6, 0.3, 0.1]) / (np.bincount(y) / len(y))
    assert np.abs(after - moved / moved.sum(1, keepdims=True)).max() < 1e-12


@pytest.mark.parametrize(("width", "ridge", "seed"), [(1.0, 0.5, 1), (2.0, 0.01, 2), (0.5, 2e-3, 3)])
def test_imports_are_those_of_trying_every_feature(workshop, width, ridge, seed):
    x, y = sample(50, 8, 2, seed)
    fixed = ["--bandwidth", width, "--ridge", ridge, "--stop", "none", "--no-cv", "--no-standardize"]
    fit = workshop.fit(x, y, "--method", "fivm", *fixed)
    chosen, sign = [], np.where(y == 1, 1, -1)
    for step in fit["path"]:
        left = [j for j in range(8) if j not in chosen]
        grams = [gram(x[:, chosen + [j]], x[:, chosen + [j]], width) for j in left]
        solved = [newton(k, y, ridge) for k in grams]
        values = [objective(k, y, ridge, a) for k, a in zip(grams, solved)]
        best = int(np.argmin(values))
        assert step["feature"] == f"f{left[best]}"
        assert abs(step["objective"] - values[best]) < 1e-10
        assert step["train_error"] == pytest.approx(np.mean(sign * (grams[best] @ solved[best])[:, 0] <= 0), abs=1e-12)
        chosen.append(left[best])
    assert fit["selected_features"] == [s["feature"] for s in fit["path"]]
    # All features: kernel logistic regression.
    whole = workshop.fit(x, y, "--method", "klr", *fixed[:4], *fixed[6:])
    assert fit["objective"] == pytest.approx(whole["objective"], abs=1e-11)


def test_the_rule_of_the_paper(workshop):
    x, y = sample(80, 6, 2, 9)
    fixed = ["--method", "fivm", "--bandwidth", 1, "--ridge", 0.05, "--no-cv", "--no-standardize"]
    path = workshop.fit(x, y, *fixed, "--stop", "none")["path"]
    accuracy = [1 - s["train_error"] for s in path]
    for tol in [0.2, 0.05, 0.01, 1e-9]:
        still = [k for k in range(1, 6) if abs(accuracy[k] - accuracy[k - 1]) / accuracy[k] < tol]
        expected = still[0] if still else 6
        fit = workshop.fit(x, y, *fixed, "--stop", "accuracy", "--tol", tol)
        assert fit["selected_features"] == [s["feature"] for s in path[:expected]]


def test_cross_validation_imports_anew_in_every_fold(workshop):
    # Noise only: an honest error equals that of guessing, however well the training rows are fitted.
    rng = np.random.default_rng(11)
    x, y = rng.normal(size=(60, 300)), np.arange(60) % 2
    fit = workshop.fit(x, y, "--method", "fivm", "--bandwidth", 1, "--ridge", 0.01, "--max-features", 4)
    assert fit["cv"]["error"] > 0.33
    assert fit["path"][-1]["train_error"] < 0.25


@pytest.mark.parametrize("c", [2, 3])
def test_few_samples_carry_the_model(workshop, c):
    x, y = sample(80, 2, c, 12)
    ridge, width = 0.005, 1.0
    fixed = ["--method", "klr", "--bandwidth", width, "--ridge", ridge, "--no-cv", "--no-standardize"]
    whole = workshop.fit(x, y, *fixed)
    fit = workshop.fit(x, y, *fixed, "--max-support", 12)
    rows = fit["retained_samples"]["rows"]
    assert len(rows) <= 12 and [s["row"] for s in fit["path"]] == rows
    assert whole["objective"] < fit["objective"] < 1.1 * whole["objective"]
    # The objective restricted to those samples, minimised by SciPy.
    k = gram(x, x, width)
    ks, kss, q = k[:, rows], k[np.ix_(rows, rows)], 1 if c == 2 else c

    def value(v):
        a = v.reshape(len(rows), q)
        f = ks @ a
        logits = np.column_stack([np.zeros(len(y)), f[:, 0]]) if c == 2 else f
        loss = -log_softmax(logits, axis=1)[np.arange(len(y)), y].mean()
        gap = np.eye(c)[y] - softmax(logits, axis=1)
        gap = gap[:, 1:] if c == 2 else gap
        return loss + ridge * np.einsum("ic,ij,jc", a, kss, a), (2 * ridge * kss @ a - ks.T @ gap / len(y)).ravel()

    peer = minimize(value, np.zeros(len(rows) * q), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000})
    assert fit["objective"] == pytest.approx(peer.fun, abs=1e-8)
    assert fit["objective"] <= peer.fun + 1e-12


def test_a_tuning_split_is_the_first_fold(workshop):
    x, y = sample(100, 3, 2, 13)
    fit = workshop.fit(x, y, "--method", "klr", "--validation", "split", "--folds", 4)
    assert fit["cv"]["folds"] == 1
    e = fit["cv"]["error"]
    assert fit["cv"]["standard_error"] == pytest.approx((e * (1 - e) / 25) ** 0.5)
    assert all(e["error"] is None or (25 * e["error"]) == pytest.approx(round(25 * e["error"])) for e in fit["cv"]["grid"])


@pytest.mark.skipif(not (DATA / "alon_colon.csv.gz").exists(), reason="the papers' data sets are not here")
def test_the_first_gene_of_the_colon_data_by_brute_force():
    frame = pd.read_csv(DATA / "alon_colon.csv.gz")
    x, y = frame.iloc[:, :-1].to_numpy(float), (frame.iloc[:, -1] == "t").to_numpy(int)
    x = (x - x.mean(0)) / x.std(0)
    options = ["--method", "fivm", "--bandwidth", 2, "--ridge", 0.35, "--stop", "none", "--max-features", 2, "--no-cv", "--json"]
    fit = json.loads(kernsieve("fit", DATA / "alon_colon.csv.gz", *options))
    first = []
    for step in fit["path"]:
        values = {}
        for j in range(2000):
            if j not in first:
                k = gram(x[:, first + [j]], x[:, first + [j]], 2)
                values[j] = objective(k, y, 0.35, newton(k, y, 0.35))
        best = min(values, key=values.get)
        assert step["feature"] == frame.columns[best]
        assert step["objective"] == pytest.approx(values[best], abs=1e-10)
        first.append(best)
