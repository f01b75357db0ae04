"""Predictions along single features."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._common import (
    _like,
    as_rows,
    axes,
    check_fitted,
    class_legend,
    colour,
    dash,
    feature_names,
    kind,
    position,
    text,
)

MOST_ROWS = 500
MOST_VALUES = 20
MOST_FEATURES = 4


def dependence(est: Any, X: Any, features: Sequence[Any] | None = None, *, ax: Any = None) -> np.ndarray:
    """Mean predicted probability of the classes along a feature: partial dependence.

    In 500 rows at most, the feature is set to one value after the other (all of its values if there are at most 20, else
    quantiles), and the other features stay as they are. Where features hang together, some of the rows thus made are
    unlike any that occur.

    Parameters
    ----------
    est : estimator
        A fitted classifier with ``predict_proba``.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows to average over, such as those of the fit.
    features : sequence of str or int, default=None
        Names or positions. ``None``: at most four, those of largest ``feature_importances_`` if these were measured,
        else of largest ``feature_weights_``.
    ax : matplotlib Axes or sequence of them, default=None
        Where to draw, one for each feature; ``None`` makes a figure.

    Returns
    -------
    axes : ndarray of matplotlib Axes
        One for each feature. With two classes the line is that of the positive one (``positive_`` or, if there is none,
        ``classes_[1]``) on an axis from 0, or up to 1, as long as it needs; else there is one for each class.

    Examples
    --------
    >>> from kernsieve import LDA, plot
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> [ax.get_xlabel() for ax in plot.dependence(LDA().fit(X, y), X, ["petal width (cm)"])]
    ['petal width (cm)']
    """
    check_fitted(est)
    if not hasattr(est, "predict_proba"):
        raise TypeError(f"dependence needs probabilities; {kind(est)} has no predict_proba")
    rows, names = as_rows(est, X), feature_names(est)
    chosen = _strongest(est) if features is None else [position(feature, names) for feature in features]
    if not chosen:
        raise ValueError("there is no feature to draw: the model keeps none, or features is empty")
    places = _places(ax, len(chosen), est.classes_)
    two = len(est.classes_) == 2
    shown = [_positive(est)] if two else range(len(est.classes_))
    seen = []
    for place, j in zip(places, chosen, strict=True):
        values, means = partial_dependence(est, X, rows, j)
        for k in shown:
            style = {"color": colour(k), "ls": dash(k), "lw": 1.8, "marker": ".", "ms": 5}
            place.plot(values, means[:, k], gid="dependence", **style)
        place.set(xlabel=text(names[j]), ylim=(-0.02, 1.02))
        seen.extend(means[:, shown].ravel())
    if two:
        for place in places:
            place.set_ylim(_limits(min(seen), max(seen)))
        places[0].set_ylabel(f"probability of {text(est.classes_[shown[0]])}")
    else:
        places[0].set_ylabel("probability")
        class_legend(places[-1], est.classes_, lines=True)
    return places


def partial_dependence(est: Any, X: Any, rows: np.ndarray, feature: int) -> tuple[np.ndarray, np.ndarray]:
    """Values of a feature, and the mean probabilities (values x classes) when every row has that value."""
    n = len(rows)
    some = rows[np.arange(min(n, MOST_ROWS)) * n // min(n, MOST_ROWS)]
    column = np.sort(rows[:, feature])
    values = np.unique(column)
    if len(values) > MOST_VALUES:
        values = np.unique(column[(2 * np.arange(MOST_VALUES) + 1) * n // (2 * MOST_VALUES)])
    means = []
    for value in values:
        changed = some.copy()
        changed[:, feature] = value
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            means.append(np.asarray(est.predict_proba(_like(X, changed))).mean(axis=0))
    return values, np.array(means)


def _positive(est: Any) -> int:
    """Position of the positive one of two classes."""
    positive = getattr(est, "positive_", None)
    return 1 if positive is None else int(np.flatnonzero(np.asarray(est.classes_) == positive)[0])


def _limits(low: float, high: float) -> tuple[float, float]:
    """An axis that begins at 0, or ends at 1 for a common class, and shows how the line of a rare one goes."""
    low, high = max(0.0, 1 - 1.1 * (1 - low)), min(1.0, 1.1 * high)
    span = max(high, 1e-3) if low <= 0.5 else max(1 - low, 1e-3)
    start = 0.0 if low <= 0.5 else 1 - span
    return start - 0.02 * span, start + 1.02 * span


def _strongest(est: Any) -> list[int]:
    weights = np.abs(getattr(est, "feature_weights_", np.ones(est.n_features_in_)))
    worth = getattr(est, "feature_importances_", weights)
    order = [int(j) for j in np.lexsort((np.arange(len(worth)), -weights, -worth)) if weights[j] > 0]
    return order[:MOST_FEATURES]


def _places(ax: Any, n: int, classes: Any) -> np.ndarray:
    if ax is None and n > 1:
        first = axes(None, classes if len(classes) > 2 else (), size=(2.6 * n + 0.8, 2.8))
        figure = first.figure
        first.remove()
        return np.atleast_1d(figure.subplots(1, n, sharey=True))
    places = np.atleast_1d(np.array(axes(None, classes, size=(4.4, 3.2)) if ax is None else ax, dtype=object)).ravel()
    if len(places) != n:
        raise ValueError(f"{len(places)} Axes for {n} features; give one for each, or none")
    return places
