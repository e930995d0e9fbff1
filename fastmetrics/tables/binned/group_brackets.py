"""``GroupAUCBrackets``: limits of the AUC of each group, and of their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.table import Display, Table
from fastmetrics._results import Result
from fastmetrics.tables.binned.bracket import Bracket


@dataclass(frozen=True, slots=True, repr=False)
class GroupAUCBrackets(Result):
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
