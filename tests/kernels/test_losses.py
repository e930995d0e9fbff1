"""Sums of losses, by NumPy or exact sums."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fastmetrics._kernels import losses as kernels

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
    found = kernels.lane_sum(terms, np.empty(kernels.LANES))
    assert abs(found - math.fsum(terms)) <= 2.0**-48 * math.fsum(terms)


@pytest.mark.parametrize("size", [64, 128, 1024])
@pytest.mark.parametrize("low", [0.5, 1e-3, EPS])
def test_log_of_product(rng, size, low):
    shares = rng.uniform(low, low * 1.5, size)
    want = -math.fsum(map(math.log, shares))
    found = kernels.log_of_product(shares, np.empty(kernels.LANES))
    assert abs(found - want) <= size * 2.0**-52 + 2.0**-50 * want


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
    for share, found in zip(x.tolist(), logs.tolist(), strict=True):
        want = -math.log(share) if share else math.inf
        assert found == want or abs(found - want) <= 2 * math.ulp(want)
        assert math.copysign(1.0, found) == 1.0


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
    sums, counts = np.full((3, 2), -1.0), np.full(3, -1)
    eps = float(np.finfo(dtype).eps)
    kernels.binary_losses(kernels.LOG, labels, scores, weights, 0, 1, eps, sums, counts)
    terms = np.array(true_log_loss(labels, scores, eps)) * (weights if weighted else 1.0)
    want = math.fsum(terms)
    assert abs(math.fsum(sums[0]) - want) <= 2.0**-46 * want
    assert counts.tolist() == [np.count_nonzero(labels), n, 0]
    of_class = [math.fsum(weights[labels == y]) for y in (0, 1)] if weighted else [0.0, 0.0]
    assert [math.fsum(pair) for pair in sums[1:]] == pytest.approx(of_class, rel=2.0**-48)


@pytest.mark.parametrize("eps", [0.0, 1e-300, 1e-60, 1e-15])
@pytest.mark.parametrize("weights", [np.empty(0), np.arange(300.0)], ids=["plain", "weighted"])
def test_impossible_events(eps, weights):
    labels = np.arange(300, dtype=np.int8) % 2
    scores = np.full(300, 0.5)
    scores[:2] = 1.0, 0.0
    sums, counts = np.empty((3, 2)), np.empty(3, np.int64)
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
    sums, counts = np.empty((3, 2)), np.empty(3, np.int64)
    kernels.binary_losses(kind, labels, scores, weights, 5, 7, 0.0, sums, counts)
    errors = (scores - (labels == 7)) ** 2
    margins = np.maximum(0, 1 - np.where(labels == 7, scores, -scores))
    terms = (errors if kind == kernels.SQUARE else margins) * (weights if weighted else 1.0)
    assert math.fsum(sums[0]) == pytest.approx(math.fsum(terms), rel=2.0**-48)
    assert counts.tolist() == [np.count_nonzero(labels == 7), n, 0]


def test_binary_faults_are_counted():
    labels = np.array([0, 1, 2, -1, 1, 0], dtype=np.int8)
    scores = np.array([0.5, np.nan, -0.1, 1.5, np.inf, 1.0])
    sums, counts = np.empty((3, 2)), np.empty(3, np.int64)
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
    sums, counts = np.empty(2), np.empty(3, np.int64)
    rows, of_class = np.empty(k, np.int64), np.empty((k, 2))
    tolerance = 1e-6 if dtype == np.float32 else 1e-12
    kernels.class_losses(
        *(kind, codes + 4, 4, scores, weights, EPS, tolerance, sums, counts, rows, of_class)
    )
    terms = class_terms(kind, codes, scores.astype(np.float64), EPS)
    terms = terms * (weights if weighted else 1.0)
    assert math.fsum(sums) == pytest.approx(math.fsum(terms), rel=2.0**-45)
    assert counts.tolist() == [n, 0, 0]
    assert rows.tolist() == np.bincount(codes, minlength=k).tolist()
    want = np.bincount(codes, weights, k) if weighted else np.zeros(k)
    np.testing.assert_allclose(of_class.sum(axis=1), want, rtol=1e-14)


def test_class_faults_are_counted():
    codes = np.array([0, 3, -1, 2, 1])
    scores = np.array([[0.5, 0.5, 0.0]] * 5)
    scores[3] = 0.5, -0.5, 1.0
    scores[4] = 0.5, 0.4, 0.0
    sums, counts = np.empty(2), np.empty(3, np.int64)
    arrays = (sums, counts, np.empty(3, np.int64), np.empty((3, 2)))
    kernels.class_losses(kernels.SQUARE, codes, 0, scores, np.ones(5), EPS, 1e-8, *arrays)
    assert counts.tolist() == [3, 1, 1]
    assert arrays[2].tolist() == [1, 1, 1]


def test_class_impossible_events():
    codes, scores = np.array([0, 1]), np.array([[0.0, 1.0], [0.0, 1.0]])
    sums, counts = np.empty(2), np.empty(3, np.int64)
    for weights, want in ((np.empty(0), np.inf), (np.array([0.0, 1.0]), 0.0)):
        arrays = (sums, counts, np.empty(2, np.int64), np.empty((2, 2)))
        kernels.class_losses(kernels.LOG, codes, 0, scores, weights, 0.0, 1e-8, *arrays)
        assert sums[0] == want


@pytest.mark.parametrize("name", ["shares_of_labels", "square_terms", "hinge_terms"])
def test_terms_of_rows(name):
    labels, scores = np.array([1, 0, 1, 0]), np.array([0.25, 0.25, 2.0, -2.0])
    arguments = (labels, scores, 1, 0.125) if name == "shares_of_labels" else (labels, scores, 1)
    want = {
        "shares_of_labels": [0.25, 0.75, 0.875, 0.875],
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
    labels, weights = np.array([1, 0, 1, 2]), np.array([0.5, 0.0, 2.0, 1.0])
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
