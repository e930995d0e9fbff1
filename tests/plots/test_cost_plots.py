"""Figures of costs, benefits and calibration: they show the numbers, and all can be read."""

import inspect

import numpy as np
import pytest
from drawn import curves_on, faults, legend_texts, line, small
from numpy.testing import assert_array_equal

import fastmetrics as fm
from public import NAMES, public

RNG = np.random.default_rng(2)
N = 400
Y = (RNG.random(N) < 0.3).astype(int)
P = 1 / (1 + np.exp(1 - 1.5 * Y - RNG.normal(size=N)))
MODELS = {"a": P, "_a name of 5 $ or 6 $": P**2}
AMOUNTS = RNG.gamma(2, 50, N)
ONE_MODEL = {
    "cost": (lambda y=Y, p=P: fm.costs.cost_curve(y, p), {}),
    "hull": (lambda y=Y, p=P: fm.costs.roc_convex_hull(y, p), {}),
    "thresholds": (lambda y=Y, p=P: fm.costs.threshold_costs(y, p, cost_fn=5, cost_fp=1), {}),
    "gain": (lambda y=Y, p=P: fm.costs.gains_curve(y, p), {}),
    "lift": (lambda y=Y, p=P: fm.costs.gains_curve(y, p), {"kind": "lift"}),
    "lorenz": (lambda y=Y, p=P: fm.costs.lorenz_curve(y * AMOUNTS[: len(y)], p), {}),
    "isotonic": (lambda y=Y, p=P: fm.calibration.reliability_diagram(y, p), {}),
    "bins": (lambda y=Y, p=P: fm.calibration.reliability_diagram(y, p, strategy="equal-count"), {}),
    "confidence": (lambda y=Y, p=P: fm.calibration.reliability_band(y, p), {}),
    "consistency": (
        lambda y=Y, p=P: fm.calibration.reliability_band(y, p, kind="consistency", rng=1),
        {},
    ),
}
SEVERAL = {
    "decision": (lambda: fm.costs.decision_curve(Y, MODELS), {}),
    "difference": (lambda: fm.costs.decision_curve(Y, MODELS, reference=list(MODELS)[1]), {}),
    "with a confidence band": (
        lambda: fm.calibration.reliability_diagram(Y, P),
        {"band": fm.calibration.reliability_band(Y, P)},
    ),
    "with a consistency band": (
        lambda: fm.calibration.reliability_diagram(Y, P),
        {"band": fm.calibration.reliability_band(Y, P, kind="consistency", rng=1)},
    ),
}
FIGURES = ONE_MODEL | SEVERAL


def test_every_plot_is_called_in_the_same_way():
    results = [public(name) for name in NAMES if hasattr(public(name), "plot")]
    assert len(results) > 15
    for result in results:
        _, ax, *others = inspect.signature(result.plot).parameters.values()
        assert (ax.name, ax.kind, ax.default) == ("ax", ax.POSITIONAL_OR_KEYWORD, None)
        assert {other.kind for other in others} <= {ax.KEYWORD_ONLY, ax.VAR_KEYWORD}, result


@pytest.mark.parametrize("name", FIGURES)
def test_everything_can_be_read_in_a_column_of_a_paper(name):
    make, options = FIGURES[name]
    ax = small()
    assert make().plot(ax, **options) is ax
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    texts = legend_texts(ax)
    assert len(texts) == len(set(texts)) >= 1
    found = faults(ax)
    assert found[:2] == ([], [])
    assert not {*texts, "ThinArea", "Rectangle"} & set(found.under_legend)


@pytest.mark.parametrize("name", ONE_MODEL)
def test_a_second_call_adds_a_curve_that_looks_otherwise(name):
    make, options = ONE_MODEL[name]
    ax = small()
    make().plot(ax, name="_hidden", color="black", **options)
    guides, bars = len(ax.lines), len(ax.patches)
    assert make(p=P**2).plot(ax=ax, name="5 $ or 6 $", **options) is ax
    first, second = curves_on(ax)
    assert first.get_color() == "black"
    assert first._unscaled_dash_pattern != second._unscaled_dash_pattern or name in (
        "confidence",
        "consistency",
    )
    assert len(ax.patches) == bars
    assert len(ax.lines) <= guides + 2  # the curve and its mark: guides are drawn once
    texts = "\n".join(legend_texts(ax)).replace(r"\$", "$")
    assert "_hidden" in texts
    assert "5 $ or 6 $" in texts


def test_curves_are_the_numbers():
    decision = fm.costs.decision_curve(Y, P)
    ax = decision.plot()
    assert_array_equal(line(ax, "model").get_ydata(), decision.net_benefit[0])
    assert_array_equal(line(ax, "treat all").get_ydata(), decision.treat_all)
    (area,) = ax.collections
    corners = {*map(tuple, area.get_paths()[0].vertices)}
    for limit in (decision.low[0], decision.high[0]):
        assert {*zip(decision.thresholds, limit, strict=True)} <= corners
    assert ax.get_legend().get_title().get_text() == "95 % band, pointwise"
    gains = fm.costs.gains_curve(Y, P)
    assert_array_equal(line(gains.plot(), "the model").get_ydata(), gains.gain)
    costs = fm.costs.threshold_costs(Y, P, cost_fn=5, cost_fp=1)
    ax = costs.plot()
    drawn = line(ax, "the model")
    assert_array_equal(drawn.get_xydata(), np.c_[costs.thresholds, costs.costs][:0:-1])
    assert drawn.get_drawstyle() == "steps-pre"  # the cost at a score is that of the step before it
    assert set(line(ax, f"all positive: {costs.cost_all_positive:.4g}").get_ydata()) == {
        costs.cost_all_positive
    }
    hull = fm.costs.roc_convex_hull(Y, P)
    ax = hull.plot(fm.plots.plot_roc(Y, P))
    drawn = line(ax, f"convex hull, area {hull.auc:.4g}")
    assert_array_equal(drawn.get_xydata(), np.c_[hull.false_positive_rate, hull.true_positive_rate])


@pytest.mark.parametrize("n", [8, 3_000])
def test_cost_curve(rng, n):
    labels = np.tile([0, 1], n // 2)
    curve = fm.costs.cost_curve(labels, rng.normal(size=n) + labels)
    ax = curve.plot()
    label = f"expected total cost {float(curve):.4g} (area)"
    drawn = line(ax, label)
    assert_array_equal(drawn.get_xydata(), np.c_[curve.probability_cost, curve.normalized_cost])
    (area,) = ax.collections
    x, y = area.get_paths()[0].vertices.T
    assert np.trapezoid(y, x) == pytest.approx(float(curve))
    ends = line(ax, "single thresholds").get_ydata().reshape(-1, 3)
    lines = {*zip(curve.false_positive_rate, 1 - curve.true_positive_rate, strict=True)}
    assert {tuple(one) for one in ends[:, :2]} <= lines
    assert len(ends) == min(len(lines), 40)


def test_lift_is_never_drawn_above_the_perfect_model():
    """Inside a tie of most rows lift falls as a hyperbola; a straight line would lie above it."""
    y, score = [1, 1, 1, 0, 0, 0, 0, 0], [3, 3, 2, 1, 1, 1, 1, 1]
    x, lift = line(fm.costs.gains_curve(y, score).plot(kind="lift"), "the model").get_xydata().T
    assert x[0] == 0
    assert (lift <= np.minimum(1 / (3 / 8), 1 / np.maximum(x, 1e-9)) + 1e-12).all()
    assert np.interp(0.7, x, lift) == pytest.approx(1 / 0.7, rel=1e-4)
    # one row before a tie of all others: the hyperbola is steepest at the left
    y = np.arange(100_000) % 10 == 0
    first = y & (np.arange(100_000) == 0)
    x, lift = line(fm.costs.gains_curve(y, first).plot(kind="lift"), "the model").get_xydata().T
    for place in (3e-5, 1e-4, 0.01, 0.5):
        gain = (1 + 9_999 * (place * 100_000 - 1) / 99_999) / 10_000
        assert np.interp(place, x, lift) == pytest.approx(gain / place, rel=1e-3)


@pytest.mark.parametrize("bins", ["isotonic", "uniform", "quantile", "equal-count"])
def test_reliability(bins):
    found = fm.calibration.reliability_diagram(Y, P, strategy=bins)
    ax = found.plot()
    label = "isotonic fit" if bins == "isotonic" else f"{len(found.observed)} {bins} bins"
    drawn = line(ax, label)
    if bins == "isotonic":
        ends = np.column_stack((found.low, found.high)).ravel()
        assert_array_equal(drawn.get_xydata(), np.c_[ends, np.repeat(found.observed, 2)])
    else:
        assert_array_equal(drawn.get_xydata(), np.c_[found.predicted, found.observed])
        assert drawn.get_marker() == "o"
    assert_array_equal(line(ax, "calibrated").get_xydata(), [[0, 0], [1, 1]])
    heights = np.array([bar.get_height() for bar in ax.patches])
    np.testing.assert_allclose(heights / heights.max(), found.histogram / found.histogram.max())
    assert f"rows (tallest bar {100 * found.histogram.max():.0f} %)" in legend_texts(ax)
    assert ax.get_aspect() == 1


@pytest.mark.parametrize("kind", ["confidence", "consistency"])
def test_bands_of_reliability(kind):
    band = fm.calibration.reliability_band(Y, P, kind=kind, rng=1)
    for ax in (band.plot(), fm.calibration.reliability_diagram(Y, P).plot(band=band)):
        (area,) = [one for one in ax.collections if one.get_label() == f"95 % {kind} band"]
        corners = [tuple(corner) for corner in area.get_paths()[0].vertices]
        for limit in (band.low, band.high):
            assert {*zip(band.probability, limit, strict=True)} <= set(corners)
        if kind == "confidence":
            # Up to the next point a lower limit holds, and an upper one down to that before.
            steps = {*zip(band.probability[1:], band.low[:-1], strict=True)}
            assert steps | {*zip(band.probability[:-1], band.high[1:], strict=True)} <= set(corners)
        assert area.get_datalim(ax.transData).intervaly.tolist() >= [0, 0]
        assert area.get_datalim(ax.transData).y1 <= 1
    fit = line(band.plot(), "isotonic fit")
    assert_array_equal(fit.get_xydata(), np.c_[band.probability, band.fit])
    assert fit.get_linestyle() == "None"  # between its points nothing is known
    if kind == "consistency":
        with pytest.raises(ValueError, match="a consistency band is that of the isotonic fit"):
            fm.calibration.reliability_diagram(Y, P, strategy="uniform").plot(band=band)
    else:
        assert (
            fm.calibration.reliability_diagram(Y, P, strategy="uniform").plot(band=band).collections
        )


@pytest.mark.filterwarnings("ignore::fastmetrics.UndefinedMetricWarning")
@pytest.mark.parametrize("labels", [np.zeros(20, int), np.ones(20, int)])
@pytest.mark.parametrize("name", ONE_MODEL)
def test_what_is_undefined_is_left_out(name, labels):
    make, options = ONE_MODEL[name]
    ax = make(labels, P[:20]).plot(small(), **options)
    ax.figure.draw_without_rendering()
    assert np.isfinite([ax.get_xlim(), ax.get_ylim()]).all()
