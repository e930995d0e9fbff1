"""Measures that were asked for, as the bootstrap sees them: one class for each kind.

A plan says what a replicate must yield, and makes of it the values of the measure and, where there
is one, their variance; it measures the data themselves, and the data without each row, for BCa.
Threshold measures have a file of their own, ``_threshold_plans``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels._compile import without_gil
from fastmetrics.errors import InputError
from fastmetrics.intervals.bootstrap._forms import Form, Strata
from fastmetrics.intervals.bootstrap._sums import SUMS, Sums
from fastmetrics.intervals.bootstrap._threshold_plans import (
    THRESHOLD_PLANS,
    Part,
    ThresholdPlan,
    refuse_fractions,
    refuse_groups,
)
from fastmetrics.intervals.bootstrap._yield import Line, Statistic
from fastmetrics.measures import asking
from fastmetrics.measures.decisions import count_measures

Floats = NDArray[np.float64]

#: Rows up to which a user's own statistic is computed anew without each of them.
MAX_REFITS: Final = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class CountPlan:
    """A measure of the cells of a confusion matrix, with its parameters."""

    name: str
    parameters: Mapping[str, Any]

    lines: ClassVar[tuple[Line, ...]] = ()
    n_columns: ClassVar[int] = 0
    has_error: ClassVar[bool] = True

    def values(self, part: Part) -> Floats:
        """Return the value of each replicate."""
        return count_measures.value(self.name, _matrices(part.cells), **self.parameters)

    def variances(self, part: Part) -> Floats:
        """Return the variance of each replicate's value by the delta method."""
        return count_measures.delta_variance(self.name, _matrices(part.cells), **self.parameters)

    def estimate(self, form: Form, columns: slice) -> float:
        """Return the measure of the data themselves."""
        return float(count_measures.value(self.name, form.matrix(), **self.parameters))

    def check_bca(self, form: Form, label: str) -> None:
        """Raise where there are no values without each row."""
        refuse_fractions(form, label)

    def strata(self, form: Form, columns: slice) -> Strata:
        """Return the values without each row, by true class; or without each group."""
        counts = form.matrix()
        if form.is_grouped:
            return [self._without_groups(form, counts)]
        return list(zip(self._without_cells(counts), counts, strict=True))

    def row_deviations(self, form: Form, columns: slice) -> Floats:
        """Return the value without each row, less a number common to all."""
        deviations = np.concatenate(list(self._without_cells(form.matrix())))
        return np.asarray(deviations[form.cell_of_rows()], np.float64)

    def _without_cells(self, counts: NDArray[Any]) -> Floats:
        without = count_measures.leave_one_out(self.name, counts, **self.parameters)
        return without - count_measures.value(self.name, counts, **self.parameters)

    def _without_groups(self, form: Form, counts: NDArray[Any]) -> tuple[Floats, Floats]:
        n_cells = counts.size
        keys = form.unit_of_rows() * n_cells + form.cell_of_rows()
        of_groups = np.bincount(keys, form.weights_of_columns(), minlength=form.n_units * n_cells)
        without = counts - of_groups.reshape(-1, *counts.shape)
        values = count_measures.value(self.name, without, **self.parameters)
        return values, np.ones(len(values))


@dataclass(frozen=True, slots=True, eq=False)
class SumPlan:
    """A measure of column means."""

    sums: Sums

    lines: ClassVar[tuple[Line, ...]] = ()

    @property
    def n_columns(self) -> int:
        """How many columns it adds up."""
        return self.sums.n_columns

    @property
    def has_error(self) -> bool:
        """Whether a replicate has a standard error."""
        return self.sums.slope is not None

    def values(self, part: Part) -> Floats:
        """Return the value of each replicate."""
        return self.sums.finish(part.means)

    def variances(self, part: Part) -> Floats:
        """Return the delta method's variance of each replicate's value."""
        return self.sums.variance(part.means, part.means_of_squares, part.total)

    def estimate(self, form: Form, columns: slice) -> float:
        """Return the measure of the data themselves."""
        chosen = _columns(form)[columns]
        means = np.average(chosen, axis=1, weights=form.weights_of_columns())
        return float(self.sums.finish(means))

    def check_bca(self, form: Form, label: str) -> None:
        """Do nothing: sums without a row are always at hand."""

    def strata(self, form: Form, columns: slice) -> Strata:
        """Return the values without each row, cell or group, by class."""
        values, multiplicities = self._without(form, columns)
        return _by_class(form, values, multiplicities)

    def row_deviations(self, form: Form, columns: slice) -> Floats:
        """Return the value without each row, less a number common to all."""
        return np.asarray(self._without(form, columns)[0], np.float64)

    def _without(self, form: Form, columns: slice) -> tuple[Floats, Floats]:
        """Return the values without each row, cell or group, and how many rows each is."""
        of = form.sums_by_unit(_columns(form)[columns])
        with np.errstate(divide="ignore", invalid="ignore"):
            means = ((of.total[:, None] - of.columns) / (of.n - of.size)).T
            return self.sums.finish(means) - self.sums.finish(of.total / of.n), of.multiplicities


#: Of the functions used last: each `without_gil` would compile anew.
_unlocked = lru_cache(maxsize=32)(without_gil)


@dataclass(frozen=True, slots=True, eq=False)
class UserPlan:
    """A statistic of the user's own.

    ``compiled`` says that numba compiled it; ``weighted`` that it gets weights in any case. What
    numba compiled gets every row with its weight, without the interpreter's lock. A Python
    function gets the drawn rows themselves, and their weights only if these may be fractions. What
    all replicates share is read-only: a function that sorts in place would change the rest.
    """

    function: Callable[..., Any]
    compiled: bool
    weighted: bool = False

    lines: ClassVar[tuple[Line, ...]] = ()
    n_columns: ClassVar[int] = 0
    has_error: ClassVar[bool] = False

    @property
    def statistic(self) -> Statistic:
        """The function of targets and predictions, and weights of the rows."""
        function = _unlocked(self.function) if self.compiled else self.function

        def with_weights(arguments: tuple[NDArray[Any], ...], weights: NDArray[Any]) -> float:
            return float(function(*map(_read_only, arguments), weights.astype(np.float64)))

        def with_rows(arguments: tuple[NDArray[Any], ...], weights: NDArray[Any]) -> float:
            if self.weighted or weights.dtype.kind == "f":
                drawn = weights > 0
                columns = (column[drawn] for column in arguments)
                return float(function(*columns, weights[drawn].astype(np.float64)))
            return float(function(*(np.repeat(column, weights) for column in arguments)))

        return with_weights if self.compiled else with_rows

    def values(self, part: Part) -> Floats:
        """Return the value of each replicate."""
        return part.statistic

    def estimate(self, form: Form, columns: slice) -> float:
        """Return the statistic of the data themselves."""
        return form.statistic(self.statistic)

    def check_bca(self, form: Form, label: str) -> None:
        """Raise where there are no values without each row."""
        refuse_fractions(form, label)
        refuse_groups(form, label)
        if form.n_rows > MAX_REFITS:
            raise InputError(
                f"`method='bca'` needs {label!r} without each row in turn, for {MAX_REFITS:,} rows "
                f"at most: got {form.n_rows:,}; take `method='percentile'`"
            )

    def strata(self, form: Form, columns: slice) -> Strata:
        """Return the values without each row, by class."""
        values = self.row_deviations(form, columns)
        return _by_class(form, values, np.ones(len(values)))

    def row_deviations(self, form: Form, columns: slice) -> Floats:
        """Return the value without each row in turn."""
        function, n = self.statistic, form.n_entries
        kept, values = np.ones(n, np.int64), np.empty(n)
        for i in range(n):
            kept[i] = 0
            values[i] = form.statistic(function, kept)
            kept[i] = 1
        return values


Plan = ThresholdPlan | CountPlan | SumPlan | UserPlan


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """A measure, and the name that its result gets."""

    label: str
    plan: Plan

    def weighted(self) -> Planned:
        """Return the same, of which a function of the user's gets weights in any case."""
        if isinstance(self.plan, UserPlan):
            return replace(self, plan=replace(self.plan, weighted=True))
        return self


def planned(metrics: Any) -> list[Planned]:
    """Return the measures that ``metrics`` asks for, in order.

    Raises
    ------
    TypeError, ValueError
        For what is no measure, a parameter that a measure does not have, or a measure without
        replicates.
    """
    return [Planned(one.label, _plan(one)) for one in asking.ask(metrics)]


def _plan(one: asking.Asked) -> Plan:
    if one.function is not None:
        compiled = type(one.function).__module__.startswith("numba.")
        return UserPlan(one.function, compiled and hasattr(one.function, "py_func"))
    how = "" if one.measure is None else one.measure.resampled
    if how in ("pairs", "curve"):
        return THRESHOLD_PLANS[one.name](**one.parameters)
    if how == "cells":
        return CountPlan(one.name, one.parameters)
    if how == "sums":
        if one.parameters:
            raise InputError(f"`metrics`: {one.label!r} has its default parameters here only")
        return SumPlan(SUMS[one.name])
    instead = "`multiclass_bootstrap`" if how == "classes" else "a function of your own"
    raise InputError(f"`metrics` names {one.label!r}, which has no replicates here: see {instead}")


def _columns(form: Form) -> Floats:
    if form.columns is None:
        raise InputError("a sum needs columns")
    return form.columns


def _by_class(form: Form, values: Floats, multiplicities: Floats) -> Strata:
    positive = form.is_positive(len(values))
    return [(values[part], multiplicities[part]) for part in (positive, ~positive) if part.any()]


def _matrices(cells: Floats) -> Floats:
    k = round(cells.shape[1] ** 0.5)
    return cells.reshape(-1, k, k)


def _read_only(column: NDArray[Any]) -> NDArray[Any]:
    view = column.view()
    view.flags.writeable = False
    return view
