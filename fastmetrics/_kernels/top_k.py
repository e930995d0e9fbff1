"""Whose own class is among the k of the highest scores, and what becomes of ties."""

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Which of the classes that tie with the row's own come before it: those of later columns, those
#: of earlier ones, none, all, or by chance.
LAST, FIRST, BEST, WORST, EXPECTED = 0, 1, 2, 3, 4


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
        own = row[code]
        finite = 0
        greater = 0
        before = 0
        after = 0
        left = row[: code + 1]
        for j in range(left.size):
            finite += np.int64(left[j] - left[j] == 0)
            greater += np.int64(left[j] > own)
            before += np.int64(left[j] == own)
        right = row[code + 1 :]
        for j in range(right.size):
            finite += np.int64(right[j] - right[j] == 0)
            greater += np.int64(right[j] > own)
            after += np.int64(right[j] == own)
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
