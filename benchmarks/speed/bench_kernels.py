"""Every kernel against its naive twin, each answer checked against the other's."""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest

import fastmetrics._kernels as kernels
from benchmarks.speed import naive, twins
from benchmarks.speed.data import Spec, make
from fastmetrics._kernels._compile import Kernel
from fastmetrics._threads.workers import at_most

pytestmark = pytest.mark.bench


def modules_of(room):
    """Return the modules of a package by their names."""
    paths = [info.name for info in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")]
    return {path.rsplit(".", 1)[-1]: importlib.import_module(path) for path in paths}


TWINS = {pair: how for module in modules_of(twins).values() for pair, how in module.TWINS.items()}

every = pytest.mark.parametrize("pair", TWINS, ids=lambda pair: pair.__name__)
ties = pytest.mark.parametrize("kind", ["continuous", "three_decimals"])


def all_kernels() -> dict[str, Kernel]:
    found = {}
    for room, module in modules_of(kernels).items():
        for name, value in vars(module).items():
            if isinstance(value, Kernel) and value.py_func.__module__ == module.__name__:
                found[f"{room}:{name}"] = value
    return found


def agrees_with(right):
    def check(answer):
        assert len(answer) == len(right)
        for mine, theirs in zip(answer, right, strict=True):
            if np.asarray(theirs).dtype.kind == "f":
                np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)
            else:
                np.testing.assert_array_equal(mine, theirs)

    return check


def alone(work):
    """Return the work on one thread, as the twin does its own."""

    def call():
        with at_most(1):
            return work()

    return call


def group(pair, rows, kind) -> str:
    return f"{', '.join(TWINS[pair][0])}: {rows:,} rows, {kind}"


def skip_if_it_never_ends(pair, rows) -> None:
    if TWINS[pair][1] and rows > naive.BROADCAST_ROWS:
        pytest.skip("the twin visits every pair: it would not end soon")


@every
@ties
def test_kernel(timed, rows, kind, pair):
    skip_if_it_never_ends(pair, rows)
    ours, twin = pair(make(Spec(kind, rows)))
    timed(alone(ours), agrees_with(twin()), group(pair, rows, kind))


@every
@ties
def test_naive_twin(timed, rows, kind, pair):
    skip_if_it_never_ends(pair, rows)
    ours, twin = pair(make(Spec(kind, rows)))
    timed(twin, agrees_with(ours()), group(pair, rows, kind), rounds=2)


def test_every_kernel_has_a_twin():
    covered = {name for names, _ in TWINS.values() for name in names}
    assert covered == all_kernels().keys()
