"""Cost curves: expected cost of the best threshold at any costs, of one model or several."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_positive
from fastmetrics._input.scores import float_thresholds
from fastmetrics._plots._style import model_label
from fastmetrics._plots.curves import PLOTTED, PlotCurve, draw_cost_curve
from fastmetrics._results import OneNumber, OwnArrays
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.score_table import (
    BOTH_CLASSES,
    SCORED_BINARY,
    Hull,
    ScoreTable,
    as_table,
    lacks_a_class,
    upper_hull,
)

Floats = NDArray[np.float64]

#: Area under the two trivial rules, all positive and none.
TRIVIAL: Final = 0.25


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CostCurve(OwnArrays, OneNumber):
    """The lower envelope of the cost lines of all thresholds.

    On the axis stands P(+)cost = p cost_fn / (p cost_fn + (1 - p) cost_fp), the share of positives
    in what all errors would cost; the height is the cost of the best threshold as a share of that
    sum, ``FNR x + FPR (1 - x)``. Between two vertices one threshold is best.

    Attributes
    ----------
    expected_total_cost : float
        Area under the envelope: 0 for perfect scores, at most 1/4, which the trivial rules have.
    probability_cost, normalized_cost : ndarray of shape (n_thresholds + 1,)
        The vertices of the envelope, from P(+)cost 0 to 1.
    thresholds : ndarray of shape (n_thresholds,)
        The threshold that is best between vertex i and i + 1; inf where none is called positive.
    false_positive_rate, true_positive_rate : ndarray of shape (n_thresholds,)
        The rates there.
    prevalence : float
        Share of positives in the data.

    Notes
    -----
    ``float(curve)`` is the expected total cost. All arrays are read-only.

    Examples
    --------
    >>> from fastmetrics.costs import cost_curve
    >>> curve = cost_curve([1, 0, 1, 0], [4, 3, 2, 1])
    >>> curve.probability_cost.tolist(), curve.thresholds.tolist()
    ([0.0, 0.5, 1.0], [4.0, 2.0])
    >>> curve.cost_at([0.25, 0.5]).tolist()
    [0.125, 0.25]
    """

    _number = "expected_total_cost"

    expected_total_cost: float
    probability_cost: Floats = field(repr=False)
    normalized_cost: Floats = field(repr=False)
    thresholds: Floats = field(repr=False)
    false_positive_rate: Floats = field(repr=False)
    true_positive_rate: Floats = field(repr=False)
    prevalence: float

    @property
    def relative_cost(self) -> float:
        """The expected total cost as a fraction of the trivial rules': 0 perfect, 1 useless."""
        return self.expected_total_cost / TRIVIAL

    def _display(self) -> Display:
        columns = {
            "low": self.probability_cost[:-1],
            "high": self.probability_cost[1:],
            "threshold": self.thresholds,
            "false_positive_rate": self.false_positive_rate,
            "true_positive_rate": self.true_positive_rate,
        }
        table = Table(columns, words={"low": "P(+)cost from", "high": "to"})
        notes = (
            f"Expected total cost {self.expected_total_cost:.4g}, "
            f"{self.relative_cost:.4g} of the trivial rules'.",
        )
        return Display(
            [table], "Cost curve: the best threshold by P(+)cost", () if self._is_empty else notes
        )

    def cost_at(self, probability_cost: ArrayLike) -> Floats:
        """Return the height of the envelope, the normalized cost of the best threshold.

        Parameters
        ----------
        probability_cost : array-like
            Places on the axis, in [0, 1].

        Returns
        -------
        ndarray
            Of the same shape.
        """
        positions = np.asarray(probability_cost)
        if positions.dtype.kind not in "iuf":
            raise InputTypeError(
                f"`probability_cost` must hold real numbers: got {positions.dtype.name}"
            )
        positions = positions.astype(np.float64)
        if not ((positions >= 0) & (positions <= 1)).all():
            raise InputError("`probability_cost` must lie in [0, 1]")
        if self._is_empty:
            return np.full(positions.shape, math.nan)
        i = np.searchsorted(self.probability_cost[1:-1], positions)
        return np.asarray(
            (1.0 - self.true_positive_rate[i]) * positions
            + self.false_positive_rate[i] * (1.0 - positions)
        )

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the envelope with its area shaded, the lines that form it and the trivial rules."""
        label = model_label(name, f"expected total cost {self.expected_total_cost:.4g} (area)")
        return draw_cost_curve(
            PlotCurve(self.probability_cost, self.normalized_cost, label, is_shaded=True),
            (self.false_positive_rate, 1.0 - self.true_positive_rate),
            ax,
            options=line_options,
        )

    @property
    def _is_empty(self) -> bool:
        return len(self.thresholds) == 0


#: Bits of the sum of a first try, and of the last before exact fractions.
_FIRST_BITS: Final = 128
_LAST_BITS: Final = 1024


@documented(SCORED_BINARY, BOTH_CLASSES)
def cost_curve(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> CostCurve:
    """Compute the cost curve: the cost of the best threshold at every ratio of costs.

    Returns
    -------
    CostCurve
        The vertices of the lower envelope with the thresholds between them, and its area. Where a
        class is missing, no threshold and an area of nan.

    Notes
    -----
    One sort, then O(distinct scores). The line of a threshold runs from (0, FPR) to (1, FNR); the
    lower envelope of them all is the dual of the ROC curve's convex hull. Each coordinate of a
    vertex is one division of integers; the area of counts is the double nearest to the rational.

    References
    ----------
    Drummond, C. & Holte, R. (2006). Cost curves: an improved method for visualizing classifier
    performance. Machine Learning 65(1), 95-130.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> y_score = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    >>> curve = cost_curve(y_true, y_score)
    >>> curve
    CostCurve(expected_total_cost=0.1875, prevalence=0.5)
    >>> curve.probability_cost.tolist(), curve.normalized_cost.tolist()
    ([0.0, 0.5, 1.0], [0.0, 0.375, 0.0])
    >>> curve.thresholds.tolist()
    [0.77, 0.23]
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the cost curve"):
        x, y, thresholds, fpr, tpr = (np.empty(0) for _ in range(5))
        return CostCurve(math.nan, x, y, thresholds, fpr, tpr, math.nan)
    # With x = P(+)cost, a block of the hull with the fractions p of all positives and n of all
    # negatives costs min(x p, (1 - x) n). Vertices that are never best are dropped: (0, 0) where
    # the highest scores are all of positives, (1, 1) where the lowest are all of negatives.
    hull = upper_hull(table)
    tp, fp = hull.true_positives, hull.false_positives
    n_positive, n_negative = tp[-1].item(), fp[-1].item()
    first = int(hull.negatives[0] == 0)
    last = len(tp) - int(hull.positives[-1] == 0)
    kept = slice(first, last)
    blocks = slice(first, last - 1)
    tp, fp = tp[kept], fp[kept]
    fn = n_positive - tp
    columns = hull.positives[blocks], hull.negatives[blocks], fn[:-1], fp[:-1]
    crossings = []  # where both calls of a block cost the same, rounded once
    for p, n, below, above in zip(*(column.tolist() for column in columns), strict=True):
        whole = n * n_positive + p * n_negative
        crossings.append((n * n_positive / whole, (below * n + above * p) / whole))
    x, y = np.array(crossings, np.float64).reshape(-1, 2).T
    fpr = fp / n_negative
    tpr = tp / n_positive
    thresholds = float_thresholds(table.scores[hull.ends])
    return CostCurve(
        expected_total_cost=half_harmonic_sum(hull),
        probability_cost=np.concatenate(([0.0], x, [1.0])),
        normalized_cost=np.concatenate((fpr[:1], y, fn[-1:] / n_positive)),
        thresholds=thresholds[kept].copy(),
        false_positive_rate=fpr,
        true_positive_rate=tpr,
        prevalence=float(n_positive / (n_positive + n_negative)),
    )


@documented(SCORED_BINARY, BOTH_CLASSES)
def expected_total_cost(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the area under the lower envelope of the cost curve.

    Returns
    -------
    float
        In [0, 0.25]: the mean normalized cost of the best thresholds, all values of P(+)cost
        alike; nan where a class is missing.

    Notes
    -----
    Its thresholds are the best for these very data: it is biased downwards, and by more the fewer
    rows there are. See `cost_curve`.

    Examples
    --------
    >>> expected_total_cost([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.125
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the expected total cost"):
        return math.nan
    return half_harmonic_sum(upper_hull(table))


def half_harmonic_sum(hull: Hull) -> float:
    """Return the area under the lower envelope of a table with both classes.

    A block with fractions p and n has the area p n / (p + n) / 2 under min(x p, (1 - x) n). The
    sum of counts is correctly rounded.
    """
    positives, negatives = hull.positives.tolist(), hull.negatives.tolist()
    m_pos = sum(positives)
    m_neg = sum(negatives)
    if hull.positives.dtype.kind == "f":
        m_pos = math.fsum(positives)
        m_neg = math.fsum(negatives)
        fractions = zip(hull.positives / m_pos, hull.negatives / m_neg, strict=True)
        return math.fsum(p * n / (p + n) / 2.0 for p, n in fractions if p > 0 and n > 0)
    terms = [
        (p * n, 2 * (p * m_neg + n * m_pos))
        for p, n in zip(positives, negatives, strict=True)
        if p and n
    ]
    return rounded_sum(terms)


def rounded_sum(terms: list[tuple[int, int]]) -> float:
    """Return the double nearest to a sum of fractions >= 0, given as (numerator, denominator).

    Their common denominator may have a thousand digits. So each term is truncated, which bounds the
    sum from both sides; if both bounds round to one double, it is the result, else bits are doubled
    (Ziv 1991). A sum halfway between two doubles needs exact fractions.
    """
    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        low = sum((numerator << bits) // denominator for numerator, denominator in terms)
        unit = 1 << bits
        below = low / unit
        above = (low + len(terms)) / unit
        if below == above:
            return below
        bits *= 2
    return float(sum((Fraction(*term) for term in terms), Fraction(0)))


# --- the hull as a whole --------------------------------------------------------------------------

_WEIGHTS: Final = ("prevalence", "symmetric")


@documented(SCORED_BINARY, BOTH_CLASSES)
def roc_hull_auc(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the area under the upper convex hull of the ROC curve.

    Returns
    -------
    float
        In [0.5, 1]; nan where a class is missing.

    Notes
    -----
    The AUC of the scores after isotonic regression on the same data. It is biased upwards, and by
    more the fewer rows there are: scores without any information have one above 0.5. `cost_curve`
    has the vertices of the hull that are the best thresholds of some costs.

    Examples
    --------
    >>> roc_hull_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.875
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the area under the convex hull"):
        return math.nan
    return hull_area(upper_hull(table))


def hull_area(hull: Hull) -> float:
    """Return the area under a hull of both classes; of counts, correctly rounded."""
    blocks = zip(hull.positives.tolist(), hull.negatives.tolist(), strict=True)
    if hull.positives.dtype.kind == "f":
        tp, fp = hull.true_positives, hull.false_positives
        doubled = math.fsum(hull.negatives * (tp[:-1] + tp[1:]))
        return min(float(doubled / tp[-1] / fp[-1] / 2.0), 1.0)
    above = twice = n_negative = 0
    for positives, negatives in blocks:
        twice += negatives * (2 * above + positives)
        above += positives
        n_negative += negatives
    return twice / (2 * above * n_negative)


@documented(SCORED_BINARY, BOTH_CLASSES)
def h_measure(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    cost_weight: str | tuple[float, float] = "prevalence",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the H-measure: the fraction of a trivial rule's loss that the best thresholds save.

    Parameters
    ----------
    cost_weight : {"prevalence", "symmetric"} or (a, b), default="prevalence"
        How likely each share c is that a false positive has in the price of both errors, as
        Beta(a, b). "prevalence" is Beta(1 + p, 2 - p) with p the share of positives in the data,
        whose mode is p (Hand & Anagnostopoulos 2014); "symmetric" is Beta(2, 2), the same
        for all data (Hand 2009). R's ``hmeasure`` takes Beta(2, 1 / p) by default.

    Returns
    -------
    float
        In [0, 1]: 0 for scores that no threshold makes use of, 1 for perfect ones; nan where a
        class is missing.

    Raises
    ------
    TypeError, ValueError
        If `cost_weight` is none of these, or the data are not binary labels and finite scores.

    Notes
    -----
    1 - L / L_max with L the loss of the best threshold at c, ``c (1 - p) FPR + (1 - c) p FNR``,
    averaged over c, and L_max that of the better trivial rule. One sort; on the hull each block of
    n negatives and p positives loses min(c n, (1 - c) p), whose mean is an incomplete Beta
    function: no quadrature. It is biased upwards, as the hull is.

    References
    ----------
    Hand (2009), Measuring classifier performance: a coherent alternative to the area under the
    ROC curve, Machine Learning 77. Hand & Anagnostopoulos (2014), A better Beta for the H measure
    of classification performance, Pattern Recognition Letters 40.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> y_score = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    >>> h_measure(y_true, y_score, cost_weight="symmetric")
    0.25
    """
    from scipy.special import betainc, betaincc

    given = _checked_weight(cost_weight)
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the H-measure"):
        return math.nan
    hull = upper_hull(table)
    n_positive, n_negative = float(table.n_positive), float(table.n_negative)
    positives = np.append(hull.positives, n_positive) / (n_positive + n_negative)
    negatives = np.append(hull.negatives, n_negative) / (n_positive + n_negative)
    prevalence = float(positives[-1])
    parameters = {"symmetric": (2.0, 2.0), "prevalence": (1.0 + prevalence, 2.0 - prevalence)}
    a, b = parameters[given] if isinstance(given, str) else given
    # The mean of min(c n, (1 - c) p) over c from Beta(a, b), for each block.
    turn = positives / (positives + negatives)
    low, high = a / (a + b), b / (a + b)  # the means of c and of 1 - c
    losses: Floats = negatives * low * betainc(a + 1.0, b, turn)
    losses += positives * high * betaincc(a, b + 1.0, turn)
    return float(max(0.0, 1.0 - math.fsum(losses[:-1]) / losses[-1]))


def _checked_weight(cost_weight: Any) -> str | tuple[float, float]:
    """Return the name of a weight, or both parameters of a Beta distribution."""
    if isinstance(cost_weight, str) and cost_weight in _WEIGHTS:
        return cost_weight
    if isinstance(cost_weight, str) or np.shape(cost_weight) != (2,):
        raise InputTypeError(
            "`cost_weight` must be 'prevalence', 'symmetric' or the two parameters of a Beta "
            f"distribution: got {cost_weight!r}"
        )
    a, b = (check_positive("cost_weight", parameter) for parameter in cost_weight)
    return a, b
