"""Bayesian tests of paired numbers: how likely two models are practically equal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_direction, check_positive, seed_key
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics.comparison.result import MODELS, POSTERIOR, PRACTICAL, check_samples, practical
from fastmetrics.comparison.samples._differences import (
    FOLDS,
    INDEPENDENT,
    PAIRED,
    Differences,
    check_correlation,
    check_differences,
    check_folds,
    needs_folds,
)
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.inference._pvalues import moments
from fastmetrics.inference.reference import critical_value, tail

PriorPlace = Literal["left", "rope", "right"]

#: Numbers of one block of samples.
_BLOCK: Final = 1_000_000
#: Shares nearer to one another than this are equal but for rounding.
_EQUAL: Final = 1e-12


@documented(POSTERIOR)
@dataclass(frozen=True, slots=True, repr=False)
class BayesianCorrelatedTTest(Result):
    """The posterior of the mean difference of two models, A less B.

    Attributes
    ----------
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


@documented(PRACTICAL, PAIRED, FOLDS, MODELS)
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
    asked = practical(rope, credible_level, names, check_direction(higher_is_better))
    found = check_differences(scores_a, scores_b, 1, 2)
    shape = found.values.shape
    correlation = check_correlation(shape, rho, n_repeats, n_folds, "scores_a")
    if correlation is None:
        raise InputTypeError("`rho` or `n_folds` must be given: how the differences correlate")
    if correlation == 0 and check_folds(shape, n_repeats, n_folds, "scores_a") is None:
        raise needs_folds(len(found.values), "scores_a", "another `rho` than 0")
    n, mean, deviation = moments(found.values, found.rounding)
    scale = deviation * math.sqrt(1 / n + correlation / (1 - correlation))
    half = scale and critical_value(n - 1, 1 - asked.credible_level) * scale
    return BayesianCorrelatedTTest(
        **asked.decided(_probabilities(mean, scale, n - 1, asked.rope.high, found.rounding)),
        mean=mean,
        scale=scale,
        df=n - 1,
        rho=correlation,
        credible_interval=ConfidenceInterval(mean - half, mean + half),
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


@documented(POSTERIOR)
@dataclass(frozen=True, slots=True, repr=False)
class BayesianSignedRankTest(Result):
    """The posterior of where the differences of two models lie over data sets, A less B.

    Attributes
    ----------
    p_left, p_rope, p_right : float
        Posterior probability that the share of pairs of data sets on this side of the region of
        practical equivalence, or in it, is the largest of the three.
    theta_left, theta_rope, theta_right : float
        Posterior mean of each share.
    n_datasets : int
        Differences.
    prior_strength : float
        Weight of the pseudo-observation, in data sets.
    prior_place : {"left", "rope", "right"}
        Where it lies.
    """

    p_left: float
    p_rope: float
    p_right: float
    theta_left: float
    theta_rope: float
    theta_right: float
    rope: ConfidenceInterval
    monte_carlo_error: float
    n_datasets: int
    prior_strength: float
    prior_place: str
    n_resamples: int
    credible_level: float
    names: tuple[str, ...]
    decision: str
    better: str | None
    key: str


@documented(PRACTICAL, PAIRED, INDEPENDENT, MODELS)
def bayesian_signed_rank_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike | None = None,
    *,
    higher_is_better: bool,
    rope: float = 0.01,
    prior_strength: float = 0.5,
    prior_place: PriorPlace = "rope",
    n_resamples: int = 50_000,
    credible_level: float = 0.95,
    rng: Any = None,
    names: tuple[str, str] = ("A", "B"),
) -> BayesianSignedRankTest:
    """Return how likely one model is practically better than another over data sets.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n,)
        A score or error of each model on each of n data sets. Without `scores_b`, `scores_a`
        holds the differences, A less B.
    rope : float, default=0.01
        Differences within +-`rope` count as none: the region of practical equivalence. At 0 there
        is none, and differences of exactly 0 count half for either side.
    prior_strength : float, default=0.5
        Weight of the prior, in data sets.
    prior_place : {"left", "rope", "right"}, default="rope"
        Where the prior's pseudo-observation lies: at 0, or infinitely far to a side.
    n_resamples : int, default=50000
        Samples of the posterior, of 24 bytes each and 4 GB in all.

    Returns
    -------
    BayesianSignedRankTest
        The three probabilities.

    Notes
    -----
    The prior is a Dirichlet process with a pseudo-observation z_0; its posterior weights w of z_0,
    z_1 ... z_n are Dirichlet(s, 1 ... 1). theta_right = sum_ij w_i w_j [z_i + z_j > 2 rope],
    theta_left likewise, the rest is theta_rope; sums exactly on a limit count half. Each sample of
    w costs O(n), not O(n^2): the z_j on one side of -z_i are the first or last few in order.
    Published programs take the differences as B less A: left and right change.

    References
    ----------
    Benavoli, Corani, Mangili, Zaffalon & Ruggeri (2014), A Bayesian Wilcoxon signed-rank test
    based on the Dirichlet process, ICML. Benavoli, Corani, Demsar & Zaffalon (2017), Time for a
    change, JMLR 18:1-36.

    Examples
    --------
    >>> a = [0.80, 0.91, 0.75, 0.88, 0.69, 0.93, 0.82, 0.77]
    >>> b = [0.78, 0.88, 0.75, 0.83, 0.66, 0.92, 0.78, 0.74]
    >>> test = bayesian_signed_rank_test(a, b, higher_is_better=True, rope=0.005, rng=1)
    >>> test.decision, test.better, test.p_right > 0.99
    ('right', 'A', True)
    """
    asked = practical(rope, credible_level, names, check_direction(higher_is_better))
    strength = check_positive("prior_strength", prior_strength)
    check_choice("prior_place", prior_place, get_args(PriorPlace))
    count = check_samples(n_resamples)
    found = check_differences(scores_a, scores_b)
    place = {"left": -math.inf, "rope": 0.0, "right": math.inf}[prior_place]
    key = seed_key(rng)
    shares = _sampled_shares(found, asked.rope.high, strength, place, count, key)
    means = shares.mean(axis=0).tolist()
    return BayesianSignedRankTest(
        **asked.sampled(_largest(shares, asked.rope.high), count, key),
        theta_left=means[0],
        theta_rope=means[1],
        theta_right=means[2],
        n_datasets=len(found.values),
        prior_strength=strength,
        prior_place=prior_place,
    )


def _largest(shares: NDArray[np.float64], rope: float) -> tuple[float, float, float]:
    """Return how often each share is the largest; without a region, equal ones count half."""
    if rope > 0:
        wins = np.bincount(shares.argmax(axis=1), minlength=3) / len(shares)
        return float(wins[0]), float(wins[1]), float(wins[2])
    lead = shares[:, 2] - shares[:, 0]
    right = np.count_nonzero(lead > _EQUAL) + np.count_nonzero(np.abs(lead) <= _EQUAL) / 2
    return float((len(shares) - right) / len(shares)), 0.0, float(right / len(shares))


def _sampled_shares(
    found: Differences,
    rope: float,
    strength: float,
    place: float,
    n_resamples: int,
    key: NDArray[np.uint64],
) -> NDArray[np.float64]:
    """Return the shares left of the region, in it and right of it, shape (n_resamples, 3)."""
    z = np.append(found.values, place)
    alpha = np.append(np.ones(len(found.values)), strength)
    order = np.argsort(z, kind="stable")
    z, alpha = z[order], alpha[order]
    # For each i, how many z_j are so low that z_i + z_j < -2 rope; and <=, to halve those on it.
    # 0.91 - 0.90 is no 0.01: a sum lies on a limit where rounding may have moved it off.
    slack = 2 * found.rounding
    if max(rope, float(np.abs(found.values).max())) >= 2.0**1020:  # such sums are no numbers
        z, rope, slack = z / 16, rope / 16, slack / 16
    below = np.searchsorted(z, -2 * rope - z - slack, side="left")
    at_most = np.searchsorted(z, -2 * rope - z + slack, side="right")
    over = np.searchsorted(z, 2 * rope - z + slack, side="right")
    at_least = np.searchsorted(z, 2 * rope - z - slack, side="left")
    generator = np.random.default_rng(key)
    shares = np.empty((n_resamples, 3))
    block = max(1, _BLOCK // len(z))
    for start in range(0, n_resamples, block):
        weights = generator.dirichlet(alpha, min(block, n_resamples - start))
        summed = np.zeros((len(weights), len(z) + 1))
        np.cumsum(weights, axis=1, out=summed[:, 1:])
        left = (weights * (summed[:, below] + summed[:, at_most]) / 2).sum(axis=1)
        right = (weights * (1 - (summed[:, over] + summed[:, at_least]) / 2)).sum(axis=1)
        shares[start : start + len(weights), 0] = left
        shares[start : start + len(weights), 2] = right
        shares[start : start + len(weights), 1] = 1 - left - right
    if rope == 0:
        shares[:, 1] = 0.0
    return shares
