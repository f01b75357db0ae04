"""Data that the tests share."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons


@pytest.fixture(scope="session")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def moons():
    return make_moons(120, noise=0.25, random_state=0)


@pytest.fixture(scope="session")
def ring():
    """Two features that matter, three that do not."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5))
    return X, (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4).astype(int)
