"""``equivalence_test`` and ``non_inferiority_test``: two models at a margin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    check_direction,
    check_fraction,
    check_integer,
    check_positive,
)
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison.result import MODELS, ComparisonTest, better_of, check_names
from fastmetrics.comparison.samples._differences import FOLDS, check_correlation, check_differences
from fastmetrics.comparison.samples._tango import PairedCounts, ProportionDifference
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.inference._pvalues import Moments, critical_t, moments, student_test

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
    `higher_is_better` is missing with scores.
ValueError
    If a shape is wrong, a number is missing or infinite, or an option is out of range; if
    ``higher_is_better=False`` comes with `counts`.

Warns
-----
DegenerateDataWarning
    If the differences do not vary: p is 0 or 1.
UndefinedMetricWarning
    If there is one difference only, which has no variance: p is nan.
"""


@documented(_MARGIN, FOLDS, MODELS)
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
    alpha: float = 0.05,
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test whether two models differ by less than a margin (two one-sided tests).

    Parameters
    ----------
    margin : float
        The largest difference that does not matter, above 0; choose it before you look.
    alpha : float, default=0.05
        Level of the decision; the interval has level 1 - 2 alpha.

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
    >>> equivalence_test(differences, margin=0.01, higher_is_better=True)
    ComparisonTest(TOST, paired t: t(7)=-11.8521, pvalue=3.4549e-06, reject at 0.05, ahead: A)
    >>> test = equivalence_test(counts=(18, 21, 500), margin=0.04)
    >>> test.reject, test.confidence_interval
    (True, ConfidenceInterval(low=-0.02727, high=0.0149774))
    """
    level = check_fraction("alpha", alpha)
    pair = check_names(names)
    found = _checked_difference(scores_a, scores_b, counts, rho, n_repeats, n_folds)
    width = _checked_margin(margin, found)
    higher = _checked_direction(higher_is_better, counts)
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
        better=better_of(found.difference, pair, higher),
        details={
            "margin": width,
            "statistic_low": low[0],
            "pvalue_low": low[1],
            "statistic_high": high[0],
            "pvalue_high": high[1],
            "confidence_level": 1 - 2 * level,
            **found.errors,
        },
    )


@documented(_MARGIN, FOLDS, MODELS)
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
    alpha: float = 0.05,
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test whether model A is worse than model B by less than a margin.

    Parameters
    ----------
    margin : float
        The largest loss that does not matter, above 0; choose it before you look.
    alpha : float, default=0.05
        Level of the decision; the one-sided interval has level 1 - alpha.

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
    level = check_fraction("alpha", alpha)
    pair = check_names(names)
    found = _checked_difference(scores_a, scores_b, counts, rho, n_repeats, n_folds)
    width = _checked_margin(margin, found)
    higher = _checked_direction(higher_is_better, counts)
    edge = -width if higher else width
    statistic, pvalue = found.against(edge, "greater" if higher else "less")
    found.warn()
    critical = found.critical_value(level)
    both = found.interval(level)
    if higher:
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
        critical_value=critical if higher else -critical,
        reject=bool(pvalue <= level),
        alternative=f"difference {'above' if higher else 'below'} {edge:g}",
        effect_size=found.difference,
        effect_size_name=found.effect,
        confidence_interval=interval,
        better=better_of(found.difference, pair, higher),
        details={"margin": width, "confidence_level": 1 - level, **found.errors},
    )


def _checked_difference(
    scores_a: Any, scores_b: Any, counts: Any, rho: Any, n_repeats: Any, n_folds: Any
) -> _MeanDifference | ProportionDifference:
    """Return the difference of paired numbers, or of paired proportions by their counts."""
    if (scores_a is None) == (counts is None):
        raise InputTypeError(
            f"pass either `scores_a` or `counts`: got {'neither' if counts is None else 'both'}"
        )
    if counts is None:
        found = check_differences(scores_a, scores_b, 1, 2)
        said = check_correlation(found.values.shape, rho, n_repeats, n_folds, "scores_a")
        correlation = 0.0 if said is None else said
        numbers = moments(found.values, found.rounding)
        spread = math.sqrt(1 / numbers.n + correlation / (1 - correlation))
        return _MeanDifference(numbers, numbers.deviation * spread)
    if not (rho is n_repeats is n_folds is None):
        raise InputTypeError("`rho`, `n_repeats` and `n_folds` are about scores: got `counts` too")
    if isinstance(counts, str) or not hasattr(counts, "__len__") or len(counts) != 3:
        raise InputError(f"`counts` must be (only A right, only B right, examples): got {counts!r}")
    n = check_integer("counts[2]", counts[2], low=1, high=2**52)
    only_a = check_integer("counts[0]", counts[0], low=0, high=n)
    only_b = check_integer("counts[1]", counts[1], low=0, high=n - only_a)
    return ProportionDifference(PairedCounts(only_a, only_b, n))


def _checked_direction(higher_is_better: Any, counts: Any) -> bool:
    """Return the direction: of scores what is said, of counts that of right answers."""
    if counts is None:
        return check_direction(higher_is_better, ", for scores")
    if higher_is_better is not None and not check_direction(higher_is_better):
        raise InputError("`higher_is_better` must be True with `counts`, which count what is right")
    return True


def _checked_margin(margin: Any, difference: _MeanDifference | ProportionDifference) -> float:
    """Return the margin: positive, and below 1 for proportions."""
    if isinstance(difference, ProportionDifference):
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
    def errors(self) -> dict[str, float]:
        """The standard error, for the details."""
        return {"standard_error": self.standard_error}

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
