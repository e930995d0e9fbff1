"""Transformations that leave a metric unchanged, by the laws in its entry of the registry."""

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from samples import (
    Group,
    arrays,
    assert_close,
    assert_equal,
    assert_same,
    drawn,
    fast,
    few,
    grouped,
    settled,
)

from fastmetrics import ConfusionMatrix, RegressionTable, ScoreTable
from registry import ENTRIES, Entry, entry as kinds

Array = np.ndarray[Any, Any]
TESTED = set()


def under(law: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that runs a test with drawn data for each group of entries of a law."""
    TESTED.add(law)
    groups = grouped("group", (entry for entry in ENTRIES if law in entry.laws))
    return lambda test: groups(few(given(data=st.data())(test)))


def sample_of(data: st.DataObject, group: Group, *weights: str) -> tuple[Array, Array, Any]:
    return arrays(settled(data, group, *weights))


# --- rows and weights ----------------------------------------------------------------------------


@under(kinds.ROW_ORDER)
def test_row_order_does_not_matter(group: Group, data: st.DataObject) -> None:
    true, values, weights = sample_of(data, group, "none", "counts")
    order = np.array(data.draw(st.permutations(range(len(true)))))
    moved = None if weights is None else weights[order]
    for entry in group.named:
        actual = fast(entry, true, values, weights)
        assert_equal(entry, actual, fast(entry, true[order], values[order], moved))


@under(kinds.WEIGHT_2)
def test_weight_2_is_a_duplicate(group: Group, data: st.DataObject) -> None:
    true, values, weights = sample_of(data, group, "counts")
    twice = [np.repeat(column, weights, axis=0) for column in (true, values)]
    for entry in group.named:
        repeated = fast(entry, *twice)
        assert_equal(entry, fast(entry, true, values, weights), repeated)
        if "quarters" in entry.weights:
            floats = fast(entry, true, values, weights.astype(np.float64))
            assert_close(entry, floats, repeated, weighted=True)


@under(kinds.WEIGHT_0)
def test_weight_0_is_absent(group: Group, data: st.DataObject) -> None:
    true, values, weights = sample_of(data, group, *group.weights)
    there = weights > 0
    for entry in group.named:
        less = fast(entry, true[there], values[there], weights[there])
        assert_equal(entry, fast(entry, true, values, weights), less)


@under(kinds.WEIGHT_UNIT)
def test_weights_have_no_unit(group: Group, data: st.DataObject) -> None:
    true, values, weights = sample_of(data, group, "quarters")
    for entry in group.named:
        actual = fast(entry, true, values, weights)
        assert_equal(entry, actual, fast(entry, true, values, weights * 2.0**40))


def table_of(data: str, true: Array, values: Array, weights: Any, classes: Array) -> Any:
    """Return the table of some rows that a metric of such data can be taken of."""
    if data == kinds.SCORES:
        return ScoreTable.from_scores(true, values, sample_weight=weights)
    if data in (kinds.TWO, kinds.LABELS):
        return ConfusionMatrix.from_labels(true, values, labels=classes, sample_weight=weights)
    more = {"log_errors": True, "powers": (-1, 0, 1, 1.5, 2, 3)} if data == kinds.AMOUNTS else {}
    return RegressionTable.from_arrays(true, values, sample_weight=weights, **more)


@under(kinds.MERGE)
def test_parts_add_up_to_the_whole(group: Group, data: st.DataObject) -> None:
    true, values, weights = sample_of(data, group, "counts")
    parts = st.lists(st.integers(0, 2), min_size=len(true), max_size=len(true))
    part = np.array(data.draw(parts))
    tables = []
    for rows in (part == k for k in range(3)):
        own = None if weights is None else weights[rows]
        if rows.any() and (own is None or own.any()):
            tables.append(table_of(group.data, true[rows], values[rows], own, np.unique(true)))
    whole = functools.reduce(operator.add, tables)
    for entry in group.named:
        assert_equal(entry, fast(entry, whole), fast(entry, true, values, weights))


# --- scores --------------------------------------------------------------------------------------


@under(kinds.MONOTONE)
def test_only_the_order_of_scores_matters(group: Group, data: st.DataObject) -> None:
    labels, scores, weights = sample_of(data, group, "counts")
    ranks = np.unique(scores, return_inverse=True)[1].astype(np.int64)
    for entry in group.named:
        actual = fast(entry, labels, scores, weights)
        least = 2**50 if "curve" in entry.name else 2**60  # its thresholds are floats
        for other in (least + 3 * ranks, np.exp(ranks / 8.0), -1.0 / (1 + ranks)):
            assert_same(entry, actual, fast(entry, labels, other, weights), keep_thresholds=False)


@grouped("group", (entry for entry in ENTRIES if entry.data == kinds.SCORES))
@few
@given(data=st.data())
def test_dtypes_change_nothing(group: Group, data: st.DataObject) -> None:
    labels, scores, weights = arrays(drawn(data, group, "counts", grid=True))
    score_dtype = data.draw(st.sampled_from([np.float32, np.float16, np.int64, np.uint64, ">f8"]))
    label_dtype = data.draw(st.sampled_from([bool, np.int8, np.uint8, np.float64, np.float32]))
    for entry in group.named:
        actual = fast(entry, labels, scores.astype(np.float64), weights)
        assert_same(entry, actual, fast(entry, labels, scores.astype(score_dtype), weights))
        assert_same(entry, actual, fast(entry, labels.astype(label_dtype), scores * 1.0, weights))
        assert_same(entry, actual, fast(entry, 2 * labels - 1, scores, weights))


# --- classes -------------------------------------------------------------------------------------


def counterpart(entry: Entry) -> Entry:
    """Return the metric that takes this one's value if two classes swap names: mostly itself."""
    return next(other for other in ENTRIES if other.name == (entry.counterpart or entry.name))


@under(kinds.RENAMED)
def test_names_of_classes_do_not_matter(group: Group, data: st.DataObject) -> None:
    true, values, weights = sample_of(data, group, "none", "counts")
    k = int(true.max()) + 1
    new = np.array([1, 0] if k == 2 else data.draw(st.permutations(range(k))))
    if group.data in (kinds.TWO, kinds.LABELS):
        renamed = new[values]
    elif group.data in (kinds.SHARES, kinds.MARGINS):
        renamed = values[:, np.argsort(new)]
    else:
        renamed = 1.0 - values if group.data == kinds.CHANCES else -values
    for entry in group.named:
        actual = fast(entry, true, values, weights)
        assert_close(entry, fast(counterpart(entry), new[true], renamed, weights), actual)


@under(kinds.COMPLEMENT)
def test_swapped_classes_give_the_complement(group: Group, data: st.DataObject) -> None:
    labels, scores, weights = sample_of(data, group, "counts")
    for entry in group.named:
        swapped = fast(entry, 1 - labels, scores, weights)[0]
        assert swapped == pytest.approx(1 - fast(entry, labels, scores, weights)[0], abs=2**-52)


@under(kinds.SAME)
def test_swapped_classes_change_nothing(group: Group, data: st.DataObject) -> None:
    labels, scores, weights = sample_of(data, group, "counts")
    for entry in group.named:
        swapped = fast(entry, 1 - labels, scores, weights)[0]
        assert swapped == fast(entry, labels, scores, weights)[0]


@under(kinds.MIRROR)
def test_swapped_classes_and_signs_change_nothing(group: Group, data: st.DataObject) -> None:
    labels, scores, weights = sample_of(data, group, "counts")
    for entry in group.named:
        mirrored = fast(entry, 1 - labels, -scores, weights)[0]
        assert mirrored == fast(entry, labels, scores, weights)[0]


# --- numbers -------------------------------------------------------------------------------------


@under(kinds.SHIFT)
def test_a_shift_changes_nothing(group: Group, data: st.DataObject) -> None:
    true, values, weights = sample_of(data, group, "none", "quarters")
    shift = data.draw(st.sampled_from([2.5, -40.0]))
    for entry in group.named:
        actual = fast(entry, true, values, weights)
        assert_close(entry, fast(entry, true + shift, values + shift, weights), actual)


@under(kinds.SCALE)
def test_a_scale_is_a_power_of_itself(group: Group, data: st.DataObject) -> None:
    true, values, weights = sample_of(data, group, "none", "quarters")
    scale = data.draw(st.sampled_from([0.125, 3.0]))
    for entry in group.named:
        (actual,) = fast(entry, true, values, weights)
        scaled = fast(entry, scale * true, scale * values, weights)
        assert_close(entry, scaled, (scale**entry.power * actual,))


def test_every_declared_law_is_tested() -> None:
    assert set().union(*(entry.laws for entry in ENTRIES)) == TESTED
