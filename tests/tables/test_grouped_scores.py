"""``GroupedBinnedScoreTable``: each group's pairs one by one, and the laws of merging."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from binned_samples import BITS, COARSE, VALUES
from hypothesis import given, strategies as st
from travels import in_threads

import engine_sizes
from fastmetrics import roc_auc_score
from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.ranking import group_auc
from fastmetrics.streams import BinLayout, BinnedScoreTable, GroupedBinnedScoreTable
from fastmetrics.tables.binned import _rows
from fastmetrics.tables.binned._group_state import GroupCells, group_limits

ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(VALUES), st.sampled_from("abcdé")), max_size=30
)
BATCHES = st.lists(ROWS, max_size=5)
FORMS = {
    "coarse": (COARSE, 0),
    "bits": (BITS, 0),
    "one bin": (BinLayout([]), 0),
    "bins after three": (COARSE, 3),
    "rows": (None, 10_000),
}


def new(form: str) -> GroupedBinnedScoreTable:
    layout, first_rows = FORMS[form]
    return GroupedBinnedScoreTable(layout, first_rows=first_rows)


def table_of(rows: Any, form: str) -> GroupedBinnedScoreTable:
    table = new(form)
    if rows:
        table.update(*zip(*rows, strict=True))
    return table


def limits(rows: Any, group: str, layout: Any) -> tuple[Fraction, Fraction] | None:
    """Return the limits of a group's AUC: pairs of one bin are open, unless it has one score."""
    bin_of = dict.fromkeys(VALUES, 0)
    held: dict[int, set[float]] = {}
    for value in VALUES:
        bin_of[value] = int(np.searchsorted(layout.edges, value, side="right"))
    for _, score, _ in rows:
        held.setdefault(bin_of[score], set()).add(score)
    positives, negatives = (
        [s for y, s, g in rows if g == group and y == label] for label in (1, 0)
    )
    if not positives or not negatives:
        return None
    low = high = Fraction(0)
    for s in positives:
        for t in negatives:
            if bin_of[s] == bin_of[t] and len(held[bin_of[s]]) > 1:
                high += 1
            else:
                known = Fraction(1, 2) if s == t else Fraction(int(s > t))
                low, high = low + known, high + known
    n = len(positives) * len(negatives)
    return low / n, high / n


@pytest.mark.parametrize("form", ["coarse", "bits", "one bin"])
@given(rows=ROWS)
def test_limits_of_each_group(form: str, rows: Any) -> None:
    table = table_of(rows, form)
    ids = sorted({g for _, _, g in rows})
    right = [limits(rows, g, table.layout) for g in ids]
    known = [each for each in right if each is not None]
    if not known:
        with pytest.warns(UndefinedMetricWarning, match="no group has both classes"):
            found = table.group_auc()
        assert math.isnan(found.mean.low)
        assert found.n_one_class == len(ids)
        return
    sizes = [
        tuple(sum(y == label for y, _, g in rows if g == each) for label in (1, 0)) for each in ids
    ]
    for weighting, weigh in {
        "items": lambda p, n: p + n,
        "relevant": lambda p, n: p,
        "pairs": lambda p, n: p * n,
        "queries": lambda p, n: 1,
    }.items():
        found = table.group_auc(weighting)  # type: ignore[arg-type]
        assert found.groups.tolist() == ids
        assert list(zip(found.n_positive, found.n_negative, strict=True)) == sizes
        assert found.n_one_class == len(ids) - len(known)
        weights = [weigh(*size) if each else 0 for each, size in zip(right, sizes, strict=True)]
        assert found.weights.tolist() == weights
        for low, high, each in zip(found.low, found.high, right, strict=True):
            if each is None:
                assert math.isnan(low)
                assert math.isnan(high)
            else:
                assert (low, high) == tuple(map(float, each))
        whole = sum(weights)
        for k, end in enumerate(found.mean):
            mean = sum(w * each[k] for w, each in zip(weights, right, strict=True) if each) / whole
            assert end == pytest.approx(float(mean), abs=4e-15)
            assert end <= mean if k == 0 else end >= mean


@pytest.mark.parametrize("form", FORMS)
@given(rows=ROWS)
def test_it_holds_what_group_auc_says(form: str, rows: Any) -> None:
    table = table_of(rows, form)
    pooled = BinnedScoreTable(table.layout, first_rows=table.first_rows)
    if rows:
        pooled.update(*list(zip(*rows, strict=True))[:2])
    assert table.table == pooled
    for group in {g for _, _, g in rows}:
        own = [row[:2] for row in rows if row[2] == group]
        part = table.table_of(group)
        assert part.n_positive == sum(y for y, _ in own)
        if {y for y, _ in own} == {0, 1}:
            assert roc_auc_score(*zip(*own, strict=True)) in part.roc_auc()
            at = table.groups.tolist().index(group)
            found = table.group_auc()
            assert (found.low[at], found.high[at]) == tuple(part.roc_auc())
    labels = {(y, g) for y, _, g in rows}
    if any({(0, g), (1, g)} <= labels for _, g in labels):
        y, s, g = zip(*rows, strict=True)
        exact, found = group_auc(y, s, query=list(g)), table.group_auc()
        assert float(exact) in found.mean
        assert exact.n_one_class == found.n_one_class
        if table.table.is_exact:
            np.testing.assert_array_equal(exact.per_query, found.low)
            assert found.mean.width < 8e-15


def test_learnt_bins(rng: Any) -> None:
    n = 5_000
    labels, scores, groups = rng.integers(0, 2, n), rng.normal(size=n), rng.integers(0, 300, n)
    table = GroupedBinnedScoreTable(first_rows=2_000)
    for part in np.array_split(np.arange(n), 7):
        table.update(labels[part], scores[part], groups[part])
    assert table.layout == BinLayout.learn(scores[:2_000])
    exact, found = group_auc(labels, scores, query=groups), table.group_auc()
    assert float(exact) in found.mean
    assert found.mean.width < 1e-3
    assert ((found.low <= exact.per_query) & (exact.per_query <= found.high)).all()
    halves = [GroupedBinnedScoreTable(first_rows=4_000) for _ in range(2)]
    for half, part in zip(halves, (slice(0, 2_500), slice(2_500, n)), strict=True):
        half.update(labels[part], scores[part], groups[part])
    both = halves[0] + halves[1]
    assert both.layout == BinLayout.learn(scores), "of all that is there"
    assert both == halves[1] + halves[0]
    table.reset()
    assert (table.n_groups, table.layout) == (0, BinLayout.learn(scores[:2_000]))


def test_rows_are_put_in_order_now_and_then(rng: Any, monkeypatch: Any) -> None:
    n = 3_000
    labels, scores, groups = rng.integers(0, 2, n), rng.normal(size=n), rng.integers(0, 50, n)
    whole = GroupedBinnedScoreTable(BITS, first_rows=0)
    whole.update(labels, scores, groups)
    engine_sizes.put(monkeypatch, grouped_rows=100, grouped_batches=5)
    table = GroupedBinnedScoreTable(BITS, first_rows=0)
    for start, stop in pairwise([*range(60), *range(60, n, 35), n]):
        table.update(labels[start:stop], scores[start:stop], groups[start:stop])
        assert table._now.n_pending < 5
    assert table == whole


def test_counts_of_any_size() -> None:
    """Beyond 2**53 pairs are integers of Python, divided once."""
    big = 2**40 + 1
    keys = np.array([0, 1, 3, 4, 7, 8, 10])  # three groups of two bins: n, p; n, p
    cells = GroupCells(keys, np.array([big, 3, big - 2, 5, big, 7, 2]), 4)
    for is_sure in (True, False):
        low, high, p, n = group_limits(cells, np.array([is_sure, True]))
        assert (p.tolist(), n.tolist()) == ([big + 1, big, 0], [big, 5, 9])
        open_ = Fraction(3 * big, (big + 1) * big)
        known = Fraction((big - 2) * big, (big + 1) * big)
        ends = (known + open_ / 2,) * 2 if is_sure else (known, known + open_)
        assert (low[0], high[0]) == tuple(map(float, ends))
        assert (low[1], high[1]) == (1.0, 1.0)
        assert math.isnan(low[2])
        assert math.isnan(high[2])


FAULTS = {
    "nan": ([0, 1], [0.1, math.nan], ["a", "b"], "`y_score` must be finite: nan at index 1"),
    "labels": ([0, 2], [0.1, 0.2], ["a", "b"], "pass `pos_label`"),
    "empty": ([], [], [], "`y_true` is empty"),
    "lengths": ([0, 1], [0.1, 0.2], ["a"], "lengths differ"),
    "null": ([0, 1], [0.1, 0.2], ["a", None], "`groups`"),
    "halves": ([0, 1], [0.1, 0.2], [0.5, 1.0], "`groups`"),
    "numbers": ([0, 1], [0.1, 0.2], [1, 2], "`groups` are whole numbers or text"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_changes_nothing(fault: str, form: str) -> None:
    table = new(form)
    table.update([0, 1, 1, 0, 1], [0.3, 0.6, 0.7, 0.1, 0.2], list("aabbc"))
    before = table.copy()
    labels, scores, groups, message = FAULTS[fault]
    with pytest.raises((ValueError, TypeError), match=message):
        table.update(labels, scores, groups)
    assert table == before
    table.update(["x", "y"], [math.inf, -math.inf], ["z", "a"], pos_label="x", allow_inf=True)
    assert table != before
    assert table.n_groups == 4


def test_other_faults() -> None:
    table = new("bits")
    table.update([0, 1], [0.1, 0.2], [1, 2])
    with pytest.raises(ValueError, match="`group` 3 has no row"):
        table.table_of(3)
    with pytest.raises(ValueError, match="`query_weighting`"):
        table.group_auc("rows")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a GroupedBinnedScoreTable is needed: got int"):
        table.merge(0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unsupported operand"):
        table + 1  # type: ignore[operator]
    with pytest.raises(TypeError, match="must be a BinLayout, or None: got list"):
        GroupedBinnedScoreTable([0.5])  # type: ignore[arg-type]
    other = new("coarse")
    with pytest.raises(
        ValueError, match=r"tables of different bins cannot be merged: .*one layout"
    ):
        table.merge(other)
    for _ in range(60):
        table.merge(table)
    with pytest.raises(ValueError, match=r"fewer than 2\*\*62 rows"):
        table.merge(table)
    assert table.table.n_positive == 2**60
    assert table.table_of(2).n_positive == 2**60
    texts = new("bits")
    texts.update([0, 1], [0.1, 0.2], ["1", "2"])
    before = table.copy()
    with pytest.raises(ValueError, match="whole numbers or text"):
        table.merge(texts)
    assert table == before


def test_ids_of_any_dtype() -> None:
    tables = []
    for groups in ([1, 2, 1], np.array([1, 2, 1], np.uint8), np.array([1.0, 2.0, 1.0])):
        table = new("bits")
        table.update([0, 1, 1], [0.1, 0.2, 0.3], groups)
        tables.append(table)
    assert tables[0] == tables[1] == tables[2]
    assert tables[0].groups.tolist() == [1, 2]


def test_what_an_interrupt_leaves_is_not_there() -> None:
    for form in ("rows", "bits"):
        table = new(form)
        table.update([0, 1], [0.2, 0.3], ["a", "b"])
        before = table.copy()
        now = table._now
        now.numbers(["q"])
        now.pending.append(np.array([7]))
        if form == "rows":
            now.waiting.add(_rows.Rows(np.ones(1), np.ones(1, np.int8), np.array([2])))
        assert table == before
        assert table.n_groups == 2
        for each in (table, before):
            each.update([1], [0.9], ["c"])
        assert table == before


def test_threads_may_share_it(rng: Any) -> None:
    scores, labels = rng.normal(size=(40, 500)), rng.integers(0, 2, (40, 500))
    groups = rng.integers(0, 90, (40, 500))
    table, whole = new("bits"), new("bits")
    whole.update(labels.ravel(), scores.ravel(), groups.ravel())

    def work(rows: range) -> None:
        for k in rows:
            table.update(labels[k], scores[k], groups[k])
            table.group_auc()

    in_threads(work)
    assert table == whole


def test_it_shows_itself() -> None:
    table = new("rows")
    assert repr(table) == "GroupedBinnedScoreTable(0 groups, 0 positive, 0 negative)"
    assert "0 groups" in str(table)
    table.update([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [1, 1, 1, 2])
    assert repr(table) == "GroupedBinnedScoreTable(2 groups, 2 positive, 2 negative)"
    assert "AUC of groups" in str(table)
    assert "one class" in table._repr_html_()
    found = table.group_auc()
    assert "Mean AUC of groups" in str(found)
    assert found.to_frame("pandas")["group"].tolist() == [1, 2]
    assert not found.low.flags.writeable
    assert table != "groups"
