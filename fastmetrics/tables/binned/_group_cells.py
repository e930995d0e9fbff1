"""Counts of groups in bins, those that occur alone; what is certain of the AUC of each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics.tables.scores._columns import first_places

Ints = NDArray[np.int64]

#: Products of totals below this are doubles, and so are twice their sums.
_DOUBLES: Final = 2.0**51


class GroupCells(NamedTuple):
    """Rising ``keys``, ``group * width + 2 * bin + is_positive``, and how often each came."""

    keys: Ints
    counts: Ints
    width: int

    @classmethod
    def empty(cls, n_bins: int) -> Self:
        """Return cells of no group."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), 2 * n_bins)

    def with_rows(self, keys: Sequence[Ints]) -> GroupCells:
        """Return cells that count rows too, each by its key."""
        found, counts = np.unique(np.concatenate([*keys, self.keys[:0]]), return_counts=True)
        return self.merged(found, counts)

    def merged(self, keys: Ints, counts: Ints) -> GroupCells:
        """Return cells with other ones, whose keys are distinct, in any order."""
        both = np.concatenate([self.keys, keys])
        order = np.argsort(both, kind="stable")
        both, counts = both[order], np.concatenate([self.counts, counts])[order]
        starts = first_places(both)
        return self._replace(keys=both[starts], counts=np.add.reduceat(counts, starts))

    def renumbered(self, numbers: Ints) -> tuple[Ints, Ints]:
        """Return keys and counts of groups that are numbered otherwise."""
        group, cell = np.divmod(self.keys, self.width)
        return numbers[group] * self.width + cell, self.counts

    def of_group(self, group: int) -> Ints:
        """Return negatives and positives of each bin in turn, of one group."""
        ends = np.searchsorted(self.keys, [group * self.width, (group + 1) * self.width])
        counts = np.zeros(self.width, np.int64)
        counts[self.keys[slice(*ends)] - group * self.width] = self.counts[slice(*ends)]
        return counts


class GroupLimits(NamedTuple):
    """Of each group the limits of its AUC, nan where a class is missing, and its counts."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    positives: NDArray[Any]
    negatives: NDArray[Any]


def group_limits(cells: GroupCells, is_sure: NDArray[np.bool_]) -> GroupLimits:
    """Return the limits of the AUC of each group, which are numbered and all have rows.

    As ``auc_bracket``: pairs across bins are known, those of a bin are all in order at best.
    """
    bins, is_positive = cells.keys >> 1, (cells.keys & 1) == 1
    starts = first_places(bins)
    p, n = (np.add.reduceat(cells.counts * of, starts) for of in (is_positive, ~is_positive))
    group, at = np.divmod(bins[starts], cells.width // 2)
    sure, firsts = is_sure[at], first_places(group)
    all_p, all_n = (np.add.reduceat(each, firsts) for each in (p, n))
    if (all_p.astype(np.float64) * all_n).max(initial=0.0) >= _DOUBLES:
        p, n, all_p, all_n = (each.astype(object) for each in (p, n, all_p, all_n))
    before = np.cumsum(n) - n
    below = before - before[firsts][group]
    twice_low = np.add.reduceat(2 * p * below + p * n * sure, firsts)
    twice_open = np.add.reduceat(2 * p * n * ~sure, firsts)
    defined, whole = (all_p > 0) & (all_n > 0), 2 * all_p * all_n

    def over(twice: NDArray[Any]) -> NDArray[np.float64]:
        values = np.full(len(defined), np.nan)
        values[defined] = twice[defined] / whole[defined]
        return values

    return GroupLimits(over(twice_low), over(twice_low + twice_open), all_p, all_n)
