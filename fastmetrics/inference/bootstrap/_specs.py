"""Specs of the requested metrics: of thresholds, counts, sums, or the user's own functions.

A spec says what a replicate must yield, and makes of it the `values` of the metric; it measures the
data themselves (`estimate`) and, for BCa, how far rows move that (`influences`). A threshold metric
asks the kernels for doubled pair counts, or for a state of ``_kernels/replicates.py``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from inspect import Parameter, signature
from typing import Any, ClassVar, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.regression_targets import exponent_of
from fastmetrics._input.scalars import check_choice, check_flag, check_fraction, check_positive
from fastmetrics._kernels import replicates
from fastmetrics._kernels._compile import without_gil
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.bootstrap._draws import Floats, Line, Method, Statistic, Yield
from fastmetrics.inference.bootstrap._samples import BootstrapSample, CellsAre, RowSample
from fastmetrics.measures import asking
from fastmetrics.measures._measure import Measure
from fastmetrics.measures.curves.best_threshold import best_threshold, check_constraint
from fastmetrics.measures.curves.influences import CurveInfluences, of_curve
from fastmetrics.measures.curves.roc_auc import _checked_range, mcclish, roc_auc_score
from fastmetrics.measures.decisions import count_measures
from fastmetrics.tables.confusion._label_counts import score_cells
from fastmetrics.tables.pairs import PairCounts, exact_dot, pairs_of_weights
from fastmetrics.tables.score_table import ScoreTable, is_called_positive, real_threshold

ColumnsAre = Literal["scores", "decisions", "values"]
#: Of equal targets the variance is at most this share of their mean square, by rounding.
_ROUNDED: Final = 1e-14
DIVIDES_BY_0: Final = "what the measure divides by is 0"
CRITERIA = {
    "youden": replicates.YOUDEN,
    "closest-topleft": replicates.CLOSEST,
    "fewest-errors": replicates.ERRORS,
    "fbeta": replicates.F_BETA,
    "precision_at_recall": replicates.PRECISION,
    "recall_at_precision": replicates.RECALL,
    "recall_at_false_positive_rate": replicates.RECALL_AT_FPR,
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


#: What the options of every bootstrap mean.
RESAMPLED: Final = """
Parameters
----------
metrics : str, callable, (str, dict), or a sequence or mapping of them, default="roc_auc"
    Names (listed in the user guide), names with parameters as
    ``("precision_at_recall", {"recall": 0.9})``, or statistics of your own; a mapping gives
    labels. Functions of ours, and scikit-learn's of the same names, are the measures by these
    names where they have replicates. A function that numba compiled, or that needs a parameter
    called ``weights`` or ``sample_weight``, is called as ``f(labels, scores, weights)`` on all
    rows in the order given, the weight of a row being how often it was drawn: its own arrays of
    the rows line up. Any other is called so where weights may be fractions (a `sample_weight` of
    importances), else as ``f(labels, scores)`` on the drawn rows, which an array of its own does
    not fit: a value that depends on the order of rows is an error.
    Without scores the second argument is left out. It is called from several threads.
n_resamples : int, default=9999
    Number of replicates.
stratified : bool, default=False
    Whether each class is drawn by itself, its size being fixed.
groups : array-like of shape (n_samples,), optional
    Group of each row (user, patient): whole groups are drawn. Rows of a group are not
    independent, and intervals that ignore it are too narrow.
sample_weight : array-like of shape (n_samples,), optional
    Weights, not negative. As importances, rows are drawn alike and keep their weights; as
    frequencies, a row of weight 3 is three rows.
threshold : float, optional
    Measures of counts call a score >= threshold positive. A threshold that is *chosen* on
    the data (metric "best_threshold") is chosen again in each replicate.
alternative : {"two-sided", "less", "greater"}, default="two-sided"
    "less" has only an upper limit, "greater" only a lower one.

Warns
-----
UndefinedMetricWarning
    If the measure is undefined on the data, or on more than 5 % of the replicates: the warning
    says why. These are left out, never redrawn, and the interval is conditional on the measure
    being defined.
DegenerateDataWarning
    If the interval says nothing, as where all replicates are equal; where two models do not
    differ in any replicate (p is 1).
SmallSampleWarning
    If groups, or rows of importances, are worth fewer than 30: intervals cover too little. If
    one of several classes has fewer than five rows: the warning names it.
"""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MetricSpec(ABC):
    """A metric: what it needs of a replicate, and what its values are.

    Attributes
    ----------
    label : str
        Its name in the result.
    higher_is_better : bool or None
    lines : tuple
        What kernels of threshold metrics measure.
    first_column, n_columns : int
        Which sums over the rows are the metric's.
    undefined_where, note : str
        Why a replicate may have no value, and what a reader of the interval must know.
    """

    label: str = ""
    higher_is_better: bool | None = None
    lines: tuple[Line, ...] = ()
    first_column: int = 0
    n_columns: int = 0
    undefined_where: str = ""
    note: str = ""
    cells: ClassVar[CellsAre] = "entries"

    @abstractmethod
    def values(self, out: Yield) -> Floats:
        """Return the value of each replicate."""

    @abstractmethod
    def estimate(self, sample: BootstrapSample) -> float:
        """Return the metric of the data themselves."""

    @abstractmethod
    def influences(self, sample: BootstrapSample) -> list[Floats]:
        """Return the derivative of the estimate by the weight of a row of each of the `cells`.

        An array for each class; one for all, where they are entries of rows.
        """

    def why_no_bca(self, sample: BootstrapSample) -> str:
        """Return why there is no acceleration: rows have importances; empty where there is one."""
        if sample.fractional is None:
            return ""
        return (
            f"`method='bca'` is not defined for {self.label!r} with importance weights: take "
            "`method='percentile'`"
        )

    def default_method(self, sample: BootstrapSample) -> Method:
        """Return the method where the user has named none."""
        return "percentile" if self.why_no_bca(sample) else "bca"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ThresholdSpec(MetricSpec):
    """A threshold metric.

    ``of_table`` measures the data themselves, ``finish`` makes values of a yield and its states;
    ``undefined_where`` says why a replicate of both classes may have none. ``moved`` returns the
    influences of the table's rows; where the estimate has none, as it jumps from score to score,
    there is no BCa interval.
    """

    finish: Callable[..., Floats]
    of_table: Callable[[ScoreTable], Any] | None = None
    moved: Callable[[ScoreTable], CurveInfluences] | None = None
    cells = "scores"

    @property
    def is_of_a_choice(self) -> bool:
        """Whether each replicate looks for a threshold: it overstates what the sample does."""
        return any(line[0] in (replicates.BEST, replicates.BREAK_EVEN) for line in self.lines)

    def values(self, out: Yield) -> Floats:
        """Return the value of each replicate; nan where it lost a class."""
        both = (out.n_positive > 0) & (out.n_negative > 0)
        states = [out.states[line].T for line in self.lines]
        return np.where(both, self.finish(out, *states), np.nan)

    def estimate(self, sample: BootstrapSample) -> float:
        return float(cast(Any, self.of_table)(sample.score_table()))

    def why_no_bca(self, sample: BootstrapSample) -> str:
        why = MetricSpec.why_no_bca(self, sample)
        if why or self.moved is not None:
            return why
        return (
            f"`method='bca'` is not defined for {self.label!r}, which jumps from score to score, "
            "so that no row has an influence: take `method='percentile'`, or leave `method` out"
        )

    def default_method(self, sample: BootstrapSample) -> Method:
        return "percentile" if sample.is_grouped else MetricSpec.default_method(self, sample)

    def influences(self, sample: BootstrapSample) -> list[Floats]:
        moved = cast("Callable[[ScoreTable], CurveInfluences]", self.moved)
        _, *influences = of_curve(sample.score_table(), moved)
        return influences


def _auc(out: Yield) -> Floats:
    return out.twice_pairs / (2.0 * out.n_positive * out.n_negative)


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


def _roc_auc(max_fpr: float | None = None) -> ThresholdSpec:
    if max_fpr is None or max_fpr == 1:
        return ThresholdSpec(of_table=_auc_of_table, finish=_auc)
    high = check_fraction("max_fpr", max_fpr, include_high=True)

    def standardised(out: Yield, states: Floats) -> Floats:
        area = states[0] / (2.0 * out.n_positive * out.n_negative)
        least = high * high / 2.0
        value: Floats = 0.5 * (1.0 + (area - least) / (high - least))
        return value

    return ThresholdSpec(finish=standardised, lines=((replicates.AREA, 0, 0.0, high),))


def _partial_auc(**given: Any) -> ThresholdSpec:
    over_tpr, low, high = _checked_range(
        given.get("false_positive_rate_range"), given.get("true_positive_rate_range")
    )
    standardized = check_flag("standardized", given.get("standardized", False))
    least = float(mcclish(low * 0, low, high, over_tpr=over_tpr))
    slope = float(mcclish(low * 0 + 1, low, high, over_tpr=over_tpr)) - least

    def finish(out: Yield, states: Floats) -> Floats:
        area: Floats = states[0] / (2.0 * out.n_positive * out.n_negative)
        if not standardized:
            return area
        corrected = least + slope * area
        corrected = np.where(np.abs(corrected - 0.5) < _ROUNDING, 0.5, corrected)
        return np.where(corrected < 0.5, np.nan, corrected)

    line = (replicates.AREA, int(over_tpr), float(low), float(high))
    below = "the area is below that of chance, where McClish's correction has no value"
    return ThresholdSpec(finish=finish, lines=(line,), undefined_where=below)


def _pr_auc(interpolation: str = "continuous") -> ThresholdSpec:
    names = ("step", "trapezoid", "continuous")
    code = names.index(check_choice("interpolation", interpolation, names))
    return ThresholdSpec(
        finish=lambda out, states: states[0] / out.n_positive,
        lines=((replicates.PRECISION_AREA, code, 0.0, 0.0),),
    )


def _ks_statistic() -> ThresholdSpec:
    def finish(out: Yield, above: Floats, below: Floats) -> Floats:
        value: Floats = np.maximum(above[0], below[0]) / (out.n_positive * out.n_negative)
        return value

    criteria = replicates.YOUDEN, replicates.YOUDEN_BELOW
    return ThresholdSpec(
        finish=finish,
        lines=tuple((replicates.BEST, criterion, 0.0, 0.0) for criterion in criteria),
        note=f"{OF_A_MAXIMUM}; `estimate` has limits that hold",
    )


def _break_even_point() -> ThresholdSpec:
    return ThresholdSpec(
        finish=lambda out, states: np.where(states[1] > 0, states[1] / out.n_positive, np.nan),
        lines=((replicates.BREAK_EVEN, 0, 0.0, 0.0),),
        undefined_where="precision equals recall at 0 only",
    )


def _best_threshold(
    criterion: str = "youden",
    of: str = "value",
    *,
    beta: float = 1.0,
    at_least: float | None = None,
    at_most: float | None = None,
    **costs: Any,
) -> ThresholdSpec:
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
    bound = check_constraint(criterion, at_least, at_most)
    if criterion == "fbeta":
        bound = square / (1.0 + square)
    line = (replicates.BEST, CRITERIA[criterion], float(bound or 0.0), 0.0)
    why = "nothing is called positive at the threshold"
    if criterion == "recall_at_precision":
        why = f"no threshold reaches a precision of {bound:g}"
    note, moved = "", None
    if at_least is None and at_most is None:  # nothing but the best value determines it
        note = OF_A_MAXIMUM if of == "value" else OF_A_CHOICE
        if of == "value":
            moved = partial(_moved_at_best, **given)
    return ThresholdSpec(
        of_table=partial(_best_of_data, of=of, **given),
        finish=partial(_reported, criterion=criterion, of=of),
        lines=(line,),
        undefined_where=why,
        note=note,
        moved=moved,
    )


def _best_of_data(table: ScoreTable, of: str, **given: Any) -> float:
    """Return a field of the best threshold of the data."""
    value: float = getattr(best_threshold(table, **given), of)
    if of == "threshold" and table.scores.dtype.kind in "iu":
        largest = max(map(abs, table.scores[[0, -1]].tolist()), default=0)
        if largest > 2**53:
            raise InputError(
                "`y_score` holds integers beyond 2**53, which thresholds of replicates, being "
                "floats, cannot tell apart: subtract a number from all of them"
            )
    return value


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


def _reported(out: Yield, states: Floats, *, criterion: str, of: str) -> Floats:
    """Return a field of the best threshold of each replicate, nan where there is none."""
    merit, row, tp, fp = states
    tpr, fpr = tp / out.n_positive, fp / out.n_negative
    values: Floats
    if of == "threshold":
        places = row.astype(np.int64)
        values = np.where(row >= 0, out.score_at(np.maximum(places, 0)), math.inf)
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
        values = out.n_positive - tp + fp
    else:
        values = merit
    return np.where(row == -2, np.nan, values)


#: Name of a threshold metric to what makes its spec of its parameters.
THRESHOLD_SPECS: dict[str, Callable[..., ThresholdSpec]] = {
    "roc_auc": _roc_auc,
    "rank_loss": lambda: ThresholdSpec(finish=lambda out: 1.0 - _auc(out)),
    "gini_coefficient": lambda: ThresholdSpec(finish=lambda out: 2.0 * _auc(out) - 1.0),
    "partial_auc": _partial_auc,
    "average_precision": lambda: _pr_auc("step"),
    "pr_auc": _pr_auc,
    "ks_statistic": _ks_statistic,
    "break_even_point": _break_even_point,
    "best_threshold": _best_threshold,
    "recall_at_false_positive_rate": lambda false_positive_rate: _best_threshold(
        "recall_at_false_positive_rate", at_most=false_positive_rate
    ),
    "precision_at_recall": lambda recall: _best_threshold("precision_at_recall", at_least=recall),
    "recall_at_precision": lambda precision: _best_threshold(
        "recall_at_precision", at_least=precision
    ),
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountSpec(MetricSpec):
    """A metric of the cells of a confusion matrix, with its parameters."""

    name: str
    parameters: Mapping[str, Any]
    undefined_where: str = DIVIDES_BY_0
    cells = "decisions"

    def values(self, out: Yield) -> Floats:
        k = math.isqrt(out.cells.shape[1])
        return count_measures.value(self.name, out.cells.reshape(-1, k, k), **self.parameters)

    def estimate(self, sample: BootstrapSample) -> float:
        return float(count_measures.value(self.name, sample.matrix(), **self.parameters))

    def influences(self, sample: BootstrapSample) -> list[Floats]:
        return list(count_measures.gradient(self.name, sample.matrix(), **self.parameters))


def _first(means: Floats) -> Floats:
    return means[..., 0]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SumSpec(MetricSpec):
    """A metric of column means.

    ``columns`` makes them of targets and predictions, ``finish`` values of shape (...) of means of
    shape (..., n_columns), and ``slopes`` its derivatives by the means, (n_columns,); ``of_data``
    makes the value of the data and their number, where it is defined for more. Predictions
    that are clipped keep the machine epsilon of their dtype from 0 and 1.
    """

    name: str
    columns: Callable[[Floats, Floats], list[Floats]]
    finish: Callable[[Floats], Floats] = _first
    n_columns: int = 1
    needs_prediction: bool = True
    is_clipped: bool = False
    slopes: Callable[[Floats], Any] = np.ones_like
    of_data: Callable[[Floats, int], float] | None = None
    undefined_where: str = DIVIDES_BY_0

    @property
    def measure(self) -> Measure:
        """The registry's entry of the metric."""
        return asking.find(self.name)

    def values(self, out: Yield) -> Floats:
        return self.finish((out.sums / out.total[:, None])[:, self._place])

    def estimate(self, sample: BootstrapSample) -> float:
        means = self._means(sample)
        return float(self.of_data(means, sample.n_rows) if self.of_data else self.finish(means))

    def why_no_bca(self, sample: BootstrapSample) -> str:
        return ""  # means have influences whatever the weights

    def influences(self, sample: BootstrapSample) -> list[Floats]:
        means = self._means(sample)
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = np.reshape(self.slopes(means), (-1, 1))
            moved: Floats = (slopes * (self._columns(sample) - means[:, None])).sum(axis=0)
        return [moved] if isinstance(sample, RowSample) else sample.by_class(moved)

    @property
    def _place(self) -> slice:
        return slice(self.first_column, self.first_column + self.n_columns)

    def _columns(self, sample: BootstrapSample) -> Floats:
        return cast(Floats, sample.columns)[self._place]

    def _means(self, sample: BootstrapSample) -> Floats:
        weights = sample.weights_of_columns()
        return np.average(self._columns(sample), axis=1, weights=weights)


def _r2(means: Floats) -> Floats:
    """Return 1 - MSE / variance, nan of constant targets; they were centred before squaring."""
    loss, variance = means[..., 0], means[..., 2] - means[..., 1] ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > _ROUNDED * means[..., 2], 1.0 - loss / variance, np.nan)


def _r2_of_data(means: Floats, n_rows: int) -> float:
    """Return R² as `r2_score` does: of constant targets 1 if predictions are perfect, else 0."""
    found = float(_r2(means))
    return float(means[0] == 0.0) if math.isnan(found) and n_rows > 1 else found


def _r2_slopes(means: Floats) -> list[float]:
    error, mean, mean_of_squares = means
    variance = mean_of_squares - mean**2
    slope = error / variance**2
    return [-1.0 / variance, -2.0 * mean * slope, slope]


def _r2_columns(y: Floats, p: Floats) -> list[Floats]:
    if exponent := exponent_of(y, p):  # squares would leave the range of float64
        y, p = np.ldexp(y, exponent), np.ldexp(p, exponent)
    centred = y - y.mean() if y.min() < y.max() else np.zeros(len(y))
    return [(y - p) ** 2, centred, centred**2]


#: Metrics of sums by their names.
SUMS = {
    metric.name: metric
    for metric in (
        SumSpec(name="mean", columns=lambda y, p: [y], needs_prediction=False),
        SumSpec(name="mean_squared_error", columns=lambda y, p: [(y - p) ** 2]),
        SumSpec(
            name="root_mean_squared_error",
            columns=lambda y, p: [(y - p) ** 2],
            finish=lambda means: np.sqrt(means[..., 0]),
            slopes=lambda mean: 0.5 / np.sqrt(mean),
        ),
        SumSpec(name="mean_absolute_error", columns=lambda y, p: [np.abs(y - p)]),
        SumSpec(name="mean_error", columns=lambda y, p: [p - y]),
        SumSpec(
            name="r2",
            columns=_r2_columns,
            finish=_r2,
            n_columns=3,
            slopes=_r2_slopes,
            of_data=_r2_of_data,
        ),
        SumSpec(
            name="log_loss",
            columns=lambda y, p: [-np.where(y > 0, np.log(p), np.log1p(-p))],
            is_clipped=True,
        ),
        SumSpec(name="brier_score", columns=lambda y, p: [(y - p) ** 2]),
    )
}


#: Rows up to which a user's own statistic is computed anew without each of them.
MAX_REFITS: Final = 10_000
#: Of the functions used last: each `without_gil` would compile anew.
_unlocked = lru_cache(maxsize=32)(without_gil)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class UserSpec(MetricSpec):
    """A statistic of the user's own.

    ``compiled`` says that numba compiled it, and runs it without the interpreter's lock;
    ``weighted`` that it gets every row in the order given, with a weight that says how often it was
    drawn, as it does where weights may be fractions. Else it gets the drawn rows themselves. What
    all replicates share is read-only: a function that sorts in place would change the rest.
    """

    function: Callable[..., Any]
    compiled: bool
    weighted: bool = False
    undefined_where: str = "the function returned nan"

    @property
    def statistic(self) -> Statistic:
        """The function of targets and predictions, and weights of the rows."""
        function = _unlocked(self.function) if self.compiled else self.function
        weight = None if self.compiled else _weight_parameter(function)

        def with_weights(arguments: tuple[NDArray[Any], ...], weights: NDArray[Any]) -> float:
            weights = weights.astype(np.float64)
            columns = map(_read_only, arguments)
            if weight is None or weight.kind is weight.POSITIONAL_ONLY:
                return float(function(*columns, weights))
            return float(function(*columns, **{weight.name: weights}))

        def with_rows(arguments: tuple[NDArray[Any], ...], weights: NDArray[Any]) -> float:
            if weights.dtype.kind == "f":
                return with_weights(arguments, weights)
            return float(function(*(np.repeat(column, weights) for column in arguments)))

        return with_weights if self.compiled or self.weighted else with_rows

    def values(self, out: Yield) -> Floats:
        return out.statistics[self.label]

    def estimate(self, sample: BootstrapSample) -> float:
        rows = cast(RowSample, sample)
        value = rows.statistic(self.statistic)
        if not (self.compiled or self.weighted or rows.fractional is not None):
            turned = rows.statistic(self._of_reversed_rows)
            if not np.isclose(value, turned, rtol=1e-6, atol=1e-9, equal_nan=True):
                raise InputError(
                    f"`metrics`: {self.function!r} depends on the order of rows ({value:.6g}, and "
                    f"{turned:.6g} of the same ones reversed), and drawn rows do not fit an array "
                    "of its own: let it take `weights` too, without a default, and it gets all "
                    "rows as they came"
                )
        return value

    def _of_reversed_rows(self, columns: tuple[NDArray[Any], ...], weights: NDArray[Any]) -> float:
        return self.statistic(tuple(column[::-1] for column in columns), weights[::-1])

    def default_method(self, sample: BootstrapSample) -> Method:
        return "percentile"  # for "bca" each row would be left out in turn

    def why_no_bca(self, sample: BootstrapSample) -> str:
        if why := MetricSpec.why_no_bca(self, sample):
            return why
        if sample.is_grouped:
            return (
                f"`method='bca'` is not defined for {self.label!r} with groups: take "
                "`method='percentile'`"
            )
        if sample.n_rows > MAX_REFITS:
            return (
                f"`method='bca'` needs {self.label!r} without each row in turn, for "
                f"{MAX_REFITS:,} rows at most: got {sample.n_rows:,}; take `method='percentile'`"
            )
        return ""

    def influences(self, sample: BootstrapSample) -> list[Floats]:
        """Return what the function lacks without each row in turn, less a number common to all."""
        function, rows = self.statistic, cast(RowSample, sample)
        kept = rows.in_given_order(np.ones(rows.n, np.int64))
        values = np.empty(len(kept))
        for i in np.flatnonzero(kept):
            kept[i] -= 1
            values[i] = rows.statistic(function, kept)
            kept[i] += 1
        return [-(values if rows.numbers is None else values[rows.numbers])]


def _read_only(column: NDArray[Any]) -> NDArray[Any]:
    view = column.view()
    view.flags.writeable = False
    return view


def metric_specs(metrics: Any) -> list[MetricSpec]:
    """Return the specs of the requested ``metrics``, in order, or raise."""
    specs: list[MetricSpec] = []
    n_columns = 0
    for one in asking.ask(metrics):
        spec = replace(
            _spec(one),
            label=one.label,
            higher_is_better=one.higher_is_better,
            first_column=n_columns,
        )
        specs.append(spec)
        n_columns += spec.n_columns
    return specs


def _spec(one: asking.Asked) -> MetricSpec:
    if one.measure is not None and one.measure.no_replicates:
        raise InputError(f"`metrics` names {one.label!r}: {one.measure.no_replicates}")
    how = "" if one.measure is None or one.is_only_function else one.measure.resampled
    if one.measure is not None and how in ("pairs", "curve", "point"):
        spec = THRESHOLD_SPECS[one.name](**one.parameters)
        if spec.of_table is None:
            spec = replace(spec, of_table=partial(one.measure.value, **one.parameters))
        if one.measure.influences:
            load = one.measure.load_influences
            spec = replace(spec, moved=partial(load(), **one.parameters))
        return spec
    if how == "cells":
        return CountSpec(name=one.name, parameters=one.parameters)
    if hasattr(one.function, "get_metadata_routing"):
        raise InputTypeError(
            f"`metrics`: {one.function!r} is a scorer, which is called with an estimator, and here "
            "there are scores alone: pass the name of the measure, as 'roc_auc', or a function of "
            "(labels, scores)"
        )
    if one.function is not None and (how != "sums" or one.parameters):
        compiled = type(one.function).__module__.startswith("numba.")
        compiled = compiled and hasattr(one.function, "py_func")
        weight = None if compiled else _weight_parameter(one.function)
        needs_weights = weight is not None and weight.default is weight.empty
        return UserSpec(function=one.function, compiled=compiled, weighted=needs_weights)
    if how == "rows" and one.measure is not None:
        return UserSpec(function=partial(_of_rows, one.measure, one.parameters), compiled=False)
    if how == "sums":
        if one.parameters:
            raise InputError(f"`metrics`: {one.label!r} has its default parameters here only")
        return SUMS[one.name]
    instead = "take `multiclass_bootstrap`"
    if how != "classes":
        instead = "its function is resampled as one of your own (`functools.partial` completes it)"
    raise InputError(f"`metrics` names {one.label!r}, which has no replicates here: {instead}")


def _weight_parameter(function: Callable[..., Any]) -> Parameter | None:
    """Return a function's parameter of weights: one without a default, if there is one."""
    try:
        parameters = signature(function).parameters
    except (TypeError, ValueError):  # of some built-in functions
        return None
    named = [parameters[name] for name in ("weights", "sample_weight") if name in parameters]
    return min(named, key=lambda one: one.default is not one.empty, default=None)


def _of_rows(measure: Measure, parameters: Mapping[str, Any], *columns: Any) -> Any:
    """Return a measure of drawn rows, which takes no weights."""
    if len(columns) > 2:
        raise InputError(
            f"`metrics`: {measure.name!r} has no weights in replicates: see `estimate`"
        )
    return measure.value(*columns, **parameters)


def check_domains(
    specs: Sequence[MetricSpec], predictions: NDArray[Any], name: str = "y_score"
) -> None:
    """Raise for predictions outside the domain that a metric of sums declares."""
    for spec in specs:
        if isinstance(spec, SumSpec):
            spec.measure.domain_under({}).check_predicted(predictions, name)


def columns_of(
    specs: Sequence[MetricSpec], targets: NDArray[Any], predictions: NDArray[Any] | None = None
) -> Floats | None:
    """Return the columns of all sums, one below the other."""
    sums = [spec for spec in specs if isinstance(spec, SumSpec)]
    if not sums:
        return None
    y = np.asarray(targets, np.float64)
    p = np.zeros(0) if predictions is None else np.asarray(predictions, np.float64)
    columns: list[Floats] = []
    for spec in sums:
        if spec.needs_prediction and predictions is None:
            raise InputError(f"`y_score` is needed for {spec.label!r}: got None")
        if spec.is_clipped and predictions is not None:
            dtype = predictions.dtype if predictions.dtype.kind == "f" else np.float64
            eps = float(np.finfo(dtype).eps)
            columns.extend(spec.columns(y, np.clip(p, eps, 1.0 - eps)))
        else:
            columns.extend(spec.columns(y, p))
    return np.ascontiguousarray(columns, np.float64)


def columns_are(specs: Sequence[MetricSpec], threshold: Any, pos_label: Any) -> ColumnsAre:
    """Return how the metrics read the columns."""
    counted = [spec.label for spec in specs if isinstance(spec, CountSpec)]
    of_two = any(
        isinstance(spec, ThresholdSpec)
        or (isinstance(spec, SumSpec) and spec.measure.needs == "probabilities")
        for spec in specs
    )
    if threshold is not None or of_two or (pos_label is not None and not counted):
        return "scores"
    if not counted:
        return "values"
    others = [spec.label for spec in specs if spec.label not in counted]
    if others:
        raise InputError(
            f"{counted[0]!r} takes predicted labels and {others[0]!r} scores: pass scores with "
            "`threshold`, or ask for them in two calls"
        )
    return "decisions"
