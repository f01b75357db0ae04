"""Reports made by the command line, opened in a headless Chromium."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
# The papers' data sets: a folder `shared/data` next to the checkout, or the folder that KERNSIEVE_DATA names.
DATA = Path(os.environ.get("KERNSIEVE_DATA", ROOT.parent / "shared" / "data"))
NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def kernsieve(*arguments):
    """Runs the command line."""
    program = os.environ.get("KERNSIEVE", ROOT / "target" / "release" / "kernsieve")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def papers_file(name):
    """A file of the papers' data sets, or a test that is skipped."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"the papers' data sets are not there ({path}); KERNSIEVE_DATA names their folder")
    return path


def embedded(path):
    """What the script of a report draws."""
    text = Path(path).read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.S).group(1))


@pytest.fixture(scope="session")
def make_report(tmp_path_factory):
    """Writes a frame to a file, fits it, and returns the page; each page is made once."""
    folder = tmp_path_factory.mktemp("reports")
    made = {}

    def make(name, data, *options):
        if name not in made:
            source = data
            if isinstance(data, pd.DataFrame):
                source = folder / f"{name}.csv"
                data.to_csv(source, index=False)
            made[name] = folder / f"{name}.html"
            kernsieve("fit", source, "--no-model", "--report", made[name], "--quiet", *options)
        return made[name]

    return make


@pytest.fixture(scope="session")
def make_comparison(tmp_path_factory):
    """Writes a frame to a file of that name, compares methods on it, and returns the page; each page is made once."""
    folder = tmp_path_factory.mktemp("comparisons")
    made = {}

    def make(file, data, *options):
        if file not in made:
            data.to_csv(folder / file, index=False)
            made[file] = folder / f"{len(made)}.html"
            kernsieve("compare", folder / file, "--report", made[file], "--quiet", *options)
        return made[file]

    return make


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Chromium on the path; CHROMIUM names one")
    # Playwright gives each browser its own profile, here in a folder of the tests.
    os.environ["TMPDIR"] = str(tmp_path_factory.mktemp("profile"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A page in its own context, and everything it did that it should not have done."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(**{"viewport": {"width": 1100, "height": 800}, **options})
        self.page = self.context.new_page()
        self.complaints = []
        self.page.on("console", lambda m: self.complaints.append(f"{m.type}: {m.text}") if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.complaints.append(f"error: {e}"))
        self.page.on("dialog", self.dismiss)
        self.page.on("request", lambda r: self.complaints.append(f"request: {r.url}") if r.url != self.address else None)
        self.address = Path(path).as_uri()
        self.page.goto(self.address)

    def dismiss(self, dialog):
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def visit(browser):
    """Opens a report; at the end of the test nothing may have gone wrong in it."""
    visits = []

    def open_page(path, **options):
        visits.append(Visit(browser, path, **options))
        return visits[-1].page

    yield open_page
    for one in visits:
        one.context.close()
    assert [c for one in visits for c in one.complaints] == []
