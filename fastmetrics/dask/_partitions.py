"""Columns of Dask, a delayed tuple a partition; tasks that know their partition; trees of sums."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce, wraps
from typing import Any, Final, TypeVar, cast
from uuid import uuid4

import dask
from dask.delayed import Delayed, delayed

from fastmetrics._input.scalars import check_same_length
from fastmetrics._threads.workers import at_most
from fastmetrics.errors import InputError, InputTypeError

#: What functions of columns say alike; with `COUNTED` those that take weights as numbers of rows.
COLUMNS: Final = """
Parameters
----------
y_true : Dask column of shape (n,), or list of delayed partitions
    Labels, of two classes for scores, or targets: a column of a Dask dataframe, a Dask array, or a
    list of delayed objects (or futures), one a partition. A list alone has tuples of all columns,
    as (labels, scores) or (labels, scores, weights).
y_score : Dask column of shape (n,), or list of delayed partitions, optional
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

F = TypeVar("F", bound=Callable[..., Any])

#: States that one task adds up.
SPLIT: Final = 8


def partitions(**columns: Any) -> list[Delayed]:
    """Return a delayed tuple of columns for each partition; None stays None in every one.

    Raises
    ------
    TypeError, ValueError
        For what is no column of Dask, and where partitions do not belong together.
    """
    given = {name: values for name, values in columns.items() if values is not None}
    names = tuple(columns)
    first = names[0]
    for name, values in given.items():
        if isinstance(values, list | tuple) and not values:
            raise InputError(f"`{name}` is an empty list: at least one partition is needed")
    if list(given) == [first] and _is_list(given[first]):
        return [delayed(_filled)(part, names) for part in given[first]]
    frames = {name: values for name, values in given.items() if _is_frame(values)}
    arrays = {name: values for name, values in given.items() if _is_array(values)}
    _check_divisions(frames)
    found: dict[str, Sequence[Delayed]] = {}
    for name, values in {**given, **_in_chunks_alike(arrays)}.items():
        if name in frames or name in arrays or _is_list(values):
            found[name] = _blocks(values)
        else:
            raise InputTypeError(
                f"`{name}` must be a column of a Dask dataframe, a Dask array or a list of delayed "
                f"partitions: got {type(values).__module__}.{type(values).__qualname__}; what is "
                "in memory goes to the function of this name of `fastmetrics`"
            )
    _check_counts({name: len(blocks) for name, blocks in found.items()})
    together: Sequence[Any] = [()] * len(next(iter(found.values())))
    apart = list(found)
    if len(frames) > 1:  # read together: one pass over a file for all of its columns
        together = _together(list(frames.values()))
        apart = [name for name in found if name not in frames]
    order = [*(name for name in frames if name not in apart), *apart]
    return [
        delayed(_in_order)(part, [found[name][i] for name in apart], order, names)
        for i, part in enumerate(together)
    ]


def _in_order(
    frames: tuple[Any, ...], others: list[Any], given: list[str], names: tuple[str, ...]
) -> tuple[Any, ...]:
    """Return the columns of one partition in the order of ``names``, None where there is none."""
    found = dict(zip(given, (*frames, *others), strict=True))
    return tuple(found.get(name) for name in names)


def _filled(part: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the columns of a partition that is a tuple of them, those left out being None."""
    if not isinstance(part, tuple | list) or not 1 <= len(part) <= len(names):
        raise InputTypeError(
            f"a delayed partition of `{names[0]}` alone must be a tuple ({', '.join(names)}): got "
            f"{type(part).__qualname__}"
        )
    return (*part, *[None] * (len(names) - len(part)))


def _is_frame(values: Any) -> bool:
    return hasattr(values, "to_delayed") and hasattr(values, "divisions")


def _is_array(values: Any) -> bool:
    return hasattr(values, "to_delayed") and hasattr(values, "chunks")


def _is_list(values: Any) -> bool:
    """Return whether this is a list of what is computed later: delayed objects, or futures."""
    return isinstance(values, list | tuple) and all(
        dask.is_dask_collection(each) or hasattr(each, "add_done_callback") for each in values
    )


def _blocks(values: Any) -> list[Delayed]:
    if _is_list(values):
        return [delayed(each) for each in values]
    if _is_frame(values):
        return list(values.to_delayed())
    if values.ndim > 1:
        values = values.rechunk(dict.fromkeys(range(1, values.ndim), -1))
    # Not optimised one by one: what two columns share is computed once.
    return list(values.to_delayed(optimize_graph=False).ravel())


def _together(frames: list[Any]) -> list[Delayed]:
    from dask.dataframe import map_partitions

    packed = map_partitions(
        _packed, *frames, meta=frames[0]._meta, enforce_metadata=False, align_dataframes=False
    )
    return list(packed.to_delayed())


def _packed(*columns: Any) -> tuple[Any, ...]:
    return columns


def _check_divisions(frames: dict[str, Any]) -> None:
    known = {name: values.divisions for name, values in frames.items() if values.known_divisions}
    if len(set(known.values())) > 1:
        one, other = list(known)[:2]
        raise InputError(
            f"`{one}` and `{other}` have other divisions: take columns of one dataframe, or "
            f"`.repartition(divisions=...)` one like the other"
        )


def _check_counts(counts: dict[str, int]) -> None:
    if len(set(counts.values())) > 1:
        said = ", ".join(f"`{name}` {count:,}" for name, count in counts.items())
        raise InputError(
            f"partitions belong together one by one, and there are of {said}: `.repartition` or "
            "`.rechunk` one column like the other"
        )


def _in_chunks_alike(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return arrays whose rows are in the chunks of the first, as far as chunks are known."""
    if len(arrays) < 2:
        return arrays
    is_known = {name: all(size == size for size in a.chunks[0]) for name, a in arrays.items()}
    sizes = {name: range(int(a.shape[0])) for name, a in arrays.items() if is_known[name]}
    if sizes:
        check_same_length(**sizes)
    if not all(is_known.values()):
        return arrays
    rows = next(iter(arrays.values())).chunks[0]
    return {name: a if a.chunks[0] == rows else a.rechunk({0: rows}) for name, a in arrays.items()}


def one_thread(task: F) -> F:
    """Let a task that is of no partition take one thread, as those `over` partitions do."""

    @wraps(task)
    def call(*arguments: Any, **options: Any) -> Any:
        with at_most(1):
            return task(*arguments, **options)

    return cast(F, call)


def over(parts: Sequence[Delayed], task: Callable[..., Any], *more: Any) -> list[Delayed]:
    """Return a task for each partition, which names it in what it raises."""
    name, call = f"{task.__name__.strip('_')}-{uuid4().hex}", delayed(_in_partition)
    return [call(task, i, part, more, dask_key_name=f"{name}-{i}") for i, part in enumerate(parts)]


def _in_partition(task: Callable[..., Any], number: int, part: Any, more: Sequence[Any]) -> Any:
    try:
        with at_most(1):  # a worker of Dask has other threads for other tasks
            return task(part, *more)
    except InputError as error:
        raise type(error)(f"{error} (in partition {number})") from error


def summed(states: Sequence[Delayed], add: Callable[[Any, Any], Any] = operator.add) -> Delayed:
    """Return the sum of states, None being nothing, by a tree: no task holds many of them."""
    level, call, name = list(states), delayed(_added), f"add-{uuid4().hex}"
    while True:
        parts = [level[at : at + SPLIT] for at in range(0, len(level), SPLIT)]
        keys = (f"{name}-{len(level)}-{i}" for i in range(len(parts)))
        level = [call(part, add, dask_key_name=key) for part, key in zip(parts, keys, strict=True)]
        if len(level) == 1:
            return level[0]


def _added(states: Sequence[Any], add: Callable[[Any, Any], Any]) -> Any:
    there = [state for state in states if state is not None]
    return reduce(add, there) if there else None


def computed(states: Any) -> Any:
    """Return what delayed objects, in whatever lists they are, are worth."""
    return dask.compute(states)[0]
