"""The script that publishes: its checks catch what they should."""

from __future__ import annotations

import json
import platform
from dataclasses import replace
from typing import Any

import pytest

from benchmarks import publish
from benchmarks.speed import contests, processes, report
from benchmarks.speed.contests import BY_KEY, COMPARISONS, CONTEXT, ROWS, TARGETS
from benchmarks.speed.further import Further
from benchmarks.speed.growth import Growth
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


def test_the_readme_has_ten_rows_at_most() -> None:
    assert len(COMPARISONS) == len(set(COMPARISONS)) <= 10
    assert {*COMPARISONS} <= BY_KEY.keys()


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
    block = report.readme_block(rows, 1_000)
    document = report.document(rows, 1_000)
    lines = block.splitlines()
    assert [line for line in lines if line.startswith("| ")][1:] == [
        report.show_comparison(rows[key]) for key in COMPARISONS
    ]
    assert {*lines[1:-1]} <= {*document.splitlines()}
    readme = report.with_block(f"before\n{report.START}old\n{report.END}\nafter\n", block)
    assert readme == f"before\n{block}\nafter\n"
    assert report.block(rows, 1_000) in document
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
    document = report.document(rows, 1_000)
    assert "**no**" in document
    assert "missed by 100%. Memory bandwidth bounds it." in document
    speed_up = {**every_row(), "auc_vs_sklearn": row("auc_vs_sklearn", 30)}
    assert "missed by 50%" in report.document(speed_up, 1_000)
    assert "\nNone.\n" in report.document(every_row(), 1_000)


def elsewhere(one: Row) -> Row:
    return replace(one, machine="another machine", day="1999-12-31")


def test_what_is_stored_is_read_back(tmp_path) -> None:
    path = tmp_path / "stored.json"
    rows = every_row()
    rows["auc"] = elsewhere(rows["auc"])
    rows["table"] = replace(rows["table"], day="1999-12-30")
    text = report.stored(rows, 1_000)
    path.write_text(text, encoding="utf-8")
    assert report.load(path) == (1_000, rows)
    assert [text.count(f'"{name}": ') for name in ("machine", "day", "median")] == [2, 3, len(rows)]


def test_rows_that_were_measured_elsewhere_or_earlier_are_named() -> None:
    rows = every_row()
    usual = f"{report.machine()}, {rows['auc'].day}"
    assert report.origin(rows.values()) == f"{usual}."
    few = rows | {"auc": elsewhere(rows["auc"])}
    assert report.origin(few.values()) == (
        f"{usual}; `roc_auc_score`, continuous scores (`np.sort(scores)`): another machine, "
        "1999-12-31."
    )
    assert report.origin(few.values()) in report.document(few, 1_000)
    assert report.origin(few.values()) not in report.readme_block(few, 1_000)  # has no such row
    more = rows | {key: elsewhere(rows[key]) for key in list(rows)[:4]}
    assert report.origin(more.values()) == f"{usual}; 4 rows: another machine, 1999-12-31."


#: Rows that load nothing and take little.
QUICK = ["roc_hull_auc", "auc_1e5", "table"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A README with its markers, and all of three rows published of few rows."""
    further = Further({"AUC": [(1_000, 0.1, 0.2)]}, [Growth("sort", (1_000,), (1.0,), 8.0)], [], [])
    monkeypatch.setattr(publish, "ROWS", [BY_KEY[key] for key in QUICK])
    monkeypatch.setattr(publish, "measure_further", lambda _: further)
    (tmp_path / "README.md").write_text(f"{report.START}{report.END}", encoding="utf-8")
    assert publish.main(["--rows", "1000", "--output", str(tmp_path)]) == 0
    return tmp_path


def test_single_rows_are_published(folder, monkeypatch) -> None:
    path = folder / report.STORED
    rows = {key: elsewhere(each) for key, each in report.load(path)[1].items()}
    further = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(
        report.stored(
            rows, 1_000, {key: further[key] for key in ("picture", "growth", "cores")}
        ).rstrip()[:-1]
        + ', "farthest": []}',
        encoding="utf-8",
    )
    arguments = ["--rows", "1000", "--output", str(folder), "--only", "auc_1e5"]
    assert publish.main(arguments) == 0
    found = report.load(path)[1]
    assert list(found) == sorted(QUICK, key=list(BY_KEY).index)
    assert {key for key in QUICK if found[key] == rows[key]} == {*QUICK} - {"auc_1e5"}
    assert found["auc_1e5"].machine == report.machine()
    assert json.loads(path.read_text(encoding="utf-8"))["growth"] == further["growth"]
    assert (
        "`roc_auc_score`, 10⁵ rows (`np.sort(scores)`): " in (folder / report.DOCUMENT).read_text()
    )


def test_rows_without_time_keep_what_is_stored(folder, capsys) -> None:
    before = report.load(folder / report.STORED)
    arguments = ["--rows", "1000", "--output", str(folder), "--minutes", "1"]
    assert publish.main(arguments) == 0  # less than what is measured beside the rows takes
    assert f"no time: {', '.join(QUICK)}" in capsys.readouterr().out
    assert report.load(folder / report.STORED) == before


def test_single_rows_of_nothing_are_not_written(folder, capsys) -> None:
    (folder / report.STORED).unlink()
    arguments = ["--rows", "1000", "--output", str(folder), "--only", "auc_1e5"]
    assert publish.main(arguments) == 0
    assert "nothing is written" in capsys.readouterr().out
    assert not (folder / report.STORED).exists()


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
    assert (rounds_for(0.5, 3.0), rounds_for(0.5, 0.1), rounds_for(0.001)) == (6, 3, 11)


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
