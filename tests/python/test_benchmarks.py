"""The benchmarks of speed work at small sizes, and the page shows what is recorded; no times are judged."""

import gzip
import json
import os
import subprocess
import sys

from conftest import ROOT

PEERS = ROOT / "benchmarks" / "peers"
sys.path.insert(0, str(PEERS))

import goals
import page
import pytest


def test_peers_measures_every_task(tmp_path):
    out = tmp_path / "figures.json"
    words = [sys.executable, PEERS / "run.py", "--short", "--json", out]
    # One thread each: two that wait for each other on a busy machine take minutes.
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=alone)
    assert done.returncode == 0, done.stderr
    tasks = json.loads(out.read_text())["tasks"]
    assert set(tasks) == {p.stem for p in (PEERS / "tasks").glob("*.py")}
    for name, task in tasks.items():
        assert task["lines"] or task["growths"], name
        for line in task["lines"]:
            assert line["ours"] > 0 and line["low"] <= line["ratio"] <= line["high"] and line["agreement"], line
        for growth in task["growths"]:
            sizes = growth["sizes"]
            assert len(growth["ours"]) == len(sizes) and len(growth["peer"]) in (0, len(sizes)), growth
            assert all(v > 0 for v in growth["ours"] + growth["peer"]), growth
    assert len(tasks["sparse_kos"]["recorded"]) == 4
    # A Gram matrix of 250 more rows shows; so would the memory of the calling process, if it were counted.
    before, after = next(g for g in tasks["memory"]["growths"] if g["task"].startswith("kos"))["ours"]
    assert before < 40 and after > before + 2


def test_the_page_shows_the_recorded_figures():
    text = page.PAGE.read_text()
    assert page.filled(text, page.tables(page.load())) == text
    assert page.load()["tasks"].keys() == {p.stem for p in (PEERS / "tasks").glob("*.py")}


def test_goals_are_looked_up_by_whole_words():
    lines = [{"task": "t / peer", "size": f"n 40, d {d}", "ratio": ratio} for d, ratio in ((20, 3.0), (200, 1.5))]
    figures = goals.Figures({"task": {"lines": lines}})
    assert figures.ratio("t /", "n 40, d 20") == 3.0 and figures.ratio("t", "n 40, d 200") == 1.5
    for task, size in (("t / p", "n 40"), ("u", "n 40"), ("t", "n 4")):
        with pytest.raises(goals.Missing):
            figures.ratio(task, size)
    # A goal is met or not; a figure of another size does not count.
    assert goals.times(2)["reached"](2.0) and not goals.times(2)["reached"](1.99)
    assert goals.within(0.001)["reached"](0.0009) and not goals.megabytes(10)["reached"](11)


def test_every_goal_has_its_figure():
    assert "not measured" not in goals.goals_shown(page.load())


PROGRAM = os.environ.get("KERNSIEVE", ROOT / "target" / "release" / "kernsieve")


@pytest.fixture
def toy(tmp_path):
    """Options that name a folder of one small set and its split."""
    data, splits = tmp_path / "data", tmp_path / "splits"
    data.mkdir()
    splits.mkdir()
    rows = [f"{i % 7},{(i * i) % 11},{'ab'[i % 7 > 3]}" for i in range(60)]
    (data / "toy.csv").write_text("\n".join(["u,v,class", *rows]) + "\n")
    part = [" ".join(str(i) for i in range(60) if (i % 3 == 0) == test) for test in (False, True)]
    with gzip.open(splits / "toy.csv.gz", "wt") as file:
        file.write(f"split,train_rows,test_rows\n1,{part[0]},{part[1]}\n")
    return ["--data", data, "--splits", splits, "--out", tmp_path / "out"]


def printed(script, *words):
    done = subprocess.run([sys.executable, ROOT / "benchmarks" / script, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_tables(text, tables, rule="| ---"):
    lines = text.splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith(rule)]
    assert len(heads) == tables, text
    for i in heads:
        width = lines[i].count("|")
        assert lines[i - 1].count("|") == lines[i + 1].count("|") == width


def test_the_scripts_about_the_sieve_print_their_tables(tmp_path, toy):
    peers = tmp_path / "peers.csv"
    peers.write_text("dataset,split,method,err_pct\ntoy,1,SVC,50\ntoy,1,forest,0\n")
    sources = [*toy, "--peers", peers]
    for words, tables in [
        (["features.py", "--draws", "1", "--only", "rings", "--methods", "sieve"], 1),
        (["speed.py", "--rows", "60", "--features", "6", "--growth", "200,400", "--repeats", "1"], 3),
        (["paired.py", *sources], 3),
        (["paired.py", *sources], 3),  # goes on where it stopped: nothing is left to do
    ]:
        check_tables(printed(f"sieve/{words[0]}", "--bin", PROGRAM, *words[1:]), tables)


def test_the_choice_of_a_method_is_compared_with_all_single_methods(tmp_path, toy):
    first = printed("auto/run.py", "--program", PROGRAM, *toy)
    check_tables(first, 2, "|---")
    assert "**1 of 1** sets" in first and "| toy | 40 x 2, 2 |" in first
    kept = (tmp_path / "out").read_text().splitlines()
    results = {tuple(r["key"]): r["result"] for r in map(json.loads, kept)}
    assert len(kept) == len(results) == 13
    assert all(r["log_loss"] <= r["shares"] * 1.001 for r in results.values() if r["log_loss"] is not None)
    # It goes on where it stopped: nothing is left to do.
    assert printed("auto/run.py", "--program", PROGRAM, *toy) == first
    assert (tmp_path / "out").read_text().splitlines() == kept


def test_the_script_about_a_rare_class_prints_its_table():
    text = printed("auto/rare.py", "--bin", PROGRAM, "--draws", "1", "--rows", "600", "--others", "4000")
    check_tables(text, 1)
    assert text.count(" minus plain in ") == 2
