"""``bayesian_signed_rank_test``: how likely two models are practically equal over data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    check_choice,
    check_confidence_level,
    check_direction,
    check_integer,
    check_memory,
    check_positive,
    key_text,
    seed_key,
)
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics.comparison.result import MODELS, check_names
from fastmetrics.comparison.samples._differences import (
    INDEPENDENT,
    PAIRED,
    Differences,
    check_differences,
)
from fastmetrics.comparison.samples.bayesian_correlated_t import (
    POSTERIOR,
    check_rope,
    decided,
    practically_better,
)

PriorPlace = Literal["left", "rope", "right"]

#: Numbers of one block of samples.
_BLOCK = 1_000_000
#: Shares nearer to one another than this are equal but for rounding.
_EQUAL = 1e-12


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
    monte_carlo_error : float
        Standard error of the least certain of the three probabilities.
    n_datasets : int
        Differences.
    prior_strength : float
        Weight of the pseudo-observation, in data sets.
    prior_place : {"left", "rope", "right"}
        Where it lies.
    n_resamples : int
        Samples of the posterior.
    key : str
        Key of the samples, which ``rng=`` takes back.
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


@documented(PAIRED, INDEPENDENT, MODELS)
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
    credible_level : float, default=0.95
        Of the decision.

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
    higher = check_direction(higher_is_better)
    width = check_rope(rope)
    strength = check_positive("prior_strength", prior_strength)
    check_choice("prior_place", prior_place, get_args(PriorPlace))
    count = check_integer("n_resamples", n_resamples, low=1)
    check_memory(count, 3, "50,000 determine a probability to 0.002", "n_resamples", "samples")
    level = check_confidence_level(credible_level, "credible_level")
    pair = check_names(names)
    found = check_differences(scores_a, scores_b)
    place = {"left": -math.inf, "rope": 0.0, "right": math.inf}[prior_place]
    key = seed_key(rng)
    shares = _sampled_shares(found, width, strength, place, count, key)
    left, inside, right = _largest(shares, width)
    means = shares.mean(axis=0).tolist()
    decision = decided(left, inside, right, level)
    return BayesianSignedRankTest(
        p_left=left,
        p_rope=inside,
        p_right=right,
        theta_left=means[0],
        theta_rope=means[1],
        theta_right=means[2],
        rope=ConfidenceInterval(0.0 - width, width),
        monte_carlo_error=max(math.sqrt(p * (1 - p) / count) for p in (left, inside, right)),
        n_datasets=len(found.values),
        prior_strength=strength,
        prior_place=prior_place,
        n_resamples=count,
        credible_level=level,
        names=pair,
        decision=decision,
        better=practically_better(decision, pair, higher),
        key=key_text(key),
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
