"""``WindowedBinnedScoreTable``: the last rows, counted as if no other had ever been there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from binned_samples import BITS, COARSE, FAULTS, VALUES
from hypothesis import given, strategies as st
from travels import in_threads

from fastmetrics import average_precision_score, ks_statistic, roc_auc_score
from fastmetrics.streams import BinLayout, BinnedScoreTable, WindowedBinnedScoreTable

BATCHES = st.lists(
    st.lists(st.tuples(st.integers(0, 1), st.sampled_from(VALUES)), min_size=1, max_size=12),
    max_size=8,
)
#: Layout and first rows: bins at once, later, learnt, and never.
FORMS = {
    "coarse": (COARSE, 0),
    "bits": (BITS, 0),
    "one bin": (BinLayout([]), 0),
    "bins after three": (COARSE, 3),
    "learnt of three": (None, 3),
    "rows": (None, 100),
}


def update(table: Any, rows: Any, **options: Any) -> None:
    labels, scores = zip(*rows, strict=True)
    table.update(labels, scores, **options)


def both_classes(rows: Any) -> bool:
    return {label for label, _ in rows} == {0, 1}


@pytest.mark.parametrize("form", FORMS)
@given(batches=BATCHES, window=st.integers(1, 20))
def test_it_counts_the_last_rows(form: str, batches: Any, window: int) -> None:
    layout, first_rows = FORMS[form]
    last = WindowedBinnedScoreTable(window, layout, first_rows=first_rows)
    rows: list[Any] = []
    for batch in batches:
        update(last, batch)
        rows += batch
        kept = rows[-window:]
        table = last.table
        assert (last.n, last.n_seen) == (len(kept), len(rows))
        assert table.n_positive == sum(label for label, _ in kept)
        assert table.n_negative == len(kept) - table.n_positive
        assert table.layout == last.layout
        fresh = BinnedScoreTable(last.layout, first_rows=0 if last.layout else 100)
        update(fresh, kept)
        if table._state.bins is not None:
            np.testing.assert_array_equal(
                table._state.bins.counts,
                fresh._state.bins.counts,  # type: ignore[union-attr]
            )
            assert (table._state.bins.columns().is_sure <= fresh._columns().is_sure).all()
        else:
            assert table.to_score_table().positives.sum() == table.n_positive
            assert table.is_exact
        if both_classes(kept):
            y, s = zip(*kept, strict=True)
            for ask, exact in (
                ("roc_auc", roc_auc_score(y, s)),
                ("average_precision", average_precision_score(y, s)),
                ("ks_statistic", float(ks_statistic(y, s))),
            ):
                found = getattr(table, ask)()
                assert found.low - 1e-15 <= exact <= found.high + 1e-15, ask
        assert BinnedScoreTable.from_bytes(table.to_bytes()) == table
    if rows:
        once = WindowedBinnedScoreTable(window, layout, first_rows=first_rows)
        update(once, rows)
        assert once == last, "batches do not matter"


def test_first_rows_are_those_that_came_first(rng: Any) -> None:
    """Bins are learnt of them, however long the batch is that brings the last one."""
    scores, labels = rng.normal(size=5_000) + np.arange(5_000) / 500, rng.integers(0, 2, 5_000)
    last = WindowedBinnedScoreTable(1_000, first_rows=800)
    last.update(labels[:100], scores[:100])
    last.update(labels[100:], scores[100:])
    assert last.layout == BinLayout.learn(scores[:800])
    layout = last.layout
    last.reset()
    assert last.layout == layout
    last.update(labels, scores)
    fresh = BinnedScoreTable(layout, first_rows=0)
    fresh.update(labels[-1_000:], scores[-1_000:])
    np.testing.assert_array_equal(last.table._state.bins.counts, fresh._state.bins.counts)


def test_a_bin_is_watched_again_once_it_was_empty() -> None:
    last = WindowedBinnedScoreTable(3, BinLayout([0.0, 1.0]), first_rows=0)
    last.update([0, 1, 0], [0.3, 0.4, 2.0])
    assert not last.table.is_exact
    last.update([1], [0.4])
    assert not last.table.is_exact, "0.3 has left, but its bin was never empty"
    last.update([1, 0], [3.0, 3.0])
    assert not last.table.is_exact
    last.update([1, 0, 1], [0.5, 0.5, 0.5])
    assert last.table.is_exact
    assert last.table.to_score_table().scores.tolist() == [0.5]


def test_rows_that_are_kept_take_bounded_memory(rng: Any) -> None:
    last = WindowedBinnedScoreTable(50)
    for _ in range(100):
        last.update(rng.integers(0, 2, 30), rng.normal(size=30))
    assert len(last._now.waiting.scores) <= 400
    assert (last.n, last.n_seen) == (50, 3_000)
    copy = last.copy()
    for each in (last, copy):
        each.update([0, 1], [0.2, 0.9])
    assert last == copy


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_changes_nothing(fault: str, form: str) -> None:
    layout, first_rows = FORMS[form]
    last = WindowedBinnedScoreTable(4, layout, first_rows=first_rows)
    last.update([0, 1, 1, 0, 1], [0.3, 0.6, 0.7, 0.1, 0.2])
    before = last.copy()
    labels, scores, message = FAULTS[fault]
    with pytest.raises(ValueError, match=message):
        last.update(labels, scores)
    assert last == before
    last.update(["a", "b"], [math.inf, -math.inf], pos_label="a", allow_inf=True)
    assert last.table.n_positive == 2
    assert last != before


def test_options_are_checked() -> None:
    for window in (0, -1, 10**9 + 1):
        with pytest.raises(ValueError, match="`window`"):
            WindowedBinnedScoreTable(window)
    with pytest.raises(TypeError, match="must be a BinLayout, or None: got list"):
        WindowedBinnedScoreTable(4, [0.5])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`first_rows`"):
        WindowedBinnedScoreTable(4, first_rows=0)
    with pytest.raises(TypeError, match="unsupported operand"):
        WindowedBinnedScoreTable(4) + WindowedBinnedScoreTable(4)  # type: ignore[operator]


def test_threads_may_share_a_window(rng: Any) -> None:
    scores, labels = rng.normal(size=(40, 500)), rng.integers(0, 2, (40, 500))
    last, whole = WindowedBinnedScoreTable(40_000, BITS, first_rows=0), BinnedScoreTable(BITS)
    whole.update(labels.ravel(), scores.ravel())

    def work(rows: range) -> None:
        for k in rows:
            last.update(labels[k], scores[k])
            last.table.roc_auc()

    in_threads(work)
    assert last.n == 20_000
    np.testing.assert_array_equal(
        last.table._columns().positives,
        (BinnedScoreTable(BITS, first_rows=0) + whole)._columns().positives,
    )


def test_it_shows_itself() -> None:
    last = WindowedBinnedScoreTable(3)
    last.update([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    assert repr(last) == "WindowedBinnedScoreTable(window=3, n=3, n_seen=4)"
    assert "the last 3 of 4 rows" in str(last)
    assert "roc_auc" in last._repr_html_()
    assert (last.window, last.first_rows, last.layout) == (3, 65_536, None)
    assert last != "window"
