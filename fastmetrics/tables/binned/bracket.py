"""``Bracket``: two limits that the exact number lies between, for sure."""

from __future__ import annotations

from dataclasses import dataclass

from fastmetrics._results import Between, Result


@dataclass(frozen=True, slots=True, repr=False)
class Bracket(Between):
    """The least and the largest value that a measure can have, given what is known of the rows.

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
        """The middle, which is off by half of `width` at most; nothing makes it more likely."""
        return self.low if self.low == self.high else self.low + (self.high - self.low) / 2

    @property
    def width(self) -> float:
        """How far apart the limits are; 0 where the value is known."""
        return self.high - self.low

    def __contains__(self, value: object) -> bool:
        return isinstance(value, float | int) and self.low <= value <= self.high

    def __repr__(self) -> str:
        return f"Bracket(low={self.low:.10g}, high={self.high:.10g})"


@dataclass(frozen=True, slots=True, repr=False)
class ThresholdBrackets(Result):
    """What the decision score >= threshold does, each number between two limits.

    Attributes
    ----------
    threshold : float
        The threshold; the limits are equal where no bin holds scores on either side of it.
    tp, fp, fn, tn : Bracket
        True and false positives, false and true negatives: counts, or weights.
    true_positive_rate, false_positive_rate : Bracket
        Shares of the positives and of the negatives.
    precision, accuracy, f1 : Bracket
        The measures of these names.

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
