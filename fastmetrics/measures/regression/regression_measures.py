"""Regression measures from one pass over the rows: any number of them, or one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.regression_targets import check_multioutput, check_regression
from fastmetrics._results import Result
from fastmetrics.errors import InputError, InputTypeError, by_name
from fastmetrics.measures.asking import Asked, ask, find_among
from fastmetrics.measures.regression._plans import PLANS, Data, Plan
from fastmetrics.tables.regression import Floats, RegressionTable

MetricLike = str | tuple[str, Mapping[str, Any]]

#: What docstrings share: of all functions, and of those that find an error in one pass.
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
class RegressionMeasures(Result):
    """Regression measures of the same rows, by name.

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
        return by_name(self.values, name, "measures")

    def __reduce__(self) -> tuple[type[RegressionMeasures], tuple[Any, ...]]:
        """Travel as fields, the mapping as a dictionary: what arrives is read-only again."""
        return type(self), (dict(self.values), self.n_samples, self.n_outputs)

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{name}={np.array2string(value, precision=6)}"
            if isinstance(value, np.ndarray)
            else f"{name}={value:.6g}"
            for name, value in self.values.items()
        )
        return f"RegressionMeasures({inside})"

    def _shown(self) -> Display:
        rows = [
            (name, output, value)
            for name, found in self.values.items()
            for output, value in enumerate(np.atleast_1d(found).tolist())
        ]
        columns = dict(zip(("metric", "output", "estimate"), zip(*rows, strict=True), strict=True))
        if not any(isinstance(found, np.ndarray) for found in self.values.values()):
            del columns["output"]
        return Display(
            [Table(columns, words={"estimate": "value"})],
            f"RegressionMeasures of {self.n_samples:,} rows",
        )


@documented(ROWS)
def regression_measures(
    y_true: ArrayLike | RegressionTable,
    y_pred: ArrayLike | None = None,
    *,
    metrics: MetricLike | Sequence[MetricLike] | Mapping[str, MetricLike] = DEFAULT,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    n_threads: int | None = None,
) -> RegressionMeasures:
    """Return any number of regression measures from one pass over the rows.

    Parameters
    ----------
    metrics : str, tuple, sequence or mapping
        Names of functions of this library, or pairs of a name and a dictionary of its parameters,
        such as ``("mean_pinball_loss", {"alpha": 0.9})``. A mapping gives them names of your own.
    multioutput : {"uniform_average", "raw_values", "variance_weighted"} or array-like of shape (k,)
        How to average over outputs; each measure must allow it.

    Returns
    -------
    RegressionMeasures
        ``result["r2_score"]`` is a value, `values` the mapping of them.

    Raises
    ------
    TypeError, ValueError
        For an unknown measure or parameter, or a function of your own.

    Warns
    -----
    UndefinedMetricWarning
        As the measures asked for.

    Notes
    -----
    O(n) time in one pass over the rows, and no temporaries of n rows, but for a selection (and for
    D² of quantiles a second pass) where "median_absolute_error", "d2_pinball_score" or
    "d2_absolute_error_score" is asked for. Logarithms and powers are taken only if asked for.
    float32 is added up in float64.

    Examples
    --------
    >>> metrics = ["mean_absolute_error", "r2_score", ("mean_pinball_loss", {"alpha": 0.9})]
    >>> regression_measures([3, -0.5, 2, 7], [2.5, 0.0, 2, 8], metrics=metrics)
    RegressionMeasures(mean_absolute_error=0.5, r2_score=0.948608, mean_pinball_loss=0.15)
    """
    asked = {one.label: planned(one) for one in ask(metrics)}
    given = (y_true, y_pred, sample_weight, multioutput)
    data = _collected(list(asked.values()), *given)
    values = {label: each.value(data) for label, each in asked.items()}
    return RegressionMeasures(values, data.table.n_samples, data.table.n_outputs)


def measured(
    name: str,
    y_true: Any,
    y_pred: Any,
    sample_weight: Any = None,
    multioutput: Any = "uniform_average",
    **parameters: Any,
) -> float | Floats:
    """Return one measure, by its canonical name, of arrays or of a table."""
    asked = PLANS[name].with_parameters(parameters)
    return asked.value(_collected([asked], y_true, y_pred, sample_weight, multioutput))


def planned(one: Asked) -> Plan:
    """Return how a measure is found that was asked for in ``metrics``, or raise as `find_among`."""
    if one.is_only_function:
        raise InputTypeError(
            f"`metrics` must name measures of predicted numbers: got the function {one.label!r}"
        )
    measure = find_among(one.name, "regression")
    return PLANS[measure.name].with_parameters(one.parameters)


def _collected(
    asked: Sequence[Plan], y_true: Any, y_pred: Any, sample_weight: Any, multioutput: Any
) -> Data:
    """Return what the measures follow from, added up in one pass over the rows."""
    if isinstance(y_true, RegressionTable):
        for name, value in (("y_pred", y_pred), ("sample_weight", sample_weight)):
            if value is not None:
                raise InputTypeError(
                    f"`{name}` must be left out where `y_true` is a RegressionTable"
                )
        for each in asked:
            y_true.check_holds(each.terms)
        return Data(y_true, None, _way(asked, multioutput, y_true.n_outputs))
    rows = check_regression(y_true, y_pred, sample_weight)
    way = _way(asked, multioutput, rows.n_outputs)
    terms = asked[0].terms
    for each in asked[1:]:
        terms |= each.terms
    return Data(RegressionTable.from_rows(rows, terms), rows, way)


def _way(asked: Sequence[Plan], multioutput: Any, n_outputs: int) -> str | Floats | None:
    """Return the way to average outputs, which every measure must allow."""
    for plan in asked:
        if plan.one_output and n_outputs > 1:
            raise InputError(f"{plan.name} is a measure of one output: `y_true` has {n_outputs}")
        way = check_multioutput(multioutput, plan.averages, n_outputs)
    return way
