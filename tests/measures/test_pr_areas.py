"""The area under precision-recall, by its three estimators."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.metrics import auc, average_precision_score, precision_recall_curve

from fastmetrics import ScoreTable, pr_auc
from reference import pr_oracle as oracle

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=2, max_size=40).filter(
    lambda data: len({y for y, _ in data}) == 2
)


@given(ROWS)
def test_scikit_learn(data: list[tuple[int, int]]) -> None:
    y, s = (np.array(column) for column in zip(*data, strict=True))
    precision, recall, _ = precision_recall_curve(y, s)
    assert pr_auc(y, s, interpolation="step") == average_precision_score(y, s)
    assert pr_auc(y, s, interpolation="trapezoid") == auc(recall, precision)


def test_continuous_is_the_limit_of_the_recipe() -> None:
    y = [1, 0, 1, 1, 0, 0, 1, 0]
    s = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.33, 0.15]
    assert pr_auc(y, s) == pytest.approx(oracle.davis_goadrich(y, s, 1000), abs=1e-6)


def test_all_tied_is_the_share_of_positives() -> None:
    for kind in ("step", "continuous"):
        assert pr_auc([1, 0, 0, 0], [1, 1, 1, 1], interpolation=kind) == 0.25


def test_perfect_ranking() -> None:
    for kind in ("step", "trapezoid", "continuous"):
        assert pr_auc([1, 1, 0, 0], [4, 3, 2, 1], interpolation=kind) == 1.0


@pytest.mark.parametrize("before", [1, 10**3, 10**9, 10**15])
@pytest.mark.parametrize("tie", [(1, 0), (1, 1), (3, 10**6)])
def test_long_runs_of_false_positives_lose_no_digits(before: int, tie: tuple[int, int]) -> None:
    """One positive after many negatives: the two terms of the usual form nearly cancel."""
    table = ScoreTable.from_counts([2.0, 1.0], [0, tie[0]], [before, tie[1]])
    expected = oracle.continuous([0, 1, 0], [2, 1, 1], [before, *tie])
    assert pr_auc(table) == pytest.approx(expected, rel=4e-15)
