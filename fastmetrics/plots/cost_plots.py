"""Cost curves, the hull of an ROC curve, and Brier curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.plots._style import (
    BAND_ALPHA,
    INK,
    LINES,
    PALE,
    axes_or_new,
    legend_on_top,
    plain_spines,
)

Floats = NDArray[np.float64]

_AXIS: Final = "P(+)cost, the share of false negatives in the cost"
_MOST_LINES: Final = 40
"""Lines of thresholds that are drawn: more would be a grey area."""

_PIXELS: Final = 2_000
"""Corners that are drawn of a line at most, ends and kinks evenly chosen."""

_ROW: Final = 0.06
"""Height of the row of one model below the axis, as a share of the axes."""


_TOP: Final = 0.52
"""What the axis of costs shows: no best threshold costs more than 0.5."""


class Envelope(NamedTuple):
    """A lower envelope, and both ends of the lines that form it."""

    x: Floats
    y: Floats
    at_zero: Floats
    at_one: Floats


def draw_cost_curve(envelope: Envelope, area: float, ax: Any = None) -> Any:
    """Draw an envelope with its area shaded, the lines that form it, and the trivial rules."""
    ax = axes_or_new(ax)
    from matplotlib.patches import Rectangle

    chosen = _thinned(len(envelope.at_zero), _MOST_LINES)
    lines = ax.plot(
        [0, 1],
        np.vstack((envelope.at_zero[chosen], envelope.at_one[chosen])),
        color="0.72",
        lw=0.7,
        zorder=1,
    )
    shown = _thinned(len(envelope.x), _PIXELS)
    x, y = envelope.x[shown], envelope.y[shown]
    style = LINES[0]
    shade = ax.fill_between(x, 0, y, color=style.color, alpha=BAND_ALPHA, lw=0, zorder=0)
    shade.set_label(f"expected total cost {area:.4g}")
    best = ax.plot(x, y, color=style.color, lw=2.2, label="best threshold", zorder=3)
    for line in lines:  # above it stands the legend
        line.set_clip_path(Rectangle((0, 0), 1, _TOP, transform=ax.transData))
    handles = [*best, shade, _trivial(ax)]
    if lines:
        lines[0].set_label("single thresholds")
        handles.append(lines[0])
    _finish(ax, _AXIS, "normalized cost")
    legend_on_top(ax, handles, n_columns=2)
    return ax


def draw_cost_curves(
    lines: Mapping[str, tuple[Floats, Floats]],
    areas: Mapping[str, float],
    winners: Sequence[tuple[float, float, tuple[str, ...]]],
    ax: Any = None,
) -> Any:
    """Draw the envelopes of several models, and below them the stretches where each is cheapest."""
    ax = axes_or_new(ax, (6.4, 4.6))
    handles = []
    for i, (name, (x, y)) in enumerate(lines.items()):
        style = _style(i)
        shown = _thinned(len(x), _PIXELS)
        label = f"{name}: {areas[name]:.4g}"
        handles += ax.plot(x[shown], y[shown], label=label, lw=1.8, zorder=3, **style)
    handles.append(_trivial(ax))
    _finish(ax, _AXIS, "normalized cost")
    _mark_winners(ax, list(lines), winners)
    legend_on_top(ax, handles, title="expected total cost")
    return ax


def draw_hull(
    fpr: Floats,
    tpr: Floats,
    area: float,
    roc: tuple[Floats, Floats] | None,
    ax: Any = None,
) -> Any:
    """Draw the hull of an ROC curve, above the curve itself where it is given."""
    ax = axes_or_new(ax, (4.8, 5.0))
    handles = []
    if roc is not None:
        shown = _thinned(len(roc[0]), _PIXELS)
        handles += ax.plot(roc[0][shown], roc[1][shown], color=INK, lw=1.0, label="ROC curve")
    style = LINES[0]
    marked = len(fpr) <= _MOST_LINES
    shown = _thinned(len(fpr), _PIXELS)
    handles += ax.plot(
        fpr[shown],
        tpr[shown],
        color=style.color,
        lw=2.2,
        linestyle="--",
        marker=style.marker if marked else None,
        markersize=4,
        label=f"convex hull, area {area:.4g}",
    )
    ax.plot([0, 1], [0, 1], color="0.6", lw=0.8, zorder=0)
    ax.set_aspect("equal")
    ax.set(xlabel="false positive rate", ylabel="true positive rate")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    plain_spines(ax)
    ax.legend(handles=handles, loc="lower right", fontsize="small", frameon=False)
    return ax


def draw_brier_curve(
    share: Floats,
    loss: Floats,
    area: float,
    lower: tuple[Floats, Floats] | None,
    ax: Any = None,
) -> Any:
    """Draw a Brier curve with its area shaded, above another one where it is given."""
    ax = axes_or_new(ax)
    style = LINES[0]
    shown = _thinned(len(share), _PIXELS)
    share, loss = share[shown], loss[shown]
    shade = ax.fill_between(share, 0, loss, color=style.color, alpha=BAND_ALPHA, lw=0)
    shade.set_label(f"Brier score {area:.4g}")
    handles = [
        *ax.plot(share, loss, color=style.color, lw=1.8, label="threshold c"),
        shade,
    ]
    if lower is not None:
        other, dashed = LINES[1], _thinned(len(lower[0]), _PIXELS)
        handles += ax.plot(
            *(column[dashed] for column in lower),
            color=other.color,
            linestyle=other.linestyle,
            lw=1.8,
            label="best",
        )
    _finish(ax, "c, the share of a false positive in the price of both errors", "loss")
    legend_on_top(ax, handles)
    return ax


def _trivial(ax: Any) -> Any:
    """Draw what it costs to call all positive or none, whichever is cheaper."""
    (line,) = ax.plot(
        [0, 0.5, 1], [0, 0.5, 0], color=INK, lw=1.2, linestyle=":", label="all or none", zorder=2
    )
    return line


def _finish(ax: Any, xlabel: str, ylabel: str) -> None:
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(0, 1))
    ax.set_ylim(0, max(ax.dataLim.y1 * 1.04, 1e-6) if ylabel == "loss" else _TOP)
    plain_spines(ax)


def _mark_winners(
    ax: Any, names: Sequence[str], winners: Sequence[tuple[float, float, tuple[str, ...]]]
) -> None:
    """Draw a row for each model below the axis, filled where it is cheapest."""
    low, high = ax.get_ylim()
    unit = (high - low) * _ROW
    for i, name in enumerate(names):
        style, top = _style(i), low - unit * (0.5 + 1.25 * i)
        ax.plot([0, 1], [top - unit / 2] * 2, color=PALE, lw=0.8, zorder=0)
        spans = [(start, stop - start) for start, stop, best in winners if name in best]
        ax.broken_barh(
            spans, (top - unit, unit), facecolor=style["color"], edgecolor=INK, lw=0.5, zorder=2
        )
        ax.text(
            *(1.015, top - unit / 2, name),
            transform=ax.transData,
            va="center",
            fontsize="small",
            clip_on=False,
        )
    ax.set_ylim(low - unit * (0.75 + 1.25 * len(names)), high)
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= high])
    ax.axhline(0.0, color=INK, lw=0.8)


def _style(number: int) -> dict[str, Any]:
    """Return the colour and the dashes of a line: after four, the same colours in other dashes."""
    turn, place = divmod(number, len(LINES))
    dashes = LINES[(place + turn) % len(LINES)].linestyle
    return {"color": LINES[place].color, "linestyle": dashes}


def _thinned(length: int, most: int) -> NDArray[np.int64]:
    """Return places of a sequence, at most so many, with both ends."""
    if length <= most:
        return np.arange(length)
    return np.unique(np.linspace(0, length - 1, most).round().astype(np.int64))
