"""Matrices, areas under precision and recall, rank correlation."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, strategies as st
from label_samples import (
    assert_as_scikit_learn,
    assert_close,
    indicator_rows,
    label_rows,
    quarters,
    whole,
)

import fastmetrics as fm
from fastmetrics import ScoreTable, pr_auc
from fastmetrics.concordance import (
    concordance_index,
    goodman_kruskal_gamma,
    kendall_tau,
    somers_d,
    spearman_rho,
)
from fastmetrics.costs import threshold_cost_interval, threshold_costs
from reference import (
    classification_oracle as oracle,
    concordance_oracle,
    pr_oracle,
    row_cost_oracle,
)

NORMALIZE = (None, "true", "pred", "all")
ONE_CLASS = "ignore:A single label was found:UserWarning"


@pytest.mark.filterwarnings(ONE_CLASS)
@given(
    label_rows(weights=whole) | label_rows(weights=quarters),
    st.sampled_from([None, [2, 0, 1, 3], [1, 0], [9, 3, 0, 1]]),
)
def test_matrix_against_the_definition(sample, labels):
    y, p, w = sample
    y[0] = 0  # a label that is asked for
    rows = oracle.rows_of_labels(y.tolist(), p.tolist(), w.tolist())
    selected = oracle.labels_seen(rows) if labels is None else labels
    cells = oracle.matrix(rows, selected)
    assert_close(fm.confusion_matrix(y, p, labels=labels, sample_weight=w), cells)
    sums = {
        "true": [[sum(row)] * len(selected) for row in cells],
        "pred": [[sum(column) for column in zip(*cells, strict=True)]] * len(selected),
        "all": [[sum(map(sum, cells))] * len(selected)] * len(selected),
    }
    for normalize, whole_ in sums.items():
        fractions = [
            [oracle.over(*pair) or 0 for pair in zip(*both, strict=True)]
            for both in zip(cells, whole_, strict=True)
        ]
        ours = fm.confusion_matrix(y, p, labels=labels, sample_weight=w, normalize=normalize)
        assert ours.dtype == np.float64
        assert_close(ours, fractions)


@given(label_rows(weights=whole) | label_rows(weights=quarters))
def test_classes_against_the_rest_by_definition(sample):
    y, p, w = sample
    rows = oracle.rows_of_labels(y.tolist(), p.tolist(), w.tolist())
    for labels in (None, [2, 0, 9, 2]):
        selected = oracle.labels_seen(rows) if labels is None else labels
        ours = fm.multilabel_confusion_matrix(y, p, labels=labels, sample_weight=w)
        assert_close(ours, [oracle.two_by_two(rows, label) for label in selected])


@given(indicator_rows(weights=whole) | indicator_rows(weights=quarters))
def test_columns_and_rows_of_indicators_by_definition(sample):
    y, p, w = sample
    rows = oracle.rows_of_indicators(y.tolist(), p.tolist(), w.tolist())
    for labels in (None, [1, 0, 1]):
        selected = list(range(y.shape[1])) if labels is None else labels
        columns = [oracle.two_by_two(rows, label) for label in selected]
        by_row = []
        for row in rows:
            matrices = [oracle.two_by_two([row], label) for label in selected]
            by_row.append(
                [[sum(matrix[i][j] for matrix in matrices) for j in (0, 1)] for i in (0, 1)]
            )
        for convert in (np.asarray, scipy.sparse.csr_matrix):
            options = {"labels": labels, "sample_weight": w}
            ours = fm.multilabel_confusion_matrix(convert(y), convert(p), **options)
            assert_close(ours, columns)
            ours = fm.multilabel_confusion_matrix(
                convert(y), convert(p), samplewise=True, **options
            )
            assert_close(ours, by_row)


def test_what_scikit_learn_warns_of_or_refuses():
    cases = [
        ([1, 1], [1, 1], {}),
        ([0, 1], [0, 1], {"labels": [0]}),
        ([1, 1], [1, 1], {"normalize": "true"}),
        ([0, 1], [0, 1], {"labels": [7, 8]}),
        ([0, 0], [1, 1], {"labels": [1]}),
        ([0, 1], [0, 1], {"labels": []}),
        ([0, 1], [0, 1], {"labels": ["a"]}),
        ([0, 1], [1, 1], {"labels": [0], "sample_weight": [0, 1]}),
        ([0, 1], [1, 1], {"labels": [0, 3], "sample_weight": [0, 1]}),
        ([0, 1], [0, 1], {"normalize": "rows"}),
        ([[0, 1]], [[0, 1]], {}),
        ([0, 1, 1], [0, 1], {}),
    ]
    for y, p, options in cases:
        assert_as_scikit_learn("confusion_matrix", y, p, **options)


@given(label_rows(n_classes=3), st.sampled_from(NORMALIZE))
def test_a_matrix_in_place_of_rows(sample, normalize):
    y, p, _ = sample
    matrix = fm.ConfusionMatrix.from_labels(y, p, labels=[0, 1, 2])
    ours = fm.confusion_matrix(matrix, labels=[2, 0, 1], normalize=normalize)
    y = np.append(y, [0, 1, 2])
    p = np.append(p, [0, 1, 2])
    w = np.append(np.ones(len(y) - 3, dtype=int), [0, 0, 0])
    rows = fm.confusion_matrix(y, p, sample_weight=w, labels=[2, 0, 1], normalize=normalize)
    np.testing.assert_array_equal(ours, rows)
    np.testing.assert_array_equal(
        fm.multilabel_confusion_matrix(matrix),
        fm.multilabel_confusion_matrix(y, p, sample_weight=w),
    )


def test_the_result_is_the_callers_own():
    matrix = fm.ConfusionMatrix.binary(tp=3, fp=1, fn=2, tn=4)
    cells = fm.confusion_matrix(matrix)
    cells[:] = 0
    assert matrix.tp == 3


def test_counts_beyond_doubles_are_exact():
    matrix = fm.ConfusionMatrix.binary(tp=2**61 + 1, fn=2**60 + 3, fp=0, tn=5)
    fractions = fm.confusion_matrix(matrix, normalize="true")
    assert fractions[1, 1] == (2**61 + 1) / (2**61 + 2**60 + 4)
    assert fm.multilabel_confusion_matrix(matrix)[1].tolist() == [[5, 0], [2**60 + 3, 2**61 + 1]]


def test_continuous_is_the_limit_of_the_recipe() -> None:
    y = [1, 0, 1, 1, 0, 0, 1, 0]
    s = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.33, 0.15]
    assert pr_auc(y, s) == pytest.approx(pr_oracle.davis_goadrich(y, s, 1000), abs=1e-6)


@pytest.mark.parametrize("before", [1, 10**3, 10**9, 10**15])
@pytest.mark.parametrize("tie", [(1, 0), (1, 1), (3, 10**6)])
def test_long_runs_of_false_positives_lose_no_digits(before: int, tie: tuple[int, int]) -> None:
    """One positive after many negatives: the two terms of the usual form nearly cancel."""
    table = ScoreTable.from_counts([2.0, 1.0], [0, tie[0]], [before, tie[1]])
    expected = pr_oracle.continuous([0, 1, 0], [2, 1, 1], [before, *tie])
    assert pr_auc(table) == pytest.approx(expected, rel=4e-15)


#: The aml data of R's survival, the maintained arm, with the scores and weights of its tests.
TIME = [9, 13, 13, 18, 23, 28, 31, 34, 45, 48, 161]
EVENT = [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0]
SCORE = [1, 6, 2, 7, 3, 7, 3, 8, 4, 4, 5]
WEIGHTS = [1, 2, 3, 2, 1, 2, 3, 4, 3, 2, 1]
LONGER: Any = {"higher_score_means": "longer-time"}
SHORTER: Any = {"higher_score_means": "shorter-time"}

values = st.integers(-3, 3)
weighed = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), values, st.integers(1, 8)), min_size=1, max_size=14
)


# --- pairs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "options", "why"),
    [
        (kendall_tau, {}, "Kendall's tau-b is undefined: all values of one side tie"),
        (kendall_tau, {"variant": "c"}, "tau-c is undefined: all values of one side tie"),
        (somers_d, {}, "undefined: all values of the outcome tie"),
        (goodman_kruskal_gamma, {}, "gamma is undefined: every pair ties"),
        (spearman_rho, {}, "rho is undefined: all values of one side tie"),
    ],
)
def test_ties_alone_are_nan(function, options, why) -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match=why):
        assert math.isnan(function([1, 1, 1], [1, 2, 3], **options))


def test_perfect_agreement_is_exactly_1(rng) -> None:
    for n in (3, 1_000, 4_099):
        outcome = np.append(0, rng.integers(1, n // 2 + 2, n))
        for function in (kendall_tau, somers_d, spearman_rho, goodman_kruskal_gamma):
            assert function(outcome, 3.5 * outcome) == 1.0
            assert function(outcome, -outcome) == -1.0


def test_large_integers_keep_their_order() -> None:
    assert kendall_tau([1, 2, 3], [2**60, 2**60 + 1, 2**60 + 2]) == 1.0


# --- the concordance index -----------------------------------------------------------------------


def columns(rows: Any) -> tuple[list[int], list[bool], list[int], list[int]]:
    time, event, score, weights = map(list, zip(*rows, strict=True))
    return time, event, score, weights


@given(
    rows=weighed, tau=st.sampled_from([None, 3, 5]), half=st.booleans(), is_weighted=st.booleans()
)
@pytest.mark.parametrize("weighting", ["harrell", "uno"])
def test_index_is_what_every_pair_says(weighting, rows, tau, half, is_weighted) -> None:
    time, event, score, weights = columns(rows)
    given_weights = weights if is_weighted else None
    options = {"weighting": weighting, "tau": tau, "ties_in_score": "half" if half else "excluded"}
    right = concordance_oracle.index(
        time, event, score, given_weights, half=half, tau=tau, weighting=weighting
    )
    call = {**SHORTER, **options, "sample_weight": given_weights}
    if math.isnan(right):
        with pytest.warns(fm.UndefinedMetricWarning, match="no pair of times is"):
            assert math.isnan(concordance_index(time, event, score, **call))
        return
    index = concordance_index(time, event, score, **call)
    assert index == (right if weighting == "harrell" else pytest.approx(right, rel=1e-12))
    assert concordance_index(time, event, [-s for s in score], **{**call, **LONGER}) == index


def test_figures_of_r() -> None:
    """Compare with tests/concordance2.R of survival: 24, 14, 2, and 91, 70, 7 with weights."""
    assert concordance_oracle.index_pairs(TIME, EVENT, [-s for s in SCORE]) == (24, 14, 2)
    assert concordance_index(TIME, EVENT, SCORE, **LONGER) == 25 / 40
    index = concordance_index(TIME, EVENT, SCORE, sample_weight=WEIGHTS, **LONGER)
    assert index == (91 + 3.5) / 168


def lung() -> tuple[Any, Any, Any]:
    """Return time, event and ph.ecog of R's lung data where it is known."""
    data = pytest.importorskip("lifelines.datasets").load_lung().dropna(subset=["ph.ecog"])
    event = data["status"].to_numpy()
    return data["time"].to_numpy(), event == event.max(), data["ph.ecog"].to_numpy()


def test_figures_of_r_on_lung() -> None:
    """Compare with the same file: concordant 8392, discordant 4258, tied 7137."""
    time, event, score = lung()
    index = concordance_index(time, event, score, **SHORTER)
    assert index == (8392 + 7137 / 2) / (8392 + 4258 + 7137)


def survival(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    time = np.ceil(rng.exponential(20.0, n))
    return time, rng.random(n) < 0.6, np.round(rng.normal(size=n) - time / 20, 1)


def test_is_lifelines(rng) -> None:
    utils = pytest.importorskip("lifelines.utils")
    time, event, score = survival(rng, 300)
    right = utils.concordance_index(time, score, event)
    assert concordance_index(time, event, score, **LONGER) == pytest.approx(right, rel=1e-12)


def test_is_scikit_survival(rng) -> None:
    metrics = pytest.importorskip("sksurv.metrics")
    time, event, score = survival(rng, 300)
    right = metrics.concordance_index_censored(event, time, score)[0]
    assert concordance_index(time, event, score, **SHORTER) == pytest.approx(right, rel=1e-12)
    rows = np.array(list(zip(event, time, strict=True)), dtype=[("event", bool), ("time", float)])
    for tau in (None, 25.0):
        right = metrics.concordance_index_ipcw(rows, rows, score, tau=tau)[0]
        options = {"weighting": "uno-scikit-survival", "tau": tau}
        index = concordance_index(time, event, score, **SHORTER, **options)
        assert index == pytest.approx(right, rel=1e-12)


@pytest.mark.parametrize("event", [[0] * 11, [False] * 10 + [True]])
def test_no_comparable_pair(event) -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="no pair of times is comparable"):
        assert math.isnan(concordance_index(TIME, event, SCORE, **LONGER))


def test_ties_alone_may_be_left_out() -> None:
    data = ([1, 2, 3], [1, 1, 1], [5, 5, 5])
    assert concordance_index(*data, **LONGER) == 0.5
    with pytest.warns(fm.UndefinedMetricWarning, match="no pair of times is of different scores"):
        assert math.isnan(concordance_index(*data, ties_in_score="excluded", **LONGER))


def test_a_share_of_0_is_refused() -> None:
    data = ([1, 2, 3, 3], [1, 1, 1, 0], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="at the last one it is 0: pass `tau`"):
        concordance_index(*data, weighting="uno-scikit-survival", **LONGER)
    assert concordance_index(*data, weighting="uno-scikit-survival", tau=3, **LONGER) == 1.0


ROWS_ROW_COSTS = st.lists(
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


def oracle_rows(rows: list[tuple[int, ...]], weighted: bool = True) -> list[row_cost_oracle.Row]:
    return [
        row_cost_oracle.Row(y, s, Fraction(fn), Fraction(fp), Fraction(w if weighted else 1))
        for y, s, fn, fp, w in rows
        if w or not weighted
    ]


def test_prices_that_are_no_whole_numbers_of_rows_that_stand_for_several() -> None:
    y = np.array([1, 0, 1, 0])
    s = np.array([4, 3, 2, 1])
    times = np.array([2, 3, 1, 2])
    costs_of_errors = {"cost_fn": np.array([0.5, 0.0, 0.75, 0.0]), "cost_fp": np.full(4, 0.25)}
    result = threshold_costs(y, s, sample_weight=times, **costs_of_errors)
    # Thresholds from none positive down: positives missed, and alarms, of 8 rows.
    costs = [2 * 0.5 + 0.75, 0.75, 0.75 + 3 * 0.25, 3 * 0.25, 5 * 0.25]
    assert result.costs.tolist() == [cost / 8 for cost in costs]


@given(rows=ROWS_ROW_COSTS, prevalence=PREVALENCES)
def test_definition(rows: list[tuple[int, ...]], prevalence: float | None) -> None:
    y, s, fn, fp, w = (np.array(column) for column in zip(*rows, strict=True))
    proportion = None if prevalence is None else Fraction(prevalence)
    costs = threshold_costs(y, s, cost_fn=fn, cost_fp=fp, prevalence=prevalence, sample_weight=w)
    true = oracle_rows(rows)
    threshold, cost = row_cost_oracle.cheapest(true, proportion)
    assert costs.threshold == threshold  # whole costs: no tie is decided by rounding
    assert costs.cost == pytest.approx(float(cost), rel=1e-14, abs=1e-300)
    for at in row_cost_oracle.thresholds(true):
        expected = float(row_cost_oracle.cost(true, at, proportion))
        assert costs.cost_at(at) == pytest.approx(expected, rel=1e-14, abs=1e-14)
    assert costs.cost_all_negative == costs.costs[0] == costs.cost_at(math.inf)
    assert costs.cost_all_positive == costs.costs[-1] == costs.cost_at(-math.inf)
    best = fm.best_threshold(y, s, cost_fn=fn, cost_fp=fp, prevalence=prevalence, sample_weight=w)
    assert (best.threshold, best.value, best.criterion) == (threshold, costs.cost, "lowest-cost")
    called = s >= threshold
    counts = [int(w[called & (y == 1)].sum()), int(w[called & (y == 0)].sum())]
    assert [best.tp, best.fp] == counts
    assert best.fn == w[y == 1].sum() - best.tp
    assert best.tn == w[y == 0].sum() - best.fp


@given(rows=ROWS_ROW_COSTS, prevalence=PREVALENCES, fn=st.integers(0, 5), fp=st.integers(1, 5))
def test_one_number_is_that_number_for_each_row(
    rows: list[tuple[int, ...]], prevalence: float | None, fn: int, fp: int
) -> None:
    y, s, _, _, w = (np.array(column) for column in zip(*rows, strict=True))
    if not (fn * w[y == 1]).any() and not (fp * w[y == 0]).any():
        return
    more = {"prevalence": prevalence, "sample_weight": w}
    by_number = threshold_costs(y, s, cost_fn=fn, cost_fp=fp, **more)
    by_row = threshold_costs(y, s, cost_fn=np.full(len(y), fn), cost_fp=np.full(len(y), fp), **more)
    assert by_number.threshold == by_row.threshold
    assert by_number.cost == by_row.cost
    table = fm.ScoreTable.from_scores(y, s, sample_weight=w)
    assert threshold_costs(table, cost_fn=fn, cost_fp=fp, prevalence=prevalence) == by_number
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
    costs = threshold_costs(y, s, cost_fn=fn / 10, cost_fp=fp / 10, prevalence=prevalence)
    true = [row_cost_oracle.Row(a, b, Fraction(int(c)), Fraction(int(d))) for a, b, c, d in rows]
    proportion = None if prevalence is None else Fraction(round(10 * prevalence), 10)
    threshold, cost = row_cost_oracle.cheapest(true, proportion)
    assert costs.threshold == threshold
    assert costs.cost == pytest.approx(float(cost / 10), rel=1e-14)


def test_equal_prices_are_the_error_rate_whatever_they_are() -> None:
    y = [0, 1, 0, 0, 1, 0, 1, 1, 0, 1]
    s = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    unit_costs = threshold_costs(y, s, cost_fn=1, cost_fp=1)
    for price in (0.1, 0.3, 1 / 3, 1e-5):
        assert threshold_costs(y, s, cost_fn=price, cost_fp=price).threshold == unit_costs.threshold
        weighted = threshold_costs(y, s, cost_fn=1, cost_fp=1, sample_weight=[price] * 10)
        assert weighted.threshold == unit_costs.threshold


def test_a_small_rest_is_no_difference_of_large_sums() -> None:
    costs = threshold_costs([1, 1, 0], [3, 1, 0], cost_fn=[1e17, 0.7, 1], cost_fp=2)
    assert costs.costs.tolist() == [(1e17 + 0.7) / 3, 0.7 / 3, 0.0, 2 / 3]


def test_half_has_a_meaning_for_probabilities_alone() -> None:
    y = [0, 1, 0, 1]
    assert threshold_costs(y, [0.1, 0.6, 0.7, 0.9], cost_fn=2, cost_fp=1).cost_at_half == 0.25
    for scores in ([0.1, 0.6, 0.7, 1.1], [-0.1, 0.6, 0.7, 0.9]):
        assert math.isnan(threshold_costs(y, scores, cost_fn=2, cost_fp=1).cost_at_half)


def test_savings() -> None:
    costs = threshold_costs([0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9], cost_fn=2, cost_fp=1)
    assert (costs.cost_all_positive, costs.cost_all_negative) == (0.5, 1.0)
    assert (costs.savings, costs.savings_at(0.65), costs.savings_at(5)) == (0.5, -0.5, -1.0)
    free = threshold_costs([0, 1], [0.1, 0.6], cost_fn=0, cost_fp=1)
    assert free.threshold == math.inf
    assert math.isnan(free.savings)


def test_large_costs_and_weights_stay_exact() -> None:
    y, s = [0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9]
    cents = [10**15 + 1, 10**15 + 3, 7, 11]
    assert threshold_costs(y, s, cost_fn=cents, cost_fp=cents).costs.tolist() == [
        (10**15 + 14) / 4,
        (10**15 + 3) / 4,
        (10**15 + 10) / 4,
        1.75,
        (10**15 + 8) / 4,
    ]
    assert threshold_costs(y, s, cost_fn=2, cost_fp=1, sample_weight=[1e-300] * 4).cost == 0.25
    huge = threshold_costs(y, s, cost_fn=2e140, cost_fp=1e140, sample_weight=[1e150] * 4)
    assert huge.cost == 0.25e140
    by_row = threshold_costs(
        y, s, cost_fn=[2e140] * 4, cost_fp=[1e140] * 4, sample_weight=[1e150] * 4
    )
    assert by_row.cost == pytest.approx(0.25e140, rel=1e-15)
    assert fm.best_threshold(y, s, cost_fn=2, cost_fp=1, sample_weight=[1e-300] * 4).tp == 2e-300


@pytest.mark.filterwarnings("error")
def test_huge_weights_and_prices_together() -> None:
    y, s = [0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9]
    options = {"cost_fn": [2e140] * 4, "cost_fp": [1e140] * 4, "sample_weight": [1e308] * 4}
    best = fm.best_threshold(y, s, **options)
    assert (best.recall, best.false_positive_rate, best.tp) == (1.0, 0.5, math.inf)
    huge = threshold_cost_interval(y, s, **options)
    plain = threshold_cost_interval(y, s, cost_fn=[2] * 4, cost_fp=[1] * 4)
    assert np.array(huge.confidence_interval) == pytest.approx(
        1e140 * np.array(plain.confidence_interval), rel=1e-12
    )


def test_prices_in_objects_are_read_and_booleans_are_called_so() -> None:
    y, s = [0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9]
    objects = np.array([1.5, 2, 3, 4], dtype=object)
    with pytest.warns(fm.DataConversionWarning, match="`cost_fn` has dtype object"):
        costs = threshold_costs(y, s, cost_fn=objects, cost_fp=1)
    assert costs == threshold_costs(y, s, cost_fn=[1.5, 2.0, 3.0, 4.0], cost_fp=1)


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


@pytest.mark.parametrize("call", [threshold_costs, fm.best_threshold, threshold_cost_interval])
@pytest.mark.parametrize(("given_", "error", "message"), FAULTS)
def test_faults_row_costs(call, given_, error, message) -> None:
    given_ = {"cost_fn": 2, "cost_fp": 1, **given_}
    y = [0, 1, 0, 1]
    if given_.pop("y_true", None):
        y = pd.Series(y, index=[0, 3, 1, 2])
    with pytest.raises(error, match=message):
        call(y, [0.1, 0.6, 0.7, 0.9], **given_)
