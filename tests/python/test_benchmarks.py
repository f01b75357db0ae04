"""The benchmarks of speed work at small sizes, and the page shows what is recorded; no times are judged."""

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
