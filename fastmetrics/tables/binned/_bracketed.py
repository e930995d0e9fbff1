"""What a table of bins says: measures between limits, as text, HTML and data frames."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Final, Never

from fastmetrics._display import Display, Shown, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_fraction, check_real
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.binned._bounds import (
    BinColumns,
    Bracket,
    ThresholdBrackets,
    auc_bracket,
    ks_bracket,
    precision_bracket,
    threshold_brackets,
    tpr_bracket,
)
from fastmetrics.tables.scores.both_classes import lacks_one

#: What measures between limits return; rows that examples measure.
LIMITS: Final = """
Returns
-------
Bracket
    Both limits nan where a class is missing.

Warns
-----
UndefinedMetricWarning
    If only one class is present.
"""
FOUR_ROWS: Final = """
Examples
--------
>>> from fastmetrics.streams import BinLayout, BinnedScoreTable
>>> table = BinnedScoreTable(BinLayout([0.5]), first_rows=0)
>>> table.update([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
"""
_UNKNOWN = Bracket(float("nan"), float("nan"))


class Bracketed(Shown):
    """Base of tables of bins: the measures of what they have counted."""

    __slots__ = ()

    def __array__(self, *_: object, **__: object) -> Never:
        """Refuse to be taken for rows by a function of labels and scores."""
        raise InputTypeError(
            f"a {type(self).__name__} has measures of its own, with limits: call "
            "`table.roc_auc()`, which is a Bracket; functions take `table.to_score_table()`, where "
            "all distinct scores are known"
        )

    @abstractmethod
    def _columns(self) -> BinColumns:
        """Return the bins."""

    @abstractmethod
    def _called(self, threshold: float) -> tuple[BinColumns, BinColumns, BinColumns]:
        """Return the bins, those that are surely >= threshold, and those that may be."""

    @property
    def n_positive(self) -> int | float:
        """Number of positives, or their weight."""
        return self._columns().totals[0]

    @property
    def n_negative(self) -> int | float:
        """Number of negatives, or their weight."""
        return self._columns().totals[1]

    @property
    def is_exact(self) -> bool:
        """Whether every bin holds one distinct score: brackets are then numbers."""
        return bool(self._columns().is_sure.all())

    @documented(LIMITS, FOUR_ROWS)
    def roc_auc(self) -> Bracket:
        """Return the limits of the area under the ROC curve.

        Notes
        -----
        The width is the sum of p n over bins with several scores, divided by the product of the
        totals: at most about 1 / n_bins where the layout was learnt from such scores.

        Examples
        --------
        >>> table.roc_auc()
        Bracket(low=0.5, high=1)
        """
        return self._limits("AUC", auc_bracket)

    @documented(LIMITS)
    def average_precision(self) -> Bracket:
        """Return the limits of average precision.

        Examples
        --------
        >>> from fastmetrics.streams import BinLayout, BinnedScoreTable
        >>> table = BinnedScoreTable(BinLayout([0.5]), first_rows=0)
        >>> table.update([0, 1, 1, 1], [0.1, 0.4, 0.4, 0.8])
        >>> table.average_precision().low.__round__(4), table.average_precision().high
        (0.8056, 1.0)
        """
        return self._limits("average precision", precision_bracket)

    @documented(LIMITS, FOUR_ROWS)
    def ks_statistic(self) -> Bracket:
        """Return the limits of the Kolmogorov-Smirnov statistic, the largest ``|TPR - FPR|``.

        Examples
        --------
        >>> table.ks_statistic()
        Bracket(low=0.5, high=1)
        """
        return self._limits("the Kolmogorov-Smirnov statistic", ks_bracket)

    @documented(LIMITS, FOUR_ROWS)
    def tpr_at_fpr(self, max_fpr: float) -> Bracket:
        """Return the limits of the largest TPR of a threshold with FPR <= `max_fpr`.

        Parameters
        ----------
        max_fpr : float
            In [0, 1]. Thresholds are scores: nothing is interpolated between them.

        Examples
        --------
        >>> table.tpr_at_fpr(0.5)
        Bracket(low=0.5, high=1)
        """
        limit = check_fraction("max_fpr", max_fpr, include_low=True, include_high=True)
        return self._limits("TPR at an FPR", tpr_bracket, limit)

    @documented(FOUR_ROWS)
    def at_threshold(self, threshold: float) -> ThresholdBrackets:
        """Return what the decision score >= threshold does, between limits.

        Parameters
        ----------
        threshold : float
            Exact at an edge of the layout, and wherever the bin of the threshold has one score.

        Returns
        -------
        ThresholdBrackets
            Counts, rates, precision, accuracy and F1, each a `Bracket`.

        Examples
        --------
        >>> table.at_threshold(0.5).true_positive_rate
        Bracket(low=0.5, high=0.5)
        """
        at = check_real("threshold", threshold)
        if at != at:
            raise InputError("`threshold` must be a number: got nan")
        columns, sure, possible = self._called(at)
        _lacks_one(columns, "a rate at a threshold")
        return threshold_brackets(at, columns, sure, possible)

    def _shown(self) -> Display:
        columns = self._columns()
        title = repr(self).partition("(")[2].removesuffix(")")
        asked = {"roc_auc": auc_bracket, "average_precision": precision_bracket}
        asked["ks_statistic"] = ks_bracket
        has_both = all(columns.totals)
        found = {name: ask(columns) if has_both else _UNKNOWN for name, ask in asked.items()}
        table = Table(
            {
                "metric": list(found),
                "limits": list(found.values()),
                "width": [each.width for each in found.values()],
            }
        )
        said = "The exact values lie between the limits." if has_both else "One class is missing."
        return Display([table], title, [said])

    def _limits(self, measure: str, ask: Callable[..., Bracket], *options: Any) -> Bracket:
        columns = self._columns()
        return _UNKNOWN if _lacks_one(columns, measure) else ask(columns, *options)


def _lacks_one(columns: BinColumns, measure: str) -> bool:
    """Warn, and return True, where a class is missing."""
    return lacks_one(bool(columns.positives.any()), bool(columns.negatives.any()), measure)
