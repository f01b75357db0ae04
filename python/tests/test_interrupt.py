"""Ctrl-C."""

import signal
import subprocess
import sys
import time

import pytest

SCRIPT = """
import sys
import numpy as np
import kernsieve
rng = np.random.default_rng(0)
X, y = rng.normal(size=({rows}, 10)), rng.integers(0, 2, size={rows})
print("ready", flush=True)
try:
    kernsieve.{estimator}.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(3)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are for Unix")
@pytest.mark.parametrize(
    ("estimator", "rows"),
    [
        ("MKDA()", 3000),
        # One fit of many seconds, without any check for a request to stop.
        ("MKDA(bandwidth=1.0, ridge=0.1, estimate=False, n_jobs=1)", 5000),
        ("FIVM()", 1500),
    ],
)
def test_a_fit_ends_within_a_second(estimator, rows):
    program = SCRIPT.format(estimator=estimator, rows=rows)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        assert process.poll() is None, "the fit was over before it could be interrupted"
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=10)
        took = time.monotonic() - sent
    finally:
        process.kill()
    assert said == "interrupted\n" and process.returncode == 3
    # Half a second on an idle machine; far less than the fits take on a busy one.
    assert took < 5, f"{took:.1f} s"
