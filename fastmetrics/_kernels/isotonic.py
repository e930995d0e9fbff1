"""Isotonic regression: pool adjacent violators among numbers, and what a fit of labels saves."""

from fastmetrics._kernels._compile import kernel


@kernel
def pool_adjacent(values, weights, ties, first, last, sums, pooled):
    """Pool rows, sorted by ascending score, until the means of their blocks ascend strictly.

    ``weights`` is empty where rows count once; a row of weight 0 is passed over. ``ties`` says
    which rows tie with the one before: they belong together. For each block its first and its last
    row, the sum of its values and its weight are written; the number of blocks is returned.
    """
    blocks = 0
    is_open = False  # whether the last block holds rows of the score under way, and no other
    for i in range(values.size):
        weight = 1.0
        if weights.size > 0:
            weight = weights[i]
        is_open = is_open and ties[i]
        if weight > 0.0:
            if not is_open:
                first[blocks] = i
                sums[blocks] = 0.0
                pooled[blocks] = 0.0
                blocks += 1
                is_open = True
            last[blocks - 1] = i
            sums[blocks - 1] += weight * values[i]
            pooled[blocks - 1] += weight
        if i + 1 < values.size and ties[i + 1]:
            continue
        while (
            blocks > 1
            and sums[blocks - 2] * pooled[blocks - 1] >= sums[blocks - 1] * pooled[blocks - 2]
        ):
            blocks -= 1
            sums[blocks - 1] += sums[blocks]
            pooled[blocks - 1] += pooled[blocks]
            last[blocks - 1] = last[blocks]
    return blocks


@kernel
def squares_lost(p, rows, positives, ends, shares, lost):
    """Write what squared errors of probabilities lose, row by row, to the share of their block.

    ``positives`` of the ``rows`` at a probability are positive; blocks go up to their ``ends``.
    """
    start = 0
    for block in range(ends.size):
        share = shares[block]
        stop = ends[block] + 1
        for i in range(start, stop):
            lost[i] = (p[i] - share) * (rows[i] * (p[i] + share) - 2 * positives[i])
        start = stop
