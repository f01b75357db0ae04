"""Kernels that the caller computes: features whose inner products are the kernel."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.linalg import eigh


class KernelFeatures:
    """Features ``F`` with ``F F' = K``, and the same features of other rows from their kernel values.

    With ``K = V L V'`` they are ``V L^(1/2)``, rotated so that no direction is special; a row with the values ``k`` has
    ``k' V L^(-1/2)``. The linear kernel of these features is the kernel itself, exactly for a semidefinite matrix.
    """

    def __init__(self, kernel: np.ndarray, columns: np.ndarray | None) -> None:
        """Make features from the kernel values of all training rows; ``columns`` are those in use, if not all are."""
        self._columns = columns
        values, vectors = eigh((kernel + kernel.T) / 2)
        least = np.abs(values).max(initial=0.0) * len(values) * np.finfo(float).eps
        if values.min(initial=0.0) < -1e3 * least:
            warnings.warn(
                "the precomputed kernel is not positive semidefinite: the negative part of its matrix is left out",
                UserWarning,
                stacklevel=4,
            )
        kept = values > least
        if not kept.any():
            raise ValueError("the precomputed kernel is zero")
        vectors, roots = vectors[:, kept], np.sqrt(values[kept])
        # A constant column would count as a constant feature; after a rotation there is none.
        turn = np.linalg.qr(np.random.default_rng(0).normal(size=(len(roots), len(roots))))[0]
        self.train = np.ascontiguousarray((vectors * roots) @ turn)
        self._map = (vectors / roots) @ turn

    def of(self, kernel: np.ndarray) -> np.ndarray:
        """Features of rows with these kernel values with the training rows."""
        used = kernel if self._columns is None else kernel[:, self._columns]
        return np.ascontiguousarray(used @ self._map)


def check_square(kernel: np.ndarray) -> None:
    """Fail unless the values are of all training rows with each other."""
    n, p = kernel.shape
    if n != p:
        raise ValueError(f"a precomputed kernel is square, rows by rows, got {n} by {p}")
    if not np.allclose(kernel, kernel.T, rtol=1e-6, atol=1e-8 * np.abs(kernel).max(initial=0.0)):
        raise ValueError("a precomputed kernel is symmetric; this one is not")
