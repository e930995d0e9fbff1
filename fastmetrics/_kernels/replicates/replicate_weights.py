"""Replicates whose rows have weights: importances times counts, or exponential weights.

Rows are sorted by descending score and, inside a tie, positives first; a mask byte is 255 for a
positive, else 0. Sums are taken by blocks of rows, so that parts of a replicate that are whole
blocks leave no trace in them.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Rows of a block.
BLOCK = 4096
#: Numbers whose logarithms are taken at a time, in the first-level cache.
_CHUNK = 512
_ONE = np.uint8(1)
_12, _52 = np.uint64(12), np.uint64(52)
_ROOT, _FRACTION = np.uint64(0x3FE6A09E00000000), np.uint64(0xFFFFFFFFFFFFF)
_TO_ONE = np.uint64(0x3FF0000000000000 - 0x3FE6A09E00000000)
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_L2, _L4, _L6 = 3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01
_L1, _L3 = 6.666666666666735130e-01, 2.857142874366239149e-01
_L5, _L7 = 1.818357216161805012e-01, 1.479819860511658591e-01


@kernel
def exponentials(words, n_rows, sums):
    """Make of each word, in its place, an exponential number; 0 from row ``n_rows`` on.

    What replicate r adds up to is added to ``sums[r]``. The logarithm is FDLIBM's (Sun Microsystems
    1993, e_log.c: wrong by less than a unit in the last place), without branches, for vectors.
    """
    numbers = np.empty(_CHUNK)
    as_words = numbers.view(np.uint64)
    powers = np.empty(_CHUNK)
    for r in range(words.shape[0]):
        for start in range(0, words.shape[1], _CHUNK):
            size = min(_CHUNK, words.shape[1] - start)
            word = words[r, start : start + size]
            found = word.view(np.float64)
            for i in range(size):  # in (0, 1), exact: never rounded up to 1
                numbers[i] = (np.float64(word[i] >> _12) + 0.5) * 2.0**-52
            for i in range(size):  # each is 2**power times a number from sqrt(1/2) to sqrt(2)
                shifted = as_words[i] + _TO_ONE
                powers[i] = np.float64(np.int64(shifted >> _52) - 1023)
                as_words[i] = (shifted & _FRACTION) + _ROOT
            for i in range(size):
                f = numbers[i] - 1.0
                s = f / (2.0 + f)
                z = s * s
                w = z * z
                even = w * (_L2 + w * (_L4 + w * _L6))
                odd = z * (_L1 + w * (_L3 + w * (_L5 + w * _L7)))
                half = 0.5 * f * f
                rest = s * (half + (even + odd)) + powers[i] * _LN2_LOW
                found[i] = ((half - rest) - f) - powers[i] * _LN2_HIGH
            for i in range(max(0, n_rows - start), size):
                found[i] = 0.0
            s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
            for i in range(0, size - 3, 4):
                s0 += found[i]
                s1 += found[i + 1]
                s2 += found[i + 2]
                s3 += found[i + 3]
            for i in range(size - size % 4, size):
                s0 += found[i]
            sums[r] += (s0 + s1) + (s2 + s3)


@kernel
def weigh_rows(drawn, weights, weighed):
    """Fill ``weighed[r, i]`` with ``drawn[r, i] * weights[i]``."""
    n_rows = weights.size
    for r in range(drawn.shape[0]):
        some = drawn[r, :n_rows]
        found = weighed[r, :n_rows]
        for i in range(n_rows):
            found[i] = np.float64(some[i]) * weights[i]


@kernel
def split_block(weights, masks, positives, negatives):
    """Part the weights of a block by class; return the rows of each of its four quarters.

    The last quarter has the rows that are left over too.
    """
    for i in range(weights.size):
        positive = weights[i] * np.float64(masks[i] & _ONE)
        positives[i] = positive
        negatives[i] = weights[i] - positive
    return weights.size // 4


@kernel
def pairs_of_replicate(weights, masks, pieces, state):
    """Count the pairs of one replicate, for `weighted_pairs`.

    The quarters of a block are walked through side by side, so that no sum waits for another.
    """
    positives = np.empty(BLOCK)
    negatives = np.empty(BLOCK)
    for start in range(0, weights.size, BLOCK):
        size = min(BLOCK, weights.size - start)
        stop = start + size
        n = split_block(weights[start:stop], masks[start:stop], positives, negatives)
        positives_1, negatives_1 = positives[n:], negatives[n:]
        positives_2, negatives_2 = positives[2 * n :], negatives[2 * n :]
        positives_3, negatives_3 = positives[3 * n :], negatives[3 * n :]
        p0, n0, w0, p1, n1, w1 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        p2, n2, w2, p3, n3, w3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
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
            state[4] += weights[i]
        for i in range(pieces[piece, 1], pieces[piece, 2]):
            state[5] += weights[i]
        if pieces[piece, 3]:
            state[3] += state[4] * state[5]
            state[4] = 0.0
            state[5] = 0.0


@kernel
def weighted_pairs(weights, masks, pieces, state):
    """Count, on through a part of the rows of each replicate, the weighted pairs a positive wins.

    ``state[r]`` is [positives, negatives, doubled pairs won where a tie is a whole one, tied pairs,
    positives and negatives of the open tie], and goes on where the part before it ended: a part is
    of whole blocks, or the last. ``pieces`` are ties, as of `replicate_pairs.pair_counts`.
    """
    for r in range(weights.shape[0]):
        pairs_of_replicate(weights[r], masks, pieces, state[r])


@kernel
def weighted_points(weights, masks, ends, scale, tp, fp, rows):
    """Write the scaled points of all rows at the ends of ties, after a first 0; return how many.

    Sums are those of `weighted_pairs`, whose totals the last point meets.
    """
    positives = np.empty(BLOCK)
    negatives = np.empty(BLOCK)
    before_p = 0.0
    before_n = 0.0
    found = np.uint64(0)
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
                rows[found] = start + i
                tp[found + np.uint64(1)] = scale * (before_p + p)
                fp[found + np.uint64(1)] = scale * (before_n + q)
                found += np.uint64(ends[start + i])
            before_p += p
            before_n += q
    return np.int64(found)
