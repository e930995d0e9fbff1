"""The distribution of a bootstrap's replicates with the estimate and its interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._plots._style import (
    INK,
    LINES,
    PALE,
    axes_or_new,
    check_drawable,
    legend_off_curves,
    options_of,
    plain_spines,
    upright,
    words,
)

_BARS: Final = 80
"""Bars at most, and so many values have a bar each."""


class Estimate(NamedTuple):
    """A number, the limits of its interval, what the interval is, and what to compare with."""

    name: str
    value: float
    low: float
    high: float
    interval: str
    null: float | None = None


def draw_replicates(
    replicates: NDArray[np.float64],
    estimate: Estimate,
    ax: Any = None,
    *,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw a histogram of the finite replicates, lines at the estimate and at its limits."""
    check_drawable(replicates)
    ax = axes_or_new(ax)
    from matplotlib.patches import Rectangle

    finite = replicates[np.isfinite(replicates)]
    shade = {"bins": _edges(finite), "facecolor": PALE, "edgecolor": "0.35", "lw": 0.6}
    with options_of(Rectangle):
        ax.hist(finite, **shade | {"label": f"{len(finite):,} replicates"} | dict(options or {}))
    ax.locator_params(axis="x", nbins=5)
    ax.set(xlabel=words(estimate.name), ylabel="replicates")
    plain_spines(ax)
    ax.set_ylim(0.0, ax.get_ylim()[1])
    handles = ax.get_legend_handles_labels()[0]
    if np.isfinite(estimate.value):
        said = f"{words(estimate.name)}: {estimate.value:.4g}"
        handles.append(upright(ax, estimate.value, color=INK, lw=1.8, label=said))
    limits = [place for place in (estimate.low, estimate.high) if np.isfinite(place)]
    said = f"{estimate.interval}: {estimate.low:.4g} to {estimate.high:.4g}"
    drawn = [
        upright(ax, place, color=LINES[0].color, lw=1.6, ls="--", label=said) for place in limits
    ]
    handles += drawn[:1]
    if estimate.null is not None:
        said = f"no difference: {estimate.null:g}"
        handles.append(upright(ax, estimate.null, color=LINES[1].color, lw=1.6, ls=":", label=said))
    low, high = ax.get_xlim()
    margin, places = 0.03 * (high - low), [line.get_xdata()[0] for line in ax.lines]
    ax.set_xlim(
        min([low, *(place - margin for place in places)]),
        max([high, *(place + margin for place in places)]),
    )
    legend_off_curves(ax, handles=handles)
    return ax


def _edges(finite: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edges of the bars: of each value its own where there are few, else of equal width.

    A measure of few rows has few values, which bars of any other width would mix unevenly.
    """
    values = np.unique(finite)
    if len(values) == 0:
        return np.array([0.0, 1.0])
    if len(values) == 1:
        half = 0.01 * (abs(float(values[0])) or 1.0)
        return np.array([values[0] - half, values[0] + half])
    steps = np.diff(values)
    span = float(values[-1] - values[0])
    step = float(steps.min())
    multiples = steps / step
    if span / step <= _BARS and np.allclose(multiples, np.rint(multiples), rtol=0.0, atol=1e-6):
        n_bars = round(span / step) + 1
        edges: NDArray[np.float64] = values[0] + step * (np.arange(n_bars + 1) - 0.5)
        return edges
    low, high = np.percentile(finite, [25.0, 75.0])
    width = 2.0 * (high - low) / len(finite) ** (1.0 / 3.0)  # Freedman & Diaconis (1981)
    n_bars = int(min(max(np.ceil(span / width), 1.0), _BARS)) if width > 0.0 else _BARS
    return np.linspace(values[0], values[-1], n_bars + 1)
