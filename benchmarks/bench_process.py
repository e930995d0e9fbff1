"""Imports, the first call, whole processes and memory: each in processes of their own."""

from __future__ import annotations

import pytest

from benchmarks.data import ANY_DATA, Spec
from benchmarks.processes import STOPWATCHES, Workshop

pytestmark = pytest.mark.bench

ROUNDS = 3
#: What one probe may take beyond what it takes a row: threads' stacks, buffers of the partition.
FIXED_BYTES = 16e6


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("processes"), 1_000_000)


def group_of(name: str) -> str:
    if name.startswith("import"):
        return "import"
    return "fresh process, load and AUC" if name.startswith("process") else name


@pytest.mark.parametrize("name", STOPWATCHES)
def test_process(benchmark, shop, request, name):
    """The clock is the stopwatch's own: an import is timed inside the interpreter.

    Answers are checked by the stopwatches themselves.
    """
    rows = min(1_000_000, request.config.getoption("--rows"))
    watch = STOPWATCHES[name](shop, Spec(rows=rows))
    watch()
    inside = []
    benchmark.group = group_of(name)
    benchmark.pedantic(lambda: inside.append(watch()), rounds=ROUNDS, iterations=1)
    benchmark.extra_info["seconds inside"] = inside
    assert all(taken > 0 for taken in inside)


@pytest.mark.sizes(1_000_000, 10_000_000)
@pytest.mark.parametrize("kind", ["continuous", *ANY_DATA])
def test_extra_memory(benchmark, shop, rows, kind):
    spec = Spec(kind, rows)
    benchmark.group = f"extra memory, {rows:,} rows"
    found = benchmark.pedantic(lambda: shop.extra_memory(spec), rounds=1, iterations=1)
    shop.forget(spec)
    benchmark.extra_info["bytes a row"] = found
    assert found * rows <= 12 * rows + FIXED_BYTES
