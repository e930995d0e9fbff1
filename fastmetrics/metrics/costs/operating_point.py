"""Thresholds for given costs: the cheapest one, net benefit, and costs that vary by row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_flag, check_fraction
from fastmetrics._input.scores import check_prevalence, check_probabilities, float_thresholds
from fastmetrics._plots._style import escape_name, model_label
from fastmetrics._plots.curves import PLOTTED, Guide, Mark, PlotCurve, draw_curves
from fastmetrics._results import OwnArrays, Result
from fastmetrics.errors import InputError, renamed
from fastmetrics.metrics._metric import Floats, RowInfluences
from fastmetrics.tables.cost_table import COSTED, CostTable, cost_table
from fastmetrics.tables.score_table import (
    BOTH_CLASSES,
    SCORED,
    ScoreTable,
    as_table,
    is_called_positive,
    lacks_one,
    real_threshold,
)


@documented(BOTH_CLASSES)
def net_benefit(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    threshold: float,
    standardized: bool = False,
    prevalence: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the net benefit of treating everyone with at least a threshold probability.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ScoreTable
        Binary labels; or a table, and then `y_proba` is left out.
    y_proba : array-like of shape (n_samples,), optional
        Probabilities of the positive class, in [0, 1].
    threshold : float
        The threshold probability t, in (0, 1): at which treating is worth it. It says what an
        unnecessary treatment costs: t / (1 - t) of a necessary one's benefit.
    standardized : bool, default=False
        Whether to divide by the prevalence, the net benefit of a perfect model.
    prevalence : float, optional
        Share of positives, in (0, 1), as for a case-control study; None: that of the data.

    Returns
    -------
    float
        ``TP/n - FP/n * t / (1 - t)``: in true positives a person, those who are treated in vain
        discounted.

    Raises
    ------
    ValueError
        If the data are not binary labels, a probability is outside [0, 1], or the threshold or the
        prevalence is not in (0, 1).

    Notes
    -----
    Treating nobody has net benefit 0; treating all, prevalence - (1 - prevalence) t / (1 - t).
    `decision_curve` has both beside that of models, with confidence bands. One sort, or O(distinct
    scores) from a table.

    References
    ----------
    Vickers, A. J. & Elkin, E. B. (2006). Decision curve analysis: a novel method for evaluating
    prediction models. Medical Decision Making 26(6), 565-574.

    Examples
    --------
    >>> net_benefit([0, 0, 1, 1, 0], [0.1, 0.3, 0.25, 0.8, 0.4], threshold=0.2)
    0.3
    """
    at = check_fraction("threshold", threshold)
    weight = check_prevalence(prevalence)
    if not isinstance(y_true, ScoreTable):
        y_proba = check_probabilities(y_proba)
    with renamed(y_score="y_proba"):
        table = as_table(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label)
    if len(table) and (table.scores[0] > 1 or table.scores[-1] < 0):
        low, high = table.scores[-1].item(), table.scores[0].item()
        raise InputError(f"the scores of the table must lie in [0, 1]: from {low!r} to {high!r}")
    if lacks_one(table.n_positive > 0, table.n_negative > 0, "the net benefit"):
        return math.nan
    called = int(is_called_positive(table.scores, at).sum())
    tp = float(table.positives[:called].sum())
    fp = float(table.negatives[:called].sum())
    odds = at / (1.0 - at)
    n = table.n_positive + table.n_negative
    if weight is None:
        benefit = (tp - fp * odds) / n
        weight = table.n_positive / n
    else:
        benefit = weight * tp / table.n_positive - (1.0 - weight) * fp / table.n_negative * odds
    return float(benefit / weight if check_flag("standardized", standardized) else benefit)


def threshold_influences(
    _: str,
    classes: NDArray[Any],
    p: NDArray[Any],
    weights: Floats | None,
    *,
    threshold: float,
    standardized: bool = False,
    prevalence: float | None = None,
) -> RowInfluences:
    """Return net benefit at a threshold probability with the influence of each row."""
    at = check_fraction("threshold", threshold)
    called = is_called_positive(p, at)
    value, influences = net_benefit_influences(
        classes == 1, called, weights, at / (1.0 - at), standardized, check_prevalence(prevalence)
    )
    return RowInfluences(float(value), influences)


def net_benefit_influences(
    positive: NDArray[np.bool_],
    called: NDArray[np.bool_],
    weights: NDArray[Any] | None,
    odds: Any,
    standardized: bool,
    prevalence: float | None,
) -> tuple[Floats, Floats]:
    """Return net benefit and the influence of each row, for one rule or several.

    ``called`` of shape (..., n) holds the predicted positives of each rule; ``odds``, the cost of a
    false positive, is a scalar or of shape (..., 1).
    """
    if prevalence is None and (positive.all() or not positive.any()):
        shape = called.shape
        return np.full(shape[:-1], math.nan), np.full(shape, math.nan)
    gains = np.where(called, np.where(positive, 1.0, -odds), 0.0)
    value, influences = class_mean_influences(positive, gains, weights, prevalence)
    if not standardized:
        return value, influences
    if prevalence is not None:
        return value / prevalence, influences / prevalence
    rate, rate_influences = class_mean_influences(
        positive, positive.astype(np.float64), weights, None
    )
    value = value / rate
    return value, (influences - value[..., None] * rate_influences) / rate


def class_mean_influences(
    positive: NDArray[np.bool_],
    terms: Floats,
    weights: NDArray[Any] | None,
    prevalence: float | None,
) -> tuple[Floats, Floats]:
    """Return means of terms of shape (..., n) and influences, over rows or at a prevalence."""
    value = np.zeros(terms.shape[:-1])
    influences = np.empty(terms.shape)
    strata: list[tuple[Any, float]] = [(slice(None), 1.0)]
    if prevalence is not None:
        strata = [(positive, prevalence), (~positive, 1.0 - prevalence)]
    for members, proportion in strata:
        local = terms[..., members]
        counted = np.ones(local.shape[-1]) if weights is None else weights[members]
        total = float(counted.sum())
        with np.errstate(invalid="ignore"):  # of no row: nan
            mean = np.asarray(np.sum(local * counted, axis=-1) / np.float64(total))
            influences[..., members] = proportion * (local - mean[..., None]) / np.float64(total)
        value = value + proportion * mean
    return value, influences


_NAN = math.nan
_ANY_THRESHOLD = """
Parameters
----------
threshold : int or float
    Any real number, infinities included.
"""


@dataclass(frozen=True, slots=True, repr=False)
class ThresholdCosts(OwnArrays, Result):
    """The expected cost of an example at every threshold, and the cheapest of them.

    Attributes
    ----------
    threshold : int or float
        The cheapest: call positive what scores at least this; inf calls nothing positive. Of
        equally cheap ones, the highest.
    cost : float
        Its cost on these data. It is the least of many: too low, on average, for new data, where
        `cost_at` of this threshold tells what it costs.
    cost_at_half : float
        Of the threshold 0.5; nan where scores leave [0, 1] and 0.5 has no meaning.
    cost_all_positive, cost_all_negative : float
        Of calling everything positive, and nothing.
    thresholds : ndarray of shape (n_distinct + 1,)
        inf, then the distinct scores, descending, of costs by row those where a mistake costs
        anything; read-only. Whole scores beyond 2^53 are rounded here, and by `cost_at`;
        `threshold` is exact.
    costs : ndarray of shape (n_distinct + 1,)
        The expected cost at each; read-only.
    prevalence : float or None
        The share of positives that was assumed; None for that of the data.
    """

    threshold: int | float
    cost: float
    cost_at_half: float
    cost_all_positive: float
    cost_all_negative: float
    thresholds: NDArray[Any]
    costs: NDArray[np.float64]
    prevalence: float | None

    @property
    def savings(self) -> float:
        """1 - the least cost / that of the cheaper trivial rule; 0 where no threshold beats it."""
        return relative_savings(self.cost, self.cost_all_positive, self.cost_all_negative)

    @documented(_ANY_THRESHOLD)
    def cost_at(self, threshold: float) -> float:
        """Return the expected cost of any threshold on these data.

        Returns
        -------
        float
            Of the rule score >= threshold. Where the threshold was chosen on other data, an
            honest estimate.

        Examples
        --------
        >>> chosen = threshold_costs([0, 1, 0, 1], [0.1, 0.4, 0.5, 0.9], cost_fn=3, cost_fp=1)
        >>> fresh = threshold_costs([0, 1, 1, 0], [0.2, 0.3, 0.8, 0.6], cost_fn=3, cost_fp=1)
        >>> chosen.threshold, chosen.cost, fresh.cost_at(chosen.threshold)
        (0.4, 0.25, 1.0)
        """
        checked = real_threshold(threshold)
        if not len(self.thresholds):
            return _NAN
        called = is_called_positive(self.thresholds[1:], checked)
        return float(self.costs[int(np.count_nonzero(called))])

    @documented(_ANY_THRESHOLD)
    def savings_at(self, threshold: float) -> float:
        """Return the savings of a threshold, relative to the cost of the cheaper trivial rule.

        Returns
        -------
        float
            1 - cost / that of calling everything positive, or nothing; negative where the
            threshold is dearer than that; nan where a trivial rule is free.
        """
        cost = self.cost_at(threshold)
        return relative_savings(cost, self.cost_all_positive, self.cost_all_negative)

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the expected cost against the threshold, with the trivial rules."""
        at, costs = (np.asarray(of[:0:-1], np.float64) for of in (self.thresholds, self.costs))
        cheapest = f"cheapest: {self.cost:.4g} at {self.threshold:.4g}"
        marks = (Mark(float(self.threshold), self.cost, model_label(name, cheapest)),)
        curve = PlotCurve(at, costs, escape_name(name or "the model"), drawstyle="steps-pre")
        if math.isfinite(self.threshold):
            curve = curve._replace(marks=marks)
        ends = at[[0, -1]] if len(at) else at
        guides = [
            Guide(ends, np.full(len(ends), cost), f"{rule}: {cost:.4g}", dashes)
            for rule, cost, dashes in (
                ("all positive", self.cost_all_positive, "--"),
                ("all negative", self.cost_all_negative, ":"),
            )
        ]
        labels = ("threshold t (positive: score ≥ t)", "cost per example")
        return draw_curves([curve], guides, labels, ax, options=line_options)


@documented(SCORED, COSTED, BOTH_CLASSES)
def threshold_costs(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    cost_fn: ArrayLike,
    cost_fp: ArrayLike,
    prevalence: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> ThresholdCosts:
    """Compute the expected cost of an example at every threshold, given the costs of errors.

    Returns
    -------
    ThresholdCosts
        The costs, the cheapest threshold, and what the trivial rules and 0.5 cost.

    Notes
    -----
    The cost of a threshold is the sum of ``cost_fn`` over the positives below it and of
    ``cost_fp`` over the negatives at or above it, divided by the number of rows (with weights,
    of weighted terms by the sum of weights). With a ``prevalence`` p it is p times the mean cost of
    a positive and 1 - p times that of a negative. Right decisions cost nothing: where they do,
    subtract their cost from that of the mistake on the same row.

    Multiplying all costs by a number multiplies every cost here, and changes no decision. Whole
    costs (cents) without a prevalence are summed as integers; others are equal where rounding
    (2^-50, relatively) cannot tell them apart. So no tie is decided by rounding.

    **The least cost on the data that chose the threshold is too low**: of many noisy numbers it is
    the smallest. Choose on one sample and ask another one, with `ThresholdCosts.cost_at`; or see
    `threshold_cost_interval`, which leaves each row out in turn.

    One sort, then O(distinct scores) time and memory.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI 2001, 973-978.
    Bahnsen, A. C., Aouada, D. & Ottersten, B. (2015). Example-dependent cost-sensitive decision
    trees. Expert Systems with Applications 42(19) (savings).

    Examples
    --------
    >>> amounts = [20, 900, 40, 35, 60, 250]
    >>> y_true, y_score = [0, 1, 0, 0, 0, 1], [0.1, 0.3, 0.5, 0.2, 0.6, 0.9]
    >>> result = threshold_costs(y_true, y_score, cost_fn=amounts, cost_fp=15)
    >>> result.threshold, result.cost, result.cost_at_half
    (0.3, 5.0, 155.0)
    >>> result.cost_all_positive, result.savings
    (10.0, 0.5)
    """
    table = cost_table(
        y_true,
        y_score,
        cost_fn=cost_fn,
        cost_fp=cost_fp,
        prevalence=prevalence,
        sample_weight=sample_weight,
        pos_label=pos_label,
    )
    if lacks_one(table.n_positive > 0, table.n_negative > 0, "the cost of a threshold"):
        nothing = np.empty(0)
        return ThresholdCosts(_NAN, _NAN, _NAN, _NAN, _NAN, nothing, nothing, table.prevalence)
    best = table.best()
    costs = np.asarray(table.cost_at(slice(None)))
    return ThresholdCosts(
        threshold=table.threshold_at(best),
        cost=float(costs[best]),
        cost_at_half=cost_at_half(table),
        cost_all_positive=float(costs[-1]),
        cost_all_negative=float(costs[0]),
        thresholds=float_thresholds(table.scores),
        costs=costs,
        prevalence=table.prevalence,
    )


def cost_at_half(table: CostTable) -> float:
    """Return the cost of the threshold 0.5, nan where the scores are no probabilities."""
    if table.scores[0] > 1 or table.scores[-1] < 0:
        return _NAN
    return float(table.cost_at(table.row_at(0.5)))


def relative_savings(cost: float, all_positive: float, all_negative: float) -> float:
    """Return 1 - cost / that of the cheaper trivial rule; nan where that rule is free."""
    trivial = min(all_positive, all_negative)
    return 1.0 - cost / trivial if trivial > 0 else _NAN
