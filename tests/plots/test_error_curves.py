"""Learning, validation and bias-variance curves: what is drawn, and that all of it can be read."""

import numpy as np
import pytest
from drawn import faults, legend_texts, line, looks, texts
from matplotlib import pyplot as plt

import fastmetrics as fm


def learning(n_sizes=5, n_folds=5):
    steps = np.linspace(1, 0.2, n_sizes)[:, None]
    wiggle = np.linspace(-0.02, 0.02, n_folds)
    sizes = np.linspace(40, 400, n_sizes)
    both = 0.05 * steps + wiggle / 4, 0.2 * steps + wiggle
    given = tuple((sizes / 400).tolist())
    return fm.results.EstimatorCurve("error_rate", False, "fraction", given, *both, sizes)


def validation(values, parameter="max_depth", metric="error_rate", n_folds=5):
    steps = np.abs(np.linspace(-1, 1, len(values)))[:, None] + 0.3
    wiggle = np.linspace(-0.02, 0.02, n_folds)
    return fm.results.EstimatorCurve(
        metric, False, parameter, tuple(values), steps / 4 + wiggle, steps / 2 + wiggle
    )


def bias_variance(values=(1, 2, 3), decomposition="squared", replicates=3):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (replicates, 30))
    points = tuple(
        fm.selection.bias_variance(y, rng.integers(0, 2, (8, 30)), decomposition=decomposition)
        for _ in values
    )
    return fm.results.BiasVarianceCurve("max_depth", tuple(values), points)


def assert_readable(ax):
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


def test_learning_curve():
    curve = learning()
    ax = curve.plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("training rows", "error rate")
    assert legend_texts(ax) == ["training", "test"]
    title = ax.get_legend().get_title().get_text()
    assert title == "mean ± standard deviation over 5 splits"
    for label, means in (("training", curve.train_means), ("test", curve.test_means)):
        assert line(ax, label).get_xdata().tolist() == curve.train_sizes.tolist()
        assert line(ax, label).get_ydata().tolist() == means.tolist()
    band = ax.collections[1].get_paths()[0].vertices
    half = curve.test_deviations
    assert band[:, 1].max() == pytest.approx((curve.test_means + half).max())
    assert band[:, 1].min() == pytest.approx((curve.test_means - half).min())
    assert ax.get_ylim()[1] > (curve.test_means + half).max()
    assert_readable(ax)


def test_one_split_has_no_spread():
    ax = learning(n_folds=1).plot()
    assert ax.get_legend().get_title().get_text() == "one split"
    assert np.isfinite(ax.get_ylim()).all()


def test_validation_curve():
    curve = validation([4, 1, 2, 3, 8])
    ax = curve.plot()
    assert ax.get_xlabel() == "max_depth"
    assert legend_texts(ax) == ["training", "test", "best: 2"]
    assert line(ax, "test").get_xdata().tolist() == [1, 2, 3, 4, 8]  # joined in order
    order = np.argsort([4, 1, 2, 3, 8])
    assert line(ax, "test").get_ydata().tolist() == curve.test_means[order].tolist()
    assert list(line(ax, "best: 2").get_xdata()) == [2, 2]
    assert sorted(label.get_text() for label in ax.get_xticklabels()) == list("12348")
    assert_readable(ax)


def test_values_over_decades_have_a_logarithmic_axis():
    ax = validation([1e-4, 1e-3, 0.01, 0.1, 1.0], "logisticregression__C").plot()
    assert ax.get_xscale() == "log"
    assert legend_texts(ax)[2] == "best: 0.01"
    assert_readable(ax)
    assert validation([0.0, 1e-3, 1.0]).plot().get_xscale() == "linear"


def test_values_that_crowd_get_ticks_of_their_own():
    ax = validation([1, 1.1, 1.2, 1.3, 40, 41, 42, 80]).plot()
    assert_readable(ax)
    assert "1.1" not in {text.get_text() for text in texts(ax)}
    ax = validation(list(range(100, 200, 5))).plot()
    assert_readable(ax)


@pytest.mark.parametrize(
    "values", [["gini", "entropy", "log_loss"], [None, 1, 2], [True, False], ["x" * 30] * 1 + ["y"]]
)
def test_names_stand_side_by_side(values):
    ax = validation(values, "criterion").plot()
    assert line(ax, "test").get_linestyle() == "None"
    shown = [label.get_text() for label in ax.get_xticklabels()]
    assert shown == [str(v) if len(str(v)) < 15 else "x" * 13 + "…" for v in values]
    assert_readable(ax)


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
    assert_readable(ax)


def test_no_noise_is_not_drawn():
    ax = bias_variance(replicates=1).plot()
    assert "noise" not in legend_texts(ax)


def test_lines_differ_without_colour():
    for ax in (learning().plot(), validation([1, 2, 3]).plot(), bias_variance().plot()):
        assert len(set(looks(ax))) == len(looks(ax)) >= 2


def test_undefined_values_leave_a_gap():
    curve = validation([1, 2, 3])
    curve.test_values[1] = np.nan
    ax = curve.plot()
    assert np.isnan(line(ax, "test").get_ydata()[1])
    assert curve.best_value in (1, 3)
    curve.test_values[:] = np.nan
    assert legend_texts(curve.plot()) == ["training", "test"]
