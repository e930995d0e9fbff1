"""``mcnemar_test``: two models on the same test examples."""

from __future__ import annotations

import math
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import LabelColumn, check_label_column, of_one_kind
from fastmetrics._input.scalars import Alternative, check_choice, check_integer
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison._differences import GROUPS, units_of_groups
from fastmetrics.comparison.result import MODELS, ComparisonTest, question
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.inference.proportions import proportion_limits
from fastmetrics.inference.reference import exact_pvalue, limits
from fastmetrics.inference.units import warn_of_few_groups

Bools = NDArray[np.bool_]
Method = Literal["corrected", "uncorrected", "exact", "mid-p"]

_TITLES: Final = {
    "corrected": "McNemar test, continuity-corrected",
    "uncorrected": "McNemar test",
    "exact": "McNemar test, exact",
    "mid-p": "McNemar test, mid-p",
}
_LARGEST: Final = 2**52


@documented(GROUPS, MODELS)
def mcnemar_test(
    y_true: ArrayLike | None = None,
    y_pred_a: ArrayLike | None = None,
    y_pred_b: ArrayLike | None = None,
    *,
    e01: int | None = None,
    e10: int | None = None,
    groups: ArrayLike | None = None,
    method: Method | None = None,
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
    method : {"corrected", "uncorrected", "exact", "mid-p"}, optional
        chi2 with one degree of freedom, with or without the correction for continuity; or the
        binomial distribution of e01 among e01 + e10, with the probability of what was observed
        counted in full or by half. By default "corrected"; of groups "uncorrected", the one they
        have.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether A's error rate is other than, below or above B's ("greater": e01 is too large).
        chi2 is two-sided.

    Returns
    -------
    ComparisonTest
        chi2, or e01 for "exact" and "mid-p". The effect is the odds ratio e01 / e10, with the exact
        interval that Clopper and Pearson's of e01 / (e01 + e10) gives; of groups with Student's,
        of the logarithm, which is [0, inf] where either count is 0. `details` has both counts and,
        from labels, both error rates.

    Raises
    ------
    TypeError
        If counts are no integers, or the columns hold labels of different kinds.
    ValueError
        If neither the labels nor the counts are given, or both; if lengths differ; if a one-sided
        chi2 is asked for; if `groups` come without labels, or with another method.

    Warns
    -----
    DegenerateDataWarning
        If each example is right for both or wrong for both: the statistic is 0, p is 1, and the
        odds ratio nan. So where in each group as many are right for A alone as for B.
    SmallSampleWarning
        If there are fewer than about 30 groups.

    See Also
    --------
    sign_flip_test : Exact of groups, by right answers (0, 1), and one-sided.

    Notes
    -----
    chi2 = (|e01 - e10| - 1)^2 / (e01 + e10), where |e01 - e10| - 1 is at least 0; uncorrected
    without the 1. "exact" is never above its level and "corrected" rarely, "mid-p" and
    "uncorrected" hardly, with more power (`docs/sizes.md`). O(n).

    Of m groups with e01 - e10 = d in each, chi2 = (m - 1) / m (sum d)^2 / sum d^2 (Obuchowski): the
    difference of both accuracies by its variance between groups, were they equal. Where each row
    is a group of its own it is McNemar's uncorrected one, times (m - 1) / m. It is at most m - 1:
    four groups never reject at 0.05.

    References
    ----------
    McNemar (1947), Note on the sampling error of the difference between correlated proportions or
    percentages, Psychometrika 12:153-157. Edwards (1948), Psychometrika 13:185-187 (correction).
    Fagerland, Lydersen & Laake (2013), The McNemar test for binary matched-pairs data: mid-p and
    asymptotic are better than exact conditional, BMC Medical Research Methodology 13:91.
    Obuchowski (1998), On the comparison of correlated proportions for clustered data, Statistics in
    Medicine 17:1495-1507.

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
    if method is None:
        method = "corrected" if groups is None else "uncorrected"
    check_choice("method", method, get_args(Method))
    asked = question(confidence_level, alternative, names, higher_is_better=False)
    side = asked.alternative
    if method in ("corrected", "uncorrected") and side != "two-sided":
        raise InputError(
            f"`method={method!r}` is two-sided: got alternative={alternative!r}; 'exact' and "
            "'mid-p' have one-sided forms"
        )
    if groups is not None and method != "uncorrected":
        raise InputError(
            f"`groups` have `method='uncorrected'` alone: got {method!r}; `sign_flip_test` of "
            "right answers (0, 1) is exact of groups"
        )
    details, right = _counts(y_true, y_pred_a, y_pred_b, e01, e10)
    only_b, only_a = int(details["e01"]), int(details["e10"])
    title, df, critical = _TITLES[method], 1, math.nan
    share = proportion_limits(only_b, only_a + only_b, 1.0 - asked.alpha, "clopper-pearson", side)
    interval = ConfidenceInterval(*(math.inf if p == 1.0 else p / (1.0 - p) for p in share))
    if groups is not None:
        if right is None:
            raise InputError("`groups` are of rows: pass labels in place of `e01` and `e10`")
        title = "McNemar test by groups, Obuchowski"
        statistic, interval, details["n_groups"] = _of_groups(*right, groups, asked.alpha)
    elif method in ("corrected", "uncorrected"):
        excess = max(0, abs(only_b - only_a) - (method == "corrected"))
        statistic = excess**2 / (only_a + only_b) if excess else 0.0
    else:
        df, statistic = 0, float(only_b)
        pvalue = _binomial_pvalue(only_b, only_a, side, 0.5 if method == "mid-p" else 1.0)
    if df:
        pvalue, critical = _chi2_test(statistic, asked.alpha)
    if groups is None and only_a + only_b == 0:
        message = "no example is right for one model alone: p is 1, the odds ratio is not defined"
        warn_user(message, DegenerateDataWarning)
    return asked.answer(
        title,
        ("chi2" if df else "e01", statistic),
        pvalue,
        ("odds ratio", _odds(only_b, only_a)),
        lead=float(only_b - only_a),
        df=df or None,
        critical_value=critical,
        confidence_interval=interval,
        details=details,
    )


def _of_groups(
    right_a: Bools, right_b: Bools, groups: Any, alpha: float
) -> tuple[float, ConfidenceInterval, float]:
    """Return Obuchowski's chi2 of groups of rows, limits of the odds ratio, and their number."""
    units = units_of_groups(groups, len(right_a), "y_true")
    warn_of_few_groups(units.effective_groups, units.n_units)
    of_b, of_a = (one.astype(np.float64) for one in (right_b & ~right_a, right_a & ~right_b))
    only_b, only_a = int(of_b.sum()), int(of_a.sum())
    sums, m = units.sums_of_groups((of_b - of_a)[None, :])[0], units.n_units
    variance = m / (m - 1.0) * float(np.sum(sums * sums))
    if variance == 0.0:
        warn_user(
            "in each group as many examples are right for A alone as for B alone: p is 1",
            DegenerateDataWarning,
        )
    interval = ConfidenceInterval(0.0, math.inf)
    if only_a and only_b:
        odds = _odds(only_b, only_a)
        spread = units.spread(of_b / only_b - of_a / only_a, "student")
        if spread.variance > 0.0:
            error = odds * spread.standard_error
            interval = limits(odds, error, spread.df, 1.0 - alpha, "log")
    statistic = (only_b - only_a) ** 2 / variance if variance > 0.0 else 0.0
    return statistic, interval, float(units.n_units)


def _counts(
    y_true: Any, y_pred_a: Any, y_pred_b: Any, e01: Any, e10: Any
) -> tuple[dict[str, float], tuple[Bools, Bools] | None]:
    """Return the counts, and which rows both models have right, where there are rows."""
    labels = [one is not None for one in (y_true, y_pred_a, y_pred_b)]
    counts = [one is not None for one in (e01, e10)]
    if not (all(labels) and not any(counts)) and not (all(counts) and not any(labels)):
        raise InputError(
            "pass either `y_true`, `y_pred_a` and `y_pred_b`, or `e01` and `e10`: got "
            f"{sum(labels)} of the three and {sum(counts)} of the two"
        )
    if all(counts):
        only_b = check_integer("e01", e01, low=0, high=_LARGEST)
        only_a = check_integer("e10", e10, low=0, high=_LARGEST)
        return {"e01": float(only_b), "e10": float(only_a)}, None
    true = check_label_column(y_true, "y_true").clean()
    a, b = _right_rows(true, y_pred_a, "y_pred_a"), _right_rows(true, y_pred_b, "y_pred_b")
    n, n_a, n_b = len(a), int(np.count_nonzero(a)), int(np.count_nonzero(b))
    n_both = int(np.count_nonzero(a & b))
    found = {
        "e01": float(n_b - n_both),
        "e10": float(n_a - n_both),
        "n": float(n),
        "error_rate_a": (n - n_a) / n,
        "error_rate_b": (n - n_b) / n,
    }
    return found, (a, b)


def _right_rows(true: LabelColumn, predictions: Any, name: str) -> NDArray[np.bool_]:
    """Return for each row whether the prediction is the true label."""
    predicted = of_one_kind(true, check_label_column(predictions, name).clean()).predicted
    if true.classes is None or predicted.classes is None:
        return np.asarray(true.values == predicted.values)
    number = {label: code for code, label in enumerate(true.classes.tolist())}
    codes = np.array([number.get(label, -1) for label in predicted.classes.tolist()])
    return np.asarray(codes[predicted.values] == true.values)


def _chi2_test(statistic: float, alpha: float) -> tuple[float, float]:
    """Return p and the critical value of chi2 with one degree of freedom."""
    from scipy.special import chdtrc, chdtri

    return float(chdtrc(1, statistic)), float(chdtri(1, alpha))


def _binomial_pvalue(e01: int, e10: int, alternative: Alternative, share: float) -> float:
    """Return p of e01 among e01 + e10, ``share`` of the probability of e01 itself included."""
    from scipy.stats import binom

    n = e01 + e10
    if n == 0:
        return 1.0
    return exact_pvalue(
        alternative,
        e01,
        e10,
        at_most=lambda k: binom.cdf(k - 1, n, 0.5) + share * binom.pmf(k, n, 0.5),
        at_least=lambda k: binom.sf(k, n, 0.5) + share * binom.pmf(k, n, 0.5),
    )


def _odds(e01: int, e10: int) -> float:
    if e10 == 0:
        return math.inf if e01 else math.nan
    return e01 / e10
