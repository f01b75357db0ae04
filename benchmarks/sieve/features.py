"""Does the sieve find the features that matter? Simulations in which they are known.

    python benchmarks/sieve/features.py --bin target/release/kernsieve [--draws 10] [--only rings,sine]

Models 1 and 2 of Lapanowski & Gaynanova (2019), each also with 30 noise features more, and the mixture of Ghosh & Wang
(2015) with 90 noise features; last, a class that is the sign of a product, so that neither of its two features means
anything without the other, with 8 noise features. Every draw has its own test rows. `sieve` as it is and `--prefer small`, beside
`sparse-kos` and `fivm`, which select features only.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from program import fit, mean, table, write

TEST_ROWS = 5000
METHODS = {
    "sieve": ["--method", "sieve"],
    "sieve --prefer small": ["--method", "sieve", "--prefer", "small"],
    "sparse-kos": ["--method", "sparse-kos"],
    "fivm": ["--method", "fivm"],
}


def rings(rng, n, noise):
    """Model 1: a disc in a ring with a gap between them, in two features; noise of variance 1/2."""
    x = rng.uniform(-1, 1, size=(n, 2))
    radius = np.hypot(*x.T)
    outside, inside = radius >= 2 / 3, radius <= 2 / 3 - 0.1
    x = np.hstack([x, rng.normal(scale=0.5**0.5, size=(n, 2 + noise))])
    return x[outside | inside], inside[outside | inside] * 1


def sine(rng, n, noise):
    """Model 2: a curved border in four features, an interaction among them; uniform noise."""
    x = rng.uniform(-1, 1, size=(n, 10 + noise))
    return x, (x[:, 2] + np.sin(x[:, 3] + x[:, 0]) >= x[:, 1] ** 2) * 1


def mixture(centres, rng, n, noise):
    """Rows near ten centres of each class, in two features; standard normal noise."""
    y = np.arange(n) % 2
    near = centres[y, rng.integers(10, size=n)]
    return np.hstack([near + rng.normal(scale=0.2**0.5, size=(n, 2)), rng.normal(size=(n, noise))]), y


def product(rng, n, noise):
    """The sign of a product of two features; standard normal noise."""
    x = rng.normal(size=(n, 2 + noise))
    return x, (x[:, 0] * x[:, 1] > 0) * 1


def draw(model, seed):
    """Rows to train and to test, and how many features matter: the first ones."""
    rng = np.random.default_rng(seed)
    name, _, noise = model.partition("+")
    noise = int(noise or 0)
    if name == "mixture":
        at = np.array([[0.0, 1.5], [1.5, 0.0]])
        centres = at[:, None, :] + rng.normal(scale=2**0.5, size=(2, 10, 2))
        return mixture(centres, rng, 200, noise), mixture(centres, rng, TEST_ROWS, noise), 2
    if name == "product":
        return product(rng, 300, noise), product(rng, TEST_ROWS, noise), 2
    if name == "rings":
        return rings(rng, 300, noise), rings(rng, TEST_ROWS, noise), 2
    return sine(rng, 400, noise), sine(rng, TEST_ROWS, noise), 4


def measured(program, train, test, true, options, threads):
    report, cost = fit(program, train, "--test", test, "--threads", threads, *options)
    kept = report["selected_features"]
    ours = {f"x{j + 1}" for j in range(true)}
    weights = report["feature_weights"]
    first = sorted(weights, key=lambda f: -abs(weights[f]))[:true]
    if options[1] == "fivm":  # all weights are 1, and features are listed in the order of their import
        first = kept[:true]
    return {
        "error": 100 * report["test_error"],
        "true": len(ours & set(kept)),
        "false": len(set(kept) - ours),
        "all": ours <= set(kept),
        "exactly": ours == set(kept),
        "first": ours == set(first),
        "rows": report["retained_samples"]["count"] if report["retained_samples"] else report["n_rows"],
        **cost,
    }


HEADER = [
    "model",
    "method",
    "test error, %",
    "s.e.",
    "true features kept",
    "noise features kept",
    "all true kept",
    "exactly the true",
    "true ones first",
    "rows kept",
    "CPU s",
    "wall s",
]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", required=True, help="the kernsieve program")
    words.add_argument("--draws", type=int, default=10)
    words.add_argument("--only", default="rings,rings+30,sine,sine+30,mixture+90,product+8", help="models")
    words.add_argument("--methods", default=",".join(METHODS))
    words.add_argument("--threads", type=int, default=2)
    words = words.parse_args()
    rows = []
    for model in words.only.split(","):
        results = {method: [] for method in words.methods.split(",")}
        for seed in range(words.draws):
            train, test, true = draw(model, seed)
            with tempfile.TemporaryDirectory() as folder:
                files = [Path(folder) / f"{part}.csv" for part in ("train", "test")]
                for file, part in zip(files, (train, test), strict=True):
                    write(file, *part)
                for method, results_of in results.items():
                    results_of.append(measured(words.bin, *files, true, METHODS[method], words.threads))
        for method, all_draws in results.items():
            errors = [r["error"] for r in all_draws]
            spread = np.std(errors, ddof=1) / len(errors) ** 0.5 if len(errors) > 1 else float("nan")
            share = [f"{sum(r[key] for r in all_draws)} of {len(all_draws)}" for key in ("all", "exactly", "first")]
            rows.append(
                [
                    model,
                    f"`{method}`",
                    f"{mean(errors):.2f}",
                    f"{spread:.2f}",
                    f"{mean(r['true'] for r in all_draws):.1f} of {true}",
                    f"{mean(r['false'] for r in all_draws):.1f}",
                    *share,
                    f"{mean(r['rows'] for r in all_draws):.0f}",
                    f"{mean(r['cpu'] for r in all_draws):.1f}",
                    f"{mean(r['wall'] for r in all_draws):.1f}",
                ]
            )
    print(table(HEADER, rows))


if __name__ == "__main__":
    main()
