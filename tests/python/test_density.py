"""The density command against section 3.5 of Kim & Scott (2010) written out in NumPy, with Clarabel, SciPy and scikit-learn."""

import json

import clarabel
import numpy as np
import pandas as pd
import pytest
from conftest import kernsieve
from scipy import sparse
from scipy.integrate import quad
from sklearn.neighbors import KernelDensity
from test_l2qp import log_kernel, log_overlap

KERNELS = ["gaussian", "laplacian", "cauchy"]


class Density:
    """A density of rows, by the command line."""

    def __init__(self, workshop, x, *options, weights=None):
        self.workshop = workshop
        path = workshop.write("rows.csv", x)
        if weights is not None:
            frame = pd.read_csv(path)
            frame["w"] = weights
            frame.to_csv(path, index=False)
            options += ("--weights", "w")
        self.fit = json.loads(kernsieve("density", path, "--model", workshop.model, "--json", *options))

    def log_density(self, x):
        out = self.workshop.folder / "log.csv"
        kernsieve("predict", self.workshop.model, self.workshop.write("new.csv", x), "--output", out, "--quiet")
        return pd.read_csv(out)["log_density"].to_numpy()


def two_heaps(n, d, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * np.where(rng.uniform(size=n) < 0.4, 0.5, 1.0)[:, None] + 3 * (rng.uniform(size=n) < 0.5)[:, None]


def program(x, width, kernel, w):
    q = np.exp(log_overlap(kernel, x, width, 0))
    k = np.exp(log_kernel(kernel, x, x, width))
    # A row does not see itself, but it does see its copies, for which weights stand.
    return q, (k @ w - np.diag(k)) / (w.sum() - 1)


def least(q, c):
    n = len(c)
    scale = max(np.abs(q).max(), np.abs(c).max())
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    a = sparse.csc_matrix(np.vstack([np.ones(n), -np.eye(n)]))
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(n)]
    p = sparse.triu(sparse.csc_matrix(q / scale), format="csc")
    return clarabel.DefaultSolver(p, -c / scale, a, np.append(1.0, np.zeros(n)), cones, settings).solve().obj_val * scale, scale


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("n", "d", "width"), [(60, 1, 0.4), (90, 2, 0.6), (50, 8, 1.5)])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_weights_are_those_of_the_program(workshop, kernel, n, d, width, weighted):
    x = two_heaps(n, d, n + d)
    w = np.random.default_rng(1).integers(1, 4, n).astype(float) if weighted else np.ones(n)
    density = Density(workshop, x, "--kernel", kernel, "--bandwidth", width, "--no-standardize", weights=w if weighted else None)
    fit = density.fit
    q, c = program(x, width, kernel, w)
    value, scale = least(q, c)
    assert abs(fit["objective"] - value) < 1e-7 * scale
    assert abs(fit["loo_ise"] - 2 * value) < 2e-7 * scale
    share = w / w.sum()
    assert abs(fit["equal_loo_ise"] - (share @ q @ share - 2 * c @ share)) < 1e-10 * scale
    assert fit["loo_ise"] <= fit["equal_loo_ise"] and fit["converged"] and fit["residual"] <= 1e-8
    rows, a = fit["retained_samples"]["rows"], np.array(fit["retained_samples"]["weights"])
    assert abs(a.sum() - 1) < 1e-6 and (a > 0).all() and (np.diff(a) <= 0).all()
    assert abs(a @ q[np.ix_(rows, rows)] @ a / 2 - c[rows] @ a - value) < 1e-7 * scale
    new = two_heaps(30, d, 5)
    assert np.abs(density.log_density(new) - np.log(np.exp(log_kernel(kernel, new, x[rows], width)) @ a)).max() < 1e-9


def test_scikit_learn_has_the_same_density(workshop):
    x = two_heaps(200, 2, 3)
    density = Density(workshop, x, "--bandwidth", 0.5, "--no-standardize")
    kept = density.fit["retained_samples"]
    assert kept["count"] < 100
    peer = KernelDensity(bandwidth=0.5).fit(x[kept["rows"]], sample_weight=kept["weights"])
    new = two_heaps(50, 2, 4)
    assert np.abs(density.log_density(new) - peer.score_samples(new)).max() < 1e-8


def test_it_is_a_density_of_the_data_whatever_their_units(workshop):
    x = two_heaps(150, 1, 6)
    plain = Density(workshop, x)
    grid = np.linspace(x.min() - 12, x.max() + 12, 4001)
    values = np.exp(plain.log_density(grid[:, None]))
    assert abs(np.trapezoid(values, grid) - 1) < 1e-6
    other = Density(workshop, 1000 * x - 7)
    assert np.abs(other.log_density(1000 * grid[:, None] - 7) - (np.log(values) - np.log(1000))).max() < 1e-6
    assert abs(other.fit["loo_ise"] * 1000 - plain.fit["loo_ise"]) < 1e-9


@pytest.mark.parametrize("criterion", ["ise", "likelihood"])
def test_the_bandwidth_is_the_best_in_cross_validation(workshop, criterion):
    x = two_heaps(120, 2, 8)
    fit = Density(workshop, x, "--bandwidths", "0.1,0.2,0.4,0.8,1.6", "--criterion", criterion).fit
    grid = fit["cv"]["grid"]
    best = min(grid, key=lambda e: e["ise"]) if criterion == "ise" else max(grid, key=lambda e: e["log_density"])
    assert fit["kernel"] == best["kernel"] and fit["cv"]["ise"] == best["ise"]
    assert [e["kernel"]["bandwidth"] for e in grid] == sorted((e["kernel"]["bandwidth"] for e in grid), reverse=True)


def test_the_cross_validated_error_is_what_it_says(workshop):
    """integral f^2 - 2 mean f(held-out) plus the integral of the squared true density is about the error."""
    rng = np.random.default_rng(10)
    x = rng.normal(size=(2000, 1))
    fit = Density(workshop, x, "--bandwidth", 0.3, "--no-standardize").fit
    truth = 1 / (2 * np.sqrt(np.pi))
    kept = fit["retained_samples"]
    centres, a = x[kept["rows"], 0], np.array(kept["weights"])

    def gap(t):
        f = a @ np.exp(-((t - centres) ** 2) / (2 * 0.3**2)) / (0.3 * np.sqrt(2 * np.pi))
        return (f - np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)) ** 2

    error = quad(gap, -8, 8, limit=400)[0]
    assert 0 < error < 0.01
    # The standard error of a mean of 2000 densities between 0 and 0.4 is about 0.005 once doubled.
    assert abs(fit["cv"]["ise"] + truth - error) < 0.015
    assert abs(fit["loo_ise"] + truth - error) < 0.015


def test_class_ratio_zero_is_the_density_of_a_class(workshop):
    """gamma = 0 (section 3.5): the joint form of l2qp is one such density per class."""
    x, y = two_heaps(140, 2, 12), np.arange(140) % 2
    workshop.fit(x, y, "--method", "l2qp", "--multiclass", "joint", "--bandwidth", 0.5, "--balance", 1, "--no-cv", "--no-standardize")
    new = two_heaps(40, 2, 13)
    _, _, z = workshop.predict(new)
    for k in (0, 1):
        alone = Density(workshop, x[y == k], "--bandwidth", 0.5, "--no-standardize").log_density(new)
        assert np.abs(alone - z[:, k]).max() < 1e-5
    # And the limit of the difference itself.
    workshop.fit(x, y, "--method", "l2qp", "--class-ratio", 1e-9, "--bandwidth", 0.5, "--balance", 1, "--no-cv", "--no-standardize")
    _, _, limit = workshop.predict(new)
    assert np.abs(limit[:, 1] - z[:, 1]).max() < 1e-4


@pytest.mark.parametrize("d", [300, 3000])
def test_many_dimensions_neither_underflow_nor_overflow(workshop, d):
    x = np.random.default_rng(d).normal(size=(60, d))
    density = Density(workshop, x)
    logs = density.log_density(x[:5])
    assert np.isfinite(logs).all() and (logs < -d / 2).all()
    assert np.isfinite(density.fit["cv"]["log_density"])


@pytest.mark.parametrize(("d", "width"), [(100, 1.5), (200, 1.5), (200, 2.0), (300, 2.0)])
def test_many_dimensions_reach_the_optimum(workshop, d, width):
    """Kernel values of other rows are far below those of a row with itself, but still count."""
    x = np.random.default_rng(1).normal(size=(40, d))
    fit = Density(workshop, x, "--bandwidth", width, "--no-standardize").fit
    q, c = program(x, width, "gaussian", np.ones(40))
    k = np.exp(log_kernel("gaussian", x, x, width))
    np.fill_diagonal(k, 0)
    c = k.sum(1) / 39
    value, scale = least(q, c)
    assert abs(fit["objective"] - value) < 1e-6 * scale
    share = np.full(40, 1 / 40)
    equal = share @ q @ share - 2 * c @ share
    assert abs(fit["equal_loo_ise"] - equal) < 1e-9 * abs(equal)


def test_weights_may_be_shares(workshop):
    x = two_heaps(100, 2, 21)
    rng = np.random.default_rng(2)
    w = rng.uniform(0.2, 1.0, 100)
    plain = Density(workshop, x, "--bandwidth", 0.4, weights=w).fit
    shares = Density(workshop, x, "--bandwidth", 0.4, weights=w / w.sum()).fit
    assert plain["retained_samples"]["rows"] == shares["retained_samples"]["rows"]
    assert np.allclose(plain["retained_samples"]["weights"], shares["retained_samples"]["weights"], atol=1e-5)


@pytest.mark.parametrize("kernel", KERNELS)
def test_rows_beyond_all_measure_have_no_density(workshop, kernel):
    density = Density(workshop, two_heaps(60, 2, 22), "--kernel", kernel)
    logs = density.log_density(np.array([[0.0, 0.0], [1e200, 0.0], [1e308, 1e308], [-1.7e308, 1e308]]))
    assert np.isfinite(logs[0]) and (logs[1:] < -400).all()
