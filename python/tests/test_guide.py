"""The user guide and the README do what they say."""

import contextlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "guide"
GALLERY = ROOT / "docs" / "gallery"
PROGRAM = os.environ.get("KERNSIEVE")
# The papers' data sets: a folder `shared/data` next to the checkout, or the folder that KERNSIEVE_DATA names.
DATA = Path(os.environ.get("KERNSIEVE_DATA", ROOT.parent / "shared" / "data"))
METHODS = ["lda", "mkda", "smkda", "kos", "sparse-kos", "klr", "fivm", "l1-dkf", "l2qp", "l2le", "parzen", "sieve"]


def load_pictures():
    spec = importlib.util.spec_from_file_location("pictures", GUIDE / "pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pictures = load_pictures()
DRAWING = pictures.drawing()
READMES = [ROOT / "README.md", ROOT / "python" / "README.md"]
PAGES = [*pictures.pages(), *READMES]
# Pages about files that the command line makes; their code needs the program.
FILES = [GUIDE / f"{name}.md" for name in ("compare", "from-r", "onnx", "report")]
# Pages whose code prints but draws nothing.
PRINTING = [GUIDE / f"{name}.md" for name in ("from-libsvm", "from-scikit-learn", "many-rows", "rare-classes")]
# Pages about tables that do not come with any package.
OWN_DATA = [GALLERY / "genes.md", GALLERY / "rare-class.md"]
# What a page has that is too much for a test, and what stands for it: then it does not print the same.
LESS = {GALLERY / "million-rows.md": ("n = 1_000_000", "n = 4_000")}


def name_of(page):
    return page.stem


@pytest.mark.parametrize("page", [*DRAWING, *FILES, *PRINTING, *READMES], ids=name_of)
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(page, tmp_path, monkeypatch):
    if page in FILES and (not PROGRAM or os.name != "posix"):
        pytest.skip("KERNSIEVE names no program")
    if page in OWN_DATA:
        if not DATA.is_dir():
            pytest.skip(f"the papers' data sets are not there ({DATA}); KERNSIEVE_DATA names their folder")
        monkeypatch.setenv("KERNSIEVE_DATA", str(DATA))
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": page.name}
    n_blocks = 0
    text = page.read_text(encoding="utf-8")
    if page in LESS:
        assert LESS[page][0] in text
        text = text.replace(*LESS[page])
    for language, code, printed in pictures.blocks(text):
        if language == "python":
            n_blocks += 1
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(code, page.name, "exec"), namespace)
            if page not in LESS:
                assert output.getvalue() == (printed or "")
        elif language == "sh" and page.parent in (GUIDE, GALLERY) and PROGRAM and os.name == "posix":
            run_shell(code, tmp_path)
    assert n_blocks > 0 or page in FILES
    if page in DRAWING:
        assert (tmp_path / f"{page.stem}.png").stat().st_size > 2000


def run_shell(code, folder):
    programs = folder / "programs"
    if not programs.exists():
        programs.mkdir()
        (programs / "kernsieve").symlink_to(Path(PROGRAM).resolve())
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    done = subprocess.run(["sh", "-e", "-c", code], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("method", [*METHODS, "index"])
def test_every_page_has_its_parts(method):
    text = (GUIDE / f"{method}.md").read_text(encoding="utf-8")
    assert re.search(rf"^!\[.+\]\({method}\.png\)$", text, flags=re.MULTILINE)
    assert (GUIDE / f"{method}.png").stat().st_size <= pictures.LARGEST
    if method != "index":
        headings = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
        parts = ["The idea", "In Python", "On the command line", "What to look at", "Parameters that matter", "Limits"]
        assert headings == parts
        assert text.startswith(f"# `{method}`") and "**Use it**" in text and "**Do not use it**" in text


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("method", METHODS)
def test_the_parameters_of_a_page_are_those_of_the_estimator_and_the_command_line(method):
    import kernsieve

    names = {cls._method: cls for cls in (getattr(kernsieve, n) for n in kernsieve._methods.__all__)}
    table = (GUIDE / f"{method}.md").read_text(encoding="utf-8").split("## Parameters that matter")[1]
    rows = re.findall(r"^\| (`[^|]*) \| ([^|]*) \|", table, flags=re.MULTILINE)
    assert rows
    known = names[method]().get_params()
    options = "" if not PROGRAM else subprocess.run([PROGRAM, "fit", "--help"], capture_output=True, text=True).stdout
    for python, command_line in rows:
        assert all(name in known for name in re.findall(r"`(\w+)`", python)), python
        if PROGRAM:
            assert all(option in options for option in re.findall(r"`(--[\w-]+)`", command_line)), command_line


def test_pictures_are_made_again_from_the_pages(tmp_path):
    copy = tmp_path / "guide"
    copy.mkdir()
    for name in ("pictures.py", "lda.md"):
        shutil.copy(GUIDE / name, copy / name)
    spec = importlib.util.spec_from_file_location("copied", copy / "pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main([])
    assert (copy / "lda.png").stat().st_size <= pictures.LARGEST
