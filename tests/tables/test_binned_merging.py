"""Binned tables are functions of their rows: any order, any batches, any tree of merges."""

import itertools
from typing import Any

import numpy as np
import pytest
from binned_samples import BITS, COARSE, ROWS, new, table_of
from hypothesis import given, strategies as st
from table_samples import labels_of

from fastmetrics import ScoreTable, roc_auc_score
from fastmetrics.streams import BinLayout, BinnedScoreTable


@given(ROWS, st.randoms(use_true_random=False), st.lists(st.integers(0, 30), max_size=4))
def test_neither_order_nor_batches_matter(rows: Any, random: Any, cuts: list[int]) -> None:
    for layout, first_rows in ((BITS, 0), (COARSE, 0), (COARSE, 9), (None, 65_536)):
        whole, parts = table_of(rows, layout, "counts", first_rows), new(layout, first_rows)
        mixed = random.sample(rows, len(rows))
        for start, stop in itertools.pairwise([0, *sorted(cuts), len(rows)]):
            batch = [row for row in mixed[start:stop] if row[2]]
            if batch:
                parts.update(*(np.array(each) for each in zip(*batch, strict=True)))
        assert parts == whole


def test_first_rows_are_exact_with_a_layout_too() -> None:
    table = BinnedScoreTable(COARSE, first_rows=5)
    table.update([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    assert table.layout == COARSE
    assert tuple(table.roc_auc()) == (0.75, 0.75)
    table.update([1], [0.25])
    assert table.roc_auc().width == 1.0
    assert (BinnedScoreTable(COARSE) + table).first_rows == 5
    later = BinnedScoreTable(COARSE, first_rows=9)
    later.update([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    assert not (later + BinnedScoreTable(COARSE, first_rows=3)).is_exact
    assert (later + BinnedScoreTable()).layout == COARSE
    with pytest.raises(ValueError, match="different bins cannot be merged"):
        later + BinnedScoreTable(BITS)
    for wrong in (-1, 2**25 + 1):
        with pytest.raises(ValueError, match="`first_rows`"):
            BinnedScoreTable(COARSE, first_rows=wrong)
    with pytest.raises(ValueError, match="`first_rows`"):
        BinnedScoreTable(first_rows=0)


def test_first_rows_are_kept_and_then_learnt_from(rng: Any) -> None:
    """The layout depends on the first rows, and not on how they are cut into batches."""
    scores, labels = rng.normal(size=1_500), labels_of(rng, 1_500, 0.4)
    expected = BinnedScoreTable(BinLayout.learn(scores[:500]), first_rows=500)
    expected.update(labels, scores)
    for sizes in ([1_500], [499, 1, 1_000], [499, 1_001], [100] * 15, [500, 1_000]):
        table, at = BinnedScoreTable(first_rows=500), 0
        for size in sizes:
            table.update(labels[at : at + size], scores[at : at + size])
            at += size
            seen = slice(0, at)
            if at < 500:
                assert table.layout is None
                assert table.is_exact
                auc = roc_auc_score(labels[seen], scores[seen])
                assert tuple(table.roc_auc()) == (auc, auc)
                assert table.to_score_table() == ScoreTable.from_scores(labels[seen], scores[seen])
        assert table == expected
        assert table.layout == expected.layout


def test_first_rows_join_bins_and_one_another(rng: Any) -> None:
    scores, labels = rng.normal(size=900), labels_of(rng, 900, 0.4)

    def table(part: slice, layout: Any = None) -> BinnedScoreTable:
        made = BinnedScoreTable(layout, first_rows=500)
        made.update(labels[part], scores[part])
        return made

    first, last, whole = slice(0, 400), slice(400, 900), slice(0, 900)
    assert table(first) + table(last, BITS) == table(whole, BITS)
    assert table(last, BITS) + table(first) == table(whole, BITS)
    assert table(last).layout is not None  # of its own 500 rows
    assert (table(first) + table(slice(400, 899))).layout == BinLayout.learn(scores[:899])
    assert table(first) + table(slice(400, 899)) == table(slice(400, 899)) + table(first)
    few = table(slice(0, 250)) + table(slice(250, 499))
    assert few == table(slice(0, 499))
    assert few.layout is None
    with pytest.raises(ValueError, match=r"different bins cannot be merged: BinLayout\(.*of_bits"):
        table(last, BITS).merge(table(last))
