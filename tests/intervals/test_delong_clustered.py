"""The variance of AUCs of groups of examples: definition, relations to DeLong's, validity."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import t as student

from fastmetrics import ScoreTable, delong, delong_test
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from reference import delong_oracle as oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")

#: `delong_test` of two models that are columns of an array.
compare_columns = partial(delong_test, names=("a", "b"))


@st.composite
def clustered(draw: Any, models: int = 2) -> tuple[list[int], list[list[int]], list[int]]:
    """Draw labels, scores and groups; either class is in two groups at least."""
    more = st.tuples(st.integers(0, 1), st.integers(0, 4))
    rows = [(0, 0), (1, 0), (1, 1), (0, 2), *draw(st.lists(more, max_size=10))]
    column = st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows))
    scores = draw(st.lists(column, min_size=models, max_size=models))
    labels, groups = zip(*rows, strict=True)
    return list(labels), scores, list(groups)


@given(clustered())
def test_definition(sample: tuple[list[int], list[list[int]], list[int]]) -> None:
    labels, scores, groups = sample
    result = compare_columns(labels, np.transpose(scores), groups=groups)
    assert result.method == "Obuchowski (1997), CR2"
    assert result.n_groups == len(set(groups))
    exact = [
        [
            oracle.clustered_covariance(labels, one, other, [1] * len(labels), groups)
            for other in scores
        ]
        for one in scores
    ]
    wanted = [[float(c) for c in row] for row in exact]
    np.testing.assert_allclose(result.covariance, wanted, rtol=1e-12, atol=1e-17)
    variance = exact[0][0] + exact[1][1] - 2 * exact[0][1]
    variance = 0 if abs(variance) < 1e-40 else variance
    assert variance >= 0
    error = result.pairs[0].standard_error
    assert error == pytest.approx(math.sqrt(variance), rel=1e-10)
    assert (error == 0.0) == (variance == 0)
    alone = delong(labels, scores[0], groups=groups)
    assert (alone.estimate, alone.details["variance"]) == (
        result.estimate[0],
        result.covariance[0, 0],
    )
    assert alone.estimate == float(oracle.components(labels, scores[0])[0])
    assert (alone.method, alone.n_groups) == ("Obuchowski (1997), CR2", result.n_groups)


@given(clustered(models=3))
def test_a_group_for_each_row_is_delong(
    sample: tuple[list[int], list[list[int]], list[int]],
) -> None:
    labels, scores, _ = sample
    columns = dict(zip("abc", scores, strict=True))
    plain = delong_test(labels, columns)
    grouped = delong_test(labels, columns, groups=np.arange(len(labels)) * 7 - 3)
    assert (plain.n_groups, grouped.n_groups) == (None, len(labels))
    assert grouped.details["effective_n_groups"] == pytest.approx(len(labels))
    assert plain.method != grouped.method
    assert plain.estimate == grouped.estimate
    assert plain.details["df"] == grouped.details["df"]
    assert grouped.details["statistic"] == pytest.approx(plain.details["statistic"], rel=1e-6)
    np.testing.assert_allclose(plain.covariance, grouped.covariance, rtol=1e-12, atol=1e-17)
    for one, other in zip(plain, grouped, strict=True):  # z is a t with as many groups less one
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-10)
        assert one.statistic == pytest.approx(other.statistic, rel=1e-10)
        if one.standard_error > 0:
            t = abs(other.statistic)
            assert other.pvalue == pytest.approx(2 * student.sf(t, len(labels) - 1), rel=1e-9)


@given(clustered(), st.integers(2, 4))
def test_copies_in_the_group_of_their_example_add_nothing(
    sample: tuple[list[int], list[list[int]], list[int]], times: int
) -> None:
    labels, scores, groups = sample
    rows = np.arange(len(labels))
    copies = delong(
        np.repeat(labels, times), np.repeat(scores[0], times), groups=np.repeat(rows, times)
    )
    plain = delong(labels, scores[0])
    assert copies.standard_error == pytest.approx(plain.standard_error, rel=1e-10)
    columns = np.transpose(scores)
    once = compare_columns(labels, columns, groups=groups)
    again = compare_columns(
        np.repeat(labels, times), np.repeat(columns, times, axis=0), groups=np.repeat(groups, times)
    )
    np.testing.assert_allclose(again.covariance, once.covariance, rtol=1e-12, atol=1e-17)


def test_large_groups_beside_many_small_ones(rng: np.random.Generator) -> None:
    """Sums of a group pass the range where plain int64 products would fit."""
    size = 100_000
    y = (rng.random(size) < 0.4).astype(np.int8)
    scores = rng.normal(size=(size, 2)) + y[:, None]
    groups = np.where(np.arange(size) < 30_000, 0, np.arange(size))
    result = compare_columns(y, scores, groups=groups, n_threads=2)
    auc = np.array(result.estimate)
    n, m = np.count_nonzero(y == 0), np.count_nonzero(y)
    ranks = scores.argsort(axis=0).argsort(axis=0) + 1.0
    sums = []
    for label, other in ((1, n), (0, m)):
        own = y == label
        inside = scores[own].argsort(axis=0).argsort(axis=0) + 1.0
        share = (ranks[own] - inside) / other
        share = share if label else 1 - share
        deviations = np.zeros((size, 2))
        np.add.at(deviations, groups[own], share - auc)
        count = np.bincount(groups[own], minlength=size) / np.count_nonzero(own)
        sums.append(deviations / np.count_nonzero(own) / np.sqrt(1 - count)[:, None])
    moved = sums[0] + sums[1]
    np.testing.assert_allclose(result.covariance, moved.T @ moved, rtol=1e-9)


@pytest.mark.parametrize(
    ("groups", "name"), [([1, 1, 2, 3], "positive"), ([2, 3, 1, 1], "negative"), ([1] * 4, "posi")]
)
def test_one_group_of_a_class(groups: list[int], name: str) -> None:
    y, s = [1, 1, 0, 0], [4, 2, 3, 1]
    with pytest.warns(UndefinedMetricWarning, match=f"all {name}.* are in one group"):
        result = delong(y, s, groups=groups)
    assert result.estimate == 0.75
    assert math.isnan(result.standard_error)
    assert math.isnan(result.confidence_interval.low)
    with pytest.warns(UndefinedMetricWarning, match=f"all {name}.* are in one group"):
        test = delong_test(y, {"a": s, "b": [1, 2, 3, 4]}, groups=groups)
    assert math.isnan(test.details["pvalue"])


def test_no_spread_between_groups() -> None:
    with pytest.warns(DegenerateDataWarning, match="takes each example for one of its own"):
        result = delong([1, 1, 0, 0], [4, 3, 2, 1], groups=[1, 2, 1, 2])
    assert (result.estimate, result.standard_error) == (1, 0)


def test_groups_need_rows() -> None:
    table = ScoreTable.from_scores([0, 1, 1, 0], [1, 2, 3, 4])
    with pytest.raises(TypeError, match="`groups` needs rows: a ScoreTable holds counts"):
        delong(table, groups=[1, 2, 3, 4])
