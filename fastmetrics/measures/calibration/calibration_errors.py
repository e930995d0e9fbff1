"""Calibration errors in bins: expected, maximum, adaptive, and the root of the mean square."""

from __future__ import annotations

import math
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre, check_choice, check_weights_are
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.calibration._bins import BINNED, SEVERAL, BinSums, Form, Strategy, binned
from fastmetrics.tables.score_table import ScoreTable

Estimator = Literal["kumar", "sun", "plug-in"]
_ESTIMATORS: Final = ("kumar", "sun", "plug-in")

#: What holds for each error in bins.
_NO_SCORE: Final = """
Warns
-----
UndefinedMetricWarning
    If a table has no rows: the error is nan.

Notes
-----
Not a proper score: it depends on the bins, and a model that gives everyone the base rate has none.
To choose a model take `brier_score_loss` or `log_loss`. By chance alone it is above 0 for perfect
probabilities too, the more so the fewer rows a bin has, and the bootstrap adds that bias once
more: it has no interval. `calibration_test` says whether chance explains an error,
`calibration_error_interval` how large its square is. Rows are sorted once (those of each class for
"class-wise"): O(n log n), and the same bits in any order of rows without weights.
"""


@documented(BINNED, SEVERAL, _NO_SCORE)
def expected_calibration_error(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    form: Form | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the expected calibration error (ECE): the mean gap of outcomes and probabilities.

    Returns
    -------
    float
        The sum over bins of the share of their rows times the gap between the share of positives
        and the mean probability; in [0, 1], 0 is best. "class-wise": the mean of the classes'
        errors; "full": the gap is the total variation, half the sum of the classes' gaps.

    References
    ----------
    Pakdaman Naeini, Cooper & Hauskrecht (2015), Obtaining well calibrated probabilities using
    Bayesian binning, AAAI. Guo, Pleiss, Sun & Weinberger (2017), On calibration of modern neural
    networks, ICML (top-label). Kull et al. (2019), Beyond temperature scaling, NeurIPS
    (class-wise). Vaicenavicius et al. (2019), Evaluating model calibration in classification,
    AISTATS (full).

    Examples
    --------
    >>> import fastmetrics
    >>> y_true, y_proba = [0, 1, 0, 1, 1], [0.125, 0.25, 0.5, 0.75, 0.875]
    >>> fastmetrics.calibration.expected_calibration_error(y_true, y_proba, n_bins=2)
    0.1
    >>> y_proba = [[0.75, 0.25, 0.0], [0.25, 0.75, 0.0], [0.0, 0.5, 0.5]]
    >>> fastmetrics.calibration.expected_calibration_error(["a", "b", "c"], y_proba, n_bins=2)
    0.3333333333333333
    """
    more: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
    problems = binned(y_true, y_proba, n_bins, strategy, form, **more, labels=labels)
    return _mean([float((one.shares * one.distances).sum()) for one in problems])


@documented(BINNED, SEVERAL, _NO_SCORE)
def maximum_calibration_error(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    form: Form | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the maximum calibration error (MCE): the largest gap of any bin.

    Returns
    -------
    float
        The largest gap between the share of positives and the mean probability of a bin, however
        few its rows; in [0, 1], 0 is best. "class-wise": of all classes'; "full": the gap is the
        total variation, half the sum of the classes' gaps.

    References
    ----------
    Pakdaman Naeini, Cooper & Hauskrecht (2015), Obtaining well calibrated probabilities using
    Bayesian binning, AAAI.

    Examples
    --------
    >>> import fastmetrics
    >>> y_true, y_proba = [0, 1, 0, 1, 1], [0.125, 0.25, 0.5, 0.75, 0.875]
    >>> fastmetrics.calibration.maximum_calibration_error(y_true, y_proba, n_bins=2)
    0.1875
    """
    more: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
    problems = binned(y_true, y_proba, n_bins, strategy, form, **more, labels=labels)
    return max((float(one.distances.max()) for one in problems), default=math.nan)


@documented(BINNED, SEVERAL, _NO_SCORE)
def adaptive_calibration_error(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    n_bins: int = 15,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the adaptive calibration error (ACE): class by class, in bins of equally many rows.

    Returns
    -------
    float
        `expected_calibration_error` with ``strategy="equal-count"`` and, of columns,
        ``form="class-wise"``; in [0, 1], 0 is best.

    References
    ----------
    Nixon et al. (2019), Measuring calibration in deep learning, CVPR workshops.

    Examples
    --------
    >>> import fastmetrics
    >>> y_true, y_proba = [0, 1, 0, 1, 1, 1], [0.125, 0.25, 0.5, 0.75, 0.875, 1.0]
    >>> fastmetrics.calibration.adaptive_calibration_error(y_true, y_proba, n_bins=2)
    0.08333333333333333
    """
    several = not isinstance(y_true, ScoreTable) and np.ndim(y_proba) == 2  # type: ignore[arg-type]
    return expected_calibration_error(
        y_true,
        y_proba,
        n_bins=n_bins,
        strategy="equal-count",
        form="class-wise" if several else None,
        sample_weight=sample_weight,
        pos_label=pos_label,
        labels=labels,
    )


@documented(BINNED, SEVERAL, _NO_SCORE)
def root_mean_square_calibration_error(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    estimator: Estimator = "kumar",
    form: Form | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the root of the mean squared calibration error (the l2-ECE), less its bias.

    Parameters
    ----------
    estimator : {"kumar", "sun", "plug-in"}, default="kumar"
        What is taken from the squared gap of a bin for what chance adds to it: with n rows, a share
        of positives s and gaps u of its rows, s (1 - s) / (n - 1) ("kumar"); the variance of u over
        n ("sun"), which is right where probabilities differ within a bin too; nothing ("plug-in").

    Returns
    -------
    float
        The root of the mean over rows of the squared gap of their bins, or 0 where the estimate of
        the mean is negative; 0 is best. "class-wise": the mean is over the classes too; "full":
        the squared gap is the sum of the classes'.

    Raises
    ------
    ValueError
        If an estimator without bias meets weights that are not declared frequencies, or a table
        of fractional weights: how many rows a bin is worth is then not known.

    Warns
    -----
    UndefinedMetricWarning
        If no bin has two rows, and the bias cannot be taken off: the error is nan.

    Notes
    -----
    A bin of one row, whose bias cannot be told, adds nothing to the sum without bias.

    References
    ----------
    Kumar, Liang & Ma (2019), Verified uncertainty calibration, NeurIPS. Sun, Chaudhari, Barnett &
    Dobriban (2024), A confidence interval for the l2 expected calibration error, arXiv:2408.08998.

    Examples
    --------
    >>> import fastmetrics
    >>> y_true, y_proba = [0, 1, 0, 0, 1, 1], [0.75, 0.75, 0.75, 0.75, 0.25, 0.25]
    >>> [round(fastmetrics.calibration.root_mean_square_calibration_error(
    ...     y_true, y_proba, n_bins=2, estimator=each), 6) for each in ("kumar", "sun", "plug-in")]
    [0.559017, 0.559017, 0.595119]
    """
    check_choice("estimator", estimator, _ESTIMATORS)
    what = check_weights_are(sample_weight, weights_are)
    if what == "importances" and estimator != "plug-in":
        _refuse_importances(estimator)
    more: dict[str, Any] = {"sample_weight": sample_weight, "weights_are": what}
    more |= {"pos_label": pos_label, "labels": labels, "squares": estimator == "sun"}
    problems = binned(y_true, y_proba, n_bins, strategy, form, **more)
    if problems and estimator != "plug-in":
        if isinstance(y_true, ScoreTable) and y_true.is_weighted:
            _refuse_importances(estimator)
        if not any((one.weight > 1).any() for one in problems):
            warn_user(
                "the bias of a calibration error is not defined: no bin has two rows; take fewer "
                "`n_bins`",
                UndefinedMetricWarning,
            )
            return math.nan
    found = _mean([mean_square(one, estimator) for one in problems])
    return math.sqrt(max(found, 0.0))


def mean_square(one: BinSums, estimator: Estimator) -> float:
    """Return the estimate of the mean squared gap; below 0 at times, unless it is "plug-in"."""
    n = one.weight
    square = (one.gaps**2).sum(axis=1)
    if estimator == "plug-in":
        return float((one.shares * (square / n**2)).sum())
    rows = np.maximum(n, 2)  # of one row, nothing is kept
    if estimator == "sun":
        bias = one.squares
    else:
        spread = (one.outcomes * (n[:, None] - one.outcomes)).sum(axis=1)
        bias = (spread + square) / rows
    terms = (square - bias) / (rows - 1)
    return float(np.where(n > 1, terms, 0.0).sum() / n.sum())


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _refuse_importances(estimator: str) -> None:
    raise InputError(
        f"`estimator='{estimator}'` needs to know how many rows a bin has: pass "
        "`weights_are='frequencies'`, where weights are whole numbers of rows, or take "
        "`estimator='plug-in'`, which keeps its bias"
    )
