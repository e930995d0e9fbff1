"""What is timed on Dask is right, and the guide shows the stored seconds."""

import json

import dask
import numpy as np
import pytest

import fastmetrics.dask as fmd

pytest.importorskip("benchmarks", reason="benchmarks are not installed with the package")

from benchmarks import dask_scaling as scaling

PAGE = scaling.GUIDE.read_text("utf-8")


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
