"""Estimates of every slice, those of its complement, and how far they are apart."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array
from fastmetrics._input.models import NamedScores
from fastmetrics._input.scalars import check_integer, check_same_length
from fastmetrics._report.slices.rest import Outside, Outsiders, outside_of
from fastmetrics._report.slices.slices_result import SliceEstimate, Slices
from fastmetrics.errors import InputError
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.forms import asked_of, sample_of
from fastmetrics.inference.interval_rule import estimate_of
from fastmetrics.inference.reference import pvalue
from fastmetrics.inference.samples import Sample
from fastmetrics.inference.table_points import Measured, has_influences
from fastmetrics.inference.units import Spread
from fastmetrics.measures.asking import Asked

#: Slices times rows beyond which the rows outside each slice are not measured anew.
_MOST: Final = 100_000_000
Part = NDArray[np.int64]
#: Of a measure: how far apart, the standard error, and its degrees of freedom.
Gap = tuple[float, float, float]
T = TypeVar("T")


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

    def measured(self, one: Asked, part: Part) -> Measured:
        """Return a measure of each model in some rows."""
        return self.sample(one, part).measured(one)

    def outsiders(self, one: Asked) -> list[Outsiders]:
        """Return of each model what finds a measure outside slices; none where nothing does."""
        if self.groups is not None or self.columns:
            return []
        sample = _tried(self.sample, one, slice(None))
        if sample is None:
            return []
        found = [outside_of(one, sample, k) for k in range(len(self.models))]
        return [each for each in found if each is not None]


def slices_of(
    y_true: Any,
    models: Sequence[NamedScores],
    slices: Mapping[str, Any],
    *,
    metrics: Any,
    confidence_level: float,
    min_n: int,
    intersections: int,
    sample_weight: Any,
    weights_are: Any,
    groups: Any,
    query: Any,
    threshold: Any,
    pos_label: Any,
) -> Slices:
    """Return the measures of each slice of at least ``min_n`` rows; see `evaluate`."""
    min_n = check_integer("min_n", min_n, low=1)
    check_integer("intersections", intersections, low=1, high=3)
    if not slices or not hasattr(slices, "items"):
        raise InputError("`slices` must be a mapping of names to columns, {'country': ...}")
    asked = asked_of(metrics, None, query)
    for one in asked:
        if not has_influences(one):
            raise InputError(f"`{one.label}` has no influences of rows, and slices no replicates")
    rows, kept = _rows(y_true, models, sample_weight, weights_are, groups, query)
    rows = replace(rows, options={**rows.options, "threshold": threshold, "pos_label": pos_label})
    cuts, small = _cuts_of(slices, kept, len(rows.labels), min_n, intersections)
    n_slices = sum(len(cut.large) for cut in cuts)
    if not n_slices:
        raise InputError(f"no slice has {min_n} rows: {', '.join(small[:5])}")
    level = confidence_level ** (1.0 / n_slices)
    has_rest = n_slices * len(rows.labels) <= _MOST
    found = []
    for one in asked:
        own: list[list[SliceEstimate]] = [[] for _ in models]
        outsiders = rows.outsiders(one)
        for cut in cuts:
            others = [find(cut.parts) for find in outsiders]
            made: list[list[SliceEstimate]] = [[] for _ in models]
            for place in cut.large:
                name, part = cut.names[place], cut.parts[place]
                inside = _tried(rows.measured, one, part)
                outside = [of_model[place] for of_model in others]
                gaps = _gaps(rows, one, inside, part, outside, has_rest)
                for k, model in enumerate(models):
                    estimated = _estimated(one, inside, k, level, rows)
                    made[k].append(_row(name, model.name, one, estimated, gaps[k], len(part)))
            for rows_of, chosen in zip(own, made, strict=True):
                rows_of += map(_with_shrunken, chosen, _shrunken(chosen))
        found += [row for rows_of in own for row in rows_of]
    return Slices(tuple(found), confidence_level, n_slices, tuple(small))


def _rows(
    y_true: Any,
    models: Sequence[NamedScores],
    sample_weight: Any,
    read: Any,
    groups: Any,
    query: Any,
) -> tuple[Rows, NDArray[np.int64]]:
    """Return the rows that weigh something, and which they are."""
    labels = as_array(y_true, "y_true")
    values = {model.argument: as_array(model.values, model.argument) for model in models}
    others = {"sample_weight": sample_weight, "query": query, "groups": groups}
    columns = {name: as_array(each, name) for name, each in others.items() if each is not None}
    check_same_length(**{"y_true": labels, **values, **columns})
    kept = np.arange(len(labels))
    if sample_weight is not None:
        kept = np.flatnonzero(columns["sample_weight"])
    codes = columns.pop("groups", None)
    if codes is not None:
        codes = check_class_labels(codes[kept], "groups").codes
    rows = Rows(
        labels[kept],
        tuple(m._replace(values=values[m.argument][kept]) for m in models),
        {name: column[kept] for name, column in columns.items()},
        {"weights_are": read if sample_weight is not None else None},
        codes,
    )
    return rows, kept


@dataclass(frozen=True)
class Cut:
    """The slices that the values of some columns make, each row in one of them.

    ``large`` are the places of those that have enough rows.
    """

    names: list[str]
    parts: list[Part]
    large: list[int]


def _cuts_of(
    slices: Mapping[str, Any], kept: Part, n: int, min_n: int, intersections: int
) -> tuple[list[Cut], list[str]]:
    """Return the slices of each column, or of several, and the names of those too small."""
    columns = {}
    for column, values in slices.items():
        found = check_class_labels(values, f"slices[{column!r}]")
        if len(found.codes) < len(kept) or (len(kept) and kept[-1] >= len(found.codes)):
            check_same_length(**{"y_true": np.empty(n), f"slices[{column!r}]": found.codes})
        names = [f"{column}={value}" for value in np.asarray(found.classes).tolist()]
        columns[str(column)] = (found.codes[kept], names)
    cuts: list[Cut] = []
    small: list[str] = []
    for how_many in range(1, min(intersections, len(columns)) + 1):
        for chosen in combinations(columns.values(), how_many):
            parts = [each for each in _parts_of(chosen) if len(each[1])]
            large = [place for place, (_, part) in enumerate(parts) if len(part) >= min_n]
            cuts.append(Cut([name for name, _ in parts], [part for _, part in parts], large))
            small += [name for name, part in parts if len(part) < min_n]
    return cuts, small


def _parts_of(columns: Sequence[tuple[NDArray[np.int64], list[str]]]) -> Iterable[tuple[str, Part]]:
    """Return the name and the rows of each combination of values that there is."""
    codes, names = columns[0]
    for more, others in columns[1:]:
        codes = codes * len(others) + more
        names = [f"{one} & {other}" for one in names for other in others]
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(names)))
    return zip(names, np.split(order, ends[:-1]), strict=True)


def _complement(part: Part, n: int) -> Part:
    outside = np.ones(n, np.bool_)
    outside[part] = False
    return np.flatnonzero(outside)


def _tried(find: Callable[..., T], one: Asked, part: Any) -> T | None:
    """Return what some rows have of a measure; None where it is undefined, as of one class."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return find(one, part)
        except InputError:
            return None


def _estimated(
    one: Asked, measured: Measured | None, model: int, level: float, rows: Rows
) -> Estimate | None:
    if measured is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = rows.options["weights_are"]
        found = estimate_of(one, measured, model, level, None, "two-sided", weights_are=read)
        if not found.method.startswith("wilson"):
            return found
        # far out in the tails Wilson's limits cover too little of shares near 0 and 1
        exact = "clopper-pearson"
        return estimate_of(one, measured, model, level, exact, "two-sided", weights_are=read)


def _gaps(
    rows: Rows,
    one: Asked,
    inside: Measured | None,
    part: Part,
    found: Sequence[Outside | None],
    has_rest: bool,
) -> list[Gap]:
    """Return how far each model is in a slice from itself outside, as ``found`` or measured now."""
    nowhere = (math.nan, math.nan, math.nan)
    if inside is not None and not (found and all(found)):
        rest = _complement(part, len(rows.labels)) if has_rest else part[:0]
        outside = _tried(rows.measured, one, rest) if len(rest) else None
        if outside is None:
            inside = None
        elif rows.groups is not None:
            both = ((1.0, inside, part), (-1.0, outside, rest))
            return [_gap_of_groups(rows.groups, both, k) for k in range(len(rows.models))]
        else:
            found = [
                Outside(value, outside.units.spread(moved))
                for value, moved in zip(outside.values, outside.influences, strict=True)
            ]
    if inside is None:
        return [nowhere for _ in rows.models]
    return [
        _gap(inside.values[k], inside.units.spread(inside.influences[k]), other)
        for k, other in enumerate(found)
        if other is not None
    ]


def _gap(value: float, spread: Spread, outside: Outside) -> Gap:
    """Return how far a slice is from the other rows, with its error and degrees of freedom."""
    spreads = spread, outside.spread
    variance = sum(each.variance for each in spreads)
    below = sum(s.variance**2 / s.df for s in spreads if s.variance > 0.0 and s.df > 0.0)
    df = variance**2 / below if below > 0.0 else math.nan
    return value - outside.value, math.sqrt(variance), df


def _gap_of_groups(
    groups: NDArray[np.int64], both: Sequence[tuple[float, Measured, Part]], model: int
) -> Gap:
    """Return the same where groups have rows inside and outside: their influences are added up."""
    gap = sum(sign * measured.values[model] for sign, measured, _ in both)
    n_groups = int(groups.max()) + 1
    sums = np.zeros(n_groups)
    for sign, measured, own in both:
        moved = sign * measured.influences[model]
        weights = measured.units.weights if measured.units.counts is None else measured.units.counts
        moved = moved if weights is None else moved * weights
        sums += np.bincount(groups[own], moved, n_groups)
    squares = sums * sums
    second, fourth = float(squares.sum()), float(squares @ squares)
    if not second > 0.0 or n_groups < 2:
        return gap, math.nan, math.nan
    df = min(second * second / fourth, n_groups - 1.0)
    return gap, math.sqrt(second * n_groups / (n_groups - 1.0)), df


def _row(
    name: str,
    model: str,
    one: Asked,
    estimated: Estimate | None,
    gap: tuple[float, float, float],
    n: int,
) -> SliceEstimate:
    from fastmetrics._report._one_model import NOWHERE

    difference, error, df = gap
    is_known = estimated is not None and not math.isnan(estimated.estimate)
    return SliceEstimate(
        slice=name,
        model=model,
        metric=one.label,
        estimate=math.nan if estimated is None else estimated.estimate,
        confidence_interval=NOWHERE if estimated is None else estimated.confidence_interval,
        standard_error=math.nan if estimated is None else estimated.standard_error,
        n_samples=float(n) if estimated is None else estimated.n_samples,
        shrunken=math.nan if estimated is None else estimated.estimate,
        gap=difference,
        gap_standard_error=error,
        gap_df=df,
        gap_pvalue=pvalue(difference / error, df) if error > 0.0 else math.nan,
        higher_is_better=one.higher_is_better,
        note="" if is_known else "not defined on these rows",
    )


def _with_shrunken(row: SliceEstimate, value: float) -> SliceEstimate:
    return replace(row, shrunken=value)


def _shrunken(rows: Sequence[SliceEstimate]) -> list[float]:
    """Return estimates drawn towards their mean, by how much more they vary than by chance."""
    values = np.array([row.estimate for row in rows])
    variances = np.array([row.standard_error for row in rows]) ** 2
    known = np.isfinite(values) & (variances > 0.0)
    if np.count_nonzero(known) < 3:
        return [float(each) for each in values]
    x, v = values[known], variances[known]
    weights = 1.0 / v
    total = weights.sum()
    mean = (weights @ x) / total
    spread = weights @ (x - mean) ** 2
    between = max(0.0, (spread - (len(x) - 1)) / (total - (weights @ weights) / total))
    of_all = 1.0 / (v + between)
    centre = (of_all @ x) / of_all.sum()
    found = values.copy()
    found[known] = centre + (x - centre) * between / (between + v)
    return [float(each) for each in found]
