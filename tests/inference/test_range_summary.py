"""Summaries of ranges of scores: whatever the cut and the order, the evaluation of all rows."""

import itertools
import math
import warnings
from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, strategies as st

import evaluations
import fastmetrics as fm
from fastmetrics import ScoreTable, evaluate
from fastmetrics._report.score_evaluation import evaluation_of
from fastmetrics._threads.workers import at_most
from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.inference.range_summary import summary_of
from fastmetrics.tables.score_table import PIECE_ROWS


def in_memory(table, name="score", level=0.95):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return evaluate({name: table}, confidence_level=level)[0]


def cut(table, cuts):
    """Return the tables of consecutive ranges of a table's scores, the highest first."""
    ends = [0, *sorted(cuts), len(table)]
    columns = table.scores, table.positives, table.negatives
    return [
        ScoreTable.from_counts(*(column[a:b].copy() for column in columns))
        for a, b in itertools.pairwise(ends)
    ]


def summaries(table, cuts):
    found, tp, fp = [], 0, 0
    for part in cut(table, cuts):
        found.append(summary_of(part, tp, fp, table.n_positive, table.n_negative))
        tp, fp = tp + part.n_positive, fp + part.n_negative
    return found


def evaluation(summary, name="score", level=0.95):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return evaluation_of(summary, name, level)


def exact_average_precision(table):
    tp, fp, total = 0, 0, Fraction(0)
    for p, n in zip(table.positives.tolist(), table.negatives.tolist(), strict=True):
        tp, fp = tp + p, fp + n
        total += Fraction(p * tp, tp + fp)
    return total / tp


def agree(found, table):
    expected = in_memory(table, found.name)
    assert evaluations.agree(found, expected)
    if table.n_positive and table.n_negative:
        assert math.isclose(
            found.average_precision, exact_average_precision(table), rel_tol=2.0**-51
        )
        assert math.isclose(found.average_precision, expected.average_precision, rel_tol=1e-14)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 40))
    scores = draw(st.sampled_from(["distinct", "tied", "constant"]))
    kind = draw(st.sampled_from([np.float64, np.float32, np.int64, np.uint64]))
    values = {
        "distinct": np.arange(n),
        "tied": np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))),
        "constant": np.zeros(n),
    }[scores]
    most = draw(st.sampled_from([1, 3, 10**6]))
    counts = st.lists(st.integers(0, most), min_size=n, max_size=n)
    return ScoreTable.from_counts(
        values.astype(kind), np.array(draw(counts)), np.array(draw(counts))
    )


@given(st.data())
def test_any_cut_in_any_order_is_the_whole(data):
    table = data.draw(tables())
    cuts = data.draw(st.lists(st.integers(0, len(table)), max_size=6))
    found = data.draw(st.permutations(summaries(table, cuts)))
    split = data.draw(st.integers(0, len(found)))
    halves = [reduce(add, half) for half in (found[:split], found[split:]) if half]
    total = reduce(add, halves)
    assert total == sum(found) == summary_of(table)
    agree(evaluation(total), table)


@pytest.mark.parametrize(
    "kind", [np.float32, *(pytest.param(k, marks=pytest.mark.exhaustive) for k in (float, int))]
)
def test_tables_of_many_rows(rng, kind):
    n = 3 * PIECE_ROWS
    y = rng.integers(0, 2, n)
    scores = (1000 * (rng.normal(size=n) + y)).astype(kind)
    table = ScoreTable.from_scores(y, scores)
    cuts = np.sort(rng.integers(0, len(table), 20)).tolist()
    total = sum(summaries(table, cuts))
    with at_most(1):
        assert total == summary_of(table)
    assert total == summary_of(table)
    agree(evaluation(total, "a model"), table)
    assert total.pairs.auc == evaluation(total).roc_auc
    assert total.pairs.rank_loss == pytest.approx(1 - total.pairs.auc)


@pytest.mark.parametrize(
    ("positives", "negatives"),
    [
        ([0, 0, 3], [2, 1, 0]),  # all wrong: inf is the best threshold
        ([3, 0, 0], [0, 2, 1]),  # all right
        ([1, 1, 1], [1, 1, 1]),
        ([0, 2, 0], [5, 0, 5]),  # the break-even point: undefined
        ([3], [4]),
    ],
)
def test_curves_of_a_few_corners(positives, negatives):
    scores = np.arange(len(positives), 0, -1.0)
    table = ScoreTable.from_counts(scores, positives, negatives)
    agree(evaluation(sum(summaries(table, range(1, len(table))))), table)


@pytest.mark.parametrize("exponent", [31, 40, 61])
def test_counts_whose_products_fit_no_int64(rng, exponent):
    n = 50
    positives, negatives = rng.integers(0, 2**exponent // n, (2, n))
    positives[::7], negatives[::5] = 0, 0
    table = ScoreTable.from_counts(np.arange(n), positives, negatives)
    for cuts in ([], [10, 20, 21, 40]):
        agree(evaluation(sum(summaries(table, cuts))), table)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_losses_of_probabilities_are_those_of_rows(rng, kind):
    n = 2_000
    y = rng.integers(0, 2, n)
    p = np.round(np.clip(rng.normal(0.3 + 0.4 * y, 0.4), 0.0, 1.0), 3).astype(kind)
    own = fm.evaluate(y, {"m": p})
    table = ScoreTable.from_scores(y, p)
    total = sum(summaries(table, [1, 200, 500]))
    found = evaluation(total, "m").estimates
    of_table = fm.evaluate({"m": table})
    assert of_table.notes == own.notes[:1]
    for name in ("brier_score", "log_loss"):
        expected = own["m"].estimates[name]
        for one in (found[name], of_table["m"].estimates[name]):
            same = [one.estimate, one.standard_error, one.df, *one.confidence_interval]
            given = [expected.estimate, expected.standard_error, expected.df]
            assert same == pytest.approx([*given, *expected.confidence_interval], rel=1e-9)


@pytest.mark.parametrize(
    "scores", [[0.0, 0.0, 1.0, 1.0], [0.2, 0.4, 0.6, 1.5], [-0.1, 0.4, 0.6, 0.9], [0, 1, 2, 3]]
)
def test_what_is_no_probability_has_no_losses(scores):
    table = ScoreTable.from_scores([0, 1, 0, 1], scores)
    total = sum(summaries(table, range(1, len(table))))
    for found in (evaluation(total), in_memory(table)):
        assert "log_loss" not in found.estimates
    both = fm.evaluate({"a": table, "b": ScoreTable.from_scores([0, 1, 0, 1], [0.1, 0.3, 0.2, 1])})
    assert "log_loss" not in both["b"].estimates
    assert both.notes == ()


def test_losses_of_one_class_are_left_to_rows():
    runs = fm.streams.ScoreRuns(memory="2MB")
    runs.update([1, 1, 1], [0.2, 0.3, 0.4])
    with pytest.raises(ValueError, match="`log_loss` of ranges needs rows of both classes"):
        fm.estimate(runs, metrics="log_loss")


def test_a_balance_without_a_positive_is_told():
    table = ScoreTable.from_counts([2.0, 1.0], [0, 2], [5, 0])
    with pytest.warns(UndefinedMetricWarning, match="break-even point is not defined"):
        evaluation_of(sum(summaries(table, [1])), "score", 0.95)


def test_one_class_is_told():
    with pytest.warns(UndefinedMetricWarning, match="no positive example"):
        found = evaluation_of(summary_of(ScoreTable.from_scores([0, 0], [1, 2])), "m", 0.95)
    assert (found.n_positive, found.n_negative) == (0, 2)


def test_what_is_missing_or_in_twice_is_refused(rng):
    table = ScoreTable.from_scores(rng.integers(0, 2, 60), rng.normal(size=60))
    first, second, third = summaries(table, [20, 40])
    with pytest.raises(ValueError, match="some are missing, or in twice"):
        evaluation(first + third)
    with pytest.raises(ValueError, match="some are missing, or in twice"):
        _ = (first + second).pairs
    with pytest.raises(ValueError, match="added twice"):
        sum([first, second, third]) + sum([first, second, third])
    with pytest.raises(ValueError, match="ranges of different data"):
        first + summary_of(table, n_positive=100)
    with pytest.raises(TypeError):
        first + 1
    with pytest.raises(TypeError, match="fractional weights"):
        summary_of(ScoreTable.from_counts([1.0], [0.5], [0.5]))
