"""The sieve, derived again in NumPy: leave-one-out, slopes, weights, the penalised path, the softmax."""

import json
import struct

import numpy as np
import pytest
from conftest import kernsieve
from scipy.special import logsumexp
from test_scores import scores

# What the method tries around the last best bandwidth and ridge, and what turns fits into logits.
WIDTHS, RIDGES = (1.6, 1.0, 0.6), (3.0, 1.0, 1 / 3)
SHARPNESS = 6.0


def read(path):
    """The arrays and the document of a model file."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    document = json.loads(header.pop("__metadata__")["kernsieve"])
    arrays = {}
    for name, about in header.items():
        start, end = about["data_offsets"]
        kind = {"F64": "<f8", "U64": "<u8", "U8": "u1"}[about["dtype"]]
        arrays[name] = np.frombuffer(data[8 + length :][start:end], kind).reshape(about["shape"])
    return arrays, document


def distances(u, v, family):
    """Squared Euclidean distances, or sums of absolute differences for the product kernel."""
    gaps = u[:, None, :] - v[None, :, :]
    return np.abs(gaps).sum(axis=2) if family == "laplacian" else (gaps**2).sum(axis=2)


def kernel(u, v, family, b):
    d = distances(u, v, family)
    return {
        "gaussian": lambda: np.exp(-d / (2 * b * b)),
        "laplacian": lambda: np.exp(-d / b),
        "radial-laplacian": lambda: np.exp(-np.sqrt(d) / b),
    }[family]()


def indicators(y):
    classes = np.unique(y)
    return (np.asarray(y)[:, None] == classes[-1:] if len(classes) == 2 else np.asarray(y)[:, None] == classes) * 1.0


def unit(x, w, family):
    """Weights scaled so that the median distance is 1."""
    d = distances(x * w, x * w, family)[np.tril_indices(len(x), -1)]
    median = np.sort(d)[len(d) // 2]
    return w / (median if family == "laplacian" else np.sqrt(median))


def ridge_regression(k, u, y, ridge, tau, weights=None):
    """Coefficients, linear part and offset of `sum w (y - b - u'a - k A)^2 + ridge (A'kA + |a|^2 / tau)`.

    The penalty of the linear part makes it a kernel of its own: `k + tau u u'`, with coefficients of all rows.
    """
    n = len(k)
    whole = k + (0 if u is None else tau * u @ u.T)
    noise = np.ones(n) if weights is None else 1 / weights
    border = np.block([[whole + ridge * np.diag(noise), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    solution = np.linalg.solve(border, np.vstack([y, np.zeros((1, y.shape[1]))]))
    coef, offset = solution[:n], solution[n]
    return coef, None if u is None else tau * u.T @ coef, offset


def left_out(k, u, y, ridge, tau):
    """Fits of every row by all others: as many regressions as there are rows."""
    fits = np.empty_like(y)
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        part = None if u is None else u[rest]
        coef, linear, offset = ridge_regression(k[np.ix_(rest, rest)], part, y[rest], ridge, tau)
        fits[i] = offset + k[i, rest] @ coef + (0 if u is None else u[i] @ linear)
    return fits


def judged(x, y, w, family, b, ridge, linear):
    """Share of errors and mean squared residual of rows left out."""
    w = unit(x, w, family)
    u = (x * w)[:, w > 0]
    t = indicators(y)
    fits = left_out(kernel(u, u, family, b), u if linear else None, t, ridge, 1 / (w**2).sum())
    predicted = fits[:, 0] > 0.5 if t.shape[1] == 1 else fits.argmax(axis=1)
    truth = np.unique(y, return_inverse=True)[1]
    return (predicted != truth).mean(), ((t - fits) ** 2).sum(axis=1).mean()


def best(x, y, w, family, b, ridge, linear, widths=WIDTHS, given=None):
    """Bandwidth and ridge of least error and three times squared residual, each relative to its least."""
    ridges = [given] if given else [np.clip(f * ridge, 1e-5, 100) for f in RIDGES]
    tried = [(f * b, r) for f in widths for r in ridges]
    found = [judged(x, y, w, family, *pair, linear) for pair in tried]
    error = np.array([f[0] for f in found]) + 0.5 / len(y)
    square = np.array([f[1] for f in found])
    return tried[int(np.argmin(error / error.min() + 3 * square / square.min()))]


def slopes(x, y, w, family, b, ridge, linear):
    """Average squared slopes of the fitted function in every feature, by differences."""
    t = indicators(y)
    tau = 1 / (w**2).sum()
    u = x * w
    coef, a, _ = ridge_regression(kernel(u, u, family, b), u if linear else None, t, ridge, tau)
    result = np.zeros(x.shape[1])
    for j in np.flatnonzero(w):
        gaps = u[:, None, j] - u[None, :, j]
        k = kernel(u, u, family, b)
        if family == "gaussian":
            d = -k * gaps / b**2
        elif family == "laplacian":
            d = -k * np.sign(gaps) / b
        else:
            r = np.sqrt(distances(u, u, family))
            d = -k * np.divide(gaps, b * r, out=np.zeros_like(r), where=r > 0)
        f = d @ coef + (0 if a is None else a[j])
        result[j] = w[j] ** 2 * (f**2).sum(axis=1).mean()
    return result


def learn(x, y, setting, given=None):
    """Weights, bandwidth and ridge of the final fit, from the setting that was chosen."""
    first = setting.get("before", setting)
    family, linear = first["kernel"]["family"], first["linear"]
    p = x.shape[1]
    b, ridge = best(x, y, np.ones(p), family, first["kernel"]["bandwidth"], first["ridge"], linear, given=given)
    w = unit(x, np.ones(p), family)
    steps = [(p, WIDTHS)] * setting["rounds"]
    level = p
    while level > setting["n_features"]:
        level = level // 2 if level > 5 else level - 1
        steps.append((level, (1.0,)))
    votes = dict(setting.get("votes", []))
    turn = first["until"] if "before" in setting else 0
    for keep, widths in steps:
        g = slopes(x, y, w, family, b, ridge, linear)
        if keep <= turn:  # the form of the setting itself takes over, once
            family, linear, widths, turn = setting["kernel"]["family"], setting["linear"], WIDTHS, 0
            b, ridge = setting["kernel"]["bandwidth"], setting["ridge"]
        new = (g / g.max()) ** (0.5 if family == "laplacian" else 0.25) if setting["rounds"] else np.ones_like(g)
        new[sorted(range(p), key=lambda j: (-votes.get(j, 0), -g[j]))[keep:]] = 0
        b, ridge = best(x, y, new, family, b, ridge, linear, widths, given)
        w = unit(x, new, family)
    return w, b, ridge


def chosen(path):
    return read(path)[1]["record"]["candidate"]


def prepared(x, path):
    """Standardised features, or their scores if the model has them."""
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    return scores(z, z)[0] if read(path)[1].get("scores") else z


def curved(n, p=5, classes=2, seed=0):
    """A curved border in the first two features, the others noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    f = x[:, 0] + x[:, 1] ** 2 + 0.3 * rng.normal(size=n)
    return x, np.searchsorted(np.quantile(f, np.arange(1, classes) / classes), f)


FIXED = ["--method", "sieve", "--no-calibration", "--prefer", "accuracy"]
CASES = [
    "--kernel gaussian --linear out --rounds 0 --prepare standardize",
    "--kernel gaussian --linear in --rounds 0 --prepare standardize",
    "--kernel laplacian --linear out --rounds 1 --prepare standardize",
    "--kernel radial-laplacian --linear in --rounds 1 --prepare standardize",
    "--kernel gaussian --linear in --rounds 2 --prepare scores",
]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("case", CASES)
def test_weights_bandwidth_and_ridge_are_those_of_a_literal_computation(workshop, case, classes):
    """Leave-one-out by refitting, slopes of every feature by their definition."""
    x, y = curved(60, classes=classes)
    report = workshop.fit(x, y, *FIXED, *case.split())
    setting = chosen(workshop.model)
    w, b, ridge = learn(prepared(x, workshop.model), y, setting)
    assert report["kernel"]["bandwidth"] == pytest.approx(b, rel=1e-12)
    assert report["params"]["ridge"] == pytest.approx(ridge, rel=1e-12)
    # The landmarks have a ridge of 1e-8 of their own.
    np.testing.assert_allclose(list(report["feature_weights"].values()), w, rtol=0, atol=1e-5)


def parts(workshop):
    """Retained rows, weighted, with their coefficients, linear part and offset in units of the responses."""
    arrays, document = read(workshop.model)
    w = arrays["feature_weights"]
    z = arrays["support"] * w[w != 0]
    factor = SHARPNESS * (2 if len(document["classes"]) == 2 else 1)
    shift = SHARPNESS if len(document["classes"]) == 2 else 0
    linear = arrays["linear"] / factor if "linear" in arrays else None
    return z, arrays["coef"] / factor, linear, (arrays["offset"] + shift) / factor, document


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("linear", ["in", "out"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_retained_rows_carry_the_penalised_regression(workshop, linear, classes, weighted):
    """Its normal equations hold, with weights of rows whose mean is one."""
    weights = np.random.default_rng(0).integers(1, 4, size=120) if weighted else np.ones(120)
    options = ["--kernel", "gaussian", "--linear", linear, "--rounds", 0, "--ridge", 0.3, "--max-support", 40]
    count = ["--weights", "f5"] if weighted else ["--drop", "f5"]
    # Where both readouts err alike, the softmax mostly has the lower log loss.
    for seed in range(200):
        x, y = curved(120, classes=classes, seed=seed)
        train = workshop.write("train.csv", np.column_stack([x, weights]), y)
        fit = ["fit", train, "--model", workshop.model, "--json", *FIXED, *options, "--no-standardize", *count]
        report = json.loads(kernsieve(*fit))
        if "softmax" not in chosen(workshop.model):
            break
    assert "softmax" not in chosen(workshop.model)
    z, coef, a, offset, _ = parts(workshop)
    w = read(workshop.model)[0]["feature_weights"]
    u = (x * w)[:, w != 0]
    b = report["kernel"]["bandwidth"]
    t, own = indicators(y), weights / weights.mean()
    k, inner = kernel(u, z, "gaussian", b), kernel(z, z, "gaussian", b)
    residual = t - offset - k @ coef - (0 if a is None else u @ a)
    np.testing.assert_allclose(own @ residual, 0, atol=1e-8)
    np.testing.assert_allclose(k.T @ (own[:, None] * residual), 0.3 * inner @ coef, atol=1e-8)
    if a is not None:
        np.testing.assert_allclose(u.T @ (own[:, None] * residual), 0.3 * (w**2).sum() * a, atol=1e-8)


def test_at_full_size_it_is_kernel_ridge_regression_learnt_inside_the_folds(workshop):
    """Every row its own fold: scaling, weights and bandwidth come from the others, and all of them carry the fit."""
    n = 40
    x, y = curved(n, p=2, seed=3)
    options = "--kernel gaussian --linear in --rounds 1 --ridge 0.2 --prepare standardize --max-features 2".split()
    report = workshop.fit(x, y, *FIXED, *options, "--folds", n)
    setting = chosen(workshop.model)
    if setting["n_features"] < 2:
        pytest.skip("the curve is that of one feature")
    logits = np.empty(n)
    for i in range(n):
        rest = np.arange(n) != i
        mean, deviation = x[rest].mean(axis=0), x[rest].std(axis=0)
        z = (x - mean) / deviation
        w, b, ridge = learn(z[rest], y[rest], setting, given=0.2)
        u = z * w
        k = kernel(u, u[rest], "gaussian", b)
        tau = 1 / (w**2).sum()
        coef, a, offset = ridge_regression(k[rest], u[rest], indicators(y[rest]), ridge, tau)
        fit = offset + k[i] @ coef + u[i] @ a
        logits[i] = SHARPNESS * (2 * fit[0] - 1)
    last = report["cv"]["curve"][-1]
    assert last["size"] == n
    assert last["error"] == pytest.approx(((logits > 0) != y).mean(), abs=1e-12)
    assert last["log_loss"] == pytest.approx(np.logaddexp(0, np.where(y == 1, -logits, logits)).mean(), rel=1e-6)


def test_samples_are_those_that_lower_the_penalised_objective_most(workshop):
    x, y = curved(80, p=2, seed=4)
    options = "--kernel laplacian --linear in --rounds 0 --ridge 0.5 --prepare standardize --max-features 2".split()
    report = workshop.fit(x, y, *FIXED, *options)
    assert chosen(workshop.model)["n_features"] == 2
    w = np.array(list(report["feature_weights"].values()))
    u = prepared(x, workshop.model) * w
    t = indicators(y)
    k = kernel(u, u, "laplacian", report["kernel"]["bandwidth"])
    tau = 1 / (w**2).sum()

    def objective(samples):
        phi = np.hstack([np.ones((len(u), 1)), u, k[:, samples]])
        penalty = np.zeros((phi.shape[1], phi.shape[1]))
        penalty[1:3, 1:3] = 0.5 / tau * np.eye(2)
        penalty[3:, 3:] = 0.5 * k[np.ix_(samples, samples)]
        coef = np.linalg.solve(phi.T @ phi + penalty, phi.T @ t)
        return ((t - phi @ coef) ** 2).sum() + (coef.T @ penalty @ coef).trace()

    rows = report["retained_samples"]["rows"]
    total = ((t - t.mean(axis=0)) ** 2).sum()
    for step in range(min(len(rows), 6)):
        each = [objective([*rows[:step], i]) for i in range(len(u)) if i not in rows[:step]]
        assert objective(rows[: step + 1]) == pytest.approx(min(each), rel=1e-9)
        # The path reports what is left of the variance, the penalty included.
        assert report["path"][step]["objective"] == pytest.approx(min(each) / total, rel=1e-7)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_softmax_has_no_slope(workshop, classes):
    """The gradient of the penalised likelihood vanishes at the coefficients."""
    for seed in range(12):
        x, y = curved(150, p=3, classes=classes, seed=seed)
        options = "--kernel gaussian --linear in --rounds 1 --prepare standardize --ridge 0.3 --max-support 15".split()
        report = workshop.fit(x, y, *FIXED, *options)
        setting = chosen(workshop.model)
        if "softmax" in setting:
            break
    assert "softmax" in setting
    arrays, _ = read(workshop.model)
    w = arrays["feature_weights"]
    z, u = arrays["support"] * w[w != 0], (prepared(x, workshop.model) * w)[:, w != 0]
    b, ridge = report["kernel"]["bandwidth"], report["params"]["ridge"]
    phi = np.hstack([np.ones((len(u), 1)), u, kernel(u, z, "gaussian", b)])
    p = u.shape[1]
    penalty = np.zeros((phi.shape[1], phi.shape[1]))
    penalty[1 : p + 1, 1 : p + 1] = (w**2).sum() * np.eye(p)
    penalty[p + 1 :, p + 1 :] = kernel(z, z, "gaussian", b)
    penalty *= 2 * setting["softmax"] * ridge
    coef = np.vstack([arrays["offset"], arrays["linear"], arrays["coef"]])

    def gradient(coef):
        f = phi @ coef
        if classes == 2:
            f, t = np.hstack([np.zeros_like(f), f]), indicators(y)
            odds = np.exp(f - logsumexp(f, axis=1, keepdims=True))[:, 1:]
        else:
            odds, t = np.exp(f - logsumexp(f, axis=1, keepdims=True)), indicators(y)
        return phi.T @ (odds - t) + penalty @ coef

    assert np.abs(gradient(coef)).max() < 1e-5 * np.abs(gradient(np.zeros_like(coef))).max()


def noisy(n, noise, seed=0):
    """A curved border in the first two features; `noise` others."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(n, 2 + noise))
    return x, (x[:, 0] ** 2 + x[:, 1] ** 2 > 0.6) * 1


@pytest.mark.parametrize("case", CASES[2:])
def test_noise_has_small_weights(workshop, case):
    x, y = noisy(300, 10)
    report = workshop.fit(x, y, *FIXED, *case.split())
    assert set(report["selected_features"][:2]) == {"f0", "f1"}
    w = np.array(list(report["feature_weights"].values()))
    assert w[2:].max() < 0.5 * w[:2].min()
    assert report["cv"]["feature_folds"]["f0"] == report["cv"]["feature_folds"]["f1"] == 5


def test_the_order_of_rows_features_and_classes_does_not_matter(workshop):
    """Up to 400 rows nothing is drawn. Folds are: with every row its own fold, they do not depend on the order."""
    x, y = curved(50, p=4, classes=3, seed=5)
    fit = ["--method", "sieve", "--prefer", "small", "--folds", 50]
    new = np.random.default_rng(1).normal(size=(40, 4))
    labels = np.array(["a", "b", "c"])
    workshop.fit(x, labels[y], *fit)
    _, p, z = workshop.predict(new)
    rows, columns, classes = np.random.default_rng(2).permutation(50), [2, 0, 3, 1], np.array([1, 2, 0])
    workshop.fit(x[rows], labels[y][rows], *fit)
    np.testing.assert_allclose(workshop.predict(new)[1], p, atol=1e-6)
    workshop.fit(x[:, columns], labels[y], *fit)
    np.testing.assert_allclose(workshop.predict(new[:, columns])[1], p, atol=1e-6)
    workshop.fit(x, labels[classes[y]], *fit)
    np.testing.assert_allclose(workshop.predict(new)[1][:, classes], p, atol=1e-6)


def test_the_number_of_threads_does_not_matter(workshop):
    x, y = curved(450, p=6, classes=3, seed=6)
    files = []
    for threads in (1, 2):
        workshop.fit(x, y, "--method", "sieve", "--threads", threads)
        files.append(workshop.model.read_bytes())
    assert files[0] == files[1]


def test_constant_features_change_nothing(workshop):
    x, y = curved(200, p=4, seed=7)
    new = np.random.default_rng(1).normal(size=(40, 4))
    workshop.fit(x, y, "--method", "sieve")
    _, p, _ = workshop.predict(new)
    report = workshop.fit(np.column_stack([x, np.full(200, 3.5)]), y, "--method", "sieve")
    assert report["feature_weights"]["f4"] == 0
    _, q, _ = workshop.predict(np.column_stack([new, np.full(40, -8.0)]))
    np.testing.assert_allclose(p, q, atol=1e-10)


def test_copies_of_a_feature_share_its_weight_and_do_no_harm(workshop):
    x, y = noisy(300, 4)
    test, truth = noisy(1000, 4, seed=1)
    workshop.fit(x, y, "--method", "sieve")
    alone = (workshop.predict(test)[0].astype(int) != truth).mean()
    report = workshop.fit(np.column_stack([x, x[:, 0], x[:, 0]]), y, "--method", "sieve")
    w = report["feature_weights"]
    kept = [w[f] for f in ("f0", "f6", "f7") if w[f] > 0]
    assert kept and max(kept) == pytest.approx(min(kept), rel=1e-9)
    together = (workshop.predict(np.column_stack([test, test[:, 0], test[:, 0]]))[0].astype(int) != truth).mean()
    assert together < alone + 0.03


def test_equal_weights_of_rows_are_no_weights_and_rows_of_weight_0_are_no_rows(workshop):
    x, y = curved(160, p=3, seed=8)
    new = np.random.default_rng(1).normal(size=(40, 3))
    # Calibration counts rows by their weights: of more rows it may be surer.
    workshop.fit(x, y, "--method", "sieve", "--no-calibration")
    _, p, _ = workshop.predict(new)

    def weighted(x, y, weights):
        train = workshop.write("train.csv", np.column_stack([x, weights]), y)
        options = ["--method", "sieve", "--weights", "f3", "--no-calibration", "--quiet"]
        kernsieve("fit", train, "--model", workshop.model, *options)
        return workshop.predict(new)[1]

    np.testing.assert_allclose(weighted(x, y, np.full(160, 2.5)), p, atol=1e-9)
    extra = np.random.default_rng(2).normal(size=(30, 3))
    more = np.vstack([x, extra]), np.concatenate([y, np.arange(30) % 2])
    np.testing.assert_allclose(weighted(*more, np.repeat([1.0, 0.0], [160, 30])), p, atol=1e-9)
