"""L2 kernel classification: a sparse difference of densities."""

from __future__ import annotations

from .._base import KernsieveClassifier
from .._docs import documented


@documented
class L2QP(KernsieveClassifier):
    """L2 kernel classification: a sparse difference of densities.

    Weights of the samples by a quadratic program; the samples whose weight is not zero are ``support_`` (Kim &
    Scott).

    Parameters
    ----------
    kernel : {'gaussian', 'laplacian', 'cauchy'}
        Kernel family.
    balance : float or sequence of floats
        Balance of the quadratic against the linear term. One value is used, several are chosen among; ``None`` is
        1, and tuned from 16 features on.
    class_bandwidths : {'common', 'spread'} or sequence of floats
        One bandwidth for all classes, one for each in proportion to the median distance within it, or given ones.
    relaxed : bool
        Let the weights of a class sum to less than 1.
    multiclass : {'rest', 'joint'}
        With several classes: each against all others, or every density by itself.

    Examples
    --------
    >>> from kernsieve import L2QP
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> bool(len(L2QP().fit(X, y).support_) < 100)
    True
    """

    _method = "l2qp"
    _one_or_more = ("bandwidth", "balance")

    def __init__(
        self,
        *,
        kernel="gaussian",
        bandwidth=None,
        smoothing=0.0,
        balance=None,
        class_bandwidths="common",
        relaxed=False,
        class_ratio=None,
        multiclass="rest",
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
        self.smoothing = smoothing
        self.balance = balance
        self.class_bandwidths = class_bandwidths
        self.relaxed = relaxed
        self.class_ratio = class_ratio
        self.multiclass = multiclass
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
