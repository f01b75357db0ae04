"""Folds of the caller."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.model_selection import GroupKFold, KFold

from kernsieve import KLR, KOS, LDA, SMKDA


@pytest.fixture
def moons():
    return make_moons(90, noise=0.3, random_state=1)


def by_hand(X, y, splits, **settings):
    """Errors on the rows held out, by fits of its own."""
    fits = [KLR(estimate=False, **settings).fit(X[train], y[train]) for train, _ in splits]
    return [1 - fit.score(X[test], y[test]) for fit, (_, test) in zip(fits, splits, strict=True)]


def test_errors_are_those_of_the_splits(moons):
    X, y = moons
    splits = list(GroupKFold(3).split(X, y, np.arange(90) // 6))
    est = KLR(bandwidth=1.0, ridge=0.1, cv=splits).fit(X, y)
    held_out = [est.cv_results_[f"split{k}_test_score"][0] for k in range(3)]
    np.testing.assert_allclose(1 - np.array(held_out), by_hand(X, y, splits, bandwidth=1.0, ridge=0.1), atol=1e-12)


def test_a_splitter_is_the_list_of_its_splits(moons):
    X, y = moons
    splitter = KFold(4, shuffle=True, random_state=3)
    one, other = SMKDA(cv=splitter).fit(X, y), SMKDA(cv=list(splitter.split(X, y))).fit(X, y)
    assert one.model_.to_bytes() == other.model_.to_bytes()
    assert "split3_test_score" in one.cv_results_ and "split4_test_score" not in one.cv_results_


def test_a_number_is_the_number_of_folds(moons):
    X, y = moons
    assert KOS(cv=3).fit(X, y).model_.to_bytes() == KOS(folds=3).fit(X, y).model_.to_bytes()


def test_rows_without_weight_leave_the_splits(moons):
    X, y = moons
    weights = np.ones(90)
    weights[::7] = 0
    keep = np.flatnonzero(weights)
    splits = list(KFold(3).split(X))
    place = {row: k for k, row in enumerate(keep)}
    remaining = [([place[i] for i in a if i in place], [place[i] for i in b if i in place]) for a, b in splits]
    one = KLR(bandwidth=1.0, cv=splits).fit(X, y, sample_weight=weights)
    other = KLR(bandwidth=1.0, cv=remaining).fit(X[keep], y[keep])
    assert one.best_params_ == other.best_params_
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        ([([0, 1], [2, 400])], "400"),
        ([([0, 1, 2], [2, 3])], "both trains on row 2"),
        ([([], [2, 3])], "no rows to train on"),
        ([], "splits"),
        ("five", "cv"),
    ],
)
def test_bad_splits_are_named(moons, cv, words):
    with pytest.raises((ValueError, IndexError), match=words):
        LDA(cv=cv).fit(*moons)
