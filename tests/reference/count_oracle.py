"""Confusion matrices and their metrics by definition: row by row, in Fractions, nothing of ours.

A row is (true label, predicted label, weight). A metric is a plain function of rows and of the
labels in their order (of two the last is positive), and returns a Fraction, None where it is
undefined, or, after a root, a float that is right to its last digit.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

Row = tuple[Any, Any, Fraction]
Rows = list[Row]
Value = Fraction | float | None


def rows_of(y_true, y_pred, weights=None) -> Rows:
    weights = [1] * len(y_true) if weights is None else weights
    return [
        (true, predicted, Fraction(weight))
        for true, predicted, weight in zip(y_true, y_pred, weights, strict=True)
        if weight
    ]


def rows_of_cells(cells: Sequence[Sequence[Any]]) -> Rows:
    """Return one row a cell, whose labels are its indices."""
    return [
        (i, j, Fraction(weight))
        for i, line in enumerate(cells)
        for j, weight in enumerate(line)
        if weight
    ]


def fraction(
    rows: Rows, is_counted: Callable[[Any, Any], bool], is_eligible: Callable[[Any, Any], bool]
) -> Value:
    """Return the weight of counted rows over that of eligible rows."""
    under = sum((w for true, predicted, w in rows if is_eligible(true, predicted)), Fraction(0))
    over = sum((w for true, predicted, w in rows if is_counted(true, predicted)), Fraction(0))
    return over / under if under else None


def matrix(rows: Rows, labels: Sequence[Any]) -> list[list[Fraction]]:
    return [
        [sum((w for t, p, w in rows if (t, p) == (i, j)), Fraction(0)) for j in labels]
        for i in labels
    ]


def root(square: Fraction) -> float:
    """Return the square root, correct in 60 digits before it is rounded."""
    with localcontext() as context:
        context.prec = 60
        return float((Decimal(square.numerator) / Decimal(square.denominator)).sqrt())


# --- one class against the rest ----------------------------------------------------------------


def precision(rows: Rows, k: Any) -> Value:
    return fraction(rows, lambda t, p: t == k and p == k, lambda t, p: p == k)


def recall(rows: Rows, k: Any) -> Value:
    return fraction(rows, lambda t, p: t == k and p == k, lambda t, p: t == k)


def specificity(rows: Rows, k: Any) -> Value:
    return fraction(rows, lambda t, p: t != k and p != k, lambda t, p: t != k)


def npv(rows: Rows, k: Any) -> Value:
    return fraction(rows, lambda t, p: t != k and p != k, lambda t, p: p != k)


def false_positive_rate(rows: Rows, k: Any) -> Value:
    return fraction(rows, lambda t, p: t != k and p == k, lambda t, p: t != k)


def false_negative_rate(rows: Rows, k: Any) -> Value:
    return fraction(rows, lambda t, p: t == k and p != k, lambda t, p: t == k)


def jaccard(rows: Rows, k: Any) -> Value:
    return fraction(rows, lambda t, p: t == k and p == k, lambda t, p: k in (t, p))


def fbeta(rows: Rows, k: Any, beta: Any = 1) -> Value:
    """Return the weighted harmonic mean of precision and recall; 0 where only one is undefined."""
    p, r = precision(rows, k), recall(rows, k)
    square = Fraction(beta) ** 2
    if p is None and r is None:
        return None
    if not p or not r:
        return Fraction(0)
    return (1 + square) / (1 / p + square / r)


def informedness(rows: Rows, k: Any) -> Value:
    r = recall(rows, k)
    f = false_positive_rate(rows, k)
    return None if r is None or f is None else r - f


def quotient(over: Value, under: Value) -> Value:
    return None if over is None or not under else over / under


def positive_likelihood_ratio(rows: Rows, k: Any) -> Value:
    return quotient(recall(rows, k), false_positive_rate(rows, k))


def negative_likelihood_ratio(rows: Rows, k: Any) -> Value:
    return quotient(false_negative_rate(rows, k), specificity(rows, k))


# --- over all classes --------------------------------------------------------------------------


def accuracy(rows: Rows, labels: Any) -> Value:
    return fraction(rows, lambda t, p: t == p, lambda t, p: True)


def error_rate(rows: Rows, labels: Any) -> Value:
    return fraction(rows, lambda t, p: t != p, lambda t, p: True)


def mean(values: Sequence[Value]) -> Value:
    return None if None in values else sum(values) / len(values)


def macro(metric: Callable[..., Value], rows: Rows, labels: Any) -> Value:
    return mean([metric(rows, k) for k in labels])


def micro(metric: Callable[..., Value], rows: Rows, labels: Any) -> Value:
    """Return the metric of all one-against-rest questions put into one table."""
    return metric([(t == k, p == k, w) for t, p, w in rows for k in labels], True)


def weighted(metric: Callable[..., Value], rows: Rows, labels: Any) -> Value:
    support = {k: sum((w for t, _, w in rows if t == k), Fraction(0)) for k in labels}
    present = [k for k in labels if support[k]]
    values = [metric(rows, k) for k in present]
    if not present or None in values:
        return None
    products = [support[k] * value for k, value in zip(present, values, strict=True)]
    return sum(products) / sum(support.values())


def macro_f1_harmonic(rows: Rows, labels: Any) -> Value:
    p, r = macro(precision, rows, labels), macro(recall, rows, labels)
    if p is None or r is None:
        return None
    return 2 * p * r / (p + r) if p + r else Fraction(0)


def balanced_accuracy(rows: Rows, labels: Any) -> Value:
    return macro(recall, rows, labels)


def g_mean(rows: Rows, labels: Any) -> Value:
    recalls = [recall(rows, k) for k in labels]
    if None in recalls:
        return None
    product = Fraction(1)
    for value in recalls:
        product *= value
    if len(labels) == 2:
        return root(product)
    with localcontext() as context:
        context.prec = 60
        decimal = Decimal(product.numerator) / Decimal(product.denominator)
        return float(decimal ** (1 / Decimal(len(labels)))) if decimal else 0.0


def covariance(rows: Rows, labels: Any, left: int, right: int) -> Fraction:
    """Return Gorodkin's covariance of two columns (0 true, 1 predicted), as indicators."""
    n = sum(row[2] for row in rows)
    total = Fraction(0)
    for k in labels:
        means = [
            sum((row[2] for row in rows if row[side] == k), Fraction(0)) / n for side in (0, 1)
        ]
        for row in rows:
            total += row[2] * ((row[left] == k) - means[left]) * ((row[right] == k) - means[right])
    return total / n


def matthews_corrcoef(rows: Rows, labels: Any) -> Value:
    if not rows:
        return None
    covariances = covariance(rows, labels, 0, 1)
    variances = covariance(rows, labels, 0, 0) * covariance(rows, labels, 1, 1)
    if not variances:
        return None
    return root(covariances**2 / variances) * (-1 if covariances < 0 else 1)


def cohen_kappa(rows: Rows, labels: Any, power: int = 0) -> Value:
    """Return 1 - observed / expected disagreement, which costs ``|i - j| ** power``."""
    if not rows:
        return None
    cells = matrix(rows, labels)
    n = sum(row[2] for row in rows)
    observed = expected = Fraction(0)
    for i, line in enumerate(cells):
        for j, cell in enumerate(line):
            cost = abs(i - j) ** power if i != j else 0
            observed += cost * cell / n
            expected += cost * (sum(line) / n) * (sum(other[j] for other in cells) / n)
    return 1 - observed / expected if expected else None


def cost(rows: Rows, labels: Any, costs: Sequence[Sequence[Any]]) -> Value:
    n = sum(row[2] for row in rows)
    at = {k: index for index, k in enumerate(labels)}
    total = sum((w * Fraction(costs[at[t]][at[p]]) for t, p, w in rows), Fraction(0))
    return total / n if n else None


# --- under the names of the library ------------------------------------------------------------

OF_CLASS: dict[str, Callable[..., Value]] = {
    "precision": precision,
    "recall": recall,
    "f1": fbeta,
    "fbeta": fbeta,
    "jaccard": jaccard,
    "specificity": specificity,
    "npv": npv,
    "false_positive_rate": false_positive_rate,
    "false_negative_rate": false_negative_rate,
    "informedness": informedness,
    "positive_likelihood_ratio": positive_likelihood_ratio,
    "negative_likelihood_ratio": negative_likelihood_ratio,
}
OVER_CLASSES: dict[str, Callable[..., Value]] = {
    "accuracy": accuracy,
    "error_rate": error_rate,
    "hamming_loss": error_rate,  # of labels in one column
    "balanced_accuracy": balanced_accuracy,
    "g_mean": g_mean,
    "matthews_corrcoef": matthews_corrcoef,
    "cohen_kappa": cohen_kappa,
    "macro_f1_harmonic": macro_f1_harmonic,
}
AVERAGES = {"macro": macro, "micro": micro, "weighted": weighted}


def value(name: str, rows: Rows, labels: Sequence[Any]) -> float:
    """Return a metric without parameters as a float, nan where it is undefined."""
    if name in OVER_CLASSES:
        result = OVER_CLASSES[name](rows, labels)
    elif name in OF_CLASS:
        result = OF_CLASS[name](rows, labels[-1])
    else:
        metric, _, average = name.rpartition("_")
        result = AVERAGES[average](OF_CLASS[metric], rows, labels)
    return float("nan") if result is None else float(result)
