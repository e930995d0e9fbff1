"""How far the largest deviation of a normal process goes: what makes a simultaneous band."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from fastmetrics._input.scalars import key_text, seed_key
from fastmetrics.inference.units import Floats

_N_DRAWS: Final = 20_000


class Drawn(NamedTuple):
    """The random numbers of a simultaneous band."""

    generator: np.random.Generator
    key: str

    @classmethod
    def of(cls, rng: Any) -> Drawn:
        key = seed_key(rng)
        return cls(np.random.Generator(np.random.Philox(key.tolist())), key_text(key))

    def largest_of(self, parts: Floats, level: float) -> float:
        """Return what the largest deviation of a normal process stays below with this probability.

        ``parts`` are what each unit adds to the error at each threshold.
        """
        parts = parts / np.sqrt((parts * parts).sum(axis=1))[:, None]
        values, vectors = np.linalg.eigh(parts @ parts.T)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        largest = np.abs(self.generator.standard_normal((_N_DRAWS, len(root))) @ root.T).max(axis=1)
        return float(np.quantile(largest, level))
