"""Best thresholds by a named criterion, and the decisions that a threshold makes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_fraction, check_positive
from fastmetrics._input.scores import check_scores_array
from fastmetrics._input.weights import as_given
from fastmetrics._results import Result
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.curves.roc import PIECE_ROWS, Piece, by_pieces
from fastmetrics.tables.cost_table import COSTED, CostTable, cost_table
from fastmetrics.tables.pairs import INT64_BOUND
from fastmetrics.tables.score_table import (
    SCORED,
    ScoreTable,
    as_table,
    is_called_positive,
    lacks_a_class,
    lacks_one,
    real_threshold,
)

Floats = NDArray[np.float64]

#: Criteria by the constraint they need.
AT_LEAST = ("precision_at_recall", "recall_at_precision")
AT_MOST = ("recall_at_false_positive_rate",)

# Float values below are wrong by at most six roundings of quantities in [0, 1].
_ROUNDING = 2.0**-49


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """TP and FP of candidate thresholds, and the totals of the two classes."""

    tp: NDArray[Any]
    fp: NDArray[Any]
    n_positive: Any
    n_negative: Any

    @property
    def weighted(self) -> bool:
        """True when the counts are sums of weights, not integers."""
        return bool(self.tp.dtype.kind == "f")

    def at(self, rows: NDArray[np.intp]) -> _Counts:
        return _Counts(self.tp[rows], self.fp[rows], self.n_positive, self.n_negative)

    def exact(self, bound: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return TP and FP in a dtype whose integers can reach ``bound``."""
        if bound < INT64_BOUND:
            return self.tp, self.fp
        return self.tp.astype(object), self.fp.astype(object)

    def recall(self) -> Floats:
        return np.asarray(self.tp / self.n_positive, dtype=np.float64)

    def false_positive_rate(self) -> Floats:
        return np.asarray(self.fp / self.n_negative, dtype=np.float64)

    def precision(self) -> Floats:
        """Return TP / (TP + FP), nan where nothing is called positive."""
        predicted = self.tp.astype(np.float64) + self.fp
        with np.errstate(invalid="ignore"):
            return np.asarray(self.tp / predicted, dtype=np.float64)


class _Criterion:
    """A quantity to maximise over the candidates that meet a constraint."""

    #: Whether there is a constraint: some candidates may not be feasible.
    is_constrained = False

    def feasible(self, counts: _Counts) -> NDArray[np.bool_]:
        """Return which candidates meet the constraint."""
        return np.ones(len(counts.tp), dtype=np.bool_)

    def value(self, counts: _Counts) -> Floats:
        """Return what is maximised, in float64."""
        return counts.recall()

    def rounding(self, counts: _Counts) -> float:
        """Return a bound of the rounding error in a difference of two values."""
        return _ROUNDING

    def ratio(self, counts: _Counts) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Return integers (numerator, denominator) in the order of what is maximised."""
        return counts.tp, None

    def first_of(self, counts: _Counts) -> int:
        """Return the first of the best candidates by the integer form."""
        numerator, denominator = self.ratio(counts)
        if denominator is None:
            return int(np.argmax(numerator))
        best = 0
        while True:  # ends: each pass finds a strictly greater ratio
            here, there = numerator * denominator[best], numerator[best] * denominator
            better = np.flatnonzero(here > there)
            if not len(better):
                return int(np.flatnonzero(here == there)[0])
            best = int(better[0])

    def exact_value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> float:
        """Return the value that is reported for one decision."""
        return float(tp / n_positive)


class _Youden(_Criterion):
    """Largest TPR - FPR."""

    def value(self, counts: _Counts) -> Floats:
        return np.asarray(counts.recall() - counts.false_positive_rate())

    def ratio(self, counts: _Counts) -> tuple[NDArray[Any], NDArray[Any] | None]:
        tp, fp = counts.exact(counts.n_positive * counts.n_negative)
        return tp * counts.n_negative - fp * counts.n_positive, None

    def exact_value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> float:
        if isinstance(tp, float):
            return float(tp / n_positive - fp / n_negative)
        return float((tp * n_negative - fp * n_positive) / (n_positive * n_negative))


class _ClosestTopLeft(_Criterion):
    """Smallest distance to FPR = 0, TPR = 1."""

    def value(self, counts: _Counts) -> Floats:
        missed = (counts.n_positive - counts.tp) / counts.n_positive
        return np.asarray(-np.hypot(missed, counts.false_positive_rate()))

    def ratio(self, counts: _Counts) -> tuple[NDArray[Any], NDArray[Any] | None]:
        tp, fp = counts.exact(2 * (counts.n_positive * counts.n_negative) ** 2)
        missed = (counts.n_positive - tp) * counts.n_negative
        false = fp * counts.n_positive
        return -(missed * missed + false * false), None

    def exact_value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> float:
        return math.hypot((n_positive - tp) / n_positive, fp / n_negative)


class _FewestErrors(_Criterion):
    """Smallest FP + FN."""

    def value(self, counts: _Counts) -> Floats:
        missed = counts.n_positive - counts.tp
        return np.asarray(-(missed.astype(np.float64) + counts.fp))

    def rounding(self, counts: _Counts) -> float:
        return _ROUNDING * float(counts.n_positive + counts.n_negative)

    def ratio(self, counts: _Counts) -> tuple[NDArray[Any], NDArray[Any] | None]:
        return counts.tp - counts.fp, None  # of two counts: cannot overflow

    def exact_value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> float:
        return float(n_positive - tp + fp)


class _FBeta(_Criterion):
    """Largest F-beta = TP / (w m+ + (1 - w)(TP + FP)) with w = beta^2 / (1 + beta^2)."""

    def __init__(self, beta: float) -> None:
        square = Fraction(beta) ** 2
        self.share = square / (1 + square)

    def value(self, counts: _Counts) -> Floats:
        on_precision = float(1 - self.share)
        predicted = counts.tp.astype(np.float64) + counts.fp
        mixed = float(self.share) * counts.n_positive + on_precision * predicted
        value = np.zeros(len(predicted))
        np.divide(counts.tp, mixed, out=value, where=mixed > 0)
        return value

    def ratio(self, counts: _Counts) -> tuple[NDArray[Any], NDArray[Any] | None]:
        on_recall, whole = self.share.as_integer_ratio()
        bound = whole * (counts.n_positive + counts.n_negative) * counts.n_positive
        tp, fp = counts.exact(bound)
        return tp, on_recall * counts.n_positive + (whole - on_recall) * (tp + fp)

    def exact_value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> float:
        mixed = self.share * Fraction(n_positive) + (1 - self.share) * (Fraction(tp) + Fraction(fp))
        return float(Fraction(tp) / mixed)


class _Constrained(_Criterion):
    """One of the candidates that keep to a bound; by default the recall is maximised."""

    is_constrained = True

    def __init__(self, bound: float) -> None:
        self.bound = bound


class _PrecisionAtRecall(_Constrained):
    """Largest precision where recall is at least a bound."""

    def feasible(self, counts: _Counts) -> NDArray[np.bool_]:
        called = (counts.tp > 0) | (counts.fp > 0)
        return called & (counts.recall() >= self.bound)

    def value(self, counts: _Counts) -> Floats:
        return counts.precision()

    def ratio(self, counts: _Counts) -> tuple[NDArray[Any], NDArray[Any] | None]:
        tp, fp = counts.exact((counts.n_positive + counts.n_negative) * counts.n_positive)
        return tp, tp + fp

    def exact_value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> float:
        return float(tp / (tp + fp))


class _RecallAtPrecision(_Constrained):
    """Largest recall where precision is at least a bound."""

    def feasible(self, counts: _Counts) -> NDArray[np.bool_]:
        return counts.precision() >= self.bound


class _RecallAtFalsePositiveRate(_Constrained):
    """Largest recall where the false positive rate is at most a bound."""

    def feasible(self, counts: _Counts) -> NDArray[np.bool_]:
        return counts.false_positive_rate() <= self.bound


def criterion_named(
    name: str, *, beta: float, at_least: float | None, at_most: float | None
) -> _Criterion:
    """Return the criterion of a name that has been checked, with its parameter."""
    if name == "fbeta":
        return _FBeta(beta)
    bound = at_most if at_least is None else at_least
    if bound is not None:
        bounded = (_PrecisionAtRecall, _RecallAtPrecision, _RecallAtFalsePositiveRate)
        return dict(zip((*AT_LEAST, *AT_MOST), bounded, strict=True))[name](bound)
    plain = {"youden": _Youden, "closest-topleft": _ClosestTopLeft, "fewest-errors": _FewestErrors}
    return plain[name]()


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
    """A threshold, what it was chosen for, and the decision it makes.

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
    _check_constraint(criterion, "at_least", at_least, criterion in AT_LEAST)
    _check_constraint(criterion, "at_most", at_most, criterion in AT_MOST)
    check_positive("beta", beta)
    rows: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
    if criterion == "lowest-cost":
        costs: dict[str, Any] = {"cost_fn": cost_fn, "cost_fp": cost_fp, "prevalence": prevalence}
        return _cheapest(cost_table(y_true, y_score, **costs, **rows))
    table = as_table(y_true, y_score, **rows)
    if lacks_a_class(table, f"the best threshold by {criterion!r}"):
        return _undefined(criterion)
    chosen = criterion_named(criterion, beta=beta, at_least=at_least, at_most=at_most)
    row, tp, fp = _first_best(table, chosen)
    if row < 0:
        message = f"no threshold meets the constraint of {criterion!r}: precision >= {at_least!r}"
        warn_user(message, UndefinedMetricWarning)
        return _undefined(criterion)
    totals, exponent = (table.n_positive, table.n_negative), table.weight_exponent
    value = chosen.exact_value(tp, fp, *totals)
    value = as_given(value, exponent) if criterion == "fewest-errors" else value
    threshold = table.scores[row - 1].item() if row else math.inf
    return _result(threshold, criterion, value, tp, fp, totals, exponent)


def _check_constraint(criterion: str, name: str, value: float | None, wanted: bool) -> None:
    """Raise unless the constraint is there when wanted, absent when not, and a share."""
    if not wanted:
        if value is not None:
            raise InputTypeError(f"`{name}` has no meaning for criterion {criterion!r}")
        return
    if value is None:
        raise InputTypeError(f"criterion {criterion!r} needs `{name}`")
    check_fraction(name, value, include_low=True, include_high=True)


def _check_costs(criterion: str, *, prevalence: Any, **costs: Any) -> None:
    """Raise unless both costs are there when wanted, and nothing of them when not."""
    for name, value in costs.items():
        if criterion == "lowest-cost" and value is None:
            raise InputTypeError(f"criterion {criterion!r} needs `{name}`")
    for name, value in (*costs.items(), ("prevalence", prevalence)):
        if criterion != "lowest-cost" and value is not None:
            raise InputTypeError(f"`{name}` has no meaning for criterion {criterion!r}")


class _Best(NamedTuple):
    """The best candidates of some: their value, their numbers and counts, highest threshold first.

    Unweighted, those that rounding cannot tell apart; candidate 0 is inf, then come the scores.
    """

    value: float
    numbers: NDArray[np.intp]
    values: NDArray[np.float64]
    counts: _Counts


def _first_best(table: ScoreTable, chosen: _Criterion) -> tuple[int, Any, Any]:
    """Return number, TP and FP of the first candidate of the best ones; -1 where none is feasible.

    By integers where there are no weights.
    """
    totals = table.n_positive, table.n_negative
    zero = np.zeros(1, table.positives.dtype)

    def of_piece(piece: Piece) -> _Best | None:
        tp, fp = (np.cumsum(column) for column in (piece.positives, piece.negatives))
        tp += piece.tp
        fp += piece.fp
        return _best_of(_Counts(tp, fp, *totals), piece.start + 1, chosen)

    if table.is_weighted or len(table) <= PIECE_ROWS:
        tp, fp = table.true_positives, table.false_positives
        totals = tp[-1].item(), fp[-1].item()
        counts = _Counts(np.concatenate((zero, tp)), np.concatenate((zero, fp)), *totals)
        pieces = [_best_of(counts, 0, chosen)]
    else:
        pieces = [_best_of(_Counts(zero, zero, *totals), 0, chosen)]
        pieces += by_pieces(table, of_piece)
    found = [piece for piece in pieces if piece is not None]
    if not found:
        return -1, 0, 0
    least = max(piece.value for piece in found) - chosen.rounding(found[0].counts)
    numbers, values = (
        np.concatenate([getattr(piece, name) for piece in found]) for name in ("numbers", "values")
    )
    tp, fp = (
        np.concatenate([getattr(piece.counts, name) for piece in found]) for name in ("tp", "fp")
    )
    near = np.flatnonzero(values >= least)
    counts = _Counts(tp, fp, *totals).at(near)
    first = 0 if table.is_weighted else chosen.first_of(counts)
    return int(numbers[near[first]]), counts.tp[first].item(), counts.fp[first].item()


def _best_of(counts: _Counts, start: int, chosen: _Criterion) -> _Best | None:
    """Return the best of some candidates, which are numbered from ``start`` on."""
    value = chosen.value(counts)
    if chosen.is_constrained:
        feasible = chosen.feasible(counts)
        if not feasible.any():
            return None
        value = np.where(feasible, value, -np.inf)
    best = float(value.max())
    slack = 0.0 if counts.weighted else chosen.rounding(counts)
    near = np.flatnonzero(value >= best - slack)
    return _Best(best, near + start, value[near], counts.at(near))


def _cheapest(table: CostTable) -> BestThreshold:
    if lacks_one(table.n_positive > 0, table.n_negative > 0, "the lowest cost"):
        return _undefined("lowest-cost")
    row = table.best()
    return _result(
        table.threshold_of(row),
        "lowest-cost",
        float(table.cost_at(row)),
        *table.called(row),
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
