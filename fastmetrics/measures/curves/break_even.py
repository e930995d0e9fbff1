"""The break-even point: the value at which precision equals recall."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._results import OneNumber
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.tables.score_table import SCORED_BINARY, ScoreTable, as_table, lacks_a_class

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
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the break-even point"):
        return BreakEvenPoint(float("nan"), float("nan"), False)
    return break_even_at(balance_of(table))


class Balance(NamedTuple):
    """The step at which as many are called positive as there are positives, and TP/m+ in it."""

    threshold: int | float
    numerator: Any
    denominator: Any
    interpolated: bool


def break_even_at(balance: Balance) -> BreakEvenPoint:
    """Return the break-even point of a balance; warn where it is none."""
    threshold, numerator, denominator, interpolated = balance
    if not numerator > 0:
        message = (
            "the break-even point is not defined: as many examples as there are positives are "
            f"predicted positive near the threshold {threshold!r}, and none of them is one"
        )
        warn_user(message, UndefinedMetricWarning)
        return BreakEvenPoint(float("nan"), threshold, interpolated)
    return BreakEvenPoint(numerator / denominator, threshold, interpolated)


def balance_of(
    table: ScoreTable, n_positive: int | None = None, above: tuple[int, int] = (0, 0)
) -> Balance:
    """Return the balance of a table; or of a range of scores, in which it lies.

    Of a range: how many positives there are in all, and how many of either class score higher.
    """
    tp, fp = table.true_positives, table.false_positives
    total = tp[-1].item() if n_positive is None else n_positive
    slack = _ROUNDING * (total + fp[-1].item()) if table.is_weighted else 0

    def called(row: int) -> tuple[Any, Any]:
        """Return TP, and how many are called positive."""
        if row < 0:
            return above[0], sum(above)
        here = tp[row].item()
        return above[0] + here, sum(above) + (here + fp[row].item())

    row = bisect_left(range(len(tp)), total - slack, key=lambda row: called(row)[1])
    threshold = table.scores[row].item()
    stop, at_stop = called(row)
    if at_stop <= total + slack:
        return Balance(threshold, stop, total, False)
    start, before = called(row - 1)
    width = at_stop - before
    within = start * width + (total - before) * (stop - start)
    return Balance(threshold, within, total * width, True)
