"""The compiled module."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str

class Model:
    """A trained classifier. Its bytes are those of the model file."""

    @property
    def classes(self) -> list[str]: ...
    @property
    def feature_names(self) -> list[str]: ...
    @property
    def feature_weights(self) -> NDArray[np.float64]: ...
    @property
    def method(self) -> str: ...
    @property
    def n_outputs(self) -> int: ...
    @property
    def offsets(self) -> list[float]: ...
    @property
    def threshold(self) -> tuple[int, float] | None: ...
    def decide(self, probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
        """The predicted class of each row of probabilities, by position."""

    @property
    def columns(self) -> list[tuple[str, int]]:
        """Names of the columns that features are made of, and how many each makes."""

    @property
    def is_plain(self) -> bool:
        """Whether features are columns of numbers, taken as they are."""

    @property
    def missing(self) -> str:
        """What was done with missing cells."""

    def predict(
        self,
        x: NDArray[np.float64] | Sequence[tuple[str, str, NDArray | None, NDArray | None, list[str] | None]],
        n_jobs: int = 1,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Probabilities, log scores and outputs of the rows of ``x``."""

    def updated(
        self,
        x: NDArray[np.float64] | Sequence[tuple[str, str, NDArray | None, NDArray | None, list[str] | None]],
        codes: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
    ) -> Model:
        """The model with further rows taken in, whose classes are given by position."""

    def mixture(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Centres, widths of the features and weights of a density, in the units of the data."""

    def linear(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Coefficients and offsets of log scores that are linear in the features, in the units of the data."""

    def record(self) -> str:
        """How the model was trained, as JSON."""

    def to_bytes(self) -> bytes: ...
    def to_onnx(self, precision: str) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Model: ...

def train(
    x: NDArray[np.float64] | Sequence[tuple[str, str, NDArray | None, NDArray | None, list[str] | None]],
    y: NDArray[np.int64],
    classes: Sequence[str],
    feature_names: Sequence[str],
    method: str,
    options: Mapping[str, Any],
    *,
    weights: NDArray[np.float64] | None = None,
    rows: Sequence[int] | None = None,
    splits: Sequence[tuple[Sequence[int], Sequence[int]]] | None = None,
    target: str = "class",
    estimate: bool = True,
    importances: bool = False,
    budget: float | None = None,
    methods: Sequence[str] | None = None,
    like: Model | None = None,
    missing: str = "error",
    encode: str = "one-hot",
    rare: int | None = None,
    n_jobs: int = 1,
    memory: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    elsewhere: tuple[int, Sequence[float], Callable[..., bytes]] | None = None,
) -> tuple[Model, list[str], list[str]]:
    """The model, the notices about it, and the options without effect.

    ``elsewhere`` has the number of all rows, the weight of each class, and what carries out a pass over them:
    ``ask("moments", schema)`` or ``ask("sums", frame, task)``, which returns the merged parts.
    """

def partial_draw(
    y: NDArray[np.int64], start: int, seed: int, most: int, per_class: int, n_classes: int
) -> bytes:
    """Numbers of rows that a part contributes to a sample; rows of class -1 have no part in it."""

def drawn_rows(draw: bytes) -> list[int]:
    """The numbers of the rows of a sample."""

def partial_moments(
    x: Any, y: NDArray[np.int64], schema: str, n_classes: int, weights: NDArray[np.float64] | None = None
) -> bytes:
    """Moments of the rows of a part."""

def partial_sums(
    x: Any, y: NDArray[np.int64], frame: bytes, task: bytes, weights: NDArray[np.float64] | None = None
) -> bytes:
    """The sums of a task over the rows of a part."""

def merge_partial(a: bytes, b: bytes) -> bytes:
    """Two parts of the same kind as one."""

def train_density(
    x: NDArray[np.float64],
    feature_names: Sequence[str],
    options: Mapping[str, Any],
    *,
    weights: NDArray[np.float64] | None = None,
    rows: Sequence[int] | None = None,
    n_jobs: int = 1,
    memory: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[Model, list[str]]:
    """A density of the rows, and the notices about it."""

def are_measurements(values: Sequence[str], n_rows: int) -> bool:
    """Whether the different values of a target are measurements rather than classes."""

def available_memory() -> int | None: ...
def bytes_for_people(bytes: int) -> str: ...

def run_command(arguments: Sequence[str]) -> int:
    """Runs the command line; the first argument is the name of the program. The exit status."""
