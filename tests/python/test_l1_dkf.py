"""l1-dkf against Hidaka & Kurita written out in NumPy, and against scikit-learn's lasso, elastic net and logistic regression."""

import json

import numpy as np
import pytest
from conftest import kernsieve
from scipy.special import softmax
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import ElasticNet, LogisticRegression

FIXED = ["--method", "l1-dkf", "--no-cv", "--no-standardize"]


def sample(n, p, c, seed):
    """Classes of unequal size whose means differ in two of the features, correlated with the others. Standardised."""
    rng = np.random.default_rng(seed)
    y = np.sort(rng.choice(c, size=n, p=np.arange(1, c + 1) / (c * (c + 1) / 2)))
    y[: 2 * c] = np.repeat(np.arange(c), 2)
    x = rng.normal(size=(n, p)) + 0.5 * rng.normal(size=(n, 1))
    x[:, :2] += np.column_stack([y, y**2 % 3])[:, : min(2, p)]
    return (x - x.mean(0)) / x.std(0), y


def coefficients(fit):
    """Coefficients (outputs x features) and offsets of a fit."""
    names = fit["feature_names"]
    w = np.array([[row["coef"].get(n, 0.0) for n in names] for row in fit["coefficients"]])
    return w, np.array([row["offset"] for row in fit["coefficients"]])


@pytest.mark.parametrize(
    ("n", "p", "c", "sparsity", "ratio"),
    [(90, 6, 3, 4.0, 1.0), (60, 5, 2, 0.01, 1.0), (80, 7, 4, 2.0, 0.4), (40, 120, 2, 3.0, 1.0), (45, 90, 3, 1.0, 0.7)],
)
def test_coefficients_are_the_lassos(workshop, n, p, c, sparsity, ratio):
    x, y = sample(n, p, c, 1)
    fit = workshop.fit(x, y, *FIXED, "--sparsity", sparsity, "--l1-ratio", ratio)
    w, b = coefficients(fit)
    assert w.shape == (c, p)
    total = 0.0
    for k in range(c):
        t = (y == k).astype(float)
        peer = ElasticNet(alpha=sparsity / n, l1_ratio=ratio, tol=1e-14, max_iter=200_000).fit(x, t)
        assert np.abs(w[k] - peer.coef_).max() < 1e-6
        assert abs(b[k] - peer.intercept_) < 1e-6
        # Conditions of a minimum, duality gap and objective, from the data alone.
        r = t - b[k] - x @ w[k]
        l1, l2 = sparsity * ratio, sparsity * (1 - ratio)
        slope = x.T @ r - l2 * w[k]
        active = w[k] != 0
        assert np.abs(slope[active] - l1 * np.sign(w[k][active])).max(initial=0) < 1e-8
        assert np.abs(slope).max() < l1 + 1e-8
        objective = r @ r / 2 + l1 * np.abs(w[k]).sum() + l2 * w[k] @ w[k] / 2
        s = min(1, l1 / np.abs(slope).max())
        dual = s * (t - t.mean()) @ r - s**2 * (r @ r + l2 * w[k] @ w[k]) / 2
        assert -1e-10 < objective - dual < 1e-8
        row = fit["coefficients"][k]
        assert abs(row["objective"] - objective) < 1e-10
        assert row["zeros"] == (~active).sum() and row["nonzero"] == active.sum()
        total += objective
    assert abs(fit["objective"] - total) < 1e-9


@pytest.mark.parametrize(("n", "p", "c", "penalty"), [(90, 6, 3, 4.0), (60, 5, 2, 0.01), (30, 80, 4, 20.0)])
def test_without_the_l1_norm_it_is_ridge_regression(workshop, n, p, c, penalty):
    """The closed form, and the likelihood's minimum from scikit-learn."""
    x, y = sample(n, p, c, 8)
    fit = workshop.fit(x, y, *FIXED, "--sparsity", penalty, "--l1-ratio", 0)
    w, b = coefficients(fit)
    t = np.eye(c)[y]
    expected = np.linalg.solve(x.T @ x + penalty * np.eye(p), x.T @ (t - t.mean(0))).T
    assert np.abs(w - expected).max() < 1e-8
    assert np.abs(b - t.mean(0)).max() < 1e-10
    objective = ((t - b - x @ w.T) ** 2).sum() / 2 + penalty * (w**2).sum() / 2
    assert abs(fit["objective"] - objective) < 1e-9 * objective
    assert len(fit["selected_features"]) == p
    fit = workshop.fit(x, y, *FIXED, "--sparsity", penalty, "--l1-ratio", 0, "--posterior", "logistic")
    w, _ = coefficients(fit)
    peer = LogisticRegression(C=1 / penalty, tol=1e-12, max_iter=10_000).fit(x, y)
    assert np.abs(w - peer.coef_).max() < 1e-5


def to_simplex(z, priors, kind):
    if kind == "softmax":
        return softmax(z, axis=1)
    if kind == "project":
        u = -np.sort(-z, axis=1)
        t = (np.cumsum(u, axis=1) - 1) / np.arange(1, z.shape[1] + 1)
        rho = (u > t).sum(1) - 1
        return np.maximum(z - t[np.arange(len(z)), rho][:, None], 0)
    if kind == "none":
        return z
    p = np.maximum(z, 0)
    p[p.sum(1) == 0] = priors
    return p / p.sum(1, keepdims=True)


def kernel_discriminant(k, kt, y, metric):
    """Eq. 2 for the kernel vectors, in the range of their total covariance: variates of both samples."""
    mean = k.mean(0)
    k, kt = k - mean, kt - mean
    values, vectors = np.linalg.eigh(k.T @ k / len(k))
    keep = values > 1e-10 * values[-1]
    white = vectors[:, keep] / np.sqrt(values[keep])
    y1, y2 = k @ white, kt @ white
    means = np.array([y1[y == c].mean(0) for c in np.unique(y)])
    share = np.array([(y == c).mean() for c in np.unique(y)])
    lam, rotation = np.linalg.eigh((means * share[:, None]).T @ means)
    # Directions in which the means do not differ are not variates; outputs that do not sum to 1 leave one such
    # direction.
    lam, rotation = lam[lam > 1e-10], rotation[:, lam > 1e-10]
    scale = 1.0 if metric == "total" else 1 / np.sqrt(1 - lam)
    return y1 @ rotation * scale, y2 @ rotation * scale


@pytest.mark.parametrize("metric", ["within", "total"])
@pytest.mark.parametrize("simplex", ["clip", "project", "softmax", "none"])
@pytest.mark.parametrize("c", [2, 3, 5])
def test_the_whole_method_in_kernel_space(workshop, metric, simplex, c):
    x, y = sample(100, 6, c, 2)
    new, _ = sample(60, 6, c, 3)
    fit = workshop.fit(x, y, *FIXED, "--sparsity", 2, "--metric", metric, "--simplex", simplex, "--priors", "uniform")
    labels, p, z = workshop.predict(new)
    w, b = coefficients(fit)
    priors = np.bincount(y) / len(y)
    post, post_new = (to_simplex(b + m @ w.T, priors, simplex) for m in (x, new))
    if simplex != "none":
        assert np.abs(post.sum(1) - 1).max() < 1e-12 and post.min() >= 0
    # Eq. 16 and its centred form, eq. 15.
    gram, gram_new = post / priors @ post.T, post_new / priors @ post.T
    phi = (post - priors) / np.sqrt(priors)
    if simplex != "none":
        assert np.abs(gram - phi @ phi.T - 1).max() < 1e-10
    assert np.linalg.matrix_rank(gram, tol=1e-8 * np.linalg.norm(gram)) <= c
    v, v_new = kernel_discriminant(gram, gram_new, y, metric)
    means = np.array([v[y == k].mean(0) for k in range(c)])
    distance = ((v_new[:, None] - means) ** 2).sum(2)
    assert (labels.astype(int) == distance.argmin(1)).all()
    # The variates are the same up to signs: they have the same distances.
    own = ((z[:, None] - z) ** 2).sum(2)
    assert np.abs(own - ((v_new[:, None] - v_new) ** 2).sum(2)).max() < 1e-6 * max(1, own.max())
    variance = 1.0 if metric == "within" else ((v - means[y]) ** 2).mean()
    assert np.abs(p - softmax(-distance / (2 * variance), axis=1)).max() < 1e-7


@pytest.mark.parametrize("c", [2, 4])
def test_the_optimum_mapping_from_the_posteriors(workshop, c):
    x, y = sample(90, 5, c, 4)
    fit = workshop.fit(x, y, *FIXED, "--sparsity", 1.5, "--mapping", "onda", "--priors", "uniform")
    labels, _, z = workshop.predict(x)
    w, b = coefficients(fit)
    priors = np.bincount(y) / len(y)
    phi = (to_simplex(b + x @ w.T, priors, "clip") - priors) / np.sqrt(priors)
    values, vectors = np.linalg.eigh(phi.T @ phi / len(y))
    # Eq. 12 and eq. 13 have the same eigenvalues.
    dual = np.linalg.eigvalsh(phi @ phi.T / len(y))[::-1]
    kept = len(fit["eigenvalues"])
    assert np.abs(values[::-1][:kept] - fit["eigenvalues"]).max() < 1e-9
    assert np.abs(dual[:kept] - fit["eigenvalues"]).max() < 1e-9
    v = phi @ vectors[:, ::-1][:, :kept]
    assert np.abs(np.abs(z) - np.abs(v)).max() < 1e-7
    means = np.array([v[y == k].mean(0) for k in range(c)])
    assert (labels.astype(int) == ((v[:, None] - means) ** 2).sum(2).argmin(1)).all()


@pytest.mark.parametrize(("c", "sparsity"), [(2, 1.0), (2, 0.1), (3, 2.0), (5, 0.5)])
def test_logistic_posteriors_are_the_minimum(workshop, c, sparsity):
    x, y = sample(120, 6, c, 5)
    fit = workshop.fit(x, y, *FIXED, "--posterior", "logistic", "--sparsity", sparsity)
    w, b = coefficients(fit)
    logits = b + x @ w.T
    if c == 2:
        logits = np.column_stack([np.zeros(len(y)), logits[:, 0]])
    p = softmax(logits, axis=1)
    residual = (np.eye(c)[y] - p)[:, -len(b) :]
    slope = (x.T @ residual).T
    assert np.abs(residual.sum(0)).max() < 1e-6
    assert np.abs(slope[w != 0] - sparsity * np.sign(w[w != 0])).max() < 1e-6
    assert np.abs(slope).max() < sparsity + 1e-6
    objective = -np.log(p[np.arange(len(y)), y]).sum() + sparsity * np.abs(w).sum()
    assert abs(fit["objective"] - objective) < 1e-8
    # saga is slow and stops early: it must not find a smaller objective.
    peer = LogisticRegression(l1_ratio=1, solver="saga", C=1 / sparsity, tol=1e-9, max_iter=20_000).fit(x, y)
    q = np.clip(peer.predict_proba(x), 1e-300, 1)
    other = -np.log(q[np.arange(len(y)), y]).sum() + sparsity * np.abs(peer.coef_).sum()
    assert objective <= other + 1e-7
    assert other - objective < 1e-3


@pytest.mark.parametrize("method", ["mkda", "smkda", "kos", "klr"])
def test_the_kernel_in_other_methods_is_a_linear_kernel_on_its_features(workshop, method):
    x, y = sample(80, 6, 3, 6)
    fixed = ["--method", method, "--no-standardize", "--no-cv", "--no-calibration"]
    fixed += ["--max-support", 2] if method == "smkda" else ["--ridge", 0.01]
    fit = workshop.fit(x, y, *fixed, "--kernel", "discriminant", "--sparsity", 2)
    assert fit["kernel"]["family"] == "discriminant"
    labels, p, _ = workshop.predict(x)
    # The posteriors do not depend on the method that uses them.
    w, b = coefficients(workshop.fit(x, y, *FIXED, "--sparsity", 2))
    priors = np.bincount(y) / len(y)
    psi = to_simplex(b + x @ w.T, priors, "clip") / np.sqrt(priors)
    workshop.fit(psi, y, *fixed, "--kernel", "linear")
    peer_labels, peer, _ = workshop.predict(psi)
    assert (labels == peer_labels).all()
    assert np.abs(p - peer).max() < 1e-6


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_total_metric_classifies_by_the_nearest_mean(workshop, load):
    """Plain LDA as Hidaka & Kurita ran it, from scatter matrices."""
    x, y = load(return_X_y=True)
    workshop.fit(x, y, "--method", "lda", "--metric", "total", "--priors", "uniform", "--no-cv")
    labels, _, _ = workshop.predict(x)
    s = (x - x.mean(0)) / x.std(0)
    v, _ = kernel_discriminant(s, s, y, "total")
    means = np.array([v[y == k].mean(0) for k in range(3)])
    assert (labels.astype(int) == ((v[:, None] - means) ** 2).sum(2).argmin(1)).all()


def test_semeion_by_cross_validation(papers_data):
    fit = json.loads(kernsieve("fit", papers_data / "semeion.csv", "--method", "l1-dkf", "--json", "--quiet"))
    assert fit["cv"]["error"] < 0.14
    assert 2.0**-1 <= fit["params"]["sparsity"] <= 2.0**4
    assert sum(c["zeros"] for c in fit["coefficients"]) > 500
