"""Sparse kernel optimal scoring: features get weights, most of them zero."""

from __future__ import annotations

from .._base import KernsieveDiscriminant


class SparseKOS(KernsieveDiscriminant):
    """Sparse kernel optimal scoring: features get weights, most of them zero.

    A weight from 0 to 1 for every feature inside the kernel, and a penalty that drops the useless ones (Lapanowski
    & Gaynanova 2019).

    Parameters
    ----------
    kernel : {'gaussian', 'laplacian', 'cauchy', 'polynomial', 'linear', 'sigmoid'}, default='gaussian'
        Kernel family.
    bandwidth : float or sequence of floats, default=None
        Width ``b`` of the kernel, ``exp(-|x - x'|^2 / (2 b^2))`` for the Gaussian. One value is used, several are
        chosen among, ``None`` chooses on a grid.
    degree : int, default=3
        Degree of the polynomial kernel ``(1 + <x, x'>)^degree``.
    slope : float, default=None
        Slope of the sigmoid kernel ``tanh(slope <x, x'> + shift)``; ``None`` is one over the number of features.
    shift : float, default=0.0
        Shift of the sigmoid kernel.
    ridge : float, default=None
        Squared-norm penalty; ``None`` is tuned.
    ridge_rule : {'stabilization', 'stabilization-literal', 'gcv', 'cv'}, default='stabilization'
        How the ridge is found when it is not given: by shrinkage of the Gram matrix (the second as printed in the
        paper), by generalised cross-validation, or by cross-validation.
    mahalanobis : bool, default=False
        Measure the distance to the centroids in the within-class covariance.
    sparsity : float, default=None
        L1 penalty on the feature weights; ``None`` is tuned.
    spacing : {'log', 'linear'}, default='log'
        Spacing of the penalties that are tried.
    weight_steps : {'projected', 'linearised'}, default='projected'
        How the weights are moved; 'linearised' is the algorithm of the paper with a line search.
    restarts : int, default=0
        Starts at the penalty itself besides the path, of which the one of least objective is kept.
    vote : bool, default=True
        Let the folds vote on the features.
    candidates : int, default=None
        So many landmarks carry the function, for many rows; ``None`` is all rows.
    landmarks : {'sample', 'ols'}, default='sample'
        How the landmarks are found: drawn by class, or by orthogonal least squares.
    priors : {'empirical', 'uniform'} or sequence of floats, default='empirical'
        Class priors of the decision rule; given ones are in the order of ``classes_``.
    costs : sequence of floats, default=None
        What an error on a row of each class costs, in the order of ``classes_``: probabilities are weighed by it, so
        that the class of least expected cost is predicted. ``None`` is all alike.
    class_weight : dict or 'balanced', default=None
        Weights of the classes, which multiply those of the rows.
    standardize : bool, default=True
        Scale features to zero mean and unit variance on the training rows.
    calibrate : bool, default=True
        Give the probabilities the temperature of least cross-validated log loss.
    rule : {'min', '1se'}, default='min'
        Take the setting of least error, or the simplest within one standard error of it.
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
        self.estimate = estimate
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
