"""Methods of all objects that hold a compiled model."""

from __future__ import annotations

from os import PathLike
from typing import Literal

from sklearn.utils.validation import check_is_fitted


class HoldsModel:
    """Files and graphs of the model in ``model_``."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model file, which the command line and ``kernsieve.load`` read.

        Parameters
        ----------
        path : str or path-like
            The file; an existing one is replaced, whole or not at all.
        """
        check_is_fitted(self)
        self._check_portable()
        self.model_.save(path)

    def to_onnx(self, precision: Literal["single", "double"] = "double") -> bytes:
        """Write the model as an ONNX graph, for predictions in other runtimes.

        Parameters
        ----------
        precision : {"single", "double"}, default="double"
            Precision of the graph, its input and its outputs.

        Returns
        -------
        onnx : bytes
            The content of an ONNX file. Its input ``X`` is rows by features. The outputs of a classifier are ``label``,
            ``probabilities`` and ``outputs`` (the variates, scores or log densities); a label is a whole number if all
            classes are, else the text of the class. The output of a density is ``log_density``.
        """
        check_is_fitted(self)
        self._check_portable()
        return self.model_.to_onnx(precision)

    def _check_portable(self) -> None:
        """Fail if others could not use the model."""

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")
