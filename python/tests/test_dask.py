"""Fits on Dask collections are fits in memory, also where workers die."""

import os
import signal
import warnings

import numpy as np
import pandas as pd
import pytest

import kernsieve

dask = pytest.importorskip("dask", reason="dask is not installed")
pytest.importorskip("distributed", reason="distributed is not installed")

import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
from dask.distributed import Client, LocalCluster  # noqa: E402

from kernsieve import dask as distributed_kernsieve  # noqa: E402

N = 900


def sample(n=N, seed=0):
    """A curved border, two features of noise, and a class of which there are few rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] ** 2 > 0.6, "in", "out").astype(object)
    y[:12] = "rare"
    X[:12] += 3
    return X, y


@pytest.fixture(scope="module")
def client():
    """Real processes."""
    with (
        dask.config.set({"distributed.worker.daemon": False, "distributed.comm.timeouts.connect": "60s"}),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


ESTIMATORS = {
    "LDA": {},
    "SMKDA": {"candidates": 40, "bandwidth": 1.0},
    "KLR": {"candidates": 40, "bandwidth": 1.0},
    "SieveClassifier": {"max_support": 25, "importances": False},
}


def both(name, X, y, chunks, **more):
    """The model of one machine, and that of many."""
    options = ESTIMATORS[name] | more
    here = getattr(kernsieve, name)(**options).fit(X, y)
    parts = (chunks, X.shape[1])
    there = getattr(distributed_kernsieve, name)(**options)
    there.fit(da.from_array(X, chunks=parts), da.from_array(y, chunks=(chunks,)))
    return here, there


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_model_is_that_of_one_machine(client, name):
    X, y = sample()
    # The first class is in the first part only.
    here, there = both(name, X, y, (20, 300, 580))
    assert list(there.classes_) == ["in", "out", "rare"]
    assert there.model_.record() and type(there.model_) is type(here.model_)
    np.testing.assert_allclose(there.predict_proba(X), here.predict_proba(X), rtol=0, atol=1e-7)
    # Other parts of the same rows change nothing beyond rounding.
    _, again = both(name, X, y, (450, 450))
    np.testing.assert_allclose(again.predict_proba(X), there.predict_proba(X), rtol=0, atol=1e-7)
    if name != "LDA":
        assert again.support_.tolist() == there.support_.tolist() == here.support_.tolist()


def test_exact_fits_are_the_same_bits_however_the_rows_are_divided(client):
    X, y = sample()
    here, there = both("SMKDA", X, y, (20, 300, 580), exact=True)
    expected = here.predict_proba(X)
    np.testing.assert_array_equal(there.predict_proba(X), expected)
    for parts in [(450, 450), (1, 2, 897)]:
        _, again = both("SMKDA", X, y, parts, exact=True)
        np.testing.assert_array_equal(again.predict_proba(X), expected)
    # The rounding of the values changes no prediction.
    usual = both("SMKDA", X, y, (450, 450))[1]
    np.testing.assert_array_equal(usual.predict(X), there.predict(X))
    with pytest.raises(ValueError, match="counts every row once"):
        rows, classes = da.from_array(X, chunks=(450, 5)), da.from_array(y, chunks=450)
        there.fit(rows, classes, sample_weight=da.ones(N, chunks=450))


def test_predictions_are_lazy_and_in_parts(client):
    X, y = sample()
    _, lda = both("LDA", X, y, (300, 300, 300))
    rows = da.from_array(X, chunks=(200, 5))
    p, classes = lda.predict_proba(rows), lda.predict(rows)
    assert isinstance(p, da.Array) and p.shape == (N, 3) and classes.shape == (N,)
    np.testing.assert_array_equal(p.compute(), lda.predict_proba(X))
    np.testing.assert_array_equal(classes.compute(), lda.predict(X))


def test_frames_with_text_weights_and_an_empty_part(client, tmp_path):
    X, y = sample()
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(colour=rng.choice(["red", "blue"], N), kind=y)
    frame.loc[::9, "a"] = np.nan
    weights = pd.Series(rng.integers(0, 3, N).astype(float))
    options = {"missing": "median"}
    table = frame.drop(columns="kind")
    here = kernsieve.LDA(**options).fit(table, frame.kind, sample_weight=weights)
    parts = dd.from_pandas(frame.assign(w=weights), npartitions=4)
    first = parts.partitions[0]
    parts = dd.concat([first[first.a > 1e9], parts])  # no row is so large
    features = list(table.columns)
    there = distributed_kernsieve.LDA(**options).fit(parts[features], parts.kind, sample_weight=parts.w)
    np.testing.assert_allclose(there.predict_proba(table), here.predict_proba(table), rtol=0, atol=1e-9)
    lazy = there.predict_proba(parts[features]).compute()
    np.testing.assert_allclose(lazy, here.predict_proba(table), rtol=0, atol=1e-9)
    # The file is the ordinary one.
    there.save(tmp_path / "m.ks")
    again = kernsieve.load(tmp_path / "m.ks")
    np.testing.assert_array_equal(again.predict_proba(table), there.predict_proba(table))


def test_more_rows_than_come_to_the_client(client, monkeypatch):
    monkeypatch.setattr(distributed_kernsieve, "AT_HAND", 400)
    X, y = sample(4000)
    lda = distributed_kernsieve.LDA().fit(da.from_array(X, chunks=(700, 5)), da.from_array(y, chunks=(700,)))
    assert any("drawn at random" in notice for notice in lda.notices_)
    # Settings aside, of which there are none, the coefficients have seen all rows.
    here = kernsieve.LDA().fit(X, y)
    z, expected = lda.transform(X), here.transform(X)
    np.testing.assert_allclose(np.abs(z), np.abs(expected), atol=1e-6 * np.abs(expected).max())


def die_once(block, folder, block_info=None):
    """Kills the worker the first time that it reads the second part."""
    place = block_info[0]["chunk-location"][0] if block_info else 0
    flag = os.path.join(folder, "dead")
    if place == 1 and not os.path.exists(flag):
        with open(flag, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return block


def test_a_fit_survives_its_workers(client, tmp_path, monkeypatch):
    X, y = sample()
    expected = both("SMKDA", X, y, (300, 300, 300))[1]
    parts = da.from_array(X, chunks=(300, 5)).map_blocks(die_once, folder=str(tmp_path), dtype=float)
    smkda = distributed_kernsieve.SMKDA(**ESTIMATORS["SMKDA"])
    # A worker dies in every pass, and once all of them do.
    asked = distributed_kernsieve._compute
    passes = []

    def compute(what):
        passes.append(len(passes))
        (tmp_path / "dead").unlink(missing_ok=True)
        if len(passes) == 3:
            for pid in client.run(os.getpid).values():
                os.kill(pid, signal.SIGKILL)
        return asked(what)

    monkeypatch.setattr(distributed_kernsieve, "_compute", compute)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        smkda.fit(parts, da.from_array(y, chunks=(300,)))
    assert len(passes) >= 5
    np.testing.assert_allclose(smkda.predict_proba(X), expected.predict_proba(X), rtol=0, atol=1e-12)


def test_errors_name_the_remedy(client):
    X, y = sample(60)
    rows, classes = da.from_array(X, chunks=(20, 5)), da.from_array(y, chunks=(20,))
    lda = distributed_kernsieve.LDA()
    with pytest.raises(TypeError, match="X must be a dask.*estimators of kernsieve"):
        lda.fit(X, classes)
    with pytest.raises(ValueError, match="X has 3 parts, y 2.*divide them alike"):
        lda.fit(rows, classes.rechunk((30,)))
    with pytest.raises(ValueError, match="a part of X has 20 rows, that of y"):
        lda.fit(rows, classes.rechunk(((30, 20, 10),)))
    with pytest.raises(ValueError, match="sample_weight must be finite"):
        lda.fit(rows, classes, sample_weight=-da.ones(60, chunks=20))
    with pytest.raises(ValueError, match="class_weight"):
        distributed_kernsieve.KLR(class_weight="balanced").fit(rows, classes)
