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

from fastmetrics._input.rows import BinaryRows
from fastmetrics.dask._dealt import Grouped, grouped, that_weigh, united
from fastmetrics.dask._scored import Seen, cast, checked, sum_of
from fastmetrics.inference.table_points import Measured
from fastmetrics.inference.units import ROUNDING, Floats, Units
from fastmetrics.tables.scores.score_table import ScoreTable

Pairs = list[tuple[int, int]]


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
        return Lookup(self.table.scores[::-1], found[:, ::-1, ::-1])


class Lookup(NamedTuple):
    """Scores, lowest first, and the influences of a row there: (M, 2 classes, n_scores)."""

    scores: NDArray[Any]
    influences: Floats

    def of_rows(self, labels: NDArray[Any], scores: NDArray[Any]) -> Floats:
        """Return the influences of rows of these classes and scores: (M, n)."""
        at = np.searchsorted(self.scores, cast(scores, self.scores.dtype))
        at = np.minimum(at, len(self.scores) - 1)  # a score that has no weight is not there
        return self.influences[:, (labels == 1).astype(np.intp), at]


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
        names = united(both[0].names, both[1].names)
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
        parts, _sums_by_group, delayed(lookup), pos_label=pos_label, read=grouped
    )
    return whole


def _sums_by_group(state: Grouped, lookup: Lookup) -> GroupSums:
    rows, names = state.rows, state.groups.classes
    n = len(names)
    codes = (rows.labels == 1) * n + state.groups.codes
    counts = np.bincount(codes, rows.weights, 2 * n).astype(np.float64)
    sums, sizes = np.empty((len(lookup.influences), 2 * n)), []
    for row, own in zip(sums, lookup.of_rows(rows.labels, rows.scores), strict=True):
        added = own if rows.weights is None else own * rows.weights
        row[:] = np.bincount(codes, added, 2 * n)
        sizes.append(float(np.abs(added).sum()))
    return GroupSums(
        np.asarray(names), counts.reshape(2, n), sums.reshape(-1, 2, n), np.array(sizes)
    )


class ProductSums(NamedTuple):
    """Sums over rows by class, of M measures of K models and P pairs of these.

    Attributes
    ----------
    n_points : int
        Rows of a weight, each one once.
    n_rows : ndarray of shape (2,)
        Rows of each class, by their frequencies.
    models : ndarray of shape (M, K, K, 2, 3)
        What `Units.sums_of_products` returns of a model and each before it.
    pairs : ndarray of shape (M, P, 2, 3)
        The same, of a difference and itself.
    largest : ndarray of shape (M, K + P)
        The largest influence on each model, and on each difference.
    """

    n_points: int
    n_rows: Floats
    models: Floats
    pairs: Floats
    largest: Floats

    def __add__(self, other: tuple[Any, ...]) -> ProductSums:
        """Return the sums over the rows of both."""
        more = ProductSums(*other)
        return ProductSums(
            self.n_points + more.n_points,
            self.n_rows + more.n_rows,
            self.models + more.models,
            self.pairs + more.pairs,
            np.maximum(self.largest, more.largest),
        )

    def units(self, is_by_class: bool) -> Units:
        """Return the rows as those of one point, or of one each class."""
        if is_by_class:
            return Units(2, self.n_rows, strata=np.arange(2))
        return Units(1, self.n_rows.sum(keepdims=True))

    def of(self, m: int, is_by_class: bool) -> tuple[Floats, Floats]:
        """Return the sums of a measure, of models and of pairs, over such strata."""
        models, pairs = self.models[m], self.pairs[m]
        if is_by_class:
            return models, pairs
        return models.sum(axis=2, keepdims=True), pairs.sum(axis=1, keepdims=True)

    def is_rounding(self, m: int, p: int, pair: tuple[int, int], size: float) -> bool:
        """Return whether rows move a difference of values of a size by no more than rounding."""
        k = self.models.shape[1]
        own = max(float(self.largest[m, each]) for each in pair)
        return float(self.largest[m, k + p]) <= ROUNDING * (size / self.n_points + own)


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
    labels, weights = (models[0].labels == 1).astype(np.int64), models[0].weights
    n, k = len(labels), len(models)
    units = Units(n, weights, strata=labels)
    every = [
        lookup.of_rows(labels, rows.scores) for lookup, rows in zip(lookups, models, strict=True)
    ]
    shape = len(every[0]), k
    own, apart = np.zeros((*shape, k, 2, 3)), np.zeros((shape[0], len(pairs), 2, 3))
    largest = np.zeros((shape[0], k + len(pairs)))
    for m in range(shape[0]):
        columns = [each[m] for each in every]
        moved = [columns[a] - columns[b] for a, b in pairs]
        for i, j in zip(*np.tril_indices(k), strict=True):
            own[m, i, j] = _of_two(units, columns[i], columns[j])
        for p, each in enumerate(moved):
            apart[m, p] = _of_two(units, each, each)
        largest[m] = [float(np.abs(each).max()) for each in (*columns, *moved)]
    counts = np.bincount(labels, weights, 2).astype(np.float64)
    return ProductSums(n, counts, own, apart, largest)


def _of_two(units: Units, one: Floats, other: Floats) -> Floats:
    """Return the sums by class: a partition may have one alone."""
    found = np.zeros((2, 3))
    sums = units.sums_of_products(one, other)
    found[: len(sums)] = sums
    return found
