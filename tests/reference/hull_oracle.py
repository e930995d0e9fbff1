"""Hulls, envelopes and what is read off them, by definition, in rational numbers."""

from fractions import Fraction
from itertools import accumulate, combinations, pairwise


def hull_ends(positives: list, negatives: list) -> list[int]:
    """Return the rows behind which a vertex of the upper hull lies.

    A point is one if no chord between a point before it and one after it runs on or above it.
    From each point the next vertex is the farthest of those in the steepest direction.
    """
    tp = [Fraction(0), *accumulate(map(Fraction, positives))]
    fp = [Fraction(0), *accumulate(map(Fraction, negatives))]
    ends = []
    here = 0
    while here < len(positives):
        best = here + 1
        for k in range(here + 2, len(tp)):
            turn = (tp[k] - tp[here]) * (fp[best] - fp[here]) - (tp[best] - tp[here]) * (
                fp[k] - fp[here]
            )
            if turn >= 0:
                best = k
        ends.append(best - 1)
        here = best
    return ends


def hull_area(rows: list[tuple[float, Fraction, Fraction]]) -> Fraction:
    """Return the area below the hull: of the highest chords over each FPR, by trapezoids."""
    points = _points(rows)
    area = Fraction(0)
    for left, right in pairwise(sorted({x for x, _ in points})):
        area += (right - left) * (_chord(points, left, right) + _chord(points, right, left)) / 2
    return area


def _chord(points, at: Fraction, beside: Fraction) -> Fraction:
    """Return the height at one place of the highest chord that spans it and the other place."""
    spans = [
        (a, b)
        for a in points
        for b in points
        if a[0] <= min(at, beside) and b[0] >= max(at, beside) and a[0] < b[0]
    ]
    return max(a[1] + (b[1] - a[1]) * (at - a[0]) / (b[0] - a[0]) for a, b in spans)


def _points(rows) -> list[tuple[Fraction, Fraction]]:
    """Return (FPR, TPR) of every threshold, of none called positive too, counting anew at each."""
    n_positive, n_negative = sum(row[1] for row in rows), sum(row[2] for row in rows)
    points = [(Fraction(0), Fraction(0))]
    for threshold in {row[0] for row in rows}:
        called = [row for row in rows if row[0] >= threshold]
        tpr = Fraction(sum(row[1] for row in called)) / n_positive
        points.append((Fraction(sum(row[2] for row in called)) / n_negative, tpr))
    return points


def cheapest(rows, x: Fraction) -> Fraction:
    """Return the lowest of all cost lines, those of every threshold, at one place."""
    return min((1 - tpr) * x + fpr * (1 - x) for fpr, tpr in _points(rows))


def envelope(rows) -> list[tuple[Fraction, Fraction]]:
    """Return the vertices of the lower envelope: intersections that lie above no other line."""
    cost_lines = {(fpr, 1 - tpr) for fpr, tpr in _points(rows)}
    positions = {Fraction(0), Fraction(1)}
    for a, b in combinations(cost_lines, 2):
        bend = (a[1] - a[0]) - (b[1] - b[0])
        if bend != 0 and 0 < (b[0] - a[0]) / bend < 1:
            positions.add((b[0] - a[0]) / bend)
    ends = sorted(positions)
    heights = [min(a * (1 - x) + b * x for a, b in cost_lines) for x in ends]
    kept = [(ends[0], heights[0])]
    for i in range(1, len(ends) - 1):
        before = kept[-1]
        after = (ends[i + 1], heights[i + 1])
        straight = (heights[i] - before[1]) * (after[0] - before[0])
        if straight != (after[1] - before[1]) * (ends[i] - before[0]):
            kept.append((ends[i], heights[i]))
    return [*kept, (ends[-1], heights[-1])]


def total_cost(rows) -> Fraction:
    """Return the area below the envelope, piece by piece."""
    return sum(
        ((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(envelope(rows))), Fraction(0)
    )


def h_measure(rows, a: float | None, b: float | None) -> float:
    """Return 1 - L / L_max over the cost share c, by default of weight Beta(1 + p, 2 - p)."""
    from scipy.integrate import quad

    n_positive, n_negative = (float(sum(row[k] for row in rows)) for k in (1, 2))
    prevalence = n_positive / (n_positive + n_negative)
    a, b = (1 + prevalence, 2 - prevalence) if a is None or b is None else (a, b)
    points = [(float(fpr), float(tpr)) for fpr, tpr in _points(rows)]

    def density(c: float) -> float:
        return c ** (a - 1) * (1 - c) ** (b - 1)

    def mean(loss) -> float:
        steps = sorted({float(k) for k in _turns(rows)} | {0.0, 1.0})
        return sum(
            quad(lambda c: loss(c) * density(c), low, high, epsabs=1e-14, epsrel=1e-12)[0]
            for low, high in pairwise(steps)
        )

    def best(c: float) -> float:
        return min(c * (1 - prevalence) * f + (1 - c) * prevalence * (1 - t) for f, t in points)

    return 1 - mean(best) / mean(lambda c: min(c * (1 - prevalence), (1 - c) * prevalence))


def _turns(rows) -> set[Fraction]:
    """Return the cost proportions at which the best of two thresholds may change."""
    n_positive, n_negative = (Fraction(sum(row[k] for row in rows)) for k in (1, 2))
    turns = {n_positive / (n_positive + n_negative)}
    for (f0, t0), (f1, t1) in combinations(set(_points(rows)), 2):
        lost = abs(f1 - f0) * n_negative
        won = abs(t1 - t0) * n_positive
        if lost + won > 0:
            turns.add(won / (won + lost))
    return turns
