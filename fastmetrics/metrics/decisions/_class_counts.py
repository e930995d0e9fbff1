"""Hits, true and predicted examples of each class: all that precision, recall and kin need.

Whatever the targets are (labels, indicator matrices, a `ConfusionMatrix`), they are read once and
become three arrays of one entry a class. ``labels``, ``pos_label`` and ``average`` are resolved
here, on those arrays.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import (
    Indicators,
    Ones,
    check_label_values,
    check_targets,
    show_labels,
    text_or_numbers,
)
from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import check_choice, check_real
from fastmetrics._input.scores import Weights, as_given, check_weights
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.tables.confusion._label_counts import Margins, cells_of_plain, label_counts
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

#: What is the same in the docstrings of scikit-learn's functions of labels.
TARGETS: Final = """
Parameters
----------
labels : array-like of shape (n_labels,), optional
    The classes (or numbers of columns) to measure, in this order; all by default, sorted. One
    that does not occur counts 0. With `average` "binary" they choose nothing, and must name the
    positive class.
pos_label : label, default=1
    The class measured by ``average="binary"``.
average : {"binary", "micro", "macro", "weighted", "samples"} or None, default="binary"
    None: each class. "binary": the class `pos_label` of two. "micro": of the counts summed over
    the classes. "macro": the mean over the classes. "weighted": that mean weighted by support.
    "samples": the mean over the rows of an indicator matrix.
zero_division : {"warn", 0, 1, nan}, default="warn"
    What stands where a ratio is 0/0; "warn" is 0 with a warning. Averages leave nan out.

Raises
------
TypeError, ValueError
    If an option is unknown or does not go with the targets, or targets or weights are wrong: the
    message names the argument, the rule, what came and where.
"""

#: The same, of those that take an average.
AVERAGED: Final = (
    TARGETS
    + """
Warns
-----
UndefinedMetricWarning
    If a ratio is 0/0 and `zero_division` is "warn".
UserWarning
    If `pos_label` is given and `average` is not "binary".

Notes
-----
One pass over labels in O(n), memory O(number of classes); the rest works on the counts. A value of
one class is the ratio of two whole numbers, divided once.
"""
)

AVERAGES: Final = ("binary", "micro", "macro", "weighted", "samples", None)

#: Up to here every integer, and twice it, is a double: NumPy's division of integers rounds once.
_EXACT: Final = 2**52

#: Cells of a block of rows: what is computed in between stays this small. Sums of weights are
#: added up block by block, so that rounding does not grow with the number of rows.
_BLOCK: Final = 1 << 18

Kind = Literal["binary", "multiclass", "multilabel-indicator"]


@dataclass(frozen=True, slots=True, eq=False)
class ClassCounts:
    """Counts (or weights) of K classes, or of the K columns of an indicator matrix.

    ``labels`` are the classes, or the numbers of the columns; ``hits``, ``true`` and ``predicted``
    (K,) the examples rightly given to each, those of it and those given to it: int64, float64 for
    weights, or Python integers where int64 could overflow. ``total`` counts all examples, those of
    other classes included. What are counts is shown as float64 if ``is_weighted``; all numbers are
    the given weights times ``2**exponent``. ``indicators`` and ``weights`` are the rows of a
    multilabel problem, for metrics of each row.
    """

    labels: NDArray[Any]
    hits: NDArray[Any]
    true: NDArray[Any]
    predicted: NDArray[Any]
    total: Any
    kind: Kind
    is_weighted: bool = False
    exponent: int = 0
    indicators: Indicators | None = None
    weights: Weights | None = None

    def of(
        self, labels: NDArray[Any], hits: NDArray[Any], true: NDArray[Any], predicted: NDArray[Any]
    ) -> ClassCounts:
        """Return those of other classes, or of rows, of the same targets."""
        return dataclasses.replace(self, labels=labels, hits=hits, true=true, predicted=predicted)

    def shown(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return counts as the user gets them: int64, or float64 in the unit of the weights."""
        if not self.is_weighted:
            return values.astype(np.int64)
        return np.asarray(as_given(values.astype(np.float64), self.exponent))


def class_counts(
    y_true: Any, y_pred: Any, sample_weight: Any, *, of_columns: bool = True
) -> ClassCounts:
    """Return the counts of all classes that occur; the only place where rows are read.

    Without ``of_columns`` the columns of indicators are not counted, and their counts are 0.
    """
    if isinstance(y_true, ConfusionMatrix):
        check_alone(y_pred, sample_weight)
        now = y_true.copy()  # another thread may go on to update it
        labels, margins = now.labels, now.margins
        if not labels:  # nothing was seen: two classes without examples
            labels, margins = (0, 1), Margins(*np.zeros((3, 2), np.int64))
        names = np.array(labels, dtype=object)
        return _classes(names, *margins, now.weight_exponent, is_weighted=now.is_weighted)
    indicators = check_targets(y_true, y_pred)
    if indicators is not None:
        return _of_indicators(indicators, sample_weight, of_columns)
    names, margins, exponent = label_counts(y_true, y_pred, sample_weight=sample_weight)
    return _classes(names, *margins, exponent, is_weighted=sample_weight is not None)


def check_alone(y_pred: Any, sample_weight: Any) -> None:
    """Raise if a matrix in place of ``y_true`` comes with rows."""
    for name, value in (("y_pred", y_pred), ("sample_weight", sample_weight)):
        if value is not None:
            raise InputTypeError(f"`{name}` must be left out where `y_true` is a ConfusionMatrix")


def classes_asked(counts: ClassCounts, labels: Any, pos_label: Any, average: Any) -> ClassCounts:
    """Return the counts of the classes that ``average``, ``labels`` and ``pos_label`` select."""
    check_choice("average", average, AVERAGES)
    if average == "binary":
        found = _positive_class(counts, pos_label)
        if labels is not None:  # it chooses nothing of two classes
            asked = checked_labels(labels, counts.labels, counts.kind)
            if found.labels[0] not in asked.tolist():
                raise InputError(
                    f"`labels` does not name the positive class, {found.labels[0]!r}, that "
                    f"`average`='binary' is of: got {show_labels(asked)}; for other classes "
                    "choose another `average`"
                )
        return found
    if pos_label not in (None, 1):
        warn_user(
            f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got "
            f"{average!r}). You may use labels=[pos_label] to specify a single positive class.",
            UserWarning,
        )
    if average == "samples" and counts.indicators is None:
        raise InputError(f"`average`='samples' is for multilabel targets: these are {counts.kind}")
    return counts if labels is None else picked(counts, labels)


def picked(counts: ClassCounts, labels: Any) -> ClassCounts:
    """Return the counts of the labels given, in their order; 0 for those that do not occur."""
    asked = checked_labels(labels, counts.labels, counts.kind)
    return _at(counts, asked, positions(asked, counts.labels))


def row_counts(counts: ClassCounts) -> Margins:
    """Return the counts of every row of a multilabel problem over the columns selected."""
    if counts.indicators is None:
        raise InputError(f"rows are measured in multilabel targets only: got {counts.kind}")
    multiplicity = np.bincount(counts.labels, minlength=counts.indicators.shape[1])
    return counts_by_row(counts.indicators, multiplicity)


def by_row(counts: ClassCounts) -> tuple[ClassCounts, NDArray[np.float64] | None]:
    """Return rows in place of classes, and their weights; those that weigh nothing are left out."""
    hits, true, predicted = row_counts(counts)
    rows = np.arange(len(hits))
    weights = None if counts.weights is None else counts.weights.values
    if weights is not None and not weights.all():
        rows = np.flatnonzero(weights)
        weights = weights[rows]
        hits, true, predicted = hits[rows], true[rows], predicted[rows]
    return counts.of(rows, hits, true, predicted), weights


def checked_labels(labels: Any, found: NDArray[Any], kind: Kind) -> NDArray[Any]:
    """Return ``labels``, checked to be of the kind of those found in the targets."""
    asked = text_or_numbers(as_vector(labels, "labels"), "labels")
    check_label_values(asked, "labels")
    is_text = asked.dtype.kind in "UO"
    if kind == "multilabel-indicator":
        if is_text:
            raise InputTypeError(
                "`labels` of multilabel targets must be numbers of columns: got text"
            )
        for column in asked.tolist():
            if not 0 <= column < len(found):
                raise InputError(
                    f"`labels` of multilabel targets must lie in [0, {len(found):,}): got "
                    f"{column!r}"
                )
        return asked.astype(np.int64)
    if is_text != any(isinstance(label, str) for label in found.tolist()):
        kinds = ("text", "numbers") if is_text else ("numbers", "text")
        raise InputTypeError(f"`labels` holds {kinds[0]}, `y_true` and `y_pred` hold {kinds[1]}")
    return asked


def checked_flag(name: str, value: Any) -> bool:
    """Return a flag: a boolean, and nothing that is merely true or false."""
    flag = value.item() if isinstance(value, np.bool_) else value
    return bool(check_choice(name, flag, (True, False)))


def total_of(values: NDArray[Any]) -> Any:
    """Return the sum as a Python number: exact for integers, rounded once for floats."""
    if values.dtype.kind == "f":
        return math.fsum(values.tolist())
    return int(values.sum())


def positions(asked: NDArray[Any], found: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each label asked for stands among those found, -1 where it does not."""
    at = {label: k for k, label in enumerate(found.tolist())}
    return np.array([at.get(label, -1) for label in asked.tolist()], dtype=np.intp)


def _positive_class(counts: ClassCounts, pos_label: Any) -> ClassCounts:
    if counts.kind != "binary":
        others = "None, 'micro', 'macro', 'weighted'"
        if counts.kind == "multilabel-indicator":
            others += ", 'samples'"
        raise InputError(
            f"`average`='binary' is for two classes, and the targets are {counts.kind} with "
            f"{len(counts.labels):,}: choose one of {others}"
        )
    if isinstance(pos_label, np.generic):
        pos_label = pos_label.item()
    present = counts.labels.tolist()
    if pos_label is None or (pos_label not in present and len(present) > 1):
        raise InputError(
            f"`pos_label`={pos_label!r} is not a label of the targets, which take their values in "
            f"{show_labels(counts.labels)}"
        )
    asked = np.empty(1, dtype=object)
    asked[0] = pos_label
    return _at(counts, asked, positions(asked, counts.labels))


def _of_indicators(indicators: Indicators, sample_weight: Any, of_columns: bool) -> ClassCounts:
    n, k = indicators.shape
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    found = Margins(*np.zeros((3, k), dtype=np.int64))
    if of_columns:
        found = counts_by_column(indicators, weights)
    total: Any = n
    if weights is not None:
        total = total_of(weights.values)
    return ClassCounts(
        np.arange(k),
        *found,
        total,
        "multilabel-indicator",
        weights is not None,
        0 if weights is None else weights.exponent,
        indicators,
        weights,
    )


def _classes(
    labels: NDArray[Any],
    hits: NDArray[Any],
    true: NDArray[Any],
    predicted: NDArray[Any],
    exponent: int,
    *,
    is_weighted: bool,
) -> ClassCounts:
    kind: Kind = "binary" if len(labels) <= 2 else "multiclass"
    total = total_of(true)
    if true.dtype.kind == "i" and total > _EXACT:
        hits, true, predicted = (each.astype(object) for each in (hits, true, predicted))
    return ClassCounts(labels, hits, true, predicted, total, kind, is_weighted, exponent)


def _at(counts: ClassCounts, labels: NDArray[Any], where: NDArray[np.intp]) -> ClassCounts:
    hits, true, predicted = (
        np.append(values, 0)[where]  # -1 is the 0 at the end
        for values in (counts.hits, counts.true, counts.predicted)
    )
    return counts.of(labels, hits, true, predicted)


def _sum(values: NDArray[Any]) -> NDArray[Any]:
    total = np.empty(1, dtype=values.dtype)
    total[0] = total_of(values)
    return total


# --- ones of two indicator matrices: both, true, predicted ----------------------------------------


def counts_by_column(data: Indicators, weights: Weights | None) -> Margins:
    """Count the ones of each column, each row as often as its weight says: three (k,) arrays.

    They are int64, or float64 for weights that are not whole.
    """
    if data.is_sparse:
        own = (
            (ones.columns, None if weights is None else weights.values[ones.rows])
            for ones in _three_sparse(data)
        )
        total = np.array([np.bincount(*each, minlength=data.shape[1]) for each in own])
    else:
        parts = [
            [
                np.count_nonzero(block, axis=0) if weights is None else weights.values[rows] @ block
                for block in _three_dense(data, rows)
            ]
            for rows in _blocks(data.shape)
        ]
        total = np.array(parts).sum(axis=0)
    if weights is None or weights.is_integer:
        total = total.astype(np.int64, copy=False)
    return Margins(*total)


def counts_by_row(data: Indicators, multiplicity: NDArray[np.int64]) -> Margins:
    """Count the ones of each row, column j ``multiplicity[j]`` times: three (n,) int64 arrays."""
    counted = np.empty((3, data.shape[0]), dtype=np.int64)
    every = bool((multiplicity == 1).all())
    if data.is_sparse:
        for out, ones in zip(counted, _three_sparse(data), strict=True):
            # Sums of whole numbers in float64 are exact up to 2**53.
            times = None if every else multiplicity[ones.columns]
            out[:] = np.bincount(ones.rows, weights=times, minlength=data.shape[0])
        return Margins(*counted)
    for rows in _blocks(data.shape):
        for out, block in zip(counted, _three_dense(data, rows), strict=True):
            out[rows] = np.count_nonzero(block, axis=1) if every else block @ multiplicity
    return Margins(*counted)


def _blocks(shape: tuple[int, int]) -> list[slice]:
    step = max(_BLOCK // shape[1], 1)
    return [slice(start, start + step) for start in range(0, shape[0], step)]


def _three_dense(data: Indicators, rows: slice) -> tuple[NDArray[np.bool_], ...]:
    true, predicted = data.true[rows], data.predicted[rows]
    return true & predicted, true, predicted


def _three_sparse(data: Indicators) -> tuple[Ones, Ones, Ones]:
    true, predicted = data.true, data.predicted
    cells = [each.rows * data.shape[1] + each.columns for each in (true, predicted)]
    both = np.isin(cells[0], cells[1], assume_unique=True)
    return Ones(true.rows[both], true.columns[both]), true, predicted


Floats = NDArray[np.float64]

METRICS: Final = ("precision", "recall", "f-score")

#: What warnings call each metric, and what there is none of where it is 0/0.
_LACKS: Final = {
    "precision": ("Precision", "predicted"),
    "recall": ("Recall", "true"),
    "f-score": ("F-score", "true nor predicted"),
    "jaccard": ("Jaccard", "true or predicted"),
}


def checked_zero_division(value: Any, *, allow_nan: bool = True) -> tuple[float, bool]:
    """Return what stands where a ratio is 0/0, and whether it warns as the user did not ask."""
    if isinstance(value, str) and value == "warn":
        return 0.0, True
    if isinstance(value, numbers.Real):
        number = float(value)
        if number in (0.0, 1.0) or (allow_nan and math.isnan(number)):
            return number, False
    options = "'warn', 0, 1 or nan" if allow_nan else "'warn', 0 or 1"
    raise InputError(f"`zero_division` must be {options}: got {value!r}")


def scores_asked(
    names: Sequence[str],
    y_true: Any,
    y_pred: Any,
    beta: Any,
    labels: Any,
    pos_label: Any,
    average: Any,
    sample_weight: Any,
    zero_division: Any,
    warn_for: Collection[str] | None = None,
) -> tuple[list[Any], ClassCounts | None]:
    """Return the metrics of each class, or averaged, and the counts behind them.

    There are none where the two classes were counted in one step.
    """
    zero, warns = checked_zero_division(zero_division, allow_nan="jaccard" not in names)
    number = check_real("beta", float(beta) if isinstance(beta, bool) else beta)
    if not number >= 0:
        raise InputError(f"`beta` must lie in [0, inf]: got {beta!r}")
    asked = ScoreRequest(names, number, zero, warns, names if warn_for is None else warn_for)
    if average == "binary" and type(pos_label) is int and pos_label == 1 and labels is None:
        plain = None if sample_weight is not None else cells_of_plain(y_true, y_pred)
        if plain is not None:
            _, fp, fn, tp = plain
            found = []
            for name in names:
                upper, lower, there = _parts(name, tp, tp + fn, tp + fp, number, True)
                if not there:
                    asked.warn(name, 1)
                found.append(zero if not there else upper / lower if lower else 0.0)
            return found, None
    counts = class_counts(y_true, y_pred, sample_weight, of_columns=average != "samples")
    counts = classes_asked(counts, labels, pos_label, average)
    if average is None:
        return class_scores(counts, asked), counts
    return averaged_scores(counts, average, asked), counts


class ScoreRequest(NamedTuple):
    """Metrics, beta, what stands for 0/0 and whether that warns, and the metrics that warn."""

    names: Sequence[str]
    beta: float
    zero: float
    warns: bool
    warn_for: Collection[str]

    def warn(self, name: str, size: int, *, of_rows: bool = False) -> None:
        """Warn that some of so many values are 0/0, of classes or of rows over their labels.

        F is a metric of its own unless it is precision or recall.
        """
        is_own = name != "f-score" or 0 < self.beta < math.inf
        if not (self.warns and name in self.warn_for and is_own):
            return
        metric, without = _LACKS[name]
        outer, inner = ("samples", "labels") if of_rows else ("labels", "samples")
        where = "due to" if size == 1 else f"in {outer} with"
        # scikit-learn's words, so that a filter on them still works
        warn_user(
            f"{metric} is ill-defined and being set to 0.0 {where} no {without} {inner}. Use "
            "`zero_division` parameter to control this behavior.",
            UndefinedMetricWarning,
        )


def averaged_scores(counts: ClassCounts, average: str, asked: ScoreRequest) -> list[float]:
    """Return the averages over the classes of ``counts`` (or over rows, for "samples")."""
    weights = counts.true if average == "weighted" else None
    if average == "micro":
        hits, true, predicted = map(_sum, (counts.hits, counts.true, counts.predicted))
        counts = counts.of(counts.labels[:1], hits, true, predicted)
    elif average == "samples":
        counts, weights = by_row(counts)
    scores = class_scores(counts, asked, of_rows=average == "samples")
    return [mean_defined(values, weights) for values in scores]


def class_scores(
    counts: ClassCounts, asked: ScoreRequest, *, of_rows: bool = False
) -> list[Floats]:
    """Return the metrics of each class; warn of those that are 0/0."""
    hits, true, predicted = counts.hits, counts.true, counts.predicted
    beta, found = asked.beta, []
    is_exact = hits.dtype == object or (1 + beta * beta) * counts.total <= 2**53
    for name in asked.names:
        upper, lower, there = _parts(name, hits, true, predicted, beta, is_exact)
        lacking = np.asarray(there == 0, dtype=np.bool_)
        values = ratio(upper, lower, 0.0)
        if lacking.any():
            values[lacking] = asked.zero
            asked.warn(name, len(hits), of_rows=of_rows)
        found.append(values)
    return found


def _parts(
    name: str, hits: Any, true: Any, predicted: Any, beta: float, is_exact: bool
) -> tuple[Any, Any, Any]:
    """Return numerator and denominator of a metric, and what is 0 where it is not defined.

    F is (1 + b) hits / (b true + predicted), b = beta²: whole numbers where b is one, divided
    through by b where that is large, so that nothing overflows.
    """
    if name == "f-score" and 0 < beta < math.inf:
        if beta > 2.0**20:
            share = 1.0 / beta / beta
            return (share + 1.0) * hits, true + share * predicted, true + predicted
        square: Any = beta * beta
        if is_exact and square.is_integer():
            square = int(square)
        return (1 + square) * hits, square * true + predicted, true + predicted
    if name == "jaccard":
        union = predicted + (true - hits)
        return hits, union, union
    below = predicted if name == "precision" or (name == "f-score" and beta == 0) else true
    return hits, below, below


def mean_defined(values: NDArray[np.float64], weights: NDArray[Any] | None = None) -> float:
    """Return the mean of the values that are not nan; nan if there is none.

    Where all that is left weighs nothing, the plain mean. Sums are exact before they are rounded,
    so that the order of the values does not matter.
    """
    kept = ~np.isnan(values)
    if not kept.all():
        values = values[kept]
        weights = None if weights is None else weights[kept]
    if len(values) == 0:
        return math.nan
    if weights is not None:
        shares = weights.astype(np.float64)
        total = math.fsum(shares.tolist())
        if total > 0:
            return math.fsum((values * shares).tolist()) / total
    return math.fsum(values.tolist()) / len(values)


def ratio(
    numerator: NDArray[Any], denominator: NDArray[Any], undefined: float
) -> NDArray[np.float64]:
    """Return each quotient, rounded once, and ``undefined`` where the denominator is 0.

    Python integers (dtype object) are divided as such: exactly, whatever their size.
    """
    quotients = np.full(numerator.shape, undefined, dtype=np.float64)
    defined = np.asarray(denominator != 0, dtype=np.bool_)
    quotients[defined] = numerator[defined] / denominator[defined]
    return quotients


def share(part: Any, total: Any, metric: str) -> float:
    """Return part / total, rounded once; nan with a warning where there is no example at all."""
    if total == 0:
        warn_user(f"{metric} is not defined: there is no example", UndefinedMetricWarning)
        return math.nan
    return float(part / total)
