"""What the tables share: calls of the program, files of rows."""

import csv
import gzip
import json
import subprocess


class ProgramError(Exception):
    """The program could not do it."""


def run(program, *arguments):
    """A kernsieve command; its standard output."""
    words = [str(a) for a in (program, *arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ProgramError(f"{' '.join(words)}\n{done.stderr}")
    return done.stdout


def run_json(program, *arguments):
    """A kernsieve command with --json."""
    return json.loads(run(program, *arguments, "--json", "--quiet"))


def read(path):
    """Header and rows of a CSV file, packed or not."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as f:
        header, *rows = list(csv.reader(f))
    return header, rows


def write(path, header, rows):
    with open(path, "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([header, *rows])
    return path
