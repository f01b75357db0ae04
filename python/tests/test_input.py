"""Every container gives the same model."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

import kernsieve
from kernsieve import LDA, MKDA

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]


def test_data_frames_keep_their_names(iris):
    X, y = iris
    plain = MKDA().fit(X, y)
    for frame in (pd.DataFrame(X, columns=NAMES), pl.DataFrame(X, schema=NAMES)):
        estimator = MKDA().fit(frame, y)
        assert_array_equal(estimator.feature_names_in_, NAMES)
        assert_array_equal(estimator.predict_proba(frame), plain.predict_proba(X))
        with pytest.raises(ValueError, match="feature names"):
            estimator.predict(frame[NAMES[::-1]])


def test_the_name_of_the_target_goes_into_the_model(iris):
    X, y = iris
    for series in (pd.Series(y, name="species"), pl.Series("species", y)):
        estimator = LDA().fit(X, series)
        assert '"target":"species"' in estimator.model_.record()
        assert_array_equal(estimator.classes_, [0, 1, 2])


def test_layouts_and_types_make_no_difference(iris):
    X, y = iris
    frozen = X.copy()
    frozen.setflags(write=False)
    plain = MKDA().fit(X, y)
    for other in (
        np.asfortranarray(X),
        frozen,
        X.tolist(),
        np.repeat(X, 2, axis=1)[:, ::2],
        sparse.csr_matrix(X),
        sparse.csc_array(X),
    ):
        estimator = MKDA().fit(other, y)
        assert estimator.model_.to_bytes() == plain.model_.to_bytes()
        assert_array_equal(estimator.predict_proba(other), plain.predict_proba(X))


def test_a_sparse_matrix_that_does_not_fit_is_refused_with_sizes(iris):
    wide = sparse.csr_matrix((2000, 100_000_000))
    with pytest.raises(MemoryError, match="sparse.*dense.*TiB"):
        LDA().fit(wide, np.arange(2000) % 2)
    with pytest.raises(MemoryError, match="raise memory"):
        LDA(memory=1000).fit(sparse.csr_matrix(iris[0]), iris[1])


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["setosa", "versicolor", "virginica"]),
        np.array(["b", "a", "c"], dtype=object),
        np.array([-1, 0, 7]),
        np.array([0.0, 1.0, 2.0]),
        np.array(["10", "9", "1"]),
        np.array(["ä", "ß", "名"]),
    ],
)
def test_labels_of_every_kind(labels, iris):
    X, y = iris
    estimator = MKDA().fit(X, labels[y])
    assert_array_equal(estimator.classes_, np.unique(labels))
    assert estimator.predict(X).dtype == estimator.classes_.dtype
    assert estimator.score(X, labels[y]) > 0.95


def test_truth_values_are_classes(moons):
    X, y = moons
    estimator = LDA().fit(X, y == 1)
    assert estimator.classes_.dtype == bool
    assert estimator.score(X, y == 1) > 0.8


def test_labels_that_are_no_classes_are_refused(iris):
    X, _ = iris
    with pytest.raises(ValueError, match="Unknown label type|continuous"):
        LDA().fit(X, X[:, 0] + 0.123)
    with pytest.raises(ValueError, match="two classes"):
        LDA().fit(X, np.zeros(len(X)))


def test_the_version_is_that_of_the_crate():
    assert kernsieve.__version__ == kernsieve._core.__version__


def test_rows_need_not_be_aligned(iris):
    X, y = iris
    shifted = np.zeros(X.nbytes + 1, dtype=np.uint8)[1:].view(np.float64).reshape(X.shape)
    shifted[:] = X
    assert not shifted.flags.aligned
    here, there = LDA().fit(X, y), LDA().fit(shifted, y)
    assert_array_equal(there.predict_proba(shifted), here.predict_proba(X))
