"""Timing ours and theirs in turn."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

PAUSE = 0.2  # seconds


class Worker:
    """A kernsieve-bench process that runs its task when it is asked to; an argument that names an array is its file."""

    def __init__(self, bench, task, arrays, arguments):
        self.folder = tempfile.TemporaryDirectory()
        folder, paths = Path(self.folder.name), {}
        for name, array in arrays.items():
            paths[name] = folder / f"{name}.bin"
            np.ascontiguousarray(array, dtype="<f8").tofile(paths[name])
        self.out = folder / "out.bin"
        words = [str(paths.get(a, a)) for a in arguments]
        self.process = subprocess.Popen(
            [bench.program, task, *words, self.out], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def seconds(self, threads):
        self.process.stdin.write(f"{threads}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("kernsieve-bench ended early")
        return float(answer)

    def result(self, shape=(-1,)):
        return np.fromfile(self.out, dtype="<f8").reshape(shape)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()


# A process starts with the memory of its parent, so a small process starts it and reports how much its child used.
LAUNCHER = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
sys.stderr.write(done.stderr)
print(done.stdout, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""


def one_fit(bench, file, words):
    """A fit by the command line in a separate process: its answer, and its peak memory in megabytes."""
    fixed = ["--target", "class", "--no-cv", "--no-calibration", "--quiet", "--json"]
    command = [sys.executable, "-I", "-S", "-c", LAUNCHER, bench.command_line, "fit", file, *words, *fixed]
    done = subprocess.run([str(w) for w in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer, kilobytes = done.stdout.strip().rsplit("\n", 1)
    return json.loads(answer), int(kilobytes) / 1024


def timed(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def alternate(ours, theirs, repeats):
    """Seconds of both, in turn, with pauses that let threads sleep. A function that returns no seconds is timed here."""
    pairs = []
    for _ in range(repeats):
        time.sleep(PAUSE)
        mine = ours()
        time.sleep(PAUSE)
        start = time.perf_counter()
        told = theirs()
        pairs.append((mine, told if isinstance(told, float) else time.perf_counter() - start))
    return np.array(pairs)


def exponent(sizes, values):
    """Slope of log time against log size."""
    return np.polyfit(np.log(sizes), np.log(values), 1)[0]
