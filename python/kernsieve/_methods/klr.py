"""Kernel logistic regression.

Generated from the catalogue of methods by `cargo xtask generate`: edit that, not this.
"""

from __future__ import annotations

from .._base import KernsieveClassifier


class KLR(KernsieveClassifier):
    """Kernel logistic regression.

    Kernel logistic regression: probabilities by maximum likelihood. It keeps few samples with
    ``max_support`` (Zhu & Hastie 2005). [Ghosh & Wang 2015, Zhu & Hastie 2005]

    Parameters
    ----------
    kernel : {'linear', 'gaussian', 'polynomial', 'laplacian', 'radial-laplacian', 'cauchy', 'precomputed'}, default="gaussian"
        Kernel. With 'precomputed', ``X`` holds kernel values of the rows with the training rows.
    bandwidth : float or sequence of floats, default=None
        Bandwidth b of the kernel, exp(-|x-x'|^2 / (2 b^2)) for the Gaussian. One value is used,
        several are chosen among. ``None``: tuned.
    degree : int, default=3
        Degree of the polynomial kernel, (1 + <x,x'>)^degree.
    ridge : float or sequence of floats, default=None
        Squared-norm penalty, lambda. One value is used, several are chosen among. ``None``:
        tuned.
    max_support : int, default=None
        Keep at most N samples in the model. ``None``: all.
    posterior : {'l1', 'logistic', 'klr', 'parzen'}, default=None
        Use the discriminant kernel of these class posteriors as the kernel; klr and parzen
        posteriors use ``kernel`` themselves. ``None``: none.
    sparsity : float, default=None
        L1 penalty on the coefficients of l1 and logistic posteriors, lambda. ``None``: tuned.
    l1_ratio : float, default=1.0
        Share of the L1 norm in the penalty of l1 and logistic posteriors; the rest is half the
        squared norm (elastic net).
    simplex : {'clip', 'project', 'softmax', 'none'}, default="clip"
        How the outputs of l1 posteriors are mapped to the simplex; none leaves them as they are.
    priors : {'empirical', 'uniform'} or sequence of floats, default="empirical"
        Class priors of the decision rule: the shares in the training rows, equal ones, or one per
        class in the order of the classes.
    costs : sequence of floats, default=None
        Cost of an error on a row of each class, in the order of the classes (sorted): the class
        of least expected cost is predicted, and probabilities are weighed by the costs. ``None``:
        all equal.
    class_weight : dict or 'balanced', default=None
        Weights of the classes, which multiply those of the rows.
    standardize : bool, default=True
        Scale features to zero mean and unit variance on the training rows.
    prepare : {'standardize', 'scores'}, default=None
        Prepare features by zero mean and unit variance, or by normal scores, which depend on the
        order of the values alone: for skewed features and outliers. ``None``: standardize; sieve:
        chosen by the data.
    rule : {'min', '1se'}, default="min"
        Pick the setting of least cross-validated error (klr, fivm: error plus log loss), or the
        sparsest (then smoothest) within one standard error of it.
    validation : {'cv', 'split', 'loo'}, default="cv"
        Validate settings on all folds, on the first fold only (split), or (smkda) by leaving out
        each row in turn, from one fit.
    folds : int, default=5
        Folds of the cross-validation.
    cv : int, splitter or iterable of (train, test), default=None
        Folds as in scikit-learn: a number acts like ``folds``, a splitter or a list of splits is
        used as it is, so that rows of one patient, say, can be held out together. ``None``: as
        ``folds`` says.
    estimate : bool, default=True
        Cross-validate even when there is nothing to tune, for ``cv_results_`` and calibrated
        probabilities.
    random_state : int, RandomState instance or None, default=0
        Seed of everything random.
    n_jobs : int, default=None
        Threads. ``None``: all cores, and one inside a joblib worker. The result does not depend
        on it.
    memory : int or str, default=None
        Bytes that large matrices may take, such as ``'4G'``. ``None``: most of what is free.
    verbose : bool, default=False
        Show a progress bar and notices on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    feature_weights_ : ndarray of shape (n_features_in_,)
        Weight of every feature; zero drops it.
    selected_features_ : list of str
        Names of the features that are kept, most important first if there is an order.
    support_ : ndarray of int
        Training rows that the model keeps, in order of selection if there is one.
    best_params_ : dict
        The settings that were used.
    cv_results_ : dict
        The cross-validation table in the form of ``GridSearchCV``; absent if nothing was
        validated.
    best_index_, best_score_ : int, float
        The chosen row of that table and its accuracy.
    objective_, residual_ : float or None
        Objective at the solution, and how far it is from its own equations.
    converged_, n_iter_ : bool, int
        Whether the solver reached its tolerance, and after how many steps.
    path_ : list of dict
        The steps of a selection.
    notices_ : list of str
        Notices about the fit; empty after ``kernsieve.load``.
    model_ : Model
        The compiled model.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if they have any.

    Examples
    --------
    >>> from kernsieve import KLR
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = KLR().fit(X, y)
    >>> bool(model.score(X, y) > 0.8)
    True
    """

    _method = "klr"
    _takes_precomputed = True
    _one_or_more = ("bandwidth", "ridge")

    def __init__(
        self,
        *,
        kernel="gaussian",
        bandwidth=None,
        degree=3,
        ridge=None,
        max_support=None,
        posterior=None,
        sparsity=None,
        l1_ratio=1.0,
        simplex="clip",
        priors="empirical",
        costs=None,
        class_weight=None,
        standardize=True,
        prepare=None,
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
        self.ridge = ridge
        self.max_support = max_support
        self.posterior = posterior
        self.sparsity = sparsity
        self.l1_ratio = l1_ratio
        self.simplex = simplex
        self.priors = priors
        self.costs = costs
        self.class_weight = class_weight
        self.standardize = standardize
        self.prepare = prepare
        self.rule = rule
        self.validation = validation
        self.folds = folds
        self.cv = cv
        self.estimate = estimate
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
