"""Learning curves, validation curves, and the curve of bias and variance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._plots._style import (
    BAND_ALPHA,
    LINES,
    Line,
    axes_or_new,
    labels_touch,
    legend_off_curves,
    plain_spines,
    short,
    upright,
    words,
)

Floats = NDArray[np.float64]

_LOG_RATIO: Final = 100.0
"""Positive values that span so much are drawn on a logarithmic axis."""

_TICKS: Final = 12
"""So many values have a tick each."""


class FoldMeans(NamedTuple):
    """A measure on training and test rows: means and standard deviations over the folds."""

    metric: str
    train_means: Floats
    train_deviations: Floats
    test_means: Floats
    test_deviations: Floats
    n_folds: int
    bounds: tuple[float, float]
    """What no fold is beyond, where the measure cannot be."""


def draw_learning_curve(folds: FoldMeans, train_sizes: Floats, ax: Any = None) -> Any:
    """Draw a measure, with bands of one standard deviation, over the number of training rows."""
    axis = _Axis(train_sizes, np.argsort(train_sizes, kind="stable"), None, "linear")
    return _draw_folds(folds, axis, "training rows", ax)


def draw_validation_curve(
    folds: FoldMeans, parameter: str, values: Sequence[Any], best_value: Any, ax: Any = None
) -> Any:
    """Draw a measure, with bands of one standard deviation, over the values of a parameter."""
    best = None if np.isnan(folds.test_means).all() else (values, best_value)
    return _draw_folds(folds, _axis_of(values), parameter, ax, best)


class Parts(NamedTuple):
    """The parts of a loss at each value of a parameter, and how they were found."""

    loss: Floats
    bias: Floats
    variance: Floats
    noise: Floats
    decomposition: str
    n_models: int


def draw_bias_variance_curve(
    parts: Parts, parameter: str, values: Sequence[Any], best_value: Any, ax: Any = None
) -> Any:
    """Draw loss, bias, variance and, where there is some, noise over the values of a parameter."""
    ax = axes_or_new(ax)
    axis = _axis_of(values)
    net = parts.decomposition == "domingos"
    series = [
        ("loss", parts.loss, LINES[3]._replace(linestyle="-")),
        ("bias" if net else "bias²", parts.bias, LINES[0]._replace(linestyle="--")),
        ("net variance" if net else "variance", parts.variance, LINES[1]._replace(linestyle="-.")),
    ]
    if parts.noise.any():
        series.append(("noise", parts.noise, LINES[2]._replace(linestyle=":")))
    lines = [
        ax.plot(*axis.points(heights), label=label, **axis.joined(line).options())[0]
        for label, heights, line in series
    ]
    _set_axis(ax, axis, parameter)
    is_positive = all((heights >= 0).all() for _, heights, _ in series)
    if not is_positive:
        ax.axhline(0.0, color="0.6", lw=0.8, zorder=0)
    _finish(ax, _LOSSES[parts.decomposition], (0.0 if is_positive else -math.inf, math.inf))
    lines.append(_mark_best(ax, axis, values, best_value))
    legend_off_curves(ax, handles=lines, title=f"{parts.n_models} training sets")
    return ax


_LOSSES: Final = {
    "squared": "squared loss",
    "domingos": "0-1 loss (Domingos)",
    "kohavi-wolpert": "0-1 loss (Kohavi-Wolpert)",
}


class _Axis(NamedTuple):
    """Where values stand on the horizontal axis, and the order to join them in."""

    places: Floats
    order: NDArray[np.intp]
    ticks: list[str] | None
    kind: Literal["linear", "log", "names"]

    def points(self, heights: Floats) -> tuple[Floats, Floats]:
        """Return both coordinates of a line."""
        return self.places[self.order], heights[self.order]

    def joined(self, line: Line) -> Line:
        """Return how a line looks; names have no line between them."""
        return line._replace(linestyle="none") if self.kind == "names" else line


def _axis_of(values: Sequence[Any]) -> _Axis:
    numbers = [isinstance(v, int | float) and not isinstance(v, bool) for v in values]
    if all(numbers) and all(map(math.isfinite, values)) and len(set(values)) == len(values):
        places = np.array(values, np.float64)
        is_log = bool(places.min() > 0 and places.max() / places.min() >= _LOG_RATIO)
        few = len(values) <= _TICKS and not is_log
        ticks = [f"{value:g}" for value in values] if few else None
        return _Axis(
            places, np.argsort(places, kind="stable"), ticks, "log" if is_log else "linear"
        )
    places = np.arange(len(values), dtype=np.float64)
    return _Axis(
        places, np.arange(len(values)), [short(str(value), 14) for value in values], "names"
    )


def _set_axis(ax: Any, axis: _Axis, parameter: str) -> None:
    if axis.kind == "log":
        ax.set_xscale("log")
    if axis.kind == "names":
        ax.set_xlim(-0.5, len(axis.places) - 0.5)
    if axis.ticks is not None:
        ax.set_xticks(axis.places, axis.ticks)
    if axis.ticks is not None and labels_touch(ax):  # ticks of numbers are left to matplotlib
        if axis.kind == "linear":
            from matplotlib.ticker import AutoLocator, ScalarFormatter

            ax.xaxis.set_major_locator(AutoLocator())
            ax.xaxis.set_major_formatter(ScalarFormatter())
        else:
            ax.tick_params(axis="x", labelrotation=90)
    ax.set_xlabel(parameter)


def _mark_best(ax: Any, axis: _Axis, values: Sequence[Any], best: Any) -> Any:
    place = axis.places[next(i for i, value in enumerate(values) if value is best or value == best)]
    text = f"{best:g}" if isinstance(best, float) else short(str(best), 14)
    return upright(ax, place, color="0.45", lw=1.0, ls=(0, (1, 2)), zorder=0, label=f"best: {text}")


def _draw_folds(
    folds: FoldMeans,
    axis: _Axis,
    label: str,
    ax: Any,
    best: tuple[Sequence[Any], Any] | None = None,
) -> Any:
    """Draw both means with their spread, and mark the best of the values."""
    ax = axes_or_new(ax)
    pairs = (
        ("training", folds.train_means, folds.train_deviations, LINES[1]),
        ("test", folds.test_means, folds.test_deviations, LINES[0]),
    )
    lines = []
    for side, (name, means, deviations, line) in zip((-1, 1), pairs, strict=True):
        places, middle = axis.points(means)
        half = deviations[axis.order]
        if axis.kind == "names":
            places = places + 0.06 * side
            ax.errorbar(places, middle, half, fmt="none", ecolor=line.color, capsize=4, lw=1.2)
        else:
            edges = (middle - half, middle + half)
            ax.fill_between(places, *edges, color=line.color, alpha=BAND_ALPHA, lw=0)
            for edge in edges:
                ax.plot(places, edge, color=line.color, lw=0.5, ls=line.linestyle)
        lines += ax.plot(places, middle, label=name, **axis.joined(line).options())
    _set_axis(ax, axis, label)
    _finish(ax, words(folds.metric), folds.bounds)
    if best is not None:
        lines.append(_mark_best(ax, axis, *best))
    n = folds.n_folds
    spread = "one split" if n == 1 else f"mean ± standard deviation over {n} splits"
    legend_off_curves(ax, handles=lines, title=spread)
    return ax


def _finish(ax: Any, name: str, bounds: tuple[float, float]) -> None:
    """Name the measure, and let its axis end a trifle beyond what it can be."""
    ax.set_ylabel(name)
    low, high = ax.get_ylim()
    trifle = 0.02 * (high - low)
    ax.set_ylim(max(low, bounds[0] - trifle), min(high, bounds[1] + trifle))
    plain_spines(ax, grid="y")
