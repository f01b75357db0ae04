"""Pictures of fitted estimators, with matplotlib.

Every function draws into ``ax``, or into a new figure if none is given, and returns the Axes. A new figure is not
managed by pyplot: ``ax.figure.savefig("picture.png")`` writes it, a notebook shows ``ax.figure``, and for a window make
the Axes yourself, ``fig, ax = plt.subplots(layout="constrained")``. Legends stand next to the data; a figure with the
constrained layout makes room for them.

Nothing else here needs matplotlib, and the first call imports it: ``pip install matplotlib``.
"""

from ._classes import decision_regions, variates
from ._density import density
from ._dependence import dependence
from ._tuning import cv_curve, weights_path

__all__ = ["cv_curve", "decision_regions", "density", "dependence", "variates", "weights_path"]
