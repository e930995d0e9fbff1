"""Sums over the errors of predictions: one pass, block by block, every sum in vector lanes.

A block is read once into arrays that stay in the L1 cache; each loop over it then adds to ``LANES``
running sums side by side, which is how a sum of floats becomes vector code without leave to
reorder it. A block's sums are added to the totals with compensation (Knuth's two-sum), its centred
moments by the rule of Chan, Golub & LeVeque (1983, eq. 2.1), with a mean that is kept as a pair of
doubles: no digit is lost where the values are far from zero.

Rounding: a lane adds ``BLOCK / LANES`` terms and ``log2(LANES)`` additions join the lanes, so a sum
of terms of one sign is within ``48 * 2**-53`` of the sum of the exact terms, relatively, whatever
the number of rows.
"""

import math

import numpy as np

from fastmetrics._kernels._compile import kernel

_U = np.uint64

BLOCK = 1024
LANES = 32

# Columns of the sums of one output; the column after a sum or a mean holds its rounding error.
ROWS = 0
WEIGHT = 1
UNDER = 3  # weight times (true - predicted) where that is positive
OVER = 5  # weight times (predicted - true) where that is positive
SQUARED = 7
RELATIVE = 9
LARGEST = 11
TARGET_MEAN = 12
TARGET_SQUARES = 14
ERROR_MEAN = 16
ERROR_SQUARES = 18
N_SUMS = 20

# Typed, because a literal in a call is a version of machine code of its own.
_FIRST = np.int64(0)
_SECOND = np.int64(LANES)
_THIRD = np.int64(2 * LANES)
_TARGET = np.int64(TARGET_MEAN)
_ERROR = np.int64(ERROR_MEAN)

# Flags of sums beside the rows, the weight, the errors and their squares.
ASK_RELATIVE = 1
ASK_LARGEST = 2
ASK_TARGET = 4
ASK_ERROR = 8

#: The least absolute target that a relative error divides by (2**-52, as in scikit-learn).
EPSILON = 2.220446049250313e-16


@kernel
def error_sums(y_true, y_pred, n_outputs, weights, requested, sums):
    """Add the sums over the rows to ``sums``, of shape (n_outputs, N_SUMS).

    The targets are rows of ``n_outputs`` numbers each; no weights means that each row weighs 1.
    Returns whether every error was finite.
    """
    n_rows = y_true.size // n_outputs
    target = np.zeros(BLOCK)
    error = np.zeros(BLOCK)
    weight = np.ones(BLOCK)
    lanes = np.zeros(3 * LANES)
    block = np.zeros((1, N_SUMS))
    is_sound = True
    for start in range(0, n_rows, BLOCK):
        m = min(BLOCK, n_rows - start)
        padded = -(-m // LANES) * LANES
        for k in range(m, padded):
            weight[_U(k)] = 0.0
        block_weight = np.float64(m)
        if weights.size > 0:
            for k in range(m):
                weight[_U(k)] = weights[_U(start + k)]
            for k in range(LANES):
                lanes[_U(k)] = 0.0
            for base in range(0, padded, LANES):
                for k in range(LANES):
                    lanes[_U(k)] += weight[_U(base + k)]
            block_weight = fold_lanes(lanes, _FIRST)
        for j in range(n_outputs):
            if n_outputs == 1:
                for k in range(m):
                    i = _U(start + k)
                    target[_U(k)] = np.float64(y_true[i])
                    error[_U(k)] = np.float64(y_true[i]) - np.float64(y_pred[i])
            else:
                for k in range(m):
                    i = _U((start + k) * n_outputs + j)
                    target[_U(k)] = np.float64(y_true[i])
                    error[_U(k)] = np.float64(y_true[i]) - np.float64(y_pred[i])
            for k in range(m, padded):
                target[_U(k)] = target[0]
                error[_U(k)] = 0.0
            for k in range(3 * LANES):
                lanes[_U(k)] = 0.0
            for base in range(0, padded, LANES):
                for k in range(LANES):
                    x = error[_U(base + k)]
                    w = weight[_U(base + k)]
                    lanes[_U(k)] += w * (abs(x) + x)
                    lanes[_U(k + LANES)] += w * (abs(x) - x)
                    lanes[_U(k + 2 * LANES)] += w * (x * x)
            block[0, ROWS] = m
            block[0, WEIGHT] = block_weight
            block[0, UNDER] = 0.5 * fold_lanes(lanes, _FIRST)
            block[0, OVER] = 0.5 * fold_lanes(lanes, _SECOND)
            block[0, SQUARED] = fold_lanes(lanes, _THIRD)
            is_sound &= np.isfinite(block[0, UNDER] + block[0, OVER])
            if requested & ASK_RELATIVE:
                for k in range(LANES):
                    lanes[_U(k)] = 0.0
                for base in range(0, padded, LANES):
                    for k in range(LANES):
                        size = max(abs(target[_U(base + k)]), EPSILON)
                        relative = abs(error[_U(base + k)]) / size
                        lanes[_U(k)] += weight[_U(base + k)] * relative
                block[0, RELATIVE] = fold_lanes(lanes, _FIRST)
            if requested & ASK_LARGEST:
                block[0, LARGEST] = largest_weighed(error, weight, padded, lanes)
            if requested & ASK_TARGET and block_weight > 0.0:
                center_block(target, weight, padded, block_weight, lanes, block, _TARGET)
            if requested & ASK_ERROR and block_weight > 0.0:
                center_block(error, weight, padded, block_weight, lanes, block, _ERROR)
            add_row(sums, j, block, _FIRST)
    return is_sound


@kernel
def fold_lanes(lanes, first):
    """Return the sum of the ``LANES`` numbers from ``first`` on, in pairs."""
    half = LANES // 2
    while half > 0:
        for k in range(half):
            lanes[_U(first + k)] += lanes[_U(first + k + half)]
        half //= 2
    return lanes[first]


@kernel
def largest_weighed(error, weight, size, lanes):
    """Return the largest absolute error of the rows that weigh something."""
    for k in range(LANES):
        lanes[_U(k)] = 0.0
    for base in range(0, size, LANES):
        for k in range(LANES):
            x = abs(error[_U(base + k)])
            y = x if weight[_U(base + k)] > 0.0 else 0.0
            lanes[_U(k)] = y if y > lanes[_U(k)] else lanes[_U(k)]
    largest = 0.0
    for k in range(LANES):
        largest = max(largest, lanes[_U(k)])
    return largest


@kernel
def center_block(values, weight, size, total, lanes, block, column):
    """Write the mean of a block as a pair of doubles, and the sum of squares about it.

    The mean is first taken of differences to one of the values, so that equal values have a sum
    of squares of exactly zero; the second pass corrects for the rounding of the mean.
    """
    at = 0
    while weight[at] == 0.0:
        at += 1
    origin = values[at]
    for k in range(2 * LANES):
        lanes[_U(k)] = 0.0
    for base in range(0, size, LANES):
        for k in range(LANES):
            lanes[_U(k)] += weight[_U(base + k)] * (values[_U(base + k)] - origin)
    mean = origin + fold_lanes(lanes, _FIRST) / total
    for k in range(LANES):
        lanes[_U(k)] = 0.0
    for base in range(0, size, LANES):
        for k in range(LANES):
            x = values[_U(base + k)] - mean
            wx = weight[_U(base + k)] * x
            lanes[_U(k)] += wx
            lanes[_U(k + LANES)] += wx * x
    rest = fold_lanes(lanes, _FIRST)
    squares = fold_lanes(lanes, _SECOND) - rest * (rest / total)
    block[0, column] = mean
    block[0, column + 1] = rest / total
    block[0, column + 2] = max(squares, 0.0)
    block[0, column + 3] = 0.0


@kernel
def two_sum(a, b):
    """Return a + b and its rounding error, exactly (Knuth, TAOCP 2, 4.2.2)."""
    total = a + b
    b_rounded = total - a
    return total, (a - (total - b_rounded)) + (b - b_rounded)


@kernel
def add_row(sums, row, other, other_row):
    """Add a row of sums to another.

    Means and squares are merged by Chan, Golub & LeVeque (1983, eq. 2.1). The rounding error of a
    sum stands in the column after it, where errors add up; a mean and its error are renormalised.
    """
    mine = sums[row, WEIGHT] + sums[row, WEIGHT + 1]
    theirs = other[other_row, WEIGHT] + other[other_row, WEIGHT + 1]
    for mean in (TARGET_MEAN, ERROR_MEAN):
        squares = mean + 2
        if mine == 0.0:
            for k in range(mean, mean + 4):
                sums[row, k] = other[other_row, k]
        elif theirs > 0.0:
            gap = other[other_row, mean] - sums[row, mean]
            gap += other[other_row, mean + 1] - sums[row, mean + 1]
            fraction = theirs / (mine + theirs)
            sums[row, mean], sums[row, mean + 1] = two_sum(
                sums[row, mean], sums[row, mean + 1] + gap * fraction
            )
            high, low = two_sum(sums[row, squares], other[other_row, squares])
            high, lost = two_sum(high, gap * (gap * fraction) * mine)
            sums[row, squares] = high
            sums[row, squares + 1] += other[other_row, squares + 1] + low + lost
    for k in (WEIGHT, UNDER, OVER, SQUARED, RELATIVE):
        sums[row, k], low = two_sum(sums[row, k], other[other_row, k])
        sums[row, k + 1] += other[other_row, k + 1] + low
    sums[row, ROWS] += other[other_row, ROWS]
    sums[row, LARGEST] = max(sums[row, LARGEST], other[other_row, LARGEST])


@kernel
def merge_error_sums(sums, other):
    """Add the sums of other rows to ``sums``, output by output."""
    for j in range(sums.shape[0]):
        add_row(sums, j, other, j)


# --- deviances of the Tweedie family -------------------------------------------------------------
#
# With v = (y - m) / m for a target y and its prediction m, half a deviance of power p is ``m**q
# ((u**q - 1) / q - v) / (q - 1)`` for u = 1 + v = y / m and q = 2 - p (Jorgensen 1987); its limits
# are ``y log u - (y - m)`` for p = 1 and ``v - log u`` for p = 2. Near v = 0 all of these cancel to
# second order, so the logarithm is found as v less a series g, and what is left of u**q as a series
# e: the deviance is then of g, e and v * v, and keeps its digits.
#
# Powers 1.5 and 3 need no logarithm: with a and b the roots of y and m, half of them is 2 (a -
# b)**2 / b and v**2 / (2 y). Power 2 takes one a block, of a product, where rows have no weights
# and the mean is not so low that its rounding would show.
#
# Measured on 2**20 rows: 2 ns a row for powers 1.5, 2 and 3, 3 ns for 1, 7 ns for others. A term is
# off by at most 2**-47 of itself; where p is near 1, and not 1, by 2**-47 / |p - 1|.


_LOG2_E = 1.4426950408889634
_LN2 = 0.6931471805599453
# ln 2 in two parts, the first of few enough bits that a product with an exponent is exact.
_LN2_HIGH = float.fromhex("0x1.62e42feep-1")
_LN2_LOW = 1.9082149292705877e-10
# Added and taken away, it rounds to a whole number.
_ROUNDER = 1.5 * 2.0**52
_SMALLEST = 2.0**-1022
# The product of a lane's ratios, 32 of them above this and below its inverse, is a normal number.
_SMALL = 2.0**-30
# A mean of half the deviance below which the rounding of a product would show.
_LOW = 2.0**-5
_MANTISSA = (1 << 52) - 1
_ONE = 1023 << 52
# The bits of the square root of one half.
_HALF_ROOT = 0x3FE6A09E667F3BCD
# v of a u between the square roots of one half and of two.
_LEAST = -0.2928
_MOST = 0.4142


@kernel
def split_logs(u, k, f, g, v):
    """Write the parts of log(u) = k ln 2 + (f - g): f itself is v where k is 0.

    u is 2**k (1 + f), with 1 + f between the roots of 1/2 and 2, and a normal number. With
    s = f / (2 + f), log(1 + f) is 2 (s + s**3 / 3 + ...), arranged as by Ng (1993, FDLIBM).
    """
    bits = u.view(np.int64)
    scaled = f.view(np.int64)
    for i in range(u.size):
        scaled[i] = bits[i] - (((bits[i] - _HALF_ROOT) >> 52) << 52)
    for i in range(u.size):
        near = (v[i] > _LEAST) & (v[i] < _MOST)
        k[i] = 0.0 if near else np.float64((bits[i] - _HALF_ROOT) >> 52)
        x = v[i] if near else f[i] - 1.0
        s = x / (2.0 + x)
        z = s * s
        series = 2 / 19 + z * (2 / 21)
        series = 2 / 17 + z * series
        series = 2 / 15 + z * series
        series = 2 / 13 + z * series
        series = 2 / 11 + z * series
        series = 2 / 9 + z * series
        series = 2 / 7 + z * series
        series = 2 / 5 + z * series
        series = 2 / 3 + z * series
        half = 0.5 * x * x
        f[i] = x
        g[i] = half - s * (half + z * series)


@kernel
def split_powers(k, f, g, q, q_high, n, r, e):
    """Write the parts of u**q = 2**n (1 + r + e), for a u whose logarithm is k ln 2 + (f - g).

    ``q_high`` has so few bits that its product with an exponent is exact; e is r**2 / 2 + ...
    """
    q_low = q - q_high
    for i in range(k.size):
        whole = (q_high * k[i] + _ROUNDER) - _ROUNDER
        x = ((q_high * k[i] - whole) + q_low * k[i]) * _LN2 + q * (f[i] - g[i])
        more = (x * _LOG2_E + _ROUNDER) - _ROUNDER
        y = (x - more * _LN2_HIGH) - more * _LN2_LOW
        series = 1 / 6227020800 + y * (1 / 87178291200)
        series = 1 / 479001600 + y * series
        series = 1 / 39916800 + y * series
        series = 1 / 3628800 + y * series
        series = 1 / 362880 + y * series
        series = 1 / 40320 + y * series
        series = 1 / 5040 + y * series
        series = 1 / 720 + y * series
        series = 1 / 120 + y * series
        series = 1 / 24 + y * series
        series = 1 / 6 + y * series
        series = 1 / 2 + y * series
        n[i] = whole + more
        r[i] = y
        e[i] = y * y * series


@kernel
def powers_of_two(n, one, other):
    """Write two factors of 2**n, each of them in range."""
    ones = one.view(np.int64)
    others = other.view(np.int64)
    for i in range(n.size):
        limit = 2040.0 if n[i] > 0.0 else -2040.0
        exponent = np.int64(n[i] if abs(n[i]) < 2040.0 else limit)
        ones[i] = ((exponent >> 1) + 1023) << 52
        others[i] = (exponent - (exponent >> 1) + 1023) << 52


@kernel
def mend_logs(u, v, top, bottom, k, f, g):
    """Write v and the parts of log(top / bottom) where u, the ratio, is no normal number."""
    for i in range(u.size):
        if bottom[i] > 0.0 and not (u[i] >= _SMALLEST and u[i] < np.inf):
            v[i] = (top[i] - bottom[i]) / bottom[i]
            if top[i] > 0.0:
                k[i] = 0.0
                f[i] = math.log(top[i]) - math.log(bottom[i])
                g[i] = 0.0


@kernel
def count_abnormal(u, top):
    """Return how many ratios are no numbers, or no normal ones though they are positive."""
    count = 0
    for i in range(u.size):
        is_abnormal = (top[i] > 0.0) & ((u[i] < _SMALLEST) | (u[i] == np.inf))
        count += np.int64(is_abnormal | (u[i] != u[i]))
    return count


@kernel
def gamma_by_product(u, lanes):
    """Return the sum of u - 1 - log(u), by one logarithm of a product; -1 if that may overflow.

    As `losses.log_of_product`: exponents of the lanes' products are added, mantissas multiplied.
    """
    outside = 0
    for i in range(u.size):
        outside += np.int64(not ((u[i] > _SMALL) & (u[i] < 1.0 / _SMALL)))
    if outside > 0:
        return -1.0
    lanes[:] = 1.0
    for start in range(0, u.size, LANES):
        for j in range(LANES):
            lanes[j] *= u[start + j]
    bits = lanes.view(np.int64)
    exponents = 0
    for j in range(LANES):
        exponents += (bits[j] >> 52) - 1023
        bits[j] = (bits[j] & _MANTISSA) | _ONE
    mantissas = 1.0  # each in [1, 2): their product stays below 2**32
    for j in range(LANES):
        mantissas *= lanes[j]
    lanes[:] = 0.0
    for start in range(0, u.size, LANES):
        for j in range(LANES):
            lanes[j] += u[start + j] - 1.0
    return fold_lanes(lanes, _FIRST) - (exponents * _LN2 + math.log(mantissas))


@kernel
def add(sums, value):
    """Add a value to a sum and its compensation."""
    sums[0], lost = two_sum(sums[0], value)
    sums[1] += lost


@kernel
def add_terms(terms, weights, lanes, sums):
    """Add weighed terms, as many as a multiple of ``LANES``, to a sum and its compensation."""
    lanes[:] = 0.0
    for start in range(0, terms.size, LANES):
        for j in range(LANES):
            lanes[j] += weights[start + j] * terms[start + j]
    add(sums, fold_lanes(lanes, _FIRST))


@kernel
def deviance_sums(y_true, y_pred, n_outputs, output, constant, weights, power, sums):
    """Add the deviances of one output to a sum and its compensation.

    The targets are rows of ``n_outputs`` numbers each, measured from the predictions, or from the
    constant where that is positive. No weights means that each row weighs 1. Returns whether the
    deviance is defined for every row.
    """
    q = 2.0 - power
    split = q * 8193.0
    q_high = split - (split - q)  # the upper 40 bits (Dekker 1971)
    n_rows = y_true.size // n_outputs
    width = min(BLOCK, (n_rows + LANES - 1) // LANES * LANES)
    y = np.ones(width)
    m = np.ones(width)
    weight = np.ones(width)
    ones = np.ones(width)
    u = np.empty(width)
    v = np.empty(width)
    terms = np.empty(width)
    lanes = np.empty(LANES)
    k = np.empty(width)
    f = np.empty(width)
    g = np.empty(width)
    n = np.empty(width)
    r = np.empty(width)
    e = np.empty(width)
    one = np.empty(width)
    other = np.empty(width)
    any_target = power < 1.0
    zero_too = power < 2.0
    good = 0
    for start in range(0, n_rows, width):
        size = min(width, n_rows - start)
        if size < width:
            y[size:] = 1.0
            m[size:] = 1.0
            weight[size:] = 0.0
        if weights.size > 0:
            weight[:size] = weights[start : start + size]
        if n_outputs == 1:
            for i in range(size):
                y[i] = np.float64(y_true[np.uint64(start + i)])
        else:
            for i in range(size):
                y[i] = np.float64(y_true[np.uint64((start + i) * n_outputs + output)])
        if constant > 0.0:
            m[:size] = constant
        elif n_outputs == 1:
            for i in range(size):
                m[i] = np.float64(y_pred[np.uint64(start + i)])
        else:
            for i in range(size):
                m[i] = np.float64(y_pred[np.uint64((start + i) * n_outputs + output)])
        for i in range(size):
            fits = any_target | (y[i] > 0.0) | (zero_too & (y[i] == 0.0))
            good += np.int64(fits & (m[i] > 0.0))
        if power == 2.0 and weights.size == 0:
            for i in range(width):
                u[i] = y[i] / m[i]
            half = gamma_by_product(u, lanes)
            if half >= size * _LOW:
                add(sums, 2.0 * half)
                continue
        if power == 1.5:
            for i in range(width):
                gap = (y[i] - m[i]) / (np.sqrt(y[i]) + np.sqrt(m[i]))  # of the roots
                terms[i] = 2.0 * (gap * gap / np.sqrt(m[i]))
        elif power == 3.0:
            for i in range(width):
                v[i] = (y[i] - m[i]) / m[i]
                terms[i] = 0.5 * (v[i] * v[i] / y[i])
        else:
            for i in range(width):
                inverse = 1.0 / m[i]
                v[i] = (y[i] - m[i]) * inverse
                u[i] = y[i] * inverse
            split_logs(u, k, f, g, v)
            if count_abnormal(u, y) > 0:
                mend_logs(u, v, y, m, k, f, g)
        if power == 1.0:
            for i in range(width):
                gap = y[i] - m[i]
                near = (v[i] > _LEAST) & (v[i] < _MOST)
                far = y[i] * (k[i] * _LN2_HIGH + (f[i] - (g[i] - k[i] * _LN2_LOW))) - gap
                terms[i] = gap * v[i] - y[i] * g[i] if near else far
        elif power == 2.0:
            for i in range(width):
                terms[i] = ((v[i] - f[i]) - k[i] * _LN2_HIGH) + (g[i] - k[i] * _LN2_LOW)
        elif power != 1.5 and power != 3.0:
            split_powers(k, f, g, q, q_high, n, r, e)
            powers_of_two(n, one, other)
            for i in range(width):
                near = (v[i] > _LEAST) & (v[i] < _MOST)
                is_one = n[i] == 0.0  # the power of two
                rise = (one[i] * (1.0 + (r[i] + e[i]))) * other[i] - 1.0
                rise = (r[i] + e[i] if is_one else rise) if y[i] > 0.0 else -1.0
                term = e[i] / q - g[i] if near & is_one else rise / q - v[i]
                terms[i] = term / (q - 1.0)
                v[i] = m[i] - 1.0
            split_logs(m, k, f, g, v)
            if count_abnormal(m, m) > 0:
                mend_logs(m, v, m, ones, k, f, g)
            split_powers(k, f, g, q, q_high, n, r, e)
            powers_of_two(n, one, other)
            for i in range(width):
                terms[i] *= (one[i] * (1.0 + (r[i] + e[i]))) * other[i]
        for i in range(width):
            terms[i] = 2.0 * max(terms[i], 0.0)
        add_terms(terms, weight, lanes, sums)
    return good == n_rows
