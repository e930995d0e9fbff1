"""DeLong's test of whether several models have the same AUC on the same examples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display.numbers import as_p
from fastmetrics._display.table import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.models import MODELS, check_models, named_scores
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_confidence_level,
    check_n_threads,
    check_weights_are,
)
from fastmetrics._results import ConfidenceInterval, Difference, Result
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning, no_such, warn_user
from fastmetrics.inference._pvalues import holm, normal_test
from fastmetrics.inference._sample_sizes import (
    degrees_of_freedom,
    effective_groups,
    warn_of_few_groups,
    warn_of_few_rows,
)
from fastmetrics.inference.delong._delong_covariance import AucCovariance, auc_covariance
from fastmetrics.inference.delong._weighted_covariance import (
    OF_WEIGHTS,
    WeightedCovariance,
    warn_of_weights,
)
from fastmetrics.tables.scores.score_table import SCORED


@dataclass(frozen=True, slots=True, repr=False)
class DeLongPair(Difference):
    """The difference between the AUCs of two models on the same examples.

    Attributes
    ----------
    model_a, model_b : str
        Names of the models.
    difference : float
        AUC of `model_a` less AUC of `model_b`.
    standard_error : float
        Of the difference; nan where it is not defined.
    statistic : float
        z = difference / standard error; 0 where both are 0, +-inf where the error alone is.
    pvalue : float
        Of "the AUCs are equal", by the normal distribution (with groups by Student's t); 1 where
        the difference is 0 for sure.
    pvalue_holm : float
        The same, adjusted for the number of pairs (Holm 1979).
    confidence_interval : ConfidenceInterval
        Of the difference, inside [-1, 1]; not adjusted.
    """

    model_a: str
    model_b: str
    difference: float
    standard_error: float
    statistic: float
    pvalue: float
    pvalue_holm: float
    confidence_interval: ConfidenceInterval


@dataclass(frozen=True, slots=True, repr=False)
class DeLongTest(Result):
    """The AUCs of K models on the same examples, compared.

    Attributes
    ----------
    names : tuple of str
        Of the models, in the order given.
    estimate : tuple of float
        The AUC of each model; nan where a class is missing.
    covariance : ndarray of shape (K, K)
        Of the AUCs; read-only; nan where it is not defined.
    pairs : tuple of DeLongPair
        Every two models, in the order of `names`.
    statistic : float
        Chi-square of "all AUCs are equal"; inf where a difference other than 0 has no variance.
    df : int
        Its degrees of freedom: the rank of the covariance of the differences, K - 1 as a rule.
    pvalue : float
        Of the chi-square; 1 where all models rank the examples alike.
    n_positive, n_negative : int
        Examples of either class.
    n_groups : int or None
        Groups of examples; None if each example stands for itself.
    effective_n_groups : float or None
        How many groups of equal size they are worth: p-values and intervals are by Student's t,
        and by F for all models, with one degree of freedom less.
    confidence_level : float
        Coverage aimed at by the intervals of the pairs.
    alternative : {"two-sided", "less", "greater"}
        Of the pairs: the difference is other than 0, below 0 or above 0.
    method : str
        The name of the method.
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.
    """

    names: tuple[str, ...]
    estimate: tuple[float, ...]
    covariance: NDArray[np.float64]
    pairs: tuple[DeLongPair, ...]
    statistic: float
    df: int
    pvalue: float
    n_positive: int
    n_negative: int
    n_groups: int | None
    effective_n_groups: float | None
    confidence_level: float
    alternative: Alternative
    method: str
    weights_are: WeightsAre | None = None

    @property
    def standard_error(self) -> tuple[float, ...]:
        """Standard error of the AUC of each model."""
        return tuple(map(math.sqrt, np.diagonal(self.covariance).tolist()))

    def __getitem__(self, models: tuple[str, str]) -> DeLongPair:
        """Return the comparison of two models, by their names in the order of `names`."""
        for pair in self.pairs:
            if (pair.model_a, pair.model_b) == models:
                return pair
        raise no_such(models, "pairs", ((pair.model_a, pair.model_b) for pair in self.pairs))

    def __iter__(self) -> Iterator[DeLongPair]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        aucs = ", ".join(
            f"{name}: {auc:.6g}" for name, auc in zip(self.names, self.estimate, strict=True)
        )
        test = f"chi2({self.df})={self.statistic:.6g}, pvalue={self.pvalue:.6g}"
        return f"DeLongTest({aucs}; all equal: {test})"

    def _shown(self) -> Display:
        names = ("confidence_interval", "standard_error", "statistic", "pvalue", "pvalue_holm")
        words = {"statistic": "z"}
        pairs = Table.of_pairs(self.pairs, names, words=words, level=self.confidence_level)
        own = {"model": self.names, "estimate": self.estimate}
        own["standard_error"] = self.standard_error
        test = f"chi-square {self.statistic:.4g}, df {self.df}, {as_p(self.pvalue)}"
        weights = f"; weights are {self.weights_are}" if self.weights_are else ""
        notes = [
            f"All AUCs equal: {test}.",
            f"{self.method}, {self.alternative}; intervals are not adjusted{weights}.",
        ]
        tables = [pairs, Table(own, words={"estimate": "AUC"})]
        return Display(tables, type(self).__name__, notes)


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
) -> DeLongTest:
    """Test whether two or more models have the same AUC on the same examples.

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
    DeLongTest
        AUCs, covariances, all pairs with Holm's adjustment, and the chi-square of "all equal".

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
    of each example, and all else are sums of products of whole numbers. AUCs, covariances,
    differences, their variances and the chi-square are each the double nearest to the true ratio:
    models that rank the examples alike have a variance of exactly 0, the rank is no matter of
    tolerance, and neither threads nor the order of the rows change a bit. The chi-square costs
    O(K^3) products of long integers on top, which is nothing below some 50 models.

    Rows are matched by their position; series and frames of pandas whose indexes hold labels in
    another order are refused.

    With groups, the rows that a group has in either class are summed before the spread is taken,
    and a term for groups with rows of both classes is added. If every group is a single row, that
    term is 0 and the covariances are DeLong's exactly; so they are if each example is repeated
    the same number of times within a group of its own. The formula stands in `delong`. With groups
    the tests are by Student's t and by F, with `effective_n_groups` - 1 degrees of freedom.

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
    DeLongTest(first: 0.65625, second: 0.875; all equal: chi2(1)=0.98, pvalue=0.322199)
    >>> pair = result["first", "second"]
    >>> pair.difference, round(pair.standard_error, 6)
    (-0.21875, 0.220971)
    >>> pair.confidence_interval
    ConfidenceInterval(low=-0.651845, high=0.214345)
    """
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    check_n_threads(n_threads)
    read = check_weights_are(sample_weight, weights_are)
    models = check_models(
        y_true,
        named_scores(scores, names, at_least=2),
        sample_weight=sample_weight,
        weights_are=read,
        pos_label=pos_label,
        groups=groups,
    )
    found = auc_covariance(models, n_threads)
    effective = None
    if models.groups is not None:
        effective = effective_groups(models.groups, models.rows.weights)
    between = degrees_of_freedom(effective)
    pairs = _pairs(models.names, found, level, alternative, between)
    statistic, df = found.all_equal()
    _warn(models.names, found, pairs, df)
    if not found.fault:
        warn_of_few_groups(effective, found.n_groups or 0)
        if isinstance(found, WeightedCovariance):
            warn_of_few_rows(sum(found.effective_sizes), found.n_positive + found.n_negative)
    k = range(len(models.names))
    covariance = np.array([[found.covariance(one, other) for other in k] for one in k])
    covariance.flags.writeable = False
    return DeLongTest(
        names=models.names,
        estimate=tuple(map(found.auc, k)),
        covariance=covariance,
        pairs=pairs,
        statistic=statistic,
        df=df,
        pvalue=_chi_square_pvalue(statistic, df, between),
        n_positive=found.n_positive,
        n_negative=found.n_negative,
        n_groups=found.n_groups,
        effective_n_groups=effective,
        confidence_level=level,
        alternative=alternative,
        method="DeLong (1988)" if groups is None else "Obuchowski (1997)",
        weights_are=read,
    )


def _pairs(
    names: tuple[str, ...],
    found: AucCovariance | WeightedCovariance,
    level: float,
    alternative: Alternative,
    between: float | None,
) -> tuple[DeLongPair, ...]:
    numbers = []
    for one, other in itertools.combinations(range(len(names)), 2):
        difference = found.difference(one, other)
        error = math.sqrt(found.variance_of_difference(one, other))
        test = normal_test(difference, error, level, alternative, between)
        numbers.append((names[one], names[other], difference, error, test))
    adjusted = holm([test.pvalue for *_, test in numbers])
    return tuple(
        DeLongPair(a, b, difference, error, test.statistic, test.pvalue, p, test.interval)
        for (a, b, difference, error, test), p in zip(numbers, adjusted, strict=True)
    )


def _chi_square_pvalue(statistic: float, df: int, between: float | None) -> float:
    """Return the upper tail, with groups that of F; all is certain without degrees of freedom."""
    if math.isnan(statistic) or math.isinf(statistic):
        return 0.0 if math.isinf(statistic) else statistic
    if df == 0:
        return 1.0
    from scipy.special import chdtrc, fdtrc

    if between is not None:  # as t, where there is one difference
        return float(fdtrc(df, between, statistic / df)) if between > 0 else 1.0
    return float(chdtrc(df, statistic))


def _warn(
    names: tuple[str, ...],
    found: AucCovariance | WeightedCovariance,
    pairs: tuple[DeLongPair, ...],
    df: int,
) -> None:
    """Say what is undefined; or, in one warning, all that is degenerate."""
    if found.fault:
        what = "AUCs are" if math.isnan(found.auc(0)) else "standard errors are"
        warn_user(f"{what} not defined: {found.fault}", UndefinedMetricWarning)
        return
    if isinstance(found, WeightedCovariance):
        warn_of_weights(found.effective_sizes)
    said = [
        f"the AUC of {name!r} is {found.auc(k):g} with an estimated variance of 0, so that its "
        "differences look surer than they are"
        for k, name in enumerate(names)
        if found.covariance(k, k) == 0
    ]
    for pair in pairs:
        if pair.standard_error == 0:
            such = "nothing tells the models apart" if pair.difference == 0 else "z is +-inf"
            said.append(
                f"the difference between {pair.model_a!r} and {pair.model_b!r} is "
                f"{pair.difference:g} with a variance of 0 ({such}): p = {pair.pvalue:g}"
            )
    if df < len(names) - 1:
        said.append(
            f"the covariance of the differences has rank {df}, not {len(names) - 1}: so many "
            "degrees of freedom has the chi-square of all AUCs being equal"
        )
    if said:
        warn_user("; ".join(said), DegenerateDataWarning)
