"""The script that says what an installation weighs."""

from __future__ import annotations

import pytest

from benchmarks import footprint


@pytest.mark.source_tree
def test_builds_are_the_same_to_the_byte():
    names = [name for name, _, _ in footprint.packages()]
    assert [name.rpartition(".")[2] for name in names] == ["whl", "gz"]


def test_times_are_of_fresh_processes():
    assert 0.0 < footprint.seconds("print(0.25)", rounds=2) == 0.25
    status, said = footprint.python("raise SystemExit('no')")
    assert (status, said) == (1, "no")


def test_dependencies_have_a_weight():
    version, size = footprint.weight("numpy")
    assert version[0].isdigit()
    assert size > 1_000_000
