"""Costs by row: every threshold's cost, the cheapest one, and what the trivial rules cost."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from reference import row_cost_oracle as oracle

ROWS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.integers(0, 6),
        st.integers(0, 9),
        st.integers(0, 9),
        st.integers(0, 3),
    ),
    min_size=2,
    max_size=25,
).filter(
    lambda rows: (
        {y for y, _, _, _, w in rows if w} == {0, 1}
        and any(w * (fn if y else fp) for y, _, fn, fp, w in rows)
    )
)
PREVALENCES = st.sampled_from([None, 0.25, 0.01, 0.9])


def oracle_rows(rows: list[tuple[int, ...]], weighted: bool = True) -> list[oracle.Row]:
    return [
        oracle.Row(y, s, Fraction(fn), Fraction(fp), Fraction(w if weighted else 1))
        for y, s, fn, fp, w in rows
        if w or not weighted
    ]


def test_prices_that_are_no_whole_numbers_of_rows_that_stand_for_several() -> None:
    y, s, times = np.array([1, 0, 1, 0]), np.array([4, 3, 2, 1]), np.array([2, 3, 1, 2])
    prices = {"cost_fn": np.array([0.5, 0.0, 0.75, 0.0]), "cost_fp": np.full(4, 0.25)}
    found = fm.costs.threshold_costs(y, s, sample_weight=times, **prices)
    # Thresholds from none positive down: positives missed, and alarms, of 8 rows.
    costs = [2 * 0.5 + 0.75, 0.75, 0.75 + 3 * 0.25, 3 * 0.25, 5 * 0.25]
    assert found.costs.tolist() == [cost / 8 for cost in costs]


@given(rows=ROWS, prevalence=PREVALENCES)
def test_definition(rows: list[tuple[int, ...]], prevalence: float | None) -> None:
    y, s, fn, fp, w = (np.array(column) for column in zip(*rows, strict=True))
    share = None if prevalence is None else Fraction(prevalence)
    found = fm.costs.threshold_costs(
        y, s, cost_fn=fn, cost_fp=fp, prevalence=prevalence, sample_weight=w
    )
    true = oracle_rows(rows)
    threshold, cost = oracle.cheapest(true, share)
    assert found.threshold == threshold  # whole costs: no tie is decided by rounding
    assert found.cost == pytest.approx(float(cost), rel=1e-14, abs=1e-300)
    for at in oracle.thresholds(true):
        expected = float(oracle.cost(true, at, share))
        assert found.cost_at(at) == pytest.approx(expected, rel=1e-14, abs=1e-14)
    assert found.cost_all_negative == found.costs[0] == found.cost_at(math.inf)
    assert found.cost_all_positive == found.costs[-1] == found.cost_at(-math.inf)
    best = fm.best_threshold(y, s, cost_fn=fn, cost_fp=fp, prevalence=prevalence, sample_weight=w)
    assert (best.threshold, best.value, best.criterion) == (threshold, found.cost, "lowest-cost")
    called = s >= threshold
    counts = [int(w[called & (y == 1)].sum()), int(w[called & (y == 0)].sum())]
    assert [best.tp, best.fp] == counts
    assert best.fn == w[y == 1].sum() - best.tp
    assert best.tn == w[y == 0].sum() - best.fp


@given(rows=ROWS, prevalence=PREVALENCES, fn=st.integers(0, 5), fp=st.integers(1, 5))
def test_one_number_is_that_number_for_each_row(
    rows: list[tuple[int, ...]], prevalence: float | None, fn: int, fp: int
) -> None:
    y, s, _, _, w = (np.array(column) for column in zip(*rows, strict=True))
    if not (fn * w[y == 1]).any() and not (fp * w[y == 0]).any():
        return
    more = {"prevalence": prevalence, "sample_weight": w}
    of_numbers = fm.costs.threshold_costs(y, s, cost_fn=fn, cost_fp=fp, **more)
    by_row = fm.costs.threshold_costs(
        y, s, cost_fn=np.full(len(y), fn), cost_fp=np.full(len(y), fp), **more
    )
    assert of_numbers.threshold == by_row.threshold
    assert of_numbers.cost == by_row.cost
    table = fm.ScoreTable.from_scores(y, s, sample_weight=w)
    of_table = fm.costs.threshold_costs(table, cost_fn=fn, cost_fp=fp, prevalence=prevalence)
    assert of_table == of_numbers
    best = [
        fm.best_threshold(*data, cost_fn=fn, cost_fp=fp, prevalence=prevalence, **w_)
        for data, w_ in (((table,), {}), ((y, s), {"sample_weight": w}))
    ]
    assert best[0] == best[1]


TENTHS = st.integers(0, 9)


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 6), TENTHS, TENTHS), min_size=2
    ).filter(
        lambda rows: (
            {y for y, *_ in rows} == {0, 1} and any(fn if y else fp for y, _, fn, fp in rows)
        )
    ),
    prevalence=st.sampled_from([None, 0.1, 0.2, 0.7]),
)
def test_tenths_decide_as_whole_numbers_do(
    rows: list[tuple[int, ...]], prevalence: float | None
) -> None:
    """Sums of 0.1 are not those of 1, divided by ten: what is equal stays so."""
    y, s, fn, fp = (np.array(column) for column in zip(*rows, strict=True))
    found = fm.costs.threshold_costs(y, s, cost_fn=fn / 10, cost_fp=fp / 10, prevalence=prevalence)
    true = [oracle.Row(a, b, Fraction(int(c)), Fraction(int(d))) for a, b, c, d in rows]
    share = None if prevalence is None else Fraction(round(10 * prevalence), 10)
    threshold, cost = oracle.cheapest(true, share)
    assert found.threshold == threshold
    assert found.cost == pytest.approx(float(cost / 10), rel=1e-14)


def test_equal_prices_are_the_error_rate_whatever_they_are() -> None:
    y, s = [0, 1, 0, 0, 1, 0, 1, 1, 0, 1], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    of_ones = fm.costs.threshold_costs(y, s, cost_fn=1, cost_fp=1)
    for price in (0.1, 0.3, 1 / 3, 1e-5):
        found = fm.costs.threshold_costs(y, s, cost_fn=price, cost_fp=price)
        assert found.threshold == of_ones.threshold
        weighted = fm.costs.threshold_costs(y, s, cost_fn=1, cost_fp=1, sample_weight=[price] * 10)
        assert weighted.threshold == of_ones.threshold


def test_a_small_rest_is_no_difference_of_large_sums() -> None:
    found = fm.costs.threshold_costs([1, 1, 0], [3, 1, 0], cost_fn=[1e17, 0.7, 1], cost_fp=2)
    assert found.costs.tolist() == [(1e17 + 0.7) / 3, 0.7 / 3, 0.0, 2 / 3]


def test_half_has_a_meaning_for_probabilities_alone() -> None:
    y = [0, 1, 0, 1]
    assert (
        fm.costs.threshold_costs(y, [0.1, 0.6, 0.7, 0.9], cost_fn=2, cost_fp=1).cost_at_half == 0.25
    )
    for scores in ([0.1, 0.6, 0.7, 1.1], [-0.1, 0.6, 0.7, 0.9]):
        assert math.isnan(fm.costs.threshold_costs(y, scores, cost_fn=2, cost_fp=1).cost_at_half)


def test_savings() -> None:
    found = fm.costs.threshold_costs([0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9], cost_fn=2, cost_fp=1)
    assert (found.cost_all_positive, found.cost_all_negative) == (0.5, 1.0)
    assert (found.savings, found.savings_at(0.65), found.savings_at(5)) == (0.5, -0.5, -1.0)
    free = fm.costs.threshold_costs([0, 1], [0.1, 0.6], cost_fn=0, cost_fp=1)
    assert free.threshold == math.inf
    assert math.isnan(free.savings)


def test_large_costs_and_weights_stay_exact() -> None:
    y, s = [0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9]
    cents = [10**15 + 1, 10**15 + 3, 7, 11]
    found = fm.costs.threshold_costs(y, s, cost_fn=cents, cost_fp=cents)
    assert found.costs.tolist() == [
        (10**15 + 14) / 4,
        (10**15 + 3) / 4,
        (10**15 + 10) / 4,
        1.75,
        (10**15 + 8) / 4,
    ]
    scaled = fm.costs.threshold_costs(y, s, cost_fn=2, cost_fp=1, sample_weight=[1e-300] * 4)
    assert scaled.cost == 0.25
    huge = fm.costs.threshold_costs(y, s, cost_fn=2e140, cost_fp=1e140, sample_weight=[1e150] * 4)
    assert huge.cost == 0.25e140
    by_row = fm.costs.threshold_costs(
        y, s, cost_fn=[2e140] * 4, cost_fp=[1e140] * 4, sample_weight=[1e150] * 4
    )
    assert by_row.cost == pytest.approx(0.25e140, rel=1e-15)
    best = fm.best_threshold(y, s, cost_fn=2, cost_fp=1, sample_weight=[1e-300] * 4)
    assert best.tp == 2e-300


@pytest.mark.filterwarnings("error")
def test_huge_weights_and_prices_together() -> None:
    y, s = [0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9]
    prices = {"cost_fn": [2e140] * 4, "cost_fp": [1e140] * 4, "sample_weight": [1e308] * 4}
    best = fm.best_threshold(y, s, **prices)
    assert (best.recall, best.false_positive_rate, best.tp) == (1.0, 0.5, math.inf)
    huge = fm.costs.threshold_cost_interval(y, s, **prices)
    plain = fm.costs.threshold_cost_interval(y, s, cost_fn=[2] * 4, cost_fp=[1] * 4)
    assert np.array(huge.confidence_interval) == pytest.approx(
        1e140 * np.array(plain.confidence_interval), rel=1e-12
    )


def test_prices_in_objects_are_read_and_booleans_are_called_so() -> None:
    y, s = [0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9]
    objects = np.array([1.5, 2, 3, 4], dtype=object)
    with pytest.warns(fm.DataConversionWarning, match="`cost_fn` has dtype object"):
        found = fm.costs.threshold_costs(y, s, cost_fn=objects, cost_fp=1)
    assert found == fm.costs.threshold_costs(y, s, cost_fn=[1.5, 2.0, 3.0, 4.0], cost_fp=1)


NAN, INF = math.nan, math.inf
FAULTS = [
    ({"cost_fn": [1, 2, 3]}, ValueError, "`cost_fn` has 3 rows, `y_true` 4: lengths differ"),
    ({"cost_fn": 0, "cost_fp": 0}, ValueError, "must not be all 0: no mistake on these rows"),
    ({"cost_fn": [0] * 4, "cost_fp": 0}, ValueError, "must not be all 0: no mistake on these rows"),
    (
        {"cost_fn": pd.Series([1, 2, 3, 4], index=[3, 2, 1, 0]), "y_true": "series"},
        ValueError,
        "row labels .an index. in another order",
    ),
]


@pytest.mark.parametrize(
    "call", [fm.costs.threshold_costs, fm.best_threshold, fm.costs.threshold_cost_interval]
)
@pytest.mark.parametrize(("given_", "error", "message"), FAULTS)
def test_faults(call, given_, error, message) -> None:
    given_ = {"cost_fn": 2, "cost_fp": 1, **given_}
    y = [0, 1, 0, 1]
    if given_.pop("y_true", None):
        y = pd.Series(y, index=[0, 3, 1, 2])
    with pytest.raises(error, match=message):
        call(y, [0.1, 0.6, 0.7, 0.9], **given_)


def test_criterion_and_costs_go_together() -> None:
    y, s = [0, 1], [0.1, 0.6]
    with pytest.raises(TypeError, match="criterion 'lowest-cost' needs `cost_fp`"):
        fm.best_threshold(y, s, cost_fn=1)
    with pytest.raises(TypeError, match="`cost_fn` has no meaning for criterion 'youden'"):
        fm.best_threshold(y, s, criterion="youden", cost_fn=1, cost_fp=1)
    with pytest.raises(TypeError, match="`prevalence` has no meaning for criterion 'youden'"):
        fm.best_threshold(y, s, prevalence=0.1)
    table = fm.ScoreTable.from_scores(y, s)
    with pytest.raises(TypeError, match="a ScoreTable has no rows"):
        fm.costs.threshold_costs(table, cost_fn=[1, 2], cost_fp=1)


def test_the_bootstrap_refuses_what_it_does_not_cover() -> None:
    costs = {"criterion": "lowest-cost", "cost_fn": 5, "cost_fp": 1}
    with pytest.raises(ValueError, match="neither the cheapest threshold nor its cost"):
        fm.bootstrap([0, 1, 0, 1], [1, 2, 3, 4], metrics=("best_threshold", costs))
    with pytest.raises(TypeError, match="`cost_fn` has no meaning for criterion 'youden'"):
        fm.bootstrap([0, 1, 0, 1], [1, 2, 3, 4], metrics=("best_threshold", {"cost_fn": 5}))
