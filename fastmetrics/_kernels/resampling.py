"""Resample counts: how often each row of a sorted table is drawn in a replicate.

Every number is a function of (key, replicate, block): 64-bit words come from Philox4x32-10, a
counter-based generator (Salmon, Moraes, Dror & Shaw 2011, Parallel random numbers: as easy as
1, 2, 3, SC'11): a permutation of the counters of a key, so that no two streams of a key overlap.
The counter is (position in the stream, block, replicate, purpose).

A replicate is a multinomial draw over n rows: first how many fall into each window of WINDOW
rows, by conditional binomials, then where inside the window, several indices from one word.

A key is two numbers of 32 bits, in words of 64; counts and masks are bytes, totals int64.
"""

import math

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Rows of a window: their byte counts, labels and words fit the L1 cache.
WINDOW = 4096
#: 64-bit words of the buffer that a drawing kernel works with.
WORDS = 1024
#: The last number of the counter: what the words are for.
PLACES, TOTALS, MORE, BITS = (np.int64(purpose) for purpose in range(4))
# A constant of type int64: what is written out in a call is a type of its own, to compile for.
_ZERO, _EIGHT, _ANY, _POSITIVE = (np.int64(number) for number in (0, 8, -1, 255))

_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_MASK_12, _12, _24, _36, _48 = (np.uint64(number) for number in (4095, 12, 24, 36, 48))
_ONE = np.uint8(1)
_SIDE_BY_SIDE = 16  # replicates whose cells are drawn together


@kernel
def philox(key, first, block, replicate, purpose, n, words):
    """Fill 2 n random 64-bit words from the counters (first + i, block, replicate, purpose), i < n.

    Counter i gives the words i and n + i: its output words 0, 1 and 2, 3, lower half first.
    """
    for i in range(n):
        c0 = (np.uint64(first) + np.uint64(i)) & _LOW
        c1 = np.uint64(block) & _LOW
        c2 = np.uint64(replicate) & _LOW
        c3 = np.uint64(purpose) & _LOW
        k0 = key[0]
        k1 = key[1]
        for _ in range(10):
            product_0 = _MULTIPLIER_0 * c0
            product_1 = _MULTIPLIER_1 * c2
            c0 = (product_1 >> _HALF) ^ c1 ^ k0
            c2 = (product_0 >> _HALF) ^ c3 ^ k1
            c1 = product_1 & _LOW
            c3 = product_0 & _LOW
            k0 = (k0 + _WEYL_0) & _LOW
            k1 = (k1 + _WEYL_1) & _LOW
        words[i] = c0 | (c1 << _HALF)
        words[n + i] = c2 | (c3 << _HALF)


@kernel
def stirling_rest(k):
    """Return log(k!) less Stirling's approximation of it."""
    if k < 15.0:
        rest = math.lgamma(k + 1.0) - (k + 0.5) * math.log(k + 1.0) + (k + 1.0)
        return rest - 0.5 * math.log(2.0 * math.pi)
    x = 1.0 / (k + 1.0)
    return (1.0 / 12.0 - (1.0 / 360.0 - x * x / 1260.0) * x * x) * x


@kernel
def is_kept(n, p, spread, us, v, k):
    """Return whether BTRS keeps ``k``: bounds of the masses decide, or the masses themselves.

    Hoermann (1993), The generation of binomial random variates: ``v`` against the ratio of the
    masses at ``k`` and at the mode, by Stirling's formula with its rest.
    """
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    q = 1.0 - p
    mode = math.floor((n + 1) * p)
    v = math.log(v * ((2.83 + 5.1 / b) * spread) / (a / (us * us) + b))
    variance = n * p * q
    away = abs(k - mode)
    if 20.0 < away < 0.5 * variance - 1.0:  # Kachitvichyanukul & Schmeiser (1988), BTPE, step 5.2
        cubic = (away * (away / 3.0 + 0.625) + 1.0 / 6.0) / variance
        normal = -0.5 * away * away / variance
        if abs(v - normal) > away / variance * (cubic + 0.5):
            return v < normal
    bound = (
        (mode + 0.5) * math.log((mode + 1.0) * q / (p * (n - mode + 1.0)))
        + (n + 1.0) * math.log((n - mode + 1.0) / (n - k + 1.0))
        + (k + 0.5) * math.log(p * (n - k + 1.0) / (q * (k + 1.0)))
        + stirling_rest(mode)
        + stirling_rest(n - mode)
        - stirling_rest(k)
        - stirling_rest(n - k)
    )
    return v <= bound


@kernel
def binomials(sizes, probability, key, streams, words, drawn):
    """Draw a binomial number of each size, each from its stream.

    A stream is [the number of its next word, block, replicate, purpose].
    BTRS (Hoermann 1993), or inversion where the mean is below 10. No stream waits for another one.
    """
    p = min(probability, 1.0 - probability)
    q = 1.0 - p
    for r in range(sizes.size):
        n = sizes[r]
        if n <= 0 or p <= 0.0:
            drawn[r] = 0 if probability < 1.0 else max(n, 0)
            continue
        spread = math.sqrt(n * p * q)
        b = 1.15 + 2.53 * spread
        a = -0.0873 + 0.0248 * b + 0.01 * p
        at = streams[r, 0]
        k = np.int64(-1)
        u = -1.0
        while k < 0:
            if at % 16 == 0:
                philox(key, at // 2, streams[r, 1], streams[r, 2], streams[r, 3], _EIGHT, words[r])
            v = (np.float64(words[r, at % 16] >> _12) + 0.5) * 2.0**-52
            at += 1
            if n * p < 10.0:
                mass = math.exp(n * math.log1p(-p))
                i = 0
                while v > mass and i < n:
                    v -= mass
                    i += 1
                    mass *= p / q * (n - i + 1) / i
                    if mass < 1e-300:
                        break
                if v <= mass or i == n:  # else rounding left a rest beyond the last mass: again
                    k = np.int64(i)
            elif u < 0.0:
                u = v
            else:
                u -= 0.5
                us = 0.5 - abs(u)
                i = math.floor((2.0 * a / us + b) * u + (n * p + 0.5))
                quick = us >= 0.07 and v <= 0.92 - 4.2 / b
                if quick or (0 <= i <= n and is_kept(n, p, spread, us, v, i)):
                    k = np.int64(i)
                u = -1.0
        streams[r, 0] = at
        drawn[r] = k if probability <= 0.5 else n - k


@kernel
def multinomial_totals(key, sizes, left, streams, words, totals):
    """Fill row r of ``totals`` with ``left[r]`` draws over cells of ``sizes`` rows.

    The conditional distribution of each cell given those before it is binomial. It serves the
    windows of a replicate, and alone the cells of a table or a confusion matrix. Stream r is at its
    number ``streams[r, 0]``, and its words are there; ``left`` is 0 afterwards.
    """
    drawn = np.empty(_SIDE_BY_SIDE, np.int64)
    n_rows = np.int64(0)
    for cell in range(sizes.size):
        n_rows += sizes[cell]
    for first in range(0, totals.shape[0], _SIDE_BY_SIDE):
        last = min(first + _SIDE_BY_SIDE, totals.shape[0])
        sizes_left = left[first:last]
        rest = n_rows
        for cell in range(sizes.size):
            probability = sizes[cell] / max(rest, 1)
            binomials(sizes_left, probability, key, streams[first:last], words[first:last], drawn)
            for r in range(last - first):
                totals[first + r, cell] = drawn[r]
                sizes_left[r] -= drawn[r]
            rest -= sizes[cell]


@kernel
def scatter_full(key, window, replicate, n_draws, counts, words):
    """Add ``n_draws`` uniform draws over the rows of a full window, 12 bits a draw.

    ``words`` must hold them all: ``n_draws <= 5 * (WORDS - 16)``.
    """
    n_words = (n_draws + 4) // 5
    philox(key, _ZERO, window, replicate, PLACES, ((n_words + 1) // 2 + 7) // 8 * 8, words)
    full = n_draws // 5
    for i in range(full):
        word = words[i]
        counts[word & _MASK_12] += _ONE
        counts[(word >> _12) & _MASK_12] += _ONE
        counts[(word >> _24) & _MASK_12] += _ONE
        counts[(word >> _36) & _MASK_12] += _ONE
        counts[(word >> _48) & _MASK_12] += _ONE
    if n_draws > 5 * full:
        word = words[full]
        for _ in range(n_draws - 5 * full):
            counts[word & _MASK_12] += _ONE
            word >>= _12


@kernel
def scatter_accepted(key, window, replicate, purpose, n_draws, wanted, masks, counts, words):
    """Add draws over the rows of a window of any size whose mask is ``wanted`` (-1: any mask).

    A draw takes the bits that the size needs, and is rejected where it is no such row.
    """
    limit = np.uint64(counts.size)
    bits = 0
    while (1 << bits) < counts.size:
        bits += 1
    fields = 64 // max(bits, 1)
    shift = np.uint64(bits)
    mask = np.uint64((1 << bits) - 1)
    left = n_draws
    first = _ZERO
    while left > 0:
        n = min((left // (2 * fields) + 4) // 4 * 4, WORDS // 2)
        philox(key, first, window, replicate, purpose, n, words)
        first += n
        for i in range(2 * n):
            word = words[i]
            if wanted < 0 and left >= fields:  # every draw of the word is wanted
                for _ in range(fields):
                    index = word & mask
                    word >>= shift
                    accepted = np.uint64(index < limit)
                    counts[index * accepted] += np.uint8(accepted)
                    left -= np.int64(accepted)
                continue
            for _ in range(fields):
                index = word & mask
                word >>= shift
                inside = (index < limit) & (left > 0)
                index = index if inside else np.uint64(0)
                accepted = inside & ((wanted < 0) | (masks[index] == wanted))
                counts[index] += np.uint8(accepted)
                left -= np.int64(accepted)
            if left == 0:
                break


@kernel
def draw_windows(key, first_replicate, windows, totals, n_rows, counts):
    """Draw the listed windows of some replicates: window j of replicate r from row j WINDOW on.

    ``totals[r, j]`` is the number of draws; ``counts[r]`` is cleared first.
    """
    words = np.empty(WORDS, np.uint64)
    for r in range(counts.shape[0]):
        for i in range(counts.shape[1]):
            counts[r, i] = 0
        for j in range(windows.size):
            window = windows[j]
            size = min(WINDOW, n_rows - window * WINDOW)
            local = counts[r, j * WINDOW : j * WINDOW + size]
            n_draws = totals[r, j]
            replicate = first_replicate + r
            if size == WINDOW and n_draws <= 5 * (WORDS - 16):
                scatter_full(key, window, replicate, n_draws, local, words)
            else:
                scatter_accepted(key, window, replicate, PLACES, n_draws, _ANY, local, local, words)


@kernel
def draw_windows_by_class(key, first, windows, totals, masks, n_rows, counts):
    """Draw windows in which ``totals[0, r, j]`` draws are positives, ``totals[1, r, j]`` negatives.

    Of the endless sequence of uniform draws over a window, the first so many of each class are
    taken: draws of both together first, then the surplus of one class is taken back, the last
    drawn first, and the other class is drawn on.
    """
    words = np.empty(WORDS, np.uint64)
    for r in range(counts.shape[0]):
        for i in range(counts.shape[1]):
            counts[r, i] = 0
        for j in range(windows.size):
            window = windows[j]
            start = window * WINDOW
            size = min(WINDOW, n_rows - start)
            local = counts[r, j * WINDOW : j * WINDOW + size]
            labels = masks[start : start + size]
            wanted_p = totals[0, r, j]
            wanted_n = totals[1, r, j]
            replicate = first + r
            n_draws = wanted_p + wanted_n
            if size < WINDOW or n_draws > 5 * (WORDS - 16):
                scatter_accepted(
                    key, window, replicate, MORE, wanted_p, _POSITIVE, labels, local, words
                )
                scatter_accepted(
                    key, window, replicate, PLACES, wanted_n, _ZERO, labels, local, words
                )
                continue
            scatter_full(key, window, replicate, n_draws, local, words)
            drawn = np.int32(0)
            for i in range(size):
                drawn += np.int32(local[i] & labels[i])
            surplus = drawn - wanted_p
            surplus_class = 255 if surplus > 0 else 0
            to_take = abs(surplus)
            t = n_draws - 1
            while to_take > 0:
                index = (words[t // 5] >> np.uint64(12 * (t % 5))) & _MASK_12
                if labels[index] == surplus_class:
                    local[index] -= _ONE
                    to_take -= 1
                t -= 1
            if surplus != 0:
                other = 255 - surplus_class
                scatter_accepted(
                    key, window, replicate, MORE, abs(surplus), other, labels, local, words
                )
