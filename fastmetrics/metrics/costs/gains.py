"""Cumulative gain, lift and Lorenz curves, and the Gini coefficients that follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.rows import check_binary
from fastmetrics._input.scalars import check_choice, check_flag, check_fraction, check_same_length
from fastmetrics._input.scores import check_scores_array, check_weights, float_thresholds
from fastmetrics._plots._style import escape_name, model_label
from fastmetrics._plots.curves import PLOTTED, Guide, PlotCurve, draw_curves
from fastmetrics._results import OwnArrays, Result
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.tables.ordering import RowOrder, row_order
from fastmetrics.tables.pairs import count_pairs, pairs_of_weights
from fastmetrics.tables.score_table import (
    BOTH_CLASSES,
    SCORED_BINARY,
    Floats,
    ScoreTable,
    as_table,
    lacks_one,
    running_sum,
)

_LORENZ = """
Parameters
----------
y_true : array-like of shape (n_samples,)
    Outcomes, not negative, by unit of exposure where there are weights (claims a year).
y_pred : array-like of shape (n_samples,)
    Predictions, which only order the rows.
sample_weight : array-like of shape (n_samples,), optional
    Exposure of each row (years insured), not negative: a row's outcome counts times it.

Raises
------
TypeError, ValueError
    If an outcome is negative or not finite, a prediction is not finite, or lengths differ.

Warns
-----
UndefinedMetricWarning
    If all outcomes are 0: nan.
"""


@dataclass(frozen=True, slots=True, repr=False)
class LorenzCurve(OwnArrays, Result):
    """The cumulative proportion of outcomes, rows ordered by ascending prediction.

    Attributes
    ----------
    exposure : ndarray of shape (n_distinct + 1,)
        Share of the exposure (rows, without weights), lowest predictions first; read-only.
    share : ndarray of shape (n_distinct + 1,)
        Share of the outcomes that it holds; read-only.
    gini : float
        1 - twice the area under the curve: 0 for predictions that tell nothing.
    normalized_gini : float
        The same over that of the outcomes themselves as predictions: 1 for the perfect order.
    """

    exposure: Floats
    share: Floats
    gini: float
    normalized_gini: float

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the curve, with the diagonal of predictions that tell nothing."""
        default_label = f"Gini {self.gini:.3g} ({self.normalized_gini:.3g} of the best)"
        curve = PlotCurve(self.exposure, self.share, model_label(name, default_label))
        labels = ("share of exposure, lowest first", "share of outcomes")
        equal = Guide((0.0, 1.0), (0.0, 1.0), "no information")
        return draw_curves([curve], [equal], labels, ax, options=line_options)


@documented(_LORENZ)
def lorenz_curve(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> LorenzCurve:
    """Compute the Lorenz curve of outcomes ordered by their predictions, and its Gini.

    Returns
    -------
    LorenzCurve
        Its points, the Gini and the normalized Gini.

    Notes
    -----
    Rows of one prediction move together, along a straight line: the mean over their orders, where
    other implementations let the input order decide. The Gini is 2 A - 1 with A the AUC of
    exposure against outcomes. Two sorts, on all cores.

    References
    ----------
    Frees, E. W., Meyers, G. & Cummings, A. D. (2011). Summarizing insurance scores using a Gini
    index. Journal of the American Statistical Association 106, 1085-1098.

    Examples
    --------
    >>> result = lorenz_curve([0, 3, 1, 0], [0.2, 0.9, 0.1, 0.4], sample_weight=[1, 1, 1, 2])
    >>> result.exposure, result.share
    (array([0. , 0.2, 0.4, 0.8, 1. ]), array([0.  , 0.25, 0.25, 0.25, 1.  ]))
    >>> round(result.gini, 12), round(result.normalized_gini, 12)
    (0.4, 0.571428571429)
    """
    outcomes = check_scores_array(y_true, "y_true")
    predicted = check_scores_array(y_pred, "y_pred")
    check_same_length(y_true=outcomes, y_pred=predicted)
    if outcomes.min() < 0:
        at = int(np.argmax(outcomes < 0))
        raise InputError(f"`y_true` must not be negative: {outcomes[at].item()!r} at index {at}")
    amounts = outcomes.astype(np.float64, copy=False)
    exposure = None
    if sample_weight is not None:
        exposure = check_weights(sample_weight, len(outcomes)).values
        amounts = amounts * exposure
    if not amounts.any():
        warn_user("the Gini is not defined: all outcomes are 0", UndefinedMetricWarning)
        nothing = np.full(2, math.nan)
        return LorenzCurve(nothing, nothing, math.nan, math.nan)
    amounts = check_weights(amounts, len(amounts), "y_true").values
    x, y = _curve(predicted, amounts, exposure)
    gini = _gini(x, y)
    best = _gini(*_curve(outcomes, amounts, exposure))
    return LorenzCurve(x, y, gini, gini / best if best > 0 else math.nan)


@documented(_LORENZ)
def lorenz_gini(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalized: bool = True,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the (normalized) Gini of outcomes ordered by their predictions.

    Parameters
    ----------
    normalized : bool, default=True
        Whether to divide by the Gini of the perfect order.

    Returns
    -------
    float
        1 for the perfect order, 0 for none, negative for a wrong one; nan where all outcomes are
        equal.

    See Also
    --------
    gini_coefficient : The same of two classes, from counts of pairs.

    Notes
    -----
    See `lorenz_curve`. Of outcomes 0 and 1, the normalized Gini is 2 AUC - 1.

    Examples
    --------
    >>> lorenz_gini([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8])
    1.0
    >>> round(lorenz_gini([1, 2, 3], [3, 3, 1]), 12)
    -0.75
    """
    curve = lorenz_curve(y_true, y_pred, sample_weight=sample_weight)
    if (
        check_flag("normalized", normalized)
        and math.isnan(curve.normalized_gini)
        and not math.isnan(curve.gini)
    ):
        warn_user(
            "the normalized Gini is not defined: all outcomes are equal", UndefinedMetricWarning
        )
    return curve.normalized_gini if normalized else curve.gini


def _curve(keys: NDArray[Any], amounts: Floats, exposure: Floats | None) -> tuple[Floats, Floats]:
    """Return the cumulative fractions of exposure and of outcomes by distinct key, from 0."""
    order = row_order(keys)
    outcomes = _sum_runs(order, amounts)
    if exposure is None:
        return order.starts / len(keys), _cumulative_fractions(outcomes)
    exposures = _sum_runs(order, exposure)
    counts = exposures > 0
    if not counts.all():
        exposures, outcomes = (sums[counts] for sums in (exposures, outcomes))
    return _cumulative_fractions(exposures), _cumulative_fractions(outcomes)


def _sum_runs(order: RowOrder, values: Floats) -> Floats:
    """Return the sums over the rows of each distinct key, the lowest key first."""
    ordered = values[order.rows]
    if order.n_distinct == len(values):
        return ordered
    return np.asarray(np.add.reduceat(ordered, order.starts[:-1]))


def _cumulative_fractions(values: Floats) -> Floats:
    sums = running_sum(np.append(0.0, values))
    sums /= sums[-1]
    return sums


def _gini(x: Floats, y: Floats) -> float:
    """Return 1 - twice the area under straight lines from point to point."""
    return 1.0 - float(np.sum(np.diff(x) * (y[1:] + y[:-1])))


@documented(SCORED_BINARY, BOTH_CLASSES)
def gini_coefficient(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the Gini coefficient of scores, 2 AUC - 1: the accuracy ratio.

    Returns
    -------
    float
        In [-1, 1]: 0 for scores without information; nan where a class is missing.

    See Also
    --------
    somers_d : The same of labels that are numbers.
    lorenz_gini : The same of labels 0 and 1, of outcomes that are amounts too.
    rank_loss : Half of what it lacks: Gini = 1 - 2 rank loss.

    Notes
    -----
    Also Somers' D of the scores given the labels. Costs what the AUC does. Counts of
    pairs are divided once: it is the double nearest to the rational, near 0 too, where 2 AUC - 1
    loses digits.

    Examples
    --------
    >>> gini_coefficient([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    if isinstance(y_true, ScoreTable):
        table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
        pairs = pairs_of_weights(table.positives, table.negatives)
    else:
        rows = check_binary(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
        pairs = count_pairs(rows)
    if not (pairs.n_positive > 0 and pairs.n_negative > 0):
        warn_user(
            "the Gini coefficient is not defined: there is one class only", UndefinedMetricWarning
        )
        return math.nan
    if isinstance(pairs.twice_concordant, int):
        won = pairs.twice_concordant - pairs.twice_discordant
        return float(won / (2 * pairs.n_positive * pairs.n_negative))
    return pairs.auc - pairs.rank_loss


#: Points in equal ratios added to the drawn lift: its error is below a pixel.
_BETWEEN: Final = 1_000
_WARNS = """
Warns
-----
UndefinedMetricWarning
    If there is no positive example: nan.
"""
_FRACTION = """
Parameters
----------
fraction : float
    Share of the rows (or of their weight) that is taken from the top, in (0, 1].

Raises
------
ValueError
    If the fraction is not in (0, 1].
"""


@dataclass(frozen=True, slots=True, repr=False)
class GainsCurve(OwnArrays, Result):
    """The proportion of positives among the highest scores, by the proportion of rows taken.

    Attributes
    ----------
    fraction : ndarray of shape (n_distinct + 1,)
        Share of the rows that score at least each threshold, rising from 0 to 1; read-only.
    gain : ndarray of shape (n_distinct + 1,)
        Share of the positives among them; between two points it is linear, as the expectation
        over the orders of a tie is. Read-only.
    thresholds : ndarray of shape (n_distinct + 1,)
        inf, then the distinct scores, descending; read-only.
    prevalence : float
        Share of positives.
    """

    fraction: Floats
    gain: Floats
    thresholds: NDArray[Any]
    prevalence: float

    @property
    def lift(self) -> Floats:
        """Gain / fraction: how many times the base rate the top holds; nan at fraction 0."""
        with np.errstate(invalid="ignore"):
            lift: Floats = self.gain / self.fraction
        return lift

    @documented(PLOTTED)
    def plot(
        self,
        ax: Any = None,
        *,
        kind: Literal["gain", "lift"] = "gain",
        name: str | None = None,
        **line_options: Any,
    ) -> Any:
        """Draw cumulative gain or lift against the proportion of rows taken.

        Parameters
        ----------
        kind : {"gain", "lift"}, default="gain"
            Which of the two.
        """
        check_choice("kind", kind, ("gain", "lift"))
        label = escape_name(name or "the model")
        prevalence = self.prevalence
        labels = ("highest-scored share of rows", "share of positives")
        if kind == "gain":
            best = np.array([0.0, prevalence, 1.0])
            perfect = np.array([0.0, 1.0, 1.0])
            x = self.fraction
            y = self.gain
            random = (0.0, 1.0)
        else:
            # Between two points gain is linear, and lift is not.
            best = (
                np.append(0.0, np.geomspace(prevalence, 1.0, 200))
                if prevalence > 0.0
                else np.empty(0)
            )
            perfect = 1.0 / np.maximum(best, prevalence)
            random = (1.0, 1.0)
            between = np.geomspace(self.fraction[1], 1.0, _BETWEEN)
            x = np.union1d(self.fraction[1:], between)
            y = np.interp(x, self.fraction, self.gain) / x
            x = np.append(0.0, x)
            y = np.append(y[0], y)
            labels = (labels[0], "lift")
        guides = [Guide(best, perfect, "perfect"), Guide((0.0, 1.0), random, "random", ":")]
        return draw_curves([PlotCurve(x, y, label)], guides, labels, ax, options=line_options)


@documented(SCORED_BINARY, _WARNS)
def gains_curve(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> GainsCurve:
    """Compute the cumulative gain curve: positives found by the proportion of rows taken.

    Returns
    -------
    GainsCurve
        Its points, one for each distinct score, with `lift` and a plot.

    Notes
    -----
    Also called CAP or power curve. One sort, then O(distinct scores).

    Examples
    --------
    >>> result = gains_curve([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.7, 0.1])
    >>> result.fraction, result.gain
    (array([0. , 0.2, 0.4, 0.8, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    >>> result.lift[1:]
    array([2.5 , 1.25, 1.25, 1.  ])
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    nothing = lacks_one(table.n_positive > 0, True, "the gains curve")
    tp, fp = (
        np.concatenate(([0.0], column.astype(np.float64)))
        for column in (table.true_positives, table.false_positives)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        fraction = (tp + fp) / (tp[-1] + fp[-1])
        gain = tp / tp[-1]
    if nothing:
        gain = np.full(len(tp), math.nan)
    thresholds = float_thresholds(table.scores)
    return GainsCurve(fraction, gain, thresholds, float(tp[-1] / (tp[-1] + fp[-1])))


@documented(SCORED_BINARY, _FRACTION, _WARNS)
def cumulative_gain(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    fraction: float,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the proportion of positives in a proportion of the rows, from the top.

    Returns
    -------
    float
        In [0, 1]. Where the cut goes through tied scores, the mean over all their orders; where it
        goes through a row, that part of the row.

    Notes
    -----
    One sort, then one pass. Without weights every count is an integer, and the result is the double
    nearest to the rational.

    Examples
    --------
    >>> cumulative_gain([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.7, 0.1], fraction=0.6)
    0.75
    """
    at = check_fraction("fraction", fraction, include_high=True)
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_one(table.n_positive > 0, True, "the cumulative gain"):
        return math.nan
    return float(_gain(table, at))


@documented(SCORED_BINARY, _FRACTION, _WARNS)
def lift_score(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    fraction: float,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the rate of positives among the highest scores over the overall rate.

    Returns
    -------
    float
        `cumulative_gain` / fraction: 1 for random scores, at most 1 / fraction and 1 / prevalence.

    Notes
    -----
    Ties and fractions of a row as in `cumulative_gain`. One sort, then one pass.

    Examples
    --------
    >>> lift_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.7, 0.1], fraction=0.2)
    2.5
    """
    at = check_fraction("fraction", fraction, include_high=True)
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_one(table.n_positive > 0, True, "the lift"):
        return math.nan
    return float(_gain(table, at) / Fraction(at))


def _gain(table: ScoreTable, fraction: float) -> Fraction:
    """Return the proportion of positives in the top, exact where there are no weights."""
    tp, fp = table.true_positives, table.false_positives
    if table.is_weighted:
        called = np.concatenate(([0.0], tp + fp))
        gains = np.concatenate(([0.0], tp))
        return Fraction(float(np.interp(fraction * called[-1], called, gains) / tp[-1]))
    n_top = Fraction(fraction) * (int(tp[-1]) + int(fp[-1]))
    # The number of scores of which all rows are taken.
    row = int(np.searchsorted(tp + fp, math.floor(n_top), side="right"))
    before = (int(tp[row - 1]), int(fp[row - 1])) if row else (0, 0)
    gained = Fraction(before[0])
    if row < len(tp):
        positives, negatives = int(table.positives[row]), int(table.negatives[row])
        gained += (n_top - sum(before)) * Fraction(positives, positives + negatives)
    return gained / int(tp[-1])
