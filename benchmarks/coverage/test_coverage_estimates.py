"""The part of the coverage study about `estimate` and `compare`: its targets, what it measures."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="the study is part of the checkout, not of the wheel")

from benchmarks.coverage import estimates, estimates_report, populations, scenes
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.study import simulate


@pytest.fixture(autouse=True)
def _fewer_rows(monkeypatch):
    monkeypatch.setattr(estimates, "MANY", 400_000)
    estimates.population.cache_clear()
    yield
    estimates.population.cache_clear()


@pytest.mark.parametrize("share", scenes.SHARES)
def test_targets_of_scores_are_those_of_the_main_design(share) -> None:
    scene = estimates._scene(100, share)
    truth, known = estimates.population(scene), populations.population(scene)
    for name in ("roc_auc", "average_precision", "f1", "accuracy", "roc_auc difference"):
        assert truth[name] == pytest.approx(known[name], abs=0.006), name
    assert truth["pr_auc"] == pytest.approx(truth["average_precision"], abs=0.002)


def test_targets_of_values_are_the_limits_of_large_samples() -> None:
    scene = estimates._scene(100, kind="values")
    out = Measured({}, {}, {})
    many = estimates.EstimateScene(estimates.PART, 200_000, 0.5, kind="values")
    estimates.measure(many, np.random.default_rng(3), out)
    truth = estimates.population(scene)
    for (name, _), (low, high) in out.intervals.items():
        assert abs((low + high) / 2 - truth[name]) < 2 * (high - low), name
    assert {name for _, name in out.pvalues} == set(estimates.VALUES)
    assert min(out.pvalues.values()) > 1e-4  # the models are as good as one another


@pytest.mark.filterwarnings("ignore::fastmetrics.errors.DegenerateDataWarning")
def test_the_section_is_of_the_study() -> None:
    kinds = {scene.kind: scene for scene in estimates.SCENES}
    chosen = [estimates.SCENES[1], kinds["values"], kinds["classes"]]
    study = simulate(chosen, 6, Cost(9, 9))
    text = estimates_report.section(study)
    for name in (*estimates.CURVES, *estimates.DECISIONS, *estimates.VALUES, *estimates.CLASSES):
        assert f"`{name}`" in text
    assert "### Sizes of `compare`" in text
    names = [scene.name for scene in estimates.SCENES]
    assert len(set(names)) == len(names)
