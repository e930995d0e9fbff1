"""``ScoreTable``: the distinct scores with the positive and the negative weight at each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._files import Members, Saved, scalar
from fastmetrics._input.rows import BinaryRows, check_binary, check_same_index
from fastmetrics._input.scalars import check_integer
from fastmetrics._input.weights import check_exponent, check_sums
from fastmetrics._kernels import merges
from fastmetrics._threads.workers import BLOCK_ROWS, by_blocks, with_threads
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables._mergeable import Frozen, Summed
from fastmetrics.tables.scores._columns import checked_columns, merged_columns, rescaled
from fastmetrics.tables.scores._distinct import distinct_scores

Floats = NDArray[np.float64]

#: What tables say of the rows that they take.
ROWS: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,)
    Labels {0, 1}, {-1, 1} or booleans; anything else with `pos_label`.
y_score : array-like of shape (n_samples,)
    Scores, higher for positives.
allow_inf : bool, default False
    Whether infinite scores are ranked like any other.

Raises
------
TypeError, ValueError
    For input of the wrong kind, or with values that have no meaning; the message names the
    argument, the rule, what came and where.
"""

#: What is the same in the docstrings of measures of labels and scores.
SCORED: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,) or ScoreTable
    Binary labels; or a table, and then `y_score` is left out.
y_score : array-like of shape (n_samples,), optional
    Scores; the greater, the more positive.
n_threads : int, optional
    Threads of the sort; None means every processor the process may use.
"""

#: The same of two classes alone.
SCORED_BINARY: Final = (
    SCORED
    + """
Raises
------
ValueError
    If the data are not binary labels and finite scores.
"""
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreTable(Frozen, Summed, Saved):
    """The distinct scores of a binary problem with the weight of each class at them.

    It is all that an unweighted threshold measure needs of the data, it merges with ``+``
    (or ``sum``), and it is never modified: it owns its columns. Make one with `from_scores`, or of
    counts with `from_counts`; the constructor checks, sorts and merges as `from_counts` does.

    Attributes
    ----------
    scores : ndarray of shape (n_distinct,)
        Distinct scores, strictly descending: float32, float64, int64 or uint64; read-only.
    positives, negatives : ndarray of shape (n_distinct,)
        Number of positive and of negative examples with that score (int64), or their weight
        (float64); read-only.
    weight_exponent : int
        The columns hold the weights times ``2**weight_exponent``: 0 unless the weights were
        so extreme that their sums or products would have left the range of float64.

    Notes
    -----
    Memory is 24 bytes for each distinct score (20 for float32).

    Examples
    --------
    >>> from fastmetrics import ScoreTable
    >>> table = ScoreTable.from_scores([0, 1, 1, 0], [0.1, 0.8, 0.4, 0.4])
    >>> table
    ScoreTable(3 distinct scores from 0.1 to 0.8, 2 positive, 2 negative)
    >>> table.scores, table.positives, table.negatives
    (array([0.8, 0.4, 0.1]), array([1, 1, 0]), array([0, 1, 1]))
    """

    scores: NDArray[Any]
    positives: NDArray[Any]
    negatives: NDArray[Any]
    weight_exponent: int = 0
    #: Of both classes; empty until they are known.
    _totals: list[int | float] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        scaled = check_integer("weight_exponent", self.weight_exponent, low=-(2**12), high=2**12)
        columns, exponent = rescaled(checked_columns(self.scores, self.positives, self.negatives))
        self._set(*columns, scaled + exponent)

    @classmethod
    def _of_columns(
        cls,
        scores: NDArray[Any],
        positives: NDArray[Any],
        negatives: NDArray[Any],
        weight_exponent: int = 0,
        totals: tuple[int, ...] = (),
    ) -> Self:
        """Return the table of columns that need no check and that nobody else may write to."""
        table = object.__new__(cls)
        table._set(scores, positives, negatives, weight_exponent)
        table._totals.extend(totals)
        return table

    def _set(self, *values: Any) -> None:
        put = object.__setattr__
        for name, column in zip(("scores", "positives", "negatives"), values, strict=False):
            view = column.view()  # the memory stays writable: kernels take it without a copy
            view.setflags(write=False)
            put(self, name, view)
        put(self, "weight_exponent", values[3])
        put(self, "_totals", [])

    @classmethod
    @documented(ROWS)
    @with_threads
    def from_scores(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Any = None,
        allow_inf: bool = False,
        n_threads: int | None = None,
    ) -> Self:
        """Build the table of labels and scores with one sort, on all cores.

        Parameters
        ----------
        y_score : array-like of shape (n_samples,)
            Scores, higher for positives. Integers keep their order at any size.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0. Integer weights are counts: the table then stays exact.

        Notes
        -----
        Time O(n log n), most of it in sorts that fit the cache; memory 32 bytes a row.
        The table does not depend on the number of threads, nor (unweighted) on row order.

        Examples
        --------
        >>> from fastmetrics import ScoreTable
        >>> ScoreTable.from_scores([True, False], [2, 1]).positives
        array([1, 0])
        """
        check_same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
        rows = check_binary(
            y_true,
            y_score,
            sample_weight=sample_weight,
            pos_label=pos_label,
            allow_inf=allow_inf,
        )
        return cls.from_rows(rows)

    @classmethod
    def from_rows(cls, rows: BinaryRows) -> Self:
        """Build the table of rows that `check_binary` has passed."""
        columns, totals = distinct_scores(rows)
        return cls._of_columns(*columns, rows.weight_exponent, totals)

    @classmethod
    def from_counts(cls, scores: ArrayLike, positives: ArrayLike, negatives: ArrayLike) -> Self:
        """Build a table from counts (or weights) that are already at hand.

        Parameters
        ----------
        scores : array-like of shape (k,)
            Scores in any order; equal ones are merged.
        positives, negatives : array-like of shape (k,)
            Counts (integers, exact) or weights (floats) >= 0 of each class at each score.

        Raises
        ------
        TypeError, ValueError
            If lengths differ, a score is not finite, a count is negative or not finite, or the
            counts of a class sum to 2**63 or more.

        Examples
        --------
        >>> from fastmetrics import ScoreTable
        >>> ScoreTable.from_counts([0.2, 0.9], [1, 10**12], [10**12, 3]).n_positive
        1000000000001
        """
        columns, exponent = rescaled(checked_columns(scores, positives, negatives))
        return cls._of_columns(*columns, exponent)

    @property
    def is_weighted(self) -> bool:
        """Whether the columns are float64 weights rather than int64 counts."""
        return self.positives.dtype.kind == "f"

    @property
    def n_positive(self) -> int | float:
        """Number of positives, or their weight."""
        return self._both_totals()[0]

    @property
    def n_negative(self) -> int | float:
        """Number of negatives, or their weight."""
        return self._both_totals()[1]

    @property
    def true_positives(self) -> NDArray[Any]:
        """Positives at or above each score: a running sum, compensated for weights."""
        return running_sum(self.positives)

    @property
    def false_positives(self) -> NDArray[Any]:
        """Negatives at or above each score: a running sum, compensated for weights."""
        return running_sum(self.negatives)

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        spread = f" from {self.scores[-1]} to {self.scores[0]}" if len(self) else ""
        return (
            f"ScoreTable({len(self)} distinct scores{spread}, "
            f"{self.n_positive:.10g} positive, {self.n_negative:.10g} negative)"
        )

    def _shown(self) -> Display:
        columns = {"score": self.scores, "positives": self.positives, "negatives": self.negatives}
        title = repr(self).partition("(")[2].removesuffix(")")
        scaled = [f"Weights are times 2**{self.weight_exponent}."] if self.weight_exponent else []
        return Display([Table(columns)], title, scaled)

    def _plus(self, other: Self) -> Self:
        if len(self) == 0 or len(other) == 0:  # adds nothing, whatever its weights' scale
            return self if len(other) == 0 else other
        if self.weight_exponent != other.weight_exponent:
            raise InputError(
                "tables of differently scaled weights cannot be merged: weight_exponent "
                f"{self.weight_exponent} and {other.weight_exponent}"
            )
        merged = merged_columns(self._columns(), other._columns())
        return self._of(*merged, self.weight_exponent)

    def _both_totals(self) -> list[int | float]:
        """Return the positive and the negative total, summed once."""
        if not self._totals:
            if self.is_weighted:
                sums = [float(column[-1]) if len(self) else 0.0 for column in running_sums(self)]
            else:
                sums = [int(np.add.reduce(column)) for column in (self.positives, self.negatives)]
            self._totals.extend(sums)
        return self._totals

    def _columns(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        return self.scores, self.positives, self.negatives

    def _members(self) -> Members:
        return dict(zip(self.__match_args__, map(np.array, self._values()), strict=True))

    @classmethod
    def _of_members(cls, found: Members) -> Self:
        columns = found["scores"], found["positives"], found["negatives"]
        scores, positives, negatives = checked_columns(*columns, allow_inf=True)
        if positives.dtype.kind == "f":
            check_sums(np.concatenate([positives, negatives]))
        exponent = check_exponent(scalar(found, "weight_exponent"))
        return cls._of_columns(scores, positives, negatives, exponent)


def running_sum(column: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of a column up to each row: compensated for weights."""
    out = np.empty_like(column)
    if column.dtype.kind == "f":
        merges.cumulative_weights(column, out)
        return out
    if len(column) <= BLOCK_ROWS:
        return column.cumsum()
    above = np.cumsum([0, *by_blocks(len(column), lambda here: column[here].sum())])

    def fill(here: slice) -> None:
        np.cumsum(column[here], out=out[here])
        out[here] += above[here.start // BLOCK_ROWS]

    by_blocks(len(column), fill)
    return out


def running_sums(table: ScoreTable) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return true and false positives: of weights sooner than one after the other."""
    if not table.is_weighted:
        return table.true_positives, table.false_positives
    tp, fp = np.empty((2, len(table)))
    merges.cumulative_pair(table.positives, table.negatives, tp, fp)
    return tp, fp


def as_table(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    label_rule: str = "strict",
    allow_inf: bool = False,
) -> ScoreTable:
    """Return the table itself when ``y_true`` is one, else the table of the checked rows.

    The strict rule is that of what is ours: there, rows that pandas labels differently are refused.
    """
    if isinstance(y_true, ScoreTable):
        if y_score is not None or sample_weight is not None or pos_label is not None:
            raise InputTypeError(
                "a ScoreTable comes alone: pass no `y_score`, `sample_weight`, `pos_label` with it"
            )
        return y_true
    rows = check_binary(
        y_true,
        y_score,
        sample_weight=sample_weight,
        pos_label=pos_label,
        allow_inf=allow_inf,
        label_rule=label_rule,
    )
    return ScoreTable.from_rows(rows)
