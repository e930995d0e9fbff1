"""DeLong's test of whether several models have the same AUC on the same examples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
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
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.delong.auc_covariance import CLASSICAL, AucCovariance, auc_covariance
from fastmetrics.inference.estimate_result import Pair
from fastmetrics.inference.reference import joint_pvalue
from fastmetrics.inference.units import Spread
from fastmetrics.tables.scores.score_table import SCORED


@documented(MODELS, CLASSICAL, SCORED)
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
    DegenerateDataWarning
        If the chi-square has fewer than K - 1 degrees of freedom.

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

    With groups the test of all models is one by F.

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
    found = auc_covariance(models, read)
    pairs = [
        Pair.tested(
            "roc_auc",
            (models.names[i], models.names[j]),
            float(found.aucs[i] - found.aucs[j]),
            Spread(found.variances[i, j], found.df),
            level,
            alternative,
            (-1.0, 1.0),
        )
        for i, j in itertools.combinations(range(len(models.names)), 2)
    ]
    statistic, rank = found.all_equal()
    p = joint_pvalue(statistic, rank, found.df)
    of_all = {"statistic": statistic, "df": rank, "pvalue": p}
    _warn(models.names, found, pairs, rank)
    found.warn_of_sizes()
    return Comparison.of(
        [found.estimate(k, level) for k in range(len(models.names))],
        pairs,
        True,
        level,
        covariance=found.covariance,
        names=models.names,
        alternative=alternative,
        method=found.method,
        note=f"All AUCs equal: chi-square {statistic:.4g}, df {rank}, {as_p(p)}.",
        details=MappingProxyType(of_all | found.details),
    )


def _warn(names: tuple[str, ...], found: AucCovariance, pairs: Sequence[Pair], rank: int) -> None:
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
