"""Rows of the classes, in scores and in features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ._common import (
    as_rows,
    axes,
    check_fitted,
    class_codes,
    class_handles,
    class_legend,
    colour,
    dash,
    feature_names,
    kind,
    marker,
    on_grid,
    position,
    say_others,
    span,
    text,
    two_strongest,
)


def variates(
    est: Any, X: Any, y: Any, *, outputs: Iterable[int] | None = None, training: bool = False, ax: Any = None
) -> Any:
    """Rows by class in the coordinates that tell the classes apart.

    Canonical variates or discriminant scores (``transform``) if the estimator has them, else its log scores
    (``decision_function``). One of them is drawn as a histogram, two as points, more as a matrix of both. Class means
    are marked.

    Parameters
    ----------
    est : estimator
        A fitted classifier.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their classes.
    outputs : iterable of int, default=None
        Which coordinates, from 0; ``None`` is the first three at most.
    training : bool, default=False
        Whether ``X`` holds the rows of the fit: those that the model retains are then ringed, unless it retains all.
    ax : matplotlib Axes, default=None
        Where to draw; ``None`` makes a figure. A matrix has its panels in ``ax.child_axes``.

    Returns
    -------
    ax : matplotlib Axes
        The Axes.

    Examples
    --------
    >>> from kernsieve import LDA, plot
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> plot.variates(LDA().fit(X, y), X, y).get_xlabel()
    'canonical variate 1'
    """
    check_fitted(est)
    scores, names = _scores(est, X)
    codes = class_codes(est, y, len(scores))
    chosen = list(range(min(3, scores.shape[1]))) if outputs is None else [int(k) for k in outputs]
    if not chosen or not all(0 <= k < scores.shape[1] for k in chosen):
        raise ValueError(f"outputs must be from 0 to {scores.shape[1] - 1}, got {chosen}")
    retained = _retained(est, len(scores)) if training else np.array([], dtype=int)
    ax = axes(ax, est.classes_, size=(7.5, 6.0) if len(chosen) > 2 else (6.4, 4.4))
    if len(chosen) > 2:
        _score_matrix(ax, est, scores, codes, chosen, names, retained)
        return ax
    if len(chosen) == 1:
        _histograms(ax, scores[:, chosen[0]], codes, est.classes_, retained)
        ax.set(xlabel=names[chosen[0]], ylabel="rows")
    else:
        _points(ax, scores[:, chosen], codes, est.classes_, retained, mean_size=110)
        ax.set(xlabel=names[chosen[0]], ylabel=names[chosen[1]])
    class_legend(ax, est.classes_, lines=len(chosen) == 1, means=True, retained=len(retained) > 0)
    return ax


def decision_regions(
    est: Any,
    X: Any,
    y: Any,
    features: Sequence[Any] | None = None,
    *,
    training: bool = False,
    resolution: int = 150,
    ax: Any = None,
) -> Any:
    """Predicted classes and their probabilities in two features, the others held at their means.

    The colour is that of the most probable class, paler where it is less probable; lines are where two classes are
    equally probable. With the other features held fixed this is a slice: rows away from their means may belong on the
    other side of a line.

    Parameters
    ----------
    est : estimator
        A fitted classifier with ``predict_proba``.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows, which are drawn and give the means.
    y : array-like of shape (n_samples,)
        Their classes.
    features : pair of str or int, default=None
        Names or positions of two features; ``None`` is the two of largest weight, and among equals those in which
        the class means are furthest apart.
    training : bool, default=False
        Whether ``X`` holds the rows of the fit: those that the model retains are then ringed, unless it retains all.
    resolution : int, default=150
        Points along each side of the grid.
    ax : matplotlib Axes, default=None
        Where to draw; ``None`` makes a figure.

    Returns
    -------
    ax : matplotlib Axes
        The Axes.

    Examples
    --------
    >>> from kernsieve import KOS, plot
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> plot.decision_regions(KOS().fit(X, y), X, y).get_ylabel()
    'x1'
    """
    check_fitted(est)
    if not hasattr(est, "predict_proba"):
        raise TypeError(f"decision_regions needs a classifier with predict_proba; {kind(est)} has none")
    rows = as_rows(est, X)
    codes = class_codes(est, y, len(rows))
    names = feature_names(est)
    if len(names) < 2:
        raise ValueError("decision_regions needs two features, and there is one; variates and density can draw it")
    pair = two_strongest(est, rows, codes) if features is None else [position(f, names) for f in features]
    if len(set(pair)) != 2:
        raise ValueError(f"features must be two different ones, got {list(features or [])}")
    retained = _retained(est, len(rows)) if training else np.array([], dtype=int)
    ax = axes(ax, est.classes_)
    sides = [span(rows[:, j], resolution) for j in pair]
    posterior = on_grid(est.predict_proba, X, rows, names, pair, sides).reshape(resolution, resolution, -1)
    extent = (sides[0][0], sides[0][-1], sides[1][0], sides[1][-1])
    ax.imshow(_shades(posterior), extent=extent, origin="lower", aspect="auto", interpolation="bilinear", zorder=0)
    _borders(ax, sides, posterior)
    _points(ax, rows[:, pair], codes, est.classes_, retained)
    ax.set(xlabel=text(names[pair[0]]), ylabel=text(names[pair[1]]), xlim=extent[:2], ylim=extent[2:])
    say_others(ax, len(names) - 2)
    class_legend(ax, est.classes_, retained=len(retained) > 0)
    return ax


def _scores(est: Any, X: Any) -> tuple[np.ndarray, list[str]]:
    """Coordinates of the rows, and their names."""
    if hasattr(est, "transform"):
        scores = np.asarray(est.transform(X), dtype=float)
        word = "discriminant score" if getattr(est, "_method", "") in ("kos", "sparse-kos") else "canonical variate"
        return scores, [f"{word} {k + 1}" for k in range(scores.shape[1])]
    if not hasattr(est, "decision_function"):
        raise TypeError(f"variates needs an estimator with transform or decision_function; {kind(est)} has neither")
    scores = np.asarray(est.decision_function(X), dtype=float)
    if scores.ndim == 1:
        return scores[:, None], [f"log odds of {text(est.classes_[1])}"]
    return scores, [f"log score of {text(label)}" for label in est.classes_]


def _retained(est: Any, n: int) -> np.ndarray:
    """Rows to ring: none if all are retained."""
    rows = np.asarray(getattr(est, "support_", []), dtype=int)
    if len(rows) and rows.max() >= n:
        raise ValueError(f"row {rows.max()} is retained, but X has {n} rows: with training=True, X are the rows of fit")
    return rows if len(rows) < n else rows[:0]


def _points(ax: Any, xy: np.ndarray, codes: np.ndarray, classes: Any, retained: np.ndarray, mean_size: int = 0) -> None:
    alpha, size = (0.85, 22) if len(xy) <= 600 else (0.5, 12)
    for k in range(len(classes)):
        own = xy[codes == k]
        ax.scatter(
            *own.T,
            s=size,
            c=colour(k),
            marker=marker(k),
            alpha=alpha,
            edgecolors="white",
            lw=0.4,
            zorder=2,
            gid="rows",
        )
    if len(retained):
        ax.scatter(*xy[retained].T, s=70, facecolors="none", edgecolors="black", lw=1.1, zorder=3, gid="retained")
    if mean_size:
        for k in np.unique(codes):
            ax.scatter(
                *xy[codes == k].mean(axis=0),
                s=mean_size,
                c=colour(k),
                marker=marker(k),
                edgecolors="black",
                lw=1.4,
                zorder=4,
                gid="mean",
            )


def _histograms(
    ax: Any, values: np.ndarray, codes: np.ndarray, classes: Any, retained: np.ndarray, n_bins: int = 30
) -> None:
    from matplotlib.colors import to_rgba

    bins = span(values, n_bins + 1, margin=0.02)
    for k in range(len(classes)):
        own = values[codes == k]
        fill = to_rgba(colour(k), 0.25 if len(classes) <= 4 else 0.08)
        ax.hist(own, bins, histtype="stepfilled", fc=fill, ec=colour(k), ls=dash(k), lw=1.6, gid="rows")
        if len(own):
            ax.axvline(own.mean(), color=colour(k), linestyle=":", lw=1.2, gid="mean")
    if len(retained):
        height = np.zeros(len(retained))
        ax.plot(values[retained], height, "|", color="black", markersize=9, clip_on=False, gid="retained")
    ax.set_ylim(bottom=0)


def _score_matrix(
    ax: Any,
    est: Any,
    scores: np.ndarray,
    codes: np.ndarray,
    chosen: Sequence[int],
    names: Sequence[str],
    retained: np.ndarray,
) -> None:
    """Points below the diagonal, histograms on it, the legend above."""
    m = len(chosen)
    ax.set_axis_off()
    side = 1.0 / m
    for i, row in enumerate(chosen):
        for j, column in enumerate(chosen[: i + 1]):
            panel = ax.inset_axes([j * side, 1 - (i + 1) * side, 0.93 * side, 0.93 * side])
            if i == j:
                _histograms(panel, scores[:, row], codes, est.classes_, retained[:0], n_bins=20)
                panel.set_yticks([])
            else:
                _points(panel, scores[:, [column, row]], codes, est.classes_, retained, mean_size=45)
            panel.tick_params(labelsize="small")
            panel.set_xlabel(names[column] if i == m - 1 else "", fontsize="small")
            panel.set_ylabel(names[row] if j == 0 and i > 0 else "", fontsize="small")
            if i < m - 1:
                panel.set_xticklabels([])
            if j > 0:
                panel.set_yticklabels([])
    handles, labels = class_handles(est.classes_, lines=False, means=True, retained=len(retained) > 0)
    ax.legend(
        handles,
        labels,
        loc="upper right",
        frameon=False,
        fontsize="small",
        ncols=1 + (len(labels) - 1) // 9,
        borderaxespad=0.0,
    )


def _shades(posterior: np.ndarray) -> np.ndarray:
    """The colour of the most probable class, mixed with white as it is less probable."""
    from matplotlib.colors import to_rgb

    c = posterior.shape[-1]
    top = posterior.argmax(axis=-1)
    sure = (posterior.max(axis=-1) - 1.0 / c) / (1.0 - 1.0 / c)
    strength = (0.08 + 0.47 * np.clip(sure, 0.0, 1.0))[..., None]
    colours = np.array([to_rgb(colour(k)) for k in range(c)])
    return 1.0 - strength * (1.0 - colours[top])


def _borders(ax: Any, sides: Sequence[np.ndarray], posterior: np.ndarray) -> None:
    for k in range(posterior.shape[-1]):
        others = np.delete(posterior, k, axis=-1).max(axis=-1)
        lead = posterior[..., k] - others
        if lead.min() < 0 < lead.max():
            ax.contour(*sides, lead, levels=[0.0], colors="0.25", linewidths=0.8, zorder=1)
