"""DeLong's variance of the AUC, its standard error and its confidence interval."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

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
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.inference.delong.auc_covariance import (
    CLASSICAL,
    AucCovariance,
    auc_covariance,
    of_table,
)
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.tables.scores.score_table import SCORED, ScoreTable, as_table

Scale = Literal["plain", "logit"]


@documented(CLASSICAL, SCORED)
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
    scale : {"plain", "logit"}, default="plain"
        "plain": AUC +- z SE, cut off at 0 and 1. "logit": the same on log(AUC / (1 - AUC)),
        transformed back; better covered near 0 and 1. Limits equal the estimate where its variance
        is 0: `newcombe_interval` works there.

    Returns
    -------
    Estimate
        AUC, standard error and interval. `details` has `variance`, `n_positive`, `n_negative` and
        `effective_n_groups`, how many groups of equal size they are worth.

    Raises
    ------
    TypeError
        If an argument is of the wrong kind, or `groups` come with a table.

    Notes
    -----
    **Without weights**, and of frequencies: one sort, then O(distinct scores). With ties counting
    one half, the placement of an example is the share of the other class below (above) it, and
    the variance is that of the placements in each class, with divisors m+ - 1 and m- - 1, each
    over its class size. Sums of placements are integers of any size, so estimate and variance are
    the doubles nearest to the true ratios.

    With groups the placements are looked up row by row, O(n log n) time and O(n) memory.

    References
    ----------
    By ranks: Sun & Xu (2014), IEEE Signal Processing Letters 21.

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
    found = auc_of(
        y_true,
        y_score,
        groups=groups,
        sample_weight=sample_weight,
        weights_are=weights_are,
        pos_label=pos_label,
    )
    _warn(found)
    return found.estimate(0, level, "identity" if scale == "plain" else scale)


def auc_of(
    y_true: Any, y_score: Any, *, groups: Any, sample_weight: Any, weights_are: Any, pos_label: Any
) -> AucCovariance:
    """Return one AUC and its variance, nan where they are not defined, without a warning."""
    refuse_several(y_score, "delong_test")
    read = check_weights_are(sample_weight, weights_are)
    given = {"sample_weight": sample_weight, "pos_label": pos_label}
    if isinstance(y_true, ScoreTable) and (groups is not None or read == "importances"):
        what = "`sample_weight`" if groups is None else "`groups`"
        raise InputTypeError(
            f"{what} needs rows: a ScoreTable holds counts, and which row was whose is lost"
        )
    if groups is not None or read == "importances":
        given |= {"groups": groups}
        models = [NamedScores("", "y_score", y_score)]
        return auc_covariance(check_models(y_true, models, weights_are=read, **given), read)
    if sample_weight is not None and not isinstance(y_true, ScoreTable):
        table = ScoreTable.from_rows(check_binary(y_true, y_score, weights_are=read, **given))
    else:
        table = as_table(y_true, y_score, **given)
        if table.is_weighted:
            raise InputTypeError(
                "a ScoreTable of fractional weights does not tell how many rows a weight is: pass "
                "`y_true`, `y_score` and `sample_weight`"
            )
    return of_table(table, read)


def _warn(found: AucCovariance) -> None:
    """Say what is not defined, or degenerate."""
    auc = float(found.aucs[0])
    if math.isnan(auc):
        warn_user(f"the AUC is not defined: {found.fault}", UndefinedMetricWarning)
    elif found.fault:
        advice = "; `comparison.newcombe_interval` works there" if found.n_groups is None else ""
        message = f"DeLong's standard error is not defined: {found.fault}{advice}"
        warn_user(message, UndefinedMetricWarning)
    elif found.spread().variance == 0:
        message = (
            f"DeLong's standard error is 0 at an AUC of {auc:g} on these data and the limits equal "
            "the estimate: use `newcombe_interval` (Newcombe 2006, method 5)"
        )
        if found.n_groups is not None:
            message += ", which takes each example for one of its own"
        warn_user(message, DegenerateDataWarning)
    found.warn_of_sizes()
