"""Paths of selections, and cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._common import axes, beside, check_fitted, colour, cv_record, dash, feature_names, kind, text

GREY = "#BBBBBB"
MOST_LINES = 6
MOST_NAMED = 10
# Inches that the numbers and the name of a second axis take.
RIGHT_AXIS = 0.8


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
    check_fitted(est)
    path = getattr(est, "path_", None)
    if not path:
        raise ValueError(
            f"{kind(est)} has no path to draw: SparseKOS, FIVM, SMKDA, L1DKF with linear posteriors and KLR with "
            "max_support have one"
        )
    weighted = any(step.get("weights") for step in path)
    ax = axes(ax, est.selected_features_ if weighted else ())
    if weighted:
        _draw_weights(ax, est, path)
    elif path[0].get("sparsity") is not None:
        _draw_counts(ax, est, path)
    else:
        _draw_steps(ax, est, path)
    return ax


def cv_curve(est: Any, param: str | None = None, *, ax: Any = None) -> Any:
    """Cross-validated error against what was tuned, the chosen setting marked.

    The line of the chosen setting has a band of one standard error. Other settings have their own lines, the best six
    in colour, the others thin and grey.

    Parameters
    ----------
    est : estimator
        A fitted estimator with ``cv_results_``.
    param : str, default=None
        A parameter of the table, such as 'bandwidth', or 'size': retained samples or imported features, for the chosen
        kernel and ridge. ``None`` is the size if there is one, else the parameter with the longest lines.
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
    check_fitted(est)
    table = getattr(est, "cv_results_", None)
    if table is None:
        raise ValueError(
            f"this {kind(est)} has no cv_results_: nothing was cross-validated; fit it with estimate=True, or leave a "
            "parameter to be tuned"
        )
    if "standard_error" not in table:
        raise TypeError(f"cv_curve needs an estimator of kernsieve; the table of {kind(est)} is of another kind")
    curve = cv_record(est).get("curve", [])
    names = _varying(table)
    if param is not None and param not in names and not (param == "size" and curve):
        known = [*(["size"] if curve else []), *names]
        raise ValueError(f"param must be one of {known}, got {param!r}")
    ax = axes(ax)
    if curve and param in (None, "size"):
        _draw_size_curve(ax, est, curve)
    elif not names:
        _draw_one_setting(ax, est, table)
    else:
        _draw_lines(ax, est, table, names, param or _longest_lines(table, names, curve), curve)
    ax.set_ylabel("cross-validated error")
    return ax


def _draw_weights(ax: Any, est: Any, path: Sequence[Mapping[str, Any]]) -> None:
    names = feature_names(est)
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
            {"color": colour(place), "ls": dash(place // MOST_LINES), "lw": 1.8}
            if named
            else {"color": GREY, "lw": 0.7}
        )
        (line,) = ax.plot(penalties, weights[:, j], zorder=2 if named else 1, gid="weight", **style)
        if named:
            handles.append(line)
    labels = [text(names[j]) for j in order[:MOST_NAMED]]
    handles.reverse()
    if len(order) > MOST_NAMED:
        handles.append(ax.plot([], [], color=GREY, lw=0.7)[0])
        labels.append(f"{len(order) - MOST_NAMED} more")
    _mark_penalty(ax, est, handles, labels)
    _penalty_axis(ax, penalties)
    ax.set(ylabel="weight in the kernel", ylim=(-0.03, 1.03))
    beside(ax, handles, labels)


def _draw_counts(ax: Any, est: Any, path: Sequence[Mapping[str, Any]]) -> None:
    penalties = np.array([step["sparsity"] for step in path])
    (line,) = ax.plot(penalties, [step["size"] for step in path], "o-", color=colour(0), ms=4, gid="size")
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
    beside(ax, handles, labels, inches=RIGHT_AXIS)


def _draw_steps(ax: Any, est: Any, path: Sequence[Mapping[str, Any]]) -> None:
    sizes = np.array([step["size"] for step in path])
    by_feature = path[0].get("feature") is not None
    (line,) = ax.plot(sizes, [step["objective"] for step in path], "o-", color=colour(0), ms=4, gid="objective")
    handles, labels = [line], ["objective"]
    curve = cv_record(est).get("curve", [])
    cv = tuple(np.array([p[name] for p in curve]) for name in ("size", "error", "standard_error")) if curve else None
    _errors_on_the_right(ax, handles, labels, sizes, path, cv)
    kept = len(est.selected_features_) if by_feature else len(est.support_)
    if 0 < kept:
        handles.append(ax.axvline(kept, color="black", ls=":", lw=1.2, gid="chosen"))
        labels.append("chosen")
    ax.set_ylabel("objective")
    if by_feature and len(sizes) <= 30:
        names = feature_names(est)
        shown = [text(names[step["feature"]]) for step in path]
        ax.set_xticks(sizes, shown, rotation=45, ha="right", rotation_mode="anchor", fontsize="small")
        ax.set_xlabel("imported feature, in order")
    else:
        ax.set_xlabel("imported features" if by_feature else "retained samples")
    beside(ax, handles, labels, inches=RIGHT_AXIS)


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
        handles.append(right.plot(x, train, "s--", color=colour(2), ms=3.5, gid="training error")[0])
        labels.append("training error")
    if cv is not None and len(cv[0]):
        handles.append(_band(right, *cv, colour=colour(4), gid="cv error"))
        labels.append("CV error, ± s.e.")
    right.set_ylim(bottom=0)
    # Lines of the right axis must not cover those of the left one, which the picture is about.
    ax.set_zorder(right.get_zorder() + 1)
    ax.set_frame_on(False)


def _band(ax: Any, x: np.ndarray, error: np.ndarray, se: np.ndarray, *, colour: str, gid: str, **style: Any) -> Any:
    se = np.nan_to_num(se)
    ax.fill_between(x, np.maximum(error - se, 0.0), error + se, color=colour, alpha=0.18, lw=0, gid="band")
    return ax.plot(x, error, marker=style.pop("marker", "."), color=colour, lw=1.8, gid=gid, **style)[0]


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
    """Rows of the table that differ in ``x`` only; one group if no two rows do."""
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
        rows = sum(len(rows) for rows in groups.values())
        return 0.0 if () in groups and len(names) > 1 else rows / max(1, len(groups))

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
            handles.append(_band(ax, values, error[rows], se[rows], colour=colour(0), gid="cv error", zorder=3))
            labels.append(f"{label or 'error'}, ± s.e.")
        elif place < MOST_LINES:
            style = {"color": colour(place), "ls": dash(place), "marker": ".", "lw": 1.1}
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
    beside(ax, handles, labels)


def _draw_size_curve(ax: Any, est: Any, curve: Sequence[Mapping[str, Any]]) -> None:
    size, error, se = (np.array([p[name] for p in curve]) for name in ("size", "error", "standard_error"))
    marker = "." if len(size) <= 40 else ""
    handles, labels = [_band(ax, size, error, se, colour=colour(0), gid="cv error", marker=marker)], ["error, ± s.e."]
    features = "max_support" not in est.best_params_
    chosen = est.best_params_.get("max_features" if features else "max_support")
    at = np.flatnonzero(size == chosen)
    if len(at):
        _mark_chosen(ax, est, chosen, error[at[0]], handles, labels)
    ax.set_xlabel("imported features" if features else "retained samples")
    ax.set_ylim(bottom=0)
    beside(ax, handles, labels)


def _draw_one_setting(ax: Any, est: Any, table: Mapping[str, Any]) -> None:
    error, se = 1.0 - table["mean_test_score"][est.best_index_], table["standard_error"][est.best_index_]
    ax.errorbar([0], [error], yerr=[0 if np.isnan(se) else se], fmt="o", color=colour(0), capsize=4)
    chosen = ", ".join(f"{name} {_number(value)}" for name, value in est.best_params_.items())
    ax.set_xticks([0], [chosen or "nothing was tuned"])
    ax.set_ylim(bottom=0)


def _mark_chosen(ax: Any, est: Any, x: float, error: float, handles: list[Any], labels: list[str]) -> None:
    handles.append(
        ax.scatter([x], [error], s=90, facecolors="none", edgecolors="black", lw=1.6, zorder=5, gid="chosen")
    )
    entries = [entry for entry in cv_record(est).get("grid", []) if entry.get("error") is not None]
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
