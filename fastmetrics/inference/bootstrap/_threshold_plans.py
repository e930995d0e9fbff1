"""Threshold measures as the bootstrap sees them: what a replicate must yield, and the value of it.

A measure asks the kernels for doubled pair counts, or for some lines of a programme (see
``_kernels/replicates.py``); `finish` turns what they left into values. The
estimate itself comes from the public function of the same name, or from what that function calls.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_choice, check_flag, check_fraction, check_positive
from fastmetrics._kernels import replicates as kernels
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.bootstrap._draws import Line, Yield
from fastmetrics.inference.bootstrap._forms import Form
from fastmetrics.inference.bootstrap._limits import Method
from fastmetrics.measures.costs.lorenz import gini_coefficient
from fastmetrics.measures.curves._criteria import AT_LEAST, AT_MOST
from fastmetrics.measures.curves.best_threshold import _check_constraint, best_threshold
from fastmetrics.measures.curves.break_even import break_even_point
from fastmetrics.measures.curves.influences import CurveInfluences, of_curve
from fastmetrics.measures.curves.kolmogorov_smirnov import ks_statistic
from fastmetrics.measures.curves.partial_auc import _checked_range, mcclish, partial_auc
from fastmetrics.measures.curves.pr_areas import pr_auc
from fastmetrics.measures.curves.precision_recall import average_precision_score
from fastmetrics.measures.curves.roc_auc import rank_loss, roc_auc_score
from fastmetrics.measures.decisions import count_measures
from fastmetrics.tables.confusion._label_counts import score_cells
from fastmetrics.tables.pairs import PairCounts, exact_dot, pairs_of_weights
from fastmetrics.tables.score_table import ScoreTable, is_called_positive, real_threshold

Floats = NDArray[np.float64]
CRITERIA = {
    "youden": kernels.YOUDEN,
    "closest-topleft": kernels.CLOSEST,
    "fewest-errors": kernels.ERRORS,
    "fbeta": kernels.F_BETA,
    "precision_at_recall": kernels.PRECISION,
    "recall_at_precision": kernels.RECALL,
    "recall_at_false_positive_rate": kernels.RECALL_AT_FPR,
}
# A corrected partial AUC this near to 1/2, where it ends to be defined, is 1/2: all scores tied.
_ROUNDING = 2.0**-46
OF_A_MAXIMUM: Final = (
    "the interval is of the best value in the population, which a sample's overstates by chance; "
    "it covers less than its level (docs/coverage.md)"
)
OF_A_CHOICE: Final = (
    "the interval is of the value at the best threshold of the population, which each resample "
    "looks for anew, not at the threshold found here; where positives are few it covers less than "
    "its level (docs/coverage.md)"
)
REPORTED = (
    "value",
    "threshold",
    "true_positive_rate",
    "false_positive_rate",
    "precision",
    "recall",
)


class Plan(ABC):
    """A measure: what it needs of a replicate, and what its values are.

    Kernels measure its ``lines`` and add up its columns; ``undefined_where`` says why a replicate
    may have no value, ``note`` what a reader of its interval must know.
    """

    lines: tuple[Line, ...] = ()
    n_columns: int = 0
    undefined_where: str = ""
    note: str = ""

    @abstractmethod
    def values(self, part: Yield) -> Floats:
        """Return the value of each replicate, of which ``part`` has the measure's own part."""

    @abstractmethod
    def estimate(self, form: Form, columns: slice) -> float:
        """Return the measure of the data themselves."""

    def check_bca(self, form: Form, label: str) -> None:
        """Raise where there is no acceleration: of rows of importances, but for means."""
        if form.fractional is not None:
            raise InputError(
                f"`method='bca'` is not defined for {label!r} with importance weights: take "
                "`method='percentile'`"
            )

    def default_method(self, form: Form, label: str) -> Method:
        """Return the method where the user has named none."""
        try:
            self.check_bca(form, label)
        except InputError:
            return "percentile"
        return "bca"

    @abstractmethod
    def influences(self, form: Form, columns: slice) -> Floats:
        """Return the derivative of the estimate by the weight of each entry of the form."""


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdPlan(Plan):
    """One threshold measure.

    ``of_table`` measures the data themselves, ``finish`` makes values of what kernels left;
    ``undefined_where`` says why a replicate of both classes may have none. ``moved`` returns the
    influences of the table's rows; where the estimate has none, as it jumps from score to score,
    there is no BCa interval.
    """

    name: str
    of_table: Callable[[ScoreTable], Any]
    finish: Callable[[Yield], Floats]
    lines: tuple[Line, ...] = ()
    undefined_where: str = ""
    note: str = ""
    moved: Callable[[ScoreTable], CurveInfluences] | None = None

    @property
    def is_of_a_choice(self) -> bool:
        """Whether each replicate looks for a threshold: it overstates what the sample does."""
        return any(line[0] in (kernels.BEST, kernels.BREAK_EVEN) for line in self.lines)

    def values(self, part: Yield) -> Floats:
        """Return the value of each replicate; nan where it lost a class."""
        both = (part.n_positive > 0) & (part.n_negative > 0)
        return np.where(both, self.finish(part), np.nan)

    def estimate(self, form: Form, columns: slice) -> float:
        return float(self.of_table(form.score_table()))

    def check_bca(self, form: Form, label: str) -> None:
        Plan.check_bca(self, form, label)
        if self.moved is None:
            raise InputError(
                f"`method='bca'` is not defined for {label!r}, which jumps from score to score, so "
                "that no row has an influence: take `method='percentile'`, or leave `method` out"
            )

    def default_method(self, form: Form, label: str) -> Method:
        return "percentile" if form.is_grouped else Plan.default_method(self, form, label)

    def influences(self, form: Form, columns: slice) -> Floats:
        moved = cast("Callable[[ScoreTable], CurveInfluences]", self.moved)
        found = of_curve(form.score_table(), moved)
        return form.of_scores(found.of_positives, found.of_negatives)


def _auc(part: Yield) -> Floats:
    return part.twice_pairs / (2.0 * part.n_positive * part.n_negative)


def _auc_of_table(table: ScoreTable) -> float:
    """Return the AUC from sums that measures share; of one class `roc_auc_score`, which warns.

    A positive does not win over the negatives above it, and half over those of its own score.
    """
    if not (table.n_positive > 0 and table.n_negative > 0):
        return float(roc_auc_score(table))
    if table.is_weighted:
        return pairs_of_weights(table.positives, table.negatives).auc
    p, n = int(table.n_positive), int(table.n_negative)
    above = int(exact_dot(table.positives, table.false_positives))
    lost = 2 * above - int(exact_dot(table.positives, table.negatives))
    return PairCounts(p, n, 2 * p * n - lost, lost).auc


def _roc_auc(max_fpr: float | None = None) -> ThresholdPlan:
    if max_fpr is None or max_fpr == 1:
        return ThresholdPlan("roc_auc", _auc_of_table, _auc)
    high = check_fraction("max_fpr", max_fpr, include_high=True)

    def standardised(part: Yield) -> Floats:
        area = part.states[:, 0, 0] / (2.0 * part.n_positive * part.n_negative)
        least = high * high / 2.0
        return 0.5 * (1.0 + (area - least) / (high - least))

    line, of_table = (kernels.AREA, 0, 0.0, high), partial(roc_auc_score, max_fpr=high)
    return ThresholdPlan("roc_auc", of_table, standardised, (line,))


def _partial_auc(**given: Any) -> ThresholdPlan:
    over_tpr, low, high = _checked_range(
        given.get("false_positive_rate_range"), given.get("true_positive_rate_range")
    )
    standardized = check_flag("standardized", given.get("standardized", False))
    least = float(mcclish(low * 0, low, high, over_tpr=over_tpr))
    slope = float(mcclish(low * 0 + 1, low, high, over_tpr=over_tpr)) - least

    def finish(part: Yield) -> Floats:
        area: Floats = part.states[:, 0, 0] / (2.0 * part.n_positive * part.n_negative)
        if not standardized:
            return area
        corrected = least + slope * area
        corrected = np.where(np.abs(corrected - 0.5) < _ROUNDING, 0.5, corrected)
        return np.where(corrected < 0.5, np.nan, corrected)

    line = (kernels.AREA, int(over_tpr), float(low), float(high))
    of_table = partial(partial_auc, **given)
    below = "the area is below that of chance, where McClish's correction has no value"
    return ThresholdPlan("partial_auc", of_table, finish, (line,), undefined_where=below)


def _pr_auc(interpolation: str = "continuous") -> ThresholdPlan:
    names = ("step", "trapezoid", "continuous")
    code = names.index(check_choice("interpolation", interpolation, names))

    given: dict[str, Any] = {"interpolation": interpolation}
    line = (kernels.PRECISION_AREA, code, 0.0, 0.0)
    return ThresholdPlan("pr_auc", partial(pr_auc, **given), _per_positive, (line,))


def _per_positive(part: Yield) -> Floats:
    return part.states[:, 0, 0] / part.n_positive


def _break_even_of_replicates(part: Yield) -> Floats:
    found = part.states[:, 0, 1]
    return np.where(found > 0, found / part.n_positive, np.nan)


def _best_threshold(
    criterion: str = "youden",
    of: str = "value",
    *,
    beta: float = 1.0,
    at_least: float | None = None,
    at_most: float | None = None,
    **costs: Any,
) -> ThresholdPlan:
    check_choice("criterion", criterion, (*CRITERIA, "lowest-cost"))
    if criterion == "lowest-cost":
        raise InputError(
            "the bootstrap covers neither the cheapest threshold nor its cost (docs/coverage.md): "
            "`threshold_cost_interval` has intervals of both"
        )
    for name, cost in costs.items():
        if cost is not None:
            raise InputTypeError(f"`{name}` has no meaning for criterion {criterion!r}")
    check_choice("of", of, REPORTED)
    given: dict[str, Any] = {
        "criterion": criterion, "beta": beta, "at_least": at_least, "at_most": at_most
    }  # fmt: skip
    square = check_positive("beta", beta) ** 2
    _check_constraint(criterion, "at_least", at_least, criterion in AT_LEAST)
    _check_constraint(criterion, "at_most", at_most, criterion in AT_MOST)
    bound = at_least if at_least is not None else at_most
    if criterion == "fbeta":
        bound = square / (1.0 + square)
    line = (kernels.BEST, CRITERIA[criterion], bound or 0.0, 0.0)
    why = "nothing is called positive at the threshold"
    if criterion == "recall_at_precision":
        why = f"no threshold reaches a precision of {bound:g}"
    note, moved = "", None
    if at_least is None and at_most is None:  # nothing but the best value determines it
        note = OF_A_MAXIMUM if of == "value" else OF_A_CHOICE
        if of == "value":
            moved = partial(_moved_at_best, **given)
    return ThresholdPlan(
        "best_threshold",
        lambda table: getattr(best_threshold(table, **given), of),
        partial(_reported, criterion=criterion, of=of),
        (line,),
        undefined_where=why,
        note=note,
        moved=moved,
    )


def _moved_at_best(table: ScoreTable, **given: Any) -> CurveInfluences:
    """Return the best value of a criterion with the influences of rows.

    They are those of the decision at the best threshold: that the threshold moves too does not
    matter to first order, as the value is greatest there.
    """
    best = best_threshold(table, **given)
    decided = score_cells(table, None, best.threshold, None, None).counts
    gradient = partial(count_measures.gradient, counts=decided)
    if best.criterion == "closest-topleft":
        missed, false = 1.0 - best.true_positive_rate, best.false_positive_rate
        slopes = false * gradient("false_positive_rate") - missed * gradient("recall")
    elif best.criterion == "fbeta":
        slopes = gradient("fbeta", beta=given["beta"])
    elif best.criterion == "fewest-errors":  # a number, not a share
        slopes = 1.0 - np.eye(2)
    else:
        slopes = gradient("informedness")
    called = is_called_positive(table.scores, real_threshold(best.threshold)).astype(np.int64)
    return CurveInfluences(best.value, slopes[1, called], slopes[0, called])


def _reported(part: Yield, criterion: str, of: str) -> Floats:
    """Return a field of the best threshold of each replicate, nan where there is none."""
    merit, row, tp, fp = (part.states[:, 0, i] for i in range(4))
    tpr, fpr = tp / part.n_positive, fp / part.n_negative
    values: Floats
    if of == "threshold":
        places = row.astype(np.int64)
        values = np.where(row >= 0, part.score_at(np.maximum(places, 0)), math.inf)
    elif of == "precision" or (of == "value" and criterion == "precision_at_recall"):
        with np.errstate(invalid="ignore"):
            values = tp / (tp + fp)
    elif of == "false_positive_rate":
        values = fpr
    elif of != "value" or criterion in ("recall_at_precision", "recall_at_false_positive_rate"):
        values = tpr
    elif criterion == "youden":
        values = tpr - fpr
    elif criterion == "closest-topleft":
        values = np.hypot(1.0 - tpr, fpr)
    elif criterion == "fewest-errors":
        values = part.n_positive - tp + fp
    else:
        values = merit
    return np.where(row == -2, np.nan, values)


#: Name of a threshold measure to what makes it of its parameters.
THRESHOLD_PLANS: dict[str, Callable[..., ThresholdPlan]] = {
    "roc_auc": _roc_auc,
    "rank_loss": partial(ThresholdPlan, "rank_loss", rank_loss, lambda part: 1.0 - _auc(part)),
    "gini_coefficient": partial(
        ThresholdPlan, "gini_coefficient", gini_coefficient, lambda part: 2.0 * _auc(part) - 1.0
    ),
    "partial_auc": _partial_auc,
    "average_precision": partial(
        ThresholdPlan,
        "average_precision",
        average_precision_score,
        _per_positive,
        ((kernels.PRECISION_AREA, kernels.STEP, 0.0, 0.0),),
    ),
    "pr_auc": _pr_auc,
    "ks_statistic": partial(
        ThresholdPlan,
        "ks_statistic",
        lambda table: ks_statistic(table).statistic,
        lambda part: part.states[:, :, 0].max(axis=1) / (part.n_positive * part.n_negative),
        tuple((kernels.BEST, code, 0.0, 0.0) for code in (kernels.YOUDEN, kernels.YOUDEN_BELOW)),
        note=f"{OF_A_MAXIMUM}; `estimate` has limits that hold",
    ),
    "break_even_point": partial(
        ThresholdPlan,
        "break_even_point",
        lambda table: break_even_point(table).value,
        _break_even_of_replicates,
        ((kernels.BREAK_EVEN, 0, 0.0, 0.0),),
        undefined_where="precision equals recall at 0 only",
    ),
    "best_threshold": _best_threshold,
    "recall_at_false_positive_rate": lambda false_positive_rate: _best_threshold(
        "recall_at_false_positive_rate", at_most=false_positive_rate
    ),
    "precision_at_recall": lambda recall: _best_threshold("precision_at_recall", at_least=recall),
    "recall_at_precision": lambda precision: _best_threshold(
        "recall_at_precision", at_least=precision
    ),
}
