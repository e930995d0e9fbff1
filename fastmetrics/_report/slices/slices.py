"""Estimates of every slice, and how far they are from those of all other rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array
from fastmetrics._input.models import NamedScores
from fastmetrics._input.scalars import check_integer, check_same_length
from fastmetrics._report.slices.cuts import Conditions, Cuts, Part, cuts_of, named
from fastmetrics._report.slices.slices_result import SliceEstimate, Slices, together
from fastmetrics.errors import InputError
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.forms import asked_of, sample_of
from fastmetrics.inference.interval_rule import estimate_of
from fastmetrics.inference.reference import NOWHERE, pvalue
from fastmetrics.inference.samples import Sample
from fastmetrics.inference.table_points import Measured, has_influences
from fastmetrics.inference.units import Spread, Units
from fastmetrics.measures.asking import Asked

#: What functions that cut rows into slices take.
SLICES: Final = """
Parameters
----------
intersections : int, default=1
    How many columns make a slice: with 2 the pairs of values of two columns too; at most 3.
min_n : int, default=30
    Rows below which a slice is left out, and named.
"""
#: Slices times rows beyond which the rows outside each slice are not measured anew.
_MOST: Final = 20_000_000
#: A difference that is not known.
NO_GAP: Final = (math.nan, Spread(math.nan, math.nan))


@dataclass(frozen=True)
class Rows:
    """Labels, scores and what else belongs to rows, none of them of no weight."""

    labels: NDArray[Any]
    models: tuple[NamedScores, ...]
    columns: Mapping[str, NDArray[Any]]
    options: Mapping[str, Any]
    groups: NDArray[np.int64] | None

    def sample(self, one: Asked, part: Part | slice) -> Sample:
        """Return some rows in the form that a measure is of."""
        models = [each._replace(values=each.values[part]) for each in self.models]
        given: dict[str, Any] = dict.fromkeys(("event", "query", "strata", "sample_weight"))
        given |= {name: column[part] for name, column in self.columns.items()}
        given |= self.options
        given["groups"] = None if self.groups is None else self.groups[part]
        return sample_of((one,), self.labels[part], models, **given)[one.label]


@dataclass(frozen=True)
class Sliced:
    """Rows, how they are cut, and the level of all slices at once."""

    rows: Rows
    cuts: Cuts
    confidence_level: float

    @property
    def level(self) -> float:
        """Return the level of each slice that keeps that of all (Šidák 1967)."""
        return float(self.confidence_level ** (1.0 / self.cuts.n_slices))

    def result(self, found: Iterable[SliceEstimate]) -> Slices:
        """Return estimates as a result."""
        return Slices(
            rows=tuple(found),
            confidence_level=self.confidence_level,
            n_slices=self.cuts.n_slices,
            left_out=tuple(self.cuts.small),
            same=MappingProxyType(self.cuts.same),
            shared=tuple(self.cuts.shared),
        )


def sliced(
    y_true: Any,
    models: Sequence[NamedScores],
    slices: Mapping[str, Any],
    *,
    confidence_level: float,
    min_n: int,
    intersections: int,
    sample_weight: Any,
    weights_are: Any,
    groups: Any,
    query: Any,
    **options: Any,
) -> Sliced:
    """Return the rows and their slices of at least ``min_n`` rows; see `evaluate`."""
    min_n = check_integer("min_n", min_n, low=1)
    check_integer("intersections", intersections, low=1, high=3)
    if not hasattr(slices, "items") or not len(slices):
        raise InputError("`slices` must be a mapping of names to columns, {'country': ...}")
    options["weights_are"] = weights_are if sample_weight is not None else None
    rows, kept = _rows(y_true, models, sample_weight, groups, query, options)
    units = rows.groups
    if units is None and query is not None:
        units = check_class_labels(rows.columns["query"], "query").codes
    cuts = cuts_of(slices, kept, len(rows.labels), min_n, intersections, units)
    if not cuts.n_slices:
        raise InputError(f"no slice has {min_n} rows: {', '.join(cuts.small[:5])}")
    return Sliced(rows, cuts, confidence_level)


def slices_of(
    y_true: Any,
    models: Sequence[NamedScores],
    slices: Mapping[str, Any],
    *,
    metrics: Any,
    query: Any,
    **given: Any,
) -> Slices:
    """Return the measures of each slice; ``given`` is what `sliced` takes."""
    asked = asked_of(metrics, None, query)
    for one in asked:
        if not has_influences(one):
            raise InputError(f"`{one.label}` has no influences of rows, and slices no replicates")
    cut = sliced(y_true, models, slices, query=query, **given)
    return cut.result(row for one in asked for row in estimates_of(cut, one))


def estimates_of(sliced: Sliced, one: Asked) -> list[SliceEstimate]:
    """Return a measure of each model in every slice, and how far it is from that outside."""
    rows = sliced.rows
    has_rest = sliced.cuts.n_slices * len(rows.labels) <= _MOST
    own: list[list[SliceEstimate]] = [[] for _ in rows.models]
    for cut in sliced.cuts.all:
        of_slices = []
        for place in cut.large:
            part = cut.parts[place]
            inside = measured_in(rows, one, part)
            gaps = _gaps(rows, one, inside, part) if has_rest else [NO_GAP] * len(own)
            of_slices.append(rows_of(sliced, one, cut.conditions[place], inside, gaps, len(part)))
        for found, chosen in zip(own, zip(*of_slices, strict=True), strict=False):
            found += _shrunken(chosen)
    return [row for found in own for row in found]


def rows_of(
    sliced: Sliced,
    one: Asked,
    conditions: Conditions,
    inside: Measured | None,
    gaps: Sequence[tuple[float, Spread]],
    n: int,
) -> list[SliceEstimate]:
    """Return a measure of each model in one slice of n rows; nan where nothing was measured."""
    found = []
    for k, (model, (gap, spread)) in enumerate(zip(sliced.rows.models, gaps, strict=True)):
        own: dict[str, Any] = dict.fromkeys(("estimate", "standard_error", "df"), math.nan)
        own |= {"confidence_interval": NOWHERE, "n_samples": float(n)}
        if inside is not None:
            estimated = _estimated(one, inside, k, sliced)
            own = {name: getattr(estimated, name) for name in own}
        error = spread.standard_error
        found.append(
            SliceEstimate(
                slice=named(conditions),
                model=model.name,
                metric=one.label,
                shrunken=own["estimate"],
                gap=gap,
                gap_standard_error=error,
                gap_df=spread.df,
                gap_pvalue=pvalue(gap / error, spread.df) if error > 0.0 else math.nan,
                higher_is_better=one.higher_is_better,
                conditions=conditions,
                note="not defined on these rows" if math.isnan(own["estimate"]) else "",
                **own,
            )
        )
    return found


def _rows(
    y_true: Any,
    models: Sequence[NamedScores],
    sample_weight: Any,
    groups: Any,
    query: Any,
    options: Mapping[str, Any],
) -> tuple[Rows, NDArray[np.int64]]:
    """Return the rows that weigh something, and which they are."""
    labels = as_array(y_true, "y_true")
    models = [m._replace(values=as_array(m.values, m.argument)) for m in models]
    others = {"sample_weight": sample_weight, "query": query, "groups": groups}
    columns = {name: as_array(each, name) for name, each in others.items() if each is not None}
    check_same_length(**{"y_true": labels, **{m.argument: m.values for m in models}, **columns})
    kept = np.arange(len(labels))
    if sample_weight is not None:
        kept = np.flatnonzero(columns["sample_weight"])
    columns = {name: column[kept] for name, column in columns.items()}
    codes = columns.pop("groups", None)
    if codes is not None:
        codes = check_class_labels(codes, "groups").codes
    models = [m._replace(values=m.values[kept]) for m in models]
    if any(m.values.ndim > 1 for m in models):  # a slice may lack a class
        options = {**options, "labels": check_class_labels(labels).classes}
    return Rows(labels[kept], tuple(models), columns, options, codes), kept


def measured_in(rows: Rows, one: Asked, part: Part) -> Measured | None:
    """Return a metric of each model in some rows, undefined values without a warning.

    None where there are no rows.
    """
    if not len(part):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rows.sample(one, part).measured(one)


def _estimated(one: Asked, measured: Measured, model: int, sliced: Sliced) -> Estimate:
    """Return the estimate of a model in a slice."""
    level, read = sliced.level, sliced.rows.options["weights_are"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = estimate_of(one, measured, model, level, None, "two-sided", weights_are=read)
        if not found.method.startswith("wilson"):
            return found
        # far out in the tails Wilson's limits cover too little of shares near 0 and 1
        exact = "clopper-pearson"
        return estimate_of(one, measured, model, level, exact, "two-sided", weights_are=read)


def _gaps(
    rows: Rows, one: Asked, inside: Measured | None, part: Part
) -> list[tuple[float, Spread]]:
    """Return the difference between each model in a slice and in the rows outside, with its spread.

    Slices of independent rows are independent of the rows outside. Groups may have rows in both,
    so that their contributions are added up over all rows.
    """
    rest = np.delete(np.arange(len(rows.labels)), part)
    outside = measured_in(rows, one, rest)
    if inside is None or outside is None:
        return [NO_GAP] * len(rows.models)
    if rows.groups is not None:
        if "query" in rows.columns:  # influences are of queries
            return [NO_GAP] * len(rows.models)
        weights = rows.columns.get("sample_weight")
        counts = weights if rows.options["weights_are"] == "frequencies" else None
        weights = None if counts is not None or weights is None else weights.astype(np.float64)
        units = Units(len(rows.labels), counts=counts, weights=weights, groups=rows.groups)
    gaps = []
    for value, other, moved, moved_outside in zip(
        inside.values, outside.values, inside.influences, outside.influences, strict=True
    ):
        if rows.groups is None:
            spread = together(inside.units.spread(moved), outside.units.spread(moved_outside))
        else:
            influences = np.empty(len(rows.labels))
            influences[part], influences[rest] = moved, -moved_outside
            spread = units.spread(influences)
        gaps.append((value - other, spread))
    return gaps


def _shrunken(rows: Sequence[SliceEstimate]) -> list[SliceEstimate]:
    """Return slices, estimates drawn towards their mean, by how much more they vary than chance."""
    values = np.array([row.estimate for row in rows])
    variances = np.array([row.standard_error for row in rows]) ** 2
    known = np.isfinite(values) & (variances > 0.0)
    if np.count_nonzero(known) >= 3:
        x, v = values[known], variances[known]
        weights = 1.0 / v
        total = weights.sum()
        mean = (weights @ x) / total
        spread = weights @ (x - mean) ** 2
        between = max(0.0, (spread - (len(x) - 1)) / (total - (weights @ weights) / total))
        of_all = 1.0 / (v + between)
        centre = (of_all @ x) / of_all.sum()
        values[known] = centre + (x - centre) * between / (between + v)
    return [replace(row, shrunken=float(v)) for row, v in zip(rows, values, strict=True)]
