"""Linear discriminant analysis by optimal scoring."""

from __future__ import annotations

from .._base import KernsieveDiscriminant


class LDA(KernsieveDiscriminant):
    """Linear discriminant analysis by optimal scoring.

    Rows go to the class whose mean is nearest in the within-class covariance, weighed by the priors.

    Parameters
    ----------
    n_components : int, default=None
        Canonical variates to keep; ``None`` is one less than there are classes.
    metric : {'within', 'total'}, default='within'
        Covariance in which the nearest mean is found.
    priors : {'empirical', 'uniform'} or sequence of floats, default='empirical'
        Class priors of the decision rule; given ones are in the order of ``classes_``.
    costs : sequence of floats, default=None
        What an error on a row of each class costs, in the order of ``classes_``: probabilities are weighed by it, so
        that the class of least expected cost is predicted. ``None`` is all alike.
    class_weight : dict or 'balanced', default=None
        Weights of the classes, which multiply those of the rows.
    standardize : bool, default=True
        Scale features to zero mean and unit variance on the training rows.
    validation : {'cv', 'split'}, default='cv'
        Validate settings on all folds, or on the first only.
    folds : int, default=5
        Folds of the cross-validation.
    estimate : bool, default=True
        Cross-validate even when there is nothing to tune, for ``cv_results_`` and calibrated probabilities.
    random_state : int, RandomState instance or None, default=0
        Seed of everything random; a whole number is the seed of the command line.
    n_jobs : int, default=None
        Threads; ``None`` is all cores, and one inside a joblib worker. The result does not depend on it.
    memory : int or str, default=None
        Bytes that large matrices may take, such as ``'4G'``; ``None`` is most of what is free.
    verbose : bool, default=False
        Show a progress bar and notices on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    feature_weights_ : ndarray of shape (n_features_in_,)
        Weight of every feature; zero drops it.
    selected_features_ : list of str
        Names of the features that are kept, most important first where there is an order.
    support_ : ndarray of int
        Training rows that the model keeps, in order of selection where there is one.
    best_params_ : dict
        The settings that were used.
    cv_results_ : dict
        The cross-validation table in the form of ``GridSearchCV``; absent where nothing was validated.
    best_index_, best_score_ : int, float
        The chosen row of that table and its accuracy.
    objective_, residual_ : float or None
        Objective at the solution, and how far it is from its own equations.
    converged_, n_iter_ : bool, int
        Whether the solver reached its tolerance, and after how many steps.
    path_ : list of dict
        The steps of a selection.
    notices_ : list of str
        What there is to know about the fit; empty after ``kernsieve.load``.
    model_ : Model
        The compiled model.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have any.

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
        self.estimate = estimate
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
