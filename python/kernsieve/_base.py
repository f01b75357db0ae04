"""What all estimators have in common."""

from __future__ import annotations

import inspect
import json
import numbers
import sys
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    assert_all_finite,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from . import _columns, _core
from ._cv import splits_of
from ._holds_model import HoldsModel
from ._memory import dense, memory_limit
from ._precomputed import KernelFeatures, check_square
from ._progress import ProgressBar
from ._results import assessment, chosen_params, cv_results
from ._threads import thread_count

if TYPE_CHECKING:
    from typing_extensions import Self

# Parameters that the compiled module does not get as options.
_NOT_OPTIONS = {
    "budget",
    "categorical_features",
    "class_weight",
    "cv",
    "encode",
    "estimate",
    "importances",
    "memory",
    "methods",
    "missing",
    "n_jobs",
    "random_state",
    "rare",
    "verbose",
}
# Parameters under the names that scikit-learn has for such things, in the words of the compiled module.
OPTION_NAMES = {"n_components": "components", "scoring": "score"}
# What a fit without validation does not have.
_VALIDATED = ("cv_results_", "best_index_", "best_score_", "expected_error_", "assessment_")


def default_feature_names(n: int) -> list[str]:
    """Names for unnamed columns, as the command line gives them."""
    return [f"x{j}" for j in range(n)]


def seed_of(state: Any) -> int:
    """The seed that a ``random_state`` stands for: a whole number is the seed itself, as on the command line."""
    if isinstance(state, (int, np.integer)) and not isinstance(state, bool):
        return int(state)
    return int(check_random_state(state).randint(np.iinfo(np.int32).max))


def _target_name(given: Any, features: list[str]) -> str:
    """The name of the class column in a model file, different from every feature name."""
    name = given if isinstance(given, str) and given else "class"
    while name in features:
        name += "_"
    return name


def _class_name(label: Any, classes: np.ndarray) -> str:
    """The name of a class in the compiled module; a label that is none of them is told there."""
    return next((str(known) for known in classes.tolist() if known == label), str(label))


def _is_updatable(estimator: Any) -> bool:
    return bool(getattr(estimator, "updatable", False))


class KernsieveClassifier(HoldsModel, ClassifierMixin, BaseEstimator):
    """A method of kernsieve as a scikit-learn classifier.

    A method is a subclass that names itself in ``_method`` and lists its options as parameters of ``__init__``.
    """

    _method: ClassVar[str]
    # Parameters that may be one value, which is used, or several to choose among.
    _one_or_more: ClassVar[tuple[str, ...]] = ("bandwidth",)
    # Whether kernel="precomputed" is accepted: without features there is nothing to weight, and no density.
    _takes_precomputed: ClassVar[bool] = False
    # Whether data frames may have other columns besides, in any order: a model from a file reads raw tables.
    _finds_columns: bool = False
    # Whether class weights act on the decision like costs, because row weights would hardly change it.
    _class_weight_is_cost: ClassVar[bool] = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Tune what is not given, and fit.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Training rows. A sparse matrix is made dense.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: a row of weight 2 counts twice, a row of weight 0 is left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        like: _core.Model | None = None,
        elsewhere: tuple | None = None,
        numbers: list[int] | None = None,
    ) -> Self:
        """Fit, with the setting of another model where one is given; to all rows where these are elsewhere.

        ``elsewhere`` is then what the compiled module takes, and ``numbers`` says which of all rows are given here.
        """
        threads, memory = thread_count(self.n_jobs), memory_limit(self.memory)
        options = self._options()
        target = getattr(y, "name", None)  # of a series
        precomputed = self._precomputed()
        X, y = self._training_rows(X, y, memory)
        check_classification_targets(y)
        columns = X if isinstance(X, _columns.Columns) else None
        if columns is not None:
            X = np.arange(len(y))  # the rows, until it is known which are left
        weights = self._weights(sample_weight, X, y)
        if columns is not None and self.missing == "drop":
            weights = (np.ones(len(y)) if weights is None else weights) * columns.complete()
        if precomputed:
            check_square(X)
            if getattr(self, "prepare", None) is not None:
                raise ValueError("a precomputed kernel has no features to prepare; leave prepare=None")
            if self.importances:
                raise ValueError("a precomputed kernel has no features to shuffle; leave importances=False")
        rows = kept = None
        whole = X, y
        if weights is not None:
            kept = np.flatnonzero(weights)
            if len(kept) == 0 and columns is not None and self.missing == "drop":
                raise ValueError("no row is without missing cells; missing='median' fills them")
            if len(kept) < len(weights):
                X = X[np.ix_(kept, kept)] if precomputed else X[kept]
                X, y, weights, rows = np.ascontiguousarray(X), y[kept], weights[kept], kept.tolist()
            if len(weights) == 0:
                raise ValueError("every weight is 0: no rows are left to learn the classes from")
            if (weights == 1.0).all():
                weights = None
        splits = splits_of(self.cv, *whole, kept if rows is not None else None)
        classes, codes = np.unique(y, return_inverse=True)
        # Text is a class whatever it says.
        if classes.dtype.kind in "iuf" and _core.are_measurements([str(label) for label in classes.tolist()], len(y)):
            raise ValueError(
                f"y has {len(classes)} different values in {len(y)} rows: kernsieve predicts classes, not numbers; "
                "group the values into classes, such as low and high"
            )
        if self._class_weight_is_cost and self.class_weight is not None:
            given = options.get("costs")
            costs = self._class_weights(whole[1], sample_weight)
            if given is not None:
                if len(given) != len(costs):
                    raise ValueError(f"{len(given)} costs for {len(costs)} classes; give one per class")
                costs = dict(zip(costs, np.multiply(list(costs.values()), given), strict=True))
            options["costs"] = [float(costs[label]) for label in classes.tolist()]
        if "positive" in options:
            options["positive"] = _class_name(options["positive"], classes)
        names = getattr(self, "feature_names_in_", None)
        if precomputed:
            self._features = KernelFeatures(X, kept if rows is not None else None)
            X, names = self._features.train, None
            options |= {"kernel": "linear", "standardize": False}
        if columns is not None:
            X = columns if rows is None else columns.take(X)
            names = [c.name for c in X]
        names = default_feature_names(X.shape[1]) if names is None else [str(name) for name in names]
        with ProgressBar(type(self).__name__) as bar:
            model, notices, ignored = _core.train(
                X,
                codes.astype(np.int64),
                [str(label) for label in classes.tolist()],
                names,
                self._method,
                options,
                weights=weights,
                rows=rows if numbers is None else numbers,
                splits=splits,
                target=_target_name(target, names),
                estimate=bool(self.estimate),
                importances=bool(self.importances),
                budget=getattr(self, "budget", None),
                methods=self._candidates(),
                like=like,
                missing=self.missing,
                encode=self.encode,
                rare=self.rare,
                n_jobs=threads,
                memory=memory,
                progress=bar if self.verbose else None,
                elsewhere=elsewhere,
            )
        self.notices_ = notices
        self._set_fitted(model, classes)
        self._warn(ignored)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of every row: the most probable one, or as the threshold says.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Classes.
        """
        posterior, _, _ = self._evaluate(X)
        return self.classes_[self.model_.decide(posterior)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        return self._evaluate(X)[0]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities of the classes.

        They are computed as logarithms, so they are finite even if a probability underflows to 0.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        log_p : ndarray of shape (n_samples, n_classes)
            Logarithms, in the order of ``classes_``.
        """
        _, scores, _ = self._evaluate(X)
        scores = scores - scores.max(axis=1, keepdims=True)
        return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))

    def decision_function(self, X: Any) -> np.ndarray:
        """Log scores of the classes.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes the log odds of ``classes_[1]``, less those of the threshold, so that ``predict`` is
            their sign; else one log probability, up to a constant of the row, for each class.
        """
        posterior, scores, _ = self._evaluate(X)
        scores = scores + np.array(self.model_.offsets)
        if len(self.classes_) > 2:
            return scores
        odds = scores[:, 1] - scores[:, 0]
        # The class is decided by probabilities: differences too small to show in them must not contradict it.
        is_second = self.model_.decide(posterior) == 1
        return np.where(is_second, np.maximum(odds, np.finfo(float).tiny), np.minimum(odds, 0.0))

    def get_support(self, indices: bool = False) -> np.ndarray:
        """Which features are kept.

        Parameters
        ----------
        indices : bool, default=False
            Whether to give positions in place of a mask.

        Returns
        -------
        support : ndarray
            A mask of shape (n_features_in_,), or the positions of the features whose weight is not 0.
        """
        check_is_fitted(self)
        if self._precomputed():
            raise ValueError("a precomputed kernel has no features to keep")
        mask = self.feature_weights_ != 0
        widths = [width for _, width in self.model_.columns]
        if not self.model_.is_plain:
            # A column is kept if any feature made of it is.
            mask = np.array([part.any() for part in np.split(mask, np.cumsum(widths)[:-1])])
        return np.flatnonzero(mask) if indices else mask

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._precomputed()
        tags.input_tags.pairwise = self._precomputed()
        tags.input_tags.allow_nan = getattr(self, "missing", "error") != "error"
        return tags

    @available_if(_is_updatable)
    def update(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take in further rows without starting over, where ``updatable=True``.

        Coefficients, class means and priors are then those of a fit on all rows with the same retained samples.
        Scaling, kernel, samples, calibration and the cross-validated error stay those of the first fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Further rows.
        y : array-like of shape (n_samples,)
            Their classes; a class that is new needs a new fit.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights, above 0.

        Returns
        -------
        self : object
            The estimator.
        """
        check_is_fitted(self)
        if self._precomputed():
            raise ValueError("rows cannot be added to a precomputed kernel: its samples are known by position only")
        rows = self._rows_for_model(X)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        known = {label: code for code, label in enumerate(self.classes_.tolist())}
        new = [label for label in y.tolist() if label not in known]
        if new:
            raise ValueError(f"the model knows no class {new[0]!r}; a class that is new needs a new fit")
        codes = np.array([known[label] for label in y.tolist()], dtype=np.int64)
        weights = None if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
        self._set_fitted(self.model_.updated(rows, codes, weights), self.classes_)
        return self

    def _check_portable(self) -> None:
        if self._precomputed():
            raise ValueError(
                "a model with a precomputed kernel has no file and no graph, because only the caller can compute "
                "the kernel; pickle keeps it"
            )

    def _precomputed(self) -> bool:
        return self._takes_precomputed and getattr(self, "kernel", None) == "precomputed"

    def _evaluate(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Probabilities, log scores and outputs."""
        check_is_fitted(self)
        rows = self._rows_for_model(X)
        if self._precomputed():
            rows = self._features.of(rows)
        posterior, scores, outputs = self.model_.predict(rows, thread_count(self.n_jobs))
        # Scores of rows that are very far out overflow; the probabilities are still valid.
        lost = ~np.isfinite(scores).all(axis=1)
        if lost.any():
            scores[lost] = np.log(np.maximum(posterior[lost], np.finfo(float).tiny))
        return posterior, scores, outputs

    def _rows_for_model(self, X: Any) -> Any:
        """Rows as the model reads them: a matrix where features are numbers, else columns."""
        if self.model_.is_plain and not (self._finds_columns and _columns.is_frame(X)):
            X = validate_data(self, X, reset=False, dtype=np.float64, order="C", accept_sparse="csr")
            return dense(X, memory_limit(self.memory))
        return self._columns_for_model(X)

    def _training_rows(self, X: Any, y: Any, memory: int | None) -> tuple[Any, np.ndarray]:
        """Rows and classes: a matrix where features are numbers, else columns."""
        if y is not None and not self._precomputed():
            columns = _columns.columns_of(X, self.categorical_features)
            if columns and not columns.is_plain():
                if self.missing == "error":
                    columns.check_gaps(type(self).__name__)
                self.n_features_in_ = len(columns)
                self.__dict__.pop("feature_names_in_", None)
                if _columns.is_frame(X):
                    self.feature_names_in_ = np.array(_columns.names_of(X), dtype=object)
                y = column_or_1d(y, warn=True)
                check_consistent_length(columns[0].missing(), y)
                assert_all_finite(y, input_name="y")
                if len(y) < 2:
                    raise ValueError(f"Found array with {len(y)} sample(s) while a minimum of 2 is required.")
                return columns, y
        X, y = validate_data(
            self,
            X,
            y,
            dtype=np.float64,
            order="C",
            accept_sparse="csr",
            ensure_min_samples=2,
            ensure_min_features=1,
            ensure_all_finite="allow-nan",
        )
        X = dense(X, memory)
        if not self._precomputed() and self.missing != "error":
            return _columns.of_matrix(X, self._input_names()), y
        if np.isnan(X).any():
            _columns.of_matrix(X, self._input_names()).check_gaps(type(self).__name__)
        return X, y

    def _input_names(self) -> list[str]:
        """Names of the columns of X."""
        names = getattr(self, "feature_names_in_", None)
        return default_feature_names(self.n_features_in_) if names is None else [str(name) for name in names]

    def _columns_for_model(self, X: Any) -> _columns.Columns:
        """The columns that the model reads, found by name where they have names."""
        names = [name for name, _ in self.model_.columns]
        if _columns.is_frame(X):
            own = _columns.names_of(X)
            absent = [name for name in names if name not in own]
            if absent:
                raise ValueError(f"X lacks columns that the model reads: {', '.join(absent)}")
            X = _columns.select(X, names)
            columns = _columns.columns_of(X, self.categorical_features)
        elif self.categorical_features is not None:
            columns = _columns.columns_of(X, self.categorical_features)
        else:
            # The names are for files.
            X = validate_data(
                self, X, reset=False, dtype=np.float64, order="C", accept_sparse="csr", ensure_all_finite="allow-nan"
            )
            columns = _columns.of_matrix(dense(X, memory_limit(self.memory)), names)
        if len(columns) != len(names):
            raise ValueError(f"X has {len(columns)} features, but {type(self).__name__} is expecting {len(names)}")
        if self.model_.missing in ("error", "drop"):
            columns.check_gaps(type(self).__name__)
        return columns

    def _candidates(self) -> list[str] | None:
        """Names of the methods to choose among, where there is a choice."""
        return None

    def _options(self) -> dict[str, Any]:
        """The parameters in the words of the compiled module."""
        options: dict[str, Any] = {"seed": seed_of(self.random_state)}
        defaults = {name: p.default for name, p in inspect.signature(type(self)).parameters.items()}
        for name, value in self.get_params(deep=False).items():
            # Parameters at their defaults do not count as given.
            if name in _NOT_OPTIONS or (type(value) is type(defaults[name]) and value == defaults[name]):
                continue
            if name in self._one_or_more and np.ndim(value) == 1:
                name = f"{name}s"
            options[OPTION_NAMES.get(name, name)] = value
        if isinstance(self.cv, numbers.Integral):
            options["folds"] = int(self.cv)
        return options

    def _weights(self, sample_weight: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray | None:
        if sample_weight is None and self.class_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, copy=True, ensure_non_negative=True)
        if self.class_weight is not None:
            by_class = self._class_weights(y, sample_weight)
            by_row = np.array([by_class[label] for label in y.tolist()])
            # A class of weight 0 is left out in either case.
            weights *= by_row > 0 if self._class_weight_is_cost else by_row
        return weights

    def _class_weights(self, y: np.ndarray, sample_weight: Any) -> dict[Any, float]:
        """The weight of every class; balanced ones by the weights of the rows, so that a row of weight 0 does not count."""
        classes, codes = np.unique(y, return_inverse=True)
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            totals = np.bincount(codes, None if sample_weight is None else np.asarray(sample_weight, dtype=float))
            present = totals > 0
            values = np.where(present, totals.sum() / (present.sum() * np.where(present, totals, 1.0)), 0.0)
        else:
            values = compute_sample_weight(self.class_weight, classes)
        for label, value in zip(classes.tolist(), values, strict=True):
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"class_weight of {label!r} is {value}; weights are finite and 0 or more")
        return dict(zip(classes.tolist(), values.tolist(), strict=True))

    def _set_fitted(self, model: _core.Model, classes: np.ndarray) -> None:
        record = json.loads(model.record())
        report = record["report"]
        self.model_ = model
        self.classes_ = classes
        self.feature_weights_ = model.feature_weights
        self.selected_features_ = record["selected_features"]
        self.support_ = np.array(report["retained_rows"], dtype=np.intp)
        self.best_params_ = chosen_params(record["candidate"])
        self.objective_ = report["objective"]
        self.residual_ = report["residual"]
        self.converged_ = report["converged"]
        self.n_iter_ = report["iterations"]
        self.path_ = report.get("path", [])
        # An earlier fit may have left its table.
        for name in _VALIDATED:
            self.__dict__.pop(name, None)
        self.threshold_ = None if model.threshold is None else model.threshold[1]
        self.positive_ = None if record["positive"] is None else classes[record["positive"]]
        if record["cv"] is not None:
            self.cv_results_ = cv_results(record["cv"]["grid"])
            self.best_index_ = record["cv"]["chosen"]
            self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
            # The table counts the scores, which decide otherwise where probabilities lean on shares.
            if (calibrated := record["cv"].get("calibrated")) is not None:
                self.best_score_ = 1.0 - calibrated["error"]
        if record["expected_error"] is not None:
            self.expected_error_ = record["expected_error"]
        if record.get("assessment") is not None:
            self.assessment_ = assessment(record["assessment"], classes)
        self._set_measured(model, record)

    def _set_measured(self, model: _core.Model, record: dict[str, Any]) -> None:
        """Set what only some models have: coefficients, and importances."""
        for name in ("coef_", "intercept_", "feature_importances_", "feature_importances_std_"):
            self.__dict__.pop(name, None)
        # The features of a precomputed kernel are not those of the caller.
        linear = None if self._precomputed() else model.linear()
        if linear is not None:
            self.coef_, self.intercept_ = linear
        if record.get("importances"):
            n = len(self.feature_weights_)
            self.feature_importances_, self.feature_importances_std_ = np.zeros(n), np.zeros(n)
            for entry in record["importances"]:
                self.feature_importances_[entry["feature"]] = entry["log_loss"]
                self.feature_importances_std_[entry["feature"]] = entry["log_loss_se"]

    def _warn(self, ignored: list[str]) -> None:
        name = type(self).__name__
        if ignored:
            told = f"{name} does not use these parameters with the given settings: {', '.join(ignored)}"
            warnings.warn(told, UserWarning, stacklevel=4)
        if not self.converged_:
            told = "; ".join(self.notices_) or "a larger ridge or a smaller bandwidth may help"
            warnings.warn(f"{name} did not converge: {told}", ConvergenceWarning, stacklevel=4)
        if self.verbose:
            for notice in self.notices_:
                print(f"{name}: {notice}", file=sys.stderr)


class KernsieveDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernsieveClassifier):
    """A method whose outputs are coordinates that tell the classes apart, which makes it a transformer as well."""

    _class_weight_is_cost = True

    def transform(self, X: Any) -> Any:
        """Canonical variates, or discriminant scores, of every row.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_outputs)
            The most telling coordinate first; at most one less than there are classes.
        """
        return self._evaluate(X)[2]

    @property
    def _n_features_out(self) -> int:
        return self.model_.n_outputs
