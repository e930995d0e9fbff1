"""Sums over rows of how far they move two models: of batches, of which each is looked up and left.

The influence of a row follows from its class and its score, once the curve of all rows is known: a
second pass looks it up in what the first one left of each model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.bins import bin_numbers
from fastmetrics._threads.workers import run
from fastmetrics.inference.units import ROUNDING, Floats, Reference, Spread, Units
from fastmetrics.tables.binned.bin_layout import MOST_BINS, Search, search_of

Pairs = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Lookup:
    """The influences of rows on M measures, by class and score.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        Lowest first; what lies between two of them is looked up at the higher one.
    influences : ndarray of shape (M, 2, n)
        Of a negative and of a positive there.
    rests : ndarray of shape (M, 2)
        The sums over all rows of the squares of what influences differ by from those looked up.
    """

    scores: NDArray[Any]
    influences: Floats
    rests: Floats

    def places(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return where rows of these scores are looked up; any place where none is."""
        scores = np.ascontiguousarray(scores, self.scores.dtype)
        if self._search is not None:
            found = np.empty(len(scores), np.int32)
            bin_numbers(scores, *self._search, np.empty(len(scores)), found)
            return found
        return np.minimum(np.searchsorted(self.scores, scores), len(self.scores) - 1)

    @cached_property
    def _search(self) -> Search | None:
        """The arithmetic that finds floats in bins, where there are not too many."""
        if self.scores.dtype.kind != "f" or len(self.scores) > MOST_BINS:
            return None
        return search_of(np.nextafter(self.scores[:-1].astype(np.float64), np.inf))


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
    ends : ndarray of shape (M, K + P, 2, 2)
        Of each model and each difference the greatest influence, and the greatest of -1 times it.
    rests : ndarray of shape (M, K, 2)
        What lookups leave out.
    """

    n_points: int
    n_rows: Floats
    models: Floats
    pairs: Floats
    ends: Floats
    rests: Floats

    def __add__(self, other: tuple[Any, ...]) -> ProductSums:
        """Return the sums over the rows of both."""
        more = ProductSums(*other)
        return ProductSums(
            self.n_points + more.n_points,
            self.n_rows + more.n_rows,
            self.models + more.models,
            self.pairs + more.pairs,
            np.maximum(self.ends, more.ends),
            self.rests,
        )

    @classmethod
    def of(
        cls,
        labels: NDArray[Any],
        weights: NDArray[Any] | None,
        scores: Sequence[NDArray[Any]],
        lookups: Sequence[Lookup],
        pairs: Pairs,
    ) -> ProductSums:
        """Return those of rows, whose labels are 1 and others, and whose weights are numbers."""
        k, n_measures = len(lookups), min(len(to.rests) for to in lookups)
        n_rows, own = np.zeros(2), np.zeros((n_measures, k, k, 2, 3))
        apart = np.zeros((n_measures, len(pairs), 2, 3))
        ends = np.full((n_measures, k + len(pairs), 2, 2), -np.inf)

        def add_class(code: int) -> None:
            here = np.flatnonzero((labels == 1) == code)
            if not len(here):
                return
            units = Units(len(here), None if weights is None else weights[here])
            n_rows[code] = units.n_rows
            at = [to.places(each[here]) for to, each in zip(lookups, scores, strict=True)]
            for m in range(n_measures):
                columns = [
                    to.influences[m, code][places] for to, places in zip(lookups, at, strict=True)
                ]
                moved = [columns[a] - columns[b] for a, b in pairs]
                for i, j in zip(*np.tril_indices(k), strict=True):
                    own[m, i, j, code] = units.sums_of_products(columns[i], columns[j])[0]
                for p, each in enumerate(moved):
                    apart[m, p, code] = units.sums_of_products(each, each)[0]
                for p, each in enumerate((*columns, *moved)):
                    ends[m, p, code] = each.max(), -each.min()

        run([partial(add_class, code) for code in (0, 1)], len(labels))
        rests = np.stack([to.rests[:n_measures] for to in lookups], axis=1)
        return cls(len(labels), n_rows, own, apart, ends, rests)

    def units(self, is_by_class: bool) -> Units:
        """Return the rows as those of one point, or of one each class."""
        if is_by_class:
            return Units(2, self.n_rows, strata=np.arange(2))
        return Units(1, self.n_rows.sum(keepdims=True))

    def covariance(self, m: int, is_by_class: bool) -> Floats:
        """Return the covariance of the models by a measure."""
        own = self.models[m] if is_by_class else self.models[m].sum(axis=2, keepdims=True)
        return self.units(is_by_class).covariance_of_sums(own)

    def spread(
        self,
        m: int,
        p: int,
        pair: tuple[int, int],
        values: tuple[float, float],
        is_by_class: bool,
        reference: Reference,
    ) -> Spread:
        """Return the spread of a difference of two values: what rounding leaves is nothing.

        Of influences that are not exact it is the largest that there may be: the norm of a sum is
        at most the sum of norms.
        """
        units, sums, rests = self.units(is_by_class), self.pairs[m, p], self.rests[m, list(pair)]
        if not is_by_class:
            sums, rests = sums.sum(axis=0, keepdims=True), rests.sum(axis=1, keepdims=True)
        k = self.models.shape[1]
        size, own = max(map(abs, values)), max(float(self.ends[m, each].max()) for each in pair)
        if float(self.ends[m, k + p].max()) <= ROUNDING * (size / self.n_points + own):
            sums = np.zeros_like(sums)
            rests = rests if values[0] != values[1] else np.zeros_like(rests)
        found = units.spread_of_sums(sums, reference)
        off = float(np.sqrt((units.factors * rests).sum(axis=1)).sum())
        return found if off == 0.0 else found._replace(variance=(found.standard_error + off) ** 2)

    def ranges(self, m: int, model: int, is_by_class: bool) -> tuple[Floats, Floats]:
        """Return what `Units.ranges` does, of a model."""
        ends, sizes = self.ends[m, model], self.units(is_by_class).sizes_of_strata
        steps = (ends if is_by_class else ends.max(axis=0, keepdims=True)).sum(axis=1)
        return sizes, np.where(steps > ROUNDING * ends.max(), steps, 0.0)
