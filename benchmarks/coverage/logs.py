"""The part of the study on logs of items and repeats: chances of success, and differences of two.

The chance that an item is solved is Beta distributed; the other model has the same chance of each
item, or 0.85 of it. A scene's rows are its items, its users the repeats of each.
"""

from __future__ import annotations

import warnings
from math import exp, lgamma

import numpy as np

import fastmetrics
from benchmarks.coverage.findings import percent
from benchmarks.coverage.layout import show_coverage, show_share, show_width, table_by_scene
from benchmarks.coverage.measured import Cost, Measured, Study
from benchmarks.coverage.scenes import Data, Scene

PART = "logs"
#: The parameters of the chance of an item, by its mean.
SHAPES = {0.13: (0.3, 2.0), 0.5: (1.0, 1.0), 0.8: (4.0, 1.0)}
#: Tries that are drawn, by the repeats there are.
TRIES = {5: 3, 20: 10}
_LESS = 0.85


def _moment(a: float, b: float, k: float) -> float:
    """Return the k-th moment of Beta(a, b)."""
    return exp(lgamma(a + k) - lgamma(a) + lgamma(a + b) - lgamma(a + b + k))


def population(scene: Scene) -> dict[str, float]:
    """Return the metrics in the population of items, and what the worse model has less."""
    a, b = SHAPES[scene.share]
    k = TRIES[scene.users]
    mean, all_of = _moment(a, b, 1), _moment(a, b, k)
    return {
        "score": mean,
        "pass@k": 1.0 - _moment(b, a, k),
        "pass^k": all_of,
        "flip_rate": 2.0 * (mean - _moment(a, b, 2)),
        "score difference": (1.0 - _LESS) * mean,
        "pass^k difference": (1.0 - _LESS**k) * all_of,
    }


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep the intervals of `evaluate_log`, and its tests of models that are alike or not."""
    scene = data.scene
    assert scene is not None
    n, repeats = scene.n, scene.users
    k = TRIES[repeats]
    chance = rng.beta(*SHAPES[scene.share], n)
    item, tries = np.indices((n, repeats)).reshape(2, -1)
    for hypothesis, less in (("equal", 1.0), ("worse", _LESS)):
        chances = np.stack([chance, less * chance])
        success = rng.random((2, n, repeats)) < chances[:, :, None]
        columns = {
            "item": np.tile(item, 2),
            "score": success.ravel(),
            "model": np.repeat([0, 1], n * repeats),
            "repeat": np.tile(tries, 2),
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = fastmetrics.evaluate_log(**columns, pass_at=k, pass_hat=k)
        assert found.comparisons is not None
        for label, name in (("score", "score"), (f"pass^{k}", "pass^k")):
            (pair,) = found.comparisons[label].pairs
            out.pvalues[hypothesis, name] = pair.pvalue
            if hypothesis == "worse":
                limits = tuple(map(float, pair.confidence_interval))
                out.intervals[f"{name} difference", "default"] = limits[0], limits[1]
    for label, name in (
        ("score", "score"),
        (f"pass@{k}", "pass@k"),
        (f"pass^{k}", "pass^k"),
        ("flip_rate", "flip_rate"),
    ):
        low, high = found[0][label].confidence_interval
        out.intervals[name, "default"] = float(low), float(high)


_COLUMNS = {
    "score": "mean score",
    "pass@k": "pass@k",
    "pass^k": "pass^k",
    "flip_rate": "flip rate",
    "score difference": "difference of means",
    "pass^k difference": "difference of pass^k",
}
_TESTS = {
    (hypothesis, name): f"{name}, {said}"
    for hypothesis, said in (("equal", "models alike"), ("worse", "0.85 of the chances"))
    for name in ("score", "pass^k")
}


def section(study: Study) -> str:
    """Return the section, a heading first: coverage, widths, and what the tests reject."""
    rows = [row for row in study.intervals if row.part == PART]
    coverage = {(row.scene, row.metric): show_coverage(row) for row in rows}
    widths = {(row.scene, row.metric): show_width(row) for row in rows}
    tests = [row for row in study.tests if row.part == PART]
    rejected = {(row.scene, (row.hypothesis, row.test)): show_share(row) for row in tests}
    most = max(row.share for row in tests if row.hypothesis == "equal")
    return "\n".join(
        [
            "## Logs of items and repeats\n",
            _HEAD.format(n_data=rows[0].n_data, most=percent(most)),
            table_by_scene("coverage, %", _COLUMNS, coverage),
            table_by_scene("mean width", _COLUMNS, widths),
            table_by_scene("rejected at 5 %, %", _TESTS, rejected),
        ]
    )


_HEAD = """`evaluate_log` at its defaults, {n_data:,} data sets a row: the chance that an item is
solved is Beta(0.3, 2) where items are hard, Beta(1, 1) where they are even, Beta(4, 1) where they
are easy; k is 3 of 5 repeats, 10 of 20. The limits of few items, or of means near 0 or 1, are the
outer ones of Student's t and Wilson, and cautious: a mean of numbers from 0 to 1 varies no more
than one of zeros and ones, and mostly less. The tests of models that are alike reject in at most
{most} %.
"""
