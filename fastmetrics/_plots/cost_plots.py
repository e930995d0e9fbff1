"""Cost curves, and which model is cheapest where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._plots._style import INK, axes_or_new, legend_off_curves, look_of
from fastmetrics._plots.curves import Curve, Guide, add_curves, add_guides, show_all

Floats = NDArray[np.float64]
Winners = Sequence[tuple[float, float, tuple[str, ...]]]

_LABELS: Final = ("P(+)cost", "normalized cost")
_TRIVIAL: Final = Guide((0.0, 0.5, 1.0), (0.0, 0.5, 0.0), "all or none", ":", INK)
_MOST_LINES: Final = 40
"""Lines of thresholds that are drawn: more would be a grey area."""

_ROW: Final = 0.06
"""Height of the row of one model below the axis, as a share of the axes."""


def draw_cost_curve(
    curve: Curve,
    ends: tuple[Floats, Floats],
    ax: Any = None,
    *,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw an envelope, some of the lines that form it, given both ends, and the trivial rules."""
    ax = axes_or_new(ax)
    n = len(ends[0])
    some = np.unique(np.linspace(0, n - 1, min(n, _MOST_LINES)).round().astype(np.int64))
    gaps = np.full(len(some), np.nan)
    lines = Guide(
        np.tile([0.0, 1.0, np.nan], len(some)),
        np.column_stack((ends[0][some], ends[1][some], gaps)).ravel(),
        "single thresholds",
        "-",
        "0.75",
        0.7,
    )
    add_guides(ax, [lines, _TRIVIAL] if n else [_TRIVIAL], _LABELS)
    add_curves(ax, [curve], options)
    show_all(ax, top=0.5)  # no best threshold costs more
    legend_off_curves(ax)
    return ax


def draw_cost_curves(
    curves: Mapping[str, Curve],
    winners: Winners,
    ax: Any = None,
    *,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw the envelopes of several models, and below them the stretches where each is cheapest."""
    ax = axes_or_new(ax, (6.4, 4.6))
    add_guides(ax, [_TRIVIAL], _LABELS)
    add_curves(ax, list(curves.values()), options)
    show_all(ax, top=0.5)
    _mark_winners(ax, list(curves), winners)
    legend_off_curves(ax, title="expected total cost; bar: cheapest here")
    return ax


def _mark_winners(ax: Any, names: Sequence[str], winners: Winners) -> None:
    """Draw a row for each model below the axis, as its curve looks, broad where it is cheapest."""
    low, high = ax.get_ylim()
    unit = (high - low) * _ROW
    for i, name in enumerate(names):
        color, _, linestyle = look_of(i)
        top = low - unit * (0.5 + 1.25 * i)
        ax.plot([0, 1], [top - unit / 2] * 2, color=color, ls=linestyle, lw=1.0, zorder=0)
        spans = [(start, stop - start) for start, stop, best in winners if name in best]
        ax.broken_barh(spans, (top - unit, unit), facecolor=color, edgecolor=INK, lw=0.5, zorder=2)
    ax.set_ylim(low - unit * (0.75 + 1.25 * len(names)), high)
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= high])
    ax.axhline(0.0, color=INK, lw=0.8)
