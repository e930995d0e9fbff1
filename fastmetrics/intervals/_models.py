"""Several models' scores of the same examples: their names, and one check of them all."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array
from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_score_matrix, check_scores_array, score_column
from fastmetrics.errors import InputError


class NamedScores(NamedTuple):
    """A model's ``name``, what its scores are called in messages, and the scores."""

    name: str
    argument: str
    values: Any


@dataclass(frozen=True, slots=True, eq=False)
class CheckedModels:
    """Checked labels, weights and groups, with the scores of each model; no row weighs nothing.

    Attributes
    ----------
    names : tuple of str
        Of the models.
    rows : BinaryRows
        Fully verified labels and weights, with the scores of the first model.
    scores : tuple of ndarray, each of shape (n,)
        Of each model, canonical and finite.
    groups : ndarray of int64, shape (n,), or None
        The group of each row: 0 … n_groups - 1, none of them empty.
    """

    names: tuple[str, ...]
    rows: BinaryRows
    scores: tuple[NDArray[Any], ...]
    groups: NDArray[np.int64] | None

    def rows_of(self, model: int) -> BinaryRows:
        """Return the rows with the scores of one model."""
        return dataclasses.replace(self.rows, scores=self.scores[model])


def named_scores(scores: Any, *, at_least: int = 1) -> list[NamedScores]:
    """Return each model of a mapping, a data frame, or a matrix with a column for each model."""
    found = list(_columns(scores))
    if len(found) < at_least:
        needed = "two models" if at_least == 2 else "one model"
        raise InputError(f"`scores` must name at least {needed}: got {len(found)}")
    for name, count in Counter(model.name for model in found).items():
        if count > 1:
            raise InputError(f"`scores` names {count} models {name!r}: their names must differ")
    return found


def _columns(scores: Any) -> Iterator[NamedScores]:
    if isinstance(scores, Mapping):
        names = list(scores)
    elif hasattr(scores, "column_names"):  # an Arrow table, whose `columns` are no names
        names = list(scores.column_names)
    elif hasattr(scores, "columns"):
        names = list(scores.columns)
        if len(set(names)) < len(names):  # a frame would give both columns for one name
            yield from (NamedScores(str(name), f"scores[{name!r}]", None) for name in names)
            return
    else:
        array = as_array(scores, "scores")
        if array.ndim != 2:
            raise InputError(
                "`scores` must be a mapping from names to scores, a data frame, or an array of "
                f"shape (n_samples, n_models): got shape {array.shape}"
            )
        matrix = check_score_matrix(array, "scores")
        for j in range(matrix.shape[1]):
            yield NamedScores(str(j), f"scores[:, {j}]", score_column(matrix, j))
        return
    yield from (NamedScores(str(name), f"scores[{name!r}]", scores[name]) for name in names)


def check_models(
    y_true: Any,
    models: list[NamedScores],
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    groups: Any = None,
) -> CheckedModels:
    """Return the rows of several models, verified once; rows of weight 0 are left out."""
    scores = [check_scores_array(model.values, model.argument) for model in models]
    for model, column in zip(models[1:], scores[1:], strict=True):
        check_same_length(**{models[0].argument: scores[0], model.argument: column})
    with renamed(y_score=models[0].argument):
        rows = check_binary(y_true, scores[0], sample_weight=sample_weight, pos_label=pos_label)
    rows = rows.recheck()
    codes = None
    if groups is not None:
        codes = check_class_labels(groups, "groups").codes
        check_same_length(y_true=rows.labels, groups=codes)
    if rows.weights is not None and not rows.weights.all():
        kept = rows.weights > 0
        scores = [column[kept] for column in scores]
        rows = dataclasses.replace(rows, labels=rows.labels[kept], weights=rows.weights[kept])
        if codes is not None:
            codes = np.unique(codes[kept], return_inverse=True)[1].astype(np.int64, copy=False)
    names = tuple(model.name for model in models)
    return CheckedModels(names, dataclasses.replace(rows, scores=scores[0]), tuple(scores), codes)


@contextmanager
def renamed(**arguments: str) -> Iterator[None]:
    """Let the checks inside speak of an argument by the name that it has in the call."""
    try:
        yield
    except InputError as error:
        raise error.renamed(arguments) from error
