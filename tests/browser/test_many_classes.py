"""Reports with many classes and long names: everything can be told apart, fits the screen, and is not cut."""

import itertools

import numpy as np
import pandas as pd
import pytest
from conftest import embedded

DESK = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Elements whose text has more room than it got, or is cut.
CUT = """(where) => [...document.querySelectorAll(where)]
  .filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 2)
  .map(e => e.textContent)"""
LONG = "mean concentration of the suspended particles"


def clusters(n_classes, n_rows, n_features, seed=1):
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=2.5, size=(n_classes, n_features))
    y = np.repeat(np.arange(n_classes), n_rows)
    return centres[y] + rng.normal(size=(len(y), n_features)), y


def letters(make_report, n_classes=26):
    x, y = clusters(n_classes, 25, 5)
    data = pd.DataFrame(x, columns=[f"f{j}" for j in range(5)])
    data["class"] = [f"letter {chr(65 + k)}" for k in y]
    return make_report(f"letters-{n_classes}", data, "--method", "lda")


def long_names(make_report):
    x, y = clusters(3, 30, 4)
    data = pd.DataFrame(x, columns=[f"{LONG}, station {j}" for j in range(4)])
    data["class"] = np.array(["downstream of the old paper mill", "upstream of it, before the weir", "lake"])[y]
    return make_report("long-names", data, "--method", "lda")


def overfitted(make_report):
    x, y = clusters(3, 30, 2, seed=5)
    data = pd.DataFrame(0.3 * x, columns=["u", "v"])
    data["class"] = np.array(["a", "b", "c"])[y]
    return make_report("overfitted", data, "--method", "parzen", "--bandwidth", 0.01)


# Linear red, green and blue to cones, and their cube roots to lightness and two differences (OKLab, Ottosson 2020).
CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
LAB = [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
]


def lab(colour):
    """Coordinates of `rgb(r, g, b)` in a space where distances are about those that are seen."""
    rgb = np.array([float(v) for v in colour[4:-1].split(",")]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.array(LAB) @ np.cbrt(np.array(CONES) @ linear)


def class_colours(page):
    legend = page.locator("figure .controls[role=group]").first
    return legend.locator("svg path").evaluate_all("all => all.map(e => getComputedStyle(e).fill)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("n_classes", [11, 26])
def test_every_class_has_a_colour_of_its_own(n_classes, scheme, make_report, visit):
    page = visit(letters(make_report, n_classes), color_scheme=scheme, **DESK)
    colours = [lab(c) for c in class_colours(page)]
    assert len(colours) == n_classes
    # A just noticeable difference is about 0.02.
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(colours, 2)) > 0.06
    ground = lab(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert min(np.linalg.norm(c - ground) for c in colours) > 0.12


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("report", [letters, long_names], ids=lambda r: r.__name__)
def test_bars_have_no_colour_of_a_class(report, scheme, make_report, visit):
    page = visit(report(make_report), color_scheme=scheme, **DESK)
    bar = lab(page.locator("#features .bar span").first.evaluate("e => getComputedStyle(e).backgroundColor"))
    assert min(np.linalg.norm(bar - lab(c)) for c in class_colours(page)) > 0.06


def test_the_ground_tells_what_is_predicted_there(make_report, visit):
    path = letters(make_report)
    regions, classes = embedded(path)["regions"], embedded(path)["classes"]
    page = visit(path, **DESK)
    # Without rows the pointer finds the ground everywhere.
    for button in page.locator("#regions button").all():
        button.click()
    canvas = page.locator("#regions canvas")
    canvas.scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 30, box["y"] + 30)
    said = dict(row.split("\t") for row in page.locator(".tip").inner_text().splitlines())
    # The upper right corner has the last cells.
    corner = {classes[c] for c in np.reshape(regions["class"], (regions["cells"], -1))[-8:, -8:].ravel()}
    assert said["predicted here"] in corner


def test_a_matrix_of_26_classes_fits_the_screen(make_report, visit):
    page = visit(letters(make_report), **DESK)
    matrix = page.locator("#confusion .scroll").first
    assert matrix.locator("thead th").count() == 27
    assert matrix.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    cells = matrix.locator("td")
    assert cells.first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)") >= 11
    assert cells.evaluate_all("all => Math.max(...all.map(e => e.scrollWidth - e.clientWidth))") <= 0
    assert page.evaluate(CUT, "#confusion .name") == []
    # Upright headings.
    heading = matrix.locator("thead th .name").first.bounding_box()
    assert heading["height"] > 2 * heading["width"]


def test_coefficients_of_11_classes_fit_the_screen(make_report, visit):
    x, y = clusters(11, 25, 5)
    data = pd.DataFrame(x, columns=[f"f{j}" for j in range(5)]).assign(**{"class": [f"c{k:02}" for k in y]})
    page = visit(make_report("coefficients", data, "--method", "l1-dkf", "--sparsity", 0.02), **DESK)
    wide = page.locator("thead th:nth-child(12)")
    table = page.locator("#features .scroll").filter(has=wide).first
    assert table.locator("thead th").count() >= 12
    assert table.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    # Bars below 0 are told from those above it by stripes, not by a colour.
    image = "e => getComputedStyle(e).backgroundImage"
    assert "gradient" in table.locator(".bar.minus span").first.evaluate(image)
    assert table.locator(".bar:not(.minus) span").first.evaluate(image) == "none"


def test_names_are_whole_where_there_is_room(make_report, visit):
    page = visit(long_names(make_report), **DESK)
    for where in ["figure .controls .name", "#features .name", "#confusion .name", "#wrong .name", "#answer .name"]:
        assert page.evaluate(CUT, where) == [], where
    assert page.locator("#features").get_by_text(f"{LONG}, station 0").count() >= 1


@pytest.mark.parametrize("report", [letters, long_names], ids=lambda r: r.__name__)
def test_tables_scroll_by_themselves_on_a_phone(report, make_report, visit):
    page = visit(report(make_report), **PHONE)
    assert page.evaluate(OVERFLOW) <= 0
    for k, box in enumerate(page.locator(".scroll").all()):
        assert box.bounding_box()["width"] <= 390, k
        assert box.evaluate("e => getComputedStyle(e).overflowX") == "auto"
    # That of the rates by class needs no scrolling.
    assert page.locator("#confusion .scroll").nth(1).evaluate("e => e.scrollWidth - e.clientWidth") <= 0


def test_places_and_rings_are_those_of_one_model(make_report, visit):
    path = overfitted(make_report)
    rows = embedded(path)["sets"][0]
    wrong = sum(p != y for p, y in zip(rows["p"], rows["y"], strict=True))
    held_out = sum(p != y for p, y in zip(rows["without"], rows["y"], strict=True))
    # The model knows its rows by heart, and fits without them do not.
    assert wrong == 0 < held_out
    page = visit(path)
    for section in ["#rows", "#regions"]:
        caption = page.locator(f"{section} figcaption").inner_text()
        assert f"itself predicts wrongly: 0 of {len(rows['y'])}" in caption
        assert f"without the row's fold get {held_out} wrong" in caption
    # Errors are counted by the fits that have not seen the row.
    off_diagonal = page.locator("#confusion .wrong").all_inner_texts()
    assert sum(map(int, off_diagonal)) == held_out
    canvas = page.locator("canvas").first
    canvas.scroll_into_view_if_needed()
    canvas.focus()
    page.wait_for_timeout(200)
    page.keyboard.press("ArrowRight")
    said = dict(row.split("\t") for row in page.locator(".tip").inner_text().splitlines())
    assert "✗" not in said["predicted"] and "without its fold" in said
