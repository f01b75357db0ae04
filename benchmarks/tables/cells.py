"""Cells: a published figure, ours, and whether they agree. The rules of agreement are stated here and nowhere else."""

import csv
from dataclasses import asdict, dataclass, replace
from pathlib import Path

PUBLISHED = Path(__file__).parent / "published"

# What a figure measures, and which way is better; 0: neither.
BETTER = {
    "error": -1,
    "accuracy": 1,
    "kept": -1,
    "bandwidth": 0,
    "count": 0,
    "replications": 1,
    "share": 0,
    "weights": -1,
}
# The figures that the promise is about; the others are shown and judged next to them.
MAIN = ("error", "accuracy")

RULES = {
    "se": "a standard error is published: within two standard errors (the paper's and ours combined), or better",
    "sd": "a standard deviation over splits is published: within one of them (to the decimals of the table), or better",
    "ten": "only the number of splits is published, ten: within two standard errors of a mean of ten, or better",
    "draw": "one draw is published: within two standard deviations over our draws, or better",
    "exact": "counts of a method without choices: the same",
    "rounded": 'a number is given as "about": it rounds to the same',
}


@dataclass
class Cell:
    """One published figure and ours."""

    table: str
    row: str
    column: str
    quantity: str
    paper: float
    rule: str
    spread: float | None = None  # the paper's, of the kind that the rule names
    decimals: int = 1
    ours: float | None = None
    se: float | None = None  # standard error of our mean
    splits: int = 0
    barred: str = ""  # why the two cannot be compared, if they cannot
    inferred: str = ""  # what the paper or the data leave open, if ours rests on an inference
    repeats: str = ""  # the table that publishes the same figure; it is counted there
    made: str = ""  # commit and day of the run that ours is from
    reading: float | None = None  # ours under the other reading that the section describes
    reading_se: float | None = None
    reading_splits: int = 0
    reading_made: str = ""

    @property
    def read_otherwise(self):
        """The cell with the other reading in the place of ours."""
        return replace(
            self,
            ours=self.reading,
            se=self.reading_se,
            splits=self.reading_splits,
            made=self.reading_made,
            reading=None,
        )

    @property
    def key(self):
        return (self.table, self.row, self.column, self.quantity)

    @property
    def unit(self):
        """The unit of the difference, and its name."""
        if self.rule in ("sd", "rounded"):
            return self.spread, "sd" if self.rule == "sd" else ""
        if self.rule == "se":
            return ((self.spread or 0) ** 2 + (self.se or 0) ** 2) ** 0.5, "s.e."
        if self.rule == "ten":
            return (self.se or 0) * (self.splits / 10) ** 0.5, "s.e."
        if self.rule == "draw":
            return (self.se or 0) * self.splits**0.5, "sd"
        return 0.0, ""

    @property
    def difference(self):
        """Ours less the paper's."""
        return None if self.ours is None else self.ours - self.paper

    @property
    def verdict(self):
        """`yes`, `better`, `no`, `not comparable` or `not run`."""
        if self.ours is None:
            return "not comparable" if self.barred else "not run"
        if self.barred:
            return "not comparable"
        better = BETTER[self.quantity]
        if better * self.difference > 0 and self.rule != "exact":
            return "better" if not self.within else "yes"
        return "yes" if self.within else "no"

    @property
    def within(self):
        if self.rule == "exact":
            return self.ours == self.paper
        # Tables are compared to their own decimals; one draw, or the same figure in all splits, has no spread.
        gap = round(abs(self.difference), self.decimals) if self.rule == "sd" else abs(self.difference)
        width = {"sd": 1, "rounded": 1, "se": 2, "ten": 2, "draw": 2}[self.rule] * self.unit[0]
        return gap <= width + 1e-9

    @property
    def met(self):
        return self.verdict in ("yes", "better")

    def shown_difference(self):
        if self.difference is None:
            return ""
        width, name = self.unit
        return f"{self.difference / width:+.1f} {name}" if width and name else f"{self.difference:+.{self.decimals}f}"

    def as_dict(self):
        """The stored form, without what few cells have."""
        rare = ("inferred", "repeats", "reading", "reading_se", "reading_splits", "reading_made")
        own = {k: v for k, v in asdict(self).items() if v or k not in rare}
        return own | {"verdict": self.verdict, "difference": self.shown_difference()}


def cell_of(record):
    """A cell from its stored form; the verdict is computed again."""
    return Cell(**{k: v for k, v in record.items() if k not in ("verdict", "difference")})


def published(name):
    """The rows of a published table."""
    with open(PUBLISHED / f"{name}.csv") as f:
        return list(csv.DictReader(f))


def number(text):
    """A number, or None if the cell of the table is empty."""
    return float(text) if text else None


def mean_se(values):
    """Mean and its standard error; one value has none."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, None
    return mean, (sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values)) ** 0.5


def fill(cell, values):
    """Our figure from the values of the splits."""
    if values:
        cell.ours, cell.se = mean_se(values)
        cell.splits = len(values)


def fill_reading(cell, values):
    """The same under the other reading."""
    if values:
        cell.reading, cell.reading_se = mean_se(values)
        cell.reading_splits = len(values)


def markdown(header, rows):
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(v) for v in line) + " |" for line in lines)


def shown(cells):
    """The table paper / ours / difference / verdict."""
    rows = []
    for c in cells:
        digits = c.decimals
        # One digit more for ours, since it is a mean.
        paper = f"{c.paper:.{digits}f}" + (f" ({c.spread:g})" if c.spread is not None else "")
        ours = "" if c.ours is None else f"{c.ours:.{digits if c.rule == 'exact' else digits + 1}f}"
        se = "" if c.se is None else f"{c.se:.2g}"
        verdict = c.verdict + (", inferred" if c.inferred and c.ours is not None else "")
        rows.append([c.row, c.column, c.quantity, paper, ours, se, c.splits or "", c.shown_difference(), verdict])
    return markdown(
        ["data", "method", "figure", "paper (spread)", "ours", "s.e.", "splits", "difference", "verdict"], rows
    )


def shown_readings(cells):
    """The table of the cells that have another reading: ours, and that, each with its verdict."""
    rows = []
    for c in (c for c in cells if c.reading is not None):
        other, digits = c.read_otherwise, c.decimals
        paper = f"{c.paper:.{digits}f}" + (f" ({c.spread:g})" if c.spread is not None else "")
        ours = ["", c.verdict] if c.ours is None else [f"{c.ours:.{digits + 1}f}", c.verdict]
        rows.append([c.row, c.column, paper, *ours, f"{other.ours:.{digits + 1}f}", other.splits, other.verdict])
    return markdown(["data", "method", "paper (spread)", "ours", "verdict", "plain doubles", "splits", "verdict"], rows)
