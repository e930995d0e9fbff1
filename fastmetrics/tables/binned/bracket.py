"""``Bracket``: two limits that the exact number lies between, for sure; and those of groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Never

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.table import Display, Table
from fastmetrics._results import Between, OwnArrays, Result
from fastmetrics.errors import InputTypeError


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


@dataclass(frozen=True, slots=True, repr=False)
class GroupAUCBrackets(OwnArrays, Result):
    """Limits of the AUC of each group, and of their mean (GAUC).

    Attributes
    ----------
    mean : Bracket
        Limits of the weighted mean of the AUCs of the groups that have both classes.
    low, high : ndarray of float64, shape (n_groups,)
        Limits of the AUC of each group; nan where its rows are of one class.
    weights : ndarray of shape (n_groups,)
        Weight of each group; 0 where it has no AUC.
    n_positive, n_negative : ndarray of shape (n_groups,)
        Rows of each group.
    n_one_class : int
        Groups that are left out, since their rows are of one class.
    groups : ndarray of shape (n_groups,)
        Sorted ids of the groups.

    Examples
    --------
    >>> from fastmetrics.streams import GroupedBinnedScoreTable
    >>> users = GroupedBinnedScoreTable()
    >>> users.update([1, 0, 0, 1, 1], [0.9, 0.2, 0.5, 0.1, 0.3], ["a", "a", "b", "b", "c"])
    >>> found = users.group_auc()
    >>> found.low, found.high, found.n_one_class
    (array([ 1.,  0., nan]), array([ 1.,  0., nan]), 1)
    """

    mean: Bracket
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    weights: NDArray[Any]
    n_positive: NDArray[Any]
    n_negative: NDArray[Any]
    n_one_class: int
    groups: NDArray[Any]

    def _shown(self) -> Display:
        record = {
            "AUC": self.mean,
            "width": self.mean.width,
            "groups": len(self.groups),
            "of one class": self.n_one_class,
        }
        columns = {"group": self.groups, "low": self.low, "high": self.high, "weight": self.weights}
        tables = [Table.record(record, framed=False), Table(columns)]
        return Display(tables, "Mean AUC of groups, between limits")


class Limited:
    """What has measures of its own, between limits, and is no rows."""

    __slots__ = ()
    #: How to ask for them, as messages write it.
    _ASK: ClassVar[str]

    def __array__(self, *_: object, **__: object) -> Never:
        """Tell who takes it for rows, as a function of labels and scores, what to do."""
        raise InputTypeError(
            f"a {type(self).__name__} has measures of its own, with limits: call {self._ASK}"
        )
