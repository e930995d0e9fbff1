"""Each kernel compiles as many versions as ``signatures.py`` allows, and no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from signatures import ALLOWED

TESTS = Path(__file__).resolve().parents[1]
PROGRAM = Path(__file__).with_name("signature_count.py")
BAD = Path(__file__).with_name("bad") / "too_many_signatures.py"

#: What `fastmetrics warmup` leaves to its first use: streams of millions of rows, and rare data.
NOT_AHEAD = {
    "buckets:gather_class",
    "cells:count_margins",
    "curve_kernels:turns_of_lines",
    "hulls:is_steeper",
    "hulls:upper_hull_of_large_counts",
    "key_counts:count_stream",
    "key_counts:deal",
    "key_counts:rows_between",
    "key_counts:table_between",
    "rankings:settle_ties",
    "replicate_weights:weigh_rows",
}

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled in this run"
)


def compiled(*arguments: str) -> dict[str, dict[str, list[str]]]:
    path = os.pathsep.join(p for p in [str(TESTS), *sys.path] if p)
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def too_many(found: dict[str, list[str]], allowed: dict[str, int]) -> dict[str, list[str]]:
    return {
        f"{name}: {len(versions)}, {allowed.get(name, 'no entry')} allowed": versions
        for name, versions in found.items()
        if name not in allowed or len(versions) > allowed[name]
    }


def never_reached(versions: dict[str, list[str]], calls: dict[str, list[str]]) -> set[str]:
    """Return the kernels that no call led to.

    A kernel called by kernels alone has no version of its own where they come from the cache.
    """
    reached = {name for name, found in versions.items() if found}
    while more := {other for name in reached for other in calls[name]} - reached:
        reached |= more
    return versions.keys() - reached


def test_every_kernel_is_reached_and_compiles_no_more_than_allowed() -> None:
    """One test: two processes would each compile all there is."""
    found = compiled()
    excess = too_many(found["versions"], ALLOWED)
    assert not excess, json.dumps(excess, indent=1)
    assert not ALLOWED.keys() - found["versions"].keys()
    assert not never_reached(**found)
    # What is in the cache by now is used again.
    assert never_reached(**compiled("warmup")) == NOT_AHEAD


def test_too_many_are_caught() -> None:
    found = compiled(str(BAD))["versions"]
    assert too_many(found, {"too_many_signatures:total": 3})
    assert too_many(found, {})
    assert not too_many(found, {"too_many_signatures:total": 4})


def test_a_kernel_that_is_not_reached_is_caught() -> None:
    calls = {"outer": ["inner"], "inner": [], "alone": []}
    assert never_reached({"outer": ["f(x)"], "inner": [], "alone": []}, calls) == {"alone"}
