"""What a person at a terminal sees: colours and progress there, plain text everywhere else."""

import json
import os
import re
import subprocess
import sys

import pandas as pd
import pytest
from conftest import ROOT
from sklearn.datasets import make_moons

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are of Unix", allow_module_level=True)
import pty

PROGRAM = os.environ.get("KERNSIEVE", ROOT / "target" / "release" / "kernsieve")
SETTINGS = ("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM")


def on_a_terminal(folder, *arguments, **variables):
    """Runs the program with both streams on a pseudo-terminal and returns what it sent there."""
    environment = {k: v for k, v in os.environ.items() if k not in SETTINGS} | {"TERM": "xterm"} | variables
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=folder, env=environment
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # Linux: the other side is closed
            part = b""
        if not part:
            break
        seen += part
    os.close(ours)
    assert child.wait() == 0, seen
    return seen.decode()


def colours(text):
    return re.findall(r"\x1b\[[0-9;]*m", text)


@pytest.fixture
def folder(tmp_path):
    x, y = make_moons(150, noise=0.3, random_state=1)
    pd.DataFrame(x, columns=["a", "b"]).assign(moon=y).to_csv(tmp_path / "moons.csv", index=False)
    return tmp_path


COMPARE = ("compare", "moons.csv", "--methods", "lda,parzen", "--repeats", 2)


def test_colours_are_for_terminals_that_want_them(folder):
    assert {"\x1b[1m", "\x1b[32m", "\x1b[33m"} <= set(colours(on_a_terminal(folder, *COMPARE)))
    for variables in [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"CLICOLOR": "0"}, {"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}]:
        assert colours(on_a_terminal(folder, *COMPARE, "--quiet", **variables)) == []
    # The words are the same.
    plain = on_a_terminal(folder, "inspect", fitted(folder), NO_COLOR="1")
    bold = on_a_terminal(folder, "inspect", fitted(folder))
    assert colours(bold) and re.sub(r"\x1b\[[0-9;]*m", "", bold) == plain
    piped = subprocess.run([PROGRAM, *map(str, COMPARE)], capture_output=True, text=True, cwd=folder, check=True)
    assert "\x1b" not in piped.stdout + piped.stderr
    forced = subprocess.run(
        [PROGRAM, *map(str, COMPARE)], capture_output=True, text=True, cwd=folder, check=True, env=os.environ | {"CLICOLOR_FORCE": "1"}
    )
    assert colours(forced.stdout) and colours(forced.stderr)


def fitted(folder):
    model = folder / "model.ks"
    if not model.exists():
        subprocess.run([PROGRAM, "fit", "moons.csv", "--method", "lda", "--model", model, "--quiet"], cwd=folder, check=True, capture_output=True)
    return model


def test_progress_tells_the_time_left(folder):
    long = ("compare", "moons.csv", "--methods", "klr,l2qp,smkda", "--repeats", 8)
    seen = on_a_terminal(folder, *long)
    assert "comparing: klr" in seen
    assert re.search(r"\d+/24 .*about \d+ s left", seen)
    # It disappears, and dumb terminals and scripts never see it.
    assert "left" not in seen[seen.index("held out") :]
    for quiet in [on_a_terminal(folder, *long, TERM="dumb"), on_a_terminal(folder, *long, "--quiet")]:
        assert "comparing" not in quiet
    found = on_a_terminal(folder, *long, "--json", "--quiet")
    assert json.loads(found)["splits"] == 8
    # A line of progress takes one line.
    for line in re.split(r"[\r\n]|\x1b\[\d*[A-Z]", re.sub(r"\x1b\[[0-9;]*m", "", seen)):
        assert len(line) <= 80, line


def test_progress_begins_with_an_empty_bar(folder):
    slow = ("fit", "moons.csv", "--method", "klr")
    for arguments in [slow, COMPARE]:
        seen = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal(folder, *arguments))
        frames = re.findall(r"([█░]{20}) (\d+)/(\d+)", seen)
        assert frames, seen
        bar, done, _ = frames[0]
        assert (bar, done) == ("░" * 20, "0"), frames[0]


def test_names_do_not_steer_the_terminal(folder):
    evil = "\x1b[31mred\x1b]0;title\x07"
    pd.DataFrame({"a": range(20), "class": [evil, "b\x9b2J"] * 10}).to_csv(folder / "evil.csv", index=False)
    model = folder / "evil.ks"
    for line in [
        ("fit", "evil.csv", "--method", "lda", "--model", model),
        ("inspect", model),
        ("inspect", model, "--json"),
        ("predict", model, "evil.csv", "--proba"),
        ("evaluate", model, "evil.csv"),
    ]:
        seen = on_a_terminal(folder, *line, "--quiet", NO_COLOR="1")
        assert "\x1b" not in seen and "\x9b" not in seen and "\x07" not in seen, line
    # A file gets the names as they are.
    piped = subprocess.run([PROGRAM, "predict", model, "evil.csv"], capture_output=True, text=True, cwd=folder, check=True)
    assert evil in piped.stdout
