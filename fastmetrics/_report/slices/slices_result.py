"""``Slices``: how models do in parts of the rows, which is the worst, which stand out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from fastmetrics._display import Display, Table, with_limits
from fastmetrics._input.scalars import check_confidence_level
from fastmetrics._results import ConfidenceInterval, OneNumber, Several
from fastmetrics.errors import InputError, no_such
from fastmetrics.inference._pvalues import adjusted
from fastmetrics.inference.estimate_result import Pair
from fastmetrics.inference.reference import difference_test, pvalue, quantile
from fastmetrics.inference.units import Spread

#: Which way is better, after the name of a measure.
ARROWS: Final = {True: " ↑", False: " ↓", None: ""}
#: Slices of a measure that are shown, the worst first.
_SHOWN: Final = 10
#: Slices that a sentence names.
_NAMED: Final = 5


@dataclass(frozen=True, slots=True, repr=False)
class SliceEstimate(OneNumber):
    """One measure of one model in one slice, and less that of all other rows.

    Attributes
    ----------
    slice : str
        The column and its value; of intersections several.
    model, metric : str
        Which model, by which measure.
    estimate : float
        The measure in the slice; nan where it is undefined.
    confidence_interval : ConfidenceInterval
        Its limits hold for all slices of a measure and model at once, at the level of `Slices`.
    standard_error, df : float
        Of the measure, and its degrees of freedom.
    n_samples : float
        Rows of the slice.
    shrunken : float
        The estimate drawn towards the mean of the column's slices as far as they differ by chance
        (empirical Bayes, DerSimonian & Laird 1986); the estimate itself where that is not known.
    gap : float
        The measure in the slice less that of the rows outside it.
    gap_standard_error, gap_df : float
        Of the gap.
    gap_pvalue : float
        Of "there is no gap", not adjusted; `Slices.flagged` adjusts.
    higher_is_better : bool or None
        The direction of the measure.
    conditions : tuple of (str, object)
        Columns and their values: a row of the slice has all of them. Empty where rows of the slice
        are compared with others.
    note : str
        What a reader must know; usually empty.
    """

    slice: str
    model: str
    metric: str
    estimate: float
    confidence_interval: ConfidenceInterval
    standard_error: float
    df: float
    n_samples: float
    shrunken: float
    gap: float
    gap_standard_error: float
    gap_df: float
    gap_pvalue: float
    higher_is_better: bool | None
    conditions: tuple[tuple[str, Any], ...]
    note: str = ""

    def pvalue_worse(self, margin: float = 0.0) -> float:
        """Return that of "the slice is not worse than the other rows by more than a margin"."""
        if self.higher_is_better is None or not self.gap_standard_error > 0.0:
            return math.nan
        gain = self.gap if self.higher_is_better else -self.gap
        return pvalue((gain + margin) / self.gap_standard_error, self.gap_df, "less")


@dataclass(frozen=True, slots=True, repr=False)
class Slices(Several[SliceEstimate]):
    """Measures of models in slices of the rows.

    Attributes
    ----------
    rows : tuple of SliceEstimate
        By measure, model and slice.
    confidence_level : float
        Of the intervals, of all slices of a measure and model at once.
    n_slices : int
        How many they are.
    left_out : tuple of str
        Slices of too few rows.
    same : mapping of str to str
        Slices of the very rows of another one, and that one: they are one slice, counted once.
    shared : tuple of str
        Columns whose slices share groups, or queries: differences between them are not known.
    """

    rows: tuple[SliceEstimate, ...]
    confidence_level: float
    n_slices: int
    left_out: tuple[str, ...]
    same: Mapping[str, str]
    shared: tuple[str, ...]

    def worst(self, metric: str | None = None, model: str | None = None) -> SliceEstimate:
        """Return the slice that is the worst by a measure; its limits are those of any worst one.

        Parameters
        ----------
        metric, model : str, optional
            By default the first measure and model.

        Returns
        -------
        SliceEstimate
            Its interval holds for all slices at once, and so for the one that looks worst.
        """
        rows = [row for row in self._of(metric, model) if not math.isnan(row.estimate)]
        if not rows or rows[0].higher_is_better is None:
            raise InputError("there is no worst slice: no value, or a measure without a direction")
        sign = 1.0 if rows[0].higher_is_better else -1.0
        return min(rows, key=lambda row: sign * row.estimate)

    def flagged(
        self, *, margin: float = 0.0, false_discovery_rate: float = 0.05
    ) -> tuple[SliceEstimate, ...]:
        """Return slices that are worse than the other rows by more than a margin.

        Parameters
        ----------
        margin : float, default=0.0
            The loss that does not matter, in the measure's own unit.
        false_discovery_rate : float, default=0.05
            Share of those returned that may be there by chance, for each measure and model.

        Returns
        -------
        tuple of SliceEstimate
            By Benjamini and Hochberg (1995), the most certain first.
        """
        found: list[tuple[float, SliceEstimate]] = []
        for key in dict.fromkeys((row.metric, row.model) for row in self.rows):
            own = self._of(*key)
            raw = np.array([row.pvalue_worse(margin) for row in own])
            each = zip(raw, own, adjusted(raw, "benjamini-hochberg"), strict=True)
            found += [(p, row) for p, row, q in each if q <= false_discovery_rate]
        return tuple(row for _, row in sorted(found, key=lambda each: each[0]))

    def between(
        self,
        one: str,
        other: str,
        *,
        metric: str | None = None,
        model: str | None = None,
        confidence_level: float = 0.95,
    ) -> Pair:
        """Return how far apart two slices are that have no row in common.

        Parameters
        ----------
        one, other : str
            Their names. Slices overlap where no column has different values in them.
        metric, model : str, optional
            By default the first measure and model.
        confidence_level : float, default=0.95
            Of the limits, which are of this difference alone.

        Returns
        -------
        Pair
            The first less the second, with the error of both (Welch and Satterthwaite).
        """
        level = check_confidence_level(confidence_level)
        left, right = (self._named(name, metric, model) for name in (one, other))
        values = dict(right.conditions)
        apart = [c for c, v in left.conditions if c in values and values[c] != v]
        if not apart:
            raise InputError(f"{one!r} and {other!r} may have rows in common: take parts of one")
        if set(apart) <= set(self.shared):
            raise InputError(f"{one!r} and {other!r} share groups, so that they vary together")
        difference = left.estimate - right.estimate
        spread = together(*(Spread(row.standard_error**2, row.df) for row in (left, right)))
        test = difference_test(difference, spread.standard_error, spread.df, level)
        pair = Pair(
            metric=left.metric,
            a=left.slice,
            b=right.slice,
            estimate=difference,
            standard_error=spread.standard_error,
            confidence_interval=test.interval,
            statistic=test.statistic,
            df=spread.df,
            pvalue=test.pvalue,
            pvalue_holm=test.pvalue,
            better=None,
        )
        return replace(pair, better=pair.better_at(level, left.higher_is_better))

    def _of(self, metric: str | None, model: str | None) -> list[SliceEstimate]:
        own = []
        for field, name in (("metric", metric), ("model", model)):
            known = {getattr(row, field): None for row in self.rows}
            if name is not None and name not in known:
                raise no_such(name, "measures and models", sorted(known))
            own.append(next(iter(known)) if name is None else name)
        return [row for row in self.rows if [row.metric, row.model] == own]

    def __getitem__(self, name: str) -> SliceEstimate:
        """Return a slice by its name, of the first measure and model."""
        return self._named(name, None, None)

    def _named(self, name: str, metric: str | None, model: str | None) -> SliceEstimate:
        rows = {row.slice: row for row in self._of(metric, model)}
        if (kept := self.same.get(name, name)) not in rows:
            raise no_such(name, "slices", rows)
        return rows[kept]

    def __repr__(self) -> str:
        return f"Slices({self.n_slices} slices, {len(self.rows)} estimates)"

    def _shown(self) -> Display:
        return Display(self.tables(), "Slices", self.notes())

    def tables(self) -> list[Table]:
        """Return a table for each measure, the worst slices of each model first."""
        names = ("slice", "model", "estimate", "confidence_interval", "shrunken", "n_samples")
        hidden = ("standard_error", "gap", "gap_standard_error", "gap_pvalue", "metric")
        models = dict.fromkeys(row.model for row in self.rows)
        several = len(models) > 1
        columns = [*(name for name in names if several or name != "model"), *hidden]
        found = []
        for metric in dict.fromkeys(row.metric for row in self.rows):
            rows = [
                row for model in models for row in sorted(self._of(metric, model), key=_badness)
            ]
            words = {"estimate": metric + ARROWS[rows[0].higher_is_better], "n_samples": "n"}
            table = Table.of(
                rows,
                columns,
                caption="Slices",
                words=words,
                level=self.confidence_level,
                unseen=hidden,
                most=_SHOWN * (2 if several else 1),
            )
            found.append(table)
        return found

    def notes(self) -> list[str]:
        """Return what limits are of, and which slices stand out."""
        notes = [
            f"Slices: limits hold for all {self.n_slices} at once; the worst come first. Shrunken "
            "values are drawn towards the column's mean by empirical Bayes (normal-normal)."
        ]
        if all(math.isnan(row.gap) for row in self.rows):
            gaps = "Gaps to the other rows: too many slices of too many rows, or undefined."
            return [*notes, gaps]
        flagged = self.flagged()
        for row in flagged[:_NAMED]:
            half = -quantile(0.025, row.gap_df) * row.gap_standard_error
            own = ConfidenceInterval(row.gap - half, row.gap + half)
            notes.append(
                f"{row.slice}: {row.model} is worse by {row.metric} than in other rows: a gap of "
                f"{with_limits(row.gap, own)}."
            )
        if not flagged:
            notes.append("No slice is shown to be worse than other rows (false discoveries: 5 %).")
        elif len(flagged) > _NAMED:
            notes.append(f"So are {len(flagged) - _NAMED} more (false discoveries: 5 %).")
        if self.same:
            pairs = [f"{name} is {kept}" for name, kept in self.same.items()]
            notes.append(f"The same rows, counted once: {first_of(pairs, '; ', '; and')}.")
        if self.left_out:
            notes.append(f"Too few rows, left out: {first_of(self.left_out)}.")
        return notes


def first_of(names: Sequence[str], between: str = ", ", last: str = " and") -> str:
    """Return the first few names, and how many more there are."""
    more = f"{last} {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return between.join(names[:_NAMED]) + more


def _badness(row: SliceEstimate) -> tuple[bool, float]:
    sign = {True: 1.0, False: -1.0, None: 0.0}[row.higher_is_better]
    return math.isnan(row.estimate), sign * row.estimate


def together(*spreads: Spread) -> Spread:
    """Return the spread of a sum or difference of what is independent (Satterthwaite 1946)."""
    variance = sum(each.variance for each in spreads)
    below = sum(s.variance**2 / s.df for s in spreads if s.variance > 0.0 and s.df > 0.0)
    return Spread(variance, variance**2 / below if below > 0.0 else math.nan)
