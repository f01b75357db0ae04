"""Errors name the wrong parameter, the given value and what is allowed."""

import numpy as np
import pytest
from estimators import ALL

import kernsieve
from kernsieve import FIVM, KLR, L2QP, LDA, MKDA, SMKDA, Parzen, SparseKOS, _core


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (MKDA(bandwidth=-1.0), "bandwidth must be finite and above 0, got -1"),
        (MKDA(bandwidth=float("nan")), "bandwidth must be finite and above 0, got NaN"),
        (MKDA(bandwidth="wide"), "bandwidth must be a number, got 'wide'"),
        (MKDA(bandwidth=True), "bandwidth must be a number, got True"),
        (MKDA(bandwidth=[]), r"bandwidth must be a sequence of numbers, got \[\]"),
        (MKDA(kernel="rbf"), "kernel must be one of 'linear', 'gaussian'.*got 'rbf'"),
        (MKDA(kernel=3), "kernel must be a word, got 3"),
        (MKDA(folds=1), "folds must be 2 or more, got 1"),
        (MKDA(folds=2.5), "folds must be a whole number, 0 or more, got 2.5"),
        (MKDA(standardize="yes"), "standardize must be True or False, got 'yes'"),
        (MKDA(prepare="ranks"), "prepare must be one of 'standardize', 'scores', got 'ranks'"),
        (MKDA(prepare="scores", standardize=False), "`?prepare`? .* standardis"),
        (Parzen(kernel="polynomial"), "gaussian.*laplacian.*cauchy"),
        (L2QP(kernel="sigmoid"), "gaussian.*laplacian.*cauchy"),
        (MKDA(priors=[0.5, 0.5]), "2 priors for 3 classes"),
        (MKDA(priors="equal"), "priors must be .*'uniform'.*got 'equal'"),
        (MKDA(ridge=[0.1, 1.0]), r"ridge must be a number, got \[0.1, 1.0\]"),
        (MKDA(memory="lots"), "memory must be a number of bytes"),
        (MKDA(random_state=-1), "random_state must be a whole number, 0 or more, got -1"),
        (MKDA(posterior="svm"), "posterior must be one of 'l1'"),
        (SMKDA(max_support=0), "max_support must be 1 or more, got 0"),
        (SMKDA(validation="loo", candidates=50), "validation must be cv or split"),
        (FIVM(max_features=0), "max_features must be 1 or more, got 0"),
        (KLR(kernel="sigmoid"), "positive definite"),
        (L2QP(balance=0.0), "balance must be finite and above 0, got 0"),
        (SparseKOS(sparsity=-0.5), "sparsity must be finite and 0 or more, got -0.5"),
        (LDA(n_components=0), "n_components must be 1 or more, got 0"),
    ],
)
def test_a_wrong_parameter_is_named(estimator, message, iris):
    with pytest.raises(ValueError, match=message) as error:
        estimator.fit(*iris)
    assert "--" not in str(error.value)


@pytest.mark.filterwarnings("ignore:The number of unique classes")  # what scikit-learn says of the same data
def test_numbers_are_no_classes():
    rng = np.random.default_rng(0)
    X, price = rng.normal(size=(200, 2)), rng.permutation(200) * 13
    with pytest.raises(ValueError, match="y has 200 different values in 200 rows: kernsieve predicts classes, not numbers"):
        LDA().fit(X, price)
    # Few rows of many classes are classes, and so is text.
    assert len(LDA(estimate=False).fit(X, price % 100).classes_) == 100
    assert len(LDA(estimate=False).fit(X[:80], price[:80].astype(str)).classes_) == 80


def test_too_little_memory_says_what_would_fit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 3)), rng.integers(0, 2, size=2000)
    with pytest.raises(MemoryError, match="about .* rows would fit; use kernsieve.LDA.*raise memory"):
        MKDA(memory="1M").fit(X, y)
    with pytest.raises(MemoryError, match="candidates=1000"):
        SMKDA(memory="1M").fit(X, y)


def test_files_that_are_no_models(tmp_path):
    with pytest.raises(FileNotFoundError):
        kernsieve.load(tmp_path / "nothing.ks")
    bad = tmp_path / "bad.ks"
    bad.write_bytes(b"not a model")
    with pytest.raises(ValueError, match="not a usable model file"):
        kernsieve.load(bad)
    with pytest.raises(OSError):
        LDA().fit([[0.0], [1.0], [0.2], [0.9]], [0, 1, 0, 1]).save(tmp_path / "no" / "such" / "folder.ks")
    with pytest.raises(ValueError, match="not a usable model file"):
        _core.Model.from_bytes(b"\x00" * 100)


def test_the_compiled_module_checks_what_it_gets(iris):
    X, y = iris
    good = dict(
        x=X, y=y.astype(np.int64), classes=["a", "b", "c"], feature_names=list("abcd"), method="lda", options={}
    )
    _core.train(**good)
    for change, message in [
        ({"method": "svm"}, "unknown method 'svm'"),
        ({"classes": ["a"]}, "class code"),
        ({"y": y.astype(np.int64) - 1}, "below 0"),
        ({"feature_names": ["a"]}, "feature names"),
        ({"x": np.where(X > 7, np.nan, X)}, "not finite"),
        ({"y": y[:10].astype(np.int64)}, "10 labels"),
        ({"weights": np.zeros(150)}, "weight of row 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            _core.train(**{**good, **change})
    with pytest.raises(TypeError, match="unknown option 'colour'"):
        _core.train(**{**good, "options": {"colour": 1}})


@pytest.mark.parametrize("cls", ALL)
def test_rows_of_another_width_are_refused(cls, iris):
    X, y = iris
    estimator = cls().fit(X, y)
    with pytest.raises(ValueError, match="4 features"):
        estimator.predict(X[:, :3])
    with pytest.raises(ValueError, match="4"):
        estimator.model_.predict(np.ascontiguousarray(X[:, :3]))
