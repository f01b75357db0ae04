"""l2qp against Kim & Scott (2010) written out in NumPy, with Clarabel as the solver of the quadratic program."""

import clarabel
import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import quad
from scipy.spatial.distance import cdist
from scipy.special import gammaln, kve, logsumexp

FIXED = ["--method", "l2qp", "--no-cv", "--no-standardize"]


def sample(n, d, seed, shares=(0.4, 0.6)):
    """Classes that overlap; the later ones are wider."""
    rng = np.random.default_rng(seed)
    y = np.sort(rng.choice(len(shares), size=n, p=shares))
    y[: 2 * len(shares)] = np.repeat(np.arange(len(shares)), 2)
    return rng.normal(size=(n, d)) * (1 + 0.3 * y[:, None]) + 1.2 * y[:, None] / np.sqrt(d), y


def log_constant(kernel, width, d):
    if kernel == "gaussian":
        return -d / 2 * np.log(2 * np.pi * width**2)
    if kernel == "laplacian":
        return -d * np.log(2 * width)
    if kernel == "radial-laplacian":
        return gammaln(d / 2) - np.log(2) - d / 2 * np.log(np.pi) - gammaln(d) - d * np.log(width)
    return gammaln((d + 1) / 2) - (d + 1) / 2 * np.log(np.pi) - d * np.log(width)


def log_kernel(kernel, a, b, width):
    """Logarithm of the normalised kernel."""
    d = a.shape[1]
    if kernel == "gaussian":
        shape = -cdist(a, b, "sqeuclidean") / (2 * width**2)
    elif kernel == "laplacian":
        shape = -cdist(a, b, "cityblock") / width
    elif kernel == "radial-laplacian":
        shape = -cdist(a, b) / width
    else:
        shape = -(d + 1) / 2 * np.log1p(cdist(a, b, "sqeuclidean") / width**2)
    return log_constant(kernel, width, d) + shape


def log_overlap(kernel, x, width, smoothing):
    """Logarithm of the integral of the product of two kernels (sections 2.2, 5.1 and 5.4)."""
    if kernel == "gaussian":
        return log_kernel(kernel, x, x, width * np.sqrt(2 + 2 * smoothing**2))
    if kernel == "cauchy":
        return log_kernel(kernel, x, x, 2 * width)
    if kernel == "radial-laplacian":
        # A Matern function; SciPy has the Bessel function of any order.
        d = x.shape[1]
        nu, s = d / 2 + 1, np.maximum(cdist(x, x) / width, 1e-6)
        shape = (1 - nu) * np.log(2) - gammaln(nu) + nu * np.log(s) + np.log(kve(nu, s)) - s
        return log_constant(kernel, width, d) - d * np.log(2) + shape
    gaps = np.abs(x[:, None] - x) / width
    return -x.shape[1] * np.log(4 * width) + (np.log1p(gaps) - gaps).sum(2)


def program(x, y, width, kernel="gaussian", smoothing=0.0, balance=1.0, gamma=None):
    """Q and c of eq. 7 (and its variants) with the class 1 as the positive one."""
    positive = y == 1
    n1, n0 = positive.sum(), (~positive).sum()
    gamma = n0 / n1 if gamma is None else gamma
    sign = np.where(positive, 1.0, -gamma)
    q = np.exp(log_overlap(kernel, x, width, smoothing)) * np.outer(sign, sign)
    k = np.exp(log_kernel(kernel, x, x, width * (np.sqrt(1 + 2 * smoothing**2) if kernel == "gaussian" else 1)))
    np.fill_diagonal(k, 0)
    up = k[:, positive].sum(1) / np.where(positive, n1 - 1, n1)
    down = k[:, ~positive].sum(1) / np.where(positive, n0, n0 - 1)
    return q, sign * (up - gamma * down) / balance, sign, gamma


def generic(q, c, y, relaxed_gamma=None):
    """Least value of a'Qa/2 - c'a on the set A, or on A' (section 5.2)."""
    n = len(y)
    scale = max(np.abs(q).max(), np.abs(c).max())
    one, zero = (y == 1).astype(float), (y == 0).astype(float)
    if relaxed_gamma is None:
        equal, right = np.vstack([one, zero]), np.ones(2)
        below, limit = -np.eye(n), np.zeros(n)
    else:
        equal, right = (one - relaxed_gamma * zero)[None], np.array([1 - relaxed_gamma])
        below, limit = np.vstack([-np.eye(n), one]), np.append(np.zeros(n), 1.0)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    a = sparse.csc_matrix(np.vstack([equal, below]))
    cones = [clarabel.ZeroConeT(len(right)), clarabel.NonnegativeConeT(len(limit))]
    p = sparse.triu(sparse.csc_matrix(q / scale), format="csc")
    solved = clarabel.DefaultSolver(p, -c / scale, a, np.append(right, limit), cones, settings).solve()
    return solved.obj_val * scale, scale


CASES = [
    (60, 2, 0.5, {}),
    (90, 3, 0.8, {"smoothing": 1.0}),
    (70, 20, 1.5, {"balance": 30.0}),
    (60, 2, 0.7, {"kernel": "cauchy"}),
    (60, 3, 0.9, {"kernel": "laplacian"}),
    (60, 1, 0.6, {"kernel": "radial-laplacian"}),
    (60, 2, 0.5, {"kernel": "radial-laplacian"}),
    (50, 7, 0.3, {"kernel": "radial-laplacian", "balance": 10.0}),
    (80, 2, 0.4, {"gamma": 0.3}),
    (50, 5, 5.0, {}),
]


@pytest.mark.parametrize(("n", "d", "width", "variant"), CASES)
@pytest.mark.parametrize("relaxed", [False, True])
def test_the_program_is_solved(workshop, n, d, width, variant, relaxed):
    x, y = sample(n, d, n)
    x[5] = x[6]  # a copy, which may share its weight
    q, c, _, gamma = program(x, y, width, **variant)
    names = {"smoothing": "--smoothing", "balance": "--balance", "kernel": "--kernel", "gamma": "--class-ratio"}
    options = [w for key, value in variant.items() for w in (names[key], value)]
    options += [] if "balance" in variant else ["--balance", 1]
    fit = workshop.fit(x, y, *FIXED, "--bandwidth", width, *options, *(["--relaxed"] if relaxed else []))
    value, scale = generic(q, c, y, gamma if relaxed else None)
    assert abs(fit["objective"] - value) < 1e-7 * scale
    assert fit["converged"] and fit["residual"] <= 1e-8
    # Outputs are the logarithms of the weighted densities; where they cross zero the class changes.
    new = np.random.default_rng(1).normal(size=(50, d)) * 1.5
    labels, p, z = workshop.predict(new)
    posterior = np.exp(z + np.log([gamma, 1.0]))
    posterior /= posterior.sum(1, keepdims=True)
    assert np.abs(p - posterior).max() < 1e-9
    assert (labels.astype(int) == (z[:, 1] >= z[:, 0] + np.log(gamma))).all()
    if not relaxed:
        # A density: weights of a class sum to 1, so far out the log density is at most the kernel's of the nearest row.
        kernel = variant.get("kernel", "gaussian")
        for k in (0, 1):
            assert (z[:, k] <= log_kernel(kernel, new, x[y == k], width).max(1) + 1e-9).all()


def test_the_weights_give_the_outputs(workshop):
    """Few retained rows, read from the outputs at the rows themselves: the density of eq. 3 is positive and integrates to 1."""
    rng = np.random.default_rng(3)
    y = np.arange(200) % 2
    first, second = rng.uniform(size=200) < 0.2, rng.uniform(size=200) < 0.7
    # Section 6: f+ = 0.2 N(4, 2) + 0.8 N(8, 1), f- = 0.7 N(0, 1) + 0.3 N(10, 2).
    up = np.where(first, rng.normal(4, 2**0.5, 200), rng.normal(8, 1, 200))
    down = np.where(second, rng.normal(0, 1, 200), rng.normal(10, 2**0.5, 200))
    x = np.where(y == 1, up, down)[:, None]
    fit = workshop.fit(x, y, "--method", "l2qp", "--no-standardize")
    assert 4 <= fit["retained_samples"]["count"] <= 60
    grid = np.linspace(-8, 18, 2001)
    _, _, z = workshop.predict(grid[:, None])
    f = np.exp(z)
    step = grid[1] - grid[0]
    assert np.abs(f.sum(0) * step - 1).max() < 1e-3

    def normal(v, mean, sd):
        return np.exp(-((v - mean) ** 2) / (2 * sd**2)) / (sd * np.sqrt(2 * np.pi))

    truth = 0.2 * normal(grid, 4, 2**0.5) + 0.8 * normal(grid, 8, 1) - 0.7 * normal(grid, 0, 1) - 0.3 * normal(grid, 10, 2**0.5)
    error = ((f[:, 1] - f[:, 0] - truth) ** 2).sum() * step
    assert error < 0.1 * (truth**2).sum() * step


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "cauchy"])
def test_self_convolutions_by_quadrature(kernel):
    """The overlaps that the program above (and so the fit) uses."""
    for gap in (0.0, 0.3, 2.0):
        x = np.array([[0.0], [gap]])

        def product(t, x=x):
            return np.exp(log_kernel(kernel, np.array([[t]]), x, 0.7).sum())

        value = quad(product, -np.inf, np.inf, epsabs=1e-12, limit=500)[0]
        assert abs(value - np.exp(log_overlap(kernel, x, 0.7, 0.0))[0, 1]) < 1e-8


def test_densities_of_a_class_alone(workshop):
    """`joint` is the density estimate of section 3.5 for every class: class ratio 0."""
    x, y = sample(90, 2, 9, (0.3, 0.3, 0.4))
    fit = workshop.fit(x, y, *FIXED, "--bandwidth", 0.6, "--multiclass", "joint")
    total = 0.0
    for k in range(3):
        own = x[y == k]
        q = np.exp(log_overlap("gaussian", own, 0.6, 0.0))
        kernel = np.exp(log_kernel("gaussian", own, own, 0.6))
        np.fill_diagonal(kernel, 0)
        c = kernel.sum(1) / (len(own) - 1)
        n = len(own)
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
        a = sparse.csc_matrix(np.vstack([np.ones((1, n)), -np.eye(n)]))
        cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(n)]
        p = sparse.triu(sparse.csc_matrix(q), format="csc")
        total += clarabel.DefaultSolver(p, -c, a, np.append(1.0, np.zeros(n)), cones, settings).solve().obj_val
    assert abs(fit["objective"] - total) < 1e-7


@pytest.mark.parametrize("d", [300, 3000])
def test_many_dimensions_neither_underflow_nor_overflow(workshop, d):
    x, y = sample(60, d, 4)
    fit = workshop.fit(x, y, "--method", "l2qp", "--no-standardize", "--bandwidths", f"{np.sqrt(d) / 8},{np.sqrt(d) / 2}")
    assert fit["cv"]["error"] is not None
    _, p, z = workshop.predict(sample(40, d, 5)[0])
    assert np.isfinite(p).all() and np.isfinite(z).all()
    assert np.abs(p.sum(1) - 1).max() < 1e-12


def test_classes_with_bandwidths_of_their_own(workshop):
    x, y = sample(80, 3, 8)
    widths = np.array([0.6, 1.1])
    fit = workshop.fit(x, y, *FIXED, "--class-bandwidths", "0.6,1.1", "--balance", 1)
    positive = y == 1
    n1, n0 = positive.sum(), (~positive).sum()
    gamma = n0 / n1
    sign = np.where(positive, 1.0, -gamma)
    own = widths[y]
    rho = np.sqrt(own[:, None] ** 2 + own**2)
    d2 = cdist(x, x, "sqeuclidean")
    q = (2 * np.pi * rho**2) ** -1.5 * np.exp(-d2 / (2 * rho**2)) * np.outer(sign, sign)
    k = (2 * np.pi * own[:, None] ** 2) ** -1.5 * np.exp(-d2 / (2 * own[:, None] ** 2))
    np.fill_diagonal(k, 0)
    up = k[:, positive].sum(1) / np.where(positive, n1 - 1, n1)
    down = k[:, ~positive].sum(1) / np.where(positive, n0, n0 - 1)
    value, scale = generic(q, sign * (up - gamma * down), y)
    assert abs(fit["objective"] - value) < 1e-7 * scale
    _, _, z = workshop.predict(x)
    for c in (0, 1):
        assert (z[:, c] <= logsumexp(log_kernel("gaussian", x, x[y == c], widths[c]), axis=1) + 1e-9).all()
