"""Covariances and degrees of freedom against loops over the rows, by their definitions."""

from typing import Any

import numpy as np
import pytest

from fastmetrics.inference.units import Units


def _variance(psi: Any, weights: Any = None, strata: Any = None, groups: Any = None) -> float:
    """Return the sum over strata of m / (m - 1) sum (c - mean)^2, in plain Python."""
    n = len(psi)
    weights = [1.0] * n if weights is None else list(weights)
    strata = [0] * n if strata is None else list(strata)
    groups = list(range(n)) if groups is None else list(groups)
    total = 0.0
    for stratum in sorted(set(strata)):
        sums: dict[Any, float] = {}
        for i in range(n):
            if strata[i] == stratum:
                sums[groups[i]] = sums.get(groups[i], 0.0) + weights[i] * psi[i]
        mean = sum(sums.values()) / len(sums) if len(set(strata)) > 1 else 0.0
        m = len(sums)
        total += m / (m - 1) * sum((c - mean) ** 2 for c in sums.values())
    return total


@pytest.fixture
def psi() -> Any:
    values = np.random.default_rng(0).normal(size=(3, 40))
    return values - values.mean(axis=1, keepdims=True)


def test_rows(psi: Any) -> None:
    found = Units(40).covariance(psi)
    for a in range(3):
        assert found[a, a] == pytest.approx(_variance(psi[a]), rel=1e-13)
        for b in range(a):
            both = _variance(psi[a] + psi[b]) - found[a, a] - found[b, b]
            assert found[a, b] == pytest.approx(both / 2, rel=1e-9, abs=1e-12)


def test_counts_are_rows(psi: Any) -> None:
    counts = np.random.default_rng(1).integers(0, 5, 40)
    strata = np.arange(40) % 2
    repeated = np.repeat(np.arange(40), counts)
    for kind in (None, strata):
        own = Units(40, counts=counts, strata=kind)
        rows = Units(len(repeated), strata=None if kind is None else kind[repeated])
        for reference in ("contributions", "kurtosis", "student"):
            assert own.spread(psi[0], reference) == pytest.approx(
                rows.spread(psi[0][repeated], reference), rel=1e-12
            )
        assert own.covariance(psi) == pytest.approx(rows.covariance(psi[:, repeated]), rel=1e-10)


def test_strata_and_groups(psi: Any) -> None:
    strata, groups = np.arange(40) // 20, np.arange(40) // 4  # groups inside strata
    for given in ({"strata": strata}, {"groups": groups}, {"strata": strata, "groups": groups}):
        found = Units(40, **given).spread(psi[0]).variance
        assert found == pytest.approx(_variance(psi[0], **given), rel=1e-12)


def test_equal_importances_are_rows(psi: Any) -> None:
    for strata in (None, np.arange(40) % 3):
        plain = Units(40, strata=strata).spread(psi[0])
        scaled = Units(40, weights=np.full(40, 7.0), strata=strata).spread(psi[0] / 7.0)
        assert scaled == pytest.approx(plain, rel=1e-12)


@pytest.mark.parametrize("groups", [None, np.arange(12) % 6 // 2, np.arange(12)])
def test_importances_are_unbiased(groups: Any) -> None:
    """The factor makes up for the weighted mean that was fitted, whatever the weights."""
    rng = np.random.default_rng(4)
    weights = rng.gamma(0.7, 1.0, 12)
    shares = weights / weights.sum()
    units = Units(12, weights=weights, groups=groups)
    values = rng.normal(size=(20_000, 12))
    means = values @ shares
    found = [
        units.spread((row - mean) / weights.sum()).variance
        for row, mean in zip(values, means, strict=True)
    ]
    assert np.mean(found) == pytest.approx(np.sum(shares**2), rel=0.03)


def test_degrees_of_freedom() -> None:
    psi = np.array([1.0, -1.0, 1.0, -1.0, 0.0, 0.0])
    assert Units(6).spread(psi).df == 4.0  # four rows carry it
    assert Units(4).spread(psi[:4]).df == 3.0  # at most m - 1
    strata = np.array([0, 0, 1, 1, 1, 1])
    v = [2 * 2.0, 4 / 3 * 2.0]  # of each stratum: sums of squares 2, means 0
    welch = sum(v) ** 2 / (v[0] ** 2 / 1 + v[1] ** 2 / 3)
    assert Units(6, strata=strata).spread(psi, "student").df == pytest.approx(welch)
    assert Units(6).spread(psi, "student").df == 5.0
    groups, values = np.array([0, 0, 1, 1, 2, 3]), np.array([1.0, 1.0, 3.0, -2.0, -2.0, -1.0])
    sums = np.array([2.0, 1.0, -2.0, -1.0])
    grouped = Units(6, groups=groups).spread(values)
    sums /= np.sqrt(1 - np.array([2, 2, 1, 1]) / 6)
    assert grouped.df == pytest.approx((sums**2).sum() ** 2 / (sums**4).sum())
    uneven = np.array([3.0, -1.0, -1.0, -1.0])
    s2, s4 = (uneven**2).sum(), (uneven**4).sum()
    assert Units(4).spread(uneven, "kurtosis").df == 3.0  # at most m - 1
    assert 2 * s2**2 / (s4 - s2**2 / 4) > 3.0
    more = np.concatenate([uneven, np.zeros(20)])
    expected = 2 * s2**2 / (s4 - s2**2 / 24)
    assert Units(24).spread(more, "kurtosis").df == pytest.approx(expected)
    assert Units(4).spread(psi[:4], "kurtosis").df == 3.0  # all alike: at most m - 1


def test_nothing_is_known_of_one_unit() -> None:
    assert np.isnan(Units(1).spread(np.array([0.5])).variance)
    one_group = Units(4, groups=np.zeros(4, np.int64))
    assert np.isnan(one_group.spread(np.array([1.0, 2.0, -1.0, -2.0])).variance)
    lone = Units(3, strata=np.array([0, 0, 1]))
    assert np.isnan(lone.spread(np.array([1.0, -1.0, 0.5])).variance)


def test_points_that_cross_blocks() -> None:
    """Blocks and threads change no bit."""
    rng = np.random.default_rng(0)
    psi, strata = rng.normal(size=200_001), rng.integers(0, 2, 200_001)
    units = Units(len(psi), strata=strata)
    found = units.spread(psi).variance
    expected = sum(
        len(part) / (len(part) - 1) * np.sum((part - part.mean()) ** 2)
        for part in (psi[strata == k] for k in (0, 1))
    )
    assert found == pytest.approx(expected, rel=1e-12)
    assert units.spread(psi).variance == found


@pytest.mark.parametrize("weighted", [None, "counts", "weights"])
@pytest.mark.parametrize("by_class", [False, True])
def test_unequal_groups_by_a_loop(weighted: str | None, by_class: bool) -> None:
    """Sums of groups less their share p of the stratum's, over the root of what that leaves."""
    rng = np.random.default_rng(8)
    groups = np.sort(rng.integers(0, 9, 50))
    strata = rng.integers(0, 2, 50) if by_class else None
    psi = rng.normal(size=50)
    w = np.ones(50) if weighted is None else rng.integers(0, 4, 50).astype(float)
    expected = np.zeros(9)
    for code in (0, 1) if by_class else (0,):
        inside = np.ones(50, bool) if strata is None else strata == code
        total, weight = np.sum((w * psi)[inside]), np.sum(w[inside])
        for g in range(9):
            own = inside & (groups == g)
            share = np.sum(w[own]) / weight
            c = np.sum((w * psi)[own]) - (total * share if by_class else 0.0)
            left = 1.0 - share
            if weighted == "weights" and share > 0.0:
                left += share**2 * np.sum(w[inside] ** 2) / np.sum(w[own] ** 2) - share
            expected[g] += c / np.sqrt(left)
    given: Any = {} if weighted is None else {weighted: w}
    found = Units(50, groups=groups, strata=strata, **given).spread(psi)
    assert found.variance == pytest.approx(np.sum(expected**2), rel=1e-12)
    df = np.sum(expected**2) ** 2 / np.sum(expected**4)
    assert found.df == pytest.approx(min(df, 9 - (2 if by_class else 1)), rel=1e-12)


def test_groups_of_one_row_are_rows(psi: Any) -> None:
    counts, groups = np.random.default_rng(1).integers(0, 2, 40), np.arange(40)[::-1]
    for strata in (None, np.arange(40) % 3):
        for given in ({}, {"counts": counts}, {"weights": np.full(40, 0.3)}):
            rows = Units(40, strata=strata, **given)
            own = Units(40, strata=strata, groups=groups, **given)
            assert own.covariance(psi) == pytest.approx(rows.covariance(psi), rel=1e-11)


def test_a_stratum_without_rows_of_groups_adds_nothing(psi: Any) -> None:
    groups = np.arange(40) // 4
    one = Units(40, groups=groups, strata=np.full(40, 1)).covariance(psi)
    assert one == pytest.approx(Units(40, groups=groups).covariance(psi), rel=1e-11)
