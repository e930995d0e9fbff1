"""Which task an evaluation is of: told by labels and predictions, or said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, get_args

import numpy as np

from fastmetrics._input.containers import as_array
from fastmetrics._input.models import NamedScores
from fastmetrics._input.rows import column_count
from fastmetrics._input.scalars import check_choice
from fastmetrics.errors import InputError

Task = Literal["binary", "classes", "labels", "values", "rankings"]

#: Kinds of arrays that hold texts.
_TEXTS: Final = "UOS"
#: Rows that are looked at for whether there are more than two values.
_LOOK: Final = 4_096


def task_of(y_true: Any, models: Sequence[NamedScores], query: Any, task: Any) -> Task:
    """Return the task that was said, or that the rule tells."""
    if task is not None:
        check_choice("task", task, get_args(Task))
        if (task == "rankings") != (query is not None):
            raise InputError("`query` says whose items rows are: it goes with `task='rankings'`")
        said: Task = task
        return said
    if query is not None:
        return "rankings"
    if any(column_count(model.values) > 1 for model in models):
        return "classes"
    y = as_array(y_true, "y_true")
    if y.dtype.kind in _TEXTS and any(_kind(m.values, m.argument) in _TEXTS for m in models):
        return "labels"
    if y.ndim != 1 or not _has_many_values(y):
        return "binary"
    if y.dtype.kind not in "iuf":
        raise InputError(
            f"`y_true` has more than two classes, and `{models[0].argument}` one score a row: pass "
            "a matrix for each model, a column a class, or predicted labels"
        )
    columns = [as_array(model.values, model.argument) for model in models]
    if not _is_whole(y) and all(map(_are_labels, columns)):
        raise InputError(
            f"`y_true` holds fractions and `{models[0].argument}` labels of two classes: are the "
            "arguments swapped? If not, pass `task='values'`"
        )
    if not _is_whole(y) or not all(map(_is_whole, columns)):
        return "values"
    raise InputError(
        f"`y_true` and `{models[0].argument}` hold whole numbers, of more than two values, which "
        "may be labels of classes or amounts: pass `task='labels'` or `task='values'`"
    )


def _kind(values: Any, argument: str) -> str:
    return as_array(values, argument).dtype.kind


def _has_many_values(y: Any) -> bool:
    """Return whether more than two values are seen on a look over the rows."""
    if y.dtype.kind == "b" or len(y) == 0:
        return False
    seen = y[:: max(1, len(y) // _LOOK)]
    if y.dtype.kind == "f":
        seen = seen[~np.isnan(seen)]
    return len(set(seen.tolist())) > 2


def _are_labels(values: Any) -> bool:
    """Return whether there are two values, and they are labels as they are usually written."""
    if values.dtype.kind == "b":
        return True
    if values.dtype.kind not in "iuf" or values.ndim != 1 or not len(values):
        return False
    low, high = values.min(), values.max()
    return bool(low in (0, -1) and high == 1 and ((values == low) | (values == high)).all())


def _is_whole(values: Any) -> bool:
    if values.dtype.kind != "f":
        return True
    return bool((np.isfinite(values) & (np.rint(values) == values)).all())
