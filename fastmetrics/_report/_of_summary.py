"""The evaluation of rows of which only a summary of their ranges is there."""

from __future__ import annotations

import math
from typing import Final

from fastmetrics._report._one_model import (
    NOWHERE,
    SMOOTH,
    note_of_size,
    said_in_notes,
    undefined_model,
    with_estimates,
)
from fastmetrics._report.model_evaluation import ModelEvaluation
from fastmetrics.errors import InputError
from fastmetrics.inference.streams.range_summary import (
    Corner,
    RangeSummary,
    average_precision_of,
)
from fastmetrics.inference.streams.table_estimates import of_summary
from fastmetrics.measures.asking import ask
from fastmetrics.measures.curves.break_even import break_even_at
from fastmetrics.measures.curves.kolmogorov_smirnov import ks_at

_NAN: Final = math.nan


def evaluation_of(summary: RangeSummary, name: str, level: float) -> ModelEvaluation:
    """Return what `evaluate` says of the rows of a summary, once all ranges are in.

    That of all rows in memory: counts and what is made of them the same to the bit, the average
    precision without any rounding but that of its terms, standard errors but for roundings.

    Raises
    ------
    ValueError
        If ranges are missing, or were added twice.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present, or there is no break-even point.
    """
    summary.check_whole()
    m, n = summary.n_positive, summary.n_negative
    if not (m and n):
        return undefined_model(name, m, n)
    if summary.highest is None or summary.lowest is None or summary.balance is None:
        raise InputError("ranges of scores are missing")
    gap = max(
        summary.highest,
        summary.lowest,
        key=lambda corner: (abs(summary.gap_at(corner)), corner.threshold),
    )
    best = summary.highest if summary.gap_at(summary.highest) > 0 else Corner(math.inf, 0, 0)
    model = ModelEvaluation(
        name,
        m,
        n,
        roc_auc=summary.pairs.auc,
        confidence_interval=NOWHERE,
        interval_method="",
        standard_error=_NAN,
        average_precision=average_precision_of(summary),
        break_even_point=break_even_at(summary.balance).value,
        ks_statistic=ks_at(*gap, m, n).statistic,
        threshold=best.threshold,
        true_positive_rate=best.tp / m,
        false_positive_rate=best.fp / n,
        note=note_of_size(float(m), float(n), None),
    )
    with said_in_notes():
        found = {one.label: of_summary(one, summary, level) for one in ask(list(SMOOTH))}
    return with_estimates(model, found)
