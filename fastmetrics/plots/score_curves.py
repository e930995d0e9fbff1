"""The curves of scores: ROC, precision-recall, DET, and measures against the threshold."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.plots._style import (
    BAND_ALPHA,
    INK,
    axes_or_new,
    legend_off_curves,
    look_of,
    plain_spines,
    upright,
)

Floats = NDArray[np.float64]

_SQUARE: Final = (4.6, 4.6)
_MARGIN: Final = 0.015
_GUIDE: Final[dict[str, Any]] = {"color": "0.6", "lw": 0.8, "zorder": 1}
_ISO: Final = (0.2, 0.4, 0.6, 0.8)
_TINY: Final = 1e-9
_COARSE: Final = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)
_FINE: Final = (
    *_COARSE[:4],
    0.001,
    0.005,
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.4,
    0.6,
    0.8,
    0.9,
    0.95,
    0.98,
    0.99,
    0.999,
)
"""Ticks of rates on the scale of normal deviates: few, or as many as there is room for."""


class Mark(NamedTuple):
    """A point of a curve that has a name."""

    x: float
    y: float
    label: str
    marker: Literal["o", "D"] = "o"


class Band(NamedTuple):
    """Limits around a curve."""

    x: Floats
    low: Floats
    high: Floats
    label: str


class Curve(NamedTuple):
    """A line with its label in the legend, its band and its marks."""

    x: Floats
    y: Floats
    label: str
    band: Band | None = None
    marks: tuple[Mark, ...] = ()
    drawstyle: Literal["default", "steps-post", "steps-pre"] = "default"


def draw_roc(
    curves: Sequence[Curve],
    ax: Any = None,
    *,
    title: str = "",
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw ROC curves over the diagonal of chance, and the ideal point."""
    ax = axes_or_new(ax, _SQUARE)
    if _is_new(ax):
        _unit_square(ax, "false positive rate", "true positive rate")
        ax.plot([0, 1], [0, 1], ls=":", **_GUIDE)
        ax.plot([0], [1], "*", ms=9, mfc="white", mec="0.35", mew=0.9, zorder=1.5, clip_on=False)
    _add_curves(ax, curves, options)
    legend_off_curves(ax, "lower right", title=title)
    return ax


def draw_precision_recall(
    curves: Sequence[Curve],
    ax: Any = None,
    *,
    prevalence: float | None = None,
    title: str = "",
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw P-R curves over lines of equal F1, the break-even line and the share of positives."""
    ax = axes_or_new(ax, _SQUARE)
    if _is_new(ax):
        _unit_square(ax, "recall", "precision")
        ax.plot([0, 1], [0, 1], ls="--", **_GUIDE)
        for f1 in _ISO:
            recall = np.linspace(f1 / (2.0 - f1), 1.0, 200)
            ax.plot(recall, f1 * recall / (2.0 * recall - f1), **{**_GUIDE, "color": "0.82"})
            place = (1.0 + 1.5 * _MARGIN, f1 / (2.0 - f1))
            said = f"$F_1$ {f1:g}"
            ax.text(*place, said, fontsize="x-small", color="0.4", va="center", clip_on=False)
        if prevalence is not None:
            ax.plot(
                [0, 1], [prevalence] * 2, ls=":", **_GUIDE, label=f"positives: {prevalence:.3g}"
            )
    _add_curves(ax, curves, options)
    legend_off_curves(ax, "lower left", title=title)
    return ax


def draw_det(
    curves: Sequence[Curve],
    ax: Any = None,
    *,
    title: str = "",
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw DET curves, on the scale of normal deviates, over the line of equal error rates.

    Where a rate is 0 its curve runs out of the figure.
    """
    ax = axes_or_new(ax, _SQUARE)
    low, high = _det_limits(curves)
    if _is_new(ax):
        ax.set(xlabel="false positive rate, %", ylabel="false negative rate, %")
        ax.set_xscale("function", functions=(_deviate, _rate))
        ax.set_yscale("function", functions=(_deviate, _rate))
        ax.grid(True, color="0.9", lw=0.8)
        ax.set_axisbelow(True)
        ax.set_aspect("equal", adjustable="box")
        plain_spines(ax)
        ends = (_TINY, 1.0 - _TINY)
        ax.plot(ends, ends, ls=":", **_GUIDE)
    else:
        low, high = min(low, ax.get_xlim()[0]), max(high, ax.get_xlim()[1])
    ax.set(xlim=(low, high), ylim=(low, high))
    _set_rate_ticks(ax)
    _add_curves(ax, curves, options)
    legend_off_curves(ax, "upper right", "lower left", title=title)
    return ax


def draw_thresholds(
    curves: Sequence[Curve],
    ax: Any = None,
    *,
    mark: tuple[float, str] | None = None,
    title: str = "",
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw measures over the threshold, from the lowest score to the highest."""
    ax = axes_or_new(ax)
    if _is_new(ax):
        ax.set_xlabel("threshold: positive from this score on")
        ax.yaxis.grid(True, color="0.9", lw=0.8)
        ax.set_axisbelow(True)
        plain_spines(ax)
    _add_curves(ax, curves, options)
    ax.autoscale_view(scaley=False)
    heights = np.concatenate([line.get_ydata() for line in ax.lines])
    low, high = np.nanmin(heights, initial=0.0), np.nanmax(heights, initial=1.0)
    margin = _MARGIN * (high - low)
    ax.set_ylim(low - margin, high + margin)
    if mark is not None and np.isfinite(mark[0]):
        upright(ax, mark[0], color="0.35", lw=1.0, ls=(0, (1, 2)), zorder=1, label=mark[1])
    legend_off_curves(
        ax, "lower center", "lower left", "lower right", "upper right", "upper left", title=title
    )
    return ax


def _is_new(ax: Any) -> bool:
    """Return whether the axes hold no curve of ours yet."""
    from fastmetrics.plots._thin_line import ThinLine

    return not any(isinstance(line, ThinLine) for line in ax.lines)


def _unit_square(ax: Any, x: str, y: str) -> None:
    ax.set_xlim(-_MARGIN, 1.0 + _MARGIN)
    ax.set_ylim(-_MARGIN, 1.0 + _MARGIN)
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    plain_spines(ax)


def _add_curves(ax: Any, curves: Sequence[Curve], options: Mapping[str, Any] | None) -> None:
    """Draw curves with their bands and marks; each looks otherwise than those before it."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    from fastmetrics.plots._thin_line import ThinLine

    n_before = sum(isinstance(line, ThinLine) for line in ax.lines)
    given = normalize_kwargs(dict(options or {}), Line2D)
    for i, curve in enumerate(curves, n_before):
        color, linestyle = look_of(i)
        look: dict[str, Any] = {"color": color, "linestyle": linestyle, "linewidth": 1.6}
        look |= {"label": curve.label, "drawstyle": curve.drawstyle} | given
        line = ax.add_line(ThinLine(curve.x, curve.y, **look))
        if curve.band is not None:
            band = curve.band
            shade = {"color": line.get_color(), "alpha": BAND_ALPHA, "lw": 0}
            ax.fill_between(band.x, band.low, band.high, label=band.label, **shade)
            for edge in (band.low, band.high):
                ax.plot(band.x, edge, color=line.get_color(), lw=0.5, ls=linestyle)
        for mark in curve.marks:
            point = {"mfc": "white", "mec": INK, "ms": 6, "mew": 1.2, "zorder": 3}
            ax.plot([mark.x], [mark.y], mark.marker, ls="none", label=mark.label, **point)


def _det_limits(curves: Sequence[Curve]) -> tuple[float, float]:
    """Return the rates between which all curves lie, but for rates of 0 and 1."""
    lows, highs = [0.05], [0.5]
    for curve in curves:
        for rates, others in ((curve.x, curve.y), (curve.y, curve.x)):
            positive = (rates > 0.0) & (others < 1.0)
            if positive.any():
                lows.append(float(rates[positive].min()))
                highs.append(float(rates[positive & (others > 0.0)].max(initial=0.0)))
    low = max(min(lows) / 2.0, _TINY)
    high = _rate(_deviate(np.array(max(highs))) + 0.15)
    return low, min(float(high), 1.0 - low)


def _set_rate_ticks(ax: Any) -> None:
    """Set ticks at round rates, as many as have room for their texts."""
    low, high = ax.get_xlim()
    for rates in (_FINE, _COARSE):
        ticks = [rate for rate in rates if low <= rate <= high]
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_ticks(ticks, [f"{100.0 * rate:.6g}" for rate in ticks])
        ax.figure.get_figure(root=True).draw_without_rendering()
        boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
        if all(one.x1 + 3.0 < other.x0 for one, other in itertools.pairwise(boxes)):
            return


def _deviate(rates: Floats) -> Floats:
    """Return the normal deviates of rates; those of 0 and 1 lie outside of any figure."""
    from scipy.special import ndtri

    found: Floats = ndtri(np.clip(rates, _TINY, 1.0 - _TINY))
    return found


def _rate(deviates: Floats) -> Floats:
    from scipy.special import ndtr

    found: Floats = ndtr(deviates)
    return found
