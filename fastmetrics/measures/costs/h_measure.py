"""The H-measure and the Gini coefficient of scores."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.rows import check_binary
from fastmetrics._input.scalars import check_positive
from fastmetrics.errors import InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.tables.scores.both_classes import BOTH_CLASSES, lacks_a_class
from fastmetrics.tables.scores.hull import upper_hull
from fastmetrics.tables.scores.pairs import count_pairs, pairs_of_weights
from fastmetrics.tables.scores.score_table import SCORED_BINARY, ScoreTable, as_table

Floats = NDArray[np.float64]

_NAMES: Final = ("prevalence", "symmetric")


@documented(SCORED_BINARY, BOTH_CLASSES)
def h_measure(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    cost_weight: str | tuple[float, float] = "prevalence",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the H-measure: how much of the loss of a trivial rule the best thresholds save.

    Parameters
    ----------
    cost_weight : {"prevalence", "symmetric"} or (a, b), default="prevalence"
        How likely each share c is that a false positive has in the price of both errors, as
        Beta(a, b). "prevalence" is Beta(1 + p, 2 - p) with p the share of positives in the data,
        whose mode is p (Hand & Anagnostopoulos 2014); "symmetric" is Beta(2, 2), the same
        for all data (Hand 2009). R's ``hmeasure`` takes Beta(2, 1 / p) by default.

    Returns
    -------
    float
        In [0, 1]: 0 for scores that no threshold makes use of, 1 for perfect ones; nan where a
        class is missing.

    Raises
    ------
    TypeError, ValueError
        If `cost_weight` is none of these, or the data are not binary labels and finite scores.

    Notes
    -----
    1 - L / L_max with L the loss of the best threshold at c, ``c (1 - p) FPR + (1 - c) p FNR``,
    averaged over c, and L_max that of the better trivial rule. One sort; on the hull each block of
    n negatives and p positives loses min(c n, (1 - c) p), whose mean is an incomplete Beta
    function: no quadrature. It is biased upwards, as the hull is.

    References
    ----------
    Hand (2009), Measuring classifier performance: a coherent alternative to the area under the
    ROC curve, Machine Learning 77. Hand & Anagnostopoulos (2014), A better Beta for the H measure
    of classification performance, Pattern Recognition Letters 40.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> y_score = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    >>> h_measure(y_true, y_score, cost_weight="symmetric")
    0.25
    """
    given = checked_weight(cost_weight)
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the H-measure"):
        return math.nan
    hull = upper_hull(table)
    n_positive, n_negative = float(table.n_positive), float(table.n_negative)
    positives = np.append(hull.positives, n_positive) / (n_positive + n_negative)
    negatives = np.append(hull.negatives, n_negative) / (n_positive + n_negative)
    lost = mean_losses(positives, negatives, *beta_of(given, float(positives[-1])))
    return float(max(0.0, 1.0 - math.fsum(lost[:-1]) / lost[-1]))


def checked_weight(cost_weight: Any) -> str | tuple[float, float]:
    """Return the name of a weight, or both parameters of a Beta distribution."""
    if isinstance(cost_weight, str) and cost_weight in _NAMES:
        return cost_weight
    if isinstance(cost_weight, str) or np.shape(cost_weight) != (2,):
        raise InputTypeError(
            "`cost_weight` must be 'prevalence', 'symmetric' or the two parameters of a Beta "
            f"distribution: got {cost_weight!r}"
        )
    a, b = (check_positive("cost_weight", parameter) for parameter in cost_weight)
    return a, b


def beta_of(cost_weight: str | tuple[float, float], prevalence: float) -> tuple[float, float]:
    """Return the parameters that a name stands for where so many examples are positive."""
    if isinstance(cost_weight, tuple):
        return cost_weight
    return (2.0, 2.0) if cost_weight == "symmetric" else (1.0 + prevalence, 2.0 - prevalence)


def mean_losses(positives: Floats, negatives: Floats, a: float, b: float) -> Floats:
    """Return the mean of min(c n, (1 - c) p) over c from Beta(a, b), for each block."""
    from scipy.special import betainc, betaincc

    turn = positives / (positives + negatives)
    low, high = a / (a + b), b / (a + b)  # the means of c and of 1 - c
    losses: Floats = negatives * low * betainc(a + 1.0, b, turn)
    losses += positives * high * betaincc(a, b + 1.0, turn)
    return losses


@documented(SCORED_BINARY, BOTH_CLASSES)
def gini_coefficient(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the Gini coefficient of scores, 2 AUC - 1: the accuracy ratio.

    Returns
    -------
    float
        In [-1, 1]: 0 for scores without information; nan where a class is missing.

    See Also
    --------
    somers_d : The same of labels that are numbers.
    lorenz_gini : The same of labels 0 and 1, of outcomes that are amounts too.
    rank_loss : Half of what it lacks: Gini = 1 - 2 rank loss.

    Notes
    -----
    Also Somers' D of the scores given the labels. Costs what the AUC does. Counts of
    pairs are divided once: it is the double nearest to the rational, near 0 too, where 2 AUC - 1
    loses digits.

    Examples
    --------
    >>> gini_coefficient([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    if isinstance(y_true, ScoreTable):
        table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
        pairs = pairs_of_weights(table.positives, table.negatives)
    else:
        rows = check_binary(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
        pairs = count_pairs(rows)
    if not (pairs.n_positive > 0 and pairs.n_negative > 0):
        warn_user(
            "the Gini coefficient is not defined: there is one class only", UndefinedMetricWarning
        )
        return math.nan
    if isinstance(pairs.twice_concordant, int):
        won = pairs.twice_concordant - pairs.twice_discordant
        return float(won / (2 * pairs.n_positive * pairs.n_negative))
    return pairs.auc - pairs.rank_loss
