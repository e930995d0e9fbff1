"""What an evaluation says of probabilities: how far off they are, what mending would save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastmetrics._display.numbers import decimals_of, limits, number
from fastmetrics._input.models import NamedScores
from fastmetrics._input.rows import check_binary
from fastmetrics.inference.estimate import estimate
from fastmetrics.measures.calibration.score_decomposition import ScoreDecomposition


def said_of_calibration(
    labels: Any,
    named: Sequence[NamedScores],
    parts: Mapping[str, ScoreDecomposition],
    **options: Any,
) -> tuple[str, ...]:
    """Return a sentence on each model whose Brier score was decomposed."""
    known = [model for model in named if model.name in parts]
    return tuple(_said(labels, model, parts[model.name], **options) for model in known)


def _said(labels: Any, model: NamedScores, parts: ScoreDecomposition, **options: Any) -> str:
    """Return a sentence on the mean of probabilities, and on the most that recalibration saves.

    The mean has an interval. What is saved has none: of calibrated probabilities it is above zero
    in every sample, so that it is the most that these rows promise.
    """
    read = {name: options[name] for name in ("sample_weight", "pos_label")}
    rows = check_binary(labels, model.values, **read)
    own = {name: options[name] for name in ("groups", "weights_are", "confidence_level")}
    weight = options["sample_weight"]
    positive = rows.labels == 1
    found = estimate(positive, rows.scores, metrics="mean_error", sample_weight=weight, **own)
    off, (low, high) = found["mean_error"].estimate, found["mean_error"].confidence_interval
    side = 1.0 if off > 0.0 else -1.0
    interval = type(found["mean_error"].confidence_interval)(*sorted((side * low, side * high)))
    decimals = decimals_of([abs(off)], [interval])
    by = f"{number(abs(off), decimals)} {limits(interval, decimals)}"
    way = "high" if off > 0.0 else "low"
    said = f"too {way} on average, by {by}" if low > 0.0 or high < 0.0 else ""
    said = said or f"not shown to be off on average (too {way} by {by})"
    saved, loss = parts.miscalibration, parts.loss
    return (
        f"{model.name}: probabilities are {said}; recalibration would save at most "
        f"{saved:.2g} of the Brier score of {loss:.4f}."
    )
