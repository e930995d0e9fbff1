"""Bands of the calibration curve: limits by all runs of cells, draws under calibration."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastmetrics as fm
from reference import calibration_interval_oracle as oracle

RNG = np.random.default_rng(0)
P = RNG.random(3000)
Y = (RNG.random(3000) < P**2).astype(int)


def cells_of(y: Any, p: Any, n_cells: int, *, closed_left: bool) -> list[Any]:
    """Return (least, greatest, positives, rows) of each cell that has rows."""
    found: dict[Any, list[tuple[int, Fraction]]] = {}
    exact = [Fraction(each) for each in p]
    for outcome, each in zip(y, exact, strict=True):
        if len(set(exact)) <= n_cells:
            place = each
        else:
            edges = [Fraction(k, n_cells) for k in range(n_cells + 1)]
            below = [k for k in edges if (k <= each if closed_left else k < each)]
            place = Fraction(len(below))
        found.setdefault(place, []).append((outcome, each))
    rows = [found[place] for place in sorted(found)]
    return [
        (min(q for _, q in each), max(q for _, q in each), sum(y for y, _ in each), len(each))
        for each in rows
    ]


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 16)), min_size=1, max_size=14),
    st.sampled_from([4, 8, 50]),
)
def test_limits_are_the_best_of_all_runs(rows, n_cells) -> None:
    rows += [(0, 3), (1, 3)]
    y, p = [row[0] for row in rows], [row[1] / 16 for row in rows]
    band = fm.calibration.reliability_band(y, p, n_cells=n_cells, confidence_level=0.5)
    upper = cells_of(y, p, n_cells, closed_left=True)
    lower = cells_of(y, p, n_cells, closed_left=False)
    for point, low, high in zip(band.probability, band.low, band.high, strict=True):
        at = Fraction(float(point))
        assert low == pytest.approx(oracle.band(lower, at, 0.5)[0], abs=1e-9)
        assert high == pytest.approx(oracle.band(upper, at, 0.5)[1], abs=1e-9)
    assert band.probability[0] == 0
    assert band.probability[-1] == 1
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()
    assert not band.low.flags.writeable


def test_the_fit_is_isotonic_regression() -> None:
    p = np.round(P, 1)
    band = fm.calibration.reliability_band(Y, p)
    values = [Fraction(int(Y[p == q].sum()), int((p == q).sum())) for q in np.unique(p)]
    right = oracle.isotonic(values, [int((p == q).sum()) for q in np.unique(p)])
    assert band.fit == pytest.approx([float(each) for each in right], abs=1e-12)
    assert ((band.low <= band.fit) & (band.fit <= band.high)).all()


def test_more_cells_than_probabilities_change_nothing() -> None:
    p = np.round(P, 1)
    left = fm.calibration.reliability_band(Y, p, n_cells=11)
    assert fm.calibration.reliability_band(Y, p, n_cells=1000) == left


def test_what_the_diagonal_says() -> None:
    assert not fm.calibration.reliability_band(Y, P).holds_diagonal
    assert fm.calibration.reliability_band(RNG.random(3000) < P, P).holds_diagonal
    consistency = fm.calibration.reliability_band(Y, P, kind="consistency", n_resamples=19, rng=1)
    assert consistency.holds_diagonal is None
    with pytest.warns(fm.UndefinedMetricWarning):
        nothing = fm.calibration.reliability_band(fm.ScoreTable([], [], []))
    assert nothing.holds_diagonal is None


def test_consistency_holds_the_fit_of_calibrated_data() -> None:
    rng, inside = np.random.default_rng(6), []
    for _ in range(300):
        p = np.round(rng.random(60), 1)
        y = rng.random(60) < p
        band = fm.calibration.reliability_band(
            y, p, kind="consistency", n_resamples=39, confidence_level=0.8, rng=rng
        )
        inside.append(((band.low <= band.fit) & (band.fit <= band.high))[4:7])
    assert np.mean(inside, axis=0) == pytest.approx([0.8] * 3, abs=0.1)
    assert band.n_resamples == 39


def test_consistency_points_are_at_most_the_cells() -> None:
    few = {"n_resamples": 20, "rng": 3}
    band = fm.calibration.reliability_band(Y, P, kind="consistency", n_cells=7, **few)
    assert len(band.probability) == 7
    assert band.probability[[0, -1]].tolist() == [P.min(), P.max()]
    assert (
        fm.calibration.reliability_band(
            Y, np.round(P, 1), kind="consistency", **few
        ).probability.size
        == 11
    )


def test_no_rows() -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="a reliability band is not defined"):
        band = fm.calibration.reliability_band(fm.ScoreTable.from_counts([], [], []))
    assert band.low.size == band.probability.size == 0


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [({"kind": "consistency", "n_resamples": 10**9}, ValueError, "take fewer replicates")],
)
def test_faults(options, kind, message) -> None:
    with pytest.raises(kind, match=message):
        fm.calibration.reliability_band(Y, P, **options)
