"""kernsieve next to its peers, in one run: `cargo xtask bench`.

Tasks are timed in turn, ours and the peer's, on the same numbers; the median of the ratios is printed with its spread.
Results are compared before anything is timed. Sizes double, so that the exponent of the growth is printed. `--short`
takes small sizes, for a test of the benchmark itself. `--update` puts the figures into docs/evidence/performance.json
and into the tables of docs/evidence/performance.md.
"""

import argparse
import importlib
import json
import os
import platform
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import page
import timing
from bench import Bench, growths_shown, lines_shown, recorded_shown

# One file per task in `tasks`, each with a function `run(bench)`.
TASKS = [p.stem for p in sorted((Path(__file__).parent / "tasks").glob("*.py"))]


def machine():
    """What the figures were measured on."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [
            line.split(":")[1].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")
        ]
        name = models[0] if models else name
    import numpy
    import scipy
    import sklearn

    versions = f"scikit-learn {sklearn.__version__}, SciPy {scipy.__version__}, NumPy {numpy.__version__}"
    return (
        f"{os.cpu_count()} cores of {name}; Python {platform.python_version()}, {versions}; {datetime.now(UTC).date()}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("KERNSIEVE_BENCH", "kernsieve-bench"))
    parser.add_argument("--command-line", default=os.environ.get("KERNSIEVE", "kernsieve"))
    parser.add_argument("--task", action="append", choices=TASKS, help="this task only; may be given several times")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--update", action="store_true", help="refresh docs/evidence/performance.json and .md")
    a = parser.parse_args()
    if a.short and a.update:
        sys.exit("--short is a test of the benchmark, not a figure: it cannot --update the page")
    if a.short:
        timing.PAUSE = 0.0
    done = {}
    for name in a.task or TASKS:
        bench = Bench(a.program, a.command_line, a.short)
        importlib.import_module(f"tasks.{name}").run(bench)
        done[name] = bench.as_dict()
        for shown, figures in (
            (lines_shown, bench.lines),
            (growths_shown, bench.growths),
            (recorded_shown, bench.recorded),
        ):
            if figures:
                print(f"{shown(figures)}\n", flush=True)
    record = page.merged({"tasks": {}} if a.short else page.load(), machine(), done)
    if a.json:
        a.json.write_text(json.dumps(record, indent=1) + "\n")
    if a.update:
        page.RECORD.write_text(json.dumps(record, indent=1) + "\n")
        page.PAGE.write_text(page.filled(page.PAGE.read_text(), page.tables(record)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        # The workers' files are in this folder and are removed with it.
        tempfile.tempdir = folder
        main()
