"""Labels, scores and weights of two classes: checked once, and trusted from there."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import encode_labels
from fastmetrics._input.containers import (
    OF_PREDICT_PROBA,
    as_vector,
    column_count,
    has_names,
    is_null,
)
from fastmetrics._input.scalars import WeightsAre, check_flag, check_same_length
from fastmetrics._input.scores import CANONICAL, canonical_scores, check_finite
from fastmetrics._input.weights import check_weights
from fastmetrics.errors import InputError, InputTypeError


@dataclass(frozen=True, slots=True, eq=False)
class BinaryRows:
    """Labels, scores and weights of n rows, in canonical dtypes and equal length.

    Attributes
    ----------
    labels : ndarray of int8, shape (n,)
        1 marks a positive, ``negative`` a negative; contiguous, possibly the user's own memory.
    negative : int
        0 or -1.
    scores : ndarray of float32, float64, int64 or uint64, shape (n,)
        Contiguous, native; -0.0 may stand beside 0.0.
    weights : ndarray of float64, shape (n,), or None
        Finite, not negative, not all zero.
    integer_weights : bool
        Whether the weights are whole numbers, whose sum is exact: frequencies, where it matters.
    allow_inf : bool
        Whether infinite scores pass.
    weight_exponent : int
        ``weights`` are the user's times ``2**weight_exponent``; 0 unless they were extreme.

    Notes
    -----
    The pass that splits the classes completes the verification: it must count labels that are 1
    and labels that are ``negative``, and notice scores that are nan or infinite. When the counts
    do not add up to n, or it meets such a score, it calls `recheck` and goes on with what that
    returns.
    """

    labels: NDArray[np.int8]
    negative: int
    scores: NDArray[Any]
    weights: NDArray[np.float64] | None
    integer_weights: bool
    allow_inf: bool
    weight_exponent: int = 0
    _deferred: tuple[NDArray[Any], Any, str] | None = dataclasses.field(default=None, repr=False)

    def typed_weights(self) -> NDArray[Any] | None:
        """Return the weights, whole ones as int64, as which they count exactly."""
        if self.weights is None or not self.integer_weights:
            return self.weights
        return self.weights.astype(np.int64)

    def recheck(self) -> BinaryRows:
        """Read every row: raise what is wrong, or return rows that are fully verified.

        They are the same object if its labels were right, else corrected rows (for instance when
        {-1, 1} was taken for {0, 1}).
        """
        rows = self
        if self._deferred is not None:
            y, pos_label, rule = self._deferred
            found = encode_labels(y, pos_label, rule, defer=False)
            rows = dataclasses.replace(
                self, labels=found.values, negative=found.negative, _deferred=None
            )
        check_finite(self.scores, "y_score", self.allow_inf)
        return rows


def check_binary(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    weights_are: WeightsAre | None = None,
    pos_label: Any = None,
    allow_inf: bool = False,
    label_rule: str = "strict",
) -> BinaryRows:
    """Return the rows of a binary problem in canonical form, zero-copy where they have it.

    The pass that splits the classes verifies one-byte labels and the finiteness of scores (see
    `BinaryRows`). For ``weights_are`` see `check_weights`; ``label_rule``, one of `labels.RULES`,
    says which labels are accepted, and which is positive where ``pos_label`` is not given. Memory:
    at most one byte a row for the labels, and one copy of scores that are not canonical.
    """
    y = y_true if _is_plain_vector(y_true) else _labels_vector(y_true)
    scores = y_score if _is_plain_vector(y_score) else as_vector(y_score, "y_score")
    if len(y) != len(scores):
        check_same_length(y_true=y, y_score=scores)
    flags = scores.flags
    if scores.dtype not in CANONICAL or not (flags.c_contiguous and flags.aligned):
        scores = canonical_scores(scores, "y_score")
    weights, integer_weights, exponent = None, False, 0
    if sample_weight is not None:
        weights, integer_weights, exponent = check_weights(
            sample_weight, len(y), weights_are=weights_are
        )
    allow_inf = check_flag("allow_inf", allow_inf)
    labels, negative, verified = encode_labels(y, pos_label, label_rule, defer=True)
    deferred = None if verified else (y, pos_label, label_rule)
    return BinaryRows(
        labels, negative, scores, weights, integer_weights, allow_inf, exponent, deferred
    )


def _labels_vector(y_true: Any) -> NDArray[Any]:
    """Return labels as a vector; of a matrix, the error says what to do with one-hot rows."""
    try:
        return as_vector(y_true, "y_true")
    except InputError as error:
        if column_count(y_true) < 2:
            raise
        raise InputError(
            f"{error}; of one-hot rows, pass the column of the positive class, as `y_true[:, 1]`"
        ) from error


def check_same_index(**columns: Any) -> None:
    """Raise where columns of one length have rows that are labelled differently, as pandas' may be.

    Rows are matched by position. An index that numbers the rows in their order labels nothing,
    beside labels of another kind: predictions that were put into a series of their own belong to
    any rows. Beside the same numbers in another order it says that rows were shuffled.
    """
    if "pandas" not in sys.modules:  # what has an index is of pandas, or imports it
        return
    found = different_rows(columns)
    if found is not None:
        raise InputError(found.message)


class DifferentRows(NamedTuple):
    """What is said of two columns with different rows; whether their labels are the same ones."""

    message: str
    are_same_labels: bool


def different_rows(columns: Mapping[str, Any]) -> DifferentRows | None:
    """Return the first two columns whose indexes contradict each other, if there are two."""
    labelled: dict[int, tuple[str, Any]] = {}  # by length, which is checked elsewhere
    numbered: dict[int, tuple[str, Any]] = {}
    for name, index in _indexes(columns):
        n = len(index)
        if n in labelled and index is labelled[n][1]:
            continue
        if _numbers_rows(index):
            numbered.setdefault(n, (name, index))
        elif n not in labelled:
            labelled[n] = name, index
        elif not index.equals(labelled[n][1]) and (found := _difference(*labelled[n], name, index)):
            return found
    for n, one in numbered.items():
        if n in labelled and _shuffles_rows(labelled[n][1]):
            return _difference(*one, *labelled[n])
    return None


def _indexes(columns: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names and indexes of what has one: columns, and those in mappings and lists."""
    for name, values in columns.items():
        if values is None or type(values) is np.ndarray:
            continue
        if isinstance(values, Mapping):
            yield from _indexes({f"{name}[{key!r}]": each for key, each in values.items()})
        elif isinstance(values, list | tuple):
            if values and _index_of(values[0]) is not None:
                yield from _indexes({f"{name}[{i}]": each for i, each in enumerate(values)})
        elif (index := _index_of(values)) is not None:
            yield name, index


def _index_of(values: Any) -> Any:
    index = getattr(values, "index", None)  # a method of lists and texts
    return index if hasattr(type(index), "equals") else None


def _numbers_rows(index: Any) -> bool:
    """Return whether an index is 0, 1, 2 …; the values of a range stay unread."""
    if hasattr(index, "step"):
        return bool(index.start == 0 and index.step == 1)
    kind = getattr(getattr(index, "dtype", None), "kind", "")
    return kind in ("i", "u") and np.array_equal(index, np.arange(len(index)))


def _shuffles_rows(index: Any) -> bool:
    """Return whether an index holds 0, 1, 2 … in some order."""
    kind, n = getattr(getattr(index, "dtype", None), "kind", ""), len(index)
    if kind not in ("i", "u") or not n or index.min() != 0 or index.max() != n - 1:
        return False
    return hasattr(index, "step") or np.array_equal(np.sort(index.to_numpy()), np.arange(n))


def _difference(one: str, index: Any, name: str, other: Any) -> DifferentRows | None:
    for row, (mine, theirs) in enumerate(zip(index, other, strict=True)):
        if is_null(mine) or is_null(theirs):
            differ = is_null(mine) != is_null(theirs)
        else:
            differ = mine != theirs
        if differ:
            are_same_labels = bool(
                index.isin(other).all()
                and index.value_counts().to_dict() == other.value_counts().to_dict()
            )
            how = "in another order" if are_same_labels else "that are not the same"
            return DifferentRows(
                f"`{one}` and `{name}` have row labels (an index) {how}: {mine!r} and {theirs!r} "
                f"at row {row}; align them with `.reindex`, or pass `.to_numpy()` of them to go by "
                "position",
                are_same_labels,
            )
    return None


def _is_plain_vector(values: Any) -> bool:
    return type(values) is np.ndarray and values.ndim == 1 and len(values) > 0


def refuse_several(y_score: Any, instead: str) -> None:
    """Raise where one model's scores are due and several come by name."""
    several = isinstance(y_score, Mapping) or (has_names(y_score) and column_count(y_score) > 1)
    if several:
        advice = f"; {OF_PREDICT_PROBA}" if column_count(y_score) == 2 else ""
        raise InputTypeError(
            f"`y_score` must be the scores of one model: got a {type(y_score).__name__}, and "
            f"models by name are for `{instead}`{advice}"
        )
