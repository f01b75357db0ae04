"""Pictures of fitted estimators, with matplotlib.

Every function draws into ``ax``, or into a new figure where none is given, and returns the Axes. A new figure is none of
pyplot's: ``ax.figure.savefig("picture.png")`` writes it, a notebook shows ``ax.figure``, and for a window make the Axes
yourself, ``fig, ax = plt.subplots(layout="constrained")``. Legends stand beside the data, for which a figure with the
constrained layout makes room.

matplotlib is not needed by anything else here and is imported by the first call: ``pip install matplotlib``.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._base import default_feature_names

__all__ = ["cv_curve", "decision_regions", "density", "variates", "weights_path"]

# The first eight are far apart for every kind of colour vision; classes also have markers, and lines dashes.
COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#D55E00",
    "#56B4E9",
    "#332288",
    "#999933",
    "#882255",
    "#DDCC77",
    "#777777",
    "#117733",
)
# One less than there are colours, so that a hundred classes have a pair of their own.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "*")
DASHES = ("-", "--", ":", "-.")
GREY = "#BBBBBB"
LONGEST_NAME = 32
MOST_LINES = 6
MOST_NAMED = 10
LARGEST_BLOCK = 4_000_000


def variates(
    est: Any, X: Any, y: Any, *, outputs: Iterable[int] | None = None, training: bool = False, ax: Any = None
) -> Any:
    """Rows by class in the coordinates that tell the classes apart.

    Canonical variates or discriminant scores (``transform``) where the estimator has them, else its log scores
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
        Say that ``X`` are the rows of the fit: those that the model retains are ringed, if it does not retain all.
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
    _check_fitted(est)
    scores, names = _scores(est, X)
    codes = _codes(est, y, len(scores))
    chosen = list(range(min(3, scores.shape[1]))) if outputs is None else [int(k) for k in outputs]
    if not chosen or not all(0 <= k < scores.shape[1] for k in chosen):
        raise ValueError(f"outputs must be from 0 to {scores.shape[1] - 1}, got {chosen}")
    retained = _retained(est, len(scores)) if training else np.array([], dtype=int)
    ax = _axes(ax, size=(7.5, 6.0) if len(chosen) > 2 else (6.4, 4.4))
    if len(chosen) > 2:
        _score_matrix(ax, est, scores, codes, chosen, names, retained)
        return ax
    if len(chosen) == 1:
        _histograms(ax, scores[:, chosen[0]], codes, est.classes_, retained)
        ax.set(xlabel=names[chosen[0]], ylabel="rows")
    else:
        _points(ax, scores[:, chosen], codes, est.classes_, retained, means=True)
        ax.set(xlabel=names[chosen[0]], ylabel=names[chosen[1]])
    _class_legend(ax, est.classes_, lines=len(chosen) == 1, means=True, retained=len(retained) > 0)
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

    The colour is that of the most probable class, the paler the less sure; lines are where two classes are equally
    probable. With other features held still, this is a slice: rows away from their means may belong on another side
    of a line than the one they are drawn on.

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
        Say that ``X`` are the rows of the fit: those that the model retains are ringed, if it does not retain all.
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
    _check_fitted(est)
    if not hasattr(est, "predict_proba"):
        raise TypeError(f"decision_regions needs a classifier with predict_proba; {_kind(est)} has none")
    rows = _rows(est, X)
    codes = _codes(est, y, len(rows))
    names = _feature_names(est)
    if len(names) < 2:
        raise ValueError("decision_regions needs two features, and there is one; variates and density can draw it")
    pair = _two_strongest(est, rows, codes) if features is None else [_position(f, names) for f in features]
    if len(set(pair)) != 2:
        raise ValueError(f"features must be two different ones, got {list(features or [])}")
    retained = _retained(est, len(rows)) if training else np.array([], dtype=int)
    ax = _axes(ax)
    sides = [_span(rows[:, j], resolution) for j in pair]
    posterior = _on_grid(est.predict_proba, X, rows, names, pair, sides).reshape(resolution, resolution, -1)
    extent = (sides[0][0], sides[0][-1], sides[1][0], sides[1][-1])
    ax.imshow(_shades(posterior), extent=extent, origin="lower", aspect="auto", interpolation="bilinear", zorder=0)
    _borders(ax, sides, posterior)
    _points(ax, rows[:, pair], codes, est.classes_, retained)
    ax.set(xlabel=_text(names[pair[0]]), ylabel=_text(names[pair[1]]), xlim=extent[:2], ylim=extent[2:])
    _say_others(ax, len(names) - 2)
    _class_legend(ax, est.classes_, retained=len(retained) > 0)
    return ax


def weights_path(est: Any, *, ax: Any = None) -> Any:
    """The steps of a selection.

    ``SparseKOS``: weights of the features against the penalty, the chosen penalty marked. ``L1DKF``: number of nonzero
    coefficients against the penalty. ``FIVM``, ``SMKDA`` and ``KLR`` with ``max_support``: the objective after each step.
    The last two kinds have errors on a second axis on the right, the cross-validated one with its standard error.

    Parameters
    ----------
    est : estimator
        A fitted estimator with ``path_``.
    ax : matplotlib Axes, default=None
        Where to draw; ``None`` makes a figure.

    Returns
    -------
    ax : matplotlib Axes
        The Axes.

    Examples
    --------
    >>> import numpy as np
    >>> from kernsieve import SparseKOS, plot
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 5))
    >>> y = (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4).astype(int)
    >>> plot.weights_path(SparseKOS().fit(X, y)).get_xlabel()
    'penalty (sparsity)'
    """
    _check_fitted(est)
    path = getattr(est, "path_", None)
    if not path:
        raise ValueError(
            f"{_kind(est)} has no path to draw: SparseKOS, FIVM, SMKDA, L1DKF with linear posteriors and KLR with "
            "max_support have one"
        )
    ax = _axes(ax)
    if any(step.get("weights") for step in path):
        _draw_weights(ax, est, path)
    elif path[0].get("sparsity") is not None:
        _draw_counts(ax, est, path)
    else:
        _draw_steps(ax, est, path)
    return ax


def cv_curve(est: Any, param: str | None = None, *, ax: Any = None) -> Any:
    """Cross-validated error against what was tuned, the chosen setting marked.

    The line of the chosen setting has a band of one standard error. Other settings have lines of their own, the best
    six in colour, the others thin and grey.

    Parameters
    ----------
    est : estimator
        A fitted estimator with ``cv_results_``.
    param : str, default=None
        A parameter of the table, such as 'bandwidth', or 'size': retained samples or imported features, for the chosen
        kernel and ridge. ``None`` is the size where there is one, else the parameter with the longest lines.
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
    >>> plot.cv_curve(KOS().fit(X, y)).get_xlabel()
    'bandwidth'
    """
    _check_fitted(est)
    table = getattr(est, "cv_results_", None)
    if table is None:
        raise ValueError(
            f"this {_kind(est)} has no cv_results_: nothing was cross-validated; fit it with estimate=True, or leave a "
            "parameter to be tuned"
        )
    curve = _cv(est).get("curve", [])
    names = _varying(table)
    if param is not None and param not in names and not (param == "size" and curve):
        known = [*(["size"] if curve else []), *names]
        raise ValueError(f"param must be one of {known}, got {param!r}")
    ax = _axes(ax)
    if curve and param in (None, "size"):
        _draw_size_curve(ax, est, curve)
    elif not names:
        _draw_one_setting(ax, est, table)
    else:
        _draw_lines(ax, est, table, names, param or _longest_lines(table, names, curve), curve)
    ax.set_ylabel("cross-validated error")
    return ax


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

    Of a classifier that has a density for each class (``Parzen``, ``L2QP``) these are drawn by class; of anything with
    ``score_samples`` and ``n_features_in_`` its one density. Where there are more features than are drawn, the others are
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
        Range of the feature, or of each of two; needed where there is no ``X``.
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
    _check_fitted(est)
    log_density, classes = _log_density(est)
    names = _feature_names(est)
    rows = None if X is None else _rows(est, X)
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
    sides = [
        _span(rows[:, j], points, margin=0.15) if r is None else np.linspace(*r, points) for j, r in zip(drawn, ranges)
    ]
    ax = _axes(ax)
    logs = _on_grid(log_density, X, rows, names, drawn, sides)
    if logs.ndim == 1:
        logs = logs[:, None]
    if others:
        top = logs.max()
        logs = logs - (top if np.isfinite(top) else 0.0)
    heights = np.exp(logs)
    what = "density relative to its highest point" if others else _density_label(est)
    if len(drawn) == 1:
        _density_curves(ax, sides[0], heights, None if rows is None else rows[:, drawn[0]])
        ax.set(xlabel=_text(names[drawn[0]]), ylabel=what)
    else:
        _density_contours(ax, sides, heights, None if rows is None else rows[:, drawn])
        ax.set(xlabel=_text(names[drawn[0]]), ylabel=_text(names[drawn[1]]))
    _say_others(ax, others)
    if classes is not None:
        _class_legend(ax, classes, lines=True)
    return ax


# What estimators give


def _check_fitted(est: Any) -> None:
    if hasattr(est, "fit"):  # a density need not be an estimator
        check_is_fitted(est)


def _kind(est: Any) -> str:
    return type(est).__name__


def _record(est: Any) -> dict[str, Any]:
    model = getattr(est, "model_", None)
    return json.loads(model.record()) if hasattr(model, "record") else {}


def _cv(est: Any) -> dict[str, Any]:
    return _record(est).get("cv") or {}


def _rows(est: Any, X: Any) -> np.ndarray:
    rows = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    try:
        rows = rows.astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X must hold numbers: {error}") from None
    if rows.ndim != 2 or rows.shape[1] != est.n_features_in_:
        raise ValueError(f"X must have {est.n_features_in_} columns, as in fit, got the shape {rows.shape}")
    return rows


def _codes(est: Any, y: Any, n: int) -> np.ndarray:
    """Position in ``classes_`` of the class of every row."""
    if not hasattr(est, "classes_"):
        raise TypeError(f"a fitted classifier is needed; {_kind(est)} has no classes_")
    y = np.asarray(y)
    if y.shape != (n,):
        raise ValueError(f"y must hold one class for each of the {n} rows, got the shape {y.shape}")
    positions = {label: k for k, label in enumerate(est.classes_.tolist())}
    unknown = sorted({repr(label) for label in y.tolist() if label not in positions})
    if unknown:
        raise ValueError(f"y has classes that the estimator was not fitted on: {', '.join(unknown[:5])}")
    return np.array([positions[label] for label in y.tolist()])


def _feature_names(est: Any) -> list[str]:
    names = getattr(est, "feature_names_in_", None)
    return default_feature_names(est.n_features_in_) if names is None else [str(name) for name in names]


def _position(feature: Any, names: Sequence[str]) -> int:
    if isinstance(feature, (int, np.integer)) and not isinstance(feature, bool):
        if 0 <= feature < len(names):
            return int(feature)
        raise ValueError(f"there is no feature {feature}: positions are from 0 to {len(names) - 1}")
    if feature in names:
        return list(names).index(feature)
    raise ValueError(
        f"there is no feature {feature!r}; the names are {', '.join(names[:8])}{', ..' * (len(names) > 8)}"
    )


def _scores(est: Any, X: Any) -> tuple[np.ndarray, list[str]]:
    """Coordinates of the rows, and what to call them."""
    if hasattr(est, "transform"):
        scores = np.asarray(est.transform(X), dtype=float)
        word = "discriminant score" if getattr(est, "_method", "") in ("kos", "sparse-kos") else "canonical variate"
        return scores, [f"{word} {k + 1}" for k in range(scores.shape[1])]
    if not hasattr(est, "decision_function"):
        raise TypeError(f"variates needs an estimator with transform or decision_function; {_kind(est)} has neither")
    scores = np.asarray(est.decision_function(X), dtype=float)
    if scores.ndim == 1:
        return scores[:, None], [f"log odds of {_text(est.classes_[1])}"]
    return scores, [f"log score of {_text(label)}" for label in est.classes_]


def _retained(est: Any, n: int) -> np.ndarray:
    """Rows to ring: none where all are retained."""
    rows = np.asarray(getattr(est, "support_", []), dtype=int)
    if len(rows) and rows.max() >= n:
        raise ValueError(f"row {rows.max()} is retained, but X has {n} rows: with training=True, X are the rows of fit")
    return rows if len(rows) < n else rows[:0]


def _two_strongest(est: Any, rows: np.ndarray, codes: np.ndarray | None) -> list[int]:
    weights = np.abs(getattr(est, "feature_weights_", np.ones(est.n_features_in_)))
    apart = np.zeros(len(weights))
    if codes is not None:
        means = np.stack([rows[codes == k].mean(axis=0) for k in np.unique(codes)])
        spread = rows.std(axis=0)
        apart = np.divide(means.std(axis=0), spread, out=apart, where=spread > 0)
    first, second = np.lexsort((np.arange(len(weights)), -apart, -weights))[:2].tolist()
    return [first, second] if weights[first] > weights[second] else sorted((first, second))


def _log_density(est: Any) -> tuple[Callable[[Any], np.ndarray], np.ndarray | None]:
    """The function to draw, and the classes of its columns."""
    if getattr(est, "_method", "") in ("parzen", "l2qp"):
        n_classes = len(est.classes_)

        def by_class(X: Any) -> np.ndarray:
            outputs = est._evaluate(X)[2]
            # One density a class, or pairs: of the class, and of all others.
            return outputs if outputs.shape[1] == n_classes else outputs[:, ::2]

        return by_class, est.classes_
    if hasattr(est, "score_samples") and hasattr(est, "n_features_in_"):
        return est.score_samples, None
    raise TypeError(
        f"density needs Parzen, L2QP, or an object with score_samples and n_features_in_; {_kind(est)} has no densities"
    )


def _density_label(est: Any) -> str:
    scaled = getattr(est, "_method", "") in ("parzen", "l2qp") and est.standardize
    return "density, of standardised features" if scaled else "density"


def _drawn_features(est: Any, feature: Any, names: Sequence[str]) -> list[int]:
    if feature is None:
        return [0] if len(names) == 1 else _two_strongest(est, np.empty((0, len(names))), None)
    given = [feature] if isinstance(feature, str) or np.ndim(feature) == 0 else list(feature)
    drawn = [_position(f, names) for f in given]
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


# Grids


def _span(values: np.ndarray, points: int, margin: float = 0.05) -> np.ndarray:
    low, high = float(values.min()), float(values.max())
    edge = margin * (high - low) or 0.5
    return np.linspace(low - edge, high + edge, points)


def _on_grid(
    f: Callable[[Any], np.ndarray],
    X: Any,
    rows: np.ndarray | None,
    names: Sequence[str],
    drawn: Sequence[int],
    sides: Sequence[np.ndarray],
) -> np.ndarray:
    """Values at the points of a grid, the last side slowest, block by block: there may be many other features."""
    mesh = np.meshgrid(*sides)
    points = np.stack([side.ravel() for side in mesh], axis=1)
    centre = np.zeros(len(names)) if rows is None else rows.mean(axis=0)
    step = max(1, LARGEST_BLOCK // len(names))
    values = []
    for start in range(0, len(points), step):
        some = points[start : start + step]
        block = np.tile(centre, (len(some), 1))
        block[:, list(drawn)] = some
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            values.append(np.asarray(f(_like(X, block))))
    return np.concatenate(values)


def _like(X: Any, block: np.ndarray) -> Any:
    """Rows in a data frame of the kind of X, where it is one."""
    if not hasattr(X, "columns"):
        return block
    return type(X)({name: block[:, j] for j, name in enumerate(X.columns)})


# Drawing


def _axes(ax: Any, size: tuple[float, float] = (6.4, 4.4)) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("kernsieve.plot needs matplotlib: pip install matplotlib") from error
    return Figure(figsize=size, layout="constrained").subplots() if ax is None else ax


def _text(name: Any) -> str:
    """A name as matplotlib shows it letter by letter: no formulas, no line breaks, not endless."""
    text = re.sub(r"[\s\x00-\x1f\x7f]+", " ", str(name)).strip()
    if len(text) > LONGEST_NAME:
        half = (LONGEST_NAME - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    # matplotlib hides what starts with an underscore from legends.
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def _colour(k: int) -> str:
    return COLOURS[k % len(COLOURS)]


def _marker(k: int) -> str:
    return MARKERS[k % len(MARKERS)]


def _dash(k: int) -> str:
    return DASHES[k % len(DASHES)]


def _beside(
    ax: Any, handles: Sequence[Any], labels: Sequence[str], title: str | None = None, right: float = 1.02
) -> None:
    """A legend to the right of the data."""
    ax.legend(
        handles,
        labels,
        title=title,
        loc="upper left",
        bbox_to_anchor=(right, 1.0),
        borderaxespad=0.0,
        frameon=False,
        fontsize="small",
        ncols=1 + (len(labels) - 1) // 20,
    )


def _class_legend(
    ax: Any, classes: Sequence[Any], *, lines: bool = False, means: bool = False, retained: bool = False
) -> None:
    _beside(ax, *_class_handles(classes, lines=lines, means=means, retained=retained))


def _class_handles(classes: Sequence[Any], *, lines: bool, means: bool, retained: bool) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D

    def line(**style: Any) -> Any:
        return Line2D([], [], **style)

    handles = [
        line(color=_colour(k), linestyle=_dash(k), lw=1.8)
        if lines
        else line(color=_colour(k), marker=_marker(k), linestyle="none", markersize=6)
        for k in range(len(classes))
    ]
    labels = [_text(label) for label in classes]
    if means:
        handles.append(
            line(color="0.3", linestyle=":", lw=1.2)
            if lines
            else line(marker="o", linestyle="none", markersize=9, markerfacecolor="0.6", markeredgecolor="black")
        )
        labels.append("class mean")
    if retained:
        handles.append(
            line(color="black", marker="|", linestyle="none", markersize=8)
            if lines
            else line(marker="o", linestyle="none", markersize=9, markerfacecolor="none", markeredgecolor="black")
        )
        labels.append("retained")
    return handles, labels


def _points(
    ax: Any, xy: np.ndarray, codes: np.ndarray, classes: Sequence[Any], retained: np.ndarray, means: bool = False
) -> None:
    alpha, size = (0.85, 22) if len(xy) <= 600 else (0.5, 12)
    for k in range(len(classes)):
        own = xy[codes == k]
        ax.scatter(
            *own.T,
            s=size,
            c=_colour(k),
            marker=_marker(k),
            alpha=alpha,
            edgecolors="white",
            lw=0.4,
            zorder=2,
            gid="rows",
        )
    if len(retained):
        ax.scatter(*xy[retained].T, s=70, facecolors="none", edgecolors="black", lw=1.1, zorder=3, gid="retained")
    if means:
        for k in np.unique(codes):
            ax.scatter(
                *xy[codes == k].mean(axis=0),
                s=110,
                c=_colour(k),
                marker=_marker(k),
                edgecolors="black",
                lw=1.4,
                zorder=4,
                gid="mean",
            )


def _histograms(
    ax: Any, values: np.ndarray, codes: np.ndarray, classes: Sequence[Any], retained: np.ndarray, n_bins: int = 30
) -> None:
    from matplotlib.colors import to_rgba

    bins = np.linspace(*_span(values, 2, margin=0.02), n_bins + 1)
    for k in range(len(classes)):
        own = values[codes == k]
        fill = to_rgba(_colour(k), 0.25 if len(classes) <= 4 else 0.08)
        ax.hist(own, bins, histtype="stepfilled", fc=fill, ec=_colour(k), ls=_dash(k), lw=1.6, gid="rows")
        if len(own):
            ax.axvline(own.mean(), color=_colour(k), linestyle=":", lw=1.2, gid="mean")
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
                _points(panel, scores[:, [column, row]], codes, est.classes_, retained, means=True)
            panel.tick_params(labelsize="small")
            panel.set_xlabel(names[column] if i == m - 1 else "", fontsize="small")
            panel.set_ylabel(names[row] if j == 0 and i > 0 else "", fontsize="small")
            if i < m - 1:
                panel.set_xticklabels([])
            if j > 0:
                panel.set_yticklabels([])
    handles, labels = _class_handles(est.classes_, lines=False, means=True, retained=len(retained) > 0)
    ax.legend(
        handles,
        labels,
        loc="upper right",
        frameon=False,
        fontsize="small",
        ncols=1 + (len(labels) - 1) // 14,
        borderaxespad=0.0,
    )


def _shades(posterior: np.ndarray) -> np.ndarray:
    """The colour of the most probable class, mixed with white as it is less probable."""
    from matplotlib.colors import to_rgb

    c = posterior.shape[-1]
    top = posterior.argmax(axis=-1)
    sure = (posterior.max(axis=-1) - 1.0 / c) / (1.0 - 1.0 / c)
    strength = (0.08 + 0.47 * np.clip(sure, 0.0, 1.0))[..., None]
    colours = np.array([to_rgb(_colour(k)) for k in range(c)])
    return 1.0 - strength * (1.0 - colours[top])


def _borders(ax: Any, sides: Sequence[np.ndarray], posterior: np.ndarray) -> None:
    for k in range(posterior.shape[-1]):
        others = np.delete(posterior, k, axis=-1).max(axis=-1)
        lead = posterior[..., k] - others
        if lead.min() < 0 < lead.max():
            ax.contour(*sides, lead, levels=[0.0], colors="0.25", linewidths=0.8, zorder=1)


def _say_others(ax: Any, others: int) -> None:
    if others:
        at = "feature at its mean" if others == 1 else "features at their means"
        ax.set_title(f"{others} other {at}", fontsize="small")


# Paths


def _draw_weights(ax: Any, est: Any, path: Sequence[Mapping[str, Any]]) -> None:
    names = _feature_names(est)
    penalties = np.array([step["sparsity"] for step in path])
    weights = np.zeros((len(path), len(names)))
    for i, step in enumerate(path):
        for j, w in step["weights"]:
            weights[i, j] = w
    seen = np.flatnonzero(weights.any(axis=0))
    # Strongest in the model first, then those that stay longest.
    order = sorted(seen, key=lambda j: (-abs(est.feature_weights_[j]), -np.count_nonzero(weights[:, j]), j))
    handles = []
    for place, j in reversed(list(enumerate(order))):
        named = place < MOST_NAMED
        style = (
            {"color": _colour(place), "ls": _dash(place // MOST_LINES), "lw": 1.8}
            if named
            else {"color": GREY, "lw": 0.7}
        )
        (line,) = ax.plot(penalties, weights[:, j], zorder=2 if named else 1, gid="weight", **style)
        if named:
            handles.append(line)
    labels = [_text(names[j]) for j in order[:MOST_NAMED]]
    handles.reverse()
    if len(order) > MOST_NAMED:
        handles.append(ax.plot([], [], color=GREY, lw=0.7)[0])
        labels.append(f"{len(order) - MOST_NAMED} more")
    _mark_penalty(ax, est, handles, labels)
    _penalty_axis(ax, penalties)
    ax.set(ylabel="weight in the kernel", ylim=(-0.03, 1.03))
    _beside(ax, handles, labels)


def _mark_penalty(ax: Any, est: Any, handles: list[Any], labels: list[str]) -> None:
    chosen = est.best_params_.get("sparsity")
    if chosen:
        handles.append(ax.axvline(chosen, color="black", ls=":", lw=1.2, gid="chosen"))
        labels.append("chosen")


def _penalty_axis(ax: Any, penalties: np.ndarray) -> None:
    if penalties.min() > 0 and len(penalties) > 1:
        _log_axis(ax, penalties)
    ax.set_xlabel("penalty (sparsity)")


def _log_axis(ax: Any, values: np.ndarray) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_xscale("log")
    if values.max() < 150 * values.min():
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def _draw_counts(ax: Any, est: Any, path: Sequence[Mapping[str, Any]]) -> None:
    penalties = np.array([step["sparsity"] for step in path])
    (line,) = ax.plot(penalties, [step["size"] for step in path], "o-", color=_colour(0), ms=4, gid="size")
    handles, labels = [line], ["coefficients"]
    table = getattr(est, "cv_results_", None)
    cv = None
    if table is not None and "param_sparsity" in table:
        tried = np.array([np.nan if v is None else v for v in table["param_sparsity"].filled(None)], dtype=float)
        error, se = 1.0 - table["mean_test_score"], table["standard_error"]
        shown = np.isfinite(tried) & np.isfinite(error) & (tried >= 0.999 * penalties.min())
        order = np.argsort(tried[shown])
        cv = tuple(a[shown][order] for a in (tried, error, se))
    _errors_on_the_right(ax, handles, labels, penalties, path, cv)
    _mark_penalty(ax, est, handles, labels)
    _penalty_axis(ax, penalties)
    ax.set_ylabel("nonzero coefficients")
    ax.set_ylim(bottom=0)
    _beside(ax, handles, labels, right=1.16)


def _draw_steps(ax: Any, est: Any, path: Sequence[Mapping[str, Any]]) -> None:
    sizes = np.array([step["size"] for step in path])
    by_feature = path[0].get("feature") is not None
    (line,) = ax.plot(sizes, [step["objective"] for step in path], "o-", color=_colour(0), ms=4, gid="objective")
    handles, labels = [line], ["objective"]
    curve = _cv(est).get("curve", [])
    cv = tuple(np.array([p[name] for p in curve]) for name in ("size", "error", "standard_error")) if curve else None
    _errors_on_the_right(ax, handles, labels, sizes, path, cv)
    kept = len(est.selected_features_) if by_feature else len(est.support_)
    if 0 < kept:
        handles.append(ax.axvline(kept, color="black", ls=":", lw=1.2, gid="chosen"))
        labels.append("chosen")
    ax.set_ylabel("objective")
    if by_feature and len(sizes) <= 30:
        names = _feature_names(est)
        shown = [_text(names[step["feature"]]) for step in path]
        ax.set_xticks(sizes, shown, rotation=45, ha="right", rotation_mode="anchor", fontsize="small")
        ax.set_xlabel("imported feature, in order")
    else:
        ax.set_xlabel("imported features" if by_feature else "retained samples")
    _beside(ax, handles, labels, right=1.16)


def _errors_on_the_right(
    ax: Any,
    handles: list[Any],
    labels: list[str],
    x: np.ndarray,
    path: Sequence[Mapping[str, Any]],
    cv: tuple[np.ndarray, ...] | None,
) -> None:
    right = ax.twinx()
    right.set_ylabel("error")
    train = [np.nan if step.get("train_error") is None else step["train_error"] for step in path]
    if np.isfinite(train).any():
        handles.append(right.plot(x, train, "s--", color=_colour(2), ms=3.5, gid="training error")[0])
        labels.append("training error")
    if cv is not None and len(cv[0]):
        handles.append(_band(right, *cv, colour=_colour(4), gid="cv error"))
        labels.append("CV error, ± s.e.")
    right.set_ylim(bottom=0)
    # Lines of the right axis over those of the left one would hide what the picture is about.
    ax.set_zorder(right.get_zorder() + 1)
    ax.set_frame_on(False)


def _band(ax: Any, x: np.ndarray, error: np.ndarray, se: np.ndarray, *, colour: str, gid: str, **style: Any) -> Any:
    se = np.nan_to_num(se)
    ax.fill_between(x, np.maximum(error - se, 0.0), error + se, color=colour, alpha=0.18, lw=0, gid="band")
    return ax.plot(x, error, marker=style.pop("marker", "."), color=colour, lw=1.8, gid=gid, **style)[0]


# Cross-validation


def _varying(table: Mapping[str, Any]) -> list[str]:
    """Parameters of the table with more than one value, each of them a number."""
    names = []
    for key in table:
        if not key.startswith("param_"):
            continue
        values = [v for v in np.ma.asarray(table[key]).compressed() if np.ndim(v) == 0 and not isinstance(v, str)]
        if len({float(v) for v in values}) > 1:
            names.append(key.removeprefix("param_"))
    return names


def _groups(table: Mapping[str, Any], names: Sequence[str], x: str, curve: Sequence[Any]) -> dict[tuple, list[int]]:
    """Rows of the table that differ in ``x`` only; one group where no two rows do."""
    # Sizes were chosen for each of the other settings: they follow from them.
    others = [name for name in names if name != x and not (curve and name in ("max_support", "max_features"))]
    groups: dict[tuple, list[int]] = {}
    for i, params in enumerate(table["params"]):
        value = params.get(x)
        if value is not None and np.isfinite(table["mean_test_score"][i]):
            groups.setdefault(tuple((name, params.get(name)) for name in others), []).append(i)
    if len(groups) > 1 and all(len(rows) == 1 for rows in groups.values()):
        groups = {(): sorted(i for rows in groups.values() for i in rows)}
    return groups


def _longest_lines(table: Mapping[str, Any], names: Sequence[str], curve: Sequence[Any]) -> str:
    def length(name: str) -> float:
        groups = _groups(table, names, name, curve)
        return 0.0 if () in groups and len(names) > 1 else np.mean([len(rows) for rows in groups.values()] or [0])

    return max(names, key=length)


def _draw_lines(
    ax: Any, est: Any, table: Mapping[str, Any], names: Sequence[str], x: str, curve: Sequence[Any]
) -> None:
    error, se = 1.0 - table["mean_test_score"], table["standard_error"]
    lines = []
    for key, rows in _groups(table, names, x, curve).items():
        best: dict[float, int] = {}
        for i in rows:
            value = float(table["params"][i][x])
            if value not in best or error[i] < error[best[value]] or i == est.best_index_:
                best[value] = i
        chosen = est.best_index_ in rows
        lines.append((not chosen, min(error[i] for i in rows), key, [best[v] for v in sorted(best)]))
    lines.sort(key=lambda line: line[:2])
    handles, labels = [], []
    for place, (_, _, key, rows) in enumerate(lines):
        values = np.array([float(table["params"][i][x]) for i in rows])
        label = ", ".join(f"{name} {_number(value)}" for name, value in key)
        if place == 0:
            handles.append(_band(ax, values, error[rows], se[rows], colour=_colour(0), gid="cv error", zorder=3))
            labels.append(f"{label or 'error'}, ± s.e.")
        elif place < MOST_LINES:
            style = {"color": _colour(place), "ls": _dash(place), "marker": ".", "lw": 1.1}
            handles.append(ax.plot(values, error[rows], gid="cv error", zorder=2, **style)[0])
            labels.append(label)
        else:
            ax.plot(
                values,
                error[rows],
                color=GREY,
                lw=0.7,
                marker="." if len(rows) == 1 else "",
                ms=3,
                zorder=1,
                gid="rest",
            )
    if len(lines) > MOST_LINES:
        handles.append(ax.plot([], [], color=GREY, lw=0.7)[0])
        labels.append(f"{len(lines) - MOST_LINES} more")
    _mark_chosen(ax, est, float(table["params"][est.best_index_][x]), error[est.best_index_], handles, labels)
    values = np.array([float(v) for v in table[f"param_{x}"].compressed()])
    if values.min() > 0 and values.max() > 5 * values.min() and not x.startswith("max_"):
        _log_axis(ax, values)
    ax.set_xlabel({"max_support": "retained samples", "max_features": "imported features"}.get(x, x))
    _beside(ax, handles, labels)


def _draw_size_curve(ax: Any, est: Any, curve: Sequence[Mapping[str, Any]]) -> None:
    size, error, se = (np.array([p[name] for p in curve]) for name in ("size", "error", "standard_error"))
    marker = "." if len(size) <= 40 else ""
    handles, labels = [_band(ax, size, error, se, colour=_colour(0), gid="cv error", marker=marker)], ["error, ± s.e."]
    features = "max_features" in est.best_params_
    chosen = est.best_params_.get("max_features" if features else "max_support")
    at = np.flatnonzero(size == chosen)
    if len(at):
        _mark_chosen(ax, est, chosen, error[at[0]], handles, labels)
    ax.set_xlabel("imported features" if features else "retained samples")
    ax.set_ylim(bottom=0)
    _beside(ax, handles, labels)


def _draw_one_setting(ax: Any, est: Any, table: Mapping[str, Any]) -> None:
    error, se = 1.0 - table["mean_test_score"][est.best_index_], table["standard_error"][est.best_index_]
    ax.errorbar([0], [error], yerr=[0 if np.isnan(se) else se], fmt="o", color=_colour(0), capsize=4)
    chosen = ", ".join(f"{name} {_number(value)}" for name, value in est.best_params_.items())
    ax.set_xticks([0], [chosen or "nothing was tuned"])
    ax.set_ylim(bottom=0)


def _mark_chosen(ax: Any, est: Any, x: float, error: float, handles: list[Any], labels: list[str]) -> None:
    handles.append(
        ax.scatter([x], [error], s=90, facecolors="none", edgecolors="black", lw=1.6, zorder=5, gid="chosen")
    )
    entries = [entry for entry in _cv(est).get("grid", []) if entry.get("error") is not None]
    by = ""
    if any(entry.get("press") is not None for entry in entries):
        by = " by PRESS"
    elif any(entry.get("score") is not None for entry in entries):
        by = " by error and log loss"  # so it need not be the lowest point
    labels.append(f"chosen{by}")


def _number(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "/".join(_number(v) for v in value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


# Densities


def _density_curves(ax: Any, x: np.ndarray, heights: np.ndarray, rows: np.ndarray | None) -> None:
    for k in range(heights.shape[1]):
        ax.plot(x, heights[:, k], color=_colour(k), ls=_dash(k), lw=1.8, gid="density")
        if heights.shape[1] <= 4:
            ax.fill_between(x, heights[:, k], color=_colour(k), alpha=0.12, lw=0)
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
        ax.contour(*sides, z, levels=levels, colors=_colour(k), linestyles=_dash(k), linewidths=1.2, zorder=2)
    ax.set(xlim=(sides[0][0], sides[0][-1]), ylim=(sides[1][0], sides[1][-1]))
