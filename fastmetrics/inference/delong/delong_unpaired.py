"""DeLong's test for two AUCs measured on different examples."""

from __future__ import annotations

import math
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_confidence_level,
)
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputTypeError,
    UndefinedMetricWarning,
    renamed,
    warn_user,
)
from fastmetrics.inference.delong.auc_covariance import CLASSICAL, AucCovariance
from fastmetrics.inference.delong.delong import auc_of
from fastmetrics.inference.estimate_result import Pair
from fastmetrics.inference.units import Spread
from fastmetrics.tables.scores.score_table import SCORED, ScoreTable


@documented(CLASSICAL, SCORED)
def delong_unpaired_test(
    y_true_a: ArrayLike | ScoreTable,
    y_score_a: ArrayLike | ScoreTable | None,
    y_true_b: ArrayLike | ScoreTable | None = None,
    y_score_b: ArrayLike | None = None,
    *,
    groups_a: ArrayLike | None = None,
    groups_b: ArrayLike | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    pos_label: Any = None,
    sample_weight_a: ArrayLike | None = None,
    sample_weight_b: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    n_threads: int | None = None,
) -> Pair:
    """Test whether two AUCs measured on different, independent examples are equal.

    Parameters
    ----------
    y_true_a, y_true_b : array-like of shape (n_a,) and (n_b,), or ScoreTable
        Binary labels of either sample; or a table of counts, whose `y_score` is then None.
    y_score_a, y_score_b : array-like of shape (n_a,) and (n_b,), optional
        Scores; the greater, the more positive. Two tables may be given alone, one after the other.
    groups_a, groups_b : array-like of shape (n_a,) and (n_b,), optional
        Which examples of a sample belong together; see `delong`.
    confidence_level : float, default=0.95
        Coverage aimed at by the interval of the difference, in (0, 1).
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether the test is against an AUC of a other than, less than or greater than that of b.
        The interval is one-sided too.
    pos_label : int, float, bool or str, optional
        The positive label of both samples; {0, 1}, {-1, 1} and booleans need none.
    sample_weight_a, sample_weight_b : array-like of shape (n_a,) and (n_b,), optional
        Weights of either sample; `weights_are` says of both what they are.

    Returns
    -------
    Pair
        The AUC of a less that of b, standard error, z, p and interval; both AUCs are the estimates
        "a" and "b" of `details`. With groups degrees of freedom are Welch's and Satterthwaite's, of
        effective groups less one.

    Raises
    ------
    TypeError
        If an argument is of the wrong kind, or something else comes with two tables.

    Notes
    -----
    The variance of the difference is the sum of the two variances of DeLong: O(n log n) time. For
    two models on the same examples use `delong_test`, which accounts for their covariance.

    References
    ----------
    Hanley & McNeil (1983), Radiology 148:839-843, compare independent areas by the same z.

    Examples
    --------
    >>> from fastmetrics import ScoreTable
    >>> january = ScoreTable.from_counts([5, 4, 3, 2, 1], [33, 11, 2, 2, 3], [2, 11, 6, 6, 33])
    >>> february = ScoreTable.from_counts([5, 4, 3, 2, 1], [20, 14, 6, 5, 6], [4, 9, 10, 9, 26])
    >>> result = delong_unpaired_test(january, february)
    >>> round(result.difference, 4), round(result.pvalue, 4)
    (0.1212, 0.0249)
    """
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    if isinstance(y_true_a, ScoreTable) and isinstance(y_score_a, ScoreTable):
        if y_true_b is not None or y_score_b is not None:
            raise InputTypeError("two ScoreTables come alone: pass no third and no fourth argument")
        y_score_a, y_true_b = None, y_score_a
    found = []
    for sample, y_true, y_score, weight, groups in (
        ("a", y_true_a, y_score_a, sample_weight_a, groups_a),
        ("b", y_true_b, y_score_b, sample_weight_b, groups_b),
    ):
        names = ("y_true", "y_score", "sample_weight", "groups")
        with renamed(**{name: f"{name}_{sample}" for name in names}):
            one = auc_of(
                y_true,
                y_score,
                groups=groups,
                sample_weight=weight,
                weights_are=weights_are,
                pos_label=pos_label,
            )
        found.append(one)
    _warn(found)
    one, other = found
    variances = [each.spread().variance for each in found]
    over = sum(
        variance**2 / each.df if each.df > 0.0 else math.inf
        for variance, each in zip(variances, found, strict=True)
    )
    df = sum(variances) ** 2 / over if over > 0.0 else math.inf  # Welch, Satterthwaite
    pair = Pair.tested(
        "roc_auc",
        ("a", "b"),
        float(one.aucs[0] - other.aucs[0]),
        Spread(sum(variances), df),
        level,
        alternative,
        (-1.0, 1.0),
        details=MappingProxyType({"a": one.estimate(0, level), "b": other.estimate(0, level)}),
    )
    return replace(pair, better=pair.better_at(level, True))


def _warn(found: list[AucCovariance]) -> None:
    """Say what is not defined, or degenerate, of either sample."""
    for sample, one in zip("ab", found, strict=True):
        auc = float(one.aucs[0])
        if one.fault:
            what = "AUC" if math.isnan(auc) else "standard error"
            message = f"sample {sample}: the {what} is not defined: {one.fault}"
            warn_user(message, UndefinedMetricWarning)
        elif one.spread().variance == 0:
            message = (
                f"sample {sample}: the AUC is {auc:g} with an estimated variance of 0, so that the "
                "difference looks surer than it is"
            )
            warn_user(message, DegenerateDataWarning)
        one.warn_of_sizes()
