"""Folds of the caller."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv


def splits_of(cv: Any, X: np.ndarray, y: np.ndarray, kept: np.ndarray | None) -> list[tuple[list[int], list[int]]] | None:
    """The splits that ``cv`` stands for, among the rows that are kept; ``None`` if the compiled module makes them.

    A split is dropped if all its rows to train on or to hold out have weight 0.
    """
    if cv is None or isinstance(cv, numbers.Integral):
        return None
    splits = [(np.arange(len(y))[train], np.arange(len(y))[test]) for train, test in check_cv(cv, y, classifier=True).split(X, y)]
    if kept is not None:
        place = np.full(len(y), -1)
        place[kept] = np.arange(len(kept))
        splits = [tuple(place[part][place[part] >= 0] for part in split) for split in splits]
        splits = [split for split in splits if all(len(part) for part in split)]
    return [(train.tolist(), test.tolist()) for train, test in splits]
