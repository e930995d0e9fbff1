"""What the cost of a threshold is a sum of, and what changes where rows or groups are left out."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_groups
from fastmetrics._input.rows import check_binary
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._input.weights import Costs, lengths_agree
from fastmetrics.errors import InputTypeError
from fastmetrics.inference.units import Units
from fastmetrics.tables.cost_table import ROUNDING, CostTable, costs_of_counts, costs_of_rows
from fastmetrics.tables.score_table import ScoreTable, as_table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: Costs this near to one another, relatively, may differ by the rounding of sums along all rows.
_ROUNDING: Final = 2.0**-40


class Cells(NamedTuple):
    """Rows, or classes at distinct scores: place of the score, class, cost of a mistake, weight.

    ``costs`` are in the units of the table; ``weights`` are None where each is a row, and
    ``are_rows`` says that a weight is a number of rows. ``groups`` are numbers of groups of rows.
    """

    place: NDArray[np.int64]
    positive: NDArray[np.bool_]
    costs: Floats
    weights: NDArray[Any] | None
    are_rows: bool
    groups: NDArray[np.int64] | None = None

    def units(self, *, by_class: bool) -> Units:
        """Return what varies: rows, or groups of them."""
        counts, weights = (self.weights, None) if self.are_rows else (None, self.weights)
        strata = self.positive.astype(np.int64) if by_class else None
        return Units(len(self.costs), counts, weights, groups=self.groups, strata=strata)

    def weighed(self, of_positive: float, of_negative: float) -> Floats:
        """Return what a mistake costs times its weight, and times the factor of its class."""
        one = self.costs if self.weights is None else self.costs * self.weights
        return np.asarray(one * np.where(self.positive, of_positive, of_negative))


def costed(
    y_true: Any,
    y_score: Any,
    costs: tuple[Costs, Costs],
    prevalence: float | None,
    *,
    sample_weight: Any,
    weights_are: WeightsAre | None,
    pos_label: Any,
    groups: Any,
) -> tuple[CostTable, Cells]:
    """Return the costs of all thresholds, and what they are sums of."""
    are_by_row = groups is not None or any(isinstance(cost, np.ndarray) for cost in costs)
    if isinstance(y_true, ScoreTable):
        as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)  # it alone
        if y_true.is_weighted or are_by_row:
            raise InputTypeError(
                "a ScoreTable has no rows, which importances, groups and costs by row belong to: "
                "pass labels and scores"
            )
        return _of_table(y_true, costs, prevalence)
    rows = check_binary(
        y_true,
        y_score,
        sample_weight=sample_weight,
        weights_are="frequencies" if weights_are == "frequencies" else None,
        pos_label=pos_label,
    ).recheck()
    codes = None if groups is None else check_groups(groups, len(rows.scores))
    if rows.weights is None and not are_by_row:
        return _of_table(ScoreTable.from_rows(rows), costs, prevalence)
    for name, cost in zip(("cost_fn", "cost_fp"), costs, strict=True):
        lengths_agree(name, cost, len(rows.scores))
    table = costs_of_rows(rows, *costs, prevalence)
    order = np.argsort(rows.scores)  # searching and adding up in order is many times as fast
    positive = rows.labels[order] == 1
    ascending = np.searchsorted(table.scores[::-1], rows.scores[order])
    place = np.maximum(len(table.scores) - 1 - ascending, 0)  # rows that cost nothing may have none
    of_row = [cost[order] if isinstance(cost, np.ndarray) else cost for cost in costs]
    cells = Cells(
        place=place,
        positive=positive,
        costs=np.ldexp(np.where(positive, *of_row).astype(np.float64), table.exponent),
        weights=None if rows.weights is None else rows.weights[order],
        are_rows=weights_are == "frequencies",
        groups=None if codes is None else codes[order],
    )
    return table, cells


def _of_table(
    table: ScoreTable, costs: tuple[Costs, Costs], prevalence: float | None
) -> tuple[CostTable, Cells]:
    found = costs_of_counts(table, *costs, prevalence)
    places = np.flatnonzero(table.positives), np.flatnonzero(table.negatives)
    sizes = [len(place) for place in places]
    scaled = [math.ldexp(float(cost), found.exponent) for cost in costs]
    return found, Cells(
        place=np.concatenate(places),
        positive=np.repeat([True, False], sizes),
        costs=np.repeat(scaled, sizes),
        weights=np.concatenate((table.positives[places[0]], table.negatives[places[1]])),
        are_rows=True,
    )


def shares_of(table: CostTable) -> tuple[float, float]:
    """Return what the expected cost is divided by: for positives and for negatives, as factors."""
    if table.prevalence is None:
        each = 1.0 / (table.n_positive + table.n_negative)
        return each, each
    return table.prevalence / table.n_positive, (1.0 - table.prevalence) / table.n_negative


def mistaken_when_left_out(table: CostTable, cells: Cells) -> NDArray[np.bool_]:
    """Return which rows the threshold that is the cheapest without them gets wrong.

    A positive left out makes all thresholds above its score cheaper by its cost, a negative all
    that are not above its score. So the best of either side is compared with the other one's; of a
    group whose rows lie at several places, the best of each stretch between them.
    """
    of_positive, of_negative = (1, 1) if table.prevalence is None else shares_of(table)
    total = of_positive * table.missed + of_negative * table.alarms
    if cells.groups is not None:
        lost = cells.weighed(of_positive, of_negative)
        called = _is_called_without_groups(total, cells, cells.groups, lost)
        return np.asarray(called != cells.positive)
    above = np.minimum.accumulate(total)[:-1]
    below = np.minimum.accumulate(total[::-1])[::-1][1:]
    one = cells.costs if cells.weights is None or cells.are_rows else cells.costs * cells.weights
    lost = one * np.where(cells.positive, of_positive, of_negative)
    not_called, called = above[cells.place], below[cells.place]
    sides = np.where(cells.positive, lost, 0.0), np.where(cells.positive, 0.0, lost)
    is_called = (called + sides[0]) * (1.0 + ROUNDING) < not_called + sides[1]
    return np.asarray(is_called != cells.positive)


def _is_called_without_groups(
    total: Floats, cells: Cells, groups: Ints, lost: Floats
) -> NDArray[np.bool_]:
    """Return which rows the threshold that is the cheapest without their group calls positive.

    Between two rows of a group the costs of thresholds, in ``total``, lack one number, that of what
    mistakes of its rows add: ``lost``.
    """
    order = np.lexsort((cells.place, groups))
    ends = np.cumsum(np.bincount(groups))
    starts = np.append(0, ends[:-1])
    n_stretches = len(order) + len(ends)  # one more than rows in each group
    opens = starts + np.arange(len(ends))
    after = np.delete(np.arange(n_stretches), opens)  # each row, and the stretch after it
    first, last = np.zeros(n_stretches, np.int64), np.full(n_stretches, len(total) - 1)
    first[after] = cells.place[order] + 1
    last[after - 1] = cells.place[order]
    # what the group adds where it is in force is left out: misses of rows called, alarms of others
    spared = np.zeros(n_stretches)
    spared[after] = np.where(cells.positive, lost, -lost)[order]
    spared[opens] = np.bincount(groups, np.where(cells.positive, 0.0, lost))
    along = np.cumsum(spared)
    before = along[opens] - spared[opens]
    sizes = np.diff(np.append(opens, n_stretches))
    costs = _least_between(total, first, last) + along - np.repeat(before, sizes)
    least = np.repeat(np.minimum.reduceat(costs, opens), sizes)
    places = np.arange(n_stretches)
    is_best = costs <= least * (1.0 + _ROUNDING)
    best = np.minimum.reduceat(np.where(is_best, places, n_stretches), opens)
    called = np.empty(len(order), np.bool_)
    called[order] = after <= np.repeat(best, sizes - 1)
    return called


def _least_between(values: Floats, first: Ints, last: Ints) -> Floats:
    """Return the least of the values from one place to another, or inf where there is none.

    Minima of windows of 1, 2, 4, ... values: two that overlap make any stretch. O(n log n).
    """
    found, lengths, width = np.full(len(first), np.inf), last - first + 1, 1
    while width <= lengths.max():
        own = (lengths >= width) & (lengths < 2 * width)
        found[own] = np.minimum(values[first[own]], values[last[own] - width + 1])
        values, width = np.minimum(values[:-width], values[width:]), 2 * width
    return found


def variances_of_changes(table: CostTable, cells: Cells, row: int) -> Floats:
    """Return the variance of how each threshold's cost differs from that of ``row``.

    Only rows between the two make it: the sum of squares of what they change, or of what the rows
    of a group change together.
    """
    factors, n = shares_of(table), len(table.scores)
    if cells.groups is None:
        squares = np.zeros(n + 1)
        one = np.square(cells.costs * np.where(cells.positive, *factors))
        if cells.weights is not None:
            one *= cells.weights if cells.are_rows else np.square(cells.weights)
        np.cumsum(np.bincount(cells.place, one, minlength=n), out=squares[1:])
        return np.asarray(np.abs(squares - squares[row]))
    changes = cells.weighed(*factors) * np.where(cells.positive, -1.0, 1.0)
    found = np.zeros(n + 1)
    for own, way in ((cells.place >= row, 1), (cells.place < row, -1)):
        place, change = cells.place[own], changes[own]
        order = np.lexsort((way * place, cells.groups[own]))
        groups, change = cells.groups[own][order], change[order]
        along = np.cumsum(change)
        opens = np.flatnonzero(np.diff(groups, prepend=-1))
        before = along - change
        before -= np.repeat(before[opens], np.diff(np.append(opens, len(change))))
        added = np.bincount(place[order], change * (2.0 * before + change), minlength=n)
        if way > 0:
            found[row + 1 :] = np.cumsum(added[row:])
        else:
            found[:row] = np.cumsum(added[:row][::-1])[::-1]
    return np.maximum(found, 0.0)
