"""The one form of all tables."""

from collections.abc import Callable
from dataclasses import dataclass

from cells import Cell, markdown


@dataclass
class Extra:
    """An extra table: figures that no paper reports. `name` is its place in the prose."""

    name: str
    header: list
    rows: list
    made: str = ""  # commit and day of the run

    def shown(self):
        return markdown(self.header, self.rows)


@dataclass
class Table:
    """A published table.

    `published` gives its cells, ours empty: a cell that `run` does not fill is shown as not run, so that none is
    missing silently. `run` fills them and returns the extra tables.
    """

    name: str
    title: str
    sources: tuple[str, ...]  # the CSV files of published figures
    splits: int  # of a full run; where sets differ, the largest
    short_rows: tuple[str, ...]  # what the short version runs
    published: Callable[[], list[Cell]]
    run: Callable[..., list[Extra]]
    store: str = ""  # where results are kept, if another table has the same
    paper_arithmetic: bool = False  # whether `--paper-arithmetic` is a reading of it
