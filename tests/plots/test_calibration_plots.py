"""Reliability diagrams: what is drawn, and that it can be read."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from drawn import cut_off, legend_texts, line, overlaps
from matplotlib import pyplot as plt

import fastmetrics as fm


@pytest.fixture(autouse=True)
def _agg():
    mpl.use("Agg")
    yield
    plt.close("all")


def diagram(bins="isotonic", n=400):
    rng = np.random.default_rng(0)
    p = rng.beta(1, 2, n)
    return fm.reliability_diagram((rng.random(n) < p).astype(int), p, bins=bins)


@pytest.mark.parametrize("bins", ["isotonic", "uniform", "quantile"])
def test_the_points_are_those_of_the_result(bins):
    found = diagram(bins)
    ax = found.plot()
    label = "isotonic fit" if bins == "isotonic" else f"{len(found.observed)} {bins} bins"
    drawn = line(ax, label)
    if bins == "isotonic":
        assert drawn.get_xdata()[::2].tolist() == found.low.tolist()
        assert drawn.get_xdata()[1::2].tolist() == found.high.tolist()
        assert drawn.get_ydata()[1::2].tolist() == found.observed.tolist()
    else:
        np.testing.assert_array_equal(drawn.get_xydata().T, (found.predicted, found.observed))
    assert (line(ax, "calibrated").get_xydata() == [[0, 0], [1, 1]]).all()
    heights = np.array([bar.get_height() for bar in ax.patches])
    np.testing.assert_allclose(heights / heights.max(), found.histogram / found.histogram.max())
    assert legend_texts(ax)[-1] == f"probabilities (tallest bar {found.histogram.max():.0%})"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("probability", "share of positives")
    assert not overlaps(ax)
    assert not cut_off(ax)


def test_a_band_and_axes_of_the_caller():
    _, ax = plt.subplots()
    places = np.linspace(0, 1, 11)
    band = (places, places * 0.9, np.minimum(places + 0.1, 1))
    assert diagram().plot(ax=ax, band=band) is ax
    (area,) = [each for each in ax.collections if each.get_label() == "band"]
    low, high = area.get_datalim(ax.transData).intervaly
    assert (low, high) == (0, 1)
    assert "band" in legend_texts(ax)
    with pytest.raises(ValueError, match="`band` must be three arrays of one length"):
        diagram().plot(band=(places, places[1:], places))


def test_lines_differ_in_grey_too():
    ax = diagram("uniform").plot()
    assert line(ax, "calibrated").get_linestyle() == "--"
    assert line(ax, "10 uniform bins").get_marker() == "o"
    many = diagram(n=20_000).plot()
    assert line(many, "isotonic fit").get_marker() in ("", "None")
