"""The sieve: what its features and samples are worth, and smaller models without a search."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, validate_data

from ._base import KernsieveClassifier

if TYPE_CHECKING:
    from typing_extensions import Self

    from . import _core

# What a fit without validation does not have.
_MEASURED = ("curve_", "feature_curve_")


class KernsieveSieve(KernsieveClassifier):
    """A method that keeps few features and few samples, and knows what each is worth."""

    def smaller(
        self,
        X: Any,
        y: Any,
        *,
        max_support: int | None = None,
        max_features: int | None = None,
        sample_weight: Any = None,
    ) -> Self:
        """Fit the setting of this model again without a search, with fewer samples or features.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Training rows, with the features that this model was fitted on.
        y : array-like of shape (n_samples,)
            Their classes.
        max_support : int, default=None
            Most samples to retain. ``None``: as many as now.
        max_features : int, default=None
            Most features to retain. ``None``: as many as now.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, as in ``fit``.

        Returns
        -------
        smaller : object
            A new fitted estimator of the same class; this one stays as it is.
        """
        check_is_fitted(self)
        if self.model_.is_plain:
            validate_data(self, X, reset=False, dtype=np.float64, accept_sparse="csr")
        else:
            self._columns_for_model(X)
        given = {"max_support": max_support, "max_features": max_features}
        other = clone(self).set_params(**{name: value for name, value in given.items() if value is not None})
        return other._fit(X, y, sample_weight, like=self.model_)

    def _set_fitted(self, model: _core.Model, classes: np.ndarray) -> None:
        super()._set_fitted(model, classes)
        for name in _MEASURED:
            self.__dict__.pop(name, None)
        record = json.loads(model.record())
        if record["cv"] is not None:
            self.curve_ = record["cv"].get("curve", [])
            self.feature_curve_ = record["cv"].get("feature_curve", [])
