"""Every quantity of the registry by its definition: slow, obvious, in rational numbers.

Nothing of fastmetrics, NumPy or scikit-learn is used here. A `Sample` holds plain Python numbers;
an oracle returns a tuple of values, each a number or a list of numbers (`Fraction` where the
quantity is rational). Thresholds are scores, `inf` among them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

Value = Fraction | Decimal | float | list[Fraction] | list[float]


@dataclass(frozen=True)
class Sample:
    """Labels (1 positive, 0 negative), scores, and weights (None means 1 each)."""

    labels: Sequence[int]
    scores: Sequence[float]
    weights: Sequence[Fraction] | None = None

    def rows(self) -> list[tuple[int, float, Fraction]]:
        """Return the rows that are there at all: weight 0 means absent."""
        weights = self.weights or [Fraction(1)] * len(self.labels)
        rows = zip(self.labels, self.scores, weights, strict=True)
        return [(label, score, weight) for label, score, weight in rows if weight > 0]

    def of_class(self, wanted: int) -> list[tuple[float, Fraction]]:
        return [(score, weight) for label, score, weight in self.rows() if label == wanted]


def _total(sample: Sample, label: int) -> Fraction:
    return sum((weight for _, weight in sample.of_class(label)), Fraction(0))


def _called(sample: Sample, label: int, threshold: float) -> Fraction:
    """Weight of the class `label` that the decision score >= threshold calls positive."""
    return sum((w for s, w in sample.of_class(label) if s >= threshold), Fraction(0))


def _thresholds(sample: Sample) -> list[float]:
    return sorted({score for _, score, _ in sample.rows()}, reverse=True)


def _points(sample: Sample) -> list[tuple[Fraction, Fraction, float]]:
    """TP, FP and threshold, from the highest distinct score down."""
    return [
        (_called(sample, 1, threshold), _called(sample, 0, threshold), threshold)
        for threshold in _thresholds(sample)
    ]


def _rates(sample: Sample) -> list[tuple[Fraction, Fraction, float]]:
    """FPR, TPR and threshold, from (0, 0) at infinity down."""
    p, n = _total(sample, 1), _total(sample, 0)
    points = [(Fraction(0), Fraction(0), math.inf), *_points(sample)]
    return [(fp / n, tp / p, threshold) for tp, fp, threshold in points]


def rank_loss(sample: Sample) -> tuple[Fraction]:
    """Mean over pairs of [f+ < f-] + [f+ = f-] / 2."""
    loss = Fraction(0)
    for above, weight in sample.of_class(1):
        for below, other in sample.of_class(0):
            loss += weight * other * ((above < below) + Fraction(above == below, 2))
    return (loss / (_total(sample, 1) * _total(sample, 0)),)


def roc_auc(sample: Sample) -> tuple[Fraction]:
    """Share of pairs whose positive scores higher, a tie counting one half."""
    wins = Fraction(0)
    for above, weight in sample.of_class(1):
        for below, other in sample.of_class(0):
            wins += weight * other * ((above > below) + Fraction(above == below, 2))
    return (wins / (_total(sample, 1) * _total(sample, 0)),)


def roc_curve(sample: Sample) -> tuple[list[Fraction], list[Fraction], list[float]]:
    fpr, tpr, thresholds = zip(*_rates(sample), strict=True)
    return list(fpr), list(tpr), list(thresholds)


def roc_corners(sample: Sample) -> tuple[list[Fraction], list[Fraction], list[float]]:
    """The curve less the points at which neither count changes its step (scikit-learn's rule)."""
    points = _rates(sample)
    kept = points[:2]
    for before, here, after in zip(points[1:], points[2:], points[3:], strict=False):
        steps = [tuple(b[k] - a[k] for k in (0, 1)) for a, b in ((before, here), (here, after))]
        if steps[0] != steps[1]:
            kept.append(here)
    if len(points) > 2:
        kept.append(points[-1])
    fpr, tpr, thresholds = zip(*kept, strict=True)
    return list(fpr), list(tpr), list(thresholds)


def partial_area(sample: Sample, low: Fraction, high: Fraction) -> Fraction:
    """Area under the ROC curve between two false positive rates."""
    area = Fraction(0)
    for (x0, y0, _), (x1, y1, _) in pairwise(_rates(sample)):
        left, right = max(x0, low), min(x1, high)
        if left < right:
            slope = (y1 - y0) / (x1 - x0)
            area += (right - left) * (y0 + slope * ((left + right) / 2 - x0))
    return area


def partial_area_of_tpr(sample: Sample, low: Fraction, high: Fraction) -> Fraction:
    """Area between the ROC curve and FPR = 1, between two true positive rates."""
    area = Fraction(0)
    for (x0, y0, _), (x1, y1, _) in pairwise(_rates(sample)):
        bottom, top = max(y0, low), min(y1, high)
        if bottom < top:
            slope = (x1 - x0) / (y1 - y0)
            area += (top - bottom) * (1 - x0 - slope * ((bottom + top) / 2 - y0))
    return area


def mcclish(sample: Sample, low: Fraction, high: Fraction) -> Fraction:
    """McClish (1989): the partial area between its chance value, 1/2, and its largest, 1."""
    chance, largest = (high**2 - low**2) / 2, high - low
    return (1 + (partial_area(sample, low, high) - chance) / (largest - chance)) / 2


def precision_recall_curve(sample: Sample) -> tuple[list[Fraction], list[Fraction], list[float]]:
    p = _total(sample, 1)
    points = _points(sample)[::-1]
    precision = [tp / (tp + fp) for tp, fp, _ in points] + [Fraction(1)]
    recall = [tp / p for tp, _, _ in points] + [Fraction(0)]
    return precision, recall, [threshold for _, _, threshold in points]


def average_precision(sample: Sample) -> tuple[Fraction]:
    precision, recall, _ = precision_recall_curve(sample)
    steps = zip(precision[:-1], pairwise(recall), strict=True)
    return (sum(((here - after) * p for p, (here, after) in steps), Fraction(0)),)


def trapezoid_precision_recall(sample: Sample) -> tuple[Fraction]:
    precision, recall, _ = precision_recall_curve(sample)
    steps = zip(pairwise(precision), pairwise(recall), strict=True)
    return (sum(((r0 - r1) * (p0 + p1) / 2 for (p0, p1), (r0, r1) in steps), Fraction(0)),)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def continuous_precision_recall(sample: Sample) -> tuple[Decimal]:
    """Integral of precision over recall, FP growing in proportion to TP between two thresholds.

    With FP = a + b (TP - t0), the integral of t / (t + FP) dt from t0 to t1 is
    [t - (c / k) log(k t + c)] / k where k = 1 + b and c = a - b t0; fifty digits make light of
    the cancellation.
    """
    area = Decimal(0)
    points = [(Fraction(0), Fraction(0), math.inf), *_points(sample)]
    with localcontext() as context:
        context.prec = 60
        for (t0, f0, _), (t1, f1, _) in pairwise(points):
            if t1 == t0:
                continue
            b = (f1 - f0) / (t1 - t0)
            k, c = 1 + b, f0 - b * t0
            if c == 0:
                area += _decimal((t1 - t0) / k)
            else:
                ratio = _decimal((k * t1 + c) / (k * t0 + c))
                area += (_decimal(t1 - t0) - _decimal(c / k) * ratio.ln()) / _decimal(k)
        return (area / _decimal(_total(sample, 1)),)


def break_even(sample: Sample) -> tuple[Fraction | float]:
    """Precision where the number called positive is the number of positives; nan if TP is 0."""
    p = _total(sample, 1)
    points = [(Fraction(0), Fraction(0), math.inf), *_points(sample)]
    for (t0, f0, _), (t1, f1, _) in pairwise(points):
        if t0 + f0 < p <= t1 + f1:
            share = (p - t0 - f0) / (t1 + f1 - t0 - f0)
            found = t0 + share * (t1 - t0)
            return (found / p if found > 0 else math.nan,)
    raise AssertionError("all examples called positive are at least the positives")


def kolmogorov_smirnov(sample: Sample) -> tuple[Fraction, float, int]:
    """Largest |TPR - FPR|, the highest score that has it, and the sign there."""
    best = max(abs(tpr - fpr) for fpr, tpr, _ in _rates(sample)[1:])
    fpr, tpr, threshold = next(x for x in _rates(sample)[1:] if abs(x[1] - x[0]) == best)
    return best, threshold, (tpr > fpr) - (tpr < fpr)


def det_curve(sample: Sample) -> tuple[list[Fraction], list[Fraction], list[float]]:
    """FPR, FNR and threshold, from the highest threshold with FNR 0 up to the last with FPR 0."""
    rates = _rates(sample)
    start = max(i for i, (fpr, _, _) in enumerate(rates) if fpr == 0)
    stop = min(i for i, (_, tpr, _) in enumerate(rates) if tpr == 1)
    kept = rates[start : stop + 1][::-1]
    return (
        [fpr for fpr, _, _ in kept],
        [1 - tpr for _, tpr, _ in kept],
        [threshold for _, _, threshold in kept],
    )


def confusion_at_thresholds(sample: Sample) -> tuple[list[Fraction] | list[float], ...]:
    p, n = _total(sample, 1), _total(sample, 0)
    points = _points(sample)
    return (
        [n - fp for _, fp, _ in points],
        [fp for _, fp, _ in points],
        [p - tp for tp, _, _ in points],
        [tp for tp, _, _ in points],
        [threshold for _, _, threshold in points],
    )


def best_threshold(
    sample: Sample, criterion: str, bound: float = 0.0
) -> tuple[Fraction | float, float]:
    """Best value and the highest threshold that has it; distances are squared."""
    p, n = _total(sample, 1), _total(sample, 0)
    found: list[tuple[Fraction, float]] = []
    for tp, fp, threshold in [(Fraction(0), Fraction(0), math.inf), *_points(sample)]:
        tpr, fpr = tp / p, fp / n
        precision = tp / (tp + fp) if tp + fp else None
        # A bound is met by the rate as a double, the one that a reader of the result sees.
        if criterion == "youden":
            found.append((tpr - fpr, threshold))
        elif criterion == "closest_topleft":
            found.append((-(fpr**2) - (1 - tpr) ** 2, threshold))
        elif criterion == "fewest_errors":
            found.append((-(fp + p - tp), threshold))
        elif criterion == "f_beta":
            found.append((2 * tp / (p + tp + fp), threshold))
        elif criterion == "precision_at_recall" and precision is not None:
            found += [(precision, threshold)] * (float(tpr) >= bound)
        elif criterion == "recall_at_precision" and precision is not None:
            found += [(tpr, threshold)] * (float(precision) >= bound)
        elif criterion == "recall_at_fpr":
            found += [(tpr, threshold)] * (float(fpr) <= bound)
    if not found:
        return math.nan, math.nan
    best = max(value for value, _ in found)
    threshold = max(threshold for value, threshold in found if value == best)
    if criterion == "closest_topleft":
        return math.sqrt(-best), threshold
    return (-best if criterion == "fewest_errors" else best), threshold


def _variance(values: list[Fraction]) -> Fraction:
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1)


def delong(sample: Sample) -> tuple[Fraction, Fraction]:
    """AUC and its variance from the placements (DeLong, DeLong & Clarke-Pearson 1988).

    Weights are counts: a row of weight 2 stands twice.
    """

    def win(above: float, below: float) -> Fraction:
        return (above > below) + Fraction(above == below, 2)

    positives = [score for score, count in sample.of_class(1) for _ in range(int(count))]
    negatives = [score for score, count in sample.of_class(0) for _ in range(int(count))]
    v10 = [sum((win(a, b) for b in negatives), Fraction(0)) / len(negatives) for a in positives]
    v01 = [sum((win(a, b) for a in positives), Fraction(0)) / len(positives) for b in negatives]
    variance = _variance(v10) / len(positives) + _variance(v01) / len(negatives)
    return sum(v10, Fraction(0)) / len(positives), variance
