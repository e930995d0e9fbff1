"""The part of the coverage study about concordance: its targets, and what it measures."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="the study is part of the checkout, not of the wheel")

from benchmarks.coverage import concordance
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.study import simulate


def test_targets_are_the_limits_of_large_samples(monkeypatch) -> None:
    monkeypatch.setattr(concordance, "TRAINING", 1_000_000)
    out = Measured({}, {}, {})
    scene = concordance.ConcordanceScene(concordance.PART, 100_000, 0.5)
    concordance.measure(scene, np.random.default_rng(3), out)
    truth = concordance.population()
    assert {name for name, _ in out.intervals} == truth.keys()
    for (name, _), (low, high) in out.intervals.items():
        assert abs((low + high) / 2 - truth[name]) < (high - low) < 0.025 * max(1.0, truth[name])
    assert {test for _, test in out.pvalues} == {*concordance.TESTS}


def test_the_section_is_of_the_study() -> None:
    study = simulate(concordance.SCENES[:2], 3, Cost(9, 9))
    text = concordance.section(study)
    for title in concordance._TITLES.values():
        assert title in text
    assert text.count("| influence |") == 2 * len(concordance._TITLES)
    assert "| `compare` |" in text
