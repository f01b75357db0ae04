"""The project's goals, next to the recorded figures."""

import re
from dataclasses import dataclass

from bench import markdown, seconds


class Missing(Exception):
    """A figure that is not in the record."""


@dataclass
class Figures:
    """Look-ups in the recorded figures."""

    tasks: dict

    def one(self, kind, **wanted):
        """The last entry whose texts begin with these whole words: the one with the most threads."""
        found = [
            v
            for task in self.tasks.values()
            for v in task[kind]
            if all(re.match(re.escape(start) + r"(?!\w)", str(v[key])) for key, start in wanted.items())
        ]
        if not found:
            raise Missing
        return found[-1]

    def ratio(self, task, size):
        return self.one("lines", task=task, size=size)["ratio"]

    def at(self, task, axis, size, which="ours"):
        """A figure of a growth at one size."""
        growth = self.one("growths", task=task, axis=axis)
        if size not in growth["sizes"]:
            raise Missing
        return growth[which][growth["sizes"].index(size)]


@dataclass
class Goal:
    what: str
    goal: str
    value: object  # of Figures
    shown: object  # of the value
    reached: object  # of the value


def times(least):
    """A ratio that should be at least this large."""
    return {
        "goal": f"{least:g} times as fast" if least > 1 else "as fast",
        "shown": lambda v: f"{v:.1f} times",
        "reached": lambda v: v >= least,
    }


def within(most):
    """Seconds that should not be exceeded."""
    return {"goal": f"at most {seconds(most)}", "shown": seconds, "reached": lambda v: v <= most}


def megabytes(most):
    return {"goal": f"at most {most:,} MB", "shown": lambda v: f"{v:,.0f} MB", "reached": lambda v: v <= most}


R_SECONDS = 204  # the authors' package on the paper's first simulation
GRAM, OLS = "Gaussian Gram matrix / rbf_kernel", "full OLS path"
SEMEION, GENES = "semeion: 1593 x 256", "west_breast_ln: 49 x 7129"
LASSO, SKLEARN_GRID = "lasso path /", "GridSearchCV(SVC), 10 x 11"

GOALS = [
    Goal(
        "Gram matrix of 4000 rows, 20 features, beside `rbf_kernel`",
        value=lambda f: f.ratio(GRAM, "n 4000, d 20"),
        **times(2),
    ),
    Goal("the same with 200 features", value=lambda f: f.ratio(GRAM, "n 4000, d 200"), **times(2)),
    Goal(
        "prediction, few support vectors, beside `SVC`",
        value=lambda f: f.ratio("predict /", "100000 rows"),
        **times(10),
    ),
    Goal(
        "prediction, many support vectors, beside `SVC`",
        value=lambda f: f.ratio("predict /", "10000 rows"),
        **times(10),
    ),
    Goal(
        "full selection of 5000 samples, beside pivoted QR of SciPy",
        value=lambda f: f.ratio(f"{OLS} / scipy", "n 5000"),
        **times(3),
    ),
    Goal(
        "full selection of 2500 samples, beside modified Gram-Schmidt in NumPy (from 20 steps)",
        value=lambda f: f.at(f"{OLS} / NumPy", "n", 2500, "peer") / f.at(f"{OLS} / NumPy", "n", 2500),
        **times(100),
    ),
    Goal(
        "`smkda --candidates 2000` on 1,000,000 rows of 20 features, memory",
        value=lambda f: f.at("smkda --candidates 2000, memory", "n", 1_000_000),
        **megabytes(4096),
    ),
    Goal(
        "whole tuning of `sparse-kos` (176 x 4), beside the authors' R package (recorded)",
        value=lambda f: R_SECONDS / f.one("lines", task="sparse-kos", size="n 176")["ours"],
        **times(200),
    ),
    Goal("the same, beside NumPy", value=lambda f: f.ratio("sparse-kos", "n 176"), **times(10)),
    Goal(
        "whole tuning of `sparse-kos` on 62 rows of 2000 features",
        value=lambda f: f.at("sparse-kos, whole tuning, n 62", "p", 2000),
        **within(60),
    ),
    Goal(
        "import of 3 of 2000 features (`fivm`), beside `SequentialFeatureSelector(SVC)`",
        value=lambda f: f.ratio("fivm", "n 62, p 2000"),
        **times(1000),
    ),
    Goal(
        "one `klr` fit of 2000 rows, beside `GaussianProcessClassifier`",
        value=lambda f: f.ratio("klr", "n 2000"),
        **times(1),
    ),
    Goal(
        "lasso path of all classes of semeion, beside `lasso_path` to its own gap",
        value=lambda f: f.ratio(f"{LASSO} scikit-learn", SEMEION + ", 10 targets, 24 penalties, gap 1e-04"),
        **times(5),
    ),
    Goal(
        "lasso path, 49 x 7129, beside celer",
        value=lambda f: f.ratio(f"{LASSO} celer_path", f"{GENES}, 1 target, 20 penalties, gap 1e-04"),
        **times(1),
    ),
    Goal(
        "the same, beside skglm",
        value=lambda f: f.ratio(f"{LASSO} skglm", f"{GENES}, 1 target, 20 penalties, gap 1e-04"),
        **times(1),
    ),
    Goal(
        "a fit through Python, over the same in Rust",
        value=lambda f: (lambda v: v["peer"] - v["ours"])(f.one("lines", task="fit of KOS")),
        **within(0.001),
    ),
    Goal(
        f"`SMKDA().fit` on 5620 digits, beside {SKLEARN_GRID}",
        value=lambda f: f.ratio("SMKDA().fit", "n 5620"),
        **times(10),
    ),
    Goal(
        f"whole tuning of `l2qp`, 400 rows, beside {SKLEARN_GRID}",
        value=lambda f: f.ratio("l2qp, whole", "n 400"),
        **times(10),
    ),
    Goal("the same, 3000 rows", value=lambda f: f.ratio("l2qp, whole", "n 3000"), **times(10)),
    Goal(
        "one training of `l2qp`, 3000 rows, beside one `SVC`",
        value=lambda f: f.ratio("l2qp, one training / SVC", "n 3000"),
        **times(1),
    ),
    Goal(
        "one training of `l2qp`, 30,000 rows, memory",
        value=lambda f: f.at("l2qp, one fit, many rows", "n", 30_000),
        **megabytes(2048),
    ),
]


def goals_shown(record):
    figures, rows = Figures(record["tasks"]), []
    for goal in GOALS:
        try:
            value = goal.value(figures)
            rows.append([goal.what, goal.goal, goal.shown(value), "yes" if goal.reached(value) else "**no**"])
        except Missing:
            rows.append([goal.what, goal.goal, "not measured", "**no**"])
    return markdown(["what", "goal", "measured", "reached"], rows)
