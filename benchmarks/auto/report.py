"""The page about the choice of a method."""

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))

from wrapping import wrapped

PEERS = ("auto", "svc", "forest")


def column(data, method, field="error"):
    return np.array([split[method][field] for split in data["splits"] if method in split], dtype=float)


def ranks(values):
    """1 is the least; equal ones share the mean of their places."""
    values = np.asarray(values)
    return [(values < v).sum() + ((values == v).sum() + 1) / 2 for v in values]


def best_single(data):
    """The single method of least mean test error, which nobody knows beforehand."""
    names = [m for m in data["splits"][0] if m not in PEERS]
    return min(names, key=lambda m: (column(data, m).mean(), m))


def page(record):
    lines, places, kept, behind, seconds = [], [], [], [], []
    for name, data in record["sets"].items():
        errors = {m: column(data, m) for m in PEERS}
        single = best_single(data)
        best = column(data, single)
        se = best.std(ddof=1) / np.sqrt(len(best)) if len(best) > 1 else 0.0
        gap = errors["auto"].mean() - best.mean()
        behind.append(gap <= se + 1e-12)
        rows = {m: column(data, m, "kept").mean() for m in ("auto", "svc")}
        kept.append((rows["auto"], rows["svc"]))
        means = [errors[m].mean() for m in PEERS]
        places.append(ranks(means))
        seconds.append([column(data, m, "seconds").mean() for m in PEERS])
        chosen = [split["auto"]["chosen"] for split in data["splits"]]
        chosen = ", ".join(f"{m} {chosen.count(m)}" for m in sorted(set(chosen), key=chosen.count, reverse=True))
        spread = errors["auto"].std(ddof=1) / np.sqrt(len(best)) if len(best) > 1 else 0.0
        lines.append(
            f"| {name} | {data['rows']} x {data['features']}, {data['classes']} | {100 * means[0]:.1f} ({100 * spread:.1f}) | {chosen} "
            f"| {100 * best.mean():.1f} ({100 * se:.1f}), {single} | {'yes' if behind[-1] else f'no, {gap / se:+.1f} s.e.' if se else 'no'} "
            f"| {100 * means[1]:.1f} | {100 * means[2]:.1f} | {100 * rows['auto']:.0f} % | {100 * rows['svc']:.0f} % |"
        )
    places, kept, seconds = np.array(places), np.array(kept), np.array(seconds)
    n = len(lines)
    means = {m: np.mean([column(d, m).mean() for d in record["sets"].values()]) for m in PEERS}
    text = f"""# The choice of a method beside single methods and peers

`cargo xtask auto --data DIR --update` writes this page: {n} data sets, {record["splits"]} splits each, a third of the
rows held out by class, everything tuned on the others. All methods see the same splits. Errors are in percent
on the held-out rows, with standard errors over the splits in parentheses.

`auto` is what `fit` does when no method is given. The *best single* method has the least mean error on the
held-out rows, which nobody knows beforehand. The support vector machine (SVC) has the grid of Kim & Scott
(2010), 10 bandwidths and 11 costs, tuned by 5 folds, on standardised features. The forest has 500 trees. *Kept* is the
share of the training rows that the model holds.

* Mean rank of `auto`, SVC and forest: **{places[:, 0].mean():.2f}**, {places[:, 1].mean():.2f}, {places[:, 2].mean():.2f}.
* Mean error: **{100 * means["auto"]:.1f} %**, {100 * means["svc"]:.1f} %, {100 * means["forest"]:.1f} %.
* Rows kept, mean over the sets: **{100 * kept[:, 0].mean():.0f} %**, SVC {100 * kept[:, 1].mean():.0f} %. `auto` keeps
  fewer than the SVC on {int((kept[:, 0] < kept[:, 1]).sum())} of {n} sets.
* Within one standard error of the best single method, or better: **{sum(behind)} of {n}** sets.
* Seconds of tuning and training, mean over the sets, with other work on the machine:
  {seconds[:, 0].mean():.1f}, {seconds[:, 1].mean():.1f}, {seconds[:, 2].mean():.1f}.

The rules of `auto` were settled on these sets, so they are not an independent test of it.
[peers.md](peers.md) has sets that were not among them.

| data set | rows x features, classes | auto | chosen | best single | within 1 s.e. | SVC | forest | kept, auto | kept, SVC |
|---|---|---|---|---|---|---|---|---|---|
"""
    return wrapped(text + "\n".join(lines) + "\n")
