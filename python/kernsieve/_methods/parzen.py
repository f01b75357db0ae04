"""Plug-in kernel densities, one for each class."""

from __future__ import annotations

from .._base import KernsieveClassifier
from .._docs import documented


@documented
class Parzen(KernsieveClassifier):
    """Plug-in kernel densities, one for each class.

    Rows go to the class whose density times prior is largest.

    Parameters
    ----------
    kernel : {'gaussian', 'laplacian', 'cauchy'}
        Kernel family.

    Examples
    --------
    >>> from kernsieve import Parzen
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> bool(Parzen().fit(X, y).score(X, y) > 0.9)
    True
    """

    _method = "parzen"

    def __init__(
        self,
        *,
        kernel="gaussian",
        bandwidth=None,
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
