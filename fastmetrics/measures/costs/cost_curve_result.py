"""A cost curve as a result: its vertices and thresholds, what to read off it, its picture."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_fraction
from fastmetrics._plots._style import label_of
from fastmetrics._plots.curves import PLOTTED, Curve, draw_cost_curve
from fastmetrics._results import OneNumber, OwnArrays
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures.costs.operating_point import OperatingPoint, precision_of_rates

Floats = NDArray[np.float64]

#: Area under the two trivial rules, all positive and none.
TRIVIAL: Final = 0.25
#: Kinks of a curve that an integration is told of; it finds others by itself.
_TOLD: Final = 50
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

    def expected_cost(
        self,
        low: float = 0.0,
        high: float = 1.0,
        *,
        distribution: Any = None,
    ) -> float:
        """Return the mean normalized cost over a range of P(+)cost.

        Parameters
        ----------
        low, high : float, default=0, 1
            The range, 0 <= low < high <= 1.
        distribution : frozen distribution of scipy.stats, or callable, optional
            How likely each P(+)cost is: a continuous distribution, or a density
            ``f(x) -> float``, which need not be normalized. By default all are alike. Of known
            values themselves take ``curve.cost_at(values).mean()``.

        Returns
        -------
        float
            The mean cost, given that P(+)cost lies in the range; over all of it and with no
            distribution the expected total cost. nan where a class is missing.

        Raises
        ------
        TypeError, ValueError
            If the range is empty, or the distribution has no weight in it.

        Notes
        -----
        Without a distribution exact up to rounding, in O(n_thresholds); else by adaptive
        quadrature, to about 1e-9.
        """
        start = check_fraction("low", low, include_low=True, include_high=True)
        stop = check_fraction("high", high, include_low=True, include_high=True)
        if not start < stop:
            raise InputError(f"`low` must be below `high`: got {low!r} and {high!r}")
        density = None if distribution is None else _density_of(distribution)
        if self._is_empty:
            return math.nan
        if density is None:
            if (start, stop) == (0.0, 1.0):
                return self.expected_total_cost
            inside = self.probability_cost[
                (self.probability_cost > start) & (self.probability_cost < stop)
            ]
            x = np.concatenate(([start], inside, [stop]))
            y = self.cost_at(x)
            return float(np.sum(np.diff(x) * (y[:-1] + y[1:]) / 2.0) / (stop - start))
        return _mean_over(self, density, start, stop)

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the envelope with its area shaded, the lines that form it and the trivial rules."""
        label = label_of(name, f"expected total cost {self.expected_total_cost:.4g} (area)")
        curve = Curve(self.probability_cost, self.normalized_cost, label, is_shaded=True)
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


def _density_of(distribution: Any) -> Callable[[float], float]:
    """Return the density that a distribution of scipy's has, or is one itself."""
    if hasattr(distribution, "pdf"):
        return distribution.pdf  # type: ignore[no-any-return]
    if hasattr(distribution, "pmf") or not callable(distribution):
        raise InputTypeError(
            "`distribution` must be a frozen continuous distribution of scipy.stats, such as "
            f"`scipy.stats.beta(2, 2)`, or a density: got {type(distribution).__name__}"
        )
    return distribution  # type: ignore[no-any-return]


def _mean_over(
    curve: CostCurve, density: Callable[[float], float], low: float, high: float
) -> float:
    from scipy.integrate import quad

    x, y = curve.probability_cost, curve.normalized_cost
    kinks = x[(x > low) & (x < high)]
    told = kinks[:: max(1, -(-len(kinks) // _TOLD))]
    options: dict[str, Any] = {"limit": 500, "points": told if len(told) else None}
    options |= {"epsabs": 1e-12, "epsrel": 1e-10}
    cost = quad(lambda at: float(np.interp(at, x, y)) * density(at), low, high, **options)[0]
    weight = quad(density, low, high, **options)[0]
    if not (math.isfinite(weight) and weight > 0):
        raise InputError(
            f"`distribution` must have weight between {low:g} and {high:g}: got {weight!r}"
        )
    return float(cost / weight)
