"""Sums of products of the influences that rows have on several models: a pass of small states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from dask.delayed import Delayed, delayed

from fastmetrics._input.rows import BinaryRows
from fastmetrics.dask._dealt import that_weigh
from fastmetrics.dask._group_sums import Lookup
from fastmetrics.dask._scored import Seen, checked, sum_of
from fastmetrics.inference.units import ROUNDING, Floats, Units

Pairs = list[tuple[int, int]]


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
    whole: ProductSums = sum_of(parts, _sums, shared, pairs, pos_label=pos_label, read=_together)
    return whole


def _together(
    columns: tuple[Any, ...], positive: Any, make: Callable[..., Any], *more: Any
) -> Seen:
    y_true, sample_weight, *scores = columns
    found = [checked((y_true, each, sample_weight), positive) for each in scores]
    if found[0].state is None:
        return found[0]
    return found[0]._replace(state=make([that_weigh(each.state) for each in found], *more))


def _sums(models: list[BinaryRows], lookups: list[Lookup], pairs: Pairs) -> ProductSums:
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
