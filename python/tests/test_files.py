"""Model files in Python."""

import numpy as np
import pytest
from estimators import ALL
from numpy.testing import assert_array_equal

import kernsieve


@pytest.mark.parametrize("cls", ALL)
def test_what_is_saved_comes_back(cls, iris, tmp_path):
    X, y = iris
    estimator = cls().fit(X, y)
    estimator.save(tmp_path / "model.ks")
    loaded = kernsieve.load(str(tmp_path / "model.ks"))
    assert type(loaded) is cls
    assert_array_equal(loaded.predict(X), estimator.predict(X))
    assert_array_equal(loaded.predict_proba(X), estimator.predict_proba(X))
    assert not hasattr(loaded, "feature_names_in_")
    assert loaded.get_params() == estimator.get_params()


@pytest.mark.parametrize(
    ("labels", "loaded"),
    [
        ([-1, 0, 12], [-1, 0, 12]),
        (["a", "b", "c"], ["a", "b", "c"]),
        (["01", "1", "2"], ["01", "1", "2"]),
        ([1.0, 2.0, 3.0], ["1.0", "2.0", "3.0"]),
    ],
)
def test_classes_are_whole_numbers_or_names(labels, loaded, iris, tmp_path):
    X, y = iris
    labels = np.array(labels)
    kernsieve.LDA().fit(X, labels[y]).save(tmp_path / "model.ks")
    classes = kernsieve.load(tmp_path / "model.ks").classes_
    assert classes.tolist() == loaded


def test_an_estimator_that_is_not_fitted_cannot_be_saved(tmp_path):
    with pytest.raises(Exception, match="not fitted"):
        kernsieve.LDA().save(tmp_path / "model.ks")
