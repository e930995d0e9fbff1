"""DeLong's tests of AUCs: of several models on the same examples, and on different ones."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from numpy.typing import ArrayLike

from fastmetrics._display import as_p
from fastmetrics._docs import documented
from fastmetrics._input.models import MODELS, check_models, named_scores
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_confidence_level,
    check_weights_are,
)
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputTypeError,
    UndefinedMetricWarning,
    renamed,
    warn_user,
)
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.delong.auc_covariance import CLASSICAL, AucCovariance, auc_covariance
from fastmetrics.inference.delong.delong import auc_of
from fastmetrics.inference.estimate_result import Pair
from fastmetrics.inference.reference import joint_pvalue
from fastmetrics.inference.units import Spread
from fastmetrics.tables.scores.score_table import SCORED, ScoreTable


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
    _warn_of_either(found)
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


def _warn_of_either(found: list[AucCovariance]) -> None:
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
