"""Multinomial draws."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from kernel_forms import IS_COMPILED, totals_of
from scipy import stats

from fastmetrics._kernels import errors, resampling as kernels

WINDOW = kernels.WINDOW
KEY = np.array([1_999_999_973, 602_214_076], np.uint64)
#: Below this a p-value is no accident; so is a standardised difference above the other.
LEAST_P = 1e-4
MOST_Z = 4.5


def binomials(n, p, count, *, block=0):
    """Return draws from one stream of each of ten replicates."""
    streams = np.array([[0, block, replicate, kernels.TOTALS] for replicate in range(10)])
    words = np.zeros((10, 16), np.uint64)
    sizes = np.full(10, n, np.int64)
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
    observed = observed[expected > 0]
    expected = expected[expected > 0]
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
    assert stats.kstest((drawn - mean) / math.sqrt(mean * (1 - p)), "norm").pvalue > LEAST_P


def test_binomial_at_the_ends():
    for n, p, only in [(0, 0.5, 0), (9, 0.0, 0), (9, 1.0, 9), (9, 1.5, 9), (-1, 0.5, 0)]:
        assert (binomials(n, p, 10) == only).all()
    assert not binomials(5, 1e-300, 50).any()
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
    drawn = drawn_totals(sizes, many(500, 20_000))
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
    count = many(2, 100)
    n_draws = 9_000
    counts = np.empty((count, WINDOW), np.uint8)
    kernels.draw_windows(KEY, 0, np.arange(1), np.full((count, 1), n_draws), WINDOW, counts)
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


@pytest.mark.parametrize(("n", "n_positive", "positive_draws", "negative_draws"), CLASSES)
def test_classes_are_drawn_uniformly(rng, n, n_positive, positive_draws, negative_draws):
    count = many(max(2, min(400, 2_000 // n)), max(40, min(20_000, 400_000 // n)))
    masks = np.zeros(-(-n // 8) * 8, np.uint8)
    masks[rng.permutation(n)[:n_positive]] = 255
    totals = np.empty((2, count, 1), np.int64)
    totals[0] = positive_draws
    totals[1] = negative_draws
    counts = np.empty((count, len(masks)), np.uint8)
    kernels.draw_windows_by_class(KEY, 0, np.arange(1), totals, masks, n, counts)
    for label, wanted in ((255, positive_draws), (0, negative_draws)):
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
    a = counts[:, ::2].astype(float)
    b = counts[:, 1::2].astype(float)
    for shifted in (b, np.roll(b, 1, axis=1)):
        assert abs(np.corrcoef(a.ravel(), shifted.ravel())[0, 1]) <= MOST_Z / math.sqrt(a.size)


POWERS = (1.0, 2.0, 1.5, 3.0, -1.0, -0.5, 1.2, 1.9, 2.5, 6.0)
NONE = np.empty(0)


def deviance(y: float, m: float, power: float) -> Decimal:
    """Return the unit deviance by its definition (Jorgensen 1987)."""
    with localcontext(prec=60):
        y, m, p = (Decimal(float(x)) for x in (y, m, power))
        if p == 1:
            return 2 * ((y * (y / m).ln() if y else 0) - y + m)
        if p == 2:
            return 2 * (y / m - 1 - (y / m).ln())
        target_power = y ** (2 - p) if y > 0 else Decimal(0)
        parts = target_power / (1 - p) - y * m ** (1 - p) * (2 - p) / (1 - p) + m ** (2 - p)
        return 2 * parts / (2 - p)


def sample(rng, kind, n):
    m = 10.0 ** rng.uniform(-3, 3, n)
    ratios = {
        "wide": lambda: 10.0 ** rng.uniform(-8, 8, n),
        "near": lambda: 1 + 0.1 * rng.normal(size=n),
        "very near": lambda: 1 + rng.normal(size=n) * 10.0 ** rng.uniform(-12, -3, n),
        "roots of two": lambda: rng.choice([0.5**0.5, 2**0.5], n) + 10.0 ** -rng.uniform(3, 16, n),
    }
    if kind == "scales":
        m = 10.0 ** rng.uniform(-20, 20, n)
        return m * rng.gamma(2, size=n), m
    return m * ratios[kind](), m


@pytest.mark.parametrize("kind", ["wide", "near", "very near", "roots of two", "scales"])
@pytest.mark.parametrize("power", POWERS)
def test_a_term_is_within_its_bound(rng, kind, power):
    limit = 2.0**-46 / min(1.0, abs(power - 1) or 1.0)
    for y, m in zip(*sample(rng, kind, 25), strict=True):
        sums = np.zeros(2)
        assert errors.deviance_sums(np.array([y]), np.array([m]), 1, 0, 0.0, NONE, power, sums)
        want = deviance(y, m, power)
        assert abs(Decimal(sums[0]) - want) <= Decimal(limit) * want
        assert sums[1] == 0.0


@pytest.mark.pairwise
@pytest.mark.parametrize("n", [1, 31, 33, 1024, 2500])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("power", [1.0, 2.0, 1.5, 1.7])
def test_sums_of_outputs(rng, n, dtype, power):
    y = rng.gamma(2.0, size=(n, 2)).astype(dtype) + dtype(0.1)
    m = (y * rng.gamma(5.0, 0.2, (n, 2))).astype(dtype) + dtype(0.1)
    for weights in (NONE, rng.integers(0, 4, n) / 4):
        for output in (0, 1):
            for constant in (0.0, 1.5):
                sums = np.zeros(2)
                given = (y.ravel(), m.ravel(), 2, output, constant, weights, power, sums)
                assert errors.deviance_sums(*given)
                of = np.full(n, constant) if constant else m[:, output].astype(np.float64)
                y_of = y[:, output].astype(np.float64)
                if power == 1:
                    terms = y_of * np.log(y_of / of) - (y_of - of)
                elif power == 2:
                    terms = y_of / of - 1 - np.log(y_of / of)
                else:
                    q = 2 - power
                    terms = (y_of**q / q - y_of * of ** (q - 1)) / (q - 1) + of**q / q
                want = math.fsum(2 * terms * (weights if weights.size else 1.0))
                assert math.fsum(sums) == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("power", POWERS)
def test_extreme_numbers(power):
    """Ratios that are subnormal, or predictions; targets of 0, or below where they may be."""
    pairs = [(1e-160, 1e160), (5e-324, 1.0), (2e-310, 3e-310), (1e-300, 2e-312), (1e150, 1e-150)]
    pairs += [(0.0, 3.0), (0.0, 2e-310)] * (power < 2) + [(-2.0, 3.0)] * (power < 1)
    for y, m in pairs:
        sums = np.zeros(2)
        with np.errstate(all="ignore"):
            assert errors.deviance_sums(np.array([y]), np.array([m]), 1, 0, 0.0, NONE, power, sums)
        want = float(deviance(y, m, power))
        if math.isfinite(sums[0]):  # else a step on the way is beyond float64
            assert sums[0] == pytest.approx(want, rel=1e-11, abs=1e-306)
        else:
            assert want > 1e150


@pytest.mark.parametrize("n", [40, 1500])
def test_what_has_no_deviance(n):
    cases = [(0.0, 1.0, 2.0, False), (0.0, 1.0, 1.5, True), (-1.0, 1.0, 1.0, False)]
    cases += [(-1.0, 1.0, -1.0, True), (1.0, 0.0, 1.0, False), (1.0, -1.0, -1.0, False)]
    cases += [(math.nan, 1.0, 1.0, False), (1.0, math.nan, 3.0, False), (0.0, 1.0, 3.0, False)]
    for y, m, power, is_defined in cases:
        targets, predictions = np.ones((2, n))
        targets[n - 2] = y
        predictions[n - 2] = m
        with np.errstate(all="ignore"):
            actual = errors.deviance_sums(targets, predictions, 1, 0, 0.0, NONE, power, np.zeros(2))
        assert actual == is_defined


def test_split_logs(rng):
    u = np.concatenate((10.0 ** rng.uniform(-300, 300, 200), 1 + 0.5 * rng.uniform(-1, 1, 200)))
    k, f, g = np.empty((3, 400))
    errors.split_logs(u, k, f, g, u - 1)
    for x, *parts in zip(u.tolist(), k, f, g, strict=True):
        actual = Decimal(parts[0]) * Decimal(2).ln() + Decimal(parts[1]) - Decimal(parts[2])
        assert abs(actual - Decimal(x).ln()) <= Decimal(2.0**-52) * abs(Decimal(x).ln())


@pytest.mark.parametrize("q", [0.5, -0.1, 1.7, -4.3, 9.0])
def test_split_powers(rng, q):
    u = np.concatenate((10.0 ** rng.uniform(-300, 300, 100), 1 + 0.2 * rng.uniform(-1, 1, 100)))
    k, f, g, n, r, e = np.empty((6, 200))
    errors.split_logs(u, k, f, g, u - 1)
    errors.split_powers(k, f, g, q, float(np.float32(q)), n, r, e)
    for x, *parts in zip(u.tolist(), n, r, e, strict=True):
        actual = 2 ** Decimal(parts[0]) * (1 + Decimal(parts[1]) + Decimal(parts[2]))
        want = Decimal(x) ** Decimal(q)
        assert abs(actual - want) <= Decimal(2.0**-50) * want
        rest = Decimal(parts[1]).exp() - 1 - Decimal(parts[1])
        assert abs(Decimal(parts[2]) - rest) <= Decimal(2.0**-51) * rest


def test_powers_of_two():
    n = np.array([0.0, 1.0, -1.0, 1023.0, -1022.0, -1074.0, 1024.0, 9e9, -9e9, math.nan])
    one, other = np.empty((2, len(n)))
    errors.powers_of_two(n, one, other)
    with np.errstate(all="ignore"):
        actual = (one * other).tolist()
    assert actual[:6] == [1.0, 2.0, 0.5, 2.0**1023, 2.0**-1022, 5e-324]
    assert actual[6:] == [math.inf, math.inf, 0.0, 0.0]


def test_logs_of_what_is_no_normal_number():
    top = np.array([1.0, 1e-200, 1e300, 0.0, -1.0, 1.0])
    bottom = np.array([2.0, 1e200, 1e-300, 1.0, 1.0, 0.0])
    u = np.array([0.5, 0.0, np.inf, 0.0, -1.0, np.inf])
    v, k, f, g = np.full((4, 6), 7.0)
    assert errors.count_abnormal(u, top) == 3
    assert errors.count_abnormal(np.array([math.nan, 0.0]), np.zeros(2)) == 1
    with np.errstate(over="ignore"):
        errors.mend_logs(u, v, top, bottom, k, f, g)
    assert v.tolist() == [7, -1, math.inf, -1, -2, 7]
    assert k.tolist() == [7, 0, 0, 7, 7, 7]
    assert g.tolist() == k.tolist()
    assert f[1:3].tolist() == pytest.approx([-400 * math.log(10), 600 * math.log(10)])
    assert f[[0, 3, 4, 5]].tolist() == [7] * 4


@pytest.mark.parametrize("width", [32, 96, 1024])
def test_gamma_by_product(rng, width):
    lanes = np.empty(errors.LANES)
    for spread in (0.3, 2.0, 6.0):
        u = np.exp(np.clip(spread * rng.normal(size=width), -20, 20))
        want = math.fsum(u - 1 - np.log(u))
        assert errors.gamma_by_product(u, lanes) == pytest.approx(want, rel=2.0**-46)
    for odd in (0.0, 1e-300, 1e300, math.inf, math.nan, -1.0):
        u[5] = odd
        assert errors.gamma_by_product(u, lanes) == -1.0


@pytest.mark.parametrize("spread", [1e-9, 0.1, 1.0, 5.0])
def test_gamma_deviances_with_and_without_products(rng, spread):
    m = rng.gamma(2.0, size=1500)
    y = m * np.exp(spread * rng.normal(size=1500))
    actual = []
    for weights in (NONE, np.ones(1500)):
        sums = np.zeros(2)
        errors.deviance_sums(y, m, 1, 0, 0.0, weights, 2.0, sums)
        actual.append(math.fsum(sums))
    assert actual[0] == pytest.approx(actual[1], rel=2.0**-45)


def test_add(rng):
    lanes = rng.random(errors.LANES)
    sums = np.zeros(2)
    for value in (1.0, 2.0**-60, errors.fold_lanes(lanes.copy(), 0)):
        errors.add(sums, value)
    assert math.fsum(sums) == pytest.approx(1.0 + math.fsum(lanes), rel=2.0**-51)


def test_add_terms(rng):
    sums = np.zeros(2)
    lanes = np.empty(errors.LANES)
    every = []
    for scale in (1.0, 1e-12, 1e9):
        terms, weights = rng.random((2, 64)) * scale
        errors.add_terms(terms, weights, lanes, sums)
        every += (terms * weights).tolist()
    assert math.fsum(sums) == pytest.approx(math.fsum(every), rel=2.0**-50)
