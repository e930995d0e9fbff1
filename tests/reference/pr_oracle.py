"""Slow and obvious: precision-recall, thresholds and dominance from their definitions."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

Row = tuple[float, Fraction, Fraction]
Point = tuple[Fraction, Fraction]


def rows(y_true, y_score, weights=None) -> list[Row]:
    """Return (score, positive weight, negative weight), highest score first."""
    weights = [1] * len(y_true) if weights is None else weights
    data = [(s, y, Fraction(w)) for y, s, w in zip(y_true, y_score, weights, strict=True)]
    return [
        (
            score,
            sum((w for s, y, w in data if s == score and y == 1), Fraction(0)),
            sum((w for s, y, w in data if s == score and y != 1), Fraction(0)),
        )
        for score in sorted({s for s, _, w in data if w > 0}, reverse=True)
    ]


def decisions(y_true, y_score, weights=None) -> list[tuple[float, Fraction, Fraction]]:
    """Return (threshold, TP, FP) for inf and every distinct score, highest first."""
    counts = [(math.inf, Fraction(0), Fraction(0))]
    for score, positive, negative in rows(y_true, y_score, weights):
        counts.append((score, counts[-1][1] + positive, counts[-1][2] + negative))
    return counts


def curve(y_true, y_score, weights=None) -> tuple[list[Fraction], list[Fraction], list[float]]:
    """Return precision, recall and thresholds, lowest first; precision 1 at recall 0 ends it."""
    steps = decisions(y_true, y_score, weights)[:0:-1]
    total = steps[0][1]
    precision = [tp / (tp + fp) for _, tp, fp in steps] + [Fraction(1)]
    recall = [tp / total for _, tp, _ in steps] + [Fraction(0)]
    return precision, recall, [threshold for threshold, _, _ in steps]


def average_precision(y_true, y_score, weights=None) -> Fraction:
    """Return the sum over thresholds of (R_k - R_{k-1}) P_k."""
    steps = decisions(y_true, y_score, weights)
    total = steps[-1][1]
    return sum(
        (tp - before) / total * tp / (tp + fp)
        for (_, before, _), (_, tp, fp) in itertools.pairwise(steps)
        if tp > before
    )


def trapezoid(y_true, y_score, weights=None) -> Fraction:
    """Return the area under straight lines through (0, 1) and the points of the curve."""
    steps = decisions(y_true, y_score, weights)
    total = steps[-1][1]
    curve = [(Fraction(0), Fraction(1))] + [(tp / total, tp / (tp + fp)) for _, tp, fp in steps[1:]]
    return sum((x2 - x1) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in itertools.pairwise(curve))


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def continuous(y_true, y_score, weights=None) -> float:
    """Integrate t / (t + FP(t)) by its antiderivative t/a - b/a^2 ln(a t + b), in 60 digits."""
    steps = decisions(y_true, y_score, weights)
    with localcontext() as context:
        context.prec = 60
        area = Decimal(0)
        for (_, tp, fp), (_, tp_end, fp_end) in itertools.pairwise(steps):
            if tp_end == tp:
                continue
            slope = (fp_end - fp) / (tp_end - tp)
            a, b = 1 + slope, fp - slope * tp
            segment = _decimal((tp_end - tp) / a)
            if b != 0:
                ratio = (a * tp_end + b) / (a * tp + b)
                segment -= _decimal(b / a**2) * _decimal(ratio).ln()
            area += segment
        return float(area / _decimal(steps[-1][1]))


def davis_goadrich(y_true, y_score, per_positive: int) -> float:
    """Return the same area by their recipe: `per_positive` interpolated points a positive."""
    steps = decisions(y_true, y_score)
    total = float(steps[-1][1])
    area = 0.0
    for (_, tp, fp), (_, tp_end, fp_end) in itertools.pairwise(steps):
        gain = tp_end - tp
        count = int(gain * per_positive)
        for k in range(count):
            t = tp + gain * Fraction(2 * k + 1, 2 * count)
            false = fp + (t - tp) * (fp_end - fp) / gain
            area += float(t / (t + false)) * float(gain) / count / total
    return area


def break_even(y_true, y_score, weights=None) -> tuple[Fraction | None, float, bool]:
    """Return value (None when undefined), threshold and whether it was interpolated."""
    steps = decisions(y_true, y_score, weights)
    total = steps[-1][1]
    for (_, tp, fp), (score, tp_end, fp_end) in itertools.pairwise(steps):
        predicted = tp_end + fp_end
        width = tp_end + fp_end - tp - fp
        if predicted >= total:
            expected = tp + (total - tp - fp) / width * (tp_end - tp)
            return (expected / total if expected else None), score, predicted != total
    raise AssertionError("the last threshold calls every example positive")


def best_threshold(
    y_true, y_score, criterion, *, beta=1.0, at_least=None, at_most=None, weights=None
):
    """Return (threshold, value to maximise, TP, FP) of the best decision, or None."""
    steps = decisions(y_true, y_score, weights)
    p, n = steps[-1][1], steps[-1][2]
    square = Fraction(beta) ** 2
    best = None
    for threshold, tp, fp in steps:
        fn = p - tp
        precision = tp / (tp + fp) if tp + fp else None
        if criterion == "youden":
            value = tp / p - fp / n
        elif criterion == "closest-topleft":
            value = -((fn / p) ** 2 + (fp / n) ** 2)
        elif criterion == "fewest-errors":
            value = -(fp + fn)
        elif criterion == "fbeta":
            value = (1 + square) * tp / ((1 + square) * tp + square * fn + fp)
        elif criterion == "precision_at_recall":
            if precision is None or float(tp / p) < at_least:
                continue
            value = precision
        elif criterion == "recall_at_precision":
            if precision is None or float(precision) < at_least:
                continue
            value = tp / p
        else:
            if float(fp / n) > at_most:
                continue
            value = tp / p
        if best is None or value > best[1]:
            best = threshold, value, tp, fp
    return best


def roc(y_true, y_score) -> list[Point]:
    """Return the corners (FPR, TPR)."""
    steps = decisions(y_true, y_score)
    return [(fp / steps[-1][2], tp / steps[-1][1]) for _, tp, fp in steps]


def false_by_recall(y_true, y_score) -> list[Point]:
    """Return the corners (recall, FP per positive)."""
    steps = decisions(y_true, y_score)
    return [(tp / steps[-1][1], fp / steps[-1][1]) for _, tp, fp in steps]


def _ends_at(curve: list[Point], x: Fraction) -> tuple[Fraction, Fraction]:
    """Return the lowest and the highest ordinate of a rising line at ``x``."""
    here = [y for at, y in curve if at == x]
    if here:
        return min(here), max(here)
    for (x1, y1), (x2, y2) in itertools.pairwise(curve):
        if x1 < x < x2:
            y = y1 + (y2 - y1) * (x - x1) / (x2 - x1)
            return y, y
    raise AssertionError("x is off the curve")


def _signs(curve_a: list[Point], curve_b: list[Point], *, ends: bool) -> list[int]:
    """Return the signs of a - b at the corners of either line, between which both are straight.

    The vertical stretches at the two ends are left out unless ``ends``.
    """
    signs = []
    for x in sorted({x for x, _ in curve_a + curve_b}):
        pairs = list(zip(_ends_at(curve_a, x), _ends_at(curve_b, x), strict=True))
        if not ends:
            pairs = pairs[1:] if x == 0 else pairs[:1] if x == 1 else pairs
        signs += [(a > b) - (a < b) for a, b in pairs]
    return signs


def dominance(y_a, score_a, y_b, score_b, curve: str) -> tuple[str, int]:
    """Return the relation of curve a to curve b, and how often they cross."""
    if curve == "roc":
        signs = _signs(roc(y_a, score_a), roc(y_b, score_b), ends=True)
    else:  # few false positives at equal recall are a high precision: the sign turns round
        curves = false_by_recall(y_a, score_a), false_by_recall(y_b, score_b)
        signs = [-sign for sign in _signs(*curves, ends=False)]
    decided = [sign for sign in signs if sign]
    turns = sum(a != b for a, b in itertools.pairwise(decided))
    if turns:
        return "crosses", turns
    if not decided:
        return "equal", 0
    return ("encloses" if decided[0] > 0 else "is-enclosed"), 0
