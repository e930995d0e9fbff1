"""Any number of regression measures from one pass over the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._results import Result
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures.regression._regression_registry import Asked, asked, data_for
from fastmetrics.tables.regression.regression_table import RegressionTable

Floats = NDArray[np.float64]
MetricLike = str | tuple[str, Mapping[str, Any]]

DEFAULT = (
    *("mean_squared_error", "root_mean_squared_error", "mean_absolute_error"),
    *("max_error", "r2_score", "explained_variance_score"),
)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
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
        try:
            return self.values[name]
        except KeyError:
            known = ", ".join(map(repr, self.values))
            raise KeyError(f"{name!r}: the measures are {known}") from None

    def __reduce__(self) -> tuple[type[RegressionMeasures], tuple[Any, ...]]:
        """Travel as fields, the mapping as a dictionary: what arrives is read-only again."""
        others = (getattr(self, each.name) for each in fields(self)[1:])
        return type(self), (dict(self.values), *others)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            "values" is the dictionary of name to number, or to a list of numbers.
        """
        values = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in self.values.items()
        }
        return {"values": values, "n_samples": self.n_samples, "n_outputs": self.n_outputs}

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{name}={np.array2string(value, precision=6)}"
            if isinstance(value, np.ndarray)
            else f"{name}={value:.6g}"
            for name, value in self.values.items()
        )
        return f"RegressionMeasures({inside})"


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
    y_true : array-like of shape (n,) or (n, k), or RegressionTable
        Targets: finite real numbers; or a table, and nothing else.
    y_pred : array-like of the same shape
        Predictions.
    metrics : str, tuple, sequence or mapping
        Names of functions of this library, or pairs of a name and a dictionary of its parameters,
        such as ``("mean_pinball_loss", {"alpha": 0.9})``. A mapping gives them names of your own.
    sample_weight : array-like of shape (n,), optional
        Weights >= 0.
    multioutput : {"uniform_average", "raw_values", "variance_weighted"} or array-like of shape (k,)
        How to average over outputs; each measure must allow it.
    n_threads : int, optional
        Threads to use; every processor of the process by default.

    Returns
    -------
    RegressionMeasures
        ``result["r2_score"]`` is a value, `values` the mapping of them.

    Raises
    ------
    TypeError, ValueError
        For an unknown measure or parameter, or input of the wrong kind, shape or range.

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
    >>> from fastmetrics import regression_measures
    >>> metrics = ["mean_absolute_error", "r2_score", ("mean_pinball_loss", {"alpha": 0.9})]
    >>> regression_measures([3, -0.5, 2, 7], [2.5, 0.0, 2, 8], metrics=metrics)
    RegressionMeasures(mean_absolute_error=0.5, r2_score=0.948608, mean_pinball_loss=0.15)
    """
    measures = _resolved(metrics)
    data = data_for(list(measures.values()), y_true, y_pred, sample_weight, multioutput, n_threads)
    values = {name: measure.value(data, multioutput) for name, measure in measures.items()}
    return RegressionMeasures(values, data.table.n_samples, data.table.n_outputs)


def _resolved(metrics: Any) -> dict[str, Asked]:
    """Return the measures by the names that their values get."""
    listed = [metrics] if isinstance(metrics, str) or _is_pair(metrics) else metrics
    if not isinstance(listed, Sequence | Mapping):
        raise InputTypeError(f"`metrics` must be names: got {type(metrics).__name__}")
    if not listed:
        raise InputError("`metrics` is empty: name at least one measure")
    if isinstance(listed, Mapping):
        return {str(label): _one(metric) for label, metric in listed.items()}
    found: dict[str, Asked] = {}
    for metric in listed:
        measure = _one(metric)
        if measure.measure.name in found:
            raise InputError(
                f"`metrics` has {measure.measure.name!r} twice: pass a mapping to give names"
            )
        found[measure.measure.name] = measure
    return found


def _is_pair(metric: Any) -> bool:
    return isinstance(metric, tuple) and len(metric) == 2 and isinstance(metric[1], Mapping)


def _one(metric: Any) -> Asked:
    if _is_pair(metric):
        return asked(metric[0], **metric[1])
    return asked(metric)
