"""The tests of a comparison against SciPy."""

import json

import numpy as np
import pandas as pd
import pytest
from conftest import kernsieve
from scipy import stats
from sklearn.datasets import make_moons


@pytest.fixture
def moons(tmp_path):
    x, y = make_moons(90, noise=0.35, random_state=4)
    path = tmp_path / "moons.csv"
    pd.DataFrame(x, columns=["a", "b"]).assign(moon=y).to_csv(path, index=False)
    return path


def compare(path, *options):
    return json.loads(kernsieve("compare", path, "--target", "moon", "--json", *options))


@pytest.mark.parametrize(("repeats", "fraction"), [(2, "0.5"), (7, "0.2"), (25, "0.1")])
def test_corrected_resampled_t_test(moons, repeats, fraction):
    found = compare(moons, "--repeats", repeats, "--test-fraction", fraction, "--methods", "lda,kos,parzen,smkda,klr")
    best, *others = found["methods"]
    n_test = round(90 * float(fraction))
    ratio = n_test / (90 - n_test)
    assert found["test_to_train"] == pytest.approx(ratio, rel=1e-12)
    p_values = []
    for method in others:
        d = np.subtract(method["error_splits"], best["error_splits"])
        assert len(d) == repeats
        if not d.any():
            p_values.append(1.0)
        else:
            # The plain paired test, its t shrunk by what overlapping splits add to the variance.
            plain = stats.ttest_rel(method["error_splits"], best["error_splits"])
            t = plain.statistic / np.sqrt(1 + repeats * ratio)
            p_values.append(2 * stats.t.sf(abs(t), repeats - 1))
        assert method["p_value"] == pytest.approx(p_values[-1], rel=1e-9)
    assert len({round(p, 6) for p in p_values}) > 1
    # Holm, step down.
    order = np.argsort(p_values)
    adjusted = np.maximum.accumulate(np.minimum(1, np.sort(p_values) * np.arange(len(others), 0, -1)))
    np.testing.assert_allclose([others[i]["p_value_holm"] for i in order], adjusted, rtol=1e-9)


def test_sizes_and_outcomes(moons):
    found = compare(moons, "--repeats", 3, "--methods", "lda,smkda")
    for method in found["methods"]:
        own = [o for o in found["outcomes"] if o["method"] == method["method"]]
        assert method["error_splits"] == [o["error"] for o in sorted(own, key=lambda o: o["split"])]
        assert method["model_bytes_mean"] == pytest.approx(np.mean([o["model_bytes"] for o in own]))
