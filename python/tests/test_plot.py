"""What the pictures show, read from what was drawn."""

import subprocess
import sys
import warnings

import matplotlib
import matplotlib.colors
import matplotlib.contour
import numpy as np
import pandas as pd
import polars as pl
import pytest
from estimators import ALL, fixed
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity, KNeighborsClassifier
from sklearn.svm import LinearSVC

import kernsieve
from kernsieve import FIVM, KLR, KOS, L1DKF, L2QP, LDA, MKDA, SMKDA, Parzen, SparseKOS, plot
from kernsieve.plot import _common, _tuning

matplotlib.use("Agg")

ODD = ["<script>", "$x_1$", "a" * 150 + "b" * 150, "עברית", "_hidden", "line\nbreak", "x_2^$", "", "\\$", "%d"]


def blobs(n_classes, n_features=4, n=132):
    return make_blobs(n, n_features, centers=n_classes, cluster_std=2.0, random_state=1)


def drawn(ax, gid):
    """Artists of a kind, also on a second axis of the same place."""
    places = [ax, *(a for a in ax.figure.axes if a is not ax and a.bbox.bounds == ax.bbox.bounds)]
    return [artist for place in places for artist in place.get_children() if artist.get_gid() == gid]


def n_points(artists):
    return sum(len(a.get_offsets()) for a in artists)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def shown(text):
    """The text as a reader sees it: formulas would be drawn as such."""
    cleaned, is_formula = text._preprocess_math(text.get_text())
    assert not is_formula
    return cleaned


def render(ax):
    """Renders the figure; a warning is an error, and everything drawn must be on the canvas."""
    figure = ax.figure
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FigureCanvasAgg(figure).draw()
    assert_legend_beside_data(ax)
    return figure


def assert_legend_beside_data(ax):
    if ax.get_legend() is None:
        return
    renderer = ax.figure.canvas.get_renderer()
    box, canvas = ax.get_legend().get_window_extent(renderer), ax.figure.bbox
    if ax.child_axes:
        assert not any(box.overlaps(panel.bbox) for panel in ax.child_axes)
        return
    assert box.x0 >= ax.bbox.x1
    for other in ax.figure.axes:
        if other is not ax:
            assert box.x0 >= other.get_tightbbox(renderer).x1
    assert box.x1 <= canvas.x1 + 1 and box.y0 >= canvas.y0 - 1


@pytest.fixture(autouse=True)
def no_pyplot_state():
    yield
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []


# Scores


@pytest.mark.parametrize("n_classes", [2, 3, 11])
def test_variates_show_every_row_and_the_class_means(n_classes):
    X, y = blobs(n_classes, n_features=12)
    lda = LDA().fit(X, y)
    ax = plot.variates(lda, X, y)
    render(ax)
    Z = lda.transform(X)
    means = np.array([Z[y == k].mean(axis=0) for k in range(n_classes)])
    assert legend(ax) == [*map(str, range(n_classes)), "class mean"]
    if n_classes == 2:
        assert ax.get_xlabel() == "canonical variate 1"
        np.testing.assert_allclose([line.get_xdata()[0] for line in drawn(ax, "mean")], means[:, 0])
        # The outline of a histogram of whole counts: its largest height is that of the fullest bin.
        bins = _common.span(Z[:, 0], 31, margin=0.02)
        for k, outline in enumerate(drawn(ax, "rows")):
            assert outline.get_xy()[:, 1].max() == np.histogram(Z[y == k, 0], bins)[0].max()
    elif n_classes == 3:
        np.testing.assert_allclose(np.concatenate([a.get_offsets() for a in drawn(ax, "mean")]), means)
        for k, cloud in enumerate(drawn(ax, "rows")):
            np.testing.assert_allclose(cloud.get_offsets(), Z[y == k])
    else:
        assert len(ax.child_axes) == 6  # three histograms and three clouds
        clouds = [panel for panel in ax.child_axes if n_points(drawn_in(panel, "rows"))]
        assert len(clouds) == 3
        assert all(n_points(drawn_in(panel, "rows")) == len(X) for panel in clouds)
        assert {panel.get_xlabel() for panel in ax.child_axes} == {"", *(f"canonical variate {k}" for k in (1, 2, 3))}


def drawn_in(panel, gid):
    return [a for a in panel.get_children() if a.get_gid() == gid and hasattr(a, "get_offsets")]


def test_given_outputs_are_drawn():
    X, y = blobs(11, n_features=12)
    lda = LDA().fit(X, y)
    ax = plot.variates(lda, X, y, outputs=[2, 4])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("canonical variate 3", "canonical variate 5")
    np.testing.assert_allclose(drawn(ax, "rows")[7].get_offsets(), lda.transform(X)[y == 7][:, [2, 4]])
    with pytest.raises(ValueError, match="outputs must be from 0 to 9"):
        plot.variates(lda, X, y, outputs=[10])


def test_long_names_of_many_classes_leave_room_for_the_data():
    X, y = blobs(12, n_features=12)
    names = np.array([f"{'long ' * 20}{k}" for k in range(12)])[y]
    lda = LDA().fit(X, names)
    for ax in (plot.variates(lda, X, names), plot.variates(lda, X, names, outputs=[0, 1])):
        figure = render(ax)
        assert ax.bbox.width > 0.55 * figure.bbox.width


@pytest.mark.parametrize("cls", ALL)
def test_every_estimator_has_scores_to_draw(cls):
    for n_classes in (2, 3):
        X, y = blobs(n_classes)
        ax = plot.variates(fixed(cls).fit(X, y), X, y)
        assert legend(ax)[:n_classes] == [str(k) for k in range(n_classes)]
    logits = ("FIVM", "KLR", "L2LE", "L2QP", "Parzen", "SieveClassifier")
    names = dict.fromkeys(logits, "log score")
    kinds = {"KOS": "discriminant score", "SparseKOS": "discriminant score", **names}
    first = ax.child_axes[-1] if ax.child_axes else ax
    assert first.get_xlabel().startswith(kinds.get(cls.__name__, "canonical variate"))


def test_retained_samples_are_ringed_where_the_rows_are_those_of_the_fit(moons):
    X, y = moons
    smkda = SMKDA(max_support=7).fit(X, y)
    ax = plot.decision_regions(smkda, X, y, training=True)
    np.testing.assert_array_equal(drawn(ax, "retained")[0].get_offsets(), X[smkda.support_])
    assert legend(ax)[-1] == "retained"
    marks = drawn(plot.variates(smkda, X, y, training=True), "retained")[0]
    np.testing.assert_array_equal(marks.get_xdata(), smkda.transform(X)[smkda.support_, 0])
    for ax in (plot.decision_regions(smkda, X, y), plot.variates(smkda, X, y)):
        assert not drawn(ax, "retained") and "retained" not in legend(ax)
    with pytest.raises(ValueError, match="X are the rows of fit"):
        plot.variates(smkda, X[:3], y[:3], training=True)


def test_rings_around_all_rows_would_say_nothing(moons):
    ax = plot.decision_regions(KOS().fit(*moons), *moons, training=True)
    assert not drawn(ax, "retained") and "retained" not in legend(ax)


# Regions


@pytest.mark.parametrize("n_classes", [2, 3, 11])
def test_regions_have_the_colour_of_the_predicted_class(n_classes):
    X, y = blobs(n_classes, n_features=2)
    lda = LDA().fit(X, y)
    ax = plot.decision_regions(lda, X, y, resolution=40)
    render(ax)
    image = ax.images[0]
    x0, x1, y0, y1 = image.get_extent()
    grid = np.stack(np.meshgrid(np.linspace(x0, x1, 40), np.linspace(y0, y1, 40)), axis=-1).reshape(-1, 2)
    p = lda.predict_proba(grid)
    colours = np.array([matplotlib.colors.to_rgb(_common.COLOURS[k]) for k in range(n_classes)])
    sure = (p.max(axis=1) - 1 / n_classes) / (1 - 1 / n_classes)
    expected = 1 - (0.08 + 0.47 * sure)[:, None] * (1 - colours[p.argmax(axis=1)])
    np.testing.assert_allclose(image.get_array().reshape(-1, 3), expected, atol=1e-9)
    assert n_points(drawn(ax, "rows")) == len(X)
    assert legend(ax) == [str(k) for k in range(n_classes)]
    assert ax.get_title() == ""


def test_regions_are_a_slice_at_the_means_of_the_strongest_features(ring):
    X, y = ring
    frame = pd.DataFrame(X, columns=["noise a", "one", "noise b", "two", "noise c"])
    frame[["one", "two"]], frame[["noise a", "noise b"]] = X[:, :2], X[:, [2, 3]]
    est = SparseKOS().fit(frame, y)
    assert set(est.selected_features_) == {"one", "two"}
    ax = plot.decision_regions(est, frame, y, resolution=20)
    assert {ax.get_xlabel(), ax.get_ylabel()} == {"one", "two"}
    assert est.feature_weights_[list(frame.columns).index(ax.get_xlabel())] == est.feature_weights_.max()
    assert ax.get_title() == "3 other features at their means"
    other = plot.decision_regions(est, frame, y, features=["noise b", 0], resolution=20)
    assert (other.get_xlabel(), other.get_ylabel()) == ("noise b", "noise a")
    # Neither matters, so one class, that of the mean row, is everywhere.
    assert np.ptp(other.images[0].get_array().reshape(-1, 3), axis=0).max() < 1e-12


def test_among_features_of_equal_weight_the_telling_ones_are_drawn():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 6))
    X[:, 4] += 3 * y
    X[:, 1] -= 2 * y
    ax = plot.decision_regions(LDA().fit(X, y), X, y, resolution=10)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x4")


def test_many_other_features_do_not_need_much_memory(monkeypatch):
    X, y = blobs(3, n_features=30)
    lda = LDA().fit(X, y)
    whole = plot.decision_regions(lda, X, y, resolution=30).images[0].get_array()
    monkeypatch.setattr(_common, "LARGEST_BLOCK", 700)
    np.testing.assert_array_equal(plot.decision_regions(lda, X, y, resolution=30).images[0].get_array(), whole)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_data_frames_give_names_and_no_warnings(kind):
    X, y = blobs(3)
    frame = kind({f"column {j}": X[:, j] for j in range(4)})
    lda, parzen = LDA().fit(frame, y), Parzen().fit(frame, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot.variates(lda, frame, y)
        ax = plot.decision_regions(lda, frame, y, resolution=10)
        density = plot.density(parzen, frame, "column 2", resolution=10)
        plot.density(parzen, X, "column 2", resolution=10)  # rows without names
    assert ax.get_xlabel().startswith("column ")
    assert density.get_xlabel() == "column 2"


# Paths


def test_weights_follow_the_penalty(ring):
    est = SparseKOS().fit(*ring)
    ax = plot.weights_path(est)
    render(ax)
    lines = drawn(ax, "weight")
    assert legend(ax)[:2] in (["x0", "x1"], ["x1", "x0"])
    assert legend(ax)[-1] == "chosen"
    assert drawn(ax, "chosen")[0].get_xdata()[0] == est.best_params_["sparsity"]
    for line in lines:
        np.testing.assert_array_equal(line.get_xdata(), [step["sparsity"] for step in est.path_])
    ends = {tuple(line.get_ydata()) for line in lines}
    for j in range(5):
        weights = tuple(dict(step["weights"]).get(j, 0.0) for step in est.path_)
        assert weights in ends or not any(weights)


def test_many_weights_are_grey():
    est = SparseKOS(bandwidth=4.0).fit(*blobs(3, n_features=15, n=60))
    ax = plot.weights_path(est)
    render(ax)
    lines = drawn(ax, "weight")
    grey = [line for line in lines if line.get_color() == _tuning.GREY]
    assert len(grey) > 0
    assert len(lines) - len(grey) == _tuning.MOST_NAMED
    assert f"{len(grey)} more" in legend(ax)


def test_imports_have_their_names_objective_and_errors(ring):
    X, y = ring
    est = FIVM().fit(pd.DataFrame(X, columns=["a", "b", "c", "d", "e"]), y)
    ax = plot.weights_path(est)
    render(ax)
    order = ["abcde"[step["feature"]] for step in est.path_]
    assert [label.get_text() for label in ax.get_xticklabels()] == order
    np.testing.assert_array_equal(drawn(ax, "objective")[0].get_ydata(), [step["objective"] for step in est.path_])
    assert drawn(ax, "chosen")[0].get_xdata()[0] == len(est.selected_features_) == 2
    assert len(drawn(ax, "cv error")) == len(drawn(ax, "training error")) == len(drawn(ax, "band")) == 1


def test_other_paths(iris, moons):
    ax = plot.weights_path(SMKDA(max_support=6).fit(*moons))
    assert ax.get_xlabel() == "retained samples" and len(drawn(ax, "objective")[0].get_xdata()) == 6
    render(ax)
    est = L1DKF().fit(*iris)
    ax = plot.weights_path(est)
    render(ax)
    assert drawn(ax, "size")[0].get_ydata().tolist() == [step["size"] for step in est.path_]
    assert ax.get_xscale() == "log" and len(drawn(ax, "cv error")) == 1
    assert plot.weights_path(KLR(max_support=4, bandwidth=1.0, ridge=0.01).fit(*moons)).get_ylabel() == "objective"


# Cross-validation


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("n_classes", [2, 3, 11])
def test_the_chosen_setting_is_marked_on_every_curve(cls, n_classes):
    if cls in (SparseKOS, FIVM) and n_classes == 11:
        est = cls(bandwidth=[1.0, 2.0], ridge=0.01).fit(*blobs(n_classes, n_features=3))
    else:
        est = cls().fit(*blobs(n_classes, n_features=3))
    ax = plot.cv_curve(est)
    render(ax)
    assert ax.get_ylabel() == "cross-validated error"
    if cls is LDA:
        assert [label.get_text() for label in ax.get_xticklabels()] == ["nothing was tuned"]
        return
    (x, error), best = drawn(ax, "chosen")[0].get_offsets()[0], est.best_params_
    name = {"retained samples": "max_support", "imported features": "max_features"}.get(
        ax.get_xlabel(), ax.get_xlabel()
    )
    assert x == pytest.approx(best[name])
    assert error == pytest.approx(1 - est.best_score_, abs=1e-12)
    assert len(drawn(ax, "band")) == 1
    assert len(drawn(ax, "cv error")) <= _tuning.MOST_LINES
    assert legend(ax)[-1].startswith("chosen")


def test_lines_differ_in_the_other_parameter_and_most_are_grey(moons):
    est = KLR(bandwidth=[0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0], ridge=(0.001, 0.01, 0.1, 1.0)).fit(*moons)
    table = est.cv_results_
    known = np.isfinite(table["mean_test_score"])
    n_lines = len(set(table["param_bandwidth"][known].tolist()))
    ax = plot.cv_curve(est, "ridge")
    render(ax)
    named, rest = drawn(ax, "cv error"), drawn(ax, "rest")
    assert len(named) == min(6, n_lines) and len(named) + len(rest) == n_lines
    assert legend(ax)[0] == f"bandwidth {est.best_params_['bandwidth']:.3g}, ± s.e."
    drawn_errors = np.sort(np.concatenate([line.get_ydata() for line in [*named, *rest]]))
    np.testing.assert_allclose(drawn_errors, np.sort(1 - table["mean_test_score"][known]))
    assert legend(ax)[-1] == "chosen by error and log loss"
    assert plot.cv_curve(est, "bandwidth").get_xlabel() == "bandwidth"


def test_the_curve_of_sizes_is_that_of_the_record(moons):
    est = SMKDA().fit(*moons)
    curve = _common.cv_record(est)["curve"]
    (line,) = drawn(plot.cv_curve(est), "cv error")
    np.testing.assert_array_equal(line.get_ydata(), [point["error"] for point in curve])
    assert plot.cv_curve(est, "bandwidth").get_xlabel() == "bandwidth"
    assert (
        plot.cv_curve(SMKDA(validation="loo").fit(*moons)).get_legend().get_texts()[-1].get_text() == "chosen by PRESS"
    )


# Densities


@pytest.mark.parametrize("cls", [Parzen, L2QP])
@pytest.mark.parametrize("n_classes", [2, 3, 11])
def test_curves_are_densities(cls, n_classes):
    X, y = blobs(n_classes, n_features=1)
    est = cls(bandwidth=0.5).fit(X, y)
    ax = plot.density(est, X, limits=(X.min() - 20, X.max() + 20), resolution=2000)
    render(ax)
    lines = drawn(ax, "density")
    assert legend(ax) == [str(k) for k in range(n_classes)] and len(lines) == n_classes
    # The features are standardised before anything else.
    scale = X.std()
    assert ax.get_ylabel() == "density, of standardised features"
    for line in lines:
        assert np.trapezoid(line.get_ydata(), line.get_xdata()) / scale == pytest.approx(1.0, abs=1e-3)
    assert len(drawn(ax, "rows")[0].get_xdata()) == len(X)


@pytest.mark.parametrize("n_classes", [2, 3, 11])
def test_contours_by_class(n_classes):
    X, y = blobs(n_classes, n_features=2)
    ax = plot.density(L2QP(bandwidth=0.5).fit(X, y), X, resolution=40)
    render(ax)
    contours = [c for c in ax.collections if isinstance(c, matplotlib.contour.ContourSet)]
    assert len(contours) == n_classes and n_points(drawn(ax, "rows")) == len(X)
    assert legend(ax) == [str(k) for k in range(n_classes)]


def test_slices_of_many_features_are_relative(iris):
    X, y = iris
    ax = plot.density(Parzen().fit(X, y), X, 2)
    assert ax.get_title() == "3 other features at their means"
    assert max(line.get_ydata().max() for line in drawn(ax, "density")) == pytest.approx(1.0)
    many = np.random.default_rng(0).normal(size=(40, 500))
    ax = plot.density(Parzen().fit(many, np.arange(40) % 2), many, 0)
    assert max(line.get_ydata().max() for line in drawn(ax, "density")) == pytest.approx(1.0)


class Uniform:
    """A density that is not an estimator."""

    n_features_in_ = 2

    def score_samples(self, X):
        return np.where((np.abs(X) < 1).all(axis=1), np.log(0.25), -np.inf)


def test_anything_with_score_samples_has_a_density(iris):
    X, _ = iris
    ax = plot.density(KernelDensity(bandwidth=0.3).fit(X[:, :1]), X[:, :1], resolution=900)
    assert ax.get_legend() is None and ax.get_ylabel() == "density"
    (line,) = drawn(ax, "density")
    assert np.trapezoid(line.get_ydata(), line.get_xdata()) == pytest.approx(1.0, abs=0.02)
    ax = plot.density(Uniform(), limits=[(-2, 2), (-2, 2)])
    render(ax)
    assert ax.get_xlim() == (-2, 2)


# Less usual models


@pytest.mark.parametrize(
    "est",
    [
        L1DKF(posterior="klr", ridge=[0.01, 0.1]),
        MKDA(posterior="l1"),
        L2QP(class_bandwidths="spread"),
        L2QP(balance=[1.0, 2.0, 4.0]),
        KOS(validation="split"),
        KOS(ridge_rule="cv"),
        FIVM(stop="accuracy", bandwidth=1.0, ridge=0.01),
        FIVM(max_support=9),
        KLR(max_support=5),
        SMKDA(rule="1se"),
        SMKDA(candidates=30),
        SparseKOS(rule="1se", bandwidth=2.0),
        LDA(n_components=1),
    ],
    ids=repr,
)
def test_settings_that_leave_other_tables(est):
    X, y = blobs(3)
    est.fit(X, y)
    for ax in (plot.cv_curve(est), plot.variates(est, X, y, training=True)):
        render(ax)
    ax = plot.cv_curve(est)
    if drawn(ax, "chosen"):
        assert drawn(ax, "chosen")[0].get_offsets()[0][1] == pytest.approx(1 - est.best_score_)
    if est.path_:
        render(plot.weights_path(est))


def test_a_loaded_model_gives_the_same_pictures(tmp_path, ring):
    X, y = ring
    est = FIVM().fit(X, y)
    est.save(tmp_path / "ring.ks")
    again = kernsieve.load(tmp_path / "ring.ks")
    for draw in (plot.weights_path, plot.cv_curve, lambda e: plot.decision_regions(e, X, y, resolution=15)):
        one, other = draw(est), draw(again)
        assert legend(one) == legend(other) and one.get_xlim() == other.get_xlim()
        render(one)
        render(other)
        np.testing.assert_array_equal(one.figure.canvas.buffer_rgba(), other.figure.canvas.buffer_rgba())


def test_some_rows_of_some_classes_will_do():
    X, y = blobs(11, n_features=12)
    lda, few = LDA().fit(X, y), np.flatnonzero(y == 3)[:1]
    ax = plot.variates(lda, X[few], y[few], outputs=[0, 1])
    assert n_points(drawn(ax, "rows")) == n_points(drawn(ax, "mean")) == 1
    assert len(legend(ax)) == 12
    render(plot.variates(lda, X[few], y[few]))
    render(plot.decision_regions(lda, X[few], y[few], resolution=10))


# Names, Axes, errors


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_shown_as_they_are(name):
    X, y = blobs(2)
    labels = np.array([f"{name} no" if name else "", f"{name} yes"], dtype=object)[y]
    frame = pd.DataFrame(X, columns=[name or " ", "b", "c", "d"])
    est = FIVM(max_features=4, stop="none", bandwidth=2.0, ridge=0.01).fit(frame, labels)
    pictures = [
        plot.decision_regions(est, frame, labels, features=[0, 1], resolution=10),
        plot.weights_path(est),
        plot.variates(est, frame, labels),
        plot.density(Parzen(bandwidth=1.0).fit(frame, labels), frame, 0, resolution=10),
    ]
    for ax in pictures:
        render(ax)
    visible = " ".join(name.split())
    regions = pictures[0]
    texts = [shown(text) for text in [regions.xaxis.label, *regions.get_legend().get_texts()]]
    assert len(regions.get_legend().get_texts()) == 2
    if len(visible) <= _common.LONGEST_NAME:
        assert texts[0].strip() == visible
        assert sorted(text.strip() for text in texts[1:]) == sorted(
            {f"{visible} no" if name else "", f"{visible} yes".strip()}
        )
    else:
        assert all(len(text) <= _common.LONGEST_NAME for text in texts)
        assert texts[0].startswith("aaa") and texts[0].endswith("bbb") and texts[1] != texts[2]


def test_a_given_place_is_drawn_into():
    X, y = blobs(3)
    figure = Figure(figsize=(14, 8))
    places = figure.subplots(2, 3).ravel()
    lda, parzen, sparse = LDA().fit(X, y), Parzen().fit(X, y), SparseKOS(bandwidth=2.0).fit(X, y)
    results = [
        plot.variates(lda, X, y, ax=places[0]),
        plot.decision_regions(lda, X, y, ax=places[1], resolution=10),
        plot.weights_path(sparse, ax=places[2]),
        plot.cv_curve(parzen, ax=places[3]),
        plot.density(parzen, X, ax=places[4], resolution=10),
        plot.variates(KLR().fit(X, y), X, y, ax=places[5]),
    ]
    assert all(a is b for a, b in zip(results, places))
    assert all(place.has_data() or place.child_axes for place in places)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda X, y: plot.variates(KNeighborsClassifier().fit(X, y), X, y), "KNeighborsClassifier has neither"),
        (lambda X, y: plot.decision_regions(LinearSVC().fit(X, y), X, y), "LinearSVC has none"),
        (lambda X, y: plot.decision_regions(LDA().fit(X[:, :1], y), X[:, :1], y), "needs two features"),
        (lambda X, y: plot.decision_regions(LDA().fit(X, y), X, y, features=["x0", "x0"]), "two different"),
        (lambda X, y: plot.decision_regions(LDA().fit(X, y), X, y, features=["x0", "q"]), "no feature 'q'"),
        (lambda X, y: plot.decision_regions(LDA().fit(X, y), X, y, features=[0, 4]), "from 0 to 3"),
        (lambda X, y: plot.decision_regions(LDA().fit(X, y), X[:, :2], y), "4 columns"),
        (lambda X, y: plot.variates(LDA().fit(X, y), X, y + 1), "not fitted on: 3"),
        (lambda X, y: plot.variates(LDA().fit(X, y), X, y[:-1]), "one class for each of the 132 rows"),
        (lambda X, y: plot.weights_path(LDA().fit(X, y)), "LDA has no path"),
        (lambda X, y: plot.weights_path(KLR().fit(X, y)), "KLR has no path"),
        (lambda X, y: plot.cv_curve(fixed(MKDA).fit(X, y)), "estimate=True"),
        (lambda X, y: plot.cv_curve(GridSearchCV(KOS(), {"bandwidth": [1.0, 2.0]}).fit(X, y)), "of another kind"),
        (lambda X, y: plot.cv_curve(KOS().fit(X, y), "degree"), r"one of \['bandwidth'\]"),
        (lambda X, y: plot.density(MKDA().fit(X, y), X), "MKDA has no densities"),
        (lambda X, y: plot.density(Parzen().fit(X, y)), "rows X, or limits"),
        (lambda X, y: plot.density(Parzen().fit(X, y), limits=(0, 1), feature=1), "for the means"),
        (lambda X, y: plot.density(Parzen().fit(X, y), X, limits=(1, 0), feature=1), "a pair"),
        (lambda X, y: plot.density(Parzen().fit(X, y), X, [0, 1, 2]), "one feature or two"),
    ],
)
def test_what_does_not_fit_is_told(draw, message):
    with pytest.raises((TypeError, ValueError), match=message):
        draw(*blobs(3))


def test_an_estimator_has_to_be_fitted():
    X, y = blobs(3)
    for draw in (
        lambda: plot.variates(LDA(), X, y),
        lambda: plot.decision_regions(LDA(), X, y),
        lambda: plot.weights_path(FIVM()),
        lambda: plot.cv_curve(KOS()),
        lambda: plot.density(Parzen(), X),
    ):
        with pytest.raises(NotFittedError):
            draw()


def test_matplotlib_is_asked_for_by_name(monkeypatch):
    X, y = blobs(2)
    est = LDA().fit(X, y)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot.variates(est, X, y)


def test_importing_the_package_does_not_import_matplotlib():
    code = "import sys, kernsieve; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_first_colours_stay_apart_without_red_or_green():
    # Machado, Oliveira & Fernandes (2009): full protanopia and deuteranopia, on linear colours.
    without_red = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    without_green = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    rgb = np.array([matplotlib.colors.to_rgb(colour) for colour in _common.COLOURS[:6]])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    for matrix in (np.eye(3), without_red, without_green):
        seen = np.clip(linear @ np.transpose(matrix), 0, 1) ** (1 / 2.4)
        apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)[np.triu_indices(6, 1)]
        assert apart.min() > 0.15
