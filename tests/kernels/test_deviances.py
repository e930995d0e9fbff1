"""Sums of Tweedie deviances against the textbook's formula in decimals of 60 digits."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from fastmetrics._kernels import errors as kernels

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
        of_y = y ** (2 - p) if y > 0 else Decimal(0)
        parts = of_y / (1 - p) - y * m ** (1 - p) * (2 - p) / (1 - p) + m ** (2 - p)
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
        assert kernels.deviance_sums(np.array([y]), np.array([m]), 1, 0, 0.0, NONE, power, sums)
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
                assert kernels.deviance_sums(*given)
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
            assert kernels.deviance_sums(np.array([y]), np.array([m]), 1, 0, 0.0, NONE, power, sums)
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
        targets[n - 2], predictions[n - 2] = y, m
        with np.errstate(all="ignore"):
            found = kernels.deviance_sums(targets, predictions, 1, 0, 0.0, NONE, power, np.zeros(2))
        assert found == is_defined


def test_split_logs(rng):
    u = np.concatenate((10.0 ** rng.uniform(-300, 300, 200), 1 + 0.5 * rng.uniform(-1, 1, 200)))
    k, f, g = np.empty((3, 400))
    kernels.split_logs(u, k, f, g, u - 1)
    for x, *parts in zip(u.tolist(), k, f, g, strict=True):
        found = Decimal(parts[0]) * Decimal(2).ln() + Decimal(parts[1]) - Decimal(parts[2])
        assert abs(found - Decimal(x).ln()) <= Decimal(2.0**-52) * abs(Decimal(x).ln())


@pytest.mark.parametrize("q", [0.5, -0.1, 1.7, -4.3, 9.0])
def test_split_powers(rng, q):
    u = np.concatenate((10.0 ** rng.uniform(-300, 300, 100), 1 + 0.2 * rng.uniform(-1, 1, 100)))
    k, f, g, n, r, e = np.empty((6, 200))
    kernels.split_logs(u, k, f, g, u - 1)
    kernels.split_powers(k, f, g, q, float(np.float32(q)), n, r, e)
    for x, *parts in zip(u.tolist(), n, r, e, strict=True):
        found = 2 ** Decimal(parts[0]) * (1 + Decimal(parts[1]) + Decimal(parts[2]))
        want = Decimal(x) ** Decimal(q)
        assert abs(found - want) <= Decimal(2.0**-50) * want
        rest = Decimal(parts[1]).exp() - 1 - Decimal(parts[1])
        assert abs(Decimal(parts[2]) - rest) <= Decimal(2.0**-51) * rest


def test_powers_of_two():
    n = np.array([0.0, 1.0, -1.0, 1023.0, -1022.0, -1074.0, 1024.0, 9e9, -9e9, math.nan])
    one, other = np.empty((2, len(n)))
    kernels.powers_of_two(n, one, other)
    with np.errstate(all="ignore"):
        found = (one * other).tolist()
    assert found[:6] == [1.0, 2.0, 0.5, 2.0**1023, 2.0**-1022, 5e-324]
    assert found[6:] == [math.inf, math.inf, 0.0, 0.0]


def test_logs_of_what_is_no_normal_number():
    top = np.array([1.0, 1e-200, 1e300, 0.0, -1.0, 1.0])
    bottom = np.array([2.0, 1e200, 1e-300, 1.0, 1.0, 0.0])
    u = np.array([0.5, 0.0, np.inf, 0.0, -1.0, np.inf])
    v, k, f, g = np.full((4, 6), 7.0)
    assert kernels.count_abnormal(u, top) == 3
    assert kernels.count_abnormal(np.array([math.nan, 0.0]), np.zeros(2)) == 1
    with np.errstate(over="ignore"):
        kernels.mend_logs(u, v, top, bottom, k, f, g)
    assert v.tolist() == [7, -1, math.inf, -1, -2, 7]
    assert k.tolist() == [7, 0, 0, 7, 7, 7]
    assert g.tolist() == k.tolist()
    assert f[1:3].tolist() == pytest.approx([-400 * math.log(10), 600 * math.log(10)])
    assert f[[0, 3, 4, 5]].tolist() == [7] * 4


@pytest.mark.parametrize("width", [32, 96, 1024])
def test_gamma_by_product(rng, width):
    lanes = np.empty(kernels.LANES)
    for spread in (0.3, 2.0, 6.0):
        u = np.exp(np.clip(spread * rng.normal(size=width), -20, 20))
        want = math.fsum(u - 1 - np.log(u))
        assert kernels.gamma_by_product(u, lanes) == pytest.approx(want, rel=2.0**-46)
    for odd in (0.0, 1e-300, 1e300, math.inf, math.nan, -1.0):
        u[5] = odd
        assert kernels.gamma_by_product(u, lanes) == -1.0


@pytest.mark.parametrize("spread", [1e-9, 0.1, 1.0, 5.0])
def test_gamma_deviances_with_and_without_products(rng, spread):
    m = rng.gamma(2.0, size=1500)
    y = m * np.exp(spread * rng.normal(size=1500))
    found = []
    for weights in (NONE, np.ones(1500)):
        sums = np.zeros(2)
        kernels.deviance_sums(y, m, 1, 0, 0.0, weights, 2.0, sums)
        found.append(math.fsum(sums))
    assert found[0] == pytest.approx(found[1], rel=2.0**-45)


def test_add(rng):
    lanes, sums = rng.random(kernels.LANES), np.zeros(2)
    for value in (1.0, 2.0**-60, kernels.folded(lanes.copy(), 0)):
        kernels.add(sums, value)
    assert math.fsum(sums) == pytest.approx(1.0 + math.fsum(lanes), rel=2.0**-51)


def test_add_terms(rng):
    sums, lanes = np.zeros(2), np.empty(kernels.LANES)
    every = []
    for scale in (1.0, 1e-12, 1e9):
        terms, weights = rng.random((2, 64)) * scale
        kernels.add_terms(terms, weights, lanes, sums)
        every += (terms * weights).tolist()
    assert math.fsum(sums) == pytest.approx(math.fsum(every), rel=2.0**-50)
