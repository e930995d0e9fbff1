"""One partition of labels and scores, whose labels are judged with those of all partitions.

Which label is positive is known when all partitions have been seen, and guessed before: 1, unless
it is given. Where the guess was wrong, the pass is done again with what is right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from fastmetrics._input.classes import check_label_values, distinct, encode_labels, text_or_numbers
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.rows import BinaryRows, check_same_index
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import canonical_scores, check_finite
from fastmetrics._input.weights import check_weights
from fastmetrics.dask._partitions import computed, over, summed
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.score_table import ScoreTable, in_order

#: Distinct labels of a partition that are reported: more are no classes of a measure for two.
_MANY: Final = 1000
_EXACT: Final = 2**53


class Seen(NamedTuple):
    """What a task made of a partition, and the labels and the number of rows that were there.

    ``state`` is None where no row counts; ``given`` is the dtype that scores came in.
    """

    labels: NDArray[Any]
    n_rows: int
    state: Any
    given: np.dtype[Any] | None = None


def checked(columns: tuple[Any, ...], positive: Any) -> Seen:
    """Return the `BinaryRows` of a partition, of which those labelled ``positive`` are."""
    y_true, y_score, sample_weight = (*columns, None)[:3]
    check_same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    lengths = {"y_true": as_array(y_true, "y_true"), "y_score": as_array(y_score, "y_score")}
    check_same_length(**lengths)
    n = len(lengths["y_true"])
    if n == 0:
        return Seen(np.empty(0), 0, None)
    labels = text_or_numbers(as_vector(y_true, "y_true"), "y_true")
    check_label_values(labels, "y_true")
    vector = as_vector(y_score, "y_score")
    scores = canonical_scores(vector, "y_score")
    given = vector.dtype if vector.dtype.kind in "iubf" else scores.dtype
    check_finite(scores, "y_score")
    weights, is_integer = None, False
    if sample_weight is not None:
        if weighs_nothing(sample_weight, n):
            return Seen(distinct(labels)[:_MANY], n, None)
        found = check_weights(sample_weight, n)
        if found.exponent:
            raise InputError(
                "`sample_weight` and its sum must lie between 2**-250 and 2**250: scale the "
                "weights of all partitions alike"
            )
        weights, is_integer = found.values, found.is_integer
    is_positive = np.asarray(labels == positive).view(np.int8)
    rows = BinaryRows(is_positive, 0, scores, weights, is_integer, False)
    return Seen(distinct(labels)[:_MANY], n, rows, given)


def that_weigh(rows: BinaryRows) -> BinaryRows:
    """Return the rows that weigh something: the others are not there."""
    if rows.weights is None or rows.weights.all():
        return rows
    has = rows.weights > 0
    return replace(
        rows, labels=rows.labels[has], scores=rows.scores[has], weights=rows.weights[has]
    )


def weighs_nothing(sample_weight: Any, n_rows: int) -> bool:
    """Return whether the weights of a partition are all zero, which is an error of all alone."""
    if sample_weight is None:
        return False
    given = as_array(sample_weight, "sample_weight")
    return given.dtype.kind in "biuf" and given.shape == (n_rows,) and not given.any()


def frequencies(parts: Sequence[Delayed]) -> list[Delayed]:
    """Return the partitions with weights that are numbers of rows, as integers."""
    return over(parts, _frequencies)


def _frequencies(columns: tuple[Any, ...]) -> tuple[Any, ...]:
    y_true, y_score, sample_weight, *others = columns
    given = as_array(sample_weight, "sample_weight")
    if given.dtype.kind != "f" or not given.any():
        return columns
    found = check_weights(given, len(given), weights_are="frequencies")
    return y_true, y_score, found.values.astype(np.int64), *others


def state_of(
    columns: tuple[Any, ...],
    positive: Any,
    read: Callable[..., Seen],
    make: Callable[..., Any],
    *more: Any,
) -> Seen:
    """Return what ``make`` makes of the rows of a partition, as ``read`` finds them."""
    seen = read(columns, positive)
    return seen if seen.state is None else seen._replace(state=make(seen.state, *more))


def judged(run: Callable[[Any], list[Seen]], *, pos_label: Any, rule: str) -> list[Seen]:
    """Return what ``run`` makes of all partitions, given the positive label, once it is right."""
    guess = 1 if pos_label is None else pos_label
    guess = guess.item() if isinstance(guess, np.generic) else guess
    found = run(guess)
    labels = union(found)
    positive = labels[encode_labels(labels, pos_label, rule, defer=False).values == 1].tolist()
    if positive and positive[0] != guess:
        found = run(positive[0])
    if all(each.state is None for each in found):
        n = sum(each.n_rows for each in found)
        raise InputError(f"`sample_weight` must not be all zero: {n:,} rows, no positive weight")
    return found


def union(found: Sequence[Seen]) -> NDArray[Any]:
    """Return the distinct labels of all partitions, or raise where there is no row."""
    seen = [(i, each.labels) for i, each in enumerate(found) if len(each.labels)]
    if not seen:
        as_vector(np.empty(0), "y_true")  # which says that at least one row is needed
    texts = [i for i, labels in seen if labels.dtype.kind in "UOT"]
    if texts and len(texts) < len(seen):
        numbers = next(i for i, labels in seen if labels.dtype.kind not in "UOT")
        raise InputTypeError(
            f"`y_true` holds text in partition {texts[0]} and numbers in partition {numbers}"
        )
    return distinct(np.concatenate([labels for _, labels in seen]))


def sum_of(
    parts: Sequence[Delayed],
    make: Callable[..., Any],
    *more: Any,
    pos_label: Any = None,
    read: Callable[..., Seen] = checked,
) -> Any:
    """Return the sum of what ``make`` makes of rows, as ``read`` finds them in each partition."""
    total: list[Any] = []

    def run(positive: Any) -> list[Seen]:
        tasks = over(parts, state_of, positive, read, make, *more)
        looks = [delayed(_look)(task) for task in tasks]
        whole = summed([task.state for task in tasks])
        found: list[Seen]
        found, total[:] = computed([looks, [whole]])
        return found

    judged(run, pos_label=pos_label, rule="strict")
    return total[0]


def _look(seen: Seen) -> Seen:
    return seen._replace(state=None if seen.state is None else True)


class Run(NamedTuple):
    """The columns of a `ScoreTable`, counts in as few bytes as hold them: it is sent, and kept."""

    scores: NDArray[Any]
    positives: NDArray[Any]
    negatives: NDArray[Any]

    @classmethod
    def of(cls, table: ScoreTable) -> Run:
        """Return the run of a table."""
        return cls(table.scores, narrow(table.positives), narrow(table.negatives))

    def table(self) -> ScoreTable:
        """Return the table again."""
        return merged([self])

    @property
    def has_few_ties(self) -> bool:
        """Whether there are at most twice as many samples as distinct scores, of whole weights."""
        both = self.positives, self.negatives
        is_counted = all(column.dtype.kind != "f" for column in both)
        return is_counted and sum(int(column.sum()) for column in both) <= 2 * len(self.scores)

    def __add__(self, other: tuple[Any, ...]) -> Run:
        """Return the run of the rows of both."""
        return Run.of(merged([self, Run(*other)]))


def merged(runs: Sequence[Run]) -> ScoreTable:
    """Return the table of some columns: scores put in order, equal ones added up."""
    scores, positives, negatives = (
        np.concatenate(columns[::-1]) for columns in zip(*runs, strict=True)
    )
    kind = np.float64 if positives.dtype.kind == "f" or negatives.dtype.kind == "f" else np.int64
    columns = scores, positives.astype(kind, copy=False), negatives.astype(kind, copy=False)
    if len(runs) > 1 and len(scores):
        columns = in_order(columns)
    return ScoreTable._of_columns(*columns)


def narrow(counts: NDArray[Any]) -> NDArray[Any]:
    """Return counts in the smallest dtype that holds them; floats as they are.

    Never uint64, which with int64 would become float64.
    """
    if counts.dtype.kind == "f" or not len(counts) or (most := int(counts.max())) >= 2**32:
        return counts
    return counts.astype(np.min_scalar_type(most))


def common_dtype(given: Sequence[np.dtype[Any]], ends: Sequence[tuple[int, int]]) -> np.dtype[Any]:
    """Return the canonical dtype of all scores: that of one array of them, if it holds each.

    Integers stay integers. ``ends`` are the least and the greatest of each partition that has some.
    """
    kind: np.dtype[Any] = np.result_type(*given)
    if kind.kind in "iub":
        return kind if kind.itemsize == 8 else np.dtype(np.float64)
    if all(each.kind in "iub" for each in given):
        low, high = min(least for least, _ in ends), max(greatest for _, greatest in ends)
        for wide in (np.dtype(np.int64), np.dtype(np.uint64)):
            if np.iinfo(wide).min <= low and high <= np.iinfo(wide).max:
                return wide
    return np.dtype(np.float32 if kind.itemsize < 8 else np.float64)


def cast(scores: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return scores in another dtype, which holds each of them, or raise."""
    is_rounded = dtype.kind == "f" and scores.dtype.kind != "f"
    if is_rounded and max(-int(scores.min()), int(scores.max())) > _EXACT:
        raise InputError(
            "`y_score` holds integers beyond 2**53, and floats or other integers in other "
            "partitions: pass all of them in one dtype"
        )
    return scores.astype(dtype, copy=False)
