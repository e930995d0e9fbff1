"""Replicates of seeds that must stay as they are: ``python tests/golden.py`` writes them anew.

Somebody's published interval hangs on them: a change that makes it write other numbers needs a
line in the changelog. Data come from whole numbers alone, so that no generator's version matters.
"""

import json
import math
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastmetrics as fm
from fastmetrics.comparison.paired import random_sums

FILE = Path(__file__).parent / "reference" / "replicates.json"
SMALL = 260
SEVERAL_WINDOWS = 9_001

Values = dict[str, NDArray[np.float64]]


def uniform(n: int, multiplier: int) -> NDArray[np.float64]:
    """Return numbers from 0 to 1, in steps of 2**-16, that look random: the same everywhere."""
    words = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(multiplier)
    words = (words ^ (words >> np.uint64(15))) * np.uint64(0x2C1B3C6D)
    return ((words >> np.uint64(12)) & np.uint64(0xFFFF)) / 2.0**16


def sample(n: int, decimals: int = 2, model: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return labels, and the scores of a model in steps, so that they tie."""
    labels = (uniform(n, 40_503) < 0.4).astype(np.int64)
    labels[:2] = 0, 1
    return labels, np.round(0.15 + 0.1 * labels + 0.6 * uniform(n, 62_089 + 2 * model), decimals)


THRESHOLDS: dict[str, Any] = {
    "auc": "roc_auc",
    "average_precision": "average_precision",
    "pr_auc": ("pr_auc", {"interpolation": "trapezoid"}),
    "ks": "ks_statistic",
    "break_even": "break_even_point",
    "threshold": ("best_threshold", {"of": "threshold"}),
    "fbeta": ("best_threshold", {"criterion": "fbeta"}),
    "partial": ("partial_auc", {"false_positive_rate_range": (0.1, 0.4)}),
}
METRICS = THRESHOLDS | {
    name: name for name in ("accuracy", "f1", "log_loss", "brier_score", "r2", "mean", "mean_error")
}
#: Labels whose values pass through logarithms and the like, which differ between processors.
ROUNDED = {"log_loss", "critical value"}
NUMBERS = ("mean", "mean_squared_error", "mean_absolute_error", "r2")
CLASSES = ("accuracy", "f1_macro", "cohen_kappa")


def ways(n: int) -> dict[str, dict[str, Any]]:
    """Return the ways to draw n rows, as arguments."""
    groups = (uniform(n, 33_391) * (n // 6)).astype(np.int64)
    importances = np.array([0.1, 0.7, 1.9])[(uniform(n, 50_777) * 3).astype(int)]
    counted = {"sample_weight": (uniform(n, 27_733) * 4).astype(np.int64)}
    counted |= {"weights_are": "frequencies"}
    return {
        "plain": {},
        "stratified": {"stratified": True},
        "groups": {"groups": groups},
        "frequencies": counted,
        "importances": {"sample_weight": importances},
        "importances, groups": {"sample_weight": importances, "groups": groups},
    }


def bootstrapped(*data: Any, **options: Any) -> Values:
    """Return the replicates of each metric."""
    estimates = fm.bootstrap(*data, **{"rng": 1, **options})
    return {label: one.details.distribution for label, one in estimates.items()}


def _rows(n: int, way: str, metrics: dict[str, Any] = METRICS, **options: Any) -> Values:
    count = 60 if n == SMALL else 9
    options = {"metrics": metrics, "threshold": 0.5, "n_resamples": count} | options
    return bootstrapped(*sample(n), **options, **ways(n)[way])


def _numbers(n: int, way: str) -> Values:
    data = np.round(3.0 * uniform(n, 62_089), 3), np.round(3.0 * uniform(n, 60_091), 3)
    return bootstrapped(*data, metrics=NUMBERS, n_resamples=20, **ways(n)[way])


def _classes(n: int, way: str) -> Values:
    true = (uniform(n, 62_089) * 3).astype(np.int64)
    predicted = np.where(uniform(n, 60_091) < 0.3, 0, true)
    return bootstrapped(true, predicted, metrics=CLASSES, n_resamples=20, **ways(n)[way])


def _cells(**way: Any) -> Values:
    labels, scores = sample(SEVERAL_WINDOWS, decimals=1)
    return bootstrapped(labels, scores, metrics=METRICS, threshold=0.5, n_resamples=20, **way)


def _matrix(**way: Any) -> Values:
    matrix = fm.ConfusionMatrix.from_counts([[50, 7, 0], [3, 60, 5], [1, 2, 70]])
    return bootstrapped(matrix, metrics=CLASSES, n_resamples=20, **way)


def _models(n: int) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    return sample(n)[0], {name: sample(n, model=i)[1] for i, name in enumerate("abc")}


def _paired(n: int, way: str) -> Values:
    metrics = ["roc_auc", "average_precision", "ks_statistic", "f1", "brier_score"]
    options = {"metrics": metrics, "threshold": 0.5, "n_resamples": 15, "rng": 1}
    return {
        f"{label}: {pair.a} - {pair.b}": pair.details.distribution
        for label, pairs in fm.paired_bootstrap(*_models(n), **options, **ways(n)[way]).items()
        for pair in pairs
    }


def _permuted(n: int, exchange: Any) -> Values:
    metrics = ["roc_auc", "average_precision", "ks_statistic", "f1"]
    options = {"metrics": metrics, "threshold": 0.5, "n_resamples": 15, "exchange": exchange}
    return {
        f"{label}: {pair.a} - {pair.b}": pair.details.distribution
        for label, pairs in fm.paired_permutation_test(*_models(n), **options, rng=1).items()
        for pair in pairs
    }


def _signs(n: int) -> Values:
    key = np.random.default_rng(1).integers(0, 2**32, size=2, dtype=np.uint64)
    return {"sums": random_sums(np.sort(uniform(n, 62_089) - 0.5), 1_100, key)}


def _bands(n: int, **way: Any) -> Values:
    band = fm.roc_band(*sample(n), n_resamples=21, rng=1, **way)
    return {"critical value": np.array([band.critical_value])}


SCENES: dict[str, Callable[[], Values]] = {
    **{f"{n} rows, {way}": partial(_rows, n, way) for n in (SMALL, SEVERAL_WINDOWS)
       for way in ways(SMALL)},
    **{f"{SMALL} rows, rng {rng!r}": partial(_rows, SMALL, "plain", {"auc": "roc_auc"}, rng=rng)
       for rng in (0, 2**40, "075bcd15163fe6fe")},
    **{f"{n} numbers, {way}": partial(_numbers, n, way) for n in (SMALL, SEVERAL_WINDOWS)
       for way in ("plain", "groups", "frequencies", "importances")},
    **{f"classes, {way}": partial(_classes, SMALL, way)
       for way in ("plain", "groups", "importances")},
    "cells": _cells,
    "cells, stratified": partial(_cells, stratified=True),
    "matrix": _matrix,
    "matrix, stratified": partial(_matrix, stratified=True),
    **{f"{n} rows, paired, {way}": partial(_paired, n, way) for n in (SMALL, SEVERAL_WINDOWS)
       for way in ("plain", "stratified", "groups", "importances")},
    **{f"{n} rows, exchanged {what}": partial(_permuted, n, what) for n in (SMALL, SEVERAL_WINDOWS)
       for what in ("ranks", "scores")},
    **{f"{n} signs": partial(_signs, n) for n in (SMALL, SEVERAL_WINDOWS)},
    **{f"{n} rows, bands{suffix}": partial(_bands, n, **way) for n in (SMALL, SEVERAL_WINDOWS)
       for suffix, way in (("", {}), (", plain", {"stratified": False}))},
}  # fmt: skip


def replicates(scene: str) -> Values:
    """Return all replicates of a scene."""
    with warnings.catch_warnings():
        for category in (fm.UndefinedMetricWarning, fm.SmallSampleWarning,
                               fm.DegenerateDataWarning):  # fmt: skip
            warnings.simplefilter("ignore", category)
        return SCENES[scene]()


def kept(scene: str) -> dict[str, list[float]]:
    """Return the first and last replicate of a scene, and the sum of the finite ones."""
    return {
        label: [float(v[0]), float(v[-1]), math.fsum(v[np.isfinite(v)])]
        for label, v in replicates(scene).items()
    }


if __name__ == "__main__":
    lines = (
        f"{json.dumps(scene)}: {{\n"
        + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in kept(scene).items())
        + "\n}"
        for scene in SCENES
    )
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
