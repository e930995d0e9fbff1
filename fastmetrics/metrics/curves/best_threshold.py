"""Best thresholds by a named criterion, and the decisions that a threshold makes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_fraction, check_positive
from fastmetrics._input.scores import as_given, check_scores_array
from fastmetrics._results import Result
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.tables.cost_table import COSTED, CostTable, cost_table
from fastmetrics.tables.pairs import INT64_BOUND
from fastmetrics.tables.score_table import (
    PIECE_ROWS,
    SCORED,
    Piece,
    ScoreTable,
    as_table,
    by_pieces,
    is_called_positive,
    lacks_a_class,
    lacks_one,
    real_threshold,
)

Floats = NDArray[np.float64]

#: The constraint that a criterion needs.
CONSTRAINTS: Final = {
    "precision_at_recall": "at_least",
    "recall_at_precision": "at_least",
    "recall_at_false_positive_rate": "at_most",
}

# Float values below are off by at most six roundings of quantities in [0, 1].
_ROUNDING = 2.0**-49


class _Criterion(NamedTuple):
    """A quantity to maximize over the thresholds that meet a constraint.

    Each function takes TP and FP of thresholds, and the numbers of positives and of negatives.
    """

    value: Callable[..., Floats]
    """The quantity in float64."""
    exact: Callable[..., tuple[NDArray[Any], NDArray[Any] | None]]
    """Integer numerator and denominator whose ratio orders thresholds as the quantity does."""
    reported: Callable[..., float]
    """The value of one decision, as reported in the result."""
    is_feasible: Callable[..., NDArray[np.bool_]] | None = None


def _recall(tp: Any, fp: Any, m: Any, n: Any) -> Any:
    return tp / m


def _precision(tp: Any, fp: Any, m: Any, n: Any) -> Floats:
    """Return TP / (TP + FP), nan where nothing is called positive."""
    with np.errstate(invalid="ignore"):
        return np.asarray(tp / (tp.astype(np.float64) + fp))


def _youden(tp: Any, fp: Any, m: Any, n: Any) -> Any:
    if isinstance(tp, float):
        return tp / m - fp / n
    return float((tp * n - fp * m) / (m * n))


def _errors(tp: Any, fp: Any, m: Any, n: Any) -> Any:
    """Return -(FP + FN), times a power of two that makes it at most 1."""
    return np.ldexp(-((m - tp).astype(np.float64) + fp), -math.frexp(m + n)[1])


def _f_beta(beta: float) -> _Criterion:
    """Return F-beta = TP / (w m + (1 - w)(TP + FP)) with w = beta^2 / (1 + beta^2)."""
    square = Fraction(beta) ** 2
    weight = square / (1 + square)
    recall_weight, denominator = weight.as_integer_ratio()

    def value(tp: Any, fp: Any, m: Any, n: Any) -> Any:
        mixed = float(weight) * m + float(1 - weight) * (tp.astype(np.float64) + fp)
        return np.divide(tp, mixed, out=np.zeros(len(mixed)), where=mixed > 0)

    def exact(tp: Any, fp: Any, m: Any, n: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        called = (tp + fp).astype(object)
        return tp.astype(object), recall_weight * m + (denominator - recall_weight) * called

    def reported(tp: Any, fp: Any, m: Any, n: Any) -> float:
        mixed = weight * Fraction(m) + (1 - weight) * (Fraction(tp) + Fraction(fp))
        return float(Fraction(tp) / mixed)

    return _Criterion(value, exact, reported)


def _criterion(name: str, beta: float, bound: Any) -> _Criterion:
    """Return the criterion of a name that has been checked, with its parameter."""
    if name == "fbeta":
        return _f_beta(beta)
    if name == "precision_at_recall":
        return _Criterion(
            _precision,
            lambda tp, fp, m, n: (tp, tp + fp),
            lambda tp, fp, m, n: tp / (tp + fp),
            lambda tp, fp, m, n: (tp + fp > 0) & (tp / m >= bound),
        )
    recall = _Criterion(_recall, lambda tp, *_: (tp, None), _recall)
    return {
        "recall_at_precision": recall._replace(
            is_feasible=lambda *counts: _precision(*counts) >= bound
        ),
        "recall_at_false_positive_rate": recall._replace(
            is_feasible=lambda tp, fp, m, n: fp / n <= bound
        ),
        "youden": _Criterion(
            lambda tp, fp, m, n: tp / m - fp / n,
            lambda tp, fp, m, n: (tp * n - fp * m, None),
            _youden,
        ),
        "closest-topleft": _Criterion(  # the least distance
            lambda tp, fp, m, n: -np.hypot((m - tp) / m, fp / n),
            lambda tp, fp, m, n: (-(((m - tp) * n) ** 2 + (fp * m) ** 2), None),
            lambda tp, fp, m, n: math.hypot((m - tp) / m, fp / n),
        ),
        "fewest-errors": _Criterion(
            _errors, lambda tp, fp, *_: (tp - fp, None), lambda tp, fp, m, n: float(m - tp + fp)
        ),
    }[name]


CriterionName = Literal[
    "youden",
    "closest-topleft",
    "fewest-errors",
    "fbeta",
    "precision_at_recall",
    "recall_at_precision",
    "recall_at_false_positive_rate",
    "lowest-cost",
]


@dataclass(frozen=True, slots=True, repr=False)
class BestThreshold(Result):
    """A threshold, its criterion, and the decision that it makes.

    Attributes
    ----------
    threshold : int or float
        Call positive what scores at least this; inf calls nothing positive; nan where no
        threshold meets the constraint.
    criterion : str
        The criterion by name.
    value : float
        Its value there: TPR - FPR, the distance to (0, 1), FP + FN, F-beta, precision, recall or
        the expected cost.
    true_positive_rate, false_positive_rate, precision, recall : float
        Rates of the decision; precision is nan where nothing is called positive.
    tp, fp, fn, tn : int or float
        Counts (or sums of weights) of the decision.
    """

    threshold: float
    criterion: str
    value: float
    true_positive_rate: float
    false_positive_rate: float
    precision: float
    recall: float
    tp: float
    fp: float
    fn: float
    tn: float


@documented(SCORED, COSTED)
def best_threshold(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    criterion: CriterionName | None = None,
    beta: float = 1.0,
    at_least: float | None = None,
    at_most: float | None = None,
    cost_fn: ArrayLike | None = None,
    cost_fp: ArrayLike | None = None,
    prevalence: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> BestThreshold:
    """Find the threshold that is best by a criterion; of equally good ones, the highest.

    Parameters
    ----------
    criterion : str, optional
        None: "lowest-cost" where costs are given, else "youden".

        - "youden": largest TPR - FPR;
        - "closest-topleft": smallest distance to the point FPR = 0, TPR = 1;
        - "fewest-errors": smallest FP + FN;
        - "fbeta": largest F-beta, see `beta`;
        - "precision_at_recall": largest precision where recall is `at_least`;
        - "recall_at_precision": largest recall where precision is `at_least`;
        - "recall_at_false_positive_rate": largest recall where the FPR is `at_most`;
        - "lowest-cost": smallest expected cost, given `cost_fn` and `cost_fp`.
    beta : float, default=1.0
        Weight of recall against precision in "fbeta"; positive.
    at_least, at_most : float, optional
        The constraint of "precision_at_recall", "recall_at_precision" and
        "recall_at_false_positive_rate", in [0, 1].

    Returns
    -------
    BestThreshold
        The threshold, the criterion's value, and the rates and counts of the decision.

    Raises
    ------
    TypeError
        If a constraint or a cost is missing, or given to a criterion that has none.
    ValueError
        If the criterion is unknown, a constraint is outside [0, 1], or `beta` is not positive.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present, or no threshold meets the constraint: all nan.

    Notes
    -----
    The candidates are the distinct scores and inf ("call nobody positive"): it wins
    "fewest-errors" where the positives are too few to be worth their false alarms, "youden" and
    "closest-topleft" where no threshold beats chance, and "recall_at_false_positive_rate" where no
    positive can be had. It has no precision, so "precision_at_recall" and "recall_at_precision"
    never choose it.

    Without weights candidates are compared as integers, so rounding decides no tie. A constraint is
    compared with the rate as a double, which is the one in the result: with 10 positives one
    of them meets `at_least=0.1`. With weights the doubles themselves are compared.
    One sort, then O(distinct scores) time and memory. Of costs, `threshold_costs` has the whole
    curve, and says why the least of them is too low for new data.

    Examples
    --------
    >>> best = best_threshold([0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], criterion="fewest-errors")
    >>> best.threshold, best.value
    (inf, 1.0)
    >>> y, s = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> best_threshold(y, s, criterion="recall_at_false_positive_rate", at_most=0.0)
    BestThreshold(threshold=0.8, criterion='recall_at_false_positive_rate', value=0.5, ...)
    >>> best_threshold(y, s, cost_fn=[0, 0, 20, 500], cost_fp=30)
    BestThreshold(threshold=0.8, criterion='lowest-cost', value=5, ...)
    """
    if criterion is None:
        criterion = "youden" if cost_fn is None and cost_fp is None else "lowest-cost"
    check_choice("criterion", criterion, get_args(CriterionName))
    _check_costs(criterion, cost_fn=cost_fn, cost_fp=cost_fp, prevalence=prevalence)
    bound = check_constraint(criterion, at_least, at_most)
    check_positive("beta", beta)
    rows: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
    if criterion == "lowest-cost":
        costs: dict[str, Any] = {"cost_fn": cost_fn, "cost_fp": cost_fp, "prevalence": prevalence}
        return _cheapest(cost_table(y_true, y_score, **costs, **rows))
    table = as_table(y_true, y_score, **rows)
    if lacks_a_class(table, f"the best threshold by {criterion!r}"):
        return _undefined(criterion)
    chosen = _criterion(criterion, beta, bound)
    row, tp, fp = _first_best(table, chosen)
    if row < 0:
        message = f"no threshold meets the constraint of {criterion!r}: precision >= {at_least!r}"
        warn_user(message, UndefinedMetricWarning)
        return _undefined(criterion)
    totals = (table.n_positive, table.n_negative)
    exponent = table.weight_exponent
    value = chosen.reported(tp, fp, *totals)
    value = as_given(value, exponent) if criterion == "fewest-errors" else value
    threshold = table.scores[row - 1].item() if row else math.inf
    return _result(threshold, criterion, value, tp, fp, totals, exponent)


def check_constraint(criterion: str, at_least: Any, at_most: Any) -> float | None:
    """Return the bound of a criterion; raise if it is no proportion, missing or not allowed."""
    bound = None
    for name, value in (("at_least", at_least), ("at_most", at_most)):
        if CONSTRAINTS.get(criterion) != name:
            if value is not None:
                raise InputTypeError(f"`{name}` has no meaning for criterion {criterion!r}")
        elif value is None:
            raise InputTypeError(f"criterion {criterion!r} needs `{name}`")
        else:
            bound = check_fraction(name, value, include_low=True, include_high=True)
    return bound


def _check_costs(criterion: str, *, prevalence: Any, **costs: Any) -> None:
    """Raise if costs are missing for "lowest-cost", or given for another criterion."""
    for name, value in costs.items():
        if criterion == "lowest-cost" and value is None:
            raise InputTypeError(f"criterion {criterion!r} needs `{name}`")
    for name, value in (*costs.items(), ("prevalence", prevalence)):
        if criterion != "lowest-cost" and value is not None:
            raise InputTypeError(f"`{name}` has no meaning for criterion {criterion!r}")


def _first_best(table: ScoreTable, criterion: _Criterion) -> tuple[int, Any, Any]:
    """Return index, TP and FP of the first best candidate; -1 where none is feasible.

    Candidate 0 is inf, then come the scores. Without weights, integers decide between candidates
    that rounding cannot distinguish.
    """
    totals = table.n_positive, table.n_negative
    zero = np.zeros(1, table.positives.dtype)
    slack = 0.0 if table.is_weighted else _ROUNDING

    def find_best(start: int, tp: NDArray[Any], fp: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Return indices, values and counts of the best candidates, numbered from ``start``."""
        values = criterion.value(tp, fp, *totals)
        if criterion.is_feasible is not None:
            values = np.where(criterion.is_feasible(tp, fp, *totals), values, -np.inf)
        near = np.flatnonzero((values >= values.max() - slack) & (values > -np.inf))
        return near + start, values[near], tp[near], fp[near]

    def search_piece(piece: Piece) -> tuple[NDArray[Any], ...]:
        tp, fp = (column.cumsum() for column in piece.columns)
        tp += piece.tp  # in place: fresh memory costs more than the sums
        fp += piece.fp
        return find_best(piece.start + 1, tp, fp)

    if table.is_weighted or len(table) <= PIECE_ROWS:
        tp, fp = table.true_positives, table.false_positives
        totals = tp[-1].item(), fp[-1].item()
        pieces = [find_best(0, *(np.concatenate((zero, sums)) for sums in (tp, fp)))]
    else:
        pieces = [find_best(0, zero, zero), *by_pieces(table, search_piece)]
    numbers, values, tp, fp = map(np.concatenate, zip(*pieces, strict=True))
    if not len(numbers):
        return -1, 0, 0
    near = np.flatnonzero(values >= values.max() - slack)
    numbers, tp, fp = (column[near] for column in (numbers, tp, fp))
    first = 0
    if not table.is_weighted:
        is_small = 2 * (totals[0] * totals[1]) ** 2 < INT64_BOUND
        kind: Any = np.int64 if is_small else object  # no criterion has larger integers
        first = _first_largest(*criterion.exact(tp.astype(kind), fp.astype(kind), *totals))
    return int(numbers[first]), tp[first].item(), fp[first].item()


def _first_largest(numerators: NDArray[Any], denominators: NDArray[Any] | None) -> int:
    """Return the first of the largest ratios of integers."""
    if denominators is None:
        return int(np.argmax(numerators))
    best = 0
    while True:  # ends: each pass finds a strictly greater ratio
        left = numerators * denominators[best]
        right = numerators[best] * denominators
        better = np.flatnonzero(left > right)
        if not len(better):
            return int(np.flatnonzero(left == right)[0])
        best = int(better[0])


def _cheapest(table: CostTable) -> BestThreshold:
    if lacks_one(table.n_positive > 0, table.n_negative > 0, "the lowest cost"):
        return _undefined("lowest-cost")
    row = table.best()
    return _result(
        table.threshold_at(row),
        "lowest-cost",
        float(table.cost_at(row)),
        *table.predicted_positive(row),
        (table.n_positive, table.n_negative),
        table.counted.weight_exponent,
    )


def _result(
    threshold: float,
    criterion: str,
    value: float,
    tp: Any,
    fp: Any,
    totals: tuple[Any, Any],
    exponent: int,
) -> BestThreshold:
    n_positive, n_negative = totals
    tp_given, fp_given, fn, tn = (
        as_given(count, exponent) for count in (tp, fp, n_positive - tp, n_negative - fp)
    )
    return BestThreshold(
        threshold=threshold,
        criterion=criterion,
        value=value,
        true_positive_rate=tp / n_positive,
        false_positive_rate=fp / n_negative,
        precision=tp / (tp + fp) if tp + fp > 0 else math.nan,
        recall=tp / n_positive,
        tp=tp_given,
        fp=fp_given,
        fn=fn,
        tn=tn,
    )


def _undefined(criterion: str) -> BestThreshold:
    return BestThreshold(math.nan, criterion, *[math.nan] * 9)


def predict_at_threshold(
    y_score: ArrayLike, threshold: float, *, labels: tuple[Any, Any] = (0, 1)
) -> NDArray[Any]:
    """Call each example positive when score >= threshold, and negative otherwise.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,)
        Scores; the greater, the more positive.
    threshold : int or float
        Any real number, infinities included; inf calls only a score of inf positive.
    labels : tuple of the negative and the positive label, default=(0, 1)
        Two different values of one type: numbers, booleans or strings.

    Returns
    -------
    ndarray of shape (n_samples,)
        The label of each example.

    Raises
    ------
    TypeError
        If the threshold or a score is not a real number.
    ValueError
        If the threshold or a score is NaN, or the labels are not two of one type.

    Notes
    -----
    The comparison is that of the real numbers: float32 scores are not compared with a threshold
    rounded to float32, nor integers with one rounded to float64. Time and memory O(n).

    Examples
    --------
    >>> predict_at_threshold([0.2, 0.5, 0.9], 0.5)
    array([0, 1, 1])
    >>> predict_at_threshold([0.2, 0.5, 0.9], 0.5, labels=("good", "bad"))
    array(['good', 'bad', 'bad'], dtype='<U4')
    """
    negative_and_positive = np.asarray(labels)
    if negative_and_positive.shape != (2,) or negative_and_positive.tolist() != list(labels):
        raise InputError(f"`labels` must be two values of one type: got {labels!r}")
    if negative_and_positive[0] == negative_and_positive[1]:
        raise InputError(f"`labels` must be two different values: got {labels!r}")
    scores = check_scores_array(y_score, allow_inf=True)
    called = is_called_positive(scores, real_threshold(threshold))
    return np.asarray(np.where(called, negative_and_positive[1], negative_and_positive[0]))
