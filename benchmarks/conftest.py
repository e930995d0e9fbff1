"""Options, the sizes, and the one way in which a benchmark is run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.speed.timing import seconds

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
FULL_VARIABLE = "FASTMETRICS_BENCH_FULL"
#: Seconds spent on one benchmark, and the least length of one of its rounds.
BUDGET, SHORTEST = 0.3, 0.0005


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fastmetrics benchmarks")
    group.addoption("--full", action="store_true", help=f"10⁷ rows too (or {FULL_VARIABLE}=1)")
    group.addoption("--rows", type=int, default=1_000_000, help="most rows of any data set")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Keep what is timed to one process; tests of the study of intervals time nothing."""
    study = Path(__file__).parent / "coverage"
    return None if all(Path(each).resolve() == study for each in config.args) else 0


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sizes(least, most): the rows that a benchmark is run on")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each benchmark that takes `rows` its sizes."""
    if "rows" not in metafunc.fixturenames:
        return
    config = metafunc.config
    is_full = config.getoption("--full") or os.environ.get(FULL_VARIABLE) == "1"
    marker = metafunc.definition.get_closest_marker("sizes")
    least, most = marker.args if marker else (0, SIZES[-1])
    most = min(most, SIZES[-1] if is_full else config.getoption("--rows"))
    metafunc.parametrize("rows", [size for size in SIZES if least <= size <= most])


@pytest.fixture
def timed(benchmark: Any) -> Callable[..., Any]:
    """Return a function that times a call: warmed up, and its answer checked.

    Compilation and the first touch of caches are left out; the answer of the last timed call is
    checked, not only that of the first.
    """

    def run(
        work: Callable[[], Any], check: Callable[[Any], None], group: str, *, rounds: int = 0
    ) -> Any:
        start = time.perf_counter()
        check(work())
        first = time.perf_counter() - start
        once = first if first > BUDGET and rounds else seconds(work)
        number = max(1, int(SHORTEST / max(once, 1e-9)))
        benchmark.group = group
        answer = benchmark.pedantic(
            work,
            rounds=rounds or max(3, min(50, int(BUDGET / (number * max(once, 1e-9))))),
            iterations=number,
        )
        check(answer)
        return answer

    return run
