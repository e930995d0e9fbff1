"""The replicates of a seed are those that were published: `golden` keeps some of every form."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fastmetrics._kernels import _compile
from fastmetrics._kernels.replicates import (
    replicate_pairs,
    replicate_points,
    resampling,
)
from golden import FILE, ROUNDED, SCENES, kept, replicates

KEPT = json.loads(FILE.read_text())


def test_every_scene_is_kept():
    assert list(KEPT) == list(SCENES)


@pytest.mark.parametrize("scene", SCENES)
def test_replicates_are_those_of_old(scene):
    found = kept(scene)
    assert list(found) == list(KEPT[scene])
    for label, values in found.items():
        wanted = KEPT[scene][label]
        if label in ROUNDED:  # by the processor's logarithm
            wanted = pytest.approx(wanted, rel=1e-12, nan_ok=True)
        assert values == wanted, label


@pytest.fixture
def numpy_first(monkeypatch):
    """Let NumPy serve what it has twins for, as in a process that has not loaded a kernel yet."""
    monkeypatch.setattr(_compile, "numpy_elements_left", 10**9)
    monkeypatch.setattr(_compile, "_any_loaded", False)
    for module in (replicate_pairs, replicate_points, resampling):
        for kernel in vars(module).values():
            if getattr(kernel, "in_numpy", None) is not None:
                monkeypatch.setattr(kernel, "_dispatcher", None)


@pytest.mark.parametrize("scene", SCENES)
def test_numpy_draws_and_measures_the_same_bits(scene, request):
    machine = replicates(scene)
    request.getfixturevalue("numpy_first")
    numpy = replicates(scene)
    drawn_by_cells = scene.startswith("matrix") or scene == "classes, plain"
    assert drawn_by_cells or _compile.numpy_elements_left < 10**9
    assert list(numpy) == list(machine)
    for label, values in machine.items():
        np.testing.assert_array_equal(numpy[label], values, err_msg=label)
