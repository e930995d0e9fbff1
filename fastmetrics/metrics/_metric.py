"""What the registry says of one metric."""

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
from fastmetrics._input.scalars import check_choice
from fastmetrics.errors import InputError, InputTypeError

Floats = NDArray[np.float64]


class RowInfluences(NamedTuple):
    """A metric, nan where it is undefined, and the derivative by the weight of each row."""

    value: float
    influences: Floats

    def scaled(self, slope: float, value: float) -> RowInfluences:
        """Return those of a function of the value, by its slope there."""
        return RowInfluences(value, slope * self.influences)


def of_mean(terms: Floats, weights: Floats | None = None) -> RowInfluences:
    """Return the mean of terms with the influence (x - mean) / sum of weights of each row."""
    if weights is None:
        mean, total = float(np.mean(terms)), float(len(terms))
    else:
        total = float(weights.sum())
        mean = float(np.sum(terms * weights)) / total
    return RowInfluences(mean, (terms - mean) / total)


def of_ratio(top: RowInfluences, bottom: RowInfluences) -> RowInfluences:
    """Return the ratio of two metrics; nan where the lower one is 0."""
    if bottom.value == 0.0:
        return RowInfluences(float("nan"), np.full(len(top.influences), np.nan))
    value = top.value / bottom.value
    return RowInfluences(value, (top.influences - value * bottom.influences) / bottom.value)


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
#: jumps from score to score, cells of a confusion matrix, sums of columns, the binary problems of
#: several classes; "" for nothing.
Resampled = Literal["pairs", "curve", "point", "cells", "sums", "classes", "rows", ""]

#: Where an estimate is taken for normal. "lack" is the logarithm of what a perfect model lacks.
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

    `arguments` go to the rule of this name, which `inference.interval_rule` has: of a proportion
    the cells that are successes and those that are failures, and what makes the metric of it.
    """

    name: Literal["proportion", "rate sum", "rate ratio", "auc", "largest gap"]
    arguments: tuple[Any, ...] = ()


#: A proportion of all samples; and the largest of many gaps, which has rates at each threshold.
HITS: Final = IntervalRule("proportion", ("tp tn", "fp fn"))
MISSES: Final = IntervalRule("proportion", ("fp fn", "tp tn"))
LARGEST_GAP: Final = IntervalRule("largest gap")
#: The default of a parameter that has none.
REQUIRED: Final = object()

_INTERVALS: Final[Mapping[str, tuple[str, ...]]] = {
    "pairs": ("percentile", "basic", "bca", "delong"),
    "curve": ("percentile", "basic", "bca"),
    "point": ("percentile", "basic"),
    "cells": ("percentile", "basic", "bca"),
    "sums": ("percentile", "basic", "bca"),
    "classes": ("percentile", "basic"),
    "rows": ("percentile", "basic"),
    "": (),
}


class By(NamedTuple):
    """A direction that depends on a parameter: its value to a direction, or to the next `By`."""

    parameter: str
    options: Mapping[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """One metric.

    Attributes
    ----------
    name : str
        Canonical.
    family : str
        The room it lives in; "own" for those of users.
    title : str
        In plain words, for tables.
    function : str or callable
        "room.module:function" of its public function; "" where it has none; of a user's, itself.
    higher_is_better : bool, By or None
        Its direction; None where it has none.
    needs : str
        What it takes beside the true values; "rankings" for what is measured query by query,
        "times" for scores of censored times, "nothing" for what judges no prediction.
    aliases : tuple of str
        Other names that lead here.
    parameters : mapping of str to object
        Parameters and their defaults.
    arguments : mapping of str to object
        What the public function is called with, to be this metric.
    passed_as : mapping of str to str
        What the public function calls a parameter, where it has another name there.
    read : str
        The field or place of the public function's result that is the value; or the parameter
        that names the field.
    classes : int
        2: for two classes; 3: for three and more; 0: for any number, or none.
    bounds : (float, float)
        The least and the greatest value.
    resampled : str
        How its replicates are made; "" if they are not.
    no_replicates : str
        Why it must not be resampled, and what to do instead; "" if nothing speaks against it.
    influences : str
        "room.module:function" of what says how far each row moves it; "" where it is not smooth.
    is_free_of_shares : bool
        Whether it stays when the shares of the true classes change: each class has rows of its own.
    row_loss : str
        "room.module:function" of the loss of single rows whose mean it is; "" if it is no mean.
    domain : Domain, or a function of its parameters that returns one
        Where true values and predictions must lie; read it by `domain_under`.
    of_auc : (float, float) or None
        The AUC times the first, plus the second, is this metric, which has the AUC's limits.
    interval : IntervalRule or None
        How its default interval is made; None for Student's t by influence values alone.
    scaling : callable or None
        Maps its parameters to the scale, and to the value at which the scale ends, where they
        depend on them; read it by `scale_under`.
    min_df : float
        Degrees of freedom, by the kurtosis of influence values, below which limits of a difference
        of independent rows cover less than their level (docs/coverage.md).
    is_area_of_precision : bool
        Whether it is an area under precision and recall, which few positives carry.
    is_biased_by_few : bool
        Whether it is far from that of the population, on average, where positives are few.
    """

    name: str
    family: Family
    title: str
    function: str | Callable[..., Any]
    higher_is_better: bool | By | None
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
    is_free_of_shares: bool = False
    row_loss: str = ""
    domain: Domain | Callable[..., Domain] = ANYWHERE
    of_auc: tuple[float, float] | None = None
    interval: IntervalRule | None = None
    scaling: Callable[..., tuple[Scale, float]] | None = None
    min_df: float = 0.0
    is_area_of_precision: bool = False
    is_biased_by_few: bool = False

    @property
    def intervals(self) -> tuple[str, ...]:
        """The intervals that it has, by the names of their methods."""
        return _INTERVALS[self.resampled]

    @property
    def scale(self) -> Scale:
        """Where it is taken for normal: the scale that fits its range."""
        return _SCALES.get(self.bounds, "identity")

    def scale_under(self, parameters: Mapping[str, Any]) -> tuple[Scale, float]:
        """Return the scale, and the value at which it ends, under these parameters."""
        if self.scaling is None:
            return self.scale, 1.0
        return self.scaling(**{**self.parameters, **parameters})

    @property
    def is_proportion_of_all(self) -> bool:
        """Whether it is the proportion of all samples that are right, or wrong."""
        return self.interval in (HITS, MISSES)

    def domain_under(self, parameters: Mapping[str, Any]) -> Domain:
        """Return where true values and predictions must lie under these parameters."""
        if isinstance(self.domain, Domain):
            return self.domain
        return self.domain(**{**self.parameters, **parameters})

    def is_by_class(self, parameters: Mapping[str, Any]) -> bool:
        """Return whether each class is a sample of its own: shares are given, or no matter."""
        return self.is_free_of_shares or parameters.get("prevalence") is not None

    def direction(self, parameters: Mapping[str, Any]) -> bool | None:
        """Return whether higher is better under these parameters; None if neither is."""
        found: Any = self.higher_is_better
        while isinstance(found, By):
            chosen = parameters.get(found.parameter, self.parameters[found.parameter])
            found = found.options.get(chosen)
        return found if found is None else bool(found)

    def checked(self, name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters given, or raise for one that the metric has not, or needs.

        ``name`` is what the caller called the metric.
        """
        for given in parameters:
            if given not in self.parameters:
                known = ", ".join(map(repr, self.parameters)) or "no parameter"
                raise InputTypeError(f"`{name}` has no parameter {given!r}: it has {known}")
        for needed, default in self.parameters.items():
            if default is REQUIRED and needed not in parameters:
                raise InputTypeError(f"`{name}` needs its parameter {needed!r}")
        way: Any = self.higher_is_better
        while isinstance(way, By):
            given = parameters.get(way.parameter, self.parameters[way.parameter])
            way = way.options[check_choice(way.parameter, given, way.options)]
        return dict(parameters)

    def load(self) -> Callable[..., Any]:
        """Return its public function, which is imported now."""
        if not isinstance(self.function, str):
            return self.function
        if not self.function:
            raise InputError(f"{self.name!r} has no function of its own: name it in `metrics`")
        return _loaded(self.function)

    def load_influences(self) -> Callable[..., Any]:
        """Return what says how far each row moves it, which is imported now."""
        return _loaded(self.influences)

    def losses(self, true: Any, said: Any, **parameters: Any) -> Any:
        """Return the loss of each row, of a metric that is their mean."""
        return _loaded(self.row_loss)(self.name, true, said, **parameters)

    def value(self, *data: Any, **parameters: Any) -> Any:
        """Return what the public function makes of data, by the parameters of the metric."""
        given = {**self.parameters, **parameters} if self.read in self.parameters else parameters
        read = str(given[self.read]) if self.read in self.parameters else self.read
        passed = {
            self.passed_as.get(name, name): value
            for name, value in parameters.items()
            if name != self.read
        }
        try:
            found = self.load()(*data, **{**self.arguments, **passed})
        except InputError as error:
            raise error.renamed({there: here for here, there in self.passed_as.items()}) from error
        if not read:
            return found
        return found[int(read)] if read.isdecimal() else getattr(found, read)


def entry(
    family: Family, name: str, function: str, title: str = "", up: Any = True, **more: Any
) -> Metric:
    """Return an entry; without a title it is called by its name in words.

    ``function`` is its module in the room of the family, followed by ":" and its name where that is
    another one: an alias then, if it needs no arguments to be this metric. ``influences`` and
    ``row_loss`` are in that room too, unless they name one.
    """
    module, _, called = function.partition(":")
    if called and not more.get("read") and not more.get("arguments"):
        more["aliases"] = (called, *more.get("aliases", ()))
    paths = {"function": f"{module}:{called or name}" if module else ""}
    paths |= {key: more.pop(key, "") for key in ("influences", "row_loss")}
    for key, path in paths.items():
        more[key] = f"{family}.{path}" if path and "." not in path else path
    words = title or name.replace("_", " ")
    return Metric(name, family, words, higher_is_better=up, **more)


@cache
def _loaded(path: str) -> Callable[..., Any]:
    module, _, name = path.partition(":")
    found: Callable[..., Any] = getattr(
        importlib.import_module(f"fastmetrics.metrics.{module}"), name
    )
    return found
