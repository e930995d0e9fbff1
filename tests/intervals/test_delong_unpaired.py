"""Two AUCs on different examples against the definition, and in the degenerate cases."""

import math
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given, strategies as st

from fastmetrics import ScoreTable, delong, delong_unpaired_test
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from fastmetrics.results import Pair
from reference import delong_oracle as oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

SCORES = st.lists(st.integers(0, 9), min_size=2, max_size=10)
Y, S = [0, 1, 1, 0, 1, 0], [1.0, 2.0, 3.0, 2.5, 0.5, 0.7]
Y2, S2 = [1, 0, 0, 1, 0], [2.0, 2.0, 1.0, 4.0, 3.0]


def aucs_of(result: Pair) -> tuple[float, float]:
    return result.details["a"].estimate, result.details["b"].estimate


@given(SCORES, SCORES, SCORES, SCORES)
@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
def test_definition(p: list[int], n: list[int], p2: list[int], n2: list[int]) -> None:
    auc, variance = oracle.auc_and_variance(p, n)
    auc2, variance2 = oracle.auc_and_variance(p2, n2)
    result = delong_unpaired_test(
        [1] * len(p) + [0] * len(n), p + n, [1] * len(p2) + [0] * len(n2), p2 + n2
    )
    assert aucs_of(result) == (float(auc), float(auc2))
    assert result.difference == pytest.approx(float(auc - auc2), abs=2e-16)
    error = math.sqrt(variance + variance2)
    assert result.standard_error == pytest.approx(error, rel=1e-13)
    if error:
        z = float(auc - auc2) / error
        assert result.statistic == pytest.approx(z, rel=1e-13, abs=1e-14)
        expected = 2 * NormalDist().cdf(-abs(z))
        assert result.pvalue == pytest.approx(expected, rel=1e-11)


def test_ways_to_pass_tables() -> None:
    one, other = ScoreTable.from_scores(Y, S), ScoreTable.from_scores(Y2, S2)
    rows = delong_unpaired_test(Y, S, Y2, S2)
    assert delong_unpaired_test(one, other) == rows
    assert delong_unpaired_test(one, None, other, None) == rows
    assert delong_unpaired_test(one, None, Y2, S2) == rows
    assert delong_unpaired_test(Y, S, other) == rows
    with pytest.raises(TypeError, match="two ScoreTables come alone"):
        delong_unpaired_test(one, other, Y)


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
def test_both_perfect() -> None:
    result = delong_unpaired_test([0, 0, 1, 1], [1, 2, 3, 4], [0, 1, 0, 1], [1, 2, 1, 2])
    assert (result.difference, result.statistic, result.pvalue) == (0, 0, 1)
    worst = delong_unpaired_test([0, 0, 1, 1], [1, 2, 3, 4], [0, 1, 0, 1], [2, 1, 2, 1])
    assert (worst.difference, worst.statistic, worst.pvalue) == (1, math.inf, 0)


def test_one_perfect_is_warned_about() -> None:
    with pytest.warns(DegenerateDataWarning, match="sample b: .* at an AUC of 1 on") as record:
        result = delong_unpaired_test(Y, S, [0, 0, 1, 1], [1, 2, 3, 4])
    assert (len(record), record[0].filename) == (1, __file__)
    assert result.standard_error == delong(Y, S).standard_error


@pytest.mark.parametrize(
    ("y", "match"),
    [
        ([1, 1, 1], "sample b: the AUC is not defined: there is no negative"),
        ([1, 0, 0], "sample b: the standard error is not defined: there is one positive"),
    ],
)
def test_undefined(y: list[int], match: str) -> None:
    with pytest.warns(UndefinedMetricWarning, match=match):
        result = delong_unpaired_test(Y, S, y, [1, 2, 3])
    interval = result.confidence_interval
    for value in (result.standard_error, result.statistic, result.pvalue, interval.low):
        assert math.isnan(value)


@pytest.mark.parametrize(
    ("arguments", "options", "match"),
    [((Y, S, [1, 2, 3, 4, 5], S2), {}, "`y_true_b` has 5 classes")],
)
def test_refused(arguments: tuple[Any, ...], options: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        delong_unpaired_test(*arguments, **options)


def test_missing_second_sample() -> None:
    with pytest.raises(TypeError, match="`y_true_b` must be an array: got None"):
        delong_unpaired_test(Y, S)
    table = ScoreTable.from_scores(Y, S)
    with pytest.raises(TypeError, match="`groups_a` needs rows: a ScoreTable holds counts"):
        delong_unpaired_test(table, None, Y2, S2, groups_a=[1, 2])
