"""Partition scores into ordered buckets by class, and count pairs inside them.

The layout all kernels of this file share
-----------------------------------------
A *bucket* is a range of scores; bucket ``b`` holds smaller scores than bucket ``b + 1``. Each
bucket has two *streams*: ``2 * b`` for its negatives, ``2 * b + 1`` for its positives. Rows
are appended to a small buffer per stream that stays in the L2 cache; a full buffer is copied as
one *block* of ``BLOCK`` scores to the end of ``pool``, and ``owner[block]`` names its stream. The
pool is thus written strictly forward: scattering straight into one region a stream is 2.5 times
slower from 64 streams on, because each store then waits for a cache line of its own. What is left
in the buffers at the end stays there (``buffers``, ``fill``), one set for each part of the rows.
A stream that is read back has its rows in order. Without labels a bucket has one stream.
"""

from __future__ import annotations

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Scores in a block: 1 KiB of float64, long enough for the hardware prefetcher when read back.
BLOCK = 128
#: Rows classified at a time; their intermediate results stay in the L1 cache.
TILE = 256
#: Rows a leaf of a bucket holds on average.
LEAF_ROWS = 1
#: A bucket whose average row meets more than this many negatives in its leaf is sorted instead.
LEAF_LIMIT = 48
#: Leaves in a bucket at most: their numbers travel as uint16.
MAX_LEAVES = 65_000

_U = np.uint64  # unsigned indices spare the test for negative ones


@kernel
def range_cells(values, low, scale, n_cells, inclusive_max, cell):
    """Write the range cell of each value: a monotone map, NaN to cell 0, ends clamped.

    Returns whether a magnitude exceeds ``inclusive_max`` or is NaN.
    """
    last = np.float64(n_cells - 1)
    bad = np.int32(0)
    for j in range(values.size):
        bad |= np.int32(not (abs(np.float64(values[j])) <= inclusive_max))
        at = (np.float64(values[j]) - low) * scale
        at = at if at > 0.0 else 0.0
        at = at if at < last else last
        cell[j] = np.int32(at)
    return bad


@kernel
def splitter_cells(values, splitters, tree, inclusive_max, cell):
    """Write ``2 * r + hit`` of each value, r = number of splitters below it, hit = equals one.

    ``tree`` holds the splitters, a power of two less one, as an implicit search tree from index 1
    on; ``splitters`` holds them sorted, the largest twice. A step down the tree is arithmetic on
    the outcome of a compare (Sanders and Winkel 2004): as a branch it would be mispredicted every
    other time, which is ten times slower. Returns what ``range_cells`` returns.
    """
    m = values.size
    n_splitters = np.int32(tree.size - 1)
    bad = np.int32(0)
    for j in range(m):
        bad |= np.int32(not (abs(np.float64(values[j])) <= inclusive_max))
        cell[j] = 1
    level = 1
    while level < tree.size:
        for j in range(m):
            k = _U(cell[j])
            cell[j] = np.int32(_U(2) * k + _U(tree[k] < values[j]))
        level *= 2
    for j in range(m):
        below = cell[j] - n_splitters - np.int32(1)
        cell[j] = np.int32(2) * below + np.int32(splitters[_U(below)] == values[j])
    return bad


@kernel
def scatter(
    values, labels, negative, by_range, low, scale, stream_of_cell, splitters, tree, inclusive_max,
    pool, block, owner, buffers, fill, first_number, number_pool, number_buffers,
):  # fmt: skip
    """Append each score to its stream; ``block`` is the first free one.

    Without ``labels`` a bucket has one stream. With a ``number_pool`` the scores carry the numbers
    of their rows, from ``first_number`` on. Returns the next free block, the number of rows
    labelled ``negative``, and whether any score's magnitude exceeds ``inclusive_max`` (NaN
    included): the checks that ride along.
    """
    cell = np.empty(TILE, np.int32)
    positive = np.zeros(TILE, np.uint8)
    free = _U(block)
    size = _U(BLOCK)
    numbered = number_pool.size > 0
    n_negative = 0
    bad = np.int32(0)
    for start in range(0, values.size, TILE):
        tile = values[start : start + TILE]
        m = tile.size
        if by_range:
            bad |= range_cells(tile, low, scale, stream_of_cell.size, inclusive_max, cell)
        else:
            bad |= splitter_cells(tile, splitters, tree, inclusive_max, cell)
        if labels.size > 0:
            tile_labels = labels[start : start + TILE]
            negatives_here = np.int32(0)
            for j in range(m):
                positive[j] = np.uint8(tile_labels[j] == 1)
                negatives_here += np.int32(tile_labels[j] == negative)
            n_negative += negatives_here
        for j in range(m):
            stream = _U(stream_of_cell[_U(cell[_U(j)])]) + _U(positive[_U(j)])
            k = _U(fill[stream])
            buffers[stream, k] = tile[_U(j)]
            if numbered:
                number_buffers[stream, k] = first_number + start + j
            k += _U(1)
            if k == size:
                full = buffers[stream]
                target = pool[free]
                for q in range(BLOCK):
                    target[q] = full[q]
                if numbered:
                    full_numbers = number_buffers[stream]
                    number_target = number_pool[free]
                    for q in range(BLOCK):
                        number_target[q] = full_numbers[q]
                owner[free] = stream
                free += _U(1)
                k = _U(0)
            fill[stream] = k
    return np.int64(free), n_negative, bad != 0


@kernel
def index_blocks(owner, first_block, next_block, block_starts, block_order):
    """List the blocks of stream s and part k, of P, from ``block_starts[s * P + k]`` on.

    Part k wrote blocks ``first_block[k]`` to ``next_block[k]``. ``block_starts`` comes zeroed.
    """
    n_parts = first_block.size
    for k in range(n_parts):
        for b in range(first_block[k], next_block[k]):
            block_starts[owner[b] * n_parts + k + 1] += 1
    for s in range(1, block_starts.size):
        block_starts[s] += block_starts[s - 1]
    at = block_starts.copy()
    for k in range(n_parts):
        for b in range(first_block[k], next_block[k]):
            s = owner[b] * n_parts + k
            block_order[at[s]] = b
            at[s] += 1


@kernel
def gather(stream, pool, block_starts, block_order, buffers, fill, out):
    """Copy a stream's scores (or another column kept in the same layout), in order, to ``out``."""
    r = 0
    n_parts = fill.shape[0]
    for k in range(n_parts):
        mine = stream * n_parts + k
        for q in range(block_starts[mine], block_starts[mine + 1]):
            source = pool[block_order[q]]
            target = out[r : r + BLOCK]
            for j in range(BLOCK):  # a loop: assignment between slices takes 3 s to compile
                target[j] = source[j]
            r += BLOCK
        m = np.int64(fill[k, stream])
        rest = buffers[k, stream]
        for j in range(m):
            out[r + j] = rest[j]
        r += m
    return r


@kernel
def leaf_numbers(values, low, scale, n_leaves, leaf):
    """Write the leaf of each value: the same monotone map as ``range_cells``."""
    last = np.float64(n_leaves - 1)
    for j in range(values.size):
        at = (np.float64(values[j]) - low) * scale
        at = at if at > 0.0 else 0.0
        at = at if at < last else last
        leaf[j] = np.uint16(np.int32(at))


@kernel
def place(values, leaf, ends, placed):
    """Move each value into its leaf; ``ends[k + 1]`` goes from the leaf's start to its end.

    Places are found, and their cache lines touched, 64 at a time before anything is stored:
    loads that miss the L1 cache overlap, stores that miss it do not.
    """
    at = np.empty(64, np.int32)
    touched = 0
    n = values.size
    for start in range(0, n, 64):
        m = min(64, n - start)
        for j in range(m):
            k = _U(leaf[_U(start + j)]) + _U(1)
            here = ends[k]
            ends[k] = here + np.int32(1)
            at[j] = here
            touched += np.int64(placed[_U(here)] > values[_U(start + j)])
        for j in range(m):
            placed[_U(at[_U(j)])] = values[_U(start + j)]
    return touched


@kernel
def count_buckets(
    first, stop, pool, block_starts, block_order, buffers, fill, lows, highs, holds_one_score,
    rows, twice,
):  # fmt: skip
    """Count the concordant pairs inside buckets ``first`` to ``stop``, no sort needed.

    (What ``place`` returns is returned too, only so that the compiler keeps the loads there.)
    ``twice[b]`` becomes twice the number of pairs (positive above negative) plus the tied pairs (0
    where the bucket holds one score), or -1 where it is too uneven for leaves. The smaller class is
    placed in leaves of about ``LEAF_ROWS``; each row of the other is compared with those of its own
    leaf. ``rows[s]`` is the size of stream s.
    """
    most = 0
    for s in range(2 * first, 2 * stop):
        most = max(most, rows[s])
    flat = np.empty(most, pool.dtype)
    placed = np.empty(most, pool.dtype)
    leaf = np.empty(most, np.uint16)
    ends = np.empty(min(most // LEAF_ROWS + 1, MAX_LEAVES) + 2, np.int32)
    touched = 0
    for b in range(first, stop):
        if holds_one_score[b] or rows[2 * b] == 0 or rows[2 * b + 1] == 0:
            twice[b] = 0
            continue
        few = 2 * b + np.int64(rows[2 * b + 1] < rows[2 * b])
        many = 4 * b + 1 - few
        n = gather(few, pool, block_starts, block_order, buffers, fill, flat)
        n_leaves = min(n // LEAF_ROWS + 1, MAX_LEAVES)
        scale = n_leaves / (highs[b] - lows[b])
        leaf_numbers(flat[:n], lows[b], scale, n_leaves, leaf)
        for c in range(n_leaves + 2):
            ends[c] = 0
        for j in range(n):
            ends[_U(leaf[_U(j)]) + _U(2)] += np.int32(1)
        met = 0
        for c in range(2, n_leaves + 2):
            here = np.int64(ends[c])
            met += here * here
            ends[c] += ends[c - 1]
        if met > LEAF_LIMIT * n:
            twice[b] = -1
            continue
        touched += place(flat[:n], leaf, ends, placed)
        m = gather(many, pool, block_starts, block_order, buffers, fill, flat)
        leaf_numbers(flat[:m], lows[b], scale, n_leaves, leaf)
        total = 0
        for i in range(m):
            x = flat[_U(i)]
            k = _U(leaf[_U(i)])
            at = _U(ends[k])
            end = _U(ends[k + _U(1)])
            total += 2 * np.int64(at)
            # Two compares without a branch serve most leaves. They may run past the leaf: what
            # follows is larger than x, so it does not count.
            if at + _U(2) <= _U(n):
                w0 = placed[at]
                w1 = placed[at + _U(1)]
                total += np.int64(w0 < x) + np.int64(w1 < x)
                total += np.int64(w0 <= x) + np.int64(w1 <= x)
                at += _U(2)
            while at < end:
                w = placed[at]
                total += np.int64(w < x) + np.int64(w <= x)
                at += _U(1)
        twice[b] = total if many > few else 2 * n * m - total
    return touched
