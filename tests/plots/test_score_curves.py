"""ROC, P-R, DET and thresholds: the numbers of the library, drawn so that all can be read."""

import itertools
import math

import numpy as np
import pytest
from drawn import curves_on, faults, legend_texts, line, looks, small
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
PLOTS = (fm.plots.plot_roc, fm.plots.plot_pr, fm.plots.plot_det)


def mark(ax, label):
    """Return the places of all marks that look as the one of this label does."""
    marker = line(ax, label).get_marker()
    same = [one for one in ax.lines if one.get_marker() == marker and len(one.get_xdata()) == 1]
    return [(one.get_xdata()[0], one.get_ydata()[0]) for one in same]


def assert_readable(ax):
    found = faults(ax)
    assert found[:2] == ([], [])
    assert not {*legend_texts(ax), "ThinArea"} & set(found.under_legend)


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
    det = fm.plots.plot_det(Y, MODELS, threshold=criterion)
    assert mark(det, label) == [(b.false_positive_rate, 1 - b.true_positive_rate) for b in best]
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


def test_det():
    ax = fm.plots.plot_det(Y, MODELS)
    for name, scores in MODELS.items():
        fpr, fnr, _ = fm.det_curve(Y, scores, drop_intermediate=True)
        assert_array_equal(line(ax, name).get_xydata(), np.c_[fpr, fnr])
        inside = (fpr > 0) & (fnr > 0)
        low, high = ax.get_xlim()
        assert low < fpr[inside].min()
        assert fpr[inside].max() < high
        assert low < fnr[inside].min()
        assert fnr[inside].max() < high
    assert ax.get_xlim() == ax.get_ylim()
    # On normal deviates two normal distributions make a straight line.
    places = ax.transData.transform([(0.0228, 0.5), (0.1587, 0.1587), (0.5, 0.0228)])
    assert np.diff(places, axis=0)[0] == pytest.approx(np.diff(places, axis=0)[1], rel=1e-3)
    assert_readable(ax)


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
    for curve in (fm.plots.plot_roc, fm.plots.plot_pr, fm.plots.plot_det):  # whose axes are rates
        curve([0, 1, 1], scores)


@pytest.mark.parametrize("plot", [fm.plots.plot_thresholds, costs_by_threshold])
@pytest.mark.parametrize(
    "scores", [(1e300, -1e300, 0), (5e-324, 0, 1e-323), (2**62, 2**62 + 2**10, 2**62 + 2**11)]
)
def test_scores_of_any_other_size_are_drawn(plot, scores):
    ax = plot([0, 1, 1], scores)
    low, high = ax.get_xlim()
    assert low < min(scores) <= max(scores) < high


def test_thresholds_takes_measures_of_labels_alone():
    for metric in ("roc_auc", "log_loss", lambda y, p: 1.0):
        with pytest.raises(ValueError, match=r"`metrics` names .* measures of predicted labels"):
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
    ax = plot(Y, MODELS, bands=bands)
    areas = {area.get_label(): area for area in ax.collections}
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
    roc, pr = fm.roc_band(Y, MODELS["a"], kind="pointwise"), fm.pr_band(Y, MODELS["a"], rng=1)
    assert fm.plots.plot_roc(Y, MODELS["a"], bands=roc).collections
    for bands, message in (
        (roc, "must be a mapping"),
        ({"b": roc}, "names 'b': the models are 'a'"),
        ({"a": pr}, "must hold RocBands: got PrBand"),
    ):
        with pytest.raises(ValueError, match=message):
            fm.plots.plot_roc(Y, MODELS, bands=bands)


@pytest.mark.parametrize("plot", PLOTS)
def test_calls_on_the_same_axes_add_up(plot):
    whole = plot(Y, MODELS)
    ax = small()
    for name, scores in MODELS.items():
        assert plot(Y, {name: scores}, ax=ax) is ax
    assert sorted(legend_texts(ax)) == sorted(legend_texts(whole))
    assert len(ax.lines) == len(whole.lines)  # guides are drawn once
    colors = [[one.get_color() for one in curves_on(drawn)] for drawn in (ax, whole)]
    assert colors[0] == colors[1]
    assert ax.get_xlim() == whole.get_xlim()


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
    assert fm.plots.plot_det(table).get_legend() is None
    with pytest.raises(TypeError, match="a ScoreTable comes alone"):
        fm.plots.plot_roc(table, names=["a"])


@pytest.mark.parametrize("plot", PLOTS)
def test_any_name_is_shown(plot):
    names = ["_hidden", "5 $ or 6 $", "naïve Bayes", "x_1", "%"]
    ax = plot(Y, dict.fromkeys(names, MODELS["a"]))
    shown = [text.split(": ")[0].replace(r"\$", "$").strip() for text in legend_texts(ax)]
    assert shown[:5] == names
    ax.figure.draw_without_rendering()


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
    looks = {(one.get_color(), str(one._unscaled_dash_pattern)) for one in many}
    assert len(looks) == 49
