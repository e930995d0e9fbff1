"""Many runs that become one: no score is rounded, and no count overflows."""

import numpy as np
import pytest

import engine_sizes
from fastmetrics import ScoreTable
from fastmetrics.streams import ScoreRuns


def test_a_range_without_rows_rounds_no_integers(monkeypatch):
    engine_sizes.put(monkeypatch, run_entry_bytes=10**6)  # ranges of one entry, and some of none
    whole = ScoreRuns(memory="1MB")
    scores = 2**60 + np.array([1, 2, 3])
    for _ in range(3):
        part = ScoreRuns()
        part.update([0, 1, 1], scores)
        whole.merge(part)
    assert any(len(each.table) == 0 for each in whole.ranges())
    assert whole.to_score_table() == ScoreTable.from_counts(scores, [0, 3, 3], [3, 0, 0])


def test_more_rows_than_int64_counts_are_refused():
    runs = ScoreRuns()
    runs.update([0, 1], [0.5, 0.5], [2**52, 2**51])
    for _ in range(9):
        runs.merge(runs)
    with pytest.raises(ValueError, match="fewer than 2\\*\\*62 rows"):
        runs.merge(runs)
    assert runs.to_score_table() == ScoreTable.from_counts([0.5], [2**60], [2**61])
