"""Model files."""

from __future__ import annotations

import json
from os import PathLike
from typing import Any

import numpy as np

from . import _core, _methods
from ._base import OPTION_NAMES, KernsieveClassifier, default_feature_names
from ._density import L2Density


def load(path: str | PathLike[str]) -> KernsieveClassifier | L2Density:
    """Load a model that ``save`` or the command line wrote.

    Parameters
    ----------
    path : str or path-like
        The model file.

    Returns
    -------
    estimator : KernsieveClassifier or L2Density
        A fitted estimator of the class that belongs to the method of the file. A file holds only the names of the
        classes: if all of them are whole numbers, ``classes_`` holds integers, else strings. A model that
        was trained on text, dates or missing cells predicts from data frames as they are, whose columns it finds by
        name.

    Examples
    --------
    >>> import os, tempfile
    >>> import kernsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.ks")
    >>> kernsieve.LDA().fit(X, y).save(path)
    >>> kernsieve.load(path).predict(X[:3])
    array([0, 0, 0])
    """
    with open(path, "rb"):
        pass  # a missing file, or a folder, raises Python's own exceptions
    model = _core.Model.load(path)
    classes = [getattr(_methods, name) for name in _methods.__all__] + [L2Density]
    known = {cls._method: cls for cls in classes}
    if model.method not in known:
        raise ValueError(
            f"{path}: this version has no estimator for the method '{model.method}'; install a newer kernsieve"
        )
    record = json.loads(model.record())
    estimator = known[model.method]()
    estimator.set_params(**_params(estimator, record["options"]))
    names = [name for name, _ in model.columns]
    if names != default_feature_names(len(names)):
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator.n_features_in_ = len(names)
    if not isinstance(estimator, L2Density):
        estimator.set_params(missing=model.missing)
        estimator._finds_columns = True
    estimator.notices_ = []
    if isinstance(estimator, L2Density):
        estimator.criterion = record["density"]["criterion"]
        estimator._set_fitted(model)
    else:
        estimator._set_fitted(model, _labels(model.classes))
    return estimator


def _labels(names: list[str]) -> np.ndarray:
    try:
        numbers = np.array([int(name) for name in names], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array(names)
    # "01" is not a whole number but a name.
    return numbers if [str(n) for n in numbers] == names else np.array(names)


def _params(estimator: KernsieveClassifier, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a record, as parameters of the estimator."""
    params = {"random_state": options["seed"]}
    for name in estimator.get_params(deep=False):
        word = OPTION_NAMES.get(name, name)
        value = options.get(word)
        several = options.get(f"{word}s")
        if several:
            value = several[0] if len(several) == 1 else several
        if isinstance(value, dict):
            value = value["given"]
        if name == "threshold":
            value = _number_or_text(value)
        # An empty list is as good as none.
        if value is not None and value != []:
            params[name] = value
    return params


def _number_or_text(value: Any) -> Any:
    try:
        return float(value)
    except (TypeError, ValueError):
        return value
