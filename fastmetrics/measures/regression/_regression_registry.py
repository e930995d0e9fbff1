"""The one list of regression measures: what each adds up, and how its values follow from that."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.regression_targets import (
    RegressionRows,
    check_multioutput,
    check_regression,
)
from fastmetrics._input.scalars import check_fraction
from fastmetrics._kernels import errors
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.asking import find, find_among
from fastmetrics.measures.regression._regression_outputs import (
    Outputs,
    averaged,
    errors_of,
    explained,
)
from fastmetrics.measures.regression._regression_selection import (
    median_absolute_errors,
    target_quantiles,
)
from fastmetrics.tables.regression._regression_sums import Terms
from fastmetrics.tables.regression.regression_table import RegressionTable, check_power

Floats = NDArray[np.float64]
Parameters = Mapping[str, Any]

#: How the outputs of errors, and of scores, may be averaged. Scores of one output have no choice.
OF_ERRORS: Final = ("raw_values", "uniform_average")
OF_SCORES: Final = ("raw_values", "uniform_average", "variance_weighted")


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """What measures follow from: a table, and the rows themselves where there are some."""

    table: RegressionTable
    rows: RegressionRows | None = None
    n_threads: int | None = None

    def checked_rows(self, name: str) -> RegressionRows:
        """Return the rows, or raise: the measure does not follow from sums."""
        if self.rows is None:
            raise InputTypeError(f"{name} needs the rows themselves: got a RegressionTable")
        return self.rows


@dataclass(frozen=True, slots=True, eq=False)
class RegressionMeasure:
    """One measure, with its parameters' checks and defaults."""

    name: str
    values: Callable[[Data, Parameters], Outputs]
    terms: Callable[[Parameters], Terms] = lambda _: Terms()
    averages: tuple[str | None, ...] = OF_ERRORS
    one_output: bool = False
    least_rows: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A measure with its parameters, checked."""

    measure: RegressionMeasure
    parameters: Parameters

    @property
    def terms(self) -> Terms:
        """What has to be added up for it."""
        return self.measure.terms(self.parameters)

    def check_outputs(self, multioutput: Any, n_outputs: int) -> str | Floats | None:
        """Return the way to average over this many outputs, or raise."""
        if self.measure.one_output and n_outputs > 1:
            name = self.measure.name
            raise InputError(f"{name} is a measure of one output: `y_true` has {n_outputs}")
        return check_multioutput(multioutput, self.measure.averages, n_outputs)

    def value(self, data: Data, multioutput: Any) -> float | Floats:
        """Return the measure's value."""
        measure, table = self.measure, data.table
        how = self.check_outputs(multioutput, table.n_outputs)
        if table.n_samples < measure.least_rows:
            symbol = "R^2" if measure.name == "r2_score" else "D^2"
            text = f"{symbol} score is not well-defined with less than two samples."
            warn_user(text, UndefinedMetricWarning)
            return math.nan
        return averaged(measure.values(data, self.parameters), how)


def asked(name: Any, **parameters: Any) -> Asked:
    """Return a measure by its name, with checked parameters.

    Raises
    ------
    TypeError, ValueError
        For an unknown name, or a parameter that the measure does not have or allow.
    """
    measure = find_among(name, "regression", "metrics")
    given = measure.checked(name, parameters)
    checked = {key: _CHECKS[key](value) for key, value in given.items()}
    return Asked(PLANS[measure.name], {**measure.parameters, **checked})


def data_for(
    measures: list[Asked],
    y_true: Any,
    y_pred: Any,
    sample_weight: Any,
    multioutput: Any,
    n_threads: int | None,
) -> Data:
    """Return what the measures follow from, added up in one pass over the rows."""
    if isinstance(y_true, RegressionTable):
        for name, value in (("y_pred", y_pred), ("sample_weight", sample_weight)):
            if value is not None:
                raise InputTypeError(
                    f"`{name}` must be left out where `y_true` is a RegressionTable"
                )
        for each in measures:
            y_true.check_holds(each.terms)
        return Data(y_true)
    rows = check_regression(y_true, y_pred, sample_weight)
    for each in measures:
        each.check_outputs(multioutput, rows.n_outputs)
    terms = reduce(or_, (each.terms for each in measures), Terms())
    return Data(RegressionTable.from_rows(rows, terms, n_threads=n_threads), rows, n_threads)


def measured(
    name: str,
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    multioutput: Any = "uniform_average",
    n_threads: int | None = None,
    **parameters: Any,
) -> Any:
    """Return one measure of arrays or of a table."""
    measure = asked(name, **parameters)
    data = data_for([measure], y_true, y_pred, sample_weight, multioutput, n_threads)
    return measure.value(data, multioutput)


_NONE: Final = Terms()


def _check_bool(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise InputTypeError(f"`force_finite` must be True or False: got {value!r}")
    return bool(value)


_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "alpha": lambda value: check_fraction("alpha", value, include_low=True, include_high=True),
    "power": check_power,
    "force_finite": _check_bool,
}


def _mean(what: str) -> Callable[[Data], Floats]:
    return lambda data: data.table.mean(what)


def _absolute(data: Data) -> Floats:
    return data.table.mean("under") + data.table.mean("over")


def _pinball(table: RegressionTable, alpha: float) -> Floats:
    return alpha * table.mean("under") + (1.0 - alpha) * table.mean("over")


def _error(
    name: str, values: Callable[[Data], Floats], terms: Terms = _NONE, *, root: bool = False
) -> RegressionMeasure:
    """Return an error, or the root of one taken before outputs are averaged."""

    def found(data: Data, _: Parameters) -> Outputs:
        return errors_of(name, np.sqrt(values(data)) if root else values(data))

    return RegressionMeasure(name, found, lambda _: terms)


def _mean_pinball_loss(data: Data, parameters: Parameters) -> Outputs:
    return errors_of("mean_pinball_loss", _pinball(data.table, parameters["alpha"]))


def _share_of_squares(name: str, loss: str, terms: Terms, least_rows: int) -> RegressionMeasure:
    def found(data: Data, parameters: Parameters) -> Outputs:
        spread = data.table.mean("target_variance")
        return explained(name, data.table.mean(loss), spread, parameters["force_finite"])

    return RegressionMeasure(
        name,
        found,
        lambda _: terms,
        (*OF_SCORES, None) if name == "r2_score" else OF_SCORES,
        least_rows=least_rows,
    )


def _d2_pinball(name: str) -> RegressionMeasure:
    def found(data: Data, parameters: Parameters) -> Outputs:
        alpha = parameters.get("alpha", 0.5)
        rows = data.checked_rows(name)
        quantiles = target_quantiles(rows, alpha)
        shape = rows.y_true.shape
        constant = np.broadcast_to(quantiles if len(shape) == 2 else quantiles[0], shape)
        best = RegressionTable.from_rows(
            replace(rows, y_pred=constant), Terms(), n_threads=data.n_threads
        )
        return explained(name, _pinball(data.table, alpha), _pinball(best, alpha), True)

    return RegressionMeasure(name, found, least_rows=2)


def _power_terms(parameters: Parameters, from_mean: bool) -> Terms:
    power = parameters["power"]
    if power == 0:
        return Terms(errors.ASK_TARGET if from_mean else 0)
    return Terms(errors.ASK_TARGET if from_mean else 0, powers=frozenset({(power, from_mean)}))


def _deviance(data: Data, power: float) -> Floats:
    return data.table.mean("squared_error") if power == 0 else data.table.mean_deviance(power)


def _mean_deviance(name: str, power: float) -> RegressionMeasure:
    own = {"power": power}

    def found(data: Data, parameters: Parameters) -> Outputs:
        return errors_of(name, _deviance(data, (own | dict(parameters))["power"]))

    return RegressionMeasure(
        name,
        found,
        lambda parameters: _power_terms(own | dict(parameters), from_mean=False),
        one_output=True,
    )


def _d2_tweedie_score(data: Data, parameters: Parameters) -> Outputs:
    power, table = parameters["power"], data.table
    why = ""
    if table.mean("target_variance")[0] == 0:
        why = "constant targets"
    elif power < 0 and not table.mean("target")[0] > 0:
        why = f"power {power:g} and a mean of `y_true` that is not positive"
    if why:
        warn_user(f"d2_tweedie_score is not defined for {why}: set to nan", UndefinedMetricWarning)
        return Outputs(np.array([math.nan]))
    spread = (
        table.mean("target_variance") if power == 0 else table.mean_deviance(power, from_mean=True)
    )
    return explained("d2_tweedie_score", _deviance(data, power), spread, False)


_TARGET, _ERROR = Terms(errors.ASK_TARGET), Terms(errors.ASK_TARGET | errors.ASK_ERROR)
_LOG = Terms(log_errors=True)

#: How each measure of predicted numbers is found, by its canonical name.
PLANS: Mapping[str, RegressionMeasure] = {
    find(measure.name).name: measure
    for measure in (
        _error("mean_squared_error", _mean("squared_error")),
        _error("root_mean_squared_error", _mean("squared_error"), root=True),
        _error("mean_absolute_error", _absolute),
        _error("mean", _mean("target"), Terms(errors.ASK_TARGET)),
        _error("mean_error", lambda data: data.table.mean("over") - data.table.mean("under")),
        _error(
            "mean_absolute_percentage_error", _mean("relative_error"), Terms(errors.ASK_RELATIVE)
        ),
        _error("mean_squared_log_error", _mean("squared_log_error"), _LOG),
        _error("root_mean_squared_log_error", _mean("squared_log_error"), _LOG, root=True),
        _error(
            "median_absolute_error",
            lambda data: median_absolute_errors(data.checked_rows("median_absolute_error")),
        ),
        replace(
            _error("max_error", lambda data: data.table.largest_error(), Terms(errors.ASK_LARGEST)),
            one_output=True,
        ),
        RegressionMeasure("mean_pinball_loss", _mean_pinball_loss),
        _share_of_squares("r2_score", "squared_error", _TARGET, 2),
        _share_of_squares("explained_variance_score", "error_variance", _ERROR, 1),
        _mean_deviance("mean_tweedie_deviance", 0.0),
        _mean_deviance("mean_poisson_deviance", 1.0),
        _mean_deviance("mean_gamma_deviance", 2.0),
        RegressionMeasure(
            "d2_tweedie_score",
            _d2_tweedie_score,
            lambda parameters: _power_terms(parameters, from_mean=True),
            one_output=True,
            least_rows=2,
        ),
        _d2_pinball("d2_pinball_score"),
        _d2_pinball("d2_absolute_error_score"),
    )
}
