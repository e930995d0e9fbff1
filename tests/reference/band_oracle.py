"""Slow and obvious: heights of a curve, and confidence bands from their definitions.

A curve is a list of points (x, y), rates from (0, 0) to (1, 1), joined by straight lines. A cell
holds the positives and negatives of a score, highest score first. Nothing of fastmetrics is used.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist

Cell = tuple[int | Fraction, int | Fraction]
Point = tuple[float | Fraction, float | Fraction]


def roc(cells: Sequence[Cell]) -> list[Point]:
    """Return the points (FPR, TPR)."""
    positives, negatives = (Fraction(sum(column)) for column in zip(*cells, strict=True))
    points = [(Fraction(0), Fraction(0))]
    tp = 0
    fp = 0
    for p, n in cells:
        tp, fp = tp + Fraction(p), fp + Fraction(n)
        points.append((fp / negatives, tp / positives))
    return points


def transposed(points: Sequence[Point]) -> list[Point]:
    return [(y, x) for x, y in points]


def heights(points: Sequence[Point], x) -> list[float | Fraction]:
    """Return every y of the curve at x: both ends of vertical segments, one value of others."""
    values = [y for at, y in points if at == x]
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 < x < x1:
            values.append(y0 + (x - x0) / (x1 - x0) * (y1 - y0))
    return values


def highest(points: Sequence[Point], x):
    return max(heights(points, x))


def lowest(points: Sequence[Point], x):
    return min(heights(points, x))


def precision(cells: Sequence[Cell], recall) -> Fraction:
    """Return the largest precision at a recall above 0."""
    positives, negatives = (Fraction(sum(column)) for column in zip(*cells, strict=True))
    false_positives = lowest(transposed(roc(cells)), recall) * negatives
    true_positives = Fraction(recall) * positives
    return true_positives / (true_positives + false_positives)


# --- what a band allows -------------------------------------------------------------------------


def least_beyond(points: Sequence[Point], x) -> float | Fraction:
    """Return the least y of all points of the curve whose x is at least the one given."""
    values = [y for at, y in points if at >= x]
    if points[0][0] < x:
        values += heights(points, x)
    return min(values, default=points[-1][1])


def most_before(points: Sequence[Point], x) -> float | Fraction:
    """Return the largest y of all points whose x is at most the one given."""
    values = [y for at, y in points if at <= x]
    if points[-1][0] > x:
        values += heights(points, x)
    return max(values, default=points[0][1])


def arcsine(rate, size: float) -> float:
    """Return Anscombe's (1948) variable of a rate of so many rows."""
    fraction = (float(rate) * size + 0.375) / (size + 0.75)
    return 2.0 * math.sqrt(size + 0.5) * math.asin(math.sqrt(fraction))


def arcsine_of_population(rate, size: float) -> float:
    return 2.0 * math.sqrt(size + 0.5) * math.asin(math.sqrt(float(rate)))


def rate_of(scaled: float, size: float) -> float:
    """Return the rate whose `arcsine_of_population` is given."""
    angle = scaled / (2.0 * math.sqrt(size + 0.5))
    return math.sin(min(max(angle, 0.0), math.pi / 2.0)) ** 2


def counted_rate(scaled: float, size: float) -> float:
    """Return the rate, below 0 or above 1 beyond the ends, whose `arcsine` is given."""
    return ((size + 0.75) * rate_of(scaled, size) - 0.375) / size


def equal_precision_band(points: Sequence[Point], x, sizes, width) -> tuple[float, float]:
    """Return the limits at x of curves moved by up to a width on either axis' arcsine scale."""
    x_size, y_size = sizes
    centre = arcsine_of_population(x, x_size)
    low, high = 0.0, 1.0
    if (first := counted_rate(centre - width, x_size)) > 0.0:
        y = least_beyond(points, first)
        low = rate_of(arcsine(y, y_size) - width, y_size)
    if (last := counted_rate(centre + width, x_size)) < 1.0:
        high = rate_of(arcsine(most_before(points, last), y_size) + width, y_size)
    return low, high


def wilson(rate, size: float, z: float) -> tuple[float, float]:
    """Return the roots t of (rate - t)^2 = z^2 t (1 - t) / size."""
    a = 1 + z * z / size
    b = -(2 * rate + z * z / size)
    root = math.sqrt(max(b * b - 4 * a * (rate * rate), 0.0))
    return max((-b - root) / (2 * a), 0.0), min((-b + root) / (2 * a), 1.0)


def agresti_coull(rate: float, size: float, z: float) -> tuple[float, float]:
    """Return Wald's limits with z^2 rows more, half of them events (Agresti & Coull 1998)."""
    rows = size + z * z
    centre = (rate * size + z * z / 2) / rows
    half = z * math.sqrt(centre * (1 - centre) / rows)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def recovered_limits(points: Sequence[Point], x, y, sizes, z: float) -> tuple[float, float]:
    """Return y less and plus the root of the sum of its two squared deviations."""
    x_size, y_size = sizes
    centre = arcsine_of_population(x, x_size)
    first = min(counted_rate(centre - z, x_size), float(x))
    last = max(counted_rate(centre + z, x_size), float(x))
    before = float(least_beyond(points, first)) if first > 0.0 else 0.0
    after = float(most_before(points, last)) if last < 1.0 else 1.0
    y = float(y)
    alone = agresti_coull(y, y_size, z)
    low = y - math.sqrt((y - alone[0]) ** 2 + (y - before) ** 2)
    high = y + math.sqrt((alone[1] - y) ** 2 + (after - y) ** 2)
    return max(low, 0.0), min(high, 1.0)


def precision_limits(recall: float, rate: float, rate_band, odds: float, odds_band):
    """Return the limits of r / (r + f w) from those of f and w, combined as independent ones."""
    f0, f1 = rate_band
    w0, w1 = odds_band
    least = rate * odds - math.sqrt((odds * (rate - f0)) ** 2 + (rate * (odds - w0)) ** 2)
    squares = (odds * (f1 - rate)) ** 2 + (rate * (w1 - odds)) ** 2
    squares += (f1 - rate) ** 2 * (w1 - odds) ** 2
    most = f1 * w1 if f1 >= 1.0 else min(rate * odds + math.sqrt(squares), f1 * w1)
    return recall / (recall + most), recall / (recall + max(least, f0 * w0))


def odds_limits(proportion: float, size: float, z: float) -> tuple[float, float]:
    """Return the limits of (1 - proportion) / proportion from Wilson's of the proportion."""
    low, high = wilson(proportion, size, z)
    return (1 - high) / high, (1 - low) / low


def normal_quantile(tail: float) -> float:
    return NormalDist().inv_cdf(1 - tail)


# --- distances of replicates --------------------------------------------------------------------


def scaled(points: Sequence[Point], x_scale: Callable, y_scale: Callable) -> list[Point]:
    return [(float(x_scale(x)), float(y_scale(y))) for x, y in points]


def along(line: Sequence[Point], position: float) -> float:
    """Return y - x at a position of x + y, which grows along a scaled curve."""
    for (x0, y0), (x1, y1) in pairwise(line):
        if x0 + y0 <= position <= x1 + y1 and x1 + y1 > x0 + y0:
            fraction = (position - x0 - y0) / (x1 + y1 - x0 - y0)
            return y0 - x0 + fraction * (y1 - x1 - y0 + x0)
    x, y = line[-1] if position > sum(line[0]) else line[0]
    return y - x


def gap(points, others, scales, n_positions: int) -> float:
    """Return half the largest distance of y - x at equidistant positions of x + y."""
    line = scaled(points, *scales)
    other = scaled(others, *scales)
    low, high = sum(line[0]), sum(line[-1])
    step = (high - low) / (n_positions - 1)
    positions = [low + k * step for k in range(n_positions)]
    return max(abs(along(line, position) - along(other, position)) for position in positions) / 2


def width(gaps: Sequence[float], confidence_level: float) -> float:
    """Return the order statistic that bounds a new gap with this confidence, or what ends need."""
    rank = min(math.ceil((len(gaps) + 1) * confidence_level), len(gaps))
    return max(sorted(gaps)[rank - 1], normal_quantile((1 - confidence_level) / 4))


# --- sizes --------------------------------------------------------------------------------------


def ratio_variance(tops: Sequence[float], bottoms: Sequence[float]) -> float:
    """Return the variance of sum(tops) / sum(bottoms), one pair a unit, units independent."""
    n = len(tops)
    total = sum(bottoms)
    ratio = sum(tops) / total
    rests = [top - ratio * bottom for top, bottom in zip(tops, bottoms, strict=True)]
    return n / (n - 1) * sum(rest**2 for rest in rests) / total**2
