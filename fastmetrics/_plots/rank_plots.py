"""The critical-difference diagram and the textbook's Friedman plot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from fastmetrics._plots._style import (
    DPI,
    INK,
    axes_or_new,
    plain_spines,
    require_matplotlib,
    save_figure,
)

#: Width of a figure of its own, and height of one line of text, in inches.
_WIDTH, _LINE = 8.0, 0.26
#: Largest and smallest size of the text, in points.
_LARGEST, _SMALLEST = 10.0, 6.0
#: Of the width, what labels may take at most on both sides together.
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


class Segment(NamedTuple):
    """An algorithm, its mean rank, the segment around it, and whether it differs from the best."""

    name: str
    mean_rank: float
    low: float
    high: float
    differs: bool


def draw_critical_difference(data: Diagram, ax: Any = None, figure: Any = None) -> Any:
    """Draw a critical-difference diagram (Demsar 2006), the best ranks at the right.

    Without axes it fills a figure, that given or one of pyplot, as high as its lines of text need.

    Black on white throughout: nothing is told by a colour. Labels stand on lines of their own;
    where they are long, the text becomes smaller, and then names are cut.
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
    labels = _labels(ax, data, top + bottom)
    left, right = _limits(labels, k)
    ax.set_xlim(right, left)  # Demsar: the best ranks are at the right
    _draw_axis(ax, k, labels.size)
    for (low, high), level in zip(data.bars, levels, strict=True):
        y = 0.75 + _BAR * level
        margin = 0.004 * (right - left)
        ax.plot([low - margin, high + margin], [y, y], color=INK, lw=3.5, solid_capstyle="butt")
    for j, (position, text) in enumerate(zip(data.positions, labels.texts, strict=True)):
        is_best_half = j < (k + 1) // 2
        row = j if is_best_half else k - 1 - j
        y = first + row + 0.3
        edge = left + labels.best_share * (right - left)
        if not is_best_half:
            edge = right - labels.worst_share * (right - left)
        ax.plot([position, position, edge], [0, y, y], color=INK, lw=0.8)
        ax.annotate(
            text,
            (edge, y),
            xytext=(3 if is_best_half else -3, 0),
            textcoords="offset points",
            ha="left" if is_best_half else "right",
            va="center",
            fontsize=labels.size,
            fontweight="bold" if data.names[j] == data.control else "normal",
        )
    if math.isfinite(data.critical_difference):
        _draw_difference(ax, data, k, labels.size)
    return ax


def draw_friedman(
    segments: Sequence[Segment], centre: str, difference: float, ax: Any = None
) -> Any:
    """Draw the textbook's Friedman plot: a point a mean rank, and a segment as long as CD.

    The pale band is the segment of ``centre``; algorithms that differ from it have a hollow point.
    """
    ax = axes_or_new(ax, (_WIDTH, _LINE * (len(segments) * 1.15 + 3.5)))
    for y, (name, rank, low, high, differs) in enumerate(segments):
        if name == centre:
            ax.axvspan(low, high, color=_PALE, lw=0, zorder=0)
        ax.plot([low, high], [y, y], color=INK, lw=1.4, marker="|", ms=7)
        face = "white" if differs else INK
        ax.plot([rank], [y], "o", ms=6, color=INK, mec=INK, mfc=face, mew=1.2, zorder=3)
    ax.set_yticks(range(len(segments)), [segment.name for segment in segments])
    ax.set_ylim(len(segments) - 0.4, -0.6)
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


class _Labels(NamedTuple):
    texts: list[str]
    size: float
    #: Of the width of the axes, what the labels beside the best and the worst ranks take.
    best_share: float
    worst_share: float


def _labels(ax: Any, data: Diagram, lines: float) -> _Labels:
    """Return texts that fit beside the diagram, and what they take of its width."""
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
            return _Labels(texts, size, best, worst)
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


def _limits(labels: _Labels, k: int) -> tuple[float, float]:
    """Return the ranks at the edges of the axes, such that 1 … k lies between the labels."""
    pad = 0.025
    inside = 1.0 - labels.best_share - labels.worst_share - 2 * pad
    per_share = (k - 1) / inside
    return 1 - (labels.best_share + pad) * per_share, k + (labels.worst_share + pad) * per_share


def _draw_axis(ax: Any, k: int, size: float) -> None:
    ax.plot([1, k], [0, 0], color=INK, lw=1.2)
    room = abs(ax.transData.transform((k, 0))[0] - ax.transData.transform((1, 0))[0]) / (k - 1)
    for rank in _ticks(k, 1.6 * _width(ax, str(k), size) / room):
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
