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

    -0.0 becomes 0.0. Returns how many there are. One row is consumed in each step without a branch;
    the counts of the current score stay in registers.
    """
    zero = scores.dtype.type(0)
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
        scores[at] = top + zero
        positives[at] = n_positive
        negatives[at] = n_negative
    while i >= 0:
        new = np.int64(positive[i] != current)
        at += new
        n_positive = n_positive * (1 - new) + 1
        n_negative = n_negative * (1 - new)
        current = positive[i]
        i -= 1
        scores[at] = current + zero
        positives[at] = n_positive
        negatives[at] = n_negative
    while j >= 0:
        new = np.int64(negative[j] != current)
        at += new
        n_positive = n_positive * (1 - new)
        n_negative = n_negative * (1 - new) + 1
        current = negative[j]
        j -= 1
        scores[at] = current + zero
        positives[at] = n_positive
        negatives[at] = n_negative
    return at + 1


@kernel
def merge_tables(
    left, left_positives, left_negatives, right, right_positives, right_negatives, scores,
    positives, negatives,
):  # fmt: skip
    """Write the distinct scores of two descending runs with summed counts; return their number.

    Each step writes the higher score and advances its run, or both on a tie: factors of 0 and 1
    instead of branches, which would be mispredicted.
    """
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
def weigh_pairs(positives, negatives, sums):
    """Weigh the pairs of a descending table, walking it up and down side by side.

    ``sums`` gets the weight of the positives, of the negatives, twice that of the concordant pairs
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
    total = 0.0
    total_lost = 0.0
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
        step = positive - total_lost
        new = total + step
        total_lost = (new - total) - step
        total = new
        negative = negatives[n - 1 - i]
        term = positives[n - 1 - i] * (2.0 * below + negative) - concordant_lost
        new = concordant + term
        concordant_lost = (new - concordant) - term
        concordant = new
        step = negative - below_lost
        new = below + step
        below_lost = (new - below) - step
        below = new
    sums[0] = total
    sums[1] = above
    sums[2] = concordant
    sums[3] = discordant


@kernel
def cumulative_pair(positives, negatives, running_p, running_n):
    """Write the running sums of two columns of weights >= 0: compensated, never falling.

    The two chains of dependent steps (Kahan 1965) run side by side, in the time of one.
    """
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
        running_p[i] = highest_p
        step = negatives[i] - lost_n
        new = total_n + step
        lost_n = (new - total_n) - step
        total_n = new
        highest_n = max(highest_n, total_n)
        running_n[i] = highest_n


# --- orders of keys ------------------------------------------------------------------------------
#
# Rows in the order of their keys: words that hold a shortened key and an index, and back.
#
# A sort of such words by NumPy, which has the vector instructions, is a sort of rows. A *run* is
# the rows of one key: run k stands in ``rows`` from ``starts[k]`` to ``starts[k + 1]``.

_U = np.uint64  # unsigned indices spare the test for negative ones
_SIGN = np.uint64(1 << 63)


@kernel
def ascends(scores):
    """Return whether no score is below the one before it."""
    j = 1
    while j < scores.size and not scores[j] < scores[j - 1]:
        j += 1
    return j >= scores.size


@kernel
def order_floats(keys):
    """Turn the bits of floats, -0.0 as 0.0, into numbers in the floats' order; return the ends.

    Unsigned: positive floats get the sign bit, negative ones are complemented, as larger
    magnitudes are smaller numbers.
    """
    least = ~_U(0)
    greatest = _U(0)
    for j in range(keys.size):
        bits = keys[j]
        bits = bits if bits != _SIGN else _U(0)
        key = bits ^ _SIGN if bits < _SIGN else ~bits
        keys[j] = key
        least = min(least, key)
        greatest = max(greatest, key)
    return least, greatest


@kernel
def pack(keys, base, shift, index_bits, words):
    """Write each key less ``base``, without its last ``shift`` bits, and then its index."""
    for j in range(keys.size):
        words[j] = ((keys[j] - base) >> shift) << index_bits | _U(j)


@kernel
def unpack(words, index_bits, keys, numbers, start, rows, ends):
    """Write the numbers of the rows that sorted words name, and where each run of equal keys ends.

    ``start`` is added to the latter. Returns how many runs there are, or -1 where the bits that
    were cut off would have ordered some rows otherwise.
    """
    mask = (_U(1) << index_bits) - _U(1)
    if words.size == 0:
        return 0
    before = keys[words[0] & mask]
    at = 0
    is_wrong = False
    for i in range(words.size):
        index = words[i] & mask
        key = keys[index]
        rows[i] = numbers[index]
        is_wrong |= key < before
        at += np.int64(key != before)
        ends[at] = start + i + 1
        before = key
    return -1 if is_wrong else at + 1


@kernel
def spread(rows, starts, first, stop, by_run, out):
    """Write to each row of the runs ``first`` to ``stop`` the entry of its run."""
    here = rows[starts[first] : starts[stop]]
    if here.size == stop - first:  # no ties: a loop of its own is four times as fast
        entries = by_run[first:stop]
        for j in range(here.size):
            out[_U(here[j])] = entries[j]
        return
    for k in range(first, stop):
        entry = by_run[k]
        for i in range(starts[k], starts[k + 1]):
            out[_U(rows[_U(i)])] = entry


@kernel
def spread_by_class(rows, starts, first, stop, labels, negative_entries, positive_entries, out):
    """Write to each row of the runs ``first`` to ``stop`` the entry of its class and run.

    The columns are of these runs alone.
    """
    here = rows[starts[first] : starts[stop]]
    label = np.empty(here.size, np.int8)
    for j in range(here.size):
        label[j] = labels[_U(here[j])]
    entries = np.empty(here.size, out.dtype)
    if here.size == stop - first:  # no ties: a loop of its own is four times as fast
        for j in range(here.size):
            one = positive_entries[j]
            other = negative_entries[j]
            entries[j] = one if label[j] == 1 else other
    else:
        j = 0
        for k in range(stop - first):
            for _ in range(starts[first + k + 1] - starts[first + k]):
                entries[j] = positive_entries[k] if label[j] == 1 else negative_entries[k]
                j += 1
    for j in range(here.size):
        out[_U(here[j])] = entries[j]


@kernel
def weigh_runs(
    rows, starts, first, stop, scores, labels, negative, weights, distinct, positives, negatives
):
    """Write score and weight of each class of the runs ``first`` to ``stop``, the last run first.

    Without ``weights`` rows count one. -0.0 becomes 0.0. What a sum of ties loses is kept
    (Knuth's two-sum) and added last. Returns how many rows are labelled 1 or ``negative``. Each
    column is gathered in a loop of its own: the loads of a short loop wait for memory together.
    """
    here = rows[starts[first] : starts[stop]]
    n = here.size
    m = stop - first
    is_positive = np.empty(n)
    labelled = 0
    for j in range(n):
        label = labels[_U(here[j])]
        is_positive[j] = np.float64(label == 1)
        labelled += np.int64(label == 1) + np.int64(label == negative)
    weight = np.ones(n)
    if weights.size > 0:
        for j in range(n):
            weight[j] = weights[_U(here[j])]
    zero = distinct.dtype.type(0)
    for k in range(m):
        distinct[m - 1 - k] = scores[_U(rows[_U(starts[_U(first + k)])])] + zero
    if n == m:  # no ties: a loop of its own is four times as fast
        for j in range(n):
            positives[n - 1 - j] = weight[j] * is_positive[j]
            negatives[n - 1 - j] = weight[j] * (1.0 - is_positive[j])
        return labelled
    end = np.int64(0)
    for k in range(m):
        at = end
        end = np.int64(starts[_U(first + k + 1)]) - np.int64(starts[first])
        weight_p = weight[_U(at)] * is_positive[_U(at)]
        weight_n = weight[_U(at)] - weight_p
        lost_positives = 0.0
        lost_negatives = 0.0
        for j in range(at + 1, end):
            mine = weight[_U(j)] * is_positive[_U(j)]
            new = weight_p + mine
            back = new - weight_p
            lost_positives += (weight_p - (new - back)) + (mine - back)
            weight_p = new
            mine = weight[_U(j)] - mine
            new = weight_n + mine
            back = new - weight_n
            lost_negatives += (weight_n - (new - back)) + (mine - back)
            weight_n = new
        positives[m - 1 - k] = weight_p + lost_positives
        negatives[m - 1 - k] = weight_n + lost_negatives
    return labelled


@kernel
def place_rows(
    words, index_bits, keys, numbers, n_negative, counts, positives_above, negatives_below, doubled
):
    """Write the doubled placement of each row of a bucket, whose sorted ``words`` hold indices.

    A positive's is 2 (negatives below) + (negatives tied), a negative's 2 (positives above) +
    (positives tied). The first ``n_negative`` indices are negatives. ``positives_above`` counts
    those from this bucket on, ``negatives_below`` those below it; ``counts`` says how many examples
    each row is, and is empty where each is one. Returns -1 where, as in ``unpack``, bits that
    were cut off would have ordered some rows otherwise, else 0.
    """
    mask = (_U(1) << index_bits) - _U(1)
    n = words.size
    first_positive = _U(n_negative)
    placements = np.empty(n, np.int64)
    above = np.int64(positives_above)
    below = np.int64(negatives_below)
    count = np.ones(n, np.int64)
    if counts.size > 0:
        for j in range(n):
            count[j] = counts[_U(numbers[j])]
    n_alike = 0
    for i in range(1, n):
        n_alike += np.int64((words[i] ^ words[i - 1]) >> index_bits == _U(0))
    if n_alike == 0:  # no ties, in the right order: no branch, no key
        for i in range(n):
            index = words[i] & mask
            is_negative = np.int64(index < first_positive)
            negatives = count[index] * is_negative
            above -= count[index] - negatives
            placements[index] = 2 * above if is_negative else 2 * below
            below += negatives
    end = 0 if n_alike > 0 else n
    key = _U(0)
    while end < n:
        at = end
        before = key
        key = keys[words[_U(at)] & mask]
        if key < before:
            return -1
        negatives = np.int64(0)
        positives = np.int64(0)
        while end < n and keys[words[_U(end)] & mask] == key:
            index = words[_U(end)] & mask
            mine = count[index] * np.int64(index < first_positive)
            negatives += mine
            positives += count[index] - mine
            end += 1
        above -= positives
        placement_p = 2 * below + negatives
        placement_n = 2 * above + positives
        for i in range(at, end):
            index = words[_U(i)] & mask
            placements[index] = placement_n if index < first_positive else placement_p
        below += negatives
    for j in range(n):  # the numbers of a class ascend: so do the lines of memory
        doubled[_U(numbers[j])] = placements[j]
    return 0
