"""Public names are documented, and what the documentation shows is what happens."""

import ast
import doctest
import importlib
import inspect
import io
import re
import sys
from pathlib import Path

import pytest

import docstrings
import fastmetrics
import fastmetrics.dask
from public import NAMES, NAMESAKES, public

BAD = Path(__file__).with_name("bad") / "docstrings.py"
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules_with_examples() -> list[str]:
    package = Path(fastmetrics.__file__).parent
    names = [
        path.relative_to(package.parent).with_suffix("").as_posix().removesuffix("/__init__")
        for path in sorted(package.rglob("*.py"))
        if ">>>" in path.read_text(encoding="utf-8")
    ]
    return [name.replace("/", ".") for name in names]


def load_bad() -> dict[str, object]:
    spec = importlib.util.spec_from_file_location("bad_docstrings", BAD)
    module = importlib.util.module_from_spec(spec)
    sys.modules["bad_docstrings"] = module  # where a dataclass looks for its types
    spec.loader.exec_module(module)
    return vars(module)


def failures(examples_of: object, name: str) -> str:
    output = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for test in doctest.DocTestFinder().find(examples_of, name):
        runner.run(test, out=output.write)
    return output.getvalue()


def test_public_names_are_documented() -> None:
    values = [public(name) for name in NAMES]
    assert not [
        one for each in values if callable(each) for one in docstrings.complaints_about(each)
    ]
    classes = [each for each in values if inspect.isclass(each)]
    assert not [one for each in classes for one in docstrings.silent_methods(each)]


@pytest.mark.source_tree
@pytest.mark.parametrize("name", sorted(NAMESAKES))
def test_who_hovers_over_a_drop_in_sees_what_its_data_are(name: str) -> None:
    """Editors show what the source says, without what `documented` adds."""
    function = inspect.unwrap(public(name))
    tree = ast.parse(Path(function.__code__.co_filename).read_text(encoding="utf-8"))
    (node,) = [
        each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == name
    ]
    _, _, text = str(ast.get_docstring(node)).partition("Parameters\n----------\n")
    for parameter in list(inspect.signature(function).parameters)[:2]:
        assert re.search(rf"^(\w+, )*{parameter}(, \w+)* :", text, re.MULTILINE), parameter


@pytest.mark.parametrize("name", fastmetrics.dask.__all__)
def test_what_dask_has_is_documented(name: str) -> None:
    assert not docstrings.complaints_about(getattr(fastmetrics.dask, name))


def test_the_metric_of_torchmetrics_is_documented() -> None:
    pytest.importorskip("torchmetrics")
    assert not docstrings.complaints_about(
        importlib.import_module("fastmetrics.torch").BinaryScores
    )


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_run(name: str) -> None:
    if name == "fastmetrics.torch":
        pytest.importorskip("torchmetrics")
    text = failures(importlib.import_module(name), name)
    assert not text, text


@pytest.mark.parametrize(
    ("name", "complaints"),
    [
        ("silent", ["no docstring"]),
        ("Table", ["attribute rows is not documented", "no example"]),
        (
            "partial",
            [
                "parameter pos_label is not documented",
                "parameter y_score is not documented",
                "there is no parameter score",
                "no section Notes",
                "no section Raises",
                "no section Returns",
            ],
        ),
        (
            "untidy",
            [
                "the first sentence does not end",
                "unknown section Example",
                "sections out of order: Returns, Parameters, Example",
                "no example",
            ],
        ),
        ("warner", ["no section Warns"]),
        ("calls_a_warner", ["no section Warns"]),
    ],
)
def test_bad_docstrings_are_caught(name: str, complaints: list[str]) -> None:
    assert docstrings.complaints_about(load_bad()[name]) == complaints


def test_silent_methods_are_caught() -> None:
    assert docstrings.silent_methods(load_bad()["Table"]) == ["total"]


def test_a_wrong_example_is_caught() -> None:
    assert "Expected:" in failures(load_bad()["partial"], "partial")
