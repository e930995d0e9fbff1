"""DeLong's variance of the AUC, its standard error and its confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.models import NamedScores, check_models
from fastmetrics._input.rows import check_binary, refuse_several
from fastmetrics._input.scalars import (
    WeightsAre,
    check_choice,
    check_confidence_level,
    check_n_threads,
    check_weights_are,
)
from fastmetrics._results import ConfidenceInterval, OneNumber
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.inference._sample_sizes import (
    degrees_of_freedom,
    effective_groups,
    quantile,
    warn_of_few_groups,
    warn_of_few_rows,
)
from fastmetrics.inference.delong._delong_covariance import auc_covariance
from fastmetrics.inference.delong._weighted_covariance import (
    OF_WEIGHTS,
    WeightedCovariance,
    warn_of_weights,
)
from fastmetrics.measures.curves.placements import placement_sums
from fastmetrics.tables.scores.score_table import SCORED, ScoreTable, as_table

Scale = Literal["plain", "logit"]


@dataclass(frozen=True, slots=True, repr=False)
class DeLongResult(OneNumber):
    """An AUC with DeLong's standard error and confidence interval.

    Attributes
    ----------
    estimate : float
        The AUC, the double nearest to the true ratio; nan where a class is missing.
    variance, standard_error : float
        DeLong's unbiased variance of the AUC, and its root; nan where a class has fewer than two
        examples.
    confidence_interval : ConfidenceInterval
        Its two limits, `low` and `high`, inside [0, 1].
    n_positive, n_negative : int
        Examples of either class; of importances, rows that have a weight.
    confidence_level : float
        Coverage aimed at.
    scale : {"plain", "logit"}
        Where the normal approximation was made.
    method : str
        The name of the method.
    n_groups : int or None
        Groups of examples; None if each example stands for itself.
    effective_n_groups : float or None
        How many groups of equal size they are worth, (sum m)^2 / sum m^2; the interval is by
        Student's t with one degree of freedom less.
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.
    """

    estimate: float
    variance: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    n_positive: int
    n_negative: int
    confidence_level: float
    scale: Scale
    method: str = "DeLong (1988)"
    n_groups: int | None = None
    effective_n_groups: float | None = None
    weights_are: WeightsAre | None = None


class AucVariance(NamedTuple):
    """An AUC, its variance, what they came from, and why one of the two is nan."""

    estimate: float
    variance: float
    n_positive: int
    n_negative: int
    n_groups: int | None
    fault: str
    weights_are: WeightsAre | None
    effective_sizes: tuple[float, float]
    effective_n_groups: float | None = None


@documented(OF_WEIGHTS, SCORED)
def delong(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    scale: Scale = "plain",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    n_threads: int | None = None,
) -> DeLongResult:
    """Compute the AUC with DeLong's standard error and confidence interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ScoreTable
        Binary labels; or a table of counts, and then `y_score` is left out.
    groups : array-like of shape (n_samples,), optional
        Which examples belong together, such as those of one patient: whole numbers or text. The
        variance is then that between groups (Obuchowski 1997). It needs rows, not a table.
    scale : {"plain", "logit"}, default="plain"
        "plain": AUC +- z SE, cut off at 0 and 1. "logit": the same on log(AUC / (1 - AUC)),
        transformed back; better covered near 0 and 1.

    Returns
    -------
    DeLongResult
        Estimate, variance, standard error and interval.

    Raises
    ------
    TypeError
        If an argument is of the wrong kind, or `groups` come with a table.

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing, or has one example (one group) only: its variance cannot be
        estimated.
    DegenerateDataWarning
        If the variance is 0 (AUC of 0 or 1, or all scores tied): the limits equal the
        estimate. `newcombe_interval` works there.

    Notes
    -----
    **Without weights**, and of frequencies: one sort, then O(distinct scores). With ties counting
    one half, the placement of an example is the share of the other class below (above) it, and
    the variance is that of the placements in each class, with divisors m+ - 1 and m- - 1, each
    over its class size. Sums of placements are integers of any size, so estimate and variance are
    the doubles nearest to the true ratios.

    With groups the placements are looked up row by row, O(n log n) time and O(n) memory. Let X_i
    be the sum of the placements of the m_i positives of group i, Y_i that of its n_i negatives,
    and I10 (I01) the number of groups with a positive (a negative) among I. The variance is
    S10/m+ + S01/m- + 2 S11/(m+ m-), where S10 = I10 / (I10 - 1) / m+ sum (X_i - m_i AUC)^2, S01
    is alike for the negatives, and S11 = I / (I - 1) sum (X_i - m_i AUC)(Y_i - n_i AUC). It is
    never negative. If every group is a single row, S11 is 0 and the variance is DeLong's exactly;
    so it is if each example is repeated the same number of times within a group of its own. Limits
    are then by Student's t, with `effective_n_groups` - 1 degrees of freedom; below about 30 they
    still cover too little (``docs/coverage.md``).

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more correlated ROC
    curves, Biometrics 44:837-845. By ranks: Sun & Xu (2014), IEEE Signal Processing Letters 21.
    Groups: Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, Biometrics
    53:567-578.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> result = delong(y_true, [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15])
    >>> result.estimate, round(result.standard_error, 4)
    (0.65625, 0.221)
    >>> result.confidence_interval
    ConfidenceInterval(low=0.223155, high=1)
    """
    level = check_confidence_level(confidence_level)
    check_choice("scale", scale, get_args(Scale))
    found = auc_variance(
        y_true,
        y_score,
        groups=groups,
        sample_weight=sample_weight,
        weights_are=weights_are,
        pos_label=pos_label,
        n_threads=n_threads,
    )
    _warn(found)
    standard_error = math.sqrt(found.variance)
    return DeLongResult(
        found.estimate,
        found.variance,
        standard_error,
        normal_limits(
            *(found.estimate, standard_error, level, scale),
            df=degrees_of_freedom(found.effective_n_groups),
        ),
        found.n_positive,
        found.n_negative,
        level,
        scale,
        "DeLong (1988)" if groups is None else "Obuchowski (1997)",
        found.n_groups,
        found.effective_n_groups,
        found.weights_are,
    )


def auc_variance(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    weights_are: Any = "importances",
    pos_label: Any = None,
    n_threads: int | None = None,
) -> AucVariance:
    """Return the AUC and its variance, nan where they are not defined, without a warning."""
    refuse_several(y_score, "delong_test")
    read = check_weights_are(sample_weight, weights_are)
    if groups is None and read != "importances":
        table = _counted(y_true, y_score, sample_weight, read, pos_label, n_threads)
        return _of_table(table, read)
    if isinstance(y_true, ScoreTable):
        what = "`sample_weight`" if groups is None else "`groups`"
        raise InputTypeError(
            f"{what} needs rows: a ScoreTable holds counts, and which row was whose is lost"
        )
    check_n_threads(n_threads)
    models = check_models(
        y_true,
        [NamedScores("", "y_score", y_score)],
        sample_weight=sample_weight,
        weights_are=read,
        pos_label=pos_label,
        groups=groups,
    )
    found = auc_covariance(models, n_threads)
    sizes = (float(found.n_positive), float(found.n_negative))
    return AucVariance(
        found.auc(0),
        found.covariance(0, 0),
        found.n_positive,
        found.n_negative,
        found.n_groups,
        found.fault,
        read,
        found.effective_sizes if isinstance(found, WeightedCovariance) else sizes,
        None if models.groups is None else effective_groups(models.groups, models.rows.weights),
    )


def _counted(
    y_true: Any,
    y_score: Any,
    sample_weight: Any,
    read: WeightsAre | None,
    pos_label: Any,
    n_threads: int | None,
) -> ScoreTable:
    """Return a table of counts."""
    if sample_weight is not None and not isinstance(y_true, ScoreTable):
        rows = check_binary(
            y_true, y_score, sample_weight=sample_weight, weights_are=read, pos_label=pos_label
        )
        return ScoreTable.from_rows(rows, n_threads=n_threads)
    table = as_table(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, n_threads=n_threads
    )
    if table.is_weighted:
        raise InputTypeError(
            "a ScoreTable of fractional weights does not tell how many rows a weight is: pass "
            "`y_true`, `y_score` and `sample_weight`"
        )
    return table


def _of_table(table: ScoreTable, read: WeightsAre | None) -> AucVariance:
    m, n = int(table.n_positive), int(table.n_negative)
    sizes = (float(m), float(n))
    if not (m and n):
        fault = f"there is no {'negative' if m else 'positive'} example (one class only)"
        return AucVariance(math.nan, math.nan, m, n, None, fault, read, sizes)
    return variance_of_sums(m, n, placement_sums(table.positives, table.negatives, m, n), read)


def variance_of_sums(
    m: int, n: int, sums: tuple[int, int, int], read: WeightsAre | None = None
) -> AucVariance:
    """Return the AUC and its variance of rows of two classes, by what `placement_sums` returns."""
    sizes = (float(m), float(n))
    twice_pairs, positive_squares, negative_squares = sums
    estimate = twice_pairs / (2 * m * n)
    if min(m, n) < 2:
        single = "positive" if m < 2 else "negative"
        fault = f"there is one {single} example only, and the spread within a class needs two"
        return AucVariance(estimate, math.nan, m, n, None, fault, read, sizes)
    # Var = S10/m + S01/n with S10 = sum (V - AUC)^2 / (m - 1), V = placement/n and AUC = U/(m n);
    # everything is doubled to be whole, and put over one denominator to be divided once.
    spread_positive = m * positive_squares - twice_pairs**2
    spread_negative = n * negative_squares - twice_pairs**2
    numerator = spread_positive * (n - 1) + spread_negative * (m - 1)
    variance = numerator / (4 * m * m * n * n * (m - 1) * (n - 1))
    return AucVariance(estimate, variance, m, n, None, "", read, sizes)


def _warn(found: AucVariance) -> None:
    """Say what is not defined, or degenerate."""
    if math.isnan(found.estimate):
        warn_user(f"the AUC is not defined: {found.fault}", UndefinedMetricWarning)
    elif found.fault:
        advice = "; `newcombe_interval` works there" if found.n_groups is None else ""
        message = f"DeLong's standard error is not defined: {found.fault}{advice}"
        warn_user(message, UndefinedMetricWarning)
    elif not found.variance > 0:
        message = (
            f"DeLong's standard error is 0 at an AUC of {found.estimate:g} on these data and the "
            "limits equal the estimate: use `newcombe_interval` (Newcombe 2006, method 5)"
        )
        if found.n_groups is not None:
            message += ", which takes each example for one of its own"
        warn_user(message, DegenerateDataWarning)
    if not found.fault:
        warn_of_weights(found.effective_sizes)
        warn_of_few_groups(found.effective_n_groups, found.n_groups or 0)
        if found.weights_are == "importances":
            warn_of_few_rows(sum(found.effective_sizes), found.n_positive + found.n_negative)


def normal_limits(
    estimate: float, error: float, level: float, scale: Scale, *, df: float | None = None
) -> ConfidenceInterval:
    """Return the normal limits, or Student's, on the scale asked for, inside [0, 1]."""
    if math.isnan(error):
        return ConfidenceInterval(math.nan, math.nan)
    if error == 0:
        return ConfidenceInterval(estimate, estimate)
    half = -quantile((1.0 - level) / 2.0, df) * error
    if scale == "plain":
        return ConfidenceInterval(max(0.0, estimate - half), min(1.0, estimate + half))
    centre = math.log(estimate) - math.log1p(-estimate)
    half /= estimate * (1.0 - estimate)
    return ConfidenceInterval(_expit(centre - half), _expit(centre + half))


def _expit(x: float) -> float:
    """Return 1 / (1 + exp(-x)) without overflow."""
    return float(1.0 / (1.0 + np.exp(-x))) if x > 0 else float(np.exp(x) / (1.0 + np.exp(x)))
