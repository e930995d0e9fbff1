"""Concordance from its definitions: every pair of rows, in Fractions. Nothing of ours is used."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple


class Pairs(NamedTuple):
    """Weight of the pairs of each kind: C, D, T_x (score only), T_y (outcome only), T_xy."""

    concordant: Fraction
    discordant: Fraction
    tied_in_score: Fraction
    tied_in_outcome: Fraction
    tied_in_both: Fraction


def sign(value: Any) -> int:
    return int(value > 0) - int(value < 0)


def pairs(outcome: Sequence[Any], score: Sequence[Any], weights: Any = None) -> Pairs:
    """Return the pairs of rows by kind; a pair weighs the product of its rows' weights."""
    sums = [Fraction(0)] * 5
    exact_weights = [Fraction(w) for w in (weights or [1] * len(outcome))]
    for i, j in itertools.combinations(range(len(outcome)), 2):
        y = sign(outcome[i] - outcome[j])
        x = sign(score[i] - score[j])
        kind = {(True, True): 0 if y == x else 1, (True, False): 2, (False, True): 3}.get(
            (y != 0, x != 0), 4
        )
        sums[kind] += exact_weights[i] * exact_weights[j]
    return Pairs(*sums)


def _over(excess: Fraction, pairs: Any) -> float:
    return float(excess) / float(pairs) if pairs else math.nan


def metric(name: str, outcome: Any, score: Any, weights: Any = None) -> float:
    """Return a rank correlation by its name here, nan where undefined; Spearman's is unweighted."""
    sums = pairs(outcome, score, weights)
    c, d, in_score, in_outcome, _ = sums
    n = sum(weights or [1] * len(outcome))
    excess = c - d
    if name == "tau_a":
        return _over(excess, sum(sums))
    if name == "tau_b":
        squared = (c + d + in_score) * (c + d + in_outcome)
        return float(excess) / math.sqrt(squared) if squared else math.nan
    if name == "tau_c":
        least = min(len(set(outcome)), len(set(score)))
        return _over(excess * 2 * least, n * n * (least - 1)) if least > 1 else math.nan
    if name == "somers_d":
        return _over(excess, c + d + in_score)
    if name == "somers_d_score":
        return _over(excess, c + d + in_outcome)
    if name == "somers_d_symmetric":
        return _over(2 * excess, 2 * (c + d) + in_score + in_outcome)
    if name == "gamma":
        return _over(excess, c + d)
    return spearman(outcome, score)


def _mid_ranks(values: Any) -> list[Fraction]:
    return [
        sum(Fraction(other < value) + Fraction(int(other == value), 2) for other in values)
        for value in values
    ]


def spearman(outcome: Any, score: Any) -> float:
    """Return the product-moment correlation of mid-ranks."""
    ranks = _mid_ranks(outcome), _mid_ranks(score)
    middle = Fraction(len(outcome), 2)
    y, x = ([rank - middle for rank in each] for each in ranks)
    squared = sum(a * a for a in y) * sum(b * b for b in x)
    if not squared:
        return math.nan
    return float(sum(a * b for a, b in zip(y, x, strict=True))) / math.sqrt(squared)


def uncensored_share(
    time: Any, event: Any, at: Any, weights: Sequence[Fraction], *, including: bool
) -> Fraction:
    """Return Kaplan and Meier's fraction not censored before a time, or up to it."""
    product = Fraction(1)
    for t in sorted(set(time)):
        if t > at or (t == at and not including):
            break
        rows = list(zip(time, event, weights, strict=True))
        censored = sum(w for u, e, w in rows if u == t and not e)
        at_risk = sum(w for u, e, w in rows if u > t or (u == t and not e))
        if censored:
            product *= 1 - Fraction(censored) / at_risk
    return product


def index_pairs(
    time: Any,
    event: Any,
    risk: Any,
    weights: Any = None,
    tau: Any = None,
    weighting: str = "harrell",
    of: Any = None,
) -> tuple[Fraction, Fraction, Fraction]:
    """Return the weights of concordant, discordant and tied pairs; ``of`` are the rows of G."""
    exact_weights = [Fraction(w) for w in (weights or [1] * len(time))]
    seen = (time, event, exact_weights) if of is None else (*of, [Fraction(1)] * len(of[0]))
    sums = [Fraction(0)] * 3
    for i, j in itertools.permutations(range(len(time)), 2):
        is_later = time[j] > time[i] or (time[j] == time[i] and not event[j])
        if not event[i] or not is_later or (tau is not None and time[i] >= tau):
            continue
        worth = exact_weights[i] * exact_weights[j]
        if weighting != "harrell":
            including = weighting != "uno"
            worth /= uncensored_share(*seen[:2], time[i], seen[2], including=including) ** 2
        kind = 2 if risk[i] == risk[j] else 0 if risk[i] > risk[j] else 1
        sums[kind] += worth
    return sums[0], sums[1], sums[2]


def index(*data: Any, half: bool = True, **options: Any) -> float:
    """Return the concordance index; nan where no pair is comparable."""
    c, d, tied = index_pairs(*data, **options)
    over = c + d + (tied if half else 0)
    return float((c + (tied / 2 if half else 0)) / over) if over else math.nan


def influences(
    value: Any, weights: Sequence[Any], step: Fraction = Fraction(1, 10**5)
) -> list[float]:
    """Return the weight of each row times the derivative of ``value(weights)`` by it."""
    derivatives = []
    for i, weight in enumerate(weights):
        shifted = []
        for change in (step, -step):
            other = [Fraction(w) for w in weights]
            other[i] += change
            shifted.append(value(other))
        derivatives.append(float(weight) * (shifted[0] - shifted[1]) / float(2 * step))
    return derivatives
