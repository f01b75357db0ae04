"""The papers' tables next to ours: `cargo xtask tables TABLE --data DIR`.

DIR holds the papers' data sets as CSV files (last column `class`). The results of every split are kept under
target/tables, by build of the program, bytes of the data and options: an interrupted run continues where it stopped.
`all` runs every table and writes reproduction.json and reproduction.md of docs/evidence; `page` writes both again, by
the rules as they are now, from the recorded figures and the prose; `figures` draws the papers' figures as one HTML
page; `list` names the tables.
"""

import argparse
import datetime
import json
import os
import shutil
import sys
import time
from pathlib import Path

import figures
import report
from arithmetic import numpy
from catalogue import TABLES, unclaimed
from cells import shown, shown_readings
from program import ProgramError
from work import Store, Work, commit, digest

ROOT = Path(__file__).resolve().parents[2]
SHORT_SPLITS = 2


def work_of(table, a):
    """What a table needs to run."""
    folder = a.work / table.name
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(a.work / f"{table.store or table.name}.jsonl", digest(a.program), a.any_build)
    rows = tuple(a.only) if a.only else table.short_rows if a.short else None
    limit = SHORT_SPLITS if a.short else a.splits
    plain = a.paper_arithmetic and table.paper_arithmetic
    return Work(a.program, a.data, folder, store, limit, rows, a.short, a.judged, plain, a.jobs)


def run_table(table, a):
    """Runs one table; its cells and extras."""
    work = work_of(table, a)
    rows, store = work.rows, work.store
    cells, start = table.published(), time.monotonic()
    known = {c.row for c in cells}
    if unknown := [row for row in a.only or () if row not in known]:
        sys.exit(f"{table.name} has no row {unknown[0]!r}; its rows are {', '.join(sorted(known)) or 'none'}")
    extras = table.run(work, cells)
    # If only a part of the table is run, that part.
    print(f"### {table.title}\n\n{shown([c for c in cells if rows is None or c.row in rows])}\n")
    if any(c.reading is not None for c in cells):
        print(f"{shown_readings(cells)}\n")
    for e in (e for e in extras if e.rows):
        print(f"{e.shown()}\n")
    print(f"{time.monotonic() - start:.0f} s, {len(store.builds)} build(s) of the program", file=sys.stderr, flush=True)
    if len(store.builds) > 1:
        print("results of several builds are mixed, as --any-build allows", file=sys.stderr)
    return cells, extras


def count(text):
    """A number of splits or jobs."""
    if (value := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "table",
        choices=[*TABLES, "all", "page", "figures", "list"],
        metavar="TABLE",
        help=f"all, page, figures, list, or one of {', '.join(TABLES)}",
    )
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("KERNSIEVE_DATA", ROOT.parent / "shared" / "data"))
    )
    parser.add_argument(
        "--splits", type=count, help="at most this many splits; default: those of the paper, or all there are"
    )
    parser.add_argument(
        "--short", action="store_true", help=f"{SHORT_SPLITS} splits of the smallest sets, to see that it works"
    )
    parser.add_argument(
        "--only", action="append", metavar="ROW", help="this row of the table; may be given several times"
    )
    parser.add_argument(
        "--jobs", type=count, default=os.cpu_count() or 1, help="fits in parallel; default: the number of cores"
    )
    parser.add_argument("--judged", action="store_true", help="kos-2, fivm-2 to fivm-4: leave out our default settings")
    parser.add_argument(
        "--paper-arithmetic",
        action="store_true",
        help="l2-2 and l2-3: also with decisions in plain double precision, as a second reading; needs NumPy",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="cells and extra tables as JSON")
    parser.add_argument(
        "--update", action="store_true", help="put the figures into docs/evidence/reproduction.json and .md; `all` does"
    )
    parser.add_argument(
        "--any-build", action="store_true", help="also use stored results of other builds of the program"
    )
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "tables", help="where results are kept")
    parser.add_argument("--program", default=os.environ.get("KERNSIEVE", "kernsieve"))
    a = parser.parse_args()
    if a.table == "list":
        for t in TABLES.values():
            print(f"{t.name:16} {t.title}; {t.splits} split(s)")
        return
    if a.table == "page":
        tables = report.load()
        report.save(tables)
        report.PAGE.write_text(report.assemble(tables))
        return
    a.program = shutil.which(a.program) or sys.exit(
        f"{a.program} is not there; KERNSIEVE or --program names the program"
    )
    if a.table == "figures":
        path = a.work / "figures.html"
        works = {name: work_of(TABLES[name], a) for name in figures.WORKS}
        path.write_text(figures.page(works))
        print(path)
        return
    if a.short and a.update:
        sys.exit("--short is a test of the tables, not a figure: it cannot --update the page")
    chosen = list(TABLES) if a.table == "all" else [a.table]
    if a.paper_arithmetic:
        if not any(TABLES[name].paper_arithmetic for name in chosen):
            sys.exit("--paper-arithmetic is a reading of l2-2 and l2-3 only")
        numpy()
    updates = a.update or (a.table == "all" and not (a.short or a.splits or a.only))
    made = f"{commit(ROOT)}, {datetime.datetime.now(datetime.UTC).date()}"
    results = {}
    for name in chosen:
        if a.short and not TABLES[name].short_rows:
            print(f"{name}: nothing of it is short; left out", file=sys.stderr)
            continue
        cells, extras = run_table(TABLES[name], a)
        results[name] = report.as_json(cells, extras)
        if updates:
            # After each table, so that an interruption costs one.
            report.update(name, cells, extras, made, a.only or (), a.judged)
            for picture in (a.work / name).glob("figures/*.svg"):
                shutil.copy(picture, ROOT / "docs" / "figures" / picture.name)
    if a.json:
        a.json.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    if updates:
        tables = report.load()
        report.PAGE.write_text(report.assemble(tables))
        for c in report.unexplained(tables):
            print(f"not met and not explained: {c.table}, {c.row}, {c.column}, {c.quantity}", file=sys.stderr)
    for name, row in unclaimed():
        print(f"no cell stands for a row of {name}.csv: {row}", file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except ProgramError as e:
        sys.exit(str(e))
    except KeyboardInterrupt:
        sys.exit("stopped; the same command continues from here")
