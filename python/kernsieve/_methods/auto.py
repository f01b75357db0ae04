"""The choice of a method."""

from __future__ import annotations

import json

from .._base import KernsieveClassifier
from .._docs import documented


@documented
class AutoClassifier(KernsieveClassifier):
    """The method of kernsieve that suits the data, chosen by cross-validation.

    All methods are tuned on the same folds; of those within one standard error of the least error the one with the
    smallest model is taken. Many rows are approached in rounds, after each of which the worse half leaves.

    Parameters
    ----------
    kernel : {'gaussian', 'laplacian', 'cauchy', 'polynomial', 'linear', 'sigmoid'}
        Kernel family; methods that cannot use it are left out.
    budget : float
        Seconds after which no other method is begun, and the one at work is given up; the first is always finished.
        ``None`` is no limit.

    Attributes
    ----------
    method_ : str
        The method that was taken.
    why_ : str
        Why, in words.
    methods_ : list of dict
        Every method that was tried, with its rows, error, standard error, size and what else there is to say.

    Examples
    --------
    >>> from kernsieve import AutoClassifier
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> auto = AutoClassifier().fit(X, y)
    >>> bool(auto.score(X, y) > 0.9)
    True
    >>> auto.method_ in auto.why_
    True
    """

    _method = "auto"
    _class_weight_is_cost = True
    _one_or_more = ()
    # Methods are compared by cross-validation, so there always is one.
    estimate = True

    def __init__(
        self,
        *,
        kernel="gaussian",
        budget=None,
        priors="empirical",
        costs=None,
        class_weight=None,
        standardize=True,
        rule="min",
        validation="cv",
        folds=5,
        cv=None,
        random_state=0,
        n_jobs=None,
        memory=None,
        verbose=False,
    ):
        self.kernel = kernel
        self.budget = budget
        self.priors = priors
        self.costs = costs
        self.class_weight = class_weight
        self.standardize = standardize
        self.rule = rule
        self.validation = validation
        self.folds = folds
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    def _set_fitted(self, model, classes):
        super()._set_fitted(model, classes)
        record = json.loads(model.record())
        self.method_ = model.method
        self.why_ = record["auto"]["why"]
        self.methods_ = record["auto"]["entries"]
