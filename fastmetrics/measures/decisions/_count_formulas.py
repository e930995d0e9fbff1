"""Formulas of count measures, over a stack of confusion matrices at once.

A formula takes a `Tally`, whose last axis is the class, and returns one value for each matrix.
It is written with ``+``, ``-``, ``*``, sums and what `_dual` offers, so that one of the sums may
carry a derivative. It is homogeneous of degree 0: counts, shares and scaled weights give the same
value. Where its denominator is 0 it is nan, without a warning: callers warn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from fastmetrics.measures.decisions._dual import (
    Array,
    Values,
    clipped,
    geometric_mean,
    power,
    ratio,
    sum_of_others,
    value_of,
    zero_where,
)


class Tally(NamedTuple):
    """What a formula may use of a stack of matrices; ``...`` is the shape of the stack.

    Of each class, (..., K): ``hits`` are its examples taken for it (the diagonal), ``misses`` its
    examples taken for another, ``alarms`` those of another taken for it. ``linear`` is the sum of
    the cells times the coefficients of the measure, where it has some; else 0.
    """

    hits: Values
    misses: Values
    alarms: Values
    linear: Values

    @property
    def true(self) -> Values:
        """Examples of each class."""
        return self.hits + self.misses

    @property
    def predicted(self) -> Values:
        """Examples taken for each class."""
        return self.hits + self.alarms

    @property
    def total(self) -> Values:
        """All examples."""
        return self.true.sum(axis=-1)

    # Of two classes the last is the positive one.

    @property
    def tp(self) -> Values:
        return self.hits[..., 1]

    @property
    def fp(self) -> Values:
        return self.alarms[..., 1]

    @property
    def fn(self) -> Values:
        return self.misses[..., 1]

    @property
    def tn(self) -> Values:
        return self.hits[..., 0]


def tally(counts: Array, coefficients: Array | None = None) -> Tally:
    """Return the sums of a stack of matrices (..., K, K), none of them by subtraction.

    Every sum runs along a contiguous last axis: a matrix then has the same value, to the bit,
    alone and in a stack of any size.
    """
    n_classes = counts.shape[-1]
    diagonal = np.arange(n_classes)
    rest = np.array(counts, order="C")
    rest[..., diagonal, diagonal] = 0.0
    return Tally(
        np.ascontiguousarray(np.einsum("...kk->...k", counts)),
        rest.sum(axis=-1),
        np.ascontiguousarray(rest.swapaxes(-2, -1)).sum(axis=-1),
        linear_sum(counts, coefficients),
    )


def linear_sum(counts: Array, coefficients: Array | None) -> Array:
    """Return the sum of the cells times their coefficients; 0 where there are none."""
    if coefficients is None:
        return np.zeros(())
    terms = np.ascontiguousarray(counts * coefficients)
    return np.asarray(terms.reshape(*counts.shape[:-2], counts.shape[-1] ** 2).sum(axis=-1))


# --- ratios of sums that each class has: precision, recall, F, Jaccard -------------------------

Parts = Callable[[Tally, float], tuple[Values, Values]]


def _fbeta_parts(t: Tally, beta: float) -> tuple[Values, Values]:
    """TP / (TP + w FN + (1 - w) FP), w = beta² / (1 + beta²): defined where precision is not."""
    if beta >= 1.0:  # neither form squares a large number
        inverse = (1.0 / beta) ** 2
        on_recall, on_precision = 1.0 / (1.0 + inverse), inverse / (1.0 + inverse)
    else:
        on_recall, on_precision = beta**2 / (1.0 + beta**2), 1.0 / (1.0 + beta**2)
    return t.hits, t.hits + on_recall * t.misses + on_precision * t.alarms


#: Numerators and denominators of each class.
PARTS: Final[dict[str, Parts]] = {
    "precision": lambda t, _: (t.hits, t.predicted),
    "recall": lambda t, _: (t.hits, t.true),
    "f1": _fbeta_parts,
    "fbeta": _fbeta_parts,
    "jaccard": lambda t, _: (t.hits, t.hits + t.misses + t.alarms),
}


def positive_class(t: Tally, parts: Parts, beta: float, zero_division: float) -> Values:
    """Return the ratio of the last of two classes."""
    numerator, denominator = parts(t, beta)
    return ratio(numerator[..., 1], denominator[..., 1], zero_division)


def macro(t: Tally, parts: Parts, beta: float, zero_division: float) -> Values:
    """Return the mean of the classes' ratios; nan if one of them is undefined."""
    return mean(ratio(*parts(t, beta), zero_division))


def micro(t: Tally, parts: Parts, beta: float, zero_division: float) -> Values:
    """Return the ratio of the sums over all classes."""
    numerator, denominator = parts(t, beta)
    return ratio(numerator.sum(axis=-1), denominator.sum(axis=-1), zero_division)


def weighted(t: Tally, parts: Parts, beta: float, zero_division: float) -> Values:
    """Return the mean of the ratios by the classes' true counts; an absent class has no say."""
    of_class = ratio(*parts(t, beta), zero_division)
    present = zero_where(value_of(t.true) == 0, of_class)
    return ratio((t.true * present).sum(axis=-1), t.total, zero_division)


def macro_f1_harmonic(t: Tally, zero_division: float) -> Values:
    """Return the harmonic mean of macro precision and macro recall; 0 if both are 0."""
    precision = macro(t, PARTS["precision"], 1.0, zero_division)
    recall = macro(t, PARTS["recall"], 1.0, zero_division)
    return ratio(2.0 * precision * recall, precision + recall, 0.0)


# --- any number of classes ---------------------------------------------------------------------


def accuracy(t: Tally) -> Values:
    return ratio(t.hits.sum(axis=-1), t.total)


def error_rate(t: Tally) -> Values:
    """Return the share of examples taken for another class, counted, not 1 - accuracy."""
    return ratio(t.misses.sum(axis=-1), t.total)


def balanced_accuracy(t: Tally) -> Values:
    """Return the mean recall; nan if a class has no example."""
    return mean(ratio(t.hits, t.true))


def g_mean(t: Tally) -> Values:
    """Return the geometric mean of the recalls (Kubat & Matwin 1997)."""
    return geometric_mean(ratio(t.hits, t.true))


def matthews_corrcoef(t: Tally) -> Values:
    """Return Matthews' coefficient, for more classes as Gorodkin (2004) has it.

    A product of margins is summed over pairs of different classes: that is n² minus the sum of
    squares, and exactly 0 where one class has everything.
    """
    true, predicted = t.true, t.predicted
    spread = power(_between(true, true) * _between(predicted, predicted), 0.5)
    if t.hits.shape[-1] == 2:
        value = ratio(2.0 * (t.tp * t.tn - t.fp * t.fn), spread)
    else:
        shared = t.hits.sum(axis=-1) * t.total - (true * predicted).sum(axis=-1)
        value = ratio(shared, spread)
    return clipped(value, -1.0, 1.0)


def cohen_kappa(t: Tally, weights: str | None) -> Values:
    """Return 1 - observed / expected disagreement (Cohen 1960; weighted: 1968)."""
    distance = None if weights is None else disagreement(t.hits.shape[-1], weights)
    observed = t.misses.sum(axis=-1) if weights is None else t.linear
    return 1.0 - ratio(observed * t.total, _between(t.true, t.predicted, distance))


def disagreement(n_classes: int, weights: str | None) -> Array:
    """Return how much it counts when class i is taken for class j."""
    steps = np.abs(np.subtract.outer(np.arange(n_classes), np.arange(n_classes))).astype(np.float64)
    return {None: np.minimum(steps, 1.0), "linear": steps, "quadratic": steps**2}[weights]


def mean_cost(t: Tally) -> Values:
    """Return the sum of cost times count over the number of examples."""
    return ratio(t.linear, t.total)


def cost_share(t: Tally, worst: Array) -> Values:
    """Return the sum of cost times count over the largest that these true labels allow.

    ``worst`` is the largest cost of each true class. With ``worst_i - cost_ij`` for the cost it
    is the share that was saved.
    """
    return ratio(t.linear, (t.true * worst).sum(axis=-1))


def majority_accuracy(t: Tally) -> Values:
    """Return the accuracy of calling every example by the commonest true class."""
    return ratio(t.true.max(axis=-1), t.total)


def mean(of_class: Values) -> Values:
    return of_class.sum(axis=-1) * (1.0 / of_class.shape[-1])


def _between(left: Values, right: Values, distance: Array | None = None) -> Values:
    """Return the sum of left_i distance_ij right_j; by default over all i other than j.

    Distances by a loop, because a matrix product may round otherwise in a stack of another size.
    """
    if distance is None:
        return (sum_of_others(left) * right).sum(axis=-1)
    far = left[..., :1] * distance[0]
    for k in range(1, left.shape[-1]):
        far = far + left[..., k : k + 1] * distance[k]
    return (far * right).sum(axis=-1)


# --- two classes only --------------------------------------------------------------------------

#: Rates, Youden's J (1950) on one denominator, and ratios of rates.
OF_TWO: Final[dict[str, Callable[[Any], Values]]] = {
    "specificity": lambda t: ratio(t.tn, t.tn + t.fp),
    "npv": lambda t: ratio(t.tn, t.tn + t.fn),
    "false_positive_rate": lambda t: ratio(t.fp, t.fp + t.tn),
    "false_negative_rate": lambda t: ratio(t.fn, t.fn + t.tp),
    "informedness": lambda t: ratio(t.tp * t.tn - t.fp * t.fn, (t.tp + t.fn) * (t.fp + t.tn)),
    "positive_likelihood_ratio": lambda t: ratio(t.tp * (t.fp + t.tn), t.fp * (t.tp + t.fn)),
    "negative_likelihood_ratio": lambda t: ratio(t.fn * (t.fp + t.tn), t.tn * (t.tp + t.fn)),
}


def expected_cost_of(t: Tally, cost_fn: float, cost_fp: float, prevalence: float | None) -> Values:
    """Return cost_fp (1 - p) FPR + cost_fn p FNR; p is the share of positives unless given.

    That share cancels with the denominators of the rates, so that a missing class is no harm; nor
    is it where what its rate is multiplied by is 0.
    """
    if prevalence is None:
        return ratio(cost_fp * t.fp + cost_fn * t.fn, t.total)
    value = ratio(0.0 * t.total, t.total)
    if cost_fp * (1.0 - prevalence) > 0.0:
        value = value + cost_fp * (1.0 - prevalence) * OF_TWO["false_positive_rate"](t)
    if cost_fn * prevalence > 0.0:
        value = value + cost_fn * prevalence * OF_TWO["false_negative_rate"](t)
    return value
