"""The Brier curve: its area is the Brier score, its height the loss of each threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics import ScoreTable, UndefinedMetricWarning


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [1, 12])
def test_its_area_is_the_brier_score(rng, weighted, decimals) -> None:
    labels, chances = rng.integers(0, 2, 300), np.round(rng.random(300), decimals)
    weights = rng.random(300) if weighted else None
    curve = fm.costs.brier_curve(labels, chances, sample_weight=weights)
    score = fm.brier_score_loss(labels, chances, sample_weight=weights)
    assert curve.brier_score == float(curve) == pytest.approx(score, rel=1e-13)
    # Between two points a straight line: the trapezoids are the area, jumps have none.
    steps = np.diff(curve.cost_share) * (curve.loss[:-1] + curve.loss[1:]) / 2
    assert steps.sum() == pytest.approx(score, rel=1e-12)


def test_its_height_is_the_loss_of_the_threshold(rng) -> None:
    labels, chances = rng.integers(0, 2, 50), np.round(rng.random(50), 1)
    curve = fm.costs.brier_curve(labels, chances)
    for low, high in zip(curve.cost_share[::2], curve.cost_share[1::2], strict=True):
        c = (low + high) / 2
        called = chances >= c
        loss = 2 * (c * np.sum(called & (labels == 0)) + (1 - c) * np.sum(~called & (labels == 1)))
        i = int(np.flatnonzero(curve.cost_share == low)[-1]) if low < high else None
        if i is not None:
            found = (curve.loss[i] + curve.loss[i + 1]) / 2
            assert found == pytest.approx(loss / 50)


def test_calibrated_probabilities_lose_least(rng) -> None:
    isotonic = pytest.importorskip("sklearn.isotonic")
    labels = rng.integers(0, 2, 400)
    chances = 1 / (1 + np.exp(-3 * (rng.normal(size=400) + labels)))
    fit = isotonic.IsotonicRegression().fit_transform(chances, labels)
    ours, best = fm.costs.brier_curve(labels, chances), fm.costs.brier_curve(labels, fit)
    places = (np.arange(200) + 0.5) / 200
    assert np.all(
        np.interp(places, best.cost_share, best.loss)
        <= np.interp(places, ours.cost_share, ours.loss) + 1e-12
    )


def test_certain_probabilities() -> None:
    assert fm.costs.brier_curve([0, 1], [0, 1]).loss.tolist() == [0] * 6
    wrong = fm.costs.brier_curve([0, 1], [1, 0])
    assert wrong.brier_score == 1
    np.testing.assert_allclose(np.interp([0.2, 0.7], wrong.cost_share, wrong.loss), 1)
    assert fm.costs.brier_curve([1, 1], [0.5, 0.5]).brier_score == 0.25


@pytest.mark.parametrize("wrong", [-0.1, 1.5])
def test_no_probabilities(wrong) -> None:
    with pytest.raises(ValueError, match=r"`y_proba` must lie in \[0, 1\]: from"):
        fm.costs.brier_curve([0, 1], [0.5, wrong])
    with pytest.raises(ValueError, match="`y_proba` must be finite: nan at index 1"):
        fm.costs.brier_curve([0, 1], [0.5, math.nan])


def test_no_row() -> None:
    with pytest.warns(UndefinedMetricWarning, match="the Brier curve is not defined"):
        curve = fm.costs.brier_curve(ScoreTable.from_counts([], [], []))
    assert math.isnan(curve.brier_score)
    assert len(curve.loss) == 0
