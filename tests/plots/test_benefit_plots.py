"""Figures of costs and benefits: what is drawn is what was computed; long curves are thinned."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt

import fastmetrics as fm
from fastmetrics.plots.benefit_plots import thinned

RNG = np.random.default_rng(2)
Y = (RNG.random(400) < 0.3).astype(int)
P = 1 / (1 + np.exp(1 - 1.5 * Y - RNG.normal(size=400)))
FIGURES = {
    "costs": (lambda: fm.threshold_costs(Y, P, cost_fn=5, cost_fp=1), {}),
    "decision": (lambda: fm.decision_curve(Y, {"a": P, "b": P**2}), {}),
    "difference": (lambda: fm.decision_curve_difference(Y, {"a": P, "b": P**2}), {}),
    "gain": (lambda: fm.gains_curve(Y, P), {}),
    "lift": (lambda: fm.gains_curve(Y, P), {"kind": "lift"}),
    "lorenz": (lambda: fm.lorenz_curve(Y * 3 + P, P), {}),
    "precision-recall-gain": (lambda: fm.precision_recall_gain_curve(Y, P), {}),
}


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def curves_of(ax):
    return {line.get_label(): line.get_data() for line in ax.lines}


@pytest.mark.parametrize("name", FIGURES)
def test_axes_are_named_and_given_axes_are_used(name):
    make, options = FIGURES[name]
    _, given = plt.subplots()
    ax = make().plot(given, **options)
    assert ax is given
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(labels) == len(set(labels)) > 1


def test_curves_are_the_numbers():
    found = fm.decision_curve(Y, P)
    drawn = curves_of(found.plot())
    np.testing.assert_array_equal(drawn["model"][1], found.net_benefit[0])
    np.testing.assert_array_equal(drawn["treat all"][1], found.treat_all)
    gains = fm.gains_curve(Y, P)
    np.testing.assert_array_equal(curves_of(gains.plot())["the model"][1], gains.gain)
    costs = fm.threshold_costs(Y, P, cost_fn=5, cost_fp=1)
    drawn = curves_of(costs.plot())
    np.testing.assert_array_equal(drawn["the model"][1], costs.costs[:0:-1])
    assert drawn["all positive"][1][0] == costs.cost_all_positive
    with pytest.raises(ValueError, match="`kind` must be one of 'gain', 'lift'"):
        gains.plot(kind="both")


def test_thinned_curves_keep_ends_and_extremes():
    x = np.sort(RNG.random(100_000))
    y = RNG.normal(size=100_000)
    at, of = thinned(x, y)
    assert len(at) < 8_300
    assert (at[0], at[-1], of[0], of[-1]) == (x[0], x[-1], y[0], y[-1])
    assert (of.min(), of.max()) == (y.min(), y.max())
    places = np.minimum((x - x[0]) / (x[-1] - x[0]) * 2048, 2047).astype(int)
    kept = np.minimum((at - x[0]) / (x[-1] - x[0]) * 2048, 2047).astype(int)
    for place in (0, 17, 1000, 2047):
        assert of[kept == place].max() == y[places == place].max()
    same = thinned(x[:100], y[:100])
    assert same[0] is not None
    np.testing.assert_array_equal(same[1], y[:100])


def test_lift_is_never_drawn_above_the_perfect_model():
    """Inside a tie of most rows lift falls as a hyperbola; a straight line would lie above it."""
    y, score = [1, 1, 1, 0, 0, 0, 0, 0], [3, 3, 2, 1, 1, 1, 1, 1]
    ax = fm.gains_curve(y, score).plot(kind="lift")
    (line,) = (one for one in ax.lines if one.get_label() == "the model")
    x, lift = line.get_xydata().T
    assert x[0] == 0
    assert (lift <= np.minimum(1 / (3 / 8), 1 / np.maximum(x, 1e-9)) + 1e-12).all()
    assert np.interp(0.7, x, lift) == pytest.approx(1 / 0.7, rel=1e-4)
