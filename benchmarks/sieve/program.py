"""Runs kernsieve, and says what a run cost."""

import csv
import json
import os
import subprocess
import time


def write(path, x, y):
    """Features and classes as a CSV file with a header."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow([f"x{j + 1}" for j in range(x.shape[1])] + ["class"])
        for row, label in zip(x.tolist(), y.tolist(), strict=True):
            out.writerow([f"{v:.8g}" for v in row] + [f"c{label}"])


def run(*words):
    """What the program printed, its wall and CPU seconds, and its peak memory in MiB."""
    began = time.perf_counter()
    process = subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    printed = process.stdout.read()
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {said.decode(errors='replace')}")
    cost = {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss / 1024}
    return printed.decode(), cost


def fit(program, train, *options):
    """The report of a fit, and what it cost."""
    printed, cost = run(program, "fit", train, "--target", "class", "--json", "--quiet", *options)
    return json.loads(printed), cost


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


def table(header, rows):
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(v) for v in line) + " |" for line in lines)
