"""Sums of losses, errors and deviances of rows."""

import math
from fractions import Fraction

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics._kernels import errors, hulls, losses as kernels
from reference.hull_oracle import hull_ends

EPS = 2.0**-52


def true_log_loss(labels, scores, eps):
    p = np.clip(scores.astype(np.float64), eps, 1 - eps).tolist()
    return [
        (-math.log(q) if q else math.inf) if y == 1 else (-math.log1p(-q) if q < 1 else math.inf)
        for y, q in zip(labels.tolist(), p, strict=True)
    ]


def test_add_compensates():
    for values in ((1.0, 2.0**-60), (2.0**-60, 1.0), (1.0, 2.0**60), (2.0**60, 3.0), (3.0, 3.0)):
        sums = np.zeros(2)
        for value in values:
            kernels.add(sums, value)
        assert sum(map(Fraction, sums.tolist())) == sum(map(Fraction, values))
        assert sums[0] == sum(values)


def test_add_keeps_infinity():
    sums = np.array([1.0, 2.0**-60])
    for value in (np.inf, 3.0):
        kernels.add(sums, value)
    assert sums.tolist() == [np.inf, 0.0]


@pytest.mark.parametrize("size", [64, 128, 1024])
def test_lane_sum(rng, size):
    terms = rng.random(size) * 10.0 ** rng.integers(-9, 9, size)
    actual = kernels.lane_sum(terms, np.empty(kernels.LANES))
    assert abs(actual - math.fsum(terms)) <= 2.0**-48 * math.fsum(terms)


@pytest.mark.parametrize("size", [64, 128, 1024])
@pytest.mark.parametrize("low", [0.5, 1e-3, EPS])
def test_log_of_product(rng, size, low):
    shares = rng.uniform(low, low * 1.5, size)
    want = -math.fsum(map(math.log, shares))
    actual = kernels.log_of_product(shares, np.empty(kernels.LANES))
    assert abs(actual - want) <= size * 2.0**-52 + 2.0**-50 * want


@pytest.mark.parametrize("share", [0.0, 1e-300])
def test_log_of_product_says_that_it_underflows(share):
    shares = np.full(1024, 0.5)
    shares[5::64] = share
    assert kernels.log_of_product(shares, np.empty(kernels.LANES)) == -1.0


@pytest.mark.parametrize("range_", ["near 1", "unit", "small", "roots", "powers", "tiny"])
def test_take_logs_within_an_ulp(rng, range_):
    """``math.log`` is off by less than an ulp itself: two may lie between."""
    x = {
        "near 1": 1 - rng.random(500) * 10.0 ** -rng.uniform(0, 15, 500),
        "unit": rng.random(500),
        "small": 10.0 ** -rng.uniform(0, 300, 500),
        "roots": np.sqrt(0.5) * (1 + rng.uniform(-1e-9, 1e-9, 500)),
        "powers": 0.5 ** np.arange(60),
        "tiny": np.array([5e-324, 1e-310, 2.0**-1022, 0.0, 1.0, 1 - 2.0**-53]),
    }[range_]
    logs = np.empty_like(x)
    kernels.take_logs(x, logs)
    for share, actual in zip(x.tolist(), logs.tolist(), strict=True):
        want = -math.log(share) if share else math.inf
        assert actual == want or abs(actual - want) <= 2 * math.ulp(want)
        assert math.copysign(1.0, actual) == 1.0


@pytest.mark.pairwise
@pytest.mark.parametrize("label_dtype", [np.int8, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 63, 64, 1500])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1e-2, 1e-9])
def test_binary_log_loss(rng, label_dtype, dtype, n, weighted, scale):
    labels = rng.integers(0, 2, n).astype(label_dtype)
    scores = np.where(labels == 1, 1 - rng.random(n) * scale, rng.random(n) * scale).astype(dtype)
    weights = rng.random(n) * (rng.random(n) < 0.8) if weighted else np.empty(0)
    sums = np.full((3, 2), -1.0)
    counts = np.full(3, -1)
    eps = float(np.finfo(dtype).eps)
    kernels.binary_losses(kernels.LOG, labels, scores, weights, 0, 1, eps, sums, counts)
    want = math.fsum(np.array(true_log_loss(labels, scores, eps)) * (weights if weighted else 1.0))
    assert abs(math.fsum(sums[0]) - want) <= 2.0**-46 * want
    assert counts.tolist() == [np.count_nonzero(labels), n, 0]
    class_sums = [math.fsum(weights[labels == y]) for y in (0, 1)] if weighted else [0.0, 0.0]
    assert [math.fsum(pair) for pair in sums[1:]] == pytest.approx(class_sums, rel=2.0**-48)


@pytest.mark.parametrize("eps", [0.0, 1e-300, 1e-60, 1e-15])
@pytest.mark.parametrize("weights", [np.empty(0), np.arange(300.0)], ids=["plain", "weighted"])
def test_impossible_events(eps, weights):
    labels = np.arange(300, dtype=np.int8) % 2
    scores = np.full(300, 0.5)
    scores[:2] = 1.0, 0.0
    sums = np.empty((3, 2))
    counts = np.empty(3, np.int64)
    kernels.binary_losses(kernels.LOG, labels, scores, weights, 0, 1, eps, sums, counts)
    terms = np.array(true_log_loss(labels, scores, eps))
    if weights.size:  # the first, of weight 0, is not there
        terms = terms[1:] * weights[1:]
    assert math.fsum(sums[0]) == pytest.approx(math.fsum(terms), rel=2.0**-46)


@pytest.mark.parametrize("kind", [kernels.SQUARE, kernels.HINGE])
@pytest.mark.parametrize("n", [1, 64, 1500])
@pytest.mark.parametrize("weighted", [False, True])
def test_binary_squares_and_margins(rng, kind, n, weighted):
    labels = 5 + 2 * rng.integers(0, 2, n)
    scores = rng.random(n) if kind == kernels.SQUARE else rng.normal(0, 2, n)
    weights = rng.random(n) if weighted else np.empty(0)
    sums = np.empty((3, 2))
    counts = np.empty(3, np.int64)
    kernels.binary_losses(kind, labels, scores, weights, 5, 7, 0.0, sums, counts)
    errors = (scores - (labels == 7)) ** 2
    margins = np.maximum(0, 1 - np.where(labels == 7, scores, -scores))
    terms = (errors if kind == kernels.SQUARE else margins) * (weights if weighted else 1.0)
    assert math.fsum(sums[0]) == pytest.approx(math.fsum(terms), rel=2.0**-48)
    assert counts.tolist() == [np.count_nonzero(labels == 7), n, 0]


def test_binary_faults_are_counted():
    labels = np.array([0, 1, 2, -1, 1, 0], dtype=np.int8)
    scores = np.array([0.5, np.nan, -0.1, 1.5, np.inf, 1.0])
    sums = np.empty((3, 2))
    counts = np.empty(3, np.int64)
    with np.errstate(all="ignore"):
        for kind, wrong in ((kernels.LOG, 4), (kernels.SQUARE, 4), (kernels.HINGE, 2)):
            kernels.binary_losses(kind, labels, scores, np.empty(0), 0, 1, EPS, sums, counts)
            assert counts.tolist() == [2, 4, wrong]


def class_terms(kind, codes, scores, eps):
    rows = np.arange(len(codes))
    if kind == kernels.LOG:
        return -np.log(np.clip(scores[rows, codes], eps, 1 - eps))
    if kind == kernels.SQUARE:
        return ((scores - np.eye(scores.shape[1])[codes]) ** 2).sum(axis=1)
    others = scores.copy()
    others[rows, codes] = -np.inf
    return np.maximum(0, 1 - (scores[rows, codes] - others.max(axis=1)))


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", [kernels.LOG, kernels.SQUARE, kernels.HINGE])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "k"), [(1, 2), (1100, 3), (70, 9)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sure", [False, True])
def test_class_losses(rng, kind, dtype, n, k, weighted, sure):
    codes = rng.integers(0, k, n)
    scores = rng.random((n, k)) * (1e-4 if sure else 1.0)
    scores[np.arange(n), codes] += sure
    scores = (scores / scores.sum(axis=1, keepdims=True)).astype(dtype)
    weights = rng.random(n) if weighted else np.empty(0)
    sums = np.empty(2)
    counts = np.empty(3, np.int64)
    rows = np.empty(k, np.int64)
    class_sums = np.empty((k, 2))
    tolerance = 1e-6 if dtype == np.float32 else 1e-12
    kernels.class_losses(
        kind, codes + 4, 4, scores, weights, EPS, tolerance, sums, counts, rows, class_sums
    )
    terms = class_terms(kind, codes, scores.astype(np.float64), EPS)
    terms = terms * (weights if weighted else 1.0)
    assert math.fsum(sums) == pytest.approx(math.fsum(terms), rel=2.0**-45)
    assert counts.tolist() == [n, 0, 0]
    assert rows.tolist() == np.bincount(codes, minlength=k).tolist()
    want = np.bincount(codes, weights, k) if weighted else np.zeros(k)
    np.testing.assert_allclose(class_sums.sum(axis=1), want, rtol=1e-14)


def test_class_faults_are_counted():
    codes = np.array([0, 3, -1, 2, 1])
    scores = np.array([[0.5, 0.5, 0.0]] * 5)
    scores[3] = 0.5, -0.5, 1.0
    scores[4] = 0.5, 0.4, 0.0
    sums = np.empty(2)
    counts = np.empty(3, np.int64)
    arrays = (sums, counts, np.empty(3, np.int64), np.empty((3, 2)))
    kernels.class_losses(kernels.SQUARE, codes, 0, scores, np.ones(5), EPS, 1e-8, *arrays)
    assert counts.tolist() == [3, 1, 1]
    assert arrays[2].tolist() == [1, 1, 1]


def test_class_impossible_events():
    codes = np.array([0, 1])
    scores = np.array([[0.0, 1.0], [0.0, 1.0]])
    sums = np.empty(2)
    counts = np.empty(3, np.int64)
    for weights, want in ((np.empty(0), np.inf), (np.array([0.0, 1.0]), 0.0)):
        arrays = (sums, counts, np.empty(2, np.int64), np.empty((2, 2)))
        kernels.class_losses(kernels.LOG, codes, 0, scores, weights, 0.0, 1e-8, *arrays)
        assert sums[0] == want


@pytest.mark.parametrize("name", ["label_probabilities", "square_terms", "hinge_terms"])
def test_terms_of_rows(name):
    labels = np.array([1, 0, 1, 0])
    scores = np.array([0.25, 0.25, 2.0, -2.0])
    arguments = (labels, scores, 1, 0.125) if name == "label_probabilities" else (labels, scores, 1)
    want = {
        "label_probabilities": [0.25, 0.75, 0.875, 0.875],
        "square_terms": [0.5625, 0.0625, 1.0, 4.0],
        "hinge_terms": [0.75, 1.25, 0.0, 0.0],
    }[name]
    out = np.empty(4)
    getattr(kernels, name)(*arguments, out)
    assert out.tolist() == want


def test_parts_of_rows():
    row = np.array([0.5, 0.25, 0.125, 2.0, 4.0])
    assert kernels.row_total(row) == 6.875
    assert kernels.row_square(row[:3], 1) == 0.25 + 0.5625 + 0.015625
    assert [kernels.row_hinge(row, code) for code in (0, 4)] == [4.5, 0.0]
    assert [kernels.row_hinge(-row, code) for code in (0, 4)] == [1.375, 4.875]


def test_small_steps():
    labels = np.array([1, 0, 1, 2])
    weights = np.array([0.5, 0.0, 2.0, 1.0])
    assert kernels.count_labels(labels, 0, 1) == (2, 3)
    assert kernels.count_faults(np.array([0.0, 1.0, -0.5, 1.5]), kernels.LOG) == 2
    assert kernels.count_faults(np.array([0.0, 1e300]), kernels.HINGE) == 0
    terms = np.array([4.0, np.inf, 1.0, 3.0])
    kernels.weigh(terms, weights)
    assert terms.tolist() == [2.0, 0.0, 2.0, 3.0]
    kernels.weights_of_class(labels, weights, 1, terms)
    assert terms.tolist() == [0.5, 0.0, 2.0, 0.0]
    logs = np.zeros(2)
    kernels.restore_complements(np.array([0, 1]), np.array([1e-20, 1e-20]), 1, 0.0, logs)
    assert logs.tolist() == [1e-20, 0.0]


EVERYTHING = errors.ASK_RELATIVE | errors.ASK_LARGEST | errors.ASK_TARGET | errors.ASK_ERROR
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
    actual = {
        errors.WEIGHT: total,
        errors.UNDER: sum(c * max(e, 0) for _, e, c in rows),
        errors.OVER: sum(c * max(-e, 0) for _, e, c in rows),
        errors.SQUARED: sum(c * e * e for _, e, c in rows),
        # Exact quotients would have no common denominator: rounded ones are within the bound.
        errors.RELATIVE: sum(
            c * Fraction(abs(float(e)) / max(abs(float(a)), errors.EPSILON)) for a, e, c in rows
        ),
    }
    for column, i in ((errors.TARGET_MEAN, 0), (errors.ERROR_MEAN, 1)):
        mean = sum(row[2] * row[i] for row in rows) / total
        actual[column] = mean
        actual[column + 2] = sum(row[2] * (row[i] - mean) ** 2 for row in rows)
    return actual


def check(sums: np.ndarray, y: np.ndarray, p: np.ndarray, w: np.ndarray) -> None:
    assert sums[errors.ROWS] == len(y)
    for column, right in exact(y, p, w).items():
        mean = column in (errors.TARGET_MEAN, errors.ERROR_MEAN)
        # A mean of two signs is as good as the mean of the absolute values.
        spread = float(np.average(np.abs(y), weights=w)) if mean else float(right)
        assert abs(float(read(sums, column) - right)) <= BOUND * spread, column
    there = w > 0
    assert sums[errors.LARGEST] == np.abs(y[there] - p[there]).max()


@pytest.mark.pairwise
@pytest.mark.parametrize("n", [1, 2, 31, 33, 1024, 1025, 3000])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_one_output(rng, n, weighted):
    y = rng.normal(3.0, 1.0, n)
    p = y + rng.normal(0.1, 1.0, n)
    w = rng.random(n) * (rng.random(n) > 0.2) + (np.arange(n) == 0) if weighted else np.ones(n)
    sums = np.zeros((1, errors.N_SUMS))
    assert errors.error_sums(y, p, 1, w if weighted else NO_WEIGHTS, EVERYTHING, sums)
    check(sums[0], y, p, w)


@pytest.mark.parametrize("weighted", [False, True])
def test_outputs_are_summed_apart(rng, weighted):
    y, p = rng.normal(size=(2, 1100, 3))
    w = rng.integers(0, 3, 1100).astype(np.float64) if weighted else np.ones(1100)
    sums = np.zeros((3, errors.N_SUMS))
    assert errors.error_sums(
        y.ravel(), p.ravel(), 3, w if weighted else NO_WEIGHTS, EVERYTHING, sums
    )
    for j in range(3):
        check(sums[j], y[:, j].copy(), p[:, j].copy(), w)


def test_centred_sums_far_from_zero_keep_their_digits(rng):
    y = 1e9 + rng.normal(size=2500)
    y[0] = 0.5  # far from the rest: no good origin
    p = y + 1e6 + rng.normal(size=2500)
    sums = np.zeros((1, errors.N_SUMS))
    assert errors.error_sums(y, p, 1, NO_WEIGHTS, EVERYTHING, sums)
    right = exact(y, p, np.ones(2500))
    for column in (errors.TARGET_SQUARES, errors.ERROR_SQUARES):
        assert float(read(sums[0], column) / right[column] - 1) == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize("value", [0.1, 1e9 + 0.1, -1e-300])
def test_constant_numbers_have_no_variance(value):
    y = np.full(1500, value)
    w = np.linspace(0.0, 1.0, 1500)
    sums = np.zeros((1, errors.N_SUMS))
    assert errors.error_sums(y, np.zeros(1500), 1, w, EVERYTHING, sums)
    for column in (errors.TARGET_MEAN, errors.ERROR_MEAN):
        assert sums[0, column : column + 4].tolist() == [value, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("asked", [0, 1, 2, 4, 8])
def test_only_what_is_asked_for_is_summed(rng, asked):
    y, p = rng.normal(size=(2, 100)) + 3
    sums = np.zeros((1, errors.N_SUMS))
    errors.error_sums(y, p, 1, NO_WEIGHTS, asked, sums)
    columns = {
        errors.ASK_RELATIVE: errors.RELATIVE,
        errors.ASK_LARGEST: errors.LARGEST,
        errors.ASK_TARGET: errors.TARGET_SQUARES,
        errors.ASK_ERROR: errors.ERROR_SQUARES,
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
                assert not errors.error_sums(*columns, 1, weights, 0, np.zeros((1, errors.N_SUMS)))


def test_rows_without_weight_leave_only_their_number():
    sums = np.zeros((1, errors.N_SUMS))
    y = np.arange(40.0)
    assert errors.error_sums(y, y + 1, 1, np.zeros(40), EVERYTHING, sums)
    assert sums[0, errors.ROWS] == 40
    assert not sums[0, 1:].any()


@pytest.mark.parametrize("cut", [0, 1, 140, 299])
def test_merged_parts_are_the_whole(rng, cut):
    y = 1e9 + rng.normal(size=(300, 2))
    p = y + rng.normal(size=(300, 2))
    w = rng.random(300)
    w[:1] = 0.0  # a part of no weight
    parts = np.zeros((2, 2, errors.N_SUMS))
    for part, rows in zip(parts, (slice(cut), slice(cut, None)), strict=True):
        if len(y[rows]):
            errors.error_sums(y[rows].ravel(), p[rows].ravel(), 2, w[rows], EVERYTHING, part)
    for into, other in ((0, 1), (1, 0)):
        merged = parts[into].copy()
        errors.merge_error_sums(merged, parts[other])
        for j in range(2):
            check(merged[j], y[:, j].copy(), p[:, j].copy(), w)


@pytest.mark.parametrize(("a", "b"), [(1.0, 2.0**-60), (2.0**-60, 1.0), (0.1, 0.2), (1e16, -1.5)])
def test_two_sum_loses_nothing(a, b):
    total, rest = errors.two_sum(a, b)
    assert total == a + b
    assert Fraction(total) + Fraction(rest) == Fraction(a) + Fraction(b)


def test_folded():
    lanes = np.arange(3.0 * errors.LANES)
    right = lanes[errors.LANES : 2 * errors.LANES].sum()
    assert errors.fold_lanes(lanes, errors.LANES) == right


def test_largest_weighed(rng):
    error = rng.normal(size=64)
    weight = rng.integers(0, 2, 64).astype(np.float64)
    actual = errors.largest_weighed(error, weight, 64, np.empty(errors.LANES))
    assert actual == np.abs(error[weight > 0]).max()


def test_centred(rng):
    values = 1e9 + rng.normal(size=64)
    weight = rng.random(64)
    weight[0] = 0.0
    block = np.zeros((1, errors.N_SUMS))
    total = weight.sum()
    lanes = np.empty(2 * errors.LANES)
    errors.center_block(values, weight, 64, total, lanes, block, errors.TARGET_MEAN)
    right = exact(values, values, weight)
    for column in (errors.TARGET_MEAN, errors.TARGET_SQUARES):
        assert float(read(block[0], column) / right[column] - 1) == pytest.approx(0, abs=1e-14)


def test_a_row_of_sums_is_added_to_the_one_named(rng):
    y = rng.normal(size=200)
    parts = np.zeros((2, errors.N_SUMS))
    for row, piece in zip(parts, (y[:80], y[80:]), strict=True):
        errors.error_sums(piece, piece + 1, 1, NO_WEIGHTS, EVERYTHING, row[None])
    sums = np.zeros((3, errors.N_SUMS))
    for row in (0, 1):
        errors.add_row(sums, 2, parts, row)
    assert not sums[:2].any()
    check(sums[2], y, y + 1, np.ones(200))


def test_an_overflow_warns_once():
    """Also where kernels are plain Python, of which NumPy would warn."""
    huge = np.array([1e300, -1e300])
    with pytest.warns(fm.UndefinedMetricWarning, match="exceeds the range of float64") as said:
        assert fm.mean_squared_error(huge, -huge) == math.inf
    assert len(said) == 1


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_terms_of_rows_logits(rng, dtype):
    p = np.append(rng.random(50), [1e-12, 1 - 1e-12, 0.5])
    n = len(p)
    ones, zeros, a, b = rng.integers(0, 4, (4, n)).astype(dtype)
    x = np.empty(n)
    terms = np.empty((5, n))
    kernels.terms_of_rows(p, np.log(p), np.log(1 - p), ones, zeros, a, b, x, terms)
    np.testing.assert_allclose(x, np.log(p) - np.log1p(-p), rtol=1e-14, atol=1e-15)
    right = [
        ones * (1 - p) ** 2 + zeros * p**2,
        -ones * np.log(p) - zeros * np.log1p(-p),
        (ones + zeros) * p,
        (ones - (ones + zeros) * p) * (1 - 2 * p),
        (a + b) * (1 - 2 * p) ** 2 * p * (1 - p),
    ]
    np.testing.assert_allclose(terms, right, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("width", [1e-300, 0.1, 100.0])
@pytest.mark.parametrize("n", [1, 2, 200])
def test_moments_of_runs(rng, dtype, width, n):
    x = np.sort(rng.normal(0, 2, n))[::-1].copy()
    ones, zeros = rng.integers(0, 4, (2, n)).astype(dtype)
    starts = np.full(n, np.nan)
    moments = np.full((n, kernels.MOMENTS), np.nan)
    count = kernels.moments_of_runs(x, ones, zeros, width, starts, moments)
    first = np.inf
    runs = []
    for i in range(n):
        if not x[i] - first >= -width:
            first = x[i]
            runs.append([])
        runs[-1].append(i)
    assert count == len(runs)
    assert starts[:count].tolist() == [x[rows[0]] for rows in runs]
    for rows, actual in zip(runs, moments, strict=False):
        weights = (ones + zeros)[rows]
        distance = x[rows] - x[rows[0]]
        right = [(weights * distance**k).sum() / math.factorial(k) for k in range(6)]
        right += [(ones[rows] * distance**k).sum() for k in range(2)]
        np.testing.assert_allclose(actual, right, rtol=1e-12, atol=1e-300)
    assert np.isnan(starts[count:]).all()


@pytest.mark.parametrize("n_blocks", [1, 7, 40])
def test_squares_lost(rng, n_blocks):
    """Row by row, squared errors of its probability less those of its block's proportion."""
    p = rng.integers(0, 9, 40) / 8
    rows = rng.integers(1, 5, 40)
    positives = rng.integers(0, rows + 1)
    ends = np.append(np.sort(rng.choice(39, n_blocks - 1, replace=False)), 39)
    shares = rng.integers(0, 9, n_blocks) / 8  # eighths: all is exact
    lost = np.empty(40)
    hulls.squares_lost(p, rows, positives, ends, shares, lost)
    share = np.repeat(shares, np.diff(ends, prepend=-1))
    negatives = rows - positives
    both = [positives * (1 - one) ** 2 + negatives * one**2 for one in (p, share)]
    assert lost.tolist() == (both[0] - both[1]).tolist()


def pooled(kernel, positives, negatives, *more):
    columns = np.full(len(positives), -7), np.empty_like(positives), np.empty_like(positives)
    count = kernel(positives, negatives, *columns, *more)
    return [column[:count].tolist() for column in columns]


def rows(rng, n, high):
    positives = rng.integers(0, high, n)
    negatives = rng.integers(0, high, n)
    return positives, negatives + ((positives + negatives) == 0)


def expected(positives, negatives):
    ends = hull_ends(positives.tolist(), negatives.tolist())
    starts = [0, *(end + 1 for end in ends[:-1])]
    return [ends, *(np.add.reduceat(column, starts).tolist() for column in (positives, negatives))]


@pytest.mark.parametrize("n", [1, 2, 3, 64, 65, 200, 700])
@pytest.mark.parametrize("high", [2, 5])
def test_upper_hull(rng, n, high):
    for _ in range(3):
        positives, negatives = rows(rng, n, high)
        assert pooled(hulls.upper_hull, positives, negatives) == expected(positives, negatives)


def test_upper_hull_of_curves_that_bend_either_way():
    rising = np.arange(1, 301)
    convex = pooled(hulls.upper_hull, rising, rising[::-1].copy())
    assert convex == [[299], [rising.sum()], [rising.sum()]]
    concave = pooled(hulls.upper_hull, rising[::-1].copy(), rising)
    assert concave == [list(range(300)), rising[::-1].tolist(), rising.tolist()]


@pytest.mark.parametrize("n", [1, 2, 3, 200])
def test_upper_hull_of_weights(rng, n):
    positives, negatives = rows(rng, n, 5)
    actual = pooled(hulls.upper_hull_of_weights, positives * 0.1, negatives * 0.1, 1.0 + 2.0**-40)
    want = expected(positives, negatives)
    assert actual[0] == want[0]
    np.testing.assert_allclose(actual[1:], np.array(want[1:]) * 0.1, rtol=1e-12)


def test_sums_of_blocks(rng):
    weights = rng.random(500) * 10.0 ** rng.integers(-9, 9, 500)
    ends = np.array([0, 3, 250, 499])
    sums = np.full(4, -1.0)
    hulls.sums_of_blocks(weights, ends, sums)
    exact = [
        float(sum(map(Fraction, weights[a : b + 1].tolist())))
        for a, b in zip([0, 1, 4, 251], ends.tolist(), strict=True)
    ]
    np.testing.assert_allclose(sums, exact, rtol=2**-52)
