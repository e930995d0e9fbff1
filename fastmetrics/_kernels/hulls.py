"""The upper concave hull of cumulative counts: rows pooled until their odds fall.

Rows come by descending score. A block is a run of rows with the counts of both classes in it; two
neighbours are pooled where the later one's odds (positives to negatives) are not below those of
the earlier. What remains are the edges of the ROC curve's upper hull, and at the same time the
blocks of isotonic regression (Ayer, Brunk, Ewing, Reid & Silverman 1955).

Every kernel writes the blocks into ``ends`` (last row of each) and into the two columns of their
counts, all as long as the rows in the worst case, and returns how many there are.
"""

from fastmetrics._kernels._compile import kernel


@kernel
def upper_hull(positives, negatives, ends, pooled_positives, pooled_negatives, factor):
    """Pool counts, or weights; odds fall where they are more than ``factor`` times the next ones.

    Of counts, which are compared exactly, the product of both totals must be below 2**63.
    """
    blocks = 0
    for i in range(positives.size):
        p = positives[i]
        n = negatives[i]
        while blocks > 0 and not (
            pooled_positives[blocks - 1] * n > p * pooled_negatives[blocks - 1] * factor
        ):
            p += pooled_positives[blocks - 1]
            n += pooled_negatives[blocks - 1]
            blocks -= 1
        pooled_positives[blocks] = p
        pooled_negatives[blocks] = n
        ends[blocks] = i
        blocks += 1
    return blocks


@kernel
def sums_of_blocks(weights, ends, sums):
    """Add up non-negative weights block by block, compensated (Kahan 1965)."""
    start = 0
    for block in range(ends.size):
        total = 0.0
        lost = 0.0
        for i in range(start, ends[block] + 1):
            step = weights[i] - lost
            new = total + step
            lost = (new - total) - step
            total = new
        sums[block] = total
        start = ends[block] + 1


# --- isotonic regression -------------------------------------------------------------------------


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
