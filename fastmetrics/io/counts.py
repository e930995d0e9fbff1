"""Counts that a database made, from files: the result of the statement of `counts_query`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import FileError
from fastmetrics.io._columns import TextColumn
from fastmetrics.io._formats import column_names
from fastmetrics.io._reader import Progress, read_columns

_COUNTS: Final = ("positives", "negatives")
_WEIGHTS: Final = ("positive_weight", "negative_weight")


class Counts(NamedTuple):
    """Counts of both classes between two scores; at one score where ``high`` is ``low``.

    Rows are in the order of the files, and may overlap or repeat: counts add up. Sums of weights
    are float64, whole or not.
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
    """Read the columns of the result of the statement of `counts_query`; upper or lower case.

    They are ``score``, or ``score_low`` and ``score_high``; ``positives`` and ``negatives``, or
    ``positive_weight`` and ``negative_weight``; and ``unusable``, if it is there, 0 throughout.

    Raises
    ------
    FileError
        As `read_columns`, and if rows of the database were in neither class, or a count is no
        number.
    """
    files = list(paths)
    names = {name.lower(): name for name in column_names(files[0], "positives")}
    ends = ("score_low", "score_high") if "score_low" in names else ("score",)
    is_weighted = "positive_weight" in names
    classes = _WEIGHTS if is_weighted else _COUNTS
    wanted = (*classes, *ends, *(["unusable"] if "unusable" in names else []))
    spelled = [names.get(name, name) for name in wanted]
    # The first column is read as labels are: whole numbers stay whole, whatever their type.
    columns = read_columns(
        files, spelled[0], spelled[1:], where=where, n_threads=n_threads, progress=progress
    )
    if isinstance(columns.labels, TextColumn):
        raise FileError(f"{files[0]}: column {spelled[0]!r} must hold numbers, not texts")
    found = dict(zip(wanted, (columns.labels, *map(columns.scores.get, spelled[1:])), strict=True))
    unusable = found.get("unusable")
    if unusable is not None and unusable.any():
        raise FileError(
            f"{files[0]}: {int(unusable.sum()):,} rows of the database have a label of neither "
            "class, or a weight that is missing or negative (column 'unusable'): name both labels, "
            "or leave the rows out with a condition, when the statement is made"
        )
    counts = [found[name].astype(np.float64) if is_weighted else found[name] for name in classes]
    return Counts(found[ends[0]], found[ends[-1]], *counts)
