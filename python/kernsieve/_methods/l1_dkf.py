"""Discriminant analysis with the kernel of sparse class posteriors."""

from __future__ import annotations

from .._base import KernsieveDiscriminant
from .._docs import documented


@documented
class L1DKF(KernsieveDiscriminant):
    """Discriminant analysis with the kernel of sparse class posteriors.

    One lasso a class estimates the posteriors, whose discriminant kernel gives the variates (Hidaka & Kurita).

    Parameters
    ----------
    posterior : {'l1', 'logistic', 'klr', 'parzen'}
        Estimate of the class posteriors; ``None`` is 'l1', one lasso a class. 'klr' and 'parzen' have the kernel as
        theirs.
    mapping : {'lda', 'onda'}
        Discriminant analysis with the kernel, or Otsu's mapping of the posteriors.
    kernel : {'gaussian', 'laplacian', 'cauchy', 'polynomial', 'linear', 'sigmoid'}
        Kernel family.

    Examples
    --------
    >>> from kernsieve import L1DKF
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> L1DKF().fit(X, y).transform(X).shape
    (150, 2)
    """

    _method = "l1-dkf"
    _one_or_more = ("bandwidth", "ridge")

    def __init__(
        self,
        *,
        posterior=None,
        sparsity=None,
        l1_ratio=1.0,
        simplex="clip",
        mapping="lda",
        metric="within",
        n_components=None,
        kernel="gaussian",
        bandwidth=None,
        degree=3,
        slope=None,
        shift=0.0,
        ridge=None,
        max_support=None,
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
        self.posterior = posterior
        self.sparsity = sparsity
        self.l1_ratio = l1_ratio
        self.simplex = simplex
        self.mapping = mapping
        self.metric = metric
        self.n_components = n_components
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.degree = degree
        self.slope = slope
        self.shift = shift
        self.ridge = ridge
        self.max_support = max_support
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
