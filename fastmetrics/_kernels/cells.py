"""Pairs of labels counted into cells: two classes, few or many classes, margins alone.

Labels are int8, int32 or int64. A kernel looks at every row's range before it counts a block of
rows, in the cache, and stops at the first block with a label outside: the caller then knows that
its guess of the range was wrong. Indices are unsigned: a signed one would be tested for a negative
index at every access.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Rows whose codes wait in the first-level cache between the two looks.
BLOCK = 1024


@kernel
def count_two(true, predicted, low, sums):
    """Sum true, predicted and both, less ``low``; return the OR of all that was seen.

    The sums mean counts if the result is 0 or 1: every label was then ``low`` or ``low + 1``.
    """
    ones_true = np.int64(0)
    ones_predicted = np.int64(0)
    both = np.int64(0)
    seen = np.int64(0)
    for i in range(len(true)):
        a = np.int64(true[i]) - low
        b = np.int64(predicted[i]) - low
        seen |= a | b
        ones_true += a
        ones_predicted += b
        both += a & b
    sums[0] = ones_true
    sums[1] = ones_predicted
    sums[2] = both
    return seen


@kernel
def count_cells(true, predicted, low, width, lanes, table):
    """Count pairs into ``table``, int32 or int64 of ``lanes`` interleaved tables of width² cells.

    Four lanes keep a cell that comes again at once from waiting for its own last store; one is
    for many classes, where the cache counts. Returns the number of rows counted: all of them, or
    those before the first block with a label outside [low, low + width).
    """
    n = len(true)
    code = np.empty(BLOCK, np.uint32)
    stride = np.uint32(width * lanes)
    step = np.uint32(lanes)
    one = np.uint64(1 if lanes == 4 else 0)
    two = one + one
    three = two + one
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        rows = true[start : start + m]
        columns = predicted[start : start + m]
        least = np.int64(0)
        most = np.int64(0)
        for i in range(m):
            a = np.int64(rows[i]) - low
            b = np.int64(columns[i]) - low
            least = min(least, min(a, b))
            most = max(most, max(a, b))
            code[i] = np.uint32(a) * stride + np.uint32(b) * step
        if least < 0 or most >= width:
            return start
        whole = m - m % 4
        for i in range(0, whole, 4):
            table[np.uint64(code[i])] += 1
            table[np.uint64(code[i + 1]) + one] += 1
            table[np.uint64(code[i + 2]) + two] += 1
            table[np.uint64(code[i + 3]) + three] += 1
        for i in range(whole, m):
            table[np.uint64(code[i])] += 1
    return n


@kernel
def count_narrow_scores(bits, labels, negative, weights, table):
    """Count scores by their 16 bits and class: ``table[lane, is_positive << 16 | bits]``.

    Rows count one, or their ``weights``, of which there may be none. They take turns in the two
    lanes: one that comes again at once does not wait for its last store. Returns how many labels
    are 1, as positives have them, or ``negative``.
    """
    code = np.empty(BLOCK, np.uint32)
    n_valid = 0
    for start in range(0, bits.size, BLOCK):
        rows = bits[start : start + BLOCK]
        rows_labels = labels[start : start + BLOCK]
        valid_here = np.int32(0)
        for i in range(rows.size):
            positive = np.uint32(rows_labels[i] == 1)
            code[i] = (positive << np.uint32(16)) | np.uint32(rows[i])
            valid_here += np.int32(positive | np.uint32(rows_labels[i] == negative))
        n_valid += valid_here
        if weights.size > 0:
            for i in range(rows.size):
                table[np.uint64(i & 1), np.uint64(code[i])] += weights[start + i]
        else:
            for i in range(rows.size):
                table[np.uint64(i & 1), np.uint64(code[i])] += 1
    return n_valid


@kernel
def count_margins(true, predicted, low, width, hits, true_counts, predicted_counts):
    """Count each class as true, as predicted and as both; return as `count_cells` does."""
    n = len(true)
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        rows = true[start : start + m]
        columns = predicted[start : start + m]
        least = np.int64(0)
        most = np.int64(0)
        for i in range(m):
            a = np.int64(rows[i]) - low
            b = np.int64(columns[i]) - low
            least = min(least, min(a, b))
            most = max(most, max(a, b))
        if least < 0 or most >= width:
            return start
        for i in range(m):
            a = np.uint64(np.int64(rows[i]) - low)
            b = np.uint64(np.int64(columns[i]) - low)
            true_counts[a] += 1
            predicted_counts[b] += 1
            hits[a] += a == b
    return n


@kernel
def text_codes(words, slots, firsts, codes):
    """Number distinct rows of ``words`` (n, width) of uint32 by first appearance; return how many.

    ``slots`` is a hash table of 2**k entries, -1 where empty; ``firsts`` gets the row where each
    distinct text stands first. Returns -1 as soon as there are more of them than ``firsts`` holds.
    The hash is that of Fowler, Noll and Vo (FNV-1a) over words, folded; equality is compared in
    full.
    """
    n, width = words.shape
    mask = np.uint64(len(slots) - 1)
    n_cells = 0
    for i in range(n):
        state = np.uint64(14695981039346656037)
        for j in range(width):
            state = (state ^ np.uint64(words[i, j])) * np.uint64(1099511628211)
        slot = (state ^ (state >> np.uint64(32))) & mask
        while True:
            code = slots[slot]
            if code < 0:
                if n_cells == len(firsts):
                    return -1
                slots[slot] = n_cells
                firsts[n_cells] = i
                codes[i] = n_cells
                n_cells += 1
                break
            first = firsts[code]
            same = True
            for j in range(width):
                if words[i, j] != words[first, j]:
                    same = False
                    break
            if same:
                codes[i] = code
                break
            slot = (slot + np.uint64(1)) & mask
    return n_cells


# --- hits among the k highest scores -------------------------------------------------------------
#
# Count rows whose class is among their k highest scores; ``ties`` says how ties are settled.

#: Classes that tie with the row's class and come before it: those of later columns, those of
#: earlier columns, none, all, or a random part of them.
LAST, FIRST, BEST, WORST, EXPECTED = range(5)


@kernel
def top_k_hits(codes, first, scores, weights, k, ties, sums, counts, rows_of_class):
    """Add up the hits of one job; column j of ``scores`` belongs to the code ``first + j``.

    ``weights`` is empty where rows have none. ``sums`` becomes the weighted hits and their
    compensation (Neumaier 1974), ``counts`` the rows whose code has a column and the scores that
    are not finite. One pass: a class is counted as ahead or not, and nothing is sorted.
    """
    n_classes = scores.shape[1]
    total = 0.0
    lost = 0.0
    counts[:] = 0
    rows_of_class[:] = 0
    for i in range(codes.size):
        row = scores[i]
        code = codes[i] - first
        if code < 0 or code >= n_classes:
            continue
        rows_of_class[code] += 1
        counts[0] += 1
        own_score = row[code]
        finite = 0
        greater = 0
        before = 0
        after = 0
        left = row[: code + 1]
        for j in range(left.size):
            finite += np.int64(left[j] - left[j] == 0)
            greater += np.int64(left[j] > own_score)
            before += np.int64(left[j] == own_score)
        right = row[code + 1 :]
        for j in range(right.size):
            finite += np.int64(right[j] - right[j] == 0)
            greater += np.int64(right[j] > own_score)
            after += np.int64(right[j] == own_score)
        counts[1] += n_classes - finite
        before -= 1  # itself
        if ties == EXPECTED:
            hit = min(1.0, max(0.0, np.float64(k - greater) / np.float64(before + 1 + after)))
        else:
            ahead = greater
            if ties in (LAST, WORST):
                ahead += after
            if ties in (FIRST, WORST):
                ahead += before
            hit = 1.0 if ahead < k else 0.0
        value = hit * weights[i] if weights.size > 0 else hit
        new = total + value
        lost += (total - new) + value if total >= value else (value - new) + total
        total = new
    sums[0] = total
    sums[1] = lost
