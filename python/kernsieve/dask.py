"""Estimators for rows that are spread over many machines: Dask data frames and arrays.

The parts of the data stay where they are. A sample of the rows, which does not depend on how they are divided, comes
to the client and tells what there is to learn of columns and settings. Scaling and coefficients are sums over all
rows, which workers make of their parts and which are added in the order of the parts. The model is the ordinary one:
``model_`` and files are those of the estimators of the same name in ``kernsieve``.

    from kernsieve.dask import LDA

    lda = LDA().fit(X, y)  # a dask DataFrame and one of its columns, or dask Arrays
    classes = lda.predict(X)  # lazy

A fit reads the data a few times (twice for the sample, once for the scaling, once or twice for the coefficients,
some five times for ``KLR``). ``X.persist()`` keeps them in the memory of the workers where there is room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _columns, _core, _methods
from ._base import seed_of
from ._methods import SieveClassifier as _Sieve

try:
    import dask
    from dask import delayed
except ImportError as e:
    raise ImportError("kernsieve.dask needs dask: pip install 'kernsieve[dask]'") from e

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

__all__ = ["KLR", "LDA", "SMKDA", "SieveClassifier"]

# Rows that come to the client at most, and of each class at least if there are so many.
AT_HAND = 100_000
PER_CLASS = 200
# Landmarks where the number is not given: without them the methods need all rows at once.
LANDMARKS = 1000
# How often a failed part is computed again; that of a lost worker is computed again in any case.
RETRIES = 3


def _is_dask(data: Any) -> bool:
    return dask.is_dask_collection(data)


def _parts_of(data: Any, name: str) -> list:
    """The parts of a collection, in order."""
    if not _is_dask(data):
        raise TypeError(
            f"{name} must be a dask DataFrame, Series or Array, got {type(data).__name__}; the estimators of kernsieve "
            "take data that are in memory"
        )
    if hasattr(data, "rechunk"):
        data = data.rechunk({1: -1}) if data.ndim == 2 else data
        return list(data.to_delayed().ravel())
    return list(data.to_delayed())


def _values(data: Any) -> np.ndarray:
    return np.asarray(data.to_numpy() if hasattr(data, "to_numpy") else data)


def _weights(w: Any) -> np.ndarray | None:
    if w is None:
        return None
    w = _values(w).astype(np.float64)
    if not (np.isfinite(w).all() and (w >= 0).all()):
        raise ValueError("sample_weight must be finite numbers from 0 on")
    return w


def _count(X: Any, y: Any, w: Any) -> tuple[int, int, dict]:
    """Rows of a part, rows that count, and the weight of each class."""
    labels, weights = _values(y), _weights(w)
    if len(labels) != len(X) or (weights is not None and len(weights) != len(X)):
        raise ValueError(f"a part of X has {len(X)} rows, that of y {len(labels)}: divide them alike")
    if any(_columns._is_missing(label) for label in (labels if labels.dtype == object else labels[:0])):
        raise ValueError("Input y contains NaN: leave out rows without a class")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError("Input y contains NaN: leave out rows without a class")
    weights = np.ones(len(labels)) if weights is None else weights
    classes, codes = np.unique(labels[weights > 0], return_inverse=True)
    sums = np.bincount(codes, weights=weights[weights > 0], minlength=len(classes))
    return len(labels), len(codes), dict(zip(classes.tolist(), sums.tolist(), strict=True))


def _codes(y: Any, w: Any, classes: np.ndarray) -> np.ndarray:
    """Positions of the classes; -1 for rows of weight 0."""
    codes = np.searchsorted(classes, _values(y)).astype(np.int64)
    weights = _weights(w)
    if weights is not None:
        codes[weights == 0] = -1
    return codes


def _draw(y: Any, w: Any, classes: np.ndarray, start: int, seed: int, most: int, per_class: int) -> bytes:
    return _core.partial_draw(_codes(y, w, classes), start, seed, most, per_class, len(classes))


def _take(X: Any, y: Any, w: Any, rows: np.ndarray) -> tuple:
    some = X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]
    labels = y.iloc[rows] if hasattr(y, "iloc") else np.asarray(y)[rows]
    return some, labels, None if w is None else _weights(w)[rows]


def _held(X: Any, y: Any, w: Any, classes: np.ndarray, categorical: Any) -> tuple:
    """The rows of a part that count, as the compiled module takes them."""
    codes, weights = _codes(y, w, classes), _weights(w)
    columns = _columns.columns_of(X, categorical)
    # What comes from another process need not be aligned.
    rows = np.require(X, np.float64, ["C", "ALIGNED"]) if columns is None else columns
    kept = np.flatnonzero(codes >= 0)
    if len(kept) < len(codes):
        rows = rows[kept] if columns is None else columns.take(kept)
        codes, weights = codes[kept], weights[kept]
    return rows, codes, weights


def _moments(X: Any, y: Any, w: Any, classes: np.ndarray, categorical: Any, schema: str) -> bytes:
    rows, codes, weights = _held(X, y, w, classes, categorical)
    return _core.partial_moments(rows, codes, schema, len(classes), weights)


def _sums(X: Any, y: Any, w: Any, classes: np.ndarray, categorical: Any, frame: bytes, task: bytes) -> bytes:
    rows, codes, weights = _held(X, y, w, classes, categorical)
    return _core.partial_sums(rows, codes, frame, task, weights)


def _compute(what: Any) -> Any:
    return dask.compute(what, retries=RETRIES)[0]


def _added(parts: list) -> bytes:
    """The sum of parts by pairs of neighbours: the order is that of the parts, whoever is ready first."""
    merge = delayed(_core.merge_partial)
    while len(parts) > 1:
        pairs = [merge(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[len(pairs) * 2 :]
    return _compute(parts[0])


class _Parts:
    """Rows in parts, and what is known of all of them."""

    def __init__(self, X: Any, y: Any, sample_weight: Any, categorical: Any):
        parts = [_parts_of(X, "X"), _parts_of(y, "y")]
        parts.append([None] * len(parts[0]) if sample_weight is None else _parts_of(sample_weight, "sample_weight"))
        numbers = [len(p) for p in parts]
        if len(set(numbers)) > 1:
            raise ValueError(
                f"X has {numbers[0]} parts, y {numbers[1]}, sample_weight {numbers[2]}: divide them alike, for example "
                "as columns of one data frame"
            )
        self.parts = list(zip(*parts, strict=True))
        self.categorical = categorical
        counts = _compute([delayed(_count)(*p) for p in self.parts])
        labels = [label for _, _, sums in counts for label in sums]
        if not labels:
            raise ValueError("there are no rows, or every weight is 0")
        self.classes = np.unique(np.array(labels, dtype=object if isinstance(labels[0], str) else None))
        self.starts = np.concatenate([[0], np.cumsum([n for n, _, _ in counts])]).tolist()
        self.n_rows = sum(n for _, n, _ in counts)
        place = {label: k for k, label in enumerate(self.classes.tolist())}
        self.totals = np.zeros(len(place))
        for _, _, sums in counts:
            for label, weight in sums.items():
                self.totals[place[label]] += weight

    def _each(self, function: Callable, *words: Any) -> list:
        # The words are constants of the graph: data that were scattered would die with their worker.
        return [delayed(function)(*p, self.classes, self.categorical, *words) for p in self.parts]

    def sample(self, seed: int) -> tuple:
        """The numbers of some rows, these rows, their classes, and their weights."""
        numbered = zip(self.parts, self.starts, strict=False)
        sizes = (AT_HAND, PER_CLASS)
        drawn = _added([delayed(_draw)(y, w, self.classes, start, seed, *sizes) for (_, y, w), start in numbered])
        rows = np.array(_core.drawn_rows(drawn), dtype=np.int64)
        cuts = np.searchsorted(rows, self.starts)
        taken = [
            delayed(_take)(*part, rows[a:b] - start)
            for part, start, a, b in zip(self.parts, self.starts, cuts, cuts[1:], strict=False)
            if a < b
        ]
        X, y, w = zip(*_compute(taken), strict=True)
        return rows.tolist(), _stacked(X), _stacked(y), None if w[0] is None else np.concatenate(w)

    def ask(self, kind: str, *words: Any) -> bytes:
        """Carry out a pass."""
        return _added(self._each(_moments if kind == "moments" else _sums, *words))


def _stacked(parts: Any) -> Any:
    """Parts below each other."""
    if hasattr(parts[0], "iloc"):
        import pandas as pd

        return pd.concat(list(parts), ignore_index=True)
    return np.concatenate(parts)


class _Distributed:
    """Fits on dask collections; predicts them lazily."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Tune what is not given on a sample of the rows, and fit to all of them.

        Parameters
        ----------
        X : dask DataFrame or Array of shape (n_samples, n_features)
            Training rows.
        y : dask Series or Array of shape (n_samples,)
            Their classes, divided as the rows are.
        sample_weight : dask Series or Array of shape (n_samples,), default=None
            Weights: a row of weight 2 counts twice, a row of weight 0 is left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if getattr(self, "missing", None) == "drop":
            raise ValueError("missing='drop' cannot leave out rows of parts elsewhere; fill them, or drop them beforehand")
        if self.class_weight is not None and not self._class_weight_is_cost:
            raise ValueError("class_weight is not for rows elsewhere; give sample_weight, or costs")
        if getattr(self, "exact", False) and sample_weight is not None:
            raise ValueError("exact=True counts every row once; leave out sample_weight, or exact")
        parts = _Parts(X, y, sample_weight, getattr(self, "categorical_features", None))
        rows, some, labels, weights = parts.sample(seed_of(self.random_state) if hasattr(self, "random_state") else 0)
        elsewhere = (parts.n_rows, parts.totals.tolist(), parts.ask)
        return self._fit(some, labels, weights, elsewhere=elsewhere, numbers=rows)

    def _options(self) -> dict:
        options = super()._options()
        if "candidates" in self.get_params() and self.candidates is None:
            options["candidates"] = LANDMARKS
        return options

    def _lazily(self, X: Any, function: str, width: int | None, dtype: Any) -> Any:
        if not _is_dask(X):
            return getattr(super(), function)(X)
        shape = (0,) if width is None else (0, width)
        if hasattr(X, "rechunk"):
            X = X.rechunk({1: -1})
            layout = {"drop_axis": 1} if width is None else {"chunks": (X.chunks[0], (width,))}
            return X.map_blocks(_apply, self, function, dtype=dtype, meta=np.empty(shape, dtype), **layout)
        return X.map_partitions(_apply, self, function, meta=np.empty(shape, dtype))

    def predict(self, X: Any) -> Any:
        """Classes of the rows of a dask collection, as a lazy dask Array; of rows in memory, at once."""
        return self._lazily(X, "predict", None, self.classes_.dtype)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the classes, as a lazy dask Array; of rows in memory, at once."""
        return self._lazily(X, "predict_proba", len(self.classes_), np.float64)


def _apply(X: Any, estimator: Any, function: str) -> np.ndarray:
    """What an estimator says of a part, which may be empty."""
    if len(X) == 0:
        width = (0,) if function == "predict" else (0, len(estimator.classes_))
        return np.empty(width, estimator.classes_.dtype if function == "predict" else np.float64)
    return getattr(estimator, function)(X)


class LDA(_Distributed, _methods.LDA):
    __doc__ = _methods.LDA.__doc__


class SMKDA(_Distributed, _methods.SMKDA):
    __doc__ = _methods.SMKDA.__doc__


class KLR(_Distributed, _methods.KLR):
    __doc__ = _methods.KLR.__doc__


class SieveClassifier(_Distributed, _Sieve):
    __doc__ = _Sieve.__doc__
