"""The mission page names functions, tests and benchmarks that exist; its tour runs."""

import re
from pathlib import Path

import pytest

import fastmetrics as fm
from benchmarks import tour

pytestmark = pytest.mark.source_tree

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "mission.md").read_text("utf-8")
ROWS = {
    number: [number, *cells]
    for first, *cells in (
        line.strip("| ").split(" | ") for line in PAGE.splitlines() if re.match(r"\| \d+ \|", line)
    )
    for number in [int(first)]
}


def test_all_rows_are_there_and_each_is_run():
    assert sorted(ROWS) == list(range(1, 32))
    run = {int(number) for number in re.findall(r"^ *print\((\d+), ", PAGE, re.MULTILINE)}
    assert run == {*ROWS}


@pytest.mark.parametrize("number", ROWS)
def test_a_row_names_what_exists(number):
    _, _, functions, test, benchmark = ROWS[number]
    text = (ROOT / test.strip("`")).read_text("utf-8")
    names = [name for name in re.findall(r"`([\w.]+)`", functions) if not name.startswith(".")]
    assert names
    assert any(name.rpartition(".")[2] in text for name in names)
    for name in names:
        value = fm
        for part in name.split("."):
            value = getattr(value, part)
    assert (ROOT / benchmark.strip("`")).is_file()


def test_the_tour_ends_and_says_what_it_compared(capsys):
    tour.main(["--rows", "3000"])
    printed = capsys.readouterr().out
    assert len(re.findall(r"half pairs, kernel", printed)) == 3
    assert "the same bits" in printed
    assert "the same counts" in printed


def test_the_tour_fails_where_a_kernel_is_wrong(monkeypatch):
    monkeypatch.setattr(fm, "roc_auc_score", lambda y, score: 0.5)
    with pytest.raises(AssertionError):
        tour.same_integers(1000)
