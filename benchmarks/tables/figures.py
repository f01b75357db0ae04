"""The papers' figures, drawn from our runs with what the papers say of theirs: `cargo xtask tables figures --data DIR`.

The result is one HTML page that loads nothing. What a paper names is drawn in red. Results are those of the tables, and
are computed where they are not stored.
"""

import math
from html import escape

import fivm
import kos
import l2
import l2_figures
import report
from chart import COLOURS, PUBLISHED, Chart, powers, words
from mixtures import disc_in_ring, mixture
from program import read, write
from times import seconds_of

BLUE, ORANGE, GREEN = COLOURS[:3]
STYLE = """body{font:15px/1.5 sans-serif;max-width:1300px;margin:2em auto;padding:0 1em;color:#222}
figure{margin:1.5em 0;border-top:1px solid #ccc;padding-top:.7em}figcaption{margin-bottom:.5em;max-width:60em}
.charts{display:flex;flex-wrap:wrap;gap:8px}h2{margin-top:2.2em}.paper{color:#d62728}"""


def by_class(rows, columns=(0, 1)):
    """Points of two columns by class."""
    found = {}
    for r in rows:
        found.setdefault(r[-1], []).append(tuple(float(r[j]) for j in columns))
    return sorted(found.items())


def range_of(points, axis, margin=0.05):
    values = [p[axis] for p in points]
    low, high = min(values), max(values)
    return low - margin * (high - low), high + margin * (high - low)


def scatter(title, groups, xlabel, ylabel, centres=False):
    """Points by class, with the means of the classes as squares."""
    every = [p for _, points in groups for p in points]
    chart = Chart(title, range_of(every, 0), range_of(every, 1), xlabel, ylabel)
    for (name, points), colour in zip(groups, COLOURS, strict=False):
        chart.points(points, colour, 1.8, name)
    for (_, points), colour in zip(groups, COLOURS, strict=False):
        if centres:
            chart.squares([tuple(sum(p[k] for p in points) / len(points) for k in (0, 1))], colour)
    return chart


def histogram(title, groups, xlabel, bins=30):
    every = [v for _, values in groups for v in values]
    low, high = min(every), max(every)
    counts = {}
    for name, values in groups:
        counts[name] = [0] * bins
        for v in values:
            counts[name][min(bins - 1, int((v - low) / (high - low) * bins))] += 1
    chart = Chart(title, (low, high), (0, 1.05 * max(map(max, counts.values()))), xlabel, "rows")
    for (name, of), colour in zip(counts.items(), COLOURS, strict=False):
        for k, n in enumerate(of):
            ends = (low + (high - low) * j / bins for j in (k, k + 1))
            chart.bar(*ends, n, colour)
        chart.named(name, colour)
    return chart


def boxes(title, groups, ylabel, y=None, yticks=None):
    """Quartiles of every group; whiskers to the tenth and ninetieth percentile, means as dots."""
    top = 1.05 * max(max(v) for _, v in groups)
    names = words([name for name, _ in groups])
    y = y or (0, top)
    chart = Chart(title, (0.4, len(groups) + 0.6), y, "", ylabel, (520, 290), names, yticks)
    for k, (_, values) in enumerate(groups):
        chart.box(k + 1, values, COLOURS[k])
    return chart


def figure(title, paper, charts, note=""):
    """What the paper says of its figure, and ours, with a note."""
    drawn = "".join(c.svg() for c in charts)
    caption = f"<b>{escape(title)}</b> <span class=paper>The paper: {escape(paper)}</span> {escape(note)}"
    return f"<figure><figcaption>{caption}</figcaption><div class=charts>{drawn}</div></figure>"


def outputs(work, train, test, *options):
    """Outputs and classes of rows to predict."""
    with work.scratch() as folder:
        model = folder / "model.ks"
        work.fit(train, *options, "--model", model)
        found = work.run_json("predict", model, test, "--variates")
    names = [k for k in found if k.startswith("z") and k[1:].isdigit()]
    return list(zip(*(found[n] for n in sorted(names)), strict=True)), found["predicted"]


def recorded(table, name):
    """Rows of an extra table of the committed record, as numbers where they are."""

    def value(cell):
        try:
            return float(cell)
        except ValueError:
            return cell

    extras = {e.name: e for e in report.load()[table][1]}
    return [[value(c) for c in row] for row in extras[name].rows] if name in extras else []


SHORT = ("default", "paper's ridge", "paper's", "KOS", "KOS, paper's ridge")


def lapanowski(works):
    work = works["kos-sim1"]
    source, test = (write(work.folder / f"{seed}.csv", *disc_in_ring(seed)) for seed in (0, 1))
    _, rows = read(source)
    one, two = scatter("x1, x2", by_class(rows), "x1", "x2"), scatter("x3, x4", by_class(rows, (2, 3)), "x3", "x4")
    yield figure("Figure 1.", "only features 1 and 2 separate the classes.", [one, two])
    labels = [r[-1] for r in read(test)[1]]
    charts = []
    for title, drop in (("all four features", []), ("features 1 and 2", ["--drop", "x3,x4"])):
        z, _ = outputs(work, source, test, "--method", "kos", *kos.LITERAL, *drop)
        groups = [(c, [v[0] for v, own in zip(z, labels, strict=True) if own == c]) for c in sorted(set(labels))]
        charts.append(histogram(title, groups, "projection (6)"))
    yield figure("Figure 2.", "perfect separation with the two true features, overlap with all four.", charts)
    splits = work.splits(100)
    first = kos.simulated(work, "model 1", kos.SIM_1, splits)
    gcv = kos.simulated(work, "model 1", kos.GCV, splits)
    pair = [("stabilization", first[kos.PAPERS]), ("GCV", gcv["paper's grid and steps, GCV"])]
    ridges = [(n, [math.log10(r["ridge"]) for r in results]) for n, results in pair]
    low = math.floor(min(min(v) for _, v in ridges))
    high = math.ceil(max(max(v) for _, v in ridges))
    charts = [boxes("selected ridge", ridges, "ridge of eq. 5", (low, high), powers(low, high))]
    charts.append(boxes("error", [(n, [r["error"] for r in rs]) for n, rs in pair], "% of the held-out third"))
    says = "GCV consistently selects smaller ridges and errs more."
    yield figure("Figure 3.", says, charts, "Here it selects smaller ridges, too, but does not err more.")
    for number, work, model, settings, says in (
        (4, works["kos-sim1"], "model 1", kos.SIM_1, "sparse KOS performs best by far."),
        (5, works["kos-sim2"], "model 2", kos.SIM_2, "sparse KOS errs as often as KOS."),
    ):
        results = kos.simulated(work, model, settings, work.splits(100))
        names = SHORT if len(settings) == 5 else ("default", "paper's", "KOS")
        groups = [(n, [r["error"] for r in rs]) for n, rs in zip(names, results.values(), strict=True)]
        yield figure(f"Figure {number}.", says, [boxes(f"{model}, errors", groups, "%")])
    charts = []
    for title, label in (("the paper's settings", kos.PAPERS), ("our default", "sparse-kos")):
        ticks = [(j, str(j)) for j in range(1, 11)]
        chart = Chart(title, (0.3, 10.7), (0, 1.05), "feature", "mean |w|, two s.e.", xticks=ticks)
        for j in range(10):
            values = [r["weights"][j] for r in results[label]]
            mean = sum(values) / len(values)
            se = (sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1) / len(values)) ** 0.5
            chart.bar(j + 0.65, j + 1.35, mean, BLUE if j < 4 else ORANGE)
            chart.whisker(j + 1, max(0, mean - 2 * se), mean + 2 * se)
        charts.append(chart)
    yield figure("Figure 6.", "higher weights for the true features 1 to 4, though noise is kept, too.", charts)


STEPS = [(n, n) for n in (250, 500, 1000, 2000)] + [(2000, m) for m in (25, 50, 100, 200, 400, 800, 1200, 1600)]


def selection_times(work):
    """Processor seconds of selecting so many of so many rows, by size and number."""

    def task(rows, most):
        header, train, _ = mixture(0, [(1.5, 0), (0, 1.5)], rows // 2, 8)
        with work.scratch() as folder:
            path = write(folder / "train.csv", header, train)
            options = ["--method", "smkda", "--no-calibration", "--no-cv", "--bandwidth", "2", "--max-support", most]
            words = [work.program, "fit", path, "--target", "class", *options, "--threads", 1, "--json"]
            return seconds_of([str(w) for w in words])

    return dict(zip(STEPS, work.map("Figure A.1", STEPS, task), strict=True))


def harrison(works):
    work = works["smkda-thyroid"]
    taken = selection_times(work)
    sizes = [(math.log10(n), math.log10(t)) for (n, m), t in taken.items() if n == m]
    slope = (sizes[-1][1] - sizes[0][1]) / (sizes[-1][0] - sizes[0][0])
    low, high = (f(sizes[k][1]) for k, f in ((0, math.floor), (-1, math.ceil)))
    ticks = [(math.log10(n), str(n)) for n in (250, 500, 1000, 2000)]
    axes = {"xticks": ticks, "yticks": powers(low, high)}
    chart = Chart(
        f"all rows selected, growth n^{slope:.1f}", (2.3, 3.4), (low, high), "rows", "processor seconds", **axes
    )
    chart.line(sizes, BLUE)
    chart.points(sizes, BLUE, 3)
    part = sorted((m / 20, 100 * t / taken[2000, 2000]) for (n, m), t in taken.items() if n == 2000)
    share = Chart("2,000 rows", (0, 100), (0, 105), "% of the rows selected", "% of the time")
    share.line([(0, 0), (100, 100)], "#888", True)
    share.line(part, BLUE)
    share.points(part, BLUE, 3)
    says = (
        "55 hours for all of 5,000 rows in Matlab; after about a tenth of them each further row takes much less time."
    )
    note = "Ours counts processor time, and other work on the machine disturbs it."
    yield figure("Figure A.1.", says, [chart, share], note)
    train, test = work.file("ann_thyroid_train"), work.file("ann_thyroid_test")
    labels = [r[-1] for r in read(test)[1]]
    at = ["--method", "smkda", "--no-calibration", "--no-cv", "--bandwidth", "5", "--max-support", "111"]
    for number, options, says in (
        (2, ["--method", "lda", "--no-calibration"], "C2 is almost entirely embedded in C3."),
        (3, at, "sMKDA separates them and the centroids."),
    ):
        z, _ = outputs(work, train, test, *options)
        rows = [[*v, f"C{c}"] for v, c in zip(z, labels, strict=True)]
        # The largest class first, so that the others are seen.
        groups = sorted(by_class(rows), key=lambda g: -len(g[1]))
        yield figure(f"Figure A.{number}.", says, [scatter("thyroid, test rows", groups, "z1", "z2", centres=True)])


def ghosh(works):
    work = works["fivm-figures"]
    header, train, test = mixture(0, [(1.5, 0), (0, 1.5)], 100, 8)
    charts = [scatter("x1, x2", by_class(train), "x1", "x2"), scatter("x2, x3", by_class(train, (1, 2)), "x2", "x3")]
    yield figure("Figure 2.", "the classes show in the first two dimensions only.", charts)
    charts = []
    grid = [(math.log2(v), a, b) for v, _, a, b in recorded("fivm-figures", "lambdas")]
    chart = Chart("3a: errors against lambda", (-10, 10), (0, 0.4), "log2 lambda", "error")
    chart.line([g[:2] for g in grid], BLUE, name="training")
    chart.line([(g[0], g[2]) for g in grid], ORANGE, name="test")
    chart.points([(-1, 0.105)], PUBLISHED, 4, "published")
    charts.append(chart)
    grid = [(math.log10(e), d) for e, d, *_ in recorded("fivm-figures", "epsilons")]
    ticks = powers(-5, 0)
    chart = Chart("3b: dimensions against epsilon", (-5.2, 0), (0, 11), "epsilon", "", xticks=ticks)
    chart.line(grid, BLUE, name="mean of our draws")
    told = [(-5, 10), (-4, 10), (math.log10(0.02), 2), (math.log10(0.05), 2), (math.log10(0.06), 2)]
    chart.points(told, PUBLISHED, 4, "published")
    charts.append(chart)
    rows = recorded("fivm-figures", "dimensions")
    chart = Chart("3c: training error against dimensions", (1, 10), (0, 0.4), "dimensions", "training error")
    chart.line([r[:2] for r in rows], BLUE)
    chart.points([(2, 0.105)], PUBLISHED, 4, "published")
    charts.append(chart)
    says = "lambda 0.5 and a training error of 0.105; two dimensions; further ones improve the training error little."
    yield figure("Figure 3.", says, charts)
    rows = recorded("fivm-figures", "sizes")
    chart = Chart("4c: test error against test rows", (0, 2000), (0, 0.4), "test rows", "test error")
    chart.line([(m, e) for m, e, _ in rows], BLUE)
    for m, e, sd in rows:
        chart.whisker(m, e - sd, e + sd)
    chart.points([(200, 0.125)], PUBLISHED, 4, "published")
    says = "the error decreases with the number of test rows."
    yield figure(
        "Figure 4c.", says, [chart], "Ours does not, and has no reason to: the bars are deviations over draws."
    )
    out = fivm.INFERRED_CENTRES
    header, train, test = mixture(0, [(out, 0), (0, out), (-out, -out)], 100, 8)
    with work.scratch() as folder:
        a, b = write(folder / "train.csv", header, train), write(folder / "test.csv", header, test)
        _, said = outputs(work, a, b, "--method", "fivm", "--bandwidth", "1", "--ridge", "1.5")
    wrong = [r for r, s in zip(test, said, strict=True) if r[-1] != s]
    chart = scatter("three classes, test rows; wrong ones circled", by_class(test), "x1", "x2")
    chart.points([(float(r[0]), float(r[1])) for r in wrong], "#000", 3.5, f"{len(wrong) / len(test):.3f} wrong", True)
    note = "The centres of ours are inferred; this is one draw of ten."
    yield figure("Figure 8.", "training error 0.089, test error 0.1.", [chart], note)


def hidaka(works):
    del works
    rows = recorded("l1dkf-1", "figure")
    zeros = Chart("zeros among 2,560 coefficients", (-15, 10), (0, 2560), "log2 of the penalty", "")
    zeros.line([(r[0], r[1]) for r in rows], BLUE)
    zeros.points([(2, 1400)], PUBLISHED, 4, "published, at 2^2")
    zeros.points([(3, 1400)], PUBLISHED, 4, "as printed, at 2^3", True)
    accuracy = Chart("accuracy on the test part", (-15, 10), (50, 90), "log2 of the penalty", "%")
    accuracy.line([(r[0], r[3]) for r in rows], BLUE, name="as they are")
    accuracy.line([(r[0], r[2]) for r in rows], GREEN, name="clipped")
    accuracy.line([(-15, 81.9), (10, 81.9)], PUBLISHED, True, "LDA, published")
    accuracy.points([(2, 85.7)], PUBLISHED, 4)
    accuracy.points([(3, 85.7)], PUBLISHED, 4, hollow=True)
    yield figure("Figure 1.", "85.7 % at 2^3 with about 1,400 zeros; LDA 81.9 %.", [zeros, accuracy])


def kim(works):
    work = works["l2-figures"]
    draws = l2_figures.one_dimension(work)
    seed = min(range(len(draws)), key=lambda k: (abs(draws[k]["kept"] - 9), k))
    rows, band = l2_figures.sample(seed), draws[seed]["bandwidth"]
    xs = [-5 + 20 * k / 400 for k in range(401)]
    with work.scratch() as folder:
        train = write(folder / "draw.csv", ["x", "class"], rows)
        grid = write(folder / "grid.csv", ["x"], [[repr(v)] for v in xs])
        options = [*l2.METHODS["L2QP-0"], "--bandwidth", repr(band), "--no-standardize", "--no-cv"]
        z, _ = outputs(work, train, grid, *options)
    gamma = sum(r[1] == "-1" for r in rows) / sum(r[1] == "1" for r in rows)
    estimate = [(x, math.exp(plus) - gamma * math.exp(minus)) for x, (minus, plus) in zip(xs, z, strict=True)]
    plus, minus = l2_figures.POSITIVE, l2_figures.NEGATIVE
    truth = [(x, l2_figures.density(plus, x) - l2_figures.density(minus, x)) for x in xs]
    chart = Chart(f"difference of densities, a draw with {draws[seed]['kept']} weights", (-5, 15), (-0.4, 0.4), "x", "")
    chart.line(truth, "#000", name="true")
    chart.line(estimate, BLUE, True, "L2QP-0")
    counts = sorted(d["kept"] for d in draws)
    spread = Chart("nonzero weights over draws", (0, len(counts)), (0, 1.05 * counts[-1]), "draws, in order", "weights")
    for k, n in enumerate(counts):
        spread.bar(k + 0.1, k + 0.9, n, BLUE)
    spread.line([(0, 9), (len(counts), 9)], PUBLISHED, True, "published: 9")
    yield figure(
        "Figure 1.", "9 weights that are not zero; the estimate is close to the true difference.", [chart, spread]
    )
    charts = []
    for method, said in (("L2QP-0", 77), ("L2QP-1", 66)):
        _, bandwidth = l2_figures.banana(work, work.splits(l2.SPLITS))[method]
        charts.append(boundary(work, method, bandwidth, said))
    yield figure("Figure 2.", "77 and 66 circled points; L2QP-1 has the smoother border.", charts)


def boundary(work, method, bandwidth, published):
    """Decision regions on the first partition of the banana data, kept rows circled."""
    span, steps = (-3.2, 3.2), 80
    grid = [
        [repr(span[0] + (span[1] - span[0]) * (k + 0.5) / steps) for k in (j, i)]
        for i in range(steps)
        for j in range(steps)
    ]
    with l2.split_files(work, "ida_banana") as (pair, _), work.scratch() as folder:
        train, _ = pair(0)
        _, rows = read(train)
        model = folder / "banana.ks"
        f = work.fit(train, *l2.METHODS[method], "--drop", "fold", *l2.given(bandwidth, None), "--model", model)
        said = work.run_json("predict", model, write(folder / "grid.csv", ["x1", "x2"], grid))["predicted"]
    kept = f["retained_samples"]["rows"]
    chart = Chart(f"{method}: {len(kept)} circled (the paper: {published})", span, span, "x1", "x2", (420, 400))
    step = (span[1] - span[0]) / steps
    for i in range(steps):
        start = 0
        for j in range(1, steps + 1):
            # One rectangle for neighbours of the same class.
            if j == steps or said[i * steps + j] != said[i * steps + start]:
                colour = BLUE if said[i * steps + start] == "1" else ORANGE
                low = span[0] + i * step
                chart.bar(span[0] + start * step, span[0] + j * step, low + step, colour, 0.18, low)
                start = j
    for (label, points), colour in zip(by_class(rows, (1, 2)), (ORANGE, BLUE), strict=True):
        chart.points(points, colour, 1.8, f"class {label}")
    chart.points([(float(rows[i][1]), float(rows[i][2])) for i in kept], "#000", 4, hollow=True)
    return chart


PAPERS = (
    ("Lapanowski & Gaynanova 2019", lapanowski),
    ("Harrison & Pasupa 2009", harrison),
    ("Ghosh & Wang 2015", ghosh),
    ("Hidaka & Kurita 2012", hidaka),
    ("Kim & Scott 2010", kim),
)
WORKS = ("kos-sim1", "kos-sim2", "smkda-thyroid", "fivm-figures", "l2-figures")


def page(works):
    """The page."""
    parts = [f"<h2>{escape(name)}</h2>{''.join(draw(works))}" for name, draw in PAPERS]
    intro = "Drawn from our runs. The papers' own pictures are not repeated; what they name is told and drawn in red."
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>The papers\' figures</title><style>{STYLE}</style>'
        f"<h1>The papers' figures</h1><p>{intro}</p>{''.join(parts)}</html>\n"
    )
