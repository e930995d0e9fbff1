"""What follows from the coverage study: its defaults, its first screen, its groups and parts."""

from __future__ import annotations

import re
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

pytest.importorskip("benchmarks", reason="the study is part of the checkout, not of the wheel")

import fastmetrics
from benchmarks.coverage import (
    __main__ as coverage,
    claim,
    costs,
    findings,
    iterated,
    levels,
    report,
    scenes,
    study as studies,
)
from benchmarks.coverage.first_screen import first_screen
from benchmarks.coverage.measured import Cost
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
    assert len(pairs) == 3 * 6
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


def test_an_iterated_bootstrap_counts_as_scipy_does():
    rng = np.random.default_rng(20_080_615)
    labels = rng.integers(0, 2, 30)
    counts = rng.multinomial(30, np.full(30, 1 / 30), size=20)
    for row in counts:
        found = iterated._measures(row, labels)
        drawn = np.repeat(np.arange(30), row)
        places = [-drawn[labels[drawn] == code] for code in (1, 0)]
        right = scipy.stats.ks_2samp(*places, alternative="less").statistic
        best = fastmetrics.best_threshold(labels[drawn], -drawn).true_positive_rate
        prices = {"cost_fn": np.full(30, costs.COST_FN), "cost_fp": 1}
        cheapest = fastmetrics.costs.threshold_cost_interval(labels[drawn], -drawn, **prices)
        assert found == pytest.approx([right, best, cheapest.cost], abs=1e-12)


def test_the_claim_names_what_fails_it():
    def row(part, metric, scene, covered, undefined=0):
        method = claim._DEFAULTS.get(part, "estimate")
        counts = 1000, covered, 0, 0, undefined, 0
        return IntervalRow(part, scene, metric, method, 0.5, *counts, 0.25)

    rows = [row(part, "roc_auc", "500 rows, 50 groups", 950) for part in claim._DEFAULTS]
    rows += [row("estimates", "f1", "100 rows, balanced", 930)]
    rows += [row("estimates", "recall", "100 rows, 5% positive", 900, 60)]
    rows += [row("levels", "r2", f"100 rows, {levels.VALUES}", 850)]
    rows += [row("estimates", "log_loss difference", "100 rows, 5% positive", 860)]
    rows += [row("iterated", "ks_statistic", "100 rows, 10% positive", 951)]
    rows += [replace(rows[-1], method=iterated.ITERATED, covered=870)]
    study = Study(1000, 999, 499, rows, [], [])
    said = claim.section(study)
    assert f"Of {len(rows) - 2} figures" in said
    assert f"{len(rows) - 6} do" in said
    _, interval, tails, noted, silent, again, _, tried = said.split("\n- ")
    assert "100 rows, 5 % positive (recall 90.0 %)" in interval
    assert "r2 85.0 %" in tails
    assert noted.endswith("100 rows, 5 % positive (log_loss difference 86.0 %).")
    assert silent.endswith("no result says so: 100 rows, balanced (f1 93.0 %).")
    assert again.endswith("First and second: none.")
    assert tried.endswith(
        "KS, 1000 data sets of 100 rows, 10 % positive: 87.0 %, 0.250 "
        "(by estimate 95.1 %, 0.250).\n\n"
    )
    (doubted,) = claim.in_doubt(study)
    assert (doubted.metric, doubted.scene) == ("f1", "100 rows, balanced")
    for covered, n_less, rest in (
        (18_800, 5, "none"),
        (18_600, 6, "100 rows, balanced (f1 93.0 %)"),
    ):
        second = replace(doubted, n_data=20_000, covered=covered)
        decided = replace(study, again=[second])
        said = claim.section(decided)
        assert f"{len(rows) - n_less} do" in said
        assert f"no result says so: {rest}.\n" in said
        share = 100 * second.coverage
        assert f"First and second: 100 rows, balanced (f1 93.0, then {share:.1f} %).\n" in said
        assert not claim.in_doubt(decided)  # a second figure decides: there is no third


def test_what_is_in_doubt_is_simulated_again_on_fresh_data_sets(monkeypatch):
    monkeypatch.setattr(studies, "TIMES", 3)
    scenes = [s for s in levels.SCENES if s.n == 100 and s.kind == "normal"]
    study = studies.simulate(scenes, 4, Cost(19, 9))
    doubted = [row for row in study.intervals if row.metric in ("f1", "recall")]
    again = studies.simulate_again(study, doubted, coverage.ALL_SCENES)
    assert replace(again, again=[]) == study
    assert [row.key for row in again.again] == [row.key for row in doubted]
    assert {row.n_data for row in again.again} == {6}
    drawn = studies.simulate(scenes, 12, Cost(19, 9), first=studies.FRESH)
    assert again.again == [row for row in drawn.intervals if row.metric in ("f1", "recall")]
    first = studies.simulate(scenes, 12, Cost(19, 9))
    widths = [row.mean_width for row in first.intervals if row.metric in ("f1", "recall")]
    assert all(row.mean_width not in widths for row in again.again)
    assert studies.with_part(again, "levels", study) == study
