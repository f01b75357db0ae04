"""`auto` next to single methods, a support vector machine and a random forest: `cargo xtask auto --data DIR`.

25 data sets, stratified thirds held out, everything tuned on the rest; all see the same splits. The machine has the
grid of Kim & Scott (2010), section 6, and standardised features; the forest has 500 trees. Results are kept under
target/auto by build of the program, so that an interrupted run can be continued. `--update` writes
docs/evidence/auto.md.
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from report import page
from sets import Store, drawable, load, numbers, write
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

ROOT = Path(__file__).resolve().parents[2]
SETS = (
    "iris wine zoo tae glass heart_statlog new_thyroid sonar ionosphere dermatology vehicle vowel breast_wisconsin "
    "blood_transfusion climate_crashes german_numeric ida_breast_cancer ida_diabetis ida_flare_solar ida_thyroid "
    "ida_titanic yeast_brown3 alon_colon west_breast_er west_breast_ln"
).split()
SINGLE = "lda parzen l1-dkf kos l2qp l2le mkda klr smkda fivm sparse-kos".split()
# Bandwidths 2^-2 to 2^7 and costs 2^-5, 2^-3 to 2^15.
GRID = {"gamma": [0.5 / 4.0**k for k in range(-2, 8)], "C": [2.0**k for k in range(-5, 16, 2)]}


def ours(program, method, train, test):
    words = [program, "fit", train, "--target", "class", "--test", test, "--method", method, "--missing", "mean", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    fit = json.loads(done.stdout)
    kept = 0 if fit["retained_samples"] is None else fit["retained_samples"]["count"]
    return {"error": fit["test_error"], "kept": kept / fit["n_rows"], "chosen": fit["method"]}


def machine(x, y, new, truth):
    scale = StandardScaler().fit(x)
    fewest = min(np.unique(y, return_counts=True)[1])
    folds = StratifiedKFold(min(5, max(2, fewest)), shuffle=True, random_state=0)
    search = GridSearchCV(SVC(), GRID, cv=folds, n_jobs=os.cpu_count()).fit(scale.transform(x), y)
    error = float((search.predict(scale.transform(new)) != truth).mean())
    return {"error": error, "kept": search.best_estimator_.support_.size / len(y)}


def forest(x, y, new, truth):
    trees = RandomForestClassifier(500, random_state=0, n_jobs=os.cpu_count()).fit(x, y)
    return {"error": float((trees.predict(new) != truth).mean()), "kept": None}


def feasible(method, n, p, classes):
    """Single methods that take minutes on larger sets are left out there, as the choice leaves them out."""
    work = n * n * p
    return not (method == "sparse-kos" and work > 1e6 or method == "fivm" and work * classes > 8e6)


def run(program, data, name, splits, store, folder):
    header, rows = load(data, name)
    header[-1] = "class"
    levels = np.unique([row[-1] for row in rows])
    rows = drawable(rows)
    labels = np.array([row[-1] for row in rows])
    results = []
    drawn = StratifiedShuffleSplit(splits, test_size=1 / 3, random_state=0).split(labels, labels)
    for split, (train, test) in enumerate(drawn):
        files = [folder / "train.csv", folder / "test.csv"]
        for path, part in zip(files, (train, test), strict=True):
            write(path, header, [rows[i] for i in part])
        x = numbers(header, rows, train)
        arrays = x[train], labels[train], x[test], labels[test]
        shape = len(train), x.shape[1], len(levels)
        methods = ["auto", *(m for m in SINGLE if feasible(m, *shape))]
        one = {m: store.result((name, split, m), lambda m=m: ours(program, m, *files)) for m in methods}
        one["svc"] = store.result((name, split, "svc"), lambda: machine(*arrays))
        one["forest"] = store.result((name, split, "forest"), lambda: forest(*arrays))
        results.append(one)
        print(f"{name} {split}: " + ", ".join(f"{m} {100 * r['error']:.1f}" for m, r in one.items()), flush=True)
    return {"rows": len(rows), "features": len(header) - 1, "classes": len(levels), "splits": results}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("KERNSIEVE", "kernsieve"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--reuse", action="store_true", help="also use single methods from other builds of the program")
    parser.add_argument("--only", action="append", choices=SETS)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--update", action="store_true", help="write docs/evidence/auto.md")
    a = parser.parse_args()
    store = Store(
        ROOT / "target" / "auto" / "results.jsonl",
        a.program,
        # Those of peers do not depend on the build.
        lambda key: key[-1] in ("svc", "forest") or a.reuse and key[-1] != "auto",
    )
    with tempfile.TemporaryDirectory() as folder:
        sets = {name: run(a.program, a.data, name, a.splits, store, Path(folder)) for name in a.only or SETS}
    record = {"splits": a.splits, "sets": sets}
    text = page(record)
    print(text)
    if a.json:
        a.json.write_text(json.dumps(record, indent=1) + "\n")
    if a.update:
        (ROOT / "docs" / "evidence" / "auto.md").write_text(text)


if __name__ == "__main__":
    main()
