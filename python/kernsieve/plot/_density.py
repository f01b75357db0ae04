"""Densities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._common import (
    as_rows,
    axes,
    check_fitted,
    class_legend,
    colour,
    dash,
    feature_names,
    kind,
    on_grid,
    position,
    say_others,
    span,
    text,
    two_strongest,
)


def density(
    est: Any,
    X: Any = None,
    feature: Any = None,
    *,
    limits: Sequence[Any] | None = None,
    resolution: int | None = None,
    ax: Any = None,
) -> Any:
    """Densities: a curve in one feature, or contours in two.

    For a classifier with a density per class (``Parzen``, ``L2QP``) there is one curve per class; for any object with
    ``score_samples`` and ``n_features_in_``, its one density. If there are more features than are drawn, the others are
    held at their means and heights are relative to the highest point: a slice, not a density of the features alone.

    Parameters
    ----------
    est : estimator
        A fitted estimator.
    X : array-like or data frame of shape (n_samples, n_features), default=None
        Rows, which give the range and the means, and are drawn as small marks.
    feature : str, int or pair of them, default=None
        Name or position of one feature, or of two; ``None`` is the only one, or the two of largest weight.
    limits : pair of floats, or two pairs, default=None
        Range of the feature, or of each of two; needed if there is no ``X``.
    resolution : int, default=None
        Points along each side; ``None`` is 400 for a curve and 120 for contours.
    ax : matplotlib Axes, default=None
        Where to draw; ``None`` makes a figure.

    Returns
    -------
    ax : matplotlib Axes
        The Axes.

    Examples
    --------
    >>> from kernsieve import Parzen, plot
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> plot.density(Parzen().fit(X[:, 2:3], y), X[:, 2:3]).get_xlabel()
    'x0'
    """
    check_fitted(est)
    log_density, classes = _log_density(est)
    names = feature_names(est)
    rows = None if X is None else as_rows(est, X)
    drawn = _drawn_features(est, feature, names)
    others = len(names) - len(drawn)
    if rows is None and (limits is None or others):
        raise ValueError(
            "density needs rows X for the means of the features that are not drawn"
            if limits is not None
            else "density needs rows X, or limits, to know where to draw"
        )
    points = resolution or (400 if len(drawn) == 1 else 120)
    ranges = _ranges(limits, len(drawn))
    sides = []
    for j, limit in zip(drawn, ranges):
        if limit is not None:
            sides.append(np.linspace(limit[0], limit[1], points))
        elif rows is not None:
            sides.append(span(rows[:, j], points, margin=0.15))
    ax = axes(ax, () if classes is None else classes)
    logs = on_grid(log_density, X, rows, names, drawn, sides)
    if logs.ndim == 1:
        logs = logs[:, None]
    if others:
        top = logs.max()
        logs = logs - (top if np.isfinite(top) else 0.0)
    heights = np.exp(logs)
    what = "density relative to its highest point" if others else _density_label(est)
    if len(drawn) == 1:
        _density_curves(ax, sides[0], heights, None if rows is None else rows[:, drawn[0]])
        ax.set(xlabel=text(names[drawn[0]]), ylabel=what)
    else:
        _density_contours(ax, sides, heights, None if rows is None else rows[:, drawn])
        ax.set(xlabel=text(names[drawn[0]]), ylabel=text(names[drawn[1]]))
    say_others(ax, others)
    if classes is not None:
        class_legend(ax, classes, lines=True)
    return ax


def _log_density(est: Any) -> tuple[Callable[[Any], np.ndarray], np.ndarray | None]:
    """The function to draw, and the classes of its columns."""
    if getattr(est, "_method", "") in ("parzen", "l2qp"):
        n_classes = len(est.classes_)

        def by_class(X: Any) -> np.ndarray:
            outputs = est._evaluate(X)[2]
            # One density per class, or pairs: of the class, and of all others.
            return outputs if outputs.shape[1] == n_classes else outputs[:, ::2]

        return by_class, est.classes_
    if hasattr(est, "score_samples") and hasattr(est, "n_features_in_"):
        return est.score_samples, None
    raise TypeError(
        f"density needs Parzen, L2QP, or an object with score_samples and n_features_in_; {kind(est)} has no densities"
    )


def _density_label(est: Any) -> str:
    scaled = getattr(est, "_method", "") in ("parzen", "l2qp") and est.standardize
    return "density, of standardised features" if scaled else "density"


def _drawn_features(est: Any, feature: Any, names: Sequence[str]) -> list[int]:
    if feature is None:
        return [0] if len(names) == 1 else two_strongest(est, np.empty((0, len(names))), None)
    given = [feature] if isinstance(feature, str) or np.ndim(feature) == 0 else list(feature)
    drawn = [position(f, names) for f in given]
    if len(drawn) not in (1, 2) or len(set(drawn)) != len(drawn):
        raise ValueError(f"feature must be one feature or two different ones, got {given}")
    return drawn


def _ranges(limits: Sequence[Any] | None, n: int) -> list[Any]:
    if limits is None:
        return [None] * n
    ranges = np.asarray(limits, dtype=float).reshape(-1, 2) if np.size(limits) == 2 * n else np.empty((0, 2))
    if len(ranges) != n or not np.isfinite(ranges).all() or not (ranges[:, 0] < ranges[:, 1]).all():
        wanted = "a pair (low, high)" if n == 1 else "two pairs (low, high)"
        raise ValueError(f"limits must be {wanted}, got {limits}")
    return [tuple(r) for r in ranges]


def _density_curves(ax: Any, x: np.ndarray, heights: np.ndarray, rows: np.ndarray | None) -> None:
    for k in range(heights.shape[1]):
        ax.plot(x, heights[:, k], color=colour(k), ls=dash(k), lw=1.8, gid="density")
        if heights.shape[1] <= 4:
            ax.fill_between(x, heights[:, k], color=colour(k), alpha=0.12, lw=0)
    if rows is not None:
        ax.plot(rows, np.zeros(len(rows)), "|", color="0.3", ms=7, alpha=0.5, clip_on=False, gid="rows")
    ax.set_ylim(bottom=0)


def _density_contours(ax: Any, sides: Sequence[np.ndarray], heights: np.ndarray, rows: np.ndarray | None) -> None:
    if rows is not None:
        ax.scatter(*rows.T, s=6, c="0.55", lw=0, zorder=1, gid="rows")
    n_levels = 6 if heights.shape[1] <= 3 else 3
    for k in range(heights.shape[1]):
        z = heights[:, k].reshape(len(sides[1]), len(sides[0]))
        top = z.max()
        if not 0 < top < np.inf or z.min() == top:
            continue
        levels = top * np.linspace(0.05, 0.9, n_levels)
        if heights.shape[1] == 1:
            ax.contourf(*sides, z, levels=[*levels, top * 1.001], cmap="Blues", zorder=0)
        ax.contour(*sides, z, levels=levels, colors=colour(k), linestyles=dash(k), linewidths=1.2, zorder=2)
    ax.set(xlim=(sides[0][0], sides[0][-1]), ylim=(sides[1][0], sides[1][-1]))
