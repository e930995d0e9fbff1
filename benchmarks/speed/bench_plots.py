"""The curves of a million distinct scores are computed, drawn and written in under a second.

Of processor time: all of it is one thread's, and what else the machine does is not counted.
"""

from __future__ import annotations

import io
import time

import numpy as np
import pytest
from matplotlib.figure import Figure

import fastmetrics as fm
from fastmetrics._plots._style import curves_on
from fastmetrics._plots.curves import Band, Guide, PlotCurve, draw_curves

pytestmark = pytest.mark.bench

N = 1_000_000
ROUNDS = 4
SECONDS = 1.0
ENDINGS = ("png", "svg", "pdf")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.4
    return fm.ScoreTable.from_scores(y, rng.normal(size=N) + y)


@pytest.fixture(scope="module")
def calibrated():
    rng = np.random.default_rng(1)
    p = rng.random(N)
    return fm.ScoreTable.from_scores(rng.random(N) < p, p)


OF_SCORES = {
    "roc": fm.plots.plot_roc,
    "pr": fm.plots.plot_pr,
    "thresholds": lambda table, ax: fm.plots.plot_thresholds(table, ax=ax, metrics="f1"),
}
OF_PROBABILITIES = {
    "cost": lambda table, ax: fm.costs.cost_curve(table).plot(ax),
    "gain": lambda table, ax: fm.costs.gains_curve(table).plot(ax),
    "lift": lambda table, ax: fm.costs.gains_curve(table).plot(ax, kind="lift"),
    "reliability": lambda table, ax: fm.calibration.reliability_diagram(table).plot(ax),
}


def drawn(draw, ending):
    """Return the least time of a few drawings, the axes, and the size of the file."""
    found = []
    for _ in range(ROUNDS + 1):
        figure = Figure(figsize=(4.6, 4.6), layout="constrained")
        with io.BytesIO() as file:
            start = time.process_time()
            ax = draw(figure.subplots())
            figure.savefig(file, format=ending, dpi=200)
            found.append((time.process_time() - start, len(file.getvalue())))
    times, sizes = zip(*found, strict=True)
    return min(times), ax, sizes[0]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", OF_SCORES)
def test_a_million_scores(kind, ending, table):
    seconds, ax, size = drawn(lambda ax: OF_SCORES[kind](table, ax=ax), ending)
    (curve,) = curves_on(ax)
    assert len(curve.get_xdata()) > 300_000  # what lies inside straight pieces is left out
    assert size < 1_000_000
    assert seconds < SECONDS


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", OF_PROBABILITIES)
def test_a_million_probabilities(kind, ending, calibrated):
    seconds, _, size = drawn(lambda ax: OF_PROBABILITIES[kind](calibrated, ax), ending)
    assert size < 1_000_000
    assert seconds < SECONDS


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_curve_of_a_million_points_with_all_that_may_be_drawn_with_it(ending):
    x = np.linspace(0.0, 1.0, N)
    y = np.sqrt(x) + 0.01 * (np.arange(N) % 2)
    band = Band(x, y - 0.1, y + 0.1, "band", is_stepped=True)
    curve = PlotCurve(x, y, "curve", band, drawstyle="steps-pre", is_shaded=True)
    guide = Guide(x, 1.0 - y, "guide")
    seconds, _, size = drawn(lambda ax: draw_curves([curve], [guide], ("x", "y"), ax), ending)
    assert size < 1_000_000
    assert seconds < SECONDS
