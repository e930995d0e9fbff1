"""How the models fitted on the splits do on average: an interval, from the rows of all test sets.

A split is a sample, whose measure has influences of its test rows; those of the mean over splits
are theirs, put side by side.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.models import NamedScores
from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.interval_rule import estimate_of
from fastmetrics.inference.samples import sample_of
from fastmetrics.inference.table_points import (
    Measured,
    counts_of_share,
    has_influences,
    is_largest_gap,
    measure_of,
    of_cells,
)
from fastmetrics.inference.units import FEW_GROUPS, Units
from fastmetrics.selection.estimates._judged import Judged
from fastmetrics.selection.estimates._metrics import Metric

Floats = NDArray[np.float64]

#: What `sample_of` is told beside the data: nothing.
_NO_OPTIONS: Final = dict.fromkeys(
    ("event", "query", "groups", "strata", "sample_weight", "threshold", "pos_label")
)


class Tested(NamedTuple):
    """A measure on the test rows of one split.

    ``of_rows`` is how far each row moves it, None where that is not known; of the .632 methods the
    loss of each.
    """

    rows: NDArray[np.intp]
    value: float
    of_rows: Floats | None


def lost(metric: Metric, judged: Judged, rows: NDArray[np.intp]) -> Tested:
    """Return a measure that is the mean of the losses of rows, with these."""
    losses = metric.losses(judged)
    return Tested(rows, float(losses.mean()), losses)


def tested(metric: Metric, judged: Judged, rows: NDArray[np.intp]) -> Tested:
    """Return a measure with the influences of the rows."""
    one, value = metric.asked, metric.of(judged)
    if not math.isfinite(value) or not has_influences(one) or is_largest_gap(one):
        return Tested(rows, value, None)
    measure = measure_of(one)
    if measure.needs == "scores" and measure.family == "probabilities":  # of a margin
        return Tested(rows, value, None)
    data: Any = judged.given_to(measure)
    if measure.needs == "labels":
        slopes = of_cells(one, judged.confusion.astype(np.float64))[1]
        return Tested(rows, value, slopes[data[0] * len(judged.classes) + data[1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        models = [NamedScores("", "estimator", data[1])]
        sample = sample_of((one,), data[0], models, weights_are="importances", **_NO_OPTIONS)
        return Tested(rows, value, sample[one.label].influenced(one, 0).influences)


def average_of_models(
    metric: Metric,
    mean: float,
    splits: Sequence[Tested],
    task: Any,
    level: float,
) -> Estimate | None:
    """Return the mean over the splits, which is given, with the interval of the models' average.

    With psi the influence of a row in split j, v_j the value of it and v the mean of all J, the row
    adds (psi + (v_j - v) / m) / J, m being the test rows of the split, or of its class where the
    measure does not depend on how frequent classes are: of a mean over rows (loss - v) / (m J).
    What a row adds in several splits is added up: rows vary, not predictions.
    """
    influences = [split.of_rows for split in splits if split.of_rows is not None]
    if len(influences) < len(splits):
        return None
    one, n_splits = metric.asked, len(splits)
    measure, codes = measure_of(one), None
    n = 1 + max(int(split.rows.max()) for split in splits)
    if task.classes is not None and measure.is_by_class(one.parameters):
        codes = np.unique(task.y, return_inverse=True)[1]
    moved, times = np.zeros(n), np.zeros(n, np.int64)
    for split, own in zip(splits, influences, strict=True):
        strata = np.zeros(len(split.rows), np.int64) if codes is None else codes[split.rows]
        between = (split.value - mean) / np.bincount(strata)[strata]
        np.add.at(moved, split.rows, (own + between) / n_splits)
        np.add.at(times, split.rows, 1)
    rows = np.flatnonzero(times)
    units = Units(
        len(rows),
        groups=None
        if task.groups is None
        else check_class_labels(task.groups, "groups").codes[rows],
        strata=None if codes is None else codes[rows],
    )
    is_plain, counts, size = task.groups is None, None, float(len(rows))
    if is_plain and times.max() == 1 and measure.name in ("accuracy", "error_rate"):
        right = mean if measure.name == "accuracy" else 1.0 - mean
        counts = counts_of_share(size * right, size)
    with warnings.catch_warnings():  # `note` says what a warning would
        warnings.simplefilter("ignore")
        measured = Measured((mean,), moved[rows][None, :], units, (counts,), size)
        found = estimate_of(one, measured, 0, level, None, "two-sided", weights_are=None)
    whose = "this one" if n_splits == 1 else f"the average of these {n_splits:,}"
    target = f"covers {whose} on new examples, not models fitted on new training sets"
    notes = [f"the interval of fitted models {target}"]
    if not is_plain and units.effective_groups < FEW_GROUPS:
        notes.append(f"below about {FEW_GROUPS} groups intervals cover less than their level")
    return replace(found, note="; ".join([*notes, *([found.note] if found.note else [])]))
