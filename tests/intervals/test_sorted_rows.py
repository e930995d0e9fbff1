"""Examples by descending score, as replicates read them: against plain lists of rows."""

from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics._input.rows import check_binary
from fastmetrics._kernels.replicates import SEGMENT
from fastmetrics.inference.bootstrap import _parse
from fastmetrics.inference.bootstrap._parse import SortedRows

#: Negatives and positives of each score, the highest first.
CELLS: dict[str, list[tuple[int, int]]] = {
    "few": [(0, 1), (2, 1), (3, 0), (1, 2)],
    "a segment": [(SEGMENT - 1, 1)],
    "a tie ends with a segment": [(300, 212), (1, 2), (4, 4)],
    "a tie over a segment's end": [(300, 211), (1, 2), (SEGMENT - 4, 3), (0, 7)],
    "a tie over many segments": [(2, 3), (1500, 700), (SEGMENT, 1), (40, 1)],
    "all equal": [(900, 800)],
    "all distinct": [(k % 2, 1 - k % 2) for k in range(1200)],
}


def made(kind: str, way: str, rng: np.random.Generator) -> SortedRows:
    cells = CELLS[kind]
    scores = [float(-k) for k in range(len(cells))]
    if way == "table":
        positives, negatives = [p for _, p in cells], [n for n, _ in cells]
        return _parse.rows_of_table(fm.ScoreTable.from_counts(scores, positives, negatives))
    labels = np.repeat([0, 1] * len(cells), [size for cell in cells for size in cell])
    of_rows = np.repeat(scores, [sum(cell) for cell in cells])
    order = rng.permutation(len(labels))
    rows, found = _parse.rows_of_arrays(check_binary(labels[order], of_rows[order]))
    assert of_rows[order][found].tolist() == of_rows.tolist()
    return rows


def by_hand(kind: str) -> dict[str, list[Any]]:
    """Return label, tie and whether a tie ends there, row by row: the positives of a tie first."""
    cells = CELLS[kind]
    labels = [y for n, p in cells for y in [1] * p + [0] * n]
    ties = [k for k, (n, p) in enumerate(cells) for _ in range(n + p)]
    ends = [one != other for one, other in zip(ties, [*ties[1:], None], strict=True)]
    return {"labels": labels, "ties": ties, "ends": ends}


@pytest.mark.parametrize("way", ["table", "arrays"])
@pytest.mark.parametrize("kind", CELLS)
def test_rows_of_a_sample(rng, kind: str, way: str) -> None:
    rows, want = made(kind, way, rng), by_hand(kind)
    n = len(want["labels"])
    assert rows.n == n
    assert len(rows.masks) == len(rows.ends) == _parse.padded(n)
    assert rows.labels.tolist() == want["labels"]
    assert rows.masks.tolist() == [255 * y for y in want["labels"]] + [0] * (-n % 8)
    assert rows.ends.tolist() == [int(end) for end in want["ends"]] + [0] * (-n % 8)
    assert rows.scores.tolist() == [-tie for tie in want["ties"]]
    assert rows.score_at(np.arange(n)).tolist() == rows.scores.tolist()


@pytest.mark.parametrize("way", ["table", "arrays"])
@pytest.mark.parametrize("kind", CELLS)
def test_anchors_are_segments_that_start_with_a_tie(rng, kind: str, way: str) -> None:
    rows, ends = made(kind, way, rng), by_hand(kind)["ends"]
    anchors, last = [], 0
    for segment in range(-(-_parse.padded(len(ends)) // SEGMENT)):
        if segment == 0 or ends[segment * SEGMENT - 1]:
            last = segment
        anchors.append(last)
    assert rows.anchors.tolist() == anchors


@pytest.mark.parametrize("way", ["table", "arrays"])
@pytest.mark.parametrize("kind", CELLS)
def test_ties_of_both_classes(rng, kind: str, way: str) -> None:
    rows, start, want = made(kind, way, rng), 0, []
    for negatives, positives in CELLS[kind]:
        stop = start + negatives + positives
        if negatives and positives:
            want.append([start, start + positives, stop])
        start = stop
    assert rows.ties.tolist() == want
    for first, last in ((0, rows.n), (1, 3), (SEGMENT, 2 * SEGMENT), (3, 3)):
        inside = [each for each in want if each[2] > first and each[0] < last]
        pieces = [
            [*(min(max(row, first), last) - first for row in each), int(each[2] <= last)]
            for each in inside
        ]
        for _ in range(2):  # made, and known
            assert rows.tie_pieces(first, last).tolist() == pieces


def test_rows_called_positive(rng) -> None:
    rows = made("few", "arrays", rng)  # scores 0, -1, -2, -3 of 1, 3, 3 and 3 rows
    assert rows.called_positive(None) is None
    asked = (0.5, 0.0, -0.5, -1.0, -2.5, -3, -9)
    assert [rows.called_positive(at) for at in asked] == [0, 1, 1, 4, 7, 10, 10]
