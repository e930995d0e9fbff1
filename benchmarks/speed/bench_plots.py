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
from fastmetrics.plots._thin_line import ThinLine

pytestmark = pytest.mark.bench

N = 1_000_000
ROUNDS = 4
SECONDS = 1.0


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.4
    return fm.ScoreTable.from_scores(y, rng.normal(size=N) + y)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
@pytest.mark.parametrize("plot", [fm.plot_roc, fm.plot_pr, fm.plot_det, fm.plot_thresholds])
def test_a_million_scores(plot, ending, table):
    options = {"metrics": "f1"} if plot is fm.plot_thresholds else {}

    def draw():
        figure = Figure(figsize=(4.6, 4.6), layout="constrained")
        with io.BytesIO() as file:
            start = time.process_time()
            ax = plot(table, ax=figure.subplots(), **options)
            figure.savefig(file, format=ending, dpi=200)
            return time.process_time() - start, ax, len(file.getvalue())

    draw()
    times, axes, sizes = zip(*(draw() for _ in range(ROUNDS)), strict=True)
    (curve,) = (line for line in axes[0].lines if isinstance(line, ThinLine))
    assert len(curve.get_xdata()) > 300_000  # what lies inside straight pieces is left out
    assert sizes[0] < 1_000_000
    assert min(times) < SECONDS, times


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_million_points(ending):
    x = np.linspace(0.0, 1.0, N)
    steps = np.sqrt(x) + 0.01 * (np.arange(N) % 2)

    def draw():
        figure = Figure(figsize=(4.6, 4.6), layout="constrained")
        ax = figure.subplots()
        with io.BytesIO() as file:
            start = time.process_time()
            ax.add_line(ThinLine(x, steps))
            figure.savefig(file, format=ending, dpi=200)
            return time.process_time() - start

    draw()
    times = [draw() for _ in range(ROUNDS)]
    assert min(times) < 0.5 * SECONDS, times
