"""The script that publishes: its checks catch what they should."""

from __future__ import annotations

import platform
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.speed import contests, processes, report
from benchmarks.speed.contests import BY_KEY, COMPARISONS, CONTEXT, ROWS, TARGETS
from benchmarks.speed.report import Row
from benchmarks.speed.timing import (
    BYTES,
    MICROSECONDS,
    NANOSECONDS,
    RATIO,
    SECONDS,
    Measured,
    measure,
    rounds_for,
)

NO_YARDSTICK = {BYTES, SECONDS, NANOSECONDS, MICROSECONDS}


def row(key: str, median: float) -> Row:
    target = BY_KEY[key]
    return report.row_of(target, Measured((median,), target.at_least))


def every_row(factor: float = 1.0) -> dict[str, Row]:
    return {t.key: row(t.key, factor * (t.bound or 1.0)) for t in ROWS}


def test_the_table_names_what_exists() -> None:
    assert len(BY_KEY) == len(ROWS)
    works = contests.WORKS.keys() | processes.WORKS
    yardsticks = {"", *contests.YARDSTICKS, *contests.PEERS, *processes.STOPWATCHES}
    for target in ROWS:
        assert target.work in works
        assert target.yardstick in yardsticks
        assert target.yardstick in contests.NAMES
        assert (target.yardstick == "") == (target.unit in NO_YARDSTICK)
    assert all(target.bound is not None for target in TARGETS)
    assert all(target.bound is None for target in CONTEXT)
    assert contests.WORKS.keys() == contests.CHECKS.keys()


def test_bounds_are_inclusive_and_have_a_direction() -> None:
    assert BY_KEY["auc"].is_met(0.36)
    assert not BY_KEY["auc"].is_met(0.361)
    assert BY_KEY["auc_vs_sklearn"].is_met(60)
    assert not BY_KEY["auc_vs_sklearn"].is_met(59)
    assert BY_KEY["auc_int64_labels"].is_met(1e9) is None


def test_the_same_is_not_worse() -> None:
    assert not report.complaints(every_row(), every_row(), 0.3)


def test_worse_is_caught_and_better_is_not() -> None:
    for target in ROWS:
        worse, better = (0.01, 2.0) if target.at_least else (100.0, 0.5)
        old = {target.key: every_row()[target.key]}
        found = report.complaints(old, {target.key: every_row(worse)[target.key]}, 0.3)
        assert (target.key in found) == (target.unit in (RATIO, BYTES)), target.key
        assert not report.complaints(old, {target.key: every_row(better)[target.key]}, 0.3)


def test_a_row_that_is_not_stored_is_caught() -> None:
    assert report.complaints({}, {"auc": row("auc", 0.1)}, 0.3)


def test_noise_of_small_ratios_is_allowed() -> None:
    old, new = {"import": row("import", 0.03)}, {"import": row("import", 0.06)}
    assert old["import"].unit == RATIO
    assert not report.complaints(old, new, 0.3)
    assert report.complaints(old, {"import": row("import", 0.1)}, 0.3)


def test_the_readme_shows_some_rows_and_the_document_all() -> None:
    rows = every_row()
    block = report.readme_block(rows, 1_000, "a machine")
    document = report.document(rows, 1_000, "a machine")
    lines = block.splitlines()
    assert [line for line in lines if line.startswith("| ")][1:] == [
        report.show_comparison(rows[key]) for key in COMPARISONS
    ]
    assert {*lines[1:-1]} <= {*document.splitlines()}
    readme = report.with_block(f"before\n{report.START}old\n{report.END}\nafter\n", block)
    assert readme == f"before\n{block}\nafter\n"
    assert report.block(rows, 1_000, "a machine") in document
    assert all(target.what in document for target in TARGETS)
    assert all(target.what in document for target in CONTEXT)
    assert report.with_block(readme, block) == readme


@pytest.mark.parametrize("text", ["", report.START, report.END, 2 * (report.START + report.END)])
def test_a_readme_without_its_markers_is_an_error(text) -> None:
    with pytest.raises(ValueError, match=r"README\.md needs one line"):
        report.with_block(text, "new")


@pytest.mark.parametrize(
    ("key", "value", "cell"),
    [
        ("auc_vs_sklearn", 57.4, "| scikit-learn | 57.4 × |"),  # a speed-up as it is
        ("fresh_process", 0.125, "| the same with scikit-learn | 8 × |"),  # time over time
    ],
)
def test_the_readme_shows_how_many_times_as_fast(key, value, cell) -> None:
    assert report.show_comparison(row(key, value)).endswith(cell)


def test_a_row_without_its_library_is_skipped() -> None:
    absent = replace(BY_KEY["auc_vs_torchmetrics"], library="none_such")
    assert not absent.is_installed()
    assert BY_KEY["auc"].is_installed()


def test_a_miss_is_published_with_its_size(monkeypatch) -> None:
    noted = replace(BY_KEY["auc"], note="Memory bandwidth bounds it.")
    monkeypatch.setitem(report.BY_KEY, "auc", noted)
    rows = {**every_row(), "auc": row("auc", 0.72), "table": row("table", 0.6)}
    document = report.document(rows, 1_000, "a machine")
    assert "**no**" in document
    assert "missed by 100%. Memory bandwidth bounds it." in document
    speed_up = {**every_row(), "auc_vs_sklearn": row("auc_vs_sklearn", 30)}
    assert "missed by 50%" in report.document(speed_up, 1_000, "a machine")
    assert "\nNone.\n" in report.document(every_row(), 1_000, "a machine")


def test_what_is_stored_is_read_back(tmp_path) -> None:
    path = tmp_path / "stored.json"
    path.write_text(report.stored(every_row(), 1_000, "a machine"), encoding="utf-8")
    assert report.load(path) == (1_000, every_row())


def test_turns_are_taken_and_divided_the_right_way_round() -> None:
    turns = []

    def watch(name, taken):
        def stopwatch() -> float:
            turns.append(name)
            return taken

        return stopwatch

    measured = measure(watch("ours", 1.0), watch("yardstick", 4.0))
    assert measured.median == measured.best == 0.25
    assert turns == ["yardstick", "ours"] * len(measured.values)
    assert measure(watch("ours", 1.0), watch("yardstick", 4.0), at_least=True).median == 4
    assert measure(watch("ours", 2.0), None).median == 2
    assert rounds_for(10) == 2


def spoiled(name: str, answer: Any) -> Any:
    """Return an answer that is wrong by little."""
    if name == "table":
        return answer + answer
    if name.startswith("cost curve"):
        return replace(answer, expected_total_cost=answer.expected_total_cost * (1 + 1e-9))
    if name == "concordance index":
        one = answer["concordance_index"]
        return {"concordance_index": replace(one, estimate=one.estimate * (1 + 1e-9))}
    if name.startswith("replicates"):
        answer.values += 0.2
        return answer
    if name == "bootstrap of a matrix":
        accuracy = answer["accuracy"]
        return {"accuracy": replace(accuracy, standard_error=1.1 * accuracy.standard_error)}
    if name.startswith("bootstrap"):
        result = answer["roc_auc"]
        return {"roc_auc": replace(result, estimate=result.estimate * (1 + 1e-9))}
    if name in {"classification report", "ten count metrics"}:
        return {"accuracy": answer["accuracy"] * (1 + 1e-9), "3": {"support": 0}}
    if name == "top k":
        return answer + 0.2
    if isinstance(answer, float):
        return answer * (1 + 1e-9)
    if isinstance(answer, tuple):
        return *answer[:-1], answer[-1] + 1
    return answer + 1


SOME_ROWS = {"bootstrap 100,000": 400}


@pytest.mark.parametrize("name", contests.WORKS)
def test_a_wrong_answer_is_caught(name) -> None:
    data = contests.make(replace(BY_KEY["auc"].spec, rows=SOME_ROWS.get(name, 1_000)))
    answer = contests.WORKS[name](data)()
    contests.CHECKS[name](data, answer)
    with pytest.raises(AssertionError):
        contests.CHECKS[name](data, spoiled(name, answer))


def test_the_machine_line_names_no_machine() -> None:
    line = report.machine()
    assert "numpy" in line
    assert platform.node() not in line
