"""A line of many points draws few of them, and covers the same pixels."""

import io
import itertools
import math
import pickle
from fractions import Fraction

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, strategies as st
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fastmetrics._plots._thin_line import ThinArea, ThinLine, kept_points


def kept_by_definition(columns, heights):
    """First, last, first lowest and first highest of each run; points with a nan, all of them."""
    actual = set()
    start = 0
    is_gap = [math.isnan(c) or math.isnan(h) for c, h in zip(columns, heights, strict=True)]
    for i in range(1, len(columns) + 1):
        if i < len(columns) and columns[i] == columns[start] and not (is_gap[i] or is_gap[i - 1]):
            continue
        run = range(start, i)
        actual |= {start, i - 1}
        if not is_gap[start]:
            actual |= {min(run, key=heights.__getitem__), max(run, key=heights.__getitem__)}
        start = i
    return sorted(actual)


def pixels(x, y):
    """Return the cells of a unit grid that a polyline passes through, by rational arithmetic."""
    points = [(Fraction(a), Fraction(b)) for a, b in zip(x, y, strict=True)]
    actual = {(math.floor(points[0][0]), math.floor(points[0][1]))}
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        (left, low), (right, high) = sorted([(x0, y0), (x1, y1)])
        for column in range(math.floor(left), math.floor(right) + 1):
            ends = [min(max(Fraction(edge), left), right) for edge in (column, column + 1)]
            if left == right:
                rows = [low, high]
            else:
                rows = [low + (high - low) * (end - left) / (right - left) for end in ends]
            rows.sort()
            actual |= {(column, row) for row in range(math.floor(rows[0]), math.floor(rows[1]) + 1)}
    return actual


floats = st.floats(0, 5, allow_nan=False, width=16)


@given(st.lists(st.tuples(st.integers(0, 3), floats | st.just(math.nan)), min_size=1))
def test_what_is_kept_is_what_the_definition_says(points):
    columns, heights = np.array(points, dtype=float).T
    assert kept_points(columns, heights).tolist() == kept_by_definition(
        columns.tolist(), heights.tolist()
    )


@given(st.lists(st.tuples(floats, floats), min_size=1, max_size=40), st.booleans())
def test_the_same_pixels(points, is_sorted):
    x, y = np.array(sorted(points) if is_sorted else points).T
    kept = kept_points(np.floor(x * 8), y)
    assert pixels(x[kept] * 8, y[kept]) == pixels(x * 8, y)


def pixels_of(artist, *, dpi=100, limits=((0, 1), (0, 1))):
    """Return the bytes of a figure that shows this alone."""
    figure = Figure(figsize=(4, 3), dpi=dpi)
    figure.add_axes((0.1, 0.1, 0.8, 0.8), xlim=limits[0], ylim=limits[1]).add_artist(artist)
    with io.BytesIO() as file, mpl.rc_context({"path.simplify": False}):
        figure.savefig(file, format="raw", dpi=dpi)
        return np.frombuffer(file.getvalue(), np.uint8).astype(int)


def both(x, y, *, dpi=100, limits=((0, 1), (0, 1)), **options):
    """Return the bytes of a line with all of its points, and of one with those that are seen."""
    lines = (line(x, y, color="black", **options) for line in (Line2D, ThinLine))
    return [pixels_of(line, dpi=dpi, limits=limits) for line in lines]


def steps(n):
    """A staircase of steps that can be seen, of n points."""
    corners = np.sort(np.random.default_rng(2).random((2, 41)))
    x, y = np.repeat(corners[0], 2)[1:], np.repeat(corners[1], 2)[:-1]
    share = np.linspace(0, len(x) - 1, n)
    return np.interp(share, np.arange(len(x)), x), np.interp(share, np.arange(len(y)), y)


@pytest.mark.pairwise
@pytest.mark.parametrize("dpi", [72, 100, 300])
@pytest.mark.parametrize("limits", [((0, 1), (0, 1)), ((0.4, 0.6), (0.3, 0.7))])
@pytest.mark.parametrize("drawstyle", ["default", "steps-post", "steps-pre"])
def test_matplotlib_colours_the_same_pixels(dpi, limits, drawstyle):
    x, y = steps(30_000)
    full, thin = both(x, y, dpi=dpi, limits=limits, drawstyle=drawstyle, linewidth=1.5)
    ink = (255 - full).sum()
    assert ink > 50_000
    # A corner is shown as near as an eighth of a pixel, and matplotlib rounds it otherwise.
    assert np.abs(full - thin).sum() <= 0.015 * ink


def test_a_wild_line_keeps_its_extremes():
    y = np.random.default_rng(0).random(50_000)
    y[[12_345, 33_333]] = -4, 5
    full, thin = both(np.linspace(0, 1, len(y)), y, limits=((0, 1), (-5, 6)))
    assert np.abs(full - thin).sum() <= 0.002 * (255 - full).sum()


def test_few_points_are_drawn_of_a_million(monkeypatch):
    n = 1_000_000
    x = np.linspace(0, 1, n)
    drawn = []
    plain = Line2D.draw
    monkeypatch.setattr(
        Line2D, "draw", lambda self, r: (drawn.append(len(self.get_xdata())), plain(self, r))
    )
    line = ThinLine(x, np.sqrt(x))
    pixels_of(line)
    width = 0.8 * 4 * 100
    assert [size for size in drawn if size > 2] == [pytest.approx(2 * 8 * width, rel=0.02)]
    assert len(line.get_xdata()) == n
    drawn.clear()
    pixels_of(ThinLine(x, np.sqrt(x)), limits=((0.5, 0.5001), (0, 1)))  # zoomed in
    assert max(drawn) < 150  # a hundred in sight, and those near to them


def test_gaps_stay_gaps():
    x = np.linspace(0, 1, 10_000)
    full, thin = both(x, np.where(np.abs(x - 0.5) < 0.2, np.nan, 0.5))
    assert np.abs(full - thin).max() <= 32
    assert (thin != 255).any()


def test_few_points_are_all_drawn():
    assert np.array_equal(*both(*steps(4_000)))


def test_an_invisible_line_is_not_drawn():
    hidden = pixels_of(ThinLine(*steps(10_000), visible=False))
    assert np.array_equal(hidden, pixels_of(Line2D([], [])))


@pytest.mark.parametrize("limits", [((0, 1), (0, 1)), ((0.4, 0.6), (0.3, 0.7))])
@pytest.mark.parametrize("n", [30_000, 1_000_000])
def test_an_area_covers_the_same_pixels(limits, n, monkeypatch):
    x, y = steps(n)
    x, y = np.append(x, x[::-1]), np.append(y, 0.8 * y[::-1] + 0.1)
    drawn = []
    plain = PolyCollection.draw

    def counted(self, renderer):
        drawn.append(len(self.get_paths()[0].vertices))
        plain(self, renderer)

    monkeypatch.setattr(PolyCollection, "draw", counted)
    area = ThinArea(x, y)
    full, thin = (pixels_of(each, limits=limits) for each in (PolyCollection([np.c_[x, y]]), area))
    assert np.abs(full - thin).sum() <= 0.01 * (255 - full).sum()
    assert drawn[1] < 0.5 * drawn[0] < n + 2
    assert drawn[1] < 2 * 8 * 8 * 4 * 100
    assert len(area.get_paths()[0].vertices) == 2 * n + 1  # all of them stay


def test_a_figure_with_one_is_pickled():
    x, y = steps(10_000)
    figure = Figure()
    figure.add_subplot().add_line(ThinLine(x, y))
    (line,) = pickle.loads(pickle.dumps(figure)).axes[0].lines
    assert isinstance(line, ThinLine)
    assert np.array_equal(line.get_xydata(), np.c_[x, y])
