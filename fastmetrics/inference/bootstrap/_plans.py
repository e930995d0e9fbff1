"""What was asked for: the options of a bootstrap, and a plan for each measure.

A plan says what a replicate must yield, and makes of it the `values` of the measure and, where
there is one, their `variances`; it measures the data themselves (`estimate`) and, for BCa, the data
without each row: by class (`strata`), or row by row less a number common to all
(`row_deviations`). There is a class for each kind of measure; those of threshold measures and of
sums have files of their own, ``_threshold_plans`` and ``_sums``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, ClassVar, Final, get_args

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_integer,
    check_memory,
    seed_key,
)
from fastmetrics._kernels._compile import without_gil
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.bootstrap._draws import Draws, Line, Resampling, Statistic
from fastmetrics.inference.bootstrap._forms import Form, Strata
from fastmetrics.inference.bootstrap._hull_plans import HULL_PLANS, HullPlan, refuse_differences
from fastmetrics.inference.bootstrap._limits import Method
from fastmetrics.inference.bootstrap._sums import DIVIDES_BY_0, SUMS, SumPlan, by_class
from fastmetrics.inference.bootstrap._threshold_plans import (
    THRESHOLD_PLANS,
    Part,
    ThresholdPlan,
    refuse_fractions,
    refuse_groups,
)
from fastmetrics.measures import asking
from fastmetrics.measures._measure import Measure
from fastmetrics.measures.asking import MetricsLike
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
    undefined_where: ClassVar[str] = DIVIDES_BY_0
    note: ClassVar[str] = ""

    def values(self, part: Part) -> Floats:
        return count_measures.value(self.name, _matrices(part.cells), **self.parameters)

    def variances(self, part: Part) -> Floats:
        """Return the variance of each replicate's value by the delta method."""
        return count_measures.delta_variance(self.name, _matrices(part.cells), **self.parameters)

    def estimate(self, form: Form, columns: slice) -> float:
        return float(count_measures.value(self.name, form.matrix(), **self.parameters))

    def check_bca(self, form: Form, label: str) -> None:
        refuse_fractions(form, label)

    def strata(self, form: Form, columns: slice) -> Strata:
        """Return the values without each row, by true class; or without each group."""
        counts = form.matrix()
        if form.is_grouped:
            return [self._without_groups(form, counts)]
        return list(zip(self._without_cells(counts), counts, strict=True))

    def row_deviations(self, form: Form, columns: slice) -> Floats:
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
    undefined_where: ClassVar[str] = "the function returned nan"
    note: ClassVar[str] = ""
    default_method: ClassVar[Method] = "percentile"

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
        return part.statistic

    def estimate(self, form: Form, columns: slice) -> float:
        return form.statistic(self.statistic)

    def check_bca(self, form: Form, label: str) -> None:
        refuse_fractions(form, label)
        refuse_groups(form, label)
        if form.n_rows > MAX_REFITS:
            raise InputError(
                f"`method='bca'` needs {label!r} without each row in turn, for {MAX_REFITS:,} rows "
                f"at most: got {form.n_rows:,}; take `method='percentile'`"
            )

    def strata(self, form: Form, columns: slice) -> Strata:
        values = self.row_deviations(form, columns)
        return by_class(form, values, np.ones(len(values)))

    def row_deviations(self, form: Form, columns: slice) -> Floats:
        function, n = self.statistic, form.n_entries
        kept, values = np.ones(n, np.int64), np.empty(n)
        for i in range(n):
            kept[i] = 0
            values[i] = form.statistic(function, kept)
            kept[i] = 1
        return values


#: Plans whose values are those of a function of all rows.
StatisticPlan = UserPlan | HullPlan
#: Plans of measures of labels and scores, undefined where a class is missing.
ScorePlan = ThresholdPlan | HullPlan
Plan = ThresholdPlan | CountPlan | SumPlan | StatisticPlan


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """A measure, the name that its result gets, and its direction."""

    label: str
    plan: Plan
    higher_is_better: bool | None = None

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
    return [Planned(one.label, _plan(one), one.higher_is_better) for one in asking.ask(metrics)]


def _plan(one: asking.Asked) -> Plan:
    if one.measure is not None and one.measure.no_replicates:
        raise InputError(f"`metrics` names {one.label!r}: {one.measure.no_replicates}")
    if one.is_only_function and one.name in HULL_PLANS:
        raise InputError(
            f"`metrics`: {one.label!r} takes no options of its function here, whose replicates "
            f"are biased: name {one.name!r}"
        )
    how = "" if one.measure is None or one.is_only_function else one.measure.resampled
    if how in ("pairs", "curve"):
        return THRESHOLD_PLANS[one.name](**one.parameters)
    if how == "hull":
        return HULL_PLANS[one.name](**one.parameters)
    if how == "cells":
        return CountPlan(one.name, one.parameters)
    if hasattr(one.function, "get_metadata_routing"):
        raise InputTypeError(
            f"`metrics`: {one.function!r} is a scorer, which is called with an estimator, and here "
            "there are scores alone: pass the name of the measure, as 'roc_auc', or a function of "
            "(labels, scores)"
        )
    if one.function is not None and (how != "sums" or one.parameters):
        compiled = type(one.function).__module__.startswith("numba.")
        return UserPlan(one.function, compiled and hasattr(one.function, "py_func"))
    if how == "rows" and one.measure is not None:
        return UserPlan(partial(_of_rows, one.measure, one.parameters), compiled=False)
    if how == "sums":
        if one.parameters:
            raise InputError(f"`metrics`: {one.label!r} has its default parameters here only")
        return SumPlan(SUMS[one.name])
    instead = "take `multiclass_bootstrap`"
    if how != "classes":
        instead = "its function is resampled as one of your own (`functools.partial` completes it)"
    raise InputError(f"`metrics` names {one.label!r}, which has no replicates here: {instead}")


def _of_rows(measure: Measure, parameters: Mapping[str, Any], *columns: Any) -> Any:
    """Return a measure of drawn rows, which takes no weights."""
    if len(columns) > 2:
        raise InputError(
            f"`metrics`: {measure.name!r} has no weights in replicates: see `estimate`"
        )
    return measure.value(*columns, **parameters)


#: What the options of every bootstrap mean.
RESAMPLED: Final = """
Parameters
----------
metrics : str, callable, (str, dict), or a sequence or mapping of them, default="roc_auc"
    Names (listed in the user guide), names with parameters as
    ``("precision_at_recall", {"recall": 0.9})``, or statistics of your own; a mapping gives
    labels. Functions of ours, and scikit-learn's of the same names, are the measures by these
    names where they have replicates. A function that numba compiled is called as
    ``f(labels, scores, weights)``, the weight of a row being how often it was drawn; any other
    as ``f(labels, scores)`` on the drawn rows, with their weights third if these may be
    fractions: a `sample_weight` of importances, or resampling="bayesian". Rows come sorted;
    without scores the second
    argument is left out. It is called from several threads.
n_resamples : int, default=9999
    Number of replicates.
stratified : bool, default=False
    Whether each class is drawn by itself, its size being fixed.
groups : array-like of shape (n_samples,), optional
    Group of each row (user, patient): whole groups are drawn. Rows of a group are not
    independent, and intervals that ignore it are too narrow.
sample_weight : array-like of shape (n_samples,), optional
    Weights, not negative. As importances, rows are drawn alike and keep their weights; as
    frequencies, a row of weight 3 is three rows.
resampling : {"multinomial", "poisson", "bayesian"}, default="multinomial"
    n draws with replacement; a Poisson number of each row; or exponential weights (Rubin).
threshold : float, optional
    Measures of counts call a score >= threshold positive. A threshold that is *chosen* on
    the data (metric "best_threshold") is chosen again in each replicate.
alternative : {"two-sided", "less", "greater"}, default="two-sided"
    "less" has only an upper limit, "greater" only a lower one.
"""


@dataclass(frozen=True, slots=True)
class Options:
    """The checked options of a bootstrap."""

    asked: list[Planned]
    n_resamples: int
    confidence_level: float
    method: Method | None
    alternative: Alternative
    stratified: bool
    resampling: Resampling
    progress: bool | None
    key: NDArray[np.uint64]
    weights_are: WeightsAre | None

    @property
    def by_rows(self) -> bool:
        """Whether cells are not enough: a weight of its own for each row, or a user's function."""
        return self.resampling == "bayesian" or any(
            isinstance(one.plan, StatisticPlan) for one in self.asked
        )

    def draws(self, form: Form) -> Draws:
        """Return the draws over the units of a form, which other forms may share."""
        masks = form.masks() if self.stratified else None
        return Draws(self.key, form.n_units, self.resampling, masks)


def checked_options(
    *,
    metrics: MetricsLike,
    n_resamples: Any,
    confidence_level: Any,
    method: Any,
    alternative: Any,
    stratified: bool,
    groups: Any,
    resampling: Any,
    rng: Any,
    progress: bool | None,
    weights_are: WeightsAre | None = None,
    n_models: int = 1,
) -> Options:
    """Return the options, or raise before any work."""
    asked = planned(metrics)
    if n_models > 1:
        refuse_differences({one.label: one.plan for one in asked})
    count = check_integer("n_resamples", n_resamples, low=1)
    if count < 2:
        raise InputError(f"`n_resamples` must be at least 2: got {count}")
    check_memory(
        count, len(asked) * n_models, "10,000 determine a 95 % limit to about 2 % of the width"
    )
    level = check_confidence_level(confidence_level)
    if method is not None:
        check_choice("method", method, get_args(Method))
    for one in asked:
        if isinstance(one.plan, HullPlan):
            one.plan.check_method(one.label, method)
    check_alternative(alternative)
    check_choice("resampling", resampling, get_args(Resampling))
    check_stratified(stratified, groups)
    if stratified and resampling != "multinomial":
        raise InputError(f"`stratified` needs `resampling='multinomial'`: got {resampling!r}")
    if method == "studentized":
        _check_has_errors(asked, groups)
    if resampling == "bayesian":
        asked = [one.weighted() for one in asked]
    drawn = (stratified, resampling, progress, seed_key(rng))
    return Options(asked, count, level, method, alternative, *drawn, weights_are=weights_are)


def check_stratified(stratified: Any, groups: Any) -> None:
    """Raise if classes are to be drawn by themselves, and groups too."""
    check_choice("stratified", stratified, (False, True))
    if stratified and groups is not None:
        raise InputError(
            "`stratified` and `groups` exclude each other: a group that is drawn brings the rows "
            "of both classes that it has"
        )


def _check_has_errors(asked: list[Planned], groups: Any) -> None:
    for one in asked:
        if not one.plan.has_error:
            raise InputError(
                f"`method='studentized'` needs a standard error in each replicate, which "
                f"{one.label!r} has not: take `method='bca'` or `method='percentile'`"
            )
    if groups is not None:
        raise InputError(
            "`method='studentized'` has no standard error of grouped rows: take "
            "`method='percentile'`"
        )


def _matrices(cells: Floats) -> Floats:
    k = round(cells.shape[1] ** 0.5)
    return cells.reshape(-1, k, k)


def _read_only(column: NDArray[Any]) -> NDArray[Any]:
    view = column.view()
    view.flags.writeable = False
    return view
