"""What a table needs to run: program, data, number of splits, and a store from which an interrupted run continues."""

import csv
import gzip
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from program import run_json


def digest(path):
    """A fingerprint of a file."""
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()[:16]


def commit(root):
    """The commit that is checked out, with a mark if the code that makes the figures differs from it."""

    def git(*words):
        return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False).stdout.strip()

    sources = ["crates", "Cargo.toml", "Cargo.lock", "benchmarks/tables/*.py"]
    changed = git("status", "--porcelain", "--untracked-files=no", "--", *sources)
    return (git("rev-parse", "--short=10", "HEAD") or "unknown") + ("-changed" if changed else "")


class Store:
    """Results of splits, one JSON line each.

    A result belongs to the build of the program that made it, to the bytes of the data and to all options. Results of
    other builds are not used, unless `any_build` says so, and then the builds are counted.
    """

    def __init__(self, path, build, any_build=False):
        self.path, self.build = path, build
        self.found, self.builds, self.lock = {}, set(), threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            return
        text = path.read_text()
        if text and not text.endswith("\n"):
            # A last line that was cut off by an interruption.
            text = text[: text.rfind("\n") + 1]
            path.write_text(text)
        for line in text.splitlines():
            record = json.loads(line)
            if any_build or record["build"] == build:
                self.found[record["key"]] = record
        # With any build, the results of this one come first.
        for line in text.splitlines() if any_build else ():
            record = json.loads(line)
            if record["build"] == build:
                self.found[record["key"]] = record

    def get(self, key):
        record = self.found.get(key)
        if record is None:
            return None
        self.builds.add(record["build"])
        return record["result"]

    def put(self, key, result, seconds):
        record = {"build": self.build, "key": key, "seconds": round(seconds, 2), "result": result}
        with self.lock:
            self.found[key] = record
            self.builds.add(self.build)
            with open(self.path, "a") as f:
                f.write(json.dumps(record) + "\n")


@dataclass
class Work:
    """One run of one table."""

    program: str
    data: Path
    folder: Path
    store: Store
    limit: int | None = None
    rows: tuple[str, ...] | None = None
    short: bool = False  # leave out what is slow
    judged: bool = False  # only the settings that are judged
    paper_arithmetic: bool = False  # also read the table in plain double precision
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)

    def splits(self, full):
        return min(full, self.limit) if self.limit else full

    def wants(self, row):
        """Whether this row of the table is asked for."""
        return self.rows is None or row in self.rows

    def file(self, name):
        """A data set; packed or not."""
        for ending in (".csv", ".csv.gz", ".libsvm.gz"):
            path = self.data / f"{name}{ending}"
            if path.exists():
                return path
        where = f"in {self.data}" if self.data.is_dir() else f"there, as there is no folder {self.data}"
        sys.exit(
            f"{name}.csv is not {where}; --data names the folder of the papers' data sets, benchmarks/README.md says what is in it"
        )

    def splits_file(self, name):
        """The splits of a data set, if some are published."""
        path = self.data / f"{name}.splits.csv.gz"
        return path if path.exists() else None

    def published_splits(self, name):
        """These splits, as rows to train and to test; `None` if there are none. No rows to test means all others."""
        path = self.splits_file(name)
        if path is None:
            return None
        csv.field_size_limit(1 << 26)
        with gzip.open(path, "rt") as f:
            rows = list(csv.DictReader(f))
        return [[[int(i) for i in r[part].split()] for part in ("train_rows", "test_rows")] for r in rows]

    @contextmanager
    def scratch(self):
        """A folder for the files of one task."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            yield Path(folder)

    def run_json(self, *arguments):
        """A command of the program, on one thread if tasks run in parallel: results are the same."""
        return run_json(self.program, *arguments, "--threads", 1 if self.jobs > 1 else os.cpu_count() or 1)

    def fit(self, train, *options, test=None):
        extra = ["--test", test] if test else []
        return self.run_json("fit", train, "--target", "class", *extra, *options)

    def map(self, name, keys, task):
        """Results of `task(*key)` for all keys, in order; those in the store are not computed again."""
        texts = [json.dumps([name, *key]) for key in keys]
        results = [self.store.get(t) for t in texts]
        missing = [i for i, r in enumerate(results) if r is None]

        def one(i):
            start = time.monotonic()
            result = task(*keys[i])
            self.store.put(texts[i], result, time.monotonic() - start)
            return i, result

        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                for count, (i, result) in enumerate(pool.map(one, missing), 1):
                    results[i] = result
                    print(f"\r  {name}: {count} of {len(missing)}   ", end="", file=sys.stderr, flush=True)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        if missing:
            print(file=sys.stderr)
        return results
