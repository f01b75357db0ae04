"""Documentation: links lead somewhere, prose is wrapped, README.md fits a screen and shows the recorded figures."""

import re
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks" / "first_look"))

import peers_page as peers

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")])
# Parts of pages: their links are relative to the page that includes them.
WHOLE = [p for p in PAGES if p.parent.name != "prose"]


def name_of(path):
    return str(path.relative_to(ROOT))


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text):
    """The places of a page that a link can name: headings as GitHub writes them, and those set by hand."""
    headings = re.findall(r"^#+ (.*)$", without_code(text), flags=re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings]
    return {*plain, *re.findall(r'<a id="([^"]+)">', text)}


@pytest.mark.parametrize("path", WHOLE, ids=name_of)
def test_links_lead_somewhere(path):
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, place = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.exists(), target
        if place and there.suffix == ".md":
            assert place in anchors(there.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_prose_is_wrapped(path):
    inside = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside = not inside
        if not inside and not re.match(r" *(\||!\[|#|<)", line):
            assert len(line) <= 100 or " " not in line.strip(), f"{name_of(path)}:{number}"


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_nothing_waits_to_be_filled_in(path):
    """A word in capitals alone on a line stands for something, as TABLE did."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^[A-Z]{3,}$", text, flags=re.MULTILINE) == []


def test_readme_fits_a_screen():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 120] == []


def test_every_page_is_in_the_index():
    folder = ROOT / "docs"
    linked = re.findall(r"\]\(([\w/.-]+\.md)\)", (folder / "index.md").read_text(encoding="utf-8"))
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*.md")} - {"index.md"}
    assert there == set(linked) - {"../benchmarks/README.md"}


def test_the_table_of_peers_is_the_recorded_one():
    record = peers.load()
    assert peers.PAGE.read_text(encoding="utf-8") == peers.text(record)


def test_pictures_are_small():
    for path in (ROOT / "docs").rglob("*.png"):
        assert path.stat().st_size < 150_000, path


def test_the_rust_lines_of_the_readme_compile():
    """The lines are those of an example, which the lints compile."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```rust\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    example = (ROOT / "crates" / "kernsieve" / "examples" / "readme.rs").read_text(encoding="utf-8")
    bare = "".join(example.split())
    assert [line for line in block.splitlines() if "".join(line.split()) not in bare] == []
