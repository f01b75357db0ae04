"""The experiments of Kim & Scott (2010) beside ours. Called by run.py."""

import csv
import gzip
import json
import statistics

from program import fit, mean_se, read, write

METHODS = {
    "L2QP-0": ["--method", "l2qp", "--smoothing", 0, "--balance", 1],
    "L2QP-1": ["--method", "l2qp", "--smoothing", 1, "--balance", 1],
    "L2QP_eta-0": ["--method", "l2qp", "--smoothing", 0],
    "L2QP_eta-1": ["--method", "l2qp", "--smoothing", 1],
    "Parzen": ["--method", "parzen"],
}
# Not in the tables: the remark on ringnorm in section 6.
OWN_BANDWIDTHS = {"L2QP_eta-0, a bandwidth a class": ["--method", "l2qp", "--smoothing", 0, "--class-bandwidths", "spread"]}


def log_grid(low, high, count):
    return [low * (high / low) ** (k / (count - 1)) for k in range(count)]


def listed(values):
    return ",".join(f"{v:.6g}" for v in values)


def first_of_least(grid):
    """The setting of least error, of several that of least log loss. The paper does not say how it breaks ties; tiny bandwidths, which are nearest neighbours in the log
    domain and tie with useful ones, underflow in its own arithmetic."""
    entries = [e for e in grid if e["error"] is not None]
    return min(entries, key=lambda e: (round(e["error"], 12), e["log_loss"]))


def rows_of_set(data, file):
    """Header and rows; LIBSVM lines become dense ones."""
    lines = data / f"{file}.libsvm.gz"
    if not lines.exists():
        packed = data / f"{file}.csv.gz"
        return read(packed if packed.exists() else data / f"{file}.csv")
    with gzip.open(lines, "rt") as f:
        parsed = [line.split() for line in f]
    cells = [(p[0], dict(pair.split(":") for pair in p[1:])) for p in parsed]
    width = max(int(k) for _, row in cells for k in row)
    header = [f"f{j + 1}" for j in range(width)] + ["class"]
    names = [str(j + 1) for j in range(width)]
    return header, [[row.get(n, "0") for n in names] + [label] for label, row in cells]


def scaled(rows):
    """Every feature from -1 to 1 over the whole set, as on the LIBSVM site, from which the paper has its last five sets."""
    columns = [[float(v) for v in column] for column in list(zip(*rows))[:-1]]
    ends = [(min(c), max(c)) for c in columns]
    return [[repr(2 * (float(v) - a) / (b - a) - 1) for v, (a, b) in zip(r, ends)] + [r[-1]] for r in rows]


def splits_of_set(data, file, count, rows):
    csv.field_size_limit(1 << 26)
    with gzip.open(data / f"{file}.splits.csv.gz", "rt") as f:
        for row in list(csv.DictReader(f))[:count]:
            train = [int(i) for i in row["train_rows"].split()]
            inside = set(train)
            test = [int(i) for i in row["test_rows"].split()] or [i for i in range(rows) if i not in inside]
            yield train, test


def results_of_set(program, data, work, file, count):
    """Per method the errors and shares of weights that are not zero over the splits, kept in a file so that an interrupted run goes on.

    Bandwidth and balance are the medians of what five-fold cross-validation chooses on the first five training sets, as in section 6. Features as they come.
    """
    journal = work / f"l2-{file}-{count}.json"
    done = json.loads(journal.read_text()) if journal.exists() else {}
    methods = METHODS | (OWN_BANDWIDTHS if file == "ida_ringnorm" else {})
    if set(done) == set(methods):
        return done
    header, rows = rows_of_set(data, file)
    if file == "sonar":
        rows = scaled(rows)
    files = []
    for k, (train, test) in enumerate(splits_of_set(data, file, count, len(rows))):
        a = write(work / f"l2_{file}_{k}_train.csv", header, [rows[i] for i in train])
        b = write(work / f"l2_{file}_{k}_test.csv", header, [rows[i] for i in test])
        files.append((a, b))
    for name, options in methods.items():
        if name in done:
            continue
        grid = ["--bandwidths", listed(log_grid(0.01, 10, 11 if "eta" in name else 50))]
        if "eta" in name:
            grid += ["--balances", listed(log_grid(1, 2 ** ((len(header) - 1) / 2), 10))]
        tuned = [fit(program, a, b, *options, *grid, "--no-standardize") for a, b in files[:5]]
        chosen = [first_of_least(f["cv"]["grid"]) for f in tuned]
        width = statistics.median(c["kernel"]["bandwidth"] for c in chosen)
        fixed = [*options, "--bandwidth", width, "--no-standardize", "--no-cv"]
        balance = None
        if "eta" in name:
            balance = statistics.median(c["balance"] for c in chosen)
            fixed += ["--balance", balance]
        results = [fit(program, a, b, *fixed) for a, b in files]
        done[name] = {
            "error": [100 * f["test_error"] for f in results],
            "nonzero": [100 * f["retained_samples"]["count"] / f["n_rows"] for f in results],
            "bandwidth": width,
            "balance": balance,
        }
        journal.write_text(json.dumps(done))
    for pair in files:
        for path in pair:
            path.unlink()
    return done


def tables(program, data, work, errors, shares, count, only=None):
    """Tables 2 and 3: mean error and mean share of weights that are not zero, paper and ours."""
    cells = {}
    for row in errors:
        cells.setdefault((row["dataset"], row["file"]), {})[row["method"]] = (float(row["error_percent"]), float(row["sd"]))
    kept = {(row["dataset"], row["method"]): row["nonzero_percent"] for row in shares}
    print("| data | method | paper (sd) | ours | s.e. | met | nonzero, paper | nonzero, ours | bandwidth | balance |")
    print("|---" * 10 + "|")
    met = total = 0
    for (name, file), paper in cells.items():
        if only and file not in only:
            continue
        results = results_of_set(program, data, work, file, count)
        for method, r in results.items():
            mean, se = mean_se(r["error"])
            published, sd = paper.get(method, ("", ""))
            # To the one decimal of the table.
            good = method in paper and round(mean, 1) <= round(published + sd, 1)
            met, total = met + good, total + (method in paper)
            balance = "" if r["balance"] is None else f"{r['balance']:.3g}"
            print(
                f"| {name} | {method} | {published} ({sd}) | {mean:.1f} | {se:.1f} | {'yes' if good else 'NO' if method in paper else ''} | {kept.get((name, method), '')} "
                f"| {statistics.fmean(r['nonzero']):.1f} | {r['bandwidth']:.3g} | {balance} |",
                flush=True,
            )
    print(f"\n{met} of {total} within one published standard deviation or better")
