"""Columns of Dask as delayed partitions, tasks that know their partition, and trees of sums."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Final, NamedTuple

import dask
import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from fastmetrics._input.classes import check_label_values, distinct, text_or_numbers
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.rows import BinaryRows, check_same_index
from fastmetrics._input.scalars import WeightsAre, check_same_length
from fastmetrics._input.scores import canonical_scores, check_finite, check_weights
from fastmetrics._threads.workers import at_most
from fastmetrics.errors import InputError, InputTypeError

#: Sections of all functions of columns; `COUNTED` is of those whose weights are numbers of rows.
COLUMNS: Final = """
Parameters
----------
y_true : Dask column of shape (n,), or list of delayed partitions
    Labels, of two classes for scores: a column of a Dask dataframe, a Dask array, or a list of
    delayed objects (or futures), one a partition.
y_score : Dask column of shape (n,), or list of delayed partitions
    Scores, in the same partitions; the greater, the more positive.
sample_weight : Dask column of shape (n,), or list of delayed partitions, optional
    Weights, not negative, in the same partitions. Of scores, whole numbers (of an integer dtype)
    count as that many rows, exactly.
groups : Dask column of shape (n,), or list of delayed partitions, optional
    Which rows belong together (user, patient), in any partitions: groups then vary, not rows.
confidence_level : float, default=0.95
    Of the intervals.
range_scores : int, default=4000000
    Distinct scores that one task merges, about: less needs less memory, and more tasks.

Raises
------
TypeError, ValueError
    For data that the function of the same name in memory refuses, with its words and the number of
    the partition; for columns whose partitions do not belong together.
"""
COUNTED: Final = """
Parameters
----------
sample_weight : Dask column of shape (n,), or list of delayed partitions, optional
    How many rows each stands for: whole numbers, with ``weights_are="frequencies"``.
weights_are : {"frequencies"}
    Said where there are weights: importances, of another interval, need the rows in memory.
"""

#: States that one task adds up.
_SPLIT: Final = 8
#: Distinct labels of a partition that are reported: more are no classes of a metric for two.
_MANY: Final = 1000


def partitions(**columns: Any) -> list[Delayed]:
    """Return a delayed tuple of columns for each partition; None stays None in every one.

    Raises
    ------
    TypeError, ValueError
        For what is no column of Dask, and where partitions do not belong together.
    """
    given = {name: values for name, values in columns.items() if values is not None}
    names = tuple(columns)
    for name, values in given.items():
        if isinstance(values, list | tuple) and not values:
            raise InputError(f"`{name}` is an empty list: at least one partition is needed")
    frames = {name: values for name, values in given.items() if _has(values, "divisions")}
    _check_divisions(frames)
    blocks: dict[str, Sequence[Delayed]] = {}
    for name, values in given.items():
        if _is_list(values):
            blocks[name] = [delayed(each) for each in values]
        elif name in frames:
            blocks[name] = list(values.to_delayed())
        elif _has(values, "chunks"):  # not optimised one by one: what two share is computed once
            blocks[name] = list(values.to_delayed(optimize_graph=False).ravel())
        else:
            raise InputTypeError(
                f"`{name}` must be a column of a Dask dataframe, a Dask array or a list of delayed "
                f"partitions: got {type(values).__module__}.{type(values).__qualname__}; what is "
                "in memory goes to the function of this name of `fastmetrics`"
            )
    counts = {name: len(each) for name, each in blocks.items()}
    if len(set(counts.values())) > 1:
        text = ", ".join(f"`{name}` {count:,}" for name, count in counts.items())
        raise InputError(
            f"partitions belong together one by one, and there are of {text}: `.repartition` or "
            "`.rechunk` one column like the other"
        )
    together: Sequence[Any] = [()] * next(iter(counts.values()))
    apart = list(blocks)
    if len(frames) > 1:  # read together: one pass over a file for all of its columns
        together = _read_together(list(frames.values()))
        apart = [name for name in blocks if name not in frames]
    order = [*(name for name in frames if name not in apart), *apart]
    return [
        delayed(_in_order)(frames_here, [blocks[name][i] for name in apart], order, names)
        for i, frames_here in enumerate(together)
    ]


def _in_order(
    frames: tuple[Any, ...], others: list[Any], given: list[str], names: tuple[str, ...]
) -> tuple[Any, ...]:
    """Return the columns of one partition in the order of ``names``, None where there is none."""
    columns = dict(zip(given, (*frames, *others), strict=True))
    return tuple(columns.get(name) for name in names)


def _has(values: Any, attribute: str) -> bool:
    return hasattr(values, "to_delayed") and hasattr(values, attribute)


def _is_list(values: Any) -> bool:
    """Return whether this is a list of what is computed later: delayed objects, or futures."""
    return isinstance(values, list | tuple) and all(
        dask.is_dask_collection(each) or hasattr(each, "add_done_callback") for each in values
    )


def _read_together(frames: list[Any]) -> list[Delayed]:
    from dask.dataframe import map_partitions

    packed = map_partitions(
        _pack, *frames, meta=frames[0]._meta, enforce_metadata=False, align_dataframes=False
    )
    return list(packed.to_delayed())


def _pack(*columns: Any) -> tuple[Any, ...]:
    return columns


def _check_divisions(frames: dict[str, Any]) -> None:
    known = {name: values.divisions for name, values in frames.items() if values.known_divisions}
    if len(set(known.values())) > 1:
        one, other = list(known)[:2]
        raise InputError(
            f"`{one}` and `{other}` have other divisions: take columns of one dataframe, or "
            f"`.repartition(divisions=...)` one like the other"
        )


# --- tasks and sums ------------------------------------------------------------------------------


def over(chunks: Sequence[Delayed], task: Callable[..., Any], *more: Any) -> list[Delayed]:
    """Return a task for each partition, whose errors name the partition."""
    call = delayed(_in_partition)
    return [call(task, i, chunk, more) for i, chunk in enumerate(chunks)]


def _in_partition(task: Callable[..., Any], number: int, chunk: Any, more: Sequence[Any]) -> Any:
    try:
        with at_most(1):  # a worker of Dask has other threads for other tasks
            return task(chunk, *more)
    except InputError as error:
        raise type(error)(f"{error} (in partition {number})") from error


def total(states: Sequence[Delayed]) -> Any:
    """Compute the sum of states, None being nothing, by a tree: no task holds many of them."""
    level = list(states)
    call = delayed(_add)
    while True:
        level = [call(level[at : at + _SPLIT]) for at in range(0, len(level), _SPLIT)]
        if len(level) == 1:
            return dask.compute(level[0])[0]


def _add(states: Sequence[Any]) -> Any:
    there = [state for state in states if state is not None]
    return reduce(operator.add, there) if there else None


# --- rows of a partition -------------------------------------------------------------------------


class Seen(NamedTuple):
    """Result of a task on a partition, with its labels and number of rows.

    ``state`` is None where no row counts.
    """

    labels: NDArray[Any]
    n_rows: int
    state: Any = None


def partition_rows(
    columns: tuple[Any, ...],
    weights_are: WeightsAre | None = None,
    positive: list[Any] | None = None,
) -> Seen:
    """Return the `BinaryRows` of a partition, all that weigh something, and its labels.

    ``positive`` has the positive label, or is empty where none occurs; by default the greatest
    label is, which is the positive or the negative one of all partitions.
    """
    y_true, y_score, sample_weight = (*columns, None)[:3]
    check_same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    lengths = {"y_true": as_array(y_true, "y_true"), "y_score": as_array(y_score, "y_score")}
    n = check_same_length(**lengths)
    if n == 0:
        return Seen(np.empty(0), 0)
    labels = text_or_numbers(as_vector(y_true, "y_true"), "y_true")
    check_label_values(labels, "y_true")
    names = distinct(labels)[:_MANY]
    chosen = names[-1:].tolist() if positive is None else positive
    is_positive = np.asarray(labels == chosen[0]) if chosen else np.zeros(n, np.bool_)
    scores = canonical_scores(as_vector(y_score, "y_score"), "y_score")
    check_finite(scores, "y_score")
    rows = BinaryRows(is_positive.view(np.int8), 0, scores, None, False, False)
    if sample_weight is None:
        return Seen(names, n, rows)
    if weighs_nothing(sample_weight, n):
        return Seen(names, n)
    checked = check_weights(sample_weight, n, weights_are=weights_are)
    if checked.exponent:
        raise InputError(
            "`sample_weight` and its sum must lie between 2**-250 and 2**250: scale the "
            "weights of all partitions alike"
        )
    weighs = checked.values > 0  # rows of no weight are not there
    rows = rows.replace(
        labels=rows.labels[weighs],
        scores=scores[weighs],
        weights=checked.values[weighs],
        integer_weights=checked.is_integer,
    )
    return Seen(names, n, rows)


def weighs_nothing(sample_weight: Any, n_rows: int) -> bool:
    """Return whether the weights of a partition are all zero, which is an error of all alone."""
    if sample_weight is None:
        return False
    given = as_array(sample_weight, "sample_weight")
    return given.dtype.kind in "biuf" and given.shape == (n_rows,) and not given.any()


def distinct_labels(partitions: Sequence[Seen]) -> NDArray[Any]:
    """Return the distinct labels of all partitions; raise where no row is there, or counts."""
    seen = [(i, each.labels) for i, each in enumerate(partitions) if len(each.labels)]
    if not seen:
        as_vector(np.empty(0), "y_true")  # which says that at least one row is needed
    texts = [i for i, labels in seen if labels.dtype.kind in "UOT"]
    if texts and len(texts) < len(seen):
        numbers = next(i for i, labels in seen if labels.dtype.kind not in "UOT")
        raise InputTypeError(
            f"`y_true` holds text in partition {texts[0]} and numbers in partition {numbers}"
        )
    if all(each.state is None for each in partitions):
        n = sum(each.n_rows for each in partitions)
        raise InputError(f"`sample_weight` must not be all zero: {n:,} rows, no positive weight")
    return distinct(np.concatenate([labels for _, labels in seen]))
