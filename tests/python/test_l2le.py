"""l2le against section 5.3 of Kim & Scott (2010) written out in NumPy, its systems solved directly."""

import numpy as np
import pytest
from conftest import kernsieve
from test_l2qp import log_kernel, log_overlap, sample

FIXED = ["--method", "l2le", "--no-cv", "--no-standardize", "--no-calibration"]


def differences(x, y, width, ridge, kernel="gaussian", smoothing=0.0, gammas=None, weights=None):
    """Coefficients of every class against the others, and the least value of the criterion, summed; with the constants of the kernels."""
    n, d = x.shape
    w = np.ones(n) if weights is None else weights
    overlap = log_overlap(kernel, x, width, smoothing)
    log_top = overlap[0, 0]
    k = np.exp(log_kernel(kernel, x, x, width * (np.sqrt(1 + 2 * smoothing**2) if kernel == "gaussian" else 1)))
    coefficients, objective = [], 0.0
    for c in range(y.max() + 1):
        inside = y == c
        gamma = w[~inside].sum() / w[inside].sum() if gammas is None else gammas[c]
        # Leave-one-out: one row less on the row's own side; copies, for which weights stand, stay.
        up = (k @ (w * inside) - inside * k[0, 0]) / (w[inside].sum() - inside)
        down = (k @ (w * ~inside) - ~inside * k[0, 0]) / (w[~inside].sum() - ~inside)
        h = up - gamma * down
        q = np.exp(overlap - log_top)
        # The ridge is relative to the diagonal.
        if ridge > 0:
            b = np.linalg.solve(q + ridge * np.diag(1 / w), h)
        else:
            b = np.linalg.pinv(q, rcond=1e-12, hermitian=True) @ h
        b /= np.exp(log_top)
        coefficients.append(b)
        objective += np.exp(log_top) * (b @ q @ b / 2) - h @ b
    return np.array(coefficients), objective


@pytest.mark.parametrize(
    ("n", "d", "width", "ridge", "variant"),
    [
        (80, 2, 0.5, 0.1, {}),
        (120, 3, 1.0, 1e-4, {"smoothing": 1.0}),
        (70, 20, 2.0, 1.0, {}),
        (60, 2, 0.7, 0.01, {"kernel": "cauchy"}),
        (60, 3, 0.9, 0.01, {"kernel": "laplacian"}),
        (60, 4, 0.4, 0.01, {"kernel": "radial-laplacian"}),
        (60, 3, 0.3, 0, {}),
        (90, 2, 0.4, 0.1, {"gammas": [1 / 0.3, 0.3]}),
    ],
)
def test_two_classes(workshop, n, d, width, ridge, variant):
    x, y = sample(n, d, n)
    x[5] = x[6]
    b, _ = differences(x, y, width, ridge, **variant)
    names = {"smoothing": "--smoothing", "kernel": "--kernel"}
    options = [w for key, value in variant.items() if key in names for w in (names[key], value)]
    if "gammas" in variant:
        options += ["--class-ratio", variant["gammas"][1]]
    fit = workshop.fit(x, y, *FIXED, "--bandwidth", width, "--ridge", ridge, *options)
    assert fit["converged"] and fit["residual"] < 1e-9
    new = np.random.default_rng(1).normal(size=(60, d)) * 1.5
    labels, p, z = workshop.predict(new)
    kernel = variant.get("kernel", "gaussian")
    # The second class against the first.
    score = np.exp(log_kernel(kernel, new, x, width)) @ b[1]
    ratio = z[:, 0] / score
    # The same up to a factor above 0, so the same sign.
    assert ratio[0] > 0 and np.ptp(ratio) < 1e-6 * ratio[0], np.ptp(ratio) / ratio[0]
    # Far from all rows, where scores are nearly zero, the prior decides.
    near = np.abs(z[:, 0]) > 1e-11
    assert near.sum() > 30 and ((labels.astype(int) == 1) == (score > 0))[near].all()
    assert np.abs(p[:, 1] - 1 / (1 + np.exp(-z[:, 0]))).max() < 1e-9
    if "gammas" not in variant:
        # Both differences say the same, one with gamma, one with 1 / gamma.
        counts = np.bincount(y)
        assert np.allclose(counts[1] * b[1], -counts[0] * b[0])


def test_the_objective_is_the_criterion(workshop):
    x, y = sample(100, 2, 5)
    fit = workshop.fit(x, y, *FIXED, "--bandwidth", 0.6, "--ridge", 0.01)
    overlap = np.exp(log_overlap("gaussian", x, 0.6, 0))
    b = differences(x, y, 0.6, 0.01)[0][1]
    k = np.exp(log_kernel("gaussian", x, x, 0.6))
    np.fill_diagonal(k, 0)
    one = y == 1
    gamma = (~one).sum() / one.sum()
    h = k[:, one].sum(1) / (one.sum() - one) - gamma * k[:, ~one].sum(1) / ((~one).sum() - ~one)
    value = b @ overlap @ b / 2 - h @ b
    assert abs(fit["objective"] - value) < 1e-9 * abs(value)
    # Without constraints the criterion is at most that of the quadratic program once the ridge is small.
    free = workshop.fit(x, y, *FIXED, "--bandwidth", 0.6, "--ridge", 1e-6)
    bound = workshop.fit(x, y, "--method", "l2qp", "--no-cv", "--no-standardize", "--bandwidth", 0.6, "--balance", 1)
    assert free["objective"] < bound["objective"] < 0


def test_several_classes_take_the_largest_weighted_difference(workshop):
    x, y = sample(150, 2, 7, shares=(0.3, 0.2, 0.5))
    b, _ = differences(x, y, 0.6, 0.05)
    workshop.fit(x, y, *FIXED, "--bandwidth", 0.6, "--ridge", 0.05)
    new = np.random.default_rng(2).normal(size=(80, 2)) * 1.5
    labels, p, z = workshop.predict(new)
    scores = np.exp(log_kernel("gaussian", new, x, 0.6)) @ b.T * np.bincount(y) / len(y)
    assert np.ptp(z / scores) < 1e-6 * (z / scores).max()
    assert (labels.astype(int) == scores.argmax(1)).all()
    soft = np.exp(z - z.max(1, keepdims=True))
    assert np.abs(p - soft / soft.sum(1, keepdims=True)).max() < 1e-9


def test_equations_that_double_precision_cannot_solve_are_refused(workshop):
    x, y = sample(200, 2, 3)
    for width, ridge in [(5, 1e-16), (0.5, 1e-14), (0.5, 1e-12)]:
        kernsieve("fit", workshop.write("data.csv", x, y), *FIXED, "--bandwidth", width, "--ridge", ridge, status=1)
    # The same ridge is harmless where the matrix is far from singular.
    fit = workshop.fit(x, y, *FIXED, "--bandwidth", 1e-4, "--ridge", 1e-16)
    assert fit["converged"]


def test_it_learns_what_is_not_linear(workshop):
    rng = np.random.default_rng(11)
    x = rng.uniform(-2, 2, size=(400, 2))
    y = (np.hypot(*x.T) < 1.2).astype(int)
    fit = workshop.fit(x, y, "--method", "l2le")
    assert fit["cv"]["error"] < 0.08
    labels, p, _ = workshop.predict(x)
    assert (labels.astype(int) == p.argmax(1)).all()


@pytest.mark.parametrize("ridge", [1e-6, 1e-8, 1e-9])
def test_small_ridges_are_solved(workshop, ridge):
    x, y = sample(100, 2, 4)
    fit = workshop.fit(x, y, *FIXED, "--bandwidth", 0.5, "--ridge", ridge)
    assert fit["converged"] and fit["residual"] < 1e-6
    b, _ = differences(x, y, 0.5, ridge)
    new = np.random.default_rng(3).normal(size=(200, 2))
    labels, _, z = workshop.predict(new)
    score = np.exp(log_kernel("gaussian", new, x, 0.5)) @ b[1]
    sure = np.abs(score) > 1e-3 * np.abs(score).mean()
    assert ((labels.astype(int) == 1) == (score > 0))[sure].all()
    assert np.corrcoef(score, z[:, 0])[0, 1] > 1 - 1e-6


def test_priors_weigh_the_classes_that_one_is_set_against(workshop):
    x, y = sample(150, 2, 9, shares=(0.3, 0.2, 0.5))
    priors = np.array([0.8, 0.1, 0.1])
    workshop.fit(x, y, *FIXED, "--bandwidth", 0.6, "--ridge", 0.05, "--priors", "0.8,0.1,0.1")
    k = np.exp(log_kernel("gaussian", x, x, 0.6))
    q = np.exp(log_overlap("gaussian", x, 0.6, 0) - log_overlap("gaussian", x, 0.6, 0)[0, 0])
    np.fill_diagonal(k, 0)
    count = priors / (np.bincount(y) / len(y))
    weight = count[y]
    scores = []
    new = np.random.default_rng(4).normal(size=(80, 2)) * 1.5
    for c in range(3):
        inside = y == c
        up = k @ inside / (inside.sum() - inside)
        down = k @ (weight * ~inside) / ((weight * ~inside).sum() - weight * ~inside)
        h = up - (1 - priors[c]) / priors[c] * down
        scores.append(priors[c] * np.exp(log_kernel("gaussian", new, x, 0.6)) @ np.linalg.solve(q + 0.05 * np.eye(150), h))
    scores = np.array(scores).T
    labels, _, z = workshop.predict(new)
    assert np.ptp(z / scores) < 1e-6 * (z / scores).max()
    assert (labels.astype(int) == scores.argmax(1)).all()
