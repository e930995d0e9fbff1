"""Plots of costs: what they draw, nothing overlaps, nothing is told by a colour alone."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from drawn import cut_off, overlaps

import fastmetrics as fm


@pytest.fixture(autouse=True)
def no_window():
    """Draw without a screen, and close what was drawn."""
    before = mpl.get_backend()
    mpl.use("agg")
    from matplotlib import pyplot

    yield
    pyplot.close("all")
    mpl.use(before)


def data(rng, n=300):
    labels = rng.integers(0, 2, n)
    return labels, rng.normal(size=n) + labels, 3 * rng.normal(size=n) + 2 * labels


def assert_readable(ax):
    assert overlaps(ax) == []
    assert cut_off(ax) == []


def line(ax, label):
    return next(each for each in ax.lines if each.get_label() == label)


@pytest.mark.parametrize("n", [8, 3_000])
def test_cost_curve(rng, n) -> None:
    labels = np.tile([0, 1], n // 2)
    curve = fm.cost_curve(labels, rng.normal(size=n) + labels)
    ax = curve.plot()
    best = line(ax, "best threshold")
    np.testing.assert_array_equal(best.get_xdata(), curve.probability_cost)
    np.testing.assert_array_equal(best.get_ydata(), curve.normalized_cost)
    assert f"expected total cost {float(curve):.4g}" in [
        text.get_text() for text in ax.get_legend().get_texts()
    ]
    assert len(ax.lines) <= 40 + 2
    assert_readable(ax)


def test_who_wins_where(rng) -> None:
    labels, a, b = data(rng)
    models = {"gradient boosting": a, "logistic": b, **{f"model {i}": a + i * b for i in (1, 2, 3)}}
    found = fm.compare_cost_curves(labels, models)
    ax = found.plot()
    styles = {(each.get_color(), each.get_linestyle()) for each in ax.lines[:5]}
    assert len(styles) == 5
    assert [text.get_text() for text in ax.texts] == list(models)
    spans = sum(len(bars.get_paths()) for bars in ax.collections)
    assert spans == sum(len(winner.names) for winner in found.winners)
    assert_readable(ax)


def test_hull(rng) -> None:
    labels, scores, _ = data(rng)
    hull = fm.roc_convex_hull(labels, scores)
    fpr, tpr, _ = fm.roc_curve(labels, scores)
    ax = hull.plot(roc=(fpr, tpr))
    np.testing.assert_array_equal(line(ax, "ROC curve").get_ydata(), tpr)
    drawn = line(ax, f"convex hull, area {hull.auc:.4g}")
    np.testing.assert_array_equal(drawn.get_xdata(), hull.fpr)
    assert_readable(ax)
    assert hull.plot(ax=ax) is ax


def test_brier_curve(rng) -> None:
    labels, scores, other = data(rng)
    ours, best = (fm.brier_curve(labels, 1 / (1 + np.exp(-each))) for each in (scores, other))
    ax = ours.plot(best=best)
    np.testing.assert_array_equal(line(ax, "best").get_ydata(), best.loss)
    assert line(ax, "best").get_linestyle() != line(ax, "threshold c").get_linestyle()
    assert_readable(ax)
