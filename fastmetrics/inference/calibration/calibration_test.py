"""``calibration_test``: whether a calibrated model could look as bad as this by chance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import MonteCarloPValue
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_integer, check_memory, key_text, seed_key
from fastmetrics._kernels.hulls import squares_lost
from fastmetrics._results import Result
from fastmetrics._threads.workers import run
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.inference.calibration._counted import (
    COUNTED,
    calibrated_draws,
    counted,
    rising_blocks,
)
from fastmetrics.measures.calibration._bins import BINNED, Strategy, bin_starts, check_bins
from fastmetrics.tables.score_table import ScoreTable

Statistic = Literal[
    "miscalibration",
    "expected_calibration_error",
    "maximum_calibration_error",
    "root_mean_square_calibration_error",
]
#: Replicates that are drawn before they are evaluated, side by side.
_BATCH: Final = 8


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CalibrationTest(Result):
    """A test whether probabilities are calibrated.

    Attributes
    ----------
    statistic : float
        Of the data.
    pvalue : float
        Share of calibrated data, these included, whose statistic is as great: small values speak
        against calibration. ``pvalue.is_bound`` says that none but these is: p is at most that.
    mean_if_calibrated : float
        The mean statistic of calibrated data of these probabilities: what chance alone makes.
    metric : str
        Which statistic.
    n_samples, n_resamples : int
        Rows, and replicates.
    key : str
        ``rng=key`` draws the same replicates again.
    """

    statistic: float
    pvalue: float
    mean_if_calibrated: float
    metric: Statistic
    n_samples: int
    n_resamples: int
    key: str


@documented(BINNED, COUNTED)
def calibration_test(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    metrics: Statistic = "miscalibration",
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    n_resamples: int = 999,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    rng: Any = None,
    n_threads: int | None = None,
) -> CalibrationTest:
    """Test whether probabilities are calibrated, by drawing outcomes with these probabilities.

    Parameters
    ----------
    metrics : str, default="miscalibration"
        "miscalibration", that of the Brier score (the CORP decomposition), which needs no bins;
        or "expected_calibration_error", "maximum_calibration_error" or
        "root_mean_square_calibration_error" (plug-in) in bins.
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
    (1 + the number of replicates as great) / (1 + n_resamples): the size is exact for any n and any
    statistic. What is tested is *this sample's* probabilities; with many rows the least deviation
    is found, and `calibration_error_interval` says how large it is. A statistic in bins does not
    see gaps that cancel inside a bin. O(n n_resamples) after one sort.

    References
    ----------
    Bröcker & Smith (2007), Increasing the reliability of reliability diagrams, Weather and
    Forecasting 22:651-661. Dimitriadis, Gneiting & Jordan (2021), Stable reliability diagrams for
    probabilistic classifiers, PNAS 118:e2016191118. Vaicenavicius et al. (2019), Evaluating model
    calibration in classification, AISTATS.

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
    names = ("miscalibration", *_IN_BINS)
    check_choice("metrics", metrics, names)
    n_bins, strategy = check_bins(n_bins, strategy)
    n_resamples = check_integer("n_resamples", n_resamples, low=1)
    check_memory(n_resamples, 1, "take fewer replicates")
    data = counted(y_true, y_proba, pos_label=pos_label, labels=labels)
    key = seed_key(rng)
    if len(data.p) == 0:
        warn_user("a test of calibration is not defined: there are no rows", UndefinedMetricWarning)
        return CalibrationTest(math.nan, math.nan, math.nan, metrics, 0, n_resamples, key_text(key))
    starts = bin_starts(data.p, data.rows, n_bins, strategy)
    n, chances = (np.add.reduceat(each, starts) for each in (data.rows, data.rows * data.p))

    def value(positives: NDArray[np.int64]) -> float:
        if metrics == "miscalibration":
            # what the Brier score loses to that of the isotonic fit
            lost = np.empty(len(data.p))
            squares_lost(data.p, data.rows, positives, *rising_blocks(data, positives), lost)
            return float(lost.sum()) / data.n_samples
        gaps = np.abs(np.add.reduceat(positives, starts) - chances)
        return _IN_BINS[metrics](gaps / n, n / data.n_samples)

    statistic = value(data.positives)
    drawn = calibrated_draws(data, n_resamples, key)
    replicates = np.empty(n_resamples)
    for start in range(0, n_resamples, _BATCH):
        batch = [partial(value, positives) for positives in islice(drawn, _BATCH)]
        replicates[start : start + _BATCH] = run(batch, len(data.p))
    # sums of the same outcomes in another order may differ in their last bits
    as_great = np.count_nonzero(replicates >= statistic - 1e-12 * abs(statistic))
    return CalibrationTest(
        statistic,
        MonteCarloPValue.of(int(as_great), n_resamples),
        float(replicates.mean()),
        metrics,
        data.n_samples,
        n_resamples,
        key_text(key),
    )


#: Statistics in bins, of the gaps and of the bins' shares of the rows.
_IN_BINS: dict[str, Callable[[Any, Any], float]] = {
    "expected_calibration_error": lambda gaps, shares: float((shares * gaps).sum()),
    "maximum_calibration_error": lambda gaps, shares: float(gaps.max()),
    "root_mean_square_calibration_error": lambda gaps, shares: math.sqrt(
        float((shares * gaps**2).sum())
    ),
}
