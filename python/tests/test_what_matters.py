"""Importances, coefficients and partial dependence."""

import matplotlib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import partial_dependence

import kernsieve
from kernsieve import KLR, KOS, LDA, MKDA, AutoClassifier, SieveClassifier, plot

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def three():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def two(three):
    X, y = three
    return X[y < 2], y[y < 2]


@pytest.fixture(scope="module")
def one_true():
    """Only the third feature tells the classes apart."""
    rng = np.random.default_rng(2)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 4))
    X[:, 2] += 3 * y
    return X, y


@pytest.mark.parametrize("priors", [None, "uniform"])
def test_coefficients_of_lda_are_those_of_scikit_learn(three, two, priors):
    for X, y in (three, two):
        n_classes = len(np.unique(y))
        given = None if priors is None else np.full(n_classes, 1 / n_classes)
        ours = LDA(priors=priors or "empirical").fit(X, y)
        theirs = LinearDiscriminantAnalysis(solver="svd", priors=given, tol=1e-12).fit(X, y)
        assert ours.coef_.shape == theirs.coef_.shape == (1 if n_classes == 2 else 3, X.shape[1])
        assert ours.intercept_.shape == theirs.intercept_.shape
        # We divide the within-class scatter by n; older versions of scikit-learn divide it by n - c.
        z = theirs.transform(X)
        factor = 1 / np.mean([(z[i, 0] - z[y == y[i], 0].mean()) ** 2 for i in range(len(z))])
        assert_allclose(ours.coef_, factor * theirs.coef_, rtol=1e-8, atol=1e-8 * np.abs(ours.coef_).max())
        log_prior = np.log(theirs.priors_)
        if n_classes == 2:
            log_prior = log_prior[1:] - log_prior[:1]
        expected = factor * (theirs.intercept_ - log_prior) + log_prior
        # Ours differ by what all classes share.
        shared = 0.0 if n_classes == 2 else (ours.intercept_ - expected).mean()
        assert_allclose(ours.intercept_ - shared, expected, rtol=1e-8)


def test_contrasts_are_those_of_the_covariance_over_n(three):
    X, y = three
    ours = LDA().fit(X, y).coef_
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).coef_
    assert_allclose(ours[1:] - ours[0], theirs[1:] - theirs[0], rtol=1e-8, atol=1e-8 * np.abs(ours).max())


@pytest.mark.parametrize("cls", [LDA, KLR, KOS, MKDA])
def test_linear_scores_are_the_decision_function(three, two, cls):
    for X, y in (three, two):
        estimator = cls().set_params(**({} if cls is LDA else {"kernel": "linear"}))
        n_classes = len(np.unique(y))
        estimator.set_params(costs=[1.0, 2.0, 3.0][:n_classes]).fit(X, y)
        scores = X @ estimator.coef_.T + estimator.intercept_
        own = estimator.decision_function(X)
        if n_classes == 2:
            assert_allclose(scores[:, 0], own, rtol=1e-7, atol=1e-7 * np.abs(own).max())
        else:
            difference = scores - own
            assert_allclose(difference, difference[:, :1] * np.ones(3), atol=1e-6 * np.abs(own).max())


def test_curved_and_precomputed_models_have_no_coefficients(two):
    X, y = two
    estimator = KLR(kernel="linear", estimate=False, ridge=1.0).fit(X, y)
    assert hasattr(estimator, "coef_")
    estimator.set_params(kernel="gaussian", bandwidth=2.0).fit(X, y)
    assert not hasattr(estimator, "coef_") and not hasattr(estimator, "intercept_")
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert not hasattr(KLR(kernel="precomputed", ridge=1.0).fit(Z @ Z.T, y), "coef_")


def test_importances_are_measured_when_asked_for(one_true, tmp_path):
    X, y = one_true
    assert not hasattr(KOS().fit(X, y), "feature_importances_")
    estimator = KOS(importances=True).fit(X, y)
    values, errors = estimator.feature_importances_, estimator.feature_importances_std_
    assert np.argmax(values) == 2 and values[2] > 5 * errors[2]
    assert (np.abs(np.delete(values, 2)) <= 4 * np.delete(errors, 2)).all()
    estimator.save(tmp_path / "m.ks")
    assert_array_equal(kernsieve.load(tmp_path / "m.ks").feature_importances_, values)
    # A fit without them leaves none of the last.
    assert not hasattr(estimator.set_params(importances=False).fit(X, y), "feature_importances_")
    kept = SelectFromModel(clone(estimator).set_params(importances=True), max_features=1).fit(X, y)
    assert_array_equal(kept.get_support(indices=True), [2])


def test_the_sieve_and_the_choice_of_a_method_measure_by_themselves(one_true):
    X, y = one_true
    for estimator in (SieveClassifier(), AutoClassifier()):
        assert np.argmax(estimator.fit(X, y).feature_importances_) == 2
        estimator.set_params(importances=False).fit(X, y)
        assert not hasattr(estimator, "feature_importances_")


def test_a_precomputed_kernel_has_no_features_to_shuffle(two):
    X, y = two
    with pytest.raises(ValueError, match="no features to shuffle"):
        KLR(kernel="precomputed", importances=True).fit(X @ X.T, y)


def test_dependence_is_that_of_scikit_learn(two):
    X, y = two
    estimator = LDA().fit(X, y)
    (ax,) = plot.dependence(estimator, X, [3])
    (line,) = [a for a in ax.get_children() if a.get_gid() == "dependence"]
    values, means = line.get_xdata(), line.get_ydata()
    assert len(values) <= 20 and (np.diff(values) > 0).all()
    theirs = partial_dependence(
        estimator, X, [3], custom_values={3: values}, method="brute", response_method="predict_proba"
    )
    assert_allclose(means, theirs["average"][0], atol=1e-12)


def test_dependence_draws_the_most_important_features(one_true):
    X, y = one_true
    axes = plot.dependence(SieveClassifier().fit(X, y), X)
    assert axes[0].get_xlabel() == "x2" and len(axes) <= 4
    rising = [a for a in axes[0].get_children() if a.get_gid() == "dependence"][0].get_ydata()
    assert rising[-1] - rising[0] > 0.8
    assert axes[0].get_ylabel() == "probability of 1"


def test_dependence_takes_classes_names_and_axes():
    X, y = load_iris(return_X_y=True, as_frame=True)
    estimator = LDA().fit(X, y)
    axes = plot.dependence(estimator, X, ["petal width (cm)", "petal length (cm)"])
    for ax in axes:
        lines = [a for a in ax.get_children() if a.get_gid() == "dependence"]
        assert_allclose(sum(line.get_ydata() for line in lines), 1.0)
    assert [t.get_text() for t in axes[-1].get_legend().get_texts()] == ["0", "1", "2"]
    again = plot.dependence(estimator, X, ["petal width (cm)"], ax=axes[0])
    assert again[0] is axes[0]
    for wrong in ([], ["no such"], [99]):
        with pytest.raises(ValueError, match="feature"):
            plot.dependence(estimator, X, wrong)
    with pytest.raises(ValueError, match="1 Axes for 2 features"):
        plot.dependence(estimator, X, [0, 1], ax=axes[0])


def test_many_features_are_measured_within_bounds():
    X, y = make_classification(150, 100, n_informative=3, n_redundant=0, random_state=0, shuffle=False)
    estimator = LDA(importances=True).fit(X, y)
    assert np.count_nonzero(estimator.feature_importances_) <= 64
