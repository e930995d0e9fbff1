"""What few positives put measures off by, which a mean of many labels keeps, and its limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from fastmetrics._report.task_evaluation import NAMES
from fastmetrics._results import ConfidenceInterval
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.samples import BinarySample
from fastmetrics.inference.table_points import measure_of
from fastmetrics.measures.asking import Asked
from fastmetrics.tables.score_table import running_sums

#: Areas of precision, which are too large; F1 is too small.
_OF_PRECISION: Final = ("average_precision", "pr_auc")
BIASED: Final = (*_OF_PRECISION, "f1")
#: Standard errors of a mean from which on a note says so.
_TOLD: Final = 0.25


def excess_of(one: Asked, sample: BinarySample, model: int) -> float:
    """Return by how much one of `BIASED` of one label is too large."""
    if measure_of(one).name in _OF_PRECISION:
        return _excess_of_precision(sample, model)
    return _excess_of_f1(one, sample, model)


def _excess_of_precision(sample: BinarySample, model: int) -> float:
    """Return by how much precision at positives, on average, is for themselves.

    The precision among the others that score as much as a positive has, where counts are of
    independent rows, the mean of the population: with the positive itself it is too large. A row
    of importance is left out as a whole, one of a frequency once.
    """
    ordered = sample.ordered(model)
    table = ordered.table
    tp, fp = running_sums(table)
    own: Any = 1.0
    if sample.design.weights is not None and sample.design.weights_are == "importances":
        positive = sample.classes == 1
        called, false = (ordered.spread(each)[positive] for each in (tp + fp, fp))
        shares = own = sample.design.weights[positive]
    else:
        at = np.flatnonzero(table.positives)
        shares, false = table.positives[at], fp[at]
        called = tp[at] + false
    others = np.maximum(called - own, false)  # of one row alone none
    excess = np.divide(false * own / called, others, out=np.zeros(len(false)), where=others > 0.0)
    return float(np.average(excess, weights=shares))


def _excess_of_f1(one: Asked, sample: BinarySample, model: int) -> float:
    """Return by how much F1 of independent rows is too large; it is too small, as a ratio.

    Of X / Y, 2 TP over 2 TP + FP + FN, that is the sum of w^2 a (F1 a - b) / Y^2 over rows that add
    w b to X and w a to Y, which is half of what the second derivatives by their weights are.
    """
    positive, called = sample.classes == 1, sample.called(one, model) == 1
    design = sample.design
    own = np.ones(len(positive)) if design.weights is None else design.weights
    of_squares = own if design.weights_are == "frequencies" else own * own
    right, wrong = positive & called, positive != called
    ways = float(2.0 * own[right].sum() + own[wrong].sum())
    f1 = float(2.0 * own[right].sum()) / ways
    moved = f1 * of_squares[wrong].sum() - 4.0 * (1.0 - f1) * of_squares[right].sum()
    return float(moved) / ways**2


def with_excess(comparison: Comparison, excess: Sequence[float]) -> Comparison:
    """Return a comparison whose limits take in what each model's mean is too large by."""
    models = [_widened(one, by) for one, by in zip(comparison.models, excess, strict=True)]
    of = dict(zip(comparison.names, excess, strict=True))
    pairs = []
    for pair in comparison.pairs:
        low, high = pair.confidence_interval
        more = of[pair.a] - of[pair.b]
        limits = ConfidenceInterval(low - max(0.0, more), high - min(0.0, more))
        wider = replace(pair, confidence_interval=limits)
        better = wider.better_at(comparison.confidence_level, comparison.higher_is_better)
        pairs.append(replace(wider, better=better))
    return replace(comparison, models=tuple(models), pairs=tuple(pairs))


def _widened(one: Estimate, excess: float) -> Estimate:
    low, high = one.confidence_interval
    if not math.isfinite(low) or excess == 0.0:
        return one
    of_few = "large by about {}, as each positive counts itself"
    if excess < 0.0:
        of_few = "small by about {}, as labels have few positives"
    said = (
        f"{NAMES.get(one.metric, one.metric)} is too {of_few.format(f'{abs(excess):.3g}')}; "
        "its limits take that in"
    )
    is_told = abs(excess) > _TOLD * one.standard_error and not one.note
    limits = ConfidenceInterval(max(0.0, low - max(0.0, excess)), min(1.0, high - min(0.0, excess)))
    return replace(one, confidence_interval=limits, note=said if is_told else one.note)
