"""Tests of calibration: Spiegelhalter's Z, and Hosmer and Lemeshow's chi-squared."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre, check_integer, check_weights_are
from fastmetrics._results import OneNumber
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.calibration._probability_table import (
    CALIBRATED,
    PIECE,
    Floats,
    probabilities,
    probability_table,
    sums_of,
    table_with_squares,
)
from fastmetrics.tables.score_table import ScoreTable

_MOST_GROUPS: Final = 10**6


@dataclass(frozen=True, slots=True, repr=False)
class GoodnessOfFitTest(OneNumber):
    """A test of the hypothesis that probabilities are calibrated.

    Attributes
    ----------
    method : str
        The name of the test.
    statistic : float
        Spiegelhalter's Z: above 0 where outcomes are more extreme than the probabilities say; or
        chi-squared. nan where it is not defined.
    pvalue : float
        Probability of a statistic at least as extreme, if the probabilities are calibrated.
    df : int or None
        Degrees of freedom of a chi-squared; None where there are none.

    Examples
    --------
    >>> GoodnessOfFitTest("Spiegelhalter's Z", 1.2, 0.23014, None)
    GoodnessOfFitTest(method="Spiegelhalter's Z", statistic=1.2, pvalue=0.23014, df=None)
    """

    _number = "statistic"

    method: str
    statistic: float
    pvalue: float
    df: int | None


@documented(CALIBRATED)
def spiegelhalter_test(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    n_threads: int | None = None,
) -> GoodnessOfFitTest:
    """Test whether the Brier score is what calibrated probabilities would have (Spiegelhalter).

    Returns
    -------
    GoodnessOfFitTest
        Z, which is standard normal for calibrated probabilities, and its two-sided p-value.

    Warns
    -----
    UndefinedMetricWarning
        If all probabilities are 0, 1/2 or 1: the Brier score is then certain, and Z is nan.

    Notes
    -----
    Z = sum (y - p)(1 - 2p) / sqrt(sum (1 - 2p)**2 p (1 - p)); with importances w the terms are
    multiplied by w above, by w**2 below. The p-value is that of the normal distribution, for which
    some dozens of rows of either class are enough (`docs/coverage.md`).

    One sort, then O(distinct probabilities).

    References
    ----------
    Spiegelhalter, D. J. (1986). Probabilistic prediction in patient management and clinical
    trials. Statistics in Medicine 5(5), 421-433.

    Examples
    --------
    >>> test = spiegelhalter_test([0, 0, 1, 1, 0], [0.1, 0.4, 0.8, 0.7, 0.6])
    >>> round(test.statistic, 4), round(test.pvalue, 4)
    (-0.6831, 0.4945)
    """
    table, squares, _ = table_with_squares(y_true, y_proba, sample_weight, weights_are, pos_label)
    squared = (table.positives, table.negatives) if squares is None else squares[:2]

    def terms(p: Floats, ones: NDArray[Any], zeros: NDArray[Any], *squared: NDArray[Any]) -> Any:
        q = 1.0 - p
        slope = q - p
        over = float(((ones * q - zeros * p) * slope).sum())
        return over, float(((squared[0] + squared[1]) * (slope * slope * (p * q))).sum())

    columns = (probabilities(table), table.positives, table.negatives, *squared)
    over, variance = sums_of(terms, columns)
    return spiegelhalter_of_sums(over, variance, 1.0 if squares is None else squares.largest)


def spiegelhalter_of_sums(over: float, variance: float, unit: float) -> GoodnessOfFitTest:
    """Return the test of the two sums, the first in this unit, the second in that of its square."""
    method = "Spiegelhalter's Z"
    if not variance > 0.0:
        warn_user(
            "Spiegelhalter's Z is not defined: all probabilities are 0, 1/2 or 1",
            UndefinedMetricWarning,
        )
        return GoodnessOfFitTest(method, math.nan, math.nan, None)
    from scipy.special import ndtr

    z = over / unit / math.sqrt(variance)
    return GoodnessOfFitTest(method, z, 2.0 * float(ndtr(-abs(z))), None)


@documented(CALIBRATED)
def hosmer_lemeshow_test(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    on_training_data: bool,
    n_groups: int = 10,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    n_threads: int | None = None,
) -> GoodnessOfFitTest:
    """Test calibration in groups of similar probabilities (Hosmer and Lemeshow).

    Parameters
    ----------
    on_training_data : bool
        Whether the model was fitted on these rows: groups - 2 degrees of freedom, else as many as
        groups. It is never guessed.
    n_groups : int, default=10
        Groups of equally many rows, as far as rows of one probability, which are never parted,
        allow: a row is in group floor(n_groups * share of rows with a lower probability), the
        "equal-count" bins of calibration errors.

    Returns
    -------
    GoodnessOfFitTest
        Chi-squared, its degrees of freedom and the p-value.

    Raises
    ------
    ValueError
        If weights are importances: the test needs counts.

    Warns
    -----
    UndefinedMetricWarning
        If no degree of freedom is left.

    Notes
    -----
    Chi-squared is the sum over groups of (observed - expected)**2 / (n m (1 - m)), expected being
    the sum of the probabilities, m its mean. A group whose probabilities are all 0 or all 1 adds
    nothing if they are right, else the statistic is inf.

    The value hangs on how groups are cut, and other programs cut otherwise where probabilities tie.
    Where the expected number of positives or of negatives of groups is below about five the
    chi-squared distribution fits badly.

    References
    ----------
    Hosmer, D. W., & Lemeshow, S. (1980). Goodness of fit tests for the multiple logistic regression
    model. Communications in Statistics A 9(10), 1043-1069.

    Examples
    --------
    >>> y_true, y_proba = [0, 1, 0, 1, 1, 0], [0.2, 0.4, 0.5, 0.6, 0.9, 0.3]
    >>> test = hosmer_lemeshow_test(y_true, y_proba, n_groups=3, on_training_data=False)
    >>> round(test.statistic, 4), test.df
    (1.3535, 3)
    """
    check_integer("n_groups", n_groups, low=2, high=_MOST_GROUPS)
    table = probability_table(
        y_true,
        y_proba,
        sample_weight=sample_weight,
        weights_are=check_weights_are(sample_weight, weights_are),
        pos_label=pos_label,
    )
    return hosmer_lemeshow_of_table(table, n_groups, on_training_data)


def hosmer_lemeshow_of_table(
    table: ScoreTable, n_groups: int, on_training_data: bool
) -> GoodnessOfFitTest:
    """Return the test of a table, which must be one of counts."""
    if not isinstance(on_training_data, bool | np.bool_):
        raise InputTypeError(
            f"`on_training_data` must be a bool: got {type(on_training_data).__name__}"
        )
    if table.is_weighted:
        raise InputError("the Hosmer-Lemeshow test needs counts: got importances")
    n, observed, expected = _groups(table, n_groups)
    gaps = observed - expected
    variances = expected * (1.0 - expected / n)
    is_certain = ~(variances > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(is_certain & (gaps == 0.0), 0.0, gaps**2 / variances)
    df = len(gaps) - 2 if on_training_data else len(gaps)
    groups = f"{len(gaps)} group" + "s" * (len(gaps) != 1)
    method = f"Hosmer-Lemeshow, {groups}"
    if df < 1:
        warn_user(
            f"the Hosmer-Lemeshow test is not defined: {groups} on training data leave no degree "
            "of freedom",
            UndefinedMetricWarning,
        )
        return GoodnessOfFitTest(method, float(terms.sum()), math.nan, 0)
    from scipy.special import chdtrc

    statistic = float(terms.sum())
    return GoodnessOfFitTest(method, statistic, float(chdtrc(df, statistic)), df)


def _groups(table: ScoreTable, n_groups: int) -> tuple[Floats, Floats, Floats]:
    """Return rows, positives and the sum of probabilities of each group, the greatest first.

    Rows come by descending probability: group k and those above it begin with the row below which
    there is at least a share k / n_groups of all.
    """
    positives, negatives, p = table.positives, table.negatives, probabilities(table)
    total = int(table.n_positive) + int(table.n_negative)
    shares = [total + -total * k // n_groups for k in range(n_groups)]
    pieces = np.arange(0, len(p), PIECE)
    running = np.cumsum(np.add.reduceat(positives, pieces) + np.add.reduceat(negatives, pieces))
    ends = []
    for share in shares:  # the rows among which at most so many are counted
        piece = int(np.searchsorted(running, share, side="right"))
        rows = slice(piece * PIECE, (piece + 1) * PIECE)
        inside = np.cumsum(positives[rows] + negatives[rows])
        rest = share - (int(running[piece - 1]) if piece else 0)
        ends.append(rows.start + int(np.searchsorted(inside, rest, side="right")))
    cuts = np.unique(np.minimum([0, *ends], len(p))).tolist()

    def terms(p: Floats, ones: NDArray[Any], zeros: NDArray[Any]) -> tuple[float, float, float]:
        both = ones + zeros
        return float(both.sum()), float(ones.sum()), float((both * p).sum())

    groups = [
        sums_of(terms, (p[a:b], positives[a:b], negatives[a:b]))
        for a, b in itertools.pairwise(cuts)
    ]
    n, observed, expected = np.array(groups).T
    return n, observed, expected
