"""Feature selection by an estimator of kernsieve."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._methods import SparseKOS


class SieveSelector(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Keep the features that a classifier keeps.

    Parameters
    ----------
    estimator : estimator, default=None
        A classifier of kernsieve, or any with ``feature_weights_``. ``None`` is ``SparseKOS()``.

    Attributes
    ----------
    estimator_ : estimator
        The fitted classifier.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if they have any.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsieve import FIVM, SieveSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 5))
    >>> y = (X[:, 1] ** 2 > 0.5).astype(int)
    >>> SieveSelector(FIVM()).fit(X, y).get_support(indices=True)
    array([1])
    """

    def __init__(self, estimator=None):
        self.estimator = estimator

    def fit(self, X, y, sample_weight=None):
        """Fit the classifier.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
            The fitted selector.
        """
        self.estimator_ = clone(self.estimator) if self.estimator is not None else SparseKOS()
        if sample_weight is None:
            self.estimator_.fit(X, y)
        else:
            self.estimator_.fit(X, y, sample_weight=sample_weight)
        validate_data(self, X, skip_check_array=True)  # for the number of features and their names
        return self

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.estimator_.get_support()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
