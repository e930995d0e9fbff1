"""Cost curves: expected cost of the best threshold at any costs, of one model or several."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.containers import by_names
from fastmetrics._input.models import MODELS, check_models, named_scores
from fastmetrics._input.scalars import check_fraction
from fastmetrics._input.scores import float_thresholds
from fastmetrics._plots._style import label_of
from fastmetrics._plots.curves import PLOTTED, PlotCurve, draw_cost_curve, draw_cost_curves
from fastmetrics._results import OneNumber, OwnArrays, Result
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures.costs.operating_point import OperatingPoint, precision_of_rates
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
_PLACES: Final = """
Parameters
----------
probability_cost : array-like
    Places on the axis, in [0, 1].

Returns
-------
ndarray
    Of the same shape.
"""


class CostInterval(NamedTuple):
    """A stretch of the axis of a cost curve, and the threshold that is best there.

    Attributes
    ----------
    low, high : float
        P(+)cost at its ends.
    threshold : float
        Scores from it on are called positive; inf where none is.
    false_positive_rate, true_positive_rate : float
        The rates of that threshold.

    Examples
    --------
    >>> CostInterval(0.0, 0.5, threshold=0.77, false_positive_rate=0, true_positive_rate=0.25).high
    0.5
    """

    low: float
    high: float
    threshold: float
    false_positive_rate: float
    true_positive_rate: float


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
    >>> curve.intervals[0]
    CostInterval(low=0.0, high=0.5, threshold=4.0, false_positive_rate=0.0, true_positive_rate=0.5)
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
        """The expected total cost as a share of the trivial rules': 0 perfect, 1 useless."""
        return self.expected_total_cost / TRIVIAL

    @property
    def intervals(self) -> tuple[CostInterval, ...]:
        """Which threshold is best on which stretch of the axis; a data frame takes it as it is."""
        ends = self.probability_cost.tolist()
        columns = (
            column.tolist()
            for column in (self.thresholds, self.false_positive_rate, self.true_positive_rate)
        )
        return tuple(CostInterval(*row) for row in zip(ends[:-1], ends[1:], *columns, strict=True))

    def _shown(self) -> Display:
        columns = zip(*self.intervals, strict=True) if self.intervals else [()] * 5
        table = Table(
            dict(zip(CostInterval._fields, columns, strict=True)),
            words={"low": "P(+)cost from", "high": "to"},
        )
        notes = (
            f"Expected total cost {self.expected_total_cost:.4g}, "
            f"{self.relative_cost:.4g} of the trivial rules'.",
        )
        return Display(
            [table], "Cost curve: the best threshold by P(+)cost", () if self._is_empty else notes
        )

    @documented(_PLACES)
    def cost_at(self, probability_cost: ArrayLike) -> Floats:
        """Return the height of the envelope, the normalized cost of the best threshold."""
        places = self._places(probability_cost)
        if self._is_empty:
            return np.full(places.shape, math.nan)
        i = self._lines_at(places)
        return np.asarray(
            (1.0 - self.true_positive_rate[i]) * places
            + self.false_positive_rate[i] * (1.0 - places)
        )

    @documented(_PLACES)
    def threshold_at(self, probability_cost: ArrayLike) -> Floats:
        """Return the best threshold; of two equally good ones the higher."""
        places = self._places(probability_cost)
        if self._is_empty:
            return np.full(places.shape, math.nan)
        return np.asarray(self.thresholds[self._lines_at(places)])

    def operating_point(
        self, *, cost_fn: float, cost_fp: float, prevalence: float | None = None
    ) -> OperatingPoint:
        """Return the cheapest threshold for prices and a prevalence.

        Parameters
        ----------
        cost_fn, cost_fp : float
            What a false negative and a false positive cost: >= 0, not both 0.
        prevalence : float, optional
            The share of positives where it will be used, in (0, 1); that of the data by default.

        Returns
        -------
        OperatingPoint
            Of equally cheap thresholds the highest of those that are best on some stretch:
            where a miss is free, that of the first stretch, not inf.

        Raises
        ------
        TypeError, ValueError
            For prices that are negative, not finite or both 0, and a prevalence outside (0, 1).
        """
        share = self.prevalence if prevalence is None and not self._is_empty else prevalence
        fn, fp = (
            check_fraction(name, cost, high=math.inf, include_low=True)
            for name, cost in (("cost_fn", cost_fn), ("cost_fp", cost_fp))
        )
        if not (fn or fp):
            raise InputError(
                "`cost_fn` and `cost_fp` must not both be 0: every decision would cost the same"
            )
        p = check_fraction("prevalence", 0.5 if share is None else share)
        if self._is_empty:
            return OperatingPoint(*[math.nan] * 8)
        largest = max(fn, fp)  # products of tiny prices would be 0
        positive = p * (fn / largest)
        x = positive / (positive + (1.0 - p) * (fp / largest))
        i = int(self._lines_at(np.float64(x)))
        tpr, fpr = float(self.true_positive_rate[i]), float(self.false_positive_rate[i])
        of_positives, of_negatives = p * fn, (1.0 - p) * fp
        return OperatingPoint(
            threshold=float(self.thresholds[i]),
            false_positive_rate=fpr,
            true_positive_rate=tpr,
            probability_cost=x,
            normalized_cost=(1.0 - tpr) * x + fpr * (1.0 - x),
            expected_cost=(1.0 - tpr) * of_positives + fpr * of_negatives,
            trivial_cost=min(of_positives, of_negatives),
            precision=precision_of_rates(tpr, fpr, p),
        )

    def expected_cost(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return the mean normalized cost over a range of P(+)cost.

        Parameters
        ----------
        low, high : float, default=0, 1
            The range, 0 <= low < high <= 1, whose values are all alike. Of known values themselves
            take ``curve.cost_at(values).mean()``.

        Returns
        -------
        float
            The mean cost, given that P(+)cost lies in the range; over all of it the expected total
            cost. nan where a class is missing.

        Raises
        ------
        TypeError, ValueError
            If the range is empty, or not within [0, 1].

        Notes
        -----
        Exact up to rounding, in O(n_thresholds).
        """
        start = check_fraction("low", low, include_low=True, include_high=True)
        stop = check_fraction("high", high, include_low=True, include_high=True)
        if not start < stop:
            raise InputError(f"`low` must be below `high`: got {low!r} and {high!r}")
        if self._is_empty:
            return math.nan
        if (start, stop) == (0.0, 1.0):
            return self.expected_total_cost
        x = self.probability_cost
        x = np.concatenate(([start], x[(x > start) & (x < stop)], [stop]))
        y = self.cost_at(x)
        return float(np.sum(np.diff(x) * (y[:-1] + y[1:]) / 2.0) / (stop - start))

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the envelope with its area shaded, the lines that form it and the trivial rules."""
        label = label_of(name, f"expected total cost {self.expected_total_cost:.4g} (area)")
        curve = PlotCurve(self.probability_cost, self.normalized_cost, label, is_shaded=True)
        return draw_cost_curve(
            curve,
            (self.false_positive_rate, 1.0 - self.true_positive_rate),
            ax,
            options=line_options,
        )

    @property
    def _is_empty(self) -> bool:
        return len(self.thresholds) == 0

    def _lines_at(self, places: Any) -> Any:
        """Return which line is lowest; at a vertex that of the higher threshold."""
        return np.searchsorted(self.probability_cost[1:-1], places, side="left")

    def _places(self, probability_cost: ArrayLike) -> Floats:
        places = np.asarray(probability_cost)
        if places.dtype.kind not in "iuf":
            raise InputTypeError(
                f"`probability_cost` must hold real numbers: got {places.dtype.name}"
            )
        places = places.astype(np.float64)
        if not ((places >= 0) & (places <= 1)).all():
            raise InputError("`probability_cost` must lie in [0, 1]")
        return places


def no_curve() -> CostCurve:
    """Return what stands for a curve where a class is missing."""
    x, y, thresholds, fpr, tpr = (np.empty(0) for _ in range(5))
    return CostCurve(math.nan, x, y, thresholds, fpr, tpr, math.nan)


#: Costs nearer than this are equal, and places nearer than the second one place: both are in
#: [0, 1], and of a few roundings each.
_TOUCHING: Final = 2.0**-45
_ONE_PLACE: Final = 2.0**-40
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
    >>> curve.operating_point(cost_fn=4, cost_fp=1, prevalence=0.2).threshold
    0.77
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the cost curve"):
        return no_curve()
    return curve_of_table(table)


def curve_of_table(table: ScoreTable) -> CostCurve:
    """Return the cost curve of a table with both classes.

    With x the share of cost that positives bear, a block of the hull with the shares p of all
    positives and n of all negatives costs min(x p, (1 - x) n): what the best threshold costs is a
    sum over the blocks, of terms that are all positive. A vertex that another one beats at every
    cost is left out: (0, 0) where the highest scores are all of positives, (1, 1) where the lowest
    are all of negatives.
    """
    hull = upper_hull(table)
    tp, fp = hull.true_positives, hull.false_positives
    n_positive, n_negative = tp[-1].item(), fp[-1].item()
    first, last = int(hull.negatives[0] == 0), len(tp) - int(hull.positives[-1] == 0)
    kept, blocks = slice(first, last), slice(first, last - 1)
    tp, fp = tp[kept], fp[kept]
    missed = n_positive - tp
    columns = hull.positives[blocks], hull.negatives[blocks], missed[:-1], fp[:-1]
    meetings = [
        _meeting(n_positive, n_negative, *block)
        for block in zip(*(column.tolist() for column in columns), strict=True)
    ]
    x, y = np.array(meetings, np.float64).reshape(-1, 2).T
    fpr, tpr, fnr = fp / n_negative, tp / n_positive, missed / n_positive
    thresholds = float_thresholds(table.scores[hull.ends])
    return CostCurve(
        expected_total_cost=half_harmonic_sum(hull),
        probability_cost=np.concatenate(([0.0], x, [1.0])),
        normalized_cost=np.concatenate((fpr[:1], y, fnr[-1:])),
        thresholds=thresholds[kept].copy(),
        false_positive_rate=fpr,
        true_positive_rate=tpr,
        prevalence=float(n_positive / (n_positive + n_negative)),
    )


def _meeting(m_pos: Any, m_neg: Any, p: Any, n: Any, missed: Any, false: Any) -> tuple[Any, Any]:
    """Return (x, y) where calling a block positive or negative costs the same, divided once."""
    whole = n * m_pos + p * m_neg
    return n * m_pos / whole, (missed * n + false * p) / whole


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


class CostWinner(NamedTuple):
    """A stretch of the axis, and the models that cost least there.

    Attributes
    ----------
    low, high : float
        P(+)cost at its ends.
    names : tuple of str
        The cheapest models: several where they cost the same.

    Examples
    --------
    >>> CostWinner(low=0.0, high=0.5, names=("a",)).names
    ('a',)
    """

    low: float
    high: float
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CostComparison(Result):
    """The cost curves of several models, and who wins where.

    Attributes
    ----------
    curves : mapping of str to CostCurve
        Of each model, in the order given; read-only.
    winners : tuple of CostWinner
        Stretches of the axis from 0 to 1 with the models that are cheapest; neighbours differ.
        Empty where a class is missing.
    crossings : tuple of (str, str, float, float)
        Of each pair of models: P(+)cost and normalized cost where their order turns, from the
        left to the right.
    """

    curves: Mapping[str, CostCurve] = field(repr=False)
    winners: tuple[CostWinner, ...]
    crossings: tuple[tuple[str, str, float, float], ...]

    @documented(PLOTTED)
    def plot(self, ax: Any = None, **line_options: Any) -> Any:
        """Draw the envelopes of all models, and below the axis who wins where."""
        curves = {
            name: PlotCurve(
                *(each.probability_cost, each.normalized_cost),
                label_of(name, f"{each.expected_total_cost:.4g}"),
            )
            for name, each in self.curves.items()
        }
        return draw_cost_curves(curves, self.winners, ax, options=line_options)


@documented(MODELS, BOTH_CLASSES)
def compare_cost_curves(
    y_true: ArrayLike | Mapping[str, ScoreTable],
    scores: Any = None,
    *,
    names: Iterable[str] | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> CostComparison:
    """Compare the cost curves of several models: which is cheapest at which costs.

    Called as ``compare_cost_curves(y_true, scores)``, or with a mapping of tables alone, which
    may come from different data.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or mapping of str to ScoreTable
        Binary labels; or the table of each model, and then `scores` is left out.

    Returns
    -------
    CostComparison
        The curve of each model, the cheapest models on each stretch of the axis, and the points
        where two curves cross.

    Notes
    -----
    One sort a model. Between two vertices of any curve all are straight, so that the order is
    known from the vertices and from the points where two lines meet. Costs nearer than 2^-45 of
    the largest one count as equal.

    Examples
    --------
    >>> models = {"a": [5, 4, 3, 2, 1], "b": [4, 5, 3, 1, 2]}
    >>> found = compare_cost_curves([1, 0, 1, 0, 1], models)
    >>> [(winner.names, round(winner.high, 4)) for winner in found.winners]
    [(('a',), 0.4286), (('b',), 1.0)]
    >>> first, second, at, cost = found.crossings[0]
    >>> first, second, round(at, 4), round(cost, 4)
    ('a', 'b', 0.4286, 0.2857)
    """
    if isinstance(y_true, Mapping):
        if scores is not None or names is not None or sample_weight is not None:
            raise InputTypeError(
                "a mapping of tables comes alone: pass no `scores`, `names`, `sample_weight` with "
                "it"
            )
        for name, given in y_true.items():
            if not isinstance(given, ScoreTable):
                raise InputTypeError(
                    "`y_true` must map names to ScoreTables: got "
                    f"{type(given).__name__} for {name!r}"
                )
        if len(y_true) == 0:
            raise InputError("`y_true` must name at least one model: got none")
        tables = by_names(y_true, "y_true", "models")
    else:
        checked = check_models(
            y_true,
            named_scores(scores, names),
            sample_weight=sample_weight,
            pos_label=pos_label,
        )
        tables = {
            name: ScoreTable.from_rows(checked.rows_of(i)) for i, name in enumerate(checked.names)
        }
    for name, table in tables.items():
        if lacks_a_class(table, f"the cost curve of {name!r}"):
            none = dict.fromkeys(tables, no_curve())
            return CostComparison(MappingProxyType(none), (), ())
    curves = {name: curve_of_table(table) for name, table in tables.items()}
    crossings, places = _crossings(curves)
    return CostComparison(MappingProxyType(curves), _winners(curves, places), crossings)


def _crossings(
    curves: Mapping[str, CostCurve],
) -> tuple[tuple[tuple[str, str, float, float], ...], Floats]:
    """Return where the order of two curves turns, and every place where one may."""
    found: list[tuple[str, str, float, float]] = []
    places = [curve.probability_cost for curve in curves.values()]
    for (a, first), (b, second) in itertools.combinations(curves.items(), 2):
        x = np.union1d(first.probability_cost, second.probability_cost)
        gap = _heights(first, x) - _heights(second, x)
        gap[np.abs(gap) <= _TOUCHING] = 0.0
        decided = np.flatnonzero(gap)
        turns = np.flatnonzero(np.sign(gap[decided[1:]]) != np.sign(gap[decided[:-1]]))
        left, right = decided[turns], decided[turns + 1]
        # Where the curves run together before they part, the place where they part.
        share = gap[left] / (gap[left] - gap[right])
        meet = np.where(right == left + 1, x[left] + share * (x[right] - x[left]), x[right - 1])
        places.append(meet)
        found += [
            (a, b, at, height)
            for at, height in zip(meet.tolist(), _heights(first, meet).tolist(), strict=True)
        ]
    ranked = np.unique(np.concatenate(places))
    is_new = np.append(True, np.diff(ranked) > _ONE_PLACE)
    return tuple(found), np.append(ranked[is_new][ranked[is_new] < 1.0 - _ONE_PLACE], 1.0)


def _heights(curve: CostCurve, x: Floats) -> Floats:
    return np.interp(x, curve.probability_cost, curve.normalized_cost)


def _winners(curves: Mapping[str, CostCurve], places: Floats) -> tuple[CostWinner, ...]:
    """Return the cheapest models between places, neighbours with the same ones united."""
    names = list(curves)
    middles = (places[:-1] + places[1:]) / 2.0
    costs = np.array([_heights(curve, middles) for curve in curves.values()])
    is_best = costs <= costs.min(axis=0) + _TOUCHING
    starts = np.flatnonzero(np.append(True, (is_best[:, 1:] != is_best[:, :-1]).any(axis=0)))
    ends = np.append(places[starts[1:]], 1.0)
    return tuple(
        CostWinner(
            float(places[start]), float(end), tuple(itertools.compress(names, is_best[:, start]))
        )
        for start, end in zip(starts, ends, strict=True)
    )


def half_harmonic_sum(hull: Hull) -> float:
    """Return the area under the lower envelope of a table with both classes.

    Of a block with shares p and n the area under min(x p, (1 - x) n) is p n / (p + n) / 2. Counts
    give the double nearest to the rational sum.
    """
    positives, negatives = hull.positives.tolist(), hull.negatives.tolist()
    m_pos, m_neg = sum(positives), sum(negatives)
    if hull.positives.dtype.kind == "f":
        m_pos, m_neg = math.fsum(positives), math.fsum(negatives)
        shares = zip(hull.positives / m_pos, hull.negatives / m_neg, strict=True)
        return math.fsum(p * n / (p + n) / 2.0 for p, n in shares if p > 0 and n > 0)
    terms = [
        (p * n, 2 * (p * m_neg + n * m_pos))
        for p, n in zip(positives, negatives, strict=True)
        if p and n
    ]
    return rounded_sum(terms)


def rounded_sum(terms: list[tuple[int, int]]) -> float:
    """Return the double nearest to a sum of fractions >= 0, given as (numerator, denominator).

    Their common denominator may have a thousand digits. So each is cut after so many bits, the sum
    is between two numbers that far apart, and both round to one double; if they do not, more bits
    tell, and for a sum in the very middle of two doubles, fractions (Ziv 1991).
    """
    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        low = sum((numerator << bits) // denominator for numerator, denominator in terms)
        unit = 1 << bits
        below, above = low / unit, (low + len(terms)) / unit
        if below == above:
            return below
        bits *= 2
    return float(sum((Fraction(*term) for term in terms), Fraction(0)))
