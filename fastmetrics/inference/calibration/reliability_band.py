"""``reliability_band``: where the calibration curve lies, or would if the model were calibrated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    check_choice,
    check_confidence_level,
    check_integer,
    check_memory,
    key_text,
    seed_key,
)
from fastmetrics._plots._style import label_of
from fastmetrics._plots.curves import PLOTTED, Curve, draw_reliability, limits_of
from fastmetrics._results import Result
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.inference.calibration._counted import (
    COUNTED,
    Counted,
    calibrated_draws,
    counted,
    isotonic,
)
from fastmetrics.inference.estimate_result import FIELDS
from fastmetrics.tables.score_table import ScoreTable

Floats = NDArray[np.float64]
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
        """Whether the diagonal, the curve of a calibrated model, lies inside a confidence band.

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
        label = label_of(name, "isotonic fit")
        curve = Curve(self.probability, self.fit, label, limits_of(self))
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
    data = counted(y_true, y_proba, pos_label=pos_label, labels=labels)
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


def _confidence(data: Counted, alpha: float, n_cells: int) -> Columns:
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
    positives, negatives = np.cumsum(positives)[ends], np.cumsum(negatives)[ends]
    level = alpha / (m * (m + 1))
    before = np.concatenate([[0], positives[:-1]]), np.concatenate([[0], negatives[:-1]])
    limits = np.empty(m)
    best = 0.0
    for i in range(m):
        hits = positives[i] - before[0][: i + 1]
        others = negatives[i] - before[1][: i + 1] + 1
        hits, others = hits[hits > 0], others[hits > 0]
        better = betainc(hits, others, best) < level  # most do not refute the best so far
        if better.any():
            best = max(best, float(betaincinv(hits[better], others[better], level).max()))
        limits[i] = best
    return limits


def _consistency(
    data: Counted, level: float, n_cells: int, n_resamples: int, key: NDArray[np.uint64]
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
