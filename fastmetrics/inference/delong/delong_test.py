"""DeLong's test of whether several models have the same AUC on the same examples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from numpy.typing import ArrayLike

from fastmetrics._display.numbers import as_p
from fastmetrics._docs import documented
from fastmetrics._input.models import MODELS, check_models, named_scores
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_confidence_level,
    check_weights_are,
)
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning, warn_user
from fastmetrics.inference._pvalues import holm
from fastmetrics.inference.delong.auc_covariance import OF_WEIGHTS, AucCovariance, auc_covariance
from fastmetrics.inference.delong.delong import auc_estimate, variance_of, warn_of_sizes
from fastmetrics.inference.estimate_result import Comparison, Pair
from fastmetrics.inference.reference import difference_test
from fastmetrics.tables.scores.score_table import SCORED


@documented(MODELS, OF_WEIGHTS, SCORED)
def delong_test(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    names: Sequence[str] | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    n_threads: int | None = None,
) -> Comparison:
    """Test whether two or more models have the same AUC, by the method of 1988.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    groups : array-like of shape (n_samples,), optional
        Which examples belong together, such as those of one patient: whole numbers or text. The
        variance is then that between groups (Obuchowski 1997).
    confidence_level : float, default=0.95
        Coverage aimed at by the intervals of the differences, in (0, 1).
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What the test of a pair (a, b) is against: that the AUC of a is other than, less than or
        greater than that of b. The intervals are one-sided too; the chi-square has no sides.

    Returns
    -------
    Comparison
        AUCs, covariances, all pairs with Holm's adjustment. `details` has the `statistic`, `df` and
        `pvalue` of the chi-square of "all AUCs are equal", and `n_positive`, `n_negative`,
        `effective_n_groups`.

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing, or its spread cannot be estimated from one example (one group):
        standard errors and p-values are nan.
    DegenerateDataWarning
        If the variance of an AUC or of a difference is 0 (an AUC of 0 or 1, models that rank all
        examples alike), or the chi-square has fewer than K - 1 degrees of freedom.

    Notes
    -----
    O(K n log n + K^2 n) time and O(K n) memory: a sort and a look-up a model give the placement
    of each example, and without groups and importances all else are sums of products of whole
    numbers. AUCs, covariances and the variances of differences are then each the double nearest to
    the true ratio, and neither threads nor the order of the rows change a bit. Models that rank the
    examples alike have a variance of exactly 0; the chi-square leaves out directions whose share of
    the variance is below 1e-10.

    Rows are matched by their position; series and frames of pandas whose indexes hold labels in
    another order are refused.

    With groups, the rows that a group has in either class are summed before the spread is taken,
    and a term for groups with rows of both classes is added. If every group is a single row, that
    term is 0 and the covariances are DeLong's exactly; so they are if each example is repeated
    the same number of times within a group of its own. The formula stands in `delong`. With groups
    the tests are by Student's t and by F, with the effective number of groups less one as degrees
    of freedom.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more correlated ROC
    curves, Biometrics 44:837-845. Obuchowski (1997), Nonparametric analysis of clustered ROC
    curve data, Biometrics 53:567-578.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> first = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    >>> second = [0.9, 0.2, 0.8, 0.7, 0.75, 0.1, 0.6, 0.3]
    >>> result = delong_test(y_true, {"first": first, "second": second})
    >>> result
    Comparison(roc_auc; first: 0.65625, second: 0.875; DeLong (1988))
    >>> round(result.details["statistic"], 6), round(result.details["pvalue"], 6)
    (0.98, 0.322199)
    >>> pair = result["first", "second"]
    >>> pair.difference, round(pair.standard_error, 6)
    (-0.21875, 0.220971)
    >>> pair.confidence_interval
    ConfidenceInterval(low=-0.651845, high=0.214345)
    """
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    read = check_weights_are(sample_weight, weights_are)
    models = check_models(
        y_true,
        named_scores(scores, names, at_least=2),
        sample_weight=sample_weight,
        weights_are=read,
        pos_label=pos_label,
        groups=groups,
    )
    found = auc_covariance(models)
    aucs = [variance_of(found, k, read) for k in range(len(models.names))]
    pairs = _pairs(models.names, found, level, alternative, aucs[0].df)
    statistic, rank = found.all_equal()
    p = _chi_square_pvalue(statistic, rank, aucs[0].df)
    _warn(models.names, found, pairs, rank)
    warn_of_sizes(aucs[0])
    found.covariance.flags.writeable = False
    details = {"statistic": statistic, "df": rank, "pvalue": p}
    details |= {name: one for name, one in aucs[0].details.items() if name != "variance"}
    return Comparison(
        metric="roc_auc",
        names=models.names,
        models=tuple(auc_estimate(one, level) for one in aucs),
        pairs=pairs,
        covariance=found.covariance,
        higher_is_better=True,
        margin=None,
        confidence_level=level,
        alternative=alternative,
        method=aucs[0].method,
        n_samples=found.n_positive + found.n_negative,
        n_groups=found.n_groups,
        weights_are=read,
        note=f"All AUCs equal: chi-square {statistic:.4g}, df {rank}, {as_p(p)}.",
        details=MappingProxyType(details),
    )


def _pairs(
    names: tuple[str, ...],
    found: AucCovariance,
    level: float,
    alternative: Alternative,
    df: float,
) -> tuple[Pair, ...]:
    pairs = []
    for i, j in itertools.combinations(range(len(names)), 2):
        difference = float(found.aucs[i] - found.aucs[j])
        error = math.sqrt(found.variances[i, j])
        test = difference_test(difference, error, df, level, alternative, (-1.0, 1.0))
        pairs.append(
            Pair(
                metric="roc_auc",
                a=names[i],
                b=names[j],
                estimate=difference,
                standard_error=error,
                confidence_interval=test.interval,
                statistic=test.statistic,
                df=df,
                pvalue=test.pvalue,
                pvalue_holm=test.pvalue,
                better=None,
            )
        )
    adjusted = holm([pair.pvalue for pair in pairs])
    pairs = [replace(pair, pvalue_holm=p) for pair, p in zip(pairs, adjusted, strict=True)]
    return tuple(replace(pair, better=pair.better_at(level, True)) for pair in pairs)


def _chi_square_pvalue(statistic: float, rank: int, df: float) -> float:
    """Return the upper tail, with groups that of F; all is certain without degrees of freedom."""
    if math.isnan(statistic) or math.isinf(statistic):
        return 0.0 if math.isinf(statistic) else statistic
    if rank == 0:
        return 1.0
    from scipy.special import chdtrc, fdtrc

    if math.isinf(df):
        return float(chdtrc(rank, statistic))
    return float(fdtrc(rank, df, statistic / rank)) if df > 0 else 1.0


def _warn(names: tuple[str, ...], found: AucCovariance, pairs: tuple[Pair, ...], rank: int) -> None:
    """Say what is undefined; or, in one warning, all that is degenerate."""
    if found.fault:
        what = "AUCs are" if math.isnan(found.aucs[0]) else "standard errors are"
        warn_user(f"{what} not defined: {found.fault}", UndefinedMetricWarning)
        return
    said = [
        f"the AUC of {name!r} is {found.aucs[k]:g} with an estimated variance of 0, so that its "
        "differences look surer than they are"
        for k, name in enumerate(names)
        if found.covariance[k, k] == 0
    ]
    for pair in pairs:
        if pair.standard_error == 0:
            such = "nothing tells the models apart" if pair.difference == 0 else "z is +-inf"
            said.append(
                f"the difference between {pair.a!r} and {pair.b!r} is "
                f"{pair.difference:g} with a variance of 0 ({such}): p = {pair.pvalue:g}"
            )
    if rank < len(names) - 1:
        said.append(
            f"the covariance of the differences has rank {rank}, not {len(names) - 1}: so many "
            "degrees of freedom has the chi-square of all AUCs being equal"
        )
    if said:
        warn_user("; ".join(said), DegenerateDataWarning)
