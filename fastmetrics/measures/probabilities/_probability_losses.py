"""Losses of class probabilities: labels and probabilities of any kind to sums of losses."""

from __future__ import annotations

import math
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels, show_labels
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.scalars import check_real, check_same_length
from fastmetrics._input.scores import check_finite, check_unit_interval
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.probabilities._class_rows import (
    check_labels,
    check_members,
    column_codes,
    distinct_labels,
    guess_columns,
    guess_two_classes,
    one_against_other,
    readable,
)
from fastmetrics.measures.probabilities._loss_sums import (
    LossSums,
    RowWeights,
    binary_sums,
    class_sums,
    indicator_sums,
)

#: What isclose of the array API allows beside the relative tolerance, as scikit-learn calls it.
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
    """Labels, probabilities and weights of n rows, checked as far as no pass over them is due."""

    def __init__(self, y_true: Any, y_proba: Any, sample_weight: Any) -> None:
        scores = readable(y_proba, "y_proba")
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
        self.weights = RowWeights.checked(sample_weight, len(scores))
        own = scores.dtype if scores.dtype.kind == "f" else np.dtype(np.float64)
        #: The machine epsilon of the probabilities, of half precision too.
        self.eps = float(np.finfo(own).eps)

    def sums_by_labels(self, kind: int, labels: Any, eps: float = 0.0) -> LossSums:
        """Return the sums by the rule of log_loss: classes are `labels`, or those of y_true."""
        classes = None if labels is None else check_labels(labels, ordered=False)
        if classes is not None and len(classes) < 2:
            raise InputError(f"`labels` must name two classes or more: got {classes.tolist()}")
        if self.is_indicator:
            sums = self._of_indicator(kind, classes, eps)
        elif self.scores.ndim == 1:
            sums = self._of_two(kind, classes, eps)
        else:
            sums = self._of_columns(kind, classes, eps)
        if sums.score_faults:
            self._raise_fault()
        if sums.off_rows:
            warn_user(
                "The y_prob values do not sum to one. Make sure to pass probabilities. "
                f"({sums.off_rows:,} of {sums.n_rows:,} rows)",
                UserWarning,
            )
        return sums

    def check_named(self, labels: Any) -> None:
        """Raise unless ``labels``, which one column of probabilities does not need, fits."""
        if labels is not None and not self.is_indicator:
            seen = distinct_labels(self.labels)[1]
            check_members(seen, check_class_labels(labels, "labels").classes)

    def sums_by_pos_label(self, kind: int, pos_label: Any) -> LossSums:
        """Return the sums by the rule of brier_score_loss beside one column of probabilities."""
        if self.is_indicator:
            raise InputError(
                f"`y_true` of shape {self.labels.shape} needs a column of `y_proba` a class"
            )
        if pos_label is not None and not isinstance(pos_label, str | bool | np.bool_):
            check_real("pos_label", pos_label)
        if isinstance(pos_label, np.generic):
            pos_label = pos_label.item()
        sums = None
        if pos_label is None or (isinstance(pos_label, int | float) and pos_label % 1 == 0):
            guess = guess_two_classes(self.labels, None if pos_label is None else int(pos_label))
            if guess is not None:
                sums = binary_sums(kind, guess, self.scores, self.weights)
        if sums is None or sums.known < sums.n_rows:
            two = one_against_other(*self._positive(pos_label))
            sums = binary_sums(kind, two, self.scores, self.weights)
        if sums.score_faults:
            self._raise_fault()
        return sums

    def _positive(self, pos_label: Any) -> tuple[NDArray[Any], Any]:
        """Return the labels and the one that is positive, None where no row has it."""
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

    def _of_two(self, kind: int, classes: NDArray[Any] | None, eps: float) -> LossSums:
        """Return the sums beside one column: the greater of two labels is the positive one."""
        guess = None
        if classes is None:
            guess = guess_two_classes(self.labels)
        elif len(classes) != 2:
            self._raise_class_count(len(classes), 2, classes)
        elif classes.dtype.kind in "biu":
            guess = guess_two_classes(self.labels, int(classes[1]))
            guess = guess and guess._replace(negative=int(classes[0]))
        if guess is not None:
            sums = binary_sums(kind, guess, self.scores, self.weights, eps)
            if sums.are_complete(every_class=classes is None):
                return sums
        y, seen = distinct_labels(self.labels)
        if classes is None:
            classes = seen
            self._check_class_count(seen, None, 2)
        check_members(seen, classes)
        two = one_against_other(y, classes.tolist()[1])
        return binary_sums(kind, two, self.scores, self.weights, eps)

    def _of_columns(self, kind: int, classes: NDArray[Any] | None, eps: float) -> LossSums:
        """Return the sums beside a column for each class."""
        n_columns = self.scores.shape[1]
        if classes is not None:
            self._check_class_count(classes, classes, n_columns)
        more = self.scores, self.weights, eps, math.sqrt(self.eps) + _ABSOLUTE
        guess = guess_columns(self.labels, classes)
        if guess is not None:
            sums = class_sums(kind, guess, *more)
            if sums.are_complete(every_class=classes is None):
                return sums
        columns, n_classes = column_codes(self.labels, classes, n_columns)
        if n_classes != n_columns:
            self._check_class_count(distinct_labels(self.labels)[1], classes, n_columns)
        return class_sums(kind, columns, *more)

    def _of_indicator(self, kind: int, classes: NDArray[Any] | None, eps: float) -> LossSums:
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

    def _check_class_count(
        self, seen: NDArray[Any], classes: NDArray[Any] | None, n_columns: int
    ) -> None:
        if classes is None and len(seen) == 1:
            raise InputError(
                f"`y_true` has only one label, {seen.tolist()[0]!r}: `labels` must name the "
                f"classes, one a column of `y_proba` ({n_columns})"
            )
        if len(seen) != n_columns:
            self._raise_class_count(len(seen), n_columns, classes)

    def _raise_class_count(self, found: int, n_columns: int, classes: Any) -> NoReturn:
        if classes is None:
            raise InputError(
                f"`y_proba` must have a column for each class: {found} classes in `y_true`, "
                f"{n_columns} columns; pass `labels` if a class has no row"
            )
        raise InputError(
            f"`labels` must name as many classes as `y_proba` has columns, {n_columns}: got "
            f"{found}, {show_labels(classes)}"
        )

    def _raise_fault(self) -> NoReturn:
        """Raise what is wrong with the probabilities; the kernel has only counted."""
        check_finite(self.scores, "y_proba")
        check_unit_interval(self.scores, "y_proba")
        raise InputError("`y_proba` was changed while it was read")


def renamed(y_proba: Any, y_pred: Any) -> Any:
    """Return the probabilities, under their name of scikit-learn before 1.9 if given so."""
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
    """Return the D² of one class, whose shares have no loss, with a warning: -inf or nan."""
    warn_user(
        f"Only one class is present in y_true. D^2 {loss} is not defined in that case.",
        UndefinedMetricWarning,
    )
    return -math.inf if has_loss else math.nan


def too_few_for_d2(y_true: Any, y_proba: Any) -> bool:
    """Return whether there are fewer than two rows, after a warning."""
    scores = readable(y_proba, "y_proba")
    if len(scores) >= 2:
        return False
    check_same_length(y_true=as_array(y_true, "y_true"), y_proba=scores)
    warn_user(
        "D^2 score is not well-defined with less than two samples.",
        UndefinedMetricWarning,
    )
    return True
