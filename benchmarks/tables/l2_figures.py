"""Kim & Scott (2010): Figures 1 and 2."""

import random

import l2
from cells import Cell, fill, mean_se, published
from program import write
from table import Extra, Table

DRAWS, ROWS = 40, 200
# Section 6: weights, means and variances of both densities.
POSITIVE = [(0.2, 4.0, 2.0**0.5), (0.8, 8.0, 1.0)]
NEGATIVE = [(0.7, 0.0, 1.0), (0.3, 10.0, 2.0**0.5)]
GRID = ["--bandwidths", l2.log_grid(0.01, 10, 50), "--no-standardize"]


def cells_of_figures():
    rows = published("l2-figures")
    return [Cell("l2-figures", r["dataset"], r["method"], "weights", float(r["value"]), "draw", None, 0) for r in rows]


def sample(seed, rows=ROWS):
    """A draw of Figure 1: both classes are equally likely."""
    rng, out = random.Random(seed), []
    for _ in range(rows):
        label, parts = rng.choice([("1", POSITIVE), ("-1", NEGATIVE)])
        ((_, mean, variance),) = rng.choices(parts, [p[0] for p in parts])
        out.append([repr(rng.gauss(mean, variance**0.5)), label])
    return out


def one_dimension(work):
    """Bandwidths and retained rows of L2QP-0 on draws of Figure 1."""

    def task(rows, options, seed):
        with work.scratch() as folder:
            path = write(folder / "draw.csv", ["x", "class"], sample(seed, rows))
            f = work.fit(path, *l2.METHODS["L2QP-0"], *options)
        return {"bandwidth": f["kernel"]["bandwidth"], "kept": f["retained_samples"]["count"]}

    return work.map("Figure 1", [(ROWS, GRID, seed) for seed in range(work.splits(DRAWS))], task)


def banana(work, count):
    """Retained rows on the first partition and on others, at the bandwidths that the first five choose."""
    done = l2.results_of_set(work, "ida_banana", ["L2QP-0", "L2QP-1"], count)
    return {m: ([r["kept"] * 4 for r in d["results"]], d["bandwidth"]) for m, d in done.items()}


def run(work, cells):
    draws = one_dimension(work)
    first, rows = next(c for c in cells if c.row == "one dimension"), []
    fill(first, [float(d["kept"]) for d in draws])
    counts = sorted(d["kept"] for d in draws)
    shown = [counts[0], counts[len(counts) // 4], counts[len(counts) // 2], counts[3 * len(counts) // 4], counts[-1]]
    rows.append(["one dimension", "L2QP-0", *shown, sum(c <= 9 for c in counts), len(counts)])
    if work.wants("Banana"):
        for method, (kept, bandwidth) in banana(work, work.splits(l2.SPLITS)).items():
            c = next(c for c in cells if (c.row, c.column) == ("Banana", method))
            # The partition is the paper's; the deviation is that over partitions.
            _, se = mean_se(kept)
            c.ours, c.splits, c.se = round(kept[0]), 1, se and se * len(kept) ** 0.5
            counts = sorted(round(k) for k in kept)
            shown = [counts[0], counts[len(counts) // 4], counts[len(counts) // 2], counts[3 * len(counts) // 4]]
            published_count = round(c.paper)
            within = sum(k <= published_count for k in counts)
            rows.append([f"Banana, bandwidth {bandwidth:.3g}", method, *shown, counts[-1], within, len(counts)])
    header = ["data", "method", "least", "quarter", "median", "three quarters", "most", "at most the paper's", "draws"]
    return [Extra("counts", header, rows)]


def density(parts, x):
    """The density of a mixture."""
    from math import exp, pi

    return sum(w * exp(-((x - m) ** 2) / (2 * v)) / (2 * pi * v) ** 0.5 for w, m, v in parts)


TABLES = [
    Table(
        "l2-figures",
        "Kim & Scott 2010, Figures 1 and 2: numbers of nonzero weights",
        ("l2-figures",),
        DRAWS,
        ("one dimension",),
        cells_of_figures,
        run,
        store="l2-2",
    ),
]
