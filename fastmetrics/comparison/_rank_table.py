"""N data sets x k algorithms: what the user holds, as ranks in whole numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_vector, by_names, names_of
from fastmetrics._input.scalars import check_direction, check_same_length
from fastmetrics._input.scores import check_score_matrix, check_scores_array
from fastmetrics.comparison._differences import equal_up_to_rounding
from fastmetrics.errors import InputError, InputTypeError

#: What the tests of mean ranks take and refuse.
RANKS: Final = """
Parameters
----------
scores : array-like of shape (N, k), data frame, or mapping of str to array-like of shape (N,)
    One row a data set, one column for each of k >= 2 algorithms. Scores of a row that are equal up
    to rounding, as 0.1 + 0.2 and 0.3, tie.
higher_is_better : bool
    Whether the greater number is the better (accuracy, AUC) or the lower (errors, losses); required
    with scores, and none is needed for ranks.
ranks : array-like of shape (N, k), optional
    In place of `scores`: ranks from 1, the best, to k; tied algorithms have their mean rank.
names : sequence of str, optional
    Of the algorithms; by default the names of the columns, or "0", "1" ...

Raises
------
TypeError
    If both or none of `scores` and `ranks` are given, or `higher_is_better` is missing.
ValueError
    If there are fewer than two algorithms, a number is missing or infinite, `ranks` are no ranks,
    or `confidence_level` lies outside (0, 1).
"""


@dataclass(frozen=True, slots=True, eq=False)
class RankTable:
    """The ranks of k algorithms on N data sets; rank 1 is the best, ties share the mean rank.

    ``centred`` has twice the rank, less k + 1: whole numbers whose sum is 0 in each row, so that no
    statistic of them is rounded before its one division.
    """

    names: tuple[str, ...]
    datasets: tuple[str, ...]
    centred: NDArray[np.int64]
    scores: NDArray[Any] | None

    @property
    def ranks(self) -> NDArray[np.float64]:
        """The ranks, shape (N, k)."""
        return np.asarray((self.centred + (self.centred.shape[1] + 1)) / 2)

    @property
    def mean_ranks(self) -> tuple[float, ...]:
        """The mean rank of each algorithm."""
        n, k = self.centred.shape
        sums = self.centred.sum(axis=0) + n * (k + 1)
        return tuple((sums / (2 * n)).tolist())


def rank_table(
    scores: Any,
    ranks: Any,
    higher_is_better: bool | None,
    names: Sequence[str] | None,
    *,
    datasets: str | Sequence[str] | None = None,
) -> RankTable:
    """Return the ranks of a table of scores, or checked ranks: one of the two is given.

    ``datasets`` is the column that names the rows, or their names.
    """
    if (scores is None) == (ranks is None):
        raise InputTypeError(
            f"pass either `scores` or `ranks`: got {'neither' if ranks is None else 'both'}"
        )
    given, name = (scores, "scores") if ranks is None else (ranks, "ranks")
    if ranks is None:
        higher = check_direction(higher_is_better, ", for a table of scores")
    elif higher_is_better is not None:
        raise InputTypeError("`higher_is_better` is about scores: a lower rank is always better")
    matrix, found, rows = _parts(given, name, datasets)
    n, k = matrix.shape
    if k < 2:
        raise InputError(f"`{name}` must have a column for each of 2 or more algorithms: got {k}")
    twice = _doubled_ranks(matrix)
    wrong = np.flatnonzero((twice != 2 * matrix).any(axis=1))
    if ranks is not None and len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"`ranks` must rank the algorithms of each row from 1 to {k}, tied ones with their "
            f"mean rank: row {row} is {matrix[row].tolist()}; pass scores as the first argument"
        )
    labels, centred = _algorithm_names(names, found, k, name), twice - (k + 1)
    if ranks is not None:
        return RankTable(labels, _dataset_names(None, None, n), centred, None)
    # From the lowest score up; the other way round is the same table negated.
    centred = -centred if higher else centred
    return RankTable(labels, _dataset_names(datasets, rows, n), centred, matrix)


def _doubled_ranks(matrix: NDArray[Any]) -> NDArray[np.int64]:
    """Return twice the rank of each number in its row, from the lowest up.

    Numbers that are equal up to rounding share their mean rank, as in tests of differences.
    """
    from scipy.stats import rankdata

    order = np.argsort(matrix, axis=1)
    ordered = np.take_along_axis(matrix, order, axis=1)
    rises = np.zeros(matrix.shape, dtype=np.int64)
    rises[:, 1:] = ~equal_up_to_rounding(ordered[:, :-1], ordered[:, 1:])
    levels = np.empty_like(rises)
    np.put_along_axis(levels, order, rises.cumsum(axis=1), axis=1)
    return np.asarray(2 * rankdata(levels, axis=1), dtype=np.int64)


def _parts(
    table: Any, name: str, datasets: str | Sequence[str] | None
) -> tuple[NDArray[Any], list[str] | None, list[str] | None]:
    """Return the scores, the names of their columns and of their rows, where the table has some."""
    if isinstance(table, Mapping):
        columns = by_names(table, name, "algorithms")
        rows = None
        if isinstance(datasets, str):
            if datasets not in columns:
                raise InputError(f"`datasets` is {datasets!r}: `{name}` has {', '.join(columns)}")
            rows = _texts(columns.pop(datasets), f"{name}[{datasets!r}]")
        arrays = {key: check_scores_array(v, f"{name}[{key!r}]") for key, v in columns.items()}
        if not arrays:
            raise InputError(f"`{name}` must have a column for each of 2 or more algorithms: got 0")
        n = check_same_length(**arrays)
        dtype = np.result_type(*arrays.values())
        matrix = np.column_stack([array.astype(dtype) for array in arrays.values()])
        return matrix.reshape(n, len(arrays)), list(columns), rows
    heads = _heads(table, name)
    if heads is None:
        if isinstance(datasets, str):
            raise InputTypeError(
                f"`datasets` names a column, but `{name}` has no named ones: pass the names"
            )
        return check_score_matrix(table, name), None, None
    rows = None
    if isinstance(datasets, str):
        if datasets not in heads:
            raise InputError(f"`datasets` is {datasets!r}: the columns are {', '.join(heads)}")
        import narwhals as nw

        rows = _texts(table[datasets], f"{name}[{datasets!r}]")
        table = nw.to_native(nw.from_native(table, eager_only=True).drop(datasets))
        heads = [head for head in heads if head != datasets]
    elif type(getattr(table, "index", None)).__name__ not in ("NoneType", "RangeIndex"):
        rows = [str(each) for each in table.index]  # pandas: the index names the rows
    return check_score_matrix(table, name), heads, rows


def _heads(table: Any, name: str) -> list[str] | None:
    """Return the column names of a data frame; an Arrow table's `columns` are no names."""
    found = getattr(table, "column_names", None)
    if found is None:
        found = getattr(table, "columns", None)
    return None if found is None else names_of(found, name, "algorithms")


def _texts(values: Any, name: str) -> list[str]:
    return [str(each) for each in as_vector(values, name).tolist()]


def _algorithm_names(
    names: Sequence[str] | None, found: list[str] | None, k: int, name: str
) -> tuple[str, ...]:
    if names is not None:
        if isinstance(names, str) or len(names) != k:
            raise InputError(f"`names` must name the {k} columns of `{name}`: got {names!r}")
        found = names_of(names, "names", "algorithms")
    return tuple(found) if found is not None else tuple(str(j) for j in range(k))


def _dataset_names(
    datasets: str | Sequence[str] | None, found: list[str] | None, n: int
) -> tuple[str, ...]:
    if datasets is not None and not isinstance(datasets, str):
        found = [str(each) for each in datasets]
        if len(found) != n:
            raise InputError(f"`datasets` must name the {n} rows: got {len(found)} names")
    return tuple(found) if found is not None else tuple(str(i) for i in range(n))
