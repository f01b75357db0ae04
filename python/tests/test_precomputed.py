"""Kernels that the caller computes."""

import pickle

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances, polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score

from kernsieve import KLR, KOS, MKDA, SMKDA, Parzen

CASES = [(MKDA, {"ridge": 0.5}), (SMKDA, {"max_support": 12}), (KOS, {"ridge": 1e-3}), (KLR, {"ridge": 1e-3})]


@pytest.mark.parametrize(("cls", "fixed"), CASES)
@pytest.mark.parametrize("classes", [2, 3])
def test_it_is_the_same_kernel(cls, fixed, classes, iris):
    X, y = iris
    X, y = X[y < classes], y[y < classes]
    new = X[::3] + 0.05
    own = cls(bandwidth=1.5, standardize=False, **fixed).fit(X, y)
    given = cls(kernel="precomputed", **fixed).fit(rbf_kernel(X, gamma=1 / (2 * 1.5**2)), y)
    K = rbf_kernel(new, X, gamma=1 / (2 * 1.5**2))
    assert np.abs(own.predict_proba(new) - given.predict_proba(K)).max() < 1e-5
    if cls is SMKDA:
        assert own.support_.tolist() == given.support_.tolist()


def test_the_radial_laplacian(iris):
    X, y = iris
    new = X[::3] + 0.05
    own = KLR(kernel="radial-laplacian", bandwidth=1.5, ridge=1e-2, standardize=False).fit(X, y)
    given = KLR(kernel="precomputed", ridge=1e-2).fit(np.exp(-euclidean_distances(X) / 1.5), y)
    K = np.exp(-euclidean_distances(new, X) / 1.5)
    assert np.abs(own.predict_proba(new) - given.predict_proba(K)).max() < 1e-5
    with pytest.raises(ValueError, match="no features to prepare"):
        KLR(kernel="precomputed", prepare="scores").fit(np.exp(-euclidean_distances(X)), y)


def test_it_is_cut_by_rows_and_columns(moons):
    X, y = moons
    K = rbf_kernel(X, gamma=2.0)
    assert cross_val_score(KLR(kernel="precomputed"), K, y, cv=3).mean() > 0.85
    search = GridSearchCV(MKDA(kernel="precomputed"), {"ridge": [0.1, 1.0]}, cv=3).fit(K, y)
    assert search.best_score_ > 0.85
    w = np.ones(len(y))
    w[::4] = 0
    weighted = MKDA(kernel="precomputed", ridge=0.5).fit(K, y, sample_weight=w)
    kept = np.flatnonzero(w)
    alone = MKDA(kernel="precomputed", ridge=0.5).fit(K[np.ix_(kept, kept)], y[kept])
    assert np.abs(weighted.predict_proba(K) - alone.predict_proba(K[:, kept])).max() < 1e-8
    again = pickle.loads(pickle.dumps(weighted))
    assert (again.predict_proba(K) == weighted.predict_proba(K)).all()


def test_kernels_with_a_constant_direction(iris):
    X, y = iris
    K = polynomial_kernel(X, degree=2, gamma=1, coef0=1)
    own = KLR(kernel="polynomial", degree=2, standardize=False, ridge=10.0).fit(X, y)
    given = KLR(kernel="precomputed", ridge=10.0).fit(K, y)
    assert np.abs(own.predict_proba(X) - given.predict_proba(K)).max() < 1e-6


def test_what_cannot_be_is_refused(moons, tmp_path):
    X, y = moons
    K = rbf_kernel(X)
    with pytest.raises(ValueError, match="square"):
        MKDA(kernel="precomputed").fit(K[:, :5], y)
    with pytest.raises(ValueError, match="symmetric"):
        MKDA(kernel="precomputed").fit(K + np.triu(K), y)
    with pytest.raises(ValueError, match="kernel must be"):
        Parzen(kernel="precomputed").fit(K, y)
    fitted = MKDA(kernel="precomputed", ridge=1.0).fit(K, y)
    with pytest.raises(ValueError, match="pickle"):
        fitted.save(tmp_path / "m.ks")
    with pytest.raises(ValueError, match="no features"):
        fitted.get_support()
    with pytest.warns(UserWarning, match="negative part"):
        MKDA(kernel="precomputed", ridge=1.0).fit(K - 0.5 * np.eye(len(y)), y)
