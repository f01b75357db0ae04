"""L2 kernel classification by a linear system."""

from __future__ import annotations

from .._base import KernsieveClassifier
from .._docs import documented


@documented
class L2LE(KernsieveClassifier):
    """L2 kernel classification by a linear system: a difference of densities without constraints.

    Every sample has a coefficient of any sign (Kim & Scott, section 5.3, with a ridge).

    Parameters
    ----------
    kernel : {'gaussian', 'laplacian', 'cauchy'}
        Kernel family.
    ridge : float or sequence of floats
        What is added to the diagonal of the matrix, which is 1. One value is used, several are chosen among,
        ``None`` chooses on a grid.

    Examples
    --------
    >>> from kernsieve import L2LE
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> bool(L2LE().fit(X, y).score(X, y) > 0.9)
    True
    """

    _method = "l2le"
    _class_weight_is_cost = True
    _one_or_more = ("bandwidth", "ridge")

    def __init__(
        self,
        *,
        kernel="gaussian",
        bandwidth=None,
        ridge=None,
        smoothing=0.0,
        class_ratio=None,
        priors="empirical",
        costs=None,
        class_weight=None,
        calibrate=True,
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
        self.ridge = ridge
        self.smoothing = smoothing
        self.class_ratio = class_ratio
        self.priors = priors
        self.costs = costs
        self.class_weight = class_weight
        self.calibrate = calibrate
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
