"""What a measure would be without one row of a table, and the moments of such values.

The columns of a table are its rows of distinct scores, highest first: counts of a class, or TP and
FP at the end of each row.
"""

import math

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Rows whose sums are taken by themselves, in lanes.
BLOCK = 4096
_LANES = 64


@kernel
def affine(own, ends, sign, high, low, scale, found):
    """Write (sign * (end - own / 2) + high + low) * scale: a row counts half in its own middle."""
    for i in range(found.size):
        found[i] = ((sign * (ends[i] - 0.5 * own[i]) + high) + low) * scale


@kernel
def extent(values, counts, shift, found):
    """Widen ``found``, [least, greatest, count * value, count], values being less the shift.

    What is nan, or counts 0, is left out.
    """
    low, high, total, n = np.empty((4, _LANES))
    low[:] = found[0]
    high[:] = found[1]
    for start in range(0, values.size, BLOCK):
        stop = min(start + BLOCK, values.size)
        total[:] = 0.0
        n[:] = 0.0
        for first in range(start, stop, _LANES):
            value = values[first : min(first + _LANES, stop)]  # slices: loops run in vectors
            count = counts[first : first + _LANES]
            for i in range(value.size):
                times = np.float64(count[i])
                x = value[i] - shift
                is_there = (times > 0.0) & (x == x)
                low[i] = x if is_there & (x < low[i]) else low[i]
                high[i] = x if is_there & (x > high[i]) else high[i]
                total[i] += times * x if is_there else 0.0
                n[i] += times if is_there else 0.0
        for i in range(_LANES):
            found[2] += total[i]
            found[3] += n[i]
    for i in range(_LANES):
        found[0] = min(found[0], low[i])
        found[1] = max(found[1], high[i])


@kernel
def central_sums(values, counts, shift, mean, scale, found):
    """Add the sums of count * u^2 and of count * u^3, u = (mean - (value - shift)) * scale."""
    squares, cubes = np.empty((2, _LANES))
    for start in range(0, values.size, BLOCK):
        stop = min(start + BLOCK, values.size)
        squares[:] = 0.0
        cubes[:] = 0.0
        for first in range(start, stop, _LANES):
            value = values[first : min(first + _LANES, stop)]
            count = counts[first : first + _LANES]
            for i in range(value.size):
                times = np.float64(count[i])
                u = (mean - (value[i] - shift)) * scale
                is_there = (times > 0.0) & (u == u)
                weighted = times * u * u if is_there else 0.0
                squares[i] += weighted
                cubes[i] += weighted * u if is_there else 0.0
        for i in range(_LANES):
            found[0] += squares[i]
            found[1] += cubes[i]


@kernel
def best_of_two(from_top, from_bottom, best):
    """Write, for row k, the first best of the keys 0 to k of one kind and k + 1 on of the other.

    Of the second kind it is numbered on, and only where it is better.
    """
    n = best.size
    at = np.int64(0)
    for k in range(n):
        at = k if from_top[k] > from_top[at] else at
        best[k] = at
    at = n
    for k in range(n, 0, -1):
        at = k if from_bottom[k] >= from_bottom[at] else at
        if from_bottom[at] > from_top[best[k - 1]]:
            best[k - 1] = n + 1 + at


@kernel
def steps_without(tp, fp, of_positives, of_negatives):
    """Write by how much average precision changes without a positive, a negative, of each row.

    What a row itself adds is compared with the mean: of precision, or of what it lacks of 1,
    whichever is smaller and rounds less.
    """
    mean = 0.0
    lack = 0.0
    before = 0.0
    for start in range(0, tp.size, BLOCK):
        in_block = 0.0
        lacking = 0.0
        for i in range(start, min(start + BLOCK, tp.size)):
            true = np.float64(tp[i])
            false = np.float64(fp[i])
            gain = (true - before) / max(true + false, 1.0)
            in_block += gain * true
            lacking += gain * false
            before = true
        mean += in_block
        lack += lacking
    n_positive = np.float64(tp[-1])
    others = max(n_positive - 1.0, 1.0)
    mean /= n_positive
    lack /= n_positive
    gain_p = 0.0
    gain_n = 0.0
    for i in range(tp.size - 1, -1, -1):
        true = np.float64(tp[i])
        false = np.float64(fp[i])
        called = true + false
        before = np.float64(tp[i - 1]) if i > 0 else 0.0
        rest = called * (called - 1.0)
        if rest == 0.0:  # the row is gone, and the curve starts at 1
            gain_p += (true - before) * (1.0 - true)
            gain_n += (true - before) * (1.0 - true)
        else:
            gain_p += (true - before) * (-false / rest)
            gain_n += (true - before) * (true / rest)
        if lack < mean:
            own = false / (called - 1.0) if called > 1.0 else 0.0
            excess = own - lack
        else:
            own = (true - 1.0) / (called - 1.0) if called > 1.0 else 1.0
            excess = mean - own
        of_positives[i] = (excess + gain_p) / others
        of_negatives[i] = gain_n / n_positive


@kernel
def continuous_area(tp, fp, gain, negatives):
    """Return the area under precision over TP while both classes grow in step, see `pr_auc`.

    It is s (TP log(1 + x) + s n (x - log(1 + x))), n being called positive before.
    """
    called = tp + fp
    added = gain + negatives
    share = gain / added
    x = added / called if called > 0.0 else 0.0
    if x < 1e-3:
        rest = x * x * (0.5 - x * (1.0 / 3.0 - x * (0.25 - x * 0.2)))
        grown = x - rest
    else:
        grown = math.log1p(x)
        rest = x - grown
    inside = tp * grown + share * called * rest
    return share * (inside if called > 0.0 else gain)


@kernel
def segment_area(tp, fp, gain, negatives):
    """Return the continuous area of a segment; exactly, where no negative is called positive."""
    if gain <= 0.0:
        return 0.0
    return gain if fp + negatives == 0.0 else continuous_area(tp, fp, gain, negatives)


@kernel
def segments_without(tp, fp, of_positives, of_negatives):
    """Write how the continuous area under precision changes, as `steps_without` does."""
    mean = 0.0
    t = 0.0
    f = 0.0
    for start in range(0, tp.size, BLOCK):
        in_block = 0.0
        for i in range(start, min(start + BLOCK, tp.size)):
            in_block += segment_area(t, f, tp[i] - t, fp[i] - f)
            t = np.float64(tp[i])
            f = np.float64(fp[i])
        mean += in_block
    n_positive = np.float64(tp[-1])
    others = max(n_positive - 1.0, 1.0)
    mean /= n_positive
    gain_p = 0.0
    gain_n = 0.0
    for i in range(tp.size - 1, -1, -1):
        t = np.float64(tp[i - 1]) if i > 0 else 0.0
        f = np.float64(fp[i - 1]) if i > 0 else 0.0
        p = tp[i] - t
        n = fp[i] - f
        lost = 0.0
        own = 0.0
        below_p = 0.0
        below_n = 0.0
        if p > 0.0:  # at the row a segment has one less; below it, one starts one lower
            term = segment_area(t, f, p, n)
            lost = term - segment_area(t, f, p - 1.0, n)
            if n > 0.0:
                own = segment_area(t, f, p, n - 1.0) - term
            below_p = segment_area(max(t - 1.0, 0.0), f, p, n) - term
            below_n = segment_area(t, max(f - 1.0, 0.0), p, n) - term
        of_positives[i] = ((mean - lost) + gain_p) / others
        of_negatives[i] = (gain_n + own) / n_positive
        gain_p += below_p
        gain_n += below_n
