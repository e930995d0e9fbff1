"""The guide's recipe on Ray: tasks return tables, and a task that is run again counts once."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import guide
import pytest

import fastmetrics as fm

ray = pytest.importorskip("ray", reason="Ray is not installed")
pytestmark = pytest.mark.source_tree
LAYOUT = fm.streams.BinLayout.of_bits()


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Start a cluster of two processes."""
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=10**8,
        log_to_driver=False,
        logging_level="ERROR",
        runtime_env={"env_vars": {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}},
    )
    yield
    ray.shutdown()


def counted(rows: Any) -> fm.streams.BinnedScoreTable:
    table = fm.streams.BinnedScoreTable(LAYOUT)
    table.update(*rows)
    return table


@pytest.mark.parametrize("n_deaths", [0, 2])
def test_tasks_add_up(n_deaths: int, rng: Any, tmp_path: Path) -> None:
    parts = [(rng.integers(0, 2, 100), rng.normal(size=100)) for _ in range(11)]
    flags = [str(tmp_path / str(k)) for k in range(n_deaths)]

    def table_of(part: Any) -> fm.streams.BinnedScoreTable:
        *rows, k = part
        table = fm.streams.BinnedScoreTable(LAYOUT)
        table.update(*rows)
        if k < len(flags) and not os.path.exists(flags[k]):
            Path(flags[k]).touch()
            os._exit(1)  # it has counted, and dies before it says so
        return table

    names = {"table_of": table_of, "parts": [(*part, k) for k, part in enumerate(parts)]}
    exec(compile(guide.recipe("ray"), "docs/scale.md", "exec"), names)
    assert names["table"] == sum(map(counted, parts))
    assert all(map(os.path.exists, flags))
