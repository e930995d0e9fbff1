"""Replicates of one or several models: drawn in batches, measured while they are in cache.

A batch holds as many replicates as fit the cache. Where nothing needs a second look at a
replicate, the rows of a large one pass through in parts, and memory is that of a part; best
thresholds and crossings need its counts again, one byte a row, as do models that share draws.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import replicate_pairs as pairs, replicate_points as points
from fastmetrics.errors import InputTypeError
from fastmetrics.intervals.bootstrap._draws import WINDOW, Draws
from fastmetrics.intervals.bootstrap._rows import padded
from fastmetrics.intervals.bootstrap._sample import Needs, Sample, Yield

Bytes = NDArray[np.uint8]

#: Bytes of counts that are drawn before they are measured: they stay in the second-level cache.
BATCH_BYTES = 1 << 18
_PART = BATCH_BYTES // WINDOW
# Sums of weights this near to the number of positives, relative to all weight, meet it.
_ROUNDING = 2.0**-50


def batch_size(n_rows: int) -> int:
    """Return how many replicates make a batch: a number of the data, not of the threads."""
    return max(1, min(4096, BATCH_BYTES // padded(max(n_rows, 1))))


def replicates(
    samples: list[Sample], needs: Needs, draws: Draws, first: int, count: int
) -> list[Yield]:
    """Return what ``count`` replicates from number ``first`` on yield for each sample."""
    found = [Yield.empty(count, sample, needs) for sample in samples]
    if draws.resampling == "bayesian":
        for r in range(count):
            weights = draws.weights(first + r)
            for sample, out in zip(samples, found, strict=True):
                _weigh(sample, needs, _of_rows(sample, weights), r, out)
        return found
    totals = draws.totals(first, count)
    if len(samples) == 1 and _passes_through(samples[0], needs):
        _stream(samples[0], draws, totals, first, found[0])
        return found
    whole = np.empty((count, padded(draws.n_units)), np.uint8)
    draws.counts(first, totals, np.arange(draws.n_windows), whole)
    for sample, out in zip(samples, found, strict=True):
        counts = whole
        if sample.units is not None:
            counts = np.zeros((count, padded(sample.n)), np.uint8)
            pairs.gather_counts(whole, sample.units, counts)
        measure_counts(sample, needs, counts, out)
    return found


def measure_counts(sample: Sample, needs: Needs, counts: Bytes, out: Yield) -> None:
    """Measure replicates whose counts of every row are at hand."""
    if sample.weights is not None:
        for r in range(len(counts)):
            _weigh(sample, needs, counts[r, : sample.n] * sample.weights, r, out)
        return
    _measure_whole(sample, needs, counts, out)


def _of_rows(sample: Sample, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of each row from that of its unit."""
    of_rows = weights if sample.units is None else weights[sample.units]
    return of_rows if sample.weights is None else of_rows * sample.weights


def _passes_through(sample: Sample, needs: Needs) -> bool:
    """Return whether parts of a replicate can be forgotten one after the other."""
    return (
        not needs.lines
        and not needs.statistics
        and all(x is None for x in (sample.units, sample.weights, sample.cut, sample.starts))
    )


def _stream(
    sample: Sample, draws: Draws, totals: NDArray[np.int64], first: int, out: Yield
) -> None:
    """Draw and measure windows part by part."""
    count = len(out.total)
    n_bytes = min(_PART * WINDOW, padded(draws.n_units))
    buffer = np.empty(count * n_bytes, np.uint8)
    state = np.zeros((count, 4), np.int64)
    for start in range(0, draws.n_windows, _PART):
        windows = np.arange(start, min(start + _PART, draws.n_windows))
        row = start * WINDOW
        size = min(len(windows) * WINDOW, padded(draws.n_units) - row)
        counts = buffer[: count * size].reshape(count, size)
        draws.counts(first, totals, windows, counts)
        _measure_part(sample, counts, row, state, out)
    _close(state, out)


def _measure_part(
    sample: Sample, counts: Bytes, row: int, state: NDArray[np.int64], out: Yield
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Add what the rows from ``row`` on give to pairs and sums; return the segments' totals."""
    count, size = counts.shape
    shape = (count, -(-size // pairs.SEGMENT))
    segments = np.empty(shape, np.int64), np.empty(shape, np.int64)
    if sample.rows is not None:
        pieces = sample.rows.tie_pieces(row, row + size)
        masks = sample.rows.masks[row : row + size].view(np.uint64)
        pairs.pair_counts(counts.view(np.uint64), masks, pieces, counts, state, *segments)
    if sample.columns is not None:
        columns = np.ascontiguousarray(sample.columns[:, row : row + size])
        pairs.column_sums(counts, columns, out.sums)
    if sample.rows is None:
        out.total += counts[:, : sample.n - row].sum(axis=1, dtype=np.int64)
    return segments


def _close(state: NDArray[np.int64], out: Yield) -> None:
    out.n_positive[:] = state[:, 0]
    out.n_negative[:] = state[:, 1]
    out.twice_pairs[:] = state[:, 2]
    out.total += out.n_positive + out.n_negative


def _measure_whole(sample: Sample, needs: Needs, counts: Bytes, out: Yield) -> None:
    state = np.zeros((len(counts), 4), np.int64)
    segments = _measure_part(sample, counts, 0, state, out)
    _close(state, out)
    rows = sample.rows
    if rows is not None and needs.lines:
        points.measure_rows(
            *(counts, rows.masks, rows.ends, rows.anchors, *segments),
            *(needs.programme, needs.bounds, out.states),
        )
    if rows is not None and sample.cut is not None:
        segment = sample.cut // pairs.SEGMENT
        start = segment * pairs.SEGMENT
        rest = counts[:, start : sample.cut]
        positive = rest & rows.masks[start : sample.cut]
        tp = segments[0][:, :segment].sum(axis=1) + positive.sum(axis=1, dtype=np.int64)
        called = (rest.sum(axis=1, dtype=np.int64)) + sum(
            totals[:, :segment].sum(axis=1) for totals in segments
        )
        out.cells[:] = _four_cells(tp, called - tp, out)
    if sample.starts is not None:
        out.cells[:] = _by_cell(counts[:, : sample.n], sample.starts, np.int64)
    for j, statistic in enumerate(needs.statistics):
        for r in range(len(counts)):
            out.statistics[r, j] = statistic(sample, counts[r, : sample.n])


def _four_cells(tp: NDArray[np.int64], fp: NDArray[np.int64], out: Yield) -> NDArray[np.float64]:
    """Return TN, FP, FN, TP: the matrix row by row, the positive class last."""
    return np.stack((out.n_negative - fp, fp, out.n_positive - tp, tp), axis=-1)


def _by_cell(
    values: NDArray[np.generic], starts: NDArray[np.int64], dtype: type[np.generic]
) -> NDArray[np.generic]:
    """Return the sum of the rows of each cell; cells may be empty."""
    sums = np.zeros((len(values), len(starts)), dtype)
    held = np.flatnonzero(np.diff(starts, append=values.shape[1]))
    sums[:, held] = np.add.reduceat(values, starts[held], axis=1, dtype=dtype)
    return sums


def _weigh(sample: Sample, needs: Needs, weights: NDArray[np.float64], r: int, out: Yield) -> None:
    """Measure one replicate whose rows have weights."""
    out.total[r] = weights.sum()
    if sample.rows is not None:
        curve = points_of_weights(sample, weights)
        _measure_curve(*curve, needs, r, out)
        if sample.cut is not None:
            positive = sample.rows.masks[: sample.cut] > 0
            tp = float(weights[: sample.cut][positive].sum())
            fp = float(weights[: sample.cut].sum()) - tp
            cells = (out.n_negative[r] - fp, fp, out.n_positive[r] - tp, tp)
            out.cells[r] = np.maximum(cells, 0.0)
    if sample.columns is not None:
        for j, column in enumerate(sample.columns):  # a product of matrices would round by shape
            out.sums[r, j] = (column * weights).sum()
    if sample.starts is not None:
        out.cells[r] = _by_cell(weights[None, :], sample.starts, np.float64)[0]
    for j, statistic in enumerate(needs.statistics):
        out.statistics[r, j] = statistic(sample, weights)


Curve = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]


def points_of_weights(sample: Sample, weights: NDArray[np.float64]) -> Curve:
    """Return TP and FP at each tie's end, after a first 0, and the row of each."""
    if sample.rows is None:
        raise InputTypeError("a curve needs rows with scores")
    ends = np.flatnonzero(sample.rows.ends)
    positive = np.where(sample.rows.masks[: sample.n] > 0, weights, 0.0)
    tp, fp = np.zeros(len(ends) + 1), np.zeros(len(ends) + 1)
    tp[1:] = np.cumsum(positive)[ends]
    fp[1:] = np.cumsum(weights - positive)[ends]
    return tp, fp, ends


_WHOLE_AREA = (np.array([[points.AREA, 0]], np.int64), np.array([[0.0, 1.0]]))


def _measure_curve(
    tp: NDArray[np.float64],
    fp: NDArray[np.float64],
    rows: NDArray[np.int64],
    needs: Needs,
    r: int,
    out: Yield,
) -> None:
    out.n_positive[r], out.n_negative[r] = tp[-1], fp[-1]
    slack = _ROUNDING * (tp[-1] + fp[-1])
    area = np.zeros((1, points.STATE))
    points.measure_points(tp, fp, rows, 0.0, *_WHOLE_AREA, area)
    out.twice_pairs[r] = area[0, 0]
    if needs.lines:
        points.measure_points(tp, fp, rows, slack, needs.programme, needs.bounds, out.states[r])


def measure_cells(
    positives: NDArray[np.int64], negatives: NDArray[np.int64], needs: Needs, cut: int | None
) -> Yield:
    """Measure replicates of a table: counts of both classes at each score, (replicates, scores)."""
    count, n_scores = positives.shape
    out = Yield.empty(count, Sample(n_scores, cut=cut), needs)
    tp, fp = positives.cumsum(axis=1), negatives.cumsum(axis=1)
    out.n_positive[:], out.n_negative[:] = tp[:, -1], fp[:, -1]
    out.total[:] = out.n_positive + out.n_negative
    # A positive wins over every negative below it, and half over those of its own score.
    twice = 2.0 * fp[:, -1:] - 2.0 * fp + negatives
    out.twice_pairs[:] = np.einsum("ij,ij->i", positives.astype(np.float64), twice)
    if cut is not None:
        zero = np.zeros(count, np.int64)
        tp_there, fp_there = (tp[:, cut - 1], fp[:, cut - 1]) if cut else (zero, zero)
        out.cells[:] = _four_cells(tp_there, fp_there, out)
    if needs.lines:
        programme, bounds, rows = needs.programme, needs.bounds, np.arange(n_scores)
        curve = np.zeros((2, n_scores + 1))
        for r in range(count):
            curve[0, 1:], curve[1, 1:] = tp[r], fp[r]
            points.measure_points(curve[0], curve[1], rows, 0.0, programme, bounds, out.states[r])
    return out
