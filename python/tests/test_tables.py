"""Data frames with text, gaps, truth values and dates, in Python and on the command line."""

import io
import os
import pickle
import subprocess
import sys

import kernsieve
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from kernsieve import KLR, LDA, AutoClassifier, SieveClassifier, SieveSelector
from sklearn.compose import make_column_transformer
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import OneHotEncoder

PROGRAM = os.environ.get("KERNSIEVE")


def table(n=240, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "city": rng.choice(["Köln", "Berlin", "Ulm", "Aachen"], n),
            "smoker": rng.choice(["yes", "no"], n),
            "member": rng.random(n) < 0.5,
            "since": pd.Timestamp("2020-02-27") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )
    score = frame.age / 30 + (frame.city == "Ulm") * 2 - frame.member + rng.normal(size=n)
    y = np.where(score > 2, "ill", "well")
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    frame.loc[rng.random(n) < 0.1, "city"] = None
    return frame, y


FEATURES = [
    "age", "age=missing", "city=Aachen", "city=Berlin", "city=Köln", "city=Ulm", "city=missing", "smoker=yes",
    "member", "since.year", "since.month", "since.weekday", "since.days",
]  # fmt: skip


def test_features_are_those_that_pandas_would_make():
    X, y = table()
    model = LDA(missing="indicator").fit(X, y)
    assert model.model_.feature_names == FEATURES
    assert model.n_features_in_ == 5 and list(model.feature_names_in_) == list(X.columns)
    by_hand = pd.DataFrame(
        {
            "age": X.age.fillna(X.age.median()),
            "age=missing": X.age.isna(),
            **{f"city={c}": X.city == c for c in ["Aachen", "Berlin", "Köln", "Ulm"]},
            "city=missing": X.city.isna(),
            "smoker=yes": X.smoker == "yes",
            "member": X.member,
            "since.year": X.since.dt.year,
            "since.month": X.since.dt.month,
            "since.weekday": X.since.dt.day_of_week,
            "since.days": (X.since - X.since.min()).dt.days,
        }
    ).astype(float)
    plain = LDA().fit(by_hand, y)
    same = LDA(missing="indicator").fit(X, y)
    np.testing.assert_allclose(same.predict_proba(X), plain.predict_proba(by_hand), atol=1e-12)


def test_frames_of_every_library_give_the_same_model():
    X, y = table()
    model = LDA(missing="median").fit(X, y)
    others = [pl.from_pandas(X), pa.Table.from_pandas(X), X.astype({"city": "category"}), X.convert_dtypes()]
    for other in others:
        again = LDA(missing="median").fit(other, y)
        assert again.model_.to_bytes() == model.model_.to_bytes(), type(other)
        assert (model.predict_proba(other) == model.predict_proba(X)).all(), type(other)
    text = X.assign(since=X.since.dt.strftime("%Y-%m-%d"), member=X.member.map(str), city=" " + X.city.astype(object))
    assert LDA(missing="median").fit(text, y).model_.to_bytes() == model.model_.to_bytes()
    # By name, in any order, beside other columns.
    mixed = X[X.columns[::-1]].assign(more=1)
    assert (model.predict_proba(mixed) == model.predict_proba(X)).all()


def test_held_out_rows_have_no_part_in_what_is_learnt():
    X, y = table()
    first = LDA(missing="median", rare=5, encode="target", cv=[(range(160), range(160, 240))]).fit(X, y)
    other = X.copy()
    # Medians, levels and their shares of classes would all change if the last rows had a part in them.
    held_out = LDA(missing="median", rare=5, encode="target").fit(X[:160], y[:160])
    expected = (held_out.predict(X[160:]) != y[160:]).mean()
    assert first.cv_results_["mean_test_score"][0] == pytest.approx(1 - expected, abs=0.5 / 80)
    other.loc[160:, "age"] = 1e6
    plain, moved = (LDA(missing="mean").fit(frame, y).model_.linear()[0] for frame in (X, other))
    assert not np.allclose(plain, moved)


def test_one_hot_equals_scikit_learns():
    X, y = table()
    X = X[["age", "city"]].assign(age=X.age.fillna(40.0), city=X.city.fillna("none"))
    steps = make_column_transformer((OneHotEncoder(sparse_output=False), ["city"]), remainder="passthrough")
    plain = KLR(bandwidth=2.0, ridge=0.01, estimate=False).fit(steps.fit_transform(X), y)
    own = KLR(bandwidth=2.0, ridge=0.01, estimate=False).fit(X, y)
    np.testing.assert_allclose(own.predict_proba(X), plain.predict_proba(steps.transform(X)), atol=1e-9)


def test_numbers_may_be_categories():
    codes = np.arange(90) % 3
    X = np.column_stack([codes, np.random.default_rng(0).normal(size=90)])
    y = (codes == 1).astype(int)
    for given in [[0], [True, False], 0]:
        model = LDA(categorical_features=given).fit(X, y)
        assert model.model_.feature_names == ["x0=0", "x0=1", "x0=2", "x1"]
        assert model.score(X, y) == 1.0
    frame = pd.DataFrame(X, columns=["code", "b"])
    model = LDA(categorical_features=["code"]).fit(frame, y)
    assert model.score(frame, y) == 1.0 and model.score(frame.astype({"code": int}), y) == 1.0
    with pytest.raises(ValueError, match="categorical_features names 'cod'"):
        LDA(categorical_features=["cod"]).fit(frame, y)


def test_arrays_with_gaps():
    X = np.random.default_rng(1).normal(size=(80, 3))
    y = (X[:, 0] > 0).astype(int)
    holes = np.where(np.random.default_rng(2).random(X.shape) < 0.1, np.nan, X)
    with pytest.raises(ValueError, match=r"Input X contains NaN: \d+ missing cells, the first in column 'x0', row"):
        LDA().fit(holes, y)
    for missing in ["mean", "median", "indicator"]:
        model = LDA(missing=missing).fit(holes, y)
        assert model.score(holes, y) > 0.8 and model.n_features_in_ == 3
        assert (pickle.loads(pickle.dumps(model)).predict(holes) == model.predict(holes)).all()
    dropped = LDA(missing="drop").fit(holes, y)
    whole = ~np.isnan(holes).any(axis=1)
    assert (dropped.predict_proba(X) == LDA().fit(holes[whole], y[whole]).predict_proba(X)).all()
    with pytest.raises(ValueError, match="contains NaN"):
        dropped.predict(holes)
    with pytest.raises(ValueError, match="missing: 'zero'"):
        LDA(missing="zero").fit(holes, y)


def test_errors_name_the_place_and_the_remedy():
    X, y = table()
    with pytest.raises(ValueError, match=r"the first in column 'age', row \d+; LDA .* missing='median'"):
        LDA().fit(X, y)
    model = LDA(missing="mean").fit(X, y)
    with pytest.raises(ValueError, match="city"):
        model.predict(X.drop(columns="city"))
    with pytest.raises(ValueError, match="5"):
        model.predict(np.zeros((2, 4)))
    with pytest.raises(ValueError, match="infinity"):
        LDA(missing="mean").fit(X.assign(age=np.inf), y)


@pytest.mark.parametrize("estimator", [SieveClassifier, KLR, AutoClassifier])
def test_methods_take_tables(estimator):
    X, y = table(150)
    model = estimator(missing="median").fit(X, y)
    assert model.score(X, y) > 0.7
    assert model.get_support().shape == (5,)


def test_tables_work_in_scikit_learn():
    X, y = table()
    assert cross_val_score(LDA(missing="median", encode="target"), X, y).mean() > 0.65
    selector = SieveSelector(LDA(missing="median")).fit(X, y)
    assert selector.get_support().all() and list(selector.feature_names_in_) == list(X.columns)
    variates = LDA(missing="median").set_output(transform="pandas").fit(X, y).transform(X)
    assert list(variates.columns) == ["lda0"]


def test_unknown_levels_are_none_of_the_known_ones():
    X, y = table()
    model = LDA(missing="mean").fit(X, y)
    new = X.assign(city="Paris")
    assert (model.predict_proba(new) == model.predict_proba(X.assign(city=None))).all()


AWKWARD = {
    "semicolons, decimal commas, CRLF and a BOM": ("\ufeffa;b;c\r\n", ["1,5;u;x\r\n", "-2,25;v;y\r\n", "0,5;w;x\r\n"], "--decimal ,"),
    "quoted newlines": ("a,b,c\n", ['1,"u\nu",x\n', '2,"v,v",y\n', '3,"w ""w""",x\n'], ""),
    "ids": ("id,a,c\n", None, ""),
    "dates": ("d,a,c\n", ["2024-02-29,1,x\n", "2024-03-01,2,y\n", "2025-01-01,3,x\n"], ""),
    "gaps in several spellings": ("a,b,c\n", ["1,u,x\n", "NA,?,y\n", ",null,x\n", "-999,v,y\n"], "--missing median --na -999"),
    "indicators": ("a,b,c\n", ["1,u,x\n", "NA,v,y\n", "3,,x\n"], "--missing indicator"),
    "rare levels": ("a,b,c\n", ["1,u,x\n", "2,v,y\n", "3,u,x\n", "4,v,y\n", "5,rare,x\n"], "--rare 20"),
    "truth values": ("f,a,c\n", ["true,1,x\n", "FALSE,2,y\n", "True,3,x\n"], ""),
    "two levels": ("s,a,c\n", ["no,1,x\n", "yes,2,y\n"], ""),
    "letters of all countries": ("größe,город,c\n", ["1,Köln,x\n", "2,東京,y\n", "3,Ærø,x\n"], ""),
}


@pytest.mark.skipif(not PROGRAM, reason="KERNSIEVE does not name the command line program")
@pytest.mark.parametrize("kind", AWKWARD)
def test_awkward_files_are_fitted_and_predicted_alike(kind, tmp_path):
    head, lines, options = AWKWARD[kind]
    lines = lines or [f"{1000 + 3 * i},{i % 7},{'xy'[i % 3 % 2]}\n" for i in range(9)]
    rng = np.random.default_rng(4)
    rows = "".join(lines[i] for i in np.concatenate([np.arange(len(lines)), rng.integers(0, len(lines), 50)]))
    if kind == "ids":
        rows = "".join(f"{1000 + 3 * i},{i % 7},{'xy'[i % 3 % 2]}\n" for i in range(59))
    if kind == "rare levels":
        rows = "".join(lines[:4]) * 20 + lines[4]
    data, new, model = tmp_path / "data.csv", tmp_path / "new.csv", tmp_path / "m.ks"
    data.write_bytes((head + rows).encode())
    # New rows have a level that is not known, and no ids.
    new.write_bytes((head + rows).encode())
    run = lambda *words: subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True)  # noqa: E731
    run("fit", data, "--method", "lda", "--model", model, "--quiet", *options.split())
    out = run("predict", model, new, "--proba", "--quiet").stdout.decode()
    cli = pd.read_csv(io.StringIO(out)).iloc[:, 1:].to_numpy()
    assert np.isfinite(cli).all()
    separator, decimal = (";", ",") if ";" in head else (",", ".")
    frame = pd.read_csv(new, sep=separator, decimal=decimal, na_values=["-999", "?", "null"])
    for own in [frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)]:
        assert (kernsieve.load(model).predict_proba(own) == cli).all(), type(own)
    # The model that Python saves reads the raw file.
    X = frame.drop(columns=["c", "id"], errors="ignore")
    missing = options.split()[1] if "--missing" in options else "error"
    LDA(missing=missing, rare=20 if "--rare" in options else None).fit(X, frame.c).save(model)
    if "--decimal" in options or "--na" in options:
        return  # the file's spellings are not part of what Python saw
    out = run("predict", model, new, "--proba", "--quiet").stdout.decode()
    assert (pd.read_csv(io.StringIO(out)).iloc[:, 1:].to_numpy() == cli).all()


def test_the_package_brings_the_command(tmp_path):
    def run(*words):
        code = "import sys; from kernsieve._command_line import main; main()"
        return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=tmp_path)

    assert run("--version").stdout.startswith("kernsieve ")
    (tmp_path / "t.csv").write_text("a,b,c\n" + "".join(f"{i},{i * i % 7},{'xy'[i % 2]}\n" for i in range(40)))
    done = run("fit", "t.csv", "--method", "lda", "--model", "m.ks", "--json")
    assert done.returncode == 0, done.stderr
    assert kernsieve.load(tmp_path / "m.ks").n_features_in_ == 2
    assert run("fit", "none.csv").returncode == 1
    assert run("fit", "t.csv", "--nonsense").returncode == 2


@pytest.mark.skipif(PROGRAM is None, reason="KERNSIEVE names the program")
def test_models_of_the_command_line_read_raw_frames_as_it_reads_files(tmp_path):
    rng = np.random.default_rng(3)
    n = 200
    value, job = rng.normal(size=n).round(3), rng.choice(["clerk", "none", "nurse"], n)
    y = np.where(value + (job == "nurse") + rng.normal(size=n) * 0.5 > 0.4, "yes", "no")
    raw = pd.DataFrame(
        {
            "written": [str(v).replace(".", ",") if i % 9 else "none" for i, v in enumerate(value)],
            "coded": np.where(rng.random(n) < 0.1, -999, rng.integers(0, 5, n)),
            "job": job,
            "asked": [str(i % 6) if i % 7 else "?" for i in range(n)],
            "y": y,
        }
    )
    file, model, out = (tmp_path / name for name in ("t.csv", "m.ks", "p.csv"))
    raw.to_csv(file, index=False, sep=";")
    options = ["--method", "lda", "--decimal", ",", "--na=none,-999", "--missing", "indicator", "--quiet"]
    subprocess.run([PROGRAM, "fit", file, "--model", model, *options], check=True, capture_output=True)
    subprocess.run([PROGRAM, "predict", model, file, "--proba", "--output", out, "--quiet"], check=True)
    loaded = kernsieve.load(model)
    assert loaded.model_.feature_names[:4] == ["written", "written=missing", "coded", "coded=missing"]
    expected = pd.read_csv(out)[["p_no", "p_yes"]].to_numpy()
    np.testing.assert_array_equal(loaded.predict_proba(raw), expected)
    read = raw.assign(coded=raw.coded.astype(float)).drop(columns="y")
    for frame in (read, pl.from_pandas(read), pa.Table.from_pandas(read)):
        np.testing.assert_array_equal(loaded.predict_proba(frame), expected)
