"""Estimators as ONNX graphs. What the graphs compute is compared for all settings in tests/python/test_onnx.py."""

import os
import subprocess

import numpy as np
import onnxruntime
import pytest
from estimators import ALL, fixed
from numpy.testing import assert_allclose, assert_array_equal

import kernsieve

PROGRAM = os.environ.get("KERNSIEVE")


def run(content, X):
    return onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"]).run(None, {"X": X})


@pytest.mark.parametrize("cls", ALL)
def test_graphs_predict_as_the_estimator(cls, iris, tmp_path):
    X, y = iris
    X = X.astype(np.float32).astype(np.float64)
    estimator = fixed(cls).fit(X, y)
    labels, p, z = run(estimator.to_onnx(), X)
    assert_array_equal(labels, estimator.predict(X))
    # The sieve was not asked for a ridge: its coefficients are in the hundreds, and so is rounding.
    exact = 1e-10 if cls is kernsieve.SieveClassifier else 1e-12
    assert_allclose(p, estimator.predict_proba(X), rtol=0, atol=exact)
    if hasattr(estimator, "transform"):
        Z = estimator.transform(X)
        assert_allclose(z, Z, rtol=0, atol=1e-12 * max(1, abs(Z).max()))
    labels, p, _ = run(estimator.to_onnx(precision="single"), X.astype(np.float32))
    assert p.dtype == np.float32
    assert_allclose(p, estimator.predict_proba(X), rtol=0, atol=1e-4)
    if PROGRAM is None:
        return
    estimator.save(tmp_path / "model.ks")
    subprocess.run([PROGRAM, "export", tmp_path / "model.ks", tmp_path / "model.onnx"], check=True, capture_output=True)
    assert (tmp_path / "model.onnx").read_bytes() == estimator.to_onnx("double")


def test_labels_are_texts_unless_all_are_whole_numbers(iris):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])
    labels, _, _ = run(kernsieve.LDA().fit(X, names[y]).to_onnx(), X)
    assert_array_equal(labels, kernsieve.LDA().fit(X, names[y]).predict(X))


def test_wrong_use_is_told(iris):
    with pytest.raises(Exception, match="not fitted"):
        kernsieve.LDA().to_onnx()
    with pytest.raises(ValueError, match="'single' or 'double', got 'half'"):
        kernsieve.LDA().fit(*iris).to_onnx(precision="half")
