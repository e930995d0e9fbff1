"""Limits of KS: the greatest of Newcombe's limits of the gaps at each threshold."""

import math

import numpy as np
import pytest
from scipy.special import kolmogorov
from scipy.stats import norm

import fastmetrics as fm


def ks(y, score, **options):
    return fm.estimate(y, score, metrics="ks_statistic", **options)["ks_statistic"]


def newcombe(k1, n1, k0, n0, z):
    """The limits of p1 - p0 by the paper's formulas (method 10), one threshold at a time."""
    ends = []
    for k, n in ((k1, n1), (k0, n0)):
        half = z * math.sqrt(z * z + 4 * k * (1 - k / n))
        ends.append([(2 * k + z * z + side * half) / (2 * (n + z * z)) for side in (-1, 1)])
    (l1, u1), (l0, u0) = ends
    p1, p0 = k1 / n1, k0 / n0
    return (p1 - p0 - math.hypot(p1 - l1, u0 - p0), p1 - p0 + math.hypot(u1 - p1, p0 - l0))


def by_definition(y, score, tail_low, tail_high):
    """The greatest lower and upper limits over thresholds and both signs of the gap."""
    m, n = int(np.sum(y == 1)), int(np.sum(y == 0))
    low, high, largest = 0.0, 0.0, 0.0
    for t in np.unique(score):
        k1, k0 = int(np.sum((score >= t) & (y == 1))), int(np.sum((score >= t) & (y == 0)))
        for a, b in (((k1, m), (k0, n)), ((k0, n), (k1, m))):
            low = max(low, newcombe(*a, *b, norm.isf(tail_low))[0])
            high = max(high, newcombe(*a, *b, norm.isf(tail_high))[1])
            largest = max(largest, abs(k1 / m - k0 / n))
    return low, min(1.0, high), kolmogorov(math.sqrt(m * n / (m + n)) * largest)


@pytest.mark.pairwise
@pytest.mark.parametrize("n", [12, 60, 400])
@pytest.mark.parametrize("shift", [0.0, 1.0, -1.0, 3.0])
@pytest.mark.parametrize("decimals", [0, 6])
def test_by_the_definition(rng, n, shift, decimals) -> None:
    y = np.arange(n) % 3 == 0
    score = np.round(rng.normal(size=n) + shift * y, decimals)
    found = ks(y, score)
    low, high, p = by_definition(y, score, 0.025 / 4, 0.05)
    interval = found.confidence_interval
    assert interval.high == pytest.approx(max(high, found.estimate), abs=1e-12)
    assert interval.low == pytest.approx(low if p <= 0.025 else 0.0, abs=1e-12)
    assert found.method == "band"
    assert ks(y, score, alternative="less").confidence_interval.low == 0.0
    above = ks(y, score, alternative="greater", confidence_level=0.975).confidence_interval
    assert tuple(above) == pytest.approx((interval.low, 1.0), abs=1e-12)
    below = ks(y, score, alternative="less", confidence_level=0.975).confidence_interval
    assert below.high == pytest.approx(interval.high, abs=1e-12)


def test_groups_of_copies_are_worth_one_row_each(rng) -> None:
    y = rng.integers(0, 2, 100)
    score = rng.normal(size=100) + y
    plain = ks(y, score)
    copies = ks(np.repeat(y, 4), np.repeat(score, 4), groups=np.repeat(np.arange(100), 4))
    assert copies.n_groups == 100
    ratio = np.diff(copies.confidence_interval)[0] / np.diff(plain.confidence_interval)[0]
    assert 0.95 < ratio < 1.15  # Student's t in place of the normal
    alone = ks(np.repeat(y, 4), np.repeat(score, 4))
    assert np.diff(alone.confidence_interval)[0] < 0.7 * np.diff(plain.confidence_interval)[0]


@pytest.mark.filterwarnings("ignore::fastmetrics.SmallSampleWarning")
@pytest.mark.parametrize("n_groups", [1, 2])
@pytest.mark.parametrize("is_perfect", [False, True])
def test_too_few_groups_say_nothing(rng, n_groups, is_perfect) -> None:
    y = np.repeat([0, 1], 30)
    score = np.arange(60.0) if is_perfect else rng.normal(size=60) + y
    with pytest.warns((fm.UndefinedMetricWarning, fm.DegenerateDataWarning), match="no interval"):
        found = ks(y, score, groups=np.arange(60) % n_groups)
    assert math.isnan(found.confidence_interval.low)
    assert math.isnan(found.confidence_interval.high)
    assert "do not show how much ks_statistic varies" in found.note


def test_a_perfect_model_has_a_lower_limit(rng) -> None:
    y = np.repeat([0, 1], 50)
    interval = ks(y, np.arange(100)).confidence_interval
    assert 0.8 < interval.low < 1.0 == interval.high
    with pytest.warns(fm.UndefinedMetricWarning):
        assert math.isnan(ks([1, 1, 1], [1, 2, 3]).confidence_interval.low)


@pytest.mark.parametrize("level", [0.5, 0.95, 1 - 1e-9])
@pytest.mark.parametrize("digits", [1, 8])
def test_evaluate_has_them_of_one_model_of_several_and_of_groups(level, digits) -> None:
    """From the table, where thresholds far from the largest gap are skipped, and from rows."""
    rng = np.random.default_rng(7)
    y = (rng.random(70_000) < 0.3).astype(int)
    models = {m: np.round(y * pull + rng.normal(size=len(y)), digits) for m, pull in [("a", 0.2)]}
    models["b"] = -models["a"] + np.round(rng.normal(size=len(y)), digits)
    alone = {
        name: fm.evaluate(y, s, confidence_level=level)[0].estimates["ks_statistic"]
        for name, s in models.items()
    }
    both = fm.evaluate(y, models, confidence_level=level)
    assert "ks_statistic" not in both.comparisons
    for name, one in alone.items():
        table = fm.ScoreTable.from_scores(y, models[name])
        of_table = fm.evaluate(table, confidence_level=level)[0].estimates["ks_statistic"]
        assert of_table == one
        other = both[name].estimates["ks_statistic"]
        assert other.confidence_interval == pytest.approx(one.confidence_interval, rel=1e-12)
        assert other.standard_error == pytest.approx(one.standard_error, rel=1e-9)
        tail = (1 - level) / 2
        expected = by_table(y, models[name], tail / 4, min(0.5, 2 * tail))
        assert one.confidence_interval == pytest.approx(expected, rel=1e-9)
    tested = fm.evaluate(y, models, metrics="ks_statistic")
    assert (
        tested.comparisons["ks_statistic"]
        == fm.compare(y, models, metrics="ks_statistic")["ks_statistic"]
    )
    grouped = {"groups": np.arange(len(y)) // 50}
    found = fm.evaluate(y, models["a"], **grouped)[0].estimates["ks_statistic"]
    assert found == ks(y, models["a"], **grouped)


def by_table(y, score, tail_low, tail_high):
    """`by_definition`, all thresholds at once."""
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)
    tp, fp = (np.cumsum(y[order] == k)[last] for k in (1, 0))
    m, n = tp[-1], fp[-1]
    ends = []
    for z in (norm.isf(tail_low), norm.isf(tail_high)):
        sides = []
        for k, size in ((tp, m), (fp, n)):
            half = z * np.sqrt(z * z + 4 * k * (1 - k / size))
            sides.append([(2 * k + z * z + s * half) / (2 * (size + z * z)) for s in (-1, 1)])
        (l1, u1), (l0, u0) = sides
        p1, p0 = tp / m, fp / n
        lows = p1 - p0 - np.hypot(p1 - l1, u0 - p0), p0 - p1 - np.hypot(p0 - l0, u1 - p1)
        highs = p1 - p0 + np.hypot(u1 - p1, p0 - l0), p0 - p1 + np.hypot(u0 - p0, p1 - l1)
        ends.append((max(map(np.max, lows)), max(map(np.max, highs))))
    largest = np.abs(tp / m - fp / n).max()
    shown = kolmogorov(math.sqrt(m * n / (m + n)) * largest) <= 4 * tail_low
    return (max(0.0, min(ends[0][0], largest)) if shown else 0.0), min(1.0, ends[1][1])
