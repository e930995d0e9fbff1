"""Figures of curves: of scores, of costs, of parameters, with their bands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._number_text import percent_text
from fastmetrics._plots._style import (
    BAND_ALPHA,
    CORNERS,
    INK,
    LINES,
    PALE,
    LineLook,
    axes_or_new,
    check_drawable,
    curves_on,
    explain_options,
    labels_touch,
    legend_off_curves,
    line_style,
    plain_spines,
    short,
    upright,
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


class PlotCurve(NamedTuple):
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
    folds: tuple[PlotCurve, ...] = ()
    """Curves of subsets, drawn as thin lines in the same colour."""


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
    """Return the title of a band for the legend."""
    return f"{percent_text(confidence_level)} band, {kind}"


def draw_curves(
    curves: Sequence[PlotCurve],
    guides: Sequence[Guide],
    labels: tuple[str, str],
    ax: Any = None,
    *,
    depth: float = math.inf,
    title: str = "",
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw curves over guides, with zero in sight.

    What lies deeper below zero than ``depth`` times the greatest height is out of sight.
    """
    for curve in curves:
        check_drawable(curve.x, curve.y)
    ax = axes_or_new(ax)
    add_guides(ax, guides, labels)
    add_curves(ax, curves, options)
    show_all(ax, depth)
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


def show_all(ax: Any, depth: float = math.inf, top: float | None = None) -> None:
    """Let the axes hold all that is drawn, and zero, up to a top that is given."""
    x = ax.dataLim.intervalx
    low, high = ax.dataLim.intervaly
    if not np.isfinite([*x, low, high]).all():
        return
    low = min(low, 0.0)
    high = max(high, 0.0) if top is None else top
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


def add_curves(ax: Any, curves: Sequence[PlotCurve], options: Mapping[str, Any] | None) -> None:
    """Draw curves with their bands and marks; each looks otherwise than those before it."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    from fastmetrics._plots._thin_line import ThinArea, ThinLine

    given = normalize_kwargs(dict(options or {}), Line2D)
    for i, curve in enumerate(curves, len(curves_on(ax))):
        known = {str(line.get_label()) for line in curves_on(ax)}
        color, marker, linestyle = line_style(i)
        look: dict[str, Any] = {"color": color, "linestyle": linestyle, "linewidth": 1.6}
        if curve.has_markers and len(curve.x) <= _MARKERS:
            look |= {"marker": marker, "markersize": 4.5}
        look |= {"label": _another(curve.label, known), "drawstyle": curve.drawstyle} | given
        with explain_options(Line2D):
            line = ax.add_line(ThinLine(curve.x, curve.y, **look))
        if curve.is_shaded and len(curve.x):
            x = np.append(curve.x, curve.x[[-1, 0]])
            shade = {"color": line.get_color(), "alpha": BAND_ALPHA, "lw": 0, "zorder": 0.5}
            ax.add_collection(ThinArea(x, np.append(curve.y, [0.0, 0.0]), **shade))
        for fold in curve.folds:
            thin = {"color": line.get_color(), "lw": 0.6, "alpha": 0.6, "zorder": 1.4}
            guide = ThinLine(fold.x, fold.y, label=fold.label, drawstyle=fold.drawstyle, **thin)
            guide.is_guide = True
            ax.add_line(guide)
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
        run = slice(start, stop)
        low = STEP_LOOKUP_MAP[below](band.x[run], band.low[run])
        high = STEP_LOOKUP_MAP[above](band.x[run], band.high[run])
        x, y = (np.append(one, other[::-1]) for one, other in zip(low, high, strict=True))
        ax.add_collection(ThinArea(x, y, label=label, **look))
        label = "_band"  # once in the legend


# --- curves of scores ----------------------------------------------------------------------------


_ISO: Final = (0.2, 0.4, 0.6, 0.8)


def draw_roc(
    curves: Sequence[PlotCurve],
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
    curves: Sequence[PlotCurve],
    ax: Any = None,
    *,
    prevalence: float | None = None,
    title: str = "",
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
            position = (1.0 + 1.5 * MARGIN, f1 / (2.0 - f1))
            label = f"$F_1$ {f1:g}"
            ax.text(*position, label, fontsize="x-small", color="0.4", va="center", clip_on=False)
        if prevalence is not None:
            ax.plot([0, 1], [prevalence] * 2, ls=":", **GUIDE, label=f"positives: {prevalence:.3g}")
    add_curves(ax, curves, options)
    legend_off_curves(ax, "lower left", title=title)
    return ax


def draw_thresholds(
    curves: Sequence[PlotCurve],
    ax: Any = None,
    *,
    mark: tuple[float, str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw metrics over the threshold, from the lowest score to the highest."""
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


# --- reliability diagrams -------------------------------------------------------------------------

_FOOT: Final = 0.2
"""The height of the tallest bar of the histogram at the foot."""

_LABELS: Final = ("probability", "share of positives")


def reliability_limits(band: Any) -> Band:
    """Return the limits of a `ReliabilityBand`; a consistency band surrounds the diagonal."""
    is_curve = band.kind == "confidence"
    label = f"{100 * band.confidence_level:g} % {band.kind} band"
    color = None if is_curve else LINES[5].color
    return Band(band.probability, band.low, band.high, label, is_curve, color)


def draw_reliability(
    curve: PlotCurve,
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


# --- cost curves ---------------------------------------------------------------------------------


_COST_AXES: Final = ("P(+)cost", "normalized cost")
_TRIVIAL: Final = Guide((0.0, 0.5, 1.0), (0.0, 0.5, 0.0), "all or none", ":", INK)
_MOST_LINES: Final = 40
"""Lines of thresholds that are drawn: more would be a grey area."""


def draw_cost_curve(
    curve: PlotCurve,
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
    add_guides(ax, [lines, _TRIVIAL] if n else [_TRIVIAL], _COST_AXES)
    add_curves(ax, [curve], options)
    show_all(ax, top=0.5)  # no best threshold costs more
    legend_off_curves(ax)
    return ax


# --- bias and variance over a parameter -----------------------------------------------------------


_LOG_RATIO: Final = 100.0
"""Positive values that span so much are drawn on a logarithmic axis."""

_TICKS: Final = 12
"""So many values have a tick each."""


def draw_bias_variance_curve(curve: Any, ax: Any = None) -> Any:
    """Draw loss, bias, variance and, where there is some, noise over the values of a parameter."""
    ax = axes_or_new(ax)
    axis = _make_axis(curve.values)
    first = curve.points[0]
    net = first.decomposition == "domingos"
    series = [
        ("loss", curve.loss, LINES[3]._replace(linestyle="-")),
        ("bias" if net else "bias²", curve.bias, LINES[0]._replace(linestyle="--")),
        ("net variance" if net else "variance", curve.variance, LINES[1]._replace(linestyle="-.")),
    ]
    if curve.noise.any():
        series.append(("noise", curve.noise, LINES[2]._replace(linestyle=":")))
    lines = [
        ax.plot(*axis.points(heights), label=label, **axis.without_line(line).options())[0]
        for label, heights, line in series
    ]
    _set_axis(ax, axis, curve.parameter)
    is_positive = all((heights >= 0).all() for _, heights, _ in series)
    ax.set_ylabel(_LOSSES[first.decomposition])
    if is_positive:  # the axis ends a trifle below 0
        low, high = ax.get_ylim()
        ax.set_ylim(max(low, -0.02 * (high - low)), high)
    else:
        ax.axhline(0.0, color="0.6", lw=0.8, zorder=0)
    plain_spines(ax, grid="y")
    lines.append(_mark_best(ax, axis, curve.values, curve.best_value))
    legend_off_curves(ax, handles=lines, title=f"{first.n_models} training sets")
    return ax


_LOSSES: Final = {
    "squared": "squared loss",
    "domingos": "0-1 loss (Domingos)",
    "kohavi-wolpert": "0-1 loss (Kohavi-Wolpert)",
}


class _Axis(NamedTuple):
    """Where values stand on the horizontal axis, and the order to join them in."""

    positions: Floats
    order: NDArray[np.intp]
    ticks: list[str] | None
    kind: Literal["linear", "log", "names"]

    def points(self, heights: Floats) -> tuple[Floats, Floats]:
        """Return both coordinates of a line."""
        return self.positions[self.order], heights[self.order]

    def without_line(self, line: LineLook) -> LineLook:
        """Return how a line looks; names have no line between them."""
        return line._replace(linestyle="none") if self.kind == "names" else line


def _make_axis(values: Sequence[Any]) -> _Axis:
    numbers = [isinstance(v, int | float) and not isinstance(v, bool) for v in values]
    if all(numbers) and all(map(math.isfinite, values)) and len(set(values)) == len(values):
        positions = np.array(values, np.float64)
        is_log = bool(positions.min() > 0 and positions.max() / positions.min() >= _LOG_RATIO)
        few = len(values) <= _TICKS and not is_log
        ticks = [f"{value:g}" for value in values] if few else None
        return _Axis(
            positions, np.argsort(positions, kind="stable"), ticks, "log" if is_log else "linear"
        )
    positions = np.arange(len(values), dtype=np.float64)
    return _Axis(
        positions, np.arange(len(values)), [short(str(value), 14) for value in values], "names"
    )


def _set_axis(ax: Any, axis: _Axis, parameter: str) -> None:
    if axis.kind == "log":
        ax.set_xscale("log")
    if axis.kind == "names":
        ax.set_xlim(-0.5, len(axis.positions) - 0.5)
    if axis.ticks is not None:
        ax.set_xticks(axis.positions, axis.ticks)
    if axis.ticks is not None and labels_touch(ax):  # ticks of numbers are left to matplotlib
        if axis.kind == "linear":
            from matplotlib.ticker import AutoLocator, ScalarFormatter

            ax.xaxis.set_major_locator(AutoLocator())
            ax.xaxis.set_major_formatter(ScalarFormatter())
        else:
            ax.tick_params(axis="x", labelrotation=90)
    ax.set_xlabel(parameter)


def _mark_best(ax: Any, axis: _Axis, values: Sequence[Any], best: Any) -> Any:
    x = axis.positions[next(i for i, value in enumerate(values) if value is best or value == best)]
    text = f"{best:g}" if isinstance(best, float) else short(str(best), 14)
    return upright(ax, x, color="0.45", lw=1.0, ls=(0, (1, 2)), zorder=0, label=f"best: {text}")
