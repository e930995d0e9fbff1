"""What a drawn figure shows, and whether anything on it lies on anything else."""

from __future__ import annotations

import itertools

import numpy as np


def texts(ax):
    """Return the visible texts of the axes that are not empty."""
    ax.figure.draw_without_rendering()
    legend = ax.get_legend()
    found = [ax.xaxis.label, ax.yaxis.label, *ax.texts]
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        labels = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
        found += [label for place, label in labels if low <= place <= high]
    if legend is not None:
        found += [*legend.get_texts(), legend.get_title()]
    return [text for text in found if text.get_visible() and text.get_text().strip()]


def curves_on(ax):
    """Return the lines that are curves of results: not guides, nor what matplotlib draws."""
    return [line for line in ax.lines if getattr(line, "is_guide", True) is False]


def overlaps(ax):
    """Return pairs of texts that overlap."""
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts(ax)]
    return [
        (one, other)
        for (one, box), (other, box2) in itertools.combinations(boxes, 2)
        if box.x0 < box2.x1 and box2.x0 < box.x1 and box.y0 < box2.y1 and box2.y0 < box.y1
    ]


def cut_off(ax):
    """Return texts that reach beyond the figure."""
    whole = ax.figure.bbox
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts(ax)]
    return [
        text
        for text, box in boxes
        if box.x0 < whole.x0 or box.y0 < whole.y0 or box.x1 > whole.x1 or box.y1 > whole.y1
    ]


def under_legend(ax):
    """Return the labels of lines, and the number of areas, that run through the legend."""
    ax.figure.draw_without_rendering()
    box, whole = ax.get_legend().get_window_extent(), ax.get_window_extent()
    found = []
    for line in ax.lines:
        points = line.get_transform().transform(line.get_xydata()) if len(line.get_xdata()) else []
        # between the points of a line too
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            share = np.linspace(0, 1, 50)
            inside_x = np.abs(x0 + share * (x1 - x0) - (box.x0 + box.x1) / 2) < box.width / 2
            inside_y = np.abs(y0 + share * (y1 - y0) - (box.y0 + box.y1) / 2) < box.height / 2
            # what lies beyond the axes is not drawn
            in_sight = np.abs(y0 + share * (y1 - y0) - (whole.y0 + whole.y1) / 2) < whole.height / 2
            if (inside_x & inside_y & in_sight).any():
                found.append(line.get_label())
                break
    for artist in [*ax.patches, *ax.collections]:
        extent = artist.get_window_extent()
        if extent.width and extent.y1 > box.y0 and extent.x0 < box.x1 and extent.x1 > box.x0:
            found.append(type(artist).__name__)
    return found


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def line(ax, label):
    return next(one for one in ax.lines if one.get_label() == label)


def looks(ax):
    """Return marker and dashes of each line that the legend names."""
    named = [one for one in ax.lines if not one.get_label().startswith("_")]
    return [(one.get_marker(), one.get_linestyle()) for one in named]
