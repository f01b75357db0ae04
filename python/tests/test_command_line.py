"""Models travel between Python and the command line bit for bit. Needs the program, named by KERNSIEVE."""

import csv
import os
import subprocess

import numpy as np
import pandas as pd
import pytest
from estimators import ALL
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris

import kernsieve

PROGRAM = os.environ.get("KERNSIEVE")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="KERNSIEVE does not name the command line program")


def run(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def frame():
    data = load_iris(as_frame=True)
    return data.data, pd.Series(data.target_names[data.target], name="species")


@pytest.fixture(scope="module")
def table(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "iris.csv"
    pd.concat(frame, axis=1).to_csv(path, index=False)
    return path


def predicted(model, data, folder):
    out = folder / "predictions.csv"
    run("predict", model, data, "--proba", "--variates", "--output", out)
    with open(out, newline="") as file:
        rows = list(csv.reader(file))
    header, rows = rows[0], rows[1:]
    columns = {name: [row[k] for row in rows] for k, name in enumerate(header)}
    return (
        np.array(columns["predicted"]),
        np.array([columns[name] for name in header if name.startswith("p_")], dtype=float).T,
        np.array([columns[name] for name in header if name.startswith("z")], dtype=float).T,
    )


@pytest.mark.parametrize("cls", ALL)
def test_fit_in_python_predict_on_the_command_line(cls, frame, table, tmp_path):
    X, y = frame
    estimator = cls().fit(X, y)
    estimator.save(tmp_path / "model.ks")
    classes, probabilities, outputs = predicted(tmp_path / "model.ks", table, tmp_path)
    assert_array_equal(classes, estimator.predict(X))
    assert_array_equal(probabilities, estimator.predict_proba(X))
    if hasattr(estimator, "transform"):
        assert_array_equal(outputs, estimator.transform(X))


@pytest.mark.parametrize("cls", ALL)
def test_both_fit_the_same_file(cls, frame, table, tmp_path):
    X, y = frame
    # The program measures importances unless told otherwise.
    estimator = cls(importances=True).fit(X, y)
    estimator.save(tmp_path / "python.ks")
    run("fit", table, "--target", "species", "--method", cls._method, "--model", tmp_path / "program.ks")
    assert (tmp_path / "python.ks").read_bytes() == (tmp_path / "program.ks").read_bytes()

    loaded = kernsieve.load(tmp_path / "program.ks")
    assert type(loaded) is cls
    assert loaded.get_params() == cls().get_params()
    assert_array_equal(loaded.feature_names_in_, X.columns)
    assert_array_equal(loaded.predict_proba(X), estimator.predict_proba(X))
    assert_array_equal(loaded.predict(X), estimator.predict(X))
    learned = [name for name in vars(estimator) if name.endswith("_")]
    assert set(learned) <= set(vars(loaded))
    assert loaded.best_params_ == estimator.best_params_
    assert_array_equal(loaded.support_, estimator.support_)


@pytest.mark.filterwarnings("ignore:FIVM does not use", "ignore:SparseKOS did not converge")
def test_options_mean_the_same(frame, table, tmp_path):
    X, y = frame
    cases = [
        (
            kernsieve.KLR(bandwidth=[0.5, 1.0], ridge=[0.01, 0.1], folds=4, random_state=3),
            "--bandwidths 0.5,1 --ridges 0.01,0.1 --folds 4 --seed 3",
        ),
        (
            kernsieve.MKDA(kernel="polynomial", degree=2, ridge=0.5, penalty="identity", priors="uniform"),
            "--kernel polynomial --degree 2 --ridge 0.5 --penalty identity --priors uniform",
        ),
        (
            kernsieve.KOS(ridge_rule="gcv", mahalanobis=True, calibrate=False, standardize=False),
            "--ridge-rule gcv --mahalanobis --no-calibration --no-standardize",
        ),
        (
            kernsieve.SMKDA(rule="1se", validation="loo", priors=[0.2, 0.3, 0.5]),
            "--rule 1se --validation loo --priors 0.2,0.3,0.5",
        ),
        (
            kernsieve.L1DKF(posterior="logistic", l1_ratio=0.5, mapping="onda", n_components=1),
            "--posterior logistic --l1-ratio 0.5 --mapping onda --components 1",
        ),
        (
            kernsieve.FIVM(stop="accuracy", tol=0.01, lag=2, patience=2),
            "--stop accuracy --tol 0.01 --lag 2 --patience 2",
        ),
        (kernsieve.FIVM(vote=False, max_features=2), "--no-vote --max-features 2"),
        (
            kernsieve.MKDA(prepare="scores", kernel="radial-laplacian", bandwidth=2.0),
            "--prepare scores --kernel radial-laplacian --bandwidth 2",
        ),
        (kernsieve.L1DKF(prepare="scores"), "--prepare scores"),
        (kernsieve.KLR(scoring="auc", prefer="small"), "--score auc --prefer small"),
        (
            kernsieve.L2QP(smoothing=0.5, balance=2.0, multiclass="joint", relaxed=True),
            "--smoothing 0.5 --balance 2 --multiclass joint --relaxed",
        ),
        (kernsieve.L2QP(class_bandwidths=[0.5, 0.6, 0.7]), "--class-bandwidths 0.5,0.6,0.7"),
        (
            kernsieve.SparseKOS(spacing="linear", weight_steps="linearised", restarts=1),
            "--spacing linear --weight-steps linearised --restarts 1",
        ),
    ]
    for estimator, words in cases:
        asked = estimator.get_params()
        estimator.set_params(importances=True).fit(X, y)
        run(
            "fit",
            table,
            "--target",
            "species",
            "--method",
            estimator._method,
            "--model",
            tmp_path / "program.ks",
            *words.split(),
        )
        assert (tmp_path / "program.ks").read_bytes() == estimator.model_.to_bytes(), words
        loaded = kernsieve.load(tmp_path / "program.ks").get_params()
        assert {k: v for k, v in loaded.items() if v != asked[k]} == {}
