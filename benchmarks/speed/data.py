"""The data sets: labels and scores of a named distribution, the same in every run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 20_080_615
#: Distinct scores of the heavily tied data: few enough for an oracle that counts in fractions.
TIED_LEVELS = 40
CLUSTERS = 50

#: What the targets call "any data".
ANY_DATA = (
    "sorted",
    "reversed",
    "clustered",
    "three_decimals",
    "beta",
    "saturated",
    "all_equal",
)
DESCRIPTIONS = {
    "continuous": "continuous scores",
    "tied": f"{TIED_LEVELS} distinct scores",
    "sorted": "sorted scores",
    "reversed": "scores in reverse order",
    "clustered": "clustered scores",
    "three_decimals": "scores of 3 decimals",
    "beta": "beta(.1, .1) scores",
    "saturated": "saturated sigmoid",
    "all_equal": "all scores equal",
}


@dataclass(frozen=True)
class Spec:
    """Which data: everything that the rows depend on."""

    kind: str = "continuous"
    rows: int = 10_000_000
    positive_share: float = 0.3
    scores: str = "float64"
    labels: str = "int8"

    def scaled(self, most: int) -> Spec:
        """Return the same data with no more than `most` rows."""
        return replace(self, rows=min(self.rows, most))

    @property
    def title(self) -> str:
        """What a reader needs to know of it."""
        return (
            f"{self.rows:,} rows, {DESCRIPTIONS[self.kind]}, {self.scores}, {self.labels} labels, "
            f"{self.positive_share:.0%} positive"
        )


@dataclass(frozen=True, eq=False)
class Data:
    """The rows of a specification; `weights` are float64 in [0, 1)."""

    spec: Spec
    labels: NDArray[Any]
    scores: NDArray[Any]

    @property
    def weights(self) -> NDArray[np.float64]:
        """One fractional weight a row, drawn anew at each call from the same seed."""
        return np.random.default_rng(SEED + 1).random(self.spec.rows)


@lru_cache(maxsize=2)
def make(spec: Spec) -> Data:
    """Return the data of a specification; both classes are present."""
    rng = np.random.default_rng(SEED)
    is_positive = rng.random(spec.rows) < spec.positive_share
    is_positive[:2] = True, False
    scores = _scores(spec.kind, is_positive, rng)
    if spec.kind in {"sorted", "reversed"}:
        order = np.argsort(scores)[:: -1 if spec.kind == "reversed" else 1]
        is_positive, scores = is_positive[order], scores[order]
    return Data(spec, is_positive.astype(spec.labels), scores.astype(spec.scores))


def _scores(
    kind: str, is_positive: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.float64]:
    n = len(is_positive)
    if kind == "all_equal":
        return np.full(n, 0.5)
    if kind == "beta":
        return rng.beta(0.1, 0.1, n)
    normal = rng.standard_normal(n)
    normal += is_positive
    if kind == "clustered":  # far apart as values, and side by side as rows
        centres = 100 * rng.standard_normal(CLUSTERS)
        return 0.01 * normal + centres[np.arange(n) * CLUSTERS // n]
    if kind == "saturated":
        return 1 / (1 + np.exp(-40 * normal))
    if kind == "three_decimals":
        return np.round(1 / (1 + np.exp(-normal)), 3)
    if kind == "tied":
        return np.round(np.clip(normal / 8, -0.5, 0.475) * TIED_LEVELS) / TIED_LEVELS
    return normal
