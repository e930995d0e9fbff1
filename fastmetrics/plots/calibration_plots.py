"""Reliability diagrams."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.plots._style import (
    BAND_ALPHA,
    INK,
    LINES,
    PALE,
    axes_or_new,
    plain_spines,
)

Floats = NDArray[np.float64]

#: The height of the tallest bar of the histogram at the foot.
_FOOT: Final = 0.2
#: More points than this have no marks: they would run together.
_MARKS: Final = 40


class Reliability(NamedTuple):
    """The points of a diagram, ascending, what they are called, and a histogram of [0, 1]."""

    predicted: Floats
    observed: Floats
    label: str
    histogram: Floats


class Band(NamedTuple):
    """Limits at places on the axis of probabilities."""

    places: Floats
    low: Floats
    high: Floats


def draw_reliability(diagram: Reliability, band: Band | None = None, ax: Any = None) -> Any:
    """Draw shares of positives over probabilities, the diagonal, a band and the histogram."""
    ax = axes_or_new(ax, (4.8, 4.8))
    edges = np.linspace(0.0, 1.0, len(diagram.histogram) + 1)
    tallest = float(diagram.histogram.max()) or 1.0
    heights = diagram.histogram * (_FOOT / tallest)
    bars = ax.bar(
        *(edges[:-1], heights, np.diff(edges)),
        align="edge",
        color=PALE,
        edgecolor="white",
        linewidth=0.8,
        zorder=0,
        label=f"probabilities (tallest bar {tallest:.0%})",
    )
    diagonal = ax.plot([0, 1], [0, 1], color="0.45", linestyle="--", linewidth=1, zorder=1)[0]
    diagonal.set_label("calibrated")
    handles = [diagonal]
    line = LINES[0]
    if band is not None:
        handles.append(
            ax.fill_between(
                *(band.places, band.low, band.high),
                color=LINES[1].color,
                alpha=BAND_ALPHA,
                linewidth=0,
                zorder=2,
                label="band",
            )
        )
        for limit in (band.low, band.high):  # so that the band has an edge in grey too
            ax.plot(band.places, limit, color=LINES[1].color, linewidth=0.6, zorder=2)
    marker = line.marker if len(diagram.predicted) <= _MARKS else None
    points = ax.plot(
        *(diagram.predicted, diagram.observed),
        **line._replace(marker=marker or "").options() | {"zorder": 3, "label": diagram.label},
    )
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.set_xlabel("probability")
    ax.set_ylabel("share of positives")
    plain_spines(ax)
    ax.legend(
        handles=[*points, *handles, bars],
        loc="upper left",
        fontsize="small",
        frameon=False,
        labelcolor=INK,
    )
    return ax
