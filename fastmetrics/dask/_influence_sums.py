"""Sums of influences of rows, by group, and of their products: a second pass, of small states.

The influence of a row follows from its class and its score, once the table of all rows is known.
Rows of a group may lie in any partitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from fastmetrics._input.classes import ClassLabels, check_class_labels
from fastmetrics._input.rows import BinaryRows, check_same_index
from fastmetrics._input.scalars import check_same_length
from fastmetrics.dask._scored import Seen, cast, checked, sum_of, that_weigh
from fastmetrics.errors import InputTypeError
from fastmetrics.inference.range_summary import Lookup, Pairs, ProductSums
from fastmetrics.inference.table_points import Measured
from fastmetrics.inference.units import ROUNDING, Floats, Units
from fastmetrics.tables.score_table import ScoreTable


class Points(NamedTuple):
    """The points of a table that have rows: one class and one score each."""

    table: ScoreTable
    places: NDArray[np.intp]

    @classmethod
    def of(cls, table: ScoreTable) -> Points:
        """Return those of a table, the positives' first."""
        return cls(table, np.flatnonzero(np.concatenate([table.positives, table.negatives])))

    @property
    def columns(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the class, the score and the count of each."""
        counts = np.concatenate([self.table.positives, self.table.negatives])
        n = len(self.table)
        labels = (self.places < n).astype(np.int64)
        return labels, self.table.scores[self.places % n], counts[self.places]

    def lookup(self, influences: Sequence[Floats]) -> Lookup:
        """Return the influences on M measures, to be looked up by class and score."""
        found = np.zeros((len(influences), 2, len(self.table)))
        for row, own in zip(found, influences, strict=True):
            if len(own) == row.size:  # those of a table are of both classes at each score
                row.reshape(-1)[:] = own
            else:
                row.reshape(-1)[self.places] = own
        exact = np.zeros((len(influences), 2))
        return Lookup(self.table.scores[::-1], found[:, ::-1, ::-1], exact)


class Grouped(NamedTuple):
    """Rows, and the group of each."""

    rows: BinaryRows
    groups: ClassLabels


def _grouped(columns: tuple[Any, ...], positive: Any) -> Seen:
    """Return the checked rows of a partition with their groups."""
    check_same_index(y_true=columns[0], groups=columns[3])
    seen = checked(columns[:3], positive)
    if seen.state is None:
        return seen
    groups = check_class_labels(columns[3], "groups")
    check_same_length(y_true=range(seen.n_rows), groups=groups.codes)
    return seen._replace(state=Grouped(seen.state, groups))


class GroupSums(NamedTuple):
    """Sums over the rows of each group.

    Attributes
    ----------
    names : ndarray of shape (n_groups,)
    rows : ndarray of shape (2, n_groups)
        How many rows of each class, by their frequencies.
    sums : ndarray of shape (M, 2, n_groups)
        Of the influences on M measures.
    sizes : ndarray of shape (M,)
        The sums of the sizes of all influences, by which what cancels in a group is known.
    """

    names: NDArray[Any]
    rows: Floats
    sums: Floats
    sizes: Floats

    def __add__(self, other: tuple[Any, ...]) -> GroupSums:
        """Return the sums over the rows of both."""
        both = self, GroupSums(*other)
        if len({each.names.dtype.kind in "UOT" for each in both}) > 1:
            raise InputTypeError("`groups` holds text in some partitions, and numbers in others")
        names = np.unique(np.concatenate([each.names for each in both]))
        rows, sums = np.zeros((2, len(names))), np.zeros((len(self.sums), 2, len(names)))
        for each in both:
            at = np.searchsorted(names, each.names)
            rows[:, at] += each.rows
            sums[:, :, at] += each.sums
        return GroupSums(names, rows, sums, both[0].sizes + both[1].sizes)

    def measured(self, m: int, by_points: Measured) -> Measured:
        """Return a measure whose points are the groups, or their rows of each class."""
        sums, rows, is_by_class = self.sums[m], self.rows, by_points.units.strata is not None
        if not is_by_class:
            sums, rows = (each.sum(axis=0, keepdims=True) for each in (sums, rows))
        sums = np.where(np.abs(sums) <= ROUNDING * self.sizes[m], 0.0, sums)
        strata, groups = np.nonzero(rows)
        counts = rows[strata, groups]
        units = Units(len(counts), counts, groups=groups, strata=strata if is_by_class else None)
        influences = sums[strata, groups] / counts
        of_rows = by_points.units.without_groups.spread(by_points.influences[0]).variance
        return by_points._replace(influences=influences[None, :], units=units, of_rows=(of_rows,))


def group_sums(parts: Sequence[Delayed], lookup: Lookup, pos_label: Any) -> GroupSums:
    """Return the sums of all partitions."""
    whole: GroupSums = sum_of(
        parts, _sums_by_group, delayed(lookup), pos_label=pos_label, read=_grouped
    )
    return whole


def _sums_by_group(state: Grouped, lookup: Lookup) -> GroupSums:
    rows, names = state.rows, state.groups.classes
    n = len(names)
    codes = (rows.labels == 1) * n + state.groups.codes
    counts = np.bincount(codes, rows.weights, 2 * n).astype(np.float64)
    sums, sizes = np.empty((len(lookup.influences), 2 * n)), []
    at = lookup.places(cast(rows.scores, lookup.scores.dtype))
    for row, of_classes in zip(sums, lookup.influences, strict=True):
        own = of_classes[(rows.labels == 1).astype(np.intp), at]
        added = own if rows.weights is None else own * rows.weights
        row[:] = np.bincount(codes, added, 2 * n)
        sizes.append(float(np.abs(added).sum()))
    return GroupSums(
        np.asarray(names), counts.reshape(2, n), sums.reshape(-1, 2, n), np.array(sizes)
    )


def product_sums(
    parts: Sequence[Delayed], lookups: Sequence[Lookup], pairs: Pairs, pos_label: Any
) -> ProductSums:
    """Return the sums of all partitions: of labels, weights, and the scores of each model."""
    shared = delayed(list(lookups))
    whole: ProductSums = sum_of(
        parts, _sums_of_products, shared, pairs, pos_label=pos_label, read=_together
    )
    return whole


def _together(columns: tuple[Any, ...], positive: Any) -> Seen:
    y_true, sample_weight, *scores = columns
    found = [checked((y_true, each, sample_weight), positive) for each in scores]
    if found[0].state is None:
        return found[0]
    return found[0]._replace(state=[that_weigh(each.state) for each in found])


def _sums_of_products(models: list[BinaryRows], lookups: list[Lookup], pairs: Pairs) -> ProductSums:
    labels, weights = models[0].labels, models[0].weights
    scores = [
        cast(rows.scores, own.scores.dtype) for rows, own in zip(models, lookups, strict=True)
    ]
    return ProductSums.of(labels, weights, scores, lookups, pairs)
