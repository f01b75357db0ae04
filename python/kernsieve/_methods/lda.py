"""Linear discriminant analysis by optimal scoring."""

from __future__ import annotations

from .._base import KernsieveDiscriminant
from .._docs import documented


@documented
class LDA(KernsieveDiscriminant):
    """Linear discriminant analysis by optimal scoring.

    Rows go to the class whose mean is nearest in the within-class covariance, weighed by the priors.

    Examples
    --------
    >>> from kernsieve import LDA
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LDA().fit(X, y).transform(X).shape
    (150, 2)
    """

    _method = "lda"

    def __init__(
        self,
        *,
        n_components=None,
        metric="within",
        priors="empirical",
        costs=None,
        class_weight=None,
        standardize=True,
        validation="cv",
        folds=5,
        cv=None,
        estimate=True,
        random_state=0,
        n_jobs=None,
        memory=None,
        verbose=False,
    ):
        self.n_components = n_components
        self.metric = metric
        self.priors = priors
        self.costs = costs
        self.class_weight = class_weight
        self.standardize = standardize
        self.validation = validation
        self.folds = folds
        self.cv = cv
        self.estimate = estimate
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
