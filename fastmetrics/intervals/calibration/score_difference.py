"""Two models by a proper score: the paired difference, with its interval, and its parts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.models import MODELS, CheckedModels, check_models, named_scores
from fastmetrics._input.scalars import (
    WeightsAre,
    check_confidence_level,
    check_n_threads,
    check_weights_are,
)
from fastmetrics._input.scores import check_scores_array, check_unit_interval
from fastmetrics._results import ConfidenceInterval, Difference
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.calibration._probability_table import NOT_CALIBRATED
from fastmetrics.measures.calibration.score_decomposition import (
    RowScore,
    ScoreDecomposition,
    check_score,
    decomposition_of_table,
    losses_of,
)
from fastmetrics.tables.scores.score_table import ScoreTable

_NAN: Final = float("nan")


@dataclass(frozen=True, slots=True, repr=False)
class ScoreDifference(Difference):
    """The mean score of one model less that of another, on the same rows.

    Attributes
    ----------
    models : (str, str)
        Names of the two models.
    metric : str
        The name of the score, the lower the better.
    difference : float
        Mean score of the first model less that of the second.
    standard_error : float
        Of the difference.
    confidence_interval : ConfidenceInterval
        Of the difference.
    pvalue : float
        Two-sided, of the hypothesis that both have the same mean score.
    better : str or None
        The model with the lower score in these rows, by however little; None if they are equal.
    first, second : ScoreDecomposition
        The parts of either score.
    confidence_level : float
        Coverage aimed at.
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.

    Examples
    --------
    >>> y_true = [0, 0, 1, 1]
    >>> scores = {"a": [0.1, 0.4, 0.8, 0.7], "b": [0.3, 0.2, 0.6, 0.5]}
    >>> found = score_difference(y_true, scores)
    >>> round(found.difference, 4), found.better
    (-0.06, 'a')
    """

    models: tuple[str, str]
    metric: str
    difference: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    pvalue: float
    better: str | None
    first: ScoreDecomposition
    second: ScoreDecomposition
    confidence_level: float
    weights_are: WeightsAre | None

    @property
    def miscalibration(self) -> float:
        """Miscalibration of the first model less that of the second; it has no interval."""
        return self.first.miscalibration - self.second.miscalibration

    @property
    def discrimination(self) -> float:
        """Discrimination of the first model less that of the second; it has no interval."""
        return self.first.discrimination - self.second.discrimination


@documented(MODELS)
def score_difference(
    y_true: ArrayLike,
    scores: Any,
    *,
    score: str | RowScore = "brier_score",
    confidence_level: float = 0.95,
    names: tuple[str, str] | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    n_threads: int | None = None,
) -> ScoreDifference:
    """Compare the probabilities of two models by a proper score, and by its CORP parts.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    scores : mapping of str to array-like of shape (n_samples,), or data frame
        Probabilities of two models, in [0, 1], by their names. An array of shape (n_samples, 2)
        needs `names`.
    score : {"brier_score", "log_loss"} or callable, default="brier_score"
        As in `score_decomposition`.

    Returns
    -------
    ScoreDifference
        The difference of the mean scores with its interval; those of the parts without.

    Raises
    ------
    ValueError
        If there are not two models, or a probability lies outside [0, 1].

    Warns
    -----
    UndefinedMetricWarning
        If there are fewer than two rows, or a score is infinite: there is no interval then.
    DegenerateDataWarning
        If the scores of all rows differ by the same, as those of the same model do: the interval is
        a point.

    Notes
    -----
    The score of each row differs between the models by d. The mean of d has Student's interval, of
    as many degrees of freedom as there are rows, less one; with importances w the variance is
    sum w**2 (d - mean)**2 / (sum w)**2. Its coverage is in ``docs/coverage.md``: right for the
    Brier score, and for a log loss that no single row dominates.

    Parts have no interval. Isotonic recalibration fits each sample better than the truth, the more
    the less there is to find: the bias is not the same for two models, and percentile intervals of
    a difference in miscalibration miss it.

    References
    ----------
    Dimitriadis, T., Gneiting, T., & Jordan, A. I. (2021). Stable reliability diagrams for
    probabilistic classifiers. PNAS 118(8), e2016191118. Diebold, F. X., & Mariano, R. S. (1995).
    Comparing predictive accuracy. Journal of Business & Economic Statistics 13(3), 253-263.

    Examples
    --------
    >>> y_true = [0, 0, 1, 1]
    >>> scores = {"a": [0.1, 0.4, 0.8, 0.7], "b": [0.3, 0.2, 0.6, 0.5]}
    >>> found = score_difference(y_true, scores)
    >>> [round(limit, 3) for limit in found.confidence_interval], round(found.pvalue, 3)
    ([-0.258, 0.138], 0.406)
    """
    level = check_confidence_level(confidence_level)
    check_n_threads(n_threads)
    check_score(score)
    read = check_weights_are(sample_weight, weights_are)
    given = named_scores(scores, names, at_least=2)
    if len(given) != 2:
        raise InputError(f"`scores` must name two models: got {len(given)}")
    for one in given:  # rows of weight 0 too, which are left out below
        check_unit_interval(
            check_scores_array(one.values, one.argument), one.argument, NOT_CALIBRATED
        )
    models = check_models(
        y_true, given, sample_weight=sample_weight, weights_are=read, pos_label=pos_label
    )
    first, second = (
        decomposition_of_table(
            ScoreTable.from_rows(models.rows_of(k), n_threads=n_threads), score, n_threads
        )
        for k in (0, 1)
    )
    difference, error, n = _difference(models, score, read)
    if math.isnan(error):
        warn_user(
            "a difference in scores has no interval with fewer than two rows, or infinite scores",
            UndefinedMetricWarning,
        )
    elif error == 0.0:
        warn_user(
            f"the scores of '{models.names[0]}' and '{models.names[1]}' differ by {difference:g} "
            "in each row: the interval is a point, and does not say how sure it is",
            DegenerateDataWarning,
        )
    interval, pvalue = _student(difference, error, n - 1, level)
    better = None if not difference else models.names[int(difference > 0)]
    return ScoreDifference(
        (models.names[0], models.names[1]),
        first.metric,
        difference,
        error,
        interval,
        pvalue,
        better,
        first,
        second,
        level,
        read,
    )


def _difference(
    models: CheckedModels, score: str | RowScore, read: WeightsAre | None
) -> tuple[float, float, float]:
    """Return the mean difference, its standard error, and the number of rows."""
    is_positive = models.rows.labels == 1
    columns = (_losses(score, column, is_positive) for column in models.scores)
    with np.errstate(invalid="ignore"):
        losses = np.subtract(*columns)
    weights = np.ones(len(losses)) if models.rows.weights is None else models.rows.weights
    total = float(weights.sum())
    mean = float((weights * losses).sum()) / total
    n = total if read == "frequencies" else float(len(losses))
    if not math.isfinite(mean) or n < 2:
        return mean, _NAN, n
    squares = (losses - mean) ** 2
    if read == "importances":
        shares = weights / total
        return mean, math.sqrt(float((shares**2 * squares).sum()) * n / (n - 1)), n
    return mean, math.sqrt(float((weights * squares).sum()) / (n * (n - 1))), n


def _losses(
    score: str | RowScore, column: NDArray[Any], is_positive: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the score of each row."""
    with np.errstate(all="ignore"):
        both = losses_of(score, column.dtype)(column.astype(np.float64, copy=False))
    return np.where(is_positive, *both)


def _student(
    estimate: float, error: float, df: float, level: float
) -> tuple[ConfidenceInterval, float]:
    """Return Student's interval and the p-value of no difference."""
    if math.isnan(error):
        return ConfidenceInterval(_NAN, _NAN), _NAN
    from scipy.special import stdtr, stdtrit

    half = float(stdtrit(df, (1.0 + level) / 2.0)) * error
    interval = ConfidenceInterval(estimate - half, estimate + half)
    if error == 0.0:
        return interval, 1.0 if estimate == 0.0 else 0.0
    return interval, 2.0 * float(stdtr(df, -abs(estimate) / error))
