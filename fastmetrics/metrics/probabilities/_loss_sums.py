"""Sums of losses over all rows: jobs of a fixed number of rows, added up exactly.

Labels, scores and weights are read in place; a job copies its rows only if the kernels cannot read
them. So no temporary array has n rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import (
    check_class_labels,
    check_label_values,
    check_multilabel_indicator,
    distinct,
    in_class_order,
    show_labels,
    text_or_numbers,
)
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.scalars import check_real, check_same_length
from fastmetrics._input.scores import (
    Weights,
    as_given,
    canonical_scores,
    check_finite,
    check_unit_interval,
    check_weights,
)
from fastmetrics._kernels import losses
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user

_SAMPLE: Final = 64

#: Shared docstring of this subpackage.
LABELS: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,)
    Class labels.
labels : array-like of shape (n_classes,), optional
    The classes, sorted; needed when one has no row. Those of `y_true` unless given.

Raises
------
TypeError
    If an argument is of the wrong kind.
"""


#: Integer labels for the kernels, and the negative and the positive one.
TwoClasses = tuple[NDArray[Any], int, int]
#: Integer labels for the kernels, and the label of the first column of scores.
ClassColumns = tuple[NDArray[Any], int]
_UNWEIGHTED: Final = Weights(np.empty(0), True, 0)


def readable(values: Any, name: str) -> NDArray[Any]:
    """Return scores of a real dtype, in place if a job can convert its rows."""
    array = as_array(values, name)
    if array.ndim == 0:
        raise InputTypeError(f"`{name}` must be an array: got a scalar (0-d array)")
    if array.size == 0:
        raise InputError(f"`{name}` is empty: shape {array.shape}, at least one row is needed")
    if array.dtype.kind in "biuf" and array.dtype.char != "g":
        return array
    return canonical_scores(array, name)


def integers_in_place(y: NDArray[Any]) -> NDArray[Any] | None:
    """Return labels that a kernel can read without a copy of all; None if it cannot."""
    if y.dtype.kind == "b":
        return y.view(np.int8)
    if y.dtype.kind not in "iu" or (y.dtype.kind == "u" and y.dtype.itemsize == 8):
        return None
    return y


def guess_two_classes(y: NDArray[Any], positive: int | None = None) -> TwoClasses | None:
    """Return the two classes of a sample of the rows; None if it has others."""
    labels = integers_in_place(y)
    if labels is None:
        return None
    values = sorted(set(labels[:: len(y) // _SAMPLE + 1].tolist()))
    if positive is None:
        if len(values) == 2:
            return labels, values[0], values[1]
        guess = {0: (0, 1), -1: (-1, 1), 1: (0, 1)}.get(values[0])
        return (labels, *guess) if guess and len(values) == 1 else None
    others = [value for value in values if value != positive]
    if len(others) > 1:
        return None
    return labels, others[0] if others else int(positive == 0), positive


def guess_columns(y: NDArray[Any], classes: NDArray[Any] | None) -> ClassColumns | None:
    """Return integer labels whose classes may be consecutive numbers; None if they are not."""
    labels = integers_in_place(y)
    if labels is None:
        return None
    if classes is None:
        return labels, int(labels.min())
    if classes.dtype.kind not in "biu":
        return None
    first = int(classes[0])
    consecutive = classes.tolist() == list(range(first, first + len(classes)))
    return (labels, first) if consecutive else None


def distinct_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the labels as numbers or text, and their distinct values, sorted."""
    plain = text_or_numbers(y, "y_true")
    check_label_values(plain, "y_true")
    return plain, distinct(plain)


def one_against_other(y: NDArray[Any], positive: Any) -> TwoClasses:
    """Return validated labels as 1 and 0 in int8; ``positive`` None means no positive row."""
    if positive is None:
        return np.zeros(len(y), dtype=np.int8), 0, 1
    return np.asarray(y == positive).view(np.int8), 0, 1


def column_codes(
    y: NDArray[Any], classes: NDArray[Any] | None, n_columns: int
) -> tuple[ClassColumns, int]:
    """Return each row's column and the number of classes; raise for labels outside ``classes``."""
    if n_columns == 2:
        plain, seen = distinct_labels(y)
        known = seen if classes is None else classes
        check_members(seen, known)
        positive = known.tolist()[1] if len(known) == 2 else None
        return (one_against_other(plain, positive)[0], 0), len(known)
    encoded = check_class_labels(y)
    if classes is None:
        return (encoded.codes, 0), len(encoded.classes)
    check_members(encoded.classes, classes)
    column = {label: j for j, label in enumerate(classes.tolist())}
    columns = np.array([column[label] for label in encoded.classes.tolist()], dtype=np.int64)
    return (columns[encoded.codes], 0), len(classes)


def sums_by_columns(
    compute_sums: Callable[[ClassColumns], LossSums],
    y: NDArray[Any],
    classes: NDArray[Any] | None,
    n_columns: int,
    refuse: Callable[[int], None],
) -> LossSums:
    """Return the sums of rows with one column a class.

    Integer labels are assumed to be consecutive; the sums show if they are not, and only then are
    labels encoded. ``refuse`` raises for another number of classes.
    """
    guess = guess_columns(y, classes)
    if guess is not None:
        sums = compute_sums(guess)
        if sums.are_complete(every_class=classes is None):
            return sums
    columns, n_classes = column_codes(y, classes, n_columns)
    if n_classes != n_columns:
        refuse(n_classes)
    return compute_sums(columns)


def check_members(seen: NDArray[Any], classes: NDArray[Any]) -> None:
    """Raise ValueError unless every observed label is one of the classes."""
    known = set(classes.tolist())
    foreign = [label for label in seen.tolist() if label not in known]
    if foreign:
        raise InputError(
            f"`y_true` contains {foreign[0]!r}, which is not in `labels`: {show_labels(classes)}"
        )


def check_labels(labels: Any, *, ordered: bool = True) -> NDArray[Any]:
    """Return the classes, sorted; raise for duplicates and, with ``ordered``, unsorted classes."""
    encoded = check_class_labels(labels, "labels")
    if len(encoded.classes) != len(encoded.codes):
        raise InputError(f"Parameter 'labels' must be unique: got {show_labels(encoded.classes)}")
    if (encoded.codes == np.arange(len(encoded.codes))).all():
        return encoded.classes
    listed = "[" + ", ".join(map(repr, encoded.classes.tolist()[:10])) + "]"
    if ordered:
        raise InputError(f"Parameter 'labels' must be ordered: sorted, they are {listed}")
    passed = labels.tolist() if isinstance(labels, np.ndarray) else labels
    warn_user(
        f"Labels passed were {passed}. But this function assumes labels are ordered "
        f"lexicographically. Pass the ordered labels={listed} and ensure that the columns of "
        "y_prob correspond to this ordering.",
        UserWarning,
    )
    return encoded.classes


LOG: Final = losses.LOG
SQUARE: Final = losses.SQUARE
HINGE: Final = losses.HINGE

#: Elements of a job: a millisecond or two.
JOB: Final = 1 << 18


def row_weights(sample_weight: Any, n_rows: int) -> Weights:
    """Return the validated weights of n rows; empty where every row counts once."""
    return _UNWEIGHTED if sample_weight is None else check_weights(sample_weight, n_rows)


class LossSums(NamedTuple):
    """Sums of one pass over the rows.

    Counts are those of all rows, of rows with a known label, of invalid scores, of rows that do not
    add up to 1, and of the rows of each class, including those of weight 0. The loss (a weighted
    sum) and the weights of classes and of all rows are the user's times ``2**exponent``.
    """

    loss: float
    n_rows: int
    known: int
    score_faults: int
    off_rows: int
    rows_of_class: NDArray[np.int64]
    weight_of_class: NDArray[np.float64]
    row_weight: float
    exponent: int

    def are_complete(self, every_class: bool) -> bool:
        """Return True if all labels were known and, with ``every_class``, each class has a row."""
        return self.known == self.n_rows and (not every_class or all(self.rows_of_class.tolist()))

    @property
    def mean(self) -> float:
        return self.loss / self.row_weight

    @property
    def class_fractions(self) -> NDArray[np.float64]:
        """The fraction of the weight in each class."""
        return self.weight_of_class / self.row_weight

    @property
    def total(self) -> float:
        """The weighted sum of the rows' losses, in the user's units."""
        return float(as_given(self.loss, self.exponent))


def exact_sum(values: Iterable[float]) -> float:
    """Return the sum of numbers of one sign, rounded once; inf beyond float64."""
    try:
        return math.fsum(values)
    except OverflowError:
        return math.inf


def job_rows(n_rows: int, n_columns: int = 1) -> list[slice]:
    """Return the rows of each job, which depend only on the shape of the data."""
    rows = max(1, JOB // n_columns // losses.BLOCK) * losses.BLOCK
    return [slice(start, min(start + rows, n_rows)) for start in range(0, n_rows, rows)]


def readable_scores(scores: NDArray[Any], *, exact_integers: bool = False) -> NDArray[Any]:
    """Return a job's scores as contiguous float32 or float64, 64-bit integers on demand."""
    kind = scores.dtype.kind
    size = scores.dtype.itemsize
    dtype: type[Any] = np.float32 if kind == "f" and size < 8 else np.float64
    if exact_integers and kind in "iu" and size == 8:
        dtype = np.int64 if kind == "i" else np.uint64
    out = np.ascontiguousarray(scores, dtype=dtype)
    return out if out.flags.aligned else out.copy()


def binary_sums(
    kind: int, two: TwoClasses, scores: NDArray[Any], weights: Weights, eps: float = 0.0
) -> LossSums:
    """Add up the losses of rows of two classes.

    Labels are integers but uint64, of any layout; scores are probabilities of the positive label,
    clipped to [eps, 1 - eps], or decisions. The sums are valid only if ``known == n_rows`` and
    ``score_faults == 0``.
    """
    labels, *values = two

    def job(rows: slice) -> tuple[list[list[float]], list[int]]:
        sums = np.empty((3, 2))
        counts = np.empty(3, np.int64)
        dtype = np.int8 if labels.dtype.char == "b" else np.int64
        y = np.ascontiguousarray(labels[rows], dtype)
        s = readable_scores(scores[rows])
        losses.binary_losses(kind, y, s, weights.values[rows], *values, eps, sums, counts)
        return sums.tolist(), counts.tolist()

    results = run([partial(job, rows) for rows in job_rows(len(labels))])
    sums_of_jobs, counts_of_jobs = zip(*results, strict=True)
    loss, *weights_of_class = (
        exact_sum(chain.from_iterable(sums)) for sums in zip(*sums_of_jobs, strict=True)
    )
    positives, known, faults = map(sum, zip(*counts_of_jobs, strict=True))
    rows = np.array([known - positives, positives])
    class_weights = np.array(weights_of_class) if weights.values.size else rows * 1.0
    weight = exact_sum(class_weights.tolist())
    return LossSums(
        loss, len(labels), known, faults, 0, rows, class_weights, weight, weights.exponent
    )


def class_sums(
    kind: int,
    columns: ClassColumns,
    scores: NDArray[Any],
    weights: Weights,
    eps: float = 0.0,
    tolerance: float = 0.0,
) -> LossSums:
    """Add up the losses of rows of many classes, like `binary_sums` for two.

    The scores are of shape (n, k), and a row of probabilities may be off 1 by ``tolerance``.
    """
    codes, first = columns
    n_classes = scores.shape[1]

    def job(rows: slice) -> tuple[NDArray[Any], ...]:
        y = np.ascontiguousarray(codes[rows], np.int64)
        s = readable_scores(scores[rows])
        inputs = (kind, y, first, s, weights.values[rows], eps, tolerance)
        sums = np.empty(2)
        counts = np.empty(3, np.int64)
        class_rows = np.empty(n_classes, np.int64)
        class_weights = np.empty((n_classes, 2))
        losses.class_losses(*inputs, sums, counts, class_rows, class_weights)
        return sums, counts, class_rows, class_weights

    results = run([partial(job, rows) for rows in job_rows(len(codes), n_classes)])
    loss = exact_sum(value for sums, *_ in results for value in sums.tolist())
    known, faults, off = (int(sum(counts[i] for _, counts, *_ in results)) for i in range(3))
    rows = np.sum([each[2] for each in results], axis=0)
    by_class = rows * 1.0
    if weights.values.size:
        job_weights = np.concatenate([each[3] for each in results], axis=1).tolist()
        by_class = np.array([exact_sum(each) for each in job_weights])
    weight = exact_sum(by_class)
    return LossSums(loss, len(codes), known, faults, off, rows, by_class, weight, weights.exponent)


def indicator_sums(
    kind: int,
    y_true: NDArray[Any],
    scores: NDArray[Any],
    weights: Weights,
    eps: float,
    tolerance: float,
) -> LossSums:
    """Add up the log losses or squared errors of every class of every row, like `class_sums`.

    ``y_true`` and the scores have shape (n, k). The returned ``weight_of_class`` may add up to more
    or less than ``row_weight``.
    """
    indicator = check_multilabel_indicator(y_true)
    n_rows, n_classes = indicator.shape
    sums: list[float] = []
    faults = off = 0
    rows_of_class = np.zeros(n_classes, dtype=np.int64)
    weight_of_class = np.zeros(n_classes)
    for rows in job_rows(n_rows, n_classes):
        ones = indicator[rows] == 1
        p = scores[rows].astype(np.float64)
        faults += p.size - int(np.count_nonzero((p >= 0) & (p <= 1)))
        off += int(np.count_nonzero(~(np.abs(p.sum(axis=1) - 1.0) <= tolerance)))
        if kind == LOG:
            p = np.where(ones, np.clip(p, eps, 1.0 - eps), 1.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                row_losses = np.abs(np.log(p)).sum(axis=1)
        else:
            row_losses = ((p - ones) ** 2).sum(axis=1)
        weight = weights.values[rows]
        if weight.size:
            row_losses = np.where(weight > 0, row_losses, 0.0) * weight
        sums.append(float(row_losses.sum()))
        rows_of_class += ones.sum(axis=0)
        weight_of_class += (weight if weight.size else np.ones(len(ones))) @ ones
    loss = exact_sum(sums)
    row_weight = float(weights.values.sum()) if weights.values.size else float(n_rows)
    by_class = (rows_of_class, weight_of_class)
    return LossSums(loss, n_rows, n_rows, faults, off, *by_class, row_weight, weights.exponent)


#: Absolute tolerance of isclose in the array API, as scikit-learn calls it.
_ABSOLUTE: Final = 1e-8

LABELS_OR_INDICATOR: Final = """
Warns
-----
UserWarning
    If rows of several probabilities do not sum to one, or `labels` is not sorted.
"""
D2: Final = """
Returns
-------
float
    At most 1; 0 for a model that always gives the classes' shares, negative for a worse one.
"""


class ProbabilityRows:
    """Labels, probabilities and weights of n rows; checks that need a pass come with the sums."""

    def __init__(self, y_true: Any, y_proba: Any, sample_weight: Any, named: Any) -> None:
        #: The classes as the user named them, or None.
        self.named = named
        scores = readable(in_class_order(y_proba, y_true, named, name="y_proba"), "y_proba")
        if scores.ndim == 2 and scores.shape[1] == 1:
            scores = scores[:, 0]
        if scores.ndim not in (1, 2):
            raise InputError(
                f"`y_proba` must have shape (n_samples,) or (n_samples, n_classes): "
                f"got {scores.shape}"
            )
        labels = as_array(y_true, "y_true")
        self.is_indicator = labels.ndim == 2 and labels.shape[1] > 1
        self.labels = labels if self.is_indicator else as_vector(labels, "y_true")
        self.scores = scores
        if len(self.labels) != len(scores):
            check_same_length(y_true=self.labels, y_proba=scores)
        self.weights = row_weights(sample_weight, len(scores))
        dtype = scores.dtype if scores.dtype.kind == "f" else np.dtype(np.float64)
        #: The machine epsilon of the probabilities, of half precision too.
        self.eps = float(np.finfo(dtype).eps)

    def are_too_few(self) -> bool:
        """Return True and warn, as for D², if there are fewer than two rows."""
        if len(self.scores) < 2:
            warn_user(
                "D^2 score is not well-defined with less than two samples.", UndefinedMetricWarning
            )
        return len(self.scores) < 2

    def sums_by_labels(self, kind: int, eps: float = 0.0) -> LossSums:
        """Return the sums by the rule of log_loss: classes are those named, or those of y_true."""
        classes = None if self.named is None else check_labels(self.named, ordered=False)
        if classes is not None and len(classes) < 2:
            raise InputError(f"`labels` must name two classes or more: got {classes.tolist()}")
        if self.is_indicator:
            sums = self._indicator_sums(kind, classes, eps)
        elif self.scores.ndim == 1:
            sums = self._binary_sums(kind, classes, eps)
        else:
            sums = self._column_sums(kind, classes, eps)
        if sums.score_faults:
            self._raise_fault()
        if sums.off_rows:
            warn_user(
                "The y_prob values do not sum to one. Make sure to pass probabilities. "
                f"({sums.off_rows:,} of {sums.n_rows:,} rows)",
                UserWarning,
            )
        return sums

    def squares(self, pos_label: Any) -> LossSums:
        """Return the sums by the rule of brier_score_loss, which differs for one column."""
        if self.scores.ndim == 2:
            return self.sums_by_labels(SQUARE)
        if self.is_indicator:
            raise InputError(
                f"`y_true` of shape {self.labels.shape} needs a column of `y_proba` a class"
            )
        if self.named is not None:  # one column does not need them
            seen = distinct_labels(self.labels)[1]
            check_members(seen, check_class_labels(self.named, "labels").classes)
        if pos_label is not None and not isinstance(pos_label, str | bool | np.bool_):
            check_real("pos_label", pos_label)
        if isinstance(pos_label, np.generic):
            pos_label = pos_label.item()
        sums = None
        if pos_label is None or (isinstance(pos_label, int | float) and pos_label % 1 == 0):
            guess = guess_two_classes(self.labels, None if pos_label is None else int(pos_label))
            if guess is not None:
                sums = binary_sums(SQUARE, guess, self.scores, self.weights)
        if sums is None or sums.known < sums.n_rows:
            two = one_against_other(*self._positive(pos_label))
            sums = binary_sums(SQUARE, two, self.scores, self.weights)
        if sums.score_faults:
            self._raise_fault()
        return sums

    def _positive(self, pos_label: Any) -> tuple[NDArray[Any], Any]:
        """Return the labels and the positive one, None where no row has it."""
        y, seen = distinct_labels(self.labels)
        classes = seen.tolist()
        if len(classes) > 2:
            raise InputError(
                f"`y_true` must hold two classes beside one column of `y_proba`: got {len(seen)}, "
                f"{show_labels(seen)}"
            )
        is_text = seen.dtype.kind in "UO"
        if pos_label is None:
            if is_text:
                raise InputError(
                    f"`pos_label` must say which label is positive: `y_true` holds text, "
                    f"{show_labels(seen)}"
                )
            if set(classes) <= {0, 1} or set(classes) <= {-1, 1}:
                return y, 1 if 1 in classes else None
            return y, classes[-1]
        if isinstance(pos_label, str) == is_text and pos_label in classes:
            return y, pos_label
        if len(classes) == 2:
            raise InputError(
                f"`pos_label`={pos_label!r} is not a label of `y_true`, which takes its values in "
                f"{show_labels(seen)}"
            )
        return y, None

    def _binary_sums(self, kind: int, classes: NDArray[Any] | None, eps: float) -> LossSums:
        """Return the sums for one column: the greater of two labels is positive."""
        guess = None
        if classes is None:
            guess = guess_two_classes(self.labels)
        elif len(classes) != 2:
            self._check_columns(classes, classes, 2)
        elif classes.dtype.kind in "biu":
            guess = guess_two_classes(self.labels, int(classes[1]))
            guess = guess and (guess[0], int(classes[0]), guess[2])
        if guess is not None:
            sums = binary_sums(kind, guess, self.scores, self.weights, eps)
            if sums.are_complete(every_class=classes is None):
                return sums
        y, seen = distinct_labels(self.labels)
        if classes is None:
            classes = seen
            self._check_columns(seen, None, 2)
        check_members(seen, classes)
        two = one_against_other(y, classes.tolist()[1])
        return binary_sums(kind, two, self.scores, self.weights, eps)

    def _column_sums(self, kind: int, classes: NDArray[Any] | None, eps: float) -> LossSums:
        """Return the sums for one column a class."""
        n_columns = self.scores.shape[1]
        if classes is not None:
            self._check_columns(classes, classes, n_columns)
        tolerance = math.sqrt(self.eps) + _ABSOLUTE

        def compute_sums(columns: ClassColumns) -> LossSums:
            return class_sums(kind, columns, self.scores, self.weights, eps, tolerance)

        def refuse(_: int) -> None:
            self._check_columns(distinct_labels(self.labels)[1], classes, n_columns)

        return sums_by_columns(compute_sums, self.labels, classes, n_columns, refuse)

    def _indicator_sums(self, kind: int, classes: NDArray[Any] | None, eps: float) -> LossSums:
        if classes is not None:
            raise InputError(
                "`labels` goes with class labels: `y_true` is an indicator matrix, "
                f"shape {self.labels.shape}"
            )
        if self.labels.shape != self.scores.shape:
            raise InputError(
                f"`y_true` has shape {self.labels.shape}, `y_proba` {self.scores.shape}: an "
                "indicator matrix needs one probability for each of its values"
            )
        tolerance = math.sqrt(self.eps) + _ABSOLUTE
        return indicator_sums(kind, self.labels, self.scores, self.weights, eps, tolerance)

    def _check_columns(
        self, seen: NDArray[Any], classes: NDArray[Any] | None, n_columns: int
    ) -> None:
        """Raise unless there is a column for each of ``seen``; ``classes`` are those named."""
        if classes is None and len(seen) == 1:
            raise InputError(
                f"`y_true` has only one label, {seen.tolist()[0]!r}: `labels` must name the "
                f"classes, one a column of `y_proba` ({n_columns})"
            )
        if len(seen) != n_columns and classes is None:
            raise InputError(
                f"`y_proba` must have a column for each class: {len(seen)} classes in `y_true`, "
                f"{n_columns} columns; pass `labels` if a class has no row"
            )
        if len(seen) != n_columns:
            raise InputError(
                f"`labels` must name as many classes as `y_proba` has columns, {n_columns}: got "
                f"{len(seen)}, {show_labels(seen)}"
            )

    def _raise_fault(self) -> NoReturn:
        """Raise the error of invalid probabilities, which the kernel only counts."""
        check_finite(self.scores, "y_proba")
        check_unit_interval(self.scores, "y_proba")
        raise InputError("`y_proba` was changed while it was read")


def renamed(y_proba: Any, y_pred: Any) -> Any:
    """Return the probabilities, also under scikit-learn's name before 1.9."""
    if y_pred is None:
        return y_proba
    if y_proba is not None:
        raise InputError("`y_pred` is the former name of `y_proba`: got both, pass `y_proba` alone")
    warn_user(
        "`y_pred` was renamed to `y_proba` in version 1.9 and will be removed in 1.11. Use "
        "`y_proba` instead. (The versions are scikit-learn's.)",
        FutureWarning,
    )
    return y_pred


def undefined_skill(loss: str, *, has_loss: bool) -> float:
    """Warn and return the D² of a single class, whose base rate has no loss: -inf or nan."""
    warn_user(
        f"Only one class is present in y_true. D^2 {loss} is not defined in that case.",
        UndefinedMetricWarning,
    )
    return -math.inf if has_loss else math.nan
