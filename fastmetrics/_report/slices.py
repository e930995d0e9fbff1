"""Estimates of every slice, and how far they are from those of all other rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display import Display, Table
from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array, by_names
from fastmetrics._input.rows import NamedScores
from fastmetrics._input.scalars import check_confidence_level, check_integer, check_same_length
from fastmetrics._number_text import with_limits
from fastmetrics._results import ConfidenceInterval, OneNumber, Several
from fastmetrics.errors import InputError, no_such
from fastmetrics.inference.estimate_result import Estimate, Pair
from fastmetrics.inference.interval_rule import make_estimate
from fastmetrics.inference.measurement import Measurement
from fastmetrics.inference.reference import adjust, difference_test, pvalue, quantile
from fastmetrics.inference.samples import build_samples, request_metrics
from fastmetrics.inference.units import Ints, Units, Variance
from fastmetrics.metrics.asking import MetricRequest

#: Columns and their values.
Conditions = tuple[tuple[str, Any], ...]


def named(conditions: Conditions) -> str:
    """Return the name of a slice."""
    return " & ".join(f"{column}={value}" for column, value in conditions)


def _split_rows(
    columns: Sequence[tuple[NDArray[np.int64], list[tuple[str, Any]]]],
) -> Iterable[tuple[Conditions, Ints]]:
    """Return the conditions and the rows of each combination of values that there is."""
    codes, _ = columns[0]
    for more, others in columns[1:]:
        codes = codes * len(others) + more
    order = np.argsort(codes, kind="stable")
    conditions = product(*(values for _, values in columns))
    n_slices = int(np.prod([len(values) for _, values in columns]))
    ends = np.cumsum(np.bincount(codes, minlength=n_slices))
    return zip(conditions, np.split(order, ends[:-1]), strict=True)


#: Directions, after the name of a metric.
ARROWS: Final = {True: " ↑", False: " ↓", None: ""}
#: Slices of a metric that are shown, the worst first.
_SHOWN: Final = 10
#: Slices that a sentence names.
_NAMED: Final = 5


@dataclass(frozen=True, slots=True, repr=False)
class SliceEstimate(OneNumber):
    """One metric of one model in one slice, and less that of all other rows.

    Attributes
    ----------
    slice : str
        The column and its value; of intersections several.
    model, metric : str
        Which model, by which metric.
    estimate : float
        The metric in the slice; nan where it is undefined.
    confidence_interval : ConfidenceInterval
        Its limits hold for all slices of a metric and model at once, at the level of `Slices`.
    standard_error, df : float
        Of the metric, and its degrees of freedom.
    n_samples : float
        Rows of the slice.
    gap : float
        The metric in the slice less that of the rows outside it.
    gap_standard_error, gap_df : float
        Of the gap.
    gap_pvalue : float
        Of "there is no gap", not adjusted; `Slices.flagged` adjusts.
    higher_is_better : bool or None
        The direction of the metric.
    conditions : tuple of (str, object)
        Columns and their values: a row of the slice has all of them.
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
    """Metrics of models in slices of the rows.

    Attributes
    ----------
    rows : tuple of SliceEstimate
        By metric, model and slice.
    confidence_level : float
        Of the intervals, of all slices of a metric and model at once.
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
        """Return the slice that is the worst by a metric; its limits are those of any worst one.

        Parameters
        ----------
        metric, model : str, optional
            By default the first metric and model.

        Returns
        -------
        SliceEstimate
            Its interval holds for all slices at once, and so for the one that looks worst.
        """
        rows = [row for row in self._of(metric, model) if not math.isnan(row.estimate)]
        if not rows or rows[0].higher_is_better is None:
            raise InputError("there is no worst slice: no value, or a metric without a direction")
        sign = 1.0 if rows[0].higher_is_better else -1.0
        return min(rows, key=lambda row: sign * row.estimate)

    def flagged(
        self, *, margin: float = 0.0, false_discovery_rate: float = 0.05
    ) -> tuple[SliceEstimate, ...]:
        """Return slices that are worse than the other rows by more than a margin.

        Parameters
        ----------
        margin : float, default=0.0
            The largest accepted loss, in the metric's unit.
        false_discovery_rate : float, default=0.05
            Share of those returned that may be there by chance, for each metric and model.

        Returns
        -------
        tuple of SliceEstimate
            By Benjamini and Hochberg (1995), the most certain first.
        """
        flagged: list[tuple[float, SliceEstimate]] = []
        for key in dict.fromkeys((row.metric, row.model) for row in self.rows):
            rows = self._of(*key)
            raw = np.array([row.pvalue_worse(margin) for row in rows])
            each = zip(raw, rows, adjust(raw, "benjamini-hochberg"), strict=True)
            flagged += [(p, row) for p, row, q in each if q <= false_discovery_rate]
        return tuple(row for _, row in sorted(flagged, key=lambda each: each[0]))

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
            By default the first metric and model.
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
        variance = together(*(Variance(row.standard_error**2, row.df) for row in (left, right)))
        test = difference_test(difference, variance.standard_error, variance.df, level)
        pair = Pair(
            metric=left.metric,
            a=left.slice,
            b=right.slice,
            estimate=difference,
            standard_error=variance.standard_error,
            confidence_interval=test.interval,
            statistic=test.statistic,
            df=variance.df,
            pvalue=test.pvalue,
            pvalue_adjusted=test.pvalue,
            better=None,
        )
        return replace(pair, better=pair.better_at(level, left.higher_is_better))

    def _of(self, metric: str | None, model: str | None) -> list[SliceEstimate]:
        chosen = []
        for what, name in (("metric", metric), ("model", model)):
            known = {getattr(row, what): None for row in self.rows}
            if name is not None and name not in known:
                raise no_such(name, "metrics and models", sorted(known))
            chosen.append(next(iter(known)) if name is None else name)
        return [row for row in self.rows if [row.metric, row.model] == chosen]

    def __getitem__(self, name: str) -> SliceEstimate:
        """Return a slice by its name, of the first metric and model."""
        return self._named(name, None, None)

    def _named(self, name: str, metric: str | None, model: str | None) -> SliceEstimate:
        rows = {row.slice: row for row in self._of(metric, model)}
        if (kept := self.same.get(name, name)) not in rows:
            raise no_such(name, "slices", rows)
        return rows[kept]

    def __repr__(self) -> str:
        return f"Slices({self.n_slices} slices, {len(self.rows)} estimates)"

    def _display(self) -> Display:
        return Display(self.tables(), "", self.notes(), self.findings())

    def tables(self) -> list[Table]:
        """Return a table for each metric, the worst slices of each model first."""
        names = ("slice", "model", "estimate", "confidence_interval", "n_samples")
        hidden = ("standard_error", "gap", "gap_standard_error", "gap_pvalue", "metric")
        models = dict.fromkeys(row.model for row in self.rows)
        several = len(models) > 1
        columns = [*(name for name in names if several or name != "model"), *hidden]
        tables = []
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
            tables.append(table)
        return tables

    def findings(self) -> list[str]:
        """Return the slices that are significantly worse than the other rows."""
        if all(math.isnan(row.gap) for row in self.rows):
            return []
        flagged = self.flagged()
        sentences = []
        for row in flagged[:_NAMED]:
            half = -quantile(0.025, row.gap_df) * row.gap_standard_error
            interval = ConfidenceInterval(row.gap - half, row.gap + half)
            sentences.append(
                f"{row.model} is worse in {row.slice} than in other rows: {row.metric} differs by "
                f"{with_limits(row.gap, interval)}."
            )
        if not flagged:
            sentences.append("No slice is significantly worse than the other rows.")
        elif len(flagged) > _NAMED:
            sentences.append(f"{len(flagged) - _NAMED} more slices are worse than the other rows.")
        return sentences

    def notes(self) -> list[str]:
        """Return how slices are corrected, and which are left out."""
        notes = [f"Slices: intervals hold for all {self.n_slices} at once, the worst come first."]
        if all(math.isnan(row.gap) for row in self.rows):
            notes.append("Slices are not compared with other rows: too many, or undefined.")
        else:
            notes.append("The false discovery rate of worse slices is 5 %.")
        if self.same:
            pairs = [f"{name} is {kept}" for name, kept in self.same.items()]
            notes.append(f"The same rows, counted once: {list_first(pairs, '; ', '; and')}.")
        if self.left_out:
            notes.append(f"Left out, as they have too few rows: {list_first(self.left_out)}.")
        return notes


def list_first(names: Sequence[str], between: str = ", ", last: str = " and") -> str:
    """Return the first few names, and how many more there are."""
    more = f"{last} {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return between.join(names[:_NAMED]) + more


def _badness(row: SliceEstimate) -> tuple[bool, float]:
    sign = {True: 1.0, False: -1.0, None: 0.0}[row.higher_is_better]
    return math.isnan(row.estimate), sign * row.estimate


def together(*variances: Variance) -> Variance:
    """Return the variance of a sum or difference of what is independent (Satterthwaite 1946)."""
    variance = sum(each.value for each in variances)
    below = sum(s.value**2 / s.df for s in variances if s.value > 0.0 and s.df > 0.0)
    return Variance(variance, variance**2 / below if below > 0.0 else math.nan)


#: Parameters of functions that cut rows into slices.
SLICES: Final = """
Parameters
----------
intersections : int, default=1
    How many columns make a slice: with 2 the pairs of values of two columns too; at most 3.
min_n : int, default=30
    Rows below which a slice is left out, and named.
"""
#: Slices times rows beyond which the rows outside each slice are not measured anew.
MOST_ROWS: Final = 20_000_000
#: A difference that is not known.
NO_GAP: Final = (math.nan, Variance(math.nan, math.nan))


@dataclass
class SlicedRows:
    """Rows, none of no weight, and the slices that the values of columns make of them.

    ``cuts`` has the slices of enough rows that are not the very rows of another one; ``small``
    names the others, ``same`` those of the rows of another one, ``shared`` columns whose slices
    share groups.
    """

    labels: NDArray[Any]
    models: Sequence[NamedScores]
    columns: Mapping[str, NDArray[Any]]
    options: Mapping[str, Any]
    groups: NDArray[np.int64] | None
    confidence_level: float
    cuts: list[tuple[Conditions, Ints]] = field(default_factory=list)
    small: list[str] = field(default_factory=list)
    same: dict[str, str] = field(default_factory=dict)
    shared: list[str] = field(default_factory=list)

    @classmethod
    def checked(
        cls,
        y_true: Any,
        models: Sequence[NamedScores],
        slices: Any,
        *,
        confidence_level: float,
        min_n: int,
        intersections: int,
        weights_are: Any,
        **given: Any,
    ) -> SlicedRows:
        """Return the rows and their slices of at least ``min_n`` rows; see `evaluate`."""
        min_n = check_integer("min_n", min_n, low=1)
        check_integer("intersections", intersections, low=1, high=3)
        if not hasattr(slices, "items") or not len(slices):
            raise InputError("`slices` must be a mapping of names to columns, {'country': ...}")
        labels = as_array(y_true, "y_true")
        models = [m._replace(values=as_array(m.values, m.argument)) for m in models]
        others = {name: given.pop(name) for name in ("sample_weight", "query", "groups")}
        columns = {name: as_array(each, name) for name, each in others.items() if each is not None}
        check_same_length(**{"y_true": labels, **{m.argument: m.values for m in models}, **columns})
        options = {**given, "weights_are": weights_are if "sample_weight" in columns else None}
        kept = np.arange(len(labels))
        if "sample_weight" in columns:
            kept = np.flatnonzero(columns["sample_weight"])
        columns = {name: column[kept] for name, column in columns.items()}
        codes = columns.pop("groups", None)
        if codes is not None:
            codes = check_class_labels(codes, "groups").codes
        models = [m._replace(values=m.values[kept]) for m in models]
        if any(m.values.ndim > 1 for m in models):  # a slice may lack a class
            options["labels"] = check_class_labels(labels).classes
        rows = cls(labels[kept], models, columns, options, codes, confidence_level)
        rows._cut(slices, kept, min_n, intersections)
        return rows

    def _cut(self, slices: Mapping[str, Any], kept: Ints, min_n: int, intersections: int) -> None:
        """Find the slices of each column, and of several; ``kept`` are the rows of a weight."""
        columns = {}
        units = self.groups
        if units is None and "query" in self.columns:
            units = check_class_labels(self.columns["query"], "query").codes
        for column, values in by_names(slices, "slices", "columns").items():
            labels = check_class_labels(values, f"slices[{column!r}]")
            if len(labels.codes) < len(kept) or (len(kept) and kept[-1] >= len(labels.codes)):
                named_codes = {f"slices[{column!r}]": labels.codes}
                check_same_length(**{"y_true": self.labels, **named_codes})
            codes = labels.codes[kept]
            classes = np.asarray(labels.classes).tolist()
            columns[column] = codes, [(column, value) for value in classes]
            if units is not None:
                first = np.empty(int(units.max(initial=0)) + 1, np.int64)
                first[units] = codes
                if (first[units] != codes).any():  # a group has rows in several slices
                    self.shared.append(column)
        seen: dict[bytes, str] = {}
        for how_many in range(1, min(intersections, len(columns)) + 1):
            for chosen in combinations(columns.values(), how_many):
                for conditions, indices in _split_rows(chosen):
                    name = named(conditions)
                    if not len(indices):
                        continue
                    if len(indices) < min_n:
                        self.small.append(name)
                    elif (kept_as := seen.setdefault(indices.tobytes(), name)) != name:
                        self.same[name] = kept_as
                    else:
                        self.cuts.append((conditions, indices))
        if not self.n_slices:
            raise InputError(f"no slice has {min_n} rows: {', '.join(self.small[:5])}")

    @property
    def n_slices(self) -> int:
        """The number of estimated slices."""
        return len(self.cuts)

    @property
    def level(self) -> float:
        """The level of each slice that keeps that of all (Šidák 1967)."""
        return float(self.confidence_level ** (1.0 / self.n_slices))

    def measured(self, one: MetricRequest, indices: Ints) -> Measurement:
        """Measure each model in some rows, without warnings."""
        models = [each._replace(values=each.values[indices]) for each in self.models]
        given: dict[str, Any] = dict.fromkeys(("event", "query", "strata", "sample_weight"))
        given |= {name: column[indices] for name, column in self.columns.items()}
        given |= self.options
        given["groups"] = None if self.groups is None else self.groups[indices]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            samples = build_samples((one,), self.labels[indices], models, **given)
            return samples[one.label].measure(one)

    def result(self, rows: Iterable[SliceEstimate]) -> Slices:
        """Return estimates as a result."""
        return Slices(
            rows=tuple(rows),
            confidence_level=self.confidence_level,
            n_slices=self.n_slices,
            left_out=tuple(self.small),
            same=MappingProxyType(self.same),
            shared=tuple(self.shared),
        )


def evaluate_slices(
    y_true: Any,
    models: Sequence[NamedScores],
    slices: Any,
    *,
    metrics: Any,
    query: Any,
    **given: Any,
) -> Slices:
    """Return the metrics of each slice; ``given`` are options of `SlicedRows.checked`."""
    requests = request_metrics(metrics, None, query)
    for one in requests:
        if not one.has_influences:
            raise InputError(f"`{one.label}` has no influences of rows, and slices no replicates")
    rows = SlicedRows.checked(y_true, models, slices, query=query, **given)
    return rows.result(row for one in requests for row in _estimate_metric(rows, one))


def _estimate_metric(rows: SlicedRows, one: MetricRequest) -> list[SliceEstimate]:
    """Return a metric of each model in every slice, and how far it is from that outside."""
    has_rest = rows.n_slices * len(rows.labels) <= MOST_ROWS
    by_slice = []
    for conditions, indices in rows.cuts:
        inside = rows.measured(one, indices)
        gaps = _gaps(rows, one, inside, indices) if has_rest else [NO_GAP] * len(rows.models)
        by_slice.append(
            [
                slice_estimate(one, model.name, conditions, _estimate(one, inside, k, rows), gap)
                for k, (model, gap) in enumerate(zip(rows.models, gaps, strict=True))
            ]
        )
    return [row for by_model in zip(*by_slice, strict=True) for row in by_model]


def slice_estimate(
    one: MetricRequest,
    model: str,
    conditions: Conditions,
    estimate: Estimate,
    gap: tuple[float, Variance],
) -> SliceEstimate:
    """Return a metric of a model in a slice, with its gap to the other rows."""
    difference, variance = gap
    error = variance.standard_error
    return SliceEstimate(
        slice=named(conditions),
        model=model,
        metric=one.label,
        estimate=estimate.estimate,
        confidence_interval=estimate.confidence_interval,
        standard_error=estimate.standard_error,
        df=estimate.df,
        n_samples=estimate.n_samples,
        gap=difference,
        gap_standard_error=error,
        gap_df=variance.df,
        gap_pvalue=pvalue(difference / error, variance.df) if error > 0.0 else math.nan,
        higher_is_better=one.higher_is_better,
        conditions=conditions,
        note="not defined on these rows" if math.isnan(estimate.estimate) else "",
    )


def _estimate(one: MetricRequest, measured: Measurement, model: int, rows: SlicedRows) -> Estimate:
    """Return the estimate of a model in a slice."""
    read = rows.options["weights_are"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimate = make_estimate(one, measured, model, rows.level, weights_are=read)
        if not estimate.method.startswith("wilson"):
            return estimate
        # far out in the tails Wilson's limits cover too little of proportions near 0 and 1
        exact = "clopper-pearson"
        return make_estimate(one, measured, model, rows.level, exact, weights_are=read)


def _gaps(
    rows: SlicedRows, one: MetricRequest, inside: Measurement, indices: Ints
) -> list[tuple[float, Variance]]:
    """Return the difference of each model in a slice and in the rows outside, with its variance.

    Slices of independent rows are independent of the rows outside. Groups may have rows in both:
    their contributions are added up over all rows, the two sides being strata.
    """
    rest = np.delete(np.arange(len(rows.labels)), indices)
    is_of_queries = rows.groups is not None and "query" in rows.columns  # so are influences
    if is_of_queries or not len(rest):
        return [NO_GAP] * len(rows.models)
    outside = rows.measured(one, rest)
    if rows.groups is not None:
        weights = rows.columns.get("sample_weight")
        counts = weights if rows.options["weights_are"] == "frequencies" else None
        weights = None if counts is not None or weights is None else weights.astype(np.float64)
        # A mean was fitted on either side: a group's contribution is of the rows on its own side.
        sides = np.empty(len(rows.labels), np.int64)
        for side, (kept, measured) in enumerate(((indices, inside), (rest, outside))):
            strata = measured.units.strata
            sides[kept] = side if strata is None else 2 * strata + side
        units = Units(len(sides), counts=counts, weights=weights, groups=rows.groups, strata=sides)
    gaps = []
    for value, other, inner, outer in zip(
        inside.values, outside.values, inside.influences, outside.influences, strict=True
    ):
        if rows.groups is None:
            variance = together(inside.units.variance(inner), outside.units.variance(outer))
        else:
            influences = np.empty(len(rows.labels))
            influences[indices] = inner
            influences[rest] = -outer
            variance = units.variance(influences)
        gaps.append((value - other, variance))
    return gaps
