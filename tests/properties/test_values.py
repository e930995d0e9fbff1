"""Each entry of the registry: its value by definition, by a peer, its range and its direction."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import find, given, strategies as st
from samples import (
    Group,
    arrays,
    assert_close,
    assert_same,
    drawn,
    fast,
    few,
    fewer,
    grouped,
    samples,
    settled,
    undefined_is_fine,
)

from metric_names import METRICS
from public import NAMES, public
from reference import roc_oracle
from registry import ENTRIES, RANKINGS, Entry, entry as kinds
from registry.entry import Sample

MEASURED = [entry for entry in ENTRIES if entry.metric is not None]
every_metric = pytest.mark.parametrize("entry", MEASURED, ids=lambda entry: entry.name)


def test_names_are_unique() -> None:
    names = [entry.name for entry in ENTRIES]
    assert len(names) == len(set(names))


def test_every_metric_of_the_library_has_an_entry_and_no_other() -> None:
    functions = {entry.name.partition("[")[0] for entry in ENTRIES if entry.metric is None}
    known = {entry.canonical for entry in (*ENTRIES, *RANKINGS)}
    timed = {name for name, metric in METRICS.items() if metric.needs == "times"}
    assert timed == {"concordance_index"}  # tests/inference
    assert known - functions == METRICS.keys() - timed
    assert functions <= set(NAMES)


NEEDS = {
    "scores": {kinds.SCORES, kinds.DECISIONS, kinds.MARGINS},
    "labels": {kinds.TWO, kinds.LABELS},
    "probabilities": {kinds.CHANCES, kinds.SHARES},
    "values": {kinds.NUMBERS, kinds.AMOUNTS},
    "nothing": {kinds.NUMBERS},
}


@every_metric
def test_an_entry_is_fed_what_the_library_says_it_needs(entry: Entry) -> None:
    assert entry.metric is not None
    assert entry.data in NEEDS[entry.metric.needs]
    classes = {kinds.SCORES: 2, kinds.TWO: 2, kinds.CHANCES: 2, kinds.SHARES: 3}.get(entry.data, 0)
    assert entry.metric.classes in (0, classes)


def test_every_path_is_that_of_the_public_function() -> None:
    for metric in METRICS.values():
        if metric.function:
            function = metric.load()
            assert function is public(function.__name__).__wrapped__, metric.name


def ties_win(labels: np.ndarray, scores: np.ndarray) -> float:
    """AUC with a mistake: a tie counts as a win."""
    return float((scores[labels == 1, None] >= scores[None, labels == 0]).mean())


def test_a_mistake_about_ties_would_be_found() -> None:
    def differs(sample: Sample) -> bool:
        labels, scores, _ = arrays(sample)
        return ties_win(labels, scores) != float(roc_oracle.auc(roc_oracle.rows_of(labels, scores)))

    assert len(find(samples(), differs).true) == 2


def is_fractional(sample: Sample) -> bool:
    return any(weight.denominator > 1 for weight in sample.shares)


@grouped("group", ENTRIES)
@few
@given(data=st.data())
def test_is_what_the_definition_says(group: Group, data: st.DataObject) -> None:
    sample = drawn(data, group, "none", "counts", "quarters")
    weighted = is_fractional(sample)
    for entry in group.named:
        actual = fast(entry, *arrays(sample))
        right = entry.oracle(sample)
        if entry.exact and not weighted:
            assert_same(entry, actual, right)
        else:
            assert_close(entry, actual, right, weighted=weighted)


@grouped("group", [entry for entry in ENTRIES if entry.peer])
@fewer
@given(data=st.data())
def test_agrees_with_its_peer(group: Group, data: st.DataObject) -> None:
    sample = drawn(data, group, "none", "counts", "quarters")
    weighted = is_fractional(sample)
    for entry in group.named:
        if sample.weights is None or entry.peer_takes_weights:
            actual = fast(entry, *arrays(sample))
            with undefined_is_fine():
                other = entry.by_peer(*arrays(sample))
            assert_close(entry, actual[: len(other)], other, weighted=weighted)


def perfect(data: str, true: np.ndarray) -> np.ndarray:
    """Return the predictions that are right in every row."""
    if data in (kinds.SHARES, kinds.MARGINS):
        return 4.0 ** (data == kinds.MARGINS) * np.eye(int(true.max()) + 1)[true]
    return 8.0 * true - 4.0 if data == kinds.DECISIONS else true.copy()


def is_worse(value: float, other: float, *, higher_is_better: bool) -> bool:
    slack = 1e-12 * max(1.0, abs(other))
    return value < other - slack if higher_is_better else value > other + slack


def direction(entry: Entry) -> bool | None:
    assert entry.metric is not None
    given = {k: v for k, v in entry.arguments.items() if k in entry.metric.parameters}
    return entry.metric.direction(given)


@grouped("group", MEASURED)
@few
@given(data=st.data())
def test_is_in_its_range_and_nothing_is_better_than_perfection(
    group: Group, data: st.DataObject
) -> None:
    true, values, weights = arrays(settled(data, group, "none", "counts"))
    all_right = perfect(group.data, true)
    for entry in group.named:
        assert entry.metric is not None
        value, best = (fast(entry, true, column, weights)[0] for column in (values, all_right))
        low, high = entry.metric.bounds
        for actual in (value, best):
            assert math.isnan(actual) or low <= actual <= high
        up = direction(entry)
        if up is not None and entry.name != "cost[matrix]":  # where a mistake may be a gain
            assert not is_worse(best, value, higher_is_better=up)


#: Those whose best value lies in between, or nowhere.
UNDIRECTED = {
    *("mean", "mean_error", "spiegelhalter_z"),
    *("calibration_slope", "calibration_intercept", "calibration_in_the_large"),
}


def good_and_bad(entry: Entry) -> tuple[Any, Any, Any]:
    """Return true values with what is right but for few rows, and wrong but for few."""
    rng = np.random.default_rng(5)
    n = 60
    if entry.data in (kinds.NUMBERS, kinds.AMOUNTS):
        true = 1 + rng.random(n)
        return true, true + 0.1 * rng.random(n), true[::-1] + rng.random(n)
    if entry.data == kinds.SCORES:  # wrong in earnest is informative too
        true = (np.arange(n) % 3 == 0).astype(np.int64)
        return true, true + 1.2 * rng.random(n), np.append(1.0, rng.random(n - 1))
    k = 3 if entry.data in (kinds.LABELS, kinds.SHARES, kinds.MARGINS) else 2
    true = np.arange(n) % k
    odd = np.arange(n) % 10 == 0
    right = np.where(odd, (true + 1) % k, true)
    wrong = np.where(odd, true, (true + 1) % k)
    if entry.data in (kinds.TWO, kinds.LABELS):
        return true, right, wrong
    if entry.data in (kinds.SHARES, kinds.MARGINS):
        columns = [np.eye(k)[labels] + 0.5 * rng.random((n, k)) for labels in (right, wrong)]
        return true, *(c / c.sum(axis=1, keepdims=True) for c in columns)
    return true, *(0.1 + 0.5 * labels + 0.3 * rng.random(n) for labels in (right, wrong))


@every_metric
def test_good_is_better_than_bad_by_the_declared_direction(entry: Entry) -> None:
    true, good, bad = good_and_bad(entry)
    values = [fast(entry, true, given_values)[0] for given_values in (good, bad)]
    up = direction(entry)
    if up is None:
        assert entry.name in UNDIRECTED
    elif entry.name == "cost[matrix]":
        assert values[0] != values[1]
    else:
        assert is_worse(values[1], values[0], higher_is_better=up), values
