"""Threshold measures of resampled counts: sums, best thresholds and crossings.

The points of a piece of curve, highest score first, are float64 ``tp`` and ``fp``: entry 0 is the
last point before the piece, entry i + 1 its point i. Kernels over points go on, from what ``state``
keeps, where the piece before ended; some go through a list of chosen points only.
"""

import math

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Rows of a segment, whose class totals are known (as in replicate_pairs).
SEGMENT = 512
#: Kinds of measure, column 0 of a programme.
BEST, PRECISION_AREA, AREA, BREAK_EVEN = range(4)
THRESHOLDS = {BEST, BREAK_EVEN}
#: Column 1: what the best threshold maximises, or the estimator of a P-R area.
YOUDEN, YOUDEN_BELOW, CLOSEST, ERRORS, F_BETA, PRECISION, RECALL, RECALL_AT_FPR = range(8)
STEP, TRAPEZOID, CONTINUOUS = range(3)
#: Numbers in the state of a measure.
STATE = 4


@kernel
def merit(criterion, bound, tp, fp, n_positive, n_negative):
    """Return what a criterion maximises: rising in TP, falling in FP; -inf where not allowed.

    YOUDEN_BELOW alone falls in TP and rises in FP.
    """
    if criterion == YOUDEN:
        return tp * n_negative - fp * n_positive
    if criterion == YOUDEN_BELOW:
        return fp * n_positive - tp * n_negative
    if criterion == CLOSEST:
        missed = (n_positive - tp) * n_negative
        false = fp * n_positive
        return -(missed * missed + false * false)
    if criterion == ERRORS:
        return tp - fp
    if criterion == F_BETA:  # the bound is the share of recall in the harmonic mean
        mixed = bound * n_positive + (1.0 - bound) * (tp + fp)
        return tp / mixed if mixed > 0.0 else 0.0
    called = tp + fp
    if criterion == PRECISION:
        allowed = called > 0.0 and n_positive > 0.0 and tp / n_positive >= bound
        return tp / called if allowed else -np.inf
    if criterion == RECALL:
        return tp if called > 0.0 and tp / called >= bound else -np.inf
    return tp if n_negative > 0.0 and fp / n_negative <= bound else -np.inf


@kernel
def nobody(criterion, bound, n_positive, n_negative, state):
    """Start from the point (0, 0): [merit, row, TP, FP]; row -1 is that point, -2 none at all."""
    state[0] = merit(criterion, bound, 0.0, 0.0, n_positive, n_negative)
    state[1] = -1.0 if state[0] > -np.inf else -2.0
    state[2] = 0.0
    state[3] = 0.0


@kernel
def best_of_points(criterion, bound, tp, fp, rows, n, n_positive, n_negative, state):
    """Keep the best point, the first of equal ones, as [merit, row, TP, FP]."""
    for i in range(1, n + 1):
        if criterion == YOUDEN_BELOW:  # as `merit`; written out, the loop takes two thirds
            value = fp[i] * n_positive - tp[i] * n_negative
        else:
            value = merit(criterion, bound, tp[i], fp[i], n_positive, n_negative)
        if value > state[0] or (value == state[0] and rows[i - 1] < state[1] and value > -np.inf):
            state[0] = value
            state[1] = rows[i - 1]
            state[2] = tp[i]
            state[3] = fp[i]


@kernel
def chosen_points(x, n, chosen):
    """List the points at which ``x`` grew; return how many there are."""
    found = np.uint64(0)
    for i in range(1, n + 1):
        chosen[found] = i
        found += np.uint64(x[i] > x[i - 1])
    return np.int64(found)


@kernel
def area_of_points(x, y, top, low, high, chosen, n, state):
    """Add to ``state[0]`` the doubled area under |y - top| between two places of the axis x."""
    area = 0.0
    for k in range(n):
        i = chosen[k]
        x0 = x[i - 1]
        x1 = x[i]
        y0 = abs(y[i - 1] - top)
        y1 = abs(y[i] - top)
        if x0 >= low and x1 <= high:
            area += (x1 - x0) * (y0 + y1)
        elif x1 > low and x0 < high:
            slope = (y1 - y0) / (x1 - x0)
            left = max(x0, low)
            right = min(x1, high)
            area += (right - left) * (2.0 * y0 + slope * ((left - x0) + (right - x0)))
    state[0] += area


@kernel
def precision_area_of_points(estimator, tp, fp, chosen, n, state):
    """Add to ``state[0]`` an area under precision over TP, from the points where TP grew.

    The continuous area is s (TP log(1 + x) + s n (x - log(1 + x))) for each, see `pr_auc`.
    """
    area = 0.0
    for k in range(n):
        i = chosen[k]
        gain = tp[i] - tp[i - 1]
        if estimator == STEP:
            area += gain * (tp[i] / (tp[i] + fp[i]))
            continue
        called = tp[i - 1] + fp[i - 1]
        if estimator == TRAPEZOID:
            before = tp[i - 1] / called if called > 0.0 else 1.0
            area += 0.5 * gain * (tp[i] / (tp[i] + fp[i]) + before)
            continue
        added = gain + (fp[i] - fp[i - 1])
        share = gain / added
        x = added / called if called > 0.0 else 0.0
        if x < 1e-3:
            rest = x * x * (0.5 - x * (1.0 / 3.0 - x * (0.25 - x * 0.2)))
            grown = x - rest
        else:
            grown = math.log1p(x)
            rest = x - grown
        inside = tp[i - 1] * grown + share * called * rest
        area += share * (inside if called > 0.0 else gain)
    state[0] += area


@kernel
def break_even_of_points(tp, fp, n, n_positive, slack, state):
    """Find the TP where as many are called positive as there are positives: [found, TP]."""
    for i in range(1, n + 1):
        called = tp[i] + fp[i]
        if state[0] == 0.0 and called >= n_positive - slack:
            state[0] = 1.0
            state[1] = tp[i]
            if called > n_positive + slack:
                before = tp[i - 1] + fp[i - 1]
                share = (n_positive - before) / (called - before)
                state[1] = tp[i - 1] + share * (tp[i] - tp[i - 1])


@kernel
def add_areas(kind, criterion, bounds, tp, fp, n, n_positive, n_negative, state, chosen):
    """Add to an area what n points give."""
    x, y, axis, top = (tp, fp, n_positive, n_negative)
    if kind == AREA and not criterion:
        x, y, axis, top = (fp, tp, n_negative, 0.0)
    n = chosen_points(x, n, chosen)
    if kind == AREA:
        area_of_points(x, y, top, bounds[0] * axis, bounds[1] * axis, chosen, n, state)
    else:
        precision_area_of_points(criterion, tp, fp, chosen, n, state)


@kernel
def measure_points(tp, fp, rows, slack, programme, bounds, states):
    """Measure one whole curve: ``states[j]`` is what measure j of the programme leaves."""
    n = rows.size
    n_p = tp[n]
    n_n = fp[n]
    chosen = np.empty(n, np.int64)
    for j in range(programme.shape[0]):
        kind = programme[j, 0]
        criterion = programme[j, 1]
        state = states[j]
        for i in range(STATE):
            state[i] = 0.0
        if kind == BEST:
            nobody(criterion, bounds[j, 0], n_p, n_n, state)
            best_of_points(criterion, bounds[j, 0], tp, fp, rows, n, n_p, n_n, state)
        elif kind == BREAK_EVEN:
            break_even_of_points(tp, fp, n, n_p, slack, state)
        else:
            add_areas(kind, criterion, bounds[j], tp, fp, n, n_p, n_n, state, chosen)


@kernel
def points_of_rows(counts, masks, ends, segment, edge_tp, edge_fp, tp, fp, rows):
    """Write the points of a segment's rows, at the ends of ties; return their number."""
    n = np.uint64(0)
    true_positives = np.int64(edge_tp[segment])
    false_positives = np.int64(edge_fp[segment])
    first = segment * SEGMENT
    for i in range(np.uint64(first), np.uint64(min(first + SEGMENT, masks.size))):
        positive = counts[i] & masks[i]
        true_positives += np.int64(positive)
        false_positives += np.int64(counts[i]) - np.int64(positive)
        rows[n] = i
        tp[n + np.uint64(1)] = true_positives
        fp[n + np.uint64(1)] = false_positives
        n += np.uint64(ends[i])
    return np.int64(n)


@kernel
def thresholds_of_rows(
    counts, masks, ends, anchors, segment_positives, segment_negatives, around, programme, bounds,
    states,
):  # fmt: skip
    """Find the best thresholds and break-even points of replicates of n rows.

    ``states[r, j]`` is what measure j leaves; those of areas are passed over. ``around[r]`` are TP
    and FP of what scores higher than these rows, and the positives and negatives of the whole
    replicate. ``anchors[s]`` is the last segment up to s that starts with a new tie.

    Only the segments that a measure needs are read row by row: for the best threshold those whose
    bound (TP at the end, FP at the start) is as good as the best segment end.
    """
    n_rows = masks.size
    n_segments = segment_positives.shape[1]
    tp = np.zeros(SEGMENT + 1)
    fp = np.zeros(SEGMENT + 1)
    rows = np.empty(SEGMENT, np.int64)
    edge_tp = np.zeros(n_segments + 1)
    edge_fp = np.zeros(n_segments + 1)
    node_tp = np.zeros(n_segments + 1)  # the edges at which a tie ends
    node_fp = np.zeros(n_segments + 1)
    node_rows = np.empty(n_segments, np.int64)
    for r in range(counts.shape[0]):
        drawn = counts[r]
        edge_tp[0] = around[r, 0]
        edge_fp[0] = around[r, 1]
        n_nodes = np.int64(0)
        for s in range(n_segments):
            edge_tp[s + 1] = edge_tp[s] + segment_positives[r, s]
            edge_fp[s + 1] = edge_fp[s] + segment_negatives[r, s]
            node_rows[n_nodes] = min((s + 1) * SEGMENT, n_rows) - 1
            node_tp[n_nodes + 1] = edge_tp[s + 1]
            node_fp[n_nodes + 1] = edge_fp[s + 1]
            n_nodes += np.int64(ends[node_rows[n_nodes]])
        n_p = around[r, 2]
        n_n = around[r, 3]
        for j in range(programme.shape[0]):
            kind = programme[j, 0]
            criterion = programme[j, 1]
            bound = bounds[j, 0]
            state = states[r, j]
            if kind == BEST:
                nobody(criterion, bound, n_p, n_n, state)
                best_of_points(
                    criterion, bound, node_tp, node_fp, node_rows, n_nodes, n_p, n_n, state
                )
                below = np.int64(criterion == YOUDEN_BELOW)
                for s in range(n_segments):
                    most_tp = edge_tp[s + 1 - below]
                    most = merit(criterion, bound, most_tp, edge_fp[s + below], n_p, n_n)
                    if most >= state[0] and most > -np.inf:
                        n = points_of_rows(drawn, masks, ends, s, edge_tp, edge_fp, tp, fp, rows)
                        best_of_points(criterion, bound, tp, fp, rows, n, n_p, n_n, state)
            elif kind == BREAK_EVEN:
                for i in range(STATE):
                    state[i] = 0.0
                s = np.int64(0)
                while s < n_segments - 1 and edge_tp[s + 1] + edge_fp[s + 1] < n_p:
                    s += 1
                s = anchors[s]  # where the tie starts
                tp[0] = edge_tp[s]
                fp[0] = edge_fp[s]
                while s < n_segments and state[0] == 0.0:
                    n = points_of_rows(drawn, masks, ends, s, edge_tp, edge_fp, tp, fp, rows)
                    break_even_of_points(tp, fp, n, n_p, 0.0, state)
                    tp[0] = tp[n]
                    fp[0] = fp[n]
                    s += 1


@kernel
def areas_of_rows(
    counts, masks, ends, anchors, segment_positives, segment_negatives, around, programme, bounds,
    states,
):  # fmt: skip
    """Add up areas under curves of replicates; see `thresholds_of_rows`.

    Thresholds are passed over, and the area under steps, which is that of `replicate_pairs`.
    """
    n_segments = segment_positives.shape[1]
    tp = np.zeros(SEGMENT + 1)
    fp = np.zeros(SEGMENT + 1)
    rows = np.empty(SEGMENT, np.int64)
    chosen = np.empty(SEGMENT, np.int64)
    edge_tp = np.zeros(n_segments + 1)
    edge_fp = np.zeros(n_segments + 1)
    for r in range(counts.shape[0]):
        edge_tp[0] = around[r, 0]
        edge_fp[0] = around[r, 1]
        for s in range(n_segments):
            edge_tp[s + 1] = edge_tp[s] + segment_positives[r, s]
            edge_fp[s + 1] = edge_fp[s] + segment_negatives[r, s]
        n_p = around[r, 2]
        n_n = around[r, 3]
        for j in range(programme.shape[0]):
            kind = programme[j, 0]
            criterion = programme[j, 1]
            of_steps = kind == PRECISION_AREA and criterion == STEP
            if kind in (BEST, BREAK_EVEN) or of_steps:
                continue
            state = states[r, j]
            for i in range(STATE):
                state[i] = 0.0
            edges, x, axis = (edge_tp, tp, n_p) if criterion else (edge_fp, fp, n_n)
            high = bounds[j, 1] * axis if kind == AREA else np.inf
            s = np.int64(0)
            while kind == AREA and s < n_segments - 1 and edges[s + 1] < bounds[j, 0] * axis:
                s += 1
            s = anchors[s]  # where the tie starts in which the axis enters the range
            tp[0] = edge_tp[s]
            fp[0] = edge_fp[s]
            while s < n_segments and x[0] < high:
                n = points_of_rows(counts[r], masks, ends, s, edge_tp, edge_fp, tp, fp, rows)
                add_areas(kind, criterion, bounds[j], tp, fp, n, n_p, n_n, state, chosen)
                tp[0] = tp[n]
                fp[0] = fp[n]
                s += 1
