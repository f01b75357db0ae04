"""`auto` beside every single method on the same splits of many sets: `cargo xtask auto --data DIR --splits DIR`.

`--data` and `--splits` are as `benchmarks/held_out.py` says. Everything is tuned on the rows to train on. Results are
kept in `--out` by build of the program, so that an interrupted run goes on where it stopped. `--update` writes
docs/evidence/auto.md.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "benchmarks"), str(ROOT / "benchmarks" / "sieve")]

import held_out
from program import fit
from report import page

SINGLE = "sieve klr l1-dkf lda parzen kos smkda mkda l2qp l2le fivm sparse-kos".split()


def feasible(method, rows, features, classes):
    """Methods that take many minutes on larger sets are left out there, as `auto --thorough` leaves them out."""
    work = rows * rows * features
    if method == "sparse-kos":
        return work <= 3e6
    if method == "fivm":
        return work * classes <= 2e7
    return method not in ("mkda", "kos", "l2qp", "parzen", "l2le") or rows <= 3000


def measured(program, method, threads, header, rows, parts):
    with tempfile.TemporaryDirectory() as folder:
        train, test = held_out.write(folder, header, rows, parts)
        report, cost = fit(program, train, "--test", test, "--threads", threads, "--method", method)
    kept = report["retained_samples"]
    return {
        "chosen": report["method"],
        "error": report["test_error"],
        "test_rows": len(parts[1]),
        "log_loss": report["log_loss"],
        "shares": report["baseline"]["log_loss"],
        "shape": [report["n_rows"], report["n_features"], len(report["classes"])],
        "kept": 0 if kept is None else kept["count"] / report["n_rows"],
        "cpu": cost["cpu"],
    }


class Store:
    """Results, one JSON line each, by build of the program."""

    def __init__(self, path, program):
        self.path, self.build = path, hashlib.sha256(Path(program).read_bytes()).hexdigest()[:16]
        path.parent.mkdir(parents=True, exist_ok=True)
        found = map(json.loads, path.read_text().splitlines() if path.exists() else [])
        self.found = {tuple(r["key"]): r["result"] for r in found if r["build"] == self.build}

    def result(self, key, compute):
        """A result that is known, or computed now."""
        if key not in self.found:
            self.found[key] = compute()
            with open(self.path, "a") as file:
                file.write(json.dumps({"key": key, "build": self.build, "result": self.found[key]}) + "\n")
        return self.found[key]


def run(words, store, name):
    """The results of all splits of a set, by method."""
    header, rows = held_out.lines(words.data, name)
    if header is None:
        print(f"{name}: no data", file=sys.stderr)
        return None
    found = []
    for number, parts in held_out.splits(words.splits, name):
        if number > words.count:
            continue

        def one(method, number=number, parts=parts):
            compute = lambda: measured(words.program, method, words.threads, header, rows, parts)  # noqa: E731
            return store.result((name, number, method), compute)

        results = {"auto": one("auto")}
        shape = results["auto"]["shape"]
        results |= {method: one(method) for method in SINGLE if feasible(method, *shape)}
        print(f"{name} {number}: " + ", ".join(f"{m} {100 * r['error']:.1f}" for m, r in results.items()), flush=True)
        found.append(results)
    return found


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--program", default=os.environ.get("KERNSIEVE", "kernsieve"))
    words.add_argument("--data", type=Path, required=True, help="folder of the sets")
    words.add_argument("--splits", type=Path, required=True, help="folder of the splits")
    words.add_argument("--count", type=int, default=2, help="splits of each set")
    words.add_argument("--sets", help="only these, separated by commas")
    words.add_argument("--threads", type=int, default=2)
    words.add_argument("--out", type=Path, default=ROOT / "target" / "auto" / "results.jsonl")
    words.add_argument("--update", action="store_true", help="write docs/evidence/auto.md")
    words = words.parse_args()
    store = Store(words.out, words.program)
    names = words.sets.split(",") if words.sets else held_out.names(words.splits)
    sets = {name: run(words, store, name) for name in names}
    text = page({name: found for name, found in sets.items() if found})
    print(text)
    if words.update:
        (ROOT / "docs" / "evidence" / "auto.md").write_text(text)


if __name__ == "__main__":
    main()
