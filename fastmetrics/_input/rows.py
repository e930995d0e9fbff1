"""Labels, scores and weights of two classes, of one model or of several: checked once."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels, encode_labels
from fastmetrics._input.containers import (
    OF_PREDICT_PROBA,
    as_array,
    as_narrow_vector,
    as_vector,
    column_count,
    column_names,
    has_names,
    is_null,
    key_name,
    key_names,
    widened,
)
from fastmetrics._input.device import DeviceCounts, count_on_device
from fastmetrics._input.scalars import WeightsAre, check_flag, check_same_length
from fastmetrics._input.scores import (
    CANONICAL,
    check_finite,
    check_narrow_scores,
    check_score_matrix,
    check_scores_array,
    check_weights,
    contiguous,
    narrow_scores,
)
from fastmetrics.errors import InputError, InputTypeError, no_such, renamed


@dataclass(slots=True, eq=False, repr=False)
class BinaryRows:
    """Labels, scores and weights of n rows, in canonical dtypes and equal length.

    Attributes
    ----------
    labels : ndarray of int8, shape (n,)
        1 marks a positive, ``negative`` a negative; contiguous, possibly the user's own memory.
    negative : int
        0 or -1.
    scores : ndarray of float32, float64, int64 or uint64, shape (n,)
        Contiguous, native; -0.0 may stand beside 0.0. Those of 16 bits are widened when read.
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
    Labels and scores are verified when they are first read. A pass over all rows that verifies
    them on the way reads ``unverified`` instead, and says by `accept` whether it counted n labels
    that are 1 or ``negative``, and met no score that is nan or infinite.
    """

    _labels: NDArray[np.int8]
    _negative: int
    _scores: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    integer_weights: bool = False
    allow_inf: bool = False
    weight_exponent: int = 0
    #: Of rows that are not verified the arguments of `encode_labels`, or () of right labels.
    _promise: tuple[Any, ...] | None = None
    #: True if the scores have 16 bits, and were not widened yet.
    is_narrow: bool = False

    def __len__(self) -> int:
        return len(self._scores)

    @property
    def labels(self) -> NDArray[np.int8]:
        """The labels, verified."""
        return self.verify()._labels

    @property
    def negative(self) -> int:
        """The label of the negatives, verified."""
        return self.verify()._negative

    @property
    def scores(self) -> NDArray[Any]:
        """The scores, verified."""
        return self.verify().unverified[2]

    @property
    def is_countable(self) -> bool:
        """True if scores have 16 bits, and rows count one each or as often as whole weights say."""
        return self.is_narrow and (self.weights is None or self.integer_weights)

    @property
    def unwidened(self) -> tuple[NDArray[np.int8], int, NDArray[Any]]:
        """Labels, the label of negatives, and scores of 16 bits, none of them verified."""
        return self._labels, self._negative, self._scores

    @property
    def unverified(self) -> tuple[NDArray[np.int8], int, NDArray[Any]]:
        """Labels, the label of negatives, and scores, for a pass that verifies them on the way."""
        if self.is_narrow:
            self._scores = widened(self._scores)
            self.is_narrow = False
        return self._labels, self._negative, self._scores

    def accept(self, are_right: bool) -> bool:
        """Note that a pass found all rows valid; else verify them, which may correct the labels.

        For instance {-1, 1} may have been taken for {0, 1}.
        """
        if are_right:
            self._promise = None
        else:
            self.verify()
        return are_right

    def verify(self) -> BinaryRows:
        """Read every row, unless that was done: raise what is wrong, return the rows themselves."""
        if self._promise is not None:
            if self._promise:
                self._labels, self._negative, _ = encode_labels(*self._promise, defer=False)
            check_finite(self._scores, "y_score", self.allow_inf)
            self._promise = None
        return self

    def replace(self, **changes: Any) -> BinaryRows:
        """Return verified rows with other labels, scores or weights."""
        names = [name for name in ("labels", "scores") if name in changes]
        private = {f"_{name}": changes.pop(name) for name in names}
        if "_scores" in private:
            private["is_narrow"] = private["_scores"].itemsize == 2
        return replace(self.verify(), **private, **changes)

    def typed_weights(self) -> NDArray[Any] | None:
        """Return the weights, whole ones as int64, as which they count exactly."""
        if self.weights is None or not self.integer_weights:
            return self.weights
        return self.weights.astype(np.int64)


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

    One-byte labels and the finiteness of scores are verified when they are first read, or by the
    pass that splits the classes (see `BinaryRows`). For ``weights_are`` see `check_weights`;
    ``label_rule``, one of `classes.RULES`, says which labels are accepted, and which is positive
    where ``pos_label`` is not given. Memory: at most one byte a row for the labels, and one copy of
    scores that are not canonical.
    """
    y = y_true if _is_plain_vector(y_true) else _labels_vector(y_true)
    scores = y_score if _is_plain_vector(y_score) else as_narrow_vector(y_score, "y_score")
    if len(y) != len(scores):
        check_same_length(y_true=y, y_score=scores)
    is_narrow = False
    flags = scores.flags
    if scores.dtype not in CANONICAL or not (flags.c_contiguous and flags.aligned):
        scores = narrow_scores(scores, "y_score")
        is_narrow = scores.itemsize == 2
    weights = None
    integer_weights = False
    exponent = 0
    if sample_weight is not None:
        weights, integer_weights, exponent = check_weights(
            sample_weight, len(y), weights_are=weights_are
        )
    allow_inf = check_flag("allow_inf", allow_inf)
    labels, negative, verified = encode_labels(y, pos_label, label_rule, defer=True)
    promise = () if verified else (y, pos_label, label_rule)
    return BinaryRows(
        labels, negative, scores, weights, integer_weights, allow_inf, exponent, promise, is_narrow
    )


def check_rows(y_true: Any, y_score: Any, **options: Any) -> BinaryRows | DeviceCounts:
    """Return `check_binary` of the rows, or their counts where they lie on an accelerator."""
    if type(y_score) is not np.ndarray and hasattr(y_score, "__dlpack_device__"):
        counts = count_on_device(y_true, y_score, **options)
        if counts is not None:
            return counts
    return check_binary(y_true, y_score, **options)


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
    difference = different_rows(columns)
    if difference is not None:
        raise InputError(difference[0])


def different_rows(columns: Mapping[str, Any]) -> tuple[str, bool] | None:
    """Return a message on the first two columns whose indexes contradict each other, if any do.

    Also return whether both have the same labels, in another order.
    """
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
        elif not index.equals(labelled[n][1]):
            difference = _difference(*labelled[n], name, index)
            if difference:
                return difference
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
            if values and _get_index(values[0]) is not None:
                yield from _indexes({f"{name}[{i}]": each for i, each in enumerate(values)})
        elif (index := _get_index(values)) is not None:
            yield name, index


def _get_index(values: Any) -> Any:
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
    kind = getattr(getattr(index, "dtype", None), "kind", "")
    n = len(index)
    if kind not in ("i", "u") or not n or index.min() != 0 or index.max() != n - 1:
        return False
    return hasattr(index, "step") or np.array_equal(np.sort(index.to_numpy()), np.arange(n))


def _difference(one: str, index: Any, name: str, other: Any) -> tuple[str, bool] | None:
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
            return (
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
    if isinstance(y_score, Mapping) or (has_names(y_score) and column_count(y_score) > 1):
        advice = f"; {OF_PREDICT_PROBA}" if column_count(y_score) == 2 else ""
        raise InputTypeError(
            f"`y_score` must be the scores of one model: got a {type(y_score).__name__}, and "
            f"models by name are for `{instead}`{advice}"
        )


# --- several models -------------------------------------------------------------------------------


#: What functions of several models take.
MODELS: Final = """
Parameters
----------
scores : mapping of str to array-like of shape (n_samples,), or data frame
    Each model's scores by its name; a data frame has one column a model. An array of shape
    (n_samples, n_models) needs `names`. The greater the score, the more positive.
names : sequence of str, optional
    Of the columns of `scores`, where it is an array; mappings and data frames have their own.

Raises
------
TypeError, ValueError
    If `scores` does not name its models, names too few, or holds the two columns of
    `predict_proba`.
"""

#: Half precision and three printed digits may be off by so much.
_NEAR_ONE: Final = 1e-3
_HEAD: Final = 1000


class NamedScores(NamedTuple):
    """A model's ``name``, what its scores are called in messages, and the scores."""

    name: str
    argument: str
    values: Any


@dataclass(frozen=True, slots=True, eq=False)
class CheckedModels:
    """Checked labels, weights and groups, with the scores of each model; no row weighs nothing.

    ``rows`` have the scores of the first model; ``scores`` are those of each, finite and
    canonical, or of 16 bits where these are kept; ``groups`` number the group of each row, none of
    them empty, or are None.
    """

    names: tuple[str, ...]
    rows: BinaryRows
    scores: tuple[NDArray[Any], ...]
    groups: NDArray[np.int64] | None

    def model_rows(self, model: int) -> BinaryRows:
        """Return the rows with the scores of one model."""
        return self.rows.replace(scores=self.scores[model])


def named_scores(
    scores: Any, names: Iterable[str] | None = None, *, at_least: int = 1
) -> list[NamedScores]:
    """Return each model of a mapping, a data frame, or an array whose columns have ``names``."""
    models = _parse_models(scores, names)
    if len(models) < at_least:
        needed = "two models" if at_least == 2 else "one model"
        raise InputError(f"`scores` must name at least {needed}: got {len(models)}")
    key_names((model.name for model in models), "scores", "models")
    if len(models) == 2 and not isinstance(scores, Mapping):
        _refuse_both_classes(models)
    return models


def _parse_models(scores: Any, names: Iterable[str] | None) -> list[NamedScores]:
    if not has_names(scores):
        return _columns(scores, names)
    if names is not None:
        raise InputTypeError("`names` is for an array: this `scores` names its models itself")
    keys = column_names(scores)
    return [
        NamedScores(name, f"scores[{key!r}]", scores[key])
        for name, key in zip(key_names(keys, "scores", "models"), keys, strict=True)
    ]


def _columns(scores: Any, names: Iterable[str] | None) -> list[NamedScores]:
    """Return the columns of an array, which says nothing of models but by ``names``."""
    is_by_model = False  # a list of a vector for each name, not of a row for each example
    if isinstance(scores, list | tuple) and isinstance(names, list | tuple):
        is_by_model = len(scores) == len(names) != column_count(scores)
    if names is not None and is_by_model:
        own_names = _checked_names(names)
        return [
            NamedScores(name, f"scores[{i}]", one)
            for i, (name, one) in enumerate(zip(own_names, scores, strict=True))
        ]
    if names is None and isinstance(scores, list | tuple) and column_count(scores) > 1:
        raise InputTypeError(
            f"`scores` is a {type(scores).__name__}, which names no models: pass "
            "{'a': ..., 'b': ...}, each model's scores by its name"
        )
    array = as_array(scores, "scores")
    if array.ndim != 2:
        raise InputError(
            "`scores` must be a mapping from names to scores, {'a': ..., 'b': ...}, a data frame, "
            f"or an array of shape (n_samples, n_models) with `names`: got shape {array.shape}"
        )
    matrix = check_score_matrix(array, "scores")
    columns = [contiguous(matrix[:, j]) for j in range(matrix.shape[1])]
    if names is None:
        if len(columns) == 2:
            _refuse_both_classes([NamedScores("", "scores", column) for column in columns])
        raise InputError(
            f"`scores` of shape {array.shape} does not say which models its columns are: pass "
            "{'a': ..., 'b': ...}, a data frame, or `names`, one for each column"
        )
    own_names = _checked_names(names)
    if len(own_names) != len(columns):
        raise InputError(
            f"`names` must name the {len(columns)} columns of `scores`: got {own_names!r}"
        )
    return [
        NamedScores(name, f"scores[:, {j}]", column)
        for j, (name, column) in enumerate(zip(own_names, columns, strict=True))
    ]


def _checked_names(names: Any) -> list[str]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputTypeError(f"`names` must be a sequence of texts: got {names!r}")
    own_names = list(names)
    for i, name in enumerate(own_names):
        if not isinstance(name, str):
            raise InputTypeError(f"`names` must hold texts: got {name!r} at index {i}")
    return list(map(key_name, own_names))


def _refuse_both_classes(models: list[NamedScores]) -> None:
    """Raise if two columns are the output of `predict_proba` for one model's two classes."""
    first, second = (as_array(model.values, model.argument) for model in models)
    if {first.dtype.kind, second.dtype.kind} != {"f"} or first.shape != second.shape:
        return
    for rows in (slice(_HEAD), slice(None)):  # most models need but a look
        low = np.minimum(first[rows], second[rows])
        if not ((low >= 0) & (np.abs(first[rows] + second[rows] - 1) <= _NEAR_ONE)).all():
            return
    raise InputError(f"`scores` has two columns that sum to 1 in each row; {OF_PREDICT_PROBA}")


def check_models(
    y_true: Any,
    models: list[NamedScores],
    *,
    sample_weight: Any = None,
    weights_are: WeightsAre | None = None,
    pos_label: Any = None,
    groups: Any = None,
    keeps_narrow: bool = False,
) -> CheckedModels:
    """Return the rows of several models, verified once; rows of weight 0 are left out.

    With ``keeps_narrow`` many scores of 16 bits stay as they are.
    """
    check = check_narrow_scores if keeps_narrow else check_scores_array
    scores = [check(model.values, model.argument) for model in models]
    for model, column in zip(models[1:], scores[1:], strict=True):
        check_same_length(**{models[0].argument: scores[0], model.argument: column})
    with renamed(y_score=models[0].argument):
        rows = check_binary(
            y_true,
            scores[0],
            sample_weight=sample_weight,
            weights_are=weights_are,
            pos_label=pos_label,
        )
    codes = None
    if groups is not None:
        codes = check_class_labels(groups, "groups").codes
        check_same_length(y_true=rows.labels, groups=codes)
    if rows.weights is not None and not rows.weights.all():
        kept = rows.weights > 0
        scores = [column[kept] for column in scores]
        rows = rows.replace(labels=rows.labels[kept], weights=rows.weights[kept])
        if codes is not None:
            codes = np.unique(codes[kept], return_inverse=True)[1].astype(np.int64, copy=False)
    names = tuple(model.name for model in models)
    return CheckedModels(names, rows.replace(scores=scores[0]), tuple(scores), codes)


def model_pairs(names: Sequence[str], reference: str | None = None) -> list[tuple[int, int]]:
    """Return the compared models by their indices: every two, or each with the reference."""
    if reference is None:
        return list(combinations(range(len(names)), 2))
    if reference not in names:
        raise no_such(reference, "models", names)
    last = list(names).index(reference)
    return [(k, last) for k in range(len(names)) if k != last]
