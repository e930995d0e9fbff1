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
    WeightsAre,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_weights_are,
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
from fastmetrics.inference.reference import joint_pvalue, t_interval
from fastmetrics.inference.samples import (
    BinarySample,
    check_counts,
)
from fastmetrics.inference.units import Floats, Units, Variance, without_rounding
from fastmetrics.metrics._metric import Scale
from fastmetrics.metrics.asking import ask_one
from fastmetrics.metrics.curves.influences import auc_with_sums
from fastmetrics.tables.score_table import SCORED, ScoreTable, as_table

#: Shared sections of docstrings.
CLASSICAL: Final = """
Parameters
----------
groups : array-like of shape (n_samples,), optional
    Which examples belong together, such as those of one patient: whole numbers or text. The
    variance is then that between groups (Obuchowski 1997). It needs rows, not a table.
alternative : {"two-sided", "less", "greater"}, default="two-sided"
    What the test of a and b is against: that the AUC of a is other than, less than or greater than
    that of b. Intervals are one-sided too; a chi-square has no sides.
sample_weight : array-like of shape (n_samples,), optional
    Weights, not negative. As importances they weigh the influence of each row (Notes); as
    frequencies they are numbers of rows.

Raises
------
ValueError
    If weights, labels or scores are not what they should be, or an option is out of range.

Warns
-----
UndefinedMetricWarning
    If a class is missing, or its spread cannot be estimated from one example (one group): standard
    errors and p-values are nan.
DegenerateDataWarning
    If a variance is 0 (an AUC of 0 or 1, all scores tied, models that rank all examples alike); or
    a class of importances is worth less than two rows of equal weight.
SmallSampleWarning
    If groups, or rows of importances, are worth fewer than 30: intervals cover too little.

Notes
-----
**Importances.** With the weights w of a class as shares p = w / sum w, and placements V that weigh
the other class, the AUC is sum p V over either class, and the variance is the sum over both classes
of sum p^2 (V - AUC)^2 / D, with D = 1 - 2 sum p^3 / sum p^2 + sum p^2: equal weights give
D = 1 - 1/m, and the variance without weights.

**Groups.** The variance is that of Obuchowski (1997): sums of the influences of a group in either
class, squared, with CR2 of Bell & McCaffrey (2002) in place of factors I / (I - 1) of I groups. If
every group is a single row it is DeLong's exactly. Limits and tests are then by Student's t, with
the effective groups less one as `df`; below about 30 they still cover too little
(``docs/coverage.md``).

**This is the method of 1988**: normal limits, and no regard for an AUC near 1 or for few
positives. `estimate` and `compare` have the same standard error and limits that cover better.

References
----------
DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more correlated ROC
curves, Biometrics 44:837-845. Obuchowski (1997), Nonparametric analysis of clustered ROC curve
data, Biometrics 53:567-578. Bell & McCaffrey (2002), Survey Methodology 28:169-181.
"""

#: Eigenvalues of the correlations of differences below this are rounding, not degrees of freedom.
_ROUNDING: Final = 1e-10
#: Variances of the placements of a class below this are rounding.
_NOTHING: Final = 1e-30
#: Effective rows of a class below which its variance cannot be estimated.
_FEWEST: Final = 2.0 - 1e-9
_ADVICE: Final = "; `comparison.newcombe_interval` works there"
_BETTER: Final = "limits of `estimate` cover better, of few rows and near 1"

_AUC: Final = ask_one("roc_auc")


class _Aucs(NamedTuple):
    """AUCs of models on the same rows, with their covariance; ``fault`` is the reason if it is nan.

    ``df`` is the effective number of groups less one, inf without groups; ``details`` has the class
    sizes and the effective number of groups.
    """

    measured: Measurement
    covariance: Floats
    weights_are: WeightsAre | None
    fault: str
    df: float
    details: dict[str, Any]

    @property
    def method(self) -> str:
        """Name of the method, without or with groups."""
        return "DeLong (1988)" if math.isinf(self.df) else "Obuchowski (1997), CR2"

    def estimate(self, model: int, level: float, scale: Scale = "identity") -> Estimate:
        """Build the estimate of an AUC with DeLong's error and limits, Student's with groups."""
        value = self.measured.values[model]
        variance = float(self.covariance[model, model])
        error = math.sqrt(variance)
        return Estimate(
            metric=_AUC.label,
            estimate=value,
            standard_error=error,
            confidence_interval=t_interval(value, error, self.df, level, scale, bounds=(0.0, 1.0)),
            df=self.df,
            confidence_level=level,
            method=self.method,
            scale=scale,
            n_samples=self.measured.n_samples,
            n_groups=None if self.measured.units.groups is None else self.measured.units.n_units,
            weights_are=self.weights_are,
            note="" if scale == "logit" else _BETTER,
            details=MappingProxyType({"variance": variance, **self.details}),
        )

    def warn(self, whose: str = "") -> None:
        """Warn if the first AUC is undefined or degenerate; ``whose`` names its sample."""
        auc = self.measured.values[0]
        has_groups = math.isfinite(self.df)
        if self.fault:
            subject = "AUC" if math.isnan(auc) else "standard error"
            advice = "" if math.isnan(auc) or has_groups or whose else _ADVICE
            message = f"{whose}the {subject} is not defined: {self.fault}{advice}"
            warn_user(message, UndefinedMetricWarning)
        elif self.covariance[0, 0] == 0.0:
            message = (
                f"{whose}the standard error is 0 at an AUC of {auc:g} on these data and the limits "
                "equal the estimate: use `newcombe_interval` (Newcombe 2006, method 5)"
            )
            if has_groups:
                message += ", which takes each example for one of its own"
            warn_user(message, DegenerateDataWarning)
        self.warn_small_sizes()

    def warn_small_sizes(self) -> None:
        """Warn if a class has few effective rows, or there are few groups."""
        units = self.measured.units
        if self.fault:
            return
        if units.weights is not None:
            for name, size in zip(("positives", "negatives"), units.class_sizes(), strict=True):
                if size < _FEWEST:
                    warn_user(
                        f"the {name} are worth {size:.3g} rows of equal weight, too few to tell "
                        "how much the AUC varies",
                        DegenerateDataWarning,
                    )
        units.warn_small_samples(self.weights_are)


def _aucs(
    y_true: Any,
    models: list[NamedScores],
    groups: Any,
    sample_weight: Any,
    weights_are: WeightsAre,
    pos_label: Any,
) -> _Aucs:
    """Compute the AUCs of models and their covariance from influence values."""
    read = check_weights_are(sample_weight, weights_are)
    is_table = isinstance(y_true, ScoreTable)
    if is_table and (groups is not None or read == "importances"):
        name = "`sample_weight`" if groups is None else "`groups`"
        raise InputTypeError(
            f"{name} needs rows: a ScoreTable holds counts, and which row was whose is lost"
        )
    given: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
    products: Floats | None = None
    if is_table or (len(models) == 1 and groups is None and read is None):
        table = as_table(y_true, models[0].values, **given)
        check_counts(table, table.is_weighted)
        measured, products = _measure_table(table)
    else:
        given |= {"groups": groups, "weights_are": read, "strata": None}
        given |= {"threshold": None, "requests": (_AUC,)}
        measured = BinarySample(y_true, models, given).measure(_AUC)
    units = measured.units
    effective = None if units.groups is None else units.effective_groups
    df = math.inf if effective is None else effective - 1.0
    sizes = [*map(int, units.stratum_sizes.tolist()), 0]  # of one class, without the other
    fault = _fault(units, sizes)
    if fault:
        covariance = np.full((len(models), len(models)), math.nan)
    else:
        covariance = (
            units.covariance(measured.influences)
            if products is None
            else units.covariance_from_sums(products)
        )
        for model, variance in enumerate(covariance.diagonal().tolist()):
            if variance * min(sizes[:2]) <= _NOTHING:
                covariance[model] = covariance[:, model] = 0.0
    details = {"n_positive": sizes[1], "n_negative": sizes[0], "effective_n_groups": effective}
    return _Aucs(measured, covariance, read, fault, df, details)


def _measure_table(table: ScoreTable) -> tuple[Measurement, Floats]:
    """Compute the AUC of a table of counts and the product sums of its influence values."""
    sizes = np.array([table.n_negative, table.n_positive], np.float64)
    value = math.nan
    products = np.full((2, 2), math.nan)
    if sizes.all():
        influences, products = auc_with_sums(table)
        value = influences.value
    units = Units(2, sizes, strata=np.array([0, 1]), sizes=sizes)
    return Measurement((value,), (), units, (None,), float(sizes.sum())), products[None, None]


def _fault(units: Units, sizes: Sequence[int]) -> str:
    """Return the reason why a variance cannot be estimated; empty if it can."""
    classes = (("positive", 1), ("negative", 0))
    for name, code in classes:
        if not sizes[code]:
            return f"there is no {name} example (one class only)"
    for name, code in classes:
        if units.groups is not None and units.units_by_stratum[code] < 2:
            return f"all {name} examples are in one group, and the spread needs two"
        if sizes[code] < 2 and units.groups is None:
            return f"there is one {name} example only, and the spread within a class needs two"
    return ""


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
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    scale: Literal["plain", "logit"] = "plain",
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
    over its class size. The AUC is the double nearest to the true ratio.

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
    check_choice("scale", scale, ("plain", "logit"))
    refuse_several(y_score, "delong_test")
    models = [NamedScores("", "y_score", y_score)]
    aucs = _aucs(y_true, models, groups, sample_weight, weights_are, pos_label)
    aucs.warn()
    return aucs.estimate(0, level, "identity" if scale == "plain" else scale)


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
        AUCs, covariances, all pairs with p-values adjusted by max-T. `details` has the `statistic`,
        `df` and `pvalue` of the chi-square of "all AUCs are equal", and `n_positive`, `n_negative`,
        `effective_n_groups`.

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
    models = named_scores(scores, names, at_least=2)
    aucs = _aucs(y_true, models, groups, sample_weight, weights_are, pos_label)
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
        variance = Variance(value, aucs.df)
        difference = without_rounding(difference, max(both), variance)
        rule = level, alternative, (-1.0, 1.0)
        pair = model_names[i], model_names[j]
        pairs.append(Pair.from_difference(_AUC.label, pair, difference, variance, *rule))
    from_first = np.array([pair.estimate for pair in pairs[: k - 1]])
    statistic, rank = _chi_square(from_first, variances)
    p = joint_pvalue(statistic, rank, aucs.df)
    joint_test = {"statistic": statistic, "df": rank, "pvalue": p}
    _warn_degenerate_pairs(model_names, aucs, pairs, rank)
    aucs.warn_small_sizes()
    return Comparison.from_pairs(
        [aucs.estimate(model, level) for model in range(k)],
        pairs,
        True,
        level,
        covariance=aucs.covariance,
        names=model_names,
        alternative=alternative,
        method=aucs.method,
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
    aucs = []
    for sample, y_true, y_score, weight, groups in (
        ("a", y_true_a, y_score_a, sample_weight_a, groups_a),
        ("b", y_true_b, y_score_b, sample_weight_b, groups_b),
    ):
        names = ("y_true", "y_score", "sample_weight", "groups")
        with renamed(**{name: f"{name}_{sample}" for name in names}):
            refuse_several(y_score, "delong_test")
            models = [NamedScores("", "y_score", y_score)]
            aucs.append(_aucs(y_true, models, groups, weight, weights_are, pos_label))
    for sample, one in zip("ab", aucs, strict=True):
        one.warn(f"sample {sample}: ")
    variances = [float(one.covariance[0, 0]) for one in aucs]
    over = sum(
        variance**2 / one.df if one.df > 0.0 else math.inf
        for variance, one in zip(variances, aucs, strict=True)
    )
    df = sum(variances) ** 2 / over if over > 0.0 else math.inf  # Welch, Satterthwaite
    a, b = (one.estimate(0, level) for one in aucs)
    pair = Pair.from_difference(
        _AUC.label,
        ("a", "b"),
        a.estimate - b.estimate,
        Variance(sum(variances), df),
        level,
        alternative,
        (-1.0, 1.0),
        details=MappingProxyType({"a": a, "b": b}),
    )
    return replace(pair, better=pair.better_at(level, True))
