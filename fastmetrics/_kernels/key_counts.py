"""Count rows at each value that their score's 32 bits may have, no sort needed.

The layout all kernels of this file share
-----------------------------------------
A *key* is a score's 32 bits, turned so that keys are ordered as scores; a *bin* is all keys of the
same first 16 bits. A bin that has a slot, ``slots[bin]``, has ``2**17`` counts of a byte there in
``cells``: of negatives and of positives, in turns, at each key. A count that passes 255 begins anew
at 0, and its cell is written down: once for each 256 rows.

Rows come in any order, and cells lie far apart. So keys are first dealt into *streams*, a class of
a *group* of neighbouring bins each, as `buckets` does: to a small buffer each, in blocks of
``BLOCK`` to ``pool``, forward, and ``owner`` names the stream of a block. The cells of a group fit
the second-level cache. Streams 0 and 1 are of bins without a slot.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Keys in a block.
BLOCK = 128
#: Rows whose keys wait in the first-level cache.
TILE = 256

_U = np.uint64  # unsigned indices spare the test for negative ones
_SIGN = np.uint32(1 << 31)
_LEAST = np.int32(-(2**31))


@kernel
def deal(bits, flip, labels, label, stream_of_bin, pool, owner, buffers, fill, state):
    """Append the key of each row to its stream; ``pool`` has room for all.

    ``bits`` are scores as int32; ``flip`` is 2**31 - 1 of floats, whose -0.0 becomes 0.0, and 0 of
    integers. Rows are positive where ``labels`` are 1; without labels all have the class ``label``.
    ``state`` has the next free block, and the negatives, positives and rows without a slot so far.
    """
    keys = np.empty(TILE, np.uint32)
    positive = np.full(TILE, np.uint8(label))
    free = _U(state[0])
    size = _U(BLOCK)
    n_positive = 0
    n_rest = 0
    for start in range(0, bits.size, TILE):
        tile = bits[start : start + TILE]
        m = tile.size
        if labels.size > 0:
            tile_labels = labels[start : start + TILE]
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
    room = _U(passed.size - BLOCK)
    seen = np.int64(0)
    if state[0] == 0 and (stop - block) * BLOCK > mine.size << 11:
        for slot in mine:
            first = np.int64(slot) << 17
            for line in range(first, first + (1 << 17), 64):
                seen += np.int64(cells[line])
    if seen < 0:  # never; but what is not used would not be read
        return
    while state[1] == 0 and n_passed <= room:
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
    """Add up the cells from place ``start`` to ``stop``: negatives, positives.

    A place is the number of a key among those of ``bins``, which have slots, in ascending order.
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
    """Write the scores that have rows between two places, descending, and how many of each class.

    ``passed`` are the cells that passed 255 within these places, as `count_stream` names them,
    ascending, and ``times`` how often each has. Returns how many scores there are.
    """
    found = _U(0)
    c = passed.size - 1
    at = stop
    while at > start:
        rank = (at - 1) >> 16
        first = max(start, rank << 16)
        base = _U(bins[rank]) << _U(16)
        slot = _U(slots[bins[rank]]) << _U(17)
        for place in range(at - 1, first - 1, -1):
            low = _U(place & 0xFFFF)
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
            bits[found] = value ^ ((value >> np.int32(31)) & flip)
            positives[found] = p
            negatives[found] = n
            found += _U((p | n) != 0)
        at = first
    return np.int64(found)
