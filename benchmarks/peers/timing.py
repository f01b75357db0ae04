"""Timing ours and theirs in turn."""

import subprocess
import sys
import time

import numpy as np

PAUSE = 0.2  # seconds


class Worker:
    """A kernsieve-bench process that runs its task whenever it is asked to."""

    def __init__(self, program, folder, task, arrays, arguments):
        paths = {}
        for name, array in arrays.items():
            paths[name] = folder / f"{name}.bin"
            np.ascontiguousarray(array, dtype="<f8").tofile(paths[name])
        self.out = folder / "out.bin"
        words = [str(paths.get(a, a)) for a in arguments]
        self.process = subprocess.Popen(
            [program, task, *words, self.out], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def seconds(self, threads):
        self.process.stdin.write(f"{threads}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("kernsieve-bench ended early")
        return float(answer)

    def result(self, shape):
        return np.fromfile(self.out, dtype="<f8").reshape(shape)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def alternate(ours, theirs, repeats):
    """Seconds of both, in turn, with a pause in which the other's threads go to sleep."""
    pairs = []
    for _ in range(repeats):
        time.sleep(PAUSE)
        mine = ours()
        time.sleep(PAUSE)
        start = time.perf_counter()
        theirs()
        pairs.append((mine, time.perf_counter() - start))
    return np.array(pairs)


def row(task, size, threads, pairs, rate, unit):
    ratio = pairs[:, 1] / pairs[:, 0]
    low, high = np.percentile(ratio, [25, 75])
    mine, theirs = np.median(pairs, axis=0)
    figure = f"{np.median(ratio):5.1f}x ({low:.1f} to {high:.1f})"
    print(f"| {task} | {size} | {threads} | {rate / mine:,.3g} {unit} | {rate / theirs:,.3g} {unit} | {figure} |", flush=True)
    return np.median(ratio)


def exponent(sizes, seconds):
    """Slope of log time against log size."""
    return np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
