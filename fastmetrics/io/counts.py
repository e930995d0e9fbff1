"""Counts that a database made, from files: the result of the statement of `counts_query`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import FileError
from fastmetrics.io.columns import TextColumn
from fastmetrics.io.formats import column_names
from fastmetrics.io.reader import Progress, read_columns

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
    progress: Progress | None = None,
) -> dict[str, Counts]:
    """Read the columns of the result of the statement of `counts_query`; upper or lower case.

    They are ``model``, if it is there; ``score``, or ``score_low`` and ``score_high``;
    ``positives`` and ``negatives``, or ``positive_weight`` and ``negative_weight``; and
    ``unusable``, if it is there, 0 throughout.

    Returns
    -------
    dict of str to Counts
        Those of each model; without that column of one, called "score".

    Raises
    ------
    FileError
        As `read_columns`, and if rows of the database were in neither class, a count is no
        number, or some files alone name models.
    """
    headers = column_names(paths, "positives")
    files = list(headers)
    spelt = [{name.lower(): name for name in header} for header in headers.values()]
    names = spelt[0]
    for path, other in zip(files, spelt, strict=True):
        if ("model" in other) != ("model" in names):
            raise FileError(
                f"{files[0]} and {path}: one of them has the column 'model', which the other lacks"
            )
    ends = ("score_low", "score_high") if "score_low" in names else ("score",)
    is_weighted = "positive_weight" in names
    classes = _WEIGHTS if is_weighted else _COUNTS
    wanted = [*classes, *ends, *(["unusable"] if "unusable" in names else [])]
    if "model" in names:
        wanted.insert(0, "model")
    spelled = [names.get(name, name) for name in wanted]
    # The first column is read as labels are: texts, or numbers; whole ones whatever their type.
    columns = read_columns(
        files, *(spelled[0], spelled[1:]), where=where, progress=progress, many_labels=True
    )
    found: dict[str, Any] = dict(
        zip(wanted, (columns.labels, *map(columns.scores.get, spelled[1:])), strict=True)
    )
    of_models = found.pop("model", None)
    if isinstance(found[classes[0]], TextColumn):
        raise FileError(f"{files[0]}: column {spelled[0]!r} must hold numbers, not texts")
    unusable = found.get("unusable")
    if unusable is not None and unusable.any():
        raise FileError(
            f"{files[0]}: {int(unusable.sum()):,} rows of the database have a label of neither "
            "class, or a weight that is missing or negative (column 'unusable'): name both labels, "
            "or leave the rows out with a condition, when the statement is made"
        )
    counts = [found[name].astype(np.float64) if is_weighted else found[name] for name in classes]
    whole = Counts(found[ends[0]], found[ends[-1]], *counts)
    return {"score": whole} if of_models is None else _by_model(whole, of_models)


def _by_model(whole: Counts, models: NDArray[Any] | TextColumn) -> dict[str, Counts]:
    """Return the counts of each model: texts as the files name them, numbers ascending."""
    if isinstance(models, TextColumn):
        codes, names = models.codes, models.values
    else:
        numbers, codes = np.unique(models, return_inverse=True)
        names = tuple(map(str, numbers.tolist()))
    order = np.argsort(codes, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(codes))[:-1])
    return {
        name: Counts(*(column[at] for column in whole))
        for name, at in zip(names, rows, strict=True)
    }
