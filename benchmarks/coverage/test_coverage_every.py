"""No interval without a row of coverage: each metric of `estimate` is in the study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="the study is part of the checkout, not of the wheel")

from benchmarks.coverage import __main__ as coverage, every
from benchmarks.coverage.measured import Measured
from benchmarks.coverage.study import load
from metric_names import METRICS

ROOT = Path(__file__).resolve().parents[2]
SMALL = {kind: next(scene for scene in every.SCENES if scene.kind == kind) for kind in every.KINDS}


@pytest.mark.source_tree
def test_every_measure_that_has_an_interval_has_a_row():
    study = load(ROOT / coverage.STORED)
    have = {row.metric for row in study.intervals if row.part == every.PART}
    assert have == {metric.name for metric in METRICS.values() if metric.influences}


@pytest.mark.source_tree
def test_every_scene_has_all_its_measures_at_full_size():
    study = load(ROOT / coverage.STORED)
    rows = [row for row in study.intervals if row.part == every.PART]
    for scene in every.SCENES:
        here = {row.metric for row in rows if row.scene == scene.name}
        assert here == {row.metric for row in rows if row.scene == SMALL[scene.kind].name}
        assert all(row.n_data >= 500 for row in rows if row.scene == scene.name)


@pytest.mark.parametrize("kind", every.KINDS)
def test_a_data_set_gives_what_the_population_has(kind, monkeypatch):
    monkeypatch.setattr(every, "MANY", 2_000)
    monkeypatch.setattr(every, "N_QUERIES", 100)
    out = Measured({}, {}, {})
    scene = replace(SMALL[kind])
    every.measure(scene, np.random.default_rng(4), out)
    truth = every.population.__wrapped__(scene)
    assert {name for name, _ in out.intervals} == set(truth)
    assert all(np.isfinite(value) for value in truth.values())
    inside = [low <= truth[name] <= high for (name, _), (low, high) in out.intervals.items()]
    assert np.mean(inside) > 0.6  # few of one data set's intervals miss, if they are of its targets


@pytest.mark.source_tree
def test_what_covers_too_little_is_said():
    study = load(ROOT / coverage.STORED)
    text = every.section(study)
    for row in study.intervals:
        if row.part == every.PART and row.coverage < every.AIM:
            assert f"- `{row.metric}`, " in text
