"""``equivalence_test`` and ``non_inferiority_test``: two models at a margin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, NamedTuple

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_fraction, check_integer, check_positive
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison.result import MODELS, ComparisonTest, better_of, check_names
from fastmetrics.comparison.samples._differences import check_differences
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.intervals._pvalues import Moments, critical_t, moments, student_test

#: What both tests take and refuse.
_MARGIN: Final = """
Parameters
----------
scores_a, scores_b : array-like of shape (n,), optional
    Paired numbers of the two models, such as scores on n folds or data sets. Without `scores_b`,
    `scores_a` holds the differences, A less B.
counts : (int, int, int), optional
    In place of scores, for a difference of accuracies on the same examples: how many only A gets
    right, how many only B, and how many examples there are.
rho : float, default=0.0
    Correlation of the differences, 1 / k for the folds of k-fold cross-validation, which share
    training data (Nadeau and Bengio).

Raises
------
TypeError
    If both or none of `scores_a` and `counts` are given, or they hold no real numbers.
ValueError
    If a shape is wrong, a number is missing or infinite, or an option is out of range.

Warns
-----
DegenerateDataWarning
    If the differences do not vary: p is 0 or 1.
UndefinedMetricWarning
    If there is one difference only, which has no variance: p is nan.
"""


@documented(_MARGIN, MODELS)
def equivalence_test(
    scores_a: ArrayLike | None = None,
    scores_b: ArrayLike | None = None,
    *,
    margin: float,
    counts: Sequence[int] | None = None,
    rho: float = 0.0,
    alpha: float = 0.05,
    higher_is_better: bool = True,
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test whether two models differ by less than a margin (two one-sided tests).

    Parameters
    ----------
    margin : float
        The largest difference that does not matter, above 0; choose it before you look.
    alpha : float, default=0.05
        Level of the decision; the interval has level 1 - 2 alpha.
    higher_is_better : bool, default=True
        Whether the numbers are scores rather than errors; it decides who is called better.

    Returns
    -------
    ComparisonTest
        `reject` is True where the models are equivalent: the difference lies within +-margin, and
        so does its interval. The p-value is the larger one of the two tests, the statistic
        belongs to it, and `details` has both.

    Notes
    -----
    O(n). Scores are tested by Student's t, counts by Tango's score statistic, whose variance is
    that under the margin and needs no correction where a count is 0. Where a few differences
    are large and lie on the side of a loss, t rejects too often in small samples: 8 % instead of
    5 % at n = 50 in the simulation of docs/sizes.md.

    References
    ----------
    Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15:657-680. Tango (1998),
    Equivalence test and confidence interval for the difference in proportions for the
    paired-sample design, Statistics in Medicine 17:891-908.

    Examples
    --------
    >>> differences = [0.002, -0.004, 0.001, 0.003, -0.001, 0.002, 0.000, -0.002]
    >>> equivalence_test(differences, margin=0.01)
    ComparisonTest(TOST, paired t: t(7)=-11.8521, pvalue=3.4549e-06, reject at 0.05, better: A)
    >>> test = equivalence_test(counts=(18, 21, 500), margin=0.04)
    >>> test.reject, test.confidence_interval
    (True, ConfidenceInterval(low=-0.02727, high=0.0149774))
    """
    level = check_fraction("alpha", alpha)
    pair = check_names(names)
    found = _checked_difference(scores_a, scores_b, counts, rho)
    width = _checked_margin(margin, found)
    low = found.against(-width, "greater")
    high = found.against(width, "less")
    found.warn()
    statistic, pvalue = low if low[1] > high[1] or math.isnan(low[1]) else high
    critical = found.critical_value(level)
    return ComparisonTest(
        method=f"TOST, {found.kind}",
        statistic=statistic,
        statistic_name=found.symbol,
        df=found.df,
        pvalue=pvalue,
        alpha=level,
        critical_value=critical if pvalue == low[1] and low[1] > high[1] else -critical,
        reject=bool(pvalue <= level),
        alternative=f"difference within +-{width:g}",
        effect_size=found.difference,
        effect_size_name=found.effect,
        confidence_interval=found.interval(level),
        better=better_of(found.difference, pair, higher_is_better),
        details={
            "margin": width,
            "statistic_low": low[0],
            "pvalue_low": low[1],
            "statistic_high": high[0],
            "pvalue_high": high[1],
            "confidence_level": 1 - 2 * level,
        },
    )


@documented(_MARGIN, MODELS)
def non_inferiority_test(
    scores_a: ArrayLike | None = None,
    scores_b: ArrayLike | None = None,
    *,
    margin: float,
    counts: Sequence[int] | None = None,
    rho: float = 0.0,
    alpha: float = 0.05,
    higher_is_better: bool = True,
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test whether model A is worse than model B by less than a margin.

    Parameters
    ----------
    margin : float
        The largest loss that does not matter, above 0; choose it before you look.
    alpha : float, default=0.05
        Level of the decision; the one-sided interval has level 1 - alpha.
    higher_is_better : bool, default=True
        Whether the numbers are scores rather than errors; accuracies by `counts` always are.

    Returns
    -------
    ComparisonTest
        `reject` is True where A is not inferior: the interval of the difference, A less B, stays
        on the right side of the margin.

    Raises
    ------
    ValueError
        If `counts` come with ``higher_is_better=False``.

    Notes
    -----
    One half of `equivalence_test`: the test against the margin on the side of the loss.

    References
    ----------
    Tango (1998), Statistics in Medicine 17:891-908. Wellek (2010), Testing statistical hypotheses
    of equivalence and noninferiority, 2nd edition.

    Examples
    --------
    >>> differences = [0.002, -0.004, 0.001, 0.003, -0.001, 0.002, 0.000, -0.002]
    >>> non_inferiority_test(differences, margin=0.005).reject
    True
    >>> round(non_inferiority_test(counts=(18, 31, 500), margin=0.04).pvalue, 4)
    0.1627
    """
    level = check_fraction("alpha", alpha)
    pair = check_names(names)
    found = _checked_difference(scores_a, scores_b, counts, rho)
    width = _checked_margin(margin, found)
    if isinstance(found, _ProportionDifference) and not higher_is_better:
        raise InputError("`higher_is_better` must be True with `counts`, which count what is right")
    edge = -width if higher_is_better else width
    statistic, pvalue = found.against(edge, "greater" if higher_is_better else "less")
    found.warn()
    critical = found.critical_value(level)
    both = found.interval(level)
    if higher_is_better:
        interval = ConfidenceInterval(both.low, math.inf)
    else:
        interval = ConfidenceInterval(-math.inf, both.high)
    return ComparisonTest(
        method=f"non-inferiority, {found.kind}",
        statistic=statistic,
        statistic_name=found.symbol,
        df=found.df,
        pvalue=pvalue,
        alpha=level,
        critical_value=critical if higher_is_better else -critical,
        reject=bool(pvalue <= level),
        alternative=f"difference {'above' if higher_is_better else 'below'} {edge:g}",
        effect_size=found.difference,
        effect_size_name=found.effect,
        confidence_interval=interval,
        better=better_of(found.difference, pair, higher_is_better),
        details={"margin": width, "confidence_level": 1 - level},
    )


def _checked_difference(
    scores_a: Any, scores_b: Any, counts: Any, rho: float
) -> _MeanDifference | _ProportionDifference:
    """Return the difference of paired numbers, or of paired proportions by their counts."""
    if (scores_a is None) == (counts is None):
        raise InputTypeError(
            f"pass either `scores_a` or `counts`: got {'neither' if counts is None else 'both'}"
        )
    check_fraction("rho", rho, include_low=True)
    if counts is None:
        found = check_differences(scores_a, scores_b, "scores")
        numbers = moments(found.values, found.rounding)
        spread = math.sqrt(1 / numbers.n + rho / (1 - rho))
        return _MeanDifference(numbers, numbers.deviation * spread)
    if isinstance(counts, str) or not hasattr(counts, "__len__") or len(counts) != 3:
        raise InputError(f"`counts` must be (only A right, only B right, examples): got {counts!r}")
    n = check_integer("counts[2]", counts[2], low=1)
    only_a = check_integer("counts[0]", counts[0], low=0, high=n)
    only_b = check_integer("counts[1]", counts[1], low=0, high=n - only_a)
    return _ProportionDifference(_PairedCounts(only_a, only_b, n))


def _checked_margin(margin: Any, difference: _MeanDifference | _ProportionDifference) -> float:
    """Return the margin: positive, and below 1 for proportions."""
    if isinstance(difference, _ProportionDifference):
        return check_fraction("margin", margin)
    return check_positive("margin", margin)


@dataclass(frozen=True, slots=True)
class _MeanDifference:
    """A mean difference that is tested by Student's t."""

    kind: ClassVar = "paired t"
    symbol: ClassVar = "t"
    effect: ClassVar = "mean difference"

    found: Moments
    standard_error: float

    @property
    def difference(self) -> float:
        """A less B."""
        return self.found.mean

    @property
    def df(self) -> float | None:
        """Degrees of freedom."""
        return float(self.found.n - 1)

    def against(self, margin: float, side: Literal["less", "greater"]) -> tuple[float, float]:
        """Return t and p of "the difference is less (greater) than the margin"."""
        test = student_test(
            self.difference - margin, self.standard_error, self.found.n - 1, 0.05, side, warn=False
        )
        return test.statistic, test.pvalue

    def critical_value(self, alpha: float) -> float:
        """Return the t from which on a one-sided test rejects."""
        if self.found.n == 1:
            return math.nan
        return critical_t(self.found.n - 1, alpha, "greater")

    def interval(self, alpha: float) -> ConfidenceInterval:
        """Return the interval of level 1 - 2 alpha."""
        half = self.critical_value(alpha) * self.standard_error
        return ConfidenceInterval(self.difference - half, self.difference + half)

    def warn(self) -> None:
        """Say what is undefined or degenerate."""
        if self.found.n == 1:
            message = "the t statistic is not defined: one number has no variance"
            warn_user(message, UndefinedMetricWarning)
        elif self.standard_error == 0:
            warn_user(
                f"the differences do not vary: each is {self.difference:g}, and the p-value is 0 "
                "or 1",
                DegenerateDataWarning,
            )


class _PairedCounts(NamedTuple):
    """Of n examples, how many only A and how many only B gets right."""

    only_a: int
    only_b: int
    n: int

    @property
    def difference(self) -> float:
        """Accuracy of A less that of B."""
        return (self.only_a - self.only_b) / self.n


@dataclass(frozen=True, slots=True)
class _ProportionDifference:
    """A difference of paired proportions that is tested by Tango's score."""

    kind: ClassVar = "paired proportions (Tango)"
    symbol: ClassVar = "z"
    effect: ClassVar = "difference of accuracies"

    counts: _PairedCounts

    @property
    def difference(self) -> float:
        """A less B."""
        return self.counts.difference

    @property
    def df(self) -> float | None:
        """None: the statistic is normal."""
        return None

    def against(self, margin: float, side: Literal["less", "greater"]) -> tuple[float, float]:
        """Return z and p of "the difference is less (greater) than the margin"."""
        from scipy.special import ndtr

        z = _score_statistic(self.counts, margin)
        return z, float(ndtr(z if side == "less" else -z))

    def critical_value(self, alpha: float) -> float:
        """Return the z from which on a one-sided test rejects."""
        from scipy.special import ndtri

        return -float(ndtri(alpha))

    def interval(self, alpha: float) -> ConfidenceInterval:
        """Return the interval of level 1 - 2 alpha."""
        return _score_interval(self.counts, self.critical_value(alpha))

    def warn(self) -> None:
        """Nothing is undefined here."""


def _score_statistic(counts: _PairedCounts, difference: float) -> float:
    """Return z of "the difference of the proportions is `difference`", which lies in (-1, 1).

    The variance takes the probability of "only B" that is likeliest under that hypothesis
    (Tango 1998, Statistics in Medicine 17:891-908), so that no count of 0 makes it vanish.
    """
    b, c, n = counts
    linear = -b - c + (2 * n - b + c) * difference
    constant = -c * difference * (1 - difference)
    root = math.sqrt(max(0.0, linear * linear - 8 * n * constant))
    # Of the two forms of the root, the one that adds.
    likeliest = (root - linear) / (4 * n) if linear <= 0 else -2 * constant / (root + linear)
    variance = n * (2 * likeliest + difference * (1 - difference))
    excess = b - c - n * difference
    if variance <= 0:
        return 0.0 if excess == 0 else math.copysign(math.inf, excess)
    return excess / math.sqrt(variance)


def _score_interval(counts: _PairedCounts, z: float) -> ConfidenceInterval:
    """Return the differences whose score statistic lies within +-z."""
    return ConfidenceInterval(_limit(counts, z, -1.0), _limit(counts, -z, 1.0))


def _limit(counts: _PairedCounts, z: float, end: float) -> float:
    """Return where the statistic, which falls as the difference grows, is z."""
    from scipy.optimize import brentq

    estimate = counts.difference
    if estimate == end:
        return end
    inner = end * (1 - 1e-12)  # at the end itself the variance is 0, and z infinite
    return float(brentq(lambda d: _score_statistic(counts, d) - z, *sorted((estimate, inner))))
