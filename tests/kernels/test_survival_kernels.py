"""Shares that remain, what moves them and weights across a time: by sums over all keys and rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from kernel_forms import forms

from fastmetrics._kernels import survival


def followed(rng, n):
    """Return what leaves at each key, a third of them nothing, and what is at risk: exact."""
    leaving = rng.integers(0, 3, n).astype(np.float64)
    leaving[-1] = 1.0
    others = rng.integers(0, 2, n).astype(np.float64)
    return leaving, np.ascontiguousarray(np.cumsum((leaving + others)[::-1])[::-1])


@pytest.mark.parametrize("write", forms(survival.remaining_shares))
@pytest.mark.parametrize("of_events", [0, 1])
@pytest.mark.parametrize("n", [2, 4, 60])
def test_remaining_shares(rng, write, of_events, n):
    weights = rng.integers(0, 4, n).astype(np.float64)
    leaving, at_risk, before = weights.copy(), np.empty(n), np.empty(n + 1)
    write(leaving, of_events, at_risk, before)
    assert leaving.tolist() == np.where(np.arange(n) % 2 == of_events, 0, weights).tolist()
    assert at_risk.tolist() == [weights[k:].sum() for k in range(n)]
    share = Fraction(1)
    for k in range(n):
        assert before[k] == pytest.approx(float(share), rel=1e-13)
        if leaving[k]:
            share *= 1 - Fraction(leaving[k]) / Fraction(at_risk[k])
    assert before[n] == pytest.approx(float(share), rel=1e-13)


@pytest.mark.parametrize("write", forms(survival.moves_of_logs))
@pytest.mark.parametrize("last", [0, 1, 20, 40])
def test_moves_of_logs(rng, write, last):
    """The derivative of the sum of factors times logarithms, by one more row at each key."""
    leaving, at_risk = followed(rng, 40)
    at_risk += 1.0  # somebody stays
    of_logs = np.zeros(41)
    of_logs[1 : last + 1] = rng.integers(-3, 4, last)
    found = np.empty(40)
    write(of_logs, leaving, at_risk, found)
    for k in range(40):
        moved = Fraction(0)
        for i in range(40):  # the factor 1 - leaving / at risk of key i stands in all shares after
            later = sum(map(Fraction, of_logs[i + 1 :]), Fraction(0))
            gone, risk = Fraction(leaving[i]), Fraction(at_risk[i])
            if k > i:
                moved += later * gone / (risk * (risk - gone))
            elif k == i and gone > 0:
                moved -= later / risk
        assert found[k] == pytest.approx(float(moved), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("write", forms(survival.weights_across))
@pytest.mark.parametrize("n_ranks", [1, 6, 50])
@pytest.mark.parametrize("cut", [0, 17, 50])
def test_weights_across(rng, write, n_ranks, cut):
    ranks = rng.integers(0, n_ranks, 50).astype(np.int32)
    weights = rng.integers(0, 5, 50).astype(np.float64)
    across = np.empty(50)
    write(ranks, cut, weights[:cut], weights[cut:], np.zeros((n_ranks, 2)), across)
    lower = (np.sign(ranks[:, None] - ranks) + 1) / 2  # half where they are equal
    is_first = np.arange(50) < cut
    expected = np.where(
        is_first,
        lower @ np.where(is_first, 0, weights),
        (1 - lower) @ np.where(is_first, weights, 0),
    )
    assert across.tolist() == expected.tolist()
