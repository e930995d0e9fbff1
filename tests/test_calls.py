"""A call passes through few files, all of which its reader has to open."""

import os.path
import sys

import pytest

import fastmetrics as fm
from calls import examples, passed

#: Most files of the package that a warm call may pass through.
MOST_FILES = {
    "roc_auc_score": 9,
    "average_precision_score": 11,
    "roc_curve": 11,
    "specificity_score": 7,
    "f1_score": 7,
    "accuracy_score": 7,
    "mean_squared_error": 8,
    "log_loss": 9,
    "delong": 16,
    "bootstrap": 21,
    "estimate": 23,
    "compare": 24,
    "evaluate": 33,
}


def test_calls_and_files_are_counted() -> None:
    assert passed(lambda: os.path.basename("a/b")) == (3, {})  # it, basename, _get_sep
    passage = passed(lambda: fm.auc([0, 1], [0, 1]))
    assert passage.files["metrics/curves/roc.py"] >= 1
    assert passage.calls > sum(passage.files.values())


def test_a_kernel_counts_as_machine_code_too() -> None:
    files = passed(examples()["roc_auc_score"]).files
    assert files["_kernels/merges.py"] < 5  # by plain Python it would be many functions
    if sys.version_info < (3, 12):  # Numba tells later versions by `sys.monitoring` alone
        assert files["_kernels/merges.py"] > 0


@pytest.mark.parametrize(("name", "most"), MOST_FILES.items())
def test_a_call_passes_through_few_files(name: str, most: int) -> None:
    files = passed(examples()[name]).files
    assert len(files) <= most, sorted(files)
