"""Lines and areas of any number of points that draw those of which a pixel shows something.

The one module that imports matplotlib when it is imported: who draws imports it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from matplotlib.cbook import STEP_LOOKUP_MAP
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.path import Path
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FEW: Final = 4_000
"""So many points are drawn as they are."""

_PARTS: Final = 8
"""Columns of a pixel: smoothed edges show where inside a pixel a line runs."""


_BEYOND: Final = 20.0
"""Pixels beside the axes from which the width of a line does not reach back into them."""


class ThinLine(Line2D):
    """A line that holds all its points and draws, at any size and zoom, what can be seen."""

    is_guide = False
    """Whether it is there to compare curves with, and none of them."""

    def draw(self, renderer: Any) -> None:
        """Draw the points that `kept_points` keeps."""
        if np.size(self.get_xdata()) <= _FEW or not self.get_visible() or self.axes is None:
            super().draw(renderer)
            return
        line = Line2D(*self._display())
        line.update_from(self)
        line.set_figure(self.axes.figure)
        line.set_gid(self.get_gid())
        line.set_rasterized(self.get_rasterized())
        # Lines of few points snap to whole pixels, lines of many do not.
        line.set_snap(self.get_snap() or False)
        line.draw(renderer)
        self.stale = False

    def pixels(self) -> Floats:
        """Return the points to draw in pixels of the figure, corners of steps among them."""
        x, y = STEP_LOOKUP_MAP[self.get_drawstyle()](*self._display())
        points: Floats = self.get_transform().transform(np.column_stack((x, y)))
        return points

    def _display(self) -> tuple[Floats, Floats]:
        """Return both coordinates of the points to draw."""
        x, y = (np.asarray(values, np.float64) for values in self.get_data(orig=False))
        kept = _kept(self, np.column_stack((x, y)))
        return x[kept], y[kept]


class ThinArea(PolyCollection):
    """The area inside a line, of which it holds and draws the points as a `ThinLine` does."""

    def __init__(self, x: Floats, y: Floats, **look: Any) -> None:
        super().__init__([np.column_stack((x, y))], **look)
        self._paths: list[Path]

    def draw(self, renderer: Any) -> None:
        """Draw the points that `kept_points` keeps."""
        whole = self._paths
        corners = np.asarray(whole[0].vertices)
        if len(corners) > _FEW and self.get_visible() and self.axes is not None:
            self._paths = [Path(corners[_kept(self, corners)], closed=True)]
        try:
            super().draw(renderer)
        finally:
            self._paths = whole

    def pixels(self) -> Floats:
        """Return the points to draw in pixels of the figure."""
        corners = np.asarray(self._paths[0].vertices)
        points: Floats = self.get_transform().transform(corners[_kept(self, corners)])
        return points


def _kept(artist: Any, points: Floats) -> NDArray[np.intp]:
    """Return the indices of the points to draw of an artist on axes."""
    pixels = artist.get_transform().transform(points)
    box = artist.axes.bbox
    columns = np.floor((pixels[:, 0] - box.x0) * _PARTS)
    low, high = -_PARTS * _BEYOND, np.ceil(_PARTS * (box.width + _BEYOND))
    np.clip(columns, low, high, out=columns)  # nan stays
    return kept_points(columns, pixels[:, 1])


def kept_points(columns: Floats, heights: Floats) -> NDArray[np.intp]:
    """Return the indices, rising, of the points to draw of each run of equal columns.

    They are the first, the last, the first lowest and the first highest: these cover the same
    pixels. Points with a nan are no part of a run: they part it, and stay.
    """
    n = len(columns)
    gap = np.isnan(columns) | np.isnan(heights)
    begins = np.ones(n, np.bool_)
    begins[1:] = (columns[1:] != columns[:-1]) | gap[1:] | gap[:-1]
    starts = np.flatnonzero(begins)
    sizes = np.diff(starts, append=n)
    kept = begins
    kept[starts + sizes - 1] = True
    for reduced in (np.minimum, np.maximum):
        extremes = np.repeat(reduced.reduceat(heights, starts), sizes)
        at = np.flatnonzero(heights == extremes)
        run = np.searchsorted(starts, at, side="right")
        first = np.ones(len(at), np.bool_)
        first[1:] = run[1:] != run[:-1]
        kept[at[first]] = True
    return np.flatnonzero(kept)
