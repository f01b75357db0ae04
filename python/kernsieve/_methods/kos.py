"""Kernel optimal scoring."""

from __future__ import annotations

from .._base import KernsieveDiscriminant
from .._docs import documented


@documented
class KOS(KernsieveDiscriminant):
    """Kernel optimal scoring.

    A closed form with a ridge that needs no tuning, and the nearest centroid (Lapanowski & Gaynanova 2019).

    Parameters
    ----------
    ridge : float
        Squared-norm penalty; ``None`` is tuned.

    Examples
    --------
    >>> from kernsieve import KOS
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> bool(KOS().fit(X, y).score(X, y) > 0.9)
    True
    """

    _method = "kos"
    _takes_precomputed = True

    def __init__(
        self,
        *,
        kernel="gaussian",
        bandwidth=None,
        degree=3,
        slope=None,
        shift=0.0,
        ridge=None,
        ridge_rule="stabilization",
        mahalanobis=False,
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
        self.ridge = ridge
        self.ridge_rule = ridge_rule
        self.mahalanobis = mahalanobis
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
