"""The documentation site in a headless Chromium: narrow and wide, light and dark, and nothing from elsewhere."""

import functools
import http.server
import os
import re
import threading
from pathlib import Path

import pytest
from conftest import ROOT

SITE = Path(os.environ.get("KERNSIEVE_SITE", ROOT / "target" / "site"))
# Pages of each kind: tables, formulas, pictures, docstrings.
SOME = [
    "index.html",
    "guide/index.html",
    "guide/sieve.html",
    "gallery/ten-samples.html",
    "reference/options.html",
    "reference/methods.html",
    "evidence/performance.html",
    "python/SieveClassifier.html",
    "rust/index.html",
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    if not (SITE / "index.html").is_file():
        pytest.skip(f"there is no site in {SITE}; cargo xtask docs makes one")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture
def open_site(browser, address):
    """A page whose complaints and requests elsewhere fail the test."""
    contexts, complaints = [], []

    def open_page(width, scheme):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(f"{page.url}: {m.text}") if m.type == "error" else None)
        page.on("pageerror", lambda e: complaints.append(f"{page.url}: {e}"))
        page.on("request", lambda r: complaints.append(f"asks for {r.url}") if not r.url.startswith((address, "data:", "blob:")) else None)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def look_at(page, url):
    """A page fits the screen, and its pictures are there."""
    page.goto(url)
    wide, screen = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide <= screen, f"{url}: {wide} pixels wide on a screen of {screen}"
    missing = page.evaluate(
        "Promise.all([...document.images].map(i => i.decode().then(() => '', () => i.src))).then(l => l.filter(Boolean))"
    )
    assert missing == [], url
    assert page.locator("h1").count() >= 1, url


def own_pages():
    pages = sorted(SITE.rglob("*.html")) if SITE.is_dir() else []
    names = [p.relative_to(SITE).as_posix() for p in pages]
    return [n for n in names if not n.startswith("rust/") and n != "404.html"]


def test_every_page_fits_a_telephone(open_site, address):
    page = open_site(390, "light")
    for name in own_pages():
        look_at(page, address + name)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_each_kind_are_light_or_dark(open_site, address, width, scheme):
    page = open_site(width, scheme)
    for name in SOME:
        look_at(page, address + name)
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        parts = [int(v) for v in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        assert (sum(parts) / 3 < 128) == (scheme == "dark"), f"{name}: {colour}"


def test_search_finds_a_page(open_site, address):
    page = open_site(1280, "light")
    page.goto(address)
    page.locator(".md-search__input").click()
    page.keyboard.type("bandwidth")
    first = page.locator(".md-search-result__link").first
    first.wait_for(timeout=10_000)
    href = first.get_attribute("href")
    assert href.startswith((address, "guide/", "reference/", "python/")) and "bandwidth" in page.locator(".md-search-result__list").inner_text().lower()


def test_an_estimator_has_its_parameters_and_methods(open_site, address):
    page = open_site(1280, "light")
    page.goto(address + "python/SMKDA.html")
    text = page.locator("article").inner_text()
    for words in ("max_support", "Samples to retain", "predict_proba", "Parameters"):
        assert words in text, words
    [kernel] = re.findall(r"kernel \(one of 'linear', .*", text)
    assert re.search(r"default: [\"']gaussian[\"']", kernel), kernel
