"""Loops over rows of a table: what adds up, of what the best remains, what each row moves."""

import numpy as np

from fastmetrics._kernels._compile import kernel


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
    of a place a row. Each of the seven limbs is less than ``2**33`` greater after a row.
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
            place = (word >> 52) - 947
            limb = place >> 5
            shift = place & 31
            low = (mantissa & np.int64(0xFFFFFFFF)) << shift
            high = (mantissa >> 32) << shift
            limbs[limb] += low & np.int64(0xFFFFFFFF)
            limbs[limb + 1] += (low >> 32) + (high & np.int64(0xFFFFFFFF))
            limbs[limb + 2] += high >> 32


@kernel
def auc_influences(positives, negatives, above, sizes, value, of_positives, of_negatives):
    """Write how far a row of either class moves the AUC at each score of a piece.

    ``above`` are TP and FP of what scores higher, ``sizes`` the weights of the positives and of
    the negatives, ``value`` is the AUC.
    """
    m, n = sizes
    tp, fp = above
    for i in range(positives.size):
        tp += positives[i]
        fp += negatives[i]
        of_positives[i] = (n - fp) + negatives[i] / 2.0
        of_negatives[i] = tp - positives[i] / 2.0
    for i in range(positives.size):  # divisions in loops of their own: several at a time
        of_positives[i] = (of_positives[i] / n - value) / m
    for i in range(positives.size):
        of_negatives[i] = (of_negatives[i] / m - value) / n


@kernel
def precision_shares(positives, negatives, above, precisions, shares):
    """Write the precision at each score of a piece, and which share of what is called is new there.

    ``above`` are TP and FP of what scores higher. Returns the sums of ``share * (1 - precision)``
    and of ``share * precision``.
    """
    tp, fp = above
    for i in range(positives.size):
        tp += positives[i]
        fp += negatives[i]
        precisions[i] = tp
        shares[i] = tp + fp
    for i in range(positives.size):  # divisions in loops of their own: several at a time
        precisions[i] /= shares[i]
    for i in range(positives.size):
        shares[i] = positives[i] / shares[i]
    gained = 0.0
    lost = 0.0
    for i in range(positives.size):
        gained += shares[i] * (1.0 - precisions[i])
        lost += shares[i] * precisions[i]
    return gained, lost


@kernel
def precision_influences(n_positive, value, below, of_positives, of_negatives):
    """Make of precisions and shares how far a row of either class moves average precision.

    A row lowers or raises the precision of all positives below it. ``value`` is the average,
    ``below`` what `precision_shares` returned of the pieces below this one.
    """
    gained, lost = below
    for i in range(of_positives.size - 1, -1, -1):
        share = of_negatives[i]
        precision = of_positives[i]
        gained += share * (1.0 - precision)
        lost += share * precision
        of_positives[i] = precision - value + gained
        of_negatives[i] = -lost
    for i in range(of_positives.size):
        of_positives[i] /= n_positive
    for i in range(of_positives.size):
        of_negatives[i] /= n_positive


@kernel
def add_products(one, other, counts, weights, strata, sums):
    """Add of each row c d, c and (c d)^2 to the ``sums`` of its stratum.

    c and d are ``one`` and ``other`` times the weight of the row, and stand for so many rows as its
    count says. No counts, weights or strata: 1, 1, and all in the first one.
    """
    for i in range(one.size):
        c = one[i]
        d = other[i]
        if weights.size:
            c *= weights[i]
            d *= weights[i]
        product = c * d
        square = product * product
        if counts.size:
            c *= counts[i]
            product *= counts[i]
            square *= counts[i]
        stratum = strata[i] if strata.size else 0
        sums[stratum, 0] += product
        sums[stratum, 1] += c
        sums[stratum, 2] += square


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
