"""The default and the sieve beside an SVC and a forest on the same splits of many sets: errors, wins and losses, a
sign test.

    python benchmarks/sieve/paired.py --bin target/release/kernsieve --data DIR --splits DIR --peers peers.csv

`--data` and `--splits` are as `benchmarks/held_out.py` says; `--peers` has the columns `dataset,split,method,err_pct`.
The default (`auto`) runs, then the sieve: as it is, with at most a fifth of the rows as samples, and `--prefer small`. Results go to
`--out` as they come, and what is there already is not run again, so an interrupted run goes on; another build of the
program needs another file.
"""

import argparse
import csv
import math
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import held_out
from program import fit, mean, table

PREFER = ("auto", "accuracy", "a fifth of the rows", "small")
FIELDS = ["dataset", "split", "prefer", "err_pct", "rows_pct", "rows", "features", "features_pct", "cpu", "wall"]


def sign_test(wins, losses):
    """Two-sided: how often as uneven a result comes from a fair coin."""
    n = wins + losses
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(min(wins, losses) + 1)) / 2**n) if n else 1.0


def measure(words, header, rows, parts, prefer):
    with tempfile.TemporaryDirectory() as folder:
        files = held_out.write(folder, header, rows, parts)
        options = ["--test", files[1], "--threads", words.threads]
        options += {
            "auto": [],
            "accuracy": ["--method", "sieve"],
            "a fifth of the rows": ["--method", "sieve", "--max-support", max(1, len(parts[0]) // 5)],
            "small": ["--method", "sieve", "--prefer", "small"],
        }[prefer]
        report, cost = fit(words.bin, files[0], *options)
    kept = report["retained_samples"]["count"]
    return {
        "err_pct": round(100 * report["test_error"], 4),
        "rows": kept,
        "rows_pct": round(100 * kept / report["n_rows"], 2),
        "features": len(report["selected_features"]),
        "features_pct": round(100 * len(report["selected_features"]) / report["n_features"], 2),
        "cpu": round(cost["cpu"], 2),
        "wall": round(cost["wall"], 2),
    }


def run(words):
    """All results, those of earlier runs included."""
    done = {}
    if words.out.exists():
        with open(words.out, newline="", encoding="utf-8") as file:
            done = {(r["dataset"], int(r["split"]), r["prefer"]): r for r in csv.DictReader(file)}
    names = held_out.names(words.splits)
    with open(words.out, "a", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, FIELDS)
        if file.tell() == 0:
            out.writeheader()
        for name in words.sets.split(",") if words.sets else names:
            header, rows = held_out.lines(words.data, name)
            if header is None:
                print(f"{name}: no data", file=sys.stderr)
                continue
            for number, parts in held_out.splits(words.splits, name):
                for prefer in words.fits.split(","):
                    if number > words.count or (name, number, prefer) in done:
                        continue
                    row = {"dataset": name, "split": number, "prefer": prefer}
                    row |= measure(words, header, rows, parts, prefer)
                    out.writerow(row)
                    file.flush()
                    done[name, number, prefer] = row
                    print(*row.values(), file=sys.stderr, flush=True)
    wanted = set(words.sets.split(",")) if words.sets else set(names)
    return {k: r for k, r in done.items() if k[1] <= words.count and k[0] in wanted}


def compared(results, peers):
    """A line for every preference and peer, over the sets and splits that both have."""
    for prefer in PREFER:
        own = {k[:2]: float(r["err_pct"]) for k, r in results.items() if k[2] == prefer}
        for peer in sorted({k[2] for k in peers}):
            gaps, ours, theirs = [], [], []
            for name in sorted({k[0] for k in own}):
                both = [k for k in own if k[0] == name and (*k, peer) in peers]
                if both:
                    ours.append(mean(own[k] for k in both))
                    theirs.append(mean(peers[*k, peer] for k in both))
                    gaps.append(ours[-1] - theirs[-1])
            wins, losses = sum(g < -1e-9 for g in gaps), sum(g > 1e-9 for g in gaps)
            sizes = len(gaps), len(gaps) - wins - losses
            yield [
                f"`{prefer}`",
                peer,
                sizes[0],
                f"{mean(ours):.2f}",
                f"{mean(theirs):.2f}",
                wins,
                losses,
                sizes[1],
                f"{sign_test(wins, losses):.3f}",
            ]


def sizes(results):
    """Sizes and times by preference: means of sets, then the median over sets."""
    for prefer in PREFER:
        own = {k: r for k, r in results.items() if k[2] == prefer}
        names = sorted({k[0] for k in own})

        def middle(field, own=own, names=names):
            return statistics.median(mean(float(r[field]) for k, r in own.items() if k[0] == n) for n in names)

        if names:
            figures = [f"{middle(f):.3g}" for f in ("rows", "rows_pct", "features", "features_pct", "cpu")]
            yield [f"`{prefer}`", len(names), *figures, f"{sum(float(r['cpu']) for r in own.values()):.0f}"]


def by_set(results, peers):
    names = sorted({k[0] for k in results})
    methods = sorted({k[2] for k in peers})
    for name in names:
        cells = []
        for prefer in PREFER:
            cells.append(mean(float(r["err_pct"]) for k, r in results.items() if (k[0], k[2]) == (name, prefer)))
        used = {k[:2] for k in results if k[0] == name}
        for method in methods:
            cells.append(mean(peers[*k, method] for k in used if (*k, method) in peers))
        kept = [mean(float(r["rows_pct"]) for k, r in results.items() if (k[0], k[2]) == (name, p)) for p in PREFER]
        yield [name, *(f"{v:.1f}" for v in cells), *(f"{v:.0f}" for v in kept)]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", required=True, help="the kernsieve program")
    words.add_argument("--data", required=True, type=Path, help="folder of the sets")
    words.add_argument("--splits", required=True, type=Path, help="folder of the splits")
    words.add_argument("--peers", required=True, type=Path, help="errors of the peers")
    words.add_argument("--count", type=int, default=2, help="splits of each set")
    words.add_argument("--sets", help="only these, separated by commas")
    words.add_argument("--fits", default=",".join(PREFER), help="which of the ways to fit, separated by commas")
    words.add_argument("--against", default="SVC,forest", help="the peers' names")
    words.add_argument("--threads", type=int, default=2)
    words.add_argument("--out", type=Path, default=Path("paired.csv"))
    words = words.parse_args()
    results = run(words)
    with open(words.peers, newline="", encoding="utf-8") as file:
        peers = {
            (r["dataset"], int(r["split"]), r["method"]): float(r["err_pct"])
            for r in csv.DictReader(file)
            if r["method"] in words.against.split(",")
        }
    header = "prefer, peer, sets, mean error %, peer's, better, worse, equal, sign test p"
    print(table(header.split(", "), compared(results, peers)))
    print()
    header = "prefer, sets, rows kept, rows kept %, features kept, features kept %, CPU s a fit, CPU s in all"
    print(table(header.split(", "), sizes(results)))
    print()
    methods = sorted({k[2] for k in peers})
    header = ["set", *(f"`{p}` error %" for p in PREFER), *methods, *(f"`{p}` rows %" for p in PREFER)]
    print(table(header, by_set(results, peers)))


if __name__ == "__main__":
    main()
