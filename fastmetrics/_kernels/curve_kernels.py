"""Sweeps over a table of counts (highest score first): ROC corners, row pairs, precisions.

Counts are int64 and totals stay below 2**63; products are the callers' to bound.
``true_positives`` and ``false_positives`` are those above the first row.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Corners of a line that may be passed at once.
LINE_BLOCK = 128
#: Sums that a loop adds to side by side.
LANES = 32
_U = np.uint64  # unsigned indices spare the test for negative ones


@kernel
def corner_count(positives, negatives, start, stop):
    """Return how many of the rows ``start`` to ``stop`` are corners of the ROC curve.

    Both ends of the table are. The second difference of the cumulative counts at a row is the
    difference between the next row's counts and its own, so that integers are compared, not sums.
    """
    last = positives.size - 1
    count = np.int64(start == 0) + np.int64(stop > last > 0)
    first = max(start, 1)
    end = max(first, min(stop, last))
    p = positives[first:end]
    next_p = positives[first + 1 : end + 1]
    n = negatives[first:end]
    next_n = negatives[first + 1 : end + 1]
    for i in range(p.size):
        count += (next_p[i] != p[i]) | (next_n[i] != n[i])
    return count


@kernel
def write_roc(
    scores, positives, negatives, start, stop, true_positives, false_positives, n_positive,
    n_negative, corners_only, fpr, tpr, thresholds,
):  # fmt: skip
    """Write the points of the rows ``start`` to ``stop``, or of the corners among them.

    Every row is noted; only a corner advances the index, so that the next row overwrites others: a
    branch would be mispredicted at two rows in five.
    """
    tp = np.int64(true_positives)
    fp = np.int64(false_positives)
    last = positives.size - 1
    noted_fp, noted_tp, noted_scores = np.empty((3, stop - start))
    end = max(start, min(stop, last))
    p = positives[start:end]
    next_p = positives[start + 1 : end + 1]
    n = negatives[start:end]
    next_n = negatives[start + 1 : end + 1]
    here = scores[start:end]
    n_noted = _U(0)
    for i in range(p.size):
        tp += p[i]
        fp += n[i]
        noted_fp[n_noted] = fp
        noted_tp[n_noted] = tp
        noted_scores[n_noted] = here[i]
        is_corner = (next_p[i] != p[i]) | (next_n[i] != n[i])
        n_noted += _U(is_corner | (not corners_only) | (start + i == 0))
    if stop > last:
        noted_fp[n_noted] = fp + negatives[last]
        noted_tp[n_noted] = tp + positives[last]
        noted_scores[n_noted] = scores[last]
        n_noted += _U(1)
    for j in range(n_noted):
        fpr[j] = noted_fp[j] / n_negative
        tpr[j] = noted_tp[j] / n_positive
        thresholds[j] = noted_scores[j]


@kernel
def concordant_pairs_by_row(labels, scores, n_positive, n_negative, twice_concordant):
    """Write twice the pairs a positive wins in each row, sorted by score; a tie is half a pair."""
    for row in range(labels.shape[0]):
        positives_below = 0
        negatives_below = 0
        twice = 0
        start = 0
        while start < labels.shape[1]:
            end = start
            tied_positives = 0
            while end < labels.shape[1] and scores[row, end] == scores[row, start]:
                tied_positives += labels[row, end] == 1
                end += 1
            tied_negatives = end - start - tied_positives
            twice += tied_positives * (2 * negatives_below + tied_negatives)
            positives_below += tied_positives
            negatives_below += tied_negatives
            start = end
        n_positive[row] = positives_below
        n_negative[row] = negatives_below
        twice_concordant[row] = twice


@kernel
def write_precision_steps(positives, negatives, true_positives, false_positives, n_positive, steps):
    """Write (R_{k-1} - R_k) P_k of each row, the lowest score first, as scikit-learn adds them."""
    n = positives.size
    recall = np.empty(n + 1)
    precision = np.empty(n)
    tp = np.int64(true_positives)
    called = tp + np.int64(false_positives)
    recall[0] = tp
    for i in range(n):
        tp += positives[i]
        called += positives[i] + negatives[i]
        recall[i + 1] = tp
        precision[i] = called
    for i in range(n):  # divisions in loops of their own: eight at a time
        precision[i] = recall[i + 1] / precision[i]
    for i in range(n + 1):
        recall[i] /= n_positive
    for i in range(n):
        steps[n - 1 - i] = (recall[i] - recall[i + 1]) * precision[i]


@kernel
def write_precision_recall(
    positives, negatives, true_positives, false_positives, n_positive, precision, recall
):
    """Write precision and recall of each row, the lowest score first."""
    tp = np.int64(true_positives)
    called = tp + np.int64(false_positives)
    last = positives.size - 1
    for i in range(positives.size):
        tp += positives[i]
        called += positives[i] + negatives[i]
        recall[last - i] = tp
        precision[last - i] = called
    for i in range(positives.size):  # divisions in a loop of their own: eight at a time
        precision[i] = recall[i] / precision[i]
        recall[i] /= n_positive


@kernel
def turns_of_lines(ax, ay, bx, by, i, i_stop, j, j_stop, touching, turns):
    """Write where line A crosses line B; return the number of crossings.

    Both rise from (0, 0) to the same end; corners ``i`` to ``i_stop`` of A and ``j`` to ``j_stop``
    of B are visited by rising x + y, those of A first. A corner lies on the other line where the
    doubled area that it spans with the segment beside it is at most ``touching`` times that
    segment's dx + dy. A turn is noted at the corner that shows the new side, or, where the one
    before it lies on both lines, there: how many corners of A and of B stand before it, and a sum
    of marks, 1 if it is A's, 2 if it lies on both, 4 if A is above from there. The first side that
    is seen is noted like a turn.
    """
    if i + j > 0:  # what the corner before the first one shows
        if i > 0 and (j == 0 or ax[i - 1] + ay[i - 1] > bx[j - 1] + by[j - 1]):
            i -= 1
        else:
            j -= 1
    count = 0
    sign = 0
    before_i = i
    before_j = j
    was_of_a = 0
    touches = 0
    while i < i_stop or j < j_stop:
        i_end = min(i + LINE_BLOCK, i_stop)
        j_end = j_stop
        if i_end < i_stop:  # the first corner of B that is as far along
            j_end = j
            size = j_stop - j
            while size > 0:
                half = size // 2
                if bx[j_end + half] + by[j_end + half] < ax[i_end] + ay[i_end]:
                    j_end += half + 1
                    size -= half + 1
                else:
                    size = half
        # As both rise, their heights at the ends of a block may tell that its side is the same.
        if sign > 0 and i > 0 and ay[i - 1] - by[min(j_end, by.size - 1)] > 4 * touching:
            is_clear = True
        elif sign < 0 and j > 0:
            is_clear = by[j - 1] - ay[min(i_end, ay.size - 1)] > 4 * touching
        else:
            is_clear = False
        if is_clear:
            i = i_end
            j = j_end
            touches = 0
        while i < i_end or j < j_end:
            at_i = i
            at_j = j
            if j >= j_end or (i < i_end and ax[i] + ay[i] <= bx[j] + by[j]):
                end = min(max(j, 1), bx.size - 1)
                dx = bx[end] - bx[end - 1]
                dy = by[end] - by[end - 1]
                area = dx * (ay[i] - by[end - 1]) - dy * (ax[i] - bx[end - 1])
                i += 1
                is_of_a = 1
            else:
                end = i
                while end > 0 and ax[end - 1] + ay[end - 1] >= bx[j] + by[j]:
                    end -= 1  # to the first corner that is as far along
                end = min(max(end, 1), ax.size - 1)
                dx = ax[end] - ax[end - 1]
                dy = ay[end] - ay[end - 1]
                area = dy * (bx[j] - ax[end - 1]) - dx * (by[j] - ay[end - 1])
                j += 1
                is_of_a = 0
            limit = touching * (dx + dy)
            side = np.int64(area > limit) - np.int64(area < -limit)
            if side != 0 and side != sign:
                turns[count, 0] = before_i if touches else at_i
                turns[count, 1] = before_j if touches else at_j
                turns[count, 2] = (was_of_a if touches else is_of_a) + 2 * touches + 2 * (side + 1)
                count += 1
                sign = side
            touches = np.int64(side == 0)
            was_of_a = is_of_a
            before_i = at_i
            before_j = at_j
    return count


# --- ranges of a table, and influences of its rows -----------------------------------------------
#
# Loops over rows of a table: sums, extremes, and influences of rows.


@kernel
def gap_ends(positives, negatives, n_positive, n_negative, ends):
    """Find where ``tp * n_negative - fp * n_positive``, from 0 above the first row, is at its ends.

    ``ends`` becomes the first row, tp and fp of the largest, then of the smallest. Either class's
    rows here times all rows of the other must be below 2**63.
    """
    tp = np.int64(0)
    fp = np.int64(0)
    largest = np.int64(0)
    smallest = np.int64(0)
    for i in range(positives.size):
        tp += positives[i]
        fp += negatives[i]
        gap = tp * n_negative - fp * n_positive
        if i == 0 or gap > largest:
            largest = gap
            ends[0] = i
            ends[1] = tp
            ends[2] = fp
        if i == 0 or gap < smallest:
            smallest = gap
            ends[3] = i
            ends[4] = tp
            ends[5] = fp


@kernel
def add_precisions(positives, negatives, true_positives, false_positives, terms, limbs):
    """Add ``p * tp / (tp + fp)`` of each row, a double, exactly: to limbs of 32 bits from 2**-128.

    ``true_positives`` and ``false_positives`` are those above the first row; ``terms`` is scratch
    of one entry a row. Each of the seven limbs is less than ``2**33`` greater after a row.
    """
    tp = np.int64(true_positives)
    fp = np.int64(false_positives)
    for i in range(positives.size):
        tp += positives[i]
        fp += negatives[i]
        terms[i] = positives[i] * (tp / (np.float64(tp) + np.float64(fp)))
    bits = terms.view(np.int64)
    for i in range(positives.size):
        word = bits[i]
        if word > 0:
            mantissa = (word & np.int64(0xFFFFFFFFFFFFF)) | np.int64(0x10000000000000)
            bit = (word >> 52) - 947
            limb = bit >> 5
            shift = bit & 31
            low = (mantissa & np.int64(0xFFFFFFFF)) << shift
            high = (mantissa >> 32) << shift
            limbs[limb] += low & np.int64(0xFFFFFFFF)
            limbs[limb + 1] += (low >> 32) + (high & np.int64(0xFFFFFFFF))
            limbs[limb + 2] += high >> 32


@kernel
def auc_influences(positives, negatives, above, sizes, value, influence_p, influence_n, sums):
    """Write the influence on the AUC of a row of either class at each score of a piece.

    ``above`` are TP and FP of higher scores, ``sizes`` the weights of the positives and of
    the negatives, ``value`` is the AUC. Where ``sums`` has rows, for negatives and for positives,
    the sums of squares and of influences are added to them.
    """
    m, n = sizes
    tp, fp = above
    for i in range(positives.size):
        tp += positives[i]
        fp += negatives[i]
        influence_p[i] = (n - fp) + negatives[i] / 2.0
        influence_n[i] = tp - positives[i] / 2.0
    for i in range(positives.size):  # divisions in loops of their own: several at a time
        influence_p[i] = (influence_p[i] / n - value) / m
    for i in range(positives.size):
        influence_n[i] = (influence_n[i] / m - value) / n
    if sums.shape[0] > 0:
        for i in range(positives.size):
            influence = negatives[i] * influence_n[i]
            sums[0, 0] += influence * influence_n[i]
            sums[0, 1] += influence
            influence = positives[i] * influence_p[i]
            sums[1, 0] += influence * influence_p[i]
            sums[1, 1] += influence


@kernel
def precision_fractions(positives, negatives, above, precisions, fractions):
    """Write the precision at each score of a piece, and its fraction of the predicted positives.

    ``above`` are TP and FP of higher scores. Returns the sums of ``fraction * (1 - precision)`` and
    of ``fraction * precision``.
    """
    tp, fp = above
    for i in range(positives.size):
        tp += positives[i]
        fp += negatives[i]
        precisions[i] = tp
        fractions[i] = tp + fp
    for i in range(positives.size):  # divisions in loops of their own: several at a time
        precisions[i] /= fractions[i]
    for i in range(positives.size):
        fractions[i] = positives[i] / fractions[i]
    gained = 0.0
    lost = 0.0
    for i in range(positives.size):
        gained += fractions[i] * (1.0 - precisions[i])
        lost += fractions[i] * precisions[i]
    return gained, lost


@kernel
def precision_influences(n_positive, value, below, influence_p, influence_n):
    """Convert precisions and fractions to influences of a row of either class on average precision.

    A row lowers or raises the precision of all positives below it. ``value`` is the average,
    ``below`` the sums that `precision_fractions` returned for the pieces below this one.
    """
    gained, lost = below
    for i in range(influence_p.size - 1, -1, -1):
        fraction = influence_n[i]
        precision = influence_p[i]
        gained += fraction * (1.0 - precision)
        lost += fraction * precision
        influence_p[i] = precision - value + gained
        influence_n[i] = -lost
    for i in range(influence_p.size):
        influence_p[i] /= n_positive
    for i in range(influence_p.size):
        influence_n[i] /= n_positive


@kernel
def total(values):
    """Return a sum; the method of arrays would load SciPy's linear algebra with the kernel."""
    added = 0.0
    for i in range(values.size):
        added += values[i]
    return added


@kernel
def central_moments(counts, values, moments):
    """Write the mean of counted values, and the sums of second to fourth powers about it.

    Each loop adds to ``LANES`` sums side by side, which is vector code. What rounding leaves of the
    mean is in the sum of first powers about it, from which all powers are shifted.
    """
    n = values.size
    whole = n - n % LANES
    lanes = np.zeros(4 * LANES)
    for start in range(0, whole, LANES):
        for k in range(LANES):
            count = np.float64(counts[_U(start + k)])
            lanes[_U(k)] += count
            lanes[_U(k + LANES)] += count * values[_U(start + k)]
    for i in range(whole, n):
        lanes[0] += counts[_U(i)]
        lanes[LANES] += counts[_U(i)] * values[_U(i)]
    size = total(lanes[:LANES])
    if size == 0.0:
        moments[:] = 0.0
        return
    mean = total(lanes[LANES : 2 * LANES]) / size
    lanes[:] = 0.0
    for start in range(0, whole, LANES):
        for k in range(LANES):
            off = values[_U(start + k)] - mean
            term = counts[_U(start + k)] * off
            lanes[_U(k)] += term
            term *= off
            lanes[_U(k + LANES)] += term
            term *= off
            lanes[_U(k + 2 * LANES)] += term
            lanes[_U(k + 3 * LANES)] += term * off
    for i in range(whole, n):
        off = values[_U(i)] - mean
        term = counts[_U(i)] * off
        for power in range(4):
            lanes[_U(power * LANES)] += term
            term *= off
    shift = total(lanes[:LANES]) / size
    second = total(lanes[LANES : 2 * LANES])
    third = total(lanes[2 * LANES : 3 * LANES])
    fourth = total(lanes[3 * LANES :])
    square = size * shift * shift
    moments[0] = mean + shift
    moments[1] = second - square
    moments[2] = third - 3.0 * shift * second + 2.0 * shift * square
    moments[3] = fourth - shift * (4.0 * third - shift * (6.0 * second - 3.0 * square))


@kernel
def cell_means(counts, values, starts, means):
    """Write the mean of counted values in each cell; return the sum of squares about the means."""
    squares = 0.0
    for cell in range(starts.size):
        start = starts[cell]
        stop = starts[cell + 1] if cell + 1 < starts.size else values.size
        first = values[start]
        size = 0.0
        shift = 0.0
        for i in range(start, stop):
            size += counts[_U(i)]
            shift += counts[_U(i)] * (values[_U(i)] - first)
        shift /= max(size, 1.0)
        means[cell] = first + shift
        for i in range(start, stop):
            off = values[_U(i)] - first - shift
            squares += counts[_U(i)] * off * off
    return squares


@kernel
def add_products(one, other, counts, weights, strata, sums):
    """Add of each row c d, c, (c d)^2 and c^2 d to the ``sums`` of its stratum.

    c and d are ``one`` and ``other`` times the weight of the row, and stand for so many rows as its
    count says. No counts, weights or strata: 1, 1, and all in the first one. The sums of the
    first two strata stay in registers, which is three times as fast.
    """
    first = second = third = fourth = 0.0
    first_1 = second_1 = third_1 = fourth_1 = 0.0
    for i in range(one.size):
        c = one[i]
        d = other[i]
        if weights.size:
            c *= weights[i]
            d *= weights[i]
        product = c * d
        square = product * product
        cube = product * c
        if counts.size:
            c *= counts[i]
            product *= counts[i]
            square *= counts[i]
            cube *= counts[i]
        stratum = strata[i] if strata.size else 0
        if stratum == 0:
            second += product
            first += c
            fourth += square
            third += cube
        elif stratum == 1:
            second_1 += product
            first_1 += c
            fourth_1 += square
            third_1 += cube
        else:
            sums[stratum, 0] += product
            sums[stratum, 1] += c
            sums[stratum, 2] += square
            sums[stratum, 3] += cube
    sums[0, 0] += second
    sums[0, 1] += first
    sums[0, 2] += fourth
    sums[0, 3] += third
    if sums.shape[0] > 1:
        sums[1, 0] += second_1
        sums[1, 1] += first_1
        sums[1, 2] += fourth_1
        sums[1, 3] += third_1


@kernel
def add_by_code(codes, values, weights, sums):
    """Add values, times their weights, to the sums of their codes; return the sum of their sizes.

    Without ``weights`` each is 1.
    """
    size = 0.0
    for i in range(codes.size):
        added = values[i]
        if weights.size:
            added *= weights[i]
        sums[codes[i]] += added
        size += abs(added)
    return size
