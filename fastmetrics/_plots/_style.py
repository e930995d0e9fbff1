"""Style of figures: colours, marks and lines that differ in grey too; legends beside the data.

The colours are those of Okabe and Ito (2008), told apart under every common colour blindness. No
meaning rests on colour alone: lines differ in dashes and marks, areas in hatching.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from fastmetrics._files import writing
from fastmetrics.errors import InputError, importing, no_parameter

INK: Final = "black"
PALE: Final = "0.82"
REJECTED: Final = "#D55E00"
"""Vermillion: what a test rejects; always hatched."""

BAND_ALPHA: Final = 0.18


class LineLook(NamedTuple):
    """Style of one line."""

    color: str
    marker: str
    linestyle: Any

    def options(self) -> dict[str, Any]:
        """Return keyword arguments of ``ax.plot``."""
        return {**self._asdict(), "markersize": 5, "linewidth": 1.6}


LINES: Final = (
    LineLook("#0072B2", "o", "-"),
    LineLook("#D55E00", "s", (0, (5, 1.5))),
    LineLook("#009E73", "^", (0, (6, 1.5, 1, 1.5))),
    LineLook(INK, "D", (0, (1, 1))),
    LineLook("#CC79A7", "v", (0, (8, 1.5, 1, 1.5, 1, 1.5))),
    LineLook("#E69F00", "P", (0, (3, 1))),
    LineLook("#56B4E9", "X", (0, (2, 1, 1, 1))),
)
"""In the order that they are taken in."""

_TEXTS: Final = (8.3, 7.2, 6.2)
"""Sizes of the text of a legend, in points: the largest that finds room."""

_LARGEST: Final = 1e300
"""Spans of axes, their margins and distances between ticks are doubles too."""

DPI: Final = 200
"""Dots an inch of a file, where its format has dots."""


@contextmanager
def explain_options(artist: type[Any]) -> Iterator[None]:
    """Replace errors about options that an artist of matplotlib does not have by advice."""
    try:
        yield
    except AttributeError as error:
        from matplotlib.artist import ArtistInspector

        match = re.search(r"unexpected keyword argument '(\w+)'", str(error))
        if match is None:
            raise
        known = ["ax", *ArtistInspector(artist).get_setters()]
        raise no_parameter(match[1], f"{artist.__module__}.{artist.__name__}", known) from None


def require_matplotlib() -> None:
    """Raise an ImportError that helps, before any work, if nothing can be drawn."""
    with importing("plots need matplotlib: pip install 'fastmetrics-eval[plot]'"):
        import matplotlib  # noqa: F401


def axes_or_new(
    ax: Any, size: tuple[float, float] = (6.4, 4.2), layout: str = "constrained"
) -> Any:
    """Return the axes to draw on: those given, or of a figure of its own."""
    if ax is not None:
        return ax
    require_matplotlib()
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout=layout)[1]


def check_drawable(*columns: Any) -> None:
    """Raise, before anything is drawn, for numbers that matplotlib overflows with."""
    for column in columns:
        values = np.abs(np.asarray(column, np.float64))
        largest = float(values.max(initial=0.0, where=np.isfinite(values)))
        if largest > _LARGEST:
            raise InputError(
                f"a figure shows numbers up to {_LARGEST:g}, and {largest!r} is beyond: divide all "
                "by the same number"
            )


def curves_on(ax: Any) -> list[Any]:
    """Return the lines of axes that are curves of ours."""
    from fastmetrics._plots._thin_line import ThinLine

    return [line for line in ax.lines if isinstance(line, ThinLine) and not line.is_guide]


CORNERS: Final = ("upper right", "upper left", "lower right", "lower left", "lower center")


def legend_off_curves(
    ax: Any, *corners: str, title: str = "", handles: Sequence[Any] | None = None
) -> None:
    """Draw the legend in the first corner where nothing runs that it names, or above the axes.

    It names the handles given, or all artists with a label: curves, then areas, points and guides.
    Artists of one label have one entry. Lines without a label are guides, and may run through it.
    """
    from matplotlib.lines import Line2D

    curves = curves_on(ax)

    def rank(entry: tuple[str, Any]) -> int:
        return 0 if entry[1] in curves else 2 if isinstance(entry[1], Line2D) else 1

    if handles is None:
        handles, labels = ax.get_legend_handles_labels()
        entries = sorted(dict(zip(labels, handles, strict=True)).items(), key=rank)
    else:
        entries = [(handle.get_label(), handle) for handle in handles]
    if not entries:
        return
    options: dict[str, Any] = {
        "handles": [handle for _, handle in entries],
        "labels": [label for label, _ in entries],
        "title": title or None,
        "alignment": "left",
        "frameon": False,
    }
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    figure = ax.figure.get_figure(root=True)
    # With a constrained layout, axes would get their place when the figure is drawn.
    if (layout := figure.get_layout_engine()) is not None:
        layout.execute(figure)
    ax.apply_aspect()
    window = ax.get_window_extent()
    drawn = list(_drawn_on(ax))
    for size in _TEXTS:
        options |= {"fontsize": size, "title_fontsize": size}
        for corner in corners or CORNERS:
            box = ax.legend(loc=corner, **options).get_window_extent()
            padded = box.padded(2.0)
            if box.width <= window.width and not any(
                padded.count_contains(path.vertices) or path.intersects_bbox(padded, filled=filled)
                for path, filled in drawn
            ):
                return
    ax.set_anchor("SW")  # a square that becomes smaller stays where it is
    above = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.01), "borderaxespad": 0.0}
    ends = ((3, window.x1), (2, window.x1), (1, figure.bbox.x1 - 4.0))
    for size, (columns, end) in itertools.product(_TEXTS, ends):
        options |= {"fontsize": size, "title_fontsize": size}
        legend = ax.legend(ncols=columns, **above, **options)
        if legend.get_window_extent().x1 <= end:
            break
    figure.draw_without_rendering()  # the axes give way: ticks have to know when the next is drawn


def _drawn_on(ax: Any) -> Iterator[tuple[Any, bool]]:
    """Yield, in pixels, what a legend must not hide, and whether it is an area."""
    from matplotlib.path import Path

    curves = curves_on(ax)
    for line in ax.lines:
        is_joined = line.get_linestyle() != "None"
        if not (line.get_label().startswith("_") and line not in curves and is_joined):
            if hasattr(line, "pixels"):  # of a long one those to draw
                yield Path(line.pixels()), False
            else:
                yield Path(line.get_transform().transform(line.get_xydata())), False
    for area in ax.collections:
        if hasattr(area, "pixels"):
            yield Path(area.pixels()), True
        else:
            yield from ((path.transformed(area.get_transform()), True) for path in area.get_paths())
    for bar in ax.patches:
        yield bar.get_path().transformed(bar.get_transform()), True


def save_figure(figure: Any, path: str) -> None:
    """Write a figure to a file, whole or not at all; equal figures give equal bytes."""
    import matplotlib

    kind = os.path.splitext(path)[1][1:].lower()
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with matplotlib.rc_context({"svg.hashsalt": "fastmetrics"}), writing(path) as file:
        figure.savefig(file, dpi=DPI, format=kind or None, metadata=dates.get(kind))


def upright(ax: Any, x: float, **options: Any) -> Any:
    """Draw a line from the bottom to the top that the axes have now, and return it."""
    drawn = ax.plot([x, x], ax.get_ylim(), scalex=False, scaley=False, **options)
    return drawn[0]


def line_style(i: int) -> LineLook:
    """Return the style of curve ``i``: the first dozens differ in colour or dashes."""
    n = len(LINES)
    return LINES[i % n]._replace(linestyle=LINES[(i + i // n) % n].linestyle)


def plain_spines(ax: Any, grid: Literal["x", "y", "both"] | None = None) -> None:
    """Leave out the frame at the top and at the right, and draw a grid behind all."""
    ax.spines[["top", "right"]].set_visible(False)
    if grid is not None:
        ax.grid(True, axis=grid, color="0.9", lw=0.8)
        ax.set_axisbelow(True)


def escape_name(name: str) -> str:
    """Return a name as matplotlib shows it: it hides _ at the start, and reads $ as formulas."""
    text = name.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def labels_touch(ax: Any) -> bool:
    """Return whether labels of the horizontal axis leave too little room between them."""
    ax.figure.get_figure(root=True).draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    boxes.sort(key=lambda box: float(box.x0))
    return any(one.x1 + 3.0 >= other.x0 for one, other in itertools.pairwise(boxes))


def short(text: str, most: int) -> str:
    """Return a text of so many characters at most."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def model_label(name: str | None, text: str) -> str:
    """Return the legend entry of a model, which need not have a name."""
    return f"{escape_name(name)}: {text}" if name else text


def metric_words(name: str) -> str:
    """Return the name of a metric as it is written on an axis."""
    return name.replace("_", " ")
