"""AUC and Brier score of censored times, and Royston's D, from their definitions: row by row.

Rational numbers where there are no logarithms. Nothing of ours is used.
"""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from reference.concordance_oracle import uncensored_share


def remaining(time: Any, event: Any, at: Any, weights: Any) -> Fraction:
    """Return Kaplan and Meier's share without the event up to a time."""
    share = Fraction(1)
    for t in sorted({t for t, e in zip(time, event, strict=True) if e and t <= at}):
        rows = list(zip(time, event, weights, strict=True))
        share *= 1 - Fraction(
            sum(w for u, e, w in rows if u == t and e), sum(w for u, _, w in rows if u >= t)
        )
    return share


def shares(weights: Any, n: int) -> list[Fraction]:
    return [Fraction(w) for w in (weights or [1] * n)]


def uncensored(of: Any, time: Any, event: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Return the rows whose share that is not censored counts: these, or others."""
    return (time, event, weights) if of is None else (*of, shares(None, len(of[0])))


def auc(time: Any, event: Any, risk: Any, at: Any, weights: Any = None, of: Any = None) -> Any:
    """Return the AUC at a time; None where it is undefined."""
    weights = shares(weights, len(time))
    seen, kind, counts = uncensored(of, time, event, weights)
    won = total = Fraction(0)
    for i in range(len(time)):
        if not (event[i] and time[i] <= at):
            continue
        worth = weights[i] / uncensored_share(seen, kind, time[i], counts, including=False)
        for j in range(len(time)):
            if time[j] > at:
                total += worth * weights[j]
                won += worth * weights[j] * (Fraction(risk[i] > risk[j]) + (risk[i] >= risk[j])) / 2
    return won / total if total else None


def mean_auc(
    time: Any, event: Any, risk: Any, times: Any, weights: Any = None, of: Any = None
) -> Fraction:
    """Return the mean of AUCs, weighed by the share that had the event since the time before."""
    left = [Fraction(1)]
    left += [remaining(time, event, t, shares(weights, len(time))) for t in times]
    found = [auc(time, event, risk, t, weights, of) for t in times]
    falls = [left[k] - left[k + 1] for k in range(len(times))]
    return sum(f * a for f, a in zip(falls, found, strict=True)) / (1 - left[-1])


def brier(
    time: Any, event: Any, survival: Any, at: Any, weights: Any = None, of: Any = None
) -> Any:
    """Return the Brier score at a time; None where nobody is followed beyond it."""
    weights = shares(weights, len(time))
    seen, kind, counts = uncensored(of, time, event, weights)
    if not any(w for t, w in zip(time, weights, strict=True) if t > at):
        return None
    beyond = uncensored_share(seen, kind, at, counts, including=True)
    total = Fraction(0)
    for t, e, s, w in zip(time, event, survival, weights, strict=True):
        if t > at:
            total += w * (1 - Fraction(s)) ** 2 / beyond
        elif e:
            total += w * Fraction(s) ** 2 / uncensored_share(seen, kind, t, counts, including=False)
    return total / sum(weights)


def mean_brier(time: Any, event: Any, survival: Any, times: Any, weights: Any = None) -> Fraction:
    """Return the area under straight lines over the time from the first to the last."""
    found = [
        brier(time, event, [row[k] for row in survival], t, weights) for k, t in enumerate(times)
    ]
    area = sum(
        (found[k] + found[k + 1]) * Fraction(times[k + 1] - times[k]) / 2
        for k in range(len(times) - 1)
    )
    return area / Fraction(times[-1] - times[0])


# --- Royston and Sauerbrei's D -------------------------------------------------------------------


def normal_scores(risk: Any, weights: Any) -> list[float]:
    """Return the scores of rows, over kappa; a weight moves a row's share of those below it.

    Rows of other weights than 1 must not tie.
    """
    n, total, kappa = len(risk), sum(weights), math.sqrt(8 / math.pi)
    found = []
    for own in risk:
        below, alike = sum(x < own for x in risk), sum(x == own for x in risk)
        share = sum(w * ((x < own) + (x == own) / 2) for x, w in zip(risk, weights, strict=True))
        moved = share / total - (below + alike / 2) / n
        places = [
            NormalDist().inv_cdf((below + k + 1 - 0.375) / (n + 0.25) + moved) for k in range(alike)
        ]
        found.append(sum(places) / alike / kappa)
    return found


def d_score(time: Any, event: Any, z: Any, beta: float, weights: Any) -> float:
    """Return the derivative of Cox's likelihood, ties by Efron's rule."""
    total = 0.0
    rows = list(zip(time, event, z, weights, strict=True))
    for t in sorted({t for t, e, *_ in rows if e}):
        tied = [(x, w) for u, e, x, w in rows if e and u == t]
        total += sum(w * x for x, w in tied)
        for k in range(len(tied)):
            at_risk = [(x, w) for u, _, x, w in rows if u >= t]
            at_risk += [(x, -w * k / len(tied)) for x, w in tied]
            over = sum(w * math.exp(beta * x) for x, w in at_risk)
            top = sum(w * x * math.exp(beta * x) for x, w in at_risk)
            total -= sum(w for _, w in tied) / len(tied) * top / over
    return total


def royston_d(time: Any, event: Any, risk: Any, weights: Any = None) -> float:
    """Return the coefficient where the derivative is 0, by bisection."""
    weights = weights or [1.0] * len(time)
    z = normal_scores(risk, weights)
    low, high = -30.0, 30.0
    for _ in range(80):
        middle = (low + high) / 2
        if d_score(time, event, z, middle, weights) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
