"""Curves with their bands, areas and marks: what all figures of curves are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._plots._style import (
    BAND_ALPHA,
    INK,
    axes_or_new,
    check_drawable,
    curves_on,
    legend_off_curves,
    look_of,
    options_of,
    plain_spines,
)

Floats = NDArray[np.float64]

SQUARE: Final = (4.6, 4.6)
MARGIN: Final = 0.015
GUIDE: Final[dict[str, Any]] = {"color": "0.6", "lw": 0.8, "zorder": 1}

_MARKERS: Final = 40
"""More points than this have no markers: they would run together."""


class Mark(NamedTuple):
    """A point of a curve that has a name."""

    x: float
    y: float
    label: str
    marker: Literal["o", "D"] = "o"


class Band(NamedTuple):
    """Limits around a curve, joined by straight lines; or by steps, where they are the wider.

    Then a lower limit holds up to the next one on the right, an upper limit up to that on the left.
    """

    x: Floats
    low: Floats
    high: Floats
    label: str = ""
    is_stepped: bool = False
    color: str | None = None
    """That of the curve by default."""


class Curve(NamedTuple):
    """A line with its label in the legend, its band and its marks."""

    x: Floats
    y: Floats
    label: str
    band: Band | None = None
    marks: tuple[Mark, ...] = ()
    drawstyle: Literal["default", "steps-post", "steps-pre"] = "default"
    is_shaded: bool = False
    """Whether the area between the curve and 0 is shaded."""
    has_markers: bool = False
    """Whether its points are marked, if they are few."""


class Guide(NamedTuple):
    """A grey line to compare curves with."""

    x: Sequence[float] | Floats
    y: Sequence[float] | Floats
    label: str
    linestyle: str = "--"
    color: str = "0.45"
    linewidth: float = 1.1


PLOTTED: Final = """
Parameters
----------
name : str, optional
    Of the model, for the legend.
**line_options
    Of the curves, as ``ax.plot`` takes them: `color`, `linestyle` and so on.

Returns
-------
matplotlib Axes
    What was drawn on. Further calls with it add their curves, in other colours and dashes.

Raises
------
ImportError
    If matplotlib is not installed.
"""
"""What every figure of curves is told, for its docstring."""


def band_title(confidence_level: float, kind: str) -> str:
    """Return what a band is, for the legend."""
    return f"{100 * confidence_level:g} % band, {kind}"


def draw_curves(
    curves: Sequence[Curve],
    guides: Sequence[Guide],
    labels: tuple[str, str],
    ax: Any = None,
    *,
    depth: float = math.inf,
    has_zero: bool = True,
    title: str = "",
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw curves over guides, with zero in sight unless it says nothing.

    What lies deeper below zero than ``depth`` times the greatest height is out of sight.
    """
    for curve in curves:
        check_drawable(curve.x, curve.y)
    ax = axes_or_new(ax)
    add_guides(ax, guides, labels)
    add_curves(ax, curves, options)
    show_all(ax, depth, has_zero=has_zero)
    legend_off_curves(ax, title=title)
    return ax


def is_new(ax: Any) -> bool:
    """Return whether the axes hold no curve of ours yet."""
    return not curves_on(ax)


def unit_square(ax: Any, x: str, y: str) -> None:
    """Let the axes show the unit square."""
    ax.set_xlim(-MARGIN, 1.0 + MARGIN)
    ax.set_ylim(-MARGIN, 1.0 + MARGIN)
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    plain_spines(ax)


def show_all(
    ax: Any, depth: float = math.inf, top: float | None = None, *, has_zero: bool = True
) -> None:
    """Let the axes hold all that is drawn, and zero, up to a top that is given."""
    x, (low, high) = ax.dataLim.intervalx, ax.dataLim.intervaly
    if not np.isfinite([*x, low, high]).all():
        return
    if has_zero:
        low, high = min(low, 0.0), max(high, 0.0) if top is None else top
    if high > 0.0:
        low = max(low, -depth * high)
    for (start, end), limit in ((x, ax.set_xlim), ((low, high), ax.set_ylim)):
        margin = MARGIN * ((end - start) or max(1.0, abs(end)))  # whole numbers may be large
        limit(start - margin, end + margin)


def add_guides(ax: Any, guides: Sequence[Guide], labels: tuple[str, str]) -> None:
    """Name the axes and draw guides, if there is no curve yet."""
    from fastmetrics._plots._thin_line import ThinLine

    if not is_new(ax):
        return
    ax.set(xlabel=labels[0], ylabel=labels[1])
    plain_spines(ax)
    for guide in guides:
        look: dict[str, Any] = guide._asdict()
        line = ThinLine(look.pop("x"), look.pop("y"), zorder=1, **look)
        line.is_guide = True
        ax.add_line(line)


def add_curves(ax: Any, curves: Sequence[Curve], options: Mapping[str, Any] | None) -> None:
    """Draw curves with their bands and marks; each looks otherwise than those before it."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    from fastmetrics._plots._thin_line import ThinArea, ThinLine

    given = normalize_kwargs(dict(options or {}), Line2D)
    for i, curve in enumerate(curves, len(curves_on(ax))):
        known = {str(line.get_label()) for line in curves_on(ax)}
        color, marker, linestyle = look_of(i)
        look: dict[str, Any] = {"color": color, "linestyle": linestyle, "linewidth": 1.6}
        if curve.has_markers and len(curve.x) <= _MARKERS:
            look |= {"marker": marker, "markersize": 4.5}
        look |= {"label": _another(curve.label, known), "drawstyle": curve.drawstyle} | given
        with options_of(Line2D):
            line = ax.add_line(ThinLine(curve.x, curve.y, **look))
        if curve.is_shaded and len(curve.x):
            x, y = np.append(curve.x, curve.x[[-1, 0]]), np.append(curve.y, [0.0, 0.0])
            shade = {"color": line.get_color(), "alpha": BAND_ALPHA, "lw": 0, "zorder": 0.5}
            ax.add_collection(ThinArea(x, y, **shade))
        if curve.band is not None:
            _add_band(ax, curve.band, line.get_color(), linestyle)
        for mark in curve.marks:
            point = {"mfc": "white", "mec": INK, "ms": 6, "mew": 1.2, "zorder": 3}
            ax.plot([mark.x], [mark.y], mark.marker, ls="none", label=mark.label, **point)


def _another(label: str, known: set[str]) -> str:
    """Return a label that no curve has: numbered where it is known, which legends show once."""
    labels = (label, *(f"{label} ({n})" for n in range(2, len(known) + 2)))
    return label if label.startswith("_") else next(each for each in labels if each not in known)


def _add_band(ax: Any, band: Band, color: str, linestyle: Any) -> None:
    """Draw a band, whose edge shows it in grey too."""
    from matplotlib.cbook import STEP_LOOKUP_MAP
    from matplotlib.colors import to_rgba

    from fastmetrics._plots._thin_line import ThinArea

    below, above = ("steps-post", "steps-pre") if band.is_stepped else ("default", "default")
    known = np.isfinite(band.low) & np.isfinite(band.high)
    edges = np.flatnonzero(np.diff(known, prepend=False, append=False)).reshape(-1, 2)
    color = band.color or color
    look: dict[str, Any] = {"edgecolor": color, "facecolor": to_rgba(color, BAND_ALPHA)}
    look |= {"linestyle": linestyle, "lw": 0.5, "zorder": 1.5}
    label = band.label or "_band"
    for start, stop in edges:
        part = slice(start, stop)
        low = STEP_LOOKUP_MAP[below](band.x[part], band.low[part])
        high = STEP_LOOKUP_MAP[above](band.x[part], band.high[part])
        x, y = (np.append(one, other[::-1]) for one, other in zip(low, high, strict=True))
        ax.add_collection(ThinArea(x, y, label=label, **look))
        label = "_band"  # once in the legend
