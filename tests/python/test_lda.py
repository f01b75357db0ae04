"""lda against scikit-learn's LinearDiscriminantAnalysis and the table of Harrison & Pasupa."""

import json

import numpy as np
import pandas as pd
import pytest
from conftest import kernsieve
from sklearn import datasets
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

EMBEDDED = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
}


def standardise(x):
    x = x[:, x.std(0) > 0]
    return (x - x.mean(0)) / x.std(0)


@pytest.mark.parametrize("name", EMBEDDED)
def test_predictions_equal_scikit_learn(workshop, name):
    x, y = EMBEDDED[name](return_X_y=True)
    workshop.fit(x, y, "--method", "lda")
    predicted, p, _ = workshop.predict(x)
    z = standardise(x)
    reference = LinearDiscriminantAnalysis().fit(z, y)
    assert (predicted == reference.predict(z).astype(str)).all()
    np.testing.assert_allclose(p, reference.predict_proba(z), atol=1e-6)


def test_variates_equal_scikit_learn_up_to_sign(workshop):
    x, y = datasets.load_wine(return_X_y=True)
    workshop.fit(x, y, "--method", "lda")
    _, _, z = workshop.predict(x)
    reference = LinearDiscriminantAnalysis().fit_transform(standardise(x), y)
    np.testing.assert_allclose(np.abs(z - z.mean(0)), np.abs(reference - reference.mean(0)), atol=1e-8)


def test_within_class_covariance_is_the_identity(workshop):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 300)
    x = rng.normal(size=(300, 6)) + y[:, None] * rng.normal(size=6)
    workshop.fit(x, y, "--method", "lda")
    _, _, z = workshop.predict(x)
    within = sum(np.cov(z[y == c].T, bias=True) * (y == c).sum() for c in range(4)) / 300
    np.testing.assert_allclose(within, np.eye(3), atol=1e-9)


def test_thyroid_table_of_the_paper(papers_data):
    """Harrison & Pasupa 2009, Table A.3, patient by patient."""
    report = json.loads(
        kernsieve(
            "fit", papers_data / "ann_thyroid_train.csv", "--test", papers_data / "ann_thyroid_test.csv",
            "--method", "lda", "--json", "--quiet",
        )
    )  # fmt: skip
    assert report["test"]["confusion"] == [[43, 7, 23], [1, 3, 173], [6, 1, 3171]]
    assert round(100 * (1 - report["test_error"]), 2) == pytest.approx(93.84, abs=0.011)


SMALL = """blood_transfusion climate_crashes glass iris tae new_thyroid vehicle vowel wine breast_wisconsin german_numeric
heart_statlog ida_banana ida_breast_cancer ida_diabetis ida_flare_solar ida_german ida_heart ida_image ida_splice
ida_thyroid ida_titanic ionosphere segment sonar dermatology""".split()


@pytest.mark.parametrize("name", SMALL)
def test_papers_data_sets_equal_scikit_learn(workshop, papers_data, name):
    frame = pd.read_csv(papers_data / f"{name}.csv")
    x, y = frame.drop(columns="class").to_numpy(float), frame["class"].astype(str).to_numpy()
    workshop.fit(x, y, "--method", "lda", "--no-cv")
    predicted, p, _ = workshop.predict(x)
    z = standardise(x)
    reference = LinearDiscriminantAnalysis().fit(z, y)
    assert (predicted == reference.predict(z)).all()
    np.testing.assert_allclose(p, reference.predict_proba(z), atol=1e-4)


def test_zoo_keeps_what_separates_perfectly(workshop, papers_data):
    """Some features are constant within every class. scikit-learn drops them, and with them what tells classes apart."""
    frame = pd.read_csv(papers_data / "zoo.csv")
    x, y = frame.drop(columns="class").to_numpy(float), frame["class"].to_numpy()
    workshop.fit(x, y, "--method", "lda", "--no-cv")
    predicted, _, _ = workshop.predict(x)
    theirs = LinearDiscriminantAnalysis().fit(x, y).predict(x)
    assert (predicted == y).all()
    assert (theirs != y).any()
