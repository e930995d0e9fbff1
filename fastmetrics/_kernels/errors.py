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

import numpy as np

from fastmetrics._kernels._compile import kernel

_U = np.uint64

BLOCK = 1024
LANES = 32

# Columns of the sums of one output; what follows a sum or a mean is the rest that it lost.
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
_FIRST, _SECOND, _THIRD = np.int64(0), np.int64(LANES), np.int64(2 * LANES)
_TARGET, _ERROR = np.int64(TARGET_MEAN), np.int64(ERROR_MEAN)

# What may be asked for beside the rows, the weight, the errors and their squares.
ASK_RELATIVE = 1
ASK_LARGEST = 2
ASK_TARGET = 4
ASK_ERROR = 8

#: The least absolute target that a relative error divides by (2**-52, as in scikit-learn).
EPSILON = 2.220446049250313e-16


@kernel
def error_sums(y_true, y_pred, n_outputs, weights, asked, sums):
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
            block_weight = folded(lanes, _FIRST)
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
            block[0, UNDER] = 0.5 * folded(lanes, _FIRST)
            block[0, OVER] = 0.5 * folded(lanes, _SECOND)
            block[0, SQUARED] = folded(lanes, _THIRD)
            is_sound &= np.isfinite(block[0, UNDER] + block[0, OVER])
            if asked & ASK_RELATIVE:
                for k in range(LANES):
                    lanes[_U(k)] = 0.0
                for base in range(0, padded, LANES):
                    for k in range(LANES):
                        size = max(abs(target[_U(base + k)]), EPSILON)
                        share = abs(error[_U(base + k)]) / size
                        lanes[_U(k)] += weight[_U(base + k)] * share
                block[0, RELATIVE] = folded(lanes, _FIRST)
            if asked & ASK_LARGEST:
                block[0, LARGEST] = largest_weighed(error, weight, padded, lanes)
            if asked & ASK_TARGET and block_weight > 0.0:
                centred(target, weight, padded, block_weight, lanes, block, _TARGET)
            if asked & ASK_ERROR and block_weight > 0.0:
                centred(error, weight, padded, block_weight, lanes, block, _ERROR)
            add_row(sums, j, block, _FIRST)
    return is_sound


@kernel
def folded(lanes, first):
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
def centred(values, weight, size, total, lanes, block, column):
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
    mean = origin + folded(lanes, _FIRST) / total
    for k in range(LANES):
        lanes[_U(k)] = 0.0
    for base in range(0, size, LANES):
        for k in range(LANES):
            x = values[_U(base + k)] - mean
            wx = weight[_U(base + k)] * x
            lanes[_U(k)] += wx
            lanes[_U(k + LANES)] += wx * x
    rest = folded(lanes, _FIRST)
    squares = folded(lanes, _SECOND) - rest * (rest / total)
    block[0, column] = mean
    block[0, column + 1] = rest / total
    block[0, column + 2] = max(squares, 0.0)
    block[0, column + 3] = 0.0


@kernel
def two_sum(a, b):
    """Return a + b and what its rounding lost, exactly (Knuth, TAOCP 2, 4.2.2)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@kernel
def add_row(sums, row, other, other_row):
    """Add a row of sums to another."""
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
            share = theirs / (mine + theirs)
            sums[row, mean], sums[row, mean + 1] = two_sum(
                sums[row, mean], sums[row, mean + 1] + gap * share
            )
            high, low = two_sum(sums[row, squares], other[other_row, squares])
            high, lost = two_sum(high, gap * (gap * share) * mine)
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
