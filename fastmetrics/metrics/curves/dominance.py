"""Dominance between two curves: which one encloses the other, and where they cross.

A threshold curve rises monotonically from (0, 0) to the opposite corner, so that x + y grows along
it. As functions of x + y both lines are unique, vertical and horizontal stretches included: one
encloses the other exactly when it is above on every line x + y = const. Both are straight between
corners, so that comparing the sides at all corners suffices.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice
from fastmetrics._kernels.curve_kernels import turns_of_lines
from fastmetrics._results import Result
from fastmetrics._threads.workers import FEW_ROWS, at_most, run
from fastmetrics.errors import InputTypeError, renamed
from fastmetrics.tables.pairs import INT64_BOUND
from fastmetrics.tables.score_table import SCORED, ScoreTable, as_table, lacks_a_class, running_sums

Curve = Literal["roc", "precision-recall"]
Relation = Literal["encloses", "is-enclosed", "equal", "crosses", "undefined"]


@dataclass(frozen=True, slots=True, repr=False)
class Dominance(Result):
    """The relation of the curve of model A to that of model B.

    Attributes
    ----------
    relation : {"encloses", "is-enclosed", "equal", "crosses", "undefined"}
        "encloses": A is nowhere below B, and somewhere above; "is-enclosed": the reverse;
        "undefined": a class is missing.
    crossings : tuple of (float, float)
        The points where the order turns, along the curve from the highest threshold: (FPR, TPR)
        for ROC, (recall, precision) for precision-recall. Where the curves run together before
        they part in the other order, the point where they part.
    curve : {"roc", "precision-recall"}
        Which curves were compared.
    """

    relation: Relation
    crossings: tuple[tuple[float, float], ...]
    curve: Curve


@documented(SCORED)
def dominance(
    y_true: ArrayLike | ScoreTable,
    y_score_a: ArrayLike | ScoreTable,
    y_score_b: ArrayLike | None = None,
    *,
    curve: Curve = "roc",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> Dominance:
    """Determine whether the curve of model A encloses that of model B, and where they cross.

    Called as ``dominance(y_true, y_score_a, y_score_b)``, or as ``dominance(table_a, table_b)``:
    the tables may come from different data.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ScoreTable
        Binary labels; or the table of model A.
    y_score_a : array-like of shape (n_samples,) or ScoreTable
        Scores of model A; or the table of model B, and then `y_score_b` is left out.
    y_score_b : array-like of shape (n_samples,), optional
        Scores of model B.
    curve : {"roc", "precision-recall"}, default="roc"
        Which curves to compare.

    Returns
    -------
    Dominance
        The relation, and the points where the curves cross.

    Raises
    ------
    TypeError
        If a table is paired with anything but a table.
    ValueError
        If `curve` is unknown, or the data are not binary labels and finite scores.

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing.

    Notes
    -----
    ROC curves are compared with their ties as diagonal segments. Precision-recall curves are
    compared at equal recall, in ]0, 1], by the continuous interpolation (Davis & Goadrich 2006):
    precision at recall r is as high as the false positives per positive are few, so both
    comparisons are one of polygonal lines, and on one data set they agree (their theorem 3.2).

    Without weights the relation is exact: integers decide, whatever their size, and the crossings
    are the doubles nearest to the true points. With weights, curves nearer than 2^-45 of the
    square's side count as touching. Two sorts, then a merge of the two curves.

    Examples
    --------
    >>> y_true = [1, 1, 0, 0]
    >>> dominance(y_true, [0.9, 0.8, 0.2, 0.1], [0.9, 0.3, 0.8, 0.1]).relation
    'encloses'
    >>> dominance([1, 0, 1, 0, 1], [5, 4, 3, 2, 1], [4, 5, 3, 1, 2])
    Dominance(relation='crosses', crossings=((0.5, 0.6666666666666666),), curve='roc')
    """
    check_choice("curve", curve, get_args(Curve))
    options: dict[str, Any] = {"pos_label": pos_label, "sample_weight": sample_weight}
    if isinstance(y_true, ScoreTable) or isinstance(y_score_a, ScoreTable):
        if not (isinstance(y_true, ScoreTable) and isinstance(y_score_a, ScoreTable)):
            raise InputTypeError(
                "a ScoreTable is compared with a ScoreTable: pass (table_a, table_b)"
            )
        table_a = as_table(y_true, y_score_b, **options)
        table_b = y_score_a
    else:
        if y_score_b is None:
            raise InputTypeError("`y_score_b` is missing: pass (y_true, y_score_a, y_score_b)")
        with renamed(y_score="y_score_a"):
            table_a = as_table(y_true, y_score_a, **options)
        with renamed(y_score="y_score_b"):
            table_b = as_table(y_true, y_score_b, **options)
    if lacks_a_class(table_a, "dominance") or lacks_a_class(table_b, "dominance"):
        return Dominance("undefined", (), curve)
    with at_most(1 if len(table_a) + len(table_b) < FEW_ROWS else None):
        a, b, (x_unit, y_unit) = _polygons((table_a, table_b), curve)
        turns = _turns(a, b)
    above = turns[:, 2] & _IS_ABOVE > 0
    relation: Relation = "equal"
    if len(turns):
        relation = "encloses" if above[0] else "is-enclosed"
    is_turn = above[1:] != above[:-1]
    if not is_turn.any():
        return Dominance(relation, (), curve)
    points = [
        (float(x / x_unit), float(y / y_unit))
        if curve == "roc"
        else (float(y / y_unit), float(y / (y + x)))
        for x, y in (_crossing(a, b, *turn) for turn in turns[1:][is_turn].tolist())
    ]
    return Dominance("crosses", tuple(points), curve)


# Weighted coordinates are rounded sums in [0, 1], and a difference of their products decides the
# side: lines nearer than this count as touching.
_TOUCHING = 2.0**-45
#: Marks of a turn.
_IS_OF_A = 1
_TOUCHES = 2
_IS_ABOVE = 4
#: Corners of line A that a job visits.
_JOB_CORNERS = 1 << 15


#: x and y of the corners of a rising line from (0, 0): int64, Python integers or float64.
_Polygon = tuple[NDArray[Any], NDArray[Any]]


def _polygons(
    tables: tuple[ScoreTable, ScoreTable], curve: Curve
) -> tuple[_Polygon, _Polygon, tuple[Any, Any]]:
    """Return two curves in common units, and the lengths of 1 on either axis.

    Units are 1/lcm of the classes' sizes where counts are integers. The axes of ROC curves are FPR
    and TPR. Those of precision-recall curves are FP and TP per positive, since fewer FP at equal TP
    are a higher precision at equal recall. A curve that reaches recall 1 first is extended at
    recall 1 to the end of the other: there is nothing to compare beyond.
    """
    x_totals = [t.n_negative if curve == "roc" else t.n_positive for t in tables]
    x_unit: Any = 1.0
    y_unit: Any = 1.0
    if any(t.is_weighted for t in tables):
        jobs = [partial(_float_line, *pair) for pair in zip(tables, x_totals, strict=True)]
    else:
        x_unit = math.lcm(*map(int, x_totals))
        y_unit = math.lcm(*(int(t.n_positive) for t in tables))
        x_scales = [x_unit // int(size) for size in x_totals]
        width = max(int(t.n_negative) * k for t, k in zip(tables, x_scales, strict=True))
        jobs = [
            partial(_integer_line, t, k, y_unit // int(t.n_positive), width * y_unit)
            for t, k in zip(tables, x_scales, strict=True)
        ]
    a, b = run(jobs)
    if curve == "precision-recall":
        end = max(a[0][-1:], b[0][-1:])
        a, b = (
            (np.append(x, end), np.append(y, y[-1:])) if x[-1] < end else (x, y) for x, y in (a, b)
        )
    return a, b, (x_unit, y_unit)


def _turns(a: _Polygon, b: _Polygon) -> NDArray[np.int64]:
    """Return the first side of line A, and each change of sides, as ``turns_of_lines`` writes them.

    Both lines are swept from (0, 0); of corners at equal x + y, that of A comes first. A side may
    be repeated at the first corner of a job. The result has shape (n_turns, 3). O(n) time.
    """
    n_a = len(a[0])
    n_b = len(b[0])
    starts = [(0, 0)]
    for i in range(_JOB_CORNERS, n_a, _JOB_CORNERS):
        j = bisect_left(range(n_b), a[0][i] + a[1][i], key=lambda j: b[0][j] + b[1][j])
        starts.append((i, j))
    ends = [*starts[1:], (n_a, n_b)]
    kind = a[0].dtype.kind
    touching = _TOUCHING if kind == "f" else 0
    # Python's integers, of any size, run through the uncompiled kernel.
    walk = turns_of_lines.py_func if kind == "O" else turns_of_lines

    def sweep(i: int, j: int, i_stop: int, j_stop: int) -> NDArray[np.int64]:
        # Each job but the first begins a corner early, to know the side of the one before it.
        out = np.empty((i_stop - i + j_stop - j + 1, 3), np.int64)
        count = walk(*a, *b, i, i_stop, j, j_stop, touching, out)
        return out[:count].copy()

    jobs = [partial(sweep, *start, *end) for start, end in zip(starts, ends, strict=True)]
    return np.concatenate(run(jobs))


def _integer_line(table: ScoreTable, x_scale: int, y_scale: int, area: int) -> _Polygon:
    # A side is decided by a difference of two products, each up to `area`.
    dtype: Any = np.int64 if 2 * area < INT64_BOUND else object
    x, y = np.zeros((2, len(table) + 1), dtype)
    for out, column, scale in ((x, table.negatives, x_scale), (y, table.positives, y_scale)):
        np.cumsum(column, out=out[1:], dtype=dtype)
        if scale != 1:
            out *= scale
    return x, y


def _float_line(table: ScoreTable, x_total: float) -> _Polygon:
    tp, fp = running_sums(table)
    return np.append(0.0, fp / x_total), np.append(0.0, tp / table.n_positive)


def _crossing(a: _Polygon, b: _Polygon, i: int, j: int, marks: int) -> tuple[Any, Any]:
    """Return the point of a change of sides at corner ``i`` of A or ``j`` of B."""
    is_of_a = marks & _IS_OF_A
    if marks & _TOUCHES:  # the lines separate at their last common corner
        line, at = (a, i) if is_of_a else (b, j)
        return _corner(line, at)
    # The segments that cross end at or after the corner.
    while not is_of_a and i > 0 and a[0][i - 1] + a[1][i - 1] >= b[0][j] + b[1][j]:
        i -= 1
    i, j = (min(max(at, 1), len(line[0]) - 1) for line, at in ((a, i), (b, j)))
    ax, ay = _corner(a, i - 1)
    bx, by = _corner(b, j - 1)
    a_end_x, a_end_y = _corner(a, i)
    b_end_x, b_end_y = _corner(b, j)
    adx = a_end_x - ax
    ady = a_end_y - ay
    bdx = b_end_x - bx
    bdy = b_end_y - by
    fraction = ((bx - ax) * bdy - (by - ay) * bdx) / (adx * bdy - ady * bdx)
    return ax + fraction * adx, ay + fraction * ady


def _corner(line: _Polygon, at: int) -> tuple[Any, Any]:
    """Return a corner: floats as they are, integers as Fractions."""
    x, y = line[0][at], line[1][at]
    return (float(x), float(y)) if isinstance(x, float) else (Fraction(int(x)), Fraction(int(y)))
