"""The methods, one small class each.

Generated from the catalogue of methods by `cargo xtask generate`: edit that, not this.
"""

from .fivm import FIVM
from .klr import KLR
from .kos import KOS
from .l1_dkf import L1DKF
from .l2le import L2LE
from .l2qp import L2QP
from .lda import LDA
from .mkda import MKDA
from .parzen import Parzen
from .sieve import SieveClassifier
from .smkda import SMKDA
from .sparse_kos import SparseKOS

__all__ = [
    "FIVM",
    "KLR",
    "KOS",
    "L1DKF",
    "L2LE",
    "L2QP",
    "LDA",
    "MKDA",
    "Parzen",
    "SMKDA",
    "SieveClassifier",
    "SparseKOS",
]
