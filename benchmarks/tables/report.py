"""docs/evidence/reproduction.md from reproduction.json next to it (cells and tables) and the prose of every table."""

import json
import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path

from catalogue import OUT_OF_SCOPE, TABLES
from cells import MAIN, RULES, cell_of, markdown, shown, shown_readings
from table import Extra

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from wrapping import wrapped

RECORD = ROOT / "docs" / "evidence" / "reproduction.json"
PAGE = ROOT / "docs" / "evidence" / "reproduction.md"
PROSE = Path(__file__).parent / "prose"
READING = ("reading", "reading_se", "reading_splits", "reading_made")
NOT_RUN = "not in the run that is recorded; the command above computes it."


def load():
    """Cells and extras by table. Every published cell is there, ours empty if it was never run."""
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    tables = {}
    for name, table in TABLES.items():
        stored = record.get(name, {"cells": [], "extras": []})
        known = {c.key: c for c in map(cell_of, stored["cells"])}
        cells = table.published()
        for c in cells:
            old = known.get(c.key)
            if old is not None:
                for field in ("ours", "se", "splits", "made", *READING):
                    setattr(c, field, getattr(old, field))
        tables[name] = (cells, [Extra(**e) for e in stored["extras"]])
    return tables


def as_json(cells, extras):
    return {"cells": [c.as_dict() for c in cells], "extras": [vars(e) for e in extras]}


def save(tables):
    text = json.dumps({name: as_json(*parts) for name, parts in tables.items()}, indent=1, ensure_ascii=False)
    RECORD.write_text(text + "\n")


def update(name, cells, extras, made, only=(), judged=False):
    """Puts the cells of a run in the place of the recorded ones; a cell that was not run keeps what it had.

    If only some rows were run, so do the other rows of the extra tables; so does an extra table that was not made.
    """
    tables = load()
    old, old_extras = tables[name]
    known = {c.key: c for c in old}
    for c in cells:
        c.made = made if c.ours is not None else ""
        c.reading_made = made if c.reading is not None else ""
        if c.reading is None:
            for field in READING:
                setattr(c, field, getattr(known[c.key], field))
    for e in extras:
        e.made = made
    extras = merged_extras(old_extras, extras, only, judged)
    fresh = {c.key: c for c in cells if c.ours is not None}
    merged = [fresh.get(c.key, c) for c in old]
    tables[name] = (merged, extras)
    save(tables)


def merged_extras(old, fresh, only, judged=False):
    """Extra tables with the rows of a run in place of the old ones: all, or if it was partial those with the same first
    cell, which says what a row is about. If only the judged settings were run, the second cell says the setting.
    """

    def about(row):
        return tuple(row[:2]) if judged else row[0]

    known, result = {e.name: e for e in old}, []
    for e in fresh:
        before = known.get(e.name)
        if not e.rows:
            result.append(before or e)
        elif not (only or judged) or before is None or before.header != e.header:
            result.append(e)
        else:
            again = {*map(about, e.rows)} | (set() if judged else set(only))
            rest = [r for r in before.rows if about(r) not in again]
            first = min((i for i, r in enumerate(before.rows) if about(r) in again), default=len(before.rows))
            ahead = sum(about(r) not in again for r in before.rows[:first])
            made = "; ".join(dict.fromkeys(m for m in (before.made, e.made) if m))
            result.append(Extra(e.name, e.header, [*rest[:ahead], *e.rows, *rest[ahead:]], made))
    return result


def prose(name):
    """The text of a table, and its explanations as (row, column, text) with wildcards."""
    text = (PROSE / f"{name}.md").read_text()
    body, _, notes = text.partition("\n## Not reproduced\n")
    explanations = []
    for note in re.split(r"\n(?=\* )", "\n" + notes.strip()):
        if note.strip():
            where, _, words = note.strip().removeprefix("* ").partition(": ")
            row, _, column = where.partition(" / ")
            explanations.append((row, column, " ".join(words.split())))
    return body.strip(), explanations


def explained(cells, explanations):
    """Cells that are not met by explanation, and those that have none. Cells that were not run need no other reason."""
    found, left = {}, []
    for c in cells:
        if c.met:
            continue
        if c.verdict == "not run":
            found.setdefault(NOT_RUN, []).append(c)
            continue
        for row, column, text in explanations:
            if fnmatchcase(c.row, row) and fnmatchcase(f"{c.column}, {c.quantity}", column):
                found.setdefault(text, []).append(c)
                break
        else:
            left.append(c)
    return found, left


def not_met(cells, explanations):
    """The list of cells that are not met, each with the reason."""
    found, left = explained(cells, explanations)
    lines = []
    for text, group in found.items():
        rows = {}
        for c in group:
            rows.setdefault(c.row, []).append(c.column)
        where = "; ".join(f"{row} ({', '.join(dict.fromkeys(columns))})" for row, columns in rows.items())
        lines.append(f"* {where}: {text}")
    lines += [f"* {c.row} ({c.column}): no explanation yet." for c in left]
    return "\n".join(lines)


def met_otherwise(cells):
    """Errors and accuracies that are not met, but by the other reading of their section."""
    main = [c for c in cells if c.quantity in MAIN and not c.repeats]
    return sum(c.reading is not None and not c.met and c.read_otherwise.met for c in main)


def counts(cells):
    """Errors and accuracies: all, met, not met, not comparable, not run; other figures: all, met.

    A figure that two tables publish counts in the first.
    """
    own = [c for c in cells if not c.repeats]
    main = [c for c in own if c.quantity in MAIN]
    other = [c for c in own if c.quantity not in MAIN]
    verdicts = [c.verdict for c in main]
    left = [verdicts.count(v) for v in ("no", "not comparable", "not run")]
    return [len(main), sum(c.met for c in main), *left, len(other), sum(c.met for c in other)]


def summary(tables):
    rows, total = [], [0] * 7
    for name, (cells, extras) in tables.items():
        numbers = counts(cells)
        total = [a + b for a, b in zip(total, numbers, strict=True)]
        # No cells of a kind: no zeros either.
        shown = [n if of else "" for n, of in zip(numbers, [numbers[0]] * 5 + [numbers[5]] * 2, strict=True)]
        splits = sorted({c.splits for c in cells if c.splits})
        span = f"{splits[0]} to {splits[-1]}" if len(splits) > 1 else "".join(map(str, splits))
        # A table whose figures no paper has, or none that compare, has those of its extra tables.
        made = sorted({c.made for c in cells if c.made} or {e.made for e in extras if e.made})
        rows.append([f"[{name}](#{name})", *shown, span, "; ".join(made)])
    met, comparable = total[1], total[0] - total[3]
    shares = f"**{met}, {percent(met, total[0])} % of all, {percent(met, comparable)} % of those comparable**"
    rows.append(["**all**", total[0], shares, *total[2:6], f"{total[6]}, {percent(total[6], total[5])} %", "", ""])
    header = ["table", "errors and accuracies", "met", "not met", "not comparable", "not run", "other figures", "met"]
    return markdown([*header, "splits", "commit and day of the run"], rows)


def otherwise(tables):
    """What inferences and other readings do to the counts."""
    cells = [c for own, _ in tables.values() for c in own if c.quantity in MAIN and not c.repeats]
    inferred = [c for c in cells if c.inferred and c.ours is not None]
    text = f"Of the errors and accuracies, {len(inferred)} are inferred, {sum(c.met for c in inferred)} of them met."
    if again := met_otherwise(cells):
        missed = sum(c.verdict == "no" for c in cells)
        text += (
            f" Of the {missed} that are not met, {again} are when a decision value is computed in plain double "
            "precision ([l2-2](#l2-2)); they stay not met here."
        )
    return text


def percent(part, whole):
    """Rounded down, so that a share is never shown as more than it is."""
    return f"{1000 * part // whole / 10:.1f}" if whole else "0"


def section(name, cells, extras):
    body, explanations = prose(name)
    places = {e.name: e for e in extras}

    def fill(match):
        word, _, which = match.group(1).partition(" ")
        if word == "cells":
            return shown(cells)
        if word == "readings":
            return shown_readings(cells) if any(c.reading is not None for c in cells) else "*Not run.*"
        if word == "not-met":
            return not_met(cells, explanations) or "All cells are met."
        return places[which].shown() if which in places and places[which].rows else "*Not run.*"

    title = f'<a id="{name}"></a>\n\n## {TABLES[name].title}\n\n`cargo xtask tables {name} --data DIR`'
    return f"{title}\n\n{re.sub(r'{{(.+?)}}', fill, body)}\n"


def assemble(tables):
    """The page."""
    rules = "\n".join(f"* {text};" for text in RULES.values())[:-1] + "."
    foreign = "; ".join(
        f"`{name}`: {'all of it' if '*' in methods else ', '.join(sorted(methods))}"
        for name, methods in OUT_OF_SCOPE.items()
    )
    top = (PROSE / "top.md").read_text().strip()
    parts = {"summary": summary(tables), "rules": rules, "foreign": foreign, "otherwise": otherwise(tables)}
    for word, text in parts.items():
        top = top.replace("{{" + word + "}}", text)
    return wrapped("\n".join([top + "\n", *(section(name, *parts) for name, parts in tables.items())]))


def unexplained(tables):
    """Cells that are not met and have no explanation."""
    return [c for name, (cells, _) in tables.items() for c in explained(cells, prose(name)[1])[1]]
