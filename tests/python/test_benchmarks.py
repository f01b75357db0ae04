"""The benchmarks themselves work, at small sizes; no times are judged."""

import subprocess
import sys

from conftest import ROOT


def test_peers_prints_its_table():
    script = ROOT / "benchmarks" / "peers" / "run.py"
    done = subprocess.run([sys.executable, script, "--short"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # celer and skglm add two lines where they are installed.
    assert done.stdout.count("\n") in (28, 29, 30) and "x (" in done.stdout
