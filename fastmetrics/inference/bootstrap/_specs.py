"""Specs of the requested metrics: of thresholds, counts, sums, or the user's own functions.

A spec lists the sums that a replicate must yield, and computes the metric's `values` from them. It
also computes the metric of the data (`estimate`) and, for BCa, the influences of rows.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from inspect import Parameter, signature
from typing import Any, ClassVar, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.regression_targets import scaling_exponent
from fastmetrics._kernels import replicates
from fastmetrics._kernels._compile import without_gil
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.bootstrap._samples import (
    BootstrapSample,
    CellsAre,
    CurveOp,
    Floats,
    Method,
    RowSample,
    Statistic,
    Yield,
)
from fastmetrics.metrics import asking
from fastmetrics.metrics._metric import Metric
from fastmetrics.metrics.curves.influences import (
    CurveInfluences,
    curve_influences,
    curve_replicates,
)
from fastmetrics.metrics.curves.roc_auc import roc_auc_score
from fastmetrics.metrics.decisions import count_metrics
from fastmetrics.tables.pairs import pairs_of_weights
from fastmetrics.tables.score_table import ScoreTable

ColumnsAre = Literal["scores", "decisions", "values"]

#: What keeps both classes in every replicate: draws by class where these are possible.
STRATIFY: Final = "`stratified=True` keeps both"
GATHER: Final = "gather more of it"

#: Of equal targets the variance is at most this share of their mean square, by rounding.
_ROUNDED: Final = 1e-14
DIVIDES_BY_0: Final = "what the metric divides by is 0"


#: What the options of every bootstrap mean.
RESAMPLED: Final = """
Parameters
----------
metrics : str, callable, (str, dict), or a sequence or mapping of them, default="roc_auc"
    Names (listed in the user guide), names with parameters as
    ``("precision_at_recall", {"recall": 0.9})``, or statistics of your own; a mapping gives
    labels. Functions of ours, and scikit-learn's of the same names, are the metrics by these
    names where they have replicates. A function that numba compiled, or that needs a parameter
    called ``weights`` or ``sample_weight``, is called as ``f(labels, scores, weights)`` on all
    rows in the order given, the weight of a row being how often it was drawn: its own arrays of
    the rows line up. Any other is called so where weights may be fractions (a `sample_weight` of
    importances), else as ``f(labels, scores)`` on the drawn rows, which an array of its own does
    not fit: a value that depends on the order of rows is an error.
    Without scores the second argument is left out. It is called from several threads.
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
threshold : float, optional
    Metrics of counts call a score >= threshold positive. A threshold that is *chosen* on
    the data (metric "best_threshold") is chosen again in each replicate.
alternative : {"two-sided", "less", "greater"}, default="two-sided"
    "less" has only an upper limit, "greater" only a lower one.

Warns
-----
UndefinedMetricWarning
    If the metric is undefined on the data, or on more than 5 % of the replicates: the warning
    says why. These are left out, never redrawn, and the interval is conditional on the metric
    being defined.
DegenerateDataWarning
    If the interval says nothing, as where all replicates are equal; where two models do not
    differ in any replicate (p is 1).
SmallSampleWarning
    If groups, or rows of importances, are worth fewer than 30: intervals cover too little.
"""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MetricSpec(ABC):
    """A metric: the sums that it needs of a replicate, and its values.

    Attributes
    ----------
    label : str
        Its name in the result.
    higher_is_better : bool or None
    ops : tuple
        Operations of the kernels of threshold metrics.
    first_column, n_columns : int
        Range of the metric's sums among those over the rows.
    undefined_where, note : str
        Reason why a replicate may have no value; caveat of the interval.
    """

    label: str = ""
    higher_is_better: bool | None = None
    ops: tuple[CurveOp, ...] = ()
    first_column: int = 0
    n_columns: int = 0
    undefined_where: str = ""
    note: str = ""
    cells: ClassVar[CellsAre] = "entries"

    @abstractmethod
    def values(self, out: Yield) -> Floats:
        """Compute the value of each replicate."""

    @abstractmethod
    def estimate(self, sample: BootstrapSample) -> float:
        """Compute the metric of the data."""

    def influences(self, sample: BootstrapSample) -> list[Floats]:
        """Compute the derivatives by the weight of a row of each cell, an array for each class."""
        raise InputError(self.why_no_bca(sample))

    def why_no_bca(self, sample: BootstrapSample) -> str:
        """Return the reason why BCa's acceleration is undefined; empty if it is defined."""
        return "" if sample.fractional is None else self._no_bca(" with importance weights")

    def _no_bca(self, where: str = "") -> str:
        return (
            f"`method='bca'` is not defined for {self.label!r}{where}: take `method='percentile'`"
        )

    def default_method(self, sample: BootstrapSample) -> Method:
        """Return the default method of the interval."""
        return "percentile" if self.why_no_bca(sample) else "bca"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ThresholdSpec(MetricSpec):
    """A threshold metric.

    ``table_value`` computes the metric of the data, ``finish`` the values of replicates from a
    yield and its states, ``gradient`` the influences of a table's rows: None, and no BCa
    interval, for estimates that jump from score to score.
    """

    finish: Callable[..., Floats]
    table_value: Callable[[ScoreTable], Any]
    gradient: Callable[[ScoreTable], CurveInfluences] | None = None
    cells = "scores"

    @property
    def chooses_threshold(self) -> bool:
        """True if the threshold is re-chosen in every replicate, which is optimistic."""
        return any(op[0] in (replicates.BEST, replicates.BREAK_EVEN) for op in self.ops)

    def values(self, out: Yield) -> Floats:
        """Compute the value of each replicate; nan where it lost a class."""
        both = (out.n_positive > 0) & (out.n_negative > 0)
        states = [out.states[op].T for op in self.ops]
        return np.where(both, self.finish(out, *states), np.nan)

    def estimate(self, sample: BootstrapSample) -> float:
        return float(self.table_value(sample.score_table()))

    def why_no_bca(self, sample: BootstrapSample) -> str:
        why = MetricSpec.why_no_bca(self, sample)
        if why or self.gradient is not None:
            return why
        jumps = ", which jumps from score to score, so that no row has an influence"
        return f"{self._no_bca(jumps)}, or leave `method` out"

    def default_method(self, sample: BootstrapSample) -> Method:
        return "percentile" if sample.is_grouped else MetricSpec.default_method(self, sample)

    def influences(self, sample: BootstrapSample) -> list[Floats]:
        gradient = cast("Callable[[ScoreTable], CurveInfluences]", self.gradient)
        _, *influences = curve_influences(sample.score_table(), gradient)
        return influences


def _table_auc(table: ScoreTable) -> float:
    """Compute the AUC; `roc_auc_score` warns if a class is missing."""
    sizes = table.n_positive, table.n_negative
    if not (sizes[0] > 0 and sizes[1] > 0):
        return float(roc_auc_score(table))
    return pairs_of_weights(table.positives, table.negatives, sizes).auc


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountSpec(MetricSpec):
    """A metric of the cells of a confusion matrix, with its parameters."""

    name: str
    parameters: Mapping[str, Any]
    undefined_where: str = DIVIDES_BY_0
    cells = "decisions"

    def values(self, out: Yield) -> Floats:
        k = math.isqrt(out.cells.shape[1])
        return count_metrics.value(self.name, out.cells.reshape(-1, k, k), **self.parameters)

    def estimate(self, sample: BootstrapSample) -> float:
        return float(count_metrics.value(self.name, sample.matrix(), **self.parameters))

    def influences(self, sample: BootstrapSample) -> list[Floats]:
        return list(count_metrics.gradient(self.name, sample.matrix(), **self.parameters))


def _first(means: Floats) -> Floats:
    return means[..., 0]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SumSpec(MetricSpec):
    """A metric of column means.

    ``columns`` computes the columns from targets and predictions, ``finish`` values of shape (...)
    from means of shape (..., n_columns), and ``slopes`` its derivatives by the means, (n_columns,).
    ``data_value`` computes the metric from means and sample size, if it differs from ``finish``.
    """

    entry: Metric
    columns: Callable[[Any, Any], list[Floats]]
    finish: Callable[[Floats], Floats] = _first
    n_columns: int = 1
    slopes: Callable[[Floats], Any] = np.ones_like
    data_value: Callable[[Floats, int], float] | None = None
    undefined_where: str = DIVIDES_BY_0

    def values(self, out: Yield) -> Floats:
        return self.finish((out.sums / out.total[:, None])[:, self._slice])

    def estimate(self, sample: BootstrapSample) -> float:
        means = self._means(sample)
        return float(
            self.data_value(means, sample.n_rows) if self.data_value else self.finish(means)
        )

    def why_no_bca(self, sample: BootstrapSample) -> str:
        return ""  # means have influences whatever the weights

    def influences(self, sample: BootstrapSample) -> list[Floats]:
        means = self._means(sample)
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = np.reshape(self.slopes(means), (-1, 1))
            influences: Floats = (slopes * (self._columns(sample) - means[:, None])).sum(axis=0)
        return [influences] if isinstance(sample, RowSample) else sample.by_class(influences)

    @property
    def _slice(self) -> slice:
        return slice(self.first_column, self.first_column + self.n_columns)

    def _columns(self, sample: BootstrapSample) -> Floats:
        return cast(Floats, sample.columns)[self._slice]

    def _means(self, sample: BootstrapSample) -> Floats:
        return np.average(self._columns(sample), axis=1, weights=sample.column_weights())


def _r2(means: Floats) -> Floats:
    """Compute 1 - MSE / variance from means of centred targets; nan if targets are constant."""
    variance = means[..., 2] - means[..., 1] ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > _ROUNDED * means[..., 2], 1.0 - means[..., 0] / variance, np.nan)


def _data_r2(means: Floats, n_rows: int) -> float:
    """Compute R² as `r2_score`: for constant targets 1 if predictions are perfect, else 0."""
    value = float(_r2(means))
    return float(means[0] == 0.0) if math.isnan(value) and n_rows > 1 else value


def _r2_slopes(means: Floats) -> list[float]:
    error, mean, mean_of_squares = means
    variance = mean_of_squares - mean**2
    slope = error / variance**2
    return [-1.0 / variance, -2.0 * mean * slope, slope]


def _r2_columns(y: Floats, p: Floats) -> list[Floats]:
    if exponent := scaling_exponent(y, p):  # squares would leave the range of float64
        y, p = np.ldexp(y, exponent), np.ldexp(p, exponent)
    centred = y - y.mean() if y.min() < y.max() else np.zeros(len(y))
    return [(y - p) ** 2, centred, centred**2]


def _sum_spec(entry: Metric) -> SumSpec:
    """Build the spec of a mean over rows, of a root of a mean, or of R²."""
    from fastmetrics.metrics.regression.regression_metrics import ROOTS, TERMS

    if entry.row_loss:
        return SumSpec(entry=entry, columns=lambda y, p: [entry.losses(y, p)])
    if term := TERMS.get(entry.name):
        return SumSpec(entry=entry, columns=lambda y, p: [term(y, p)])
    if entry.name in ROOTS:
        return SumSpec(
            entry=entry,
            columns=lambda y, p: [TERMS[ROOTS[entry.name]](y, p)],
            finish=lambda means: np.sqrt(means[..., 0]),
            slopes=lambda mean: 0.5 / np.sqrt(mean),
        )
    return SumSpec(
        entry=entry,
        columns=_r2_columns,
        finish=_r2,
        n_columns=3,
        slopes=_r2_slopes,
        data_value=_data_r2,
    )


#: Cached, because each `without_gil` compiles anew.
_unlocked = lru_cache(maxsize=32)(without_gil)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class UserSpec(MetricSpec):
    """A statistic of the user's own.

    ``compiled`` functions of numba run without the interpreter's lock. ``weighted`` ones get all
    rows in the given order, with weights that count draws; so do all if weights may be fractions.
    Others get the drawn rows. Shared arrays are read-only: a function that sorts in place would
    change other replicates.
    """

    function: Callable[..., Any]
    compiled: bool
    weighted: bool = False
    undefined_where: str = "the function returned nan"

    @property
    def statistic(self) -> Statistic:
        """The function of arguments and weights of the rows."""
        function = _unlocked(self.function) if self.compiled else self.function
        weight = None if self.compiled else _weight_parameter(function)

        def with_weights(arguments: tuple[NDArray[Any], ...], weights: NDArray[Any]) -> float:
            weights = weights.astype(np.float64)
            columns = map(_read_only, arguments)
            if weight is None or weight.kind is weight.POSITIONAL_ONLY:
                return float(function(*columns, weights))
            return float(function(*columns, **{weight.name: weights}))

        def with_rows(arguments: tuple[NDArray[Any], ...], weights: NDArray[Any]) -> float:
            if weights.dtype.kind == "f":
                return with_weights(arguments, weights)
            return float(function(*(np.repeat(column, weights) for column in arguments)))

        return with_weights if self.compiled or self.weighted else with_rows

    def values(self, out: Yield) -> Floats:
        return out.statistics[self.label]

    def estimate(self, sample: BootstrapSample) -> float:
        rows = cast(RowSample, sample)
        once = np.ones((1, rows.n), np.uint8)
        value = float(rows.each(self.statistic, once)[0])
        if not (self.compiled or self.weighted or rows.fractional is not None):
            turned = float(rows.each(self._reversed, once)[0])
            if not np.isclose(value, turned, rtol=1e-6, atol=1e-9, equal_nan=True):
                raise InputError(
                    f"`metrics`: {self.function!r} depends on the order of rows ({value:.6g}, and "
                    f"{turned:.6g} of the same ones reversed), and drawn rows do not fit an array "
                    "of its own: let it take `weights` too, without a default, and it gets all "
                    "rows as they came"
                )
        return value

    def _reversed(self, columns: tuple[NDArray[Any], ...], weights: NDArray[Any]) -> float:
        return self.statistic(tuple(column[::-1] for column in columns), weights[::-1])

    def why_no_bca(self, sample: BootstrapSample) -> str:
        return self._no_bca(", as replicates do not tell how far a row moves it")


def _read_only(column: NDArray[Any]) -> NDArray[Any]:
    view = column.view()
    view.flags.writeable = False
    return view


def metric_specs(metrics: Any) -> list[MetricSpec]:
    """Parse the requested ``metrics`` into specs, in order."""
    specs: list[MetricSpec] = []
    n_columns = 0
    for one in asking.ask(metrics):
        spec = replace(
            _spec(one),
            label=one.label,
            higher_is_better=one.higher_is_better,
            first_column=n_columns,
        )
        specs.append(spec)
        n_columns += spec.n_columns
    return specs


def _spec(one: asking.MetricRequest) -> MetricSpec:
    if one.metric is not None and one.metric.no_replicates:
        raise InputError(f"`metrics` names {one.label!r}: {one.metric.no_replicates}")
    how = "" if one.metric is None or one.is_only_function else one.metric.resampled
    if one.metric is not None and how in ("pairs", "curve", "point"):
        value = _table_auc if one.is_auc else partial(one.metric.value, **one.parameters)
        fields: dict[str, Any] = {"table_value": value}
        if one.metric.influences:
            fields["gradient"] = partial(one.metric.load_influences(), **one.parameters)
        return ThresholdSpec(**fields | curve_replicates(one.metric, **one.parameters))
    if how == "cells":
        return CountSpec(name=one.name, parameters=one.parameters)
    if hasattr(one.function, "get_metadata_routing"):
        raise InputTypeError(
            f"`metrics`: {one.function!r} is a scorer, which is called with an estimator, and here "
            "there are scores alone: pass the name of the metric, as 'roc_auc', or a function of "
            "(labels, scores)"
        )
    if one.function is not None and (how != "sums" or one.parameters):
        compiled = type(one.function).__module__.startswith("numba.")
        compiled = compiled and hasattr(one.function, "py_func")
        weight = None if compiled else _weight_parameter(one.function)
        needs_weights = weight is not None and weight.default is weight.empty
        return UserSpec(function=one.function, compiled=compiled, weighted=needs_weights)
    if how == "rows" and one.metric is not None:
        return UserSpec(function=partial(_unweighted, one.metric, one.parameters), compiled=False)
    if how == "sums":
        if one.parameters:
            raise InputError(f"`metrics`: {one.label!r} has its default parameters here only")
        return _sum_spec(one.entry)
    raise InputError(
        f"`metrics` names {one.label!r}, which has no replicates here: its function is resampled "
        "as one of your own (`functools.partial` completes it)"
    )


def _weight_parameter(function: Callable[..., Any]) -> Parameter | None:
    """Find a function's parameter of weights, preferably one without a default."""
    try:
        parameters = signature(function).parameters
    except (TypeError, ValueError):  # of some built-in functions
        return None
    named = [parameters[name] for name in ("weights", "sample_weight") if name in parameters]
    return min(named, key=lambda one: one.default is not one.empty, default=None)


def _unweighted(metric: Metric, parameters: Mapping[str, Any], *columns: Any) -> Any:
    """Compute a metric of drawn rows; raise if weights come with them."""
    if len(columns) > 2:
        raise InputError(f"`metrics`: {metric.name!r} has no weights in replicates: see `estimate`")
    return metric.value(*columns, **parameters)


def check_domains(
    specs: Sequence[MetricSpec], predictions: NDArray[Any], name: str = "y_score"
) -> None:
    """Raise for predictions outside the domain that a metric of sums declares."""
    for spec in specs:
        if isinstance(spec, SumSpec):
            spec.entry.domain_under({}).check_predicted(predictions, name)


def sum_columns(
    specs: Sequence[MetricSpec], targets: NDArray[Any], predictions: NDArray[Any] | None = None
) -> Floats | None:
    """Compute the columns of all sums: (n_columns, n_rows)."""
    sums = [spec for spec in specs if isinstance(spec, SumSpec)]
    if not sums:
        return None
    y = np.asarray(targets, np.float64)
    p = None if predictions is None else np.asarray(predictions, np.float64)
    columns: list[Floats] = []
    for spec in sums:
        if predictions is None and spec.entry.needs != "nothing":
            raise InputError(f"`y_score` is needed for {spec.label!r}: got None")
        # A loss of probabilities keeps the epsilon of their dtype from 0 and 1.
        columns.extend(spec.columns(y, predictions if spec.entry.needs == "probabilities" else p))
    return np.ascontiguousarray(columns, np.float64)


def columns_are(specs: Sequence[MetricSpec], threshold: Any, pos_label: Any) -> ColumnsAre:
    """Return the kind of columns that the metrics need; raise if they need different ones."""
    counted = [spec.label for spec in specs if isinstance(spec, CountSpec)]
    needs_scores = any(
        isinstance(spec, ThresholdSpec)
        or (isinstance(spec, SumSpec) and spec.entry.needs == "probabilities")
        for spec in specs
    )
    if threshold is not None or needs_scores or (pos_label is not None and not counted):
        return "scores"
    if not counted:
        return "values"
    others = [spec.label for spec in specs if spec.label not in counted]
    if others:
        raise InputError(
            f"{counted[0]!r} takes predicted labels and {others[0]!r} scores: pass scores with "
            "`threshold`, or ask for them in two calls"
        )
    return "decisions"
