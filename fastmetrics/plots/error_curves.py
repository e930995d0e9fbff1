"""Learning curves, validation curves, and the curve of bias and variance."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.plots._style import (
    BAND_ALPHA,
    LINES,
    Line,
    axes_or_new,
    legend_on_top,
    plain_spines,
    upright,
    words,
)

if TYPE_CHECKING:
    from fastmetrics.selection.bias_variance.error_curves import (
        LearningCurve,
        ValidationCurve,
    )
    from fastmetrics.selection.bias_variance.estimator_bias_variance import (
        BiasVarianceCurve,
    )

Floats = NDArray[np.float64]

_LOG_RATIO: Final = 100.0
"""Positive values that span so much are drawn on a logarithmic axis."""

_TICKS: Final = 12
"""So many values have a tick each."""


def plot_learning_curve(curve: LearningCurve, *, ax: Any = None) -> Any:
    """Draw a measure on training and test rows over the number of training rows.

    Parameters
    ----------
    curve : LearningCurve
        What `estimator_learning_curve` returns.
    ax : matplotlib Axes, optional
        Where to draw; by default on a figure of its own.

    Returns
    -------
    matplotlib Axes
        What was drawn on: means, and bands of one standard deviation over the folds.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    ax = axes_or_new(ax)
    sizes = curve.train_sizes
    axis = _Axis(sizes, np.argsort(sizes, kind="stable"), None, "linear")
    lines = _draw_pair(ax, axis, curve)
    ax.set_xlabel("training rows")
    _finish(ax, words(curve.metric), _is_positive(curve))
    legend_on_top(ax, lines, title=_spread(curve))
    return ax


def plot_validation_curve(curve: ValidationCurve, *, ax: Any = None) -> Any:
    """Draw a measure on training and test rows over the values of a parameter.

    Parameters
    ----------
    curve : ValidationCurve
        What `estimator_validation_curve` returns.
    ax : matplotlib Axes, optional
        Where to draw; by default on a figure of its own.

    Returns
    -------
    matplotlib Axes
        What was drawn on: means, bands of one standard deviation over the folds, and a line at the
        value of the best mean. Values that are no numbers stand side by side.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    ax = axes_or_new(ax)
    axis = _axis_of(curve.values)
    lines = _draw_pair(ax, axis, curve)
    _set_axis(ax, axis, curve.parameter)
    _finish(ax, words(curve.metric), _is_positive(curve))
    if not np.isnan(curve.test_means).all():
        lines.append(_mark_best(ax, axis, curve.values, curve.best_value))
    legend_on_top(ax, lines, title=_spread(curve))
    return ax


def plot_bias_variance_curve(curve: BiasVarianceCurve, *, ax: Any = None) -> Any:
    """Draw loss, bias, variance and noise over the values of a parameter.

    Parameters
    ----------
    curve : BiasVarianceCurve
        What `bias_variance_curve` returns.
    ax : matplotlib Axes, optional
        Where to draw; by default on a figure of its own.

    Returns
    -------
    matplotlib Axes
        What was drawn on; noise is left out where there is none.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    ax = axes_or_new(ax)
    axis = _axis_of(curve.values)
    kind = curve.points[0].decomposition
    net = kind == "domingos"
    series = [
        ("loss", curve.loss, LINES[3]._replace(linestyle="-")),
        ("bias" if net else "bias²", curve.bias, LINES[0]._replace(linestyle="--")),
        ("net variance" if net else "variance", curve.variance, LINES[1]._replace(linestyle="-.")),
    ]
    if curve.noise.any():
        series.append(("noise", curve.noise, LINES[2]._replace(linestyle=":")))
    lines = [
        ax.plot(*axis.points(values), label=label, **axis.joined(line).options())[0]
        for label, values, line in series
    ]
    _set_axis(ax, axis, curve.parameter)
    is_positive = all((values >= 0).all() for _, values, _ in series)
    if not is_positive:
        ax.axhline(0.0, color="0.6", lw=0.8, zorder=0)
    name = "squared loss" if kind == "squared" else f"0-1 loss ({_NAMES[kind]})"
    _finish(ax, name, is_positive)
    lines.append(_mark_best(ax, axis, curve.values, curve.best_value))
    legend_on_top(ax, lines, title=f"{curve.points[0].n_models} training sets")
    return ax


_NAMES: Final = {"domingos": "Domingos", "kohavi-wolpert": "Kohavi-Wolpert"}


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
    return _Axis(places, np.arange(len(values)), list(map(_short, values)), "names")


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 14 else f"{text[:13]}…"


def _set_axis(ax: Any, axis: _Axis, parameter: str) -> None:
    if axis.kind == "log":
        ax.set_xscale("log")
    if axis.kind == "names":
        ax.set_xlim(-0.5, len(axis.places) - 0.5)
    if axis.ticks is not None:
        ax.set_xticks(axis.places, axis.ticks)
        _thin_ticks(ax, axis)
    ax.set_xlabel(parameter)


def _thin_ticks(ax: Any, axis: _Axis) -> None:
    """Turn the labels of ticks where they would touch; leave the ticks of numbers to matplotlib."""
    ax.figure.get_figure(root=True).draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    boxes.sort(key=lambda box: float(box.x0))
    if all(one.x1 + 3 < other.x0 for one, other in itertools.pairwise(boxes)):
        return
    if axis.kind == "linear":
        from matplotlib.ticker import AutoLocator, ScalarFormatter

        ax.xaxis.set_major_locator(AutoLocator())
        ax.xaxis.set_major_formatter(ScalarFormatter())
    else:
        ax.tick_params(axis="x", labelrotation=90)


def _mark_best(ax: Any, axis: _Axis, values: Sequence[Any], best: Any) -> Any:
    place = axis.places[next(i for i, value in enumerate(values) if value is best or value == best)]
    text = f"{best:g}" if isinstance(best, float) else _short(best)
    return upright(ax, place, color="0.45", lw=1.0, ls=(0, (1, 2)), zorder=0, label=f"best: {text}")


def _draw_pair(ax: Any, axis: _Axis, curve: LearningCurve | ValidationCurve) -> list[Any]:
    """Draw both means with their spread, and return their lines."""
    pairs = (
        ("training", curve.train_means, curve.train_deviations, LINES[1]),
        ("test", curve.test_means, curve.test_deviations, LINES[0]),
    )
    lines = []
    for side, (label, means, spread, line) in zip((-1, 1), pairs, strict=True):
        places, middle = axis.points(means)
        half = spread[axis.order]
        if axis.kind == "names":
            places = places + 0.06 * side
            ax.errorbar(places, middle, half, fmt="none", ecolor=line.color, capsize=4, lw=1.2)
        else:
            edges = (middle - half, middle + half)
            ax.fill_between(places, *edges, color=line.color, alpha=BAND_ALPHA, lw=0)
            for edge in edges:
                ax.plot(places, edge, color=line.color, lw=0.5, ls=line.linestyle)
        lines += ax.plot(places, middle, label=label, **axis.joined(line).options())
    return lines


def _spread(curve: LearningCurve | ValidationCurve) -> str:
    n_folds = curve.test_values.shape[1]
    return "one split" if n_folds == 1 else f"mean ± standard deviation over {n_folds} splits"


def _is_positive(curve: LearningCurve | ValidationCurve) -> bool:
    lowest = min(np.nanmin(v, initial=np.inf) for v in (curve.train_values, curve.test_values))
    return bool(lowest >= 0)


def _finish(ax: Any, name: str, is_positive: bool) -> None:
    ax.set_ylabel(name)
    if is_positive:
        low, high = ax.get_ylim()
        ax.set_ylim(max(low, -0.02 * (high - low)), high)
    plain_spines(ax)
    ax.yaxis.grid(True, color="0.9", lw=0.8)
    ax.set_axisbelow(True)
