"""On a real cluster of two worker processes, one of which is killed while it works."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster

import fastmetrics as fm
import fastmetrics.dask as fmd
from evaluations import agree

N = 120_000
PARTS = 12


def rows(part: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(part)
    y = rng.integers(0, 2, N // PARTS)
    return y, (rng.normal(size=len(y)) + y).astype(np.float32)


WHOLE = [np.concatenate(column) for column in zip(*map(rows, range(PARTS)), strict=True)]


def loaded(part: int, folder: str | None = None) -> tuple[Any, Any]:
    """Return a partition, and leave a mark of who loaded it."""
    if folder is not None:
        (Path(folder) / f"{part}-{os.getpid()}").touch()
        time.sleep(0.05)
    return rows(part)


def delayed_parts(folder: Path | None = None) -> list[Any]:
    load = dask.delayed(loaded, nout=2)
    parts = [load(part, None if folder is None else str(folder)) for part in range(PARTS)]
    return list(zip(*parts, strict=True))


CALLS = {
    "evaluate": lambda parts: fmd.evaluate(*parts, range_scores=20_000),
    "estimate": lambda parts: fmd.estimate(*parts, metrics=["roc_auc", "average_precision"]),
}


@contextmanager
def two_processes() -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            memory_limit="1GiB",
            dashboard_address=":0",
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_two_processes_give_what_memory_gives() -> None:
    with two_processes() as client:
        what_memory_gives()
        what_a_worker_refuses_is_said_here()
        parts = client.map(rows, range(PARTS))
        columns = ([client.submit(itemgetter(k), part) for part in parts] for k in (0, 1))
        assert fmd.roc_auc_score(*columns) == fm.roc_auc_score(*WHOLE)  # of futures


@pytest.mark.slow
@pytest.mark.parametrize("call", ["evaluate", "estimate"])
def test_a_worker_that_is_killed_changes_nothing(tmp_path: Path, call: str) -> None:
    with dask.config.set(scheduler="synchronous"):
        expected = CALLS[call](delayed_parts())
    killed: list[int] = []
    killer = threading.Thread(target=kill, args=(tmp_path, killed))
    with two_processes():
        killer.start()
        assert CALLS[call](delayed_parts(tmp_path)) == expected
        killer.join()
    assert killed
    assert {part for part, _ in marks(tmp_path)} == set(range(PARTS))
    assert len(marks(tmp_path)) > PARTS  # what it held was made again by another


def what_memory_gives() -> None:
    parts = delayed_parts()
    auc = fm.roc_auc_score(*WHOLE)
    assert fmd.roc_auc_score(*parts, range_scores=20_000) == auc
    model = fmd.evaluate(*parts)["score"]
    expected = fm.evaluate(*WHOLE)["score"]
    assert agree(model, expected)
    assert (model.roc_auc, model.threshold) == (auc, expected.threshold)
    assert fmd.score_table(*parts) == fm.ScoreTable.from_scores(*WHOLE)


def what_a_worker_refuses_is_said_here() -> None:
    y = [dask.delayed([0, 1]), dask.delayed([0, 1])]
    s = [dask.delayed([0.1, 0.2]), dask.delayed([0.1, np.nan])]
    with pytest.raises(ValueError, match=r"nan at index 1.*in partition 1"):
        fmd.roc_auc_score(y, s)


def marks(folder: Path) -> list[tuple[int, int]]:
    """Return which partitions were loaded by which process."""
    names = [mark.name.split("-") for mark in folder.iterdir()]
    return [(int(part), int(pid)) for part, pid in names]


def kill(folder: Path, killed: list[int]) -> None:
    """Kill a worker, with what it has made of partitions, once half of them have been loaded."""
    deadline = time.monotonic() + 120
    while len(marks(folder)) < PARTS // 2 and time.monotonic() < deadline:
        time.sleep(0.005)
    pids = [pid for _, pid in marks(folder)]
    killed.append(max(pids, key=pids.count))
    os.kill(killed[0], signal.SIGKILL)
