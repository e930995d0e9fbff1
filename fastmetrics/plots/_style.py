"""What figures share: colours, marks and lines that differ in grey too; legends that hide nothing.

The colours are those of Okabe and Ito (2008), told apart under every common colour blindness. No
meaning rests on colour alone: lines differ in dashes and marks, areas in hatching.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

INK: Final = "black"
PALE: Final = "0.82"
REJECTED: Final = "#D55E00"
"""Vermillion: what a test rejects; always hatched."""

BAND_ALPHA: Final = 0.18


class Line(NamedTuple):
    """How one line looks."""

    color: str
    marker: str
    linestyle: str

    def options(self) -> dict[str, Any]:
        """Return keyword arguments of ``ax.plot``."""
        return {**self._asdict(), "markersize": 5, "linewidth": 1.6}


LINES: Final = (
    Line("#0072B2", "o", "-"),
    Line("#D55E00", "s", "--"),
    Line("#009E73", "^", "-."),
    Line(INK, "D", ":"),
)


def require_matplotlib() -> None:
    """Raise an ImportError that helps, before any work, if nothing can be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'fastmetrics-eval[plot]'") from error


def axes_or_new(ax: Any, size: tuple[float, float] = (6.4, 4.2)) -> Any:
    """Return the axes to draw on: those given, or of a figure of its own."""
    if ax is not None:
        return ax
    require_matplotlib()
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout="constrained")[1]


def legend_on_top(
    ax: Any, handles: Sequence[Any], *, title: str = "", n_columns: int | None = None
) -> None:
    """Draw the legend of labelled artists at the top, and make room for it above all else.

    What is drawn later, or bound to the axes, as ``axvline`` is, would run through it.
    """
    columns = len(handles) if n_columns is None else n_columns
    # With a constrained layout, axes get their place when the figure is drawn.
    ax.figure.get_figure(root=True).draw_without_rendering()
    room = ax.get_window_extent()
    while True:
        legend = ax.legend(
            handles=handles,
            loc="upper center",
            ncols=columns,
            title=title or None,
            title_fontsize="small",
            fontsize="small",
            frameon=False,
            borderaxespad=0.2,
        )
        box = legend.get_window_extent()
        if columns == 1 or box.width <= room.width:
            break
        columns -= 1
    share = min(0.6, box.height / room.height + 0.03)
    low, high = ax.get_ylim()
    ax.set_ylim(low, low + (high - low) / (1.0 - share))


def upright(ax: Any, place: float, **options: Any) -> Any:
    """Draw a line from the bottom to the top that the axes have now, and return it."""
    drawn = ax.plot([place, place], ax.get_ylim(), scalex=False, scaley=False, **options)
    return drawn[0]


def plain_spines(ax: Any) -> None:
    """Leave out the frame at the top and at the right."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def words(name: str) -> str:
    """Return the name of a measure as it is written on an axis."""
    return name.replace("_", " ")
