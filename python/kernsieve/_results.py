"""The training record in the form of scikit-learn's search results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata


def chosen_params(candidate: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a candidate, under the names of the estimators' parameters."""
    # With a discriminant kernel the settings of the posteriors are one level below.
    reader = candidate.get("posterior") or candidate
    if "rounds" in candidate:
        return _sieve_params(candidate)
    values = {
        "bandwidth": reader["kernel"].get("bandwidth"),
        "ridge": candidate.get("ridge", reader.get("ridge")),
        "max_support": candidate.get("size"),
        "max_features": candidate.get("n_features"),
        "sparsity": reader.get("sparsity"),
        "balance": candidate.get("balance"),
        "class_bandwidths": candidate.get("class_bandwidths"),
    }
    return {name: value for name, value in values.items() if value is not None}


def _sieve_params(candidate: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kernel": candidate["kernel"]["family"],
        "linear": "in" if candidate["linear"] else "out",
        "rounds": candidate["rounds"],
        "ridge": candidate["ridge"],
        "prepare": candidate["prepare"],
        "max_support": candidate["size"],
        "max_features": candidate["n_features"],
    }


def cv_results(grid: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The cross-validation table as GridSearchCV gives it; scores are accuracies.

    Besides its columns there are ``standard_error`` (of the mean score), ``mean_log_loss``, and ``criterion``: the
    value that settings are compared by, smaller is better, and that ``rank_test_score`` ranks.
    """
    params = [chosen_params(entry) for entry in grid]
    results: dict[str, Any] = {"params": params}
    for name in sorted({name for p in params for name in p}):
        column = np.ma.masked_all(len(params), dtype=object)
        for i, p in enumerate(params):
            if name in p:
                column[i] = p[name]
        results[f"param_{name}"] = column
    folds = max((len(entry["fold_errors"]) for entry in grid), default=0)
    splits = np.full((len(grid), folds), np.nan)
    for i, entry in enumerate(grid):
        errors = entry["fold_errors"]
        splits[i, : len(errors)] = 1.0 - np.asarray(errors, dtype=float)
    for k in range(folds):
        results[f"split{k}_test_score"] = splits[:, k]
    results["mean_test_score"] = 1.0 - _column(grid, "error")
    results["std_test_score"] = splits.std(axis=1) if folds else np.full(len(grid), np.nan)
    results["standard_error"] = np.where(np.isnan(_column(grid, "error")), np.nan, _column(grid, "standard_error"))
    results["mean_log_loss"] = _column(grid, "log_loss")
    results["criterion"] = np.array([_criterion(entry) for entry in grid])
    # Settings that could not be fitted, or were dropped, come last.
    results["rank_test_score"] = rankdata(np.nan_to_num(results["criterion"], nan=np.inf), method="min").astype(
        np.int32
    )
    return results


def assessment(written: Mapping[str, Any], classes: np.ndarray) -> dict[str, Any]:
    """How held-out rows fared, with the labels of classes in place of their positions."""
    result, labels = dict(written), classes.tolist()
    result["baseline"] = {**written["baseline"], "class": labels[written["baseline"]["class"]]}
    result["never_predicted"] = [labels[c] for c in written.get("never_predicted", [])]
    if "cutting" in written:
        result["cutting"] = {**written["cutting"], "positive": labels[written["cutting"]["positive"]]}
    return result


def _criterion(entry: Mapping[str, Any]) -> float:
    if entry.get("press") is not None:
        return entry["press"]["mean"]
    if entry.get("score") is not None:
        return entry["score"]
    return np.nan if entry["error"] is None else entry["error"]


def _column(grid: Sequence[Mapping[str, Any]], name: str) -> np.ndarray:
    values = (entry.get(name) for entry in grid)
    return np.array([np.nan if value is None else value for value in values], dtype=float)
