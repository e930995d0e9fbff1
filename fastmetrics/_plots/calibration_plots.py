"""Reliability diagrams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._plots._style import LINES, PALE, axes_or_new, legend_off_curves
from fastmetrics._plots.curves import (
    SQUARE,
    Band,
    Curve,
    Guide,
    add_curves,
    add_guides,
    unit_square,
)

Floats = NDArray[np.float64]

_FOOT: Final = 0.2
"""The height of the tallest bar of the histogram at the foot."""

_LABELS: Final = ("probability", "share of positives")


def limits_of(band: Any) -> Band:
    """Return what is drawn of a `ReliabilityBand`: that of consistency is the diagonal's."""
    is_curve = band.kind == "confidence"
    label = f"{100 * band.confidence_level:g} % {band.kind} band"
    color = None if is_curve else LINES[5].color
    return Band(band.probability, band.low, band.high, label, is_curve, color)


def draw_reliability(
    curve: Curve,
    histogram: Floats | None = None,
    ax: Any = None,
    *,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw shares of positives over probabilities, the diagonal and a histogram of [0, 1]."""
    ax = axes_or_new(ax, SQUARE)
    has_bars = histogram is not None and not ax.patches and histogram.max(initial=0.0) > 0.0
    add_guides(ax, [Guide((0.0, 1.0), (0.0, 1.0), "calibrated")], _LABELS)
    unit_square(ax, *_LABELS)
    if histogram is not None and has_bars:
        tallest = float(histogram.max())
        edges = np.linspace(0.0, 1.0, len(histogram) + 1)
        look = {"color": PALE, "edgecolor": "white", "linewidth": 0.6, "zorder": 0}
        look["label"] = f"rows (tallest bar {100.0 * tallest:.0f} %)"
        ax.bar(edges[:-1], histogram * (_FOOT / tallest), np.diff(edges), align="edge", **look)
    add_curves(ax, [curve], options)
    legend_off_curves(ax, "upper left", "lower right")
    return ax
