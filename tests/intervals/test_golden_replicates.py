"""The replicates of a seed are those that were published: `golden` keeps some of every form."""

import json

import pytest

from golden import FILE, ROUNDED, SCENES, kept

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
