"""Does one curve enclose another, and if they cross, where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from fastmetrics._input.scalars import check_choice
from fastmetrics._results import Result
from fastmetrics.errors import InputTypeError
from fastmetrics.measures.curves._curve_counts import lacks_a_class
from fastmetrics.measures.curves._paths import crossings, precision_recall_paths, roc_paths, sides
from fastmetrics.tables.scores.score_table import ScoreTable, as_table

Curve = Literal["roc", "precision_recall"]
Relation = Literal["encloses", "is_enclosed", "equal", "crosses", "undefined"]


@dataclass(frozen=True, slots=True, repr=False)
class Dominance(Result):
    """How the curve of model A lies to that of model B.

    Attributes
    ----------
    relation : {"encloses", "is_enclosed", "equal", "crosses", "undefined"}
        "encloses": A is nowhere below B, and somewhere above; "is_enclosed": the reverse;
        "undefined": a class is missing.
    crossings : tuple of (float, float)
        The points where the order turns, along the curve from the highest threshold: (FPR, TPR)
        for ROC, (recall, precision) for precision-recall. Where the curves run together before
        they part in the other order, the point where they part.
    curve : {"roc", "precision_recall"}
        Which curves were compared.
    """

    relation: Relation
    crossings: tuple[tuple[float, float], ...]
    curve: Curve


def dominance(
    y_true: ArrayLike | ScoreTable,
    score_a: ArrayLike | ScoreTable,
    score_b: ArrayLike | None = None,
    *,
    curve: Curve = "roc",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> Dominance:
    """Say whether the curve of model A encloses that of model B, and where they cross.

    Called as ``dominance(y_true, score_a, score_b)``, or as ``dominance(table_a, table_b)``: the
    tables may come from different data.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ScoreTable
        Binary labels; or the table of model A.
    score_a : array-like of shape (n_samples,) or ScoreTable
        Scores of model A; or the table of model B, and then `score_b` is left out.
    score_b : array-like of shape (n_samples,), optional
        Scores of model B.
    curve : {"roc", "precision_recall"}, default="roc"
        Which curves to compare.
    pos_label : int, float, bool or str, optional
        The positive label; {0, 1}, {-1, 1} and booleans need none.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative.
    n_threads : int, optional
        Threads of the sort; None means every processor the process may use.

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
    if isinstance(y_true, ScoreTable) or isinstance(score_a, ScoreTable):
        if not (isinstance(y_true, ScoreTable) and isinstance(score_a, ScoreTable)):
            raise InputTypeError(
                "a ScoreTable is compared with a ScoreTable: pass (table_a, table_b)"
            )
        table_a = as_table(y_true, score_b, **options)
        table_b = score_a
    else:
        if score_b is None:
            raise InputTypeError("`score_b` is missing: pass (y_true, score_a, score_b)")
        table_a = as_table(y_true, score_a, **options, n_threads=n_threads)
        table_b = as_table(y_true, score_b, **options, n_threads=n_threads)
    if lacks_a_class(table_a, "dominance") or lacks_a_class(table_b, "dominance"):
        return Dominance("undefined", (), curve)
    if curve == "roc":
        paths = roc_paths(table_a, table_b)
        to_point = paths.as_roc_point
    else:
        paths = precision_recall_paths(table_a, table_b)
        to_point = paths.as_precision_recall_point
    order = sides(paths)
    relation: Relation
    if order.above and order.below:
        relation = "crosses"
    elif order.above or order.below:
        relation = "encloses" if order.above else "is_enclosed"
    else:
        relation = "equal"
    points = tuple(to_point(*point) for point in crossings(paths, order))
    return Dominance(relation, points, curve)
