"""The curves of scores: ROC, precision-recall, DET, measures by threshold, and reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._plots._style import (
    CORNERS,
    LINES,
    PALE,
    axes_or_new,
    check_drawable,
    labels_touch,
    legend_off_curves,
    plain_spines,
    upright,
)
from fastmetrics._plots.curves import (
    GUIDE,
    MARGIN,
    SQUARE,
    Band,
    Curve,
    Guide,
    add_curves,
    add_guides,
    is_new,
    show_all,
    unit_square,
)

Floats = NDArray[np.float64]

_ISO: Final = (0.2, 0.4, 0.6, 0.8)
_TINY: Final = 1e-9
_COARSE: Final = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)
_FINE: Final = (
    *(*_COARSE[:4], 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8),
    *(0.9, 0.95, 0.98, 0.99, 0.999),
)
"""Ticks of rates on the scale of normal deviates: few, or as many as there is room for."""


def draw_roc(
    curves: Sequence[Curve],
    ax: Any = None,
    *,
    title: str = "",
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw ROC curves over the diagonal of chance, and the ideal point."""
    ax = axes_or_new(ax, SQUARE)
    if is_new(ax):
        unit_square(ax, "false positive rate", "true positive rate")
        ax.plot([0, 1], [0, 1], ls=":", **GUIDE)
        ax.plot([0], [1], "*", ms=9, mfc="white", mec="0.35", mew=0.9, zorder=1.5, clip_on=False)
    add_curves(ax, curves, options)
    legend_off_curves(ax, "lower right", title=title)
    return ax


def draw_precision_recall(
    curves: Sequence[Curve],
    ax: Any = None,
    *,
    prevalence: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw P-R curves over lines of equal F1, the break-even line and the share of positives."""
    ax = axes_or_new(ax, SQUARE)
    if is_new(ax):
        unit_square(ax, "recall", "precision")
        ax.plot([0, 1], [0, 1], ls="--", **GUIDE)
        for f1 in _ISO:
            recall = np.linspace(f1 / (2.0 - f1), 1.0, 200)
            ax.plot(recall, f1 * recall / (2.0 * recall - f1), **{**GUIDE, "color": "0.82"})
            place = (1.0 + 1.5 * MARGIN, f1 / (2.0 - f1))
            said = f"$F_1$ {f1:g}"
            ax.text(*place, said, fontsize="x-small", color="0.4", va="center", clip_on=False)
        if prevalence is not None:
            ax.plot([0, 1], [prevalence] * 2, ls=":", **GUIDE, label=f"positives: {prevalence:.3g}")
    add_curves(ax, curves, options)
    legend_off_curves(ax, "lower left")
    return ax


def draw_det(
    curves: Sequence[Curve], ax: Any = None, *, options: Mapping[str, Any] | None = None
) -> Any:
    """Draw DET curves, on the scale of normal deviates, over the line of equal error rates."""
    ax = axes_or_new(ax, SQUARE)
    low, high = _det_limits(curves)
    if is_new(ax):
        ax.set(xlabel="false positive rate, %", ylabel="false negative rate, %")
        ax.set_xscale("function", functions=(_deviate, _rate))
        ax.set_yscale("function", functions=(_deviate, _rate))
        ax.set_aspect("equal", adjustable="box")
        plain_spines(ax, grid="both")
        ends = (_TINY, 1.0 - _TINY)
        ax.plot(ends, ends, ls=":", **GUIDE)
    else:
        low, high = min(low, ax.get_xlim()[0]), max(high, ax.get_xlim()[1])
    ax.set(xlim=(low, high), ylim=(low, high))
    _set_rate_ticks(ax)
    add_curves(ax, curves, options)
    legend_off_curves(ax, "upper right", "lower left")
    return ax


def draw_thresholds(
    curves: Sequence[Curve],
    ax: Any = None,
    *,
    mark: tuple[float, str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw measures over the threshold, from the lowest score to the highest."""
    for curve in curves:
        check_drawable(curve.x)
    ax = axes_or_new(ax)
    if is_new(ax):
        ax.set_xlabel("threshold t (positive: score ≥ t)")
        plain_spines(ax, grid="y")
    add_curves(ax, curves, options)
    ax.update_datalim([(ax.dataLim.x0, 1.0)])
    show_all(ax)
    if mark is not None and np.isfinite(mark[0]):
        upright(ax, mark[0], color="0.35", lw=1.0, ls=(0, (1, 2)), zorder=1, label=mark[1])
    legend_off_curves(ax, *reversed(CORNERS))
    return ax


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
        if not labels_touch(ax):
            return


def _deviate(rates: Floats) -> Floats:
    """Return the normal deviates of rates; those of 0 and 1 lie outside of any figure."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(rates, _TINY, 1.0 - _TINY)))


def _rate(deviates: Floats) -> Floats:
    from scipy.special import ndtr

    return np.asarray(ndtr(deviates))


# --- reliability diagrams -------------------------------------------------------------------------

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
