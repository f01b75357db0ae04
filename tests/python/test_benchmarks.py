"""The benchmarks of speed work at small sizes, and the page shows what is recorded; no times are judged."""

import json
import os
import subprocess
import sys

from conftest import ROOT

PEERS = ROOT / "benchmarks" / "peers"
sys.path.insert(0, str(PEERS))

import page


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
    # A Gram matrix of 250 more rows shows; so does the memory of the one who asks, if it were counted.
    before, after = next(g for g in tasks["memory"]["growths"] if g["task"].startswith("kos"))["ours"]
    assert before < 40 and after > before + 2


def test_the_page_shows_the_recorded_figures():
    text = page.PAGE.read_text()
    assert page.filled(text, page.tables(page.load())) == text
    assert page.load()["tasks"].keys() == {p.stem for p in (PEERS / "tasks").glob("*.py")}
