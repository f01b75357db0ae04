"""What a person sees of a comparison: a picture that is drawn, answers to the pointer, and fits the screen."""

import numpy as np
import pandas as pd
import pytest
from conftest import embedded
from sklearn.datasets import load_wine

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
COLUMN = "<script>alert(1)</script>"
CLASSES = ["<script>alert(2)</script>", "شمال", "y" * 300]
FILE = "<img src=x onerror=alert(3)>.csv"


def wine(make_comparison):
    bunch = load_wine(as_frame=True)
    data = bunch.data.assign(**{"class": bunch.target_names[bunch.target]})
    return make_comparison("wine.csv", data, "--methods", "lda,parzen,l1-dkf,kos", "--repeats", 5)


def nasty(make_comparison):
    x = np.random.default_rng(0).normal(size=(90, 2))
    data = pd.DataFrame(x, columns=[COLUMN, "=1+1"])
    data["</script><b>target</b>"] = np.array(CLASSES)[(x[:, 0] > 0).astype(int) + (x[:, 1] > 0.5)]
    return make_comparison(FILE, data, "--methods", "lda,kos", "--repeats", 2)


def one_split(make_comparison):
    x = np.random.default_rng(1).normal(size=(40, 2))
    data = pd.DataFrame(x, columns=["a", "b"]).assign(**{"class": np.where(x[:, 0] > 0, "p", "q")})
    return make_comparison("one.csv", data, "--methods", "lda,parzen", "--repeats", 1)


@pytest.mark.parametrize("report", [wine, nasty, one_split], ids=lambda r: r.__name__)
def test_every_method_is_drawn_on_every_screen(report, make_comparison, visit):
    path = report(make_comparison)
    methods = embedded(path)["methods"]
    for options in [{}, PHONE, {"color_scheme": "dark"}]:
        page = visit(path, **options)
        chart = page.locator("figure[data-plot=compare] svg.chart")
        assert chart.count() == 1
        assert "NaN" not in chart.inner_html()
        # A mark for each method, inside the picture; a small one for each split if there are several.
        marks = chart.locator("path[aria-label]")
        assert marks.count() == len(methods)
        box = chart.bounding_box()
        for k in range(marks.count()):
            mark = marks.nth(k).bounding_box()
            assert box["x"] < mark["x"] and mark["x"] + mark["width"] < box["x"] + box["width"] + 1
        splits = len(methods[0]["errors"])
        assert chart.locator("circle").count() == (splits * len(methods) if splits > 1 else 0)
        for m in methods:
            assert chart.get_by_text(m["name"]).count() > 0
        assert page.evaluate(OVERFLOW) <= 0, options


def test_marks_stand_in_the_order_of_the_errors(make_comparison, visit):
    path = wine(make_comparison)
    methods = embedded(path)["methods"]
    assert [m["mean"] for m in methods] == sorted(m["mean"] for m in methods)
    page = visit(path)
    marks = page.locator("figure[data-plot=compare] path[aria-label]")
    middles = [box["x"] + box["width"] / 2 for box in (marks.nth(k).bounding_box() for k in range(len(methods)))]
    assert middles == sorted(middles)
    # Places are in proportion to the errors.
    means = [m["mean"] for m in methods]
    share = (middles[1] - middles[0]) / (middles[-1] - middles[0])
    assert share == pytest.approx((means[1] - means[0]) / (means[-1] - means[0]), abs=0.01)
    marks.first.hover()
    tip = page.locator(".tip").inner_text()
    assert methods[0]["name"] in tip and f"{100 * means[0]:.1f} %" in tip


def test_the_pick_is_the_one_of_the_sentence(make_comparison, visit):
    path = wine(make_comparison)
    picked = [m["name"] for m in embedded(path)["methods"] if m["pick"]]
    assert len(picked) == 1
    page = visit(path)
    assert page.locator(".answer").inner_text().startswith(f"Pick {picked[0]}:")
    assert page.locator("#table tbody strong").all_inner_texts() == picked
    assert page.locator("#table tbody tr").count() == 4
    assert "kernsieve compare" in page.locator("#origin pre").inner_text()
    # With one split no method is picked.
    page = visit(one_split(make_comparison))
    assert "One split" in page.locator(".answer").inner_text()
    assert page.locator("#table tbody strong").count() == 0


def test_names_are_text_whatever_they_say(make_comparison, visit):
    page = visit(nasty(make_comparison))
    assert page.locator("script").count() == 2
    assert page.locator("img, b, iframe").count() == 0
    assert page.locator("h1").inner_text() == f"Methods on {FILE}"
    for text in [CLASSES[0], CLASSES[1], "</script><b>target</b>"]:
        found = page.locator("#origin").get_by_text(text, exact=True)
        assert found.count() == 1, text
        assert found.evaluate("e => getComputedStyle(e).unicodeBidi") == "isolate"
    assert page.get_by_title("y" * 300).evaluate("e => e.scrollWidth > e.clientWidth")
    assert page.evaluate(OVERFLOW) <= 0
    assert FILE in page.locator("#origin pre").inner_text()
