"""Regression metrics from one pass over the rows: formulas, values, influences."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from operator import or_
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.regression_targets import (
    RegressionRows,
    check_multioutput,
    check_regression,
    scaling_exponent,
)
from fastmetrics._input.scalars import check_flag, check_fraction
from fastmetrics._kernels import errors
from fastmetrics._results import Result
from fastmetrics._threads.workers import by_blocks
from fastmetrics.errors import (
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    by_name,
    warn_user,
)
from fastmetrics.metrics._metric import RowInfluences, mean_influences, ratio_influences
from fastmetrics.metrics.asking import MetricRequest, ask, find, find_among
from fastmetrics.tables.regression import LEAST_SQUARE, Floats, RegressionTable, Terms, check_power

Parameters = Mapping[str, Any]

#: Ways to average the outputs of errors and of scores.
OF_ERRORS: Final = ("raw_values", "uniform_average")
OF_SCORES: Final = ("raw_values", "uniform_average", "variance_weighted")

_NONE: Final = Terms()
#: Scaling targets and predictions alike would lose targets this many powers of two smaller.
_APART: Final = 500

#: A fraction of the total weight within this of the level equals it: running sums are rounded.
_TIE: Final = 2.0**-50

#: Beyond this number of rows, a sample of this size brackets a weighted quantile. The margin around
#: the level is four standard deviations of a fraction, for exponentially distributed weights.
_MANY: Final = 1 << 14
_MARGIN: Final = 0.022


#: The value of each output, and for scores the weights of "variance_weighted".
Outputs = tuple[Floats, Floats | None]


@dataclass(frozen=True, slots=True, eq=False)
class RegressionFormula:
    """The formula of a metric on a table of sums; ``name`` is its function's, for messages.

    ``values`` takes the table, the rows (or None) and the parameters. ``terms`` are the required
    sums, or a function of the parameters. Scaling all numbers by c scales the value by c**degree;
    ``degree`` None makes no claim.
    """

    name: str
    values: Callable[..., Outputs]
    terms: Terms | Callable[..., Terms] = _NONE
    averages: tuple[str | None, ...] = OF_ERRORS
    one_output: bool = False
    least_rows: int = 1
    degree: int | None = None
    parameters: Parameters = field(default_factory=dict)

    def with_parameters(self, given: Parameters) -> RegressionFormula:
        """Return the formula with the given parameters, checked, over its defaults."""
        if not given:
            return self
        checked = {key: _CHECKS[key](value) for key, value in given.items()}
        return replace(self, parameters={**self.parameters, **checked})

    def needed_terms(self) -> Terms:
        """Return the required sums under the parameters."""
        return self.terms(**self.parameters) if callable(self.terms) else self.terms

    def value(
        self, table: RegressionTable, rows: RegressionRows | None, way: str | Floats | None
    ) -> float | Floats:
        """Return the metric's value, with outputs averaged by ``way``.

        Rows are rescaled by a power of two only if a mean of their squares may have overflowed or
        vanished.
        """
        if table.n_samples < self.least_rows:
            symbol = "R^2" if self.name == "r2_score" else "D^2"
            text = f"{symbol} score is not well-defined with less than two samples."
            warn_user(text, UndefinedMetricWarning)
            return math.nan
        exponent = 0
        degree = self.degree
        if degree is not None and table.has_extreme_squares():
            if rows is not None:
                exponent = scaling_exponent(rows.y_true, rows.y_pred)
                if abs(scaling_exponent(rows.y_true) - exponent) >= _APART:
                    exponent = 0
            elif _has_vanished(table):
                text = f"{self.name} falls below float64 on the way: nan"
                warn_user(text, UndefinedMetricWarning)
                return math.nan
        if not exponent or not rows or degree is None:
            return _average_outputs(*self.values(table, rows, **self.parameters), way)
        rows = rows.scaled(exponent)
        table = RegressionTable.from_rows(rows, self.needed_terms())
        values, baseline = self.values(table, rows, **self.parameters)
        return _average_outputs(np.ldexp(values, -exponent * degree), baseline, way)


def _has_vanished(table: RegressionTable) -> bool:
    """Return True if there are errors whose squares are too small for float64."""
    magnitude = table.mean("under") + table.mean("over")
    return bool(((table.mean("squared_error") < LEAST_SQUARE) & (magnitude > 0.0)).any())


def _average_outputs(
    values: Floats, baseline: Floats | None, way: str | Floats | None
) -> float | Floats:
    """Return the values of all outputs, or their mean under the requested weights."""
    weights = way if isinstance(way, np.ndarray) else None
    if weights is None:
        if way == "raw_values":
            return values
        if way == "variance_weighted" and baseline is not None and baseline.any():
            weights = baseline
        elif len(values) == 1:
            return float(values.item())
    with np.errstate(all="ignore"):
        return float(np.average(values, weights=weights))


_CHECKS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "alpha": lambda value: check_fraction("alpha", value, include_low=True, include_high=True),
    "power": check_power,
    # the default is checked without an import
    "force_finite": lambda value: value is True or check_flag("force_finite", value),
}


def _is_finite(values: Floats) -> bool:
    if len(values) == 1:  # the usual case, ten times as fast without NumPy
        return math.isfinite(values.item())
    return bool(np.isfinite(values).all())


# --- errors --------------------------------------------------------------------------------------


def _errors(name: str, values: Floats) -> Outputs:
    """Return errors; warn of those beyond float64."""
    if not _is_finite(values):
        warn_user(f"{name} exceeds the range of float64", UndefinedMetricWarning)
        values = np.where(np.isfinite(values), values, np.inf)
    return values, None


def _error(
    name: str,
    values: Callable[..., Floats],
    terms: Terms | Callable[..., Terms] = _NONE,
    *,
    root: bool = False,
    **more: Any,
) -> RegressionFormula:
    """Return the formula of an error, or of its root, taken before outputs are averaged."""

    def compute(table: RegressionTable, _: Any, **parameters: Any) -> Outputs:
        outputs = values(table, **parameters)
        return _errors(name, np.sqrt(outputs) if root else outputs)

    return RegressionFormula(name, compute, terms, **more)


def _mean(term: str) -> Callable[[RegressionTable], Floats]:
    return lambda table: table.mean(term)


def _pinball(table: RegressionTable, alpha: float) -> Floats:
    return alpha * table.mean("under") + (1.0 - alpha) * table.mean("over")


def _deviance(table: RegressionTable, power: float) -> Floats:
    return table.mean("squared_error") if power == 0 else table.mean_deviance(power)


def _power_terms(power: float, *, from_mean: bool = False) -> Terms:
    powers = frozenset({(power, from_mean)}) if power else frozenset()
    return Terms(errors.ASK_TARGET if from_mean else 0, powers=powers)


def _mean_deviance(name: str, power: float) -> RegressionFormula:
    terms = partial(_power_terms, power)
    return _error(name, partial(_deviance, power=power), terms, one_output=True)


# --- scores --------------------------------------------------------------------------------------


def _explained(name: str, loss: Floats, baseline: Floats, force_finite: bool) -> Outputs:
    """Return one less the ratio of a loss to that of the best constant.

    Where the constant has no loss the ratio is undefined: with ``force_finite`` a perfect
    prediction then scores 1 and any other 0, without it nan and -inf.
    """
    if not (_is_finite(loss) and _is_finite(baseline)):
        warn_user(f"{name} exceeds the range of float64 on the way", UndefinedMetricWarning)
    is_constant = baseline == 0
    with np.errstate(all="ignore"):
        values = 1.0 - loss / baseline
    if np.count_nonzero(is_constant):
        if force_finite:
            values = np.where(is_constant, np.where(loss == 0, 1.0, 0.0), values)
        else:
            text = f"{name} is not defined for constant targets: set to nan, or -inf"
            warn_user(text, UndefinedMetricWarning)
    return values, baseline


def _explained_squares(name: str, loss: str, flags: int, **more: Any) -> RegressionFormula:
    def compute(table: RegressionTable, _: Any, force_finite: bool) -> Outputs:
        return _explained(name, table.mean(loss), table.mean("target_variance"), force_finite)

    options = {"averages": OF_SCORES} | more
    return RegressionFormula(name, compute, Terms(flags), degree=0, **options)


def _d2_pinball(name: str) -> RegressionFormula:
    def compute(
        table: RegressionTable, given: RegressionRows | None, alpha: float = 0.5
    ) -> Outputs:
        rows = _checked_rows(given, name)
        quantiles = np.empty(rows.n_outputs)
        for j in range(rows.n_outputs):
            with np.errstate(over="ignore"):  # a longdouble beyond float64: not defined
                column = _column(rows.y_true, j).astype(np.float64)
            quantiles[j] = quantile(column, rows.weights, alpha)
        best = RegressionTable.from_rows(rows.with_constant(quantiles), _NONE)
        return _explained(name, _pinball(table, alpha), _pinball(best, alpha), True)

    return RegressionFormula(name, compute, least_rows=2, degree=0)


def _d2_tweedie_score(table: RegressionTable, _: Any, power: float) -> Outputs:
    baseline = table.mean("target_variance")
    why = ""
    if baseline[0] == 0:
        why = "constant targets"
    elif power < 0 and not table.mean("target")[0] > 0:
        why = f"power {power:g} and a mean of `y_true` that is not positive"
    if why:
        warn_user(f"d2_tweedie_score is not defined for {why}: set to nan", UndefinedMetricWarning)
        return np.array([math.nan]), None
    if power:
        baseline = table.mean_deviance(power, from_mean=True)
    return _explained("d2_tweedie_score", _deviance(table, power), baseline, False)


# --- medians and quantiles: not functions of sums, by selection -----------------------------------


def _checked_rows(rows: RegressionRows | None, name: str) -> RegressionRows:
    """Return the rows, or raise: the metric does not follow from sums."""
    if rows is None:
        raise InputTypeError(f"{name} needs the rows themselves: got a RegressionTable")
    return rows


def _median_absolute_error(_: Any, given: RegressionRows | None) -> Outputs:
    rows = _checked_rows(given, "median_absolute_error")
    medians = np.empty(rows.n_outputs)
    for j in range(rows.n_outputs):
        y_true = _column(rows.y_true, j)
        y_pred = _column(rows.y_pred, j)
        with np.errstate(over="ignore"):  # an infinite median warns below
            error: Floats = np.subtract(y_true, y_pred, dtype=np.float64)
        medians[j] = quantile(np.abs(error, out=error), rows.weights, 0.5)
    return _errors("median_absolute_error", medians)


def _column(array: NDArray[np.generic], j: int) -> NDArray[np.generic]:
    return array if array.ndim == 1 else array[:, j]


def quantile(values: Floats, weights: Floats | None, level: float) -> float:
    """Return the averaged inverse of the distribution function (Hyndman & Fan 1996, type 2).

    Where the level falls between two values, their mean; ``values`` may be reordered.
    """
    if weights is not None:
        return _weighted_quantile(values, weights, level)
    rank = level * len(values)
    at = max(math.ceil(rank) - 1, 0)
    if rank != at + 1 or at + 1 == len(values):
        values.partition(at)
        return float(values[at])
    values.partition(at + 1)  # one pivot is eight times as fast as two in NumPy
    return _middle(values[: at + 1].max(), values[at + 1])


def _weighted_quantile(values: Floats, weights: Floats, level: float) -> float:
    """Return the quantile by sorting and summing weights; of many rows, only of those near it."""
    base = total = 0.0
    if len(values) > _MANY:
        low, high = _bracket_quantile(values, weights, level)
        inside = np.flatnonzero((values > low) & (values <= high))
        near = weights[inside]
        all_weights = float(weights.sum())
        below = float((weights * (values <= low)).sum())
        tie = _TIE * all_weights
        if below < level * all_weights - tie and level * all_weights + tie < below + near.sum():
            base = below
            total = all_weights
            values = values[inside]
            weights = near
    is_there = weights > 0
    values, weights = (column[is_there] for column in (values, weights))
    order = np.argsort(values)
    up_to = base + np.cumsum(weights[order])
    total = total or up_to[-1]
    rank = level * total
    slack = _TIE * total
    at = min(int(np.searchsorted(up_to, rank - slack)), len(values) - 1)
    lower = values[order[at]]
    if level == 0.0 or at + 1 == len(values) or up_to[at] > rank + slack:
        return float(lower)
    return _middle(lower, values[order[at + 1]])


def _bracket_quantile(values: Floats, weights: Floats, level: float) -> tuple[float, float]:
    """Return two values that most likely bracket the quantile, from a sample of the rows."""
    step = len(values) // _MANY
    sample = values[::step]
    cumulative = weights[::step]
    order = np.argsort(sample)
    cumulative = np.cumsum(cumulative[order])
    bounds = (level + np.array([-_MARGIN, _MARGIN])) * cumulative[-1]
    indices = np.searchsorted(cumulative, bounds)
    low = sample[order[indices[0]]] if bounds[0] > 0 else -math.inf
    high = sample[order[indices[1]]] if indices[1] < len(order) else math.inf
    return float(low), float(high)


def _middle(low: float, high: float) -> float:
    """Return the mean of two numbers, whose sum may overflow."""
    low, high = float(low), float(high)
    total = low + high
    return total / 2 if math.isfinite(total) else low / 2 + high / 2


# --- the list -------------------------------------------------------------------------------------

_TARGET: Final = errors.ASK_TARGET
_ERROR: Final = errors.ASK_TARGET | errors.ASK_ERROR
_LOG = Terms(log_errors=True)

#: The formula of each metric of predicted numbers, by its canonical name.
FORMULAS: Final[Mapping[str, RegressionFormula]] = {
    entry.name: replace(formula, parameters=entry.parameters)
    for formula in (
        _error("mean_squared_error", _mean("squared_error")),
        _error("root_mean_squared_error", _mean("squared_error"), root=True, degree=1),
        _error("mean_absolute_error", lambda table: table.mean("under") + table.mean("over")),
        _error("mean", _mean("target"), Terms(_TARGET)),
        _error("mean_error", lambda table: table.mean("over") - table.mean("under")),
        _error(
            "mean_absolute_percentage_error", _mean("relative_error"), Terms(errors.ASK_RELATIVE)
        ),
        _error("mean_squared_log_error", _mean("squared_log_error"), _LOG),
        _error("root_mean_squared_log_error", _mean("squared_log_error"), _LOG, root=True),
        RegressionFormula("median_absolute_error", _median_absolute_error),
        _error(
            "max_error", RegressionTable.largest_error, Terms(errors.ASK_LARGEST), one_output=True
        ),
        _error("mean_pinball_loss", _pinball),
        _error("mean_tweedie_deviance", _deviance, _power_terms, one_output=True),
        _mean_deviance("mean_poisson_deviance", 1.0),
        _mean_deviance("mean_gamma_deviance", 2.0),
        _explained_squares(
            "r2_score", "squared_error", _TARGET, averages=(*OF_SCORES, None), least_rows=2
        ),
        _explained_squares("explained_variance_score", "error_variance", _ERROR),
        RegressionFormula(
            "d2_tweedie_score",
            _d2_tweedie_score,
            partial(_power_terms, from_mean=True),
            one_output=True,
            least_rows=2,
            degree=0,
        ),
        _d2_pinball("d2_pinball_score"),
        _d2_pinball("d2_absolute_error_score"),
    )
    for entry in [find(formula.name)]
}


MetricLike = str | tuple[str, Mapping[str, Any]]

#: Shared docstrings: of all functions, and of those with one pass over the rows.
ROWS: Final = """
Parameters
----------
y_true, y_pred : array-like of shape (n,) or (n, k)
    Targets and predictions: finite real numbers; or a RegressionTable alone.
alpha : float in [0, 1], default 0.5
    The quantile that is predicted.
power : float, default 0
    At most 0, or at least 1. 0 is the normal distribution, 1 Poisson, 2 gamma, 3 inverse
    Gaussian. `y_pred` is positive unless `power` is 0; `y_true` is not negative from power 1
    on, and positive from 2 on.
force_finite : bool, default True
    Whether constant targets score 1 (predicted perfectly) or 0, in place of nan or -inf.
multioutput : {"uniform_average", "raw_values"} or array-like of shape (k,)
    Mean over the outputs, all their values, or a mean with these weights.

Raises
------
TypeError, ValueError
    For input of the wrong kind, shape or range.
"""
OVERFLOW: Final = """
Warns
-----
UndefinedMetricWarning
    If the value exceeds the range of float64.
"""
ONE_PASS: Final = """
Notes
-----
O(n) time in one pass, no temporaries of n rows. float32 is added up in float64.
"""
OF_LOGARITHMS: Final = """
Notes
-----
O(n) time in one pass, a few temporaries of 8,192 numbers a thread.
"""

DEFAULT = (
    *("mean_squared_error", "root_mean_squared_error", "mean_absolute_error"),
    *("max_error", "r2_score", "explained_variance_score"),
)


@dataclass(frozen=True, slots=True, repr=False)
class RegressionMetrics(Result):
    """Regression metrics of the same rows, by name.

    Attributes
    ----------
    values : mapping of str to float or ndarray of shape (k,)
        Name to value, in the order asked for; read-only.
    n_samples : int
        The number of rows.
    n_outputs : int
        The number of outputs.
    """

    values: Mapping[str, float | Floats]
    n_samples: int
    n_outputs: int

    def __post_init__(self) -> None:
        for value in self.values.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    def __getitem__(self, name: str) -> float | Floats:
        return by_name(self.values, name, "metrics")

    def __reduce__(self) -> tuple[type[RegressionMetrics], tuple[Any, ...]]:
        """Pickle as fields, the mapping as a dictionary; unpickled values are read-only again."""
        return type(self), (dict(self.values), self.n_samples, self.n_outputs)

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{name}={np.array2string(value, precision=6)}"
            if isinstance(value, np.ndarray)
            else f"{name}={value:.6g}"
            for name, value in self.values.items()
        )
        return f"RegressionMetrics({inside})"

    def _display(self) -> Display:
        rows = [
            (name, output, value)
            for name, values in self.values.items()
            for output, value in enumerate(np.atleast_1d(values).tolist())
        ]
        columns = dict(zip(("metric", "output", "estimate"), zip(*rows, strict=True), strict=True))
        if not any(isinstance(values, np.ndarray) for values in self.values.values()):
            del columns["output"]
        return Display(
            [Table(columns, words={"estimate": "value"})],
            f"RegressionMetrics of {self.n_samples:,} rows",
        )


@documented(ROWS)
def regression_metrics(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    metrics: MetricLike | Sequence[MetricLike] | Mapping[str, MetricLike] = DEFAULT,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> RegressionMetrics:
    """Return any number of regression metrics from one pass over the rows.

    Parameters
    ----------
    metrics : str, tuple, sequence or mapping
        Names of functions of this library, or pairs of a name and a dictionary of its parameters,
        such as ``("mean_pinball_loss", {"alpha": 0.9})``. A mapping gives them names of your own.
    multioutput : {"uniform_average", "raw_values", "variance_weighted"} or array-like of shape (k,)
        How to average over outputs; each metric must allow it.

    Returns
    -------
    RegressionMetrics
        ``result["r2_score"]`` is a value, `values` the mapping of them.

    Raises
    ------
    TypeError, ValueError
        For an unknown metric or parameter, or a function of your own.

    Warns
    -----
    UndefinedMetricWarning
        As the metrics asked for.

    Notes
    -----
    O(n) time in one pass over the rows, and no temporaries of n rows, but for a selection (and for
    D² of quantiles a second pass) where "median_absolute_error", "d2_pinball_score" or
    "d2_absolute_error_score" is asked for. Logarithms and powers are taken only if asked for.
    float32 is added up in float64.

    Examples
    --------
    >>> metrics = ["mean_absolute_error", "r2_score", ("mean_pinball_loss", {"alpha": 0.9})]
    >>> regression_metrics([3, -0.5, 2, 7], [2.5, 0.0, 2, 8], metrics=metrics)
    RegressionMetrics(mean_absolute_error=0.5, r2_score=0.948608, mean_pinball_loss=0.15)
    """
    formulas = {one.label: _formula(one) for one in ask(metrics)}
    given = (y_true, y_pred, sample_weight, multioutput)
    table, rows, way = _collect(list(formulas.values()), *given)
    values = {label: each.value(table, rows, way) for label, each in formulas.items()}
    return RegressionMetrics(values, table.n_samples, table.n_outputs)


def compute_metric(
    name: str,
    y_true: Any,
    y_pred: Any,
    sample_weight: Any = None,
    multioutput: Any = "uniform_average",
    **parameters: Any,
) -> float | Floats:
    """Return one metric, by its canonical name, of arrays or of a table."""
    formula = FORMULAS[name].with_parameters(parameters)
    return formula.value(*_collect([formula], y_true, y_pred, sample_weight, multioutput))


def _formula(one: MetricRequest) -> RegressionFormula:
    """Return the formula of a requested metric; raise for other families."""
    if one.is_only_function:
        raise InputTypeError(
            f"`metrics` must name metrics of predicted numbers: got the function {one.label!r}"
        )
    metric = find_among(one.name, "regression")
    return FORMULAS[metric.name].with_parameters(one.parameters)


def _collect(
    formulas: Sequence[RegressionFormula],
    y_true: Any,
    y_pred: Any,
    sample_weight: Any,
    multioutput: Any,
) -> tuple[RegressionTable, RegressionRows | None, str | Floats | None]:
    """Return the table, the rows if there are some, and the way to average outputs."""
    terms = [each.needed_terms() for each in formulas]
    if isinstance(y_true, RegressionTable):
        for name, value in (("y_pred", y_pred), ("sample_weight", sample_weight)):
            if value is not None:
                raise InputTypeError(
                    f"`{name}` must be left out where `y_true` is a RegressionTable"
                )
        for each in terms:
            y_true.check_holds(each)
        return y_true, None, _way(formulas, multioutput, y_true.n_outputs)
    rows = check_regression(y_true, y_pred, sample_weight)
    way = _way(formulas, multioutput, rows.n_outputs)
    return RegressionTable.from_rows(rows, reduce(or_, terms)), rows, way


def _way(
    formulas: Sequence[RegressionFormula], multioutput: Any, n_outputs: int
) -> str | Floats | None:
    """Return the way to average outputs, which every metric must allow."""
    for each in formulas:
        if each.one_output and n_outputs > 1:
            raise InputError(f"{each.name} is a metric of one output: `y_true` has {n_outputs}")
        way = check_multioutput(multioutput, each.averages, n_outputs)
    return way


def tweedie_deviances(y: Floats, p: Floats, power: float = 0.0) -> Floats:
    """Return the deviance of each row (Jørgensen 1987)."""
    if power == 0.0:
        return (y - p) ** 2
    if power == 1.0:
        logs = np.where(y > 0.0, y * np.log(np.where(y > 0.0, y, 1.0) / p), 0.0)
        return 2.0 * (logs - y + p)
    if power == 2.0:
        return 2.0 * (np.log(p / y) + y / p - 1.0)
    first = np.maximum(y, 0.0) ** (2.0 - power) / ((1.0 - power) * (2.0 - power))
    return np.asarray(
        2.0 * (first - y * p ** (1.0 - power) / (1.0 - power) + p ** (2.0 - power) / (2.0 - power))
    )


#: Terms of rows whose mean is the metric.
TERMS: Final[dict[str, Callable[..., Floats]]] = {
    "mean": lambda y, p: y,
    "mean_error": lambda y, p: p - y,
    "mean_squared_error": lambda y, p: (y - p) ** 2,
    "mean_absolute_error": lambda y, p: np.abs(y - p),
    "mean_absolute_percentage_error": lambda y, p: (
        np.abs(y - p) / np.maximum(np.abs(y), np.finfo(np.float64).eps)
    ),
    "mean_squared_log_error": lambda y, p: (np.log1p(y) - np.log1p(p)) ** 2,
    "mean_pinball_loss": lambda y, p, alpha=0.5: np.where(
        y >= p, alpha * (y - p), (1.0 - alpha) * (p - y)
    ),
    "mean_tweedie_deviance": tweedie_deviances,
    "mean_poisson_deviance": lambda y, p: tweedie_deviances(y, p, 1.0),
    "mean_gamma_deviance": lambda y, p: tweedie_deviances(y, p, 2.0),
}
#: Losses linear in y up to a term without p; and losses linear in the gap on either side of y.
DIVERGENCES: Final = frozenset(
    {"mean_squared_error", "mean_tweedie_deviance", "mean_poisson_deviance", "mean_gamma_deviance"}
)
GAPS: Final = frozenset(
    {"mean_absolute_error", "mean_absolute_percentage_error", "mean_pinball_loss"}
)
#: Roots of mean losses, with the mean.
ROOTS: Final = {
    "root_mean_squared_error": "mean_squared_error",
    "root_mean_squared_log_error": "mean_squared_log_error",
}
#: Skill scores, with their loss; the best constant is a mean or a quantile.
_SAVED: Final = {
    "r2": "mean_squared_error",
    "d2_tweedie_score": "mean_tweedie_deviance",
    "d2_pinball_score": "mean_pinball_loss",
    "d2_absolute_error_score": "mean_absolute_error",
}


def row_losses(name: str, y: Floats, p: Floats, **parameters: Any) -> Floats:
    """Return the loss of each row, by the name of its mean."""
    losses = np.empty(len(y))

    def fill(here: slice) -> None:
        losses[here] = TERMS[name](y[here], p[here], **parameters)

    by_blocks(len(y), fill)
    return losses


def error_influences(
    name: str, y: Floats, p: Floats, weights: Floats | None, **parameters: Any
) -> RowInfluences:
    """Return a metric by its name with the influence of each row.

    Skill scores and roots have the value of their function. The best constant of R^2 and the like
    depends on the weights, but not to first order: the loss is least there (for a quantile up to a
    jump of one row). Constant targets have no influences.
    """
    if name in TERMS:
        return mean_influences(row_losses(name, y, p, **parameters), weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # estimates warn themselves
        value = float(compute_metric(name, y, p, weights, **parameters))
    parameters.pop("force_finite", None)
    exponent = 0 if "log" in name else scaling_exponent(y, p)
    if exponent:
        y, p = (np.ldexp(each, exponent) for each in (y, p))
    if name in ROOTS:
        mean = mean_influences(TERMS[ROOTS[name]](y, p), weights)
        slope = 0.5 / math.sqrt(mean.value) if mean.value else 0.0
        return mean.scaled(slope * 2.0**-exponent, value)
    if name == "explained_variance":
        loss_mean = mean_influences(_centred(y - p, weights) ** 2, weights)
        baseline_mean = mean_influences(_centred(y, weights) ** 2, weights)
    else:
        loss = TERMS[_SAVED[name]]
        loss_mean = mean_influences(loss(y, p, **parameters), weights)
        baseline_mean = mean_influences(
            _least_losses(name, loss, y, weights, **parameters), weights
        )
    ratio = ratio_influences(loss_mean, baseline_mean)
    return ratio.scaled(math.nan if math.isnan(value) else -1.0, value)


def _least_losses(
    name: str, loss: Callable[..., Floats], y: Floats, weights: Floats | None, **parameters: Any
) -> Floats:
    """Return the losses of the best constant, the mean or the quantile of the function."""
    if name == "r2" or (name == "d2_tweedie_score" and parameters.get("power", 0.0) == 0.0):
        return _centred(y, weights) ** 2
    if name == "d2_tweedie_score":
        # relative to y[0], which is exact for constant targets
        constant = y[0] + mean_influences(y - y[0], weights).value
    else:
        constant = quantile(y.copy(), weights, parameters.get("alpha", 0.5))
    return loss(y, np.full(len(y), constant), **parameters)


def _centred(values: Floats, weights: Floats | None) -> Floats:
    """Return values less their mean; exactly 0 where all are equal."""
    centred = values - values[0]
    return np.asarray(centred - mean_influences(centred, weights).value)
