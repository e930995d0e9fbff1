"""The upper concave hull of cumulative counts: rows pooled until their odds fall.

Rows come by descending score. A block is a run of rows with the counts of both classes in it; two
neighbours are pooled where the later one's odds (positives to negatives) are not below those of
the earlier. What remains are the edges of the ROC curve's upper hull, and at the same time the
blocks of isotonic regression (Ayer, Brunk, Ewing, Reid & Silverman 1955).

Every kernel writes the blocks into ``ends`` (last row of each) and into the two columns of their
counts, all as long as the rows in the worst case, and returns how many there are.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Rows that are looked at together first.
GROUP = 64


@kernel
def upper_hull(positives, negatives, ends, pooled_positives, pooled_negatives):
    """Pool counts; the product of both totals must be below 2**63.

    The hull of every 64th point bounds the hull from below: a vertex is one of its own, or lies
    strictly above it. Most groups of rows are too few for their positives to lift the curve over
    that bound, and are passed over: few rows reach the stack, whose branches are mispredicted.
    """
    n_rows = positives.size
    n_groups = (n_rows + GROUP - 1) // GROUP
    group_positives = np.empty(n_groups, np.int64)
    group_negatives = np.empty(n_groups, np.int64)
    edge_positives = np.empty(n_groups, np.int64)
    edge_negatives = np.empty(n_groups, np.int64)
    edge_ends = np.empty(n_groups, np.int64)
    edges = 0
    for group in range(n_groups):
        p = 0
        n = 0
        positives_here = positives[group * GROUP : (group + 1) * GROUP]
        negatives_here = negatives[group * GROUP : (group + 1) * GROUP]
        for i in range(positives_here.size):
            p += positives_here[i]
            n += negatives_here[i]
        group_positives[group] = p
        group_negatives[group] = n
        while edges > 0 and not edge_positives[edges - 1] * n > p * edge_negatives[edges - 1]:
            edges -= 1
            p += edge_positives[edges]
            n += edge_negatives[edges]
        edge_positives[edges] = p
        edge_negatives[edges] = n
        edge_ends[edges] = group
        edges += 1
    blocks = 0
    group = 0
    p = 0  # of the rows since the last vertex
    n = 0
    for edge in range(edges):
        rise = edge_positives[edge]
        run = edge_negatives[edge]
        height = 0  # of the curve above the edge, times the edge's run
        while group <= edge_ends[edge]:
            lift = group_positives[group] * run
            is_last = group == edge_ends[edge]
            if height + lift <= 0 and not is_last:
                p += group_positives[group]
                n += group_negatives[group]
                height += lift - group_negatives[group] * rise
                group += 1
                continue
            stop = min((group + 1) * GROUP, n_rows)
            for i in range(group * GROUP, stop):
                p += positives[i]
                n += negatives[i]
                height += positives[i] * run - negatives[i] * rise
                if height > 0 or (is_last and i == stop - 1):
                    while blocks > 0 and not (
                        pooled_positives[blocks - 1] * n > p * pooled_negatives[blocks - 1]
                    ):
                        blocks -= 1
                        p += pooled_positives[blocks]
                        n += pooled_negatives[blocks]
                    pooled_positives[blocks] = p
                    pooled_negatives[blocks] = n
                    ends[blocks] = i
                    blocks += 1
                    p = 0
                    n = 0
            group += 1
    return blocks


@kernel
def upper_hull_of_weights(positives, negatives, ends, pooled_positives, pooled_negatives, factor):
    """Pool weights; odds fall where they are more than ``factor`` times the next ones.

    Pool adjacent violators (Ayer et al. 1955) on a stack: O(n), as a block is pooled once. With a
    ``factor`` above 1, odds that differ by rounding alone make no vertex.
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


@kernel
def squares_lost(p, rows, positives, ends, proportions, lost):
    """Write each row's squared error less that of its block's proportion of positives.

    ``positives`` of the ``rows`` at a probability are positive; blocks go up to their ``ends``. The
    difference of the two squares is factored: subtracting them would cancel.
    """
    start = 0
    for block in range(ends.size):
        proportion = proportions[block]
        stop = ends[block] + 1
        for i in range(start, stop):
            lost[i] = (p[i] - proportion) * (rows[i] * (p[i] + proportion) - 2 * positives[i])
        start = stop
