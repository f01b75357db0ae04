"""What a fit leaves behind."""

import numpy as np
import pytest
from estimators import ALL, FIXABLE, fixed
from numpy.testing import assert_allclose, assert_array_equal

from kernsieve import FIVM, KLR, MKDA, SMKDA, SieveSelector, SparseKOS


def test_features_that_do_not_matter_are_dropped(ring):
    X, y = ring
    for cls in (SparseKOS, FIVM):
        estimator = cls().fit(X, y)
        assert_array_equal(estimator.get_support(indices=True), [0, 1])
        assert_array_equal(estimator.get_support(), estimator.feature_weights_ != 0)
        assert set(estimator.selected_features_) == {"x0", "x1"}


def test_the_selector_keeps_the_features_of_its_estimator(ring):
    X, y = ring
    selector = SieveSelector().set_output(transform="pandas").fit(X, y)
    assert isinstance(selector.estimator_, SparseKOS)
    assert list(selector.transform(X).columns) == ["x0", "x1"]


def test_retained_samples_are_rows_of_the_data(moons):
    X, y = moons
    estimator = SMKDA(max_support=7).fit(X, y)
    assert len(estimator.support_) == 7 and estimator.support_.max() < len(X)
    assert [step["row"] for step in estimator.path_] == estimator.support_.tolist()


@pytest.mark.parametrize("cls", ALL)
def test_the_table_is_that_of_a_search(cls, iris):
    estimator = cls().fit(*iris)
    table, best = estimator.cv_results_, estimator.best_index_
    n = len(table["params"])
    assert all(len(column) == n for column in table.values())
    assert table["params"][best].items() <= estimator.best_params_.items()
    assert set(estimator.best_params_) <= set(estimator.get_params())
    assert estimator.best_score_ == table["mean_test_score"][best] > 0.9
    assert table["rank_test_score"].min() == 1
    splits = np.array([table[f"split{k}_test_score"][best] for k in range(5)])
    assert_allclose(splits.mean(), table["mean_test_score"][best], atol=0.02)
    for name, value in table["params"][best].items():
        assert table[f"param_{name}"][best] == value


def test_the_chosen_settings_can_be_given(moons):
    X, y = moons
    tuned = MKDA().fit(X, y)
    given = MKDA(**tuned.best_params_).fit(X, y)
    assert_allclose(given.predict_proba(X), tuned.predict_proba(X), rtol=1e-6)


def test_several_values_are_chosen_among(moons):
    X, y = moons
    estimator = KLR(bandwidth=[0.5, 1.0], ridge=(0.01, 0.1, 1.0)).fit(X, y)
    assert len(estimator.cv_results_["params"]) == 6
    assert estimator.best_params_["bandwidth"] in (0.5, 1.0)


@pytest.mark.parametrize("cls", FIXABLE)
def test_nothing_is_validated_where_nothing_is_asked_for(cls, iris):
    estimator = cls().fit(*iris)
    estimator.set_params(**fixed(cls).get_params()).fit(*iris)
    assert not hasattr(estimator, "cv_results_")
    assert not hasattr(estimator, "best_score_")


@pytest.mark.parametrize("cls", ALL)
def test_a_fit_says_how_it_went(cls, iris):
    estimator = cls().fit(*iris)
    assert estimator.converged_ is True and estimator.n_iter_ >= 1
    assert estimator.objective_ is None or np.isfinite(estimator.objective_)
