"""What "best" means for a threshold: one small class a criterion.

Each criterion has a value in float64, quick over all candidates, and an integer form. The float
value leaves a handful of candidates that rounding cannot tell apart; the integers decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics.tables.pairs import INT64_BOUND

Floats = NDArray[np.float64]

#: Criteria by the constraint they need.
AT_LEAST = ("precision_at_recall", "recall_at_precision")
AT_MOST = ("recall_at_false_positive_rate",)

# Float values below are wrong by at most six roundings of quantities in [0, 1].
_ROUNDING = 2.0**-49


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """TP and FP of candidate thresholds, and the totals of the two classes."""

    tp: NDArray[Any]
    fp: NDArray[Any]
    n_positive: Any
    n_negative: Any

    @property
    def weighted(self) -> bool:
        """True when the counts are sums of weights, not integers."""
        return bool(self.tp.dtype.kind == "f")

    def at(self, rows: NDArray[np.intp]) -> Counts:
        return Counts(self.tp[rows], self.fp[rows], self.n_positive, self.n_negative)

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


class Criterion:
    """A quantity to maximise over the candidates that meet a constraint."""

    #: Whether there is a constraint: some candidates may not be feasible.
    is_constrained = False

    def feasible(self, counts: Counts) -> NDArray[np.bool_]:
        """Return which candidates meet the constraint."""
        return np.ones(len(counts.tp), dtype=np.bool_)

    def value(self, counts: Counts) -> Floats:
        """Return what is maximised, in float64."""
        return counts.recall()

    def rounding(self, counts: Counts) -> float:
        """Return a bound of the rounding error in a difference of two values."""
        return _ROUNDING

    def ratio(self, counts: Counts) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Return integers (numerator, denominator) in the order of what is maximised."""
        return counts.tp, None

    def first_of(self, counts: Counts) -> int:
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


class Youden(Criterion):
    """Largest TPR - FPR."""

    def value(self, counts: Counts) -> Floats:
        return np.asarray(counts.recall() - counts.false_positive_rate())

    def ratio(self, counts: Counts) -> tuple[NDArray[Any], NDArray[Any] | None]:
        tp, fp = counts.exact(counts.n_positive * counts.n_negative)
        return tp * counts.n_negative - fp * counts.n_positive, None

    def exact_value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> float:
        if isinstance(tp, float):
            return float(tp / n_positive - fp / n_negative)
        return float((tp * n_negative - fp * n_positive) / (n_positive * n_negative))


class ClosestTopLeft(Criterion):
    """Smallest distance to FPR = 0, TPR = 1."""

    def value(self, counts: Counts) -> Floats:
        missed = (counts.n_positive - counts.tp) / counts.n_positive
        return np.asarray(-np.hypot(missed, counts.false_positive_rate()))

    def ratio(self, counts: Counts) -> tuple[NDArray[Any], NDArray[Any] | None]:
        tp, fp = counts.exact(2 * (counts.n_positive * counts.n_negative) ** 2)
        missed = (counts.n_positive - tp) * counts.n_negative
        false = fp * counts.n_positive
        return -(missed * missed + false * false), None

    def exact_value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> float:
        return math.hypot((n_positive - tp) / n_positive, fp / n_negative)


class FewestErrors(Criterion):
    """Smallest FP + FN."""

    def value(self, counts: Counts) -> Floats:
        missed = counts.n_positive - counts.tp
        return np.asarray(-(missed.astype(np.float64) + counts.fp))

    def rounding(self, counts: Counts) -> float:
        return _ROUNDING * float(counts.n_positive + counts.n_negative)

    def ratio(self, counts: Counts) -> tuple[NDArray[Any], NDArray[Any] | None]:
        return counts.tp - counts.fp, None  # of two counts: cannot overflow

    def exact_value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> float:
        return float(n_positive - tp + fp)


class FBeta(Criterion):
    """Largest F-beta = TP / (w m+ + (1 - w)(TP + FP)) with w = beta^2 / (1 + beta^2)."""

    def __init__(self, beta: float) -> None:
        square = Fraction(beta) ** 2
        self.share = square / (1 + square)

    def value(self, counts: Counts) -> Floats:
        on_precision = float(1 - self.share)
        predicted = counts.tp.astype(np.float64) + counts.fp
        mixed = float(self.share) * counts.n_positive + on_precision * predicted
        value = np.zeros(len(predicted))
        np.divide(counts.tp, mixed, out=value, where=mixed > 0)
        return value

    def ratio(self, counts: Counts) -> tuple[NDArray[Any], NDArray[Any] | None]:
        on_recall, whole = self.share.as_integer_ratio()
        bound = whole * (counts.n_positive + counts.n_negative) * counts.n_positive
        tp, fp = counts.exact(bound)
        return tp, on_recall * counts.n_positive + (whole - on_recall) * (tp + fp)

    def exact_value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> float:
        mixed = self.share * Fraction(n_positive) + (1 - self.share) * (Fraction(tp) + Fraction(fp))
        return float(Fraction(tp) / mixed)


class Constrained(Criterion):
    """One of the candidates that keep to a bound; by default the recall is maximised."""

    is_constrained = True

    def __init__(self, bound: float) -> None:
        self.bound = bound


class PrecisionAtRecall(Constrained):
    """Largest precision where recall is at least a bound."""

    def feasible(self, counts: Counts) -> NDArray[np.bool_]:
        called = (counts.tp > 0) | (counts.fp > 0)
        return called & (counts.recall() >= self.bound)

    def value(self, counts: Counts) -> Floats:
        return counts.precision()

    def ratio(self, counts: Counts) -> tuple[NDArray[Any], NDArray[Any] | None]:
        tp, fp = counts.exact((counts.n_positive + counts.n_negative) * counts.n_positive)
        return tp, tp + fp

    def exact_value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> float:
        return float(tp / (tp + fp))


class RecallAtPrecision(Constrained):
    """Largest recall where precision is at least a bound."""

    def feasible(self, counts: Counts) -> NDArray[np.bool_]:
        return counts.precision() >= self.bound


class RecallAtFalsePositiveRate(Constrained):
    """Largest recall where the false positive rate is at most a bound."""

    def feasible(self, counts: Counts) -> NDArray[np.bool_]:
        return counts.false_positive_rate() <= self.bound


def criterion_named(
    name: str, *, beta: float, at_least: float | None, at_most: float | None
) -> Criterion:
    """Return the criterion of a name that has been checked, with its parameter."""
    if name == "fbeta":
        return FBeta(beta)
    bound = at_most if at_least is None else at_least
    if bound is not None:
        bounded = (PrecisionAtRecall, RecallAtPrecision, RecallAtFalsePositiveRate)
        return dict(zip((*AT_LEAST, *AT_MOST), bounded, strict=True))[name](bound)
    plain = {"youden": Youden, "closest-topleft": ClosestTopLeft, "fewest-errors": FewestErrors}
    return plain[name]()
