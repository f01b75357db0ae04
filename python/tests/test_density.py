"""L2Density against scikit-learn and the command line."""

import os
import subprocess

import numpy as np
import pytest
from sklearn.neighbors import KernelDensity
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernsieve
from kernsieve import L2Density


PROGRAM = os.environ.get("KERNSIEVE")


def command_line(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


@parametrize_with_checks([L2Density(), L2Density(bandwidth=0.5)])
def test_scikit_learn(estimator, check):
    check(estimator)


def rows(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) * [1.0, 50.0] + np.where(rng.uniform(size=(n, 1)) < 0.5, [3.0, 100.0], [0.0, 0.0])


def test_scikit_learn_has_the_same_density():
    x, new = rows(), rows(50, 1)
    density = L2Density(bandwidth=0.4, standardize=False).fit(x / [1, 50])
    peer = KernelDensity(bandwidth=0.4).fit((x / [1, 50])[density.support_], sample_weight=density.weights_)
    assert np.abs(density.score_samples(new / [1, 50]) - peer.score_samples(new / [1, 50])).max() < 1e-8
    assert abs(density.weights_.sum() - 1) < 1e-6
    assert density.loo_ise_ <= density.equal_loo_ise_
    assert density.score(new / [1, 50]) == pytest.approx(density.score_samples(new / [1, 50]).sum())


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "cauchy"])
def test_samples_come_from_the_density(kernel):
    x = np.column_stack([rows(300, 2), np.full(300, 7.5)])
    density = L2Density(kernel=kernel).fit(x)
    drawn = density.sample(20_000, random_state=0)
    assert (drawn[:, 2] == 7.5).all()
    # The share of draws in boxes is the integral of the density over them.
    edges = [np.linspace(-6, 9, 61), np.linspace(-250, 350, 61)]
    share, *_ = np.histogram2d(drawn[:, 0], drawn[:, 1], bins=edges)
    middle = [(e[1:] + e[:-1]) / 2 for e in edges]
    grid = np.array([[a, b, 7.5] for a in middle[0] for b in middle[1]])
    area = (edges[0][1] - edges[0][0]) * (edges[1][1] - edges[1][0])
    expected = np.exp(density.score_samples(grid)).reshape(60, 60) * area
    assert np.abs(share / len(drawn) - expected).sum() < (0.35 if kernel == "gaussian" else 0.45)
    coarse = np.abs((share / len(drawn) - expected).reshape(6, 10, 6, 10).sum((1, 3)))
    assert coarse.max() < 0.015


@pytest.mark.skipif(not PROGRAM, reason="KERNSIEVE does not name the command line program")
def test_the_command_line_and_a_file_say_the_same(tmp_path):
    x, new = rows(), rows(30, 3)
    density = L2Density().fit(x)
    density.save(tmp_path / "d.ks")
    again = kernsieve.load(tmp_path / "d.ks")
    assert isinstance(again, L2Density) and again.bandwidth_ == density.bandwidth_
    assert (again.score_samples(new) == density.score_samples(new)).all()
    for name, values in (("rows.csv", x), ("new.csv", new)):
        lines = ["x0,x1"] + [",".join(repr(float(v)) for v in row) for row in values]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    command_line("density", tmp_path / "rows.csv", "--model", tmp_path / "c.ks", "--quiet")
    assert (tmp_path / "c.ks").read_bytes() == (tmp_path / "d.ks").read_bytes()
    out = command_line("predict", tmp_path / "d.ks", tmp_path / "new.csv").splitlines()
    assert [float(v) for v in out[1:]] == density.score_samples(new).tolist()


def test_weights_and_wrong_values():
    x = rows(60)
    w = np.random.default_rng(1).integers(0, 3, 60)
    twice = L2Density(bandwidth=0.5, standardize=False).fit(np.repeat(x / [1, 50], w, axis=0))
    once = L2Density(bandwidth=0.5, standardize=False).fit(x / [1, 50], sample_weight=w)
    assert np.abs(twice.score_samples(x / [1, 50]) - once.score_samples(x / [1, 50])).max() < 1e-3
    assert set(w[once.support_]) <= {1, 2}
    for wrong, word in [({"bandwidth": -1.0}, "bandwidth"), ({"criterion": "loss"}, "criterion"), ({"kernel": "linear"}, "density"), ({"folds": 1}, "folds")]:
        with pytest.raises(ValueError, match=word):
            L2Density(**wrong).fit(x)
