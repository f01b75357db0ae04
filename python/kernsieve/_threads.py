"""How many threads a call may use."""

from __future__ import annotations

import numbers

import joblib
from joblib.parallel import get_active_backend


def thread_count(n_jobs: int | None) -> int:
    """The number of threads that ``n_jobs`` stands for.

    ``None`` is all cores, but one core inside a joblib worker, whose siblings use the others. Negative numbers count
    from all cores downwards, as in joblib: -1 is all of them.
    """
    if n_jobs is None:
        backend, _ = get_active_backend()
        # 0 outside of any parallel call; workers of every kind see 1 or more.
        nested = (getattr(backend, "nesting_level", 0) or 0) > 0
        return 1 if nested else joblib.cpu_count()
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or a whole number other than 0, got {n_jobs!r}")
    if n_jobs < 0:
        return max(1, joblib.cpu_count() + 1 + int(n_jobs))
    return min(int(n_jobs), 4096)
