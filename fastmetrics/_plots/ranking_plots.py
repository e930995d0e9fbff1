"""Figures of rankings: systems by measure or against k, and how queries differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.numbers import decimals_of, number
from fastmetrics._plots._style import (
    INK,
    LINES,
    axes_or_new,
    legend_off_curves,
    plain_spines,
    words,
)

Floats = NDArray[np.float64]

_SPREAD: Final = 0.5
"""Of the marks of systems at one place, in places."""


class Means(NamedTuple):
    """Means of one system, and the limits of their intervals, measure by measure."""

    values: Floats
    low: Floats
    high: Floats


def draw_cutoffs(
    means: Mapping[str, Means],
    metrics: Sequence[str],
    cutoffs: Sequence[int | None],
    interval: str,
    ax: Any = None,
) -> Any:
    """Draw means with bars: a curve against k for one measure, else measures side by side."""
    ax = axes_or_new(ax)
    from matplotlib.colors import to_rgb

    families = {metric.partition("@")[0] for metric in metrics}
    against_k = len(families) == 1 < len(metrics) and None not in cutoffs
    places = np.arange(len(metrics), dtype=np.float64)
    order = (
        np.argsort([k or 0 for k in cutoffs], kind="stable")
        if against_k
        else np.arange(len(metrics))
    )
    handles = []
    shifts = np.linspace(-0.5, 0.5, len(means)) if len(means) > 1 else np.zeros(1)
    width = (0.16 if against_k else _SPREAD) * min(1.0, len(means) / 4)
    for i, ((name, each), shift) in enumerate(zip(means.items(), shifts, strict=True)):
        look = LINES[i % len(LINES)]
        at = places + width * shift
        values = each.values[order]
        bars = np.abs(np.stack((each.low[order], each.high[order])) - values)
        bars = np.where(np.isnan(bars), 0.0, bars)
        # nearer to grey each time that the list of colours begins anew
        shade = tuple(0.5 + (c - 0.5) * 0.6 ** (i // len(LINES)) for c in to_rgb(look.color))
        line = ax.errorbar(
            at,
            values,
            yerr=bars,
            color=shade,
            marker=look.marker,
            linestyle=look.linestyle if against_k else "none",
            markersize=5,
            linewidth=1.4,
            elinewidth=1.0,
            capsize=2.5,
            label=name,
        )
        handles.append(line)
    if against_k:
        ax.set_xticks(places, [str(cutoffs[i]) for i in order])
        ax.set(xlabel=f"k ({interval})", ylabel=words(next(iter(families))))
    else:
        ax.set_xticks(places, [words(metric) for metric in metrics])
        ax.set(ylabel=f"mean ({interval})", xlim=(-0.6, len(metrics) - 0.4))
    plain_spines(ax)
    legend_off_curves(ax, handles=handles)
    return ax


def draw_query_differences(
    differences: Floats,
    mean: tuple[float, float, float],
    names: tuple[str, str],
    metric: str,
    ax: Any = None,
) -> Any:
    """Draw the differences of queries, the largest first, the mean and its interval."""
    ax = axes_or_new(ax)
    from matplotlib.colors import to_rgba

    ordered = np.sort(differences)[::-1]
    edges = np.arange(len(ordered) + 1) - 0.5
    above, below = np.maximum(ordered, 0.0), np.minimum(ordered, 0.0)
    handles = []
    for part, look, hatch, name in (
        (above, LINES[0], None, names[0]),
        (below, LINES[1], "////", names[1]),
    ):
        n = int(np.count_nonzero(part))
        handles.append(
            ax.stairs(
                part,
                edges,
                fill=True,
                facecolor=to_rgba(look.color, 0.35),
                edgecolor=look.color,
                linewidth=0.0,
                hatch=hatch,
                label=f"{name} is better: {n:,} of {len(ordered):,}",
            )
        )
    ax.axhline(0.0, color=INK, lw=0.8)
    value, low, high = mean
    decimals = decimals_of([value, low, high], as_are=False)
    said = f"mean {number(value, decimals)}"
    if low == low:
        said += f", {number(low, decimals)} to {number(high, decimals)}"
    (line,) = ax.plot(edges[[0, -1]], [value, value], color=INK, lw=1.6, ls="--", label=said)
    if low == low:
        ax.fill_between(edges[[0, -1]], low, high, color=INK, alpha=0.18, lw=0)
    ax.set(
        xlabel="queries, by difference",
        ylabel=f"difference in {words(metric)}",
        xlim=(edges[0], edges[-1]),
    )
    plain_spines(ax)
    legend_off_curves(ax, handles=[*handles, line])
    return ax
