"""Tables with text, gaps, dates and truth values beside scikit-learn: error, log loss, time, lines of code.

    target/python/bin/python benchmarks/mixed/run.py [--rows 20000] [--draws 3] [--only census]

Needs the Python package, pandas and scikit-learn. Every draw has 20,000 rows, two thirds to train. The peer is what
scikit-learn's users would write: a `ColumnTransformer` that imputes and encodes, and histogram gradient boosting.
Lines of code are those of the two functions below, counted by this script.
"""

import argparse
import inspect
import resource
import time

import numpy as np
import pandas as pd
from kernsieve import AutoClassifier, KLR, LDA, SieveClassifier
from simulate import TABLES, draw
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder


def boosting(X, y):
    dates = make_column_selector(dtype_include="datetime")
    text = make_column_selector(dtype_include=[object, "str", "category"])
    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan, max_categories=250
    )
    days = FunctionTransformer(lambda d: d.apply(lambda c: (c - pd.Timestamp("1970-01-01")).dt.days))
    columns = ColumnTransformer(
        [("text", codes, text), ("dates", days, dates)], remainder="passthrough", verbose_feature_names_out=False
    ).set_output(transform="pandas")
    names = text(X)
    boost = HistGradientBoostingClassifier(categorical_features=names)
    return make_pipeline(columns, boost).fit(X, y)


def default(X, y):
    return AutoClassifier(missing="indicator").fit(X, y)


def sieve(X, y):
    return SieveClassifier(missing="indicator").fit(X, y)


def by_shares(X, y):
    return AutoClassifier(missing="indicator", encode="target").fit(X, y)


def linear(X, y):
    return LDA(missing="indicator").fit(X, y)


def logistic(X, y):
    return KLR(missing="indicator").fit(X, y)


WAYS = {
    "`ColumnTransformer` + `HistGradientBoostingClassifier`": boosting,
    "`AutoClassifier`": default,
    "`AutoClassifier`, `encode=\"target\"`": by_shares,
    "`SieveClassifier`": sieve,
    "`KLR`": logistic,
    "`LDA`": linear,
}


def lines_of(way):
    return len(inspect.getsource(way).strip().splitlines()) - 1


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measured(way, X, y, rest, truth):
    wall, busy = time.perf_counter(), cpu()
    model = way(X, y)
    wall, busy = time.perf_counter() - wall, cpu() - busy
    error = 100 * float((model.predict(rest) != truth).mean())
    loss = log_loss(truth, model.predict_proba(rest), labels=model.classes_)
    return {"error": error, "loss": loss, "wall": wall, "cpu": busy}


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--rows", type=int, default=20_000)
    words.add_argument("--draws", type=int, default=3)
    words.add_argument("--only", default=",".join(TABLES))
    words.add_argument("--ways", default="", help="words that a way's name must contain, separated by commas")
    words = words.parse_args()
    chosen = [w for w in WAYS if not words.ways or any(part in w for part in words.ways.split(","))]
    print("| table | least possible error, % | way | error, % | s.e. | log loss | wall s | CPU s | lines of code |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in words.only.split(","):
        results, floors = {way: [] for way in chosen}, []
        for seed in range(words.draws):
            X, y, floor = draw(name, words.rows, seed)
            floors.append(100 * floor)
            X, rest, y, truth = train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y)
            for way, of in results.items():
                of.append(measured(WAYS[way], X, y, rest, truth))
        for way, of in results.items():
            mean = {key: np.mean([r[key] for r in of]) for key in of[0]}
            spread = np.std([r["error"] for r in of], ddof=1) / len(of) ** 0.5 if len(of) > 1 else float("nan")
            print(
                f"| {name} | {np.mean(floors):.2f} | {way} | {mean['error']:.2f} | {spread:.2f} | {mean['loss']:.4f} |"
                f" {mean['wall']:.1f} | {mean['cpu']:.1f} | {lines_of(WAYS[way])} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
