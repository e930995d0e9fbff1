"""What NumPy does in place of kernels that measure replicates, see `draws_in_numpy`."""

import math

import numpy as np

from fastmetrics._kernels._compile import in_place_of
from fastmetrics._kernels.replicates import replicate_pairs as pairs, replicate_points as points

_LANES = 64
#: The logarithm that kernels call: NumPy's may round otherwise.
_LOG1P = np.frompyfunc(math.log1p, 1, 1)


@in_place_of(pairs.gather_counts)
def gather_counts(drawn, units, counts):
    counts[:, : len(units)] = drawn[:, units]


@in_place_of(pairs.take)
def take(values, places, found):
    found[:] = values[places]


@in_place_of(pairs.exchange_rows)
def exchange_rows(coins, units, second, of_first, of_second):
    tossed = coins[:, units // 64] >> (units % 64).astype(np.uint64)
    of_second[:, : len(units)] = (tossed & np.uint64(1)).astype(np.uint8) ^ second[: len(units)]
    of_first[:, : len(units)] = np.uint8(1) ^ of_second[:, : len(units)]


@in_place_of(pairs.pair_counts)
def pair_counts(counts, masks, pieces, counts_by_row, state, segment_positives, segment_negatives):
    tp, fp = running(counts_by_row, masks.view(np.uint8))
    starts = np.arange(segment_positives.shape[1]) * pairs.SEGMENT
    for ends, totals in ((tp, segment_positives), (fp, segment_negatives)):
        totals[:] = np.diff(ends[:, starts], axis=1, append=ends[:, -1:])
    start, first_negative, stop, closed = pieces.T
    tied, negatives = tp[:, first_negative] - tp[:, start], fp[:, stop] - fp[:, first_negative]
    if len(pieces):
        tied[:, 0] += state[:, 3]
        state[:, 3] = 0 if closed[-1] else tied[:, -1]
    won = np.einsum("ij,ij->i", tp[:, 1:], np.diff(fp, axis=1)) + state[:, 0] * fp[:, -1]
    state[:, 2] += 2 * won - np.einsum("ij,ij->i", tied, negatives)
    state[:, 0] += tp[:, -1]
    state[:, 1] += fp[:, -1]


def running(counts, masks):
    """Return how many positives, and negatives, are drawn of the first 0, 1, 2... rows."""
    positives = counts & masks
    both = np.zeros((2, len(counts), len(masks) + 1), np.int64)
    for drawn, sums in zip((positives, counts - positives), both, strict=True):
        np.cumsum(drawn, axis=1, out=sums[:, 1:])
    return both[0], both[1]


def added_up(terms):
    """Return sums over the second axis, added one after the other: NumPy's own round otherwise."""
    if not terms.shape[1]:
        return terms.sum(axis=1)
    return np.cumsum(terms, axis=1)[:, -1]


@in_place_of(pairs.column_sums)
def column_sums(drawn, columns, sums):
    for j, column in enumerate(columns):
        for start in range(0, len(column), pairs.BLOCK):
            part = column[start : start + pairs.BLOCK]
            terms = drawn[:, start : start + len(part)] * part
            whole = len(part) - len(part) % _LANES
            lanes = added_up(terms[:, :whole].reshape(len(drawn), -1, _LANES))
            sums[:, j] += added_up(np.concatenate((lanes, terms[:, whole:]), axis=1))


@in_place_of(pairs.step_areas)
def step_areas(counts, masks, ends, lone, places, starts, around, areas):
    (before, tp), (_, fp), _ = points_of(counts, masks, ends, around)
    terms = (tp - before) * (tp / np.maximum(tp + fp, 1.0))
    areas[:] = added_up(np.concatenate((areas[:, None], terms), axis=1))


def points_of(counts, masks, ends, around):
    """Return TP and FP before and at each point of the curves, and the rows at which these are."""
    rows = np.flatnonzero(ends)
    tp, fp = (
        start[:, None] + drawn[:, np.append(0, rows + 1)]
        for drawn, start in zip(running(counts, masks), around.T, strict=False)
    )
    return (tp[:, :-1], tp[:, 1:]), (fp[:, :-1], fp[:, 1:]), rows


@in_place_of(points.measure_rows)
def measure_rows(
    counts, masks, ends, anchors, segment_positives, segment_negatives, around, programme, bounds,
    states,
):  # fmt: skip
    tp, fp, rows = points_of(counts, masks, ends, around)
    n_p, n_n = around[:, 2:].T[:, :, None]
    states[:] = 0.0
    cuts = np.searchsorted(rows, np.arange(points.SEGMENT, len(masks), points.SEGMENT))
    for (kind, criterion), bound, state in zip(
        programme.tolist(), bounds.tolist(), states.swapaxes(0, 1), strict=True
    ):
        terms = []
        with np.errstate(divide="ignore", invalid="ignore"):
            if kind == points.BEST:
                best_of(criterion, bound[0], tp[1], fp[1], rows, n_p, n_n, state)
            elif kind == points.BREAK_EVEN:
                break_even_of(tp, fp, n_p, state)
            elif kind == points.SQUARES:
                placement = 2.0 * (n_n - fp[1]) + (q := fp[1] - fp[0])
                terms.append((p := tp[1] - tp[0]) * placement * placement)
                placement = 2.0 * tp[0] + p
                terms.append(q * placement * placement)
            elif kind == points.AREA:
                axes = (tp, fp, n_p, n_n) if criterion else (fp, tp, n_n, 0.0)
                terms.append(area_terms(*axes, *bound))
            elif criterion != points.STEP:
                terms.append(precision_terms(criterion, tp, fp))
        for k, of_points in enumerate(terms):  # by segments, as the kernel adds up
            parts = [added_up(part) for part in np.split(of_points, cuts, axis=1)]
            state[:, k] = added_up(np.stack(parts, axis=1))


def best_of(criterion, bound, tp, fp, rows, n_p, n_n, state):
    """Find the best point, as `best_of_points`; the first is that of nobody called positive."""
    tp, fp = (np.concatenate((np.zeros((len(tp), 1)), column), axis=1) for column in (tp, fp))
    merits = merits_of(criterion, bound, tp, fp, n_p, n_n)
    at = merits.argmax(axis=1)
    every = np.arange(len(at))
    best = merits[every, at]
    row = np.append(-1, rows)[at] - ((at == 0) & (best == -np.inf))
    state[:] = np.stack((best, row, tp[every, at], fp[every, at]), axis=1)


def merits_of(criterion, bound, tp, fp, n_p, n_n):
    """Return what a criterion maximises, as `merit`."""
    if criterion == points.YOUDEN:
        return tp * n_n - fp * n_p
    if criterion == points.YOUDEN_BELOW:
        return fp * n_p - tp * n_n
    if criterion == points.CLOSEST:
        missed, false = (n_p - tp) * n_n, fp * n_p
        return -(missed * missed + false * false)
    if criterion == points.ERRORS:
        return tp - fp
    called = tp + fp
    if criterion == points.F_BETA:
        mixed = bound * n_p + (1.0 - bound) * called
        return np.where(mixed > 0.0, tp / mixed, 0.0)
    if criterion == points.PRECISION:
        return np.where((called > 0.0) & (n_p > 0.0) & (tp / n_p >= bound), tp / called, -np.inf)
    if criterion == points.RECALL:
        return np.where((called > 0.0) & (tp / called >= bound), tp, -np.inf)
    return np.where((n_n > 0.0) & (fp / n_n <= bound), tp, -np.inf)


def break_even_of(tp, fp, n_p, state):
    """Find the TP where as many are called positive as there are, as `break_even_of_points`."""
    called = tp[1] + fp[1]
    is_there = called >= n_p
    at = np.arange(len(called)), is_there.argmax(axis=1)
    before, share = tp[0][at] + fp[0][at], n_p[:, 0]
    share = (share - before) / (called[at] - before)
    crossing = tp[0][at] + share * (tp[1][at] - tp[0][at])
    state[:, 0] = is_there[at]
    state[:, 1] = np.where(called[at] > n_p[:, 0], crossing, tp[1][at]) * state[:, 0]


def area_terms(x, y, axis, top, low, high):
    """Return the terms of `area_of_points`."""
    (x0, x1), (y0, y1) = x, (abs(ends - top) for ends in y)
    left, right = np.maximum(x0, low * axis), np.minimum(x1, high * axis)
    slope = (y1 - y0) / (x1 - x0)
    crossing = (right - left) * (2.0 * y0 + slope * ((left - x0) + (right - x0)))
    inside = (x0 >= low * axis) & (x1 <= high * axis)
    found = np.where(inside, (x1 - x0) * (y0 + y1), crossing)
    return np.where((x1 > x0) & (inside | (left < right)), found, 0.0)


def precision_terms(estimator, tp, fp):
    """Return the terms of `precision_area_of_points`, where TP grew."""
    gain, called = tp[1] - tp[0], tp[0] + fp[0]
    if estimator == points.TRAPEZOID:
        before = np.where(called > 0.0, tp[0] / called, 1.0)
        found = 0.5 * gain * (tp[1] / (tp[1] + fp[1]) + before)
    else:
        added = gain + (fp[1] - fp[0])
        share = gain / added
        x = np.where(called > 0.0, added / called, 0.0)
        rest = x * x * (0.5 - x * (1.0 / 3.0 - x * (0.25 - x * 0.2)))
        logs = _LOG1P(x).astype(np.float64)
        grown, rest = np.where(x < 1e-3, (x - rest, rest), (logs, x - logs))
        found = share * np.where(called > 0.0, tp[0] * grown + share * called * rest, gain)
    return np.where(gain > 0.0, found, 0.0)
