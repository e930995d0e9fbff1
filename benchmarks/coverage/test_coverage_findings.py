"""What follows from the coverage study: its defaults, its first screen, its groups and parts."""

from __future__ import annotations

import re
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="the study is part of the checkout, not of the wheel")

import fastmetrics
from benchmarks.coverage import (
    __main__ as coverage,
    claim,
    estimates,
    findings,
    levels,
    report,
    scenes,
    study as studies,
)
from benchmarks.coverage.first_screen import first_screen
from benchmarks.coverage.measured import Measured
from benchmarks.coverage.scenes import SCENES
from benchmarks.coverage.study import IntervalRow, Study, load

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.source_tree
def test_the_defaults_are_those_that_the_figures_support():
    """One rule, applied once: what the document says is what the functions do."""
    study = load(ROOT / coverage.STORED)
    paired = findings.supported(study, report.DIFFERENCES)
    labels, scores = [0, 1, 1, 0, 1, 0] * 20, np.arange(120) * 7 % 31
    result = fastmetrics.bootstrap(labels, scores, metrics=["roc_auc", "f1"], threshold=9, rng=1)
    assert {one.method for one in result.values()} == {findings.supported(study, report.METRICS)}
    models = {"a": scores, "b": scores[::-1]}
    compared = fastmetrics.paired_bootstrap(labels, models, metrics="roc_auc", rng=1)
    assert compared["roc_auc"].method == f"{paired} bootstrap"
    text = " ".join((ROOT / coverage.DOCUMENT).read_text(encoding="utf-8").split())
    for function, method in (("bootstrap", "bca"), ("paired_bootstrap", paired)):
        (line,) = [part for part in text.split(" - ") if part.startswith(f"`{function}`: on av")]
        assert f'The default is `method="{method}"`.' in line


@pytest.mark.source_tree
def test_the_first_screen_comes_first_and_names_what_there_is():
    study = load(ROOT / coverage.STORED)
    text = (ROOT / coverage.DOCUMENT).read_text(encoding="utf-8")
    lines = first_screen(study)
    assert text.splitlines()[2] == "| you have | call | expect |"
    assert len(lines) <= 14
    for line in lines:
        assert f"| {' | '.join(line)} |" in text.split("## In short")[0]
        for name in re.findall(r"`([\w.]+)(?:\(|`)", line[1]):
            assert attrgetter(name)(fastmetrics)


@pytest.mark.source_tree
def test_students_t_mends_part_of_what_few_groups_lack():
    study = load(ROOT / coverage.STORED)
    rows = {(r.metric, r.scene, r.method): r for r in study.intervals if r.part == "groups"}
    pairs = [
        (key, rows[(*key[:2], key[2].replace(", normal", ", t"))])
        for key in rows
        if key[2].endswith(", normal")
    ]
    assert len(pairs) == 3 * 4
    for key, by_t in pairs:
        gain = by_t.coverage - rows[key].coverage
        assert gain >= 0
        assert by_t.coverage < 0.97  # and widens none too much
        if "50 equal" not in key[1]:
            assert gain > 0.01


def test_groups_of_a_scene_have_its_sizes():
    uneven = next(s for s in SCENES if s.uneven)
    sizes = uneven.sizes()
    assert (sizes.sum(), len(sizes), sizes.min()) == (uneven.n, 50, 2)
    assert sizes[0] == pytest.approx(500 / sum(1 / k for k in range(1, 51)), abs=1)
    assert fastmetrics.comparison.effective_sample_size(sizes) == pytest.approx(12.4, abs=0.1)
    drawn = scenes.draw(uneven, uneven.generator(0))
    assert np.bincount(drawn.groups).tolist() == sizes.tolist()


def test_parts_are_replaced_and_the_others_kept(tmp_path, monkeypatch):
    """`--part` runs some of the study again."""
    few = ["--data-sets", "4", "--resamples", "19", "--exchanges", "9", "--processes", "1"]
    monkeypatch.setattr(coverage, "DATA_SETS", 4)
    published = load(ROOT / coverage.STORED)
    assert coverage.main([*few, "--part", "choice", "--output", str(tmp_path)]) == 0
    found = load(tmp_path / coverage.STORED)
    assert len(found.intervals) == len(published.intervals)
    others = [row for row in published.intervals if row.part != "choice"]
    assert found.intervals[: len(others)] == others
    assert {(row.part, row.n_data) for row in found.intervals[len(others) :]} == {("choice", 4)}


def default_row(part, metric, scene, covered, undefined=0) -> IntervalRow:
    method = claim._DEFAULTS.get(part, "estimate")
    counts = 1000, covered, 0, 0, undefined, 0
    return IntervalRow(part, scene, metric, method, 0.5, *counts, 0.25)


def test_the_claim_names_what_fails_it():
    rows = [default_row(part, "roc_auc", "500 rows, 50 groups", 950) for part in claim._DEFAULTS]
    rows += [
        default_row("estimates", "f1", "100 rows, balanced", 915),
        default_row("estimates", "f1", "1,000 rows, balanced", 930),  # within two errors
        default_row("estimates", "recall", "100 rows, 5% positive", 900, 60),
        default_row("levels", "r2", f"100 rows, {levels.VALUES}", 850),
        default_row("estimates", "log_loss difference", "100 rows, 5% positive", 860),
        default_row("estimates", "roc_auc", "8 equal clusters", 870),
    ]
    text = claim.section(Study(1000, 999, 499, rows, [], []))
    assert f"Of {len(rows)} figures" in text
    assert f"{len(rows) - 5} do" in text
    _, interval, tails, noted, grouped, silent = text.split("\n- ")
    assert "100 rows, 5 % positive (recall 90.0 %)" in interval
    assert "r2 85.0 %" in tails
    assert noted.endswith("100 rows, 5 % positive (log_loss difference 86.0 %).")
    assert grouped.endswith("8 equal clusters (roc_auc 87.0 %).")
    assert silent.strip().endswith("no result says so: 100 rows, balanced (f1 91.5 %).")


def sharp_rows(scene, coverage, ratio, metric="roc_auc") -> list[IntervalRow]:
    """Return a default, one that covers, `ratio` times as sharp, and one that is too short."""
    default = replace(
        default_row("estimates", metric, scene, coverage), score=ratio, ratio=1.0, ratio_error=0.0
    )
    covers = replace(default, method="percentile", covered=940, ratio=ratio, ratio_error=0.01)
    short = replace(default, method="bca", covered=929, ratio=9.0, ratio_error=0.01)
    return [default, covers, short]


def test_the_best_is_the_best_that_covers_and_the_claim_has_two_sides():
    chosen, held_out = (
        [s.name for s in estimates.SCENES if s.is_held_out == held][:3] for held in (False, True)
    )
    rows = sharp_rows(chosen[0], 955, 0.9) + sharp_rows(chosen[1], 945, 1.6)
    rows += sharp_rows(held_out[0], 999, 1.05) + sharp_rows(held_out[1], 900, 1.2)
    alone = sharp_rows(held_out[2], 960, 1.2, "f1")
    rows += [alone[0], replace(alone[1], covered=920)]
    study = Study(1000, 999, 499, rows, [], [])
    pairs = claim.sharpness(study)
    assert [pair.best and pair.best.method for pair in pairs] == ["percentile"] * 4 + [None]
    assert [pair.is_held_out for pair in pairs] == [False, False, True, True, True]
    both = claim.summary(pairs[:2])
    assert both.ratio == pytest.approx(1.2)  # the geometric mean of 0.9 and 1.6
    assert both.ratio_error == pytest.approx(1.2 / 2 * np.hypot(0.01 / 0.9, 0.01 / 1.6))
    assert both.coverage_error == pytest.approx(
        np.hypot(pairs[0].default.error, pairs[1].default.error) / 2
    )
    held, own = claim.sharp_section(study).split("**Chosen on**")
    assert f"Below 93.0 % by more than two standard errors, 1 of 3: {held_out[1]} (" in held
    assert f"Above 98.5 % by more than two standard errors, 1 of 3: {held_out[0]} (" in held
    assert f"1 of 3: {held_out[2]} (f1 96.0 %)" in held
    assert "Mean coverage is 95.3 %, within 94.0 to 97.0 %" in held
    assert "in the geometric mean, **not within** 1.10; with the default among" in held
    assert f"1 of 2: {chosen[1]} (roc_auc 1.60, `percentile`)" in own
    assert "| **all** | 2 | 95.0 ± 0.5 | 94.5 to 95.5 | 1.20 ± 0.01 | 1.60 |" in own


def test_the_score_of_an_interval_is_its_width_and_forty_times_what_it_misses_by():
    limits = np.array([(0.4, 0.6), (0.55, 0.75), (0.2, 0.25)])
    expected = [0.2, 0.2 + 40 * 0.05, 0.05 + 40 * 0.25]
    assert studies.interval_score(limits, 0.5) == pytest.approx(expected)
    rng = np.random.default_rng(5)  # the quantiles of the truth have the least mean
    estimates_of_0 = rng.normal(size=200_000)[:, None]
    scores = [
        studies.interval_score(estimates_of_0 + np.array([-z, z]), 0.0).mean()
        for z in (1.6, 1.96, 2.4)
    ]
    assert scores[1] == min(scores)


def test_scores_are_compared_on_the_same_data_sets_and_nan_is_the_end_of_the_scale():
    scene = estimates.SCENES[0]
    target = estimates.population(scene)["roc_auc"]
    wide, narrow = (target - 0.1, target + 0.05), (target - 0.02, target + 0.03)
    of_all = [("roc_auc", "estimate", wide)] * 3 + [("roc_auc", "estimate", (np.nan, np.nan))]
    measured = [Measured({(m, name): each}, {}, {}) for m, name, each in of_all]
    for one in measured[:2]:
        one.intervals["roc_auc", "bca"] = narrow
    default, bca = studies.summarise(scene, measured)[0]
    assert (default.n_data, default.covered, default.undefined) == (4, 4, 1)
    assert default.score == pytest.approx((3 * 0.15 + 1.0) / 4, rel=1e-5)
    assert default.median_width == pytest.approx(0.15, rel=1e-5)
    assert (bca.n_data, bca.ratio) == (2, pytest.approx(3.0, rel=1e-5))  # 0.15 over 0.05
    assert bca.ratio_error == 0.0
