"""Bounds of metrics where scores are known by their bins alone.

Bins are ordered; inside one nothing is known but how many positives ``p`` and negatives ``n`` it
has, unless it holds one distinct score, which is a tie and leaves nothing open: it is *sure*. Let
``a`` positives and ``b`` negatives score higher than the bin, ``P`` and ``N`` be there in all.
Every limit is a sum (or maximum) over bins of the extreme that this bin's rows may reach by
themselves, since ``a`` and ``b`` are known whatever the order inside other bins is. So there are
rows with these counts that attain each limit, and no narrower one follows from the counts:

AUC
    Pairs across bins are known. The ``p n`` pairs of a bin are all concordant at best and all
    discordant at worst, so the width is the sum of ``p n`` over open bins, divided by ``P N``
    (the midpoint is off by half of it at most). A sure bin adds ``p n / 2``, as ties do.

Average precision
    The precision at the threshold of one of the bin's positives is t / (t + f), where t <= a + p
    and f >= b. All of them reach ``(a + p) / (a + p + b)``: if they tie above the bin's negatives.
    The i-th highest has t >= a + i and f <= b + n; all of them have no more than
    ``(a + i) / (a + i + b + n)`` if they follow the bin's negatives one by one. With weights the
  i-th weight is not known: the integral of ``(a + t) / (a + t + b + n)`` over t from 0 to p is
    below the sum for any weights, since the integrand rises; it is the limit for ever smaller
    weights. A sure bin has its own precision, ``(a + p) / (a + p + b + n)``.

Kolmogorov-Smirnov
    |TPR - FPR| at the ends of bins is attained. Inside an open bin no threshold exceeds what
    ``(b, a + p)`` and ``(b + n, a)`` have.

Largest TPR of an FPR <= alpha
    Thresholds at ends of bins below alpha are known. The first bin that ends beyond begins at the
    TPR that is sure; its positives come first at best.

Weights are rounded as they are added: ``error`` bounds the effect on these metrics, which all lie
in [0, 1], and widens the limits. Counts are exact, and divided once.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple, Never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Shown, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_fraction, check_real, check_same_length
from fastmetrics._input.scores import check_scores_array
from fastmetrics._kernels.buckets import least_precision_sums
from fastmetrics._results import Between, Result
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.score_table import ScoreTable, checked_pair, lacks_one


@dataclass(frozen=True, slots=True, repr=False)
class Bracket(Between):
    """The least and the largest value that a metric can have, given what is known of the rows.

    It is no confidence interval: the number of these very rows lies in it with certainty. It is
    no number either: take `low`, `high` or `midpoint` by name.

    Attributes
    ----------
    low, high : float
        The exact value is neither below nor above; equal where it is known, nan where it is
        undefined.

    Examples
    --------
    >>> from fastmetrics.results import Bracket
    >>> auc = Bracket(0.8125, 0.875)
    >>> auc
    Bracket(low=0.8125, high=0.875)
    >>> auc.midpoint, auc.width, 0.85 in auc
    (0.84375, 0.0625, True)
    """

    low: float
    high: float

    @property
    def midpoint(self) -> float:
        """The midpoint, off by at most half of `width`; no value between the limits is likelier."""
        return self.low if self.low == self.high else self.low + (self.high - self.low) / 2

    @property
    def width(self) -> float:
        """Distance of the limits; 0 where the value is known."""
        return self.high - self.low

    def __contains__(self, value: object) -> bool:
        return isinstance(value, float | int) and self.low <= value <= self.high

    def __repr__(self) -> str:
        return f"Bracket(low={self.low:.10g}, high={self.high:.10g})"


@dataclass(frozen=True, slots=True, repr=False)
class ThresholdBrackets(Result):
    """Counts and rates of the decision score >= threshold, each between two limits.

    Attributes
    ----------
    threshold : float
        The threshold; the limits are equal where no bin holds scores on either side of it.
    tp, fp, fn, tn : Bracket
        True and false positives, false and true negatives: counts, or weights.
    true_positive_rate, false_positive_rate : Bracket
        Shares of the positives and of the negatives.
    precision, accuracy, f1 : Bracket
        The metrics of these names.

    Examples
    --------
    >>> from fastmetrics.streams import BinLayout, BinnedScoreTable
    >>> table = BinnedScoreTable(BinLayout([0.5]), first_rows=0)
    >>> table.update([0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9])
    >>> table.at_threshold(0.5).precision
    Bracket(low=0.6666666667, high=0.6666666667)
    >>> table.at_threshold(0.8).precision
    Bracket(low=0, high=1)
    """

    threshold: float
    tp: Bracket
    fp: Bracket
    fn: Bracket
    tn: Bracket
    true_positive_rate: Bracket
    false_positive_rate: Bracket
    precision: Bracket
    accuracy: Bracket
    f1: Bracket


_UNKNOWN = Bracket(math.nan, math.nan)

#: Products of two totals below this stay in int64 when doubled.
_INT64: Final = 2**62
#: Average precision is a sum of doubles: bound of its rounding error, 16 units of 2**-53.
_ROUNDING: Final = 2.0**-49
#: Of a sum of weights: the metrics have four of them in a product or a quotient.
_SUMS: Final = 4


class BinColumns(NamedTuple):
    """Bins that are not empty, highest scores first; ``is_sure`` where a bin holds one score.

    ``n_roundings`` is how often a sum of weights may have been rounded; None for counts.
    """

    positives: NDArray[Any]
    negatives: NDArray[Any]
    is_sure: NDArray[np.bool_]
    n_roundings: int | None

    @property
    def error(self) -> float:
        """Largest error of a metric that rounded weights can make."""
        if self.n_roundings is None:
            return 0.0
        return _SUMS * (self.n_roundings + len(self.positives) + 16) * 2.0**-53

    @property
    def totals(self) -> tuple[int | float, int | float]:
        """The number (or weight) of positives and of negatives."""
        return total(self.positives), total(self.negatives)

    def where(self, mask: NDArray[np.bool_]) -> BinColumns:
        """Return the bins where the mask is True."""
        positives, negatives, is_sure = (each[mask] for each in self[:3])
        return BinColumns(positives, negatives, is_sure, self.n_roundings)

    def exactly(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return counts in a dtype in which twice the product of their sums is exact."""
        p, n = self.totals
        if self.n_roundings is None and p * n >= _INT64 // 2:
            return self.positives.astype(object), self.negatives.astype(object)
        return self.positives, self.negatives


def total(column: NDArray[Any]) -> int | float:
    """Return the sum of a column, of weights without rounding on the way."""
    return math.fsum(column.tolist()) if column.dtype.kind == "f" else int(column.sum())


def auc_bracket(columns: BinColumns) -> Bracket:
    """Return the least and the greatest AUC."""
    p, n = columns.exactly()
    all_p, all_n = columns.totals
    below = all_n - np.cumsum(n)
    pairs = p * n
    twice_low = _plain((2 * p * below + pairs * columns.is_sure).sum())
    twice_high = twice_low + _plain((2 * pairs * ~columns.is_sure).sum())
    return _bracket(twice_low, twice_high, 2 * all_p * all_n, columns.error)


def ks_bracket(columns: BinColumns) -> Bracket:
    """Return the least and the greatest Kolmogorov-Smirnov statistic."""
    p, n = columns.exactly()
    all_p, all_n = columns.totals
    _, tp, a = _running(p)
    _, fp, b = _running(n)
    low = high = _plain(abs(tp * all_n - fp * all_p).max())
    open_ = ~columns.is_sure
    if open_.any():
        most = tp * all_n - b * all_p, fp * all_p - a * all_n
        high = max(high, *(_plain(each[open_].max()) for each in most))
    return _bracket(low, high, all_p * all_n, columns.error)


def precision_bracket(columns: BinColumns) -> Bracket:
    """Return the least and the greatest average precision."""
    p, tp, a = (each.astype(np.float64) for each in _running(columns.positives))
    _, fp, b = (each.astype(np.float64) for each in _running(columns.negatives))
    known = p * _fraction(tp, fp)
    most = p * _fraction(tp, b)
    if columns.n_roundings is None:
        least = np.empty_like(p)
        least_precision_sums(p, a, fp, least)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            least = np.where(fp > 0, p - fp * np.log1p(p / (a + fp)), p)
    low, high = (math.fsum(np.where(columns.is_sure, known, each)) for each in (least, most))
    return _bracket(low, high, float(columns.totals[0]), columns.error + _ROUNDING)


def _running(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return a column, its sums up to each bin, and those before it: added, never subtracted."""
    sums = np.cumsum(column)
    return column, sums, np.concatenate([np.zeros(1, sums.dtype), sums[:-1]])


def _fraction(count: NDArray[np.float64], rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return count / (count + rest); 0 where the count is 0."""
    return count / np.where(count > 0, count + rest, 1.0)


def tpr_bracket(columns: BinColumns, max_fpr: float) -> Bracket:
    """Return the limits of the largest TPR of a threshold whose FPR is at most ``max_fpr``."""
    (all_p, all_n), error = columns.totals, columns.error
    tp, fp = np.cumsum(columns.positives), np.cumsum(columns.negatives)
    low_limit = high_limit = math.inf  # every threshold, at an FPR of 1
    if max_fpr < 1:
        limit = Fraction(max_fpr) * Fraction(all_n)
        low_limit, high_limit = (float(limit * (1 + Fraction(e))) for e in (-error, error))
        if columns.n_roundings is None:  # a rate is a double: 3 of 10 are 0.3, which is below 3/10
            most = math.floor(limit)
            low_limit = high_limit = most + ((most + 1) / all_n <= max_fpr)
    low = _sure_tp(tp, fp, low_limit)
    k = int(np.searchsorted(fp, high_limit, side="right"))
    high = _sure_tp(tp, fp, high_limit)
    if k < len(fp) and not columns.is_sure[k]:
        high = _plain(tp[k])
    return _bracket(low, high, all_p, error)


def _sure_tp(tp: NDArray[Any], fp: NDArray[Any], limit: float) -> int | float:
    """Return the positives above the last end of a bin that has no more negatives than that."""
    k = int(np.searchsorted(fp, limit, side="right"))
    return _plain(tp[k - 1]) if k else 0


def threshold_brackets(
    threshold: float, columns: BinColumns, sure: BinColumns, possible: BinColumns
) -> ThresholdBrackets:
    """Return the metrics of one threshold; ``sure`` and ``possible`` bins are predicted positive.

    Each is monotone in true and in false positives, so that its limits are at corners.
    """
    (all_p, all_n), error = columns.totals, columns.error
    tp, fp = zip(sure.totals, possible.totals, strict=True)

    def counts(low: float, high: float, whole: float) -> Bracket:
        slack = error * whole
        return Bracket(max(low - slack, 0.0), min(high + slack, whole))

    low_positive = tp[0] + fp[1]
    high_positive = tp[1] + fp[0]
    least = tp[0] / low_positive if low_positive else (1.0 if tp[1] else math.nan)
    most = tp[1] / high_positive if high_positive else (0.0 if fp[1] else math.nan)
    right = tp[0] + all_n - fp[1], tp[1] + all_n - fp[0]
    f1 = _UNKNOWN
    if all_p:
        ends = 2 * tp[0] / (low_positive + all_p), 2 * tp[1] / (high_positive + all_p)
        f1 = _bracket(*ends, 1.0, error)
    return ThresholdBrackets(
        threshold,
        tp=counts(*tp, all_p),
        fp=counts(*fp, all_n),
        fn=counts(all_p - tp[1], all_p - tp[0], all_p),
        tn=counts(all_n - fp[1], all_n - fp[0], all_n),
        true_positive_rate=_bracket(*tp, all_p, error),
        false_positive_rate=_bracket(*fp, all_n, error),
        precision=_bracket(least, most, 1.0, error),
        accuracy=_bracket(*right, all_p + all_n, error),
        f1=f1,
    )


def _plain(value: Any) -> int | float:
    """Return a number of NumPy's as one of Python's, whose integers have any size."""
    plain: int | float = value.item() if isinstance(value, np.generic) else value
    return plain


def _bracket(low: float, high: float, whole: float, error: float) -> Bracket:
    """Return the limits of a proportion, divided once and widened by the rounding error."""
    if not whole:
        return _UNKNOWN
    ends = low / whole - error, high / whole + error
    return Bracket(*(min(max(each, 0.0), 1.0) for each in ends))


#: What metrics between limits return; rows that examples metric.
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


class Bracketed(Shown):
    """Base of tables of bins: the metrics of what they have counted."""

    __slots__ = ()

    def __array__(self, *_: object, **__: object) -> Never:
        """Refuse to be taken for rows by a function of labels and scores."""
        raise InputTypeError(
            f"a {type(self).__name__} has metrics of its own, with limits: call "
            "`table.roc_auc()`, which is a Bracket; functions take `table.to_score_table()`, where "
            "all distinct scores are known"
        )

    @abstractmethod
    def _columns(self) -> BinColumns:
        """Return the bins."""

    @abstractmethod
    def _predicted_positive(self, threshold: float) -> tuple[BinColumns, BinColumns, BinColumns]:
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
        """True if every bin holds one distinct score: brackets are then numbers."""
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
        """Return counts and rates of the decision score >= threshold, between limits.

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
        columns, sure, possible = self._predicted_positive(at)
        _lacks_one(columns, "a rate at a threshold")
        return threshold_brackets(at, columns, sure, possible)

    def _display(self) -> Display:
        columns = self._columns()
        title = repr(self).partition("(")[2].removesuffix(")")
        metrics = {"roc_auc": auc_bracket, "average_precision": precision_bracket}
        metrics["ks_statistic"] = ks_bracket
        has_both = all(columns.totals)
        brackets = {
            name: metric_bracket(columns) if has_both else _UNKNOWN
            for name, metric_bracket in metrics.items()
        }
        table = Table(
            {
                "metric": list(brackets),
                "limits": list(brackets.values()),
                "width": [each.width for each in brackets.values()],
            }
        )
        note = "The exact values lie between the limits." if has_both else "One class is missing."
        return Display([table], title, [note])

    def _limits(self, metric: str, ask: Callable[..., Bracket], *options: Any) -> Bracket:
        columns = self._columns()
        return _UNKNOWN if _lacks_one(columns, metric) else ask(columns, *options)


def _lacks_one(columns: BinColumns, metric: str) -> bool:
    """Warn, and return True, where a class is missing."""
    return lacks_one(bool(columns.positives.any()), bool(columns.negatives.any()), metric)


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class ScoreRanges(Bracketed, Result):
    """Counts of positives and negatives in ranges of scores, each with its least and greatest one.

    What a database counts by the first bits of a score (`counts_query` with `bits`) is such
    ranges. A range of one score is a tie and leaves nothing open; of the others nothing is known
    but where they end, so that metrics lie between limits, for sure.

    Parameters
    ----------
    low, high : array-like of shape (k,)
        The least and the greatest score of each range, finite, in any order. Ranges that overlap
        or touch become one.
    positives, negatives : array-like of shape (k,)
        Counts (integers, exact) or weights (floats) >= 0 of each class in each range.

    Attributes
    ----------
    low, high, positives, negatives : ndarray of shape (k,)
        The same of ranges that do not overlap and are not empty, the highest first.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, a score is not finite, a range ends before it starts, a count is
        negative or not finite, or the counts of a class sum to 2**63 or more.

    Notes
    -----
    O(k log k). Limits stay right, if wider, where ranges are united: counts of several segments or
    several databases may be put together. Sums of weights that are not whole are taken as they
    come: how the database rounded them is not in the limits.

    Examples
    --------
    >>> from fastmetrics.streams import ScoreRanges
    >>> ranges = ScoreRanges([0.1, 0.6], [0.4, 0.6], [1, 3], [5, 1])
    >>> ranges.roc_auc()
    Bracket(low=0.6875, high=0.8958333333)
    >>> ScoreRanges([0.1, 0.3], [0.4, 0.6], [1, 3], [5, 1]).high
    array([0.6])
    """

    low: NDArray[Any]
    high: NDArray[Any]
    positives: NDArray[Any]
    negatives: NDArray[Any]

    def __init__(
        self, low: ArrayLike, high: ArrayLike, positives: ArrayLike, negatives: ArrayLike
    ) -> None:
        ends = [check_scores_array(each, name) for each, name in ((low, "low"), (high, "high"))]
        counts = checked_pair(positives, negatives)
        check_same_length(low=ends[0], high=ends[1], positives=counts[0], negatives=counts[1])
        is_wrong = ends[1] < ends[0]
        if is_wrong.any():
            at = int(np.argmax(is_wrong))
            raise InputError(
                f"`high` must not be below `low`: {ends[1][at]} < {ends[0][at]} at index {at}"
            )
        kept = (counts[0] != 0) | (counts[1] != 0)
        columns = _united(*(column[kept] for column in (*ends, *counts)))
        for name, column in zip(("low", "high", "positives", "negatives"), columns, strict=True):
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.low)

    def __repr__(self) -> str:
        one = int((self.low == self.high).sum())
        return (
            f"ScoreRanges({len(self):,} ranges, {one:,} of one score, "
            f"{self.n_positive} positive, {self.n_negative} negative)"
        )

    def _columns(self) -> BinColumns:
        n_roundings = len(self) if self.positives.dtype.kind == "f" else None
        return BinColumns(self.positives, self.negatives, self.low == self.high, n_roundings)

    def _predicted_positive(self, threshold: float) -> tuple[BinColumns, BinColumns, BinColumns]:
        columns = self._columns()
        return columns, columns.where(self.low >= threshold), columns.where(self.high >= threshold)

    def to_score_table(self) -> ScoreTable:
        """Return the table of scores, where every range holds one.

        Raises
        ------
        ValueError
            If a range has several scores.

        Examples
        --------
        >>> from fastmetrics.streams import ScoreRanges
        >>> ScoreRanges([0.1, 0.6], [0.1, 0.6], [1, 3], [5, 1]).to_score_table()
        ScoreTable(2 distinct scores from 0.1 to 0.6, 4 positive, 6 negative)
        """
        if not self.is_exact:
            n = int((self.low != self.high).sum())
            raise InputError(
                f"{n:,} of {len(self):,} ranges hold several scores: metrics have limits, as "
                "`roc_auc()` has; a ScoreTable needs counts of distinct scores"
            )
        return ScoreTable.from_counts(self.low, self.positives, self.negatives)


def _united(
    low: NDArray[Any], high: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]
) -> tuple[NDArray[Any], ...]:
    """Return ranges that neither overlap nor touch, the highest first."""
    if not len(low):
        return low, high, positives, negatives
    order = np.argsort(low, kind="stable")
    low, high, positives, negatives = (each[order] for each in (low, high, positives, negatives))
    reached = np.maximum.accumulate(high)
    is_first = np.ones(len(low), np.bool_)
    is_first[1:] = low[1:] > reached[:-1]
    starts = np.flatnonzero(is_first)
    ends = np.append(starts[1:], len(low)) - 1
    sums = (np.add.reduceat(column, starts) for column in (positives, negatives))
    return tuple(each[::-1] for each in (low[starts], reached[ends], *sums))
