"""Curves of the replicates of a bootstrap, evaluated at given levels.

Masks, ends and counts of rows are those of ``_kernels/replicates.py``.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Rows of a segment.
_CURVE_SEGMENT = 64


@kernel
def follow(lead, value, n, levels, top, slack, n_reached, out):
    """Write the values at the levels that points 1 to n reach; return the number of levels reached.

    Point 0 ends the piece before. Levels rise; a lead within ``slack`` of one is equal to it.
    """
    i = 1
    while n_reached < levels.size:
        level = levels[n_reached]
        # The first lead above this one is past the level, or at it.
        passed = level + slack if top else np.nextafter(level - slack, -np.inf)
        while i <= n and lead[i] <= passed:
            i += 1
        if i > n:
            break
        before = level - lead[i - 1]
        after = lead[i] - level
        if before <= slack:
            out[n_reached] = value[i - 1]
        elif after <= slack:
            out[n_reached] = value[i]
        else:
            fraction = before / (before + after)
            out[n_reached] = value[i - 1] + fraction * (value[i] - value[i - 1])
        n_reached += 1
    return n_reached


@kernel
def values_along(lead, value, levels, top, slack, out):
    """Write the value of one curve where its lead reaches each level; the ends are constant."""
    n = lead.size - 1
    none = np.int64(0)  # a literal 0 would compile another version
    n_reached = follow(lead, value, n, levels, top, slack, none, out)
    for k in range(n_reached, levels.size):
        out[k] = value[n]


@kernel
def entry(table, position):
    """Interpolate linearly between the two entries of a table next to a position."""
    below = min(np.uint32(position), np.uint32(table.size - 2))
    fraction = position - below
    return (1.0 - fraction) * table[below] + fraction * table[below + np.uint32(1)]


@kernel
def class_totals(counts, masks, positives, negatives):
    """Write how many of either class are drawn before each segment, and in all."""
    positives[0] = 0
    negatives[0] = 0
    for s in range(positives.size - 1):
        segment_positives = np.uint32(0)
        segment_rows = np.uint32(0)
        for i in range(s * _CURVE_SEGMENT, min((s + 1) * _CURVE_SEGMENT, masks.size)):
            segment_positives = np.uint32(segment_positives + np.uint32(counts[i] & masks[i]))
            segment_rows = np.uint32(segment_rows + np.uint32(counts[i]))
        positives[s + 1] = positives[s] + np.int64(segment_positives)
        negatives[s + 1] = negatives[s] + np.int64(segment_rows) - np.int64(segment_positives)


@kernel
def to_lead_and_value(x_table, y_table, n_positive, n_negative, lead, value, first, last):
    """Turn some points, given as FP and TP, into x + y and y - x of their entries of the tables."""
    x_scale = (x_table.size - 1) / n_negative
    y_scale = (y_table.size - 1) / n_positive
    for i in range(first, last):
        x = entry(x_table, lead[i] * x_scale)
        y = entry(y_table, value[i] * y_scale)
        lead[i] = x + y
        value[i] = y - x


@kernel
def values_of_rows(counts, masks, ends, levels, x_table, y_table, out):
    """Fill ``out[r]`` with y - x of replicate r where x + y is a level; nan if it lost a class.

    x and y are what the tables, of equidistant rates from 0 to 1, hold for FPR and TPR. Segments
    that no level lies in are passed over, where they end with a tie.
    """
    n_rows = masks.size
    n_segments = (n_rows + _CURVE_SEGMENT - 1) // _CURVE_SEGMENT
    positives = np.empty(n_segments + 1, np.int64)
    negatives = np.empty(n_segments + 1, np.int64)
    lead = np.empty(_CURVE_SEGMENT + 1)
    value = np.empty(_CURVE_SEGMENT + 1)
    edge_lead = np.empty(1)
    edge_value = np.empty(1)
    zero = np.int64(0)  # literals would compile other versions
    one = np.int64(1)
    for r in range(counts.shape[0]):
        drawn = counts[r]
        class_totals(drawn, masks, positives, negatives)
        n_p = positives[n_segments]
        n_n = negatives[n_segments]
        if n_p == 0 or n_n == 0:
            for k in range(levels.size):
                out[r, k] = np.nan
            continue
        lead[0] = 0.0
        value[0] = 0.0
        to_lead_and_value(x_table, y_table, n_p, n_n, lead, value, zero, one)
        n_reached = zero
        for s in range(n_segments):
            start = s * _CURVE_SEGMENT
            stop = min(start + _CURVE_SEGMENT, n_rows)
            if ends[stop - 1]:
                edge_lead[0] = negatives[s + 1]
                edge_value[0] = positives[s + 1]
                to_lead_and_value(x_table, y_table, n_p, n_n, edge_lead, edge_value, zero, one)
                if levels[n_reached] > edge_lead[0]:
                    lead[0] = edge_lead[0]
                    value[0] = edge_value[0]
                    continue
            n = np.uint64(1)
            true_positives = positives[s]
            false_positives = negatives[s]
            for i in range(np.uint64(start), np.uint64(stop)):
                positive = drawn[i] & masks[i]
                true_positives += np.int64(positive)
                false_positives += np.int64(drawn[i]) - np.int64(positive)
                lead[n] = false_positives
                value[n] = true_positives
                n += np.uint64(ends[i])
            last = np.int64(n)
            to_lead_and_value(x_table, y_table, n_p, n_n, lead, value, one, last)
            n_reached = follow(lead, value, last - 1, levels, True, 0.0, n_reached, out[r])
            lead[0] = lead[last - 1]
            value[0] = value[last - 1]
            if n_reached == levels.size:
                break
        for k in range(n_reached, levels.size):
            out[r, k] = value[0]
