"""What a sieve knows of its features and samples, and smaller models without a search."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import kernsieve
from kernsieve import LDA, SieveClassifier


@pytest.fixture(scope="module")
def fitted(ring):
    X, y = ring
    return X, y, SieveClassifier().fit(X, y)


def test_features_are_worth_what_shuffling_them_costs(fitted):
    X, _, estimator = fitted
    values, errors = estimator.feature_importances_, estimator.feature_importances_std_
    assert values.shape == errors.shape == (X.shape[1],)
    assert_array_equal(values[~estimator.get_support()], 0.0)
    assert_array_equal(errors[~estimator.get_support()], 0.0)
    assert set(np.argsort(values)[-2:]) == {0, 1}
    assert (errors >= 0).all()


def test_curves_hold_the_chosen_sizes(fitted):
    _, _, estimator = fitted
    for curve, name in ((estimator.curve_, "max_support"), (estimator.feature_curve_, "max_features")):
        sizes = [point["size"] for point in curve]
        assert sizes == sorted(set(sizes)) and estimator.best_params_[name] in sizes
        assert all(0 <= point["error"] <= 1 and point["log_loss"] >= 0 for point in curve)


def test_samples_come_in_order_of_selection(fitted):
    _, _, estimator = fitted
    assert [step["row"] for step in estimator.path_] == estimator.support_.tolist()
    left = [step["objective"] for step in estimator.path_]
    assert_allclose(left, np.minimum.accumulate(left), atol=0.05)


def test_a_smaller_model_needs_no_search(fitted):
    X, y, estimator = fitted
    before = estimator.support_.copy()
    same = estimator.smaller(X, y)
    # The same scores; the temperature differs a little, because folds without a search do not search for a kernel.
    ratio = same.decision_function(X) / estimator.decision_function(X)
    assert_allclose(ratio, ratio[0], rtol=1e-9)
    assert ratio[0] == pytest.approx(1.0, abs=0.1)
    small = estimator.smaller(X, y, max_support=3, max_features=1)
    assert type(small) is SieveClassifier and small is not estimator
    assert len(small.support_) == 3 and small.get_support().sum() == 1
    assert len(small.cv_results_["params"]) == 1
    assert small.get_params()["max_support"] == 3 and estimator.max_support is None
    assert_array_equal(estimator.support_, before)
    weighted = estimator.smaller(X, y, max_support=3, sample_weight=np.arange(len(y)) % 2)
    assert (weighted.support_ % 2 == 1).all()


def test_a_loaded_model_can_be_made_smaller(fitted, tmp_path):
    X, y, estimator = fitted
    estimator.save(tmp_path / "sieve.ks")
    loaded = kernsieve.load(tmp_path / "sieve.ks")
    assert_array_equal(loaded.feature_importances_, estimator.feature_importances_)
    assert loaded.feature_curve_ == estimator.feature_curve_
    small = loaded.smaller(X, y, max_support=4)
    small.save(tmp_path / "small.ks")
    assert len(kernsieve.load(tmp_path / "small.ks").support_) == 4


def test_other_features_are_refused(fitted):
    X, y, estimator = fitted
    with pytest.raises(ValueError, match="features"):
        estimator.smaller(X[:, :-1], y, max_support=3)


def test_without_validation_nothing_is_measured(fitted):
    X, y, estimator = fitted
    small = estimator.set_params(estimate=False).smaller(X, y, max_support=3)
    estimator.set_params(estimate=True)
    for name in ("curve_", "feature_curve_", "feature_importances_", "feature_importances_std_", "cv_results_"):
        assert not hasattr(small, name), name


def test_other_estimators_do_not_have_them(fitted):
    X, y, _ = fitted
    other = LDA().fit(X, y)
    for name in ("curve_", "feature_curve_", "feature_importances_", "smaller"):
        assert not hasattr(other, name), name
