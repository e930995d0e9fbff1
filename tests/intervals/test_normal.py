"""The normal quantile: SciPy's, and the inverse of what it is a quantile of."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from fastmetrics.inference.reference import normal_quantile


def shares() -> np.ndarray:
    """Return shares of the middle, of both tails, and at the ends of each."""
    rng = np.random.default_rng(0)
    ends = np.array([0.5, math.exp(-2.0), 1.0 - math.exp(-2.0), math.exp(-32.0), 0.025, 0.975])
    return np.concatenate(
        [
            *(np.nextafter(ends, side) for side in (0.0, 0.5, 1.0)),
            rng.random(2_000),
            10.0 ** -rng.uniform(0.0, 308.0, 2_000),
            1.0 - 10.0 ** -rng.uniform(0.0, 16.0, 2_000),
            [5e-324, np.nextafter(1.0, 0.0)],
        ]
    )


def test_it_is_scipys() -> None:
    from scipy.special import ndtri

    inside = shares()
    found = np.array([normal_quantile(share) for share in inside.tolist()])
    # To the bit where neither compiler fuses products with sums; an ulp or two where one does.
    np.testing.assert_array_max_ulp(found, ndtri(inside), maxulp=4)


def test_it_is_the_inverse_of_the_distribution() -> None:
    normal = NormalDist()
    for share in shares().tolist():
        if 1e-300 < share < 1.0 - 1e-12:
            assert normal.cdf(normal_quantile(share)) == pytest.approx(share, rel=5e-13)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.0, -math.inf), (1.0, math.inf), (0.5, 0.0), (-0.1, math.nan), (1.1, math.nan)],
)
def test_the_ends_and_beyond(share, expected) -> None:
    assert normal_quantile(share) == pytest.approx(expected, nan_ok=True)


def test_nan_stays_nan() -> None:
    assert math.isnan(normal_quantile(math.nan))
