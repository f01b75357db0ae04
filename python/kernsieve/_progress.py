"""A progress bar on standard error."""

from __future__ import annotations

import sys


class ProgressBar:
    """One line that is overwritten with a carriage return. A context manager, called with (done, total)."""

    WIDTH = 30

    def __init__(self, title: str) -> None:
        self._title = title
        self._shown = ""

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._write("\r" + " " * len(self._shown) + "\r")

    def __call__(self, done: int, total: int) -> None:
        filled = self.WIDTH * done // max(total, 1)
        line = f"{self._title} [{'#' * filled}{'.' * (self.WIDTH - filled)}] {done}/{total}"
        if line != self._shown:
            # A second round of settings may have fewer pieces, and so a shorter line.
            self._write("\r" + line.ljust(len(self._shown)))
            self._shown = line

    @staticmethod
    def _write(text: str) -> None:
        # A missing terminal, as under pythonw, is no reason to fail.
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()
