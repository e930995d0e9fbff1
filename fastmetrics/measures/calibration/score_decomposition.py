"""Mean scores and their CORP parts: miscalibration, discrimination, uncertainty."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice
from fastmetrics._results import OneNumber
from fastmetrics._threads.workers import at_most
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures.calibration._probability_table import (
    CALIBRATED,
    Floats,
    minus_logs,
    probabilities,
    probability_table,
    sums_of,
)
from fastmetrics.tables.score_table import Hull, ScoreTable, upper_hull

#: A loss of one row, by arrays: label (0.0 or 1.0) and probability to loss.
RowScore = Callable[[Floats, Floats], Any]
#: Probabilities to the loss of a positive row and that of a negative one.
Losses = Callable[[Floats], tuple[Floats, Floats]]

_LOSS: Final = """
Parameters
----------
loss : {"brier_score", "log_loss"} or callable, default="brier_score"
    A proper loss, the lower the better; a callable takes two arrays, the labels (0.0 and 1.0) and
    the probabilities, and returns the loss of each row.

Raises
------
TypeError
    If an argument is of the wrong kind.
ValueError
    If the loss of a callable is not proper: recalibrated probabilities would do worse.
"""

#: What a recalibrated loss may exceed another one by, relatively, where rounding alone did it.
_ROUNDING: Final = 2.0**-40


@dataclass(frozen=True, slots=True, repr=False)
class ScoreDecomposition(OneNumber):
    """A mean loss of probabilities, and the three parts that it is made of.

    Attributes
    ----------
    metric : str
        The name of the loss.
    loss : float
        The mean loss, the lower the better.
    miscalibration : float
        What recalibration would save: 0 for probabilities that mean what they say.
    discrimination : float
        What recalibrated probabilities save against the share of positives for every row.
    uncertainty : float
        The loss of that share: a property of the labels alone.

    Examples
    --------
    >>> ScoreDecomposition("brier_score", 0.25, 0.125, 0.125, 0.25)
    ScoreDecomposition(metric='brier_score', loss=0.25, miscalibration=0.125, ...)
    """

    _number = "loss"

    metric: str
    loss: float
    miscalibration: float
    discrimination: float
    uncertainty: float


@documented(CALIBRATED, _LOSS)
def score_decomposition(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    loss: str | RowScore = "brier_score",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> ScoreDecomposition:
    """Split a mean loss into miscalibration, discrimination and uncertainty (CORP).

    Returns
    -------
    ScoreDecomposition
        The mean loss and its parts, of which
        ``miscalibration - discrimination + uncertainty == loss``, in floats too.

    Notes
    -----
    With S the mean loss, p the probabilities, q their isotonic recalibration and r the share of
    positives: miscalibration S(p) - S(q), discrimination S(r) - S(q), uncertainty S(r). The parts
    of a proper loss are not negative. S(p), S(q) and S(r) are rounded to one grid, 2**-53 of the
    power of two above the largest of them: so that the parts add up without rounding.

    The log loss clips probabilities to the machine epsilon of their dtype, as `log_loss` does.
    Of one class discrimination is 0, and uncertainty too, but for the clipping. Intervals of the
    parts are not offered: the miscalibration of calibrated probabilities is positive in every
    sample, and percentile intervals never cover its true value, 0; nor, by the same bias, that of
    the discrimination.

    One sort, then O(distinct probabilities).

    References
    ----------
    Dimitriadis, T., Gneiting, T., & Jordan, A. I. (2021). Stable reliability diagrams for
    probabilistic classifiers. PNAS 118(8), e2016191118.

    Examples
    --------
    >>> score_decomposition([0, 0, 0, 1, 1, 1], [0.4, 0.3, 0.2, 0.1, 0.5, 0.9])
    ScoreDecomposition(metric='brier_score', loss=0.226667, miscalibration=0.101667, ...)
    """
    if not callable(loss):
        if not isinstance(loss, str):
            raise InputTypeError(f"`loss` must be a name or callable: got {type(loss).__name__}")
        check_choice("loss", loss, _NAMED)
    table = probability_table(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label)
    return decomposition_of_table(table, loss)


@documented(CALIBRATED, _LOSS)
def miscalibration(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    loss: str | RowScore = "brier_score",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the CORP miscalibration: what isotonic recalibration would save of a mean loss.

    Returns
    -------
    float
        At least 0, the smaller the better.

    Notes
    -----
    One of the parts of `score_decomposition`. In samples it is positive even of calibrated
    probabilities, and percentile intervals never cover its true value: compare models on the same
    rows.

    Examples
    --------
    >>> round(miscalibration([0, 0, 0, 1, 1, 1], [0.4, 0.3, 0.2, 0.1, 0.5, 0.9]), 7)
    0.1016667
    """
    return score_decomposition(
        y_true, y_proba, loss=loss, sample_weight=sample_weight, pos_label=pos_label
    ).miscalibration


@documented(CALIBRATED, _LOSS)
def discrimination(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    loss: str | RowScore = "brier_score",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the CORP discrimination: what recalibrated probabilities save against none at all.

    Returns
    -------
    float
        At least 0, the greater the better.

    Notes
    -----
    One of the parts of `score_decomposition`; it depends on the ranking of the rows alone.

    Examples
    --------
    >>> discrimination([0, 0, 0, 1, 1, 1], [0.4, 0.3, 0.2, 0.1, 0.5, 0.9])
    0.125
    """
    return score_decomposition(
        y_true, y_proba, loss=loss, sample_weight=sample_weight, pos_label=pos_label
    ).discrimination


def decomposition_of_table(table: ScoreTable, loss: str | RowScore) -> ScoreDecomposition:
    """Return the decomposition of a table of probabilities."""
    losses = losses_of(loss, table.scores.dtype)
    columns = probabilities(table), table.positives, table.negatives

    def terms(p: Floats, positives: NDArray[Any], negatives: NDArray[Any]) -> tuple[float]:
        return (summed_losses(losses(p), positives, negatives),)

    with at_most(None if isinstance(loss, str) else 1):  # of a user's own we know nothing
        (given,) = sums_of(terms, columns) or [math.nan]
    return decomposition_of_sum(table, upper_hull(table), loss, given)


def decomposition_of_sum(
    table: ScoreTable, hull: Hull, loss: str | RowScore, given: float
) -> ScoreDecomposition:
    """Return the decomposition of a table whose losses have been summed."""
    name = loss if isinstance(loss, str) else getattr(loss, "__name__", type(loss).__name__)
    losses = losses_of(loss, table.scores.dtype)
    total = float(table.n_positive) + float(table.n_negative)
    share = np.array([float(table.n_positive)]), np.array([float(table.n_negative)])
    means = []
    with np.errstate(all="ignore"):
        for positives, negatives in ((hull.positives, hull.negatives), share):
            both = losses(positives / (positives + negatives))
            means.append(summed_losses(both, positives, negatives) / total)
    (recalibrated, constant), given = means, given / total
    least = min(given, constant)
    if recalibrated > least + _ROUNDING * max(abs(least), abs(recalibrated)):
        raise InputError(
            f"`loss` must be proper: recalibrated probabilities have {recalibrated:.6g} of "
            f"{name}, more than {least:.6g}"
        )
    recalibrated = min(recalibrated, least)
    finite = [abs(each) for each in (given, recalibrated, constant) if math.isfinite(each)]
    exponent = math.frexp(max(finite, default=0.0))[1]
    # on a grid, so that the parts add up
    s, q, r = (_on_grid(each, exponent) for each in (given, recalibrated, constant))
    return ScoreDecomposition(name, s, s - q, r - q, r)


def losses_of(loss: str | RowScore, dtype: np.dtype[Any]) -> Losses:
    """Return the losses of a named loss, or of a user's, for probabilities of this dtype."""
    if not isinstance(loss, str):
        return lambda p: (_checked(loss, 1.0, p), _checked(loss, 0.0, p))
    if loss == "brier_score":
        return _squares
    eps = float(np.finfo(dtype if dtype.kind == "f" else np.float64).eps)
    return lambda p: minus_logs(np.clip(p, eps, 1.0 - eps))


_NAMED: Final = ("brier_score", "log_loss")


def _squares(p: Floats) -> tuple[Floats, Floats]:
    q = 1.0 - p
    return q * q, p * p


def _checked(loss: RowScore, label: float, p: Floats) -> Floats:
    """Return a user's scores of rows of one label."""
    found: Floats = np.asarray(loss(np.full(len(p), label), p.copy()), dtype=np.float64)
    if found.shape != p.shape:
        raise InputError(
            f"`loss` must return a number for each row: shape {p.shape}, got {found.shape}"
        )
    if np.isnan(found).any():
        at = int(np.argmax(np.isnan(found)))
        raise InputError(f"`loss` must not be nan: label {label:g}, probability {p[at].item()!r}")
    return found


def summed_losses(
    losses: tuple[Floats, Floats], positives: NDArray[Any], negatives: NDArray[Any]
) -> float:
    """Return the sum of losses of some rows; what no row has costs nothing, infinite or not."""
    of_positive, of_negative = losses
    sums = positives * of_positive + negatives * of_negative
    total = float(sums.sum())
    if math.isnan(total):
        sums = np.where(positives > 0, positives * of_positive, 0.0)
        sums += np.where(negatives > 0, negatives * of_negative, 0.0)
        total = float(sums.sum())
    return total


def _on_grid(value: float, exponent: int) -> float:
    """Return the multiple of ``2**(exponent - 53)`` nearest to a number below ``2**exponent``."""
    if not math.isfinite(value):
        return value
    return math.ldexp(round(math.ldexp(value, 53 - exponent)), exponent - 53)
