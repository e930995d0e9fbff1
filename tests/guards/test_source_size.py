"""The package does not grow again: no count is above the one that was reached."""

import pytest

import sizes

pytestmark = pytest.mark.source_tree

TEXT = '''"""Two lines
of docstring."""

import os  # counts as one

NAMES = ["roc_auc", "f1",
         "other"]


class Thing:
    """One."""

    def method(self):
        return """a text
        of two lines"""
'''


def test_nothing_is_above_its_limit() -> None:
    counts = sizes.measured()
    limits = sizes.limits()
    assert {*counts} == {*limits}
    for folder, values in counts.items():
        assert {*values} == {*limits[folder]}
        above = {name: n for name, n in values.items() if n > limits[folder][name]}
        assert not above, f"{folder}: {above} above {limits[folder]}; what can go instead?"


def test_lines_code_and_statements_are_counted() -> None:
    size = sizes.size_of(TEXT)
    assert size == sizes.Size(lines=15, code=7, statements=7, files=1, classes=1)
    assert sizes.size_of("a = 1; b = 2\n").statements == 2  # cramming is seen
    assert size + size == sizes.Size(30, 14, 14, 2, 2)


def test_names_of_metrics_are_counted() -> None:
    assert sizes.metric_literals(TEXT, ["roc_auc", "f1", "mcc"]) == ["roc_auc", "f1"]
