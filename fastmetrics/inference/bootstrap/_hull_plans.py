"""Measures of the ROC curve's convex hull as the bootstrap sees them.

The hull follows every chance bend of a sample, and that of a replicate those of the sample too:
replicates are too good by about as much again as the estimate is. Their percentile intervals cover
too little (``docs/coverage.md``). What covers is the basic interval, which reflects the replicates
at the estimate, of the logarithm of the loss: what a perfect model lacks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import Alternative
from fastmetrics._kernels import hulls
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError
from fastmetrics.inference.bootstrap._draws import Line, Statistic
from fastmetrics.inference.bootstrap._forms import Form, Strata
from fastmetrics.inference.bootstrap._limits import Limits, Method, limits
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

_NO_LOSS: Final = (
    "the sample is separated perfectly, and so are its replicates: they do not show how much the "
    "estimate varies"
)


@dataclass(frozen=True, slots=True, eq=False)
class HullPlan:
    """A measure of the hull.

    ``loss`` makes of the blocks' positives and negatives what a perfect model lacks, at most
    ``worst``; the measure is that loss, or if ``is_gain`` 1 less it. ``of_table`` is the measure of
    the data themselves.
    """

    name: str
    loss: Callable[[Floats, Floats], float]
    worst: float
    is_gain: bool
    of_table: Callable[[ScoreTable], float]
    _ends: dict[int, tuple[NDArray[Any], NDArray[np.bool_]]] = field(default_factory=dict)

    lines: ClassVar[tuple[Line, ...]] = ()
    n_columns: ClassVar[int] = 0
    has_error: ClassVar[bool] = False
    default_method: ClassVar[Method] = "basic"
    undefined_where: ClassVar[str] = "they lost a class"
    note: ClassVar[str] = ""

    @property
    def statistic(self) -> Statistic:
        """The loss of labels and scores, and of how often each row was drawn."""

        def of_rows(arguments: tuple[NDArray[Any], ...], drawn: NDArray[Any]) -> float:
            labels, scores = arguments
            n = len(labels)
            positives, negatives = np.empty(n), np.empty(n)
            count = hulls.upper_hull_of_drawn_rows(
                labels, self._ends_of(scores), drawn.astype(np.float64), positives, negatives
            )
            positives, negatives = positives[:count], negatives[:count]
            n_positive, n_negative = positives.sum(), negatives.sum()
            if not (n_positive > 0 and n_negative > 0):
                return math.nan
            return self.loss(positives, negatives)

        return of_rows

    def _ends_of(self, scores: NDArray[Any]) -> NDArray[np.bool_]:
        """Return where ties end, found once for each column of scores."""
        known = self._ends.get(id(scores))
        if known is None:
            ends = np.append(scores[1:] != scores[:-1], True)
            known = self._ends[id(scores)] = (scores, ends)  # kept: an id may come again
        return known[1]

    def values(self, part: Any) -> Floats:
        """Return the measure of each replicate."""
        losses: Floats = part.statistic
        return 1.0 - losses if self.is_gain else losses

    def estimate(self, form: Form, columns: slice) -> float:
        """Return the measure of the data themselves."""
        return float(self.of_table(form.score_table()))

    def check_bca(self, form: Form, label: str) -> None:
        """Raise: its replicates are too biased for any correction of quantiles."""
        self.check_method(label, "bca")

    def check_method(self, label: str, method: str | None) -> None:
        """Raise for intervals that do not cover."""
        if method not in (None, "basic"):
            raise InputError(
                f"`method={method!r}` does not cover {label!r}, whose replicates are too good by "
                "as much again as the estimate is (see docs/coverage.md): take `method='basic'`"
            )

    def strata(self, form: Form, columns: slice) -> Strata:
        """Raise: there are no values without each row."""
        raise InputError(f"{self.name!r} has no values without each row")

    def row_deviations(self, form: Form, columns: slice) -> Floats:
        """Raise: there are no values without each row."""
        raise InputError(f"{self.name!r} has no values without each row")

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


def _expected_total_cost() -> HullPlan:
    return HullPlan("expected_total_cost", _envelope_area, 0.25, False, expected_total_cost)


def _roc_hull_auc() -> HullPlan:
    return HullPlan("roc_hull_auc", _above_hull, 0.5, True, roc_hull_auc)


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

    return HullPlan("h_measure", loss, 1.0, True, of_table)


#: Name of a measure of the hull to what makes its plan of its parameters.
HULL_PLANS: Final[Mapping[str, Callable[..., HullPlan]]] = {
    "expected_total_cost": _expected_total_cost,
    "roc_hull_auc": _roc_hull_auc,
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
