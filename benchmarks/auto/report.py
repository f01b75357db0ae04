"""The page about the choice of a method."""

import math
import sys
from pathlib import Path
from statistics import mean

sys.path.append(str(Path(__file__).resolve().parents[1]))

from wrapping import wrapped


def error(splits, method):
    """The mean error of a method over the splits."""
    return mean(s[method]["error"] for s in splits)


def best_single(splits):
    """The single method of least mean error among those that ran on all splits; of equal ones the first."""
    names = [m for m in splits[0] if m != "auto" and all(m in s for s in splits)]
    return min(names, key=lambda m: error(splits, m))


def standard_error(splits, method):
    """Of a share among the rows that were held out, at least that of one row in them."""
    rows, share = sum(s[method]["test_rows"] for s in splits), error(splits, method)
    return max(math.sqrt(share * (1 - share) / rows), 1 / rows)


def worst_log_loss(splits):
    """The method whose log loss out of fold is the largest beside that of the shares of the classes."""
    ratios = [(r["log_loss"] / r["shares"], m) for s in splits for m, r in s.items() if r["log_loss"] is not None]
    return max(ratios)


def page(sets):
    lines, near, worst, gaps = [], 0, [], []
    for name, splits in sets.items():
        rows, features, classes = splits[0]["auto"]["shape"]
        single = best_single(splits)
        ours, theirs, se = error(splits, "auto"), error(splits, single), standard_error(splits, single)
        gap = (ours - theirs) / se
        near += gap <= 1 + 1e-9
        gaps.append(100 * (ours - theirs))
        chosen = [s["auto"]["chosen"] for s in splits]
        chosen = ", ".join(f"{m} {chosen.count(m)}" for m in sorted(set(chosen), key=chosen.count, reverse=True))
        worst.append((*worst_log_loss(splits), name))
        lines.append(
            f"| {name} | {rows} x {features}, {classes} | {100 * ours:.1f} | {chosen} | {100 * theirs:.1f} | {single} "
            f"| {'yes' if gap <= 1 + 1e-9 else 'no'} ({gap:+.1f}) | {len(splits[0]) - 1} "
            f"| {worst[-1][0]:.2f} ({worst[-1][1]}) |"
        )
    methods = sorted({m for splits in sets.values() for s in splits for m in s})
    means = {m: [] for m in methods}
    for splits in sets.values():
        for m in methods:
            if all(m in s for s in splits):
                means[m].append((error(splits, m), error(splits, "auto"), mean(s[m]["cpu"] for s in splits)))
    beside = [
        f"| {m} | {len(v)} | {100 * mean(e for e, _, _ in v):.2f} | {100 * mean(a for _, a, _ in v):.2f} "
        f"| {sum(a < e - 1e-12 for e, a, _ in v)} | {sum(a > e + 1e-12 for e, a, _ in v)} "
        f"| {mean(s for _, _, s in v):.1f} |"
        for m, v in sorted(means.items(), key=lambda item: mean(e - a for e, a, _ in item[1]))
        if m != "auto"
    ]
    count = max(len(splits) for splits in sets.values())
    # What rounding makes of equal ones.
    above = [w for w in worst if w[0] > 1 + 1e-6]
    loss, method, where = max(worst)
    said = (
        f"never above; at most {loss:.3f} times it (`{method}` on {where})"
        if not above
        else f"above on {len(above)} sets, at most {loss:.3f} times (`{method}` on {where})"
    )
    text = f"""# The choice of a method beside single methods

`cargo xtask auto --data DIR --splits DIR --update` writes this page: {len(sets)} data sets, {count} stratified splits
each with two thirds of the rows to train on, every method tuned on these alone, all on the same splits. Errors are in
percent of the held-out rows.

`auto` is what `fit` does when no method is given. The *best single* method has the least error on the held-out rows,
which nobody knows beforehand; being the least of up to twelve, it is lucky, too. A *standard error* is that of the
best single method's share of errors among all held-out rows, at least one row. *Methods* says how many ran: those
that take many minutes on a set were left out there. *Log loss* is the largest one of any method, out of fold, as a
multiple of that of the shares of the classes.

* Within one standard error of the best single method, or better: **{near} of {len(sets)}** sets. On average `auto`
  errs {mean(gaps):.2f} points more than the method that turned out best.
* Log loss out of fold beside that of the class shares, for every method on every set: **{said}**.
* [accuracy.md](accuracy.md) has the peers on the same splits, and what was chosen by looking at what.

## Set by set

| data set | training rows x features, classes | auto | chosen | best single | which | within 1 s.e. (in s.e.) | methods | log loss |
|---|---|---|---|---|---|---|---|---|
"""
    after = """
## Method by method

Means over the sets on which a method ran, with `auto` on the same sets; *better* and *worse* count the sets on which
`auto` errs less and more. CPU seconds are those of a whole fit, with what it says about features.

| method | sets | error % | auto's | auto better | auto worse | CPU s |
|---|---|---|---|---|---|---|
"""
    return wrapped(text + "\n".join(lines) + "\n" + after + "\n".join(beside) + "\n")
