"""The figures of a run of the peers, as tables and as JSON."""

import sys
from dataclasses import asdict, dataclass, field

import numpy as np
from timing import exponent


@dataclass
class Line:
    """Ours and a peer, timed in turn on the same numbers."""

    task: str
    size: str
    threads: int
    ours: float  # seconds, median
    peer: float
    ratio: float  # the peer's time over ours, median
    low: float  # quartiles
    high: float
    runs: int
    agreement: str  # accuracy of both, or how far the results are apart
    rate: str = ""


@dataclass
class Growth:
    """Seconds (or megabytes) at sizes that double, and the exponents."""

    task: str
    axis: str
    sizes: list
    ours: list
    peer: list = field(default_factory=list)
    unit: str = "s"

    def exponents(self):
        return [float(exponent(self.sizes, values)) if len(values) > 1 else None for values in (self.ours, self.peer)]


@dataclass
class Recorded:
    """A figure of a peer that was measured elsewhere and is not run here."""

    task: str
    peer: str
    figure: str
    where: str


class Bench:
    """Collects what the tasks measure."""

    def __init__(self, program, command_line, short):
        self.program, self.command_line, self.short = program, command_line, short
        self.lines, self.growths, self.recorded, self.notes = [], [], [], []

    def line(self, task, size, threads, pairs, agreement, rate=None):
        """`pairs`: seconds of ours and theirs; `rate`: an amount of work and its unit, shown as a rate per second."""
        ratio = pairs[:, 1] / pairs[:, 0]
        low, high = np.percentile(ratio, [25, 75])
        mine, theirs = np.median(pairs, axis=0)
        speed = f"{rate[0] / mine:,.3g} and {rate[0] / theirs:,.3g} {rate[1]}" if rate else ""
        figures = [float(v) for v in (mine, theirs, np.median(ratio), low, high)]
        self.lines.append(Line(task, size, threads, *figures, len(pairs), agreement, speed))
        self.say(f"{task}, {size}: {self.lines[-1].ratio:.1f}x")

    def growth(self, task, axis, sizes, ours, peer=(), unit="s"):
        self.growths.append(Growth(task, axis, list(sizes), [float(v) for v in ours], [float(v) for v in peer], unit))
        self.say(f"{task}, growth with {axis}")

    def note(self, text):
        self.notes.append(text)
        self.say(text)

    def say(self, text):
        print(text, file=sys.stderr, flush=True)

    def as_dict(self):
        return {
            "lines": [asdict(v) for v in self.lines],
            "growths": [asdict(v) for v in self.growths],
            "recorded": [asdict(v) for v in self.recorded],
            "notes": self.notes,
        }


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(v) for v in line) + " |" for line in lines)


def seconds(value):
    return f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"


def lines_shown(lines):
    rows = []
    for v in lines:
        spread = f"{v.ratio:.1f} ({v.low:.1f} to {v.high:.1f}), {v.runs}"
        rows.append([v.task, v.size, v.threads, seconds(v.ours), seconds(v.peer), spread, v.agreement, v.rate])
    header = ["task: ours / peer", "size", "our threads", "ours", "peer", "ratio (quartiles), runs"]
    return markdown([*header, "accuracy or agreement", "rate, ours and peer"], rows)


def growths_shown(growths):
    rows = []
    for v in growths:
        show = seconds if v.unit == "s" else lambda x: f"{x:.0f} MB"
        own, other = v.exponents()
        sizes = ", ".join(f"{s:,}" for s in v.sizes)
        shown = [", ".join(map(show, values)) for values in (v.ours, v.peer)]
        powers = ["" if e is None else f"{e:.2f}" for e in (own, other)]
        rows.append([v.task, f"{v.axis} = {sizes}", shown[0], powers[0], shown[1], powers[1]])
    return markdown(["task: ours / peer", "size", "ours", "exponent", "peer", "exponent"], rows)


def recorded_shown(recorded):
    return markdown(["task", "peer", "figure", "where"], [[v.task, v.peer, v.figure, v.where] for v in recorded])
