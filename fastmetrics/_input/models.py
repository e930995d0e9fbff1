"""Several models' scores of the same examples: their names, and one check of them all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import (
    OF_PREDICT_PROBA,
    as_array,
    column_count,
    has_names,
    name_of,
    names_of,
)
from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._input.scalars import WeightsAre, check_same_length
from fastmetrics._input.scores import check_score_matrix, check_scores_array, score_column
from fastmetrics.errors import InputError, InputTypeError, no_such, renamed

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

    ``rows`` have the scores of the first model; ``scores`` are those of each, canonical and finite;
    ``groups`` number the group of each row, none of them empty, or are None.
    """

    names: tuple[str, ...]
    rows: BinaryRows
    scores: tuple[NDArray[Any], ...]
    groups: NDArray[np.int64] | None

    def rows_of(self, model: int) -> BinaryRows:
        """Return the rows with the scores of one model."""
        return self.rows.replace(scores=self.scores[model])


def named_scores(
    scores: Any, names: Iterable[str] | None = None, *, at_least: int = 1
) -> list[NamedScores]:
    """Return each model of a mapping, a data frame, or an array whose columns have ``names``."""
    found = _named(scores, names)
    if len(found) < at_least:
        needed = "two models" if at_least == 2 else "one model"
        raise InputError(f"`scores` must name at least {needed}: got {len(found)}")
    names_of((model.name for model in found), "scores", "models")
    if len(found) == 2 and not isinstance(scores, Mapping):
        _refuse_both_classes(found)
    return found


def _named(scores: Any, names: Iterable[str] | None) -> list[NamedScores]:
    if not has_names(scores):
        return _columns(scores, names)
    if names is not None:
        raise InputTypeError("`names` is for an array: this `scores` names its models itself")
    own = scores
    if not isinstance(scores, Mapping):
        own = getattr(scores, "column_names", None) or scores.columns
    own = list(own)
    return [
        NamedScores(name, f"scores[{key!r}]", scores[key])
        for name, key in zip(names_of(own, "scores", "models"), own, strict=True)
    ]


def _columns(scores: Any, names: Iterable[str] | None) -> list[NamedScores]:
    """Return the columns of an array, which says nothing of models but by ``names``."""
    is_by_model = False  # a list of a vector for each name, not of a row for each example
    if isinstance(scores, list | tuple) and isinstance(names, list | tuple):
        is_by_model = len(scores) == len(names) != column_count(scores)
    if names is not None and is_by_model:
        own = _checked_names(names)
        return [
            NamedScores(name, f"scores[{i}]", one)
            for i, (name, one) in enumerate(zip(own, scores, strict=True))
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
    columns = [score_column(matrix, j) for j in range(matrix.shape[1])]
    if names is None:
        if len(columns) == 2:
            _refuse_both_classes([NamedScores("", "scores", column) for column in columns])
        raise InputError(
            f"`scores` of shape {array.shape} does not say which models its columns are: pass "
            "{'a': ..., 'b': ...}, a data frame, or `names`, one for each column"
        )
    own = _checked_names(names)
    if len(own) != len(columns):
        raise InputError(f"`names` must name the {len(columns)} columns of `scores`: got {own!r}")
    return [
        NamedScores(name, f"scores[:, {j}]", column)
        for j, (name, column) in enumerate(zip(own, columns, strict=True))
    ]


def _checked_names(names: Any) -> list[str]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputTypeError(f"`names` must be a sequence of texts: got {names!r}")
    own = list(names)
    for i, name in enumerate(own):
        if not isinstance(name, str):
            raise InputTypeError(f"`names` must hold texts: got {name!r} at index {i}")
    return list(map(name_of, own))


def _refuse_both_classes(models: list[NamedScores]) -> None:
    """Raise if two columns are what `predict_proba` says of one model's two classes."""
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
) -> CheckedModels:
    """Return the rows of several models, verified once; rows of weight 0 are left out."""
    scores = [check_scores_array(model.values, model.argument) for model in models]
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


def pairs_of(names: Sequence[str], reference: str | None = None) -> list[tuple[int, int]]:
    """Return which models are compared, by their places: every two, or each with the reference."""
    if reference is None:
        return list(combinations(range(len(names)), 2))
    if reference not in names:
        raise no_such(reference, "models", names)
    last = list(names).index(reference)
    return [(k, last) for k in range(len(names)) if k != last]
