"""The part of the coverage study about calibration: its data, its targets, its counting."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="the study is part of the checkout, not of the wheel")

import fastmetrics as fm
from benchmarks.coverage import __main__ as coverage, calibration, scenes
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.study import load, simulate, with_parts

ROOT = Path(__file__).resolve().parents[2]
KINDS = [scene for scene in calibration.SCENES if scene.n == 200]
CALIBRATED, OFF = KINDS[0], KINDS[2]


@pytest.mark.parametrize("scene", KINDS, ids=lambda scene: scene.label)
def test_targets_are_the_limits_of_large_samples(scene) -> None:
    data = replace(scene, n=400_000).draw(np.random.default_rng(1))
    truth = calibration.population(scene)
    rms = fm.calibration.root_mean_square_calibration_error
    for name in ("uniform", "equal-count"):
        found = rms(data.labels, data.scores, strategy=name, estimator="sun")
        assert found == pytest.approx(truth[f"{name} bins"], abs=0.005)
    found = fm.calibration.expected_calibration_error(data.labels, data.scores)
    assert found == pytest.approx(truth["expected_calibration_error"], abs=0.005)
    assert truth["mean square"] == pytest.approx(truth["uniform bins"] ** 2)
    assert data.scores.mean() == pytest.approx(scene.share, abs=0.005)


def test_a_calibrated_scene_is_calibrated() -> None:
    p = np.array([0.001, 0.3, 0.9])
    assert CALIBRATED.truth(p) == pytest.approx(p)
    assert OFF.truth(np.array([0.5]))[0] == pytest.approx(1 / (1 + np.exp(-0.2)))
    assert [scene.is_calibrated for scene in KINDS] == [True, False, False, True, False, False]


def test_a_curve_is_inside_or_it_is_not() -> None:
    curve, low, high = np.array([0.2, 0.5]), np.array([0.1, 0.4]), np.array([0.3, 0.8])
    inside = calibration._round_zero(curve, low, high)
    assert inside == pytest.approx((-0.15, 0.15))
    below, above = (calibration._round_zero(curve + move, low, high) for move in (-0.15, 0.31))
    assert below[0] > 0
    assert above[1] < 0
    assert below[1] - below[0] == pytest.approx(0.3)


def test_each_kind_is_measured() -> None:
    for scene in (CALIBRATED, OFF):
        out = Measured({}, {}, {})
        rng = scene.generator(0)
        calibration.measure(scene, scene.draw(rng), rng, out)
        metrics = [metric for metric, _ in out.intervals]
        bins = ["uniform bins"] * 2 + ["equal-count bins"] * 2
        of_fit = ["fit of calibrated data"] * scene.is_calibrated
        assert metrics == [*bins, "calibration curve", *of_fit]
        assert {name for name, _ in out.pvalues} == {"calibrated" if of_fit else "not"}
        assert set(out.estimates) < calibration.population(scene).keys()
        ours = out.intervals["uniform bins", "Sun et al. (2024), for any n"]
        theirs = out.intervals["uniform bins", calibration.PUBLISHED]
        assert ours[1] > theirs[1]


def test_a_part_takes_the_place_of_its_own() -> None:
    one = simulate([CALIBRATED], 2, Cost(9, 9))
    other = simulate([OFF], 2, Cost(9, 9))
    main = next(s for s in scenes.SCENES if s.part == "fixed")
    whole = with_parts(simulate([main], 2, Cost(9, 9)), [calibration.PART], one)
    assert [row.scene for row in whole.intervals if row.part == calibration.PART] == [
        row.scene for row in one.intervals
    ]
    again = with_parts(whole, [calibration.PART], other)
    assert again.tests == other.tests
    assert len(again.intervals) == len(whole.intervals) - len(one.intervals) + len(other.intervals)


@pytest.mark.source_tree
def test_published_figures_are_what_the_intervals_are_shipped_for() -> None:
    published = load(ROOT / coverage.STORED)
    rows = [row for row in published.intervals if row.part == calibration.PART]
    shipped = [row for row in rows if row.method != calibration.PUBLISHED]
    assert {row.metric for row in shipped} == set(calibration._TITLES)
    for row in shipped:
        assert row.coverage > 0.94, row
        assert row.undefined == 0
    assert min(row.coverage for row in rows) < 0.93  # what was changed, and why
    sizes = [
        t for t in published.tests if (t.part, t.hypothesis) == (calibration.PART, "calibrated")
    ]
    assert len(sizes) == sum(scene.is_calibrated for scene in calibration.SCENES)
    for test in sizes:
        assert test.share == pytest.approx(0.05, abs=3.5 * test.error), test
