"""Feature import vector machine: few features, imported one at a time."""

from __future__ import annotations

from .._base import KernsieveClassifier
from .._docs import documented


@documented
class FIVM(KernsieveClassifier):
    """Feature import vector machine: few features, imported one at a time.

    Kernel logistic regression on the features that lower its loss most, in order (Ghosh & Wang 2015).

    Parameters
    ----------
    kernel : {'gaussian', 'laplacian', 'cauchy', 'polynomial', 'linear', 'sigmoid'}
        Kernel family.
    max_features : int
        Features to import at most; ``None`` is 30, or all with ``stop='none'``.
    stop : {'cv', 'accuracy', 'none'}
        When imports end: at the number of features of least cross-validated error, when the training accuracy
        stands still, or at ``max_features``.
    tol : float
        With ``stop='accuracy'``: relative change that counts as standing still.
    lag : int
        With ``stop='accuracy'``: imports over which that change is measured.
    patience : int
        Imports without progress before the end; ``None`` is 5, or 1 with ``stop='accuracy'``.

    Examples
    --------
    >>> from kernsieve import FIVM
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 5))
    >>> y = (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4).astype(int)
    >>> sorted(FIVM().fit(X, y).selected_features_)
    ['x0', 'x1']
    """

    _method = "fivm"
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
        max_features=None,
        stop="cv",
        tol=1e-3,
        lag=1,
        patience=None,
        vote=True,
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
        self.max_features = max_features
        self.stop = stop
        self.tol = tol
        self.lag = lag
        self.patience = patience
        self.vote = vote
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
