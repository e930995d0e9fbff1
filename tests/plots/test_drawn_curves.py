"""Curves of scores, of costs and of errors: the numbers of the library, readable."""

import itertools
import math

import numpy as np
import pytest
from drawn import curves_on, faults, legend_texts, line, looks, small, texts
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from numpy.testing import assert_array_equal

import fastmetrics as fm

RNG = np.random.default_rng(1)
N = 400
Y = RNG.random(N) < 0.3
MODELS = {
    "a": RNG.normal(size=N) + Y,
    "another of a long name": RNG.normal(size=N) + 0.3 * Y,
    "tied": np.round(RNG.normal(size=N) + 2 * Y),
}
W = RNG.random(N) + 0.5
PLOTS = (fm.plots.plot_roc, fm.plots.plot_pr)


def mark(ax, label):
    """Return the places of all marks that look as the one of this label does."""
    marker = line(ax, label).get_marker()
    same = [one for one in ax.lines if one.get_marker() == marker and len(one.get_xdata()) == 1]
    return [(one.get_xdata()[0], one.get_ydata()[0]) for one in same]


def assert_readable(ax):
    actual = faults(ax)
    assert actual[:2] == ([], [])
    assert not {*legend_texts(ax), "ThinArea"} & set(actual.under_legend)


@pytest.mark.parametrize("weights", [None, W])
def test_roc(weights):
    ax = fm.plots.plot_roc(Y, MODELS, sample_weight=weights)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("false positive rate", "true positive rate")
    for name, scores in MODELS.items():
        auc = fm.roc_auc_score(Y, scores, sample_weight=weights)
        drawn = line(ax, f"{name}: AUC {auc:.4f}")
        fpr, tpr, _ = fm.roc_curve(Y, scores, sample_weight=weights)
        assert_array_equal(drawn.get_xydata(), np.c_[fpr, tpr])
    assert len(legend_texts(ax)) == len(curves_on(ax)) == 3
    assert ax.get_aspect() == 1
    assert_readable(ax)


def test_intervals_of_the_auc_are_those_of_evaluate():
    ax = fm.plots.plot_roc(Y, MODELS, confidence_level=0.9)
    assert ax.get_legend().get_title().get_text() == "[90 % interval]"
    for model in fm.evaluate(Y, MODELS, confidence_level=0.9):
        low, high = model.confidence_interval
        assert f"{model.name}: AUC {model.roc_auc:.4f} [{low:.4f}, {high:.4f}]" in legend_texts(ax)
    whole = np.ceil(W * 3).astype(int)
    texts = {
        weights_are: legend_texts(
            fm.plots.plot_roc(
                Y, MODELS["a"], sample_weight=whole, weights_are=weights_are, confidence_level=0.9
            )
        )
        for weights_are in ("importances", "frequencies")
    }
    assert texts["importances"] != texts["frequencies"]


@pytest.mark.parametrize("criterion", ["youden", "closest-topleft", "fewest-errors", "fbeta"])
def test_operating_points_by_a_criterion(criterion):
    best = [fm.best_threshold(Y, scores, criterion=criterion) for scores in MODELS.values()]
    roc = fm.plots.plot_roc(Y, MODELS, threshold=criterion)
    label = legend_texts(roc)[-1]
    assert mark(roc, label) == [(b.false_positive_rate, b.true_positive_rate) for b in best]
    pr = fm.plots.plot_pr(Y, MODELS, threshold=criterion)
    assert mark(pr, label) == [(b.recall, b.precision) for b in best]
    over = fm.plots.plot_thresholds(Y, MODELS["a"], threshold=criterion)
    (upright,) = [one for one in over.lines if label in one.get_label()]
    assert upright.get_label() == f"{best[0].threshold:.6g}: {label}"
    assert list(upright.get_xdata()) == [best[0].threshold] * 2


@pytest.mark.parametrize("threshold", [0.5, -math.inf, math.inf])
def test_operating_points_at_a_number(threshold):
    ax = fm.plots.plot_roc(Y, MODELS["a"], threshold=threshold)
    called = MODELS["a"] >= threshold
    place = (called[~Y].mean(), called[Y].mean())
    assert mark(ax, f"score ≥ {threshold:g}") == [pytest.approx(place)]
    pr = fm.plots.plot_pr(Y, MODELS["a"], threshold=threshold)
    assert (f"score ≥ {threshold:g}" in legend_texts(pr)) == called.any()  # precision of nobody


def test_precision_recall():
    ax = fm.plots.plot_pr(Y, MODELS)
    labels = [
        f"{name}: AP {fm.average_precision_score(Y, scores):.4f}" for name, scores in MODELS.items()
    ]
    share = f"positives: {Y.mean():.3g}"
    assert legend_texts(ax) == [*labels, share, "break-even point"]
    assert list(line(ax, share).get_ydata()) == [Y.mean()] * 2
    even = [fm.break_even_point(Y, scores).value for scores in MODELS.values()]
    assert mark(ax, "break-even point") == [(value, value) for value in even]
    for label, scores in zip(labels, MODELS.values(), strict=True):
        recall, precision = line(ax, label).get_xydata().T
        area = -(np.diff(recall) * precision[:-1]).sum()  # what lies below the steps
        assert area == pytest.approx(fm.average_precision_score(Y, scores), abs=1e-12)
        assert line(ax, label).get_drawstyle() == "steps-post"
        assert precision[-1] == precision[-2]
    assert {text.get_text() for text in ax.texts} == {f"$F_1$ {f1}" for f1 in (0.2, 0.4, 0.6, 0.8)}
    assert_readable(ax)


def test_no_break_even_point_is_not_marked():
    with pytest.warns(fm.UndefinedMetricWarning, match="break-even point is not defined"):
        ax = fm.plots.plot_pr(Y, 1.0 - Y)
    assert "break-even point" not in legend_texts(ax)


def test_lines_of_equal_f1():
    ax = fm.plots.plot_pr(Y, MODELS["a"])
    guides = [one for one in {*ax.lines} - {*curves_on(ax)} if len(one.get_xdata()) > 2]
    guides.sort(key=lambda guide: guide.get_ydata()[-1])
    for guide, f1 in zip(guides, (0.2, 0.4, 0.6, 0.8), strict=True):
        recall, precision = guide.get_xydata().T
        assert 2 * precision * recall / (precision + recall) == pytest.approx(f1)
        assert precision[0] == pytest.approx(1)
        assert recall[-1] == 1


@pytest.mark.filterwarnings("ignore:the break-even point is not defined")
@pytest.mark.parametrize("scores", [Y + 0.0, 1.0 - Y, np.zeros(N)])
@pytest.mark.parametrize("plot", PLOTS)
def test_perfect_reversed_and_constant_scores(plot, scores):
    ax = plot(Y, {"m": scores})
    assert not faults(ax).cut_off
    assert np.isfinite([ax.get_xlim(), ax.get_ylim()]).all()


def test_thresholds():
    metrics = {"P": "precision", "F2": ("fbeta", {"beta": 2}), "MCC": "matthews_corrcoef"}
    ax = fm.plots.plot_thresholds(Y, MODELS["a"], metrics=metrics, threshold=0.5)
    assert legend_texts(ax) == ["P", "F2", "MCC", "score ≥ 0.5"]
    for label, function in (
        ("P", fm.precision_score),
        ("F2", lambda y, p: fm.fbeta_score(y, p, beta=2)),
        ("MCC", fm.matthews_corrcoef),
    ):
        thresholds, heights = line(ax, label).get_xydata().T
        assert_array_equal(thresholds, np.unique(MODELS["a"]))
        for k in (0, 17, 200, N - 1):
            expected = function(Y, MODELS["a"] >= thresholds[k])
            if not (label == "MCC" and k == 0):  # undefined where all are called positive
                assert heights[k] == pytest.approx(expected, abs=1e-12)
        # The decision of a threshold is that of the score from it on: a step ends at its score.
        assert line(ax, label).get_drawstyle() == "steps-pre"
    assert_readable(ax)


def costs_by_threshold(y, scores):
    return fm.costs.threshold_costs(y, scores, cost_fn=1, cost_fp=1).plot()


@pytest.mark.parametrize("plot", [fm.plots.plot_thresholds, costs_by_threshold])
@pytest.mark.parametrize("scores", [(1e308, -1e308, 0), (1e308, 1.5e308, 1.7e308)])
def test_scores_near_the_largest_double_are_refused(plot, scores):
    plt.close("all")
    with pytest.raises(ValueError, match=r"shows numbers up to 1e\+300, and 1.?7?e\+308 is beyond"):
        plot([0, 1, 1], scores)
    assert not plt.get_fignums()
    for curve in (fm.plots.plot_roc, fm.plots.plot_pr):  # whose axes are rates
        curve([0, 1, 1], scores)


@pytest.mark.parametrize("plot", [fm.plots.plot_thresholds, costs_by_threshold])
@pytest.mark.parametrize(
    "scores", [(1e300, -1e300, 0), (5e-324, 0, 1e-323), (2**62, 2**62 + 2**10, 2**62 + 2**11)]
)
def test_scores_of_any_other_size_are_drawn(plot, scores):
    low, high = plot([0, 1, 1], scores).get_xlim()
    assert low < min(scores) <= max(scores) < high


def test_thresholds_takes_metrics_of_labels_alone():
    for metric in ("roc_auc", "log_loss", lambda y, p: 1.0):
        with pytest.raises(ValueError, match=r"`metrics` names .* metrics of predicted labels"):
            fm.plots.plot_thresholds(Y, MODELS["a"], metrics=metric)


@pytest.mark.parametrize(
    ("band_of", "plot", "x"),
    [
        (fm.roc_band, fm.plots.plot_roc, "false_positive_rate"),
        (fm.pr_band, fm.plots.plot_pr, "recall"),
    ],
)
def test_bands(band_of, plot, x):
    bands = {name: band_of(Y, MODELS[name], rng=1, n_resamples=200) for name in ("a", "tied")}
    areas = {area.get_label(): area for area in plot(Y, MODELS, bands=bands).collections}
    assert [*areas] == [f"{name}: 95 % band, simultaneous" for name in bands]
    for area, band in zip(areas.values(), bands.values(), strict=True):
        corners = area.get_paths()[0].vertices
        for limit in (band.low, band.high):
            assert {*zip(getattr(band, x), limit, strict=True)} <= {*map(tuple, corners)}
    alone = bands["a"].plot(small(), name="a")
    assert legend_texts(alone) == ["a", "a: 95 % band, simultaneous"]
    assert_array_equal(curves_on(alone)[0].get_xdata(), getattr(bands["a"], x))
    assert_readable(alone)
    bands["tied"].plot(alone)
    assert len(alone.collections) == 2
    assert len(set(looks(alone))) == 2


def test_wrong_bands():
    roc = fm.roc_band(Y, MODELS["a"], kind="pointwise")
    pr = fm.pr_band(Y, MODELS["a"], rng=1)
    assert fm.plots.plot_roc(Y, MODELS["a"], bands=roc).collections
    for bands, message in (
        (roc, "must be a mapping"),
        ({"b": roc}, "names 'b': the models are 'a'"),
        ({"a": pr}, "must hold RocBands: got PrBand"),
    ):
        with pytest.raises(ValueError, match=message):
            fm.plots.plot_roc(Y, MODELS, bands=bands)


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("options", [{}, {"threshold": 0.5}])
def test_everything_can_be_read_in_a_column_of_a_paper(plot, options):
    assert_readable(plot(Y, MODELS, ax=small(), **options))


def test_a_table_and_a_single_column_have_no_name():
    table = fm.ScoreTable.from_scores(Y, MODELS["a"])
    auc = fm.roc_auc_score(table)
    assert legend_texts(fm.plots.plot_roc(table)) == [f"AUC {auc:.4f}"]
    assert legend_texts(fm.plots.plot_roc(Y, MODELS["a"])) == [f"AUC {auc:.4f}"]
    assert legend_texts(fm.plots.plot_roc(table, confidence_level=0.95)) == legend_texts(
        fm.plots.plot_roc(Y, MODELS["a"], confidence_level=0.95)
    )
    with pytest.raises(TypeError, match="a ScoreTable comes alone"):
        fm.plots.plot_roc(table, names=["a"])


def test_options_of_lines():
    ax = fm.plots.plot_roc(Y, MODELS, lw=3, c="red")
    assert {one.get_linewidth() for one in curves_on(ax)} == {3}
    assert {one.get_color() for one in curves_on(ax)} == {"red"}


@pytest.mark.parametrize("plot", [*PLOTS, fm.plots.plot_thresholds])
def test_bad_input(plot):
    with pytest.raises(ValueError, match="`y_true` must hold examples of both classes"):
        plot(np.ones(3, int), [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="`threshold` must be one of 'youden'"):
        plot(Y, MODELS["a"], threshold="recall")
    if plot is not fm.plots.plot_thresholds:
        with pytest.raises(ValueError, match=r"`scores\['b'\]`"):
            plot(Y, {"a": MODELS["a"], "b": np.zeros(N - 1)})


def test_curves_differ_without_colour():
    ax = fm.plots.plot_roc(Y, {f"m{k}": MODELS["a"] + 0.1 * k * Y for k in range(7)})
    lines = curves_on(ax)
    rgb = [to_rgb(one.get_color()) for one in lines]
    assert len(set(rgb)) == 7
    light = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in rgb]
    assert max(light) < 0.75  # dark enough on white
    dashes = [one._unscaled_dash_pattern for one in lines]
    assert all(one != other for one, other in itertools.combinations(dashes, 2))
    ax = plt.figure(figsize=(8, 20)).add_subplot()  # with room for a long legend
    many = curves_on(
        fm.plots.plot_roc(Y, {f"m{k}": MODELS["a"] + 0.01 * k * Y for k in range(49)}, ax=ax)
    )
    assert len({(one.get_color(), str(one._unscaled_dash_pattern)) for one in many}) == 49


RNG_PLOTS = np.random.default_rng(2)
Y_PLOTS = (RNG_PLOTS.random(N) < 0.3).astype(int)
P = 1 / (1 + np.exp(1 - 1.5 * Y_PLOTS - RNG_PLOTS.normal(size=N)))
MODELS_PLOTS = {"a": P, "_a name of 5 $ or 6 $": P**2}
AMOUNTS = RNG_PLOTS.gamma(2, 50, N)
ONE_MODEL = {
    "cost": (lambda y=Y_PLOTS, p=P: fm.costs.cost_curve(y, p), {}),
    "thresholds": (lambda y=Y_PLOTS, p=P: fm.costs.threshold_costs(y, p, cost_fn=5, cost_fp=1), {}),
    "gain": (lambda y=Y_PLOTS, p=P: fm.costs.gains_curve(y, p), {}),
    "lift": (lambda y=Y_PLOTS, p=P: fm.costs.gains_curve(y, p), {"kind": "lift"}),
    "lorenz": (lambda y=Y_PLOTS, p=P: fm.costs.lorenz_curve(y * AMOUNTS[: len(y)], p), {}),
    "isotonic": (lambda y=Y_PLOTS, p=P: fm.calibration.reliability_diagram(y, p), {}),
    "bins": (
        lambda y=Y_PLOTS, p=P: fm.calibration.reliability_diagram(y, p, strategy="equal-count"),
        {},
    ),
    "confidence": (lambda y=Y_PLOTS, p=P: fm.calibration.reliability_band(y, p), {}),
    "consistency": (
        lambda y=Y_PLOTS, p=P: fm.calibration.reliability_band(y, p, kind="consistency", rng=1),
        {},
    ),
}
SEVERAL = {
    "decision": (lambda: fm.costs.decision_curve(Y_PLOTS, MODELS_PLOTS), {}),
    "difference": (
        lambda: fm.costs.decision_curve(Y_PLOTS, MODELS_PLOTS, reference=list(MODELS_PLOTS)[1]),
        {},
    ),
    "with a confidence band": (
        lambda: fm.calibration.reliability_diagram(Y_PLOTS, P),
        {"band": fm.calibration.reliability_band(Y_PLOTS, P)},
    ),
    "with a consistency band": (
        lambda: fm.calibration.reliability_diagram(Y_PLOTS, P),
        {"band": fm.calibration.reliability_band(Y_PLOTS, P, kind="consistency", rng=1)},
    ),
}
FIGURES = ONE_MODEL | SEVERAL


@pytest.mark.parametrize("name", FIGURES)
def test_everything_can_be_read_in_a_column_of_a_paper_plots(name):
    make, options = FIGURES[name]
    ax = small()
    assert make().plot(ax, **options) is ax
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    texts = legend_texts(ax)
    assert len(texts) == len(set(texts)) >= 1
    actual = faults(ax)
    assert actual[:2] == ([], [])
    assert not {*texts, "ThinArea", "Rectangle"} & set(actual.under_legend)


@pytest.mark.parametrize("name", ONE_MODEL)
def test_a_second_call_adds_a_curve_that_looks_otherwise(name):
    make, options = ONE_MODEL[name]
    ax = small()
    make().plot(ax, name="_hidden", color="black", **options)
    guides = len(ax.lines)
    bars = len(ax.patches)
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
    decision = fm.costs.decision_curve(Y_PLOTS, P)
    ax = decision.plot()
    assert_array_equal(line(ax, "model").get_ydata(), decision.net_benefit[0])
    assert_array_equal(line(ax, "treat all").get_ydata(), decision.treat_all)
    (area,) = ax.collections
    corners = {*map(tuple, area.get_paths()[0].vertices)}
    for limit in (decision.low[0], decision.high[0]):
        assert {*zip(decision.thresholds, limit, strict=True)} <= corners
    assert ax.get_legend().get_title().get_text() == "95 % band, pointwise"
    gains = fm.costs.gains_curve(Y_PLOTS, P)
    assert_array_equal(line(gains.plot(), "the model").get_ydata(), gains.gain)
    costs = fm.costs.threshold_costs(Y_PLOTS, P, cost_fn=5, cost_fp=1)
    ax = costs.plot()
    drawn = line(ax, "the model")
    assert_array_equal(drawn.get_xydata(), np.c_[costs.thresholds, costs.costs][:0:-1])
    assert drawn.get_drawstyle() == "steps-pre"  # the cost at a score is that of the step before it
    assert set(line(ax, f"all positive: {costs.cost_all_positive:.4g}").get_ydata()) == {
        costs.cost_all_positive
    }


@pytest.mark.parametrize("n", [8, 3_000])
def test_curve(rng, n):
    labels = np.tile([0, 1], n // 2)
    curve = fm.costs.cost_curve(labels, rng.normal(size=n) + labels)
    ax = curve.plot()
    drawn = line(ax, f"expected total cost {float(curve):.4g} (area)")
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
    diagram = fm.calibration.reliability_diagram(Y_PLOTS, P, strategy=bins)
    ax = diagram.plot()
    label = "isotonic fit" if bins == "isotonic" else f"{len(diagram.observed)} {bins} bins"
    drawn = line(ax, label)
    if bins == "isotonic":
        ends = np.column_stack((diagram.low, diagram.high)).ravel()
        assert_array_equal(drawn.get_xydata(), np.c_[ends, np.repeat(diagram.observed, 2)])
    else:
        assert_array_equal(drawn.get_xydata(), np.c_[diagram.predicted, diagram.observed])
        assert drawn.get_marker() == "o"
    assert_array_equal(line(ax, "calibrated").get_xydata(), [[0, 0], [1, 1]])
    heights = np.array([bar.get_height() for bar in ax.patches])
    np.testing.assert_allclose(heights / heights.max(), diagram.histogram / diagram.histogram.max())
    assert f"rows (tallest bar {100 * diagram.histogram.max():.0f} %)" in legend_texts(ax)
    assert ax.get_aspect() == 1


@pytest.mark.parametrize("kind", ["confidence", "consistency"])
def test_bands_of_reliability(kind):
    band = fm.calibration.reliability_band(Y_PLOTS, P, kind=kind, rng=1)
    for ax in (band.plot(), fm.calibration.reliability_diagram(Y_PLOTS, P).plot(band=band)):
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
            fm.calibration.reliability_diagram(Y_PLOTS, P, strategy="uniform").plot(band=band)
    else:
        assert (
            fm.calibration.reliability_diagram(Y_PLOTS, P, strategy="uniform")
            .plot(band=band)
            .collections
        )


@pytest.mark.filterwarnings("ignore::fastmetrics.UndefinedMetricWarning")
@pytest.mark.parametrize("labels", [np.zeros(20, int), np.ones(20, int)])
@pytest.mark.parametrize("name", ONE_MODEL)
def test_what_is_undefined_is_left_out(name, labels):
    make, options = ONE_MODEL[name]
    ax = make(labels, P[:20]).plot(small(), **options)
    ax.figure.draw_without_rendering()
    assert np.isfinite([ax.get_xlim(), ax.get_ylim()]).all()


def bias_variance(values=(1, 2, 3), decomposition="squared", replicates=3):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (replicates, 30))
    points = tuple(
        fm.selection.bias_variance(y, rng.integers(0, 2, (8, 30)), decomposition=decomposition)
        for _ in values
    )
    return fm.results.BiasVarianceCurve("max_depth", tuple(values), points)


def assert_readable_curves(ax):
    assert faults(ax) == ([], [], [])


def test_the_checks_of_this_file_find_faults():
    _, ax = plt.subplots()
    ax.plot([0, 1], [0, 1], label="a line")
    ax.legend(loc="center")
    ax.text(0.5, 0.2, "one")
    ax.text(0.5, 0.2, "another")
    ax.set_title("")
    ax.set_xlabel("x" * 300)
    assert faults(ax) == ([("one", "another")], ["x" * 300], ["a line"])


def test_values_over_decades_have_a_logarithmic_axis():
    ax = bias_variance((1e-4, 1e-3, 0.01, 0.1, 1.0)).plot()
    assert ax.get_xscale() == "log"
    assert_readable_curves(ax)
    assert bias_variance((0.0, 1e-3, 1.0)).plot().get_xscale() == "linear"


def test_values_that_crowd_get_ticks_of_their_own():
    ax = bias_variance((1, 1.1, 1.2, 1.3, 40, 41, 42, 80)).plot()
    assert_readable_curves(ax)
    assert "1.1" not in {text.get_text() for text in texts(ax)}
    ax = bias_variance(range(100, 200, 5)).plot()
    assert_readable_curves(ax)


@pytest.mark.parametrize(
    "values", [["gini", "entropy", "log_loss"], [None, 1, 2], [True, False], ["x" * 30] * 1 + ["y"]]
)
def test_names_stand_side_by_side(values):
    ax = bias_variance(values).plot()
    assert line(ax, "loss").get_linestyle() == "None"
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels == [str(v) if len(str(v)) < 15 else "x" * 13 + "…" for v in values]
    assert_readable_curves(ax)


@pytest.mark.parametrize("decomposition", ["squared", "domingos", "kohavi-wolpert"])
def test_bias_variance_curve(decomposition):
    curve = bias_variance(decomposition=decomposition)
    ax = curve.plot()
    names = ("bias", "net variance") if decomposition == "domingos" else ("bias²", "variance")
    assert legend_texts(ax) == ["loss", *names, "noise", f"best: {curve.best_value}"]
    drawn = [line(ax, name).get_ydata() for name in (*names, "noise")]
    assert np.sum(drawn, axis=0) == pytest.approx(line(ax, "loss").get_ydata())
    assert "loss" in ax.get_ylabel()
    assert ax.get_legend().get_title().get_text() == "8 training sets"
    assert_readable_curves(ax)


def test_no_noise_is_not_drawn():
    assert "noise" not in legend_texts(bias_variance(replicates=1).plot())


def test_lines_differ_without_colour():
    ax = bias_variance().plot()
    assert len(set(looks(ax))) == len(looks(ax)) >= 2
