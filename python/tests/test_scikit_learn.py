"""Together with the tools of scikit-learn and joblib."""

import pickle
import subprocess
import sys

import joblib
import numpy as np
import pytest
from estimators import ALL, fixed
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernsieve import FIVM, KLR, LDA, MKDA, SMKDA, SieveSelector
from kernsieve._threads import thread_count


@pytest.mark.parametrize("cls", ALL)
def test_a_pickle_predicts_the_same_bits(cls, iris, tmp_path):
    X, y = iris
    estimator = cls().fit(X, y)
    joblib.dump(estimator, tmp_path / "estimator.joblib")
    for copy in (pickle.loads(pickle.dumps(estimator)), joblib.load(tmp_path / "estimator.joblib")):
        assert_array_equal(copy.predict_proba(X), estimator.predict_proba(X))
        assert copy.model_.to_bytes() == estimator.model_.to_bytes()
        assert_array_equal(copy.support_, estimator.support_)


@pytest.mark.parametrize("cls", ALL)
def test_a_clone_has_the_parameters_and_nothing_learned(cls, iris):
    estimator = fixed(cls).fit(*iris)
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    assert not hasattr(copy, "model_")


def test_in_a_pipeline(ring):
    X, y = ring
    pipeline = make_pipeline(StandardScaler(), SieveSelector(FIVM()), MKDA())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.85
    reduced = make_pipeline(SMKDA(), LDA()).fit(X, y)
    assert reduced[:-1].transform(X).shape == (len(X), 1)


def test_in_a_search(moons):
    X, y = moons
    search = GridSearchCV(
        MKDA(estimate=False), {"bandwidth": [0.3, 1.0], "ridge": np.array([0.01, 1.0])}, cv=3, n_jobs=2
    )
    search.fit(X, y)
    assert search.best_score_ > 0.85
    assert set(search.best_params_) == {"bandwidth", "ridge"}


def test_inside_other_estimators(ring):
    X, y = ring
    assert CalibratedClassifierCV(KLR(bandwidth=1.0, ridge=0.01), cv=3).fit(X, y).score(X, y) > 0.8
    selected = SelectFromModel(FIVM(), importance_getter="feature_weights_", threshold=1e-9).fit(X, y)
    assert_array_equal(selected.get_support(indices=True), [0, 1])


def test_workers_do_not_fight_for_the_cores():
    assert thread_count(None) == joblib.cpu_count()
    for backend in ("loky", "threading", "multiprocessing"):
        with joblib.parallel_config(backend=backend, n_jobs=2):
            assert joblib.Parallel()(joblib.delayed(thread_count)(None) for _ in range(3)) == [1, 1, 1]
    assert thread_count(3) == 3
    assert thread_count(-1) == joblib.cpu_count()
    assert thread_count(-1000) == 1
    for wrong in (0, 1.5, "2", True):
        with pytest.raises(ValueError, match="n_jobs must be"):
            thread_count(wrong)


def test_a_forked_process_can_fit_and_predict(tmp_path):
    """The threads of the parent do not exist in the child: nothing may wait for them."""
    script = tmp_path / "fork.py"
    script.write_text(
        "import multiprocessing, os\n"
        "from sklearn.datasets import load_iris\n"
        "from kernsieve import MKDA\n"
        "X, y = load_iris(return_X_y=True)\n"
        "estimator = MKDA(n_jobs=2).fit(X, y)\n"
        "estimator.predict(X)\n"
        "def child(queue):\n"
        "    queue.put((estimator.score(X, y), MKDA(n_jobs=2).fit(X, y).score(X, y)))\n"
        "context = multiprocessing.get_context('fork')\n"
        "queue = context.Queue()\n"
        "process = context.Process(target=child, args=(queue,))\n"
        "process.start()\n"
        "print(queue.get(timeout=20))\n"
        "process.join(20)\n"
        "assert process.exitcode == 0\n"
    )
    if sys.platform != "linux":
        pytest.skip("fork is for Linux here")
    subprocess.run([sys.executable, "-W", "ignore", str(script)], check=True, timeout=60, stdout=subprocess.DEVNULL)


def test_a_fit_that_does_not_converge_warns(iris):
    with pytest.warns(ConvergenceWarning, match="MKDA did not converge.*increase ridge"):
        estimator = MKDA(bandwidth=500.0, ridge=1e-18, estimate=False).fit(*iris)
    assert estimator.converged_ is False


def test_an_option_without_meaning_warns(iris):
    with pytest.warns(UserWarning, match="does not use.*bandwidth"):
        MKDA(kernel="linear", bandwidth=1.0).fit(*iris)


def test_progress_is_shown_on_standard_error_only_when_asked_for(capsys):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(700, 5)), rng.integers(0, 2, size=700)
    MKDA(n_jobs=1).fit(X, y)
    shown = capsys.readouterr()
    assert shown.out == shown.err == ""
    MKDA(n_jobs=1, verbose=True).fit(X, y)
    shown = capsys.readouterr()
    assert shown.out == "" and "\rMKDA [" in shown.err and shown.err.endswith("\r")
