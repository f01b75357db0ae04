"""The estimators under test."""

import kernsieve

ALL = [getattr(kernsieve, name) for name in kernsieve._methods.__all__]
# The sieve always searches, so that its settings cannot all be fixed.
FIXABLE = [cls for cls in ALL if cls is not kernsieve.SieveClassifier]
DISCRIMINANTS = [cls for cls in ALL if issubclass(cls, kernsieve._base.KernsieveDiscriminant)]

# Settings that leave nothing to tune and nothing to cross-validate.
FIXED = {
    "FIVM": {"bandwidth": 1.0, "ridge": 0.01, "max_features": 2, "stop": "none"},
    "KLR": {"bandwidth": 1.0, "ridge": 0.01},
    "KOS": {"bandwidth": 3.0, "ridge": 1.0},
    "L1DKF": {"sparsity": 1.0},
    "L2LE": {"bandwidth": 1.0, "ridge": 1.0},
    "L2QP": {"bandwidth": 1.0, "balance": 1.0},
    "LDA": {},
    "MKDA": {"bandwidth": 3.0, "ridge": 30.0},
    "Parzen": {"bandwidth": 1.0},
    "SMKDA": {"bandwidth": 3.0, "max_support": 3},
    "SparseKOS": {"bandwidth": 3.0, "ridge": 1.0, "sparsity": 0.01},
}


def fixed(cls):
    return cls(estimate=False, **FIXED.get(cls.__name__, {}))
