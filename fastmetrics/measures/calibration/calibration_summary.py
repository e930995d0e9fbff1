"""All that is to be said of the calibration of one model, from one sort and one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre, check_confidence_level, check_integer
from fastmetrics._input.weights import as_given
from fastmetrics._kernels.losses import terms_of_rows
from fastmetrics._results import Result
from fastmetrics.measures.calibration._probability_table import (
    CALIBRATED,
    Floats,
    probabilities,
    sums_of,
    table_with_squares,
)
from fastmetrics.measures.calibration.goodness_of_fit import (
    GoodnessOfFitTest,
    hosmer_lemeshow_of_table,
    spiegelhalter_of_sums,
)
from fastmetrics.measures.calibration.logistic_calibration import (
    LogisticCalibration,
    logistic_of_table,
)
from fastmetrics.measures.calibration.score_decomposition import (
    ScoreDecomposition,
    decomposition_of_sum,
    losses_of,
    summed_losses,
)
from fastmetrics.tables.score_table import ScoreTable, upper_hull

#: What is shown of a score: it, and the parts that it is the sum of.
_PARTS: Final = ("metric", "loss", "miscalibration", "discrimination", "uncertainty")


@dataclass(frozen=True, slots=True, repr=False)
class CalibrationSummary(Result):
    """How well the probabilities of one model are calibrated.

    Attributes
    ----------
    n_samples : float
        Rows, or their weight.
    prevalence : float
        The share of positives.
    mean_probability : float
        The mean of the probabilities.
    brier_score, log_loss : ScoreDecomposition
        Mean scores with their miscalibration, discrimination and uncertainty.
    logistic : LogisticCalibration
        Slope, intercept, and intercept in the large, with their intervals.
    spiegelhalter : GoodnessOfFitTest
        Spiegelhalter's Z.
    hosmer_lemeshow : GoodnessOfFitTest or None
        Where it was asked for.

    Examples
    --------
    >>> found = calibration_summary([0, 1, 0, 1, 1, 0], [0.2, 0.4, 0.5, 0.6, 0.9, 0.3])
    >>> print(found)
    Calibration of 6 rows: 50 % positive, mean probability 0.4833
    <BLANKLINE>
    parameter     estimate [95 % interval]
    ──────────────────────────────────────
    slope         2.6298 [−1.8718, 7.1313]
    intercept     0.4974 [−1.9927, 2.9875]
    in the large  0.0837 [−1.7071, 1.8746]
    <BLANKLINE>
    metric         loss  miscalibration  discrimination  uncertainty
    ────────────────────────────────────────────────────────────────
    brier_score  0.1517          0.0683          0.1667       0.2500
    log_loss     0.4676          0.2365          0.4621       0.6931
    <BLANKLINE>
    method             statistic  df     p
    ──────────────────────────────────────
    Spiegelhalter's Z    −0.6831   –  .495
    """

    n_samples: float
    prevalence: float
    mean_probability: float
    brier_score: ScoreDecomposition
    log_loss: ScoreDecomposition
    logistic: LogisticCalibration
    spiegelhalter: GoodnessOfFitTest
    hosmer_lemeshow: GoodnessOfFitTest | None

    def _shown(self) -> Display:
        found = self.logistic
        line = {
            "parameter": ("slope", "intercept", "in the large"),
            "estimate": (found.slope, found.intercept, found.in_the_large),
            "confidence_interval": (
                found.slope_interval,
                found.intercept_interval,
                found.in_the_large_interval,
            ),
        }
        scores = Table.of((self.brier_score, self.log_loss), _PARTS, framed=False)
        tests = [test for test in (self.spiegelhalter, self.hosmer_lemeshow) if test is not None]
        share = f"{100 * self.prevalence:.4g} % positive"
        size = f"{self.n_samples:,.0f} row" + "s" * (self.n_samples != 1)
        if found.weights_are == "importances":
            size = f"weight {self.n_samples:,.6g}"
        return Display(
            [
                Table(line, level=found.confidence_level),
                scores,
                Table.of(tests, ("method", "statistic", "df", "pvalue"), framed=False),
            ],
            f"Calibration of {size}: {share}, mean probability {self.mean_probability:.4g}",
        )


@documented(CALIBRATED)
def calibration_summary(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    on_training_data: bool | None = None,
    n_groups: int = 10,
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    n_threads: int | None = None,
) -> CalibrationSummary:
    """Compute scores with their parts, slope, intercepts and tests of calibration at once.

    Parameters
    ----------
    on_training_data : bool, optional
        Whether the model was fitted on these rows, for the Hosmer-Lemeshow test; without it that
        test is left out.
    n_groups : int, default=10
        Groups of the Hosmer-Lemeshow test.

    Returns
    -------
    CalibrationSummary
        Of which ``print`` shows a table.

    Raises
    ------
    ValueError
        If the Hosmer-Lemeshow test is asked for with importances.

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing, or a number has no finite value; as the functions of each part warn.

    Notes
    -----
    The numbers are those of `score_decomposition`, `logistic_calibration`, `spiegelhalter_test`
    and `hosmer_lemeshow_test`, which share a sort, a pass over the distinct probabilities and the
    blocks of the isotonic fit. Measured on one thread, with NumPy's sort on vectors: 10**6 rows in
    six times `np.sort` of them, half of that to sort and count them by class.

    Examples
    --------
    >>> found = calibration_summary([0, 1, 0, 1, 1, 0], [0.2, 0.4, 0.5, 0.6, 0.9, 0.3])
    >>> round(found.brier_score.loss, 4), round(found.logistic.slope, 2)
    (0.1517, 2.63)
    """
    level = check_confidence_level(confidence_level)
    check_integer("n_groups", n_groups, low=2)
    weights = sample_weight, weights_are, pos_label
    table, squares, read = table_with_squares(y_true, y_proba, *weights)
    test = None
    if on_training_data is not None:
        test = hosmer_lemeshow_of_table(table, n_groups, on_training_data)
    logits, sums = _one_pass(table, squares[:2] if squares is not None else None)
    brier, log, mean_sum, over, variance = sums
    hull = upper_hull(table)
    total = float(table.n_positive) + float(table.n_negative)
    return CalibrationSummary(
        as_given(total, table.weight_exponent),
        float(table.n_positive) / total,
        mean_sum / total,
        decomposition_of_sum(table, hull, "brier_score", brier),
        decomposition_of_sum(table, hull, "log_loss", log),
        logistic_of_table(table, squares, read, level=level, logits=logits),
        spiegelhalter_of_sums(over, variance, 1.0 if squares is None else squares.largest),
        test,
    )


def _one_pass(
    table: ScoreTable, squares: tuple[Floats, Floats] | None
) -> tuple[Floats, list[float]]:
    """Return the logits, and sums: both losses, the probabilities, and the two of Spiegelhalter."""
    p, classes = probabilities(table), (table.positives, table.negatives)
    logits = np.empty(len(p))
    clipped = losses_of("log_loss", table.scores.dtype)
    dtype = table.scores.dtype if table.scores.dtype.kind == "f" else np.dtype(np.float64)
    eps = float(np.finfo(dtype).eps)

    def terms(x: Floats, p: Floats, *weights: NDArray[Any]) -> list[float]:
        found = np.empty((5, len(p)))
        ours = p, np.log(p), np.log(1.0 - p), *weights, *(weights if squares is None else ())
        terms_of_rows(*ours, x, found)
        sums: list[float] = found.sum(axis=1).tolist()
        if p[0] > 1.0 - eps or p[-1] < eps:  # which the log loss cuts, and no other sum
            sums[1] = summed_losses(clipped(p), *weights[:2])
        return sums

    return logits, sums_of(terms, (logits, p, *classes, *(squares or ())))
