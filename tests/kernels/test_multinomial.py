"""The distribution of what is drawn: chi-square against scipy's probabilities, and moments.

Keys are fixed, so a test passes or fails for good. Plain Python, which draws the same
(`test_resampling`), draws fewer numbers.
"""

import math

import numpy as np
import pytest
from kernel_forms import IS_COMPILED, totals_of
from scipy import stats

from fastmetrics._kernels import resampling as kernels

WINDOW = kernels.WINDOW
KEY = np.array([1_999_999_973, 602_214_076], np.uint64)
#: Below this a p-value is no accident; so is a standardised difference above the other.
LEAST_P, MOST_Z = 1e-4, 4.5


def binomials(n, p, count, *, block=0):
    """Return draws from one stream of each of ten replicates."""
    streams = np.array([[0, block, replicate, kernels.TOTALS] for replicate in range(10)])
    words, sizes = np.zeros((10, 16), np.uint64), np.full(10, n, np.int64)
    drawn = np.empty((count // 10, 10), np.int64)
    for row in drawn:
        kernels.binomials(sizes, p, KEY, streams, words, row)
    return drawn.ravel()


def many(few, count):
    """Return how many draws there is time for."""
    return count if IS_COMPILED else few


def assert_frequencies(observed, expected):
    """Test by chi-square; classes that expect fewer than five are one class."""
    small = expected < 5
    while 0 < expected[small].sum() < 5 and not small.all():
        small[np.flatnonzero(~small)[expected[~small].argmin()]] = True
    observed = np.append(observed[~small], observed[small].sum())
    expected = np.append(expected[~small], expected[small].sum())
    assert (observed[expected == 0] == 0).all()
    observed, expected = observed[expected > 0], expected[expected > 0]
    if len(observed) > 1:
        assert (
            stats.chisquare(observed, expected * (observed.sum() / expected.sum())).pvalue > LEAST_P
        )


def assert_distributed(drawn, distribution):
    """Test by chi-square over classes of about equal probability, and by two moments."""
    drawn = np.asarray(drawn).ravel()
    n = drawn.size
    n_classes = min(60, n // 40)
    cuts = np.unique(distribution.ppf(np.arange(1, n_classes) / n_classes))
    shares = np.diff(np.concatenate(([0.0], distribution.cdf(cuts), [1.0])))
    classes = np.bincount(np.searchsorted(cuts, drawn, side="left"), minlength=len(cuts) + 1)
    assert_frequencies(classes, shares * n)
    mean, variance, kurtosis = (float(v) for v in distribution.stats("mvk"))
    assert abs(drawn.mean() - mean) <= MOST_Z * math.sqrt(variance / n)
    spread = variance * math.sqrt((kurtosis + 2) / n)
    assert abs(((drawn - mean) ** 2).mean() - variance) <= MOST_Z * spread


@pytest.mark.parametrize(
    ("n", "p"),
    [
        *[(1, 0.5), (1, 0.03), (7, 0.2), (19, 0.5), (30, 0.3), (300, 0.01)],  # inversion
        *[(10**6, 2e-6), (10**12, 5e-12), (4097, 1 / 4097)],
        *[(20, 0.5), (25, 0.4), (110, 0.1), (1000, 0.010001), (10**6, 1.1e-5)],  # BTRS
        *[(4096, 0.25), (10**6, 0.3), (10**6, 0.5), (10**12, 1e-9), (10**12, 4096e-12)],
        *[(40, 0.9), (40, 0.6), (10**6, 0.999999), (10**6, 0.7), (10**12, 1 - 1e-9)],  # mirrored
    ],
)
def test_binomial(n, p):
    drawn = binomials(n, p, many(2_000, 30_000))
    assert drawn.min() >= 0
    assert drawn.max() <= n
    assert_distributed(drawn, stats.binom(n, p))


@pytest.mark.parametrize(("n", "p", "mean"), [(10**6, 0.3, 3e5), (10**12, 0.5, 5e11)])
def test_binomial_of_many_against_the_normal(n, p, mean):
    """By Kolmogorov and Smirnov: the steps are far finer than what the test sees."""
    drawn = binomials(n, p, many(2_000, 30_000), block=1)
    scaled = (drawn - mean) / math.sqrt(mean * (1 - p))
    assert stats.kstest(scaled, "norm").pvalue > LEAST_P


def test_binomial_at_the_ends():
    for n, p, only in [(0, 0.5, 0), (9, 0.0, 0), (9, 1.0, 9), (9, 1.5, 9), (-1, 0.5, 0)]:
        assert (binomials(n, p, 10) == only).all()
    near = binomials(5, 1e-300, 50)
    assert not near.any()
    assert (binomials(5, 1 - 2**-53, 50) == 5).all()


def drawn_totals(sizes, count, stratum=0):
    return totals_of(KEY, 0, count, stratum, sizes)


def assert_covariances(drawn, means, covariance):
    """Compare all second moments about the true means, each by its own standard error."""
    away = drawn - np.asarray(means)
    for i in range(away.shape[1]):
        for j in range(i + 1):
            products = away[:, i] * away[:, j]
            error = products.std() / math.sqrt(len(products))
            assert abs(products.mean() - covariance[i][j]) <= MOST_Z * error + 1e-12, (i, j)


SIZES = [[1, 1, 1], [3, 2, 1, 4], [40, 1, 7, 2, 50], [4096, 4096, 4096, 1808], [10**6, 5, 10**5]]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_totals_are_multinomial(sizes):
    count = many(500, 20_000)
    drawn = drawn_totals(sizes, count)
    n = sum(sizes)
    shares = np.array(sizes) / n
    assert (drawn.sum(axis=1) == n).all()
    for cell, share in enumerate(shares):
        assert_distributed(drawn[:, cell], stats.binom(n, share))
    assert_covariances(drawn, n * shares, n * (np.diag(shares) - np.outer(shares, shares)))


LARGE = [[10, 10], [30, 70], [7, 13], [12, 4085], [4096, 8192], [300_000, 700_000]]


@pytest.mark.skipif(not IS_COMPILED, reason="compiled code alone draws so many quickly")
@pytest.mark.parametrize("sizes", LARGE, ids=str)
def test_many_totals(sizes):
    """Enough to see a constant of the rejection that is slightly wrong."""
    drawn = drawn_totals(sizes, 400_000, stratum=2)[:, 0]
    n = sum(sizes)
    assert_distributed(drawn, stats.binom(n, sizes[0] / n))


@pytest.mark.parametrize("sizes", [[1, 1, 1], [3, 2, 1, 4]], ids=str)
def test_whole_tables_are_multinomial(sizes):
    """Chi-square over every possible outcome at once."""
    count = many(600, 20_000)
    drawn = drawn_totals(sizes, count, stratum=1)
    n = sum(sizes)
    tables, seen = np.unique(drawn, axis=0, return_counts=True)
    law = stats.multinomial(n, np.array(sizes) / n)
    expected = count * law.pmf(tables)
    unseen = max(count - expected.sum(), 0.0)
    assert_frequencies(np.append(seen, 0), np.append(expected, unseen if unseen > 1e-6 else 0.0))


def test_strata_and_replicates_are_uncorrelated():
    count = many(500, 20_000)
    drawn = [drawn_totals([500, 500], count, stratum=s)[:, 0] - 500.0 for s in (0, 1)]
    pairs = [(drawn[0], drawn[1]), (drawn[0][1:], drawn[0][:-1]), (drawn[0][1:], drawn[1][:-1])]
    for a, b in pairs:
        assert abs(np.corrcoef(a, b)[0, 1]) <= MOST_Z / math.sqrt(len(a))


def drawn_windows(n, count):
    """Return counts of all rows: windows' totals first, then the places, as replicates do it."""
    sizes = np.full(-(-n // WINDOW), WINDOW)
    sizes[-1] = n - WINDOW * (len(sizes) - 1)
    totals = drawn_totals(sizes, count)
    counts = np.empty((count, -(-n // 8) * 8), np.uint8)
    kernels.draw_windows(KEY, 0, np.arange(len(sizes)), totals, n, counts)
    return counts[:, :n].astype(np.int64)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 500, 4095, 4096, WINDOW + 3, 2 * WINDOW + 500])
def test_rows_are_drawn_uniformly(n):
    """Sums by place, the distribution of one row's count, and neighbours' covariance."""
    count = many(max(4, min(800, 4_000 // n)), max(60, min(20_000, 400_000 // n)))
    drawn = drawn_windows(n, count)
    assert (drawn.sum(axis=1) == n).all()
    if n == 1:
        return
    assert stats.chisquare(drawn.sum(axis=0)).pvalue > LEAST_P
    assert_distributed(drawn, stats.binom(n, 1 / n))
    for lag in {1, 2, 5, n // 2} - {0}:
        if lag < n:
            products = (drawn[:, lag:] - 1.0) * (drawn[:, :-lag] - 1.0)
            error = math.sqrt(1.5 / products.size) + products.mean(axis=1).std() / math.sqrt(count)
            assert abs(products.mean() + 1 / n) <= MOST_Z * error
    if n <= 5:
        assert_covariances(drawn, np.ones(n), np.eye(n) - 1 / n)


def test_many_draws_over_a_full_window():
    """More than the words hold: the window is drawn by acceptance, batch after batch."""
    count, n_draws = many(2, 100), 9_000
    counts = np.empty((count, WINDOW), np.uint8)
    totals = np.full((count, 1), n_draws)
    kernels.draw_windows(KEY, 0, np.arange(1), totals, WINDOW, counts)
    assert (counts.sum(axis=1, dtype=int) == n_draws).all()
    assert stats.chisquare(counts.sum(axis=0, dtype=int)).pvalue > LEAST_P
    assert_distributed(counts.astype(int), stats.binom(n_draws, 1 / WINDOW))


CLASSES = [
    # (rows, positives among them, draws of positives, draws of negatives)
    (2, 1, 3, 2),
    (3, 2, 5, 0),
    (5, 2, 4, 4),
    (500, 150, 140, 360),
    (4095, 1200, 1000, 3095),
    (4096, 1, 2, 4094),
    (4096, 4095, 4090, 6),
    (4096, 1200, 1200, 2896),
    (4096, 2000, 2300, 1796),
    (4096, 2000, 1700, 2396),
    (4096, 800, 1600, 1600),
    (4096, 1200, 2000, 3041),
]


@pytest.mark.parametrize(("n", "n_positive", "of_positives", "of_negatives"), CLASSES)
def test_classes_are_drawn_uniformly(rng, n, n_positive, of_positives, of_negatives):
    count = many(max(2, min(400, 2_000 // n)), max(40, min(20_000, 400_000 // n)))
    masks = np.zeros(-(-n // 8) * 8, np.uint8)
    masks[rng.permutation(n)[:n_positive]] = 255
    totals = np.empty((2, count, 1), np.int64)
    totals[0], totals[1] = of_positives, of_negatives
    counts = np.empty((count, len(masks)), np.uint8)
    draw = kernels.draw_windows_by_class
    draw(KEY, 0, np.arange(1), totals, masks, n, counts)
    for label, wanted in ((255, of_positives), (0, of_negatives)):
        drawn = counts[:, :n][:, masks[:n] == label].astype(np.int64)
        assert (drawn.sum(axis=1) == wanted).all()
        size = drawn.shape[1]
        if size > 1 and wanted:
            assert stats.chisquare(drawn.sum(axis=0)).pvalue > LEAST_P
            assert_distributed(drawn, stats.binom(wanted, 1 / size))
        if 1 < size <= 5:
            covariance = wanted * (np.eye(size) / size - 1 / size**2)
            assert_covariances(drawn, np.full(size, wanted / size), covariance)


@pytest.mark.parametrize("n", [500, 4096])
def test_the_two_classes_are_drawn_independently(rng, n):
    """Given the totals, what a positive gets says nothing of what its neighbour gets."""
    count = many(4, 400)
    masks = np.zeros(n, np.uint8)
    masks[::2] = 255
    totals = np.full((2, count, 1), n // 2)
    counts = np.empty((count, n), np.uint8)
    kernels.draw_windows_by_class(KEY, 0, np.arange(1), totals, masks, n, counts)
    a, b = counts[:, ::2].astype(float), counts[:, 1::2].astype(float)
    for shifted in (b, np.roll(b, 1, axis=1)):
        assert abs(np.corrcoef(a.ravel(), shifted.ravel())[0, 1]) <= MOST_Z / math.sqrt(a.size)
