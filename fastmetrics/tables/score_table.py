"""The distinct scores of a binary problem, with the weight of each class at them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._files import Members, Saved, scalar
from fastmetrics._input.containers import as_vector
from fastmetrics._input.device import DeviceCounts
from fastmetrics._input.rows import BinaryRows, check_rows, check_same_index
from fastmetrics._input.scalars import check_integer, check_real, check_same_length
from fastmetrics._input.scores import (
    check_exponent,
    check_scores_array,
    check_sums,
    check_weights,
    refuse,
)
from fastmetrics._kernels import hulls, merges
from fastmetrics._threads.workers import BLOCK_ROWS, by_blocks, run, with_threads
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.tables._mergeable import Frozen, Summed
from fastmetrics.tables.pairs import INT64_BOUND, Columns, distinct_scores


def checked_columns(
    scores: Any, positives: Any, negatives: Any, allow_inf: bool = False
) -> Columns:
    """Return columns by descending score, equal scores merged, rows without weight left out."""
    if np.size(scores) == 0 == np.size(positives) == np.size(negatives):
        return _no_columns()
    scores = check_scores_array(scores, "scores", allow_inf=allow_inf)
    positives, negatives = checked_pair(positives, negatives)
    check_same_length(scores=scores, positives=positives, negatives=negatives)
    weighs = (positives != 0) | (negatives != 0)
    if not weighs.any():
        return _no_columns()
    if not weighs.all():
        scores, positives, negatives = (each[weighs] for each in (scores, positives, negatives))
    if scores.dtype.kind == "f":
        scores = scores + scores.dtype.type(0)  # -0.0 becomes 0.0
    return in_order((scores, positives, negatives))


def rescale(columns: Columns) -> tuple[Columns, int]:
    """Return columns scaled by a power of two so that products stay in range, and its exponent."""
    scores, positives, negatives = columns
    if positives.dtype.kind != "f" or not len(scores):
        return columns, 0
    values, _, exponent = check_weights(
        np.concatenate([positives, negatives]), 2 * len(scores), "positives, negatives"
    )
    if exponent == 0:
        return columns, 0
    return (scores, values[: len(scores)], values[len(scores) :]), exponent


def _no_columns() -> Columns:
    """Return the columns of an empty table, always of the same dtypes."""
    return np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64)


def checked_pair(positives: Any, negatives: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the counts, or the weights, of both classes in one dtype."""
    p, n = checked_counts(positives, "positives"), checked_counts(negatives, "negatives")
    return (p, n) if p.dtype == n.dtype else (p.astype(np.float64), n.astype(np.float64))


def checked_counts(values: Any, name: str) -> NDArray[Any]:
    """Return counts as int64 or weights as float64."""
    array = as_vector(values, name)
    if array.dtype.kind not in "iuf":
        raise InputTypeError(
            f"`{name}` must be integers (counts) or floats (weights), got {array.dtype}"
        )
    if array.dtype.kind == "f":
        array = array.astype(np.float64)
        refuse(~np.isfinite(array), name, "must be finite:", array)
    refuse(array < 0, name, "must not be negative:", array)
    if array.dtype.kind != "f" and sum(array.tolist()) >= 2**63:  # Python integers: exact
        raise InputError(f"`{name}` must sum to less than 2**63")
    return array if array.dtype.kind == "f" else array.astype(np.int64)


def merge_columns(left: Columns, right: Columns) -> Columns:
    """Merge the columns of both tables; equal scores are added up.

    float32 and float64 merge to float64; of integers and floats, or int64 and uint64, no common
    dtype keeps the order exactly.
    """
    if len(left[0]) == 0 or len(right[0]) == 0:
        return left if len(right[0]) == 0 else right
    kinds = left[0].dtype, right[0].dtype
    if kinds[0] != kinds[1] and not all(kind.kind == "f" for kind in kinds):
        raise InputTypeError(
            f"tables with {kinds[0]} and with {kinds[1]} scores cannot be merged exactly: "
            "build both from one dtype"
        )
    if not (left[1].dtype.kind == "f" or right[1].dtype.kind == "f"):
        for mine, theirs, name in zip(left[1:], right[1:], ("positives", "negatives"), strict=True):
            if int(mine.sum()) + int(theirs.sum()) >= 2**63:
                raise OverflowError(f"the merged table would count 2**63 {name} or more")
    dtypes = [np.result_type(*pair) for pair in zip(left, right, strict=True)]
    both = [
        column.astype(dtype, copy=False)
        for side in (left, right)
        for column, dtype in zip(side, dtypes, strict=True)
    ]
    merged = [np.empty(len(left[0]) + len(right[0]), dtype) for dtype in dtypes]
    n_merged = merges.merge_tables(*both, *merged)
    for column in merged:
        column.resize(n_merged, refcheck=False)  # without a copy
    return merged[0], merged[1], merged[2]


def in_order(columns: Columns) -> Columns:
    """Return rows by descending score; rows of equal scores are added up.

    Of equal ones the last comes first. Sorted runs one after the other are merged: O(n).
    """
    order = np.argsort(columns[0], kind="stable")[::-1]
    scores, positives, negatives = (column[order] for column in columns)
    starts = first_indices(scores)
    if len(starts) == len(scores):
        return scores, positives, negatives
    return scores[starts], np.add.reduceat(positives, starts), np.add.reduceat(negatives, starts)


def first_indices(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return the first index of each distinct value of a sorted array."""
    is_first = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=is_first[1:])
    return np.flatnonzero(is_first)


def real_threshold(threshold: Any) -> Any:
    """Return the threshold as a Python int or float; raise for nan and non-numbers."""
    if isinstance(threshold, int | np.integer) and not isinstance(threshold, bool):
        return int(threshold)
    value = check_real("threshold", threshold)
    if math.isnan(value):
        raise InputError("`threshold` must not be nan")
    return value


def is_called_positive(scores: NDArray[Any], threshold: Any) -> NDArray[np.bool_]:
    """Return score >= threshold, compared as real numbers for any two types."""
    if scores.dtype.kind == "f":
        return np.asarray(scores >= _float_not_below(threshold, scores.dtype))
    if isinstance(threshold, float) and math.isinf(threshold):  # an int may exceed any float
        return np.full(scores.shape, threshold < 0)
    bound = math.ceil(threshold)
    limits = np.iinfo(scores.dtype)
    if bound > limits.max:
        return np.zeros(scores.shape, dtype=np.bool_)
    return np.asarray(scores >= scores.dtype.type(max(bound, limits.min)))


def _float_not_below(threshold: float, dtype: np.dtype[Any]) -> np.floating[Any]:
    """Return the least value of ``dtype`` that is not below ``threshold``."""
    above = dtype.type(math.inf)
    try:
        with np.errstate(over="ignore"):
            nearest: np.floating[Any] = dtype.type(float(threshold))
    except OverflowError:  # an int beyond the range of float64
        nearest = above if threshold > 0 else -above
    # `.item()` because Python compares int and float exactly, numpy does not.
    if nearest.item() < threshold:
        nearest = np.nextafter(nearest, above)
    return nearest


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

#: What is the same in the docstrings of metrics of labels and scores.
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

    It is all that an unweighted threshold metric needs of the data, it merges with ``+``
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
        columns, exponent = rescale(checked_columns(self.scores, self.positives, self.negatives))
        self._set(*columns, scaled + exponent)

    @classmethod
    def _from_columns(
        cls,
        scores: NDArray[Any],
        positives: NDArray[Any],
        negatives: NDArray[Any],
        weight_exponent: int = 0,
        totals: tuple[int, ...] = (),
    ) -> Self:
        """Return the table of columns that need no check and that nothing else writes to."""
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
        Time O(n log n), most of it in sorts that fit the cache; memory 32 bytes a row. Many scores
        of float16 or bfloat16 are counted at their 65,536 values in one pass instead, unless
        weights are fractions.
        The table does not depend on the number of threads, nor (unweighted) on row order.
        Scores and labels on a GPU (PyTorch, CuPy) are sorted and counted there, with the extra
        `device`.

        Examples
        --------
        >>> from fastmetrics import ScoreTable
        >>> ScoreTable.from_scores([True, False], [2, 1]).positives
        array([1, 0])
        """
        check_same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
        rows = check_rows(
            y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, allow_inf=allow_inf
        )
        return cls.from_rows(rows)

    @classmethod
    def from_rows(cls, rows: BinaryRows | DeviceCounts) -> Self:
        """Build the table of rows that `check_binary` or `check_rows` has passed."""
        columns, totals = distinct_scores(rows)
        return cls._from_columns(*columns, rows.weight_exponent, totals)

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
        return cls(scores, positives, negatives)  # type: ignore[arg-type]

    @property
    def is_weighted(self) -> bool:
        """True if the columns are float64 weights rather than int64 counts."""
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

    def _display(self) -> Display:
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
        return self._of(*merge_columns(self._columns(), other._columns()), self.weight_exponent)

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
    def _from_members(cls, members: Members) -> Self:
        columns = members["scores"], members["positives"], members["negatives"]
        scores, positives, negatives = checked_columns(*columns, allow_inf=True)
        if positives.dtype.kind == "f":
            check_sums(np.concatenate([positives, negatives]))
        exponent = check_exponent(scalar(members, "weight_exponent"))
        return cls._from_columns(scores, positives, negatives, exponent)


def running_sum(column: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of a column up to each row: compensated for weights."""
    out = np.empty_like(column)
    if column.dtype.kind == "f":
        merges.cumulative_pair(column, column, out, np.empty_like(column))
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
    """Return true and false positives; weights of both classes are summed in one pass."""
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

    The strict rule is for our own functions: they refuse rows with different pandas labels.
    """
    if isinstance(y_true, ScoreTable):
        if y_score is not None or sample_weight is not None or pos_label is not None:
            raise InputTypeError(
                "a ScoreTable comes alone: pass no `y_score`, `sample_weight`, `pos_label` with it"
            )
        return y_true
    rows = check_rows(
        y_true,
        y_score,
        sample_weight=sample_weight,
        pos_label=pos_label,
        allow_inf=allow_inf,
        label_rule=label_rule,
    )
    return ScoreTable.from_rows(rows)


#: What a metric that needs both classes warns of.
BOTH_CLASSES: Final = """
Warns
-----
UndefinedMetricWarning
    If only one class is present.
"""


def lacks_a_class(table: ScoreTable, metric: str) -> bool:
    """Warn, and return True, when the table has no positive or no negative weight."""
    # Counts of the first rows suffice as a rule: a total costs a compensated pass.
    columns = table.positives, table.negatives
    positive, negative = (bool(each[:4096].any() or each.any()) for each in columns)
    return lacks_one(positive, negative, metric)


def lacks_one(has_positive: bool, has_negative: bool, metric: str) -> bool:
    """Warn, and return True, where there is no positive or no negative example."""
    if has_positive and has_negative:
        return False
    missing = "negative" if has_positive else "positive"
    message = f"{metric} is not defined: there is no {missing} example (one class only)"
    warn_user(message, UndefinedMetricWarning)
    return True


def lacks_spread(n_positive: float, n_negative: float, what: str) -> bool:
    """Warn, and return True, where a class has a single example: its variance is undefined."""
    if min(n_positive, n_negative) > 1:
        return False
    single = "positive" if n_positive <= 1 else "negative"
    message = (
        f"{what} is not defined: there is one {single} example only, and the spread within a class "
        "needs two"
    )
    warn_user(message, UndefinedMetricWarning)
    return True


#: Odds of weights nearer than this, relative to themselves, are equal: each is a quotient of two
#: sums, and thousands of terms move a sum by less.
EQUAL_ODDS: Final = 2.0**-40
#: Rows whose hull is one job; the hull of what those leave is another one.
CHUNK_ROWS: Final = 2**18


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """Runs of rows of a table, by descending score, with strictly falling fractions of positives.

    Block by block, the edges of the upper concave hull of the ROC curve, from (0, 0) to (1, 1); and
    what pooling adjacent violators leaves of the labels: a row's isotonic fit is ``positives /
    (positives + negatives)`` of its block. ``ends`` has the last row of each block, behind which a
    vertex of the hull lies; ``positives`` and ``negatives`` are what its rows hold: int64 counts,
    or float64 weights.
    """

    ends: NDArray[np.int64]
    positives: NDArray[Any]
    negatives: NDArray[Any]

    @property
    def true_positives(self) -> NDArray[Any]:
        """Positives above each vertex, from 0: shape (n_blocks + 1,)."""
        return _from_zero(self.positives)

    @property
    def false_positives(self) -> NDArray[Any]:
        """Negatives above each vertex, from 0: shape (n_blocks + 1,)."""
        return _from_zero(self.negatives)


def upper_hull(table: ScoreTable) -> Hull:
    """Return the blocks of the upper concave hull in O(rows) after the table's sort.

    Points in the middle of an edge are no vertices. Counts are compared exactly, whatever their
    size. Of weights, edges whose odds differ by less than ``EQUAL_ODDS``, relatively, are one.
    A table without rows has no block, one of a single class has one.
    """
    columns = table.positives, table.negatives
    pool: Any = hulls.upper_hull_of_weights
    how: tuple[Any, ...] = (pool, 1.0 + EQUAL_ODDS)
    if not table.is_weighted:
        how = (hulls.upper_hull,)
        if int(table.n_positive) * int(table.n_negative) >= INT64_BOUND:
            # Of more than some 10**10 rows products are Python integers.
            columns = columns[0].astype(object), columns[1].astype(object)
            how = (pool.py_func, 1)
    pieces = [slice(start, start + CHUNK_ROWS) for start in range(0, len(table), CHUNK_ROWS)]
    pieces_of_hull = run([partial(_blocks, columns[0][at], columns[1][at], *how) for at in pieces])
    if len(pieces_of_hull) == 0:
        return Hull(np.empty(0, np.int64), *columns)
    if len(pieces_of_hull) == 1:
        ends, positives, negatives = pieces_of_hull[0]
    else:
        rows = np.concatenate(
            [hull[0] + at.start for hull, at in zip(pieces_of_hull, pieces, strict=True)]
        )
        _, *pooled = (np.concatenate(column) for column in zip(*pieces_of_hull, strict=True))
        ends, positives, negatives = _blocks(pooled[0], pooled[1], *how)
        ends = rows[ends]
    if table.is_weighted:  # what was pooled one by one has rounding of its own
        for column, sums in zip(columns, (positives, negatives), strict=True):
            hulls.sums_of_blocks(column, ends, sums)
    kind = table.positives.dtype
    return Hull(ends, positives.astype(kind, copy=False), negatives.astype(kind, copy=False))


def _blocks(
    positives: NDArray[Any], negatives: NDArray[Any], pool: Callable[..., int], *factor: float
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
    """Return ends, positives and negatives of blocks."""
    n = len(positives)
    ends = np.empty(n, np.int64)
    pooled = np.empty((2, n), positives.dtype)
    count = pool(positives, negatives, ends, *pooled, *factor)
    return ends[:count].copy(), pooled[0, :count].copy(), pooled[1, :count].copy()


def _from_zero(counts: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate((np.zeros(1, counts.dtype), np.cumsum(counts)))


#: Rows of a piece: its columns and temporaries fit a cache.
PIECE_ROWS: Final = 1 << 15
T = TypeVar("T")


class Piece(NamedTuple):
    """Rows ``start`` to ``stop`` of a table, with TP and FP of the threshold above them."""

    start: int
    stop: int
    tp: int
    fp: int
    positives: NDArray[Any]
    negatives: NDArray[Any]

    @property
    def columns(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Counts of positives and of negatives in each row."""
        return self.positives, self.negatives

    @property
    def above(self) -> tuple[float, float]:
        """TP and FP of the threshold above, as floats."""
        return float(self.tp), float(self.fp)


def by_pieces(table: ScoreTable, job: Callable[[Piece], T]) -> list[T]:
    """Apply a job to each piece of a table, from the highest scores down, with weights of one."""
    columns = table.positives, table.negatives
    if len(table) <= PIECE_ROWS or table.is_weighted:
        return [job(Piece(0, len(table), 0, 0, *columns))] if len(table) else []
    starts = range(0, len(table), PIECE_ROWS)

    def count(start: int) -> list[int]:
        return [int(np.add.reduce(column[start : start + PIECE_ROWS])) for column in columns]

    sums = run([partial(count, start) for start in starts[:-1]])
    pieces = []
    tp = fp = 0
    for start, (positives, negatives) in zip(starts, [*sums, [0, 0]], strict=False):
        stop = min(start + PIECE_ROWS, len(table))
        pieces.append(Piece(start, stop, tp, fp, *(column[start:stop] for column in columns)))
        tp, fp = tp + positives, fp + negatives
    return run([partial(job, piece) for piece in pieces])
