"""Weights of rows and of classes."""

import numpy as np
import pytest
from estimators import ALL, FIXABLE, fixed
from numpy.testing import assert_allclose, assert_array_equal

from kernsieve import KLR, L2LE, LDA, SMKDA


@pytest.mark.parametrize("cls", FIXABLE)
def test_a_weight_is_as_good_as_a_repeated_row(cls, iris):
    X, y = iris
    weights = np.random.default_rng(3).integers(0, 4, size=len(X))
    weighted = fixed(cls).fit(X, y, sample_weight=weights)
    repeated = fixed(cls).fit(X.repeat(weights, axis=0), y.repeat(weights))
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("cls", ALL)
def test_weights_of_one_are_no_weights(cls, iris):
    X, y = iris
    plain, weighted = cls().fit(X, y), cls().fit(X, y, sample_weight=np.ones(len(X)))
    assert plain.model_.to_bytes() == weighted.model_.to_bytes()


def test_rows_of_weight_zero_keep_their_numbers(moons):
    X, y = moons
    weights = np.ones(len(X))
    weights[:50] = 0
    estimator = SMKDA(max_support=5).fit(X, y, sample_weight=weights)
    assert estimator.support_.min() >= 50
    assert_array_equal([step["row"] for step in estimator.path_], estimator.support_)


def test_class_weights_multiply_those_of_the_rows(iris):
    X, y = iris
    rows = np.random.default_rng(0).uniform(0.5, 2.0, size=len(X))
    by_class = KLR(class_weight={0: 1, 1: 2, 2: 5}).fit(X, y, sample_weight=rows)
    by_row = KLR().fit(X, y, sample_weight=rows * np.array([1, 2, 5])[y])
    assert by_class.model_.to_bytes() == by_row.model_.to_bytes()


@pytest.mark.parametrize("cls", [LDA, SMKDA, L2LE])
def test_class_weights_of_discriminants_are_costs(cls, iris):
    X, y = iris
    weights = np.array([1.0, 2.0, 5.0])
    plain = fixed(cls).fit(X, y)
    weighed = fixed(cls).set_params(class_weight=dict(enumerate(weights))).fit(X, y)
    expected = plain.predict_proba(X) * weights
    assert_allclose(weighed.predict_proba(X), expected / expected.sum(1, keepdims=True), rtol=1e-9, atol=1e-12)
    # Times costs that are given, and without a class of weight 0.
    both = fixed(cls).set_params(class_weight={0: 1, 1: 2, 2: 5}, costs=[2.0, 1.0, 1.0]).fit(X, y)
    expected = plain.predict_proba(X) * weights * [2, 1, 1]
    assert_allclose(both.predict_proba(X), expected / expected.sum(1, keepdims=True), rtol=1e-9, atol=1e-12)
    assert_array_equal(fixed(cls).set_params(class_weight={0: 0}).fit(X, y).classes_, [1, 2])


def test_priors_shift_the_decision(iris):
    X, y = iris
    favoured = LDA(priors=[0.01, 0.01, 0.98]).fit(X, y)
    assert (favoured.predict(X) == 2).sum() > (LDA(priors="uniform").fit(X, y).predict(X) == 2).sum()


def test_weights_are_not_changed_and_bad_ones_are_refused(iris):
    X, y = iris
    weights = np.full(len(X), 2.0)
    LDA(class_weight="balanced").fit(X, y, sample_weight=weights)
    assert (weights == 2.0).all()
    with pytest.raises(ValueError, match="[Nn]egative"):
        LDA().fit(X, y, sample_weight=-weights)
    with pytest.raises(ValueError, match="every weight is 0"):
        LDA(class_weight={0: 0, 1: 0, 2: 0}).fit(X, y)
