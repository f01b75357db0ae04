"""The choice of a method."""

from __future__ import annotations

import json

from ._base import KernsieveClassifier


class AutoClassifier(KernsieveClassifier):
    """The method of kernsieve that suits the data, chosen by cross-validation.

    A few fast methods (sieve, klr, l1-dkf, lda), or those that are named, are tuned on the same folds. The one of least
    cross-validated error plus half the log loss of held-out rows is taken, where the error of a large search is raised
    by what the search flatters it by. With ``prefer='small'`` it is the smallest model within one standard error of the
    least error. Of more than five methods there are several rounds if there are many rows, and the worse half leaves
    after each.

    Parameters
    ----------
    kernel : {'gaussian', 'laplacian', 'cauchy', 'polynomial', 'linear', 'sigmoid'}, default=None
        Kernel; methods that cannot use it are left out. ``None``: Gaussian.
    budget : float, default=None
        Seconds after which no other method is started and the current one is stopped; the first method always finishes.
        ``None``: no limit.
    methods : list of str or 'thorough', default=None
        Methods to choose among, by their names on the command line, or all that are fit for it. ``None``: a few fast
        ones; others, if none of those takes the given parameters.
    priors : {'empirical', 'uniform'} or sequence of floats, default="empirical"
        Class priors of the decision rule: the shares in the training rows, equal ones, or one per class in the order of
        ``classes_``.
    costs : sequence of floats, default=None
        Cost of an error on a row of each class, in the order of ``classes_``. Probabilities are weighed by the costs,
        so that the class of least expected cost is predicted. ``None``: all equal.
    class_weight : dict or 'balanced', default=None
        Weights of the classes. They multiply the probabilities, as ``costs`` do.
    standardize : bool, default=True
        Scale features to zero mean and unit variance on the training rows.
    prepare : {'standardize', 'scores'}, default=None
        Prepare features by zero mean and unit variance, or by normal scores, which depend on the order of the values
        alone: for skewed features and outliers. ``None``: standardize; sieve: chosen by the data.
    prefer : {'accuracy', 'small'}, default="accuracy"
        The most accurate method, or the smallest model within one standard error of the least error; settings of a
        method are chosen in the same spirit.
    scoring : {'error', 'log-loss', 'balanced', 'auc', 'f1', 'mcc'}, default=None
        What settings and methods are chosen for, measured on held-out rows: error, log loss, balanced accuracy, area
        below the ROC curve, F1 or Matthews' correlation. ``None``: error and log loss.
    threshold : float or str, default=None
        Two classes: call a row positive if that probability is at least this, or at least a value found on held-out
        rows: 'best:f1' (or balanced, mcc, error), 'precision:0.9', 'recall:0.8', or 'cost' (with ``costs``, which then
        leave the probabilities as they are). ``None``: the more probable class.
    positive : class label, default=None
        Two classes: the class that ``threshold``, precision, recall and F1 are about. ``None``: the second of two
        classes.
    rule : {'min', '1se'}, default="min"
        Take the setting of least error, or the simplest within one standard error of it.
    validation : {'cv', 'split'}, default="cv"
        Validate settings on all folds, or on the first only.
    folds : int, default=5
        Folds of the cross-validation: stratified, shuffled by ``random_state``.
    cv : int, splitter or iterable of (train, test), default=None
        Folds as scikit-learn names them: a number does as ``folds`` does, a splitter or a list of
        splits is used as it is, so that rows of one patient, say, can be held out together.
        ``None``: as ``folds`` says.
    importances : bool, default=True
        Measure what each feature is worth to the method that is taken.
    random_state : int, RandomState instance or None, default=0
        Seed of everything random; a whole number is the seed of the command line.
    n_jobs : int, default=None
        Threads. ``None``: all cores, and one inside a joblib worker. The result does not depend on
        it.
    memory : int or str, default=None
        Bytes that large matrices may take, such as ``'4G'``. ``None``: most of what is free.
    missing : {'error', 'drop', 'mean', 'median', 'indicator'}, default="error"
        What to do with missing cells: stop, leave out the row, or fill them by the mean or the median of the training
        rows of every fold; with 'indicator' a further feature says where.
    encode : {'one-hot', 'target'}, default="one-hot"
        How categories become numbers: one 0/1 feature per level, or the shares of the classes among the rows of the
        level. Two levels are one feature in either case.
    rare : int, default=None
        Levels of fewer training rows share one state, as unknown ones do. ``None``: a two-hundredth of the rows, 1 to
        10.
    categorical_features : sequence of str, int or bool, default=None
        Columns that are categories although they hold numbers. Text is categories anyway.
    verbose : bool, default=False
        Show a progress bar and notices on standard error.

    Attributes
    ----------
    method_ : str
        The method that was taken.
    why_ : str
        Why, in words.
    methods_ : list of dict
        Every method that was tried, with its rows, error, log loss, optimism, standard error, size and a note; with
        ``scoring`` also its score, as something to make small.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    feature_weights_ : ndarray of shape (n_features_in_,)
        Weight of every feature; zero drops it.
    selected_features_ : list of str
        Names of the features that are kept, most important first if there is an order.
    support_ : ndarray of int
        Training rows that the model keeps, in order of selection if there is one.
    best_params_, cv_results_, best_index_, best_score_, objective_, residual_, converged_, n_iter_
        Of the method that was taken; see the estimator of that method.
    expected_error_, assessment_, threshold_, positive_ : dict, dict, float or None, class label or None
        The same.
    feature_importances_, feature_importances_std_ : ndarray of shape (n_features_in_,)
        By how much the log loss of rows that a fit has not seen grows when the feature is shuffled, and the standard
        errors; absent with ``importances=False``.
    coef_, intercept_ : ndarray of shape (1, n_features_in_) or (n_classes, n_features_in_), ndarray
        Coefficients of the log scores, where the method that was taken is linear in the features.
    notices_ : list of str
        What there is to know about the fit; empty after ``kernsieve.load``.
    model_ : Model
        The compiled model.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features_in_,)
        Number of features, and their names, where they have any.

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
    # Methods are compared by cross-validation, so there is always a table.
    estimate = True

    def __init__(
        self,
        *,
        kernel=None,
        budget=None,
        methods=None,
        priors="empirical",
        costs=None,
        class_weight=None,
        standardize=True,
        prepare=None,
        prefer="accuracy",
        scoring=None,
        threshold=None,
        positive=None,
        rule="min",
        validation="cv",
        folds=5,
        cv=None,
        importances=True,
        random_state=0,
        n_jobs=None,
        memory=None,
        missing="error",
        encode="one-hot",
        rare=None,
        categorical_features=None,
        verbose=False,
    ):
        self.kernel = kernel
        self.budget = budget
        self.methods = methods
        self.priors = priors
        self.costs = costs
        self.class_weight = class_weight
        self.standardize = standardize
        self.prepare = prepare
        self.prefer = prefer
        self.scoring = scoring
        self.threshold = threshold
        self.positive = positive
        self.rule = rule
        self.validation = validation
        self.folds = folds
        self.cv = cv
        self.importances = importances
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.missing = missing
        self.encode = encode
        self.rare = rare
        self.categorical_features = categorical_features
        self.verbose = verbose

    def _candidates(self):
        if self.methods is None:
            return None
        names = [self.methods] if isinstance(self.methods, str) else [str(name) for name in self.methods]
        if not names:
            raise ValueError("methods names none; leave methods=None for a few fast ones")
        return names

    def _set_fitted(self, model, classes):
        super()._set_fitted(model, classes)
        record = json.loads(model.record())
        self.method_ = model.method
        self.why_ = record["auto"]["why"]
        self.methods_ = record["auto"]["entries"]
