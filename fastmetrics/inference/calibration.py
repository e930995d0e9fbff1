"""The interval of the root mean square calibration error (Sun et al. 2024)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.containers import column_count
from fastmetrics._input.scalars import (
    check_choice,
    check_confidence_level,
    check_integer,
    check_memory,
    key_text,
    seed_key,
)
from fastmetrics._kernels.hulls import squares_lost
from fastmetrics._number_text import MonteCarloPValue
from fastmetrics._plots._style import model_label
from fastmetrics._plots.curves import PLOTTED, PlotCurve, draw_reliability, reliability_limits
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics._threads.workers import run
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputTypeError,
    SmallSampleWarning,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.inference.estimate_result import FIELDS, Estimate
from fastmetrics.inference.reference import quantile
from fastmetrics.metrics.calibration.calibration_errors import (
    BINNED,
    Strategy,
    ascending,
    bin_starts,
    check_bins,
    one_table,
)
from fastmetrics.tables.score_table import ScoreTable, upper_hull

Floats = NDArray[np.float64]

#: Rows of a class below which the interval of a calibration error covers too little.
_FEW: Final = 5

#: Shared sections of docstrings.
COUNTED: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,) or ScoreTable
    Labels; or a table of counts, and then `y_proba` is left out.
y_proba : array-like of shape (n_samples,) or (n_samples, n_classes), optional
    Probabilities in [0, 1] of the positive class; or a column for each class, the rows adding up
    to 1, of which the greatest is looked at: the probability of being right (top-label).
labels : array-like of shape (n_classes,), optional
    The classes that columns stand for, sorted; needed where one has no row.

Raises
------
TypeError
    If an argument is of the wrong kind, or a table has weights that are no counts.
ValueError
    If labels and columns do not match, a probability lies outside [0, 1], or the probabilities of
    a row do not add up to 1.

Warns
-----
UndefinedMetricWarning
    If there are no rows: everything is nan.
"""


class ProbabilityCounts(NamedTuple):
    """Distinct probabilities, ascending, with the positives and all rows at each."""

    p: Floats
    positives: NDArray[np.int64]
    rows: NDArray[np.int64]

    @property
    def n_samples(self) -> int:
        """All rows."""
        return int(self.rows.sum())


def count_labels(y_true: Any, y_proba: Any, *, pos_label: Any, labels: Any) -> ProbabilityCounts:
    """Count labels by probability: of two classes, or of the top label of more."""
    table = one_table(y_true, y_proba, pos_label=pos_label, labels=labels)
    if isinstance(y_true, ScoreTable) and table.is_weighted:
        raise InputTypeError(
            "a ScoreTable of fractional weights does not tell how many rows there are: pass one of "
            "counts"
        )
    return ProbabilityCounts(*map(np.ascontiguousarray, ascending(table)))


def calibrated_draws(
    data: ProbabilityCounts, n_resamples: int, key: NDArray[np.uint64]
) -> Iterator[NDArray[np.int64]]:
    """Draw the positives at each probability under calibration, by key and table alone."""
    rng = np.random.default_rng(key)
    all_distinct = bool((data.rows == 1).all())
    for _ in range(n_resamples):
        if all_distinct:
            yield (rng.random(len(data.p)) < data.p).astype(np.int64)
        else:
            yield rng.binomial(data.rows, data.p)


def rising_blocks(
    data: ProbabilityCounts, positives: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Floats]:
    """Return the last row of each block of the isotonic fit, and its proportion of positives.

    `upper_hull` takes descending scores: the classes are swapped for ascending probabilities.
    """
    table = ScoreTable._from_columns(data.p, data.rows - positives, positives)
    hull = upper_hull(table)
    return hull.ends, hull.negatives / (hull.positives + hull.negatives)


def isotonic(data: ProbabilityCounts, positives: NDArray[np.int64]) -> Floats:
    """Compute the isotonic fit: nondecreasing proportions of positives by least squares."""
    ends, proportions = rising_blocks(data, positives)
    return np.repeat(proportions, np.diff(ends, prepend=-1))


# ``calibration_test``: whether a calibrated model could look as bad as this by chance.


#: Replicates that are drawn before they are evaluated, side by side.
_BATCH: Final = 8


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CalibrationTest(Result):
    """A test whether probabilities are calibrated.

    Attributes
    ----------
    statistic : float
        The miscalibration of the data, a part of their Brier score.
    pvalue : float
        Share of calibrated data, these included, whose statistic is as great: small values speak
        against calibration. ``pvalue.is_bound`` says that none but these is: p is at most that.
    mean_if_calibrated : float
        The mean statistic of calibrated data of these probabilities: what chance alone makes.
    n_samples, n_resamples : int
        Rows, and replicates.
    key : str
        ``rng=key`` draws the same replicates again.
    """

    statistic: float
    pvalue: float
    mean_if_calibrated: float
    n_samples: int
    n_resamples: int
    key: str


@documented(COUNTED)
def calibration_test(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    n_resamples: int = 999,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    rng: Any = None,
    n_threads: int | None = None,
) -> CalibrationTest:
    """Test whether probabilities are calibrated, by drawing outcomes with these probabilities.

    Parameters
    ----------
    n_resamples : int, default=999
        Replicates: the p-value is a multiple of 1 / (n_resamples + 1).

    Returns
    -------
    CalibrationTest
        Statistic and p-value.

    Notes
    -----
    That the model is calibrated says what the outcomes are, given its probabilities: a positive
    with each row's own probability, independently. So outcomes are drawn, and the p-value is
    (1 + the number of replicates as great) / (1 + n_resamples): the size is exact for any n. The
    statistic is the miscalibration of the Brier score (the CORP decomposition), which needs no bins
    and so sees gaps that would cancel inside one. What is tested is *this sample's* probabilities;
    with many rows the least deviation is found, and `calibration_error_interval` says how large it
    is. O(n n_resamples) after one sort.

    References
    ----------
    Bröcker & Smith (2007), Increasing the reliability of reliability diagrams, Weather and
    Forecasting 22:651-661. Dimitriadis, Gneiting & Jordan (2021), Stable reliability diagrams for
    probabilistic classifiers, PNAS 118:e2016191118.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_proba = rng.random(500)
    >>> calibration_test(rng.random(500) < y_proba, y_proba, rng=1).pvalue
    0.299
    >>> calibration_test(rng.random(500) < y_proba**1.5, y_proba, rng=1).pvalue
    0.001
    """
    n_resamples = check_integer("n_resamples", n_resamples, low=1)
    check_memory(n_resamples, 1, "take fewer replicates")
    data = count_labels(y_true, y_proba, pos_label=pos_label, labels=labels)
    key = seed_key(rng)
    if len(data.p) == 0:
        warn_user("a test of calibration is not defined: there are no rows", UndefinedMetricWarning)
        return CalibrationTest(math.nan, math.nan, math.nan, 0, n_resamples, key_text(key))

    def value(positives: NDArray[np.int64]) -> float:
        """Compute the Brier score less that of the isotonic fit."""
        lost = np.empty(len(data.p))
        squares_lost(data.p, data.rows, positives, *rising_blocks(data, positives), lost)
        return float(lost.sum()) / data.n_samples

    statistic = value(data.positives)
    draws = calibrated_draws(data, n_resamples, key)
    replicates = np.empty(n_resamples)
    for start in range(0, n_resamples, _BATCH):
        batch = [partial(value, positives) for positives in islice(draws, _BATCH)]
        replicates[start : start + _BATCH] = run(batch, len(data.p))
    # sums of the same outcomes in another order may differ in their last bits
    as_great = np.count_nonzero(replicates >= statistic - 1e-12 * abs(statistic))
    return CalibrationTest(
        statistic,
        MonteCarloPValue.of(int(as_great), n_resamples),
        float(replicates.mean()),
        data.n_samples,
        n_resamples,
        key_text(key),
    )


# ``reliability_band``: where the calibration curve lies, or would if the model were calibrated.


Kind = Literal["confidence", "consistency"]
_METHODS: Final = {
    "confidence": "Dimitriadis et al. (2023)",
    "consistency": "resampling under calibration",
}
Columns = tuple[Floats, Floats, Floats, Floats]
#: So many cells are a quarter of a million intervals of Clopper and Pearson: a second.
_MOST_CELLS: Final = 1_000


@documented(FIELDS)
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ReliabilityBand(Result):
    """A band of the calibration curve, or round the diagonal.

    Attributes
    ----------
    probability : ndarray of shape (n_points,)
        Predicted probabilities, rising; from 0 to 1 for a confidence band. Read-only, like all
        arrays.
    low, high : ndarray of shape (n_points,)
        Limits of the probability of a positive there. Of a confidence band `low` holds up to the
        next point on the right, and `high` up to that on the left; a consistency band is joined by
        straight lines.
    fit : ndarray of shape (n_points,)
        The isotonic fit (the CORP calibration curve); beyond the data its end values.
    kind : {"confidence", "consistency"}
        See `reliability_band`.
    confidence_level : float
        Of the whole curve ("confidence"), or of each point ("consistency").
    n_samples : int
        Rows.
    n_resamples : int
        Replicates; 0 for a confidence band.
    """

    probability: Floats
    low: Floats
    high: Floats
    fit: Floats
    kind: Kind
    confidence_level: float
    n_samples: int
    n_resamples: int
    key: str | None
    method: str

    @property
    def holds_diagonal(self) -> bool | None:
        """True if the diagonal, the curve of a calibrated model, lies inside a confidence band.

        None without rows, and of a consistency band, which lies round the diagonal by construction.
        """
        if self.kind == "consistency" or self.n_samples == 0:
            return None
        inside = (self.low <= self.probability) & (self.probability <= self.high)
        return bool(inside.all())

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the band, the fit at its points, and the diagonal.

        `ReliabilityDiagram.plot` takes a band to draw all of the fit, and the histogram, with it.
        """
        label = model_label(name, "isotonic fit")
        curve = PlotCurve(self.probability, self.fit, label, reliability_limits(self))
        points = {"linestyle": "none", "marker": ".", "markersize": 4.0} | line_options
        return draw_reliability(curve, None, ax, options=points)


@documented(COUNTED)
def reliability_band(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    kind: Kind = "confidence",
    confidence_level: float = 0.95,
    n_cells: int = 100,
    n_resamples: int = 999,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    rng: Any = None,
    n_threads: int | None = None,
) -> ReliabilityBand:
    """Compute a band for a reliability diagram: of the true curve, or of a calibrated model's.

    Parameters
    ----------
    kind : {"confidence", "consistency"}, default="confidence"
        "confidence": where the true calibration curve lies, everywhere at once, if it rises.
        "consistency": where the isotonic fit of so many rows would lie, at each point by itself,
        if the model were calibrated.
    n_cells : int, default=100
        Into how many cells of equal width probabilities are put for a confidence band, if more
        of them are distinct; at how many points a consistency band is given. At most 1,000.
    n_resamples : int, default=999
        Replicates of a consistency band.

    Returns
    -------
    ReliabilityBand
        Points with their limits.

    Notes
    -----
    **confidence** (Dimitriadis et al. 2023). Where the curve rises, the positives among the rows of
    any interval of probabilities bound it from above at the interval's left end, and from below at
    its right one; the limit at a point is the best of all these limits of Clopper and Pearson, each
    at the level that Bonferroni leaves it: with m cells alpha / (m (m + 1)). Coverage is that asked
    for, or more, for any n. A diagonal that leaves the band refutes calibration at that level; and
    a band that stays near it shows that the model is *nearly* calibrated, which no test of
    calibration can. Limits that cross refute that the curve rises. Where cells are wider than the
    probabilities in them the band is wider and no less valid. O(n log n + m^2).

    **consistency** (Dimitriadis, Gneiting & Jordan 2021). Outcomes are drawn anew with the
    probabilities given, and fitted; the limits are quantiles of the fits. A fit that leaves this
    band at some point is no test: `calibration_test` is. O(n n_resamples).

    References
    ----------
    Dimitriadis, Dümbgen, Henzi, Puke & Ziegel (2023), Honest calibration assessment for binary
    outcome predictions, Biometrika 110:663-680. Dimitriadis, Gneiting & Jordan (2021), Stable
    reliability diagrams for probabilistic classifiers, PNAS 118:e2016191118.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_proba = rng.random(2000)
    >>> reliability_band(rng.random(2000) < y_proba, y_proba).holds_diagonal
    True
    >>> band = reliability_band(rng.random(2000) < y_proba**2, y_proba)
    >>> band.holds_diagonal
    False
    >>> at = np.searchsorted(band.probability, 0.5)
    >>> print(f"{band.low[at]:.3f} to {band.high[at]:.3f}")
    0.130 to 0.442
    """
    check_choice("kind", kind, _METHODS)
    level = check_confidence_level(confidence_level)
    n_cells = check_integer("n_cells", n_cells, low=1, high=_MOST_CELLS)
    n_resamples = check_integer("n_resamples", n_resamples, low=2)
    data = count_labels(y_true, y_proba, pos_label=pos_label, labels=labels)
    key = None
    if len(data.p) == 0:
        warn_user("a reliability band is not defined: there are no rows", UndefinedMetricWarning)
        columns = (np.empty(0),) * 4
    elif kind == "confidence":
        columns = _confidence(data, 1.0 - level, n_cells)
    else:
        check_memory(n_resamples, n_cells, "take fewer replicates")
        key = seed_key(rng)
        columns = _consistency(data, level, n_cells, n_resamples, key)
    for column in columns:
        column.setflags(write=False)
    return ReliabilityBand(
        *columns,
        kind=kind,
        confidence_level=level,
        n_samples=data.n_samples,
        n_resamples=0 if key is None else n_resamples,
        key=None if key is None else key_text(key),
        method=_METHODS[kind],
    )


def _confidence(data: ProbabilityCounts, alpha: float, n_cells: int) -> Columns:
    """Return points, limits and the fit.

    A cell bounds the curve from above at its least probability, from below at its greatest one.
    """
    p = data.p
    if len(p) <= n_cells:
        left = right = np.arange(len(p))
    else:
        edges = np.linspace(0.0, 1.0, n_cells + 1)
        left = np.flatnonzero(np.diff(np.searchsorted(edges, p, side="right"), prepend=-1))
        ends = np.diff(np.searchsorted(edges, p, side="left"), append=n_cells + 2)
        right = np.flatnonzero(ends)
    failures = data.rows - data.positives
    low = _lower_limits(data.positives, failures, right, alpha)
    last = len(p) - 1 - left[::-1]
    high = 1.0 - _lower_limits(failures[::-1], data.positives[::-1], last, alpha)
    points = np.union1d(np.union1d(p[left], p[right]), [0.0, 1.0])
    # up to the next point on the right, and on the left
    at = np.searchsorted(p[right], points, side="right")
    lows = np.concatenate([[0.0], low])[at]
    highs = np.concatenate([high[::-1], [1.0]])[np.searchsorted(p[left], points, side="left")]
    # between two probabilities the fit is that of the lower one
    at = np.searchsorted(p, points, side="right") - 1
    return points, lows, highs, isotonic(data, data.positives)[np.maximum(at, 0)]


def _lower_limits(
    positives: NDArray[np.int64],
    negatives: NDArray[np.int64],
    ends: NDArray[np.int64],
    alpha: float,
) -> Floats:
    """Return, at the end of each cell, the greatest lower limit of any run of cells up to there."""
    from scipy.special import betainc, betaincinv

    m = len(ends)
    level = alpha / (m * (m + 1))
    sums = [np.cumsum(column)[ends] for column in (positives, negatives)]
    before = [np.concatenate([[0], column[:-1]]) for column in sums]
    limits = np.empty(m)
    best = 0.0
    for i in range(m):
        hits = sums[0][i] - before[0][: i + 1]
        others = (sums[1][i] - before[1][: i + 1] + 1)[hits > 0]
        hits = hits[hits > 0]
        better = betainc(hits, others, best) < level  # most do not refute the best so far
        if better.any():
            best = max(best, float(betaincinv(hits[better], others[better], level).max()))
        limits[i] = best
    return limits


def _consistency(
    data: ProbabilityCounts, level: float, n_cells: int, n_resamples: int, key: NDArray[np.uint64]
) -> Columns:
    """Return points, quantiles of the fits of calibrated data, and the fit of these."""
    chosen = np.arange(len(data.p))
    if len(chosen) > n_cells:  # rows share them out, and both ends are points
        chosen = np.unique(np.linspace(0, len(chosen) - 1, n_cells).round().astype(np.int64))
    fits = np.empty((n_resamples, len(chosen)))
    for fit, positives in zip(fits, calibrated_draws(data, n_resamples, key), strict=True):
        fit[:] = isotonic(data, positives)[chosen]
    tail = (1.0 - level) / 2.0
    # By ranks of n_resamples + 1: the data, if calibrated, are one more draw of the same kind.
    low, high = np.quantile(fits, [tail, 1.0 - tail], axis=0, method="weibull")
    return data.p[chosen], low, high, isotonic(data, data.positives)[chosen]


class MeanSquare(NamedTuple):
    """The mean squared gap without bias, and how much it varies.

    Attributes
    ----------
    estimate, plug_in : float
        Without bias, and so below 0 at times; with it.
    error_of_gaps, error_of_pairs : float
        The two parts of the standard error: of first order, which is 0 for a calibrated model, and
        of second, which the pairs of rows inside bins leave to it.
    error_if_calibrated : float
        The standard error if each row's outcome has its probability.
    n_bins, n_single : int
        Bins that have rows, and those of one.
    """

    estimate: float
    plug_in: float
    error_of_gaps: float
    error_of_pairs: float
    error_if_calibrated: float
    n_bins: int
    n_single: int

    @property
    def standard_error(self) -> float:
        """Standard error of the estimate."""
        return math.hypot(self.error_of_gaps, self.error_of_pairs)


@documented(BINNED, COUNTED)
def calibration_error_interval(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    confidence_level: float = 0.95,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    n_threads: int | None = None,
) -> Estimate:
    """Compute an interval of the root mean square calibration error (l2-ECE) in bins.

    Returns
    -------
    Estimate
        That of ``root_mean_square_calibration_error(..., estimator="sun")`` with its limits; its
        standard error is that of the mean square over twice the root, nan for a root of 0.
        ``details`` has the mean square without bias (below 0 in about half of the samples of a
        calibrated model), its standard error and parts of it, how many bins have rows, and how
        many have one, which tells nothing.

    Warns
    -----
    UndefinedMetricWarning
        If no bin has two rows: everything is nan.
    SmallSampleWarning
        If fewer than five rows are positive, or negative (of columns: right, or wrong): they do not
        show how rare such rows are, and the interval covers less than its level.
    DegenerateDataWarning
        If the interval is a point.

    Notes
    -----
    What it covers is the error of the model's mean probability and true share of positives bin by
    bin, in the population: a model whose gaps cancel inside its bins looks better than it is. The
    mean square without bias varies like 1 / sqrt(n) where the model is off, and like 1 / n where
    it is calibrated. With T+ the greater of it and 0, s its standard error and z, z' the two-sided
    and the one-sided quantile of the normal distribution, the lower limit of the mean square is
    (Sun et al. 2024, after Wu & Neale 2012, of what cannot be negative)

        T+ - z s             if T+ >= 2 z s,
        T+ / 2               if it is less, but at least 2 z' s,
        max(0, T+ - z' s)    otherwise,

    and 0 where a calibrated model would often have as great a T: up to z' standard errors, which
    are known given the probabilities. Two things differ from theirs, which holds for large n: s has
    the part of order 1 / n too, most of it where the error is small; and the upper limit is the
    greatest mean square u with u - T+ <= z s(u), where s(u) is the standard error if it were u:
    the part of order 1 / sqrt(n) grows with its root. Theirs, T+ + z s, misses more often than it
    should where the error is about as great as its own uncertainty. Both are in the simulations of
    the project's ``docs/coverage.md``. Rows are sorted once.

    References
    ----------
    Sun, Chaudhari, Barnett & Dobriban (2024), A confidence interval for the l2 expected calibration
    error, arXiv:2408.08998. Wu & Neale (2012), Adjusted confidence intervals for a bounded
    parameter, Behavior Genetics 42:886-898.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_proba = rng.random(2000)
    >>> calibrated = calibration_error_interval(rng.random(2000) < y_proba, y_proba)
    >>> calibrated.confidence_interval
    ConfidenceInterval(low=0, high=0.0511103)
    >>> calibration_error_interval(rng.random(2000) < y_proba**2, y_proba).confidence_interval
    ConfidenceInterval(low=0.161337, high=0.200822)
    """
    level = check_confidence_level(confidence_level)
    n_bins, strategy = check_bins(n_bins, strategy)
    data = count_labels(y_true, y_proba, pos_label=pos_label, labels=labels)
    square = mean_square(data, n_bins, strategy)
    if math.isnan(square.estimate):
        warn_user(
            "the bias of a calibration error is not defined: no bin has two rows; take fewer "
            "`n_bins`",
            UndefinedMetricWarning,
        )
    else:
        is_matrix = not isinstance(y_true, ScoreTable) and column_count(y_proba) > 1
        names = ("right", "wrong") if is_matrix else ("positive", "negative")
        positives = int(data.positives.sum())
        few, name = min(zip((positives, data.n_samples - positives), names, strict=True))
        if few < _FEW:
            warn_user(
                f"{few} of {data.n_samples:,} rows are {name}: below about {_FEW} the "
                "interval of a calibration error covers less than its level; gather more rows",
                SmallSampleWarning,
            )
    low, high = limits(square, level)
    if low == high:
        warn_user(
            "the interval of a calibration error is a point: outcomes as certain as these, of "
            "probabilities as certain, do not show how rare the exceptions are",
            DegenerateDataWarning,
        )
    root = _root(square.estimate)
    return Estimate(
        metric="root_mean_square_calibration_error",
        estimate=root,
        standard_error=square.standard_error / (2.0 * root) if root > 0.0 else math.nan,
        confidence_interval=ConfidenceInterval(_root(low), _root(high)),
        df=math.inf,
        confidence_level=level,
        method="Sun et al. (2024), for any n",
        n_samples=float(data.n_samples),
        details=square,
    )


def mean_square(data: ProbabilityCounts, n_bins: int, strategy: Strategy) -> MeanSquare:
    """Compute the mean square error and its standard errors; nan if no bin has two rows."""
    p, positives, rows = data
    starts = bin_starts(p, rows, n_bins, strategy)
    n = np.add.reduceat(rows, starts) if len(starts) else np.zeros(1)
    if n.max() < 2:
        return MeanSquare(*(math.nan,) * 5, 0, 0)
    total = n.sum()
    divisors = np.maximum(n - 1, 1)
    is_kept = n > 1
    gap = np.add.reduceat(positives - rows * p, starts)
    square = np.add.reduceat(positives * (1.0 - p) ** 2 + (rows - positives) * (p * p), starts)
    estimate = np.where(is_kept, (gap * gap - square) / divisors, 0.0).sum() / total
    # Their theorem 2, two classes: the variance of sqrt(n) times the estimate.
    fraction = n / total
    mean = gap / n
    variance = (fraction * mean**2 * (4 * square / n - 3 * mean**2)).sum()
    variance -= (fraction * mean**2).sum() ** 2
    # Of pairs of rows inside a bin: as they vary about their mean, and as calibrated ones would.
    variances = np.maximum(square - gap * mean, 0.0) / divisors
    pairs = np.where(is_kept, 2 * n * variances**2 / divisors, 0.0).sum()
    chance = p * (1.0 - p)
    sums, squares = (np.add.reduceat(rows * each, starts) for each in (chance, chance**2))
    null = np.where(is_kept, 2 * np.maximum(sums**2 - squares, 0.0) / divisors**2, 0.0).sum()
    return MeanSquare(
        float(estimate),
        float((fraction * mean**2).sum()),
        math.sqrt(max(float(variance), 0.0) / total),
        math.sqrt(float(pairs)) / int(total),
        math.sqrt(float(null)) / int(total),
        len(n),
        int(np.count_nonzero(~is_kept)),
    )


def limits(square: MeanSquare, level: float) -> tuple[float, float]:
    """Compute the limits of the mean square."""
    both = quantile((1.0 + level) / 2.0, math.inf)
    one = quantile(level, math.inf)
    error = square.standard_error
    if math.isnan(square.estimate):
        return math.nan, math.nan
    above = max(square.estimate, 0.0)
    if square.estimate <= one * square.error_if_calibrated:
        low = 0.0
    elif above >= 2 * both * error:
        low = above - both * error
    elif above >= 2 * one * error:
        low = above / 2
    else:
        low = max(0.0, above - one * error)
    if square.plug_in == 0:  # no gap, and no part of first order
        return low, above + both * error
    slope = both * square.error_of_gaps**2 / square.plug_in
    at_limit = math.sqrt(square.error_of_pairs**2 + slope / both * above + slope**2 / 4)
    return low, above + both * (slope / 2 + at_limit)


def _root(square: float) -> float:
    return math.sqrt(max(square, 0.0)) if square == square else math.nan
