"""Partition scores into ordered buckets by class, and count pairs inside them.

The layout all kernels of buckets share
---------------------------------------
A *bucket* is a range of scores; bucket ``b`` holds smaller scores than bucket ``b + 1``. Each
bucket has two *streams*: ``2 * b`` for its negatives, ``2 * b + 1`` for its positives. Rows
are appended to a small buffer per stream that stays in the L2 cache; a full buffer is copied as
one *block* of ``BLOCK`` scores to the end of ``pool``, and ``owner[block]`` names its stream. The
pool is thus written strictly forward: scattering straight into one region a stream is 2.5 times
slower from 64 streams on, because each store then waits for a cache line of its own. What is left
in the buffers at the end stays there (``buffers``, ``fill``), one set for each chunk of rows.
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
#: Steps at most that sorting by insertion moves a value, on average.
MOST_STEPS = 4
#: Values of the sample that shows whether leaves are any use, and stretches they are counted in.
SAMPLE = 256
STRETCHES = 64
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
    """List the blocks of stream s and chunk k of P from ``block_starts[s * P + k]`` on.

    Chunk k wrote blocks ``first_block[k]`` to ``next_block[k]``. ``block_starts`` comes zeroed.
    """
    n_chunks = first_block.size
    for k in range(n_chunks):
        for b in range(first_block[k], next_block[k]):
            block_starts[owner[b] * n_chunks + k + 1] += 1
    for s in range(1, block_starts.size):
        block_starts[s] += block_starts[s - 1]
    at = block_starts.copy()
    for k in range(n_chunks):
        for b in range(first_block[k], next_block[k]):
            s = owner[b] * n_chunks + k
            block_order[at[s]] = b
            at[s] += 1


@kernel
def gather(stream, pool, block_starts, block_order, buffers, fill, out):
    """Copy a stream's scores (or another column kept in the same layout), in order, to ``out``."""
    r = 0
    n_chunks = fill.shape[0]
    for k in range(n_chunks):
        mine = stream * n_chunks + k
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
    few_scores = np.empty(most_few, pool.dtype)
    placed_keys = np.empty(most_few + 2, np.uint32)
    placed = np.empty(most_few, pool.dtype)
    ends = np.empty(2 * LEAVES * most_few + 2, np.uint32)
    for b in range(first, stop):
        twice[b] = 0
        if holds_one_score[b] or rows[2 * b] == 0 or rows[2 * b + 1] == 0:
            continue
        few = 2 * b + np.int64(rows[2 * b + 1] < rows[2 * b])
        many = 4 * b + 1 - few
        n = gather(few, pool, block_starts, block_order, buffers, fill, few_scores)
        n_leaves = 1
        shift = _U(32)
        while n_leaves < LEAVES * n:
            n_leaves *= 2
            shift -= _U(1)
        scale = 2.0**32 / (highs[b] - lows[b])
        short_keys(few_scores[:n], lows[b], scale, keys)
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
            placed[_U(here)] = few_scores[_U(j)]
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


# --- bins of scores ------------------------------------------------------------------------------
#
# Count rows into bins of their scores: a table lookup, two compares and one addition a row.
#
# Bin b of ``edges`` (rising doubles) holds the scores x with ``edges[b - 1] <= x < edges[b]``: its
# number is how many edges are not above x. A *cell* is what arithmetic alone says of a score: a
# monotone function of it, even where it rounds. ``starts[c]`` is the number of edges in the cells
# before c, so that a search has the edges of one cell before it; a good cell function leaves two at
# most. ``edges`` ends with three NaN, which no score reaches: a compare may run past a cell, since
# edges of later cells are above every score of this one.
#
# ``cells`` says which function, as doubles (middle, left, right, sign, shift, offset): cells are as
# fine as the distance to ``left`` (below the middle) or ``right`` is, the exponent and leading bits
# of that distance.

#: Rows looked up at a time: what is between the two passes over them stays in the L1 cache.
BIN_TILE = 256


@kernel
def sort_leaves(values, cells, ends, out):
    """Write values in ascending order; return whether it is done, which uneven ones do not allow.

    Each is put into one of as many leaves as ``ends`` has room for, by its distance to the least;
    then insertion moves the few that are still apart. ``cells`` is scratch of the size of the
    values, ``ends`` of the number of leaves and one more. Not done where a value is not finite.
    """
    least = greatest = np.float64(values[0])
    n_nan = 0
    for i in range(values.size):  # methods of arrays would load SciPy's linear algebra
        value = np.float64(values[i])
        least = min(least, value)
        greatest = max(greatest, value)
        n_nan += np.int64(value != value)
    span = greatest - least
    last = ends.size - 2
    if n_nan or not 0.0 < span < np.inf or not last / span < np.inf:
        return False
    scale = last / span
    if values.size > 4 * SAMPLE:  # where a quarter shares a stretch, leaves are soon too full
        most = 0
        ends[:STRETCHES] = 0
        for k in range(SAMPLE):
            at = (np.float64(values[k * (values.size // SAMPLE)]) - least) / span
            stretch = _U(at * (STRETCHES - 1))
            ends[stretch] += 1
            most = max(most, ends[stretch])
        if most > SAMPLE // 4:
            return False
    ends[:] = 0
    for i in range(values.size):
        cells[i] = (np.float64(values[i]) - least) * scale
    for i in range(values.size):
        ends[_U(cells[i]) + _U(1)] += 1
    for leaf in range(last + 1):
        ends[leaf + 1] += ends[leaf]
    for i in range(values.size):
        leaf = _U(cells[i])
        out[ends[leaf]] = values[i]
        ends[leaf] += 1
    left = MOST_STEPS * out.size
    for i in range(1, out.size):
        placed = out[i]
        j = i
        while j > 0 and out[j - 1] > placed:
            out[j] = out[j - 1]
            j -= 1
        out[j] = placed
        left -= i - j
        if left < 0:
            return False
    return True


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
def octave_cells(values, cells, last, distance, cell):
    """Write the cell of each value: the leading bits of its distance to one of two points.

    With ``sign`` 1 the points are the ends of the range and cells rise from the left one and fall
    to the right one; with -1 both are the centre. ``distance`` is scratch.
    """
    middle = cells[0]
    left = cells[1]
    right = cells[2]
    sign = cells[3]
    shift = np.int64(cells[4])
    offset = np.int64(cells[5])
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
    octave_cells(values, cells, starts.size - 2, distance, number)
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
    number = np.empty(BIN_TILE, np.int32)
    distance = np.empty(BIN_TILE, np.float64)
    is_weighted = weights.size > 0
    amount = counts.dtype.type(1)
    for start in range(0, values.size, BIN_TILE):
        m = min(BIN_TILE, values.size - start)
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


# --- counts at every key of 32 bits --------------------------------------------------------------
#
# A *key* is a score's 32 bits, turned so that keys are ordered as scores; a *bin* is all keys of
# the same first 16 bits. A bin that has a slot, ``slots[bin]``, has ``2**17`` counts of a byte
# there in ``cells``: of negatives and of positives, in turns, at each key. A count that passes 255
# begins anew at 0, and its cell is written down: once for each 256 rows.
#
# Rows come in any order and cells lie far apart. So keys are first split into *streams*, a class
# of a *group* of neighbouring bins each, as rows are above: to a small buffer each, in blocks of
# ``BLOCK`` to ``pool``, forward, and ``owner`` names the stream of a block. The cells of a group
# fit the second-level cache. Streams 0 and 1 are of bins without a slot.

#: Rows whose keys wait in the first-level cache.
KEY_TILE = 256

_SIGN = np.uint32(1 << 31)
_LEAST = np.int32(-(2**31))


@kernel
def deal(bits, flip, labels, label, stream_of_bin, pool, owner, buffers, fill, state):
    """Append the key of each row to its stream; ``pool`` has room for all.

    ``bits`` are scores as int32; ``flip`` is 2**31 - 1 of floats, whose -0.0 becomes 0.0, and 0 of
    integers. Rows are positive where ``labels`` are 1; without labels all have the class ``label``.
    ``state`` has the next free block, and the negatives, positives and rows without a slot so far.
    """
    keys = np.empty(KEY_TILE, np.uint32)
    positive = np.full(KEY_TILE, np.uint8(label))
    free = _U(state[0])
    size = _U(BLOCK)
    n_positive = 0
    n_rest = 0
    for start in range(0, bits.size, KEY_TILE):
        tile = bits[start : start + KEY_TILE]
        m = tile.size
        if labels.size > 0:
            tile_labels = labels[start : start + KEY_TILE]
            for j in range(m):
                positive[j] = np.uint8(tile_labels[j] == 1)
        for j in range(m):
            value = np.int32(tile[j])
            value = np.int32(0) if (value == _LEAST) & (flip != 0) else value
            keys[j] = np.uint32(value ^ ((value >> np.int32(31)) & flip)) ^ _SIGN
        for j in range(m):
            key = keys[_U(j)]
            y = _U(positive[_U(j)])
            stream = _U(stream_of_bin[_U(key >> np.uint32(16))]) + y
            n_positive += np.int64(y)
            n_rest += np.int64(stream < _U(2))
            k = _U(fill[stream])
            buffers[stream, k] = key
            k += _U(1)
            if k == size:
                full = buffers[stream]
                target = pool[free]
                for q in range(full.size):  # not BLOCK: see `buckets`
                    target[q] = full[q]
                owner[free] = stream
                free += _U(1)
                k = _U(0)
            fill[stream] = k
    state[0] = np.int64(free)
    state[1] += bits.size - n_positive
    state[2] += n_positive
    state[3] += n_rest


@kernel
def count_stream(stream, pool, starts, order, buffers, fill, slots, mine, cells, passed, state):
    """Count the keys of a stream, from where ``state`` says, until ``passed`` is full or all are.

    ``mine`` are the slots of the stream's bins. If it has rows for most lines of their cells, these
    are first read in turn, which fetches them sooner than rows do.

    ``state`` has the block that comes next, whether all are counted (1), and how many counts of 256
    wait in ``passed``, as twice the key, plus 1 where it is of positives. A call needs room for the
    keys of a block. Blocks of the stream are those of ``order`` from ``starts[stream]`` on; the
    keys in its buffer come last.
    """
    positive = _U(stream & 1)
    block = starts[stream] + state[0]
    stop = starts[stream + 1]
    n_passed = _U(state[2])
    limit = _U(passed.size - BLOCK)
    seen = np.int64(0)
    if state[0] == 0 and (stop - block) * BLOCK > mine.size << 11:
        for slot in mine:
            first = np.int64(slot) << 17
            for line in range(first, first + (1 << 17), 64):
                seen += np.int64(cells[line])
    if seen < 0:  # never; but what is not used would not be read
        return
    while state[1] == 0 and n_passed <= limit:
        if block < stop:
            keys = pool[order[block]]
        else:
            keys = buffers[stream, : np.int64(fill[stream])]
            state[1] = 1
        block += 1
        for q in range(keys.size):
            key = keys[_U(q)]
            slot = _U(slots[_U(key >> np.uint32(16))])
            low = _U(key & np.uint32(0xFFFF))
            cell = (slot << _U(17)) | (low << _U(1)) | positive
            count = (np.int64(cells[cell]) + 1) & 255
            cells[cell] = count
            if count == 0:
                passed[n_passed] = (_U(key) << _U(1)) | positive
                n_passed += _U(1)
    state[0] = block - starts[stream]
    state[2] = np.int64(n_passed)


@kernel
def rows_between(bins, slots, cells, start, stop, rows):
    """Add up the cells from position ``start`` to ``stop``: negatives, positives.

    A position is the index of a key among the ascending keys of ``bins``, which have slots.
    """
    negatives = np.int64(0)
    positives = np.int64(0)
    at = start
    while at < stop:
        rank = at >> 16
        end = min(stop, (rank + 1) << 16)
        first = (np.int64(slots[bins[rank]]) << 17) + ((at & 0xFFFF) << 1)
        some = cells[first : first + 2 * (end - at)]
        both = np.int64(0)
        odd = np.int64(0)
        for i in range(some.size // 2):
            both += np.int64(some[2 * i])
            odd += np.int64(some[2 * i + 1])
        negatives += both
        positives += odd
        at = end
    rows[0] = negatives
    rows[1] = positives


@kernel
def table_between(
    bins, slots, cells, start, stop, flip, passed, times, bits, positives, negatives
):  # fmt: skip
    """Write the scores with rows between two positions, descending, and the counts of each class.

    ``passed`` are the cells that passed 255 between them, as `count_stream` names them,
    ascending, and ``times`` how often each has. Returns how many scores there are.
    """
    n_scores = _U(0)
    c = passed.size - 1
    at = stop
    while at > start:
        rank = (at - 1) >> 16
        first = max(start, rank << 16)
        base = _U(bins[rank]) << _U(16)
        slot = _U(slots[bins[rank]]) << _U(17)
        for position in range(at - 1, first - 1, -1):
            low = _U(position & 0xFFFF)
            n = np.int64(cells[slot | (low << _U(1))])
            p = np.int64(cells[slot | (low << _U(1)) | _U(1)])
            key = base | low
            while c >= 0 and (_U(passed[c]) >> _U(1)) == key:
                if passed[c] & 1:
                    p += times[c] << 8
                else:
                    n += times[c] << 8
                c -= 1
            value = np.int32(np.uint32(key) ^ _SIGN)
            bits[n_scores] = value ^ ((value >> np.int32(31)) & flip)
            positives[n_scores] = p
            negatives[n_scores] = n
            n_scores += _U((p | n) != 0)
        at = first
    return np.int64(n_scores)


@kernel
def assign_codes(values, keys, codes, n_codes, out):
    """Write the code of each value, a new one for a new value; return how many codes there are.

    ``keys`` and ``codes`` are an open-addressing table of 2**k cells, less than full with all new
    values; a code of -1 marks a free cell.
    """
    mask = _U(keys.size - 1)
    for i in range(values.size):
        value = values[i]
        mixed = _U(value) * _U(0x9E3779B97F4A7C15)
        cell = (mixed ^ (mixed >> _U(32))) & mask
        while codes[cell] >= 0 and keys[cell] != value:
            cell = (cell + _U(1)) & mask
        if codes[cell] < 0:
            keys[cell] = value
            codes[cell] = n_codes
            n_codes += 1
        out[i] = codes[cell]
    return n_codes
