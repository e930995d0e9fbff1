"""``equivalence_test`` and ``non_inferiority_test``: two models at a margin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    Alternative,
    check_direction,
    check_fraction,
    check_integer,
    check_positive,
    complement,
)
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison.result import MODELS, ComparisonTest, Question, question
from fastmetrics.comparison.samples._differences import (
    FOLDS,
    GROUPS,
    Differences,
    check_correlation,
    check_differences,
    units_of_groups,
)
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.inference._pvalues import moments
from fastmetrics.inference._sample_sizes import warn_of_few_groups
from fastmetrics.inference.reference import critical_value, difference_test, pvalue as pvalue_of

#: What both tests take and refuse.
_MARGIN: Final = """
Parameters
----------
scores_a, scores_b : array-like of shape (n,) or (p, k), optional
    Paired numbers of the two models, such as scores on n data sets or folds, or on k folds in p
    repetitions. Without `scores_b`, `scores_a` holds the differences, A less B.
counts : (int, int, int), optional
    In place of scores, for a difference of accuracies on the same examples: how many only A gets
    right, how many only B, and how many examples there are.
rho : float, optional
    Correlation of the differences: 0 if they are independent, as those of data sets; 1 / k for the
    folds of k-fold cross-validation, which share training data (Nadeau and Bengio). By default
    1 / `n_folds` where repetitions or folds are said; else 0 up to ten numbers.
higher_is_better : bool
    Whether the greater number is the better (accuracy, AUC) or the lower (errors, losses); required
    with scores. `counts` are of right answers and need none.

Raises
------
TypeError
    If both or none of `scores_a` and `counts` are given, or they hold no real numbers; if
    `higher_is_better` is missing with scores; if `groups` come with `counts`, or with folds.
ValueError
    If a shape is wrong, a number is missing or infinite, or an option is out of range; if
    ``higher_is_better=False`` comes with `counts`.

Warns
-----
DegenerateDataWarning
    If the differences, or their means over groups, do not vary: p is 0 or 1.
SmallSampleWarning
    If there are fewer than about 30 groups.
UndefinedMetricWarning
    If there is one difference only, which has no variance: p is nan.
"""


@documented(_MARGIN, GROUPS, FOLDS, MODELS)
def equivalence_test(
    scores_a: ArrayLike | None = None,
    scores_b: ArrayLike | None = None,
    *,
    margin: float,
    higher_is_better: bool | None = None,
    counts: Sequence[int] | None = None,
    rho: float | None = None,
    n_repeats: int | None = None,
    n_folds: int | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test whether two models differ by less than a margin (two one-sided tests).

    Parameters
    ----------
    margin : float
        The largest difference that does not matter, above 0; choose it before you look.
    confidence_level : float, default=0.95
        Level of the decision; the interval leaves twice as much outside, half on each side.

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

    Of groups the mean d of n differences has the variance sum s^2 / (1 - k / n) / n^2, s being the
    sum of what the k differences of a group have above d; t has the degrees of freedom of as many
    groups as they are worth, (sum k)^2 / sum k^2, less one. So a test of right answers (0, 1) of
    groups takes them as scores. Where each row is a group of its own it is the t without groups.

    References
    ----------
    Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15:657-680. Tango (1998),
    Equivalence test and confidence interval for the difference in proportions for the
    paired-sample design, Statistics in Medicine 17:891-908. Liang & Zeger (1986), Longitudinal data
    analysis using generalized linear models, Biometrika 73:13-22 (the variance of groups). Bell &
    McCaffrey (2002), Survey Methodology 28:169-181 (of unequal ones).

    Examples
    --------
    >>> differences = [0.002, -0.004, 0.001, 0.003, -0.001, 0.002, 0.000, -0.002]
    >>> equivalence_test(differences, margin=0.01, higher_is_better=True)
    ComparisonTest(TOST, paired t: t(7)=-11.8521, pvalue=3.4549e-06, reject at 0.05, ahead: A)
    >>> test = equivalence_test(counts=(18, 21, 500), margin=0.04)
    >>> test.reject, test.confidence_interval
    (True, ConfidenceInterval(low=-0.02727, high=0.0149774))
    """
    asked, width = _asked(scores_a, counts, margin, higher_is_better, confidence_level, names)
    found = _difference(scores_a, scores_b, counts, (rho, n_repeats, n_folds), groups)
    low, high = found.against(-width, "greater"), found.against(width, "less")
    is_low = low[1] > high[1]
    critical, interval = found.limits(asked.alpha)
    return found.answer(
        asked,
        "TOST",
        low if is_low or math.isnan(low[1]) else high,
        {
            "margin": width,
            "statistic_low": low[0],
            "pvalue_low": low[1],
            "statistic_high": high[0],
            "pvalue_high": high[1],
            "level_of_interval": complement(2 * asked.alpha),
        },
        critical_value=critical if is_low else -critical,
        confidence_interval=interval,
        alternative=f"difference within +-{width:g}",
    )


@documented(_MARGIN, GROUPS, FOLDS, MODELS)
def non_inferiority_test(
    scores_a: ArrayLike | None = None,
    scores_b: ArrayLike | None = None,
    *,
    margin: float,
    higher_is_better: bool | None = None,
    counts: Sequence[int] | None = None,
    rho: float | None = None,
    n_repeats: int | None = None,
    n_folds: int | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test whether model A is worse than model B by less than a margin.

    Parameters
    ----------
    margin : float
        The largest loss that does not matter, above 0; choose it before you look.
    confidence_level : float, default=0.95
        Level of the decision and of the one-sided interval.

    Returns
    -------
    ComparisonTest
        `reject` is True where A is not inferior: the interval of the difference, A less B, stays
        on the right side of the margin.

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
    >>> non_inferiority_test(differences, margin=0.005, higher_is_better=True).reject
    True
    >>> round(non_inferiority_test(counts=(18, 31, 500), margin=0.04).pvalue, 4)
    0.1627
    """
    asked, width = _asked(scores_a, counts, margin, higher_is_better, confidence_level, names)
    found = _difference(scores_a, scores_b, counts, (rho, n_repeats, n_folds), groups)
    critical, (low, high) = found.limits(asked.alpha)
    if asked.higher_is_better:
        edge, where, high = -width, "above", math.inf
    else:
        edge, where, low, critical = width, "below", -math.inf, -critical
    return found.answer(
        asked,
        "non-inferiority",
        found.against(edge, "greater" if asked.higher_is_better else "less"),
        {"margin": width, "level_of_interval": complement(asked.alpha)},
        critical_value=critical,
        confidence_interval=ConfidenceInterval(low, high),
        alternative=f"difference {where} {edge:g}",
    )


def _asked(
    scores_a: Any, counts: Any, margin: Any, higher_is_better: Any, level: Any, names: Any
) -> tuple[Question, float]:
    """Return what is asked, and the margin: of proportions below 1, and more of them is better."""
    if (scores_a is None) == (counts is None):
        raise InputTypeError(
            f"pass either `scores_a` or `counts`: got {'neither' if counts is None else 'both'}"
        )
    if counts is None:
        higher = check_direction(higher_is_better, ", for scores")
        width = check_positive("margin", margin)
        return question(level, "two-sided", names, higher), width
    if higher_is_better is not None and not check_direction(higher_is_better):
        raise InputError("`higher_is_better` must be True with `counts`, which count what is right")
    return question(level, "two-sided", names), check_fraction("margin", margin)


class _Difference(NamedTuple):
    """A less B: a mean difference, tested by Student's t; or, of counts, by Tango's score."""

    kind: str
    difference: float
    standard_error: float
    df: float = math.inf
    counts: PairedCounts | None = None

    def against(self, margin: float, side: Alternative) -> tuple[float, float]:
        """Return the statistic and p of "it is less (greater) than a margin"."""
        if self.counts is None:
            apart = self.difference - margin
            return difference_test(apart, self.standard_error, self.df, 0.95, side)[:2]
        z = score_statistic(self.counts, margin)
        return z, pvalue_of(z, math.inf, side)

    def limits(self, alpha: float) -> tuple[float, ConfidenceInterval]:
        """Return the critical value of one side, and the interval of level 1 - 2 alpha."""
        critical = critical_value(self.df, alpha, "greater") if self.df > 0 else math.nan
        if self.counts is not None:
            return critical, score_interval(self.counts, critical)
        half = critical * self.standard_error
        return critical, ConfidenceInterval(self.difference - half, self.difference + half)

    def answer(
        self,
        asked: Question,
        name: str,
        test: tuple[float, float],
        details: dict[str, float],
        **said: Any,
    ) -> ComparisonTest:
        """Return the test, of a statistic and its p."""
        of_means = self.counts is None
        return asked.answer(
            f"{name}, {self.kind}",
            ("t" if of_means else "z", test[0]),
            test[1],
            ("mean difference" if of_means else "difference of accuracies", self.difference),
            lead=self.difference,
            df=self.df if of_means else None,
            details=details | {"standard_error": self.standard_error},
            **said,
        )


def _difference(
    scores_a: Any, scores_b: Any, counts: Any, folds: tuple[Any, Any, Any], groups: Any
) -> _Difference:
    """Return the difference of paired numbers, or of paired proportions by their counts."""
    are_folds = any(one is not None for one in folds)
    if counts is None and groups is not None:
        if are_folds:
            raise InputTypeError("`rho`, `n_repeats` and `n_folds` are of folds: got `groups` too")
        return _of_groups(check_differences(scores_a, scores_b), groups)
    if counts is None:
        differences = check_differences(scores_a, scores_b, 1, 2)
        said = check_correlation(differences.values.shape, *folds, "scores_a")
        correlation = 0.0 if said is None else said
        found = moments(differences.values, differences.rounding)
        error = found.deviation * math.sqrt(1 / found.n + correlation / (1 - correlation))
        return _of_means("paired t", found.mean, error, found.n - 1.0)
    if are_folds:
        raise InputTypeError("`rho`, `n_repeats` and `n_folds` are about scores: got `counts` too")
    if groups is not None:
        raise InputTypeError("`groups` are of rows: pass right answers (0, 1) as scores")
    if isinstance(counts, str) or not hasattr(counts, "__len__") or len(counts) != 3:
        raise InputError(f"`counts` must be (only A right, only B right, examples): got {counts!r}")
    n = check_integer("counts[2]", counts[2], low=1, high=2**52)
    only_a = check_integer("counts[0]", counts[0], low=0, high=n)
    only_b = check_integer("counts[1]", counts[1], low=0, high=n - only_a)
    pair = PairedCounts(only_a, only_b, n)
    # The test does not use it.
    error = math.sqrt(only_a + only_b - (only_a - only_b) ** 2 / n) / n
    return _Difference("paired proportions (Tango)", pair.difference, error, counts=pair)


def _of_groups(differences: Differences, groups: Any) -> _Difference:
    """Return the mean difference of rows that vary by groups."""
    values = differences.values
    units = units_of_groups(groups, len(values), "scores_a")
    warn_of_few_groups(units.effective_groups, units.n_units)
    found, error = moments(differences.values, differences.rounding), 0.0
    if found.deviation > 0.0:
        exponent = math.frexp(float(np.abs(values).max()))[1]  # no square leaves the range
        left = np.ldexp(values, -exponent) - math.ldexp(found.mean, -exponent)
        error = math.ldexp(units.spread(left / found.n).standard_error, exponent)
    return _of_means("paired t by groups", found.mean, error, units.effective_groups - 1.0)


def _of_means(kind: str, mean: float, error: float, df: float) -> _Difference:
    """Return a mean difference, which is tested by Student's t."""
    if df == 0:
        message = "the t statistic is not defined: one number has no variance"
        warn_user(message, UndefinedMetricWarning)
    elif error == 0:
        warn_user(
            f"the differences do not vary: each is {mean:g}, and the p-value is 0 or 1"
            if kind == "paired t"
            else "the differences do not vary between groups: the p-value is 0 or 1",
            DegenerateDataWarning,
        )

    return _Difference(kind, mean, error, df)


class PairedCounts(NamedTuple):
    """Of n examples, how many only A and how many only B gets right."""

    only_a: int
    only_b: int
    n: int

    @property
    def difference(self) -> float:
        """Accuracy of A less that of B."""
        return (self.only_a - self.only_b) / self.n


def score_statistic(counts: PairedCounts, difference: float) -> float:
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


def score_interval(counts: PairedCounts, z: float) -> ConfidenceInterval:
    """Return the differences whose score statistic lies within +-z."""
    return ConfidenceInterval(_limit(counts, z, -1.0), _limit(counts, -z, 1.0))


def _limit(counts: PairedCounts, z: float, end: float) -> float:
    """Return where the statistic, which falls as the difference grows, is z."""
    from scipy.optimize import brentq

    estimate = counts.difference
    if estimate == end:
        return end
    inner = end * (1 - 1e-12)  # at the end itself the variance is 0, and z infinite
    return float(brentq(lambda d: score_statistic(counts, d) - z, *sorted((estimate, inner))))
