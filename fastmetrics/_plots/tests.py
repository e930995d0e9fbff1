"""Figures of tests and intervals: null distributions, replicates, ranks, forest plots."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._plots._style import (
    DPI,
    INK,
    LINES,
    PALE,
    REJECTED,
    axes_or_new,
    check_drawable,
    escape_name,
    explain_options,
    legend_off_curves,
    metric_words,
    plain_spines,
    require_matplotlib,
    save_figure,
    short,
    upright,
)

# --- replicates of a bootstrap -------------------------------------------------------------------


_MOST_BARS: Final = 80
"""Bars at most, and so many values have a bar each."""


def draw_replicates(
    replicates: NDArray[np.float64],
    name: str,
    value: float,
    limits: Iterable[float],
    ax: Any = None,
    *,
    interval: str,
    null: float | None,
    options: Mapping[str, Any],
) -> Any:
    """Draw a histogram of the finite replicates, lines at the estimate and at its limits.

    ``interval`` says what the limits are of; a line stands at ``null``, to compare with.
    """
    check_drawable(replicates)
    ax = axes_or_new(ax)
    from matplotlib.patches import Rectangle

    finite = replicates[np.isfinite(replicates)]
    shade = {"bins": _edges(finite), "facecolor": PALE, "edgecolor": "0.35", "lw": 0.6}
    with explain_options(Rectangle):
        ax.hist(finite, **shade | {"label": f"{len(finite):,} replicates"} | dict(options))
    ax.locator_params(axis="x", nbins=5)
    ax.set(xlabel=metric_words(name), ylabel="replicates")
    plain_spines(ax)
    ax.set_ylim(0.0, ax.get_ylim()[1])
    handles = ax.get_legend_handles_labels()[0]
    if np.isfinite(value):
        label = f"{metric_words(name)}: {value:.4g}"
        handles.append(upright(ax, value, color=INK, lw=1.8, label=label))
    low, high = limits
    label = f"{interval}: {low:.4g} to {high:.4g}"
    drawn = [
        upright(ax, limit, color=LINES[0].color, lw=1.6, ls="--", label=label)
        for limit in (low, high)
        if np.isfinite(limit)
    ]
    handles += drawn[:1]
    if null is not None:
        label = f"no difference: {null:g}"
        handles.append(upright(ax, null, color=LINES[1].color, lw=1.6, ls=":", label=label))
    low, high = ax.get_xlim()
    margin = 0.03 * (high - low)
    drawn_at = [line.get_xdata()[0] for line in ax.lines]
    ax.set_xlim(
        min([low, *(at - margin for at in drawn_at)]),
        max([high, *(at + margin for at in drawn_at)]),
    )
    legend_off_curves(ax, handles=handles)
    return ax


def _edges(finite: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edges of the bars: one bar a value where values are few, else equal widths."""
    values = np.unique(finite)
    if len(values) == 0:
        return np.array([0.0, 1.0])
    if len(values) == 1:
        half = 0.01 * (abs(float(values[0])) or 1.0)
        return np.array([values[0] - half, values[0] + half])
    steps = np.diff(values)
    span = float(values[-1] - values[0])
    step = float(steps.min())
    multiples = steps / step
    if span / step <= _MOST_BARS and np.allclose(
        multiples, np.rint(multiples), rtol=0.0, atol=1e-6
    ):
        n_bars = round(span / step) + 1
        edges: NDArray[np.float64] = values[0] + step * (np.arange(n_bars + 1) - 0.5)
        return edges
    low, high = np.percentile(finite, [25.0, 75.0])
    width = 2.0 * (high - low) / len(finite) ** (1.0 / 3.0)  # Freedman & Diaconis (1981)
    n_bars = int(min(max(np.ceil(span / width), 1.0), _MOST_BARS)) if width > 0.0 else _MOST_BARS
    return np.linspace(values[0], values[-1], n_bars + 1)


# --- ranks of models -----------------------------------------------------------------------------


#: Width of a figure of its own, and height of one line of text, in inches.
_WIDTH: Final = 8.0
_LINE: Final = 0.26
#: Largest and smallest size of the text, in points.
_LARGEST: Final = 10.0
_SMALLEST: Final = 6.0
#: Largest proportion of the width for labels, on both sides together.
_LABEL_SHARE = 0.6
#: Letters that are left of a name at least.
_SHORTEST = 7
#: Distance of the bars, in lines of text.
_BAR = 0.55
_PALE = "0.88"


class Diagram(NamedTuple):
    """Algorithms on the axis of mean ranks, the best first; groups without a difference shown."""

    names: Sequence[str]
    positions: Sequence[float]
    bars: Sequence[tuple[float, float]]
    critical_difference: float
    control: str | None


def draw_critical_difference(data: Diagram, ax: Any = None, figure: Any = None) -> Any:
    """Draw a critical-difference diagram (Demsar 2006), the best ranks at the right.

    Without axes it fills a figure, that given or one of pyplot, as high as its lines of text need.
    Labels stand on lines of their own; where they are long, the text becomes smaller, then cut.
    """
    levels = _bar_levels(data.bars)
    k = len(data.names)
    top = 2.6 if math.isfinite(data.critical_difference) else 1.6
    first = 0.9 + _BAR * (max(levels, default=-1) + 1)
    bottom = first + (k + 1) // 2
    if ax is None:
        ax = axes_or_new(None, layout="none") if figure is None else figure.add_subplot()
        ax.figure.set_size_inches(_WIDTH, _LINE * (top + bottom))
        ax.set_position((0.01, 0.01, 0.98, 0.98))
    ax.set_axis_off()
    # Lines of text downwards: y is 0 at the axis of the ranks.
    ax.set_ylim(bottom, -top)
    texts, size, best_fraction, worst_fraction = _labels(ax, data, top + bottom)
    pad = 0.025  # ranks 1 to k lie between the labels
    per_fraction = (k - 1) / (1.0 - best_fraction - worst_fraction - 2 * pad)
    left = 1 - (best_fraction + pad) * per_fraction
    right = k + (worst_fraction + pad) * per_fraction
    ax.set_xlim(right, left)  # Demsar: the best ranks are at the right
    _draw_axis(ax, k, size)
    for (low, high), level in zip(data.bars, levels, strict=True):
        y = 0.75 + _BAR * level
        margin = 0.004 * (right - left)
        ax.plot([low - margin, high + margin], [y, y], color=INK, lw=3.5, solid_capstyle="butt")
    for j, (position, text) in enumerate(zip(data.positions, texts, strict=True)):
        is_best_half = j < (k + 1) // 2
        row = j if is_best_half else k - 1 - j
        y = first + row + 0.3
        edge = left + best_fraction * (right - left)
        if not is_best_half:
            edge = right - worst_fraction * (right - left)
        ax.plot([position, position, edge], [0, y, y], color=INK, lw=0.8)
        ax.annotate(
            text,
            (edge, y),
            xytext=(3 if is_best_half else -3, 0),
            textcoords="offset points",
            ha="left" if is_best_half else "right",
            va="center",
            fontsize=size,
            fontweight="bold" if data.names[j] == data.control else "normal",
        )
    if math.isfinite(data.critical_difference):
        _draw_difference(ax, data, k, size)
    return ax


def draw_friedman(
    mean_ranks: Mapping[str, float],
    centre: str,
    differing: Container[str],
    difference: float,
    ax: Any = None,
) -> Any:
    """Draw the Friedman plot: ``centre`` has a pale band, ``differing`` models hollow points."""
    ax = axes_or_new(ax, (_WIDTH, _LINE * (len(mean_ranks) * 1.15 + 3.5)))
    for y, (name, rank) in enumerate(mean_ranks.items()):
        low, high = rank - difference / 2, rank + difference / 2
        if name == centre:
            ax.axvspan(low, high, color=_PALE, lw=0, zorder=0)
        ax.plot([low, high], [y, y], color=INK, lw=1.4, marker="|", ms=7)
        fill = "white" if name in differing else INK
        ax.plot([rank], [y], "o", ms=6, color=INK, mec=INK, mfc=fill, mew=1.2, zorder=3)
    ax.set_yticks(range(len(mean_ranks)), [*mean_ranks])
    ax.set_ylim(len(mean_ranks) - 0.4, -0.6)
    ax.set_xlabel(f"mean rank (1 is best); segments are CD = {difference:.3g} long")
    plain_spines(ax)
    return ax


def save_critical_difference(data: Diagram, path: str) -> None:
    """Write the diagram to a file, without a window or any global state."""
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(dpi=DPI)
    draw_critical_difference(data, figure=figure)
    save_figure(figure, path)


def _labels(ax: Any, data: Diagram, lines: float) -> tuple[list[str], float, float, float]:
    """Return texts that fit, their size, and the width fractions of the best and worst labels."""
    names = list(data.names)
    box = ax.get_window_extent()
    points = box.height / ax.figure.dpi * 72 / lines  # between two labels
    size = min(_LARGEST, max(_SMALLEST, 0.8 * points))
    half = (len(names) + 1) // 2
    while True:
        texts = [f"{n}  {p:.2f}" for n, p in zip(names, data.positions, strict=True)]
        widths = [_width(ax, text, size) / box.width for text in texts]
        best = max(widths[:half]) + 0.015
        worst = max(widths[half:]) + 0.015
        longest = max(map(len, names))
        if best + worst <= _LABEL_SHARE or (size <= _SMALLEST and longest <= _SHORTEST):
            return texts, size, best, worst
        if size > _SMALLEST:
            size = max(_SMALLEST, size - 0.5)
        else:
            names = [_cut(name, max(_SHORTEST, longest - 2)) for name in names]


def _cut(name: str, length: int) -> str:
    """Return a name of at most this length; names of one kind differ at their ends."""
    if len(name) <= length:
        return name
    end = (length - 1) // 2
    return f"{name[: length - 1 - end]}…{name[len(name) - end :]}"


def _width(ax: Any, text: str, size: float) -> float:
    """Return the width of a text in pixels."""
    drawn = ax.text(0, 0, text, fontsize=size, fontweight="bold")
    width = float(drawn.get_window_extent().width)
    drawn.remove()
    return width


def _draw_axis(ax: Any, k: int, size: float) -> None:
    ax.plot([1, k], [0, 0], color=INK, lw=1.2)
    per_rank = abs(ax.transData.transform((k, 0))[0] - ax.transData.transform((1, 0))[0]) / (k - 1)
    for rank in _ticks(k, 1.6 * _width(ax, str(k), size) / per_rank):
        ax.plot([rank, rank], [0, -0.3], color=INK, lw=1.0)
        ax.text(rank, -0.4, str(rank), ha="center", va="bottom", fontsize=size)


def _ticks(k: int, apart: float) -> list[int]:
    """Return ranks to write at the axis: 1, k, and round ones, none nearer than `apart`."""
    step = next(
        10**power * digit for power in range(6) for digit in (1, 2, 5) if 10**power * digit >= apart
    )
    inner = [rank for rank in range(step, k, step) if rank - 1 >= apart and k - rank >= apart]
    return [1, *inner, k]


def _draw_difference(ax: Any, data: Diagram, k: int, size: float) -> None:
    """Draw the segment of the critical difference above the axis, from its best end."""
    difference = data.critical_difference
    low = 1.0
    y = -1.75
    ax.plot([low, low + difference], [y, y], color=INK, lw=1.2)
    for end in (low, low + difference):
        ax.plot([end, end], [y - 0.2, y + 0.2], color=INK, lw=1.2)
    middle = low + min(difference, k - 1) / 2
    ax.text(middle, y - 0.1, f"CD = {difference:.3g}", ha="center", va="bottom", fontsize=size)


def _bar_levels(bars: Sequence[tuple[float, float]]) -> list[int]:
    """Return a level for each bar such that no two on one level touch."""
    ends: list[float] = []
    levels = []
    for low, high in bars:  # from the best group to the worst
        for level, end in enumerate(ends):
            if low > end:
                ends[level] = high
                break
        else:
            level = len(ends)
            ends.append(high)
        levels.append(level)
    return levels


# --- forest plots --------------------------------------------------------------------------------


#: Inches of a row, of what stands around the rows of a panel, and of a figure's width.
_ROW: Final = 0.27
_AROUND: Final = 0.9
_FOREST_WIDTH: Final = 6.0
#: Characters of a label: of a longer one the first are shown.
_LONGEST: Final = 36


class Panel(NamedTuple):
    """Estimates of one unit, (label, result, is significant), and texts at both ``ends``."""

    title: str
    rows: Sequence[tuple[str, Any, bool]]
    line: float
    ends: tuple[str, str] = ("", "")


def draw_forest(panels: Sequence[Panel]) -> Any:
    """Return a figure with a panel for each unit, one above the other."""
    from matplotlib.figure import Figure

    heights = [_AROUND + _ROW * len(panel.rows) for panel in panels]
    figure = Figure(figsize=(_FOREST_WIDTH, sum(heights)), layout="constrained")
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for ax, panel in zip(axes, panels, strict=True):
        _draw(ax, panel)
    return figure


def _draw(ax: Any, panel: Panel) -> None:
    heights = range(len(panel.rows), 0, -1)
    ax.axvline(panel.line, color="0.45", lw=1.0, ls="--", zorder=1)
    for height, (_, result, is_shown) in zip(heights, panel.rows, strict=True):
        if not math.isfinite(result.estimate):
            continue
        color = (LINES[0] if is_shown else LINES[3]).color
        limits = [*result.confidence_interval]
        if all(map(math.isfinite, limits)):
            ax.plot(limits, [height, height], "-", color=color, lw=1.6, zorder=2)
        fill = color if is_shown else "white"
        ax.plot([result.estimate], [height], "o", ms=6, mfc=fill, mec=color, zorder=3)
    ax.set_yticks(heights, [escape_name(short(label, _LONGEST)) for label, *_ in panel.rows])
    ax.set_ylim(0.4, len(panel.rows) + 0.6)
    ax.margins(x=0.06)
    ax.locator_params(axis="x", nbins=5)
    ax.tick_params(axis="y", length=0)
    above = 18.0 if any(panel.ends) else 6.0
    ax.set_title(panel.title, loc="left", fontsize="medium", color=INK, pad=above)
    plain_spines(ax)
    ax.spines["left"].set_visible(False)
    left, right = panel.ends
    for text, end, side in ((left, 0.0, "left"), (right, 1.0, "right")):
        if text:
            ax.annotate(
                escape_name(short(text, _LONGEST)),
                (end, 1.0),
                xytext=(0, 4),
                textcoords="offset points",
                xycoords="axes fraction",
                ha=side,
                fontsize="small",
                color="0.35",
            )


# --- null distributions --------------------------------------------------------------------------

_BARS: Final = 120
"""So many counts have a bar each; more become one outline."""

_POINTS: Final = 2_000
_PLAIN: Final[dict[str, Any]] = {"facecolor": PALE, "edgecolor": "0.35"}
_HATCHED: Final[dict[str, Any]] = {"facecolor": "white", "edgecolor": REJECTED, "hatch": "////"}
_OBSERVED: Final = {"color": INK, "lw": 1.4, "ls": "--"}
_TAILS: Final = {"two-sided": (-1, 1), "less": (-1,), "greater": (1,)}


def _observed(test: Any, statistic: str) -> str:
    """Return a sentence with the result and decision of a test, given its formatted statistic."""
    decision = "rejected" if test.reject else "not rejected"
    alpha = 1.0 - test.confidence_level
    return f"observed: {statistic} (p = {test.pvalue:.3g}, {decision} at {alpha:g})"


def draw_binomial(test: Any, accepted: tuple[int, int], ax: Any = None) -> Any:
    """Draw the distribution of errors; a test rejects counts outside the two ``accepted``."""
    n = int(test.details["n"])
    rate = test.details["error_rate"]
    ax = axes_or_new(ax)
    from matplotlib.patches import Patch
    from scipy.stats import binom

    seen = int(test.statistic)
    low, high = accepted
    bounds = [count for count, rejects in ((low, low > 0), (high, high < n)) if rejects]
    counts = _counts(n, rate, [seen, *bounds])
    chances = binom.pmf(counts, n, rate)
    rejected = (counts < low) | (counts > high)
    size = float(binom.cdf(low - 1, n, rate) + binom.sf(high, n, rate))
    null = f"binomial({n:,}, {rate:g})"
    label = f"rejected: {_rejected_counts(low, high, n)} (size {size:.3g})"
    if len(counts) <= _BARS and counts[-1] - counts[0] < _BARS:
        ax.bar(counts[~rejected], chances[~rejected], width=0.8, **_PLAIN)
        ax.bar(counts[rejected], chances[rejected], width=0.8, **_HATCHED)
        ax.locator_params(axis="x", nbins=11, integer=True)
    else:
        ax.fill_between(counts, chances, where=~rejected, **_PLAIN)
        ax.fill_between(counts, chances, where=rejected, **_HATCHED)
    ax.set_xlim(counts[0] - 0.8, counts[-1] + 0.8)
    ax.set_ylim(0.0, 1.05 * float(chances.max()))
    line = upright(ax, seen, **_OBSERVED, label=_observed(test, f"{seen:,}"))
    ax.set_xlabel(f"errors of {n:,}")
    ax.set_ylabel("probability")
    plain_spines(ax)
    areas = [Patch(label=null, **_PLAIN), Patch(label=label, **_HATCHED)]
    legend_off_curves(ax, handles=[*areas, line])
    return ax


def draw_t(test: Any, ax: Any = None) -> Any:
    """Draw Student's t distribution, and the tails where a test rejects.

    An arrow points to a t outside the figure. The critical value is nan where it is not defined,
    and the degrees of freedom are 0 where there is no t.
    """
    ax = axes_or_new(ax)
    df = test.df
    alternative = test.alternative
    alpha = 1.0 - test.confidence_level
    from matplotlib.patches import Patch
    from scipy.stats import t as student

    ax.set_xlabel("t")
    ax.set_ylabel("density")
    plain_spines(ax)
    if df <= 0:
        label = "t is not defined: it has no degrees of freedom"
        ax.text(0.5, 0.5, label, ha="center", va="center", transform=ax.transAxes)
        return ax
    critical = abs(test.critical_value)
    if not math.isfinite(critical):  # of a test that is not defined
        tail = alpha / 2 if alternative == "two-sided" else alpha
        critical = float(student.isf(tail, df))
    edge = max(4.0, 1.35 * critical)
    seen = 1.15 * abs(test.statistic)
    edge = max(edge, seen) if seen <= 2.5 * edge else edge
    values = np.linspace(-edge, edge, _POINTS + 1)
    density = student.pdf(values, df)
    peak = float(density.max())
    ax.set_xlim(-edge, edge)
    ax.set_ylim(0.0, 1.05 * peak)
    degrees = "1 degree" if df == 1 else f"{df:g} degrees"
    curve = ax.plot(values, density, color=INK, lw=1.4, label=f"t with {degrees} of freedom")[0]
    for side in _TAILS[alternative]:
        tail_values = np.linspace(side * critical, side * edge, _POINTS // 4)
        heights = student.pdf(tail_values, df)
        ax.fill_between(tail_values, heights, **_HATCHED)
        # Few degrees of freedom have tails too flat to be seen.
        ax.plot([tail_values[0]] * 2, [0.0, max(heights[0], 0.05 * peak)], color=REJECTED, lw=1.4)
    label = f"rejected: {_rejected_t(alpha, alternative, critical)}"
    tails = Patch(label=label, **_HATCHED)
    legend_off_curves(ax, handles=[curve, tails, _draw_observed_t(ax, test, edge, peak)])
    return ax


def _rejected_counts(low: int, high: int, n: int) -> str:
    conditions = []
    if low > 0:
        conditions.append(f"fewer than {low:,}")
    if high < n:
        conditions.append(f"more than {high:,}")
    return " or ".join(conditions) + " errors" if conditions else "no count"


def _counts(n: int, rate: float, required: list[int]) -> NDArray[np.int64]:
    """Return the counts to draw: those that matter, and those that must be seen."""
    middle = n * rate
    deviation = math.sqrt(n * rate * (1.0 - rate))
    low = max(0, min(*required, math.floor(middle - 4.5 * deviation)) - 1)
    high = min(n, max(*required, math.ceil(middle + 4.5 * deviation)) + 1)
    if n <= 30:
        low, high = 0, n
    if high - low < _POINTS:
        return np.arange(low, high + 1)
    return np.unique(np.linspace(low, high, _POINTS).astype(np.int64))


def _rejected_t(alpha: float, alternative: str, critical: float) -> str:
    if alternative == "two-sided":
        return f"|t| ≥ {critical:.4g} ({alpha / 2:g} in each tail)"
    sign, bound = ("≤", -critical) if alternative == "less" else ("≥", critical)
    return f"t {sign} {bound:.4g} ({alpha:g} in the tail)"


def _draw_observed_t(ax: Any, test: Any, edge: float, peak: float) -> Any:
    """Draw the t observed, and return what stands for it in the legend."""
    t = test.statistic
    label = _observed(test, f"t = {t:.4g}")
    if math.isnan(t):
        return ax.plot([], [], " ", label="observed: t is not defined")[0]
    if abs(t) < edge:
        return upright(ax, t, **_OBSERVED, label=label)
    side = math.copysign(1.0, t)
    ax.annotate(
        "",
        (side * edge, 0.35 * peak),
        xytext=(side * 0.86 * edge, 0.35 * peak),
        arrowprops={"arrowstyle": "-|>", **_OBSERVED},
    )
    return ax.plot([], [], **_OBSERVED, label=f"{label}, beyond the axis")[0]
