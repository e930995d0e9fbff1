"""The part of the coverage study about recalibration: its targets, and what it measures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="the study is part of the checkout, not of the wheel")

import fastmetrics as fm
from benchmarks.coverage import __main__ as coverage, recalibration
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.study import load, simulate

ROOT = Path(__file__).resolve().parents[2]
LARGE = [scene for scene in recalibration.SCENES if scene.n == 200]


@pytest.mark.parametrize("scene", LARGE, ids=lambda scene: scene.label)
def test_targets_are_the_limits_of_large_samples(scene) -> None:
    rng = np.random.default_rng(2)
    data = replace(scene, n=400_000).draw(rng)
    truth = recalibration.population(scene)
    found = fm.calibration.logistic_calibration(data.labels, data.scores)
    for name in recalibration.NUMBERS:
        error = getattr(found, f"{name}_standard_error")
        assert abs(getattr(found, name) - truth[name]) < 4 * error
    noise = rng.standard_normal(len(data.scores))
    models = {"one": data.scores, "other": recalibration.other_model(data.scores, noise)}
    for name in recalibration.SCORES:
        pair = fm.compare(data.labels, models, metrics=name)[name].pairs[0]
        assert abs(pair.difference - truth[f"{name} difference"]) < 4 * pair.standard_error


def test_each_kind_is_measured() -> None:
    scene = recalibration.SCENES[0]
    out = Measured({}, {}, {})
    recalibration.measure(scene, scene.generator(0), out)
    methods = ["Wald", "Wald, importances"]
    scores = [f"{name} difference" for name in recalibration.SCORES]
    students = ["Student", "Student, importances"]
    assert list(out.intervals) == [
        *((name, method) for method in methods for name in recalibration.NUMBERS),
        *((name, method) for name in scores for method in students),
    ]
    assert set(out.pvalues) == {("calibrated", test) for test in recalibration.TESTS}
    assert {name for name, _ in out.intervals} == recalibration.population(scene).keys()


def test_the_section_is_of_the_study() -> None:
    study = simulate(recalibration.SCENES, 2, Cost(9, 9))
    text = recalibration.section(study)
    for title in recalibration._TITLES.values():
        assert title in text
    assert text.count("| Wald, importances |") == 2 * 3


@pytest.mark.source_tree
def test_published_intervals_keep_their_level() -> None:
    """From 200 rows on, none lacks three points; of 50 rows the figures are in the document."""
    study = load(ROOT / coverage.STORED)
    rows = [row for row in study.intervals if row.part == recalibration.PART]
    assert {row.scene for row in rows} == {scene.name for scene in recalibration.SCENES}
    plain = [row for row in rows if "importances" not in row.method]
    assert all(row.coverage > 0.92 for row in plain if row.scene.startswith("200"))
