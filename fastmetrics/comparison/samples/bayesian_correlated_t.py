"""``bayesian_correlated_t_test``: how likely two models are practically equal on one data set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    check_confidence_level,
    check_direction,
    check_real,
)
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics.comparison.result import MODELS, better_of, check_names
from fastmetrics.comparison.samples._differences import (
    FOLDS,
    PAIRED,
    check_correlation,
    check_differences,
    check_folds,
    needs_folds,
)
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.inference._pvalues import moments
from fastmetrics.inference.reference import critical_value, tail

#: What both results hold.
POSTERIOR: Final = """
Attributes
----------
rope : ConfidenceInterval
    The region of practical equivalence.
credible_level : float
    Probability that the decision asks for.
names : (str, str)
    Of the models.
decision : str
    "left", "rope" or "right" if that one has at least `credible_level`, else "none".
better : str or None
    The model that is practically better if the decision is "left" or "right", else None.
"""


@documented(POSTERIOR)
@dataclass(frozen=True, slots=True, repr=False)
class BayesianCorrelatedTTest(Result):
    """The posterior of the mean difference of two models, A less B.

    Attributes
    ----------
    p_left, p_rope, p_right : float
        Posterior probability that the difference is below the region of practical equivalence,
        inside it, and above it; they add up to 1, and are nan where there is no posterior.
    mean : float
        Centre of the posterior: the mean difference.
    scale : float
        Scale of the posterior, a Student t; 0 where the differences do not vary.
    df : int
        Its degrees of freedom.
    rho : float
        Correlation of the differences.
    credible_interval : ConfidenceInterval
        With equal tails, of probability `credible_level`.
    """

    p_left: float
    p_rope: float
    p_right: float
    rope: ConfidenceInterval
    mean: float
    scale: float
    df: int
    rho: float
    credible_interval: ConfidenceInterval
    credible_level: float
    names: tuple[str, ...]
    decision: str
    better: str | None


@documented(PAIRED, FOLDS, MODELS)
def bayesian_correlated_t_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike | None = None,
    *,
    higher_is_better: bool,
    rho: float | None = None,
    n_repeats: int | None = None,
    n_folds: int | None = None,
    rope: float = 0.01,
    credible_level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> BayesianCorrelatedTTest:
    """Return how likely one model is practically better than another on one data set.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (k,), (p, k) or (p k,)
        A score or error of each model on each of k folds; or of p repetitions of k-fold
        cross-validation, one row each, or all in one vector. Without `scores_b`, `scores_a` holds
        the differences, A less B.
    rho : float, optional
        Correlation of the differences of two folds, in [0, 1): the share of the data in a test
        fold, 1 / k for k-fold cross-validation, as it is by default of `n_folds` or a table; 0 for
        folds that share no training data. It or `n_folds` is needed for a vector.
    rope : float, default=0.01
        Differences within +-`rope` count as none: the region of practical equivalence.
    credible_level : float, default=0.95
        Of the interval and of the decision.

    Returns
    -------
    BayesianCorrelatedTTest
        The three probabilities and the posterior they come from.

    Warns
    -----
    DegenerateDataWarning
        If the differences do not vary: the posterior is a point.
    UndefinedMetricWarning
        If there is one difference only, which has no variance: all is nan.

    Notes
    -----
    With the uninformative prior the posterior of the mean difference is a Student t with n - 1
    degrees of freedom around the mean, of squared scale (1 / n + rho / (1 - rho)) s^2: the
    variance of Nadeau and Bengio. At rope 0 the two tails are the one-sided p-values of their
    corrected t test. Published programs take the differences as B less A: left and right change.

    References
    ----------
    Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on
    multiple data sets, Machine Learning 100:285-304. Benavoli, Corani, Demsar & Zaffalon (2017),
    Time for a change, JMLR 18:1-36.

    Examples
    --------
    >>> a = [0.91, 0.93, 0.90, 0.92, 0.94, 0.91, 0.92, 0.93, 0.90, 0.92]
    >>> b = [0.90, 0.90, 0.89, 0.90, 0.91, 0.90, 0.89, 0.91, 0.89, 0.90]
    >>> test = bayesian_correlated_t_test(a, b, higher_is_better=True, rho=0.1)
    >>> round(test.p_left, 4), round(test.p_rope, 4), round(test.p_right, 4)
    (0.0, 0.026, 0.974)
    >>> test.decision, test.better
    ('right', 'A')
    """
    higher = check_direction(higher_is_better)
    width = check_rope(rope)
    level = check_confidence_level(credible_level, "credible_level")
    pair = check_names(names)
    found = check_differences(scores_a, scores_b, 1, 2)
    shape = found.values.shape
    correlation = check_correlation(shape, rho, n_repeats, n_folds, "scores_a")
    if correlation is None:
        raise InputTypeError("`rho` or `n_folds` must be given: how the differences correlate")
    if correlation == 0 and check_folds(shape, n_repeats, n_folds, "scores_a") is None:
        raise needs_folds(len(found.values), "scores_a", "another `rho` than 0")
    n, mean, deviation = moments(found.values, found.rounding)
    scale = deviation * math.sqrt(1 / n + correlation / (1 - correlation))
    left, inside, right = _probabilities(mean, scale, n - 1, width, found.rounding)
    decision = decided(left, inside, right, level)
    return BayesianCorrelatedTTest(
        p_left=left,
        p_rope=inside,
        p_right=right,
        rope=ConfidenceInterval(0.0 - width, width),
        mean=mean,
        scale=scale,
        df=n - 1,
        rho=correlation,
        credible_interval=_interval(mean, scale, n - 1, level),
        credible_level=level,
        names=pair,
        decision=decision,
        better=practically_better(decision, pair, higher),
    )


def _probabilities(
    mean: float, scale: float, df: int, rope: float, rounding: float
) -> tuple[float, float, float]:
    if math.isnan(scale):
        message = "one difference has no variance: the posterior is not defined"
        warn_user(message, UndefinedMetricWarning)
        return math.nan, math.nan, math.nan
    if scale == 0:
        message = f"the differences do not vary: the posterior is the point {mean:g}"
        warn_user(message, DegenerateDataWarning)
        edge = rope + rounding
        return float(mean < -edge), float(-edge <= mean <= edge), float(mean > edge)
    left, right = tail((-rope - mean) / scale, df), tail((mean - rope) / scale, df)
    return left, max(0.0, 1.0 - left - right), right


def _interval(mean: float, scale: float, df: int, level: float) -> ConfidenceInterval:
    if math.isnan(scale):
        return ConfidenceInterval(math.nan, math.nan)
    half = scale and critical_value(df, 1 - level) * scale
    return ConfidenceInterval(mean - half, mean + half)


def check_rope(rope: float) -> float:
    """Return the half-width of a region of practical equivalence."""
    width = check_real("rope", rope)
    if not 0 <= width < math.inf:
        raise InputError(f"`rope` must be finite and not negative: got {rope!r}")
    return width


def decided(left: float, inside: float, right: float, level: float) -> str:
    """Return the region that has at least the probability asked for, or "none"."""
    for region, probability in (("left", left), ("rope", inside), ("right", right)):
        if probability >= level:
            return region
    return "none"


def practically_better(decision: str, names: tuple[str, ...], higher_is_better: bool) -> str | None:
    """Return the model that a decision about A less B speaks for."""
    side = {"left": -1.0, "right": 1.0}.get(decision, 0.0)
    return better_of(side, names, higher_is_better)
