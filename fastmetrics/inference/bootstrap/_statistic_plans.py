"""Measures whose replicates are a function of all drawn rows: the user's own, and of the hull.

The ROC curve's convex hull follows every chance bend of a sample, and that of a replicate those of
the sample too: replicates are too good by about as much again as the estimate is. Their percentile
intervals cover too little (``docs/coverage.md``). What covers is the basic interval, which reflects
the replicates at the estimate, of the logarithm of the loss: what a perfect model lacks.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import Alternative
from fastmetrics._kernels import hulls
from fastmetrics._kernels._compile import without_gil
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError
from fastmetrics.inference.bootstrap._draws import Statistic, Yield
from fastmetrics.inference.bootstrap._forms import Form
from fastmetrics.inference.bootstrap._limits import Limits, Method, limits
from fastmetrics.inference.bootstrap._threshold_plans import Plan
from fastmetrics.measures.costs.convex_hull import (
    beta_of,
    checked_weight,
    h_measure,
    mean_losses,
    roc_hull_auc,
)
from fastmetrics.measures.costs.cost_curve import expected_total_cost
from fastmetrics.tables.scores.score_table import ScoreTable

Floats = NDArray[np.float64]

#: Rows up to which a user's own statistic is computed anew without each of them.
MAX_REFITS: Final = 10_000
_NO_LOSS: Final = (
    "the sample is separated perfectly, and so are its replicates: they do not show how much the "
    "estimate varies"
)


class StatisticPlan(Plan):
    """A measure whose values are those of a function of all rows."""

    @property
    @abstractmethod
    def statistic(self) -> Statistic:
        """The function of targets and predictions, and weights of the rows."""


#: Of the functions used last: each `without_gil` would compile anew.
_unlocked = lru_cache(maxsize=32)(without_gil)


@dataclass(frozen=True, slots=True, eq=False)
class UserPlan(StatisticPlan):
    """A statistic of the user's own.

    ``compiled`` says that numba compiled it; ``weighted`` that it gets weights in any case. What
    numba compiled gets every row with its weight, without the interpreter's lock. A Python
    function gets the drawn rows themselves, and their weights only if these may be fractions. What
    all replicates share is read-only: a function that sorts in place would change the rest.
    """

    function: Callable[..., Any]
    compiled: bool
    weighted: bool = False

    undefined_where = "the function returned nan"

    @property
    def statistic(self) -> Statistic:
        function = _unlocked(self.function) if self.compiled else self.function

        def with_weights(arguments: tuple[NDArray[Any], ...], weights: NDArray[Any]) -> float:
            return float(function(*map(_read_only, arguments[:2]), weights.astype(np.float64)))

        def with_rows(arguments: tuple[NDArray[Any], ...], weights: NDArray[Any]) -> float:
            if self.weighted or weights.dtype.kind == "f":
                drawn = weights > 0
                columns = (column[drawn] for column in arguments[:2])
                return float(function(*columns, weights[drawn].astype(np.float64)))
            return float(function(*(np.repeat(column, weights) for column in arguments[:2])))

        return with_weights if self.compiled else with_rows

    def values(self, part: Yield) -> Floats:
        return part.statistics[:, 0]

    def estimate(self, form: Form, columns: slice) -> float:
        return form.statistic(self.statistic)

    def default_method(self, form: Form, label: str) -> Method:
        return "percentile"  # for "bca" each row would be left out in turn

    def check_bca(self, form: Form, label: str) -> None:
        Plan.check_bca(self, form, label)
        if form.n_rows > MAX_REFITS:
            raise InputError(
                f"`method='bca'` needs {label!r} without each row in turn, for {MAX_REFITS:,} rows "
                f"at most: got {form.n_rows:,}; take `method='percentile'`"
            )

    def row_deviations(self, form: Form, columns: slice) -> Floats:
        function, n = self.statistic, form.n_entries
        kept, values = np.ones(n, np.int64), np.empty(n)
        for i in range(n):
            kept[i] = 0
            values[i] = form.statistic(function, kept)
            kept[i] = 1
        return values


def _read_only(column: NDArray[Any]) -> NDArray[Any]:
    view = column.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True, slots=True, eq=False)
class HullPlan(StatisticPlan):
    """A measure of the hull.

    ``loss`` makes of the blocks' positives and negatives what a perfect model lacks, at most
    ``worst``; the measure is that loss, or if ``is_gain`` 1 less it. ``of_table`` is the measure of
    the data themselves.
    """

    loss: Callable[[Floats, Floats], float]
    worst: float
    is_gain: bool
    of_table: Callable[[ScoreTable], float]

    undefined_where = "they lost a class"

    @property
    def statistic(self) -> Statistic:
        def of_rows(arguments: tuple[NDArray[Any], ...], drawn: NDArray[Any]) -> float:
            labels, _, ends = arguments
            positives, negatives = np.empty((2, len(labels)))
            weights = drawn.astype(np.float64)
            count = hulls.upper_hull_of_drawn_rows(labels, ends, weights, positives, negatives)
            positives, negatives = positives[:count], negatives[:count]
            n_positive, n_negative = positives.sum(), negatives.sum()
            if not (n_positive > 0 and n_negative > 0):
                return math.nan
            return self.loss(positives, negatives)

        return of_rows

    def values(self, part: Yield) -> Floats:
        losses = part.statistics[:, 0]
        return 1.0 - losses if self.is_gain else losses

    def estimate(self, form: Form, columns: slice) -> float:
        return float(self.of_table(form.score_table()))

    def default_method(self, form: Form, label: str) -> Method:
        return "basic"

    def check_bca(self, form: Form, label: str) -> None:
        self.check_method(label, "bca")

    def check_method(self, label: str, method: str | None) -> None:
        """Raise for intervals that do not cover, whatever the data."""
        if method not in (None, "basic"):
            raise InputError(
                f"`method={method!r}` does not cover {label!r}, whose replicates are too good by "
                "as much again as the estimate is (see docs/coverage.md): take `method='basic'`"
            )

    def limits(
        self,
        distribution: Floats,
        estimate: float,
        *,
        confidence_level: float,
        alternative: Alternative,
        n_groups: float | None,
    ) -> Limits:
        """Return the basic interval of the loss's logarithm, within what the measure can be."""
        given, replicates = estimate, distribution
        if self.is_gain:
            given, replicates = 1.0 - estimate, 1.0 - distribution
            turned: dict[str, Alternative] = {"less": "greater", "greater": "less"}
            alternative = turned.get(alternative, alternative)
        if given <= 0:
            return Limits(ConfidenceInterval(math.nan, math.nan), _NO_LOSS)
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(replicates, 0.0))
        found, reason = limits(
            logs,
            math.log(given),
            method="basic",
            confidence_level=confidence_level,
            alternative=alternative,
            n_groups=n_groups,
        )
        low, high = (min(math.exp(min(limit, 0.0)), self.worst) for limit in found)
        if alternative == "less":
            low = -math.inf
        elif alternative == "greater":
            high = math.inf
        if self.is_gain:
            low, high = 1.0 - high, 1.0 - low
        return Limits(ConfidenceInterval(low, high), reason)


def _envelope_area(positives: Floats, negatives: Floats) -> float:
    p, n = positives / positives.sum(), negatives / negatives.sum()
    return float((p * n / (p + n)).sum() / 2.0)


def _above_hull(positives: Floats, negatives: Floats) -> float:
    """Return the area above the hull: what its AUC lacks to 1."""
    left = np.cumsum(negatives) - negatives / 2.0
    return float((positives * left).sum() / positives.sum() / negatives.sum())


def _h_measure(cost_weight: Any = "prevalence") -> HullPlan:
    given = checked_weight(cost_weight)

    def loss(positives: Floats, negatives: Floats) -> float:
        whole = positives.sum() + negatives.sum()
        p = np.append(positives, positives.sum()) / whole
        n = np.append(negatives, negatives.sum()) / whole
        lost = mean_losses(p, n, *beta_of(given, float(p[-1])))
        return float(lost[:-1].sum() / lost[-1])

    def of_table(table: ScoreTable) -> float:
        return h_measure(table, cost_weight=given)

    return HullPlan(loss, 1.0, True, of_table)


#: Name of a measure of the hull to what makes its plan of its parameters.
HULL_PLANS: Final[Mapping[str, Callable[..., HullPlan]]] = {
    "expected_total_cost": partial(HullPlan, _envelope_area, 0.25, False, expected_total_cost),
    "roc_hull_auc": partial(HullPlan, _above_hull, 0.5, True, roc_hull_auc),
    "h_measure": _h_measure,
}


def refuse_differences(plans: Mapping[str, Any]) -> None:
    """Raise for measures of the hull where models are compared: no interval is known to cover."""
    for label, plan in plans.items():
        if isinstance(plan, HullPlan):
            raise InputError(
                f"`metrics`: {label!r} has no interval of a difference of models that is known to "
                "cover, as its replicates are biased: bootstrap one model at a time"
            )
