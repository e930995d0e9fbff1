"""Metrics of the replicates of a bootstrap: pairs, sums, thresholds and areas.

Rows are sorted by descending score and, inside a tie, positives first; a mask byte is 255 for a
positive, else 0, and ``ends`` marks the last row of a tie. A replicate is how often each row was
drawn, a byte, or its weight, a double. Eight neighbouring counts must sum to less than 256: of
draws that fall on each row once on average, more do so with a probability below 1e-30.

Units and indices are numbered in int32; sums are int64, or float64 where terms are no counts, and
are taken by blocks of rows, so that they do not depend on the chunks in which a replicate comes.
The points of a piece of curve, highest score first, are float64 ``tp`` and ``fp``: entry 0 is the
last point before the piece, entry i + 1 its point i.
"""

import math

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Rows of a segment, whose class totals are kept; and its words of eight counts.
SEGMENT = 512
_SEGMENT_WORDS = 64
#: Rows whose sums are taken by themselves, in lanes.
BLOCK = 4096
_LANES = 64
_64 = np.uint64(6)
_MASK_64 = np.uint64(63)
_ONE = np.uint64(1)
_S8, _S16, _S32, _TOP = (np.uint64(shift) for shift in (8, 16, 32, 56))
_BYTE = np.uint64(255)
_BYTE_1 = np.uint8(1)


@kernel
def sum_of_values(values, times):
    """Return how many values there are, their sum and the largest magnitude.

    Each counts ``times[i]``; once where ``times`` is empty.
    """
    n = 0.0
    total = 0.0
    largest = 0.0
    for i in range(values.size):
        count = times[i] if times.size else 1
        if count > 0:
            n += count
            total += count * values[i]
            size = abs(values[i])
            if not size <= largest:  # or nan
                largest = size
    return n, total, largest


@kernel
def central_moments(values, times, mean, scale):
    """Return the sums of squares and cubes of ``(values - mean) / scale``, and the largest size."""
    squares = 0.0
    cubes = 0.0
    largest = 0.0
    for i in range(values.size):
        count = times[i] if times.size else 1
        if count > 0:
            deviation = (values[i] - mean) / scale
            square = count * deviation * deviation
            squares += square
            cubes += square * deviation
            largest = max(largest, abs(deviation))
    return squares, cubes, largest


@kernel
def gather_counts(drawn, units, counts):
    """Fill ``counts[r, i]`` with ``drawn[r, units[i]]``: units are drawn, not rows."""
    for r in range(counts.shape[0]):
        some = drawn[r]
        for i in range(units.size):
            counts[r, i] = some[np.uint32(units[i])]


@kernel
def exchange_rows(coins, units, second, first_counts, second_counts):
    """Count the rows that each of two models has once units have tossed their coins.

    Row i is of the first model, or if ``second[i]`` of the other one; where the coin of its unit,
    a bit, is 1, it goes over.
    """
    for r in range(first_counts.shape[0]):
        words = coins[r]
        first = first_counts[r]
        other = second_counts[r]
        for i in range(units.size):
            unit = np.uint64(units[i])
            coin = np.uint8((words[unit >> _64] >> (unit & _MASK_64)) & _ONE)
            other[i] = coin ^ second[i]
            first[i] = np.uint8(1) ^ other[i]


@kernel
def byte_products(a, b, n):
    """Return the sum of a[i] * b[i] in uint32, which makes vector lanes; n is a segment at most.

    No overflow: positives and negatives of eight counts sum to less than 256, their products to
    less than 2**14, and those of the 64 words of a segment to less than 2**20.
    """
    total = np.uint32(0)
    for i in range(n):
        total = np.uint32(total + np.uint32(np.uint32(a[i]) * np.uint32(b[i])))
    return np.int64(total)


@kernel
def pair_counts(
    counts, masks, pieces, counts_by_row, scratch, scratch_bytes, state, segment_positives,
    segment_negatives,
):  # fmt: skip
    """Count, through one more chunk of rows of each replicate, the pairs that a positive wins.

    ``counts`` are words of eight rows, ``counts_by_row`` the same memory. ``state[r]`` is
    [positives, negatives, doubled pairs won (a tie is one), positives of the open tie], and goes
    on where the chunk before it ended. ``pieces`` lists the ties of both classes in this chunk:
    (first row, first negative, end, whether the tie ends here). ``scratch`` has two segments, as
    words and as bytes: a view in a kernel takes a tenth of a second to compile.
    """
    prefixes = scratch[0]
    negatives = scratch[1]
    n_words = masks.size
    for r in range(counts.shape[0]):
        all_positives = state[r, 0]
        all_negatives = state[r, 1]
        won = np.int64(0)
        for segment in range((n_words + _SEGMENT_WORDS - 1) // _SEGMENT_WORDS):
            start = segment * _SEGMENT_WORDS
            size = min(_SEGMENT_WORDS, n_words - start)
            for i in range(size):
                count = counts[r, start + i]
                positive = count & masks[start + i]
                negatives[i] = count ^ positive
                # Prefix sums of the eight bytes: byte j becomes the sum of the bytes up to j.
                positive += positive << _S8
                positive += positive << _S16
                prefixes[i] = positive + (positive << _S32)
            won += byte_products(scratch_bytes[0], scratch_bytes[1], 8 * size)
            before = np.int64(0)
            below = np.int64(0)
            for i in range(size):
                negative = negatives[i]
                negative += negative << _S8
                negative += negative << _S16
                negative = (negative + (negative << _S32)) >> _TOP
                won += before * np.int64(negative)
                below += np.int64(negative)
                before += np.int64(prefixes[i] >> _TOP)
            won += all_positives * below
            all_positives += before
            all_negatives += below
            segment_positives[r, segment] = before
            segment_negatives[r, segment] = below
        tied = np.int64(0)
        open_positives = state[r, 3]
        for piece in range(pieces.shape[0]):
            for i in range(pieces[piece, 0], pieces[piece, 1]):
                open_positives += counts_by_row[r, i]
            tied_negatives = np.int64(0)
            for i in range(pieces[piece, 1], pieces[piece, 2]):
                tied_negatives += counts_by_row[r, i]
            tied += open_positives * tied_negatives
            if pieces[piece, 3]:
                open_positives = 0
        state[r, 0] = all_positives
        state[r, 1] = all_negatives
        state[r, 2] += 2 * won - tied
        state[r, 3] = open_positives


@kernel
def column_sums(drawn, columns, sums):
    """Add to ``sums[r, j]`` the sum over rows i of ``drawn[r, i] * columns[j, i]``.

    Blocks of rows are added up in lanes: chunks of whole blocks give the same sums.
    """
    n_rows = columns.shape[1]
    lanes = np.empty(_LANES)
    for r in range(drawn.shape[0]):
        for j in range(columns.shape[0]):
            for start in range(0, n_rows, BLOCK):
                stop = min(start + BLOCK, n_rows)
                whole = stop - (stop - start) % _LANES
                for i in range(_LANES):
                    lanes[i] = 0.0
                for first in range(start, whole, _LANES):
                    some = drawn[r, first : first + _LANES]  # a slice: the loop runs in vectors
                    column = columns[j, first : first + _LANES]
                    for i in range(_LANES):
                        lanes[i] += np.float64(some[i]) * column[i]
                total = 0.0
                for i in range(_LANES):
                    total += lanes[i]
                for i in range(whole, stop):
                    total += np.float64(drawn[r, i]) * columns[j, i]
                sums[r, j] += total


@kernel
def step_areas(counts, words, masks, mask_words, ends, lone, indices, starts, states):
    """Write each replicate's area under the steps of precision over TP.

    In segments in which each row has a score of its own (``lone``) only the positives are looked
    at: their ``indices``, those of segment s from ``starts[s]`` on. The predicted positives up to a
    row follow from prefix sums of eight counts at once: ``words`` and ``mask_words`` are the same
    memory as counts and masks.
    """
    sums = np.empty((2, _SEGMENT_WORDS), np.uint64)  # of drawn positives, and of all that is drawn
    before = np.empty((2, _SEGMENT_WORDS))
    gains = np.empty(SEGMENT + 1)
    steps = np.empty((2, SEGMENT + 1))
    for r in range(counts.shape[0]):
        drawn = counts[r]
        area = 0.0
        tp = np.int64(0)
        called = np.int64(0)
        gain = np.int64(0)
        for s in range(lone.size):
            first = np.uint64(s * SEGMENT)
            if not lone[s]:
                for i in range(first, np.uint64(min(s * SEGMENT + SEGMENT, masks.size))):
                    positive = np.int64(drawn[i] & masks[i])
                    tp += positive
                    called += np.int64(drawn[i])
                    gain += positive
                    end = np.int64(ends[i])
                    area += np.float64(gain * end) * (np.float64(tp) / np.float64(max(called, 1)))
                    gain *= 1 - end
                continue
            word = first // np.uint64(8)
            for i in range(_SEGMENT_WORDS):
                count = words[r, word + np.uint64(i)]
                positive = count & mask_words[word + np.uint64(i)]
                positive += positive << _S8
                positive += positive << _S16
                sums[0, i] = positive + (positive << _S32)
                count += count << _S8
                count += count << _S16
                sums[1, i] = count + (count << _S32)
            for i in range(_SEGMENT_WORDS):
                before[0, i] = tp
                before[1, i] = called
                tp += np.int64(sums[0, i] >> _TOP)
                called += np.int64(sums[1, i] >> _TOP)
            n = np.uint64(0)
            some = indices[starts[s] : starts[s + 1]]
            for k in range(some.size):
                index = np.uint64(some[k])
                times = drawn[first + index]
                gains[n] = times
                octet = index // np.uint64(8)
                shift = index % np.uint64(8) * np.uint64(8)
                steps[0, n] = before[0, octet] + np.float64((sums[0, octet] >> shift) & _BYTE)
                steps[1, n] = before[1, octet] + np.float64((sums[1, octet] >> shift) & _BYTE)
                n += np.uint64(times > 0)
            for k in range(n):
                gains[k] *= steps[0, k] / steps[1, k]
            for k in range(n):
                area += gains[k]
        states[r, 0] = area


#: Kinds of metric.
BEST, PRECISION_AREA, AREA, BREAK_EVEN = range(4)
#: What the best threshold maximises, and the estimators of a P-R area.
YOUDEN, YOUDEN_BELOW, CLOSEST, ERRORS, F_BETA, PRECISION, RECALL, RECALL_AT_FPR = range(8)
STEP, TRAPEZOID, CONTINUOUS = range(3)
#: Numbers in the state of a metric.
STATE = 4


@kernel
def merit(criterion, bound, tp, fp, n_positive, n_negative):
    """Return the value that a criterion maximises: rising in TP, falling in FP; -inf if barred.

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
    n_steps = np.uint64(0)
    for i in range(1, n + 1):
        chosen[n_steps] = i
        n_steps += np.uint64(x[i] > x[i - 1])
    return np.int64(n_steps)


@kernel
def area_of_points(x, y, top, low, high, chosen, n, state):
    """Add to ``state[0]`` the doubled area under |y - top| between two values of x."""
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
        fraction = gain / added
        x = added / called if called > 0.0 else 0.0
        if x < 1e-3:
            rest = x * x * (0.5 - x * (1.0 / 3.0 - x * (0.25 - x * 0.2)))
            grown = x - rest
        else:
            grown = math.log1p(x)
            rest = x - grown
        inside = tp[i - 1] * grown + fraction * called * rest
        area += fraction * (inside if called > 0.0 else gain)
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
                fraction = (n_positive - before) / (called - before)
                state[1] = tp[i - 1] + fraction * (tp[i] - tp[i - 1])


@kernel
def add_areas(kind, criterion, low, high, tp, fp, n, n_positive, n_negative, state, chosen):
    """Add the area under n points to the state."""
    if kind != AREA:
        n = chosen_points(tp, n, chosen)
        precision_area_of_points(criterion, tp, fp, chosen, n, state)
    elif criterion:
        n = chosen_points(tp, n, chosen)
        area_of_points(tp, fp, n_negative, low * n_positive, high * n_positive, chosen, n, state)
    else:
        n = chosen_points(fp, n, chosen)
        area_of_points(fp, tp, 0.0, low * n_negative, high * n_negative, chosen, n, state)


@kernel
def measure_curve(kind, criterion, low, high, tp, fp, rows, slack, state):
    """Measure one whole curve, of points at some rows, by one metric."""
    n = rows.size
    for i in range(STATE):
        state[i] = 0.0
    if kind == BEST:
        nobody(criterion, low, tp[n], fp[n], state)
        best_of_points(criterion, low, tp, fp, rows, n, tp[n], fp[n], state)
    elif kind == BREAK_EVEN:
        break_even_of_points(tp, fp, n, tp[n], slack, state)
    else:
        chosen = np.empty(n, np.int64)
        add_areas(kind, criterion, low, high, tp, fp, n, tp[n], fp[n], state, chosen)


@kernel
def write_edges(positives, negatives, tp, fp):
    """Write TP and FP of a replicate before each segment, and in all."""
    tp[0] = 0.0
    fp[0] = 0.0
    for s in range(positives.size):
        tp[s + 1] = tp[s] + positives[s]
        fp[s + 1] = fp[s] + negatives[s]


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
def best_of_rows(
    counts, masks, ends, segment_positives, segment_negatives, criterion, bound, states
):
    """Find the best threshold of each replicate of n rows, as `best_of_points`.

    Only the segments are read row by row whose bound, TP at the end and FP at the start, is as good
    as the best segment end.
    """
    n_rows = masks.size
    n_segments = segment_positives.shape[1]
    tp = np.empty(SEGMENT + 1)
    fp = np.empty(SEGMENT + 1)
    rows = np.empty(SEGMENT, np.int64)
    edge_tp = np.empty(n_segments + 1)
    edge_fp = np.empty(n_segments + 1)
    node_tp = np.empty(n_segments + 1)  # the edges at which a tie ends
    node_fp = np.empty(n_segments + 1)
    node_rows = np.empty(n_segments, np.int64)
    below = np.int64(criterion == YOUDEN_BELOW)
    for r in range(counts.shape[0]):
        write_edges(segment_positives[r], segment_negatives[r], edge_tp, edge_fp)
        n_nodes = np.int64(0)
        for s in range(n_segments):
            node_rows[n_nodes] = min((s + 1) * SEGMENT, n_rows) - 1
            node_tp[n_nodes + 1] = edge_tp[s + 1]
            node_fp[n_nodes + 1] = edge_fp[s + 1]
            n_nodes += np.int64(ends[node_rows[n_nodes]])
        n_p = edge_tp[n_segments]
        n_n = edge_fp[n_segments]
        state = states[r]
        nobody(criterion, bound, n_p, n_n, state)
        best_of_points(criterion, bound, node_tp, node_fp, node_rows, n_nodes, n_p, n_n, state)
        for s in range(n_segments):
            most = merit(criterion, bound, edge_tp[s + 1 - below], edge_fp[s + below], n_p, n_n)
            if most >= state[0] and most > -np.inf:
                n = points_of_rows(counts[r], masks, ends, s, edge_tp, edge_fp, tp, fp, rows)
                best_of_points(criterion, bound, tp, fp, rows, n, n_p, n_n, state)


@kernel
def break_even_of_rows(counts, masks, ends, anchors, segment_positives, segment_negatives, states):
    """Find where each replicate breaks even, as `break_even_of_points`.

    ``anchors[s]`` is the last segment up to s that starts with a new tie.
    """
    n_segments = segment_positives.shape[1]
    tp = np.empty(SEGMENT + 1)
    fp = np.empty(SEGMENT + 1)
    rows = np.empty(SEGMENT, np.int64)
    edge_tp = np.empty(n_segments + 1)
    edge_fp = np.empty(n_segments + 1)
    for r in range(counts.shape[0]):
        write_edges(segment_positives[r], segment_negatives[r], edge_tp, edge_fp)
        n_p = edge_tp[n_segments]
        for i in range(STATE):
            states[r, i] = 0.0
        s = np.int64(0)
        while s < n_segments - 1 and edge_tp[s + 1] + edge_fp[s + 1] < n_p:
            s += 1
        s = anchors[s]  # where the tie starts
        tp[0] = edge_tp[s]
        fp[0] = edge_fp[s]
        while s < n_segments and states[r, 0] == 0.0:
            n = points_of_rows(counts[r], masks, ends, s, edge_tp, edge_fp, tp, fp, rows)
            break_even_of_points(tp, fp, n, n_p, 0.0, states[r])
            tp[0] = tp[n]
            fp[0] = fp[n]
            s += 1


@kernel
def areas_of_rows(
    counts, masks, ends, anchors, segment_positives, segment_negatives, kind, criterion, low, high,
    states,
):  # fmt: skip
    """Add up an area under a curve of each replicate, from a fraction of the axis to another.

    Segments before and after these are not read. ``anchors`` are those of `break_even_of_rows`.
    """
    n_segments = segment_positives.shape[1]
    tp = np.empty(SEGMENT + 1)
    fp = np.empty(SEGMENT + 1)
    rows = np.empty(SEGMENT, np.int64)
    chosen = np.empty(SEGMENT, np.int64)
    edge_tp = np.empty(n_segments + 1)
    edge_fp = np.empty(n_segments + 1)
    for r in range(counts.shape[0]):
        write_edges(segment_positives[r], segment_negatives[r], edge_tp, edge_fp)
        n_p = edge_tp[n_segments]
        n_n = edge_fp[n_segments]
        for i in range(STATE):
            states[r, i] = 0.0
        edges, x, axis = (edge_tp, tp, n_p) if criterion else (edge_fp, fp, n_n)
        last = high * axis if kind == AREA else np.inf
        s = np.int64(0)
        while kind == AREA and s < n_segments - 1 and edges[s + 1] < low * axis:
            s += 1
        s = anchors[s]  # where the tie starts in which the axis enters the range
        tp[0] = edge_tp[s]
        fp[0] = edge_fp[s]
        while s < n_segments and x[0] < last:
            n = points_of_rows(counts[r], masks, ends, s, edge_tp, edge_fp, tp, fp, rows)
            add_areas(kind, criterion, low, high, tp, fp, n, n_p, n_n, states[r], chosen)
            tp[0] = tp[n]
            fp[0] = fp[n]
            s += 1


@kernel
def weigh_rows(drawn, weights, weighed):
    """Fill ``weighed[r, i]`` with ``drawn[r, i] * weights[i]``."""
    n_rows = weights.size
    for r in range(drawn.shape[0]):
        some = drawn[r, :n_rows]
        weighted = weighed[r, :n_rows]
        for i in range(n_rows):
            weighted[i] = np.float64(some[i]) * weights[i]


@kernel
def split_block(weights, masks, positives, negatives):
    """Split the weights of a block by class; return the rows of each of its four quarters.

    The last quarter has the rows that are left over too.
    """
    for i in range(weights.size):
        positive = weights[i] * np.float64(masks[i] & _BYTE_1)
        positives[i] = positive
        negatives[i] = weights[i] - positive
    return weights.size // 4


@kernel
def weighted_pairs(weights, masks, pieces, states):
    """Count, through one more chunk of rows of each replicate, the weighted pairs a positive wins.

    ``states[r]`` is [positives, negatives, doubled pairs won where a tie is a whole one, tied
    pairs, positives and negatives of the open tie], and goes on where the chunk before it ended: a
    chunk is of whole blocks, or the last. ``pieces`` are ties, as of `pair_counts`. The quarters of
    a block are walked through side by side, so that no sum waits for another.
    """
    positives = np.empty(BLOCK)
    negatives = np.empty(BLOCK)
    for r in range(weights.shape[0]):
        row = weights[r]
        state = states[r]
        for start in range(0, row.size, BLOCK):
            size = min(BLOCK, row.size - start)
            stop = start + size
            n = split_block(row[start:stop], masks[start:stop], positives, negatives)
            positives_1 = positives[n:]
            negatives_1 = negatives[n:]
            positives_2 = positives[2 * n :]
            negatives_2 = negatives[2 * n :]
            positives_3 = positives[3 * n :]
            negatives_3 = negatives[3 * n :]
            p0 = n0 = w0 = p1 = n1 = w1 = 0.0
            p2 = n2 = w2 = p3 = n3 = w3 = 0.0
            for i in range(n):
                p0 += positives[i]
                n0 += negatives[i]
                w0 += p0 * negatives[i]
                p1 += positives_1[i]
                n1 += negatives_1[i]
                w1 += p1 * negatives_1[i]
                p2 += positives_2[i]
                n2 += negatives_2[i]
                w2 += p2 * negatives_2[i]
                p3 += positives_3[i]
                n3 += negatives_3[i]
                w3 += p3 * negatives_3[i]
            for i in range(4 * n, size):
                p3 += positives[i]
                n3 += negatives[i]
                w3 += p3 * negatives[i]
            for p, q, w in ((p0, n0, w0), (p1, n1, w1), (p2, n2, w2), (p3, n3, w3)):
                state[2] += 2.0 * (state[0] * q + w)
                state[0] += p
                state[1] += q
        for piece in range(pieces.shape[0]):
            for i in range(pieces[piece, 0], pieces[piece, 1]):
                state[4] += row[i]
            for i in range(pieces[piece, 1], pieces[piece, 2]):
                state[5] += row[i]
            if pieces[piece, 3]:
                state[3] += state[4] * state[5]
                state[4] = 0.0
                state[5] = 0.0


@kernel
def weighted_points(weights, masks, ends, tp, fp, rows):
    """Write the points of all rows at the ends of ties, after a first 0; return how many.

    Sums are those of `weighted_pairs`, whose totals the last point meets.
    """
    positives = np.empty(BLOCK)
    negatives = np.empty(BLOCK)
    before_p = 0.0
    before_n = 0.0
    n_points = np.uint64(0)
    tp[0] = 0.0
    fp[0] = 0.0
    for start in range(0, weights.size, BLOCK):
        size = min(BLOCK, weights.size - start)
        stop = start + size
        n = split_block(weights[start:stop], masks[start:stop], positives, negatives)
        for quarter in range(4):
            p = 0.0
            q = 0.0
            for i in range(quarter * n, size if quarter == 3 else (quarter + 1) * n):
                p += positives[i]
                q += negatives[i]
                rows[n_points] = start + i
                tp[n_points + np.uint64(1)] = before_p + p
                fp[n_points + np.uint64(1)] = before_n + q
                n_points += np.uint64(ends[start + i])
            before_p += p
            before_n += q
    return np.int64(n_points)
