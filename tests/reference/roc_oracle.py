"""ROC quantities by definition, in rational numbers: double loops, polygons, nothing of ours."""

from fractions import Fraction
from itertools import pairwise

Row = tuple[float, Fraction, Fraction]
Point = tuple[float, Fraction, Fraction]


def rows_of(labels, scores, weights=None) -> list[Row]:
    """Return (score, positive weight, negative weight) for each example."""
    weights = [1] * len(labels) if weights is None else weights
    return [
        (float(score), _exact(weight) * int(label == 1), _exact(weight) * int(label != 1))
        for label, score, weight in zip(labels, scores, weights, strict=True)
    ]


def _exact(number) -> Fraction:
    """Return the number as a Fraction of Python integers: one of NumPy's would overflow."""
    return Fraction(number.item() if hasattr(number, "item") else number)


def rank_loss(rows: list[Row]) -> Fraction:
    """Return the share of pairs that the negative wins, ties as halves, pair by pair."""
    lost = Fraction(0)
    for score, positive, _ in rows:
        for other, _, negative in rows:
            if score < other:
                lost += positive * negative
            elif score == other:
                lost += positive * negative / 2
    return lost / (sum(row[1] for row in rows) * sum(row[2] for row in rows))


def auc(rows: list[Row]) -> Fraction:
    return 1 - rank_loss(rows)


def points(rows: list[Row]) -> list[Point]:
    """Return (threshold, FPR, TPR), counting anew at each threshold; (0, 0) at inf first."""
    n_positive, n_negative = sum(row[1] for row in rows), sum(row[2] for row in rows)
    curve = [(float("inf"), Fraction(0), Fraction(0))]
    for threshold in sorted({score for score, p, n in rows if p + n > 0}, reverse=True):
        called = [row for row in rows if row[0] >= threshold]
        fpr = sum((row[2] for row in called), Fraction(0)) / n_negative
        tpr = sum((row[1] for row in called), Fraction(0)) / n_positive
        curve.append((threshold, fpr, tpr))
    return curve


def corners(curve: list[Point]) -> list[Point]:
    """Return the points where the step changes, with both ends and the first after (0, 0)."""
    kept = curve[:2]
    for before, here, after in zip(curve[1:], curve[2:], curve[3:], strict=False):
        if any(here[k] - before[k] != after[k] - here[k] for k in (1, 2)):
            kept.append(here)
    return kept + curve[2:][-1:]


def detection(rows: list[Row]) -> list[Point]:
    """Return (threshold, FPR, FNR) from the highest threshold with FNR 0 to the last with FPR 0."""
    curve = points(rows)
    start = max(i for i, (_, fpr, _) in enumerate(curve) if fpr == 0)
    stop = min(i for i, (_, _, tpr) in enumerate(curve) if tpr == 1)
    return [(threshold, fpr, 1 - tpr) for threshold, fpr, tpr in curve[start : stop + 1][::-1]]


def area_of(polygon: list[tuple[Fraction, Fraction]]) -> Fraction:
    """Return the shoelace area of a closed polygon."""
    closed = [*polygon, polygon[0]]
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairwise(closed))) / 2


def clipped(polygon, bound: Fraction, keep_above: bool):
    """Return the polygon cut at x = bound (Sutherland & Hodgman, one edge)."""

    def inside(point):
        return point[0] >= bound if keep_above else point[0] <= bound

    kept = []
    for start, end in pairwise([*polygon, polygon[0]]):
        if inside(start):
            kept.append(start)
        if inside(start) != inside(end):
            fraction = (bound - start[0]) / (end[0] - start[0])
            kept.append((bound, start[1] + fraction * (end[1] - start[1])))
    return kept


def partial_auc(rows: list[Row], low, high, over: str = "fpr") -> Fraction:
    """Return the area between the curve and the far side, cut at both ends of the range."""
    if over == "fpr":
        corners = [(fpr, tpr) for _, fpr, tpr in points(rows)]
    else:
        corners = [(tpr, 1 - fpr) for _, fpr, tpr in points(rows)]
    polygon = [*corners, (Fraction(1), Fraction(0)), (Fraction(0), Fraction(0))]
    polygon = clipped(clipped(polygon, Fraction(low), True), Fraction(high), False)
    return area_of(polygon) if polygon else Fraction(0)


def mcclish(rows: list[Row], low, high, over: str = "fpr") -> Fraction:
    """Return the standardised area, the diagonal's one found by the same polygon clipping."""
    diagonal = partial_auc([(0.0, Fraction(1), Fraction(1))], low, high, over)
    largest = Fraction(high) - Fraction(low)
    return (1 + (partial_auc(rows, low, high, over) - diagonal) / (largest - diagonal)) / 2


def kolmogorov_smirnov(rows: list[Row]) -> tuple[Fraction, float, int]:
    """Return the largest |TPR - FPR|, the highest threshold that has it, and its sign."""
    best = (Fraction(-1), 0.0, 0)
    for threshold, fpr, tpr in points(rows)[1:]:
        gap = tpr - fpr
        if abs(gap) > best[0]:
            best = (abs(gap), threshold, (gap > 0) - (gap < 0))
    return best


def one_vs_rest(codes, columns, weights, *, weighted: bool) -> Fraction:
    """Return the mean over classes of the AUCs of each against the rest, plain or by weight."""
    weights = [1] * len(codes) if weights is None else weights
    total = Fraction(0)
    total_weight = Fraction(0)
    for k in sorted(set(codes)):
        rows = rows_of([int(code == k) for code in codes], [row[k] for row in columns], weights)
        weight = sum(row[1] for row in rows) if weighted else Fraction(1)
        total += auc(rows) * weight
        total_weight += weight
    return total / total_weight


def one_vs_one(codes, columns, weights, *, weighted: bool) -> Fraction:
    """Return Hand & Till's mean over pairs of classes, weighted by the pairs' weights."""
    weights = [1] * len(codes) if weights is None else weights
    classes = sorted({code for code, weight in zip(codes, weights, strict=True) if weight > 0})
    total = Fraction(0)
    pair_weights = Fraction(0)
    for a in classes:
        for b in classes:
            if a == b:
                continue
            chosen = [i for i, code in enumerate(codes) if code in (a, b)]
            area = auc(
                rows_of(
                    [int(codes[i] == a) for i in chosen],
                    [columns[i][a] for i in chosen],
                    [weights[i] for i in chosen],
                )
            )
            pair_weight = sum(Fraction(weights[i]) for i in chosen) if weighted else Fraction(1)
            total += area * pair_weight
            pair_weights += pair_weight
    return total / pair_weights
