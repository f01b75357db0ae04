"""Peers that do not install everywhere: tried once, with a note if they are missing."""

import subprocess
import sys

THUNDERSVM = "thundersvm==0.3.12"


def thundersvm(bench):
    """Its classifier, or None and a note why."""
    if bench.short:
        return None
    try:
        from thundersvm import SVC
    except (ImportError, OSError, AttributeError) as first:
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", THUNDERSVM]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        reason = done.stderr.strip().splitlines()[-1:] or [str(first)]
        try:
            from thundersvm import SVC
        except (ImportError, OSError, AttributeError) as e:
            # An installed wheel may still lack its library for this machine.
            why = reason[0] if done.returncode else f"{type(e).__name__}: {e}"
            note = f"{THUNDERSVM} is not compared: {why}"
            if note not in bench.notes:
                bench.note(note)
            return None
    return SVC
