"""A confusion matrix as a grid of shades with its numbers: errors have shades of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._plots._style import axes_or_new, check_drawable, explain_options

_CELL: Final = 0.62
"""Inches of a cell of a figure of its own, at least."""

_TEXTS: Final = 30
"""A matrix of more classes shows shades alone."""

_DARK: Final = 0.5

_SCALES: Final = ("cmap", "norm", "vmin", "vmax")
"""Options that give all cells one scale."""


def draw_confusion(
    cells: NDArray[Any],
    labels: Sequence[str],
    texts: Sequence[Sequence[str]],
    ax: Any = None,
    *,
    shades: str = "",
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Draw a matrix: true classes by row, predicted ones by column, the greater the darker.

    What is right is blue, errors are orange, each by its own scale: a few errors among many
    examples can be seen. With an option of one scale all cells have that one. ``texts`` are what
    the cells say, ``shades`` what the bars of shades metric. Texts that would not fit into their
    cells become smaller, and are left out where they could not be read.
    """
    check_drawable(cells)
    k = len(labels)
    side = min(max(3.4, _CELL * k + 1.2), 9.0)
    ax = axes_or_new(ax, (side + 0.8, side))
    given = dict(options or {})
    is_one = k < 2 or any(name in given for name in _SCALES)
    correct = np.eye(k, dtype=bool)
    if is_one:
        images = [_shade(ax, cells, "Blues", given)]
    else:
        images = [_shade(ax, np.ma.array(cells, mask=~correct), "Blues", given)]
        images += [_shade(ax, np.ma.array(cells, mask=correct), "Oranges", given)]
    ax.set_xticks(range(k), labels)
    ax.set_yticks(range(k), labels)
    ax.set(xlabel="predicted class", ylabel="true class")
    ax.tick_params(length=0)
    figure = ax.figure.get_figure(root=True)
    height, whats = (1.0, [""]) if is_one else (0.46, ["correct\n", "errors\n"])
    named = shades if is_one else fill(shades, 15)  # half the height, in small pictures an inch
    for image, what, bottom in zip(images, whats, (1.0 - height, 0.0), strict=False):
        bar = ax.figure.colorbar(image, cax=ax.inset_axes((1.03, bottom, 0.05, height)))
        bar.outline.set_visible(False)
        bar.set_label(f"{what}{named}")
    ax.spines[:].set_color("0.6")
    figure.draw_without_rendering()
    names = [label.get_window_extent() for label in ax.get_xticklabels()]
    cell_width = ax.get_window_extent().width / max(k, 1)
    if any(name.width > 0.95 * cell_width for name in names):
        ax.tick_params(axis="x", labelrotation=90)
        figure.draw_without_rendering()
    if k <= _TEXTS:
        wrong = images[-1]
        _write(ax, [[images[0] if i == j else wrong for j in range(k)] for i in range(k)], texts)
    return ax


def _shade(ax: Any, cells: NDArray[Any], colors: str, options: Mapping[str, Any]) -> Any:
    """Draw cells as shades from zero to the greatest of them."""
    from matplotlib.image import AxesImage

    top = float(np.nanmax(np.ma.filled(cells, 0.0), initial=0.0))
    with explain_options(AxesImage):
        return ax.imshow(cells, **{"cmap": colors, "vmin": 0.0, "vmax": top or 1.0, **options})


def _write(ax: Any, images: Sequence[Sequence[Any]], texts: Sequence[Sequence[str]]) -> None:
    """Write into the cells, light on dark and dark on light."""
    written = [
        ax.text(j, i, text, ha="center", va="center", color=_ink(images[i][j], i, j))
        for i, row in enumerate(texts)
        for j, text in enumerate(row)
    ]
    cell_width = ax.get_window_extent().width / len(texts)
    widest = max((text.get_window_extent().width for text in written), default=0.0)
    if widest > 0.9 * cell_width:
        size = written[0].get_fontsize() * 0.9 * cell_width / widest
        for text in written:
            text.set_fontsize(size)
            text.set_visible(size >= 4.0)


def _ink(image: Any, i: int, j: int) -> str:
    """Return a text colour that is legible on the shade of a cell."""
    from matplotlib.colors import to_rgb

    value = image.get_array()[i, j]
    if value is np.ma.masked:  # no number: the paper itself
        return "black"
    red, green, blue = to_rgb(image.cmap(image.norm(value)))
    return "white" if 0.2126 * red + 0.7152 * green + 0.0722 * blue < _DARK else "black"
