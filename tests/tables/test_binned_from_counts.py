"""``BinnedScoreTable.from_counts``: what a database counts is what a stream counts."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from binned_samples import BITS, COARSE, ROWS, table_of
from hypothesis import given, strategies as st

from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.streams import BinLayout, BinnedScoreTable
from reference import bin_oracle


def counted(rows: Any, layout: BinLayout, *, ends: bool) -> BinnedScoreTable:
    """Return the table of one line for each bin that occurs, the last bin first."""
    by_bin: dict[int, list[Any]] = {}
    for label, score, weight in rows:
        if weight:
            by_bin.setdefault(int(layout.bins([score])[0]), []).append((label, score, weight))
    lines = [
        (
            at,
            *(sum(w for y, _, w in held if y == label) for label in (1, 0)),
            min(s for _, s, _ in held),
            max(s for _, s, _ in held),
        )
        for at, held in sorted(by_bin.items(), reverse=True)
    ]
    at, positives, negatives, low, high = zip(*lines, strict=True)
    known = {"low": low, "high": high} if ends else {}
    return BinnedScoreTable.from_counts(layout, at, positives, negatives, **known)


@pytest.mark.parametrize("layout", [COARSE, BITS], ids=["coarse", "bits"])
@given(rows=ROWS, more=ROWS)
def test_it_is_the_table_of_the_rows(layout: BinLayout, rows: Any, more: Any) -> None:
    rows = [*rows, (1, 0.3, 2)]
    whole = table_of(rows, layout)
    table = counted(rows, layout, ends=True)
    assert table == whole
    stream = table_of(more, layout)
    assert table + stream == stream + table == table_of([*rows, *more], layout)
    halves = [*rows[::2], (0, 0.25, 1)], [*rows[1::2], (0, 0.25, 1)]
    parts = [counted(half, layout, ends=True) for half in halves]
    assert parts[0] + parts[1] == table_of([*halves[0], *halves[1]], layout)
    assert BinnedScoreTable.from_bytes(table.to_bytes()) == table
    without = counted(rows, layout, ends=False)
    assert (without.n_positive, without.n_negative) == (whole.n_positive, whole.n_negative)
    if whole.n_negative:
        exact, wide = whole.roc_auc(), without.roc_auc()
        assert wide.low <= exact.low <= exact.high <= wide.high
    assert BinnedScoreTable.from_bytes(without.to_bytes()) == without


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.integers(0, 9)), min_size=1))
def test_lines_of_a_bin_add_up(lines: Any) -> None:
    layout = BinLayout([0.0, 1.0, 2.0, 3.0, 4.0])
    at, positives, negatives = (np.array(each) for each in zip(*lines, strict=True))
    scores = at - 0.5 + np.arange(len(at)) % 2 * 0.25
    table = BinnedScoreTable.from_counts(
        layout, at.astype(np.uint8), positives, negatives, low=scores, high=scores
    )
    whole = BinnedScoreTable(layout, first_rows=0)
    if positives.any() or negatives.any():
        labels, twice = np.repeat([1, 0], len(at)), np.tile(scores, 2)
        whole.update(labels, twice, np.concatenate([positives, negatives]))
    assert table == whole


def test_weights_are_floats() -> None:
    table = BinnedScoreTable.from_counts(COARSE, [0, 4, 0], [0.5, 2.25, 1.0], [1, 1, 0])
    assert table.is_weighted
    assert (table.n_positive, table.n_negative) == (3.75, 2.0)
    assert 0 < table.roc_auc().width < 0.6
    with pytest.warns(UndefinedMetricWarning, match="one class only"):
        BinnedScoreTable.from_counts(COARSE, [0], [1.5], [0.0]).roc_auc()


BIG = st.one_of(st.integers(0, 3), st.integers(2**50, 2**54))


@given(st.lists(st.tuples(BIG, BIG), min_size=6, max_size=6))
def test_totals_beyond_doubles(counts: Any) -> None:
    """Of bins of one score each, every measure is a ratio of integers that no double holds."""
    positives, negatives = zip(*counts, strict=True)
    if not any(positives) or not any(negatives):
        return
    scores = [-2.0, -0.5, 0.0, 0.25, 0.5, 2.0]
    ends = {"low": scores, "high": scores}
    table = BinnedScoreTable.from_counts(COARSE, COARSE.bins(scores), positives, negatives, **ends)
    tops = [each for each in counts[::-1] if sum(each)]
    assert table.is_exact
    assert tuple(table.roc_auc()) == (float(bin_oracle.auc(tops)),) * 2
    assert tuple(table.ks_statistic()) == (float(bin_oracle.ks_statistic(tops)),) * 2
    for found, exact in (
        (table.average_precision(), bin_oracle.average_precision(tops)),
        (table.tpr_at_fpr(0.25), bin_oracle.tpr_at_fpr(tops, Fraction(1, 4))),
    ):
        assert Fraction(found.low) - Fraction(1, 2**53) <= exact
        assert exact <= Fraction(found.high) + Fraction(1, 2**53)
    of_weights = BinnedScoreTable.from_counts(
        COARSE, COARSE.bins(scores), [p / 4 for p in positives], [n / 4 for n in negatives], **ends
    )
    found, exact = of_weights.roc_auc(), bin_oracle.auc(tops)
    assert Fraction(found.low) <= exact <= Fraction(found.high)
    assert found.width < 1e-13


ENDS = {"low": [0.1, 0.7], "high": [0.2, 0.8]}
FAULTS: dict[str, tuple[Any, type[Exception], str]] = {
    "layout": (([0.5], [0], [1], [1]), TypeError, "`layout` must be a BinLayout: got list"),
    "no layout": ((None, [0], [1], [1]), TypeError, "`layout` must be a BinLayout: got NoneType"),
    "half bins": ((COARSE, [0.5], [1], [1]), TypeError, "`bins` must be whole numbers"),
    "bin": ((COARSE, [0, 6], [1, 1], [1, 1]), ValueError, "`bins` must be .* 0 to 5: got 6"),
    "below": ((COARSE, [-1], [1], [1]), ValueError, "0 to 5: got -1"),
    "lengths": ((COARSE, [0, 1], [1], [1, 1]), ValueError, "lengths differ"),
    "negative": ((COARSE, [0], [-1], [1]), ValueError, "`positives` must not be negative"),
    "nan": ((COARSE, [0], [1], [math.nan]), ValueError, "`negatives` must be finite"),
    "many": ((COARSE, [0], [2**61], [2**61]), ValueError, r"fewer than 2\*\*62 rows"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(fault: str) -> None:
    given_, error, message = FAULTS[fault]
    with pytest.raises(error, match=message):
        BinnedScoreTable.from_counts(*given_)


@pytest.mark.parametrize("ends", [{}, {"low": [], "high": []}])
def test_counts_of_no_rows(ends: dict[str, Any]) -> None:
    table = BinnedScoreTable.from_counts(COARSE, [], [], [], **ends)
    assert (table.n_positive, table.n_negative) == (0, 0)
    some = BinnedScoreTable.from_counts(COARSE, [3, 4], [1, 2], [1, 2])
    assert table + some == some
    with pytest.raises(ValueError, match="is empty"):
        BinnedScoreTable.from_counts(COARSE, [], [1], [2])


def test_ends_are_of_their_bins() -> None:
    make = BinnedScoreTable.from_counts
    assert make(COARSE, [3, 4], [1, 2], [1, 2], **ENDS).n_positive == 3
    with pytest.raises(ValueError, match="`low` and `high` belong together"):
        make(COARSE, [3, 4], [1, 2], [1, 2], low=[0.1, 0.7])
    with pytest.raises(ValueError, match=r"`high` must lie in its bin: 0.8 is not in bin 3"):
        make(COARSE, [3, 3], [1, 2], [1, 2], low=[0.1, 0.2], high=[0.2, 0.8])
    with pytest.raises(ValueError, match=r"`low` must not exceed `high`: 0.8 and 0.7 of bin 4"):
        make(COARSE, [3, 4], [1, 2], [1, 2], low=[0.1, 0.8], high=[0.2, 0.7])
    with pytest.raises(ValueError, match="lengths differ"):
        make(COARSE, [3], [1], [2], **ENDS)
    with pytest.raises(ValueError, match="`low` must be finite: nan"):
        make(COARSE, [3, 4], [1, 2], [1, 2], low=[0.1, math.nan], high=[0.2, 0.8])
    infinite = make(COARSE, [5], [1], [1], low=[math.inf], high=[math.inf])
    assert infinite.is_exact
    tables = [make(COARSE, [3], [2**60], [2**60]) for _ in range(2)]
    with pytest.raises(ValueError, match=r"fewer than 2\*\*62 rows"):
        sum(tables)
    big = make(COARSE, [1, 4], [2**53 + 1, 1], [1, 2**53 + 1])
    assert big.n_positive == 2**53 + 2
    with pytest.raises(ValueError, match="tables of different bins"):
        big.merge(make(BITS, [0], [1], [1]))
