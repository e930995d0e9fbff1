"""Counts that a database made, from files: the result of the statement of `counts_query`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from numpy.typing import NDArray

from fastmetrics.errors import FileError
from fastmetrics.io._columns import TextColumn
from fastmetrics.io._formats import column_names
from fastmetrics.io._reader import Progress, read_columns


class Counts(NamedTuple):
    """Counts of both classes between two scores; at one score where ``high`` is ``low``.

    Rows are in the order of the files, and may overlap or repeat: counts add up.
    """

    low: NDArray[Any]
    high: NDArray[Any]
    positives: NDArray[Any]
    negatives: NDArray[Any]


def read_counts(
    paths: Iterable[str | os.PathLike[str]],
    *,
    where: str | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Counts:
    """Read the columns ``score`` (or ``score_low``, ``score_high``), ``positives``, ``negatives``.

    Upper or lower case is one. A column ``unusable``, as the statement's result has it, must be 0
    throughout.

    Raises
    ------
    FileError
        As `read_columns`, and if rows of the database were in neither class, a count is
        negative, or a range ends before it starts.
    """
    files = list(paths)
    names = {name.lower(): name for name in column_names(files[0], "positives")}
    is_ranged = "score_low" in names and "score_high" in names
    ends = ("score_low", "score_high") if is_ranged else ("score",)
    wanted = [*ends, "negatives", *(["unusable"] if "unusable" in names else [])]
    columns = read_columns(
        files,
        names.get("positives", "positives"),
        [names.get(name, name) for name in wanted],
        where=where,
        n_threads=n_threads,
        progress=progress,
    )
    positives = columns.labels
    found = {name: columns.scores[names.get(name, name)] for name in wanted}
    if isinstance(positives, TextColumn):
        raise FileError(f"{files[0]}: column 'positives' must hold counts, not texts")
    unusable = found.pop("unusable", None)
    if unusable is not None and unusable.any():
        raise FileError(
            f"{files[0]}: {int(unusable.sum()):,} rows of the database have a label of neither "
            "class, or a weight that is missing or negative (column 'unusable'): name both labels, "
            "or leave the rows out with a condition, when the statement is made"
        )
    low, high = found[ends[0]], found[ends[-1]]
    for name, values in (("positives", positives), ("negatives", found["negatives"])):
        if (values < 0).any():
            raise FileError(f"{files[0]}: column {name!r} must not be negative: {values.min()}")
    if (high < low).any():
        raise FileError(f"{files[0]}: a range ends before it starts (score_high < score_low)")
    return Counts(low, high, positives, found["negatives"])
