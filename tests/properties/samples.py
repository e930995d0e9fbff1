"""What the property tests are fed, and how two results are compared."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from reference.oracles import Sample
from registry import Measure

# Few distinct scores, so that ties are the rule; neighbours one unit in the last place apart,
# both zeros, the smallest and the largest numbers.
AWKWARD = [0.0, -0.0, 5e-324, 1.0, float(np.nextafter(1.0, 2.0)), 0.1 + 0.2, 0.3, -1e308, 1.7e308]


# Smallest share of 1 and largest number of shares of a weight, by kind.
UNITS = {"none": (1, 1), "counts": (1, 3), "quarters": (4, 12)}


@st.composite
def samples(draw: Any, *, each: int = 1, weights: str = "none", grid: bool = False) -> Sample:
    """Draw rows of both classes, at least `each` of them with a weight.

    Weights are "none", "counts" (0 to 3) or "quarters". With `grid` the scores are small whole
    numbers, the same in every dtype.
    """
    grids = st.integers(0, draw(st.integers(0, 9)))
    kinds = [grids, grids.map(lambda k: k / 8)]
    kinds += [st.sampled_from(AWKWARD), st.floats(allow_nan=False, allow_infinity=False)]
    score = grids if grid else draw(st.sampled_from(kinds))
    unit, most = UNITS[weights]
    least = 1 if weights == "none" else 0
    rows = draw(
        st.lists(st.tuples(st.integers(0, 1), score, st.integers(least, most)), max_size=20)
    )
    for label in (0, 1) * each:  # in the midst of the rest: the order of rows decides nothing
        rows.insert(len(rows) // 2, (label, draw(score), draw(st.integers(1, most))))
    labels, scores, shares = zip(*rows, strict=True)
    drawn = None if weights == "none" else [Fraction(share, unit) for share in shares]
    return Sample(labels, scores, drawn)


def arrays(sample: Sample) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return labels, scores and weights; whole weights as integers, which makes them counts."""
    labels, scores = np.array(sample.labels, dtype=np.int8), np.array(sample.scores)
    if sample.weights is None:
        return labels, scores, None
    whole = all(weight.denominator == 1 for weight in sample.weights)
    return labels, scores, np.array(sample.weights, dtype=np.int64 if whole else np.float64)


@contextlib.contextmanager
def undefined_is_fine() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.simplefilter("ignore", DegenerateDataWarning)
        yield


def fast(
    measure: Measure, labels: Any, scores: Any = None, weights: Any = None, **more: Any
) -> Any:
    with undefined_is_fine():
        return measure.fast(labels, scores, weights, **more)


def doubles(value: Any) -> np.ndarray:
    """Return each number as the double nearest to it, whatever its type was."""
    if isinstance(value, np.ndarray):
        return value.astype(np.float64)
    if isinstance(value, list | tuple):
        return np.array([float(item) for item in value])
    return np.asarray(float(value))


def chosen(measure: Measure, values: tuple[Any, ...], *, keep_thresholds: bool) -> list[np.ndarray]:
    return [
        doubles(value)
        for k, value in enumerate(values)
        if keep_thresholds or k not in measure.thresholds
    ]


def assert_same(measure: Measure, left: Any, right: Any, *, keep_thresholds: bool = True) -> None:
    """Assert the same bits (nan is nan, -0.0 is 0.0)."""
    one = chosen(measure, left, keep_thresholds=keep_thresholds)
    other = chosen(measure, right, keep_thresholds=keep_thresholds)
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)


def assert_close(measure: Measure, left: Any, right: Any, *, weighted: bool) -> None:
    """Assert equality up to rounding; thresholds must be equal."""
    count = measure.weighted_values if weighted else None
    assert len(left) == len(right)
    for k, (a, b) in enumerate(list(zip(left, right, strict=True))[:count]):
        if k in measure.thresholds:
            np.testing.assert_array_equal(doubles(a), doubles(b), strict=True)
        else:
            np.testing.assert_allclose(doubles(a), doubles(b), rtol=1e-12, atol=1e-14, strict=True)
