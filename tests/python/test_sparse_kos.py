"""sparse-kos against Lapanowski & Gaynanova (2019), written out in NumPy, and against SciPy's optimiser."""

import json

import numpy as np
import pytest
from conftest import kernsieve
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

JITTER = 1e-5


def sample(n, p, c, seed):
    """Classes that differ in the first two features, nonlinearly; the others are noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    y = np.digitize(x[:, 0] ** 2 + x[:, 1] ** 2, np.quantile(x[:, 0] ** 2 + x[:, 1] ** 2, np.arange(1, c) / c))
    return (x - x.mean(0)) / x.std(0), y


def gram(a, b, w, width):
    return np.exp(-cdist(a * w, b * w, "sqeuclidean") / (2 * width**2))


def scores(y):
    """Orthogonal scores: theta' diag(n_j / n) theta = I, theta' n = 0."""
    counts = np.bincount(y)
    c = len(counts)
    root = np.sqrt(counts / counts.sum())
    basis = np.linalg.svd(np.eye(c) - np.outer(root, root))[0][:, : c - 1]
    return (basis / root[:, None])[y]


def loss(x, y, w, width, gamma):
    """Objective 13 without its penalty at the coefficients of eq. 5, and those coefficients, centred."""
    n = len(y)
    centre = np.eye(n) - 1 / n
    m = centre @ gram(x, x, w, width) @ centre
    yt = scores(y)
    alpha = np.linalg.solve(m @ m + n * gamma * (m + JITTER * np.eye(n)), m @ yt)
    r = yt - m @ alpha
    return (r**2).sum() / n + gamma * (alpha * (m @ alpha + JITTER * alpha)).sum(), centre @ alpha


CASES = [(60, 4, 2, 1, 0.05), (70, 5, 3, 2, 0.1), (50, 6, 2, 3, 0.02), (60, 3, 4, 4, 0.2)]


@pytest.mark.parametrize(("n", "p", "c", "seed", "penalty"), CASES)
def test_objective_stationarity_and_depth(workshop, n, p, c, seed, penalty):
    x, y = sample(n, p, c, seed)
    width, gamma = 1.2, 5e-3
    fixed = ["--method", "sparse-kos", "--bandwidth", width, "--ridge", gamma, "--sparsity", penalty]
    fit = workshop.fit(x, y, *fixed, "--no-cv", "--no-standardize")
    w = np.array([fit["feature_weights"][f"f{j}"] for j in range(p)])

    def objective(w):
        return loss(x, y, w, width, gamma)[0] + penalty * np.abs(w).sum()

    assert abs(fit["objective"] - objective(w)) < 1e-8
    # Stationary on the box: no nonzero weight wants to move.
    for j in np.flatnonzero(w):
        step = 1e-5 * np.eye(p)[j]
        slope = (objective(w + step) - objective(w - step)) / 2e-5
        assert abs(w[j] - np.clip(w[j] - slope, 0, 1)) < 1e-5, (j, w, slope)
    # The problem is not convex: the path ends near the best that SciPy finds from several starts, restarts as low.
    rng = np.random.default_rng(seed)
    starts = [np.ones(p), *rng.uniform(0.05, 1, size=(4, p))]
    ends = [minimize(objective, s, method="L-BFGS-B", bounds=[(0, 1)] * p).fun for s in starts]
    assert fit["objective"] < 1.02 * min(ends), (fit["objective"], ends)
    more = workshop.fit(x, y, *fixed, "--no-cv", "--no-standardize", "--restarts", 6)
    assert more["objective"] < min(ends) + 1e-4, (more["objective"], ends)
    assert all(b <= a + 1e-12 for a, b in zip(fit["trace"], fit["trace"][1:]))


def test_predictions_follow_equation_6(workshop):
    x, y = sample(90, 4, 2, 5)
    test = np.random.default_rng(6).normal(size=(30, 4))
    width, gamma = 1.5, 2e-3
    fit = workshop.fit(
        x, y, "--method", "sparse-kos", "--bandwidth", width, "--ridge", gamma, "--sparsity", 0.05, "--no-cv", "--no-standardize"
    )
    w = np.array([fit["feature_weights"][f"f{j}"] for j in range(4)])
    _, a = loss(x, y, w, width, gamma)
    k = gram(x, x, w, width)
    project = lambda rows: (gram(rows, x, w, width) - k.mean(0)) @ a  # noqa: E731
    own, z = project(x)[:, 0], project(test)[:, 0]
    means = np.array([own[y == c].mean() for c in (0, 1)])
    variance = ((own - means[y]) ** 2).mean()
    odds = -((z[:, None] - means) ** 2) / (2 * variance) + np.log(np.bincount(y) / len(y))
    expected = np.exp(odds - odds.max(1, keepdims=True))
    expected /= expected.sum(1, keepdims=True)
    _, p, outputs = workshop.predict(test)
    assert np.abs(np.abs(outputs[:, 0]) - np.abs(z)).max() < 1e-6
    assert np.abs(p - expected).max() < 1e-6


def test_a_dropped_feature_is_not_read(workshop):
    x, y = sample(120, 6, 2, 7)
    fit = workshop.fit(x, y, "--method", "sparse-kos", "--folds", 3)
    assert {"f0", "f1"} <= set(fit["selected_features"]) and len(fit["selected_features"]) < 6
    test = np.random.default_rng(8).normal(size=(20, 6))
    other = test.copy()
    for j in range(6):
        if f"f{j}" not in fit["selected_features"]:
            other[:, j] = 1e3
    assert np.array_equal(workshop.predict(test)[1], workshop.predict(other)[1])
    # The path is reported from the smallest penalty on, with fewer and fewer features.
    sizes = [step["size"] for step in fit["path"]]
    assert sizes[0] >= sizes[-1] == len(fit["selected_features"])
    assert fit["cv"]["feature_folds"]["f0"] == 3


def test_the_simulations_of_the_paper(tmp_path):
    """The two features of model 1 and the four of model 2, a few replications of each."""
    for name, true, replications, bound in (("rings", 2, 4, 0.03), ("sine", 4, 2, 0.12)):
        errors = []
        for seed in range(replications):
            kernsieve("demo", name, "--seed", seed, "--save", tmp_path, "--quiet")
            options = ["--target", "class", "--method", "sparse-kos", "--holdout", "0.3333", "--seed", seed, "--json"]
            fit = json.loads(kernsieve("fit", tmp_path / f"{name}.csv", *options))
            assert {f"x{j + 1}" for j in range(true)} <= set(fit["selected_features"]), (name, seed)
            errors.append(fit["test_error"])
        assert np.mean(errors) <= bound, (name, errors)
