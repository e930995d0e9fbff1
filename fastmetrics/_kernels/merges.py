"""Walk two sorted runs, the positives' scores and the negatives', side by side."""

import numpy as np

from fastmetrics._kernels._compile import kernel


@kernel
def split_classes(scores, labels, negative, positives, negatives):
    """Copy the scores of each class to its array; return how many rows each label has.

    Every score is written to both arrays and kept in one: a branch on the label would be
    mispredicted. Rows that are neither go nowhere, so that the two counts tell of them.
    """
    p = 0
    n = 0
    for j in range(scores.size):
        positives[p] = scores[j]
        negatives[n] = scores[j]
        p += np.int64(labels[j] == 1)
        n += np.int64(labels[j] == negative)
    return p, n


@kernel
def pairs_of_few(scores, labels, negative, positives, negatives, counts):
    """Count the rows of each class and twice the pairs (positive above negative) plus the tied.

    Every pair is compared, which for few rows is sooner done than a sort. ``counts`` gets the rows
    that are 1, those that are ``negative``, the doubled pairs, and the scores that are not finite.
    """
    p = 0
    n = 0
    odd = 0
    for j in range(scores.size):
        score = scores[j]
        positives[p] = score
        negatives[n] = score
        p += np.int64(labels[j] == 1)
        n += np.int64(labels[j] == negative)
        odd += np.int64(not np.isfinite(score))
    twice = 0
    for i in range(p):
        score = positives[i]
        for j in range(n):
            twice += np.int64(score > negatives[j]) + np.int64(score >= negatives[j])
    counts[0] = p
    counts[1] = n
    counts[2] = twice
    counts[3] = odd


@kernel
def pairs_of_sorted(positive, negative):
    """Return twice the pairs (positive above negative) plus the tied ones; both runs ascend.

    Two branch-free merges, one that counts negatives below and one that counts those not above:
    their chains of dependent steps are independent, so the processor overlaps them.
    """
    p = positive.size
    n = negative.size
    total = 0
    i = 0
    below = 0
    k = 0
    not_above = 0
    while i < p and below < n and k < p and not_above < n:
        is_below = np.int64(negative[below] < positive[i])
        total += below * (1 - is_below)
        below += is_below
        i += 1 - is_below
        is_not_above = np.int64(negative[not_above] <= positive[k])
        total += not_above * (1 - is_not_above)
        not_above += is_not_above
        k += 1 - is_not_above
    while i < p and below < n:
        is_below = np.int64(negative[below] < positive[i])
        total += below * (1 - is_below)
        below += is_below
        i += 1 - is_below
    while k < p and not_above < n:
        is_not_above = np.int64(negative[not_above] <= positive[k])
        total += not_above * (1 - is_not_above)
        not_above += is_not_above
        k += 1 - is_not_above
    return total + (p - i) * n + (p - k) * n


@kernel
def merge_descending(positive, negative, scores, positives, negatives):
    """Write the distinct scores of two ascending runs, descending, with the count of each.

    Returns how many there are. One row is consumed in each step without a branch; the counts of
    the current score stay in registers.
    """
    i = positive.size - 1
    j = negative.size - 1
    if i < 0 and j < 0:
        return 0
    current = positive[i] if j < 0 or (i >= 0 and positive[i] >= negative[j]) else negative[j]
    at = 0
    n_positive = 0
    n_negative = 0
    while i >= 0 and j >= 0:
        x = positive[i]
        w = negative[j]
        top = x if x >= w else w
        new = np.int64(top != current)
        at += new
        n_positive = n_positive * (1 - new) + np.int64(x >= w)
        n_negative = n_negative * (1 - new) + np.int64(w >= x)
        i -= np.int64(x >= w)
        j -= np.int64(w >= x)
        current = top
        scores[at] = top
        positives[at] = n_positive
        negatives[at] = n_negative
    while i >= 0:
        new = np.int64(positive[i] != current)
        at += new
        n_positive = n_positive * (1 - new) + 1
        n_negative = n_negative * (1 - new)
        current = positive[i]
        i -= 1
        scores[at] = current
        positives[at] = n_positive
        negatives[at] = n_negative
    while j >= 0:
        new = np.int64(negative[j] != current)
        at += new
        n_positive = n_positive * (1 - new)
        n_negative = n_negative * (1 - new) + 1
        current = negative[j]
        j -= 1
        scores[at] = current
        positives[at] = n_positive
        negatives[at] = n_negative
    return at + 1


@kernel
def merge_tables(
    left, left_positives, left_negatives, right, right_positives, right_negatives, scores,
    positives, negatives,
):  # fmt: skip
    """Write the distinct scores of two descending runs, and what both have; return how many."""
    i = 0
    j = 0
    at = 0
    while i < left.size and j < right.size:
        x = left[i]
        w = right[j]
        is_left = np.int64(x >= w)
        is_right = np.int64(w >= x)
        scores[at] = x if x >= w else w
        positives[at] = left_positives[i] * is_left + right_positives[j] * is_right
        negatives[at] = left_negatives[i] * is_left + right_negatives[j] * is_right
        at += 1
        i += is_left
        j += is_right
    while i < left.size:
        scores[at] = left[i]
        positives[at] = left_positives[i]
        negatives[at] = left_negatives[i]
        at += 1
        i += 1
    while j < right.size:
        scores[at] = right[j]
        positives[at] = right_positives[j]
        negatives[at] = right_negatives[j]
        at += 1
        j += 1
    return at


@kernel
def lost_pairs(positives, negatives):
    """Return twice the discordant pairs of a descending table of counts, plus its tied pairs."""
    twice = np.int64(0)
    above = np.int64(0)
    for i in range(positives.size):
        twice += positives[i] * (2 * above + negatives[i])
        above += negatives[i]
    return twice


@kernel
def weigh_pairs(positives, negatives, found):
    """Weigh the pairs of a descending table, walking it up and down side by side.

    ``found`` gets the weight of the positives, of the negatives, twice that of the concordant pairs
    plus that of the tied ones, and the same of the discordant pairs. All terms are >= 0 and all
    sums compensated (Kahan 1965); none is a difference of large ones.
    """
    n = positives.size
    concordant = 0.0
    concordant_lost = 0.0
    discordant = 0.0
    discordant_lost = 0.0
    below = 0.0
    below_lost = 0.0
    above = 0.0
    above_lost = 0.0
    of_positives = 0.0
    of_positives_lost = 0.0
    for i in range(n):
        positive = positives[i]
        negative = negatives[i]
        term = positive * (2.0 * above + negative) - discordant_lost
        new = discordant + term
        discordant_lost = (new - discordant) - term
        discordant = new
        step = negative - above_lost
        new = above + step
        above_lost = (new - above) - step
        above = new
        step = positive - of_positives_lost
        new = of_positives + step
        of_positives_lost = (new - of_positives) - step
        of_positives = new
        negative = negatives[n - 1 - i]
        term = positives[n - 1 - i] * (2.0 * below + negative) - concordant_lost
        new = concordant + term
        concordant_lost = (new - concordant) - term
        concordant = new
        step = negative - below_lost
        new = below + step
        below_lost = (new - below) - step
        below = new
    found[0] = of_positives
    found[1] = above
    found[2] = concordant
    found[3] = discordant


@kernel
def cumulative_weights(weights, out):
    """Write the running sums of non-negative weights: compensated (Kahan 1965), never falling."""
    total = 0.0
    lost = 0.0
    highest = 0.0
    for i in range(weights.size):
        step = weights[i] - lost
        new = total + step
        lost = (new - total) - step
        total = new
        highest = max(highest, total)
        out[i] = highest


@kernel
def cumulative_pair(positives, negatives, of_positives, of_negatives):
    """Write the ``cumulative_weights`` of two columns, side by side as soon as of one."""
    total_p = 0.0
    lost_p = 0.0
    highest_p = 0.0
    total_n = 0.0
    lost_n = 0.0
    highest_n = 0.0
    for i in range(positives.size):
        step = positives[i] - lost_p
        new = total_p + step
        lost_p = (new - total_p) - step
        total_p = new
        highest_p = max(highest_p, total_p)
        of_positives[i] = highest_p
        step = negatives[i] - lost_n
        new = total_n + step
        lost_n = (new - total_n) - step
        total_n = new
        highest_n = max(highest_n, total_n)
        of_negatives[i] = highest_n
