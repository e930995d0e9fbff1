"""How often bands hold the ROC or precision-recall curve of the population.

``python -m benchmarks.bands`` draws samples of two normal classes, whose curves are known, makes
the bands of `roc_band` and `pr_band` and prints how often they hold the curve; it fails where a
band holds it less often than its level allows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

import fastmetrics as fm

Kind = Literal["simultaneous", "pointwise"]
KINDS: Final[tuple[Kind, ...]] = ("simultaneous", "pointwise")
#: Rows of a sample, positives among them, and by how much their scores are higher.
N_ROWS: Final = 300
POSITIVES: Final = (150, 30)
SEPARATION: Final = 1.5
GRID: Final = np.arange(1, 100) / 100
N_RESAMPLES: Final = 400
N_SAMPLES: Final = 600


class Shares(NamedTuple):
    """How often bands hold the curve: whole, at a point on average, and at the worst point."""

    whole: float
    mean: float
    least: float


def truth(function: Any, positives: int) -> NDArray[np.float64]:
    """Return the curve of the population at the grid."""
    recall = norm.sf(norm.isf(GRID) - SEPARATION)
    if function is fm.roc_band:
        return np.asarray(recall)
    share = positives / N_ROWS
    rate = norm.sf(norm.isf(GRID) + SEPARATION)
    return np.asarray(GRID * share / (GRID * share + rate * (1 - share)))


def simulate(function: Any, kind: Kind, positives: int, n_samples: int = N_SAMPLES) -> Shares:
    """Return how often the bands of so many samples hold the curve; a seed makes each of them.

    A ROC curve is of samples of so many positives, and precision of as many on average.
    """
    curve = truth(function, positives)
    inside = np.zeros((n_samples, len(GRID)), bool)
    for i in range(n_samples):
        rng = np.random.default_rng([17, i])
        drawn = positives if function is fm.roc_band else rng.binomial(N_ROWS, positives / N_ROWS)
        labels = np.arange(N_ROWS) < drawn
        scores = rng.normal(size=N_ROWS) + SEPARATION * labels
        band = function(labels, scores, kind=kind, n_resamples=N_RESAMPLES, points=GRID, rng=i)
        inside[i] = (band.low <= curve) & (curve <= band.high)
    by_point = inside.mean(axis=0)
    return Shares(float(inside.all(axis=1).mean()), float(by_point.mean()), float(by_point.min()))


def is_kept(kind: Kind, shares: Shares, n_samples: int) -> bool:
    """Return whether the level of 95 % is kept, but for what chance does once in 1,000 times."""
    error = float(norm.isf(0.001)) * (0.95 * 0.05 / n_samples) ** 0.5
    if kind == "simultaneous":
        return shares.whole >= 0.95 - error
    return shares.mean >= 0.95 - error and shares.least >= 0.95 - 1.5 * error


def main(arguments: Iterable[str] | None = None) -> int:
    """Print how often each kind of band holds the curve; return 1 where a level is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=N_SAMPLES)
    n_samples = parser.parse_args(None if arguments is None else [*arguments]).samples
    lines = ["band      kind          positives  whole curve  a point  worst point"]
    status = 0
    for function in (fm.roc_band, fm.pr_band):
        for kind in KINDS:
            for positives in POSITIVES:
                shares = simulate(function, kind, positives, n_samples)
                status |= not is_kept(kind, shares, n_samples)
                shown = "".join(f"{100 * each:>10.1f} %" for each in shares)
                lines.append(f"{function.__name__:<10}{kind:<14}{positives:>9}{shown}")
    sys.stdout.write("\n".join(lines) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
