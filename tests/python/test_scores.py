"""Normal scores, recomputed by NumPy and SciPy from their definition."""

import json

import numpy as np
import pytest
from conftest import kernsieve
from scipy.stats import norm, rankdata

# Most values of a feature that become knots, without the two beyond the ends.
MOST = 254


def curve(column):
    """The score as a function of a value: mid-ranks through the normal quantile, standardised, linear between knots."""
    values, first = np.unique(column, return_index=True)
    if len(values) < 2:
        return lambda v: np.zeros_like(v)
    middle = rankdata(column)[first] - 0.5
    share = middle / len(column)
    kept = np.arange(len(values))
    if len(values) > MOST:
        kept = np.unique(np.searchsorted(middle, np.linspace(middle[0], middle[-1], MOST)).clip(max=len(values) - 1))
    first, last = values[0] - (values[1] - values[0]) / 2, values[-1] + (values[-1] - values[-2]) / 2
    knots = np.concatenate([[first], values[kept], [last]])
    scores = norm.ppf(np.concatenate([[share[0] / 2], share[kept], [1 - (1 - share[-1]) / 2]]))
    training = np.interp(column, knots, scores)
    mean, deviation = training.mean(), training.std()
    return lambda v: (np.interp(v, knots, scores) - mean) / deviation


def scores(x, test):
    curves = [curve(column) for column in x.T]
    return tuple(np.column_stack([f(v) for f, v in zip(curves, part.T, strict=True)]) for part in (x, test))


def sample(n, seed=0):
    """Skewed features, few values with ties, two values, and one that is constant in training; some rows far out."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    normal = rng.normal(size=(n, 3)) + 0.7 * y[:, None]
    flag = (rng.random(n) < 0.3 + 0.15 * y) * 1.0
    skewed, cubed, few = np.exp(2 * normal[:, 0]), normal[:, 1] ** 3, np.floor(2 * normal[:, 2])
    x = np.column_stack([skewed, cubed, few, flag, np.full(n, 7.0)])
    far = rng.normal(size=(15, 5)) * np.repeat([1e3, 1e30], [10, 5])[:, None]
    return x, y, np.concatenate([x[:20], 0.5 * (x[:40] + x[40:80]), far])


CASES = [
    "mkda --bandwidth 1.3 --ridge 0.5",
    "mkda --kernel radial-laplacian --bandwidth 1.3 --ridge 0.5",
    "lda",
    "klr --bandwidth 1.3 --ridge 0.1",
    "l1-dkf --sparsity 1",
    "parzen --bandwidth 0.7",
    "smkda --bandwidth 1.3 --max-support 8",
    "sparse-kos --bandwidth 1.3 --ridge 0.1 --sparsity 0.01",
]


# Nine hundred rows have more values than a curve has knots.
@pytest.mark.parametrize("case,n", [*((case, 90) for case in CASES), (CASES[0], 900), ("lda", 900)])
def test_a_method_sees_the_scores(workshop, case, n):
    x, y, test = sample(n)
    method, *words = case.split()
    options = ["--method", method, *words]
    if method not in ("klr", "lda"):
        options.append("--no-calibration")
    workshop.fit(x, y, *options, "--prepare", "scores")
    _, p, z = workshop.predict(test)
    a, b = scores(x, test)
    np.testing.assert_allclose(a.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(a[:, :4].std(axis=0), 1, atol=1e-12)
    workshop.fit(a, y, *options, "--no-standardize")
    _, reference, outputs = workshop.predict(b)
    # The distance of equal rows is the root of a difference of squares: half of the digits.
    digits = 1e-5 if "radial" in case else 1e-8
    np.testing.assert_allclose(p, reference, rtol=0, atol=digits)
    np.testing.assert_allclose(z, outputs, rtol=10 * digits, atol=10 * digits)


@pytest.mark.parametrize("case", ["mkda --bandwidth 1.3 --ridge 0.5 --no-calibration", "lda"])
def test_only_the_order_of_the_values_matters(workshop, case):
    """Any rising function of a feature leaves the predictions of the rows that have training values as they are."""
    x, y, _ = sample(90)
    fit = ["--method", *case.split(), "--prepare", "scores"]
    workshop.fit(x, y, *fit)
    _, p, _ = workshop.predict(x)
    changed = np.column_stack([np.log(x[:, 0]), np.arctan(x[:, 1]), np.exp(x[:, 2]), 5 - 3 * (1 - x[:, 3]), x[:, 4]])
    workshop.fit(changed, y, *fit)
    _, q, _ = workshop.predict(changed)
    np.testing.assert_allclose(p, q, rtol=0, atol=1e-9)


def test_folds_do_not_see_the_rows_that_they_hold_out(workshop):
    """The cross-validated error is that of fits that learned the scores from their own rows."""
    x, y, _ = sample(90)
    report = workshop.fit(x, y, "--method", "lda", "--prepare", "scores", "--folds", 90)
    wrong = 0
    for i in range(90):
        rest = np.arange(90) != i
        workshop.fit(x[rest], y[rest], "--method", "lda", "--prepare", "scores")
        wrong += workshop.predict(x[[i]])[0][0] != str(y[i])
    assert report["cv"]["error"] == pytest.approx(wrong / 90, abs=1e-12)


def test_commands_know_about_scores(workshop):
    x, y, test = sample(90)
    report = workshop.fit(x, y, "--method", "lda", "--prepare", "scores")
    assert report["params"]["prepare"] == "scores"
    assert workshop.fit(x, y, "--method", "lda")["params"]["prepare"] == "standardize"
    assert workshop.fit(x, y, "--method", "lda", "--no-standardize")["params"]["prepare"] is None
    train = workshop.write("train.csv", x, y)
    page = workshop.folder / "report.html"
    fit = ["fit", train, "--model", workshop.model, "--prepare", "scores"]
    text = kernsieve(*fit, "--method", "l1-dkf", "--report", page)
    assert "normal scores of the features" in " ".join(text.split())
    assert "in normal scores" in page.read_text()
    assert "normal scores" in kernsieve("inspect", workshop.model).splitlines()[-1]
    assert json.loads(kernsieve("inspect", workshop.model, "--json"))["params"]["prepare"] == "scores"
    before = json.loads(kernsieve("evaluate", workshop.model, train, "--json"))
    assert before["error"] == pytest.approx(json.loads(kernsieve("inspect", workshop.model, "--json"))["train_error"])
    kernsieve(*fit, "--method", "auto", "--kernel", "radial-laplacian", "--quiet")
    assert "normal scores" in kernsieve("inspect", workshop.model).splitlines()[-1]
    compared = kernsieve("compare", train, "--methods", "lda,mkda", "--prepare", "scores", "--repeats", 2, "--json")
    assert len(json.loads(compared)["methods"]) == 2
    kernsieve(*fit, "--no-standardize", status=2)
    kernsieve("density", train, "--prepare", "scores", status=2)
