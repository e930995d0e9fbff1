"""The registry of null hypotheses under which the size of the tests is simulated.

To add tests, write a file of this room that calls `add` for each scene, and name it in `SUBJECTS`.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SEED = 20_250_306

#: Files of this room that add scenes, in the order in which their tables are published.
SUBJECTS = ("resampling", "counts", "differences", "groups", "ranks", "models", "pairs")

Measure = Callable[[np.random.Generator], dict[str, float]]


@dataclass(frozen=True)
class Scene:
    """One null hypothesis, and the tests that are tried under it.

    Attributes
    ----------
    part : str
        Heading of the table that the scene is a column of.
    name : str
        Heading of the column.
    measure : callable
        Draws one data set from a generator and returns the p-value of each test by its name; nan
        where a test is not defined.
    n_data : int
        Data sets.
    """

    part: str
    name: str
    measure: Measure
    n_data: int

    def generator(self, number: int) -> np.random.Generator:
        """Return the generator of one data set, whatever else is simulated."""
        own = zlib.crc32(f"{self.part}: {self.name}".encode())
        return np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(own, number)))


SCENES: dict[tuple[str, str], Scene] = {}
NOTES: dict[str, str] = {}
#: Parts whose hypothesis is false: how often it is rejected is the power of a test.
OF_POWER: set[str] = set()


def describe(part: str, note: str, *, is_of_power: bool = False) -> None:
    """Say above the table of a part how its data are drawn."""
    NOTES[part] = " ".join(note.split())
    if is_of_power:
        OF_POWER.add(part)


def add(part: str, name: str, *, n_data: int) -> Callable[[Measure], Measure]:
    """Register a function as the `measure` of a scene."""

    def register(measure: Measure) -> Measure:
        if (part, name) in SCENES:
            raise ValueError(f"there is a scene {part!r}, {name!r} already")
        if part not in NOTES:
            raise ValueError(f"say first, by `describe`, what {part!r} is")
        SCENES[part, name] = Scene(part, name, measure, n_data)
        return measure

    return register


def scenes(part: str | None = None) -> list[Scene]:
    """Return the scenes of all subjects, or those of one part."""
    for subject in SUBJECTS:
        importlib.import_module(f"benchmarks.sizes.{subject}")
    return [scene for scene in SCENES.values() if part in (None, scene.part)]
