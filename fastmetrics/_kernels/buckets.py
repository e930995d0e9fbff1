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

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Scores in a block: 1 KiB of float64, long enough for the hardware prefetcher when read back.
BLOCK = 128
#: Rows classified at a time; their intermediate results stay in the L1 cache.
TILE = 128
#: Leaves of a bucket for each row of its smaller class.
LEAVES = 2
#: A bucket whose average row meets more than this many negatives in its leaf is sorted instead.
LEAF_LIMIT = 48

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
    pool, block, owner, buffers, fill, first_number, weights, carried_pool,
    carried_buffers,
):  # fmt: skip
    """Append each score to its stream; ``block`` is the first free one.

    Without ``labels`` a bucket has one stream. With a ``carried_pool`` the scores carry their
    ``weights``, or, without these, the numbers of their rows, from ``first_number`` on. Returns the
    next free block, the number of rows labelled ``negative``, and whether any score's magnitude
    exceeds ``inclusive_max`` (NaN included): the checks that ride along.
    """
    cell = np.empty(TILE, np.int32)
    positive = np.zeros(TILE, np.uint8)
    free = _U(block)
    size = _U(BLOCK)
    carries = carried_pool.size > 0
    weighted = weights.size > 0
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
            if carries:
                if weighted:
                    carried_buffers[stream, k] = weights[start + j]
                else:
                    carried_buffers[stream, k] = first_number + start + j
            k += _U(1)
            if k == size:
                full = buffers[stream]
                target = pool[free]
                for q in range(full.size):  # not BLOCK: a loop of known length is unrolled, not
                    target[q] = full[q]  # vectorised, and takes twice as long
                if carries:
                    full_carried = carried_buffers[stream]
                    carried_target = carried_pool[free]
                    for q in range(full_carried.size):
                        carried_target[q] = full_carried[q]
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
            for j in range(source.size):  # a loop: assignment of slices takes 3 s to compile
                target[j] = source[j]
            r += BLOCK
        m = np.int64(fill[k, stream])
        rest = buffers[k, stream]
        for j in range(m):
            out[r + j] = rest[j]
        r += m
    return r


@kernel
def gather_class(positive, pool, block_starts, block_order, buffers, fill, out):
    """Copy the streams of one class, bucket after bucket, to ``out``; return how many rows."""
    r = np.int64(0)
    for stream in range(positive, fill.shape[1], 2):
        r += gather(stream, pool, block_starts, block_order, buffers, fill, out[r:])
    return r


@kernel
def short_keys(values, low, scale, keys):
    """Write the key of each value: the same monotone map as ``range_cells``, to 32 bits."""
    last = np.float64(2**32 - 1)
    for j in range(values.size):
        at = (np.float64(values[j]) - low) * scale
        at = at if at > 0.0 else 0.0
        at = at if at < last else last
        keys[j] = np.uint32(at)


@kernel
def count_buckets(
    first, stop, pool, block_starts, block_order, buffers, fill, lows, highs, holds_one_score,
    rows, twice,
):  # fmt: skip
    """Count the concordant pairs inside buckets ``first`` to ``stop``, no sort needed.

    ``twice[b]`` becomes twice the number of pairs (positive above negative) plus the tied pairs (0
    where the bucket holds one score), or -1 where it is too uneven for leaves. The smaller class is
    placed in leaves, a half of a row each; each row of the other is compared with those of its own
    leaf, by keys of 32 bits, whose first bits are the leaf: half as many bytes as scores have, so
    that they stay in the L1 cache. Rows of equal keys are compared by their scores. ``rows[s]`` is
    the size of stream s.
    """
    most = 0
    most_few = 0
    for b in range(first, stop):
        most = max(most, rows[2 * b], rows[2 * b + 1])
        most_few = max(most_few, min(rows[2 * b], rows[2 * b + 1]))
    flat = np.empty(most, pool.dtype)
    keys = np.empty(most, np.uint32)
    of_few = np.empty(most_few, pool.dtype)
    placed_keys = np.empty(most_few + 2, np.uint32)
    placed = np.empty(most_few, pool.dtype)
    ends = np.empty(2 * LEAVES * most_few + 2, np.uint32)
    for b in range(first, stop):
        twice[b] = 0
        if holds_one_score[b] or rows[2 * b] == 0 or rows[2 * b + 1] == 0:
            continue
        few = 2 * b + np.int64(rows[2 * b + 1] < rows[2 * b])
        many = 4 * b + 1 - few
        n = gather(few, pool, block_starts, block_order, buffers, fill, of_few)
        n_leaves = 1
        shift = _U(32)
        while n_leaves < LEAVES * n:
            n_leaves *= 2
            shift -= _U(1)
        scale = 2.0**32 / (highs[b] - lows[b])
        short_keys(of_few[:n], lows[b], scale, keys)
        for c in range(n_leaves + 2):
            ends[c] = 0
        for j in range(n):
            ends[(_U(keys[_U(j)]) >> shift) + _U(2)] += np.uint32(1)
        met = 0
        before = np.uint32(0)
        for c in range(2, n_leaves + 2):
            here = ends[_U(c)]
            met += np.int64(here) * np.int64(here)
            before += here
            ends[_U(c)] = before
        if met > LEAF_LIMIT * n:
            twice[b] = -1
            continue
        for j in range(n):
            key = keys[_U(j)]
            leaf = (_U(key) >> shift) + _U(1)
            here = ends[leaf]
            ends[leaf] = here + np.uint32(1)
            placed_keys[_U(here)] = key
            placed[_U(here)] = of_few[_U(j)]
        placed_keys[n] = np.uint32(2**32 - 1)
        placed_keys[n + 1] = np.uint32(2**32 - 1)
        m = gather(many, pool, block_starts, block_order, buffers, fill, flat)
        short_keys(flat[:m], lows[b], scale, keys)
        total = 0
        for i in range(m):
            x = keys[_U(i)]
            leaf = _U(x) >> shift
            at = _U(ends[leaf])
            end = _U(ends[leaf + _U(1)])
            # Two compares without a branch serve most leaves. They may run past the leaf: what
            # follows is larger than x, so it does not count.
            w0 = placed_keys[at]
            w1 = placed_keys[at + _U(1)]
            if (w0 == x) | (w1 == x) | (at + _U(2) < end):
                total += 2 * np.int64(at)
                score = flat[_U(i)]
                for q in range(at, end):
                    other = placed[_U(q)]
                    total += np.int64(other < score) + np.int64(other <= score)
            else:
                total += 2 * (np.int64(at) + np.int64(w0 < x) + np.int64(w1 < x))
        twice[b] = total if many > few else 2 * n * m - total
