"""Student's t: one model against a number, and two models on the same folds."""

from __future__ import annotations

import math
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    Alternative,
    check_choice,
    check_integer,
    check_positive,
    check_real,
)
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison.paired import PAIRED, Differences, check_differences, check_numbers
from fastmetrics.comparison.result import MODELS, NULL_RATE, ComparisonTest, Question, question
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference import reference
from fastmetrics.inference.reference import Moments, critical_value, difference_test, moments

Correction = Literal["none", "nadeau-bengio"]

#: A longer vector may be of repeated cross-validation: one is seldom of more folds.
_MOST_FOLDS: Final = 10
#: Parameters that tell how numbers of cross-validation were made.
_OF_FOLDS: Final = """
Parameters
----------
n_repeats, n_folds : int, optional
    How many repetitions of how many folds a vector is of, in any order. One of the two is needed
    for more than ten numbers (or what is said instead); a table says it by its shape.

Raises
------
ValueError
    If a vector of more than ten numbers comes without a word on its repetitions and folds, or
    those given do not fit.

Warns
-----
DegenerateDataWarning
    If numbers of more than one repetition are taken for independent: the test then rejects far
    too often.
"""

_CONSTANT: Final = "differences other than 0 do not vary"


#: Number of repetitions, and of folds in each.
_Shape = tuple[int, int]


@documented(PAIRED, MODELS)
def one_sample_t_test(
    error_rates: ArrayLike,
    *,
    error_rate: float,
    n_repeats: int | None = None,
    n_folds: int | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> ComparisonTest:
    """Test whether the mean of k measured error rates is a given error rate.

    Parameters
    ----------
    error_rates : array-like of shape (n,), or (p, k) of cross-validation
        Measured error rates (or any other metric): independent ones, as of n data sets; or those
        of p repetitions of k folds, one row each, or all in one vector with `n_folds` or
        `n_repeats`.
    error_rate : float
        The mean under the null hypothesis.
    n_repeats, n_folds : int, optional
        How many repetitions of how many folds a vector is of. Folds share training rows: the
        variance is then Nadeau and Bengio's. A table says it by its shape.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether the mean is other than, below or above `error_rate`.

    Returns
    -------
    ComparisonTest
        t with n - 1 degrees of freedom, n the number of rates. The effect is the mean, with its
        interval; `details` has the standard deviation and Cohen's d.

    Raises
    ------
    ValueError
        If `n_repeats` and `n_folds` do not fit, or there is one fold.

    Warns
    -----
    DegenerateDataWarning
        If all error rates are equal: t is 0 (p 1) or infinite.
    UndefinedMetricWarning
        If there is one error rate: all is nan.

    Notes
    -----
    t = (mean - error_rate) / sqrt(c s^2), s^2 with n - 1 in the denominator. c is 1 / n for
    independent error rates, and 1 / n + 1 / (k - 1) for those of k folds, repeated or not. The
    folds of one data set taken for independent reject too often, and far too often where they are
    repeated. O(n).

    References
    ----------
    Student (1908), The probable error of a mean, Biometrika 6:1-25. Nadeau & Bengio (2003),
    Inference for the generalization error, Machine Learning 52:239-281.

    Examples
    --------
    >>> one_sample_t_test([0.12, 0.15, 0.11, 0.14, 0.13], error_rate=0.1)
    ComparisonTest(one-sample t test: t(4)=4.24264, pvalue=0.0132356, reject at 0.05)
    >>> one_sample_t_test([0.12, 0.15, 0.11, 0.14, 0.13], error_rate=0.1, n_folds=5)
    ComparisonTest(one-sample t test, Nadeau-Bengio: t(4)=2.82843, pvalue=0.0474207, reject at 0.05)
    """
    rates = check_numbers(error_rates, "error_rates", 1, 2)
    is_of_folds = rates.ndim == 2 or n_repeats is not None or n_folds is not None
    folds = _check_folds(rates.shape, n_repeats, n_folds, "error_rates") if is_of_folds else None
    if folds is not None and folds[1] == 1:
        raise InputError(
            f"`error_rates` of shape {rates.shape} are of one fold each, whose correlation is not "
            "known: pass a vector without `n_repeats` and `n_folds` if they are independent"
        )
    null = check_real(NULL_RATE, error_rate)
    if not math.isfinite(null):
        raise InputError(f"`error_rate` must be finite: got {error_rate!r}")
    options = question(confidence_level, alternative)
    differences = check_differences(rates, rates * 0 + null, 1, 2)
    summary = moments(differences.values, differences.rounding)
    return _test_of_mean(
        summary,
        0.0 if folds is None else 1.0 / (folds[1] - 1),
        options,
        "one-sample t test" if folds is None else "one-sample t test, Nadeau-Bengio",
        ("mean", null),
        cohen_d=reference.ratio(summary.mean, summary.deviation),
        **{NULL_RATE: null},
    )


@documented(PAIRED, _OF_FOLDS, MODELS)
def kfold_paired_t_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike | None = None,
    *,
    higher_is_better: bool,
    correction: Correction = "nadeau-bengio",
    n_repeats: int | None = None,
    n_folds: int | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test by a paired t whether two models have the same mean score over the same folds.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (k,), (p, k) or (p k,)
        The score (or error) of each model on each of k folds; or of p repetitions of k-fold
        cross-validation, one row each, or all in one vector with `n_folds` or `n_repeats`. Without
        `scores_b`, `scores_a` holds the differences, A less B.
    correction : {"nadeau-bengio", "none"}, default="nadeau-bengio"
        Which of the two statistics decides; `details` has both. "none" is the textbook's, for
        numbers that are independent.
    n_train, n_test : float, optional
        Sizes of the training and test sets, for repeated hold-out; k-fold cross-validation has
        n_test / n_train = 1 / (k - 1).

    Returns
    -------
    ComparisonTest
        t with n - 1 degrees of freedom, n the number of differences. The effect is the mean
        difference, with its interval.

    Raises
    ------
    ValueError
        If the correction lacks the sizes.

    Warns
    -----
    DegenerateDataWarning
        If all differences are equal: t is 0 (p 1) or infinite.
    UndefinedMetricWarning
        If there is one difference: all is nan.

    Notes
    -----
    Nadeau and Bengio's t = mean / sqrt((1 / n + n_test / n_train) s^2); for p repetitions of k
    folds, n = p k (Bouckaert and Frank). Without correction, 1 / n stands alone: training sets of
    different folds overlap, so that the differences can correlate, and those of repetitions do; t
    is then too large, and rejects too often. `docs/sizes.md` has the sizes of both. O(n).

    References
    ----------
    Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52:239-281.
    Bouckaert & Frank (2004), Evaluating the replicability of significance tests for comparing
    learning algorithms, PAKDD, LNAI 3056:3-12.

    Examples
    --------
    >>> a = [0.20, 0.24, 0.18, 0.22, 0.21]
    >>> b = [0.18, 0.21, 0.18, 0.19, 0.20]
    >>> kfold_paired_t_test(a, b, higher_is_better=False, names=("tree", "forest"))
    ComparisonTest(k-fold paired t test, Nadeau-Bengio: t(4)=2.05798, pvalue=0.108701, do not
    reject at 0.05, ahead: forest)
    >>> textbook = kfold_paired_t_test(a, b, higher_is_better=False, correction="none")
    >>> round(textbook.statistic, 4), textbook.reject
    (3.087, True)
    """
    differences = check_differences(scores_a, scores_b, 1, 2)
    check_choice("correction", correction, get_args(Correction))
    options = question(confidence_level, alternative, names, higher_is_better)
    folds = _check_folds(differences.values.shape, n_repeats, n_folds, "scores_a")
    ratio = _test_train_ratio(n_train, n_test, folds)
    n = differences.values.size
    if folds is None and n_train is None:
        raise InputError(
            f"`n_folds` and `n_repeats` are needed for a vector of more than {_MOST_FOLDS} "
            f"numbers: `scores_a` holds {n}, and 100 may be ten repetitions of ten folds; or pass "
            "a table with a row for each repetition, or `n_train` and `n_test`"
        )
    if correction != "none" and ratio is None and n > 1:
        raise InputError(
            "`correction='nadeau-bengio'` needs `n_train` and `n_test` where there is one fold: "
            f"got shape {differences.values.shape}"
        )
    if correction == "none":
        _warn_of_repeats(n, folds, ratio if n_train is not None else None)
    summary = moments(differences.values, differences.rounding)
    ratios = {"uncorrected": 0.0}
    details = {}
    if ratio is not None:
        ratios["nadeau_bengio"] = details["test_train_ratio"] = ratio
    for name, each in ratios.items():
        error = summary.deviation * math.sqrt(1.0 / summary.n + each)
        one = difference_test(summary.mean, error, summary.n - 1, 0.95, options.alternative)
        details |= {f"statistic_{name}": one.statistic, f"pvalue_{name}": one.pvalue}
    repeated = "repeated " if folds is not None and folds[0] > 1 else ""
    return _test_of_mean(
        summary,
        0.0 if correction == "none" or ratio is None else ratio,
        options,
        f"{repeated}k-fold paired t test{'' if correction == 'none' else ', Nadeau-Bengio'}",
        ("mean difference", 0.0),
        lead=summary.mean,
        **details,
    )


def _test_of_mean(
    summary: Moments,
    ratio: float,
    options: Question,
    method: str,
    effect: tuple[str, float],
    *,
    lead: float = 0.0,
    **details: float,
) -> ComparisonTest:
    """Test that the mean of differences is 0; the effect is that mean above a number."""
    n, mean, deviation = summary
    name, null = effect
    side = options.alternative
    error = deviation * math.sqrt(1.0 / n + ratio)
    test = difference_test(mean, error, n - 1, 1.0 - options.alpha, side)
    low, high = test.interval
    if math.isnan(error):
        message = "the t statistic is not defined: one number has no variance"
        warn_user(message, UndefinedMetricWarning)
    elif error == 0.0:
        what = "all differences are 0" if test.statistic == 0.0 else _CONSTANT
        warn_user(
            f"{what}: the statistic is {test.statistic:g} and p is {test.pvalue:g}",
            DegenerateDataWarning,
        )
    return options.answer(
        method,
        ("t", test.statistic),
        test.pvalue,
        (name, null + mean),
        lead=lead,
        df=n - 1,
        critical_value=math.nan if n == 1 else critical_value(n - 1, options.alpha, side),
        confidence_interval=ConfidenceInterval(low + null, high + null),
        details={
            "n": float(n),
            "standard_deviation": deviation,
            "standard_error": error,
            **details,
        },
    )


def _check_folds(shape: tuple[int, ...], n_repeats: Any, n_folds: Any, name: str) -> _Shape | None:
    """Return the source of numbers; None for a vector of more than ten without a stated source."""
    repeats = None if n_repeats is None else check_integer("n_repeats", n_repeats, low=1)
    folds = None if n_folds is None else check_integer("n_folds", n_folds, low=1)
    n = shape[0]
    if len(shape) == 2:
        layout = shape[0], shape[1]
    elif repeats is not None:
        layout = repeats, n // repeats
    elif folds is not None:
        layout = n // folds, folds
    else:
        return (1, n) if n <= _MOST_FOLDS else None
    fits = repeats in (None, layout[0]) and folds in (None, layout[1])
    if not fits or (len(shape) == 1 and layout[0] * layout[1] != n):
        listed = ", ".join(
            f"{key}={value}"
            for key, value in (("n_repeats", repeats), ("n_folds", folds))
            if value is not None
        )
        raise InputError(
            f"`n_repeats` and `n_folds` must fit `{name}`, of shape {shape}: got {listed}"
        )
    return layout


def _test_train_ratio(n_train: Any, n_test: Any, folds: _Shape | None) -> float | None:
    """Return n_test / n_train: as given, else that of k-fold cross-validation; None for k = 1."""
    if (n_train is None) != (n_test is None):
        raise InputError(
            f"`n_train` and `n_test` go together: got n_train={n_train!r}, n_test={n_test!r}"
        )
    if n_train is not None:
        return check_positive("n_test", n_test) / check_positive("n_train", n_train)
    return 1.0 / (folds[1] - 1) if folds is not None and folds[1] > 1 else None


def _warn_of_repeats(n: int, folds: _Shape | None, ratio: float | None) -> None:
    """Warn if the test sets of n differences overlap, as folds of one repetition do not."""
    if folds is not None and folds[0] > 1:
        repeats = folds[0]
    elif ratio is not None and n * ratio > (1 + ratio) * (1 + 1e-9):  # more tested than there is
        repeats = n
    else:
        return
    warn_user(
        f"numbers of {repeats} repetitions correlate, and are taken for independent: the test "
        "rejects far too often; pass `correction='nadeau-bengio'`",
        DegenerateDataWarning,
    )


# --- five repetitions of two folds ----------------------------------------------------------------


Variant = Literal["dietterich", "textbook", "f"]

_TITLES: Final = {
    "dietterich": "5x2cv paired t test (Dietterich)",
    "textbook": "5x2cv paired t test (textbook: mean of the first repetition)",
    "f": "combined 5x2cv F test (Alpaydin)",
}


@documented(PAIRED, MODELS)
def five_by_two_cv_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike | None = None,
    *,
    higher_is_better: bool,
    variant: Variant = "dietterich",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test whether two models differ, from five repetitions of two-fold cross-validation.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (5, 2)
        The error of each model: a row for each repetition, a column for each fold. Without
        `scores_b`, `scores_a` holds the differences, A less B.
    variant : {"dietterich", "textbook", "f"}, default="dietterich"
        "dietterich": t with the first difference of the first repetition above. "textbook": with
        the mean of its two differences. "f": Alpaydin's F, of all ten differences.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether A less B is other than, below or above 0; F is two-sided.

    Returns
    -------
    ComparisonTest
        t with 5 degrees of freedom, or F with 10 and 5. The effect is the mean of the ten
        differences; `better` goes by it.

    Raises
    ------
    ValueError
        If the shape is not (5, 2), or a one-sided F is asked for.

    Warns
    -----
    DegenerateDataWarning
        If the two differences of each repetition are equal: the statistic is 0 (p 1) where what
        stands above is 0, else infinite (p 0).

    Notes
    -----
    With the variance s_i^2 of the two differences of repetition i about their mean, both t have
    sqrt(sum s_i^2 / 5) below, and F = (sum of the ten squares) / (2 sum s_i^2). On independent
    differences the sizes of all three are below alpha, that of the textbook's by far: its numerator
    has half the variance that t supposes. Where the errors on the two halves correlate, as those of
    nearest neighbours do, all three reject too often (`docs/sizes.md`). Constant cost.

    References
    ----------
    Dietterich (1998), Approximate statistical tests for comparing supervised classification
    learning algorithms, Neural Computation 10:1895-1923. Alpaydin (1999), Combined 5x2 cv F test
    for comparing supervised classification learning algorithms, Neural Computation 11:1885-1892.

    Examples
    --------
    >>> differences = [[0.02, 0.01], [0.03, -0.01], [0.0, 0.02], [0.01, 0.03], [0.02, 0.0]]
    >>> test = five_by_two_cv_test(differences, higher_is_better=False)
    >>> round(test.statistic, 6), round(test.critical_value, 4), test.reject
    (1.17444, 2.5706, False)
    >>> test = five_by_two_cv_test(differences, higher_is_better=False, variant="f")
    >>> round(test.statistic, 6)
    1.137931
    """
    differences = check_differences(scores_a, scores_b, 2)
    if differences.values.shape != (5, 2):
        raise InputError(
            "`scores_a` must have shape (5, 2), five repetitions of two folds: got "
            f"{differences.values.shape}"
        )
    check_choice("variant", variant, get_args(Variant))
    options = question(confidence_level, alternative, names, higher_is_better)
    if variant == "f" and options.alternative != "two-sided":
        raise InputError(f"`variant='f'` is two-sided: got alternative={alternative!r}")
    mean, first, first_mean, squares, variances = _sums(differences)
    df: float | tuple[float, float]
    if variant == "f":
        from scipy.special import fdtrc, fdtri

        statistic = reference.ratio(squares, 2.0 * variances)
        pvalue = 0.0 if math.isinf(statistic) else float(fdtrc(10, 5, statistic))
        critical = float(fdtri(10, 5, 1.0 - options.alpha))
        df = (10, 5)
    else:
        above = first if variant == "dietterich" else first_mean
        statistic = reference.ratio(above, math.sqrt(0.2 * variances))
        pvalue = 1.0
        if not variances == 0 == statistic:
            pvalue = reference.pvalue(statistic, 5, options.alternative)
        critical = reference.critical_value(5, options.alpha, options.alternative)
        df = 5
    if variances == 0:
        warn_user(
            "the two differences of each repetition are equal: the statistic is "
            f"{statistic:g} and p is {pvalue:g}",
            DegenerateDataWarning,
        )
    return options.answer(
        _TITLES[variant],
        ("F" if variant == "f" else "t", statistic),
        pvalue,
        ("mean difference", mean),
        lead=mean,
        df=df,
        critical_value=critical,
        details={"first_difference": float(differences.values[0, 0])},
    )


def _sums(differences: Differences) -> tuple[float, float, float, float, float]:
    """Return the mean; of differences scaled by a power of two what the variants need."""
    # scaled by 2^-exponent, so that a sum of large numbers does not overflow
    exponent = math.frexp(float(np.abs(differences.values).max()))[1]
    values = np.ldexp(differences.values, -exponent)
    mean = math.ldexp(math.fsum(values.ravel().tolist()) / 10, exponent)
    rounding = math.ldexp(differences.rounding, -exponent)
    values[np.abs(values) <= rounding] = 0.0
    gaps = values[:, 0] - values[:, 1]
    gaps[np.abs(gaps) <= rounding] = 0.0
    # (d1 - mean)^2 + (d2 - mean)^2 = (d1 - d2)^2 / 2
    return (
        0.0 if abs(mean) <= differences.rounding else mean,
        float(values[0, 0]),
        float(values[0].sum() / 2),
        math.fsum((values**2).ravel().tolist()),
        math.fsum((gaps**2 / 2).tolist()),
    )
