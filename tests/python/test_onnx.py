"""Exported ONNX graphs, run by onnxruntime, against `kernsieve predict`."""

import io
import json

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from conftest import kernsieve, refusal

ALL_KERNELS = ["linear", "gaussian", "polynomial", "sigmoid", "laplacian", "radial-laplacian", "cauchy"]
DEFINITE = [k for k in ALL_KERNELS if k != "sigmoid"]
DENSITIES = ["gaussian", "laplacian", "cauchy"]
WITH_BANDWIDTH = [*DENSITIES, "radial-laplacian"]
# Settings that leave little to tune, and the kernels that a method accepts.
METHODS = {
    "fivm": ("--max-features 3 --stop none --ridge 0.1", DEFINITE),
    "klr": ("--ridge 0.1", DEFINITE),
    "kos": ("--ridge 0.1", ALL_KERNELS),
    "l1-dkf": ("--sparsity 1", [None]),
    "l2le": ("--ridge 0.1", DENSITIES),
    "l2qp": ("--balance 1", DENSITIES),
    "lda": ("", [None]),
    "mkda": ("--ridge 10", ALL_KERNELS),
    "parzen": ("", DENSITIES),
    "smkda": ("--max-support 12", ALL_KERNELS),
    "sparse-kos": ("--ridge 0.1 --sparsity 0.01", ALL_KERNELS),
}
VARIANTS = [
    "fivm --no-standardize",
    "klr --max-support 10",
    "klr --posterior parzen",
    "klr --priors 0.1,0.5,0.2,0.2",
    "kos --mahalanobis",
    "kos --no-standardize",
    "kos --posterior l1",
    "kos --priors uniform --components 1",
    "kos --prepare scores --kernel radial-laplacian",
    "l1-dkf --mapping onda",
    "l1-dkf --metric total --priors uniform",
    "l1-dkf --posterior klr",
    "l1-dkf --posterior logistic",
    "l1-dkf --posterior parzen",
    "l1-dkf --prepare scores",
    "l1-dkf --prepare scores --posterior klr",
    "l1-dkf --simplex none",
    "l1-dkf --simplex project",
    "l1-dkf --simplex softmax",
    "l1-dkf --sparsity 1e6",
    "l2qp --class-bandwidths spread",
    "l2qp --class-bandwidths spread --multiclass joint",
    "l2qp --kernel cauchy --class-bandwidths 1,2,1.5,3",
    "l2qp --multiclass joint",
    "l2qp --relaxed",
    "lda --metric total --priors uniform",
    "lda --no-standardize",
    "lda --prepare scores",
    "mkda --kernel laplacian --posterior klr",
    "mkda --costs 5,1,1,0.5",
    "mkda --prepare scores",
    "mkda --prepare scores --kernel laplacian",
    "mkda --prepare scores --kernel polynomial",
    "parzen --costs 1,2,3,4",
    "parzen --no-calibration",
    "parzen --no-standardize",
    "parzen --prepare scores",
    "smkda --posterior logistic",
    "smkda --prepare scores",
    "smkda --prepare scores --max-support 12",
    "sparse-kos --no-standardize",
    "sparse-kos --prepare scores",
    "sparse-kos --sparsity 1000",
]


def method_cases():
    for method, (settings, kernels) in METHODS.items():
        yield method
        for kernel in kernels:
            words = [method, *([] if kernel is None else ["--kernel", kernel])]
            bandwidth = ["--bandwidth", "2"] if kernel in WITH_BANDWIDTH else []
            yield " ".join([*words, *bandwidth, *settings.split()])


def options(case, classes):
    """The options of a case; lists have one entry per class."""
    method, *words = case.split()
    words = [",".join(w.split(",")[:classes]) if "," in w else w for w in words]
    if "--priors" in words and "," in case and classes == 2:
        words[words.index("--priors") + 1] = "0.2,0.8"
    return ["--method", method, *words]


def sample(classes, origin=0.0):
    """Training rows, their classes, rows like them, rows far from them and rows absurdly far from them.

    All values are numbers of single precision, so that both graphs and the command line get the same ones.
    """
    rng = np.random.default_rng(classes)
    y = np.arange(100) % classes
    centres = 1.5 * rng.normal(size=(classes, 6))
    # The last feature is constant in training, though not in the rows to predict.
    x = np.column_stack([(centres[y] + rng.normal(size=(100, 6)))[:, :5], np.full(100, 3.0)])
    near = centres[rng.integers(0, classes, 120)] + rng.normal(size=(120, 6))
    direction = rng.normal(size=(20, 6))
    far = np.concatenate([30 * direction, 1000 * direction])
    rows = [x, near, far, np.concatenate([1e8 * direction, 1e30 * direction])]
    x, *others = [(part + origin).astype(np.float32).astype(np.float64) for part in rows]
    names = np.array(["blå", "a b", "c,d", "e"]) if classes == 4 else np.array([-1, 7])
    return x, names[y], *others


def export(model, precision):
    """The bytes of the exported graph, checked."""
    path = model.with_suffix(f".{precision}.onnx")
    kernsieve("export", model, path, "--precision", precision)
    content = path.read_bytes()
    onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
    return content


def session(content):
    choices = onnxruntime.SessionOptions()
    choices.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(content, choices, providers=["CPUExecutionProvider"])


def run(content, x):
    """Outputs of a graph, for rows in its own precision."""
    running = session(content)
    kind = {"tensor(float)": np.float32, "tensor(double)": np.float64}[running.get_inputs()[0].type]
    return running.run(None, {"X": x.astype(kind)})


def assert_same_labels(labels, expected, p, tol):
    """Classes agree unless the best two scores are closer than the error of both."""
    best = np.sort(p, axis=1)
    undecided = best[:, -1] - best[:, -2] <= 2 * tol
    assert ((labels.astype(str) == expected) | undecided).all()


def assert_agree(workshop, near, far, absurd, *, tol):
    expected, p, z = workshop.predict(np.concatenate([near, far, absurd]))
    rule = json.loads(kernsieve("inspect", workshop.model, "--json"))["decision"]
    a, b = len(near), len(near) + len(far)
    for precision, limit in (("double", tol), ("single", 1e-5)):
        content = export(workshop.model, precision)
        labels, q, u = run(content, np.concatenate([near, far, absurd]))
        assert q.dtype == u.dtype == (np.float64 if precision == "double" else np.float32)
        assert np.isfinite(q).all() and np.isfinite(u).all()
        assert (q >= 0).all()
        np.testing.assert_allclose(q.sum(axis=1), 1, rtol=0, atol=1e-6)
        np.testing.assert_allclose(q[:a], p[:a], rtol=0, atol=limit)
        assert_same_labels(labels[:a], expected[:a], p[:a], limit)
        # The scores of the rule differ by more than the outputs do.
        factor = 1 if precision == "double" else 100
        assert (np.abs(u - z)[:a] <= factor * limit * np.maximum(1, np.abs(z[:a]))).all()
        # Far away, outputs are large and their error is relative to their size; so is that of log scores.
        off = 2.0**-50 if precision == "double" else 2.0**-21
        size = np.abs(z[a:b]).max(axis=1, keepdims=True)
        if rule in ("mahalanobis", "nearest-centroid"):
            # The command line compares squares of distances.
            size = size**2
        assert (np.abs(q - p)[a:b] <= 10 * limit + off * size).all()
        close = np.minimum(10 * limit + off * size[:, 0], 1)
        assert_same_labels(labels[a:b], expected[a:b], p[a:b], close)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("case", [*method_cases(), *VARIANTS])
def test_graphs_predict_as_the_command_line(workshop, case, classes):
    x, y, near, far, absurd = sample(classes)
    workshop.fit(x, y, *options(case, classes))
    assert_agree(workshop, near, far, absurd, tol=1e-12)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    "case",
    [
        *(case for case in method_cases() if case in METHODS),
        "kos --kernel laplacian --bandwidth 2 --ridge 0.1",
        "kos --kernel polynomial --ridge 0.1",
        "kos --kernel sigmoid --ridge 0.1",
        "parzen --kernel cauchy --bandwidth 2",
        "kos --no-standardize",
        "lda --no-standardize",
        "kos --kernel radial-laplacian --bandwidth 2 --ridge 0.1",
        "kos --prepare scores",
        "lda --prepare scores",
        "mkda --kernel laplacian --no-standardize --ridge 1 --bandwidth 4",
        "parzen --no-standardize",
        "sparse-kos --no-standardize",
    ],
)
def test_data_far_from_zero_lose_no_digits(workshop, case, classes):
    x, y, near, far, absurd = sample(classes, origin=1e4)
    workshop.fit(x, y, *options(case, classes))
    # Without standardisation the command line itself multiplies values of 1e4 by weights or coefficients: eps * 1e4.
    tol = 1e-11 if "--no-standardize" in case else 1e-12
    assert_agree(workshop, near, far, absurd, tol=tol)


def crowded(classes):
    """Skewed features, few values, ties, and values so close to each other that the curve of the scores is a cliff."""
    rng = np.random.default_rng(7)
    y = np.arange(300) % classes
    normal = rng.normal(size=(300, 2)) + 0.8 * y[:, None]
    close = np.where(rng.random(300) < 0.5, 1.0, 1.0 + 2.0**-20) + 1e-5 * rng.integers(0, 3, 300)
    flag = (y > rng.integers(0, classes, 300)) * 1.0
    x = np.column_stack([np.exp(3 * normal[:, 0]), np.floor(normal[:, 1]), close, flag, np.full(300, 2.0)])
    return x.astype(np.float32).astype(np.float64), y


@pytest.mark.parametrize("case", ["mkda", "lda", "sparse-kos", "kos --kernel radial-laplacian"])
def test_scores_of_crowded_values(workshop, case):
    x, y = crowded(3)
    workshop.fit(x, y, *options(case, 3), "--prepare", "scores")
    ends = np.concatenate([x.min(axis=0) + np.outer([-1e30, -1, 0], np.ones(5)), x + 0.3 * (x[::-1] - x), x])
    rows = np.concatenate([ends, x.max(axis=0) + np.outer([0, 1, 1e30], np.ones(5))])
    rows = rows.astype(np.float32).astype(np.float64)
    expected, p, _ = workshop.predict(rows)
    # The radial Laplacian of equal rows has half of the digits.
    digits = 1e-6 if "radial" in case else 1e-12
    for precision, limit in (("double", digits), ("single", 1e-5)):
        labels, q, _ = run(export(workshop.model, precision), rows)
        np.testing.assert_allclose(q, p, rtol=0, atol=limit)
        assert_same_labels(labels, expected, p, limit)


@pytest.mark.parametrize("origin", [0.0, 1e4])
def test_rows_that_are_retained_samples_are_at_distance_zero(workshop, origin):
    x, y, *_ = sample(4, origin)
    workshop.fit(x, y, *options("klr --kernel radial-laplacian --bandwidth 2 --ridge 0.1", 4))
    _, p, _ = workshop.predict(x)
    for precision, limit in (("double", 1e-7), ("single", 1e-5)):
        np.testing.assert_allclose(run(export(workshop.model, precision), x)[1], p, rtol=0, atol=limit)


def with_linear_part(model, rng):
    """Adds a linear part to a model file; returns what it adds to the outputs, as a function of the rows."""
    content = model.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8 : 8 + size]), content[8 + size :]
    document = json.loads(header["__metadata__"]["kernsieve"])
    document |= {"linear": True, "format": 3}
    header["__metadata__"]["kernsieve"] = json.dumps(document)

    def array(name):
        start, end = header[name]["data_offsets"]
        return np.frombuffer(data[start:end])

    w, mean, scale = array("feature_weights"), array("scaling.mean"), array("scaling.scale")
    used = np.flatnonzero(w)
    b = rng.normal(size=(len(used), header["offset"]["shape"][0]))
    header["linear"] = {"dtype": "F64", "shape": b.shape, "data_offsets": [len(data), len(data) + b.nbytes]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    model.write_bytes(len(text).to_bytes(8, "little") + text + data + b.tobytes())
    return lambda x: (w * (x - mean) / scale)[:, used] @ b


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    "case",
    [
        "fivm --max-features 3",
        "klr --kernel laplacian --ridge 0.1",
        "klr --kernel linear --ridge 0.1",
        "klr --ridge 0.1",
    ],
)
def test_a_linear_part(workshop, case, classes):
    x, y, near, far, absurd = sample(classes)
    x = np.delete(x, 5, axis=1)
    near, far, absurd = (np.delete(part, 5, axis=1) for part in (near, far, absurd))
    workshop.fit(x, y, *options(case, classes))
    _, _, before = workshop.predict(near)
    added = with_linear_part(workshop.model, np.random.default_rng(1))
    _, _, after = workshop.predict(near)
    np.testing.assert_allclose(after, before + added(near), rtol=1e-12, atol=1e-12)
    assert_agree(workshop, near, far, absurd, tol=1e-12)


@pytest.mark.parametrize("origin", [0.0, 1e4])
@pytest.mark.parametrize("kernel", DENSITIES)
def test_log_densities(tmp_path, workshop, kernel, origin):
    x, _, near, far, absurd = sample(2, origin)
    model = tmp_path / "density.ks"
    kernsieve("density", workshop.write("rows.csv", x), "--kernel", kernel, "--model", model)
    rows = np.concatenate([near, far])
    out = tmp_path / "out.csv"
    kernsieve("predict", model, workshop.write("new.csv", rows), "--output", out, "--quiet")
    expected = pd.read_csv(out)[["log_density"]].to_numpy()
    for precision, limit in (("double", 1e-13), ("single", 1e-5)):
        content = export(model, precision)
        assert [o.name for o in session(content).get_outputs()] == ["log_density"]
        (logs,) = run(content, np.concatenate([rows, absurd]))
        assert np.isfinite(logs).all()
        np.testing.assert_allclose(logs[: len(rows)], expected, rtol=limit, atol=limit)
    assert not any(e.key == "kernsieve.classes" for e in onnx.load_from_string(content).metadata_props)


@pytest.mark.parametrize("prepare", ["standardize", "scores"])
@pytest.mark.parametrize("method", ["l1-dkf", "mkda", "sparse-kos"])
def test_columns_of_text_are_features_by_level(tmp_path, method, prepare):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=90), "colour": rng.choice(["red", "green", "blue"], 90), "flat": 1.0})
    frame["class"] = np.where(frame["size"] + (frame["colour"] == "red") > 0.4, "yes", "no")
    path, model, out = tmp_path / "mixed.csv", tmp_path / "m.ks", tmp_path / "out.csv"
    frame.to_csv(path, index=False)
    kernsieve("fit", path, "--method", method, "--model", model, "--prepare", prepare)
    kernsieve("predict", model, path, "--proba", "--output", out, "--quiet")
    content = export(model, "double")
    metadata = {e.key: e.value for e in onnx.load_from_string(content).metadata_props}
    assert json.loads(metadata["kernsieve.features"])[:2] == ["size", "colour=blue"]
    feed = {name: frame[[name]].to_numpy(dtype=float) for name in ("size", "flat")}
    feed["colour"] = frame[["colour"]].to_numpy(dtype=object)
    labels, p, _ = session(content).run(None, feed)
    expected = pd.read_csv(out)
    assert labels.tolist() == expected["predicted"].tolist()
    classes = json.loads(metadata["kernsieve.classes"])
    np.testing.assert_allclose(p, expected[[f"p_{c}" for c in classes]], rtol=0, atol=1e-12)


def test_what_a_graph_says_of_itself(workshop):
    x, y, near, _, _ = sample(2)
    workshop.fit(x, y, "--method", "lda")
    content = export(workshop.model, "single")
    file = onnx.load_from_string(content)
    assert (file.producer_name, file.ir_version, file.opset_import[0].version) == ("kernsieve", 8, 18)
    assert {node.domain for node in file.graph.node} == {""}
    assert "lda" in file.doc_string
    metadata = {e.key: e.value for e in file.metadata_props}
    assert metadata["kernsieve.method"] == "lda"
    assert json.loads(metadata["kernsieve.classes"]) == ["-1", "7"]
    running = session(content)
    assert [(v.name, v.type, v.shape) for v in running.get_inputs()] == [("X", "tensor(float)", ["N", 6])]
    assert [(v.name, v.type, v.shape) for v in running.get_outputs()] == [
        ("label", "tensor(int64)", ["N"]),
        ("probabilities", "tensor(float)", ["N", 2]),
        ("outputs", "tensor(float)", ["N", 1]),
    ]
    assert run(content, near[:0])[1].shape == (0, 2)
    assert run(content, near[:1])[0].shape == (1,)


@pytest.mark.parametrize(
    "case", ["kos", "kos --kernel laplacian", "kos --prepare scores", "lda", "l1-dkf", "parzen", "l2qp"]
)
def test_a_missing_value_is_not_hidden(workshop, case):
    x, y, near, _, _ = sample(4)
    workshop.fit(x, y, *options(case, 4))
    rows = near[:3].copy()
    rows[1, 0] = np.nan
    _, p, z = run(export(workshop.model, "double"), rows)
    assert np.isnan(p[1]).all() and np.isnan(z[1]).any()
    assert np.isfinite(p[[0, 2]]).all()


def test_memory_of_the_laplacian_does_not_grow_with_the_features(workshop):
    """No value of the graph has the shape rows x retained samples x features."""
    x, y, *_ = sample(2)
    workshop.fit(x, y, "--method", "kos", "--kernel", "laplacian", "--bandwidth", "2", "--ridge", "0.1")
    file = onnx.shape_inference.infer_shapes(onnx.load_from_string(export(workshop.model, "double")))
    shapes = [[d.dim_value for d in v.type.tensor_type.shape.dim] for v in file.graph.value_info]
    assert max(np.prod([max(d, 1) for d in shape]) for shape in shapes) == 100


@pytest.mark.parametrize("classes", [2, 4])
def test_sums_that_cancel_keep_their_digits_in_single_precision(workshop, classes):
    x, y, near, _, _ = sample(classes, origin=1e4)
    workshop.fit(x, y, "--method", "mkda", "--kernel", "polynomial", "--no-standardize")
    expected, p, _ = workshop.predict(near)
    labels, q, _ = run(export(workshop.model, "single"), near)
    # Inner products of 1e9, to the third power: the command line itself has seven digits left.
    np.testing.assert_allclose(q, p, rtol=0, atol=1e-5)
    assert_same_labels(labels, expected, p, 1e-5)


@pytest.mark.parametrize("method", ["lda", "klr", "sieve", "mkda --posterior klr"])
@pytest.mark.parametrize("options", ["--missing median", "--missing indicator", "--encode target --missing mean"])
def test_raw_columns_go_in_as_texts_and_numbers(workshop, method, options):
    rng = np.random.default_rng(5)
    n = 160
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n).round(1),
            "town": rng.choice(["Köln", "Ulm", "a b", "7"], n),
            "label": rng.choice(["no", "yes"], n),
            "odd": rng.choice(["u", "v", "w"], n, p=[0.6, 0.37, 0.03]),
        }
    )
    frame["class"] = np.where(frame.age / 10 + 2 * (frame.town == "Ulm") + rng.normal(size=n) > 4.5, "p", "q")
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    frame.loc[rng.random(n) < 0.1, "town"] = ""
    train, new = workshop.folder / "train.csv", workshop.folder / "new.csv"
    frame.to_csv(train, index=False)
    rows = frame.drop(columns="class")
    rows.loc[:5, "town"] = "Paris"
    rows.loc[:9, "odd"] = "?"
    rows.to_csv(new, index=False)
    words = [*f"--method {method} {options} --target class --rare 6".split(), "--model", workshop.model, "--quiet"]
    kernsieve("fit", train, *words)
    table = pd.read_csv(io.StringIO(kernsieve("predict", workshop.model, new, "--proba", "--variates", "--quiet")))
    # Coefficients of some hundreds multiply the rounding of kernel values.
    for precision, limit in (("double", 1e-11), ("single", 1e-5)):
        running = session(export(workshop.model, precision))
        number = np.float64 if precision == "double" else np.float32
        inputs = json.loads(running.get_modelmeta().custom_metadata_map["kernsieve.inputs"])
        assert inputs == ["age", "town", "label#input", "odd"]
        feed = {"age": rows[["age"]].to_numpy(dtype=number)}
        texts = {"town": rows.town, "label#input": rows.label, "odd": rows.odd.replace("?", "")}
        feed |= {name: values.to_numpy(dtype=object)[:, None] for name, values in texts.items()}
        labels, p, _ = running.run(None, feed)
        np.testing.assert_allclose(p, table[["p_p", "p_q"]], rtol=0, atol=limit)
        assert_same_labels(labels, table.predicted.to_numpy(dtype=str), p, limit)


def test_gaps_of_numbers_are_filled_in_the_graph(workshop):
    x, y, near, *_ = sample(2)
    holes = np.where(np.random.default_rng(0).random(x.shape) < 0.1, np.nan, x)
    workshop.fit(holes, y, "--method", "klr", "--missing", "median")
    new = np.where(np.random.default_rng(1).random(near.shape) < 0.2, np.nan, near)
    _, p, _ = workshop.predict(new)
    np.testing.assert_allclose(run(export(workshop.model, "double"), new)[1], p, rtol=0, atol=1e-12)


def test_dates_are_refused_with_the_reason(workshop):
    train = workshop.folder / "train.csv"
    train.write_text("d,a,class\n" + "".join(f"2024-01-{1 + i % 28:02},{i % 5},{'xy'[i % 2]}\n" for i in range(60)))
    kernsieve("fit", train, "--method", "lda", "--model", workshop.model, "--quiet")
    refused = refusal("export", workshop.model, workshop.folder / "m.onnx")
    assert "column 'd' holds dates" in refused
