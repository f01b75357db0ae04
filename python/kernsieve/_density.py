"""Kernel densities on few samples."""

from __future__ import annotations

import json
import sys
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _core
from ._base import default_feature_names, seed_of
from ._holds_model import HoldsModel
from ._memory import dense, memory_limit
from ._progress import ProgressBar
from ._threads import thread_count

if TYPE_CHECKING:
    from typing_extensions import Self


class L2Density(HoldsModel, DensityMixin, BaseEstimator):
    """L2 kernel density estimate: few samples with weights in place of all of them.

    The weights are those of least leave-one-out integrated squared error, most of them zero (Kim & Scott 2010, section
    3.5); the bandwidth is chosen by cross-validation.

    Parameters
    ----------
    kernel : {'gaussian', 'laplacian', 'radial-laplacian', 'cauchy'}, default='gaussian'
        Kernel family.
    bandwidth : float or sequence of floats, default=None
        Width of the kernel, in standard deviations of the features unless ``standardize=False``. One value is used,
        several are chosen among, ``None`` chooses on a grid.
    criterion : {'ise', 'likelihood'}, default='ise'
        Choose the bandwidth by the cross-validated integrated squared error, or by the mean log density of held-out
        rows.
    folds : int, default=5
        Folds of the cross-validation.
    standardize : bool, default=True
        Scale features to zero mean and unit variance before distances are taken. Densities are still in the units of
        the data.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds; a whole number is the seed of the command line.
    n_jobs : int, default=None
        Threads; ``None`` is all cores, and one inside a joblib worker. The result does not depend on it.
    memory : int or str, default=None
        Bytes that large matrices may take, such as ``'4G'``; ``None`` is most of what is free.
    verbose : bool, default=False
        Show a progress bar and notices on standard error.

    Attributes
    ----------
    support_ : ndarray of int
        Training rows with a weight, heaviest first.
    weights_ : ndarray of float
        Their weights, which sum to 1.
    bandwidth_ : float
        The bandwidth that was used.
    loo_ise_, equal_loo_ise_ : float or None
        Leave-one-out estimate of the integrated squared error, and that of the usual estimate with equal weights and
        the same bandwidth; up to a constant, the integral of the squared true density.
    cv_results_ : dict
        For every bandwidth that was tried ``param_bandwidth``, ``ise``, ``log_density`` and ``retained``.
    best_index_ : int
        The chosen row of that table.
    objective_, residual_ : float or None
        Objective at the solution (half of ``loo_ise_``), and the gap of its optimality conditions.
    converged_, n_iter_ : bool, int
        Whether the solver reached its tolerance, and after how many steps.
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
    >>> import numpy as np
    >>> from kernsieve import L2Density
    >>> x = np.random.default_rng(0).normal(size=(300, 1))
    >>> density = L2Density().fit(x)
    >>> bool(len(density.support_) < 60)
    True
    >>> bool(density.score_samples([[0.0]])[0] > density.score_samples([[4.0]])[0])
    True
    """

    _method = "density"

    def __init__(
        self,
        *,
        kernel="gaussian",
        bandwidth=None,
        criterion="ise",
        folds=5,
        standardize=True,
        random_state=0,
        n_jobs=None,
        memory=None,
        verbose=False,
    ):
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.criterion = criterion
        self.folds = folds
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the bandwidth if it is not given, and estimate the density.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: a row of weight 2 counts twice, a row of weight 0 is left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        threads, memory = thread_count(self.n_jobs), memory_limit(self.memory)
        several = self.bandwidth is not None and np.ndim(self.bandwidth) == 1
        options = {
            "kernel": self.kernel,
            "bandwidths" if several else "bandwidth": self.bandwidth,
            "criterion": self.criterion,
            "folds": self.folds,
            "standardize": self.standardize,
            "seed": seed_of(self.random_state),
        }
        X = validate_data(self, X, dtype=np.float64, order="C", accept_sparse="csr", ensure_min_samples=3)
        X = dense(X, memory)
        weights = rows = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            kept = np.flatnonzero(weights)
            if len(kept) < len(weights):
                X, weights, rows = np.ascontiguousarray(X[kept]), weights[kept], kept.tolist()
        names = getattr(self, "feature_names_in_", None)
        names = default_feature_names(X.shape[1]) if names is None else [str(name) for name in names]
        with ProgressBar(type(self).__name__) as bar:
            model, self.notices_ = _core.train_density(
                X,
                names,
                options,
                weights=weights,
                rows=rows,
                n_jobs=threads,
                memory=memory,
                progress=bar if self.verbose else None,
            )
        self._set_fitted(model)
        if not self.converged_:
            warnings.warn("L2Density did not converge", ConvergenceWarning, stacklevel=2)
        if self.verbose:
            for notice in self.notices_:
                print(f"L2Density: {notice}", file=sys.stderr)
        return self

    def score_samples(self, X: Any) -> np.ndarray:
        """Log density of every row, in the units of the data.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            Natural logarithms.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C", accept_sparse="csr")
        rows = dense(X, memory_limit(self.memory))
        return self.model_.predict(rows, thread_count(self.n_jobs))[2][:, 0]

    def score(self, X: Any, y: Any = None) -> float:
        """Sum of the log densities of the rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.

        Returns
        -------
        log_likelihood : float
            The sum, as in ``KernelDensity``.
        """
        return float(self.score_samples(X).sum())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draw rows from the density.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.
        random_state : int, RandomState instance or None, default=None
            Source of randomness.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Rows in the units of the data; a constant feature has its value.
        """
        check_is_fitted(self)
        rng = check_random_state(random_state)
        centres, widths, weights = self.model_.mixture()
        chosen = rng.choice(len(weights), size=n_samples, p=weights / weights.sum())
        shape = (n_samples, centres.shape[1])
        if self.kernel_ == "gaussian":
            noise = rng.normal(size=shape)
        elif self.kernel_ == "laplacian":
            noise = rng.laplace(size=shape)
        elif self.kernel_ == "radial-laplacian":
            # A direction, and a length whose density is that of r^(d - 1) exp(-r).
            noise = rng.normal(size=shape)
            noise *= rng.gamma(shape[1], size=(n_samples, 1)) / np.linalg.norm(noise, axis=1, keepdims=True)
        else:
            # The multivariate Student t with one degree of freedom, in as many dimensions as there are features.
            noise = rng.normal(size=shape) / np.abs(rng.normal(size=(n_samples, 1)))
        return centres[chosen] + noise * widths

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _set_fitted(self, model: _core.Model) -> None:
        record = json.loads(model.record())
        report, density = record["report"], record["density"]
        kernel = record["candidate"]["kernel"]
        self.model_ = model
        self.kernel_ = kernel["family"]
        self.bandwidth_ = kernel["bandwidth"]
        self.support_ = np.array(report["retained_rows"], dtype=np.intp)
        self.weights_ = model.mixture()[2]
        self.loo_ise_ = density["loo_ise"]
        self.equal_loo_ise_ = density["equal_loo_ise"]
        grid = density["grid"]
        column = {name: [entry[name] for entry in grid] for name in ("ise", "log_density", "retained")}
        self.cv_results_ = {
            "param_bandwidth": np.array([entry["kernel"]["bandwidth"] for entry in grid]),
            **{name: np.array([np.nan if v is None else v for v in values]) for name, values in column.items()},
        }
        self.best_index_ = density["chosen"]
        self.objective_ = report["objective"]
        self.residual_ = report["residual"]
        self.converged_ = report["converged"]
        self.n_iter_ = report["iterations"]
