"""Sparse kernel classification for tabular data: which features and which samples matter.

Every estimator follows scikit-learn. What is not given is tuned by cross-validation inside ``fit``.
"""

from . import _core, plot
from ._density import L2Density
from ._files import load
from ._methods import (
    AutoClassifier,
    FIVM,
    KLR,
    KOS,
    L1DKF,
    L2LE,
    L2QP,
    LDA,
    MKDA,
    SMKDA,
    Parzen,
    SparseKOS,
)
from ._selector import SieveSelector

__version__: str = _core.__version__

__all__ = [
    "AutoClassifier",
    "FIVM",
    "KLR",
    "KOS",
    "L1DKF",
    "L2Density",
    "L2LE",
    "L2QP",
    "LDA",
    "MKDA",
    "Parzen",
    "SMKDA",
    "SieveSelector",
    "SparseKOS",
    "__version__",
    "load",
    "plot",
]
