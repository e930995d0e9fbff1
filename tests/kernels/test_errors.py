"""The sums over errors, against exact sums of the same numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics._kernels import errors as kernels

EVERYTHING = kernels.ASK_RELATIVE | kernels.ASK_LARGEST | kernels.ASK_TARGET | kernels.ASK_ERROR
NO_WEIGHTS = np.empty(0)
#: What the module promises of sums of one sign.
BOUND = 48 * 2.0**-53


def read(sums: np.ndarray, column: int) -> Fraction:
    return Fraction(sums[column].item()) + Fraction(sums[column + 1].item())


def exact(y: np.ndarray, p: np.ndarray, w: np.ndarray) -> dict[int, Fraction]:
    """Return every sum of one output in rational numbers, errors rounded as in float64."""
    rows = [
        (Fraction(a), Fraction(a - b), Fraction(c))
        for a, b, c in zip(y.tolist(), p.tolist(), w.tolist(), strict=True)
    ]
    total = sum(c for *_, c in rows)
    found = {
        kernels.WEIGHT: total,
        kernels.UNDER: sum(c * max(e, 0) for _, e, c in rows),
        kernels.OVER: sum(c * max(-e, 0) for _, e, c in rows),
        kernels.SQUARED: sum(c * e * e for _, e, c in rows),
        # Exact quotients would have no common denominator: rounded ones are within the bound.
        kernels.RELATIVE: sum(
            c * Fraction(abs(float(e)) / max(abs(float(a)), kernels.EPSILON)) for a, e, c in rows
        ),
    }
    for column, i in ((kernels.TARGET_MEAN, 0), (kernels.ERROR_MEAN, 1)):
        mean = sum(row[2] * row[i] for row in rows) / total
        found[column] = mean
        found[column + 2] = sum(row[2] * (row[i] - mean) ** 2 for row in rows)
    return found


def check(sums: np.ndarray, y: np.ndarray, p: np.ndarray, w: np.ndarray) -> None:
    assert sums[kernels.ROWS] == len(y)
    for column, right in exact(y, p, w).items():
        mean = column in (kernels.TARGET_MEAN, kernels.ERROR_MEAN)
        # A mean of two signs is as good as the mean of the absolute values.
        spread = float(np.average(np.abs(y), weights=w)) if mean else float(right)
        assert abs(float(read(sums, column) - right)) <= BOUND * spread, column
    there = w > 0
    assert sums[kernels.LARGEST] == np.abs(y[there] - p[there]).max()


@pytest.mark.pairwise
@pytest.mark.parametrize("n", [1, 2, 31, 33, 1024, 1025, 3000])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_one_output(rng, n, weighted):
    y = rng.normal(3.0, 1.0, n)
    p = y + rng.normal(0.1, 1.0, n)
    w = rng.random(n) * (rng.random(n) > 0.2) + (np.arange(n) == 0) if weighted else np.ones(n)
    sums = np.zeros((1, kernels.N_SUMS))
    assert kernels.error_sums(y, p, 1, w if weighted else NO_WEIGHTS, EVERYTHING, sums)
    check(sums[0], y, p, w)


@pytest.mark.parametrize("weighted", [False, True])
def test_outputs_are_summed_apart(rng, weighted):
    y, p = rng.normal(size=(2, 1100, 3))
    w = rng.integers(0, 3, 1100).astype(np.float64) if weighted else np.ones(1100)
    sums = np.zeros((3, kernels.N_SUMS))
    assert kernels.error_sums(
        y.ravel(), p.ravel(), 3, w if weighted else NO_WEIGHTS, EVERYTHING, sums
    )
    for j in range(3):
        check(sums[j], y[:, j].copy(), p[:, j].copy(), w)


def test_centred_sums_far_from_zero_keep_their_digits(rng):
    y = 1e9 + rng.normal(size=2500)
    y[0] = 0.5  # far from the rest: no good origin
    p = y + 1e6 + rng.normal(size=2500)
    sums = np.zeros((1, kernels.N_SUMS))
    assert kernels.error_sums(y, p, 1, NO_WEIGHTS, EVERYTHING, sums)
    right = exact(y, p, np.ones(2500))
    for column in (kernels.TARGET_SQUARES, kernels.ERROR_SQUARES):
        assert float(read(sums[0], column) / right[column] - 1) == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize("value", [0.1, 1e9 + 0.1, -1e-300])
def test_constant_numbers_have_no_variance(value):
    y = np.full(1500, value)
    w = np.linspace(0.0, 1.0, 1500)
    sums = np.zeros((1, kernels.N_SUMS))
    assert kernels.error_sums(y, np.zeros(1500), 1, w, EVERYTHING, sums)
    for column in (kernels.TARGET_MEAN, kernels.ERROR_MEAN):
        assert sums[0, column : column + 4].tolist() == [value, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("asked", [0, 1, 2, 4, 8])
def test_only_what_is_asked_for_is_summed(rng, asked):
    y, p = rng.normal(size=(2, 100)) + 3
    sums = np.zeros((1, kernels.N_SUMS))
    kernels.error_sums(y, p, 1, NO_WEIGHTS, asked, sums)
    columns = {
        kernels.ASK_RELATIVE: kernels.RELATIVE,
        kernels.ASK_LARGEST: kernels.LARGEST,
        kernels.ASK_TARGET: kernels.TARGET_SQUARES,
        kernels.ASK_ERROR: kernels.ERROR_SQUARES,
    }
    assert {bit for bit, column in columns.items() if sums[0, column] > 0} == {asked} - {0}


@pytest.mark.pairwise
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [0, 1023, 1024, 2099])
def test_what_is_not_finite_is_found_wherever_it_is(bad, at):
    for which in (0, 1):
        columns = np.zeros((2, 2100))
        columns[which, at] = bad
        w = np.ones(2100)
        w[at] = 0.0
        for weights in (NO_WEIGHTS, w):
            with np.errstate(all="ignore"):
                assert not kernels.error_sums(
                    *columns, 1, weights, 0, np.zeros((1, kernels.N_SUMS))
                )


def test_rows_without_weight_leave_only_their_number():
    sums = np.zeros((1, kernels.N_SUMS))
    y = np.arange(40.0)
    assert kernels.error_sums(y, y + 1, 1, np.zeros(40), EVERYTHING, sums)
    assert sums[0, kernels.ROWS] == 40
    assert not sums[0, 1:].any()


@pytest.mark.parametrize("cut", [0, 1, 140, 299])
def test_merged_parts_are_the_whole(rng, cut):
    y = 1e9 + rng.normal(size=(300, 2))
    p = y + rng.normal(size=(300, 2))
    w = rng.random(300)
    w[:1] = 0.0  # a part of no weight
    parts = np.zeros((2, 2, kernels.N_SUMS))
    for part, rows in zip(parts, (slice(cut), slice(cut, None)), strict=True):
        if len(y[rows]):
            kernels.error_sums(y[rows].ravel(), p[rows].ravel(), 2, w[rows], EVERYTHING, part)
    for into, other in ((0, 1), (1, 0)):
        merged = parts[into].copy()
        kernels.merge_error_sums(merged, parts[other])
        for j in range(2):
            check(merged[j], y[:, j].copy(), p[:, j].copy(), w)


@pytest.mark.parametrize(("a", "b"), [(1.0, 2.0**-60), (2.0**-60, 1.0), (0.1, 0.2), (1e16, -1.5)])
def test_two_sum_loses_nothing(a, b):
    total, rest = kernels.two_sum(a, b)
    assert total == a + b
    assert Fraction(total) + Fraction(rest) == Fraction(a) + Fraction(b)


def test_folded():
    lanes = np.arange(3.0 * kernels.LANES)
    right = lanes[kernels.LANES : 2 * kernels.LANES].sum()
    assert kernels.folded(lanes, kernels.LANES) == right


def test_largest_weighed(rng):
    error, weight = rng.normal(size=64), rng.integers(0, 2, 64).astype(np.float64)
    found = kernels.largest_weighed(error, weight, 64, np.empty(kernels.LANES))
    assert found == np.abs(error[weight > 0]).max()


def test_centred(rng):
    values, weight = 1e9 + rng.normal(size=64), rng.random(64)
    weight[0] = 0.0
    block = np.zeros((1, kernels.N_SUMS))
    total = weight.sum()
    lanes = np.empty(2 * kernels.LANES)
    kernels.centred(values, weight, 64, total, lanes, block, kernels.TARGET_MEAN)
    right = exact(values, values, weight)
    for column in (kernels.TARGET_MEAN, kernels.TARGET_SQUARES):
        assert float(read(block[0], column) / right[column] - 1) == pytest.approx(0, abs=1e-14)


def test_a_row_of_sums_is_added_to_the_one_named(rng):
    y = rng.normal(size=200)
    parts = np.zeros((2, kernels.N_SUMS))
    for row, piece in zip(parts, (y[:80], y[80:]), strict=True):
        kernels.error_sums(piece, piece + 1, 1, NO_WEIGHTS, EVERYTHING, row[None])
    sums = np.zeros((3, kernels.N_SUMS))
    for row in (0, 1):
        kernels.add_row(sums, 2, parts, row)
    assert not sums[:2].any()
    check(sums[2], y, y + 1, np.ones(200))


def test_an_overflow_warns_once():
    """Also where kernels are plain Python, of which NumPy would warn."""
    huge = np.array([1e300, -1e300])
    with pytest.warns(fm.UndefinedMetricWarning, match="exceeds the range of float64") as said:
        assert fm.mean_squared_error(huge, -huge) == math.inf
    assert len(said) == 1
