"""Hidaka & Kurita (2012): Table 1 and Figure 1."""

import random

from cells import Cell, fill, mean_se, published
from picture import draw
from program import read, write
from table import Extra, Table
from work import digest

# lambda = 2^10 .. 2^-15 (section 5).
EXPONENTS = list(range(10, -16, -1))
# The rule of the paper: nearest mean where the total covariance is the identity, no priors.
RULE = ["--metric", "total", "--priors", "uniform"]
# More than the paper's ten, so that the noise of ten is the paper's alone.
SPLITS = 40


def cells_of_table():
    """Table 1, and the optimum of Figure 1, whose accuracy is that of the table; its zeros are "about 1,400"."""
    cells = [
        Cell("l1dkf-1", r["dataset"], r["method"], "accuracy", float(r["accuracy_percent"]), "ten")
        for r in published("l1dkf-1")
    ]
    for r in published("l1dkf-figure"):
        rule, within = ("rounded", float(r["within"])) if r["within"] else ("exact", None)
        column = f"{r['method']}, {r['quantity']}"
        cells.append(Cell("l1dkf-1", r["dataset"], column, "count", float(r["value"]), rule, within, 0))
    return cells


def rows_of_set(work, file):
    """The paper's rows.

    Its dna set has 2,586 of the 3,186: the two LIBSVM files, which are the second split of the collection.
    """
    header, rows = read(work.file(file))
    splits = work.published_splits(file) if file == "dna" else None
    if splits:
        train, test = splits[1]
        rows = [rows[i] for i in sorted(train + test)]
    return header, rows


def results_of_set(work, file):
    """Accuracies on random thirds, every penalty included, and the number of zeros among the coefficients."""
    header, rows = rows_of_set(work, file)
    cut = round(len(rows) * 2 / 3)

    def task(_, seed):
        order = list(range(len(rows)))
        random.Random(seed).shuffle(order)
        with work.scratch() as folder:
            train = write(folder / "train.csv", header, [rows[i] for i in order[:cut]])
            test = write(folder / "test.csv", header, [rows[i] for i in order[cut:]])

            def accuracy(method, *options):
                f = work.fit(train, "--method", method, *options, test=test)
                return 100 * (1 - f["test_error"]), f

            result = {"lda": accuracy("lda", *RULE, "--no-cv")[0], "lda_default": accuracy("lda", "--no-cv")[0]}
            result |= {"clip": [], "none": [], "zeros": []}
            for simplex in ("clip", "none"):
                for e in EXPONENTS:
                    a, f = accuracy("l1-dkf", *RULE, "--simplex", simplex, "--sparsity", 2.0**e, "--no-cv")
                    result[simplex].append(a)
                    if simplex == "clip":
                        result["zeros"].append(sum(c["zeros"] for c in f["coefficients"]))
            result["honest"], f = accuracy("l1-dkf")
            result["features"] = len(f["selected_features"])
            result["honest_rule"] = accuracy("l1-dkf", *RULE)[0]
        return result

    mark = digest(work.file(file))
    return work.map(file, [(mark, seed) for seed in range(work.splits(SPLITS))], task)


def mean(results, key, position=None):
    values = [r[key] if position is None else r[key][position] for r in results]
    return sum(values) / len(values)


def table_1(work, cells):
    """Judged: outputs of the regressions as they are, the best penalty of each split on its test part.

    Next to it are the other readings and honest figures.
    """
    files = {r["dataset"]: r["file"] for r in published("l1dkf-1")}
    readings, honest, figure = [], [], []
    for name, file in files.items():
        if not work.wants(name):
            continue
        results = results_of_set(work, file)
        own = {c.column: c for c in cells if c.row == name}
        fill(own["LDA"], [r["lda"] for r in results])
        fill(own["sparse LDA"], [max(r["none"]) for r in results])
        paper = own["sparse LDA"].paper
        best = max(range(len(EXPONENTS)), key=lambda k: mean(results, "clip", k))
        curve, each = [r["clip"][best] for r in results], [max(r["clip"]) for r in results]
        readings.append([name, paper, *ten(curve, paper), *ten(each, paper)])
        figures = [f"{mean(results, key):.1f}" for key in ("honest_rule", "honest", "lda_default")]
        honest.append([name, *figures, f"{mean(results, 'features'):.0f}"])
        if file == "semeion":
            figure = figure_1(work, results)
            top = max(range(len(EXPONENTS)), key=lambda k: mean(results, "none", k))
            fill(own["sparse LDA, zeros at the best penalty"], [r["zeros"][top] for r in results])
            penalty = own["sparse LDA, log2 of the best penalty"]
            penalty.ours, penalty.splits = float(EXPONENTS[top]), len(results)
    header = ["data", "paper", "best of the mean curve (s.e. of ten)", "met", "best of each split (s.e. of ten)", "met"]
    return [
        Extra("simplex", header, readings),
        Extra("honest", ["data", "penalty by CV, the paper's rule", "default", "`lda`", "features kept"], honest),
        Extra("figure", ["log2 penalty", "zeros of 2,560", "accuracy, clipped", "as they are"], figure),
    ]


def ten(values, paper):
    """A mean with the standard error that a mean of ten has, and whether the paper's is met."""
    mean, se = mean_se(values)
    wide = (se or 0) * (len(values) / 10) ** 0.5
    return f"{mean:.1f} ({wide:.1f})", "yes" if mean >= paper - 2 * wide else "no"


def figure_1(work, results):
    """Zeros among the 2,560 coefficients of semeion and accuracy against the penalty, means over splits; as a table,
    and drawn.
    """
    curves = {key: [mean(results, key, k) for k in range(len(EXPONENTS))] for key in ("zeros", "clip", "none")}
    folder = work.folder / "figures"
    folder.mkdir(exist_ok=True)
    draw(folder / "l1dkf-semeion.svg", EXPONENTS, curves["zeros"], curves["clip"], mean(results, "lda"))
    return [
        [f"{e:+d}", f"{z:.0f}", f"{a:.1f}", f"{b:.1f}"]
        for e, z, a, b in zip(EXPONENTS, curves["zeros"], curves["clip"], curves["none"], strict=True)
        if e <= 8
    ]


TABLES = [
    Table(
        "l1dkf-1",
        "Hidaka & Kurita 2012, Table 1 and Figure 1",
        ("l1dkf-1", "l1dkf-figure"),
        SPLITS,
        ("iri",),
        cells_of_table,
        table_1,
    ),
]
