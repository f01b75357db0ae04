"""The command ``kernsieve``, which comes with the package."""

from __future__ import annotations

import sys

from . import _core


def main() -> None:
    """Run the command line, the same as the program of this name."""
    sys.stdout.flush()
    sys.exit(_core.run_command(["kernsieve", *sys.argv[1:]]))
