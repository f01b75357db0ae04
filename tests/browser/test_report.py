"""What a person sees of a report: pictures that are drawn, answer to the pointer, and fit the screen."""

import numpy as np
import pandas as pd
import pytest
from conftest import embedded, papers_file
from sklearn.datasets import load_iris, load_wine, make_moons

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}

# How many pixels of each canvas are painted, and in how many colours.
PAINTED = """() => [...document.querySelectorAll("canvas")].map(c => {
  const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, seen = new Set();
  let painted = 0;
  for (let i = 0; i < d.length; i += 4) if (d[i + 3]) { painted++; seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); }
  return [painted / (d.length / 4), seen.size];
})"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def step_into(page):
    """Goes to the first row of the first picture by keyboard. Scrolling hides the tooltip, so it must be over."""
    canvas = page.locator("canvas").first
    canvas.scroll_into_view_if_needed()
    canvas.focus()
    page.wait_for_timeout(200)
    page.keyboard.press("ArrowRight")
    page.locator(".tip").wait_for(state="visible")


def frame(bunch):
    data = bunch.data.copy()
    data["class"] = bunch.target_names[bunch.target]
    return data


def iris(make_report):
    return make_report("iris", frame(load_iris(as_frame=True)), "--method", "lda")


def wine(make_report):
    options = ["--method", "smkda", "--bandwidth", 3, "--max-support", 12, "--holdout", 0.3]
    return make_report("wine", frame(load_wine(as_frame=True)), *options)


def moons(make_report):
    x, y = make_moons(200, noise=0.3, random_state=1)
    data = pd.DataFrame({"left": x[:, 0], "up": x[:, 1], "class": np.where(y == 1, "upper", "lower")})
    return make_report("moons", data, "--method", "klr", "--bandwidth", 1, "--ridge", 0.001)


def vowel(make_report):
    return make_report("vowel", papers_file("vowel.csv"), "--method", "kos", "--bandwidth", 1.8)


def colon(make_report):
    return make_report("colon", papers_file("alon_colon.csv.gz"), "--method", "l1-dkf", "--sparsity", 0.05)


def thyroid(make_report):
    options = ["--method", "smkda", "--bandwidth", 2, "--max-support", 25, "--no-cv"]
    return make_report("thyroid", papers_file("ann_thyroid_train.csv"), *options)


def sieve(make_report):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(120, 4))
    data = pd.DataFrame(x, columns=["north", "east", "dust", "smoke"])
    data["class"] = np.where(x[:, 0] ** 2 + x[:, 1] ** 2 > 1.4, "out", "in")
    return make_report("sieve", data, "--method", "sieve")


def nasty(make_report):
    rng = np.random.default_rng(0)
    names = ["<script>alert(1)</script>", "=1+1", "x" * 300, "اسم العمود", "</script><img src=x onerror=alert(2)>"]
    x = rng.normal(size=(60, len(names)))
    data = pd.DataFrame(x, columns=names)
    classes = np.array(["<b onclick=alert(3)>bold</b>", "شمال", "y" * 300])
    data["class"] = classes[(x[:, 0] > 0).astype(int) + (x[:, 1] > 0.5)]
    return make_report("nasty", data, "--method", "sparse-kos", "--bandwidth", 2, "--ridge", 0.01, "--folds", 2)


ALL = [iris, wine, moons, vowel, colon, thyroid, sieve, nasty]


@pytest.mark.parametrize("report", ALL, ids=lambda r: r.__name__)
def test_everything_is_drawn_on_every_screen(report, make_report, visit):
    path = report(make_report)
    for options in [{}, PHONE, {"color_scheme": "dark"}]:
        page = visit(path, **options)
        canvases = page.evaluate(PAINTED)
        assert canvases and all(share > 0.01 and seen > 4 for share, seen in canvases), canvases
        # Every figure has its picture, and every chart its lines.
        assert page.locator("figure").count() == page.locator("figure .picture .panel").locator("xpath=ancestor::figure").count()
        charts = page.locator("svg.chart")
        assert charts.count() >= 1
        for k in range(charts.count()):
            assert charts.nth(k).locator("path").count() > 3
            assert "NaN" not in charts.nth(k).inner_html()
        assert page.evaluate(OVERFLOW) <= 0, options
        assert all(page.locator("canvas").nth(k).get_attribute("aria-label") for k in range(len(canvases)))


def test_both_sizes_of_a_sieve_are_drawn_and_its_features_ranked(make_report, visit):
    path = sieve(make_report)
    data = embedded(path)
    page = visit(path)
    for plot, curve in (("curve", data["curve"]), ("feature-curve", data["feature_curve"])):
        marks = page.locator(f"figure[data-plot={plot}] svg.chart circle")
        assert marks.count() == len(curve["points"])
        assert curve["chosen"] is not None
    ranked = page.locator("#features tbody th .name").all_inner_texts()
    assert set(ranked[:2]) == {"north", "east"}
    assert page.locator("#features .bar.ranged i").count() == len(ranked)
    steps = page.locator("#selection tbody tr")
    assert steps.count() >= 1


def test_dark_is_dark_and_paper_is_white(make_report, visit):
    page = visit(moons(make_report), color_scheme="dark")
    shade = "getComputedStyle(document.body).backgroundColor"
    assert max(map(int, page.evaluate(shade)[4:-1].split(","))) < 60
    dark = page.evaluate("document.querySelector('canvas').toDataURL()")
    page.emulate_media(media="print")
    page.wait_for_function("() => document.documentElement.classList.contains('paper')")
    assert page.evaluate(shade) == "rgb(255, 255, 255)"
    assert page.evaluate("document.querySelector('canvas').toDataURL()") != dark
    assert len(page.pdf()) > 20_000


@pytest.mark.parametrize("report", [iris, moons], ids=lambda r: r.__name__)
def test_a_class_is_hidden_and_comes_back(report, make_report, visit):
    page = visit(report(make_report))
    pictures = "[...document.querySelectorAll('canvas')].map(c => c.toDataURL())"
    before = page.evaluate(pictures)
    button = page.locator("figure button").first
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    without = page.evaluate(pictures)
    assert all(a != b for a, b in zip(before, without, strict=True))
    # The legend of the other figure moves with it.
    assert page.locator("figure button[aria-pressed=false]").count() == page.locator("figure .controls[role=group]").count()
    button.click()
    assert page.evaluate(pictures) == before


@pytest.mark.parametrize("report", [iris, wine, moons], ids=lambda r: r.__name__)
def test_a_row_tells_what_it_is(report, make_report, visit):
    path = report(make_report)
    data = embedded(path)
    page = visit(path)
    tip = page.locator(".tip")
    assert not tip.is_visible()
    step_into(page)
    said = dict(row.split("\t") for row in tip.inner_text().splitlines())
    ring = page.locator(".ring:visible").bounding_box()
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    # The row that is named is the one of the file, with its class and its values.
    source = pd.read_csv(path.with_suffix(".csv"))
    row = source.iloc[int(said["row"])]
    assert said["observed"] == row["class"]
    for name in data["features"]:
        assert float(said[name]) == pytest.approx(row[name], rel=1e-5)
    # The pointer finds the same place.
    page.mouse.move(ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2)
    assert tip.is_visible()
    assert "observed" in tip.inner_text()
    page.mouse.move(2, 2)
    assert not tip.is_visible()


def test_a_finger_is_as_good_as_a_pointer(make_report, visit):
    page = visit(moons(make_report), **PHONE)
    canvas = page.locator("figure[data-plot=regions] canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator(".tip").wait_for(state="visible")
    tip = page.locator(".tip").bounding_box()
    assert tip["x"] >= 0 and tip["x"] + tip["width"] <= 360


def test_marks_of_charts_tell_their_numbers(make_report, visit):
    page = visit(moons(make_report))
    mark = page.locator("figure[data-plot=calibration] circle").first
    mark.hover()
    assert "observed" in page.locator(".tip").inner_text()


@pytest.mark.parametrize("options", [{}, {"viewport": {"width": 390, "height": 800}}, {"color_scheme": "dark"}], ids=["wide", "phone", "dark"])
def test_two_classes_have_a_threshold_to_choose(options, make_report, visit):
    path = moons(make_report)
    cuts = embedded(path)["cuts"]
    page = visit(path, **options)
    for plot in ("roc", "precision"):
        figure = page.locator(f"figure[data-plot={plot}]")
        assert figure.locator("svg.chart path.line").count() == 1
        assert figure.locator("svg.chart circle").count() == len(cuts["points"]) + 1
        mark = figure.locator("svg.chart circle.chosen")
        assert mark.count() == 1
        mark.hover()
        assert "this model" in page.locator(".tip").inner_text()
    # The mark is where the model is on the curve.
    place = "c => ['cx', 'cy'].map(k => Number(c.getAttribute(k)))"
    marks = [np.array(page.locator(f"figure[data-plot=roc] {c}").evaluate(place)) for c in ("circle.chosen", "circle:first-of-type")]
    first, chosen = cuts["points"][0], cuts["chosen"]
    assert (chosen[3] >= first[3]) == (marks[0][0] >= marks[1][0])
    assert (chosen[1] >= first[1]) == (marks[0][1] <= marks[1][1])
    rows = page.locator("#threshold tbody tr")
    assert 2 <= rows.count() <= 8
    marked = rows.filter(has_text="this model")
    assert marked.count() == 1
    assert float(marked.locator("th").inner_text()) == pytest.approx(chosen[0], abs=5e-4)
    left, right = (page.locator(f"figure[data-plot={p}]").bounding_box() for p in ("roc", "precision"))
    stacked = "viewport" in options
    assert (right["y"] >= left["y"] + left["height"]) == stacked
    assert page.evaluate(OVERFLOW) <= 0


def test_more_classes_have_no_threshold(make_report, visit):
    page = visit(iris(make_report))
    assert page.locator("#threshold, figure[data-plot=roc], figure[data-plot=precision]").count() == 0
    assert "Always saying" in page.locator(".answer").inner_text()


def test_chance_is_called_chance(make_report, visit):
    rng = np.random.default_rng(5)
    data = pd.DataFrame(rng.normal(size=(150, 3)), columns=["one", "two", "three"])
    data["class"] = np.where(rng.random(150) < 0.25, "<b>rare</b>", "common")
    page = visit(make_report("noise", data, "--method", "lda", "--holdout", 0.3))
    assert "not clearly better" in page.locator(".answer").inner_text()
    assert "after calibration" in page.locator("#calibration").inner_text()
    assert page.locator("#threshold b").count() == 0


def test_held_out_and_training_rows_take_turns(make_report, visit):
    path = wine(make_report)
    page = visit(path)
    assert "53 held-out rows" in page.locator(".answer").inner_text()
    assert "held-out rows" in page.locator("#confusion .basis").inner_text()
    first = page.evaluate("document.querySelector('canvas').toDataURL()")
    page.locator("figure input[type=radio]").nth(1).check()
    assert page.evaluate("document.querySelector('canvas').toDataURL()") != first
    # All figures show the same rows.
    assert page.locator("figure input[value='1']:checked").count() == page.locator("figure input[value='1']").count() > 1


def test_names_are_text_whatever_they_say(make_report, visit):
    path = nasty(make_report)
    page = visit(path)
    assert page.locator("script").count() == 2
    assert page.locator("img, b, iframe").count() == 0
    for text in ["<script>alert(1)</script>", "=1+1", "اسم العمود", "</script><img src=x onerror=alert(2)>", "<b onclick=alert(3)>bold</b>"]:
        found = page.get_by_text(text, exact=True)
        assert found.count() > 0, text
        assert found.first.evaluate("e => getComputedStyle(e).unicodeBidi") == "isolate"
    # A name that is longer than a line is cut in its place and whole in its tooltip.
    long = page.get_by_title("y" * 300).first
    assert long.evaluate("e => e.scrollWidth > e.clientWidth")
    assert page.evaluate(OVERFLOW) <= 0
    # The pointer creates the names again; they are text there as well.
    step_into(page)
    assert "=1+1" in page.locator(".tip").inner_text()
    assert page.locator("img, b").count() == 0


def test_nothing_gets_in_from_outside(make_report, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(iris(make_report).as_uri())
    blocked = page.evaluate(
        """() => new Promise(done => {
          document.addEventListener("securitypolicyviolation", e => done(e.violatedDirective));
          document.body.append(Object.assign(new Image(), { src: "http://127.0.0.1:9/x.png" }));
        })"""
    )
    context.close()
    assert blocked.startswith(("img-src", "default-src"))


def test_a_script_that_got_in_would_not_run(make_report, browser, tmp_path):
    """Escaping is one protection, the policy another: an injected script only causes a violation report."""
    text = iris(make_report).read_text(encoding="utf-8")
    forced = tmp_path / "forced.html"
    forced.write_text(text.replace("<main>", "<main><script>window.broken = 1</script><p onclick='window.broken = 2'>x</p>"), encoding="utf-8")
    context = browser.new_context()
    page = context.new_page()
    page.goto(forced.as_uri())
    page.locator("main > p").click()
    assert page.evaluate("window.broken") is None
    # The page's own script still runs.
    assert page.locator("canvas").count() > 0
    context.close()


def test_ten_thousand_rows_stay_small_and_quick(make_report, visit):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 10_000)
    x = rng.normal(size=(10_000, 8)) + y[:, None] * np.linspace(0, 1.5, 8)
    data = pd.DataFrame(x, columns=[f"f{j}" for j in range(8)]).assign(**{"class": y})
    path = make_report("many", data, "--method", "lda")
    assert path.stat().st_size <= 6_000_000
    assert len(embedded(path)["sets"][0]["row"]) == 10_000
    page = visit(path)
    assert all(share > 0.01 for share, _ in page.evaluate(PAINTED))
    page.locator("figure button").first.click()
    page.wait_for_function("() => document.querySelector('figure button').getAttribute('aria-pressed') === 'false'", timeout=2000)


def test_a_report_of_one_feature(make_report, visit):
    rng = np.random.default_rng(2)
    y = np.repeat(["low", "high"], 40)
    data = pd.DataFrame({"only": rng.normal(size=80) + 2 * (y == "high"), "class": y})
    page = visit(make_report("one", data, "--method", "parzen", "--bandwidth", 0.5))
    assert page.locator("figure[data-plot=profile] canvas").count() == 1
    assert page.locator("figure[data-plot=regions]").count() == 0
    assert all(share > 0.01 and seen > 4 for share, seen in page.evaluate(PAINTED))


def test_the_table_of_methods_fits_a_phone(make_report, visit):
    page = visit(make_report("tried", frame(load_wine(as_frame=True)), "--method", "auto"), viewport={"width": 390, "height": 800})
    # Of the last column every digit counts: a number that is cut reads as another one.
    assert page.locator("#methods .scroll").evaluate("e => e.scrollWidth - e.clientWidth") <= 0
