"""What settings are chosen for, and where two classes are divided."""

import pickle

import numpy as np
import onnxruntime
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import f1_score

import kernsieve
from kernsieve import KLR, LDA, AutoClassifier


def rare(seed, n, share=0.1):
    """Two classes, the second one rare."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    X = rng.normal(size=(n, 3))
    X[:, 0] += 1.3 * y
    X[:, 1] += y
    return X, y


@pytest.fixture(scope="module")
def train():
    return rare(3, 400)


@pytest.fixture(scope="module")
def new():
    return rare(103, 2000)


@pytest.mark.parametrize("scoring", ["error", "log-loss", "auc", "balanced", "f1", "mcc"])
def test_settings_are_chosen_by_the_measure(train, scoring):
    estimator = KLR(scoring=scoring, bandwidth=[1.0, 4.0, 16.0], ridge=[1e-1, 1e-3, 1e-5]).fit(*train)
    results = estimator.cv_results_
    assert results["criterion"][estimator.best_index_] == pytest.approx(np.nanmin(results["criterion"]), abs=1e-12)
    assert estimator.best_score_ == results["mean_test_score"][estimator.best_index_]
    # The measure of all held-out rows together, of which the criterion is about the mean over folds.
    key = {"log-loss": "log_loss", "balanced": "balanced_accuracy"}.get(scoring, scoring)
    value = estimator.assessment_[key]
    loss = value if scoring in ("error", "log-loss") else 1 - value
    assert results["criterion"][estimator.best_index_] == pytest.approx(loss, abs=0.05)


def test_auc_and_error_disagree_and_each_gets_its_own(train):
    by_auc, by_error = (KLR(scoring=s).fit(*train) for s in ("auc", "error"))
    assert by_auc.assessment_["auc"] > by_error.assessment_["auc"]
    assert by_error.best_score_ >= by_auc.best_score_


def test_the_best_threshold_finds_more_of_a_rare_class():
    gains = []
    for seed in range(5):
        X, y = rare(seed, 400)
        new_rows, truth = rare(100 + seed, 4000)
        plain, best = (LDA(threshold=t).fit(X, y) for t in (None, "best:f1"))
        assert plain.threshold_ is None and 0 < best.threshold_ < 0.5
        assert_array_equal(plain.predict_proba(new_rows), best.predict_proba(new_rows))
        gains.append(f1_score(truth, best.predict(new_rows)) - f1_score(truth, plain.predict(new_rows)))
    assert sum(gains) > 0.2, gains


@pytest.mark.parametrize("positive", [None, 0, 1])
@pytest.mark.parametrize("threshold", [0.2, 0.7])
def test_a_threshold_is_compared_with_the_probability(train, new, threshold, positive):
    estimator = LDA(threshold=threshold, positive=positive).fit(*train)
    X = new[0]
    own = 1 if positive is None else positive
    assert (estimator.threshold_, estimator.positive_) == (threshold, own)
    called = np.where(estimator.predict_proba(X)[:, own] >= threshold, own, 1 - own)
    assert_array_equal(estimator.predict(X), called)
    scores = estimator.decision_function(X)
    assert_array_equal(scores > 0, called == 1)
    # Log odds of the second class, less those of the threshold.
    log_p = estimator.predict_log_proba(X)
    division = np.log(threshold / (1 - threshold)) * (1 if own == 1 else -1)
    assert_allclose(scores, log_p[:, 1] - log_p[:, 0] - division, rtol=0, atol=1e-9)


def test_rules_hold_on_held_out_rows(train):
    at = {t: LDA(threshold=t).fit(*train).assessment_["cutting"]["chosen"] for t in ("recall:0.8", "precision:0.7")}
    assert at["recall:0.8"]["recall"] >= 0.8
    assert at["precision:0.7"]["precision"] >= 0.7
    costly = LDA(threshold="cost", costs=[1, 9]).fit(*train)
    assert costly.threshold_ < 0.3
    assert_allclose(costly.predict_proba(train[0]), LDA().fit(*train).predict_proba(train[0]), rtol=0, atol=1e-12)


def test_the_positive_class_has_any_type(train):
    X, y = train
    for labels, positive in [(y, 1), (y, np.int64(1)), (y.astype(float), 1), (y == 1, True), (y.astype(str), 1)]:
        estimator = LDA(positive=positive, threshold=0.2).fit(X, labels)
        assert estimator.positive_ == estimator.classes_[1]
        assert_array_equal(estimator.predict(X) == estimator.classes_[1], estimator.predict_proba(X)[:, 1] >= 0.2)
    names = np.array(["well", "ill"])[y]
    estimator = LDA(positive="well", threshold="best:mcc").fit(X, names)
    assert estimator.positive_ == "well" and estimator.assessment_["cutting"]["positive"] == "well"


@pytest.mark.parametrize("threshold", [0.3, "best:f1"])
def test_files_and_pickles_keep_the_threshold(train, new, tmp_path, threshold):
    X = new[0]
    estimator = LDA(threshold=threshold, positive=0).fit(*train)
    estimator.save(tmp_path / "model.ks")
    loaded = kernsieve.load(tmp_path / "model.ks")
    for other in (loaded, pickle.loads(pickle.dumps(estimator))):
        assert_array_equal(other.predict(X), estimator.predict(X))
        assert (other.threshold_, other.positive_) == (estimator.threshold_, 0)
        assert other.assessment_ == estimator.assessment_
        assert other.expected_error_ == estimator.expected_error_
    assert loaded.threshold == threshold
    assert clone(loaded).fit(*train).threshold_ == estimator.threshold_


@pytest.mark.parametrize("positive", [0, 1])
def test_graphs_label_as_predict_does(train, new, positive):
    X = new[0]
    estimator = LDA(threshold=0.25, positive=positive).fit(*train)
    session = onnxruntime.InferenceSession(estimator.to_onnx(), providers=["CPUExecutionProvider"])
    labels, p, _ = session.run(None, {"X": X})
    assert_array_equal(labels, estimator.predict(X))
    assert_allclose(p, estimator.predict_proba(X), rtol=0, atol=1e-12)
    assert (labels != p.argmax(axis=1)).any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_that_lean_on_shares_decide(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 30))
    y = rng.integers(0, n_classes, 80) * (rng.random(80) < 0.5)
    estimator = LDA().fit(X, y)
    assert any("lean on these shares" in notice for notice in estimator.notices_)
    scores = estimator.decision_function(X)
    called = scores > 0 if n_classes == 2 else scores.argmax(axis=1)
    assert_array_equal(estimator.predict(X), estimator.classes_[called.astype(int)])
    assert_array_equal(estimator.predict(X), estimator.predict_proba(X).argmax(axis=1))
    assert estimator.best_score_ == pytest.approx(1 - estimator.assessment_["error"])


def test_what_to_expect(train, iris):
    estimator = LDA().fit(*train)
    expected, told = estimator.expected_error_, estimator.assessment_
    assert expected["low"] < expected["error"] < expected["high"]
    share = train[1].mean()
    assert told["baseline"]["class"] == 0 and told["baseline"]["error"] == pytest.approx(share)
    assert told["baseline"]["log_loss"] == pytest.approx(-share * np.log(share) - (1 - share) * np.log1p(-share))
    assert told["rows"] == len(train[1]) and told["cutting"]["share"] == pytest.approx(share)
    many = LDA().fit(*iris)
    assert "cutting" not in many.assessment_ and many.positive_ is None
    # A fit without validation leaves nothing of the last.
    estimator.set_params(estimate=False).fit(*train)
    assert not hasattr(estimator, "assessment_") and not hasattr(estimator, "expected_error_")


def test_a_method_is_chosen_by_the_measure_and_has_the_threshold(train):
    auto = AutoClassifier(methods=["lda", "klr"], scoring="auc", threshold="best:f1", importances=False).fit(*train)
    assert {m["method"] for m in auto.methods_} == {"lda", "klr"}
    best = min(auto.methods_, key=lambda m: m["score"] + m["optimism"])
    assert auto.method_ == best["method"] and "AUC" in auto.why_
    assert auto.threshold_ is not None and auto.assessment_["cutting"]["chosen"]["threshold"] == auto.threshold_


def test_wrong_values_are_told(train, iris):
    with pytest.raises(ValueError, match="a threshold divides two classes, and there are 3"):
        LDA(threshold=0.3).fit(*iris)
    with pytest.raises(ValueError, match="positive=7 is none of the classes, which are 0, 1"):
        LDA(positive=7).fit(*train)
    for wrong in ("best:auc", 0, 1.0, True, "f1"):
        with pytest.raises(ValueError, match="threshold must be a probability above 0 and below 1, best:f1"):
            LDA(threshold=wrong).fit(*train)
    with pytest.raises(ValueError, match="give the costs"):
        LDA(threshold="cost").fit(*train)
    with pytest.raises(ValueError, match="scoring must be one of 'error'"):
        LDA(scoring="accuracy").fit(*train)
    with pytest.raises(ValueError, match="unknown method 'forest'"):
        AutoClassifier(methods=["forest"]).fit(*train)
    with pytest.raises(ValueError, match="methods names none"):
        AutoClassifier(methods=[]).fit(*train)
