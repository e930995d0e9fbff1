"""Counts of hits, true and predicted examples of each class, for precision, recall and the like.

Targets (labels, indicator matrices, a `ConfusionMatrix`) are read once into three arrays with one
entry a class. ``labels``, ``pos_label`` and ``average`` are resolved here, on those arrays.
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

#: Shared docstring of scikit-learn's functions of labels.
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

#: Shared docstring of functions with `average`.
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

#: Up to here all integers and their doubles are exact in float64: NumPy's division rounds once.
_EXACT: Final = 2**52

#: Cells of a block of rows, which bounds temporary arrays. Weights are summed block by block, so
#: that rounding does not grow with the number of rows.
_BLOCK: Final = 1 << 18

Kind = Literal["binary", "multiclass", "multilabel-indicator"]


@dataclass(frozen=True, slots=True, eq=False)
class ClassCounts:
    """Counts (or weights) of K classes, or of the K columns of an indicator matrix.

    ``labels`` are the classes, or the indices of the columns. ``hits``, ``true`` and ``predicted``,
    of shape (K,), count correctly predicted, true and predicted examples of each: int64, float64
    for weights, or Python integers where int64 could overflow. ``total`` counts all examples, also
    of other classes. Users get float64 if ``is_weighted``; all numbers are the given weights times
    ``2**exponent``. ``indicators`` and ``weights`` are the rows of a multilabel problem, for
    metrics of each row.
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

    def replace_counts(
        self, labels: NDArray[Any], hits: NDArray[Any], true: NDArray[Any], predicted: NDArray[Any]
    ) -> ClassCounts:
        """Return counts of other classes, or of rows, of the same targets."""
        return dataclasses.replace(self, labels=labels, hits=hits, true=true, predicted=predicted)

    def to_reported(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return counts in the user's unit: int64, or float64 for weights."""
        if not self.is_weighted:
            return values.astype(np.int64)
        return np.asarray(as_given(values.astype(np.float64), self.exponent))


def class_counts(
    y_true: Any, y_pred: Any, sample_weight: Any, *, by_column: bool = True
) -> ClassCounts:
    """Read the rows once and return the counts of all classes that occur.

    Without ``by_column`` the columns of indicators are not counted, and their counts are 0.
    """
    if isinstance(y_true, ConfusionMatrix):
        check_alone(y_pred, sample_weight)
        now = y_true.copy()  # another thread may update it
        labels = now.labels
        margins = now.margins
        if not labels:  # an empty matrix counts as two classes without examples
            labels = (0, 1)
            margins = Margins(*np.zeros((3, 2), np.int64))
        names = np.array(labels, dtype=object)
        return _classes(names, *margins, now.weight_exponent, is_weighted=now.is_weighted)
    indicators = check_targets(y_true, y_pred)
    if indicators is not None:
        return _count_indicators(indicators, sample_weight, by_column)
    names, margins, exponent = label_counts(y_true, y_pred, sample_weight=sample_weight)
    return _classes(names, *margins, exponent, is_weighted=sample_weight is not None)


def check_alone(y_pred: Any, sample_weight: Any) -> None:
    """Raise if a matrix in place of ``y_true`` comes with rows."""
    for name, value in (("y_pred", y_pred), ("sample_weight", sample_weight)):
        if value is not None:
            raise InputTypeError(f"`{name}` must be left out where `y_true` is a ConfusionMatrix")


def resolve_classes(counts: ClassCounts, labels: Any, pos_label: Any, average: Any) -> ClassCounts:
    """Return the counts of the classes that ``average``, ``labels`` and ``pos_label`` select."""
    check_choice("average", average, AVERAGES)
    if average == "binary":
        positive = _positive_class(counts, pos_label)
        if labels is not None:  # only checked: two classes leave no choice
            selected = checked_labels(labels, counts.labels, counts.kind)
            if positive.labels[0] not in selected.tolist():
                raise InputError(
                    f"`labels` does not name the positive class, {positive.labels[0]!r}, that "
                    f"`average`='binary' is of: got {show_labels(selected)}; for other classes "
                    "choose another `average`"
                )
        return positive
    if pos_label not in (None, 1):
        warn_user(
            f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got "
            f"{average!r}). You may use labels=[pos_label] to specify a single positive class.",
            UserWarning,
        )
    if average == "samples" and counts.indicators is None:
        raise InputError(f"`average`='samples' is for multilabel targets: these are {counts.kind}")
    return counts if labels is None else select_classes(counts, labels)


def select_classes(counts: ClassCounts, labels: Any) -> ClassCounts:
    """Return the counts of the given labels, in their order; 0 for absent ones."""
    selected = checked_labels(labels, counts.labels, counts.kind)
    return _at(counts, selected, positions(selected, counts.labels))


def row_counts(counts: ClassCounts) -> Margins:
    """Return the counts of every row of a multilabel problem over the selected columns."""
    if counts.indicators is None:
        raise InputError(f"rows are measured in multilabel targets only: got {counts.kind}")
    multiplicity = np.bincount(counts.labels, minlength=counts.indicators.shape[1])
    return counts_by_row(counts.indicators, multiplicity)


def by_row(counts: ClassCounts) -> tuple[ClassCounts, NDArray[np.float64] | None]:
    """Return counts by row in place of class, and the weights, without rows of weight 0."""
    hits, true, predicted = row_counts(counts)
    rows = np.arange(len(hits))
    weights = None if counts.weights is None else counts.weights.values
    if weights is not None and not weights.all():
        rows = np.flatnonzero(weights)
        weights = weights[rows]
        hits, true, predicted = (column[rows] for column in (hits, true, predicted))
    return counts.replace_counts(rows, hits, true, predicted), weights


def checked_labels(labels: Any, present: NDArray[Any], kind: Kind) -> NDArray[Any]:
    """Return ``labels``, checked to be of the kind of those present in the targets."""
    selected = text_or_numbers(as_vector(labels, "labels"), "labels")
    check_label_values(selected, "labels")
    is_text = selected.dtype.kind in "UO"
    if kind == "multilabel-indicator":
        if is_text:
            raise InputTypeError(
                "`labels` of multilabel targets must be numbers of columns: got text"
            )
        for column in selected.tolist():
            if not 0 <= column < len(present):
                raise InputError(
                    f"`labels` of multilabel targets must lie in [0, {len(present):,}): got "
                    f"{column!r}"
                )
        return selected.astype(np.int64)
    if is_text != any(isinstance(label, str) for label in present.tolist()):
        kinds = ("text", "numbers") if is_text else ("numbers", "text")
        raise InputTypeError(f"`labels` holds {kinds[0]}, `y_true` and `y_pred` hold {kinds[1]}")
    return selected


def checked_flag(name: str, value: Any) -> bool:
    """Return a boolean flag; raise for other values, truthy or not."""
    flag = value.item() if isinstance(value, np.bool_) else value
    return bool(check_choice(name, flag, (True, False)))


def exact_sum(values: NDArray[Any]) -> Any:
    """Return the sum as a Python number: exact for integers, rounded once for floats."""
    if values.dtype.kind == "f":
        return math.fsum(values.tolist())
    return int(values.sum())


def positions(selected: NDArray[Any], present: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index of each selected label among those present, -1 if it is absent."""
    index = {label: k for k, label in enumerate(present.tolist())}
    return np.array([index.get(label, -1) for label in selected.tolist()], dtype=np.intp)


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
    selected = np.empty(1, dtype=object)
    selected[0] = pos_label
    return _at(counts, selected, positions(selected, counts.labels))


def _count_indicators(indicators: Indicators, sample_weight: Any, by_column: bool) -> ClassCounts:
    n, k = indicators.shape
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    margins = Margins(*np.zeros((3, k), dtype=np.int64))
    if by_column:
        margins = counts_by_column(indicators, weights)
    total: Any = n
    if weights is not None:
        total = exact_sum(weights.values)
    return ClassCounts(
        np.arange(k),
        *margins,
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
    total = exact_sum(true)
    if true.dtype.kind == "i" and total > _EXACT:
        hits, true, predicted = (each.astype(object) for each in (hits, true, predicted))
    return ClassCounts(labels, hits, true, predicted, total, kind, is_weighted, exponent)


def _at(counts: ClassCounts, labels: NDArray[Any], where: NDArray[np.intp]) -> ClassCounts:
    hits, true, predicted = (
        np.append(values, 0)[where]  # -1 is the 0 at the end
        for values in (counts.hits, counts.true, counts.predicted)
    )
    return counts.replace_counts(labels, hits, true, predicted)


def _sum(values: NDArray[Any]) -> NDArray[Any]:
    total = np.empty(1, dtype=values.dtype)
    total[0] = exact_sum(values)
    return total


# --- ones of two indicator matrices: both, true, predicted ----------------------------------------


def counts_by_column(data: Indicators, weights: Weights | None) -> Margins:
    """Count the ones of each column: three (k,) arrays, float64 for fractional weights."""
    if data.is_sparse:
        columns = (
            (ones.columns, None if weights is None else weights.values[ones.rows])
            for ones in _three_sparse(data)
        )
        total = np.array([np.bincount(*each, minlength=data.shape[1]) for each in columns])
    else:
        blocks = [
            [
                np.count_nonzero(block, axis=0) if weights is None else weights.values[rows] @ block
                for block in _three_dense(data, rows)
            ]
            for rows in _blocks(data.shape)
        ]
        total = np.array(blocks).sum(axis=0)
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

#: The name of each metric in warnings, and the examples whose absence makes it 0/0.
_LACKS: Final = {
    "precision": ("Precision", "predicted"),
    "recall": ("Recall", "true"),
    "f-score": ("F-score", "true nor predicted"),
    "jaccard": ("Jaccard", "true or predicted"),
}


def checked_zero_division(value: Any, *, allow_nan: bool = True) -> tuple[float, bool]:
    """Return the value of 0/0, and True if it warns by default."""
    if isinstance(value, str) and value == "warn":
        return 0.0, True
    if isinstance(value, numbers.Real):
        number = float(value)
        if number in (0.0, 1.0) or (allow_nan and math.isnan(number)):
            return number, False
    options = "'warn', 0, 1 or nan" if allow_nan else "'warn', 0 or 1"
    raise InputError(f"`zero_division` must be {options}: got {value!r}")


def compute_scores(
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
    """Return the metrics of each class, or averaged, and the counts.

    The counts are None where two classes were counted in one step.
    """
    zero, warns = checked_zero_division(zero_division, allow_nan="jaccard" not in names)
    number = check_real("beta", float(beta) if isinstance(beta, bool) else beta)
    if not number >= 0:
        raise InputError(f"`beta` must lie in [0, inf]: got {beta!r}")
    request = ScoreRequest(names, number, zero, warns, names if warn_for is None else warn_for)
    if average == "binary" and type(pos_label) is int and pos_label == 1 and labels is None:
        plain = None if sample_weight is not None else cells_of_plain(y_true, y_pred)
        if plain is not None:
            _, fp, fn, tp = plain
            scores = []
            for name in names:
                upper, lower, support = _ratio_terms(name, tp, tp + fn, tp + fp, number, True)
                if not support:
                    request.warn(name, 1)
                scores.append(zero if not support else upper / lower if lower else 0.0)
            return scores, None
    counts = class_counts(y_true, y_pred, sample_weight, by_column=average != "samples")
    counts = resolve_classes(counts, labels, pos_label, average)
    if average is None:
        return class_scores(counts, request), counts
    return average_scores(counts, average, request), counts


class ScoreRequest(NamedTuple):
    """Metrics, beta, the value of 0/0 and whether it warns, and the metrics that warn."""

    names: Sequence[str]
    beta: float
    zero: float
    warns: bool
    warn_for: Collection[str]

    def warn(self, name: str, size: int, *, by_rows: bool = False) -> None:
        """Warn that some of ``size`` values are 0/0, by class or by row.

        F does not warn where it equals precision or recall, which do.
        """
        is_distinct = name != "f-score" or 0 < self.beta < math.inf
        if not (self.warns and name in self.warn_for and is_distinct):
            return
        metric, without = _LACKS[name]
        outer, inner = ("samples", "labels") if by_rows else ("labels", "samples")
        where = "due to" if size == 1 else f"in {outer} with"
        # scikit-learn's message, so that warning filters for it still work
        warn_user(
            f"{metric} is ill-defined and being set to 0.0 {where} no {without} {inner}. Use "
            "`zero_division` parameter to control this behavior.",
            UndefinedMetricWarning,
        )


def average_scores(counts: ClassCounts, average: str, request: ScoreRequest) -> list[float]:
    """Return the averages over the classes of ``counts`` (or over rows, for "samples")."""
    weights = counts.true if average == "weighted" else None
    if average == "micro":
        hits, true, predicted = map(_sum, (counts.hits, counts.true, counts.predicted))
        counts = counts.replace_counts(counts.labels[:1], hits, true, predicted)
    elif average == "samples":
        counts, weights = by_row(counts)
    scores = class_scores(counts, request, by_rows=average == "samples")
    return [mean_defined(values, weights) for values in scores]


def class_scores(
    counts: ClassCounts, request: ScoreRequest, *, by_rows: bool = False
) -> list[Floats]:
    """Return the metrics of each class; warn where one is 0/0."""
    hits = counts.hits
    margins = counts.true, counts.predicted
    beta = request.beta
    scores = []
    is_exact = hits.dtype == object or (1 + beta * beta) * counts.total <= 2**53
    for name in request.names:
        upper, lower, support = _ratio_terms(name, hits, *margins, beta, is_exact)
        lacking = np.asarray(support == 0, dtype=np.bool_)
        values = ratio(upper, lower, 0.0)
        if lacking.any():
            values[lacking] = request.zero
            request.warn(name, len(hits), by_rows=by_rows)
        scores.append(values)
    return scores


def _ratio_terms(
    name: str, hits: Any, true: Any, predicted: Any, beta: float, is_exact: bool
) -> tuple[Any, Any, Any]:
    """Return numerator and denominator of a metric, and the support, 0 where it is undefined.

    F is (1 + b) hits / (b true + predicted), b = beta²: in integers where b is an integer, divided
    by b where b is large, so that nothing overflows.
    """
    if name == "f-score" and 0 < beta < math.inf:
        if beta > 2.0**20:
            inverse = 1.0 / beta / beta
            return (inverse + 1.0) * hits, true + inverse * predicted, true + predicted
        square: Any = beta * beta
        if is_exact and square.is_integer():
            square = int(square)
        return (1 + square) * hits, square * true + predicted, true + predicted
    if name == "jaccard":
        union = predicted + (true - hits)
        return hits, union, union
    denominator = predicted if name == "precision" or (name == "f-score" and beta == 0) else true
    return hits, denominator, denominator


def mean_defined(values: NDArray[np.float64], weights: NDArray[Any] | None = None) -> float:
    """Return the mean of the values that are not nan; nan if there is none.

    If the remaining weights are all 0 the mean is unweighted. Sums are rounded once, so that the
    order of the values does not matter.
    """
    kept = ~np.isnan(values)
    if not kept.all():
        values = values[kept]
        weights = None if weights is None else weights[kept]
    if len(values) == 0:
        return math.nan
    if weights is not None:
        kept_weights = weights.astype(np.float64)
        total = math.fsum(kept_weights.tolist())
        if total > 0:
            return math.fsum((values * kept_weights).tolist()) / total
    return math.fsum(values.tolist()) / len(values)


def ratio(
    numerator: NDArray[Any], denominator: NDArray[Any], undefined: float
) -> NDArray[np.float64]:
    """Return each quotient, rounded once, and ``undefined`` where the denominator is 0.

    Python integers (dtype object) of any size are divided exactly.
    """
    quotients = np.full(numerator.shape, undefined, dtype=np.float64)
    defined = np.asarray(denominator != 0, dtype=np.bool_)
    quotients[defined] = numerator[defined] / denominator[defined]
    return quotients


def proportion(count: Any, total: Any, metric: str) -> float:
    """Return count / total, rounded once; nan with a warning where there is no example."""
    if total == 0:
        warn_user(f"{metric} is not defined: there is no example", UndefinedMetricWarning)
        return math.nan
    return float(count / total)
