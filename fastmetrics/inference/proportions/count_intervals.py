"""Analytic intervals for measures of a confusion matrix: shares, F1 and Matthews' correlation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, get_args

from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative, check_choice
from fastmetrics._results import ConfidenceInterval, OneNumber
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.inference.proportions._proportion_limits import (
    BOUNDED,
    ProportionMethod,
    check_level,
    normal_quantile,
    one_sided,
    proportion_limits,
)
from fastmetrics.inference.proportions.proportions import check_count, check_whole

CountMetric = Literal[
    "accuracy",
    "error_rate",
    "precision",
    "recall",
    "specificity",
    "npv",
    "false_positive_rate",
    "false_negative_rate",
    "jaccard",
    "f1",
    "matthews_corrcoef",
]
CountMethod = ProportionMethod | Literal["delta", "fisher-z"]

# The cells that count as successes, and those that count as failures.
SHARES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "accuracy": (("tp", "tn"), ("fp", "fn")),
    "error_rate": (("fp", "fn"), ("tp", "tn")),
    "precision": (("tp",), ("fp",)),
    "recall": (("tp",), ("fn",)),
    "specificity": (("tn",), ("fp",)),
    "npv": (("tn",), ("fn",)),
    "false_positive_rate": (("fp",), ("tn",)),
    "false_negative_rate": (("fn",), ("tp",)),
    "jaccard": (("tp",), ("fp", "fn")),
    "f1": (("tp",), ("fp", "fn")),  # of F* = TP / (TP + FP + FN); F1 = 2 F* / (1 + F*)
}
_SHARE_METHODS: Final = get_args(ProportionMethod)
_F1_METHODS: Final = (*_SHARE_METHODS, "delta")
_MCC_METHODS: Final = ("fisher-z", "delta")


@dataclass(frozen=True, slots=True, repr=False)
class CountMetricInterval(OneNumber):
    """A measure of a confusion matrix with its confidence interval.

    Attributes
    ----------
    metric : str
        Which measure.
    estimate : float
        Its value; nan where it is undefined.
    standard_error : float
        By the delta method (for a share the binomial one), whichever method gave the limits.
    confidence_interval : ConfidenceInterval
        Its two limits, `low` and `high`.
    confidence_level : float
        Coverage aimed at.
    method : str
        How the limits were computed.
    alternative : {"two-sided", "less", "greater"}
        Both limits, the upper one alone, or the lower one alone.
    """

    metric: CountMetric
    estimate: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    confidence_level: float
    method: CountMethod
    alternative: Alternative


@documented(BOUNDED)
def count_metric_interval(
    metrics: CountMetric,
    *,
    tp: float | None = None,
    fp: float | None = None,
    fn: float | None = None,
    tn: float | None = None,
    confidence_level: float = 0.95,
    method: CountMethod | None = None,
    alternative: Alternative = "two-sided",
) -> CountMetricInterval:
    """Compute an analytic confidence interval for a measure of the counts of a binary decision.

    Parameters
    ----------
    metrics : str
        "accuracy", "error_rate", "precision", "recall", "specificity", "npv" (negative predictive
        value), "false_positive_rate", "false_negative_rate", "jaccard", "f1" or
        "matthews_corrcoef".
    tp, fp, fn, tn : int or float, optional
        True positives, false positives, false negatives, true negatives. Those the measure does
        not use may be left out. Sums of weights have to be scaled to an effective number of rows
        first, see `effective_sample_size`.
    method : str, optional
        For shares and "f1" those of `proportion_interval`, "wilson" unless given; "f1" has "delta"
        too. For "matthews_corrcoef" "fisher-z" (unless given) or "delta".
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "less": an upper bound alone. "greater": a lower bound alone. The other limit is the end
        of the scale.

    Returns
    -------
    CountMetricInterval
        Estimate, standard error and interval.

    Raises
    ------
    TypeError
        If a count that the measure uses is missing or is not a number.
    ValueError
        If an argument is out of range, or the measure does not have the method.

    Warns
    -----
    UndefinedMetricWarning
        If the measure is 0/0: everything is nan.
    DegenerateDataWarning
        If the standard error is 0, and with it the length of the interval of "delta" or
        "fisher-z": F1 of 0 or 1, a correlation of -1 or 1.

    See Also
    --------
    proportion_interval : The methods for shares, and how far each one covers.
    paired_proportion_difference_interval : The accuracies of two models on the same rows.

    Notes
    -----
    The rows have to be independent, and the decision made before seeing them: a threshold chosen
    on the same rows makes every interval here too narrow and places it too high. Constant time.
    Coverage below is simulated at the level 0.95, 4,000 samples of 30, 100 and 1,000 rows with
    50 % and 5 % positives, sensitivity and specificity both 0.6, 0.8, 0.95 or 0.99.

    *Shares.* Given its denominator, each is a binomial proportion: coverage as for
    `proportion_interval` at that denominator.

    *F1.* Given TP + FP + FN, F* = TP / (TP + FP + FN) is one too, and F1 = 2 F* / (1 + F*) rises
    with it: limits of F* are transformed ("wilson" is the indirect Wilson method of Lam, Gopal &
    Qian). "delta" is F1 +- z SE with SE^2 = F1 (1 - F1)(2 - F1) / (2 TP + FP + FN), cut off at 0
    and 1. "wilson" covered 0.945 and more (0.914 with 1.5 positives expected); "delta" 0.927 and
    more with 1,000 rows, but 0.63 where one error is expected in 100, and 0.25 at 0.3 errors in
    30: it has no length where no error was seen.

    *Matthews' correlation.* "delta" is MCC +- z SE, cut off at -1 and 1, where SE^2 is the sum
    over the cells of count times (d MCC / d count)^2. "fisher-z" takes the same step on the scale
    artanh(MCC), where the standard error is SE / (1 - MCC^2). "fisher-z" covered 0.94 to 0.967
    where five errors and five positives or more are expected (save 0.86 at an MCC of 0.09 in 100
    rows). It is far too short with fewer: 0.60 where one error is expected in 100 rows, 0.23 at
    0.3 errors in 30, 0.70 to 0.89 with 1.5 positives. "delta" is mostly worse. There, give the
    interval of the error rate, or those of precision and recall, beside it.

    References
    ----------
    F1: Lam, Gopal & Qian (2023), Confidence intervals for the F1 score: a comparison of four
    methods, arXiv:2309.14621. Delta method: Takahashi, Yamamoto, Kuchiba & Koyama (2022),
    Confidence interval for micro-averaged F1 and macro-averaged F1 scores, Applied Intelligence
    52:4961-4972. MCC: Itaya, Tamura, Hayashi & Yamamoto (2025), Asymptotic properties of
    Matthews correlation coefficient, Statistics in Medicine, doi:10.1002/sim.10303.

    Examples
    --------
    >>> result = count_metric_interval("f1", tp=40, fp=10, fn=5)
    >>> round(result.estimate, 4), result.confidence_interval
    (0.8421, ConfidenceInterval(low=0.748183, high=0.905425))
    >>> count_metric_interval("matthews_corrcoef", tp=40, fp=10, fn=5, tn=95).confidence_interval
    ConfidenceInterval(low=0.638779, high=0.859655)
    """
    check_choice("metrics", metrics, get_args(CountMetric))
    method = _check_method(metrics, method)
    level = check_level(confidence_level, alternative)
    cells = _check_cells(metrics, {"tp": tp, "fp": fp, "fn": fn, "tn": tn})
    if method == "mid-p":
        check_whole(**cells)
    measure = _mcc if metrics == "matthews_corrcoef" else _share
    estimate, error, interval = measure(metrics, cells, level, method, alternative)
    return CountMetricInterval(metrics, estimate, error, interval, level, method, alternative)


def _check_method(metric: CountMetric, method: CountMethod | None) -> CountMethod:
    options = {"f1": _F1_METHODS, "matthews_corrcoef": _MCC_METHODS}.get(metric, _SHARE_METHODS)
    chosen: CountMethod = options[0] if method is None else check_choice("method", method, options)
    return chosen


def _check_cells(metric: CountMetric, given: dict[str, float | None]) -> dict[str, float]:
    """Return the cells that the measure uses; those it does not use are checked where given."""
    successes, failures = SHARES.get(metric, (("tp", "fp", "fn", "tn"), ()))
    used = (*successes, *failures)
    missing = [f"`{name}`" for name in used if given[name] is None]
    if missing:
        raise InputTypeError(
            f"{metric!r} needs {', '.join(f'`{name}`' for name in used)}: "
            f"{' and '.join(missing)} not given"
        )
    checked = {name: check_count(name, n) for name, n in given.items() if n is not None}
    return {name: checked[name] for name in used}


_Answer = tuple[float, float, ConfidenceInterval]


def _undefined(metric: str, why: str) -> _Answer:
    warn_user(f"{metric!r} is not defined: {why}", UndefinedMetricWarning)
    return math.nan, math.nan, ConfidenceInterval(math.nan, math.nan)


def _share(
    metric: CountMetric,
    cells: dict[str, float],
    level: float,
    method: CountMethod,
    alternative: Alternative,
) -> _Answer:
    """Return estimate, standard error and limits of a binomial proportion, or of F1."""
    names, others = SHARES[metric]
    k, m = sum(cells[name] for name in names), sum(cells[name] for name in others)
    n = k + m
    if n == 0:
        return _undefined(metric, f"{' + '.join((*names, *others))} is 0")
    if metric == "f1":
        total = 2.0 * k + m
        estimate = 2.0 * k / total
        # F (1 - F) (2 - F) / (2 TP + FP + FN), with 1 - F = (FP + FN) / total kept as it is
        error = math.sqrt(estimate * (m / total) * (2.0 - estimate) / total)
    else:
        estimate = k / n
        error = math.sqrt(estimate * (m / n) / n)
    if method == "delta" or method == "fisher-z":
        z = normal_quantile(level, alternative)
        interval = _normal(metric, estimate, error, z, 0.0)
        return estimate, error, one_sided(interval, alternative)
    interval = proportion_limits(k, n, level, method, alternative)
    if metric == "f1":
        interval = ConfidenceInterval(_f1_of(interval.low), _f1_of(interval.high))
    return estimate, error, interval


def _f1_of(share: float) -> float:
    """Return F1 from F* = TP / (TP + FP + FN)."""
    return 2.0 * share / (1.0 + share)


def _mcc(
    metric: CountMetric,
    cells: dict[str, float],
    level: float,
    method: CountMethod,
    alternative: Alternative,
) -> _Answer:
    """Return Matthews' correlation, its standard error and its limits."""
    names = ("tp + fp", "fn + tn", "tp + fn", "fp + tn")
    margins = [sum(cells[cell] for cell in name.split(" + ")) for name in names]
    empty = [name for name, margin in zip(names, margins, strict=True) if margin == 0]
    if empty:
        return _undefined(metric, f"{' and '.join(empty)} {'is' if len(empty) == 1 else 'are'} 0")
    estimate, error = mcc_and_error(**cells)
    z = normal_quantile(level, alternative)
    if method == "fisher-z" and error > 0 and abs(estimate) < 1.0:
        centre, half = math.atanh(estimate), z * error / ((1.0 - estimate) * (1.0 + estimate))
        interval = ConfidenceInterval(math.tanh(centre - half), math.tanh(centre + half))
    else:
        interval = _normal(metric, estimate, error, z, -1.0)
    return estimate, error, one_sided(interval, alternative, least=-1.0)


def mcc_and_error(tp: float, fp: float, fn: float, tn: float) -> tuple[float, float]:
    """Return Matthews' correlation of a table without an empty margin, and its standard error.

    MCC does not change when all counts are multiplied, so that its derivatives, weighted with the
    counts, sum to 0: the multinomial variance keeps the sum of count * derivative^2 alone.
    """
    called, not_called, positive, negative = tp + fp, fn + tn, tp + fn, fp + tn
    if fp == fn == 0 or tp == tn == 0:  # perfect, and perfectly wrong: no rounding
        return (1.0 if fp == fn == 0 else -1.0), 0.0
    root = math.sqrt(called * not_called) * math.sqrt(positive * negative)
    estimate = max(-1.0, min(1.0, (tp * tn - fp * fn) / root))
    derivatives = {
        "tp": (tp, tn / root - estimate / 2.0 * (1.0 / called + 1.0 / positive)),
        "fp": (fp, -fn / root - estimate / 2.0 * (1.0 / called + 1.0 / negative)),
        "fn": (fn, -fp / root - estimate / 2.0 * (1.0 / not_called + 1.0 / positive)),
        "tn": (tn, tp / root - estimate / 2.0 * (1.0 / not_called + 1.0 / negative)),
    }
    return estimate, math.sqrt(sum(n * slope * slope for n, slope in derivatives.values()))


def _normal(
    metric: str, estimate: float, error: float, z: float, least: float
) -> ConfidenceInterval:
    """Return the normal interval, inside the scale, with a warning where it has no length."""
    if error == 0:
        other = "'wilson'" if metric == "f1" else "'error_rate', which has an interval there,"
        message = (
            f"the standard error of {metric!r} is 0 at an estimate of {estimate:g}, and the limits "
            f"equal the estimate: use {other} instead"
        )
        warn_user(message, DegenerateDataWarning)
    return ConfidenceInterval(max(least, estimate - z * error), min(1.0, estimate + z * error))
