"""Docstrings run and describe what exists."""

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest
from estimators import ALL

import kernsieve

MODULES = [name for _, name, _ in pkgutil.walk_packages(kernsieve.__path__, "kernsieve.") if not name.endswith("_core")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("cls", [*ALL, kernsieve.AutoClassifier, kernsieve.L2Density, kernsieve.SieveSelector])
def test_every_parameter_is_described_with_its_default(cls):
    section = inspect.getdoc(cls).split("Parameters\n----------\n")[1].split("\n\n")[0]
    described = dict(re.findall(r"^(\w+) : (.*)$", section, flags=re.MULTILINE))
    parameters = inspect.signature(cls).parameters
    assert list(described) == list(parameters)
    for name, parameter in parameters.items():
        told = re.search(r"default=(.*)$", described[name]).group(1)
        assert eval(told) == parameter.default, name


@pytest.mark.parametrize("cls", [*ALL, kernsieve.AutoClassifier])
def test_every_estimator_has_an_example(cls):
    assert ">>>" in cls.__doc__
    for name in ("fit", "predict", "predict_proba", "decision_function", "get_support", "save"):
        assert getattr(cls, name).__doc__
