"""The coverage study: its counting, its conclusions, its script; and a reduced run of it."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

pytest.importorskip("benchmarks", reason="the study is part of the checkout, not of the wheel")

import fastmetrics
from benchmarks.coverage import (
    __main__ as coverage,
    calibration,
    estimates,
    every,
    findings,
    levels,
    multilabel,
    pages,
    populations,
    report,
    scenes,
    study as studies,
)
from benchmarks.coverage.measured import (
    Cost,
    IntervalRow,
    Measured,
    RejectionRow,
    Study,
    binomial_error,
)
from benchmarks.coverage.methods import PROPORTIONS, measure
from benchmarks.coverage.scenes import SCENES, Scene
from benchmarks.coverage.study import load, simulate, stored, summarise

NAN = math.nan
ROOT = Path(__file__).resolve().parents[2]
SMALL = Cost(49, 19)
BALANCED = next(s for s in SCENES if s.n == 100 and s.share == 0.5 and s.part == "main")


def interval_row(method: str, covered: int, scene: Scene = BALANCED, **given) -> IntervalRow:
    row = IntervalRow(
        "main", scene.name, "roc_auc", method, 0.8, 2000, covered, 0, 0, 0, 0, mean_width=0.1
    )
    return replace(row, **given)


# --- counting ----------------------------------------------------------------------------------


def test_the_binomial_error():
    assert binomial_error(0.5, 100) == pytest.approx(0.05)
    assert binomial_error(0.95, 2000) == pytest.approx(0.00487, abs=1e-5)
    assert binomial_error(1.0, 2000) == 0.0


def test_what_is_short_is_short_by_two_errors():
    assert interval_row("bca", 1878).is_short  # 93.9 %
    assert not interval_row("bca", 1884).is_short  # 94.2 %
    assert not interval_row("bca", 2000).is_short


def test_every_kind_of_interval_is_counted_as_what_it_is():
    target = populations.population(BALANCED)["roc_auc"]
    limits = [
        (target - 0.1, target + 0.1),
        (target, target + 0.1),  # the limit belongs to it
        (0.1, 0.2),
        (0.9, 1.0),
        (1.0, 1.0),
        (NAN, NAN),
    ]
    measured = [
        Measured({("roc_auc", "x"): pair}, {("equal", "t"): p}, {"roc_auc": value})
        for pair, p, value in zip(
            limits, [0.01, 0.05, 0.06, 0.5, 1.0, NAN], [0.8, 0.9, 0.7, 0.6, 1.0, NAN], strict=True
        )
    ]
    (row,), (test,), (estimate,) = summarise(BALANCED, measured)
    assert (row.covered, row.below, row.above, row.undefined, row.no_width) == (2, 1, 2, 1, 1)
    assert row.mean_width == pytest.approx((0.2 + 0.1 + 0.1 + 0.1 + 0) / 5)
    assert row.coverage == pytest.approx(2 / 6)
    assert (test.rejected, test.undefined) == (2, 1)
    assert estimate.n_defined == 5
    assert estimate.mean == pytest.approx(0.8)


def test_half_an_interval_is_found_out():
    """The known-bad method: normal limits of half their length cover 67 %, and it shows."""
    rng = np.random.default_rng(4)
    target = populations.population(BALANCED)["accuracy"]
    error = math.sqrt(target * (1 - target) / 100)
    measured = [
        Measured(
            {
                ("accuracy", "whole"): (x - 1.96 * error, x + 1.96 * error),
                ("accuracy", "half"): (x - 0.98 * error, x + 0.98 * error),
            },
            {},
            {"accuracy": x},
        )
        for x in rng.normal(target, error, 2000)
    ]
    rows = {row.method: row for row in summarise(BALANCED, measured)[0]}
    assert rows["half"].is_short
    assert rows["half"].coverage == pytest.approx(0.673, abs=0.04)
    assert not rows["whole"].is_short


# --- the text ----------------------------------------------------------------------------------


def test_cells_of_the_tables():
    assert report.show_coverage(interval_row("bca", 1890)) == "94.5 ± 0.5"
    assert report.show_coverage(interval_row("bca", 1400)) == "**70.0** ± 1.0"
    assert report.show_width(interval_row("bca", 1890)) == "0.100"
    useless = interval_row("bca", 1890, undefined=20, no_width=10)
    assert report.show_width(useless) == "0.100 (1.5)"
    assert report.show_width(replace(useless, mean_width=None)) == "–"
    test = RejectionRow("main", BALANCED.name, "equal", "t", 2000, 200, 0)
    assert report.show_share(test) == "**10.0** ± 0.7"
    assert report.show_share(replace(test, hypothesis="worse")) == "10.0 ± 0.7"
    assert report.show_share(replace(test, rejected=110)) == "5.5 ± 0.5"
    assert report.table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |\n"


def test_conclusions_follow_from_the_rows():
    of = [s for s in SCENES if s.part == "main"]
    rows = [interval_row("percentile", 1800, scene) for scene in of]
    rows += [interval_row("basic", 1700, scene) for scene in of]
    rows += [interval_row("bca", 1890, scene, mean_width=0.2) for scene in of]
    rows += [interval_row("Wilson", 1895, scene, mean_width=0.15) for scene in of]
    found = {verdict.method: verdict for verdict in findings.verdicts(rows)}
    assert found["percentile"].shortfall == pytest.approx(0.05)
    assert found["bca"].width == pytest.approx(2)
    study = Study(2000, 999, 499, rows, [], [])
    assert findings.supported(study, ["roc_auc"]) == "bca"
    assert 'The default is `method="bca"`.' in findings.about_default(study, "x", ["roc_auc"])
    near = [r if r.method != "percentile" else replace(r, covered=1882) for r in rows]
    as_good = Study(2000, 999, 499, near, [], [])
    assert findings.supported(as_good, ["roc_auc"]) == "percentile"  # as good, and narrower
    assert findings.best(found.values()).method == "Wilson"  # as good, and narrower
    text = findings.which_is_better(rows)
    assert text.startswith("Best of the bootstrap's own methods is `bca`")
    assert "As good, and without resampling, is Wilson" in text
    worse = [r if r.method != "bca" else replace(r, covered=1850) for r in rows]
    assert "Better is Wilson" in findings.which_is_better(worse)
    assert "Wilson" not in findings.which_is_better(
        [r if r.method != "Wilson" else replace(r, covered=1850) for r in rows]
    )
    stratified = [replace(r, method="stratified bca", covered=1900) for r in rows[-6:]]
    assert findings.which_is_better(rows + stratified) == text  # for another design
    assert findings.where_short(rows, "bca") == "`bca` covers as it should everywhere."
    assert "everywhere: 30 rows, balanced (90.0)" in findings.where_short(rows, "percentile")
    rows[0] = replace(rows[0], covered=1900)
    assert findings.where_short(rows, "percentile").startswith(
        "`percentile` covers too little here: 100 rows, balanced (90.0); "
    )


def test_scenes_with_hardly_a_positive_do_not_rank():
    ranked = findings.ranked_scenes("main")
    assert "30 rows, 5% positive" not in ranked
    assert len(ranked) == 5
    few = next(s for s in SCENES if s.part == "main" and s.n * s.share < 2)
    row = interval_row("percentile", 100, few)
    good = interval_row("percentile", 1900)
    assert findings.verdicts([row, good])[0].worst == 0.95


def test_large_sizes_are_named():
    rows = [
        RejectionRow("main", BALANCED.name, "equal", "a", 2000, 200, 0),
        RejectionRow("main", BALANCED.name, "worse", "b", 2000, 900, 0),
        RejectionRow("main", BALANCED.name, "spread", "b", 2000, 100, 0),
    ]
    assert "100 rows, balanced, equal models (10.0 %)" in findings.about_size(rows, "a")
    assert findings.about_size(rows, "b") == "`b` keeps its level everywhere."
    rare = replace(rows[2], rejected=20)
    said = findings.about_size([rows[0], replace(rare, test="a")], "a")
    assert said.startswith("`a` rejects true hypotheses too often here: ")
    assert said.endswith("; it is too cautious here: 100 rows, balanced, another shape (1.0 %).")
    assert "keeps its level" not in said
    sparse = [replace(row, scene="100 rows, 5% positive") for row in rows]
    text = findings.about_sizes([*rows, *sparse])
    assert text.startswith("Where positives are few, take `b`")
    assert "`a` 10.0 and `b` 5.0" in text


# --- the script --------------------------------------------------------------------------------


def test_figures_depend_neither_on_chunks_nor_on_other_scenes(monkeypatch):
    few = [scene for scene in SCENES if scene.part == "fixed"][:2]
    together = simulate(few, 6, SMALL)
    monkeypatch.setattr(studies, "CHUNK", 4)
    alone = simulate(few[1:], 6, SMALL)
    rows = [row for row in together.intervals if row.scene == few[1].name]
    assert alone.intervals == rows


def test_a_data_set_without_positives_has_no_intervals_and_no_error():
    scene = next(s for s in SCENES if s.part == "main" and s.n * s.share < 2)
    number = next(i for i in range(100) if not scenes.draw(scene, scene.generator(i)).labels.any())
    measured = measure(scene, number, SMALL)
    for (metric, method), (low, _) in measured.intervals.items():
        if metric in ("roc_auc", "average_precision", "ks_statistic"):
            assert math.isnan(low), (metric, method)
    assert all(math.isnan(p) for p in measured.pvalues.values())
    assert not math.isnan(measured.intervals["accuracy", "Wilson"][0])


@pytest.fixture
def _small_populations(monkeypatch):
    """Take the metrics of a population from thousands of rows, not from millions."""
    caches = [m.population for m in (estimates, every, levels, multilabel)]
    caches += [populations._values_of_rankings, populations.population]
    caches += [calibration.population, calibration._quantiles]
    for cached in caches:
        cached.cache_clear()
    for module in (estimates, every, multilabel):
        monkeypatch.setattr(module, "MANY", 8_000)
    monkeypatch.setattr(levels, "_MANY", 8_000)
    monkeypatch.setattr(calibration, "_GRID", 8_000)
    monkeypatch.setattr(every, "N_QUERIES", 500)
    monkeypatch.setattr(populations, "MANY_QUERIES", 500)
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.mark.usefixtures("_small_populations")
def test_the_script_writes_only_where_it_may(tmp_path, capsys, monkeypatch):
    few = ["--data-sets", "1", "--resamples", "19", "--exchanges", "9", "--processes", "1"]
    rows = [s for s in estimates.SCENES if s.kind == "rows"]  # of 43, two of each shape
    left_out = {*rows} - {*{(s.shape, s.is_held_out): s for s in rows}.values()}
    few_scenes = [scene for scene in coverage.ALL_SCENES if scene not in left_out]
    monkeypatch.setattr(coverage, "ALL_SCENES", few_scenes)
    before = {path: path.read_bytes() for path in (ROOT / "docs").rglob("coverage*.*")}
    assert coverage.main([*few, "--output", str(tmp_path)]) == 0
    study = load(tmp_path / coverage.STORED)
    assert study.n_data == 1
    assert {(row.part, row.scene) for row in study.intervals} == {
        (s.part, s.name) for s in coverage.ALL_SCENES
    }
    written = pages.documents(study)
    assert {path: (tmp_path / path).read_text(encoding="utf-8") for path in written} == written
    for title in report.TITLES.values():
        assert any(f"# {title}\n" in text for text in written.values())
    assert stored(study) == (tmp_path / coverage.STORED).read_text(encoding="utf-8")
    assert "written" in capsys.readouterr().out
    monkeypatch.setattr(coverage, "simulate", lambda *_, **__: study)
    assert coverage.main(few) == 0
    assert "nothing is written" in capsys.readouterr().out
    assert before == {path: path.read_bytes() for path in (ROOT / "docs").rglob("coverage*.*")}


@pytest.mark.source_tree
def test_the_document_shows_the_stored_figures():
    study = load(ROOT / coverage.STORED)
    assert study.n_data >= coverage.DATA_SETS
    written = pages.documents(study)
    assert {path: (ROOT / path).read_text(encoding="utf-8") for path in written} == written
    stray = set((ROOT / "docs" / "coverage").iterdir()) - {ROOT / path for path in written}
    assert not stray


@pytest.mark.source_tree
def test_each_section_is_on_one_page_and_each_figure_of_a_family_has_one():
    study = load(ROOT / coverage.STORED)
    written = pages.documents(study)
    for section in re.split(r"(?m)^(?=## )", report.document(study)):
        assert sum(section in text for text in written.values()) == 1
    parts = [part for family in pages.FAMILIES for part in family.parts]
    assert sorted(parts) == sorted({row.part for row in study.intervals} | {"differences"})


@pytest.mark.source_tree
def test_the_best_of_a_quantity_lacks_least_over_all_its_scenes():
    rows = [
        interval_row(method, covered, scene=scene, mean_width=width)
        for method, of_scenes, width in (
            ("wide", (1900, 1900), 0.3),
            ("narrow", (1900, 1899), 0.2),
            ("short", (1900, 1800), 0.1),
        )
        for scene, covered in zip(SCENES[:2], of_scenes, strict=True)
    ]
    alone = interval_row("of one scene", 1900, mean_width=0.01)
    assert {row.method for row in pages._best([*rows, alone])} == {"narrow"}


# --- a reduced run -----------------------------------------------------------------------------


def test_one_part_alone_leaves_the_others_as_they_are():
    whole = simulate([s for s in SCENES if s.n == 30][:1], 4, SMALL)
    costs = simulate([s for s in SCENES if s.part == "costs" and s.n == 100], 8, SMALL)
    assert {row.n_data for row in costs.intervals} == {2}
    both = studies.with_parts(whole, ["costs"], costs)
    assert both.intervals == whole.intervals + costs.intervals
    assert studies.with_parts(both, ["costs"], costs) == both


@pytest.mark.slow
@pytest.mark.source_tree
@pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")
def test_a_reduced_run_agrees_with_the_published_figures():
    """200 data sets of some kinds: each coverage and size within four binomial errors."""
    n = 200
    chosen = [s for s in coverage.ALL_SCENES if s.n in (100, 200, 500)]
    published = load(ROOT / coverage.STORED)
    found = simulate(chosen, n, Cost(499, 199))
    of_intervals = {(r.part, r.scene, r.metric, r.method): r for r in published.intervals}
    assert len(found.intervals) > 100
    for row in found.intervals:
        share = of_intervals[row.part, row.scene, row.metric, row.method].coverage
        allowed = 4 * max(binomial_error(share, row.n_data), 1 / row.n_data)
        assert row.coverage == pytest.approx(share, abs=allowed), row
    of_tests = {(r.part, r.scene, r.hypothesis, r.test): r for r in published.tests}
    for test in found.tests:
        share = of_tests[test.part, test.scene, test.hypothesis, test.test].share
        allowed = 4 * max(binomial_error(share, test.n_data), 1 / test.n_data)
        assert test.share == pytest.approx(share, abs=allowed), test


@pytest.mark.source_tree
def test_what_theory_demands_holds_in_the_published_figures():
    """Large balanced samples: every method but those of the biased KS is near 95 %."""
    published = load(ROOT / coverage.STORED)
    large = [r for r in published.intervals if r.part == "main" and r.scene.startswith("1,000")]
    checked = 0
    for row in large:
        # Random class sizes: stratified draws leave out what chance does to them.
        if "balanced" in row.scene and row.metric != "ks_statistic" and "strat" not in row.method:
            assert row.coverage == pytest.approx(0.95, abs=0.02), row
            checked += 1
    assert checked > 25
    exact = [t for t in published.tests if t.hypothesis == "equal" and t.test.endswith("scores")]
    assert len(exact) == 6
    assert all(t.share <= 0.05 + 3 * max(t.error, 0.001) for t in exact)


@pytest.mark.source_tree
def test_published_coverage_of_proportions_is_that_of_exact_enumeration():
    published = load(ROOT / coverage.STORED)
    checked = 0
    for scene in (s for s in SCENES if s.part == "main"):
        target, k = populations.population(scene)["accuracy"], np.arange(scene.n + 1)
        weights = scipy.stats.binom.pmf(k, scene.n, target)
        for name, method in PROPORTIONS.items():
            covered = 0.0
            for successes in k[weights > 1e-9].tolist():
                result = fastmetrics.comparison.proportion_interval(
                    successes, scene.n, method=method
                )
                interval = result.confidence_interval
                covered += weights[successes] * (interval.low <= target <= interval.high)
            (row,) = [
                r
                for r in published.find("main", "accuracy")
                if (r.scene, r.method) == (scene.name, name)
            ]
            assert row.coverage == pytest.approx(covered, abs=3.5 * row.error), row
            checked += 1
    assert checked == 18
