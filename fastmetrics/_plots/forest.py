"""Forest plots: estimates with their intervals, a row each, and a line to compare them with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from fastmetrics._plots._style import INK, LINES, plain_spines, short, shown_name

#: Inches of a row, of what stands around the rows of a panel, and of a figure's width.
_ROW: Final = 0.27
_AROUND: Final = 0.9
_WIDTH: Final = 6.0
#: Characters of a label: of a longer one the first are shown.
_LONGEST: Final = 36


class Row(NamedTuple):
    """An estimate with its limits; ``is_shown`` is drawn full, what is not shown hollow."""

    label: str
    estimate: float
    low: float
    high: float
    is_shown: bool = False


class Panel(NamedTuple):
    """Rows of one unit. ``ends`` say what lies to the left and to the right of the line."""

    title: str
    rows: Sequence[Row]
    line: float
    ends: tuple[str, str] = ("", "")


def draw_forest(panels: Sequence[Panel]) -> Any:
    """Return a figure with a panel for each unit, one above the other."""
    from matplotlib.figure import Figure

    heights = [_AROUND + _ROW * len(panel.rows) for panel in panels]
    figure = Figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for ax, panel in zip(axes, panels, strict=True):
        _draw(ax, panel)
    return figure


def _draw(ax: Any, panel: Panel) -> None:
    known = [row for row in panel.rows if math.isfinite(row.estimate)]
    places = range(len(panel.rows), 0, -1)
    ax.axvline(panel.line, color="0.45", lw=1.0, ls="--", zorder=1)
    for place, row in zip(places, panel.rows, strict=True):
        if row not in known:
            continue
        look = LINES[0] if row.is_shown else LINES[3]
        if math.isfinite(row.low) and math.isfinite(row.high):
            ax.plot([row.low, row.high], [place, place], "-", color=look.color, lw=1.6, zorder=2)
        fill = look.color if row.is_shown else "white"
        ax.plot([row.estimate], [place], "o", ms=6, mfc=fill, mec=look.color, zorder=3)
    ax.set_yticks(places, [shown_name(short(row.label, _LONGEST)) for row in panel.rows])
    ax.set_ylim(0.4, len(panel.rows) + 0.6)
    ax.margins(x=0.06)
    ax.tick_params(axis="y", length=0)
    above = 18.0 if any(panel.ends) else 6.0
    ax.set_title(panel.title, loc="left", fontsize="medium", color=INK, pad=above)
    plain_spines(ax)
    ax.spines["left"].set_visible(False)
    left, right = panel.ends
    for text, end, side in ((left, 0.0, "left"), (right, 1.0, "right")):
        if text:
            ax.annotate(
                shown_name(short(text, _LONGEST)),
                (end, 1.0),
                xytext=(0, 4),
                textcoords="offset points",
                xycoords="axes fraction",
                ha=side,
                fontsize="small",
                color="0.35",
            )
