"""The choice of a method."""

import pickle

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import kernsieve
from kernsieve import AutoClassifier


def corrected(entry):
    return entry["error"] + entry["optimism"]


def test_the_least_error_and_log_loss_of_a_few_methods(ring):
    X, y = ring
    auto = AutoClassifier().fit(X, y)
    tried = [m for m in auto.methods_ if m["error"] is not None]
    assert {m["method"] for m in tried} <= {"sieve", "klr", "l1-dkf", "lda"} and len(tried) >= 2
    assert auto.method_ == min(tried, key=lambda m: corrected(m) + m["log_loss"] / 2)["method"]
    assert auto.method_ in auto.why_
    # The model is that of the method by itself.
    alone = {cls._method: cls for cls in map(kernsieve._methods.__dict__.get, kernsieve._methods.__all__)}[auto.method_]()
    assert (alone.fit(X, y).predict_proba(X) == auto.predict_proba(X)).all()
    assert (pickle.loads(pickle.dumps(auto)).predict(X) == auto.predict(X)).all()
    assert cross_val_score(AutoClassifier(folds=3), X, y, cv=3).mean() > 0.8


def test_the_smallest_model_within_one_standard_error(ring):
    X, y = ring
    auto = AutoClassifier(methods="thorough", prefer="small").fit(X, y)
    tried = [m for m in auto.methods_ if m["error"] is not None]
    best = min(tried, key=corrected)
    within = [m for m in tried if corrected(m) <= corrected(best) + max(best["standard_error"], 1 / len(y)) + 1e-12]
    assert auto.method_ == min(within, key=lambda m: m["size"])["method"]
    assert len(tried) >= 8


def test_features_are_prepared_by_scores(ring):
    X, y = ring
    auto = AutoClassifier(prepare="scores", folds=3).fit(X, y)
    # Only the order of the values counts.
    steep = np.sign(X) * np.expm1(3 * np.abs(X))
    again = AutoClassifier(prepare="scores", folds=3).fit(steep, y)
    assert auto.method_ == again.method_
    assert (auto.predict(X) == again.predict(steep)).mean() > 0.95


def test_a_file_holds_the_method_that_was_taken(ring, tmp_path):
    X, y = ring
    auto = AutoClassifier().fit(X, y)
    auto.save(tmp_path / "auto.ks")
    loaded = kernsieve.load(tmp_path / "auto.ks")
    assert loaded._method == auto.method_
    assert (loaded.predict_proba(X) == auto.predict_proba(X)).all()


def test_time_and_wrong_values(ring):
    X, y = ring
    first = AutoClassifier(budget=0).fit(X, y)
    assert first.method_ == "lda"
    assert any(m.get("note") == "no time left" for m in first.methods_)
    with pytest.raises(ValueError, match="budget"):
        AutoClassifier(budget=-1).fit(X, y)
    linear = AutoClassifier(kernel="linear", methods="thorough").fit(X, y)
    left_out = {m["method"] for m in linear.methods_ if m["error"] is None}
    assert {"parzen", "l2qp"} <= left_out
    assert np.isfinite(linear.predict_proba(X)).all()
