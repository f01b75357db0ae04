"""Classes, probabilities, scores and variates agree with one another."""

import numpy as np
import pytest
from estimators import ALL, DISCRIMINANTS, fixed
from numpy.testing import assert_allclose, assert_array_equal


@pytest.mark.parametrize("cls", ALL)
def test_the_class_is_the_most_probable_one(cls, iris, moons):
    rng = np.random.default_rng(1)
    for X, y in (iris, moons):
        estimator = cls().fit(X, y)
        # Also far from all training rows, where probabilities are 0, 1 or all equal.
        far = np.outer([1e6, -1e6, 1e160, 1e200, -1e300], np.ones(X.shape[1]))
        for rows in (X, rng.normal(scale=3.0, size=(500, X.shape[1])), far):
            p = estimator.predict_proba(rows)
            assert np.isfinite(p).all()
            assert np.isfinite(estimator.predict_log_proba(rows)).all()
            assert np.isfinite(estimator.decision_function(rows)).all()
            assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
            assert_array_equal(estimator.predict(rows), estimator.classes_[np.argmax(p, axis=1)])


@pytest.mark.parametrize("cls", ALL)
def test_scores_follow_the_conventions(cls, iris, moons):
    X, y = moons
    estimator = fixed(cls).fit(X, y)
    odds = estimator.decision_function(X)
    assert odds.shape == (len(X),)
    assert_array_equal(odds > 0, estimator.predict(X) == estimator.classes_[1])
    p = estimator.predict_proba(X)
    assert_allclose(p[:, 1], 1 / (1 + np.exp(-odds)), rtol=1e-9, atol=1e-300)
    assert_allclose(np.exp(estimator.predict_log_proba(X)), p, rtol=1e-9, atol=1e-300)

    X, y = iris
    estimator = fixed(cls).fit(X, y)
    scores = estimator.decision_function(X)
    assert scores.shape == (len(X), 3)
    assert_array_equal(estimator.classes_[np.argmax(scores, axis=1)], estimator.predict(X))
    assert_allclose(np.exp(estimator.predict_log_proba(X)), estimator.predict_proba(X), rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("cls", DISCRIMINANTS)
def test_variates_have_names_and_containers(cls, iris):
    X, y = iris
    estimator = cls().set_output(transform="pandas").fit(X, y)
    frame = estimator.transform(X)
    assert list(frame.columns) == [f"{cls.__name__.lower()}{k}" for k in range(2)]
    assert_array_equal(estimator.get_feature_names_out(), frame.columns)


def test_fewer_variates_can_be_kept(iris):
    X, y = iris
    for cls in DISCRIMINANTS:
        if "n_components" in cls().get_params():
            assert cls(n_components=1).fit(X, y).transform(X).shape == (150, 1)


@pytest.mark.parametrize("cls", ALL)
def test_a_row_gets_the_same_bits_in_every_company(cls, iris):
    X, y = iris
    estimator = cls().fit(X, y)
    rows = np.random.default_rng(2).normal(scale=3.0, size=(400, 4)) + X.mean(axis=0)
    together = estimator.predict_proba(rows)
    for size in (1, 3, 64, 150):
        parts = [estimator.predict_proba(rows[k : k + size]) for k in range(0, len(rows), size)]
        assert_array_equal(np.vstack(parts), together)
    order = np.random.default_rng(0).permutation(len(rows))
    assert_array_equal(estimator.predict_proba(rows[order]), together[order])


@pytest.mark.parametrize("cls", ALL)
def test_threads_change_nothing(cls, iris):
    X, y = iris
    one, two = cls(n_jobs=1).fit(X, y), cls(n_jobs=2).fit(X, y)
    assert one.model_.to_bytes() == two.model_.to_bytes()
    assert_array_equal(one.predict_proba(X), two.predict_proba(X))
