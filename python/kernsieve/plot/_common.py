"""What the pictures share: estimators read, names, colours, legends, grids."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._base import default_feature_names

# The first six are far apart for every kind of colour vision; classes also have markers, and lines dashes.
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
# One less than the number of colours, so that a hundred classes have different pairs.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "*")
DASHES = ("-", "--", ":", "-.")
LONGEST_NAME = 32
LARGEST_BLOCK = 4_000_000


def axes(ax: Any, labels: Iterable[Any] = (), size: tuple[float, float] = (6.4, 4.4)) -> Any:
    """The given Axes, or those of a new figure, which is wider for longer legend labels."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("kernsieve.plot needs matplotlib: pip install matplotlib") from error
    if ax is not None:
        return ax
    longest = max((len(text(label)) for label in labels), default=0)
    width = size[0] + 0.08 * max(0, longest - 10)
    return Figure(figsize=(width, size[1]), layout="constrained").subplots()


def check_fitted(est: Any) -> None:
    if hasattr(est, "fit"):  # a density need not be an estimator
        check_is_fitted(est)


def kind(est: Any) -> str:
    return type(est).__name__


def cv_record(est: Any) -> dict[str, Any]:
    return _record(est).get("cv") or {}


def _record(est: Any) -> dict[str, Any]:
    model = getattr(est, "model_", None)
    return {} if model is None else json.loads(model.record())


def as_rows(est: Any, X: Any) -> np.ndarray:
    rows = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    try:
        rows = rows.astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X must hold numbers: {error}") from None
    if rows.ndim != 2 or rows.shape[1] != est.n_features_in_:
        raise ValueError(f"X must have {est.n_features_in_} columns, as in fit, got the shape {rows.shape}")
    return rows


def class_codes(est: Any, y: Any, n: int) -> np.ndarray:
    """Position in ``classes_`` of the class of every row."""
    if not hasattr(est, "classes_"):
        raise TypeError(f"a fitted classifier is needed; {kind(est)} has no classes_")
    y = np.asarray(y)
    if y.shape != (n,):
        raise ValueError(f"y must hold one class for each of the {n} rows, got the shape {y.shape}")
    positions = {label: k for k, label in enumerate(est.classes_.tolist())}
    unknown = sorted({repr(label) for label in y.tolist() if label not in positions})
    if unknown:
        raise ValueError(f"y has classes that the estimator was not fitted on: {', '.join(unknown[:5])}")
    return np.array([positions[label] for label in y.tolist()])


def feature_names(est: Any) -> list[str]:
    names = getattr(est, "feature_names_in_", None)
    return default_feature_names(est.n_features_in_) if names is None else [str(name) for name in names]


def position(feature: Any, names: Sequence[str]) -> int:
    if isinstance(feature, (int, np.integer)) and not isinstance(feature, bool):
        if 0 <= feature < len(names):
            return int(feature)
        raise ValueError(f"there is no feature {feature}: positions are from 0 to {len(names) - 1}")
    if feature in names:
        return list(names).index(feature)
    raise ValueError(
        f"there is no feature {feature!r}; the names are {', '.join(names[:8])}{', ..' * (len(names) > 8)}"
    )


def two_strongest(est: Any, rows: np.ndarray, codes: np.ndarray | None) -> list[int]:
    weights = np.abs(getattr(est, "feature_weights_", np.ones(est.n_features_in_)))
    apart = np.zeros(len(weights))
    if codes is not None:
        means = np.stack([rows[codes == k].mean(axis=0) for k in np.unique(codes)])
        spread = rows.std(axis=0)
        apart = np.divide(means.std(axis=0), spread, out=apart, where=spread > 0)
    first, second = np.lexsort((np.arange(len(weights)), -apart, -weights))[:2].tolist()
    return [first, second] if weights[first] > weights[second] else sorted((first, second))


def span(values: np.ndarray, points: int, margin: float = 0.05) -> np.ndarray:
    low, high = float(values.min()), float(values.max())
    edge = margin * (high - low) or 0.5
    return np.linspace(low - edge, high + edge, points)


def on_grid(
    f: Callable[[Any], np.ndarray],
    X: Any,
    rows: np.ndarray | None,
    names: Sequence[str],
    drawn: Sequence[int],
    sides: Sequence[np.ndarray],
) -> np.ndarray:
    """Values at the points of a grid, the last side slowest, block by block since there may be many other features."""
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
    """Rows in a data frame of the same kind as X, if X is one."""
    if not hasattr(X, "columns"):
        return block
    return type(X)({name: block[:, j] for j, name in enumerate(X.columns)})


def text(name: Any) -> str:
    """A name that matplotlib shows literally: no formulas, no line breaks, limited length."""
    text = re.sub(r"[\s\x00-\x1f\x7f]+", " ", str(name)).strip()
    if len(text) > LONGEST_NAME:
        half = (LONGEST_NAME - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    # matplotlib hides what starts with an underscore from legends.
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def colour(k: int) -> str:
    return COLOURS[k % len(COLOURS)]


def marker(k: int) -> str:
    return MARKERS[k % len(MARKERS)]


def dash(k: int) -> str:
    return DASHES[k % len(DASHES)]


def beside(ax: Any, handles: Sequence[Any], labels: Sequence[str], inches: float = 0.1) -> None:
    """A legend this far to the right of the data."""
    from matplotlib.transforms import ScaledTranslation

    ax.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        bbox_transform=ax.transAxes + ScaledTranslation(inches, 0.0, ax.figure.dpi_scale_trans),
        borderaxespad=0.0,
        frameon=False,
        fontsize="small",
        ncols=1 + (len(labels) - 1) // 20,
    )


def class_legend(ax: Any, classes: Any, *, lines: bool = False, means: bool = False, retained: bool = False) -> None:
    beside(ax, *class_handles(classes, lines=lines, means=means, retained=retained))


def class_handles(classes: Any, *, lines: bool, means: bool, retained: bool) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D

    def line(**style: Any) -> Any:
        return Line2D([], [], **style)

    handles = [
        line(color=colour(k), linestyle=dash(k), lw=1.8)
        if lines
        else line(color=colour(k), marker=marker(k), linestyle="none", markersize=6)
        for k in range(len(classes))
    ]
    labels = [text(label) for label in classes]
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


def say_others(ax: Any, others: int) -> None:
    if others:
        at = "feature at its mean" if others == 1 else "features at their means"
        ax.set_title(f"{others} other {at}", fontsize="small")
