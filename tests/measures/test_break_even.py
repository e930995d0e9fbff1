"""The break-even point against its definition."""

import math

import pytest

from fastmetrics import ScoreTable, break_even_point
from fastmetrics.errors import UndefinedMetricWarning


def test_textbook_eight() -> None:
    point = break_even_point(
        [1, 0, 1, 1, 0, 0, 1, 0], [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    )
    assert point.to_dict() == {"value": 0.625, "threshold": 0.47, "interpolated": True}


def test_met_by_a_threshold() -> None:
    point = break_even_point([1, 0, 1, 0], [4, 3, 2, 1])
    assert (point.value, point.threshold, point.interpolated) == (0.5, 3, False)


def test_rounded_weights_still_meet_the_positives() -> None:
    weights = [0.1, 0.1, 0.1, 0.3, 0.1]  # 0.1 + 0.1 + 0.1 != 0.3 in floats
    point = break_even_point([1, 1, 0, 0, 1], [5, 4, 3, 2, 1], sample_weight=weights)
    assert not point.interpolated
    assert point.value == pytest.approx(2 / 3, rel=1e-15)


def test_no_true_positive_at_the_count() -> None:
    with pytest.warns(UndefinedMetricWarning, match="none of them is one") as record:
        point = break_even_point([0, 0, 1, 1], [4, 3, 2, 1])
    assert math.isnan(point.value)
    assert record[0].filename == __file__


def test_counts_of_any_size() -> None:
    big = 10**18
    point = break_even_point(ScoreTable.from_counts([2, 1], [big, big], [3 * big, 0]))
    assert point.value == 0.25
    assert point.interpolated
