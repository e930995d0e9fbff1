"""``five_by_two_cv_test``: two models by five repetitions of two-fold cross-validation."""

from __future__ import annotations

import math
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative, check_choice
from fastmetrics.comparison.result import MODELS, ComparisonTest, question
from fastmetrics.comparison.samples._differences import PAIRED, Differences, check_differences
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.inference import reference

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
    found = check_differences(scores_a, scores_b, 2)
    if found.values.shape != (5, 2):
        raise InputError(
            "`scores_a` must have shape (5, 2), five repetitions of two folds: got "
            f"{found.values.shape}"
        )
    check_choice("variant", variant, get_args(Variant))
    asked = question(confidence_level, alternative, names, higher_is_better)
    if variant == "f" and asked.alternative != "two-sided":
        raise InputError(f"`variant='f'` is two-sided: got alternative={alternative!r}")
    mean, first, first_mean, squares, variances = _sums(found)
    df: float | tuple[float, float]
    if variant == "f":
        from scipy.special import fdtrc, fdtri

        statistic = reference.ratio(squares, 2.0 * variances)
        pvalue = 0.0 if math.isinf(statistic) else float(fdtrc(10, 5, statistic))
        critical = float(fdtri(10, 5, 1.0 - asked.alpha))
        df = (10, 5)
    else:
        above = first if variant == "dietterich" else first_mean
        statistic = reference.ratio(above, math.sqrt(0.2 * variances))
        pvalue = 1.0
        if not variances == 0 == statistic:
            pvalue = reference.pvalue(statistic, 5, asked.alternative)
        critical = reference.critical_value(5, asked.alpha, asked.alternative)
        df = 5
    if variances == 0:
        warn_user(
            "the two differences of each repetition are equal: the statistic is "
            f"{statistic:g} and p is {pvalue:g}",
            DegenerateDataWarning,
        )
    return asked.answer(
        _TITLES[variant],
        ("F" if variant == "f" else "t", statistic),
        pvalue,
        ("mean difference", mean),
        lead=mean,
        df=df,
        critical_value=critical,
        details={"first_difference": float(found.values[0, 0])},
    )


def _sums(found: Differences) -> tuple[float, float, float, float, float]:
    """Return the mean; of differences scaled by a power of two what the variants need."""
    exponent = math.frexp(float(np.abs(found.values).max()))[1]  # ten large numbers have no sum
    values = np.ldexp(found.values, -exponent)
    mean = math.ldexp(math.fsum(values.ravel().tolist()) / 10, exponent)
    rounding = math.ldexp(found.rounding, -exponent)
    values[np.abs(values) <= rounding] = 0.0
    gaps = values[:, 0] - values[:, 1]
    gaps[np.abs(gaps) <= rounding] = 0.0
    # (d1 - mean)^2 + (d2 - mean)^2 = (d1 - d2)^2 / 2
    return (
        0.0 if abs(mean) <= found.rounding else mean,
        float(values[0, 0]),
        float(values[0].sum() / 2),
        math.fsum((values**2).ravel().tolist()),
        math.fsum((gaps**2 / 2).tolist()),
    )
