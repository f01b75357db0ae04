"""The experiments of Ghosh & Wang (2015) beside ours. Called by run.py; numbers are drawn here with the standard library."""

import math
import random
import statistics

from program import fit, read, write

# The paper's own settings: section 5.1, 5.2 and 5.3.
SYNTHETIC = ["--bandwidth", 1, "--ridge", 0.5, "--stop", "accuracy", "--tol", 0.05]
BREAST = ["--bandwidth", 1, "--ridge", 0.5, "--stop", "accuracy", "--tol", 0.05]
COLON = ["--bandwidth", 2, "--ridge", 0.35, "--stop", "accuracy", "--tol", 0.001]


def spread(values):
    return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def mixture(rng, centres, per_class, noise):
    """Rows around ten means a class, with white noise behind; the means are drawn around the centre of the class."""
    means = [[[rng.gauss(c, 2**0.5) for c in centre] for _ in range(10)] for centre in centres]

    def rows(count):
        out = []
        for label, own in enumerate(means):
            for _ in range(count):
                near = rng.choice(own)
                point = [rng.gauss(m, 0.2**0.5) for m in near] + [rng.gauss(0, 1) for _ in range(noise)]
                out.append([f"{v:.8g}" for v in point] + [f"c{label}"])
        return out

    return rows(per_class), rows(1000)


def svc_error(train, test):
    """A tuned support vector machine on the two informative features; nothing where scikit-learn is not installed."""
    try:
        import numpy as np
        from sklearn.model_selection import GridSearchCV
        from sklearn.svm import SVC
    except ImportError:
        return None
    x, y = np.array([r[:2] for r in train], float), [r[-1] for r in train]
    xt, yt = np.array([r[:2] for r in test], float), [r[-1] for r in test]
    grid = {"C": 2.0 ** np.arange(-2, 11, 2), "gamma": 2.0 ** np.arange(-6, 5, 2)}
    return 1 - GridSearchCV(SVC(), grid, cv=5).fit(x, y).score(xt, yt)


def synthetic(program, work, repeats):
    """Section 5.1: two informative features among 8, 90 or 990 of white noise; 200 rows to train, 2000 from the same means to test."""
    print("| noise features | draws | setting | exactly the two | test error | sd over draws | SVC given the two | paper |")
    print("|---|---|---|---|---|---|---|---|")
    for noise in (8, 90, 990):
        header = [f"x{j + 1}" for j in range(2 + noise)] + ["class"]
        default, published, peers = [], [], []
        for draw in range(repeats):
            train, test = mixture(random.Random(draw), [(1.5, 0), (0, 1.5)], 100, noise)
            a, b = write(work / "mixture_train.csv", header, train), write(work / "mixture_test.csv", header, test)
            for results, options in ((default, []), (published, [*SYNTHETIC, "--no-cv"])):
                f = fit(program, a, b, "--method", "fivm", *options)
                results.append((sorted(f["selected_features"]) == ["x1", "x2"], f["test_error"]))
            peers.append(svc_error(train, test))
        peer = f"{statistics.mean(peers):.3f}" if None not in peers else ""
        for label, results in (("default", default), ("theta 1, lambda 0.5, epsilon 0.05", published)):
            mean, sd = spread([e for _, e in results])
            exact = sum(k for k, _ in results)
            paper = "0.175 (sd 0.019, ten draws)" if noise == 8 else ""
            print(f"| {noise} | {repeats} | {label} | {exact} | {mean:.3f} | {sd:.3f} | {peer} | {paper} |", flush=True)


def three_classes(program, work, repeats):
    """Section 6: three classes of 100 rows. The paper does not say where their centres lie: two designs, one with the spacing of section 5.1 and one twice as wide."""
    near = [(1.5, 0), (0, 1.5), (-1.5, -1.5)]
    print("| centres | draws | setting | exactly the two | training error | test error | sd over draws | paper |")
    print("|---|---|---|---|---|---|---|---|")
    header = [f"x{j + 1}" for j in range(10)] + ["class"]
    for label, centres in (("1.5 out", near), ("3 out", [(2 * a, 2 * b) for a, b in near])):
        for setting, options in (("default", []), ("lambda 1.5, theta 1", ["--bandwidth", 1, "--ridge", 1.5])):
            results = []
            for draw in range(repeats):
                train, test = mixture(random.Random(draw), centres, 100, 8)
                a, b = write(work / "classes_train.csv", header, train), write(work / "classes_test.csv", header, test)
                f = fit(program, a, b, "--method", "fivm", *options)
                results.append((sorted(f["selected_features"]) == ["x1", "x2"], f["train_error"], f["test_error"]))
            mean, sd = spread([r[2] for r in results])
            exact, trained = sum(r[0] for r in results), statistics.mean(r[1] for r in results)
            print(
                f"| {label} | {repeats} | {setting} | {exact} | {trained:.3f} | {mean:.3f} | {sd:.3f} | 0.089 training, 0.10 test |",
                flush=True,
            )


def genes(path, on_log_scale):
    """A gene expression table; on the log scale every array has mean 0 and variance 1, which needs no other array."""
    header, rows = read(path)
    if on_log_scale:
        for row in rows:
            values = [math.log2(float(v)) for v in row[:-1]]
            mean, sd = statistics.fmean(values), statistics.pstdev(values)
            row[:-1] = [f"{(v - mean) / sd:.7g}" for v in values]
    return header, rows


def split(rows, test_rows, seed):
    """A stratified split."""
    rng, test = random.Random(seed), set()
    for label in sorted({r[-1] for r in rows}):
        own = [i for i, r in enumerate(rows) if r[-1] == label]
        test.update(rng.sample(own, round(len(own) * test_rows / len(rows))))
    return [r for i, r in enumerate(rows) if i not in test], [rows[i] for i in sorted(test)]


def microarrays(program, data, work, repeats):
    """Tables 2 to 4, three ways.

    honest: 20 random splits, genes and settings chosen on the training rows of each. bootstrap: genes chosen once on the training rows of a
    split, then kernel logistic regression on 20 bootstrap samples of those rows, all measured on the same test rows; five splits. whole: five-fold
    cross-validation on all rows with selection and tuning inside the folds; its error allows for the choice among settings.
    """
    sets = [
        ("Colon", "alon_colon", False, 12, COLON, 0.153, 0.033),
        ("Colon, log2 and arrays standardised", "alon_colon", True, 12, COLON, 0.153, 0.033),
        ("West ER (44 of the 49 tumours)", "west_breast_er", False, 13, BREAST, 0.344, 0.032),
        ("West LN", "west_breast_ln", False, 14, BREAST, 0.304, 0.017),
    ]
    splits = min(repeats, 20)
    print("| data | paper (sd) | setting | honest error (sd, s.e.) | genes, mean and most | verdict | bootstrap error (sd) | whole-data CV error |")
    print("|---|---|---|---|---|---|---|---|")
    for name, file, logs, held_out, published, paper, paper_sd in sets:
        header, rows = genes(data / f"{file}.csv.gz", logs)
        for label, options in (("paper's", [*published, "--max-features", 5]), ("default, at most 5", ["--max-features", 5])):
            errors, counts, resampled = [], [], []
            for seed in range(splits):
                train, test = split(rows, held_out, seed)
                a, b = write(work / "genes_train.csv", header, train), write(work / "genes_test.csv", header, test)
                fixed = ["--no-cv"] if "--ridge" in options else []
                f = fit(program, a, b, "--method", "fivm", *options, *fixed)
                errors.append(f["test_error"])
                counts.append(len(f["selected_features"]))
                if seed < 5:
                    resampled += bootstrap(program, work, header, train, test, f, splits)
            own = write(work / "genes_all.csv", header, rows)
            whole = fit(program, own, own, "--method", "fivm", *options)["cv"]
            mean, sd = spread(errors)
            boot, boot_sd = spread(resampled)
            verdict = "within one sd or better" if mean <= paper + paper_sd else "NOT reproduced"
            print(
                f"| {name} | {paper} ({paper_sd}) | {label} | {mean:.3f} ({sd:.3f}, {sd / splits**0.5:.3f}) "
                f"| {statistics.mean(counts):.1f}, {max(counts)} | {verdict} | {boot:.3f} ({boot_sd:.3f}) "
                f"| {whole['error'] + whole['optimism']:.3f} |",
                flush=True,
            )


def bootstrap(program, work, header, train, test, chosen, samples):
    """Errors of kernel logistic regression on the chosen genes, trained on bootstrap samples."""
    columns = [header.index(n) for n in chosen["selected_features"]]
    few = [header[c] for c in columns] + ["class"]

    def cut(rows):
        return [[r[c] for c in columns] + [r[-1]] for r in rows]

    b = write(work / "boot_test.csv", few, cut(test))
    settings = ["--bandwidth", chosen["kernel"]["bandwidth"], "--ridge", chosen["params"]["ridge"], "--no-cv"]
    errors, rng = [], random.Random(1)
    while len(errors) < samples:
        sample = rng.choices(train, k=len(train))
        if len({r[-1] for r in sample}) < len({r[-1] for r in train}):
            continue
        a = write(work / "boot_train.csv", few, cut(sample))
        errors.append(fit(program, a, b, "--method", "klr", *settings)["test_error"])
    return errors
