"""Count rows into bins of their scores: a table lookup, two compares and one addition a row.

Bin b of ``edges`` (rising doubles) holds the scores x with ``edges[b - 1] <= x < edges[b]``: its
number is how many edges are not above x. A *cell* is what arithmetic alone says of a score: a
monotone function of it, even where it rounds. ``starts[c]`` is the number of edges in the cells
before c, so that a search has the edges of one cell before it; a good cell function leaves two at
most. ``edges`` ends with three NaN, which no score reaches: a compare may run past a cell, since
edges of later cells are above every score of this one.

``cells`` says which function (`CELL_NUMBERS` of them, as doubles): 0 and (low, scale), even cells
over a range; or 1 and (middle, left, right, sign, shift, offset), cells as fine as the distance to
``left`` (below the middle) or ``right`` is: the exponent and leading bits of that distance.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Numbers that describe a cell function.
CELL_NUMBERS = 8
#: Rows looked up at a time: what is between the two passes over them stays in the L1 cache.
TILE = 256

_U = np.uint64  # unsigned indices spare the test for negative ones


@kernel
def is_clean(values, labels, negative, inclusive_max):
    """Return whether labels are 1 or ``negative`` and magnitudes at most ``inclusive_max``."""
    bad = np.int32(0)
    for j in range(values.size):
        bad |= np.int32(not (abs(np.float64(values[j])) <= inclusive_max))
    for j in range(labels.size):
        bad |= np.int32((labels[j] != 1) & (labels[j] != negative))
    return bad == 0


@kernel
def even_cells(values, cells, last, cell):
    """Write the cell of each value: even ones over a range, its ends clamped."""
    low = cells[1]
    scale = cells[2]
    top = np.float64(last)
    for j in range(values.size):
        at = (np.float64(values[j]) - low) * scale
        at = at if at > 0.0 else 0.0
        at = at if at < top else top
        cell[j] = np.int32(at)


@kernel
def octave_cells(values, cells, last, distance, cell):
    """Write the cell of each value: the leading bits of its distance to one of two points.

    With ``sign`` 1 the points are the ends of the range and cells rise from the left one and fall
    to the right one; with -1 both are the centre. ``distance`` is scratch.
    """
    middle = cells[1]
    left = cells[2]
    right = cells[3]
    sign = cells[4]
    shift = np.int64(cells[5])
    offset = np.int64(cells[6])
    half = np.int64(last + 1) // 2
    for j in range(values.size):
        x = np.float64(values[j])
        d = sign * (right - x) if x >= middle else sign * (x - left)
        distance[j] = d if d > 0.0 else 0.0
    bits = distance.view(np.int64)
    inwards = sign > 0.0
    for j in range(values.size):
        k = (bits[j] >> shift) - offset
        k = k if k > 0 else np.int64(0)
        k = k if k < half else half - 1
        is_right = np.float64(values[j]) >= middle
        from_left = k if inwards else half - 1 - k
        cell[j] = np.int32(last - from_left if is_right else from_left)


@kernel
def bin_numbers(values, cells, starts, edges, distance, number):
    """Write the bin of each value of a tile; ``distance`` is scratch of its size."""
    last = starts.size - 2
    if cells[0] == 0.0:
        even_cells(values, cells, last, number)
    else:
        octave_cells(values, cells, last, distance, number)
    for j in range(values.size):
        x = np.float64(values[_U(j)])
        c = _U(number[_U(j)])
        at = _U(starts[c])
        end = _U(starts[c + _U(1)])
        while end - at > _U(2):
            half = (at + end) >> _U(1)
            if edges[half] <= x:
                at = half + _U(1)
            else:
                end = half
        at += _U(edges[at] <= x) + _U(edges[at + _U(1)] <= x)
        number[_U(j)] = np.int32(at)


@kernel
def count_rows(values, labels, weights, cells, starts, edges, counts, seen, watched):
    """Add rows to ``counts[2 * bin + is_positive]``, by weight (of the dtype of counts) if any.

    In a bin that is watched the first value is ``seen``, and another one ends the watch: written
    out, as a call with arrays, which counts references to them, costs ten times the rest.
    """
    number = np.empty(TILE, np.int32)
    distance = np.empty(TILE, np.float64)
    is_weighted = weights.size > 0
    amount = counts.dtype.type(1)
    for start in range(0, values.size, TILE):
        m = min(TILE, values.size - start)
        tile = values[start : start + m]
        bin_numbers(tile, cells, starts, edges, distance[:m], number)
        for j in range(m):
            b = _U(number[_U(j)])
            if is_weighted:
                amount = weights[_U(start + j)]
            counts[_U(2) * b + _U(labels[_U(start + j)] == 1)] += amount
            if watched[b]:
                x = np.float64(tile[_U(j)])
                first = seen[b]
                if first != first:
                    seen[b] = x + 0.0  # not -0.0
                elif first != x:
                    seen[b] = np.nan
                    watched[b] = np.uint8(0)


@kernel
def least_precision_sums(positives, before, others, out):
    """Write the sums of ``(a + i) / (a + i + c)`` over i = 1 ... p: all positives one by one.

    ``p``, ``a`` and ``c`` of a bin are ``positives``, ``before`` and ``others``. The sum is
    ``p - c (H(a + c + p) - H(a + c))``. Harmonic numbers from 1,024 on differ by the logarithm of
    their middles and 1 / 24 of the inverse squares, up to ``0.0073 / 1024**4``.
    """
    for k in range(positives.size):
        p = positives[k]
        a = before[k]
        c = others[k]
        if c == 0.0 or p == 0.0:
            out[k] = p
            continue
        total = 0.0
        i = 0.0
        while i < p and a + c + i < 1024.0:
            i += 1.0
            total += (a + i) / (a + i + c)
        rest = p - i
        if rest > 0.0:
            low = a + c + i + 0.5
            high = low + rest
            harmonic = np.log1p(rest / low) - (1.0 / (low * low) - 1.0 / (high * high)) / 24.0
            total += rest - c * harmonic
        out[k] = total
