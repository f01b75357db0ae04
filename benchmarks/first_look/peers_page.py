"""docs/evidence/peers.md from docs/evidence/peers.json. Standard library only."""

import json
import sys
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from wrapping import wrapped

RECORD = ROOT / "docs" / "evidence" / "peers.json"
PAGE = ROOT / "docs" / "evidence" / "peers.md"
NAMES = {
    "auto": "kernsieve, `auto` (the default)",
    "smkda": "kernsieve, `smkda`",
    "klr": "kernsieve, `klr`",
    "svc": "support vector machine (`SVC`), tuned",
    "forest": "random forest, 500 trees",
    "lightgbm": "LightGBM, defaults",
    "l1": "L1 logistic regression, tuned",
}
SHORT = {"svc": "SVC", "l1": "L1 logistic", "lightgbm": "LightGBM"}


def load():
    return json.loads(RECORD.read_text())


def value(data, method, field):
    """Mean over the splits of a set; None where the field has no meaning."""
    values = [split[method][field] for split in data["splits"]]
    return None if None in values else mean(values)


def over(sets, method, field):
    values = [value(data, method, field) for data in sets]
    return None if None in values else mean(values)


def percent(share, digits=0):
    return "trees" if share is None else f"{100 * share:.{digits}f} %"


def best(sets):
    """On how many sets a method has the least mean error, ties counted for each."""
    wins = dict.fromkeys(NAMES, 0)
    for data in sets:
        errors = {m: round(value(data, m, "error"), 9) for m in NAMES}
        least = min(errors.values())
        for m, error in errors.items():
            wins[m] += error == least
    return wins


def summary(record):
    """One line per method."""
    sets = list(record["sets"].values())
    fresh = [data for data in sets if data["fresh"]]
    wins = best(sets)
    lines = [
        f"| | error | error, {len(fresh)} fresh sets | best on | rows kept | features kept | CPU s |",
        "|---|---|---|---|---|---|---|",
    ]
    for m, name in NAMES.items():
        cells = [
            name,
            percent(over(sets, m, "error"), 1),
            percent(over(fresh, m, "error"), 1) if fresh else "",
            f"{wins[m]} of {len(sets)}",
            percent(over(sets, m, "rows")),
            percent(over(sets, m, "features")),
            f"{over(sets, m, 'cpu'):.1f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def errors(record):
    head = ["set", "train, test, features, classes", *(SHORT.get(m, m) for m in NAMES), "`auto` took"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for name, data in record["sets"].items():
        means = {m: round(value(data, m, "error"), 9) for m in NAMES}
        least = min(means.values())
        cells = [f"**{100 * e:.1f}**" if e == least else f"{100 * e:.1f}" for e in means.values()]
        chosen = [split["auto"]["chosen"] for split in data["splits"]]
        taken = ", ".join(f"{m} {chosen.count(m)}" for m in sorted(set(chosen), key=lambda m: (-chosen.count(m), m)))
        shape = f"{data['train']}, {data['test']}, {data['features']}, {data['classes']}"
        shown = name + ("\\*" if data["fresh"] else "")
        lines.append(f"| {shown} | {shape} | {' | '.join(cells)} | {taken} |")
    return "\n".join(lines)


def kept(record):
    methods = ["auto", "smkda", "svc", "l1", "lightgbm"]
    head = ["set", *(f"rows, {SHORT.get(m, m)}" for m in ("auto", "smkda", "svc"))]
    head += [f"features, {SHORT.get(m, m)}" for m in ("auto", "l1", "lightgbm")]
    head += [f"CPU s, {SHORT.get(m, m)}" for m in methods]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for name, data in record["sets"].items():
        cells = [percent(value(data, m, "rows")) for m in ("auto", "smkda", "svc")]
        cells += [percent(value(data, m, "features")) for m in ("auto", "l1", "lightgbm")]
        cells += [f"{value(data, m, 'cpu'):.2f}" for m in methods]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def text(record):
    return wrapped(f"""# Beside the usual first choices

This page is written by

```sh
python benchmarks/first_look/run.py --program target/release/kernsieve --data DIR --update
```

in an environment with the packages of `benchmarks/first_look/requirements.txt`. The line of `auto` was measured
when it chose the smallest model among eleven methods; [accuracy.md](accuracy.md) has errors of the
present default. The page answers one question: what do you gain or lose with kernsieve when you would otherwise reach for a support vector
machine, a forest, boosting or a lasso?

{summary(record)}

* **Error** is the mean over {len(record["sets"])} sets, {record["splits"]} splits each, of the share of held-out
  rows that are wrong. A third of the rows is held out by class; large sets are cut to 1000 rows to train on and
  2000 to test on. Every method sees the same splits and tunes itself on the training rows only.
* **Fresh sets** (marked \\*) are not among those on which the first rules of `auto` were settled. They are the
  fairer test of it.
* **Best on** counts the sets on which a method has the least error. Ties count for each.
* **Rows kept** is the share of the training rows that the model needs to predict. Trees need all rows
  to train and none to predict: *trees*. **Features kept** is the share that predictions depend on:
  weights or coefficients that are not zero, features that some tree splits on.
* **CPU s** is user and system time on one thread, tuning, training and testing together, mean over the
  sets. The machine had other work to do, so take it as an order of magnitude. The time of kernsieve
  includes starting the program and reading the files; that of the others does not.

The support vector machine has 5 costs times 6 bandwidths by 5-fold cross-validation. The L1 logistic
regression is scikit-learn's `LogisticRegressionCV`, ten penalties by 5 folds, more than two classes in
the multinomial form: a stand-in for glmnet, which is an R package. Features are standardised for all
of them. LightGBM has its defaults, which suit tables larger than these.

## In words

Written by hand for the figures above:

* **On error**, the tuned support vector machine is a little better than our default, on all sets and
  on the fresh ones. `klr` is level with it.
* **Trees** are clearly better on glass, image and splice (whose features are codes of letters), and
  clearly worse on sonar, vehicle and vowel.
* **Small models** are the reason to use kernsieve: `smkda` predicts from fewer than half as many rows
  as the support vector machine. On the colon data, `auto` needs 1 % of the features.
* **On time**, LightGBM is out of reach. `auto` is the slowest, because it tunes ten methods; a single
  method takes a second.
* **A linear model** is hard to beat on heart, german and colon, and useless on vowel, image and banana.

## Errors in percent

{errors(record)}

## What is kept, and what it costs

{kept(record)}
""")


def write(record):
    PAGE.write_text(text(record))
