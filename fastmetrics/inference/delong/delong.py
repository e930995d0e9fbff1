"""DeLong's variance of the AUC, its standard error and its confidence interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.models import NamedScores, check_models
from fastmetrics._input.rows import check_binary, refuse_several
from fastmetrics._input.scalars import (
    WeightsAre,
    check_choice,
    check_confidence_level,
    check_weights_are,
)
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.inference._sample_sizes import warn_of_few_groups, warn_of_few_rows
from fastmetrics.inference.delong.auc_covariance import OF_WEIGHTS, AucCovariance, auc_covariance
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.reference import limits
from fastmetrics.measures.curves.placements import placement_sums
from fastmetrics.tables.scores.score_table import SCORED, ScoreTable, as_table

Scale = Literal["plain", "logit"]

#: Without groups, and with them.
METHODS: Final = ("DeLong (1988)", "Obuchowski (1997)")
#: Effective rows of a class below which a variance is worth nothing.
_FEWEST: Final = 2.0 - 1e-9
_ALL: Final = ConfidenceInterval(0.0, 1.0)
_BETTER: Final = "limits of `estimate` cover better, of few rows and near 1"


class AucVariance(NamedTuple):
    """An AUC, its variance, what they came from, and why one of the two is nan.

    ``effective_sizes`` are how many equal rows of either class tell as much.
    """

    estimate: float
    variance: float
    n_positive: int
    n_negative: int
    effective_sizes: tuple[float, float]
    fault: str = ""
    weights_are: WeightsAre | None = None
    n_groups: int | None = None
    effective_n_groups: float | None = None

    @property
    def df(self) -> float:
        """Degrees of freedom: of effective groups less one; inf without groups."""
        return math.inf if self.effective_n_groups is None else self.effective_n_groups - 1.0

    @property
    def method(self) -> str:
        """The name of the method."""
        return METHODS[self.n_groups is not None]

    @property
    def details(self) -> Mapping[str, Any]:
        """What hangs on results."""
        names = ("variance", "n_positive", "n_negative", "effective_n_groups")
        return MappingProxyType({name: getattr(self, name) for name in names})


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
) -> Estimate:
    """Compute the AUC with DeLong's standard error and interval, by the method of 1988.

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
    Estimate
        AUC, standard error and interval. `details` has `variance`, `n_positive`, `n_negative` and
        `effective_n_groups`, how many groups of equal size they are worth.

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
    are then by Student's t, its `df` being the effective groups less one; below about 30 they
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
    )
    _warn(found)
    return auc_estimate(found, level, scale)


def auc_estimate(found: AucVariance, level: float, scale: Scale = "plain") -> Estimate:
    """Return an AUC with DeLong's error and normal limits; with groups Student's."""
    error = math.sqrt(found.variance)
    return Estimate(
        metric="roc_auc",
        estimate=found.estimate,
        standard_error=error,
        confidence_interval=normal_limits(found.estimate, error, level, scale, df=found.df),
        df=found.df,
        confidence_level=level,
        method=found.method,
        scale="identity" if scale == "plain" else "logit",
        n_samples=found.n_positive + found.n_negative,
        n_groups=found.n_groups,
        weights_are=found.weights_are,
        note="" if scale == "logit" else _BETTER,
        details=found.details,
    )


def auc_variance(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    weights_are: Any = "importances",
    pos_label: Any = None,
) -> AucVariance:
    """Return the AUC and its variance, nan where they are not defined, without a warning."""
    refuse_several(y_score, "delong_test")
    read = check_weights_are(sample_weight, weights_are)
    if groups is None and read != "importances":
        table = _counted(y_true, y_score, sample_weight, read, pos_label)
        return _of_table(table, read)
    if isinstance(y_true, ScoreTable):
        what = "`sample_weight`" if groups is None else "`groups`"
        raise InputTypeError(
            f"{what} needs rows: a ScoreTable holds counts, and which row was whose is lost"
        )
    models = check_models(
        y_true,
        [NamedScores("", "y_score", y_score)],
        sample_weight=sample_weight,
        weights_are=read,
        pos_label=pos_label,
        groups=groups,
    )
    return variance_of(auc_covariance(models), 0, read)


def variance_of(found: AucCovariance, model: int, read: WeightsAre | None) -> AucVariance:
    """Return what is known of the AUC of one of several models."""
    return AucVariance(
        estimate=float(found.aucs[model]),
        variance=float(found.covariance[model, model]),
        n_positive=found.n_positive,
        n_negative=found.n_negative,
        effective_sizes=found.effective_sizes,
        fault=found.fault,
        weights_are=read,
        n_groups=found.n_groups,
        effective_n_groups=found.effective_n_groups,
    )


def _counted(
    y_true: Any, y_score: Any, sample_weight: Any, read: WeightsAre | None, pos_label: Any
) -> ScoreTable:
    """Return a table of counts."""
    if sample_weight is not None and not isinstance(y_true, ScoreTable):
        rows = check_binary(
            y_true, y_score, sample_weight=sample_weight, weights_are=read, pos_label=pos_label
        )
        return ScoreTable.from_rows(rows)
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
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
        return AucVariance(math.nan, math.nan, m, n, sizes, fault, read)
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
        return AucVariance(estimate, math.nan, m, n, sizes, fault, read)
    # Var = S10/m + S01/n with S10 = sum (V - AUC)^2 / (m - 1), V = placement/n and AUC = U/(m n);
    # everything is doubled to be whole, and put over one denominator to be divided once.
    spread_positive = m * positive_squares - twice_pairs**2
    spread_negative = n * negative_squares - twice_pairs**2
    numerator = spread_positive * (n - 1) + spread_negative * (m - 1)
    variance = numerator / (4 * m * m * n * n * (m - 1) * (n - 1))
    return AucVariance(estimate, variance, m, n, sizes, weights_are=read)


def _warn(found: AucVariance) -> None:
    """Say what is not defined, or degenerate."""
    if math.isnan(found.estimate):
        warn_user(f"the AUC is not defined: {found.fault}", UndefinedMetricWarning)
    elif found.fault:
        advice = "; `comparison.newcombe_interval` works there" if found.n_groups is None else ""
        message = f"DeLong's standard error is not defined: {found.fault}{advice}"
        warn_user(message, UndefinedMetricWarning)
    elif found.variance == 0:
        message = (
            f"DeLong's standard error is 0 at an AUC of {found.estimate:g} on these data and the "
            "limits equal the estimate: use `newcombe_interval` (Newcombe 2006, method 5)"
        )
        if found.n_groups is not None:
            message += ", which takes each example for one of its own"
        warn_user(message, DegenerateDataWarning)
    warn_of_sizes(found)


def warn_of_sizes(found: AucVariance) -> None:
    """Say where a few weights leave next to nothing of a class, or there are few groups."""
    if found.fault:
        return
    is_weighted = found.weights_are == "importances"
    for name, size in zip(("positives", "negatives"), found.effective_sizes, strict=True):
        if is_weighted and 0.0 < size < _FEWEST:
            warn_user(
                f"the {name} are worth {size:.3g} rows of equal weight, too few to tell how much "
                "the AUC varies",
                DegenerateDataWarning,
            )
    warn_of_few_groups(found.effective_n_groups, found.n_groups or 0)
    if is_weighted:
        warn_of_few_rows(sum(found.effective_sizes), found.n_positive + found.n_negative)


def normal_limits(
    estimate: float, error: float, level: float, scale: Scale, *, df: float = math.inf
) -> ConfidenceInterval:
    """Return the normal limits, or Student's, on the scale asked for, inside [0, 1]."""
    if error == 0:
        return ConfidenceInterval(estimate, estimate)
    if not df > 0.0:  # groups that are worth one
        return ConfidenceInterval(math.nan, math.nan) if math.isnan(error) else _ALL
    on: Literal["identity", "logit"] = "identity" if scale == "plain" else "logit"
    return limits(estimate, error, df, level, on, bounds=(0.0, 1.0))
