"""One metric of the registry: its function, direction, range, replicates and interval."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import inf
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.regression_targets import ANYWHERE, Domain
from fastmetrics._threads.workers import by_blocks
from fastmetrics.errors import InputError, InputTypeError

Floats = NDArray[np.float64]


class RowInfluences(NamedTuple):
    """A metric, nan where it is undefined, and its derivative by the weight of each row."""

    value: float
    influences: Floats

    def scaled(self, slope: float, value: float) -> RowInfluences:
        """Return the influences on a function of the value, by its slope there."""
        return RowInfluences(value, slope * self.influences)


def mean_influences(terms: Floats, weights: Floats | None = None) -> RowInfluences:
    """Return the mean of terms with the influence (x - mean) / sum of weights of each row."""
    if weights is None:
        total = float(len(terms))
        mean = float(np.sum(by_blocks(len(terms), lambda here: np.sum(terms[here])))) / total
    else:
        total = float(weights.sum())
        mean = float(np.sum(terms * weights)) / total
    influences = np.empty(len(terms))

    def fill(here: slice) -> None:
        np.subtract(terms[here], mean, out=influences[here])
        influences[here] /= total

    by_blocks(len(terms), fill)
    return RowInfluences(mean, influences)


def ratio_influences(numerator: RowInfluences, denominator: RowInfluences) -> RowInfluences:
    """Return the ratio of two metrics with its influences; nan where the denominator is 0."""
    if denominator.value == 0.0:
        return RowInfluences(float("nan"), np.full(len(numerator.influences), np.nan))
    value = numerator.value / denominator.value
    return RowInfluences(
        value, (numerator.influences - value * denominator.influences) / denominator.value
    )


Family = Literal[
    "curves",
    "decisions",
    "probabilities",
    "regression",
    "costs",
    "calibration",
    "ranking",
    "concordance",
    "own",
]
#: What a metric takes beside the true values: scores (the greater, the more positive), predicted
#: labels, probabilities of each class, or predicted numbers.
Needs = Literal["scores", "labels", "probabilities", "values"]
#: What a replicate yields: pair counts or points of a curve, one point of it that
#: jumps from score to score, cells of a confusion matrix, sums of columns, drawn rows; "" for
#: nothing.
Resampled = Literal["pairs", "curve", "point", "cells", "sums", "rows", ""]

#: The scale on which an estimate is about normal; "lack" is the logarithm of 1 - value.
Scale = Literal["identity", "logit", "log", "lack", "atanh"]

_SCALES: Final[Mapping[tuple[float, float], Scale]] = {
    (0.0, 1.0): "logit",
    (-1.0, 1.0): "atanh",
    (0.0, inf): "log",
    (0.0, 2.0): "log",
    (-inf, 1.0): "lack",
}


class IntervalRule(NamedTuple):
    """The rule of a metric's default confidence interval, beside Student's t by influence values.

    `arguments` go to the rule of this name in `inference.interval_rule`: for a proportion the cells
    of successes, those of failures, and the function that maps the proportion to the metric.
    """

    name: Literal["proportion", "rate sum", "rate ratio", "auc", "concordance", "largest gap"]
    arguments: tuple[Any, ...] = ()


#: Proportions of all samples, and the largest of the gaps between two rates over all thresholds.
HITS: Final = IntervalRule("proportion", ("tp tn", "fp fn"))
MISSES: Final = IntervalRule("proportion", ("fp fn", "tp tn"))
LARGEST_GAP: Final = IntervalRule("largest gap")
#: Marks a parameter without a default.
REQUIRED: Final = object()

_INTERVALS: Final[Mapping[str, tuple[str, ...]]] = {
    "pairs": ("percentile", "basic", "bca", "delong"),
    "curve": ("percentile", "basic", "bca"),
    "point": ("percentile", "basic"),
    "cells": ("percentile", "basic", "bca"),
    "sums": ("percentile", "basic", "bca"),
    "rows": ("percentile", "basic"),
    "": (),
}


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """An entry of the registry.

    Attributes
    ----------
    name : str
        Canonical.
    family : str
        Subpackage of its function; "own" for metrics that users register.
    title : str
        In plain words, for tables.
    function : str or callable
        "subpackage.module:function" of its public function; "" where it has none; the function
        itself for a user's metric.
    higher_is_better : bool, callable or None
        Its direction, or a function of its parameters that returns it; None where it has none.
    needs : str
        Input beside the true values; "rankings" for metrics of queries, "times" for scores of
        censored times, "nothing" for metrics without predictions.
    aliases : tuple of str
        Other names.
    parameters : mapping of str to object
        Parameters and their defaults.
    arguments : mapping of str to object
        Fixed arguments with which the public function computes this metric.
    passed_as : mapping of str to str
        Names of parameters in the public function, where they differ.
    read : str
        Field or index of the value in the public function's result; or the parameter that names
        the field.
    classes : int
        2: for two classes; 3: for three and more; 0: for any number, or none.
    bounds : (float, float)
        The least and the greatest value.
    resampled : str
        Input of a replicate; "" if it has none.
    no_replicates : str
        Reason not to resample it, with an alternative; "" if it may be resampled.
    influences : str
        "subpackage.module:function" of its influence values; "" where it is not smooth.
    is_free_of_prevalence : bool
        Whether it does not depend on the prevalence, so that each class is a sample by itself.
    row_loss : str
        "subpackage.module:function" of the row losses whose mean it is; "" if it is no mean.
    domain : Domain, or a function of its parameters that returns one
        Range of true values and predictions; read it by `domain_under`.
    linear_in_auc : (float, float) or None
        (a, b) where the metric is a AUC + b: its interval is that of the AUC, transformed.
    interval : IntervalRule or None
        Rule of its default interval; None for Student's t by influence values alone.
    scaling : callable or None
        Maps its parameters to the scale and the upper end of the scale, where they depend on them;
        read it by `scale_under`.
    min_df : float
        Degrees of freedom, by the kurtosis of influence values, below which limits of a difference
        of independent rows cover less than their level (docs/coverage.md).
    is_area_of_precision : bool
        Whether it is an area under a precision-recall curve, which depends on few positives.
    is_biased_by_few : bool
        Whether it is biased where positives are few.
    """

    name: str
    family: Family
    title: str
    function: str | Callable[..., Any]
    higher_is_better: bool | Callable[..., bool | None] | None
    needs: Needs | Literal["rankings", "times", "nothing"]
    aliases: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    passed_as: Mapping[str, str] = field(default_factory=dict)
    read: str = ""
    classes: int = 0
    bounds: tuple[float, float] = (0.0, 1.0)
    resampled: Resampled = ""
    no_replicates: str = ""
    influences: str = ""
    is_free_of_prevalence: bool = False
    row_loss: str = ""
    domain: Domain | Callable[..., Domain] = ANYWHERE
    linear_in_auc: tuple[float, float] | None = None
    interval: IntervalRule | None = None
    scaling: Callable[..., tuple[Scale, float]] | None = None
    min_df: float = 0.0
    is_area_of_precision: bool = False
    is_biased_by_few: bool = False

    @property
    def intervals(self) -> tuple[str, ...]:
        """The methods of its intervals."""
        return _INTERVALS[self.resampled]

    @property
    def scale(self) -> Scale:
        """The scale on which it is about normal, by its range."""
        return _SCALES.get(self.bounds, "identity")

    def scale_under(self, parameters: Mapping[str, Any]) -> tuple[Scale, float]:
        """Return the scale and its upper end under these parameters."""
        if self.scaling is None:
            return self.scale, 1.0
        return self.scaling(**{**self.parameters, **parameters})

    @property
    def is_proportion_of_all(self) -> bool:
        """True for the proportion of all samples that are right, or wrong."""
        return self.interval in (HITS, MISSES)

    def domain_under(self, parameters: Mapping[str, Any]) -> Domain:
        """Return the range of true values and predictions under these parameters."""
        if isinstance(self.domain, Domain):
            return self.domain
        return self.domain(**{**self.parameters, **parameters})

    def is_by_class(self, parameters: Mapping[str, Any]) -> bool:
        """Return True where each class is its own sample: prevalence given or irrelevant."""
        return self.is_free_of_prevalence or parameters.get("prevalence") is not None

    def direction(self, parameters: Mapping[str, Any]) -> bool | None:
        """Return True where higher is better under these parameters, None without a direction."""
        rule = self.higher_is_better
        return rule(**{**self.parameters, **parameters}) if callable(rule) else rule

    def check_parameters(self, name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the given parameters; raise for an unknown one and for one that is missing.

        ``name`` is the caller's name of the metric.
        """
        for given in parameters:
            if given not in self.parameters:
                known = ", ".join(map(repr, self.parameters)) or "no parameter"
                raise InputTypeError(f"`{name}` has no parameter {given!r}: it has {known}")
        for needed, default in self.parameters.items():
            if default is REQUIRED and needed not in parameters:
                raise InputTypeError(f"`{name}` needs its parameter {needed!r}")
        self.direction(parameters)
        return dict(parameters)

    def load(self) -> Callable[..., Any]:
        """Import and return its public function."""
        if not isinstance(self.function, str):
            return self.function
        if not self.function:
            raise InputError(f"{self.name!r} has no function of its own: name it in `metrics`")
        return _load(self.function)

    def load_influences(self) -> Callable[..., Any]:
        """Import and return its influence values: of a function of the AUC, the AUC's scaled."""
        function = _load(self.influences)
        if self.linear_in_auc in (None, (1.0, 0.0)):
            return function
        slope, shift = self.linear_in_auc
        return lambda table: function(table).scaled(slope, shift)

    def losses(self, true: Any, predicted: Any, **parameters: Any) -> Any:
        """Return the loss of each row, for a metric that is their mean."""
        return _load(self.row_loss)(self.name, true, predicted, **parameters)

    def value(self, *data: Any, **parameters: Any) -> Any:
        """Return the value of the public function for data, under parameters of the metric."""
        given = {**self.parameters, **parameters} if self.read in self.parameters else parameters
        field_name = str(given[self.read]) if self.read in self.parameters else self.read
        passed = {
            self.passed_as.get(name, name): value
            for name, value in parameters.items()
            if name != self.read
        }
        try:
            result = self.load()(*data, **{**self.arguments, **passed})
        except InputError as error:
            raise error.renamed({there: here for here, there in self.passed_as.items()}) from error
        if not field_name:
            return result
        return result[int(field_name)] if field_name.isdecimal() else getattr(result, field_name)


def entry(
    family: Family, name: str, function: str, title: str = "", up: Any = True, **more: Any
) -> Metric:
    """Return an entry of the registry; the default title is the name in words.

    ``function`` is "module" or "module:function" in the family's subpackage. A function of another
    name is an alias of the metric if it needs no arguments to compute it. ``influences`` and
    ``row_loss`` are paths in that subpackage, unless they contain a dot.
    """
    module, _, function_name = function.partition(":")
    if function_name and not more.get("read") and not more.get("arguments"):
        more["aliases"] = (function_name, *more.get("aliases", ()))
    paths = {"function": f"{module}:{function_name or name}" if module else ""}
    paths |= {key: more.pop(key, "") for key in ("influences", "row_loss")}
    for key, path in paths.items():
        more[key] = f"{family}.{path}" if path and "." not in path else path
    return Metric(name, family, title or name.replace("_", " "), higher_is_better=up, **more)


@cache
def _load(path: str) -> Callable[..., Any]:
    module, _, name = path.partition(":")
    function: Callable[..., Any] = getattr(
        importlib.import_module(f"fastmetrics.metrics.{module}"), name
    )
    return function
