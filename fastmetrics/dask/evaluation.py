"""``evaluate`` on Dask: every figure of an evaluation, from ranges of scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastmetrics._docs import documented
from fastmetrics._input.containers import by_names, names_of
from fastmetrics._input.scalars import WeightsAre, check_confidence_level, check_integer
from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.score_evaluation import evaluate_tables
from fastmetrics.dask._partitions import COLUMNS, COUNTED
from fastmetrics.dask._ranges import RANGE_SCORES, Ranges
from fastmetrics.dask.scores import counted_parts, summary
from fastmetrics.errors import InputError, InputTypeError


@documented(COUNTED, COLUMNS)
def evaluate(
    y_true: Any,
    scores: Any = None,
    *,
    sample_weight: Any = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    confidence_level: float = 0.95,
    range_scores: int = RANGE_SCORES,
) -> Evaluation:
    """Evaluate the scores of one or several models against the labels, from sorted ranges.

    Parameters
    ----------
    scores : Dask column, mapping of str to Dask column, or Dask dataframe, optional
        The scores of one model, which is called "score"; or of several by name, of a dataframe one
        a column.
    confidence_level : float, default=0.95
        Of the interval of the AUC, which is that of `fastmetrics.evaluate`.

    Returns
    -------
    Evaluation
        As `fastmetrics.evaluate` returns it, the same bits for any partitions; the average
        precision is rounded once, and may differ from that in memory in its last digits, as may
        the Brier score and the log loss, which it has where all scores lie in [0, 1].

    Raises
    ------
    ValueError
        For importances.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present.

    Notes
    -----
    As `roc_auc_score`: a model's evaluation is a sum over ranges of whole numbers, corners of the
    curve, moments, and the step where precision meets recall. Models are evaluated one after the
    other. `estimate` has intervals of other metrics.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([1, 0, 1, 1, 0, 0, 1, 0], chunks=3)
    >>> y_score = da.from_array([0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15], chunks=3)
    >>> fmd.evaluate(y_true, {"a": y_score})
    Evaluation(a: roc_auc=0.65625)
    """
    level = check_confidence_level(confidence_level)
    n = check_integer("range_scores", range_scores, low=1)
    instead = "fastmetrics.evaluate(y_true, scores, sample_weight=...)"
    summaries = {}
    for name, column in models_of(y_true, scores).items():
        parts = counted_parts(y_true, column, sample_weight, weights_are, instead)
        runs = Ranges(parts, pos_label=pos_label, range_scores=n)
        summaries[name] = summary(runs)
    read = weights_are if weights_are == "frequencies" else None
    return evaluate_tables(summaries, level, read)


def models_of(y_true: Any, scores: Any) -> Mapping[str, Any]:
    """Return the column of each model by name."""
    if scores is None:
        if isinstance(y_true, list | tuple):
            return {"score": None}
        raise InputTypeError("`scores` is missing: pass labels and scores")
    if isinstance(scores, Mapping):
        if not scores:
            raise InputError("`scores` must have at least one model: got none")
        return by_names(scores, "scores", "models")
    if hasattr(scores, "columns") and getattr(scores, "ndim", 1) == 2:
        names = names_of(scores.columns, "scores", "models")
        return {name: scores[key] for name, key in zip(names, scores.columns, strict=True)}
    return {"score": scores}
