"""Measures of counts, at the scores of a table or in the cells of a matrix, and what moves them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fastmetrics.errors import InputTypeError
from fastmetrics.inference.units import Floats, SamplesAre, Units
from fastmetrics.measures._measure import LARGEST_GAP, RowInfluences
from fastmetrics.measures.asking import Asked
from fastmetrics.measures.curves.influences import of_curve
from fastmetrics.measures.curves.roc import ks_of_table
from fastmetrics.measures.decisions import count_measures
from fastmetrics.tables.score_table import ScoreTable, running_sums


class Rates(NamedTuple):
    """Both rates at each threshold, and how many rows of equal weight either is of."""

    true_positive: Floats
    false_positive: Floats
    sizes: tuple[float, float]

    @classmethod
    def of_table(cls, table: ScoreTable, sizes: tuple[float, float]) -> Rates:
        """Return those of a table of both classes."""
        tp, fp = running_sums(table)
        return cls(tp / tp[-1], fp / fp[-1], sizes)

    def variance(self, added: float = 0.0) -> float:
        """Return that of the gap where it is largest, so many hits and misses added to each."""
        at = int(np.argmax(np.abs(self.true_positive - self.false_positive)))
        both = zip((self.true_positive[at], self.false_positive[at]), self.sizes, strict=True)
        shrunken = [((rate * n + added) / (n + 2.0 * added), n) for rate, n in both]
        return float(sum(rate * (1.0 - rate) / n for rate, n in shrunken))

    def inflation(self) -> float:
        """Return what makes up for a threshold chosen where the rates look most extreme."""
        plain = self.variance()
        return math.sqrt(self.variance(1.0) / plain) if plain > 0.0 else 1.0


class Measured(NamedTuple):
    """A measure of K models, how their points move it, and what points are.

    Attributes
    ----------
    influences : sequence of K ndarrays of float64, shape (n_points,)
    counts : tuple of K ndarrays of shape (2, 2), or None
        Of decisions of two classes, each row standing for itself: true by predicted, positive
        last; of a share of any other rows or queries, those that are right and wrong.
    rates : tuple of K Rates, or of none
        Both rates at each score, of measures whose limits need them.
    of_rows : tuple of K float, or of none
        The variance of independent rows, where points are groups that do not tell it.
    """

    values: tuple[float, ...]
    influences: Floats | Sequence[Floats]
    units: Units
    counts: tuple[Floats | None, ...]
    n_samples: float
    samples_are: SamplesAre = "rows"
    rates: tuple[Rates, ...] = ()
    of_rows: tuple[float, ...] = ()
    note: str = ""

    def design_effect(self, model: int, variance: float) -> float | None:
        """Return a variance between groups over that of independent rows; None without groups."""
        if self.units.groups is None:
            return None
        if self.of_rows:
            plain = self.of_rows[model]
        else:
            plain = self.units.without_groups.spread(self.influences[model]).variance
        return variance / plain if plain > 0.0 else None


def is_of_curve(one: Asked) -> bool:
    """Return whether a measure follows from the classes at each score, as a table has them."""
    return one.entry.family in ("curves", "costs") and one.entry.needs == "scores"


def moved(one: Asked, *data: Any, **options: Any) -> RowInfluences:
    """Return the measure asked for with the influence of each row."""
    found: RowInfluences = one.entry.load_influences()(*data, **options)
    return found


def with_rates(
    one: Asked, measured: Measured, tables: Callable[[], list[ScoreTable]], units: Units
) -> Measured:
    """Return the largest gaps with their rates; their errors are those of rates less extreme.

    Any other measure as it is. The classes are strata of the units.
    """
    if one.entry.interval != LARGEST_GAP or not measured.values[0] >= 0.0:
        return measured
    sizes = units.class_sizes()
    rates = tuple(Rates.of_table(table, sizes) for table in tables())
    moved = [r.inflation() * own for r, own in zip(rates, measured.influences, strict=True)]
    return measured._replace(rates=rates, influences=moved)


class TablePoints:
    """The classes at each score of a table of counts, the positives' first; what they measure."""

    def __init__(self, table: ScoreTable) -> None:
        self.table = table

    @staticmethod
    def has(one: Asked) -> bool:
        """Return whether a table tells a measure: of a curve, or of two classes' probabilities."""
        measure = one.entry
        is_of_two = "probabilities" in (measure.family, measure.needs) and measure.classes != 3
        return is_of_two or is_of_curve(one)

    def measured(self, one: Asked) -> Measured:
        """Return a measure of the table with its influences."""
        has_both = self.table.n_positive > 0 and self.table.n_negative > 0
        if one.entry.interval == LARGEST_GAP and has_both and len(self.table) > 2:
            return self._largest_gap(one)
        return self.at_scores(one)

    def at_scores(self, one: Asked) -> Measured:
        """Return a measure of the table, its points the rows of each class at each score."""
        measure = one.entry
        units = self._units_by_class if measure.is_by_class(one.parameters) else self._units
        if is_of_curve(one):
            curve = of_curve(self.table, measure.load_influences(), **one.parameters)
            found = RowInfluences(curve.value, curve.joined())
        else:
            found = self._of_probabilities(one)
        n = float(self.table.n_positive + self.table.n_negative)
        measured = Measured((found.value,), [found.influences], units, (None,), n)
        return with_rates(one, measured, lambda: [self.table], self._units_by_class)

    def _of_probabilities(self, one: Asked) -> RowInfluences:
        """Return a measure of what class and probability tell of a row."""
        scores, units = self.table.scores, self._units_by_class
        one.entry.domain_under(one.parameters).check_predicted(scores, "y_score")
        columns = units.strata, np.concatenate([scores, scores]), units.counts
        return moved(one, one.entry.name, *columns, **one.parameters)

    def _largest_gap(self, one: Asked) -> Measured:
        """Return the largest gap: rows are above it or not, and it is that of two scores."""
        table = self.table
        gap = ks_of_table(table)
        sizes = int(table.n_positive), int(table.n_negative)
        rates = gap.true_positive_rate, gap.false_positive_rate
        above = [round(rate * n) for rate, n in zip(rates, sizes, strict=True)]
        tp, fp = (np.array([k, n - k]) for k, n in zip(above, sizes, strict=True))
        two = ScoreTable._of_columns(np.array([1.0, 0.0]), tp, fp)
        found = TablePoints(two).measured(one)
        return found._replace(rates=(Rates.of_table(table, (float(sizes[0]), float(sizes[1]))),))

    @cached_property
    def _units(self) -> Units:
        own = self._units_by_class
        return replace(own, strata=None, sizes=own.sizes_of_strata.sum(keepdims=True))

    @cached_property
    def _units_by_class(self) -> Units:
        table, n = self.table, len(self.table)
        counts = np.concatenate([table.positives, table.negatives], dtype=np.float64)
        strata = np.zeros(2 * n, np.int64)
        strata[:n] = 1
        sizes = np.array([table.n_negative, table.n_positive], np.float64)
        return Units(2 * n, counts, strata=strata, sizes=sizes)


def check_counts(table: Any, is_weighted: bool) -> None:
    """Raise for a table whose weights are no numbers of rows."""
    if is_weighted:
        raise InputTypeError(
            f"a {type(table).__name__} of fractional weights does not tell how many rows a weight "
            "is: pass `y_true`, `y_score` and `sample_weight`"
        )


def of_matrix(one: Asked, counts: Floats) -> Measured:
    """Return a measure of a confusion matrix of counts: its points are the cells."""
    value, slopes = of_cells(one, counts)
    k = len(counts)
    strata = np.repeat(np.arange(k), k) if one.entry.is_free_of_shares else None
    units = Units(k * k, counts.ravel(), strata=strata)
    decided = (counts_of_two(one, counts),)
    return Measured((value,), slopes[None, :], units, decided, float(counts.sum()))


def of_cells(one: Asked, counts: Floats) -> tuple[float, Floats]:
    """Return a measure of labels, and how far a row of each cell moves it."""
    name = one.entry.name
    slopes = count_measures.gradient(name, counts, **one.parameters)
    value = float(count_measures.value(name, counts, **one.parameters))
    return value, np.where(counts > 0, slopes, 0.0).ravel()


def counts_of_two(one: Asked, counts: Floats) -> Floats | None:
    """Return the counts of two classes; of any number those of a share, as right and wrong ones."""
    if one.entry.is_proportion_of_all:
        return counts_of_share(float(np.trace(counts)), float(counts.sum()))
    return counts if len(counts) == 2 else None


def counts_of_share(hits: float, n: float) -> Floats:
    """Return hits and misses as counts of two classes that are right and wrong."""
    return np.array([[0.0, n - hits], [0.0, hits]])
