"""Size and power of the tests of two models on the same rows, by metrics of scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.sizes.scenes import Measure, add, describe
from fastmetrics import compare, delong_test

SIZE = "Two models on the same rows: size"
POWER = "Two models on the same rows: power"
METRICS = ("roc_auc", "average_precision", "brier_score", "log_loss", "mcc")
CORRELATION = 0.6

_DRAWN = f"""Columns are expected positives + negatives, and how far apart the means of their scores
    are: normal, of deviation 1, those of two models correlating at {CORRELATION:g} in a class.
    Probabilities are calibrated, and predicted positive is one above the proportion of positives.
    The class of each row is random."""
describe(SIZE, f"{_DRAWN} Both models are equally good.")
describe(
    POWER,
    f"{_DRAWN} The first model is better: figures are how often this is shown, and should be high.",
    is_of_power=True,
)


class Rows(NamedTuple):
    """Expected rows of two classes, and how far apart the models hold their means."""

    positives: int
    negatives: int
    first: float
    second: float


def tests(rows: Rows) -> Measure:
    """Return the measure of all tests on rows of two models."""
    n, share = rows.positives + rows.negatives, rows.positives / (rows.positives + rows.negatives)

    def measure(rng: np.random.Generator) -> dict[str, float]:
        y = np.zeros(n, np.int8)
        while not 4 <= y.sum() <= n - 4:
            y = (rng.random(n) < share).astype(np.int8)
        shared, own = rng.normal(size=(2, n))
        noise = {"first": shared}
        noise["second"] = CORRELATION * shared + (1.0 - CORRELATION**2) ** 0.5 * own
        scores = {}
        for name, apart in (("first", rows.first), ("second", rows.second)):
            log_odds = apart * (noise[name] + apart * (y - 0.5)) + np.log(share / (1.0 - share))
            scores[name] = 1.0 / (1.0 + np.exp(-log_odds))
        tested = compare(y, scores, metrics=METRICS, threshold=share, n_threads=1)
        found = {f"compare, {metric}": one.pairs[0].pvalue for metric, one in tested.items()}
        return found | {"delong_test": delong_test(y, scores).pairs[0].pvalue}

    return measure


for case in (
    Rows(10, 90, 1.0, 1.0),
    Rows(10, 1_000, 2.9, 2.9),
    Rows(30, 30, 1.8, 1.8),
    Rows(50, 950, 1.5, 1.5),
    Rows(212, 357, 3.6, 3.6),
):
    heading = f"{case.positives} + {case.negatives:,}, {case.first:g}"
    add(SIZE, heading, n_data=1_000)(tests(case))
for case in (
    Rows(10, 90, 1.8, 0.8),
    Rows(10, 1_000, 2.9, 2.0),
    Rows(30, 30, 1.8, 1.2),
    Rows(50, 950, 1.5, 1.1),
    Rows(212, 357, 3.6, 3.0),
):
    heading = f"{case.positives} + {case.negatives:,}, {case.first:g} and {case.second:g}"
    add(POWER, heading, n_data=1_000)(tests(case))
