"""Rows added to a fitted estimator."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.utils import shuffle

from kernsieve import LDA, SMKDA, load


@pytest.fixture(scope="module")
def halves():
    X, y = shuffle(*load_wine(return_X_y=True), random_state=0)
    return X[:100], y[:100], X[100:], y[100:]


def test_rows_are_added_all_at_once_or_one_by_one(halves, tmp_path):
    X, y, more, classes = halves
    params = {"bandwidth": 4.0, "max_support": 8, "updatable": True, "estimate": False}
    once = SMKDA(**params).fit(X, y)
    samples, before = once.support_, once.decision_function(more)
    assert once.update(more, classes) is once
    steps = SMKDA(**params).fit(X, y)
    for i in range(0, len(more), 13):
        steps.update(more[i : i + 13], classes[i : i + 13])
    np.testing.assert_array_equal(once.support_, samples)
    np.testing.assert_allclose(steps.decision_function(X), once.decision_function(X), rtol=1e-8)
    assert not np.allclose(once.decision_function(more), before)
    # The file keeps what is needed for the next rows.
    once.save(tmp_path / "m.ks")
    again = load(tmp_path / "m.ks")
    np.testing.assert_array_equal(again.predict_proba(X), once.predict_proba(X))


def test_what_cannot_be_added_is_said(halves):
    X, y, more, classes = halves
    assert not hasattr(SMKDA(), "update") and not hasattr(LDA(), "update")
    estimator = SMKDA(bandwidth=4.0, max_support=5, updatable=True, estimate=False).fit(X, y)
    with pytest.raises(ValueError, match="knows no class 7"):
        estimator.update(more, np.full(len(more), 7))
    with pytest.raises(ValueError, match="weights must be finite and above 0"):
        estimator.update(more, classes, sample_weight=np.zeros(len(more)))
    with pytest.raises(ValueError, match="inconsistent"):
        estimator.update(more, classes[1:])
