"""The study of sizes: its counting, its conclusions, its registry; and what it published."""

import itertools
import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("benchmarks", reason="the study is part of the checkout, not of the wheel")

from benchmarks.sizes import __main__ as sizes, ranks, scenes as registry
from benchmarks.sizes.report import Row, document, findings, load, stored
from benchmarks.sizes.resampling import IDEAL, folds, nearest_mean, nearest_neighbour
from benchmarks.sizes.scenes import NOTES, Scene, scenes
from fastmetrics.comparison import compare_table, nemenyi_test

ROOT = Path(__file__).resolve().parents[1]
FIGURES = json.loads(
    (ROOT / "tests" / "reference" / "reference_values.json").read_text(encoding="utf-8")
)["5x2cv"]["ideal_null_size_at_05"]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20_080_615)


def uniform(rng: np.random.Generator) -> dict[str, float]:
    return {"right": rng.random(), "eager": rng.random() / 2, "silent": math.nan}


# --- counting ------------------------------------------------------------------------------------


def test_rejections_are_counted():
    rows = sizes.simulate([Scene("part", "scene", uniform, 4000)])
    right, eager, silent = rows
    assert [row.test for row in rows] == ["right", "eager", "silent"]
    assert abs(right.size - 0.05) < 4 * right.error
    assert right.rejected_at_10 == pytest.approx(400, abs=80)
    assert not right.is_large
    assert eager.is_large
    assert eager.size == pytest.approx(0.1, abs=0.02)
    assert (silent.rejected_at_05, silent.rejected_at_10, silent.undefined) == (0, 0, 4000)


def test_data_sets_depend_on_the_scene_and_their_number_alone():
    scene, other = Scene("part", "scene", uniform, 40), Scene("part", "other", uniform, 40)
    assert sizes.simulate([scene]) == sizes.simulate([other, scene])[3:]
    draws = {one.generator(number).random() for one in (scene, other) for number in range(5)}
    assert len(draws) == 10


def test_conclusions_follow_from_the_figures():
    def row(scene: str, rejected: int) -> Row:
        return Row("part", scene, "a_test, variant", 1000, rejected, 2 * rejected, 0)

    assert findings([row("x", 52)]) == ["`a_test`, variant keeps its level: 5.2 %."]
    (said,) = findings([row("x", 30), row("y", 35)])
    assert said == "`a_test`, variant stays below its level: 3.0 to 3.5 %."
    (said,) = findings([row("x", 10), row("y", 0)])
    assert said == "`a_test`, variant is too cautious: 0.0 to 1.0 %."
    (said,) = findings([row("x", 52), row("y", 10)])
    assert (
        said == "`a_test`, variant is too cautious (y) and keeps its level elsewhere: 1.0 to 5.2 %."
    )
    (said,) = findings([row("x", 120), row("y", 10)])
    assert said == (
        "`a_test`, variant rejects too often (x) and is too cautious (y): 1.0 to 12.0 %."
    )
    (said,) = findings([row("x", 50), row("y", 120)])
    assert said == "`a_test`, variant rejects too often (y): 5.0 to 12.0 %."
    assert "often: 12.0 %" in findings([row("y", 120)])[0]
    text = document([row("x", 50), row("y", 120)], {"part": "Note."})
    assert "| `a_test`, variant | 5.0 ± 0.7; 10.0 | **12.0** ± 1.0; 24.0 |" in text
    text = document([row("x", 50), row("y", 10)], {"part": "Note."})
    assert "| `a_test`, variant | 5.0 ± 0.7; 10.0 | *1.0* ± 0.7; 2.0 |" in text


# --- the registry --------------------------------------------------------------------------------


def test_a_scene_is_registered_once_and_described(monkeypatch):
    monkeypatch.setattr(registry, "SCENES", {})
    monkeypatch.setattr(registry, "NOTES", {})
    with pytest.raises(ValueError, match="say first, by `describe`, what 'part' is"):
        registry.add("part", "scene", n_data=10)(uniform)
    registry.describe("part", "Drawn\n   so.")
    assert registry.NOTES == {"part": "Drawn so."}
    assert registry.add("part", "scene", n_data=10)(uniform) is uniform
    with pytest.raises(ValueError, match="there is a scene 'part', 'scene' already"):
        registry.add("part", "scene", n_data=10)(uniform)


@pytest.mark.parametrize("scene", scenes(), ids=lambda s: f"{s.part}: {s.name}")
def test_every_scene_gives_pvalues(scene, recwarn):
    found = scene.measure(scene.generator(0))
    assert found
    assert all(math.isnan(p) or 0 <= p <= 1 for p in found.values())
    assert found == scene.measure(scene.generator(0))
    recwarn.clear()


# --- the data ------------------------------------------------------------------------------------


def test_folds_are_stratified(rng):
    y = rng.random(101) < 0.4
    for k in (2, 10):
        found = list(folds(y, k, rng))
        assert np.sum(found, axis=0).tolist() == [1] * 101
        positives = [int(y[fold].sum()) for fold in found]
        assert max(positives) - min(positives) <= 1
        assert max(map(np.sum, found)) - min(map(np.sum, found)) <= 2


def test_classifiers(rng):
    x, y = rng.normal(size=50), rng.random(50) < 0.5
    new = rng.normal(size=200)
    nearest = y[np.abs(new[:, None] - x).argmin(axis=1)]
    assert nearest_neighbour(x, y, new).tolist() == nearest.tolist()
    x = x + 3 * y
    middle = (x[y].mean() + x[~y].mean()) / 2
    assert nearest_mean(x, y, new).tolist() == (new > middle).tolist()


@pytest.mark.parametrize("kind", ranks.KINDS)
def test_the_smallest_pvalue_is_the_decision_of_the_family(kind):
    def tests(scores):
        yield nemenyi_test(scores, higher_is_better=True)
        options = {"higher_is_better": True, "pvalue_method": "f"}
        yield compare_table(scores, post_hoc="bonferroni-dunn", control="0", **options).post_hoc
        yield compare_table(scores, post_hoc="wilcoxon-holm", **options).post_hoc

    metrics = [make(ranks.KINDS[kind], 3, 10) for make in (ranks.mean_ranks, ranks.signed_ranks)]
    rejected = 0
    for seed in range(60):
        scores = ranks.KINDS[kind](np.random.default_rng(seed), (10, 3))
        pvalues = [p for measure in metrics for p in measure(np.random.default_rng(seed)).values()]
        decisions = [any(pair.reject for pair in test) for test in tests(scores)]
        assert decisions == [p <= 0.05 for p in pvalues]
        rejected += sum(decisions)
    assert rejected


# --- what is published ---------------------------------------------------------------------------


def test_the_document_is_written_from_the_stored_figures():
    rows = load(ROOT / sizes.STORED)
    assert (ROOT / sizes.DOCUMENT).read_text(encoding="utf-8") == document(rows, NOTES)
    assert (ROOT / sizes.STORED).read_text(encoding="utf-8") == stored(rows)


def test_the_sizes_of_five_by_two_are_the_reference_figures():
    rows = {row.test: row for row in load(ROOT / sizes.STORED) if row.part == IDEAL}
    for name, key in (("Dietterich", "dietterich"), ("textbook", "zhou_mean"), ("F", "alpaydin_F")):
        row = rows[f"five_by_two_cv_test, {name}"]
        assert abs(row.size - FIGURES[key]) < 3 * row.error


def published(part: str, scene: str) -> dict[str, Row]:
    rows = load(ROOT / sizes.STORED)
    return {row.test: row for row in rows if (row.part, row.scene) == (part, scene)}


def agrees(rejected: int, n_data: int, share: float) -> bool:
    return abs(rejected / n_data - share) <= 3 * math.sqrt(share * (1 - share) / n_data)


def test_friedmans_sizes_are_those_of_the_listed_ranks():
    ways = Counter({(0, 0, 0): 1})
    for _ in range(10):
        added: Counter[tuple[int, ...]] = Counter()
        for sums, count in ways.items():
            for order in itertools.permutations((-1, 0, 1)):
                added[tuple(np.add(sums, order).tolist())] += count
        ways = added
    chi2 = Counter[float]()
    for sums, count in ways.items():
        chi2[sum(each * each for each in sums) / 10] += count / 6**10
    values = sorted(chi2)
    exact = {value: sum(chi2[other] for other in values if other >= value) for value in values}
    f = {value: 9 * value / (20 - value) if value < 20 else math.inf for value in values}
    expected = {
        "chi2": {value: stats.chi2.sf(value, 2) for value in values},
        "f": {value: stats.f.sf(f[value], 2, 18) for value in values},
        "exact": exact,
    }
    rows = published(ranks.FRIEDMAN, "3 on 10, no ties")
    for method, pvalue in expected.items():
        row = rows[f"friedman_test, {method}"]
        for level, rejected in ((0.05, row.rejected_at_05), (0.1, row.rejected_at_10)):
            size = sum(chi2[value] for value in values if pvalue[value] <= level)
            assert agrees(rejected, row.n_data, size)


def test_a_short_run(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sizes, "QUICK", 10**6)  # the least there is: 20 data sets
    assert sizes.main(["--quick", "--part", IDEAL]) == 0
    assert "nothing is written" in capsys.readouterr().out
    assert sizes.main(["--quick", "--part", IDEAL, "--output", str(tmp_path)]) == 0
    first = (tmp_path / sizes.STORED).read_text("utf-8")
    rows = load(tmp_path / sizes.STORED)
    assert {row.n_data for row in rows} == {20}
    assert sizes.main(["--quick", "--part", IDEAL, "--output", str(tmp_path)]) == 0
    assert (tmp_path / sizes.STORED).read_text("utf-8") == first  # its own part is replaced
    (tmp_path / sizes.DOCUMENT).unlink()
    assert sizes.main(["--text", "--output", str(tmp_path)]) == 0
    assert (tmp_path / sizes.DOCUMENT).read_text("utf-8") == document(rows, NOTES)


def test_a_part_is_replaced_in_its_place():
    old = [Row(part, "s", "t", 10, 0, 0, 0) for part in NOTES]
    part = list(NOTES)[1]
    new = [Row(part, "s", "t", 20, 0, 0, 0)]
    found = sizes.replaced(old, new, part)
    assert [row.part for row in found] == list(NOTES)
    assert [row.n_data for row in found if row.part == part] == [20]


@pytest.mark.source_tree
def test_no_test_that_hardly_rejects_is_said_to_keep_its_level():
    """Where a size is 1 % or less, the document calls the test too cautious."""
    text = (ROOT / "docs" / "sizes.md").read_text(encoding="utf-8")
    said = re.findall(r"^- (`.*) (\d+\.\d)(?: to \d+\.\d)? %\.$", text, re.MULTILINE)
    assert len(said) > 20
    small = [words for words, least in said if float(least) <= 1.0]
    assert small
    assert all("too cautious" in words for words in small)
