"""The options of a confidence band, checked before any work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import (
    WeightsAre,
    check_choice,
    check_confidence_level,
    check_integer,
    check_memory,
    check_weights_are,
)
from fastmetrics._input.scores import check_scores_array
from fastmetrics.errors import InputError
from fastmetrics.inference.bands._band_sizes import has_unequal_rows
from fastmetrics.inference.bootstrap._forms import Form
from fastmetrics.inference.bootstrap._plans import check_stratified

Kind = Literal["simultaneous", "pointwise"]
Method = Literal["equal-precision", "ks", "mover", "percentile"]

#: The methods of each kind, its default first.
METHODS: dict[str, tuple[str, ...]] = {
    "simultaneous": ("equal-precision", "ks"),
    "pointwise": ("mover", "percentile"),
}
#: Methods that need replicates.
RESAMPLING = ("equal-precision", "percentile")
#: Of a grid that is given as a number: more than any plot shows, in memory that any machine has.
MOST_POINTS: Final = 10**6


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """The checked options of a band."""

    kind: str
    method: str
    confidence_level: float
    n_resamples: int
    grid: NDArray[np.float64]
    stratified: bool
    progress: bool | None
    weights_are: WeightsAre | None

    @property
    def alpha(self) -> float:
        """The error probability."""
        return 1.0 - self.confidence_level

    @property
    def resamples(self) -> bool:
        """Whether replicates are needed."""
        return self.method in RESAMPLING


def checked_options(
    *,
    kind: Any,
    method: Any,
    confidence_level: Any,
    n_resamples: Any,
    points: Any,
    stratified: Any,
    groups: Any,
    progress: bool | None,
    over_recall: bool,
    sample_weight: Any,
    weights_are: Any,
) -> Options:
    """Return the options, or raise."""
    check_choice("kind", kind, get_args(Kind))
    if method is None:
        method = METHODS[kind][0]
    check_choice("method", method, get_args(Method))
    if method not in METHODS[kind]:
        raise InputError(
            f"`method` of a {kind} band must be one of {', '.join(map(repr, METHODS[kind]))}: "
            f"got {method!r}"
        )
    level = check_confidence_level(confidence_level)
    count = check_integer("n_resamples", n_resamples, low=2)
    grid = _grid(points, over_recall)
    n_values = len(grid) if method == "percentile" else 1
    check_memory(count, n_values, "take fewer replicates or a coarser `points`")
    if stratified is None:
        stratified = groups is None and not over_recall
    check_stratified(stratified, groups)
    read = check_weights_are(sample_weight, weights_are)
    return Options(kind, method, level, count, grid, stratified, progress, read)


def _grid(grid: Any, over_recall: bool) -> NDArray[np.float64]:
    if isinstance(grid, int | np.integer):
        n = check_integer("points", grid, low=1 if over_recall else 2, high=MOST_POINTS)
        return np.arange(1, n + 1) / n if over_recall else np.arange(n) / (n - 1)
    points = check_scores_array(grid, "points").astype(np.float64)
    low, high = points.min(), points.max()
    if high > 1.0 or low < 0.0 or (over_recall and low == 0.0):
        interval = "(0, 1], as precision has no value at recall 0" if over_recall else "[0, 1]"
        raise InputError(f"`points` must lie in {interval}: got values from {low:g} to {high:g}")
    falls = np.flatnonzero(np.diff(points) <= 0.0)
    if len(falls):
        at = int(falls[0]) + 1
        raise InputError(
            f"`points` must rise: got {points[at]:g} after {points[at - 1]:g} at index {at}"
        )
    return points


def check_method(options: Options, form: Form) -> None:
    """Raise where a method does not hold for the data."""
    if options.method == "ks" and has_unequal_rows(form):
        what = "grouped" if form.units is not None else "weighted"
        raise InputError(
            f"`method='ks'` is for independent rows of equal weight, not for {what} ones: take "
            "`method='equal-precision'`"
        )
