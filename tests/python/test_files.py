"""Files as other programs write them, and models that do not change in transit."""

import json

import numpy as np
import pandas as pd
import pytest
from conftest import kernsieve
from sklearn.datasets import dump_svmlight_file, load_iris


def frame():
    x, y = load_iris(return_X_y=True)
    data = pd.DataFrame(x, columns=["a", "b", "c", "d"])
    data["class"] = np.array(["setosa", "versicolor", "virginica"])[y]
    return data


def cv_error(*arguments):
    return json.loads(kernsieve("fit", *arguments, "--method", "kos", "--json", "--quiet"))["cv"]["grid"]


def test_every_format_gives_the_same_fit(tmp_path):
    data = frame()
    reference = tmp_path / "iris.csv"
    data.to_csv(reference, index=False)
    expected = cv_error(reference)
    data.to_csv(tmp_path / "iris.tsv", sep="\t", index=False)
    data.to_csv(tmp_path / "semicolon.csv", sep=";", index=False, lineterminator="\r\n", encoding="utf-8-sig")
    data.to_csv(tmp_path / "iris.csv.gz", index=False)
    for compression in ["snappy", "zstd", "gzip", None]:
        data.to_parquet(tmp_path / f"iris_{compression}.parquet", compression=compression, index=False)
    for path in sorted(tmp_path.iterdir()):
        assert cv_error(path) == expected, path
    codes = data["class"].astype("category").cat.codes
    for zero_based in [True, False]:
        path = tmp_path / f"iris_{zero_based}.libsvm"
        dump_svmlight_file(data[["a", "b", "c", "d"]], codes, str(path), zero_based=zero_based)
        assert cv_error(path) == expected


def test_parquet_predictions_equal_csv_predictions(tmp_path):
    data = frame()
    data.to_csv(tmp_path / "iris.csv", index=False)
    data.sample(frac=1, axis=1, random_state=0).to_parquet(tmp_path / "shuffled_columns.parquet")
    model = tmp_path / "m.ks"
    kernsieve("fit", tmp_path / "iris.csv", "--model", model)
    a = kernsieve("predict", model, tmp_path / "iris.csv", "--proba", "--variates")
    b = kernsieve("predict", model, tmp_path / "shuffled_columns.parquet", "--proba", "--variates", "--quiet")
    assert a == b


@pytest.mark.parametrize("method", ["lda", "mkda", "kos", "parzen"])
def test_probabilities_and_threads(workshop, method):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 200)
    x = rng.normal(size=(200, 5)) + y[:, None]
    workshop.fit(x, y, "--method", method, "--threads", 1)
    one = workshop.model.read_bytes()
    workshop.fit(x, y, "--method", method, "--threads", 2)
    assert one == workshop.model.read_bytes()
    predicted, p, _ = workshop.predict(rng.normal(size=(3000, 5)) * 4)
    assert (p.argmax(1) == predicted.astype(int)).all()
    np.testing.assert_allclose(p.sum(1), 1, atol=1e-12)
