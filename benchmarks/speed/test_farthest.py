"""`benchmarks.farthest`: no public function is left out, every call runs, the list is in order."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

from benchmarks import farthest
from benchmarks.speed.public_calls import NOT_TIMED, TIMED, Rows, call_of, public
from public import NAMES

FUNCTIONS = {name for name in NAMES if inspect.isfunction(public(name))}


def test_every_public_function_is_timed_or_has_a_reason() -> None:
    """A new one gets a line in `public_calls.py`."""
    timed = {name for name in TIMED if "," not in name and "." not in name}
    assert timed | NOT_TIMED.keys() == FUNCTIONS
    assert not timed & NOT_TIMED.keys()
    assert all(NOT_TIMED.values())


@pytest.fixture(scope="module")
def columns() -> Rows:
    return Rows(2_000)


@pytest.mark.parametrize("name", TIMED)
def test_every_call_runs_and_changes_nothing(name, columns) -> None:
    """What is timed second is the same work."""
    call = call_of(name, columns)
    kept = [np.copy(each) for each in call.args if isinstance(each, np.ndarray)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert call() is not None
    now = [each for each in call.args if isinstance(each, np.ndarray)]
    for before, after in zip(kept, now, strict=True):
        np.testing.assert_array_equal(before, after)


def test_the_farthest_come_first(monkeypatch) -> None:
    seconds = {"f1_score": {100: 1.0, 1_000: 10.0}, "r2_score": {100: 2.0, 1_000: 200.0}}
    monkeypatch.setattr(farthest, "call_of", lambda name, rows: (name, rows.n))

    def least_seconds(call, *, is_warm):
        return seconds[call[0]][call[1]] if isinstance(call, tuple) else 0.5

    monkeypatch.setattr(farthest, "least_seconds", least_seconds)
    found = farthest.distances(list(seconds), (100, 1_000))
    assert [each.name for each in found] == ["r2_score", "f1_score"]
    assert found[0] == farthest.Distance("r2_score", (4.0, 400.0), 2.0, 200.0)
    assert found[1].exponent == 1.0
    assert farthest.table(found).splitlines()[2] == "| `r2_score` | 4 | 400 | 2e+02 | 2.00 |"


def test_the_first_call_does_not_count_unless_warm(monkeypatch) -> None:
    clock = iter([0.0, 0.0, 9.0, 9.0, 10.0])
    monkeypatch.setattr(farthest.time, "perf_counter", lambda: next(clock))
    assert farthest.least_seconds(lambda: None, is_warm=False) == 1.0
