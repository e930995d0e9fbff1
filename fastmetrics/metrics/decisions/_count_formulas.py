"""Formulas of count metrics, over a stack of confusion matrices at once.

A formula takes a `Tally`, whose last axis is the class, and returns one value for each matrix. It
uses only ``+``, ``-``, ``*``, sums and the functions below, so that one of the sums may be a `Dual`
with a derivative. It is homogeneous of degree 0: counts, fractions and scaled weights give the same
value. Where its denominator is 0 it is nan; callers warn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_choice, check_fraction, check_positive, check_real
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.metrics._metric import Metric
from fastmetrics.metrics.registry import METRICS

Array = NDArray[Any]

#: An array or a `Dual`: formulas work on both.
Values: TypeAlias = Any

_UNDEFINED: Final = float("nan")

#: Number of fractions of counts whose product does not underflow in float64.
_FACTORS: Final = 16


class Dual:
    """Values and their derivative in one direction, of one shape."""

    __slots__ = ("slope", "value")
    __array_ufunc__ = None  # arrays on the left defer to `Dual`

    def __init__(self, value: Array, slope: Array) -> None:
        self.value = np.asarray(value)
        if np.shape(slope) != self.value.shape:
            slope = np.ascontiguousarray(np.broadcast_to(slope, self.value.shape))
        self.slope = slope

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    def __getitem__(self, key: Any) -> Dual:
        return Dual(self.value[key], self.slope[key])

    def __add__(self, other: Values) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value + other.value, self.slope + other.slope)
        return Dual(self.value + other, self.slope)

    def __sub__(self, other: Values) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value - other.value, self.slope - other.slope)
        return Dual(self.value - other, self.slope)

    def __rsub__(self, other: Array | float) -> Dual:
        return Dual(other - self.value, -self.slope)

    def __mul__(self, other: Values) -> Dual:
        if isinstance(other, Dual):
            slope = self.slope * other.value + self.value * other.slope
            return Dual(self.value * other.value, slope)
        return Dual(self.value * other, self.slope * other)

    __radd__ = __add__
    __rmul__ = __mul__

    def sum(self, axis: int) -> Dual:
        return Dual(self.value.sum(axis=axis), self.slope.sum(axis=axis))


def plain_values(x: Values) -> Array:
    """Return the values without their derivative."""
    return x.value if isinstance(x, Dual) else np.asarray(x)


def ratio(numerator: Values, denominator: Values, undefined: float = _UNDEFINED) -> Values:
    """Return the quotient, and ``undefined`` where the denominator is 0."""
    if type(numerator) is float:  # a single matrix of two classes
        return numerator / denominator if denominator else undefined
    below = plain_values(denominator)
    quotient = _divide(plain_values(numerator), below, undefined)
    if not (isinstance(numerator, Dual) or isinstance(denominator, Dual)):
        return quotient
    change = _slope(numerator) - quotient * _slope(denominator)
    return Dual(quotient, _divide(change, below, 0.0))  # undefined values stay constant


def power(x: Values, exponent: float) -> Values:
    """Return ``x`` to a power in (0, 1); its slope is infinite at 0 unless x is constant there."""
    value = _power(plain_values(x), exponent)
    if not isinstance(x, Dual):
        return value
    rate = _divide(exponent * value, x.value, float("inf"))
    return Dual(value, np.multiply(rate, x.slope, out=np.zeros(x.shape), where=x.slope != 0))


def zero_where(is_absent: Array, x: Values) -> Values:
    """Return ``x`` with a constant 0 where ``is_absent``."""
    if isinstance(x, Dual):
        return Dual(np.where(is_absent, 0.0, x.value), np.where(is_absent, 0.0, x.slope))
    return np.where(is_absent, 0.0, x)


def geometric_mean(x: Values) -> Values:
    """Return the geometric mean over the last axis of numbers >= 0.

    Its slope is infinite where exactly one number is 0 and not constant, and 0 where several are.
    """
    numbers = plain_values(x)
    n = numbers.shape[-1]
    mean = np.ones(numbers.shape[:-1])
    for start in range(0, n, _FACTORS):
        product = numbers[..., start]
        for k in range(start + 1, min(start + _FACTORS, n)):
            product = product * numbers[..., k]
        mean = mean * _power(product, 1.0 / n)
    if not isinstance(x, Dual):
        return mean
    is_zero = numbers == 0
    at_zero = np.where(is_zero, x.slope, 0.0).sum(axis=-1)
    slope = mean * _divide(x.slope, numbers, 0.0).sum(axis=-1) / n
    is_root = (is_zero.sum(axis=-1) == 1) & (at_zero != 0)
    return Dual(mean, np.where(is_root, np.copysign(np.inf, at_zero), slope))


def sum_of_others(x: Values) -> Values:
    """Return for each entry of the last axis the sum of all others, without subtraction."""
    if isinstance(x, Dual):
        return Dual(sum_of_others(x.value), sum_of_others(x.slope))
    before = np.zeros_like(x)
    after = np.zeros_like(x)
    before[..., 1:] = x[..., :-1].cumsum(axis=-1)
    after[..., :-1] = x[..., :0:-1].cumsum(axis=-1)[..., ::-1]
    return before + after


def clip(x: Values, low: float, high: float) -> Values:
    """Return an array within bounds that only rounding can have crossed."""
    return x if isinstance(x, Dual) else np.clip(x, low, high)


def _slope(x: Values) -> Values:
    return x.slope if isinstance(x, Dual) else 0.0


def _divide(numerator: Array, denominator: Array, otherwise: float) -> Array:
    out = np.full(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)), otherwise)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def _power(x: Array, exponent: float) -> Array:
    if exponent == 0.5:
        return np.asarray(np.sqrt(x))
    # One by one: NumPy rounds powers of scalars and of arrays differently.
    return np.array([number**exponent for number in x.ravel().tolist()]).reshape(x.shape)


class Tally(NamedTuple):
    """Sums over a stack of matrices that formulas use; ``...`` is the shape of the stack.

    For each class, (..., K): ``hits`` are its correctly predicted examples (the diagonal),
    ``misses`` its other examples, ``alarms`` the examples of other classes predicted as it.
    ``linear`` is the sum of the cells times the coefficients of the metric; 0 without any.
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
        """Examples predicted as each class."""
        return self.hits + self.alarms

    @property
    def total(self) -> Values:
        """All examples."""
        return self.true.sum(axis=-1)

    # Cells of two classes, of which the last is positive.

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
    """Return the sums of a stack of matrices (..., K, K), without subtraction.

    Every sum runs along a contiguous last axis, so that a matrix has identical bits alone and in a
    stack of any size.
    """
    n_classes = counts.shape[-1]
    diagonal = np.arange(n_classes)
    off_diagonal = np.array(counts, order="C")
    off_diagonal[..., diagonal, diagonal] = 0.0
    linear = np.zeros(())
    if coefficients is not None:
        terms = np.ascontiguousarray(counts * coefficients)
        linear = np.asarray(terms.reshape(*counts.shape[:-2], n_classes**2).sum(axis=-1))
    return Tally(
        np.ascontiguousarray(np.einsum("...kk->...k", counts)),
        off_diagonal.sum(axis=-1),
        np.ascontiguousarray(off_diagonal.swapaxes(-2, -1)).sum(axis=-1),
        linear,
    )


# --- ratios of sums by class: precision, recall, F, Jaccard -------------------------------------

RatioTerms = Callable[[Tally, float], tuple[Values, Values]]


def _fbeta_terms(t: Tally, beta: float) -> tuple[Values, Values]:
    """Return TP and TP + w FN + (1 - w) FP, w = beta² / (1 + beta²)."""
    if beta >= 1.0:  # neither branch squares a large number
        inverse = (1.0 / beta) ** 2
        on_misses = 1.0 / (1.0 + inverse)
        on_alarms = inverse / (1.0 + inverse)
    else:
        on_misses = beta**2 / (1.0 + beta**2)
        on_alarms = 1.0 / (1.0 + beta**2)
    return t.hits, t.hits + on_misses * t.misses + on_alarms * t.alarms


#: Numerators and denominators of each class.
RATIO_TERMS: Final[dict[str, RatioTerms]] = {
    "precision": lambda t, _: (t.hits, t.predicted),
    "recall": lambda t, _: (t.hits, t.true),
    "f1": _fbeta_terms,
    "fbeta": _fbeta_terms,
    "jaccard": lambda t, _: (t.hits, t.hits + t.misses + t.alarms),
}


def positive_class(t: Tally, terms: RatioTerms, beta: float, zero_division: float) -> Values:
    """Return the ratio of the last of two classes."""
    numerator, denominator = terms(t, beta)
    return ratio(numerator[..., 1], denominator[..., 1], zero_division)


def macro(t: Tally, terms: RatioTerms, beta: float, zero_division: float) -> Values:
    """Return the mean of the classes' ratios; nan if one of them is undefined."""
    return mean(ratio(*terms(t, beta), zero_division))


def micro(t: Tally, terms: RatioTerms, beta: float, zero_division: float) -> Values:
    """Return the ratio of the sums over all classes."""
    numerator, denominator = terms(t, beta)
    return ratio(numerator.sum(axis=-1), denominator.sum(axis=-1), zero_division)


def weighted(t: Tally, terms: RatioTerms, beta: float, zero_division: float) -> Values:
    """Return the mean of the ratios weighted by true counts; absent classes have weight 0."""
    present = zero_where(plain_values(t.true) == 0, ratio(*terms(t, beta), zero_division))
    return ratio((t.true * present).sum(axis=-1), t.total, zero_division)


def macro_f1_harmonic(t: Tally, zero_division: float) -> Values:
    """Return the harmonic mean of macro precision and macro recall; 0 if both are 0."""
    precision = macro(t, RATIO_TERMS["precision"], 1.0, zero_division)
    recall = macro(t, RATIO_TERMS["recall"], 1.0, zero_division)
    return ratio(2.0 * precision * recall, precision + recall, 0.0)


# --- any number of classes ---------------------------------------------------------------------


def accuracy(t: Tally) -> Values:
    return ratio(t.hits.sum(axis=-1), t.total)


def error_rate(t: Tally) -> Values:
    """Return the proportion of wrongly predicted examples, counted, not 1 - accuracy."""
    return ratio(t.misses.sum(axis=-1), t.total)


def balanced_accuracy(t: Tally) -> Values:
    """Return the mean recall; nan if a class has no example."""
    return mean(ratio(t.hits, t.true))


def g_mean(t: Tally) -> Values:
    """Return the geometric mean of the recalls (Kubat & Matwin 1997)."""
    return geometric_mean(ratio(t.hits, t.true))


def matthews_corrcoef(t: Tally) -> Values:
    """Return Matthews' coefficient, generalized to more classes by Gorodkin (2004).

    Products of margins are summed over pairs of different classes: n² minus the sum of squares, and
    exactly 0 where one class has all examples.
    """
    true, predicted = t.true, t.predicted
    scale = power(_between(true, true) * _between(predicted, predicted), 0.5)
    if t.hits.shape[-1] == 2:
        value = ratio(2.0 * (t.tp * t.tn - t.fp * t.fn), scale)
    else:
        covariance = t.hits.sum(axis=-1) * t.total - (true * predicted).sum(axis=-1)
        value = ratio(covariance, scale)
    return clip(value, -1.0, 1.0)


def cohen_kappa(t: Tally, weights: str | None) -> Values:
    """Return 1 - observed / expected disagreement (Cohen 1960; weighted: 1968)."""
    distance = None if weights is None else disagreement(t.hits.shape[-1], weights)
    observed = t.misses.sum(axis=-1) if weights is None else t.linear
    return 1.0 - ratio(observed * t.total, _between(t.true, t.predicted, distance))


def disagreement(n_classes: int, weights: str | None) -> Array:
    """Return the matrix of weights of confusing class i with class j."""
    steps = np.abs(np.subtract.outer(np.arange(n_classes), np.arange(n_classes))).astype(np.float64)
    return {None: np.minimum(steps, 1.0), "linear": steps, "quadratic": steps**2}[weights]


def majority_accuracy(t: Tally) -> Values:
    """Return the accuracy of always predicting the most frequent true class."""
    return ratio(t.true.max(axis=-1), t.total)


def mean(values: Values) -> Values:
    return values.sum(axis=-1) * (1.0 / values.shape[-1])


def _between(left: Values, right: Values, distance: Array | None = None) -> Values:
    """Return the sum of left_i distance_ij right_j; by default over all i other than j.

    A loop applies the distances, because a matrix product may round differently in another stack.
    """
    if distance is None:
        return (sum_of_others(left) * right).sum(axis=-1)
    far = left[..., :1] * distance[0]
    for k in range(1, left.shape[-1]):
        far = far + left[..., k : k + 1] * distance[k]
    return (far * right).sum(axis=-1)


# --- two classes only --------------------------------------------------------------------------

#: Rates, Youden's J (1950) on a common denominator, and ratios of rates.
BINARY_FORMULAS: Final[dict[str, Callable[[Any], Values]]] = {
    "specificity": lambda t: ratio(t.tn, t.tn + t.fp),
    "npv": lambda t: ratio(t.tn, t.tn + t.fn),
    "false_positive_rate": lambda t: ratio(t.fp, t.fp + t.tn),
    "false_negative_rate": lambda t: ratio(t.fn, t.fn + t.tp),
    "informedness": lambda t: ratio(t.tp * t.tn - t.fp * t.fn, (t.tp + t.fn) * (t.fp + t.tn)),
    "positive_likelihood_ratio": lambda t: ratio(t.tp * (t.fp + t.tn), t.fp * (t.tp + t.fn)),
    "negative_likelihood_ratio": lambda t: ratio(t.fn * (t.fp + t.tn), t.tn * (t.tp + t.fn)),
}


#: Costs between 2**-700 and 2**700 may be multiplied by counts and summed without overflow.
_SAFE: Final = 700


class Formula(NamedTuple):
    """``function(tally, **parameters)``: one value for each matrix of a stack of `Tally`.

    It is homogeneous of degree 0, nan where it is undefined, and differentiable by `Dual`. The
    optional ``coefficients(K, **parameters)`` returns a matrix (K, K): ``tally.linear`` is the sum
    of the cells times this matrix.
    """

    function: Callable[..., Values]
    coefficients: Callable[..., Array | None] | None = None


def _average_formulas(name: str) -> dict[str, Formula]:
    """Return a ratio of the positive class, and its averages over classes."""

    def metric(formula: Callable[..., Values]) -> Formula:
        def function(t: Tally, *, zero_division: float, beta: float = 1.0) -> Values:
            return formula(t, RATIO_TERMS[name], beta, zero_division)

        return Formula(function)

    by_suffix = {"": positive_class, "_macro": macro, "_micro": micro, "_weighted": weighted}
    return {f"{name}{suffix}": metric(formula) for suffix, formula in by_suffix.items()}


def cost_coefficients(
    n_classes: int, *, cost_matrix: Array | None, cost_fn: float | None, cost_fp: float | None
) -> Array:
    """Return the costs of the cells, times 2 to the power of `cost_exponent`."""
    exponent = cost_exponent(cost_matrix, cost_fn, cost_fp)
    if cost_matrix is not None:
        if cost_fn is not None or cost_fp is not None:
            raise InputTypeError(
                "`cost_matrix` says it all: pass no `cost_fn` and `cost_fp` with it"
            )
        if cost_matrix.shape != (n_classes, n_classes):
            raise InputError(
                f"`cost_matrix` must have shape {(n_classes, n_classes)}, one row and one column a "
                f"class: got {cost_matrix.shape}"
            )
        return np.ldexp(cost_matrix, exponent)
    if cost_fn is None or cost_fp is None or n_classes != 2:
        alternative = "`cost_fn` and `cost_fp`, or " if n_classes == 2 else ""
        raise InputTypeError(f"`cost` of {n_classes:,} classes needs {alternative}`cost_matrix`")
    return np.ldexp([[0.0, cost_fp], [cost_fn, 0.0]], exponent)


def cost_exponent(cost_matrix: Array | None, cost_fn: float | None, cost_fp: float | None) -> int:
    """Return the power of two that scales costs so that sums do not overflow; 0 unless extreme.

    A mean is at most the largest cost, but the sum before the division may overflow.
    """
    given = cost_matrix if cost_matrix is not None else (cost_fn or 0.0, cost_fp or 0.0)
    largest = math.frexp(float(np.abs(given).max(initial=0.0)))[1]
    return min(max(largest, -_SAFE), _SAFE) - largest


def mean_cost(t: Tally, **costs: Any) -> Values:
    """Return the mean of the costs that `cost_coefficients` has scaled."""
    return ratio(t.linear, t.total) * 2.0 ** -cost_exponent(**costs)


def expected_cost(t: Tally, *, cost_fn: float, cost_fp: float, prevalence: float | None) -> Values:
    """Return cost_fp (1 - p) FPR + cost_fn p FNR; p is by default the fraction of positives.

    That fraction cancels with the denominators of the rates, so that a class may be missing; with a
    given p it may be missing where the factor of its rate is 0.
    """
    exponent = cost_exponent(None, cost_fn, cost_fp)
    cost_fn, cost_fp = math.ldexp(cost_fn, exponent), math.ldexp(cost_fp, exponent)
    if prevalence is None:
        return ratio(cost_fp * t.fp + cost_fn * t.fn, t.total) * 2.0**-exponent
    value = ratio(0.0 * t.total, t.total)
    if cost_fp * (1.0 - prevalence) > 0.0:
        value = value + cost_fp * (1.0 - prevalence) * BINARY_FORMULAS["false_positive_rate"](t)
    if cost_fn * prevalence > 0.0:
        value = value + cost_fn * prevalence * BINARY_FORMULAS["false_negative_rate"](t)
    return value * 2.0**-exponent


#: The formula of every metric of predicted labels, by its canonical name.
FORMULAS: Final[dict[str, Formula]] = {
    **{full: each for name in RATIO_TERMS for full, each in _average_formulas(name).items()},
    **{name: Formula(formula) for name, formula in BINARY_FORMULAS.items()},
    "hamming_loss": Formula(error_rate),  # of labels in one column
    "cohen_kappa": Formula(
        cohen_kappa, lambda k, *, weights: None if weights is None else disagreement(k, weights)
    ),
    "cost": Formula(mean_cost, cost_coefficients),
} | {
    formula.__name__: Formula(formula)
    for formula in (
        macro_f1_harmonic,
        accuracy,
        error_rate,
        balanced_accuracy,
        g_mean,
        matthews_corrcoef,
        expected_cost,
    )
}


def check_classes(name: str, metric: Metric, n_classes: int) -> None:
    """Raise if a metric of two classes meets another number of them."""
    if metric.classes != 2 or n_classes == 2:
        return
    advice = "pass `labels` of both"
    if n_classes > 2:
        means = (f"{metric.name}_{mean}" for mean in ("macro", "micro", "weighted"))
        averages = [mean for mean in means if mean in METRICS]
        advice = f"see {', '.join(averages)}" if averages else "count one class against the rest"
    raise InputError(f"`{name}` is for two classes, and the matrix has {n_classes:,}: {advice}")


def checked_parameters(name: str, metric: Metric, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults updated by ``params``, each one checked."""
    checked = dict(metric.parameters)
    for given, setting in metric.check_parameters(name, params).items():
        is_default = setting is None and metric.parameters[given] is None
        checked[given] = setting if is_default else _CHECKS[given](given, setting)
    return checked


def check_zero_division(name: str, setting: Any) -> float:
    """Return the value of 0/0: 0, 1 or nan."""
    number = check_real(name, setting)
    return number if math.isnan(number) else float(check_choice(name, number, (0.0, 1.0)))


def check_cost_matrix(name: str, setting: Any) -> Array:
    """Return costs as float64, real and finite; negative costs are gains."""
    costs = as_array(setting, name)
    if costs.ndim != 2:
        raise InputError(f"`{name}` must have shape (n_classes, n_classes): got {costs.shape}")
    if costs.dtype.kind not in "iuf":
        raise InputTypeError(f"`{name}` must hold real numbers: got dtype {costs.dtype}")
    if not np.isfinite(costs).all():
        raise InputError(f"`{name}` must be finite: got {costs[~np.isfinite(costs)][0].item()!r}")
    return costs.astype(np.float64)


def check_cost(name: str, setting: Any) -> float:
    """Return a finite cost of at least 0."""
    return check_fraction(name, setting, high=math.inf, include_low=True)


_CHECKS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "beta": check_positive,
    "zero_division": check_zero_division,
    "weights": lambda name, setting: check_choice(name, setting, (None, "linear", "quadratic")),
    "cost_matrix": check_cost_matrix,
    "cost_fn": check_cost,
    "cost_fp": check_cost,
    "prevalence": partial(check_fraction, include_low=True, include_high=True),
}
