"""The benchmarks themselves work, at small sizes; no times are judged."""

import subprocess
import sys

from conftest import ROOT


def test_peers_prints_its_table():
    script = ROOT / "benchmarks" / "peers" / "run.py"
    done = subprocess.run([sys.executable, script, "--short"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 22 and "x (" in done.stdout
