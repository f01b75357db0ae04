"""The tables of docs/evidence/performance.md, between their markers, from docs/evidence/performance.json."""

import json
import re
import sys
from pathlib import Path

from bench import Growth, Line, Recorded, growths_shown, lines_shown, recorded_shown
from goals import goals_shown

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from wrapping import wrapped

RECORD = ROOT / "docs" / "evidence" / "performance.json"
PAGE = ROOT / "docs" / "evidence" / "performance.md"


def load():
    return json.loads(RECORD.read_text()) if RECORD.exists() else {"machine": "", "tasks": {}}


def merged(record, machine, tasks):
    """The recorded figures with those of the tasks that were run in their place."""
    known = record["tasks"] | {name: {"machine": machine, **figures} for name, figures in tasks.items()}
    return {"machine": machine, "tasks": known}


def tables(record):
    """The text of every marked place."""

    def every(kind, make):
        return [make(**v) for task in record["tasks"].values() for v in task[kind]]

    growths = every("growths", Growth)
    machines = list(dict.fromkeys(t["machine"] for t in record["tasks"].values()))
    notes = [n for task in record["tasks"].values() for n in task["notes"]]
    return {
        "machine": "\n".join(f"* {m}" for m in machines),
        "goals": goals_shown(record),
        "speed": lines_shown(every("lines", Line)),
        "growth": growths_shown([g for g in growths if g.unit == "s"]),
        "memory": growths_shown([g for g in growths if g.unit != "s"]),
        "recorded": recorded_shown(every("recorded", Recorded)),
        "notes": "\n".join(f"* {n}" for n in notes) or "Nothing.",
    }


def filled(text, parts):
    """The page with new tables between `<!-- NAME -->` and `<!-- end -->`."""
    for name, table in parts.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        text, count = re.subn(pattern, lambda m, t=table: f"{m[1]}\n{wrapped(t)}\n\n{m[2]}", text, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"{PAGE} has {count} places for {name}")
    return text
