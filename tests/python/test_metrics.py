"""Measures of `evaluate` against those of scikit-learn."""

import json

import numpy as np
import pytest
from conftest import kernsieve
from sklearn import metrics


def simulated(seed, n, n_classes):
    """Overlapping classes, the first one the largest."""
    rng = np.random.default_rng(seed)
    shares = np.array([0.8, 0.2]) if n_classes == 2 else np.array([0.6, 0.25, 0.15])
    y = rng.choice(n_classes, size=n, p=shares)
    x = rng.normal(size=(n, 3))
    x[:, 0] += 1.5 * y
    return x, np.array(["a", "b", "c"])[y]


def evaluated(workshop, x, y):
    path = workshop.write("new.csv", x, y)
    return json.loads(kernsieve("evaluate", workshop.model, path, "--json"))


@pytest.mark.parametrize("positive", [None, "a"])
@pytest.mark.parametrize("threshold", [None, "0.3", "best:mcc"])
def test_two_classes(workshop, threshold, positive):
    options = ["--method", "lda"]
    options += ["--threshold", threshold] if threshold else []
    options += ["--positive", positive] if positive else []
    workshop.fit(*simulated(0, 300, 2), *options)
    x, y = simulated(1, 500, 2)
    found = evaluated(workshop, x, y)
    predicted, p, _ = workshop.predict(x)
    own = positive or "b"
    assert found["positive"] == own
    expected = {
        "accuracy": metrics.accuracy_score(y, predicted),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, predicted),
        "auc": metrics.roc_auc_score(y == own, p[:, "ab".index(own)]),
        "f1": metrics.f1_score(y, predicted, pos_label=own),
        "mcc": metrics.matthews_corrcoef(y, predicted),
        "precision": metrics.precision_score(y, predicted, pos_label=own),
        "recall": metrics.recall_score(y, predicted, pos_label=own),
        "log_loss": metrics.log_loss(y, p),
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-12)
    assert found["baseline"]["class"] == "a" and found["baseline"]["error"] == pytest.approx((y != "a").mean())


def test_three_classes(workshop):
    workshop.fit(*simulated(0, 300, 3), "--method", "lda")
    x, y = simulated(1, 500, 3)
    found = evaluated(workshop, x, y)
    predicted, p, _ = workshop.predict(x)
    expected = {
        "balanced_accuracy": metrics.balanced_accuracy_score(y, predicted),
        "auc": metrics.roc_auc_score(y, p, multi_class="ovr", average="macro"),
        "f1": metrics.f1_score(y, predicted, average="macro"),
        "mcc": metrics.matthews_corrcoef(y, predicted),
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-12)
    assert found["positive"] is None and found["precision"] is None


@pytest.mark.parametrize("n_classes", [2, 3])
def test_held_out_rows_are_measured_alike(workshop, n_classes):
    """The measures of the folds are of the order of those on new rows, and hold together."""
    fit = workshop.fit(*simulated(0, 2000, n_classes), "--method", "lda")
    found, own = evaluated(workshop, *simulated(1, 4000, n_classes)), fit["out_of_fold"]
    for key in ("error", "log_loss", "auc", "balanced_accuracy", "f1", "mcc"):
        assert own[key] == pytest.approx(found[key], abs=0.05), key
    assert fit["auc"] == own["auc"] and fit["log_loss"] == own["log_loss"]
    assert fit["expected_error"]["low"] < own["error"] < fit["expected_error"]["high"]
