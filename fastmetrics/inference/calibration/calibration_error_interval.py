"""The interval of the root mean square calibration error (Sun et al. 2024)."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.containers import column_count
from fastmetrics._input.scalars import check_confidence_level
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import (
    DegenerateDataWarning,
    SmallSampleWarning,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.inference._sample_sizes import FEW_OF_A_CLASS
from fastmetrics.inference.calibration._counted import COUNTED, Counted, counted
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.reference import quantile
from fastmetrics.measures.calibration._bins import BINNED, Strategy, bin_starts, check_bins
from fastmetrics.tables.score_table import ScoreTable

_METHOD: Final = "Sun et al. (2024), for any n"


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
        """Of the estimate."""
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
    data = counted(y_true, y_proba, pos_label=pos_label, labels=labels)
    found = mean_square(data, n_bins, strategy)
    if math.isnan(found.estimate):
        warn_user(
            "the bias of a calibration error is not defined: no bin has two rows; take fewer "
            "`n_bins`",
            UndefinedMetricWarning,
        )
    else:
        is_matrix = not isinstance(y_true, ScoreTable) and column_count(y_proba) > 1
        names = ("right", "wrong") if is_matrix else ("positive", "negative")
        n, positives = data.n_samples, int(data.positives.sum())
        few, name = min(zip((positives, n - positives), names, strict=True))
        if few < FEW_OF_A_CLASS:
            warn_user(
                f"{few} of {n:,} rows are {name}: below about {FEW_OF_A_CLASS} the interval of a "
                "calibration error covers less than its level; gather more rows",
                SmallSampleWarning,
            )
    low, high = limits(found, level)
    if low == high:
        warn_user(
            "the interval of a calibration error is a point: outcomes as certain as these, of "
            "probabilities as certain, do not show how rare the exceptions are",
            DegenerateDataWarning,
        )
    root = _root(found.estimate)
    return Estimate(
        metric="root_mean_square_calibration_error",
        estimate=root,
        standard_error=found.standard_error / (2.0 * root) if root > 0.0 else math.nan,
        confidence_interval=ConfidenceInterval(_root(low), _root(high)),
        df=math.inf,
        confidence_level=level,
        method=_METHOD,
        n_samples=float(data.n_samples),
        details=found,
    )


def mean_square(data: Counted, n_bins: int, strategy: Strategy) -> MeanSquare:
    """Return the estimate and its errors; nan if no bin has two rows."""
    p, positives, rows = data
    starts = bin_starts(p, rows, n_bins, strategy)
    n = np.add.reduceat(rows, starts) if len(starts) else np.zeros(1)
    if n.max() < 2:
        return MeanSquare(*(math.nan,) * 5, 0, 0)
    total, of_pairs = n.sum(), np.maximum(n - 1, 1)
    is_kept = n > 1
    gap = np.add.reduceat(positives - rows * p, starts)
    square = np.add.reduceat(positives * (1.0 - p) ** 2 + (rows - positives) * (p * p), starts)
    estimate = np.where(is_kept, (gap * gap - square) / of_pairs, 0.0).sum() / total
    # Their theorem 2, two classes: the variance of sqrt(n) times the estimate.
    share, mean = n / total, gap / n
    variance = (share * mean**2 * (4 * square / n - 3 * mean**2)).sum()
    variance -= (share * mean**2).sum() ** 2
    # Of pairs of rows inside a bin: as they vary about their mean, and as calibrated ones would.
    spread = np.maximum(square - gap * mean, 0.0) / of_pairs
    pairs = np.where(is_kept, 2 * n * spread**2 / of_pairs, 0.0).sum()
    chance = p * (1.0 - p)
    sums, squares = (np.add.reduceat(rows * each, starts) for each in (chance, chance**2))
    null = np.where(is_kept, 2 * np.maximum(sums**2 - squares, 0.0) / of_pairs**2, 0.0).sum()
    return MeanSquare(
        float(estimate),
        float((share * mean**2).sum()),
        math.sqrt(max(float(variance), 0.0) / total),
        math.sqrt(float(pairs)) / int(total),
        math.sqrt(float(null)) / int(total),
        len(n),
        int(np.count_nonzero(~is_kept)),
    )


def limits(found: MeanSquare, level: float) -> tuple[float, float]:
    """Return the limits of the mean square."""
    both, one = quantile((1.0 + level) / 2.0, math.inf), quantile(level, math.inf)
    error = found.standard_error
    if math.isnan(found.estimate):
        return math.nan, math.nan
    above = max(found.estimate, 0.0)
    if found.estimate <= one * found.error_if_calibrated:
        low = 0.0
    elif above >= 2 * both * error:
        low = above - both * error
    elif above >= 2 * one * error:
        low = above / 2
    else:
        low = max(0.0, above - one * error)
    if found.plug_in == 0:  # no gap, and no part of first order
        return low, above + both * error
    slope = both * found.error_of_gaps**2 / found.plug_in
    at_limit = math.sqrt(found.error_of_pairs**2 + slope / both * above + slope**2 / 4)
    return low, above + both * (slope / 2 + at_limit)


def _root(square: float) -> float:
    return math.sqrt(max(square, 0.0)) if square == square else math.nan
