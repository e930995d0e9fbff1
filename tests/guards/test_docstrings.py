"""Public names are documented, and what the documentation shows is what happens."""

from __future__ import annotations

import doctest
import importlib
import inspect
import io
import pkgutil
import sys
from pathlib import Path

import pytest

import docstrings
import fastmetrics

BAD = Path(__file__).with_name("bad") / "docstrings.py"
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules() -> list[str]:
    found = pkgutil.walk_packages(fastmetrics.__path__, "fastmetrics.")
    return ["fastmetrics", *(info.name for info in found if not info.name.endswith("__main__"))]


def load_bad() -> dict[str, object]:
    spec = importlib.util.spec_from_file_location("bad_docstrings", BAD)
    module = importlib.util.module_from_spec(spec)
    sys.modules["bad_docstrings"] = module  # where a dataclass looks for its types
    spec.loader.exec_module(module)
    return vars(module)


def failures(examples_of: object, name: str) -> str:
    said = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for test in doctest.DocTestFinder().find(examples_of, name):
        runner.run(test, out=said.write)
    return said.getvalue()


@pytest.mark.parametrize("name", sorted(getattr(fastmetrics, "__all__", ["__all__"])))
def test_public_names_are_documented(name: str) -> None:
    value = getattr(fastmetrics, name)
    if callable(value):
        complaints = docstrings.complaints_about(value)
        assert not complaints, complaints


@pytest.mark.parametrize("name", sorted(getattr(fastmetrics, "__all__", [])))
def test_public_methods_are_documented(name: str) -> None:
    value = getattr(fastmetrics, name)
    if inspect.isclass(value):
        public = {k: v for k, v in vars(value).items() if not k.startswith("_")}
        silent = [k for k, v in public.items() if callable(v) and not inspect.getdoc(v)]
        assert not silent


@pytest.mark.parametrize("name", modules())
def test_examples_run(name: str) -> None:
    said = failures(importlib.import_module(name), name)
    assert not said, said


def test_bad_docstrings_are_caught() -> None:
    bad = load_bad()
    assert docstrings.complaints_about(bad["silent"]) == ["no docstring"]
    assert docstrings.complaints_about(bad["Table"]) == [
        "attribute rows is not documented",
        "no example",
    ]
    assert docstrings.complaints_about(bad["partial"]) == [
        "parameter pos_label is not documented",
        "parameter y_score is not documented",
        "there is no parameter score",
        "no section Notes",
        "no section Raises",
        "no section Returns",
    ]


def test_a_wrong_example_is_caught() -> None:
    assert "Expected:" in failures(load_bad()["partial"], "partial")
