"""The break-even point: the value at which precision equals recall."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._results import OneNumber
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.tables.scores.both_classes import lacks_a_class
from fastmetrics.tables.scores.score_table import SCORED_BINARY, ScoreTable, as_table

# Weighted counts carry rounding of a few units in the last place: sums this near to m+ meet it.
_ROUNDING = 2.0**-50


@dataclass(frozen=True, slots=True, repr=False)
class BreakEvenPoint(OneNumber):
    """Where precision equals recall.

    Attributes
    ----------
    value : float
        The common value of precision and recall; nan where there is none.
    threshold : int or float
        The highest threshold that calls at least as many positive as there are positives.
    interpolated : bool
        True when no threshold calls exactly as many positive as there are: `value` then lies
        inside the step at `threshold` (a tie, or with weights a single example), at the expected
        TP of a random order.
    """

    _number = "value"

    value: float
    threshold: float
    interpolated: bool


@documented(SCORED_BINARY)
def break_even_point(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> BreakEvenPoint:
    """Compute the value where precision equals recall, with at least one true positive.

    Returns
    -------
    BreakEvenPoint
        The value, its threshold, and whether it was interpolated inside a tie.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present, or the (expected) TP is 0 there; the value is nan.

    Notes
    -----
    Precision - recall = TP (1/predicted - 1/m+), so with TP > 0 they are equal where the number
    predicted positive is m+, and nowhere else: if TP is 0 there, no break-even point exists.
    Without weights the value is the double nearest to the true ratio. With weights, a sum of
    predicted weight within 2^-50 of m+, relative to the total weight, counts as equal to m+.
    One sort, then O(log(distinct scores)).

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> break_even_point(y_true, [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15])
    BreakEvenPoint(value=0.625, threshold=0.47, interpolated=True)
    """
    table = as_table(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, n_threads=n_threads
    )
    if lacks_a_class(table, "the break-even point"):
        return BreakEvenPoint(float("nan"), float("nan"), False)
    row, numerator, denominator, interpolated = _true_positives_at_balance(table)
    threshold = table.scores[row].item()
    if not numerator > 0:
        message = (
            "the break-even point is not defined: as many examples as there are positives are "
            f"predicted positive near the threshold {threshold!r}, and none of them is one"
        )
        warn_user(message, UndefinedMetricWarning)
        return BreakEvenPoint(float("nan"), threshold, interpolated)
    return BreakEvenPoint(numerator / denominator, threshold, interpolated)


def _true_positives_at_balance(table: ScoreTable) -> tuple[int, Any, Any, bool]:
    """Return row, TP/m+ as a ratio where m+ are predicted positive, and if it is interpolated."""
    tp, fp = table.true_positives, table.false_positives
    total = tp[-1].item()
    slack = _ROUNDING * (total + fp[-1].item()) if table.is_weighted else 0

    def predicted(row: int) -> Any:
        return tp[row].item() + fp[row].item() if row >= 0 else 0

    row = bisect_left(range(len(tp)), total - slack, key=predicted)
    if predicted(row) <= total + slack:
        return row, tp[row].item(), total, False
    before, start = predicted(row - 1), tp[row - 1].item() if row else 0
    gain = tp[row].item() - start
    width = predicted(row) - before
    return row, start * width + (total - before) * gain, total * width, True
