"""Replicates of rows that no process has: drawn and measured range by range.

How often a row is drawn follows from the key, the replicate and the window of sorted rows that the
row stands in. A task for the rows a to b draws the windows that meet them, whole, and keeps its own
part; of each replicate it returns positives, negatives and twice the pairs inside. Put beside one
another, from the highest scores down, these are the integers of all rows. Where groups are drawn,
every task gets how often each of them is. Where the whole curve is
measured, rows are drawn again, by tasks that know what of each replicate scores higher, and its
totals: one range goes on where the one above it ended, as memory goes on through its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from fastmetrics._kernels.replicates import replicate_points as points, resampling as kernels
from fastmetrics._kernels.replicates.replicate_pairs import gather_counts
from fastmetrics.dask._dealt import Dealt, rows_with_groups
from fastmetrics.dask._partitions import computed, one_thread, summed
from fastmetrics.dask._ranges import Range, Ranges
from fastmetrics.inference.bootstrap._draws import (
    WINDOW,
    Draws,
    Needs,
    Yield,
    measure_lines,
    pairs_and_sums,
)
from fastmetrics.inference.bootstrap._rows import (
    BATCH_BYTES,
    SortedRows,
    rows_of_arrays,
    rows_of_table,
)
from fastmetrics.tables.scores.pairs import pairs_of_weights
from fastmetrics.tables.scores.score_table import ScoreTable

Ints = NDArray[Any]
Floats = NDArray[np.float64]

#: Windows whose totals a task draws at once, over all of its replicates: 64 MB.
_TOTALS: Final = 1 << 23
#: Batches of replicates at least, so that there is work for several workers.
_BATCHES: Final = 8
#: Windows that are drawn and measured together.
_WINDOWS: Final = 16
_INT64: Final = 2**60
#: Numbers that a line leaves: those of its kernel, and the score at the row that it names.
_NUMBERS: Final = points.STATE + 1


class Held(NamedTuple):
    """Sorted rows of a range, which its worker keeps; scores and ties are there if lines need them.

    ``before`` of them stand before the range in its first window; ``twice`` are the doubled
    concordant pairs; ``groups`` the numbers of their groups, where groups are drawn.
    """

    rows: SortedRows
    before: int
    twice: int
    groups: NDArray[np.int32] | None = None


def rows_of_range(table: ScoreTable, here: Range, needs: Needs) -> Held:
    """Return the rows of a range, after as many others as stand before them in its first window."""
    twice = int(pairs_of_weights(table.positives, table.negatives).twice_concordant)
    before = int(sum(here.above)) % WINDOW
    if before:
        top = table.scores[:1]  # its value does not matter: these rows are never counted
        table = ScoreTable._of_columns(
            np.concatenate([top, table.scores]),
            np.append(np.int64(0), table.positives),
            np.append(np.int64(before), table.negatives),
        )
    return Held(_needed(rows_of_table(table), needs), before, twice)


@one_thread
def rows_of_groups(parts: Sequence[Dealt | None], here: Range, needs: Needs) -> Held:
    """Return the rows of a range with the numbers of their groups."""
    found, groups = rows_with_groups(parts)
    rows, order = rows_of_arrays(found, groups)
    table = rows.table()
    twice = int(pairs_of_weights(table.positives, table.negatives).twice_concordant)
    rows = replace(_needed(rows, needs), _pieces={})
    return Held(rows, 0, twice, np.ascontiguousarray(groups[order]))


def _needed(rows: SortedRows, needs: Needs) -> SortedRows:
    none = np.empty(0, np.int64)
    rows = replace(rows, counted=(none, none))
    if not needs.lines:
        rows = replace(rows, ends=rows.ends[:0])
    if all(kind != points.BEST for kind, *_ in needs.lines):
        rows = replace(rows, distinct=rows.distinct[:0])
    return rows


def replicates(
    runs: Ranges, rows: Sequence[Delayed], draws: Draws, needs: Needs, n_resamples: int
) -> tuple[Ints, Floats]:
    """Return positives, negatives and twice the pairs of each replicate, and what lines leave.

    Of shape (3, n_resamples) and (n_resamples, lines, 5).
    """
    windows = [_windows(each) for each in runs.ranges]
    of_groups = len(runs.group_sizes) > 0
    most = _TOTALS * 8 // draws.n_units if of_groups else _TOTALS // draws.n_windows
    size = max(1, min(most, -(-n_resamples // _BATCHES)))
    totals_of, call = delayed(window_totals, nout=len(windows)), delayed(_pairs_of_range)
    pairs = 2 * int(runs.n_positive) * int(runs.n_negative)
    kind = np.dtype(np.int64 if pairs < _INT64 else object)
    batches: list[list[Delayed]] = []
    for first in range(0, n_resamples, size):
        count = min(size, n_resamples - first)
        if of_groups:
            totals = [delayed(group_counts)(draws, first, count)] * len(windows)
        else:
            totals = totals_of(draws, first, count, windows)
        drawn = draws.key, draws.n_units, first
        inside = [
            call(each, here, totals[i], *drawn, kind)
            for i, (each, here) in enumerate(zip(rows, runs.ranges, strict=True))
        ]
        batch = [summed(inside, _beside)]
        if needs.lines:
            around = delayed(_around, nout=len(windows))(inside)
            at = [(totals[i], *drawn, around[i]) for i in range(len(windows))]
            batch.append(_downwards(runs, rows, needs, at))
        batches.append(batch)
    found = computed(batches)
    states = [batch[1] for batch in found] if needs.lines else [np.empty((n_resamples, 0, 5))]
    return np.concatenate([batch[0] for batch in found], axis=1), np.concatenate(states)


def lines_of_data(runs: Ranges, rows: Sequence[Delayed], needs: Needs) -> Floats:
    """Return what lines leave of the rows themselves: (1, lines, 5)."""
    totals = runs.n_positive, runs.n_negative
    around = [np.array([[*each.above, *totals]], np.float64) for each in runs.ranges]
    at = [(None, None, 0, 0, each) for each in around]
    found: Floats = computed(_downwards(runs, rows, needs, at))
    return found


def _downwards(
    runs: Ranges, rows: Sequence[Delayed], needs: Needs, at: Sequence[tuple[Any, ...]]
) -> Delayed:
    """Measure the lines from the highest range to the lowest, which returns what they leave."""
    call, states = delayed(_lines_of_range), None
    for each, here, more in zip(rows, runs.ranges, at, strict=True):
        states = call(each, here, needs, states, *more)
    return states


def _windows(here: Range) -> tuple[int, int]:
    """Return the first window that a range meets, and the one after the last."""
    start = int(sum(here.above))
    return start // WINDOW, -(-(start + int(sum(here.inside))) // WINDOW)


def window_totals(
    draws: Draws, first: int, count: int, windows: Sequence[tuple[int, int]]
) -> list[Ints]:
    """Return how many draws fall into each window of each range, (count, windows) each."""
    totals = Draws(draws.key, draws.n_units, draws.resampling).totals(first, count)
    return [totals[:, start:stop].astype(np.int32) for start, stop in windows]


def group_counts(draws: Draws, first: int, count: int) -> NDArray[np.uint8]:
    """Return how often each group is drawn: (count, groups), padded."""
    return Draws(draws.key, draws.n_units, draws.resampling).every(first, count)


def _drawn(
    held: Held,
    here: Range,
    totals: Ints,
    at: int,
    draws: tuple[Any, int, int],
    buffer: NDArray[np.uint8],
) -> NDArray[np.uint8]:
    """Return how often each row is drawn in some windows, the first of which is number ``at``.

    ``draws`` are the key, the number of all rows, and the first replicate. Workers give memory back
    as soon as it is free: draws share a buffer.
    """
    rows = held.rows
    if held.groups is not None:
        counts = buffer[: len(totals) * len(rows.masks)].reshape(len(totals), -1)
        counts[:, rows.n :] = 0
        gather_counts(totals, held.groups, counts)
        return counts
    key, n_rows, first = draws
    windows = np.arange(totals.shape[1]) + (_windows(here)[0] + at)
    shape = len(totals), len(windows) * WINDOW
    drawn = buffer[: shape[0] * shape[1]].reshape(shape)
    chosen = np.ascontiguousarray(totals, dtype=np.int64)
    kernels.draw_windows(key, first, windows, chosen, n_rows, drawn)
    row = at * WINDOW
    counts = np.ascontiguousarray(drawn[:, : len(rows.masks) - row])
    counts[:, : max(held.before - row, 0)] = 0  # rows of the range above, and of that below
    counts[:, max(rows.n - row, 0) :] = 0
    return counts


def _pairs_of_range(
    held: Held, here: Range, totals: Ints, key: Any, n_rows: int, first: int, kind: np.dtype[Any]
) -> Ints:
    """Return what the rows of a range yield in each replicate: (3, replicates)."""
    out = Yield.empty(0, Needs())
    found = np.zeros((len(totals), 4), np.int64)
    step = _WINDOWS if held.groups is None else totals.shape[1]  # groups are anywhere
    width = _WINDOWS * WINDOW if held.groups is None else max(len(held.rows.masks), 1)
    size = max(1, BATCH_BYTES // width)
    buffer = np.empty(size * width, np.uint8)
    for r in range(0, len(totals), size):
        for at in range(0, totals.shape[1], step):
            some = totals[r : r + size, at : at + step]
            counts = _drawn(held, here, some, at, (key, n_rows, first + r), buffer)
            pairs_and_sums(held.rows, None, counts, at * WINDOW, found[r : r + size], out)
    return np.ascontiguousarray(found[:, :3].T).astype(kind)


def _beside(above: Ints, below: Ints) -> Ints:
    """Return what two neighbouring ranges yield together."""
    total = above + below
    total[2] += 2 * above[0] * below[1]
    return total


def _around(inside: Sequence[Ints]) -> list[Floats]:
    """Return what of each replicate scores higher than each range, and both of its totals."""
    counts = np.stack([each[:2] for each in inside]).astype(np.float64)
    ends = np.cumsum(counts, axis=0)
    above = ends - counts
    return [np.ascontiguousarray(np.concatenate([each, ends[-1]]).T) for each in above]


def _lines_of_range(
    held: Held,
    here: Range,
    needs: Needs,
    above: Floats | None,
    totals: Ints | None,
    key: Any,
    n_rows: int,
    first: int,
    around: Floats,
) -> Floats:
    """Return what lines leave after the rows of a range, ``above`` being what they left before."""
    rows, n = held.rows, len(around)
    states = np.zeros((n, len(needs.lines), points.STATE))
    line = needs.line_of_steps
    if above is not None and line is not None:
        states[:, line, 0] = above[:, line, 0]
    size = min(n, max(1, BATCH_BYTES // max(len(rows.masks), 1)))
    first_window, stop = _windows(here)
    buffer = np.empty(size * max((stop - first_window) * WINDOW, len(rows.masks)), np.uint8)
    out = Yield.empty(0, Needs())
    for r in range(0, n, size):
        some = slice(r, min(r + size, n))
        if totals is None:
            counts = np.zeros((n, len(rows.masks)), np.uint8)
            counts[:, held.before : rows.n] = 1
        else:
            counts = _drawn(held, here, totals[some], 0, (key, n_rows, first + r), buffer)
        pairs = np.zeros((len(counts), 4), np.int64)
        segments = pairs_and_sums(rows, None, counts, 0, pairs, out)
        measure_lines(rows, needs, counts, segments, around[some], states[some])
    found = np.concatenate([states, np.zeros((n, len(needs.lines), 1))], axis=2)
    start = int(sum(here.above)) - held.before
    for j, (kind, *_) in enumerate(needs.lines):
        mine = found[:, j]
        if kind == points.BEST:
            is_named = mine[:, 1] >= 0
            mine[is_named, 4] = rows.score_at(mine[is_named, 1].astype(np.int64))
            mine[is_named, 1] += start
        if above is None:
            continue
        before = above[:, j]
        if kind == points.BEST:
            is_better = mine[:, 0] > before[:, 0]
            mine[~is_better] = before[~is_better]
        elif kind == points.BREAK_EVEN:
            is_found = before[:, 0] > 0
            mine[is_found] = before[is_found]
        elif j != line:
            mine[:, 0] += before[:, 0]
    return found
