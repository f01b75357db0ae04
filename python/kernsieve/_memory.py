"""Memory limits, and whether a dense copy of sparse data stays within them."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from scipy import sparse

from . import _core

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def memory_limit(memory: int | str | None) -> int | None:
    """Bytes that ``memory`` stands for: a number, or text such as ``"4G"``."""
    if memory is None:
        return None
    number: float | None = None
    if isinstance(memory, str):
        text = memory.strip().upper().removesuffix("IB").removesuffix("B").strip()
        unit = _UNITS.get(text[-1:], 1)
        try:
            number = float(text[:-1] if unit > 1 else text) * unit
        except ValueError:
            number = None
    elif isinstance(memory, numbers.Real) and not isinstance(memory, bool):
        number = float(memory)
    if number is None or not 0 < number < 2**63:
        raise ValueError(f"memory must be a number of bytes above 0, such as 4000000000 or '4G', got {memory!r}")
    return int(number)


def dense(X: Any, limit: int | None) -> np.ndarray:
    """``X`` as a dense array, which the methods need; fails if a sparse one would not fit."""
    if not sparse.issparse(X):
        # What comes from another process or from a file need not be aligned.
        return np.require(X, requirements=["C", "ALIGNED"])
    needed = 8 * X.shape[0] * X.shape[1]
    if limit is None:
        free = _core.available_memory()
        limit = needed if free is None else free // 5 * 4
    # The compiled module makes its own copy.
    if 2 * needed > limit:
        raise MemoryError(
            f"X is sparse and has to be made dense: {X.shape[0]} rows by {X.shape[1]} features twice are "
            f"{_core.bytes_for_people(2 * needed)}, the limit is {_core.bytes_for_people(limit)}; "
            f"take fewer rows or features, or raise memory"
        )
    return np.ascontiguousarray(X.toarray())
