"""The data of the coverage study: binormal scores, whose population values are known.

Negatives score N(0, 1), positives N(separation, 1). What an interval should cover is the value of
the metric in the population, which is its limit as the sample grows.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 20_240_611
THRESHOLD = 1.0
CORRELATION = 0.5  # of two models' scores, given the label
WORSE = 1.2  # separation of the model that is worse than 1.5
SPREAD = 2.0  # of the positives of the model with another shape and the same AUC
USER_SHARE = 0.5  # of the variance of a score that is its user's
SIZES = (30, 100, 1_000)
SHARES = (0.5, 0.05)
ITEMS = (10, 30, 100, 1_000)
QUERIES = (10, 25, 100, 500)
RANKINGS = ("map", "mrr@10", "precision@5", "hit_rate@1")
MANY_QUERIES = 400_000  # whose means stand for those of the population

METRICS = ("roc_auc", "average_precision", "ks_statistic", "f1", "accuracy")
RECALL_AT = "recall_at_false_positive_rate"  # of 0.1
CHOSEN = ("true_positive_rate", "false_positive_rate")  # at the best threshold
COMPARED = ("roc_auc", "average_precision", "accuracy")  # by differences between two models


@dataclass(frozen=True)
class Scene:
    """One kind of data.

    Attributes
    ----------
    part : str
        The part of the study: what is computed of the data.
    n : int
        Rows.
    share : float
        Positives in the population.
    separation : float
        Mean score of the positives.
    users : int
        Users who have the rows; 0 if rows are independent. Of rankings: queries.
    uneven : bool
        Whether the users' shares of the rows fall as 1, 1/2, 1/3, ... (Zipf), not equal.
    spread : float
        Standard deviation of the logarithms of importance weights; 0 for none.
    thinned : int
        One data set in so many is simulated, where each takes long.
    """

    part: str
    n: int
    share: float
    separation: float = 1.5
    users: int = 0
    uneven: bool = False
    spread: float = 0.0
    thinned: int = 1

    @property
    def name(self) -> str:
        """What the scene is called, in tables and in the seed."""
        size = f"{self.n:,} rows, "
        if self.part == "rankings":
            return f"{self.users:,} queries"
        if self.part == "slices":
            return f"{self.users} slices of separation {self.separation:g}"
        if self.part == "logs":
            level = {0.13: "hard", 0.5: "even", 0.8: "easy"}[self.share]
            return f"{self.n:,} {level} items, {self.users} repeats"
        if self.part == "gates":
            return f"{size}{self.users:,} groups" if self.users else size[:-2]
        if self.part == "costs" and self.users:
            return f"{size}{self.users:,} groups"
        if self.part == "groups":
            return f"{size}{self.users} {'Zipf' if self.uneven else 'equal'} groups"
        if self.spread:
            return f"{size}weights of spread {self.spread:g}"
        return size + ("balanced" if self.share == 0.5 else f"{self.share:.0%} positive")

    def data_sets(self, n_data: int) -> int:
        """Return how many data sets are drawn where the usual number is ``n_data``."""
        return max(2, n_data // self.thinned)

    def sizes(self) -> NDArray[np.int64]:
        """Return how many rows each user has."""
        shares = 1.0 / np.arange(1, self.users + 1) if self.uneven else np.ones(self.users)
        ends = np.round(np.cumsum(shares) / shares.sum() * self.n).astype(np.int64)
        return np.diff(ends, prepend=0)

    def generator(self, number: int) -> np.random.Generator:
        """Return the generator of one data set, whatever else is simulated."""
        own = zlib.crc32(f"{self.part}: {self.name}".encode())
        return np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(own, number)))


@dataclass(frozen=True, eq=False)
class Data:
    """Labels with the scores of a model, and of others to compare it with.

    `others` holds "equal" (exchangeable with the model), "spread" (the same AUC from another
    curve) and "worse".
    """

    labels: NDArray[np.int8]
    scores: NDArray[np.float64]
    others: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    groups: NDArray[np.int64] | None = None
    weights: NDArray[np.float64] | None = None
    scene: Scene | None = None


def _grid(
    part: str, sizes: tuple[int, ...], shares: tuple[float, ...], **given: Any
) -> list[Scene]:
    return [Scene(part, n, share, **given) for share in shares for n in sizes]


SCENES = (
    *_grid("main", SIZES, SHARES),
    *_grid("fixed", (100,), SHARES),
    Scene("users", 500, 0.5, users=50),
    Scene("groups", 500, 0.5, users=50, uneven=True),
    Scene("groups", 150, 0.5, users=15),
    Scene("groups", 500, 0.5, users=50),
    Scene("weights", 100, 0.5, spread=1.0, thinned=10),
    Scene("weights", 1_000, 0.5, spread=1.0, thinned=10),
    Scene("weights", 100, 0.5, spread=1.5, thinned=10),
    *_grid("choice", (100, 1_000), SHARES),
    *_grid("costs", (100, 1_000), (0.5, 0.1), thinned=4),
    Scene("costs", 1_000, 0.5, users=50, thinned=4),
    *_grid("guarantees", (100, 1_000), SHARES),
    *(Scene("gates", n, 0.5) for n in (200, 2_000, 20_000)),
    *(Scene("gates", n, 0.5, users=n // 5) for n in (200, 2_000, 20_000)),
    *(
        Scene("slices", 100 * k, 0.5, d, users=k, thinned=k // 10 * 2 - 1)
        for k in (10, 50)
        for d in (1.5, 3.0)
    ),
    *(Scene("logs", n, p, users=k) for k in (5, 20) for p in (0.13, 0.5, 0.8) for n in ITEMS),
    *_grid("folds", (200, 1_000), (0.5, 0.1), thinned=4),
    *_grid("bins", (100, 1_000), SHARES, thinned=4),
    *(Scene("rankings", 20 * n, 0.15, users=n, thinned=4) for n in QUERIES),
)


def draw(scene: Scene, rng: np.random.Generator) -> Data:
    """Draw one data set."""
    n = scene.n
    if scene.part == "rankings":
        return _draw_queries(scene, rng)
    if scene.part in ("logs", "slices"):
        return Data(np.zeros(0, np.int8), np.zeros(0), scene=scene)
    if scene.users:
        return _draw_users(scene, rng)
    if scene.part == "fixed":
        labels = (rng.permutation(n) < round(n * scene.share)).astype(np.int8)
    else:
        labels = (rng.random(n) < scene.share).astype(np.int8)
    own, other = rng.standard_normal((2, n))
    other = CORRELATION * own + math.sqrt(1 - CORRELATION**2) * other
    others = {
        "equal": scene.separation * labels + other,
        "spread": _wide_separation(scene) * labels + np.where(labels, SPREAD, 1.0) * other,
        "worse": WORSE * labels + other,
    }
    weights = None
    if scene.spread:  # independent of labels and scores: the targets are those without weights
        weights = np.exp(scene.spread * rng.standard_normal(n))
    return Data(labels, scene.separation * labels + own, others, weights=weights, scene=scene)


def _draw_users(scene: Scene, rng: np.random.Generator) -> Data:
    """Draw users who differ in their share of positives and in the level of their scores."""
    groups = np.repeat(np.arange(scene.users), scene.sizes())
    share = rng.beta(0.5, 0.5, scene.users)  # its mean is 1/2
    labels = (rng.random(scene.n) < share[groups]).astype(np.int8)
    noise = [
        math.sqrt(USER_SHARE) * rng.standard_normal(scene.users)[groups]
        + math.sqrt(1 - USER_SHARE) * rng.standard_normal(scene.n)
        for _ in range(2)
    ]
    others = {"equal": scene.separation * labels + noise[1], "worse": WORSE * labels + noise[1]}
    return Data(labels, scene.separation * labels + noise[0], others, groups, scene=scene)


def _draw_queries(scene: Scene, rng: np.random.Generator) -> Data:
    """Draw queries of equal length, which differ in how easy they are for all systems."""
    groups = np.repeat(np.arange(scene.users), scene.sizes())
    labels = (rng.random(scene.n) < scene.share).astype(np.int8)
    easy = rng.gamma(2.0, 0.5, scene.users)[groups]  # its mean is 1
    own, other = rng.standard_normal((2, scene.n))
    other = CORRELATION * own + math.sqrt(1 - CORRELATION**2) * other
    others = {
        "equal": scene.separation * easy * labels + other,
        "worse": WORSE * easy * labels + other,
    }
    return Data(labels, scene.separation * easy * labels + own, others, groups)


def _wide_separation(scene: Scene) -> float:
    """Return the mean of positives with the other spread at which the AUC is the same."""
    return scene.separation * math.sqrt((1 + SPREAD**2) / 2)
