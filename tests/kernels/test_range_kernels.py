"""What a range of a table adds: compiled, as plain Python, and by NumPy and fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from kernel_forms import forms

from fastmetrics._kernels import range_kernels as kernels


def table(rng, n):
    positives = rng.integers(0, 3, n)
    negatives = rng.integers(0, 3, n) + (positives == 0)
    return positives, negatives


@pytest.mark.parametrize("find", forms(kernels.gap_ends))
@pytest.mark.parametrize("n", [1, 2, 3, 200])
def test_gap_ends(rng, find, n):
    positives, negatives = table(rng, n)
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    totals = int(tp[-1]) + 5, int(fp[-1]) + 2
    gaps = tp * totals[1] - fp * totals[0]
    ends = np.empty(6, np.int64)
    find(positives, negatives, *totals, ends)
    for row, found in ((np.argmax(gaps), ends[:3]), (np.argmin(gaps), ends[3:])):
        assert found.tolist() == [row, tp[row], fp[row]]


@pytest.mark.parametrize("add", forms(kernels.add_precisions))
@pytest.mark.parametrize("above", [(0, 0), (3, 10**6), (1, 2**61), (2**61, 2**61)])
def test_precisions_are_added_exactly(rng, add, above):
    positives, negatives = table(rng, 200)
    limbs = np.zeros(7, np.int64)
    add(positives, negatives, *above, np.empty(200), limbs)
    tp, fp, expected = *above, Fraction(0)
    for p, n in zip(positives.tolist(), negatives.tolist(), strict=True):
        tp, fp = tp + p, fp + n
        expected += Fraction(p * (tp / (float(tp) + float(fp))))
    found = sum(limb << 32 * k for k, limb in enumerate(limbs.tolist()))
    assert Fraction(found, 2**128) == expected
    assert limbs.max() < 200 * 2**33
