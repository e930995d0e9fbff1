"""Tests of counts of errors: one model against a given rate, two on the same test examples."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import LabelColumn, check_label_column, pair_columns
from fastmetrics._input.scalars import Alternative, check_choice, check_fraction, check_integer
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison.result import MODELS, NULL_RATE, ComparisonTest, question
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.inference.proportions import proportion_limits
from fastmetrics.inference.reference import exact_pvalue

McNemarMethod = Literal["corrected", "uncorrected", "exact", "mid-p"]

_TITLES: Final = {
    "corrected": "McNemar test, continuity-corrected",
    "uncorrected": "McNemar test",
    "exact": "McNemar test, exact",
    "mid-p": "McNemar test, mid-p",
}
_LARGEST_COUNT: Final = 2**52


@documented(MODELS)
def mcnemar_test(
    y_true: ArrayLike | None = None,
    y_pred_a: ArrayLike | None = None,
    y_pred_b: ArrayLike | None = None,
    *,
    e01: int | None = None,
    e10: int | None = None,
    method: McNemarMethod = "corrected",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test whether two models err equally often, by the examples that only one gets right.

    Parameters
    ----------
    y_true, y_pred_a, y_pred_b : array-like of shape (n,), optional
        True labels, and those that each model predicts; of any type.
    e01, e10 : int, optional
        In place of the labels: the examples that only B gets right, and those that only A does.
    method : {"corrected", "uncorrected", "exact", "mid-p"}, default="corrected"
        chi2 with one degree of freedom, with or without the correction for continuity; or the
        binomial distribution of e01 among e01 + e10, with the probability of what was observed
        counted in full or by half.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether A's error rate is other than, below or above B's ("greater": e01 is too large).
        chi2 is two-sided.

    Returns
    -------
    ComparisonTest
        chi2, or e01 for "exact" and "mid-p". The effect is the odds ratio e01 / e10, with the exact
        interval that Clopper and Pearson's of e01 / (e01 + e10) gives. `details` has both counts
        and, from labels, both error rates.

    Raises
    ------
    TypeError
        If counts are no integers, or the columns hold labels of different kinds.
    ValueError
        If neither the labels nor the counts are given, or both; if lengths differ; if a one-sided
        chi2 is asked for.

    Warns
    -----
    DegenerateDataWarning
        If each example is right for both or wrong for both: the statistic is 0, p is 1, and the
        odds ratio nan.

    See Also
    --------
    sign_flip_test : Of right answers (0, 1), with `groups` for examples that depend on one another.

    Notes
    -----
    chi2 = (|e01 - e10| - 1)^2 / (e01 + e10), where |e01 - e10| - 1 is at least 0; uncorrected
    without the 1. "exact" is never above its level and "corrected" rarely, "mid-p" and
    "uncorrected" hardly, with more power (`docs/sizes.md`). O(n).

    References
    ----------
    McNemar (1947), Note on the sampling error of the difference between correlated proportions or
    percentages, Psychometrika 12:153-157. Edwards (1948), Psychometrika 13:185-187 (correction).
    Fagerland, Lydersen & Laake (2013), The McNemar test for binary matched-pairs data: mid-p and
    asymptotic are better than exact conditional, BMC Medical Research Methodology 13:91.

    Examples
    --------
    >>> mcnemar_test(e01=1, e10=7)
    ComparisonTest(McNemar test, continuity-corrected: chi2(1)=3.125, pvalue=0.0770999, do not
    reject at 0.05, ahead: A)
    >>> round(mcnemar_test(e01=1, e10=7, method="mid-p").pvalue, 7)
    0.0390625
    >>> y, a, b = [0, 1, 1, 0, 1], [0, 1, 1, 0, 0], [1, 0, 1, 0, 1]
    >>> test = mcnemar_test(y, a, b, method="exact")
    >>> test.details["e01"], test.details["e10"], test.pvalue
    (1.0, 2.0, 1.0)
    """
    check_choice("method", method, get_args(McNemarMethod))
    options = question(confidence_level, alternative, names, higher_is_better=False)
    side = options.alternative
    if method in ("corrected", "uncorrected") and side != "two-sided":
        raise InputError(
            f"`method={method!r}` is two-sided: got alternative={alternative!r}; 'exact' and "
            "'mid-p' have one-sided forms"
        )
    details = _counts(y_true, y_pred_a, y_pred_b, e01, e10)
    only_b = int(details["e01"])
    only_a = int(details["e10"])
    total = only_a + only_b
    proportion = proportion_limits(only_b, total, 1.0 - options.alpha, "clopper-pearson", side)
    interval = ConfidenceInterval(*(math.inf if p == 1.0 else p / (1.0 - p) for p in proportion))
    if method in ("corrected", "uncorrected"):
        from scipy.special import chdtrc, chdtri

        excess = max(0, abs(only_b - only_a) - (method == "corrected"))
        statistic = ("chi2", excess**2 / total if excess else 0.0)
        pvalue = float(chdtrc(1, statistic[1]))
        fields = {"df": 1, "critical_value": float(chdtri(1, options.alpha))}
    else:
        statistic = ("e01", float(only_b))
        pvalue = _binomial_pvalue(only_b, only_a, side, 0.5 if method == "mid-p" else 1.0)
        fields = {}
    if total == 0:
        message = "no example is right for one model alone: p is 1, the odds ratio is not defined"
        warn_user(message, DegenerateDataWarning)
    return options.answer(
        _TITLES[method],
        statistic,
        pvalue,
        ("odds ratio", only_b / only_a if only_a else math.inf if only_b else math.nan),
        lead=float(only_b - only_a),
        confidence_interval=interval,
        details=details,
        **fields,
    )


def _counts(y_true: Any, y_pred_a: Any, y_pred_b: Any, e01: Any, e10: Any) -> dict[str, float]:
    """Return the counts, with the error rates where they are of labels."""
    labels = [one is not None for one in (y_true, y_pred_a, y_pred_b)]
    counts = [one is not None for one in (e01, e10)]
    if not (all(labels) and not any(counts)) and not (all(counts) and not any(labels)):
        raise InputError(
            "pass either `y_true`, `y_pred_a` and `y_pred_b`, or `e01` and `e10`: got "
            f"{sum(labels)} of the three and {sum(counts)} of the two"
        )
    if all(counts):
        only_b = check_integer("e01", e01, low=0, high=_LARGEST_COUNT)
        only_a = check_integer("e10", e10, low=0, high=_LARGEST_COUNT)
        return {"e01": float(only_b), "e10": float(only_a)}
    true = check_label_column(y_true, "y_true").clean()
    a = _right_rows(true, y_pred_a, "y_pred_a")
    b = _right_rows(true, y_pred_b, "y_pred_b")
    n = len(a)
    n_a = int(np.count_nonzero(a))
    n_b = int(np.count_nonzero(b))
    n_both = int(np.count_nonzero(a & b))
    return {
        "e01": float(n_b - n_both),
        "e10": float(n_a - n_both),
        "n": float(n),
        "error_rate_a": (n - n_a) / n,
        "error_rate_b": (n - n_b) / n,
    }


def _right_rows(true: LabelColumn, predictions: Any, name: str) -> NDArray[np.bool_]:
    """Return for each row whether the prediction is the true label."""
    predicted = pair_columns(true, check_label_column(predictions, name).clean()).predicted
    if true.classes is None or predicted.classes is None:
        return np.asarray(true.values == predicted.values)
    number = {label: code for code, label in enumerate(true.classes.tolist())}
    codes = np.array([number.get(label, -1) for label in predicted.classes.tolist()])
    return np.asarray(codes[predicted.values] == true.values)


def _binomial_pvalue(e01: int, e10: int, alternative: Alternative, fraction: float) -> float:
    """Return p of e01 among e01 + e10, ``fraction`` of the probability of e01 itself included."""
    from scipy.stats import binom

    n = e01 + e10
    if n == 0:
        return 1.0
    return exact_pvalue(
        alternative,
        e01,
        e10,
        at_most=lambda k: binom.cdf(k - 1, n, 0.5) + fraction * binom.pmf(k, n, 0.5),
        at_least=lambda k: binom.sf(k, n, 0.5) + fraction * binom.pmf(k, n, 0.5),
    )


_LARGEST: Final = 2**53
_FEW: Final = 100_000
_AS_LIKELY: Final = 1e-7
_EQUAL: Final = 1.0 - 1e-12
"""A probability this near to alpha equals it: decimals such as 0.05 are not doubles."""


@documented(MODELS)
def binomial_test(
    n_errors: int,
    n: int,
    *,
    error_rate: float,
    confidence_level: float = 0.95,
    alternative: Alternative = "greater",
) -> ComparisonTest:
    """Test whether a model's error rate is at most a given one, from its errors on n examples.

    Parameters
    ----------
    n_errors : int
        Errors, between 0 and `n`.
    n : int
        Independent test examples, at least 1.
    error_rate : float
        The error rate under the null hypothesis, in [0, 1].
    alternative : {"greater", "less", "two-sided"}, default="greater"
        Whether the true error rate is above, below or other than `error_rate`. "greater" is the
        textbook's: the null hypothesis is that it is at most `error_rate`.

    Returns
    -------
    ComparisonTest
        The statistic is the number of errors. `critical_value` is the critical count C: the test
        rejects when there are more errors than C ("less": fewer). Two-sided it is nan, and
        `details` has both counts, `critical_low` and `critical_high`. The effect is the measured
        error rate, with the Clopper-Pearson interval (`proportion_interval`).

    Raises
    ------
    TypeError
        If a count is no integer.
    ValueError
        If an argument is out of range.

    Notes
    -----
    C = min{c : P(X > c) < alpha} for X ~ Binomial(n, error_rate), so that the size P(X > C) is
    below alpha, and rejecting more than C errors is the same as p = P(X >= n_errors) < alpha.
    Rejecting at C errors already would have a size above. Two-sided, p is the probability of all
    counts at most as likely as that observed, as in `scipy.stats.binomtest`. The decision is
    strict: p < alpha. O(log n) evaluations of the incomplete beta function.

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26:404-413.

    Examples
    --------
    >>> test = binomial_test(6, 10, error_rate=0.3)
    >>> test
    ComparisonTest(binomial test: errors=6, pvalue=0.047349, reject at 0.05)
    >>> test.critical_value
    5.0
    """
    size = check_integer("n", n, low=1, high=_LARGEST)
    errors = check_integer("n_errors", n_errors, low=0, high=size)
    null = check_fraction(NULL_RATE, error_rate, include_low=True, include_high=True)
    options = question(confidence_level, alternative)
    level = options.alpha
    side = options.alternative
    details = {"n": float(size), NULL_RATE: null}
    if side == "two-sided":
        pvalue = _two_sided_pvalue(errors, size, null)
        critical = math.nan
        counts = _two_sided_counts(size, null, level)
        details["critical_low"], details["critical_high"] = map(float, counts)
    elif side == "greater":
        pvalue = _survival(errors - 1, size, null)
        critical = float(critical_count(size, null, level))
    else:
        pvalue = _survival(size - errors - 1, size, 1.0 - null)
        critical = float(size - critical_count(size, 1.0 - null, level))
    rate = errors / size
    details["standard_error"] = math.sqrt(rate * (1.0 - rate) / size)
    return options.answer(
        "binomial test",
        ("errors", float(errors)),
        pvalue,
        ("error rate", rate),
        critical_value=critical,
        reject=_is_below(pvalue, level),
        confidence_interval=proportion_limits(errors, size, 1.0 - level, "clopper-pearson", side),
        details=details,
    )


def critical_count(n: int, rate: float, alpha: float) -> int:
    """Return C = min{c : P(X > c) < alpha} for X ~ Binomial(n, rate), by bisection."""
    return _first(lambda c: _is_below(_survival(c, n, rate), alpha), 0, n)


def _is_below(probability: float, alpha: float) -> bool:
    return probability < alpha * _EQUAL


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the first integer from ``low`` on for which ``holds``; it does for ``high``."""
    return low + bisect_left(range(low, high), True, key=holds)


def _survival(count: int, n: int, rate: float) -> float:
    """Return P(X > count); `bdtrc` of SciPy is nan from 2^31 on."""
    from scipy.special import betainc

    if count < 0:
        return 1.0
    return 0.0 if count >= n else float(betainc(count + 1.0, n - count, rate))


def _two_sided_pvalue(errors: int, n: int, rate: float) -> float:
    """Return the probability of all counts that are at most as likely as ``errors``.

    Counts are less and less likely away from the mode: those on its other side begin at the first
    that is as unlikely, up to rounding.
    """
    from scipy.special import betaincc

    mode = _mode(n, rate)
    bound = _log_pmf(errors, n, rate) + _AS_LIKELY
    if _log_pmf(mode, n, rate) <= bound:
        return 1.0
    if errors < mode:
        other = _first(lambda c: c > n or _log_pmf(c, n, rate) <= bound, mode + 1, n + 1)
        return float(betaincc(errors + 1.0, n - errors, rate)) + _survival(other - 1, n, rate)
    steps = _first(lambda d: d > mode or _log_pmf(mode - d, n, rate) <= bound, 1, mode + 1)
    last = mode - steps
    lower = float(betaincc(last + 1.0, n - last, rate)) if last >= 0 else 0.0
    return lower + _survival(errors - 1, n, rate)


def _mode(n: int, rate: float) -> int:
    return min(n, int((n + 1) * rate))


def _log_pmf(count: int, n: int, rate: float) -> float:
    """Return the logarithm of P(X = count); -inf where it is 0."""
    from scipy.special import betaln, xlog1py, xlogy

    if n <= _FEW:
        powers = xlogy(count, rate) + xlog1py(n - count, -rate)
        return float(powers - betaln(count + 1, n - count + 1) - math.log1p(n))
    from scipy.stats import binom  # slower; the logarithms above lose digits as n grows

    probability = float(binom.pmf(count, n, rate))
    return math.log(probability) if probability > 0 else -math.inf


def _two_sided_counts(n: int, rate: float, alpha: float) -> tuple[int, int]:
    """Return the counts below the first and above the second of which the test rejects."""
    mode = _mode(n, rate)

    def rejects(count: int) -> bool:
        return _is_below(_two_sided_pvalue(count, n, rate), alpha)

    below = _first(lambda steps: steps > mode or rejects(mode - steps), 0, mode + 1)
    above = _first(lambda steps: mode + steps > n or rejects(mode + steps), 0, n - mode + 1)
    return mode - below + 1, mode + above - 1
