"""Scores of every shape, and small numbers put in place of the engine's thresholds."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fastmetrics._input.containers import BFLOAT16 as BFLOAT16
from fastmetrics._input.scores import NARROW_ROWS as NARROW_ROWS
from fastmetrics.tables import ordering, pairs

Generator = np.random.Generator

#: Rows enough for a partition as it is.
LARGE = pairs.PLAIN_ROWS + 1_000

KINDS: dict[str, Callable[[Generator, int], NDArray[Any]]] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "sorted": lambda rng, n: np.sort(rng.standard_normal(n)),
    "reversed": lambda rng, n: np.sort(rng.standard_normal(n))[::-1].copy(),
    "clustered": lambda rng, n: rng.integers(0, 3, n) + 1e-9 * rng.standard_normal(n),
    "three_decimals": lambda rng, n: np.round(rng.random(n), 3),
    "beta": lambda rng, n: rng.beta(0.1, 0.1, n),
    "saturated_sigmoid": lambda rng, n: 1 / (1 + np.exp(-40 * rng.standard_normal(n))),
    "all_equal": lambda rng, n: np.full(n, 0.1),
    "one_ulp_apart": lambda rng, n: 1.0 + rng.integers(0, 4, n) * 2.0**-52,
    "two_values": lambda rng, n: rng.integers(0, 2, n) * 0.25,
    "signed_zeros": lambda rng, n: rng.choice([-0.0, 0.0, 5e-324, -5e-324], n),
    "subnormals": lambda rng, n: rng.integers(-50, 50, n) * 5e-324,
    "huge": lambda rng, n: rng.choice([-1.7e308, -1e308, 1e308, 1.7e308], n) * rng.random(n),
    "exp_100z": lambda rng, n: np.exp(100 * rng.standard_normal(n)),
    "float32": lambda rng, n: rng.standard_normal(n).astype(np.float32),
    "float32_huge": lambda rng, n: rng.choice([-3e38, 0.0, 1e-45, 3e38], n).astype(np.float32),
    "int64_near_2**62": lambda rng, n: 2**62 - rng.integers(0, 9, n),
    "int64_2**60_and_small": lambda rng, n: rng.integers(0, 2, n) * 2**60 + rng.integers(-3, 3, n),
    "int64_all": lambda rng, n: rng.integers(-(2**63), 2**63 - 1, n, endpoint=True),
    "uint64_above_2**63": lambda rng, n: (
        rng.integers(0, 99, n).astype(np.uint64) + np.uint64(2**63)
    ),
    "uint64_all": lambda rng, n: rng.integers(0, 2**64 - 1, n, dtype=np.uint64, endpoint=True),
    "infinities": lambda rng, n: rng.choice([-np.inf, -1.0, 0.5, np.inf], n),
    "infinities_and_normal": lambda rng, n: np.where(
        rng.random(n) < 0.2, rng.choice([-np.inf, np.inf], n), rng.standard_normal(n)
    ),
    "infinities_only": lambda rng, n: rng.choice([-np.inf, np.inf], n),
}


def labels_of(rng: Generator, n: int, share: float) -> NDArray[np.int8]:
    """Return labels with that share of positives; one positive for a share of 0."""
    labels = (rng.random(n) < share).astype(np.int8)
    labels[rng.integers(n)] = 1
    labels[(int(np.argmax(labels)) + 1) % n] = 0
    return labels


def unsampled_cluster(rng: Generator, n: int) -> NDArray[np.float64]:
    """Return scores that are even in the sampled rows (a range map fits) and crowded elsewhere."""
    scores = 0.5 + 1e-12 * rng.random(n)
    sampled = ordering._sorted_sample(np.arange(n, dtype=np.float64)).astype(np.int64)
    scores[sampled] = rng.random(len(sampled))
    return scores


@contextlib.contextmanager
def thresholds(
    *,
    plain_rows: int = 0,
    part_rows: int = 1 << 20,
    bucket_rows: int = 32_768,
    sample_rows: int = 16_384,
) -> Iterator[None]:
    """Let small data take the paths of large ones, in machine code."""
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setattr(pairs, "PLAIN_ROWS", plain_rows)
        patch.setattr(ordering, "ONE_BUCKET_ROWS", plain_rows)
        patch.setattr(ordering, "PART_ROWS", part_rows)
        patch.setattr(ordering, "BUCKET_ROWS", bucket_rows)
        patch.setattr(ordering, "PART_FILLS", 0)
        patch.setattr(ordering, "SAMPLE_ROWS", sample_rows)
        yield


@contextlib.contextmanager
def narrow_jobs(size: int, most: int) -> Iterator[None]:
    """Count scores of 16 bits in jobs of so many rows, as doubles from more than ``most`` on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "NARROW_JOB", size)
        patch.setattr(pairs, "MOST_SHORT", most)
        yield


@contextlib.contextmanager
def without_sorts() -> Iterator[None]:
    """Let every way to a table but that of scores of 16 bits fail."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("partition", "row_order", "sorted_classes"):
            patch.setattr(pairs, name, None)
        yield


#: Plain; two buckets of full blocks; many buckets and parts; a sample that says little.
PATHS: dict[str, dict[str, int]] = {
    "plain": {"plain_rows": 1 << 40},
    "two_buckets": {"bucket_rows": 1 << 20},
    "many_buckets": {"bucket_rows": 64, "part_rows": 700},
    "poor_sample": {"bucket_rows": 200, "part_rows": 1_000, "sample_rows": 40},
}
