"""Sparse kernel optimal scoring: features get weights, most of them zero."""

from __future__ import annotations

from .._base import KernsieveDiscriminant
from .._docs import documented


@documented
class SparseKOS(KernsieveDiscriminant):
    """Sparse kernel optimal scoring: features get weights, most of them zero.

    A weight from 0 to 1 for every feature inside the kernel, and a penalty that drops the useless ones (Lapanowski
    & Gaynanova 2019).

    Parameters
    ----------
    kernel : {'gaussian', 'laplacian', 'cauchy', 'polynomial', 'linear', 'sigmoid'}
        Kernel family.
    ridge : float
        Squared-norm penalty; ``None`` is tuned.
    sparsity : float
        L1 penalty on the feature weights; ``None`` is tuned.
    spacing : {'log', 'linear'}
        Spacing of the penalties that are tried.
    weight_steps : {'projected', 'linearised'}
        How the weights are moved; 'linearised' is the algorithm of the paper with a line search.
    restarts : int
        Starts at the penalty itself besides the path, of which the one of least objective is kept.
    candidates : int
        So many landmarks carry the function, for many rows; ``None`` is all rows.
    landmarks : {'sample', 'ols'}
        How the landmarks are found: drawn by class, or by orthogonal least squares.

    Examples
    --------
    >>> from kernsieve import SparseKOS
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 5))
    >>> y = (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4).astype(int)
    >>> SparseKOS().fit(X, y).get_support()
    array([ True,  True, False, False, False])
    """

    _method = "sparse-kos"

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
        sparsity=None,
        spacing="log",
        weight_steps="projected",
        restarts=0,
        vote=True,
        candidates=None,
        landmarks="sample",
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
        self.sparsity = sparsity
        self.spacing = spacing
        self.weight_steps = weight_steps
        self.restarts = restarts
        self.vote = vote
        self.candidates = candidates
        self.landmarks = landmarks
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
