"""Metrics of classes by definition: row by row, in Fractions, nothing of ours.

A row is (set of true labels, set of predicted labels, weight): the sets hold one label each where
targets are labels, any number where they are indicators. A value is a Fraction, or None for 0/0.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Row = tuple[frozenset[Any], frozenset[Any], Fraction]
Rows = list[Row]
#: Hits, true, predicted.
Counts = tuple[Fraction, Fraction, Fraction]
Metric = Callable[[Counts], Fraction | None]


def rows_of_labels(y_true, y_pred, weights=None) -> Rows:
    weights = [1] * len(y_true) if weights is None else weights
    return [
        (frozenset([true]), frozenset([predicted]), Fraction(weight))
        for true, predicted, weight in zip(y_true, y_pred, weights, strict=True)
    ]


def rows_of_indicators(y_true, y_pred, weights=None) -> Rows:
    weights = [1] * len(y_true) if weights is None else weights
    return [
        (
            frozenset(j for j, cell in enumerate(true) if cell),
            frozenset(j for j, cell in enumerate(predicted) if cell),
            Fraction(weight),
        )
        for true, predicted, weight in zip(y_true, y_pred, weights, strict=True)
    ]


def labels_seen(rows: Rows) -> list[Any]:
    """Return every label that occurs, whatever its rows weigh."""
    return sorted(set().union(*(true | predicted for true, predicted, _ in rows)))


def weight(rows: Rows, is_counted: Callable[[frozenset[Any], frozenset[Any]], bool]) -> Fraction:
    return sum((w for true, predicted, w in rows if is_counted(true, predicted)), Fraction(0))


def counts(rows: Rows, label: Any) -> Counts:
    return (
        weight(rows, lambda true, predicted: label in true and label in predicted),
        weight(rows, lambda true, predicted: label in true),
        weight(rows, lambda true, predicted: label in predicted),
    )


def two_by_two(rows: Rows, label: Any) -> list[list[Fraction]]:
    return [
        [
            weight(rows, lambda true, predicted: label not in true and label not in predicted),
            weight(rows, lambda true, predicted: label not in true and label in predicted),
        ],
        [
            weight(rows, lambda true, predicted: label in true and label not in predicted),
            weight(rows, lambda true, predicted: label in true and label in predicted),
        ],
    ]


def matrix(rows: Rows, labels: Sequence[Any]) -> list[list[Fraction]]:
    return [
        [sum((w for t, p, w in rows if i in t and j in p), Fraction(0)) for j in labels]
        for i in labels
    ]


def over(count: Fraction, total: Fraction) -> Fraction | None:
    return count / total if total else None


# --- one class against the rest ----------------------------------------------------------------


def precision(counted: Counts) -> Fraction | None:
    hits, _, predicted = counted
    return over(hits, predicted)


def recall(counted: Counts) -> Fraction | None:
    hits, true, _ = counted
    return over(hits, true)


def fbeta(beta: float) -> Metric:
    """Return the weighted harmonic mean of precision and recall, written with the three errors."""
    square = Fraction(beta) ** 2

    def metric(counted: Counts) -> Fraction | None:
        hits, true, predicted = counted
        missed = true - hits
        whole = (1 + square) * hits + square * missed + (predicted - hits)
        return over((1 + square) * hits, whole)

    return metric


def jaccard(counted: Counts) -> Fraction | None:
    hits, true, predicted = counted
    return over(hits, true + predicted - hits)


# --- averages ----------------------------------------------------------------------------------


def filled(value: Fraction | None, zero: Fraction | None) -> Fraction | None:
    return zero if value is None else value


def mean(
    values: Sequence[Fraction | None], weights: Sequence[Fraction] | None = None
) -> Fraction | None:
    """Return the mean of what is defined; the plain one where that weighs nothing."""
    weights = [Fraction(1)] * len(values) if weights is None else weights
    kept = [(value, w) for value, w in zip(values, weights, strict=True) if value is not None]
    total = sum((w for _, w in kept), Fraction(0))
    if not kept:
        return None
    if total:
        return sum((value * w for value, w in kept), Fraction(0)) / total
    return sum((value for value, _ in kept), Fraction(0)) / len(kept)


def average(
    rows: Rows, labels: Sequence[Any], metric: Metric, how: str | None, zero: Fraction | None
) -> Any:
    """Return the metric of each label (a list), or one average; 0/0 becomes ``zero``."""
    by_class = [counts(rows, label) for label in labels]
    each = [filled(metric(one), zero) for one in by_class]
    if how is None:
        return each
    if how == "macro":
        return mean(each)
    if how == "weighted":
        return mean(each, [true for _, true, _ in by_class])
    if how == "micro":
        sums = tuple(sum(column, Fraction(0)) for column in zip(*by_class, strict=True))
        return filled(metric(sums), zero)
    assert how == "samples"
    by_row = []
    weights = []
    for true, predicted, w in rows:
        both = sum(label in true and label in predicted for label in labels)
        sizes = (sum(label in each for label in labels) for each in (true, predicted))
        if w:
            by_row.append(filled(metric((Fraction(both), *map(Fraction, sizes))), zero))
            weights.append(w)
    return mean(by_row, weights)


# --- all classes together ----------------------------------------------------------------------


def accuracy(rows: Rows) -> Fraction | None:
    return over(weight(rows, lambda true, predicted: true == predicted), weight(rows, anything))


def error_rate(rows: Rows) -> Fraction | None:
    return over(weight(rows, lambda true, predicted: true != predicted), weight(rows, anything))


def hamming(rows: Rows, n_columns: int) -> Fraction | None:
    """Return the share of the cells of indicators that differ."""
    wrong = sum((w * len(true ^ predicted) for true, predicted, w in rows), Fraction(0))
    return over(wrong, n_columns * weight(rows, anything))


def anything(true: frozenset[Any], predicted: frozenset[Any]) -> bool:
    return True
