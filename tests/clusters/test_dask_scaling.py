"""What the guide works out on paper: bytes of states, and tasks."""

from __future__ import annotations

import json
from typing import Any

import dask
import numpy as np
import pytest
from dask.callbacks import Callback

import fastmetrics.dask as fmd
from fastmetrics.dask._partitions import partitions
from fastmetrics.dask._ranges import MOST_BUCKETS, Ranges

pytest.importorskip("benchmarks", reason="benchmarks are not installed with the package")

from benchmarks import dask_scaling as scaling

PAGE = scaling.GUIDE.read_text("utf-8")


def test_states_are_as_large_as_the_guide_says() -> None:
    found = scaling.states(100_000)
    assert found["rows in buckets, a row"] == 4
    assert found["rows of a range, a row"] == pytest.approx(4, rel=0.05)
    assert found["sample of a partition"] == pytest.approx(4 * 4096, rel=0.05)
    assert found["rows of a range for the bootstrap, a row"] == pytest.approx(1, rel=0.1)
    assert found["totals of windows, a row and replicate"] == pytest.approx(1 / 1024, rel=0.03)
    assert found["RangeSummary"] < 3_000
    assert found["BinnedScoreTable"] == pytest.approx(1.1e6, rel=0.05)
    assert pytest.approx(0.2e6, rel=0.02) == found["counts, a bucket"] * 2 * MOST_BUCKETS
    for said in ("N s (1 − 1/W)", "N B / 1,024", "0.2 MB + 3 KB", "1.1 MB · P", "P (R + 7)"):
        assert said in PAGE


def test_tasks_are_as_many_as_the_guide_says() -> None:
    made: set[str] = set()

    class Noted(Callback):
        def _posttask(self, key: Any, *_: Any) -> None:
            made.add(str(key))

    with dask.config.set(scheduler="synchronous"), Noted():
        given = [dask.delayed(scaling.rows)(part, 500) for part in range(12)]
        parts = partitions(y_true=given, y_score=None, sample_weight=None)
        runs = Ranges(parts, range_scores=1_000)
        assert 6 <= len(runs.ranges) <= 12
        dask.compute(runs.over_ranges(lambda table, here: len(table)))
    assert 12 * (len(runs.ranges) + 4) < len(made) <= 12 * (len(runs.ranges) + 7)


@pytest.mark.source_tree
def test_the_block_of_the_guide_is_the_stored_one() -> None:
    block = PAGE.partition(scaling.START)[2].partition(scaling.END)[0].strip()
    if not scaling.STORED.exists():  # not measured yet
        assert block == ""
        return
    stored = json.loads(scaling.STORED.read_text("utf-8"))
    assert block == scaling.text_of(stored)
    assert set(stored["seconds"]) == set(scaling.CALLS)


def test_what_is_timed_is_right() -> None:
    with dask.config.set(scheduler="synchronous"):
        given = [dask.delayed(scaling.rows)(part, 2_000) for part in range(3)]
        parts = [scaling.rows(part, 2_000) for part in range(3)]
        whole = [np.concatenate(each) for each in zip(*parts, strict=True)]
        for on_dask, in_memory in scaling.CALLS.values():
            assert on_dask(given) == in_memory(*whole)
    assert {name.partition(",")[0].partition(":")[0] for name in scaling.CALLS} <= {*fmd.__all__}
