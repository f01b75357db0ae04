"""Sparse kernel discriminant analysis: few samples are retained."""

from __future__ import annotations

from .._base import KernsieveDiscriminant
from .._docs import documented


@documented
class SMKDA(KernsieveDiscriminant):
    """Sparse kernel discriminant analysis: few samples are retained.

    Orthogonal least squares picks the samples one at a time; ``support_`` has them in that order (Harrison & Pasupa
    2009).

    Parameters
    ----------
    max_support : int
        Samples to retain; ``None`` is tuned.
    path_limit : int
        Longest path to follow when the number of samples is tuned; ``None`` is 1000.
    candidates : int
        Choose among so many samples only, drawn by class, for many rows; ``None`` is all.
    validation : {'cv', 'split', 'loo'}
        Validate settings on all folds, on the first only, or by leaving every row out of one fit in turn.

    Examples
    --------
    >>> from kernsieve import SMKDA
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> len(SMKDA(max_support=8).fit(X, y).support_)
    8
    """

    _method = "smkda"
    _takes_precomputed = True

    def __init__(
        self,
        *,
        kernel="gaussian",
        bandwidth=None,
        degree=3,
        slope=None,
        shift=0.0,
        max_support=None,
        path_limit=None,
        candidates=None,
        n_components=None,
        posterior=None,
        sparsity=None,
        l1_ratio=1.0,
        simplex="clip",
        priors="empirical",
        costs=None,
        class_weight=None,
        standardize=True,
        calibrate=True,
        rule="min",
        validation="cv",
        folds=5,
        cv=None,
        estimate=True,
        random_state=0,
        n_jobs=None,
        memory=None,
        verbose=False,
    ):
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.degree = degree
        self.slope = slope
        self.shift = shift
        self.max_support = max_support
        self.path_limit = path_limit
        self.candidates = candidates
        self.n_components = n_components
        self.posterior = posterior
        self.sparsity = sparsity
        self.l1_ratio = l1_ratio
        self.simplex = simplex
        self.priors = priors
        self.costs = costs
        self.class_weight = class_weight
        self.standardize = standardize
        self.calibrate = calibrate
        self.rule = rule
        self.validation = validation
        self.folds = folds
        self.cv = cv
        self.estimate = estimate
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
