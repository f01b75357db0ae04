"""Discriminant analysis with the kernel of class posteriors.

Generated from the catalogue of methods by `cargo xtask generate`: edit that, not this.
"""

from __future__ import annotations

from .._base import KernsieveDiscriminant


class L1DKF(KernsieveDiscriminant):
    """Discriminant analysis with the kernel of class posteriors.

    Discriminant analysis with the discriminant kernel of sparse class posteriors: one lasso per
    class, or another estimate. [Hidaka & Kurita 2012]

    Parameters
    ----------
    posterior : {'l1', 'logistic', 'klr', 'parzen'}, default="l1"
        Use the discriminant kernel of these class posteriors as the kernel; klr and parzen
        posteriors use ``kernel`` themselves.
    sparsity : float, default=None
        L1 penalty on the coefficients of l1 and logistic posteriors, lambda. ``None``: tuned.
    l1_ratio : float, default=1.0
        Share of the L1 norm in the penalty of l1 and logistic posteriors; the rest is half the
        squared norm (elastic net; 0 is ridge regression).
    simplex : {'clip', 'project', 'softmax', 'none'}, default="clip"
        How the outputs of l1 posteriors are mapped to the simplex; none leaves them as they are.
    kernel : {'linear', 'gaussian', 'polynomial', 'sigmoid', 'laplacian', 'radial-laplacian', 'cauchy'}, default="gaussian"
        Kernel.
    bandwidth : float or sequence of floats, default=None
        Bandwidth b of the kernel, exp(-|x-x'|^2 / (2 b^2)) for the Gaussian. One value is used,
        several are chosen among. ``None``: tuned.
    degree : int, default=3
        Degree of the polynomial kernel, (1 + <x,x'>)^degree.
    slope : float, default=None
        Slope of the sigmoid kernel, tanh(slope <x,x'> + shift). ``None``: 1 / number of features.
    shift : float, default=0.0
        Shift of the sigmoid kernel.
    ridge : float or sequence of floats, default=None
        Squared-norm penalty of klr posteriors. One value is used, several are chosen among.
        ``None``: tuned.
    max_support : int, default=None
        Keep at most N samples in klr posteriors. ``None``: all.
    mapping : {'lda', 'onda'}, default="lda"
        Discriminant analysis with the kernel, or Otsu's optimum mapping of the posteriors.
    metric : {'within', 'total'}, default="within"
        Covariance in which the nearest mean is found; total (with uniform ``priors``) is the rule
        of Hidaka & Kurita.
    n_components : int, default=None
        Canonical variates to keep. ``None``: number of classes - 1.
    priors : {'empirical', 'uniform'} or sequence of floats, default="empirical"
        Class priors of the decision rule: the shares in the training rows, equal ones, or one per
        class in the order of the classes.
    costs : sequence of floats, default=None
        Cost of an error on a row of each class, in the order of the classes (sorted): the class
        of least expected cost is predicted, and probabilities are weighed by the costs. ``None``:
        all equal.
    class_weight : dict or 'balanced', default=None
        Weights of the classes. They multiply the probabilities, as ``costs`` do.
    standardize : bool, default=True
        Scale features to zero mean and unit variance on the training rows.
    prepare : {'standardize', 'scores'}, default=None
        Prepare features by zero mean and unit variance, or by normal scores, which depend on the
        order of the values alone: for skewed features and outliers. ``None``: standardize; sieve:
        chosen by the data.
    calibrate : bool, default=True
        Give the probabilities the temperature of least cross-validated log loss, where the method
        does not fit probabilities itself.
    prefer : {'accuracy', 'small'}, default="accuracy"
        The least error, or a small model that costs little: sieve keeps few features and samples
        that cost at most about a point of error, other methods take the simplest setting within
        one standard error, and auto the smallest model within one.
    scoring : {'error', 'log-loss', 'balanced', 'auc', 'f1', 'mcc'}, default=None
        What settings and methods are chosen for, measured on held-out rows: error, log loss,
        balanced accuracy, area below the ROC curve, F1 or Matthews' correlation. ``None``: error;
        klr, fivm: error plus log loss; sieve: its own.
    threshold : float or str, default=None
        Two classes: call a row positive if that probability is at least T, or at least a value
        found on held-out rows: best:f1 (or balanced, mcc, error), precision:P, recall:R, or cost
        (with ``costs``, which then leave the probabilities as they are). ``None``: none: the more
        probable class.
    positive : class label, default=None
        Two classes: the class that ``threshold``, precision, recall and F1 are about. ``None``:
        the second of two classes.
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
    importances : bool, default=False
        Measure what each feature is worth, for ``feature_importances_``: the folds are fitted
        once more at the chosen setting, on 1000 rows at most.
    random_state : int, RandomState instance or None, default=0
        Seed of everything random.
    n_jobs : int, default=None
        Threads. ``None``: all cores, and one inside a joblib worker. The result does not depend
        on it.
    memory : int or str, default=None
        Bytes that large matrices may take, such as ``'4G'``. ``None``: most of what is free.
    missing : {'error', 'drop', 'mean', 'median', 'indicator'}, default="error"
        What to do with missing cells: stop, leave out the row, or fill them by the mean or the
        median of the training rows of every fold; with 'indicator' a further feature says where.
    encode : {'one-hot', 'target'}, default="one-hot"
        How categories become numbers: one 0/1 feature per level, or the shares of the classes
        among the rows of the level. Two levels are one feature in either case.
    rare : int, default=None
        Levels of fewer training rows share one state, as unknown ones do. ``None``: a
        two-hundredth of the rows, 1 to 10.
    categorical_features : sequence of str, int or bool, default=None
        Columns that are categories although they hold numbers. Text is categories anyway.
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
        The chosen row of that table and its accuracy, also where ``scoring`` names another
        measure: ``criterion`` has the values of that, as something to make small.
    expected_error_ : dict
        The ``error`` to expect on new rows, from ``low`` to ``high`` (95 %): that of held-out
        rows and what the choice of a setting flatters it by. Absent if nothing was validated.
    assessment_ : dict
        How held-out rows fared with calibration, costs and threshold: ``error``, ``log_loss``,
        ``auc``, ``balanced_accuracy``, ``f1``, ``mcc``, the ``baseline`` of always saying the
        largest class and, for two classes, ``cutting``: recall and precision at several
        thresholds. Absent if nothing was validated.
    threshold_, positive_ : float or None, class label or None
        The least probability at which a row is called positive, if there is a threshold, and the
        positive one of two classes.
    objective_, residual_ : float or None
        Objective at the solution, and how far it is from its own equations.
    converged_, n_iter_ : bool, int
        Whether the solver reached its tolerance, and after how many steps.
    path_ : list of dict
        The steps of a selection.
    feature_importances_ : ndarray of shape (n_features_in_,)
        By how much the log loss of rows that a fit has not seen grows when the feature is
        shuffled; zero for features that are not kept. Absent without ``importances``, and if
        nothing was validated.
    feature_importances_std_ : ndarray of shape (n_features_in_,)
        Their standard errors.
    coef_, intercept_ : ndarray of shape (1, n_features_in_) or (n_classes, n_features_in_), ndarray
        Coefficients of log scores that are linear in the features, up to a term that all classes
        share; with two classes, of the log odds of the second. Absent if the scores are not
        linear.
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
    >>> from kernsieve import L1DKF
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = L1DKF().fit(X, y)
    >>> bool(model.score(X, y) > 0.8)
    True
    """

    _method = "l1-dkf"
    _one_or_more = ("bandwidth", "ridge")

    def __init__(
        self,
        *,
        posterior="l1",
        sparsity=None,
        l1_ratio=1.0,
        simplex="clip",
        kernel="gaussian",
        bandwidth=None,
        degree=3,
        slope=None,
        shift=0.0,
        ridge=None,
        max_support=None,
        mapping="lda",
        metric="within",
        n_components=None,
        priors="empirical",
        costs=None,
        class_weight=None,
        standardize=True,
        prepare=None,
        calibrate=True,
        prefer="accuracy",
        scoring=None,
        threshold=None,
        positive=None,
        rule="min",
        validation="cv",
        folds=5,
        cv=None,
        estimate=True,
        importances=False,
        random_state=0,
        n_jobs=None,
        memory=None,
        missing="error",
        encode="one-hot",
        rare=None,
        categorical_features=None,
        verbose=False,
    ):
        self.posterior = posterior
        self.sparsity = sparsity
        self.l1_ratio = l1_ratio
        self.simplex = simplex
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.degree = degree
        self.slope = slope
        self.shift = shift
        self.ridge = ridge
        self.max_support = max_support
        self.mapping = mapping
        self.metric = metric
        self.n_components = n_components
        self.priors = priors
        self.costs = costs
        self.class_weight = class_weight
        self.standardize = standardize
        self.prepare = prepare
        self.calibrate = calibrate
        self.prefer = prefer
        self.scoring = scoring
        self.threshold = threshold
        self.positive = positive
        self.rule = rule
        self.validation = validation
        self.folds = folds
        self.cv = cv
        self.estimate = estimate
        self.importances = importances
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.missing = missing
        self.encode = encode
        self.rare = rare
        self.categorical_features = categorical_features
        self.verbose = verbose
