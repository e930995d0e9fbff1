"""Measures against time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from fastmetrics._plots._style import axes_or_new, check_drawable, legend_off_curves
from fastmetrics._plots.curves import Curve, Guide, add_curves, add_guides

_MARGIN: Final = 0.05
"""So that the last tick has room for its text."""


def draw_over_time(
    curve: Curve,
    reference: Guide,
    labels: tuple[str, str],
    ax: Any = None,
    *,
    from_zero: bool,
    title: str = "",
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw a curve over time beside what tells nothing; zero is in sight where it is the best."""
    check_drawable(curve.x)
    ax = axes_or_new(ax)
    add_guides(ax, [reference], labels)
    add_curves(ax, [curve], options)
    x, (low, high) = ax.dataLim.intervalx, ax.dataLim.intervaly
    if np.isfinite([*x, low, high]).all():
        low = 0.0 if from_zero else low
        for (start, end), limit in ((x, ax.set_xlim), ((low, high), ax.set_ylim)):
            margin = _MARGIN * ((end - start) or 1.0)
            limit(start - margin * (start != 0.0), end + margin)
    legend_off_curves(ax, title=title)
    return ax
