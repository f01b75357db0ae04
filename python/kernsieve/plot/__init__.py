"""Pictures of fitted estimators, with matplotlib.

Every function draws into ``ax``, or into a new figure where none is given, and returns the Axes. A new figure is none of
pyplot's: ``ax.figure.savefig("picture.png")`` writes it, a notebook shows ``ax.figure``, and for a window make the Axes
yourself, ``fig, ax = plt.subplots(layout="constrained")``. Legends stand beside the data, for which a figure with the
constrained layout makes room.

matplotlib is not needed by anything else here and is imported by the first call: ``pip install matplotlib``.
"""

from ._classes import decision_regions, variates
from ._density import density
from ._tuning import cv_curve, weights_path

__all__ = ["cv_curve", "decision_regions", "density", "variates", "weights_path"]
