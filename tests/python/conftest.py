"""Runs the kernsieve command line; the papers' data sets are optional."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]
# The papers' data sets: a folder `shared/data` next to the checkout, or the folder that KERNSIEVE_DATA names.
DATA = Path(os.environ.get("KERNSIEVE_DATA", ROOT.parent / "shared" / "data"))


def kernsieve(*arguments, stdin=None, status=0):
    """Runs the command line and returns what it printed."""
    return _ran(arguments, stdin, status).stdout


def refusal(*arguments):
    """What the command line says where it cannot do what is asked."""
    return _ran(arguments, None, 1).stderr


def _ran(arguments, stdin, status):
    done = subprocess.run(
        [os.environ.get("KERNSIEVE", ROOT / "target" / "release" / "kernsieve"), *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done


class Workshop:
    """A folder with a fitted model in it."""

    def __init__(self, folder):
        self.folder = folder
        self.model = folder / "model.ks"

    def write(self, name, x, y=None):
        """Writes features (and labels) as a CSV file that reads back to the same bits."""
        path = self.folder / name
        frame = pd.DataFrame(np.asarray(x), columns=[f"f{j}" for j in range(np.shape(x)[1])])
        if y is not None:
            frame["class"] = np.asarray(y)
        frame.to_csv(path, index=False, float_format=lambda v: repr(float(v)))
        return path

    def fit(self, x, y, *options):
        """Fits and returns the JSON report."""
        train = self.write("train.csv", x, y)
        return json.loads(kernsieve("fit", train, "--model", self.model, "--json", *options))

    def predict(self, x):
        """Predicted labels, probabilities and outputs."""
        test = self.write("test.csv", x)
        out = self.folder / "out.csv"
        kernsieve("predict", self.model, test, "--proba", "--variates", "--output", out, "--quiet")
        frame = pd.read_csv(out, dtype={"predicted": str})
        p = frame[[c for c in frame if c.startswith("p_")]].to_numpy()
        z = frame[[c for c in frame if c.startswith("z")]].to_numpy()
        return frame["predicted"].to_numpy(), p, z


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path)


@pytest.fixture
def papers_data():
    if not DATA.is_dir():
        pytest.skip(f"the papers' data sets are not there ({DATA}); KERNSIEVE_DATA names their folder")
    return DATA
