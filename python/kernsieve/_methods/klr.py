"""Kernel logistic regression."""

from __future__ import annotations

from .._base import KernsieveClassifier
from .._docs import documented


@documented
class KLR(KernsieveClassifier):
    """Kernel logistic regression.

    Probabilities by penalised likelihood; settings are ranked by error plus log loss.

    Examples
    --------
    >>> from kernsieve import KLR
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> KLR().fit(X, y).predict_proba(X).shape
    (100, 2)
    """

    _method = "klr"
    _takes_precomputed = True
    _one_or_more = ("bandwidth", "ridge")

    def __init__(
        self,
        *,
        kernel="gaussian",
        bandwidth=None,
        degree=3,
        slope=None,
        shift=0.0,
        ridge=None,
        max_support=None,
        posterior=None,
        sparsity=None,
        l1_ratio=1.0,
        simplex="clip",
        priors="empirical",
        costs=None,
        class_weight=None,
        standardize=True,
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
        self.max_support = max_support
        self.posterior = posterior
        self.sparsity = sparsity
        self.l1_ratio = l1_ratio
        self.simplex = simplex
        self.priors = priors
        self.costs = costs
        self.class_weight = class_weight
        self.standardize = standardize
        self.rule = rule
        self.validation = validation
        self.folds = folds
        self.cv = cv
        self.estimate = estimate
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
