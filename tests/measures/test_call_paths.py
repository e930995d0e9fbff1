"""How many files of the package a warm call passes through: each is one that a reader opens."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from public import public

PACKAGE = Path(fm.__file__).parent


def files_passed(call: Callable[[], Any]) -> set[str]:
    """Return the files of the package whose functions run, kernels included."""
    found = set()

    def look(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            found.add(str(path.relative_to(PACKAGE)))

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(before)
    return found


@pytest.mark.parametrize("rows", [500, 5_000])
@pytest.mark.parametrize(
    ("name", "most"), [("mean_squared_error", 10), ("r2_score", 10), ("log_loss", 10)]
)
def test_files_of_a_warm_call(rng, name, most, rows) -> None:
    function = public(name)
    true = rng.integers(0, 2, rows) if name == "log_loss" else rng.random(rows)
    other = rng.random(rows)
    function(np.resize(true, 100_000), np.resize(other, 100_000))  # compiles what it needs
    found = files_passed(lambda: function(true, other))
    assert len(found) <= most, sorted(found)


def test_a_longer_way_is_seen() -> None:
    """A list is converted by two files, which arrays do not pass through."""
    # Where pandas is loaded, what is no array is asked for its labels too.
    short, long = np.ones(3), [1.0, 1.0, 1.0]
    fm.mean_squared_error(short, short)
    more = files_passed(lambda: fm.mean_squared_error(long, long))
    fewer = files_passed(lambda: fm.mean_squared_error(short, short)) | {"_input/rows.py"}
    assert more - fewer == {"_input/containers.py", "_input/scores.py"}
