"""What is published beside the targets: shares, speed-ups, exponents, memory, the picture."""

from __future__ import annotations

import math
import time
from functools import partial

import numpy as np
import pytest

from benchmarks.speed import cores, growth
from benchmarks.speed.cores import Cores, Trace
from benchmarks.speed.further import Further, measure_further
from benchmarks.speed.growth import Growth
from fastmetrics._threads import workers
from fastmetrics.tables import pairs

MEGABYTE = 1 << 20


def test_amdahl_and_jobs_as_they_are_cut() -> None:
    trace = Trace(10.0, [[4.0, 2.0, 2.0], [1.0]])
    assert trace.serial_share == pytest.approx(0.1)
    assert trace.amdahl(9) == pytest.approx(1 / (0.1 + 0.1))
    assert trace.speed_up(1) == pytest.approx(1)
    assert trace.speed_up(2) == pytest.approx(10 / (1 + 4 + 1))
    assert trace.speed_up(64) == pytest.approx(10 / (1 + 4 + 1))


def test_the_least_of_traces_is_that_of_each_job() -> None:
    found = cores.least([Trace(9.0, [[4.0, 2.0], [1.0]]), Trace(10.0, [[3.0, 2.5], [1.5]])])
    assert found == cores.least([found])
    assert (found.seconds, found.sets) == (8.0, [[3.0, 2.0], [1.0]])


def spread(parts: int, seconds: float) -> None:
    """Sleep on one thread, and in jobs."""
    time.sleep(seconds)
    pairs.run([partial(time.sleep, seconds)] * parts)
    pairs.run([partial(time.sleep, seconds)])  # one job: nobody else has any


def test_a_trace_tells_jobs_from_the_rest() -> None:
    trace = cores.trace(lambda: spread(6, 0.03))
    assert len(trace.sets) == 1
    assert len(trace.sets[0]) == 6
    assert trace.serial_share == pytest.approx(2 / 8, abs=0.1)
    assert pairs.run is workers.run


def test_sections_are_named_by_function() -> None:
    """Those of ours, and no seconds of jobs."""
    from fastmetrics import roc_auc_score

    rng = np.random.default_rng(1)
    y, score = rng.integers(0, 2, 400_000).astype(np.int8), rng.random(400_000)
    roc_auc_score(y, score)
    found = cores.serial_sections(lambda: roc_auc_score(y, score))
    assert any("_sorted_sample" in name for name in found)
    assert "kernel `scatter`" not in found
    assert all(seconds >= 0 for seconds in found.values())


def test_the_exponent_and_its_bound() -> None:
    rows = (10_000, 100_000, 10_000_000)
    of_sort = Growth("sort", rows, tuple(n * math.log(n) for n in rows), 8.0)
    assert of_sort.exponent == pytest.approx(1 + math.log(7 / 4) / math.log(1_000))
    assert not of_sort.is_steeper_than(of_sort)
    square = Growth("pairs", rows, tuple(n**2.0 for n in rows), 8.0)
    assert square.exponent == pytest.approx(2)
    assert square.is_steeper_than(of_sort)
    few = Growth("few", rows[:2], (1.0, 10.0), 8.0)
    assert (few.exponent, few.is_steeper_than(of_sort)) == (pytest.approx(1), False)
    assert math.isnan(Growth("one size", (10_000,), (1.0,), 8.0).exponent)
    lines = growth.table([of_sort, square]).splitlines()
    assert lines[-1].startswith("| pairs | 1e+08 | 1e+10 | 1e+14 | – | **2.00** |")


def test_memory_is_what_a_call_takes() -> None:
    """Whatever it gives back before it ends."""
    found = growth.extra_memory(lambda: np.ones(64 * MEGABYTE, np.uint8).sum())
    assert 60 * MEGABYTE < found < 80 * MEGABYTE
    assert growth.extra_memory(lambda: None) < 4 * MEGABYTE
    with pytest.raises(RuntimeError, match="the forked process"):
        growth.extra_memory(lambda: 1 / 0)


def test_a_small_run_is_published(monkeypatch, tmp_path) -> None:
    """All parts, of few rows: the sections and what is stored name what was measured."""
    from benchmarks.speed import further

    monkeypatch.setattr(growth, "GROWN", ("sort", "dominance"))
    monkeypatch.setattr(growth, "SIZES", (1_000, 2_000))
    monkeypatch.setattr(further, "TIMED", ["f1_score", "ks_statistic"])
    monkeypatch.setattr(cores, "WORKS", dict(list(cores.WORKS.items())[:1]))
    found: Further = measure_further(2_000)
    text, stored = found.sections(), found.stored()
    for said in ("dominance", "`ks_statistic`", "`roc_auc_score`, 10⁷ rows", "Amdahl, 64 cores"):
        assert said in text
    assert stored.keys() == {"picture", "growth", "farthest", "cores"}
    assert isinstance(found.cores[0], Cores)
    assert [len(points) for points in found.points.values()] == [1] * len(growth.PICTURE)
    growth.draw(found.points, tmp_path / "figures" / "picture.png")
    assert (tmp_path / "figures" / "picture.png").read_bytes().startswith(b"\x89PNG")
