"""Data for the tests of bands, and the cells of every replicate, rebuilt from its draws."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
from draws import times_drawn

import fastmetrics as fm

N = 60
RNG = np.random.default_rng(5)
GROUPS = RNG.integers(0, 25, N)
FREQUENCIES = RNG.integers(0, 4, N)
IMPORTANCES = RNG.choice([0.1, 0.7, 1.9], N)

COUNTED = {"sample_weight": FREQUENCIES, "weights_are": "frequencies"}
WAYS: dict[str, dict[str, Any]] = {
    "stratified": {"stratified": True},
    "plain": {"stratified": False},
    "groups": {"groups": GROUPS},
    "frequencies": {**COUNTED, "stratified": True},
    "importances": {"sample_weight": IMPORTANCES, "stratified": True},
    "plain importances": {"sample_weight": IMPORTANCES, "stratified": False},
    "weighted groups": {"sample_weight": IMPORTANCES, "groups": GROUPS},
    "counted groups": {**COUNTED, "groups": GROUPS},
}


def binary(n: int = N, *, step: float = 0.0, seed: int = 0, share: float = 0.4):
    """Return labels of both classes with scores that tell, in steps if they shall tie."""
    rng = np.random.default_rng([n, seed])
    labels = (rng.random(n) < share).astype(np.int64)
    labels[:4] = 0, 1, 0, 1
    scores = labels * 1.2 + rng.normal(size=n)
    return labels, np.round(scores / step) * step if step else scores


def quiet(function, *data: Any, **options: Any):
    """Call what may warn of small or odd data; its warnings have tests of their own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.UndefinedMetricWarning)
        warnings.simplefilter("ignore", fm.DegenerateDataWarning)
        return function(*data, **{"rng": 1, "n_resamples": 30, **options})


def cells(labels, scores, weights=None) -> list[tuple[Fraction, Fraction]]:
    """Return the weight of positives and of negatives at each score, highest first."""
    weights = np.ones(len(labels)) if weights is None else weights
    actual = {}
    for label, score, weight in zip(labels, scores, weights, strict=True):
        both = actual.setdefault(float(score), [Fraction(0), Fraction(0)])
        both[int(label != 1)] += Fraction(float(weight))
    return [tuple(actual[score]) for score in sorted(actual, reverse=True) if any(actual[score])]


def replicate_cells(
    key: str,
    count: int,
    labels,
    scores,
    *,
    sample_weight=None,
    weights_are="importances",
    groups=None,
    stratified=False,
):
    """Return the cells of replicates 0 to ``count`` - 1."""
    weights = sample_weight
    if weights_are == "frequencies":
        kept = weights > 0
        labels = labels[kept]
        scores = scores[kept]
        weights = weights[kept]
        if groups is None:  # a row of weight 3 is three rows
            labels = np.repeat(labels, weights)
            scores = np.repeat(scores, weights)
            weights = None
        else:
            groups = groups[kept]
    columns = [column for column in (groups, weights, labels, scores) if column is not None]
    order = np.lexsort(columns)[::-1]
    labels = labels[order]
    scores = scores[order]
    weights = np.ones(len(labels)) if weights is None else weights[order]
    units = np.arange(len(labels))
    if groups is not None:
        units = np.unique(groups, return_inverse=True)[1][order]
    positive = labels == 1 if stratified else None
    counts = times_drawn(key, int(units.max()) + 1, count, positive=positive)
    return [cells(labels, scores, weights * drawn[units]) for drawn in counts.astype(float)]
