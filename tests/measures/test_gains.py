"""Gains, lift and Lorenz curves: ties, faults."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from reference import gain_oracle as oracle

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=25).filter(
    lambda rows: {y for y, _ in rows} == {0, 1}
)


# --- gains and lift ------------------------------------------------------------------------------


@pytest.mark.parametrize("taken", [1, 2, 3, 4])
def test_ties_are_the_mean_over_all_orders(taken: int) -> None:
    y, s = [1, 0, 1, 0, 0], [2, 1, 1, 1, 0]
    found = []
    for order in itertools.permutations(range(5)):
        if sorted(order, key=lambda i: -s[i]) == [*order]:  # an order that the scores allow
            found.append(sum(y[i] for i in order[:taken]) / 2)
    assert fm.costs.cumulative_gain(y, s, fraction=taken / 5) == pytest.approx(
        np.mean(found), rel=1e-15
    )


@given(rows=ROWS)
def test_the_curve_passes_through_the_gains(rows: list[tuple[int, int]]) -> None:
    y, s = zip(*rows, strict=True)
    curve = fm.costs.gains_curve(y, s)
    assert curve.thresholds.tolist() == [math.inf, *sorted(set(s), reverse=True)]
    assert (curve.fraction[0], curve.gain[0]) == (0.0, 0.0)
    assert (curve.fraction[-1], curve.gain[-1]) == (1.0, 1.0)
    for share, gain in zip(curve.fraction[1:], curve.gain[1:], strict=True):
        assert fm.costs.cumulative_gain(y, s, fraction=share) == pytest.approx(gain, rel=1e-14)
    assert curve.lift[-1] == 1.0
    # The area between the curve and the diagonal is a share of the AUC's.
    area = np.sum(np.diff(curve.fraction) * (curve.gain[1:] + curve.gain[:-1])) / 2
    auc = (area - curve.prevalence / 2) / (1 - curve.prevalence)
    assert fm.roc_auc_score(y, s) == pytest.approx(auc, abs=1e-14)


# --- Lorenz --------------------------------------------------------------------------------------


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 5), st.integers(0, 3)), min_size=2, max_size=20
    ).filter(lambda rows: any(y * w for y, _, w in rows))
)
def test_the_lorenz_curve(rows: list[tuple[int, int, int]]) -> None:
    y, p, w = zip(*rows, strict=True)
    curve = fm.costs.lorenz_curve(y, p, sample_weight=w)
    shares = [Fraction(each) for each in w]
    assert curve.gini == pytest.approx(float(oracle.gini(y, p, shares)), abs=1e-14)
    best = oracle.normalized_gini(y, p, shares)
    if best is not None:
        assert curve.normalized_gini == pytest.approx(float(best), abs=1e-12)
    assert (np.diff(curve.share) >= 0).all()
    area = np.sum(np.diff(curve.exposure) * (curve.share[1:] + curve.share[:-1])) / 2
    assert curve.gini == pytest.approx(1 - 2 * area, abs=1e-14)
