"""What a measure would be without one row: BCa's leave-one-out values, in closed form."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_choice
from fastmetrics.errors import InputError
from fastmetrics.intervals.bootstrap.bca._loo_areas import partial_auc, rank_loss, roc_auc
from fastmetrics.intervals.bootstrap.bca._loo_precision_recall import (
    average_precision,
    pr_auc,
)
from fastmetrics.intervals.bootstrap.bca._loo_thresholds import (
    best_threshold,
    break_even_point,
    ks_statistic,
)
from fastmetrics.tables.scores.score_table import ScoreTable

Floats = NDArray[np.float64]

_MEASURES: dict[str, Callable[..., tuple[Floats, Floats]]] = {
    "roc_auc": roc_auc,
    "rank_loss": rank_loss,
    "partial_auc": partial_auc,
    "average_precision": average_precision,
    "pr_auc": pr_auc,
    "ks_statistic": ks_statistic,
    "break_even_point": break_even_point,
    "best_threshold": best_threshold,
    "tpr_at_fpr": partial(best_threshold, criterion="recall_at_fpr"),
    "precision_at_recall": partial(best_threshold, criterion="precision_at_recall"),
    "recall_at_precision": partial(best_threshold, criterion="recall_at_precision"),
}

#: The measures that have a closed form.
LEAVE_ONE_OUT = tuple(_MEASURES)


def leave_one_out(
    table: ScoreTable, name: str, *, deviations: bool = False, **params: Any
) -> tuple[Floats, Floats]:
    """Return a measure without one positive, and without one negative, of each distinct score.

    Parameters
    ----------
    table : ScoreTable
        Counts, not weights.
    name : str
        One of `LEAVE_ONE_OUT`.
    deviations : bool, default=False
        Return the differences from the measure of the whole table instead, without the
        cancellation of subtracting the two. This is what `acceleration` should get.
    **params
        Those of the public function of that name, where they say what is measured:
        ``max_fpr`` (roc_auc); ``fpr_range``, ``tpr_range``, ``correct`` (partial_auc);
        ``interpolation`` (pr_auc); ``criterion``, ``beta``, ``at_least``, ``at_most``
        (best_threshold, of which the last three names are criteria). With best_threshold and its
        criteria, ``of`` is the number that is looked at: "value" (the default), "threshold",
        "true_positive_rate", "false_positive_rate", "precision" or "recall".

    Returns
    -------
    of_positives, of_negatives : ndarray of shape (n_distinct,)
        The value without one positive (one negative) of each row of the table; nan where the
        row has none, or where the measure is undefined on the rest. As deviations, all nan where
        it is undefined on the whole table.

    Raises
    ------
    ValueError
        If the measure has no closed form here, or the table holds weights.

    Notes
    -----
    O(distinct scores) time and memory: a few passes, no sort.

    Precision. Values have an absolute error of a few 2^-53 times their scale. Deviations are of
    size 1/n. Those of the ROC areas and the break-even point (rational numbers, rounded once where
    rows share one) keep their relative precision at any n; those of average precision and the
    trapezoid (sums of small changes) have an absolute error of about 2^-52 / n, besides that of
    the sums. For the continuous area they are sums of differences of nearly equal terms, and for
    KS and the best thresholds differences of two values: their absolute error is about 2^-52, that
    is n 2^-52 of their size, 2e-9 for 10^7 rows.
    Choices between thresholds are exact where the products of counts fit 63 bits, and by float64
    beyond: candidates within 2^-50 of one another may then change places.

    References
    ----------
    Efron & Tibshirani (1993), An introduction to the bootstrap, 14.3: what the values are for.
    For the AUC they are the placements of DeLong, DeLong & Clarke-Pearson (1988).

    Examples
    --------
    >>> table = ScoreTable.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> of_positives, of_negatives = leave_one_out(table, "roc_auc")
    >>> table.scores, of_positives, of_negatives
    (array([0.8 , 0.4 , 0.35, 0.1 ]), array([0.5, nan, 1. , nan]), array([nan, 1. , nan, 0.5]))
    """
    check_choice("name", name, LEAVE_ONE_OUT)
    if table.is_weighted:
        raise InputError("leaving one row out is for tables of counts, and this one holds weights")
    p, n = int(table.n_positive), int(table.n_negative)
    if p == 0 or (n == 0 and name != "average_precision"):  # which alone does without negatives
        return np.full(len(table), np.nan), np.full(len(table), np.nan)
    of_positives, of_negatives = _MEASURES[name](table, deviations, **params)
    with np.errstate(invalid="ignore"):
        # 0 / 0 is nan, and 1 elsewhere: three times as fast as a mask where rows are mixed.
        of_positives *= table.positives / table.positives
        of_negatives *= table.negatives / table.negatives
    return of_positives, of_negatives
