"""``sign_flip_test``: a permutation test of paired differences."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import MonteCarloPValue
from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative, check_choice, check_integer, seed_key
from fastmetrics._kernels import resampling
from fastmetrics._kernels.concordance import CHUNK, add_signed_sums
from fastmetrics._threads.workers import run
from fastmetrics.comparison._differences import (
    GROUPS,
    INDEPENDENT,
    PAIRED,
    Differences,
    check_differences,
    starts_of_ties,
    units_of_groups,
)
from fastmetrics.comparison.result import MODELS, ComparisonTest, question
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.inference.reference import exact_sum, toward

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
Method = Literal["auto", "exact", "monte-carlo"]

_LARGEST: Final = 1 << 20
"""Sums of one half of the magnitudes, at most."""
#: Choices of signs at once, and chunks of numbers: their random bits stay in the L2 cache.
BATCH: Final = 1024
_CHUNKS: Final = 16
#: Sums of many numbers round less than the worst case would have it.
ROUNDING: Final = 1e-12


@documented(PAIRED, GROUPS, INDEPENDENT, MODELS)
def sign_flip_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike | None = None,
    *,
    higher_is_better: bool,
    groups: ArrayLike | None = None,
    method: Method = "auto",
    n_resamples: int = 9999,
    rng: Any = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    names: tuple[str, str] = ("A", "B"),
) -> ComparisonTest:
    """Test by flipping signs whether paired differences are symmetric about 0.

    Parameters
    ----------
    method : {"auto", "exact", "monte-carlo"}, default="auto"
        All 2^n signs, or random ones. "auto" is exact where that is feasible: up to 40 differences
        other than 0, and many more where magnitudes repeat, as those of 0-1 losses do. Of groups
        the same holds of their sums.
    n_resamples : int, default=9999
        Random choices of signs, where they are needed.
    rng : None, int, Generator, BitGenerator, SeedSequence or str
        Source of the random signs.

    Returns
    -------
    ComparisonTest
        The statistic and the effect are the mean difference.

    Raises
    ------
    ValueError
        If "exact" is asked for where it is not feasible.

    Warns
    -----
    DegenerateDataWarning
        If all differences, or all sums of groups, are 0: the statistic is 0 and p is 1.

    See Also
    --------
    paired_permutation_test : Exchanges the scores of two models, for AUC and its like.
    wilcoxon_signed_rank_test : The same of the ranks of the differences.

    Notes
    -----
    Under the null hypothesis each difference could as well have the other sign; two-sided, means at
    least as large in absolute value are as extreme. Sums equal up to rounding are equal. The exact
    p goes through the sums of two halves of the differences, some 2^(n/2) of them, rather than
    2^n; random signs give p = (b + 1) / (n_resamples + 1), never 0, at O(n) each. They go with the
    sorted differences: the order of rows changes nothing.

    Rows of a group change signs together: what flips is the sum of each group, whatever the rows of
    a group have in common, and exactly so of few groups, too; but m groups have no p below
    2^(1 - m), two-sided. Where each row is a group of its own, p is that without groups.

    References
    ----------
    Fisher (1935), The Design of Experiments, section 21. Canay, Romano & Shaikh (2017),
    Randomization tests under an approximate symmetry assumption, Econometrica 85:1013-1030.
    Phipson & Smyth (2010), Permutation p-values should never be zero, SAGMB 9:39.

    Examples
    --------
    >>> a = [0.20, 0.31, 0.12, 0.25, 0.19, 0.40]
    >>> b = [0.17, 0.28, 0.13, 0.20, 0.18, 0.33]
    >>> sign_flip_test(a, b, higher_is_better=False)
    ComparisonTest(sign-flip test, exact: mean=0.03, pvalue=0.09375, do not reject at 0.05, ahead:
    B)
    """
    found = check_differences(scores_a, scores_b).ranked()
    check_choice("method", method, get_args(Method))
    asked = question(confidence_level, alternative, names, higher_is_better)
    side = asked.alternative
    count = check_integer("n_resamples", n_resamples, low=1, high=10**8)
    key = seed_key(rng)
    n = len(found.values)
    details, by_groups = {"n": float(n)}, ""
    found, exponent = _scaled(found)
    if groups is not None:
        units = units_of_groups(groups, n, "scores_a")
        values, roundings = units.sums_of_groups(np.array(found))[:, 0]
        values[np.abs(values) <= roundings] = 0.0
        found, more = _scaled(Differences(values, roundings))
        exponent += more
        details["n_groups"], by_groups = float(units.n_units), " by groups"
    moving = found.values != 0
    nonzero, roundings = (one[moving] for one in found)
    details["n_zero"] = float(len(moving) - len(nonzero))
    total = exact_sum(nonzero)
    relative = min(len(nonzero) * np.finfo(np.float64).eps, ROUNDING)
    slack = relative * float(np.abs(nonzero).sum()) + float(roundings.sum())
    total = 0.0 if abs(total) <= slack else total
    pvalue, how = 1.0, "exact"
    if len(nonzero) == 0:
        what = "sums of groups" if by_groups else "differences"
        warn_user(f"all {what} are 0: the mean is 0 and p is 1", DegenerateDataWarning)
    else:
        least = toward(total, side) - slack
        tail = None
        if method != "monte-carlo":
            tail = _exact_tail(nonzero, roundings, least)
        if tail is None and method == "exact":
            raise InputError(
                f"`method='exact'` is not feasible for these {len(nonzero):,} "
                f"{'groups' if by_groups else 'differences'}: use `method='auto'`"
            )
        if tail is None:
            how = "Monte Carlo"
            # in whatever order rows came
            sums = toward(random_sums(np.sort(nonzero), count, key), side)
            pvalue = MonteCarloPValue.of(int(np.count_nonzero(sums >= least)), count)
        elif side == "two-sided":
            pvalue = 1.0 if least <= 0 else min(1.0, 2.0 * tail)
        else:
            pvalue = tail
    mean = math.ldexp(total / n, exponent)
    return asked.answer(
        f"sign-flip test{by_groups}, {how}",
        ("mean", mean),
        pvalue,
        ("mean difference", mean),
        lead=mean,
        details=details,
    )


def _scaled(found: Differences) -> tuple[Differences, int]:
    """Return numbers within +-1, and the power of two that was taken out."""
    exponent = math.frexp(float(np.abs(found.values).max()))[1]
    return Differences(*(np.ldexp(one, -exponent) for one in found)), exponent


def _exact_tail(values: Floats, roundings: Floats, least: float) -> float | None:
    """Return P(sum of the numbers with random signs >= ``least``); None if too much work.

    c numbers of one magnitude m sum to m (2 X - c), X ~ Binomial(c, 1/2). The magnitudes are split
    into two halves; for each sum of the one, the tail of the other is looked up.
    """
    order = np.argsort(np.abs(values))
    magnitudes = np.abs(values)[order]
    starts = starts_of_ties(magnitudes, roundings[order])  # those equal up to rounding are one
    counts = np.diff(starts, append=len(magnitudes))
    halves = _halves(counts)
    if halves is None:
        return None
    first, second = (_distribution(magnitudes[starts][half], counts[half]) for half in halves)
    order = np.argsort(second[0])
    values = second[0][order]
    tails = np.append(np.cumsum(second[1][order][::-1])[::-1], 0.0)
    places = np.searchsorted(values, least - first[0], side="left")
    return min(1.0, float(first[1] @ tails[places]))


def _halves(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Split the magnitudes so that both halves have few sums; None if one has too many."""
    if len(counts) > 2 * _LARGEST.bit_length():  # each doubles the sums of a half, at least
        return None
    order = np.argsort(-counts, kind="stable")
    sizes, halves = [1, 1], ([], [])  # type: ignore[var-annotated]
    for i in order.tolist():
        smaller = int(sizes[1] < sizes[0])
        sizes[smaller] *= int(counts[i]) + 1
        if sizes[smaller] > _LARGEST:
            return None
        halves[smaller].append(i)
    return np.array(halves[0], np.intp), np.array(halves[1], np.intp)


def _distribution(magnitudes: Floats, counts: NDArray[np.int64]) -> tuple[Floats, Floats]:
    from scipy.stats import binom

    values, shares = np.zeros(1), np.ones(1)
    for magnitude, count in zip(magnitudes.tolist(), counts.tolist(), strict=True):
        steps = np.arange(count + 1)
        of_one = binom.pmf(steps, count, 0.5) if count > 1 else np.array([0.5, 0.5])
        values = np.add.outer(values, magnitude * (2.0 * steps - count)).ravel()
        shares = np.multiply.outer(shares, of_one).ravel()
    return values, shares


def random_sums(values: Floats, n_choices: int, key: Words) -> Floats:
    """Return the sum of numbers under each of some random choices of their signs, on all cores.

    The sign of a number in a choice is a function of the key and of the indices of both (Philox,
    see ``resampling``), and a sum adds in the order of the numbers: threads change no bit of it.
    """
    padded = np.zeros(-(-len(values) // CHUNK) * CHUNK)
    padded[: len(values)] = values
    batches = range(-(-n_choices // BATCH))
    sums = run([partial(sums_of_random_signs, padded, key, batch) for batch in batches])
    return np.concatenate(sums)[:n_choices]


def sums_of_random_signs(values: Floats, key: Words, batch: int) -> Floats:
    """Return the sums of numbers, padded to chunks, under choice ``batch * BATCH`` and on."""
    sums, size = np.zeros(BATCH), _CHUNKS * CHUNK
    words = np.empty(2 * _CHUNKS * BATCH, np.uint64)
    for block, first in enumerate(range(0, len(values), size)):
        chunks = values[first : first + size]
        half = len(chunks) // CHUNK * BATCH
        resampling.philox(key, 0, block, batch, resampling.BITS, half, words)
        add_signed_sums(chunks, words, sums)
    return sums
