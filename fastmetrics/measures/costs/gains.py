"""Cumulative gain and lift: what share of the positives the highest scores hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_fraction
from fastmetrics._input.scores import float_thresholds
from fastmetrics._plots._style import shown_name
from fastmetrics._plots.curves import PLOTTED, Curve, Guide, draw_curves
from fastmetrics._results import OwnArrays, Result
from fastmetrics.tables.score_table import SCORED_BINARY, Floats, ScoreTable, as_table, lacks_one

#: Places, in equal ratios, where lift is drawn beside its points: off by less than a pixel.
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
    """The share of the positives among the highest scores, by the share of rows taken.

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
            found: Floats = self.gain / self.fraction
        return found

    @documented(PLOTTED)
    def plot(
        self,
        ax: Any = None,
        *,
        kind: Literal["gain", "lift"] = "gain",
        name: str | None = None,
        **line_options: Any,
    ) -> Any:
        """Draw cumulative gain or lift against the share of rows taken.

        Parameters
        ----------
        kind : {"gain", "lift"}, default="gain"
            Which of the two.
        """
        check_choice("kind", kind, ("gain", "lift"))
        label, share = shown_name(name or "the model"), self.prevalence
        labels = ("highest-scored share of rows", "share of positives")
        if kind == "gain":
            best, perfect = np.array([0.0, share, 1.0]), np.array([0.0, 1.0, 1.0])
            x, y, random = self.fraction, self.gain, (0.0, 1.0)
        else:
            # Between two points gain is linear, and lift is not.
            best = np.append(0.0, np.geomspace(share, 1.0, 200)) if share > 0.0 else np.empty(0)
            perfect, random = 1.0 / np.maximum(best, share), (1.0, 1.0)
            between = np.geomspace(self.fraction[1], 1.0, _BETWEEN)
            x = np.union1d(self.fraction[1:], between)
            y = np.interp(x, self.fraction, self.gain) / x
            x, y = np.append(0.0, x), np.append(y[0], y)
            labels = (labels[0], "lift")
        guides = [Guide(best, perfect, "perfect"), Guide((0.0, 1.0), random, "random", ":")]
        return draw_curves([Curve(x, y, label)], guides, labels, ax, options=line_options)


@documented(SCORED_BINARY, _WARNS)
def gains_curve(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> GainsCurve:
    """Compute the cumulative gain curve: the share of positives found by the share of rows taken.

    Returns
    -------
    GainsCurve
        Its points, one for each distinct score, with `lift` and a plot.

    Notes
    -----
    Also called CAP or power curve. One sort, then O(distinct scores).

    Examples
    --------
    >>> found = gains_curve([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.7, 0.1])
    >>> found.fraction, found.gain
    (array([0. , 0.2, 0.4, 0.8, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    >>> found.lift[1:]
    array([2.5 , 1.25, 1.25, 1.  ])
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    nothing = lacks_one(table.n_positive > 0, True, "the gains curve")
    tp, fp = (
        np.concatenate(([0.0], column.astype(np.float64)))
        for column in (table.true_positives, table.false_positives)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        fraction, gain = (tp + fp) / (tp[-1] + fp[-1]), tp / tp[-1]
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
    """Compute the share of the positives that a share of the rows, from the top, holds.

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
    """Compute how many times as frequent positives are among the highest scores as overall.

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
    """Return the share of positives in the top, exact where there are no weights."""
    tp, fp = table.true_positives, table.false_positives
    if table.is_weighted:
        called = np.concatenate(([0.0], tp + fp))
        gained = np.concatenate(([0.0], tp))
        return Fraction(float(np.interp(fraction * called[-1], called, gained) / tp[-1]))
    wanted = Fraction(fraction) * (int(tp[-1]) + int(fp[-1]))
    # The last score of which all rows are taken: called <= wanted.
    row = int(np.searchsorted(tp + fp, math.floor(wanted), side="right"))
    before = (int(tp[row - 1]), int(fp[row - 1])) if row else (0, 0)
    found = Fraction(before[0])
    if row < len(tp):
        positives, negatives = int(table.positives[row]), int(table.negatives[row])
        found += (wanted - sum(before)) * Fraction(positives, positives + negatives)
    return found / int(tp[-1])
