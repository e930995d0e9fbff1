"""DeLong's interval and tests of AUCs, by the influence values of the engine."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.rows import MODELS, NamedScores, named_scores, refuse_several
from fastmetrics._input.scalars import (
    Alternative,
    check_alternative,
    check_choice,
    check_confidence_level,
)
from fastmetrics._number_text import as_p
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputTypeError,
    UndefinedMetricWarning,
    renamed,
    warn_user,
)
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.estimate_result import Estimate, Pair
from fastmetrics.inference.measurement import Measurement
from fastmetrics.inference.reference import chi_square_pvalue, t_interval
from fastmetrics.inference.samples import BinarySample, check_counts
from fastmetrics.inference.units import Floats, Units, Variance, without_rounding
from fastmetrics.metrics._metric import Scale
from fastmetrics.metrics.asking import ask_one
from fastmetrics.metrics.curves.influences import auc_with_sums
from fastmetrics.tables.score_table import SCORED, ScoreTable, as_table

#: Shared sections of docstrings.
CLASSICAL: Final = """
Parameters
----------
alternative : {"two-sided", "less", "greater"}, default="two-sided"
    What the test of a and b is against: that the AUC of a is other than, less than or greater than
    that of b. Intervals are one-sided too; a chi-square has no sides.

Raises
------
ValueError
    If labels or scores are not what they should be, or an option is out of range.

Warns
-----
UndefinedMetricWarning
    If a class is missing, or its spread cannot be estimated from one example: standard errors and
    p-values are nan.
DegenerateDataWarning
    If a variance is 0 (an AUC of 0 or 1, all scores tied, models that rank all examples alike).

Notes
-----
**This is the method of 1988**: normal limits, and no regard for an AUC near 1 or for few
positives. `estimate` and `compare` have the same standard error and limits that cover better; they
take groups and weights too, of groups with the variance of Obuchowski (1997).

References
----------
DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more correlated ROC
curves, Biometrics 44:837-845. Obuchowski (1997), Nonparametric analysis of clustered ROC curve
data, Biometrics 53:567-578.
"""

#: Eigenvalues of the correlations of differences below this are rounding, not degrees of freedom.
_ROUNDING: Final = 1e-10
#: Variances of the placements of a class below this are rounding.
_NOTHING: Final = 1e-30
#: The name of the method in results.
_METHOD: Final = "DeLong (1988)"
_ADVICE: Final = "; `comparison.newcombe_interval` works there"
_BETTER: Final = "limits of `estimate` cover better, of few rows and near 1"

_AUC: Final = ask_one("roc_auc")


class _Aucs(NamedTuple):
    """AUCs of models on the same rows, with their covariance; ``fault`` is the reason if it is nan.

    ``details`` has the class sizes.
    """

    measured: Measurement
    covariance: Floats
    fault: str
    details: dict[str, Any]

    def estimate(self, model: int, level: float, scale: Scale = "identity") -> Estimate:
        """Build the estimate of an AUC with DeLong's error and limits."""
        value = self.measured.values[model]
        variance = float(self.covariance[model, model])
        error = math.sqrt(variance)
        rule = math.inf, level, scale
        return Estimate(
            metric=_AUC.label,
            estimate=value,
            standard_error=error,
            confidence_interval=t_interval(value, error, *rule, bounds=(0.0, 1.0)),
            df=math.inf,
            confidence_level=level,
            method=_METHOD,
            scale=scale,
            n_samples=self.measured.n_samples,
            note="" if scale == "logit" else _BETTER,
            details=MappingProxyType({"variance": variance, **self.details}),
        )

    def warn(self, whose: str = "") -> None:
        """Warn if the first AUC is undefined or degenerate; ``whose`` names its sample."""
        auc = self.measured.values[0]
        if self.fault:
            subject = "AUC" if math.isnan(auc) else "standard error"
            advice = "" if math.isnan(auc) or whose else _ADVICE
            message = f"{whose}the {subject} is not defined: {self.fault}{advice}"
            warn_user(message, UndefinedMetricWarning)
        elif self.covariance[0, 0] == 0.0:
            warn_user(
                f"{whose}the standard error is 0 at an AUC of {auc:g} on these data and the limits "
                "equal the estimate: use `newcombe_interval` (Newcombe 2006, method 5)",
                DegenerateDataWarning,
            )


def _aucs(y_true: Any, models: list[NamedScores], pos_label: Any) -> _Aucs:
    """Compute the AUCs of models and their covariance from influence values."""
    products: Floats | None = None
    if len(models) == 1 or isinstance(y_true, ScoreTable):
        table = as_table(y_true, models[0].values, pos_label=pos_label)
        check_counts(table, table.is_weighted)
        class_sizes = np.array([table.n_negative, table.n_positive], np.float64)
        value = math.nan
        if class_sizes.all():
            influences, products = auc_with_sums(table)
            value = influences.value
        units = Units(2, class_sizes, strata=np.array([0, 1]), sizes=class_sizes)
        measured = Measurement((value,), (), units, (None,), float(class_sizes.sum()))
    else:
        names = ("groups", "sample_weight", "weights_are", "strata", "threshold")
        given: dict[str, Any] = {**dict.fromkeys(names), "pos_label": pos_label}
        given["requests"] = (_AUC,)
        measured = BinarySample(y_true, models, given).measure(_AUC)
    units = measured.units
    sizes = [*map(int, units.stratum_sizes.tolist()), 0]  # of one class, without the other
    classes = (("positive", sizes[1]), ("negative", sizes[0]))
    faults = [f"there is no {name} example (one class only)" for name, n in classes if n == 0]
    faults += [
        f"there is one {name} example only, and the spread within a class needs two"
        for name, n in classes
        if n == 1
    ]
    if faults:
        covariance = np.full((len(models), len(models)), math.nan)
    else:
        covariance = (
            units.covariance(measured.influences)
            if products is None
            else units.covariance_from_sums(products[None, None])
        )
        for model, variance in enumerate(covariance.diagonal().tolist()):
            if variance * min(sizes[:2]) <= _NOTHING:
                covariance[model] = covariance[:, model] = 0.0
    details = {"n_positive": sizes[1], "n_negative": sizes[0]}
    return _Aucs(measured, covariance, faults[0] if faults else "", details)


def _chi_square(differences: Floats, variances: Floats) -> tuple[float, int]:
    """Return the chi-square of "all AUCs are equal", and the rank of its covariance.

    ``differences`` are those from the first model, ``variances`` those of every difference. inf
    where some difference other than 0 has a variance of 0.
    """
    if np.isnan(variances).any():
        return math.nan, len(differences)
    if len(differences) == 1 and variances[1, 0] > 0.0:
        return float(differences[0] ** 2 / variances[1, 0]), 1
    between = (variances[1:, :1] + variances[:1, 1:] - variances[1:, 1:]) / 2.0
    errors = np.sqrt(variances[1:, 0])
    varies = errors > 0
    if np.any(differences[~varies]):
        return math.inf, int(np.count_nonzero(varies))
    errors = errors[varies]
    z = differences[varies] / errors
    values, vectors = np.linalg.eigh(between[np.ix_(varies, varies)] / np.outer(errors, errors))
    along = vectors.T @ z
    kept = values > _ROUNDING
    rank = int(np.count_nonzero(kept))
    if np.any(np.abs(along[~kept]) > math.sqrt(_ROUNDING) * np.max(np.abs(z), initial=0.0)):
        return math.inf, rank
    return float(np.sum(along[kept] ** 2 / values[kept])), rank


@documented(CLASSICAL, SCORED)
def delong(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    scale: Literal["plain", "logit"] = "plain",
    pos_label: Any = None,
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
        AUC, standard error and interval. `details` has `variance`, `n_positive` and `n_negative`.

    Raises
    ------
    TypeError
        If an argument is of the wrong kind.

    Notes
    -----
    One sort, then O(distinct scores). With ties counting one half, the placement of an example is
    the share of the other class below (above) it, and the variance is that of the placements in
    each class, with divisors m+ - 1 and m- - 1, each over its class size. The AUC is the double
    nearest to the true ratio.

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
    check_choice("scale", scale, ("plain", "logit"))
    refuse_several(y_score, "delong_test")
    aucs = _aucs(y_true, [NamedScores("", "y_score", y_score)], pos_label)
    aucs.warn()
    return aucs.estimate(0, level, "identity" if scale == "plain" else scale)


@documented(MODELS, CLASSICAL, SCORED)
def delong_test(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    names: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    pos_label: Any = None,
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
        AUCs, covariances, all pairs with p-values adjusted by max-T. `details` has the `statistic`,
        `df` and `pvalue` of the chi-square of "all AUCs are equal", `n_positive` and `n_negative`.

    Warns
    -----
    DegenerateDataWarning
        If the chi-square has fewer than K - 1 degrees of freedom.

    Notes
    -----
    O(K n log n + K^2 n) time and O(K n) memory: a sort and a look-up a model give the placement
    of each example. Threads do not change a bit. Models that rank the examples alike have a
    variance of exactly 0; the chi-square leaves out directions whose share of the variance is below
    1e-10.

    Rows are matched by their position; series and frames of pandas whose indexes hold labels in
    another order are refused.

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
    models = named_scores(scores, names, at_least=2)
    aucs = _aucs(y_true, models, pos_label)
    k = len(models)
    model_names = tuple(model.name for model in models)
    measured = aucs.measured
    pairs = []
    variances = np.zeros((k, k))
    for i, j in itertools.combinations(range(k), 2):
        both = measured.values[i], measured.values[j]
        influences = measured.influences[i], measured.influences[j]
        difference, variance, _ = measured.units.difference(both, *influences, "kurtosis")
        value = variance.value
        if value * measured.units.stratum_sizes.min() <= _NOTHING:
            value = 0.0
        variances[i, j] = variances[j, i] = value
        variance = Variance(value, math.inf)
        difference = without_rounding(difference, max(both), variance)
        rule = level, alternative, (-1.0, 1.0)
        pair = model_names[i], model_names[j]
        pairs.append(Pair.from_difference(_AUC.label, pair, difference, variance, *rule))
    from_first = np.array([pair.estimate for pair in pairs[: k - 1]])
    statistic, rank = _chi_square(from_first, variances)
    p = chi_square_pvalue(statistic, rank)
    joint_test = {"statistic": statistic, "df": rank, "pvalue": p}
    _warn_degenerate_pairs(model_names, aucs, pairs, rank)
    return Comparison.from_pairs(
        [aucs.estimate(model, level) for model in range(k)],
        pairs,
        True,
        level,
        covariance=aucs.covariance,
        names=model_names,
        alternative=alternative,
        method=_METHOD,
        note=f"All AUCs equal: chi-square {statistic:.4g}, df {rank}, {as_p(p)}.",
        details=MappingProxyType(joint_test | aucs.details),
    )


def _warn_degenerate_pairs(
    names: tuple[str, ...], aucs: _Aucs, pairs: Sequence[Pair], rank: int
) -> None:
    """Warn if standard errors are undefined; else list everything degenerate in one warning."""
    values = aucs.measured.values
    if aucs.fault:
        subject = "AUCs are" if math.isnan(values[0]) else "standard errors are"
        warn_user(f"{subject} not defined: {aucs.fault}", UndefinedMetricWarning)
        return
    messages = [
        f"the AUC of {name!r} is {values[k]:g} with an estimated variance of 0, so that its "
        "differences look surer than they are"
        for k, name in enumerate(names)
        if aucs.covariance[k, k] == 0
    ]
    for pair in pairs:
        if pair.standard_error == 0:
            reason = "nothing tells the models apart" if pair.difference == 0 else "z is +-inf"
            messages.append(
                f"the difference between {pair.a!r} and {pair.b!r} is "
                f"{pair.difference:g} with a variance of 0 ({reason}): p = {pair.pvalue:g}"
            )
    if rank < len(names) - 1:
        messages.append(
            f"the covariance of the differences has rank {rank}, not {len(names) - 1}: so many "
            "degrees of freedom has the chi-square of all AUCs being equal"
        )
    if messages:
        warn_user("; ".join(messages), DegenerateDataWarning)


@documented(CLASSICAL, SCORED)
def delong_unpaired_test(
    y_true_a: ArrayLike | ScoreTable,
    y_score_a: ArrayLike | ScoreTable | None,
    y_true_b: ArrayLike | ScoreTable | None = None,
    y_score_b: ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    pos_label: Any = None,
    n_threads: int | None = None,
) -> Pair:
    """Test whether two AUCs measured on different, independent examples are equal.

    Parameters
    ----------
    y_true_a, y_true_b : array-like of shape (n_a,) and (n_b,), or ScoreTable
        Binary labels of either sample; or a table of counts, whose `y_score` is then None.
    y_score_a, y_score_b : array-like of shape (n_a,) and (n_b,), optional
        Scores; the greater, the more positive. Two tables may be given alone, one after the other.

    Returns
    -------
    Pair
        The AUC of a less that of b, standard error, z, p and interval; both AUCs are the estimates
        "a" and "b" of `details`.

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
    aucs = []
    for sample, y_true, y_score in (("a", y_true_a, y_score_a), ("b", y_true_b, y_score_b)):
        with renamed(y_true=f"y_true_{sample}", y_score=f"y_score_{sample}"):
            refuse_several(y_score, "delong_test")
            aucs.append(_aucs(y_true, [NamedScores("", "y_score", y_score)], pos_label))
    for sample, one in zip("ab", aucs, strict=True):
        one.warn(f"sample {sample}: ")
    variance = sum(float(one.covariance[0, 0]) for one in aucs)
    a, b = (one.estimate(0, level) for one in aucs)
    pair = Pair.from_difference(
        _AUC.label,
        ("a", "b"),
        a.estimate - b.estimate,
        Variance(variance, math.inf),
        level,
        alternative,
        (-1.0, 1.0),
        details=MappingProxyType({"a": a, "b": b}),
    )
    return replace(pair, better=pair.better_at(level, True))
