"""Pairs of rows that two variables order alike, counted digit by digit of the ranks of one.

Rows stand in the order of the first variable; ``ranks`` are those of the second. A pair i < j is
rising where ``ranks[i] < ranks[j]``: the highest digit in which the two differ says so, and pairs
that differ in it are counted in one pass, by counters that hold running sums.

Ranks are int32; codes, uint32, are twice a rank, and 1 more where the row leads.
"""

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Digits of ranks are of eight bits: two halves, of 16 counters each.
DIGIT = 8
_HALF = 16
_VALUES = 256
#: Segments up to this size are compared pair by pair.
_FEW = 24
#: Rows whose two counts fit the halves of a counter.
_BLOCK = 32_767
#: Segments up to this size take digits of four bits, and up to this one are sorted by hand.
_HALF_DIGIT = 4
_SHORT = 512
_FEWEST = 6


@kernel
def rising_by_digit(ranks, low, high, shift, counts):
    """Return the rising pairs of rows low to high that differ in the digit; add up ``counts``.

    ``upper[h]`` is the number of rows so far whose upper half is below h, ``lower[h, d]`` of those
    whose upper half is h and whose lower half is below d: a row is two readings, and two steps over
    16 counters, which the compiler makes single instructions.
    """
    upper = np.zeros(_HALF, np.int32)
    lower = np.zeros((_HALF, _HALF), np.int32)
    total = np.int64(0)
    for i in range(low, high):
        digit = (ranks[i] >> shift) & (_VALUES - 1)
        counts[digit] += 1
        first = digit >> 4
        second = digit & (_HALF - 1)
        row = lower[first]
        total += upper[first] + row[second]
        for j in range(_HALF):
            upper[j] += np.int32(j > first)
        for j in range(_HALF):
            row[j] += np.int32(j > second)
    return total


@kernel
def scatter_by_digit(ranks, low, high, shift, positions, out):
    """Copy rows low to high to ``positions`` of their digits, in order, and advance these."""
    for i in range(low, high):
        rank = ranks[i]
        digit = (rank >> shift) & (_VALUES - 1)
        out[positions[digit]] = rank
        positions[digit] += 1


@kernel
def rising_in_segments(ranks, scratch, starts, first, last, shift):
    """Return the rising pairs within each segment; ``ranks`` and ``scratch`` are used up.

    Radix sort from the highest digit down, by a stack of (low, high, shift): a pair is counted in
    the first digit that differs. Short segments are compared pair by pair.
    """
    total = np.int64(0)
    lows, highs = np.empty(4 * _VALUES, np.int64), np.empty(4 * _VALUES, np.int64)
    shifts = np.empty(4 * _VALUES, np.int64)
    counts = np.empty(_VALUES, np.int64)
    positions = np.empty(_VALUES, np.int64)
    for segment in range(first, last):
        lows[0] = starts[segment]
        highs[0] = starts[segment + 1]
        shifts[0] = shift
        depth = 1
        while depth > 0:
            depth -= 1
            low = lows[depth]
            high = highs[depth]
            digit = shifts[depth]
            if high - low <= _FEW:
                for i in range(low + 1, high):
                    rank = ranks[i]
                    for j in range(low, i):
                        total += np.int64(ranks[j] < rank)
                continue
            counts[:] = 0
            total += rising_by_digit(ranks, low, high, digit, counts)
            if digit == 0:
                continue
            position = low
            for value in range(_VALUES):
                positions[value] = position
                if counts[value] > 1:
                    lows[depth] = position
                    highs[depth] = position + counts[value]
                    shifts[depth] = max(0, digit - DIGIT)
                    depth += 1
                position += counts[value]
            scatter_by_digit(ranks, low, high, digit, positions, scratch)
            ranks[low:high] = scratch[low:high]
    return total


@kernel
def lower_by_digit(codes, low, high, shift, sums, counts):
    """Count, for each row of low to high, earlier rows of a lower digit; add up ``counts``.

    As in `rising_by_digit`: ``upper`` and a row of ``lower`` are read, and stepped.
    """
    upper = np.empty(_HALF, np.int32)
    lower = np.empty((_HALF, _HALF), np.int32)
    before = np.empty(_VALUES, np.int64)
    for start in range(low, high, _BLOCK):
        upper[:] = 0
        lower[:] = 0
        so_far = np.int64(0)
        for value in range(_VALUES):
            before[value] = so_far
            so_far += counts[value]
        for i in range(start, min(start + _BLOCK, high)):
            code = np.int64(codes[i])
            digit = (code >> shift) & (_VALUES - 1)
            counts[digit] += 1 | (code & 1) << 32
            first = digit >> 4
            second = digit & (_HALF - 1)
            row = lower[first]
            both = np.int64(upper[first] + row[second])
            sums[i] += before[digit] + (both & 0xFFFF) + (both >> 16 << 32)
            one = np.int32(1 | (code & 1) << 16)
            for j in range(_HALF):
                upper[j] += one if j > first else np.int32(0)
            for j in range(_HALF):
                row[j] += one if j > second else np.int32(0)


@kernel
def _lower_by_half(codes, low, high, shift, sums, counts):
    """Count as `lower_by_digit` by a digit of four bits, for fewer rows than a block."""
    lower = np.zeros(_HALF, np.int32)
    for i in range(low, high):
        code = np.int64(codes[i])
        digit = (code >> shift) & (_HALF - 1)
        counts[digit] += 1
        both = np.int64(lower[digit])
        sums[i] += (both & 0xFFFF) + (both >> 16 << 32)
        one = np.int32(1 | (code & 1) << 16)
        for j in range(_HALF):
            lower[j] += one if j > digit else np.int32(0)


@kernel
def _sort_few(codes, sums, low, high):
    """Sort a few rows by rank (insertion sort) and count lower earlier rows on the way."""
    for i in range(low + 1, high):
        code = codes[i]
        lower = sums[i]
        at = i
        while at > low and codes[at - 1] >> 1 > code >> 1:
            codes[at] = codes[at - 1]
            sums[at] = sums[at - 1]
            at -= 1
        for j in range(low, at):
            if codes[j] >> 1 < code >> 1:
                lower += 1 | np.int64(codes[j] & 1) << 32
        codes[at] = code
        sums[at] = lower


@kernel
def scatter_with_sums(codes, sums, low, high, shift, mask, positions, more, out, sums_out):
    """Copy rows low to high to ``positions`` of their digits, in order; add ``more`` to sums."""
    for i in range(low, high):
        digit = (np.int64(codes[i]) >> shift) & mask
        at = positions[digit]
        positions[digit] = at + 1
        out[at] = codes[i]
        sums_out[at] = sums[i] + more[digit]


@kernel
def lower_in_segments(codes, sums, scratch, scratch_sums, starts, first, last, bits):
    """Sort the rows of each segment, which differ in the last ``bits`` of their ranks alone.

    As `rising_in_segments`, and each row's sum goes with it: it counts the lower earlier rows in
    its low 32 bits, and those of them that lead in the high ones.
    """
    lows, highs = np.empty(4 * _VALUES, np.int64), np.empty(4 * _VALUES, np.int64)
    left = np.empty(4 * _VALUES, np.int64)
    counts = np.empty(_VALUES, np.int64)
    positions = np.empty(_VALUES, np.int64)
    nothing = np.zeros(_VALUES, np.int64)
    for segment in range(first, last):
        lows[0] = starts[segment]
        highs[0] = starts[segment + 1]
        left[0] = bits
        depth = 1
        while depth > 0:
            depth -= 1
            low = lows[depth]
            high = highs[depth]
            rest = left[depth]
            if high - low <= _FEWEST:
                _sort_few(codes, sums, low, high)
                continue
            counts[:] = 0
            if high - low > _SHORT:
                values = _VALUES
                rest = max(0, rest - DIGIT)
                lower_by_digit(codes, low, high, rest + 1, sums, counts)
            else:
                values = _HALF
                rest = max(0, rest - _HALF_DIGIT)
                _lower_by_half(codes, low, high, rest + 1, sums, counts)
            position = low
            for value in range(values):
                positions[value] = position
                size = counts[value] & 0xFFFFFFFF
                if rest > 0 and size > 1:
                    lows[depth] = position
                    highs[depth] = position + size
                    left[depth] = rest
                    depth += 1
                position += size
            mask = values - 1
            scatter_with_sums(
                codes, sums, low, high, rest + 1, mask, positions, nothing, scratch, scratch_sums
            )
            codes[low:high] = scratch[low:high]
            sums[low:high] = scratch_sums[low:high]


@kernel
def combine_partners(sums, keys, rows, starts, first, last, before, slopes, out):
    """Write for each row its partners by kind of pair, each times a slope, and a constant.

    Kinds are those of ``tables/concordance.py``. Rows are by rank, then key; ranks
    ``first`` to ``last`` begin at ``starts``. ``before`` has the rows of lower keys, and how many
    of them lead. ``sums`` are the rows of lower rank of which the key is not higher, and 2**32
    times those of lower rank and key that lead.
    """
    n = np.int64(len(keys))
    for rank in range(first, last):
        start = starts[rank]
        end = starts[rank + 1]
        equal_leads = np.int64(0)
        i = start
        while i < end:
            key = keys[i]
            stop = i + 1
            while stop < end and keys[stop] == key:
                stop += 1
            leads = np.int64(before[key, 1])
            is_lead = np.int64(before[key + 1, 1] > leads)  # a factor: a branch would wait for it
            later = n - before[key + 1, 0]
            in_key = before[key + 1, 0] - before[key, 0]
            for k in range(i, stop):
                lower_leads = sums[k] >> 32
                lower = start - (sums[k] & 0xFFFFFFFF)
                concordant = lower_leads + is_lead * (later - lower - (end - stop))
                discordant = leads - lower_leads - equal_leads + is_lead * lower
                tied_in_score = equal_leads + is_lead * (end - stop)
                tied_in_outcome = in_key - (stop - i)
                out[rows[k]] = (
                    slopes[0] * concordant
                    + slopes[1] * discordant
                    + slopes[2] * tied_in_score
                    + slopes[3] * tied_in_outcome
                    + slopes[4]
                )
            equal_leads += (stop - i) * is_lead
            i = stop


@kernel
def sums_of_later(ranks, starts, weights, is_requested, tree, here, below, tied):
    """Sum, for each requested row, the weights of later groups' rows of lower and of equal rank.

    Groups of rows begin at ``starts`` and end where the next begins. ``tree`` (Fenwick 1994) and
    ``here`` are of a size with the distinct ranks, and zero: a step of the tree adds the lowest
    bit that is set, or takes it away.
    """
    size = len(tree)
    for group in range(len(starts) - 2, -1, -1):
        first = starts[group]
        end = starts[group + 1]
        for i in range(first, end):
            if is_requested[i]:
                total = 0.0
                k = np.int64(ranks[i])
                while k > 0:
                    total += tree[k - 1]
                    k &= k - 1
                below[i] = total
                tied[i] = here[ranks[i]]
        for i in range(first, end):
            weight = weights[i]
            if weight != 0.0:
                here[ranks[i]] += weight
                k = np.int64(ranks[i]) + 1
                while k <= size:
                    tree[k - 1] += weight
                    k += k & -k


# --- sums of differences: of pairs, and of all under choices of their signs ----------------------
#
# The sums x[i] + x[j], i <= j, of sorted numbers rise along rows and columns, so a bound is a
# staircase: a walk from the corner of the first and last number takes one step a number (Johnson
# & Mizoguchi 1978, SIAM Journal on Computing 7:147-153). Sums are compared as rounded doubles.
#
# Eight numbers have 256 choices of signs, whose sums are made once; then a choice for all of them
# is a byte of random bits and one sum to look up. The tables of ``CHUNK`` numbers fit the L1 cache.
# Measured on 10^6 numbers and one thread: .03 ms a choice, a fourth of it for the bits.

#: Numbers whose signs two words of random bits choose, and choices of the signs of eight.
CHUNK = 128
CHOICES = 256

_U = np.uint64
_BYTE = np.uint64(255)


@kernel
def count_pair_sums(values, before, low, high, counts):
    """Count the pair sums up to two bounds, and the index pairs of distinct values among them.

    ``values`` ascend and are distinct; ``before`` says how many numbers there are before each, and
    in all. ``counts`` becomes the pairs up to either bound, then index pairs. The two walks do not
    wait for one another, and no step is a branch: 2 ns a value for each.
    """
    i = np.int64(0)
    j = np.int64(values.size - 1)
    k = np.int64(0)
    m = np.int64(values.size - 1)
    counts[:] = 0
    for _ in range(values.size):
        up = np.int64(values[_U(i)] + values[_U(j)] <= low)
        ties = before[_U(i + 1)] - before[_U(i)]
        others = before[_U(j + 1)] - before[_U(i + 1)]
        counts[0] += up * (ties * others + ties * (ties + 1) // 2)
        counts[2] += up * (j - i + 1)
        i += up
        j -= 1 - up
        up = np.int64(values[_U(k)] + values[_U(m)] <= high)
        ties = before[_U(k + 1)] - before[_U(k)]
        others = before[_U(m + 1)] - before[_U(k + 1)]
        counts[1] += up * (ties * others + ties * (ties + 1) // 2)
        counts[3] += up * (m - k + 1)
        k += up
        m -= 1 - up


@kernel
def write_pair_sums(values, before, low, high, sums, pairs):
    """Write the sums above ``low`` and up to ``high``, and of how many pairs each is.

    Along a row of the staircase both ends move to the left only: O(values + sums) in all.
    """
    first = np.int64(values.size)
    last = np.int64(values.size)
    n = np.int64(0)
    for i in range(values.size):
        x = values[i]
        ties = before[i + 1] - before[i]
        while last > i and x + values[_U(last - 1)] > high:
            last -= 1
        while first > i and x + values[_U(first - 1)] > low:
            first -= 1
        if last <= i:
            break
        for j in range(max(first, i), last):
            sums[_U(n)] = x + values[_U(j)]
            others = before[_U(j + 1)] - before[_U(j)]
            pairs[_U(n)] = ties * (ties + 1) // 2 if i == j else ties * others
            n += 1


@kernel
def sums_of_choices(values, sums):
    """Write the sums of 8 k numbers by their signs: 256 for each eight, a bit of 1 for a plus."""
    for first in range(0, values.size, 8):
        table = sums[CHOICES * first // 8 : CHOICES * (first // 8 + 1)]
        table[0] = 0.0
        size = 1
        for k in range(first, first + 8):
            for choice in range(size):
                other = table[choice]
                table[size + choice] = other + values[k]
                table[choice] = other - values[k]
            size *= 2


@kernel
def add_signed_sums(values, words, sums):
    """Add the numbers under some choices of their signs to the sums of these choices.

    There are as many choices as sums. Of number i of chunk c, choice r has the sign of bit i of a
    pair of words: words c m + r and (n + c) m + r, for n chunks and m choices.
    """
    m = sums.size
    n = values.size // CHUNK
    t = np.empty(CHUNK // 8 * CHOICES)
    for c in range(n):
        sums_of_choices(values[c * CHUNK : (c + 1) * CHUNK], t)
        for r in range(m):
            w = words[_U(c * m + r)]
            x = words[_U((n + c) * m + r)]
            one = t[w & _BYTE] + t[_U(256) | ((w >> _U(8)) & _BYTE)]
            two = t[_U(512) | ((w >> _U(16)) & _BYTE)] + t[_U(768) | ((w >> _U(24)) & _BYTE)]
            one += t[_U(1024) | ((w >> _U(32)) & _BYTE)] + t[_U(1280) | ((w >> _U(40)) & _BYTE)]
            two += t[_U(1536) | ((w >> _U(48)) & _BYTE)] + t[_U(1792) | (w >> _U(56))]
            one += t[_U(2048) | (x & _BYTE)] + t[_U(2304) | ((x >> _U(8)) & _BYTE)]
            two += t[_U(2560) | ((x >> _U(16)) & _BYTE)] + t[_U(2816) | ((x >> _U(24)) & _BYTE)]
            one += t[_U(3072) | ((x >> _U(32)) & _BYTE)] + t[_U(3328) | ((x >> _U(40)) & _BYTE)]
            two += t[_U(3584) | ((x >> _U(48)) & _BYTE)] + t[_U(3840) | (x >> _U(56))]
            sums[_U(r)] += one + two
