"""Curves of what a rule costs or is worth: cost by threshold, decision, gain, lift, Lorenz, PRG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastmetrics.plots._style import (
    BAND_ALPHA,
    INK,
    LINES,
    axes_or_new,
    legend_on_top,
    plain_spines,
)

_TRIVIAL = "0.45"
#: Points above which a curve is thinned, by its extremes in this many places.
_MANY, _PLACES = 8192, 2048


class Curve(NamedTuple):
    """One curve with its name, and its band if it has one."""

    name: str
    x: Any
    y: Any
    low: Any = None
    high: Any = None


def thinned(x: Any, y: Any) -> tuple[Any, Any]:
    """Return a curve of few points that covers the same pixels: first, last, least, greatest.

    Of the points in each of 2,048 equal parts of the axis of x, in their order.
    """
    if len(x) <= _MANY:
        return x, y
    span = float(x.max()) - float(x.min())
    place = np.minimum((x - x.min()) * (_PLACES / span if span > 0 else 0.0), _PLACES - 1)
    starts = np.flatnonzero(np.diff(place.astype(np.int64), prepend=-1))
    ends = np.append(starts[1:], len(x)) - 1
    chosen = [starts, ends]
    for start, end in zip(starts, ends, strict=True):
        part = y[start : end + 1]
        chosen.append(np.array([start + part.argmin(), start + part.argmax()]))
    kept = np.unique(np.concatenate(chosen))
    return x[kept], y[kept]


def draw_threshold_costs(
    thresholds: Any,
    costs: Any,
    best: tuple[float, float],
    trivial: tuple[float, float],
    label: str,
    ax: Any = None,
) -> Any:
    """Draw cost against threshold, highest threshold first; the trivial rules are level lines."""
    ax = axes_or_new(ax)
    at = np.asarray(thresholds[1:], dtype=np.float64)[::-1]
    of = np.asarray(costs[1:])[::-1]
    at, of = thinned(at, of)
    look = LINES[0]
    (curve,) = ax.step(at, of, where="pre", color=look.color, lw=1.6, label=label or "the model")
    handles = [curve]
    for cost, name, dashes in (
        (trivial[0], "all positive", "--"),
        (trivial[1], "all negative", ":"),
    ):
        handles.append(ax.axhline(cost, color=_TRIVIAL, lw=1.2, ls=dashes, label=name))
    if math.isfinite(best[0]):
        text = f"cheapest: {best[1]:.4g} at {best[0]:.4g}"
        handles += ax.plot(*best, "o", color=INK, ms=6, mfc="white", label=text)
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel("threshold: positive is score ≥ threshold")
    ax.set_ylabel("expected cost of an example")
    plain_spines(ax)
    legend_on_top(ax, handles, n_columns=2)
    return ax


def draw_lines(
    curves: Sequence[Curve],
    references: Sequence[Curve],
    labels: tuple[str, str],
    ax: Any = None,
    *,
    bottom: float | None = None,
    top: float | None = None,
) -> Any:
    """Draw curves, with bands where they have some, over grey lines of reference."""
    ax = axes_or_new(ax)
    handles = []
    for i, line in enumerate(references):
        dashes = ("--", ":", "-.")[i % 3]
        options = {"color": _TRIVIAL, "lw": 1.2, "ls": dashes, "label": line.name, "zorder": 1}
        handles += ax.plot(*thinned(np.asarray(line.x), np.asarray(line.y)), **options)
    for i, line in enumerate(curves):
        look = LINES[i % len(LINES)]
        x, y = thinned(np.asarray(line.x), np.asarray(line.y))
        options = {"color": look.color, "ls": look.linestyle, "lw": 1.6, "label": line.name}
        handles += ax.plot(x, y, **options)
        if line.low is not None:
            band = {"color": look.color, "alpha": BAND_ALPHA, "lw": 0}
            ax.fill_between(line.x, line.low, line.high, **band)
    ax.set_ylim(bottom, top)
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    plain_spines(ax)
    legend_on_top(ax, handles, n_columns=3)
    return ax
