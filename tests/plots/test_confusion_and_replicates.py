"""A confusion matrix and the replicates of a bootstrap: their numbers, and that all is read."""

import dataclasses
import sys
from functools import partial

import numpy as np
import pytest
from drawn import faults, legend_texts, small
from matplotlib.colors import to_rgb
from numpy.testing import assert_array_equal

import fastmetrics as fm

Y = np.tile([0, 1, 1], 20)
S = np.round(Y + np.random.default_rng(0).normal(size=60), 2)
FEW = {"n_resamples": 400, "rng": 1, "stratified": True}


def cells(ax):
    k = round(len(ax.texts) ** 0.5)
    return [[text.get_text() for text in ax.texts[i * k : i * k + k]] for i in range(k)]


def names(ticks):
    return [label.get_text() for label in ticks]


MATRIX = fm.ConfusionMatrix.from_counts([[1234, 10, 0], [0, 0, 0], [5, 5, 90]], ["a", "b", "c"])


def test_counts_stand_in_their_cells():
    ax = MATRIX.plot()
    assert cells(ax) == [["1,234", "10", "0"], ["0", "0", "0"], ["5", "5", "90"]]
    correct, errors = (image.get_array().filled(-1.0) for image in ax.images)
    assert_array_equal(correct, np.where(np.eye(3), MATRIX.counts, -1.0))
    assert_array_equal(errors, np.where(np.eye(3), -1.0, MATRIX.counts))
    assert names(ax.get_xticklabels()) == names(ax.get_yticklabels()) == ["a", "b", "c"]
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("true class", "predicted class")
    assert [bar.get_ylabel() for bar in ax.child_axes] == ["correct\nexamples", "errors\nexamples"]
    assert [image.get_clim() for image in ax.images] == [(0.0, 1234.0), (0.0, 10.0)]
    assert faults(ax) == ([], [], [])


@pytest.mark.parametrize(
    ("normalize", "expected"),
    [
        ("true", [["0.992", "0.008", "0"], ["–"] * 3, ["0.050", "0.050", "0.900"]]),
        ("pred", [["0.996", "0.667", "0"], ["0", "0", "0"], ["0.004", "0.333", "1"]]),
        ("all", [["0.918", "0.007", "0"], ["0", "0", "0"], ["0.004", "0.004", "0.067"]]),
    ],
)
def test_shares(normalize, expected):
    ax = MATRIX.plot(normalize=normalize)
    assert cells(ax) == expected
    assert "share of" in ax.child_axes[0].get_ylabel()


def test_weights_near_the_largest_double():
    matrix = fm.ConfusionMatrix.from_counts([[1.5e308, 5e307], [0.0, 1e308]])
    assert cells(matrix.plot(normalize="true")) == [["0.750", "0.250"], ["0", "1"]]
    with pytest.raises(ValueError, match=r"shows numbers up to 1e\+300, and 1.5e\+308 is beyond"):
        matrix.plot()


@pytest.mark.filterwarnings("ignore::fastmetrics.UndefinedMetricWarning")
def test_an_estimate_that_is_no_number_has_no_line():
    ax = fm.bootstrap([1, 1], [0.1, 0.2], n_resamples=9, rng=1)["roc_auc"].plot()
    assert not ax.lines


def test_replicates_near_the_largest_double():
    costs = ("cost", {"cost_fn": 1e308, "cost_fp": 1e308})
    found = fm.bootstrap([0, 0, 1, 1], [0, 1, 0, 1], metrics=[costs], n_resamples=99, rng=1)
    with pytest.raises(ValueError, match=r"shows numbers up to 1e\+300, and 1e\+308 is beyond"):
        found["cost"].plot()


@pytest.mark.parametrize("cmap", ["Blues", "viridis", "Greys", "magma"])
def test_numbers_are_light_on_dark_and_dark_on_light(cmap):
    ax = fm.ConfusionMatrix.from_counts(np.arange(100).reshape(10, 10)).plot(cmap=cmap)
    image = ax.images[0]
    for text, value in zip(ax.texts, range(100), strict=True):
        ink, paper = (
            np.dot([0.2126, 0.7152, 0.0722], to_rgb(color))
            for color in (text.get_color(), image.cmap(image.norm(value)))
        )
        assert abs(ink - paper) >= 0.45


def test_many_classes_and_long_names():
    k = 12
    labels = [f"a class of name {i}" for i in range(k)]
    matrix = fm.ConfusionMatrix.from_counts(np.full((k, k), 123_456_789), labels)
    ax = matrix.plot()
    ax.figure.draw_without_rendering()
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {90}
    room = ax.get_window_extent().width / k
    assert all(text.get_window_extent().width < room for text in ax.texts if text.get_visible())
    assert faults(ax) == ([], [], [])
    assert not [text for text in matrix.plot(small()).texts if text.get_visible()]
    assert not fm.ConfusionMatrix.from_counts(np.eye(40)).plot().texts


def test_matrices_of_every_kind():
    weighted = fm.ConfusionMatrix.from_labels([0, 1], [0, 1], sample_weight=[0.25, 1e-300])
    assert cells(weighted.plot()) == [["0.25", "0"], ["0", "1e-300"]]
    assert weighted.plot().child_axes[0].get_ylabel() == "correct\nweight of\nexamples"
    assert weighted.plot(vmax=1.0).child_axes[0].get_ylabel() == "weight of examples"
    assert cells(fm.ConfusionMatrix().plot()) == [["0", "0"], ["0", "0"]]
    extreme = fm.ConfusionMatrix.from_labels([0, 1], [0, 1], sample_weight=[1e300, 1e290])
    assert cells(extreme.plot())[0][0] == "1e+300"


def test_replicates():
    result = fm.bootstrap(Y, S, **FEW)["roc_auc"]
    ax = result.plot()
    low, high = result.confidence_interval
    assert legend_texts(ax) == [
        "400 replicates",
        f"roc auc: {result.estimate:.4g}",
        f"95 % BCa interval: {low:.4g} to {high:.4g}",
    ]
    assert [one.get_xdata()[0] for one in ax.lines] == [result.estimate, low, high]
    assert sum(bar.get_height() for bar in ax.patches) == 400
    assert faults(ax) == ([], [], [])


def test_replicates_of_a_difference_are_compared_with_none():
    models = {"a": S, "b": np.random.default_rng(1).normal(size=60)}
    (pair,) = fm.paired_bootstrap(Y, models, **FEW)["roc_auc"].pairs
    ax = pair.plot(facecolor="white")
    assert legend_texts(ax)[-1] == "no difference: 0"
    assert ax.get_xlabel() == "roc auc, a − b"
    assert ax.lines[-1].get_xdata()[0] == 0
    low, high = ax.get_xlim()
    assert low < min(0, *pair.confidence_interval)
    assert high > pair.difference


def test_what_has_no_replicates_is_not_drawn():
    with pytest.raises(TypeError, match="'roc_auc' has no replicates to draw"):
        fm.estimate(Y, S, metrics="roc_auc")["roc_auc"].plot()
    exchanged = fm.paired_permutation_test(Y, {"a": S, "b": S[::-1]}, n_resamples=99, rng=1)
    assert legend_texts(exchanged["roc_auc"].pairs[0].plot())[0] == "99 replicates"


def test_undefined_replicates_and_limits_are_left_out():
    with pytest.warns((fm.UndefinedMetricWarning, fm.DegenerateDataWarning)):
        result = fm.bootstrap([1, 1, 1, 1, 0], [5, 4, 3, 2, 1], n_resamples=200, rng=1)["roc_auc"]
    assert result.details.n_failed
    ax = result.plot()
    assert legend_texts(ax)[0] == f"{200 - result.details.n_failed} replicates"
    one_sided = fm.bootstrap(Y, S, **FEW, alternative="less", method="percentile")["roc_auc"]
    assert np.isfinite(one_sided.plot().get_xlim()).all()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    table = fm.ScoreTable.from_scores(Y, S)
    band, result = fm.roc_band(table, kind="pointwise"), fm.bootstrap(Y, S, **FEW)["roc_auc"]
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    plots = (fm.plots.plot_roc, fm.plots.plot_pr, fm.plots.plot_det, fm.plots.plot_thresholds)
    calls = [*(partial(plot, table) for plot in plots), MATRIX.plot, band.plot, result.plot]
    for call in calls:
        with pytest.raises(ImportError, match="plots need matplotlib: pip install 'fastmetrics-"):
            call()


def bars_of(replicates):
    """Return the left end, the width and the height of each bar of replicates."""
    result = fm.bootstrap(Y, S, **FEW)["roc_auc"]
    details = dataclasses.replace(result.details, distribution=replicates)
    bars = dataclasses.replace(result, details=details).plot().patches
    return np.array([(bar.get_x(), bar.get_width(), bar.get_height()) for bar in bars]).T


def test_few_values_have_a_bar_each():
    # Accuracy of ten rows has eleven values: bars of another width would hold one or two of them.
    accuracy = np.random.default_rng(2).binomial(10, 0.7, 1000) / 10
    left, width, height = bars_of(accuracy)
    assert_array_equal(width.round(12), 0.1)
    assert height.tolist() == [np.isclose(accuracy, value).sum() for value in left + 0.05]
    assert height.sum() == 1000
    assert len(bars_of(np.random.default_rng(3).normal(size=10_000))[0]) <= 80
    wide = np.concatenate([np.random.default_rng(3).normal(size=10_000), [1e9]])
    assert len(bars_of(wide)[0]) == 80
    ((left,), (width,), (height,)) = bars_of(np.array([0.5]))
    assert (left + width / 2, height) == (pytest.approx(0.5), 1)
