"""Entries of the registry: a metric, its data, its oracle, its peer and its laws."""

import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastmetrics
from metric_names import METRICS, Metric

# --- laws: the value does not change when -------------------------------------------------------

ROW_ORDER = "rows come in another order"
WEIGHT_2 = "a row of weight 2 stands twice"
WEIGHT_0 = "rows of weight 0 are left out"
WEIGHT_UNIT = "all weights are multiplied by one number"
MERGE = "rows are counted in parts, whose tables are added"
MONOTONE = "scores go through an increasing map (thresholds follow it)"
RENAMED = "classes change their names (a metric of one of two may become its counterpart)"
COMPLEMENT = "two classes change places: it is one less itself"
SAME = "two classes change places"
MIRROR = "two classes change places, and scores their sign"
SHIFT = "targets and predictions are shifted by one number"
SCALE = "targets and predictions are multiplied by c: it is c to a declared power times itself"

ROWS = frozenset({ROW_ORDER, WEIGHT_2, WEIGHT_0, WEIGHT_UNIT})
OF_SCORES = ROWS | {MERGE, MONOTONE}
OF_LABELS = ROWS | {MERGE, RENAMED}
OF_NUMBERS = ROWS | {MERGE, SHIFT, SCALE}

# --- data ----------------------------------------------------------------------------------------

#: Labels 0 and 1 with scores, predicted labels, probabilities of 1, and decision values.
SCORES = "scores"
TWO = "two labels"
CHANCES = "chances"
DECISIONS = "decisions"
#: Labels of more classes with predicted ones, probabilities, and decision values.
LABELS = "labels"
SHARES = "shares"
MARGINS = "margins"
#: Targets with predictions: any numbers, or positive ones.
NUMBERS = "numbers"
AMOUNTS = "amounts"


@dataclass(frozen=True)
class Sample:
    """True labels or numbers, what is given beside them, and weights (None means 1 each)."""

    true: Sequence[Any]
    given: Sequence[Any]
    weights: Sequence[Fraction] | None = None

    @property
    def columns(self) -> tuple[Any, Any, Any]:
        return self.true, self.given, self.weights

    @property
    def shares(self) -> Sequence[Fraction]:
        """The weights, 1 each where there are none."""
        return self.weights or [Fraction(1)] * len(self.true)

    @property
    def labels(self) -> list[Any]:
        """The classes of the drop-ins: all that occur, in rows of weight 0 too."""
        return sorted({*self.true, *self.given})

    @property
    def classes(self) -> list[Any]:
        """The classes of what is new: all of the rows that count; 0 and 1 are always two."""
        rows = zip(self.true, self.given, self.shares, strict=True)
        seen = {label for true, given, weight in rows if weight for label in (true, given)}
        return [0, 1] if seen <= {0, 1} else sorted(seen)


def example(data: str, n: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return n rows of a kind, on which nothing is undefined; scores tie at times."""
    rng = np.random.default_rng(43)
    if data in (NUMBERS, AMOUNTS):
        true = np.round(1 + rng.exponential(size=n), 3)
        return true, np.round(true + 0.5 * rng.random(n), 3)
    k = 4 if data in (LABELS, SHARES, MARGINS) else 2
    true = rng.integers(0, k, n)
    if data == SCORES:
        return true, np.round(rng.normal(true, 1.0), 3)
    if data in (TWO, LABELS):
        return true, np.where(rng.random(n) < 0.6, true, rng.integers(0, k, n))
    values = rng.random((n, k)) + 0.5 * np.eye(k)[true]
    values /= values.sum(axis=1, keepdims=True)
    return true, values[:, 1] if k == 2 else values


Values = tuple[Any, ...]
Oracle = Callable[[Sample], Values]


def resolve(path: str) -> Callable[..., Any]:
    """Return the object at ``module:name``; imported when it is asked for, not before."""
    module, name = path.split(":")
    actual: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return actual


def number(value: Any) -> Any:
    """Return a value of an oracle, nan for one that is undefined."""
    return math.nan if value is None else value


def sk(name: str, **fixed: Any) -> Callable[..., Any]:
    """Return a function of scikit-learn's with some arguments, imported when it is called."""

    def peer(true: Any, given: Any, **more: Any) -> Any:
        return resolve(f"sklearn.metrics:{name}")(true, given, **fixed, **more)

    return peer


def fields(*names: str) -> Callable[[Any], Values]:
    """Return a reader of some fields of a result."""
    return lambda result: tuple(getattr(result, name) for name in names)


@dataclass(frozen=True)
class Entry:
    """One metric, as the tests and the benchmarks call it.

    `name` is canonical, or names a function by `path`; a variant stands in brackets. `oracle`
    returns the expected values, nan where undefined. `exact`: without weights, or with whole ones,
    every value is the double nearest to the rational number; with fractional ones only the first
    `weighted_values` are compared, as rounding may decide a tie between two thresholds.
    `thresholds` are the indices of values that are scores, `weights` the kinds of weights that the
    metric takes: whole ("counts"), fractional ("quarters"). `counterpart` is the metric after the
    two classes change their names, `power` that of `SCALE`.
    """

    name: str
    data: str
    oracle: Oracle
    arguments: Mapping[str, Any] = field(default_factory=dict)
    laws: frozenset[str] = ROWS
    peer: Callable[..., Any] | str | None = "same"
    peer_takes_weights: bool = True
    path: str = ""
    read: Callable[[Any], Values] = lambda value: (value,)
    thresholds: tuple[int, ...] = ()
    exact: bool = False
    weighted_values: int | None = None
    weights: tuple[str, ...] = ("counts", "quarters")
    rows_of_each_class: int = 1
    counterpart: str = ""
    power: float = 0.0

    @property
    def canonical(self) -> str:
        """The name without a variant."""
        return self.name.partition("[")[0]

    @property
    def metric(self) -> Metric | None:
        """The entry of the library's registry; None for a curve."""
        return METRICS.get(self.canonical)

    def fast(self, true: Any, given: Any = None, weights: Any = None, **more: Any) -> Values:
        """Call fastmetrics; `true` may be a table."""
        more = {**self.arguments, **more}
        if weights is not None:
            more["sample_weight"] = weights
        data = (true,) if given is None else (true, given)
        if self.path:
            return self.read(resolve(self.path)(*data, **more))
        assert self.metric is not None
        if not self.metric.function:  # it exists as an estimate of `bootstrap` alone
            estimates = fastmetrics.bootstrap(*data, metrics=self.name, n_resamples=2, **more)
            return (estimates[self.name].estimate,)
        return (self.metric.value(*data, **more),)

    def by_peer(self, true: Any, given: Any, weights: Any = None) -> Values:
        """Call the peer, which must exist."""
        more = {} if weights is None else {"sample_weight": weights}
        peer = self.peer
        if isinstance(peer, str):
            name = peer if peer != "same" else self.function_name
            more |= {**getattr(self.metric, "arguments", {}), **self.arguments}
            peer = resolve(f"sklearn.metrics:{name}")
        if peer is None:
            raise LookupError(f"{self.name} has no peer")
        actual = peer(true, given, **more)
        if isinstance(actual, tuple) and not self.path:  # likelihood ratios
            actual = actual[int(self.metric.read)]
        return actual if isinstance(actual, tuple) else (actual,)

    @property
    def function_name(self) -> str:
        """The name of the public function."""
        path = self.path or str(self.metric.function)
        return path.rpartition(":")[2]
