"""Sparse kernel classification for tabular data: which features and which samples matter.

Every estimator follows scikit-learn. What is not given is tuned by cross-validation inside ``fit``.
"""

from . import _core, _methods, plot
from ._auto import AutoClassifier
from ._density import L2Density
from ._files import load
from ._methods import *  # noqa: F403
from ._selector import SieveSelector

__version__: str = _core.__version__

__all__ = ["AutoClassifier", "L2Density", "SieveSelector", "__version__", "load", "plot"]
__all__ += _methods.__all__
