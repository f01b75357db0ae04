"""mkda, kos and parzen against their formulas, written out in NumPy the slow way."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.neighbors import KernelDensity


def sample(n=80, p=3, c=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.sort(rng.integers(0, c, n))
    y[:c] = np.arange(c)
    x = rng.normal(size=(n, p)) + 1.5 * np.eye(c, p)[y]
    return x, y, rng.normal(size=(40, p))


def kernel(name, a, b):
    p = a.shape[1]
    return {
        "linear": lambda: a @ b.T,
        "gaussian": lambda: np.exp(-cdist(a, b, "sqeuclidean") / (2 * 1.3**2)),
        "polynomial": lambda: (1 + a @ b.T) ** 3,
        "sigmoid": lambda: np.tanh(0.01 * (a @ b.T) + 0.2),
        "laplacian": lambda: np.exp(-cdist(a, b, "cityblock") / 1.3),
        "radial-laplacian": lambda: np.exp(-cdist(a, b) / 1.3),
        "cauchy": lambda: (1 + cdist(a, b, "sqeuclidean") / 1.3**2) ** (-(1 + p) / 2),
    }[name]()


OPTIONS = {
    "linear": [],
    "gaussian": ["--bandwidth", 1.3],
    "polynomial": ["--degree", 3],
    "sigmoid": ["--slope", 0.01, "--shift", 0.2],
    "laplacian": ["--bandwidth", 1.3],
    "radial-laplacian": ["--bandwidth", 1.3],
    "cauchy": ["--bandwidth", 1.3],
}


def standardised(x, test):
    return (x - x.mean(0)) / x.std(0), (test - x.mean(0)) / x.std(0)


def mkda(k, kt, y, r, penalty):
    """Harrison & Pasupa (2009): eq. 10 by the normal equations, eq. 6, 7 and 12."""
    n, classes = len(y), np.unique(y)
    counts = np.array([(y == c).sum() for c in classes])
    y0 = (y[:, None] == classes) * np.sqrt(n / counts)
    big = np.hstack([k, np.ones((n, 1))])
    ridge = np.zeros((n + 1, n + 1))
    ridge[:n, :n] = r * (k if penalty == "kernel" else np.eye(n))
    b = np.linalg.lstsq(big.T @ big + ridge, big.T @ y0, rcond=None)[0]
    m = y0.T @ (big @ b) / n
    w0 = np.sqrt(counts / n)
    deflate = np.eye(len(classes)) - np.outer(w0, w0)
    values, vectors = np.linalg.eigh(deflate @ (m + m.T) / 2 @ deflate)
    order = np.argsort(values)[::-1][: len(classes) - 1]
    lam, w = values[order], vectors[:, order]
    bcv = b @ w / np.sqrt(lam * (1 - lam))
    z, zt = big @ bcv, np.hstack([kt, np.ones((len(kt), 1))]) @ bcv
    means = np.array([z[y == c].mean(0) for c in classes])
    score = -0.5 * ((zt[:, None] - means) ** 2).sum(-1) + np.log(counts / n)
    p = np.exp(score - score.max(1, keepdims=True))
    return zt, p / p.sum(1, keepdims=True)


# tanh is not positive definite, so eq. 9 with R = r K has no minimum for it (the replacement is tested in Rust).
CASES = [(k, p) for k in OPTIONS for p in ("kernel", "identity") if (k, p) != ("sigmoid", "kernel")]


@pytest.mark.parametrize("name,penalty", CASES)
def test_mkda_equals_its_normal_equations(workshop, name, penalty):
    x, y, test = sample()
    options = ["--kernel", name, "--ridge", 0.5, "--penalty", penalty, "--no-calibration", *OPTIONS[name]]
    report = workshop.fit(x, y, "--method", "mkda", *options)
    assert report["residual"] < 1e-9
    _, p, z = workshop.predict(test)
    a, b = standardised(x, test)
    zt, reference = mkda(kernel(name, a, a), kernel(name, b, a), y, 0.5, penalty)
    # The reference squares the condition number of its system, so it has six digits.
    np.testing.assert_allclose(p, reference, atol=2e-6)
    np.testing.assert_allclose(np.abs(z), np.abs(zt), atol=2e-5 * np.abs(zt).max())


def kos(k, kt, y, gamma):
    """Lapanowski & Gaynanova (2019): eq. 5 and 6 for two classes, as printed."""
    n = len(y)
    classes, counts = np.unique(y, return_counts=True)
    theta = np.where(y == classes[0], np.sqrt(counts[1] / counts[0]), -np.sqrt(counts[0] / counts[1]))
    c = np.eye(n) - 1 / n
    m = c @ k @ c
    system = m @ m + n * gamma * (m + 1e-5 * np.eye(n))
    alpha = np.linalg.solve(system, m @ theta)
    # Forming the square costs digits: this is the accuracy of the reference.
    trust = max(1e-9, np.finfo(float).eps * np.linalg.cond(system))
    project = lambda rows: (rows - k.mean(0)) @ c @ alpha
    residual = theta - m @ alpha
    objective = residual @ residual / n + gamma * alpha @ (m @ alpha + 1e-5 * alpha)
    return project(k), project(kt), objective, trust


@pytest.mark.parametrize("gamma", [1e-6, 1e-4, 1e-2, 1.0])
def test_kos_equals_equation_5(workshop, gamma):
    x, y, test = sample(n=70, c=2, seed=1)
    report = workshop.fit(
        x, y, "--method", "kos", "--bandwidth", 1.3, "--ridge", gamma, "--priors", "uniform", "--no-calibration"
    )
    predicted, p, z = workshop.predict(test)
    a, b = standardised(x, test)
    train, projected, objective, trust = kos(kernel("gaussian", a, a), kernel("gaussian", b, a), y, gamma)
    np.testing.assert_allclose(z[:, 0], projected, atol=trust * np.abs(projected).max())
    assert report["objective"] == pytest.approx(objective, rel=trust)
    # Section 2.4: the nearest centroid.
    means = np.array([train[y == c].mean() for c in (0, 1)])
    assert (predicted.astype(int) == np.abs(projected[:, None] - means).argmin(1)).all()
    assert (p.argmax(1) == predicted.astype(int)).all()


def test_kos_stabilization_rule(workshop):
    x, y, _ = sample(n=60, c=2, seed=2)
    a, _ = standardised(x, x)
    n = len(y)
    c = np.eye(n) - 1 / n
    m = c @ kernel("gaussian", a, a) @ c
    total = (m**2).sum()
    t = n / (n - 2) * ((np.diag(m) ** 2).sum() - total / n) / total
    for rule, expected in [("stabilization", t / (1 - t) / n), ("stabilization-literal", t / (1 - t))]:
        report = workshop.fit(x, y, "--method", "kos", "--bandwidth", 1.3, "--ridge-rule", rule)
        assert report["params"]["ridge"] == pytest.approx(expected, rel=1e-10)


def test_kos_bandwidths_are_the_quantiles_of_section_5_1(workshop):
    x, y, _ = sample(n=90, c=3, seed=3)
    report = workshop.fit(x, y, "--method", "kos")
    a, _ = standardised(x, x)
    d2 = cdist(a, a, "sqeuclidean")[y[:, None] < y[None, :]]
    expected = np.sqrt(np.quantile(d2, [0.05, 0.1, 0.2, 0.3, 0.5]) / 2)
    np.testing.assert_allclose([g["kernel"]["bandwidth"] for g in report["cv"]["grid"]], expected, rtol=1e-9)


@pytest.mark.parametrize("family,theirs", [("gaussian", "gaussian"), ("laplacian", None)])
def test_parzen_log_densities(workshop, family, theirs):
    x, y, test = sample(n=100, p=4, seed=4)
    workshop.fit(x, y, "--method", "parzen", "--kernel", family, "--bandwidth", 0.7)
    _, p, z = workshop.predict(test)
    a, b = standardised(x, test)
    logs = []
    for c in range(3):
        own = a[y == c]
        if theirs:
            logs.append(KernelDensity(bandwidth=0.7, kernel=theirs).fit(own).score_samples(b))
        else:
            logs.append(np.log(np.exp(-cdist(b, own, "cityblock") / 0.7).mean(1)) - 4 * np.log(1.4))
    logs = np.array(logs).T
    np.testing.assert_allclose(z, logs, rtol=1e-9)
    joint = np.exp(logs) * np.bincount(y) / len(y)
    np.testing.assert_allclose(p, joint / joint.sum(1, keepdims=True), atol=1e-10)


def test_parzen_in_three_hundred_dimensions(workshop):
    rng = np.random.default_rng(5)
    y = np.arange(60) % 2
    x = rng.normal(size=(60, 300)) + 0.4 * y[:, None]
    workshop.fit(x, y, "--method", "parzen", "--bandwidth", 0.05)
    predicted, p, z = workshop.predict(x + 0.01 * rng.normal(size=x.shape))
    assert np.isfinite(p).all() and np.isfinite(z).all()
    assert (predicted.astype(int) == y).all()
    np.testing.assert_allclose(p.sum(1), 1, atol=1e-12)


@pytest.mark.parametrize("method", ["mkda", "smkda", "kos"])
def test_calibrated_probabilities_beat_the_base_rate(workshop, method):
    """Digits: a kernel fit that interpolates is far too confident; a temperature from cross-validation corrects that."""
    x, y = load_digits(return_X_y=True)
    train, test = np.arange(len(y)) % 3 != 0, np.arange(len(y)) % 3 == 0
    losses = {}
    for option in ([], ["--no-calibration"]):
        workshop.fit(x[train], y[train], "--method", method, "--bandwidths", "4,6,8", *option)
        predicted, p, _ = workshop.predict(x[test])
        losses[len(option)] = log_loss(y[test], p, labels=np.arange(10))
        if option:
            assert (predicted == calibrated).all()
        calibrated = predicted
    assert losses[0] <= losses[1]
    assert losses[0] < 0.2
