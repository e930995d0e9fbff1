"""Texts, curves and overlaps of a drawn figure."""

import itertools
from typing import NamedTuple

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patches import Patch


def small():
    """Return axes of a figure as it stands in a column of a paper: 8 cm wide."""
    return plt.subplots(figsize=(3.15, 3.15), layout="constrained")[1]


def texts(ax):
    """Return the visible texts of the axes that are not empty."""
    ax.figure.draw_without_rendering()
    legend = ax.get_legend()
    actual = [*ax.texts]
    for axis in (ax.xaxis, ax.yaxis) if ax.axison else ():
        actual.append(axis.label)
        low, high = sorted(axis.get_view_interval())
        labels = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
        actual += [label for place, label in labels if low <= place <= high]
    if legend is not None:
        actual += [*legend.get_texts(), legend.get_title()]
    return [text for text in actual if text.get_visible() and text.get_text().strip()]


def curves_on(ax):
    """Return the lines that are curves of results: not guides, nor what matplotlib draws."""
    return [line for line in ax.lines if getattr(line, "is_guide", True) is False]


class Faults(NamedTuple):
    """Overlapping texts, texts beyond the figure, and lines and areas under the legend."""

    overlaps: list[tuple[str, str]]
    cut_off: list[str]
    under_legend: list[str]


def faults(ax):
    """Return the faults of the axes as they are drawn, which is what takes its time: once.

    Before 3.11, matplotlib places labels beside colour bars half a pixel off when it first draws.
    """
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts(ax)]
    whole = ax.figure.bbox
    return Faults(
        [
            (one, other)
            for (one, box), (other, box2) in itertools.combinations(boxes, 2)
            if box.x0 < box2.x1 and box2.x0 < box.x1 and box.y0 < box2.y1 and box2.y0 < box.y1
        ],
        [
            text
            for text, box in boxes
            if min(box.x0 - whole.x0, box.y0 - whole.y0) <= -1
            or max(box.x1 - whole.x1, box.y1 - whole.y1) >= 1
        ],
        [] if ax.get_legend() is None else _under_legend(ax),
    )


def _under_legend(ax):
    box = ax.get_legend().get_window_extent()
    whole = ax.get_window_extent()
    actual = []
    share = np.linspace(0, 1, 50)[:, None, None]
    for line in ax.lines:
        points = line.get_transform().transform(line.get_xydata().reshape(-1, 2))
        # between the points of a line too
        x, y = np.moveaxis(points[:-1] + share * np.diff(points, axis=0), 2, 0)
        inside = (x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)
        # what lies beyond the axes is not drawn
        if (inside & (y > whole.y0) & (y < whole.y1)).any():
            actual.append(line.get_label())
    for artist in [*ax.patches, *ax.collections]:
        paths = [artist.get_path()] if isinstance(artist, Patch) else artist.get_paths()
        places = (path.transformed(artist.get_transform()) for path in paths)
        if any(path.intersects_bbox(box, filled=True) for path in places):
            actual.append(type(artist).__name__)
    return actual


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def line(ax, label):
    return next(one for one in ax.lines if one.get_label() == label)


def looks(ax):
    """Return marker and dashes of each line that the legend names."""
    named = [one for one in ax.lines if not one.get_label().startswith("_")]
    return [(one.get_marker(), one.get_linestyle()) for one in named]
