"""What the tables share: calls of the program, files of rows, means."""

import csv
import gzip
import json
import subprocess
import sys


def run(program, *arguments):
    """A kernsieve command; its standard output."""
    done = subprocess.run([str(a) for a in (program, *arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def run_json(program, *arguments):
    """A kernsieve command with --json."""
    return json.loads(run(program, *arguments, "--json", "--quiet"))


def fit(program, train, test, *options):
    """One fit, and its error on another file."""
    return run_json(program, "fit", train, "--target", "class", "--test", test, *options)


def read(path):
    """Header and rows of a CSV file, packed or not."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as f:
        header, *rows = list(csv.reader(f))
    return header, rows


def write(path, header, rows):
    with open(path, "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([header, *rows])
    return path


def mean_se(values):
    mean = sum(values) / len(values)
    return mean, (sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values)) ** 0.5
