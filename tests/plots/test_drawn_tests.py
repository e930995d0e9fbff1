"""Plots of tests and counts: regions, ranks, matrices, replicates."""

import dataclasses
import itertools
import sys
from functools import partial

import numpy as np
import pytest
from drawn import faults, legend_texts, line, small, texts
from matplotlib import colors, pyplot as plt
from matplotlib.colors import to_hex, to_rgb
from numpy.testing import assert_array_equal
from scipy import stats

import fastmetrics as fm
from fastmetrics.results import ComparisonTest

ERRORS = ([0.20, 0.24, 0.18, 0.22, 0.21], [0.18, 0.21, 0.18, 0.19, 0.20])

VERMILLION = "#d55e00"


def assert_readable(ax):
    assert faults(ax) == ([], [], [])


def is_rejected(patch):
    return patch.get_hatch() is not None and to_hex(patch.get_edgecolor()) == VERMILLION


def bars(ax):
    """Return the counts that are hatched, and those that are not."""
    actual = {True: [], False: []}
    for patch in ax.patches:
        actual[is_rejected(patch)].append(round(patch.get_x() + patch.get_width() / 2))
    return actual[True], actual[False]


def test_binomial_of_the_textbook():
    ax = ComparisonTest.plot(fm.comparison.binomial_test(6, 10, error_rate=0.3))
    assert bars(ax) == ([6, 7, 8, 9, 10], [0, 1, 2, 3, 4, 5])
    heights = {round(p.get_x() + 0.4): p.get_height() for p in ax.patches}
    assert [heights[i] for i in range(11)] == pytest.approx(stats.binom.pmf(range(11), 10, 0.3))
    assert legend_texts(ax) == [
        "binomial(10, 0.3)",
        "rejected: more than 5 errors (size 0.0473)",
        "observed: 6 (p = 0.0473, rejected at 0.05)",
    ]
    assert list(line(ax, "observed: 6 (p = 0.0473, rejected at 0.05)").get_xdata()) == [6, 6]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("errors of 10", "probability")
    assert_readable(ax)


@pytest.mark.parametrize(
    ("alternative", "n", "rate"),
    [
        *(("greater", n, rate) for n, rate in ((10, 0.3), (60, 0.02))),
        *(("less", n, rate) for n, rate in ((25, 0.5), (7, 0.0))),
        *(("two-sided", n, rate) for n, rate in ((10, 0.3), (3, 0.9), (25, 0.5))),
    ],
)
def test_hatched_is_what_the_test_rejects(alternative, n, rate):
    def test_of(errors):
        return fm.comparison.binomial_test(errors, n, error_rate=rate, alternative=alternative)

    ax = ComparisonTest.plot(test_of(n // 2))
    rejected, others = bars(ax)
    assert n // 2 in rejected + others
    assert all(test_of(count).reject for count in rejected)
    assert not any(test_of(count).reject for count in others)
    if not rejected:
        assert legend_texts(ax)[1] == "rejected: no count (size 0)"
    assert_readable(ax)


def test_many_counts_are_an_outline():
    ax = ComparisonTest.plot(fm.comparison.binomial_test(320, 1000, error_rate=0.3))
    assert not ax.patches
    plain, hatched = ax.collections
    assert is_rejected_area(hatched)
    assert not is_rejected_area(plain)
    assert hatched.get_paths()[0].vertices[:, 0].min() == 325
    assert plain.get_paths()[0].vertices[:, 0].max() == 324
    assert_readable(ax)
    wide = ComparisonTest.plot(fm.comparison.binomial_test(130_000_000, 10**9, error_rate=0.13))
    assert len(wide.collections[0].get_paths()[0].vertices) < 10_000
    assert_readable(wide)
    far = ComparisonTest.plot(fm.comparison.binomial_test(900, 1000, error_rate=0.3))
    assert far.get_xlim()[1] > 900  # what was observed can be seen


def is_rejected_area(area):
    return area.get_hatch() is not None and to_hex(area.get_edgecolor()[0]) == VERMILLION


def test_t_of_two_tails():
    test = fm.comparison.kfold_paired_t_test(*ERRORS, correction="none", higher_is_better=False)
    ax = ComparisonTest.plot(test)
    left, right = (area.get_paths()[0].vertices[:, 0] for area in ax.collections)
    assert left.max() == pytest.approx(-test.critical_value)
    assert right.min() == pytest.approx(test.critical_value)
    assert all(map(is_rejected_area, ax.collections))
    curve = line(ax, "t with 4 degrees of freedom")
    assert curve.get_ydata() == pytest.approx(stats.t.pdf(curve.get_xdata(), 4))
    assert legend_texts(ax) == [
        "t with 4 degrees of freedom",
        "rejected: |t| ≥ 2.776 (0.025 in each tail)",
        "observed: t = 3.087 (p = 0.0367, rejected at 0.05)",
    ]
    assert list(line(ax, legend_texts(ax)[2]).get_xdata()) == [test.statistic] * 2
    assert_readable(ax)


@pytest.mark.parametrize(
    ("alternative", "side", "label"),
    [("greater", 1, "t ≥ 2.132 (0.05 in the tail)"), ("less", -1, "t ≤ -2.132 (0.05 in the tail)")],
)
def test_t_of_one_tail(alternative, side, label):
    ax = ComparisonTest.plot(
        fm.comparison.kfold_paired_t_test(
            *ERRORS, correction="none", alternative=alternative, higher_is_better=False
        )
    )
    assert len(ax.collections) == 1
    tail = ax.collections[0].get_paths()[0].vertices[:, 0] * side
    assert tail.min() == pytest.approx(2.1318, abs=1e-4)
    assert tail.max() == pytest.approx(ax.get_xlim()[1])
    assert legend_texts(ax)[1] == f"rejected: {label}"
    assert_readable(ax)


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.parametrize("rate", [0.1, 0.3])
def test_an_infinite_t_is_beyond_the_axis(rate):
    test = fm.comparison.one_sample_t_test([0.2, 0.2, 0.2], error_rate=rate)
    ax = ComparisonTest.plot(test)
    assert legend_texts(ax)[2].endswith("beyond the axis")
    (arrow,) = ax.texts
    assert np.sign(arrow.xy[0]) == np.sign(test.statistic)
    assert_readable(ax)


def test_a_large_t():
    ax = ComparisonTest.plot(fm.comparison.one_sample_t_test([0.5, 0.501, 0.502], error_rate=0.1))
    assert ax.get_xlim()[1] < 20
    assert "beyond the axis" in legend_texts(ax)[2]
    ax = ComparisonTest.plot(
        fm.comparison.one_sample_t_test([0.12, 0.15, 0.11, 0.14, 0.13], error_rate=0.1)
    )
    assert ax.get_xlim()[1] > 4.3


@pytest.mark.filterwarnings("ignore::fastmetrics.UndefinedMetricWarning")
def test_an_undefined_t():
    ax = ComparisonTest.plot(fm.comparison.one_sample_t_test([0.2], error_rate=0.1))
    assert "not defined" in " ".join(text.get_text() for text in texts(ax))
    assert not faults(ax).cut_off


def test_other_tests_are_refused():
    f_test = fm.comparison.five_by_two_cv_test(
        np.arange(10.0).reshape(5, 2) % 7, variant="f", higher_is_better=False
    )
    with pytest.raises(ValueError, match="a figure of binomial and t tests, none of 'F'"):
        f_test.plot()


def test_a_result_draws_itself() -> None:
    ax = plt.subplots()[1]
    assert fm.comparison.binomial_test(6, 10, error_rate=0.3).plot(ax=ax) is ax
    assert fm.comparison.one_sample_t_test([0.1, 0.2, 0.3], error_rate=0.1).plot().get_xlabel()
    with pytest.raises(ValueError, match="none of 'chi2': McNemar"):
        fm.comparison.mcnemar_test(e01=1, e10=7).plot(ax=ax)


LONG = "a very long name of an algorithm that would fill the whole width of any page, number"


def compared(k, n=20, slope=0.03, names=None, **options):
    table = np.random.default_rng(k).random((n, k)) + slope * np.arange(k)
    names = names or [f"gradient boosting, depth {j}" if j % 3 == 0 else f"m{j}" for j in range(k)]
    return fm.comparison.compare_table(
        table, higher_is_better=True, names=names, pvalue_method="f", **options
    )


CASES = {
    "two": {"k": 2},
    "three": {"k": 3},
    "twenty": {"k": 20},
    "twenty that do not differ": {"k": 20, "slope": 0.0, "n": 8},
    "fifty": {"k": 50, "n": 40},
    "long names": {"k": 7, "names": [f"{LONG} {j}" for j in range(7)]},
    "a control": {"k": 9, "post_hoc": "bonferroni-dunn", "control": "m4"},
    "Wilcoxon": {"k": 8, "post_hoc": "wilcoxon-holm"},
    "unequal halves": {"k": 4, "names": ["x", "a name of quite some length", "y", "z"]},
}


def assert_grey(ax):
    for artist in [*ax.lines, *ax.patches]:
        for colour in filter(
            None,
            (
                getattr(artist, f"get_{part}", lambda: None)()
                for part in ("color", "facecolor", "markerfacecolor", "markeredgecolor")
            ),
        ):
            red, green, blue, _ = colors.to_rgba(colour)
            assert red == green == blue


@pytest.mark.parametrize("case", CASES)
def test_critical_difference_is_readable(case):
    ax = compared(**CASES[case]).plot()
    assert_readable(ax)
    assert_grey(ax)
    ends = np.array([0.004, -0.004]) * -np.diff(ax.get_xlim())  # by which bars reach beyond ranks
    thick = [one for one in ax.lines if one.get_linewidth() > 3]
    bars = [(*(one.get_xdata() + ends), one.get_ydata()[0]) for one in thick]
    for (low, high, level), (other_low, other_high, other) in itertools.combinations(bars, 2):
        assert level != other or high < other_low or other_high < low
    overlapping = [sum(low <= at <= high for low, high, _ in bars) for at, *_ in bars]
    assert len({level for *_, level in bars}) == max(overlapping, default=0)  # no more than needed
    first, *inner, last = [int(text.get_text()) for text in ax.texts if text.get_text().isdecimal()]
    assert (first, last) == (1, CASES[case]["k"])
    steps = {int(step) for step in np.diff(inner)}
    assert len(steps) <= 1
    assert steps <= {1, 2, 5, 10, 20}
    assert all(rank % step == 0 for rank in inner for step in steps)


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("Wilcoxon", "long names")])
def test_friedman_plot_is_readable(case):
    ax = compared(**CASES[case]).plot_friedman()
    assert_readable(ax)
    assert_grey(ax)


def test_the_diagram_shows_the_data():
    result = compared(6, slope=0.15)
    ax = result.plot()
    left, right = ax.get_xlim()
    assert left > right  # the best ranks are at the right
    thick = [line for line in ax.lines if line.get_linewidth() > 3]
    at = result.mean_ranks
    groups = [group for group in result.post_hoc.groups if len(group) > 1]
    assert len(thick) == len(groups) > 1
    for mark, group in zip(thick, groups, strict=True):
        assert mark.get_xdata() == pytest.approx([at[group[0]], at[group[-1]]], abs=0.1)
    labels = [text.get_text() for text in ax.texts]
    for name, rank in result.mean_ranks.items():
        assert f"{name}  {rank:.2f}" in labels
    assert f"CD = {result.post_hoc.critical_difference:.3g}" in labels
    stems = {line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 3}
    assert stems == set(at.values())


def test_the_friedman_plot_shows_the_data():
    result = compared(6, slope=0.15)
    ax = result.plot_friedman()
    segments = [line.get_xdata() for line in ax.lines if len(line.get_xdata()) == 2]
    assert len(segments) == 6
    half = result.post_hoc.critical_difference / 2
    for segment, rank in zip(segments, result.post_hoc.mean_ranks, strict=True):
        assert list(segment) == [rank - half, rank + half]
    points = [line for line in ax.lines if len(line.get_xdata()) == 1]
    best = next(iter(result.mean_ranks))
    for name, point in zip(result.names, points, strict=True):
        apart = name != best and result.post_hoc[best, name].reject
        assert point.get_markerfacecolor() == ("white" if apart else "black")
    assert {point.get_markerfacecolor() for point in points} == {"white", "black"}


def test_no_friedman_plot_without_a_critical_difference():
    with pytest.raises(ValueError, match="Wilcoxon with Holm has none: compare with `post_hoc="):
        compared(4, post_hoc="wilcoxon-holm").plot_friedman()


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
    assert not fm.bootstrap([1, 1], [0.1, 0.2], n_resamples=9, rng=1)["roc_auc"].plot().lines


def test_replicates_near_the_largest_double():
    costs = ("cost", {"cost_fn": 1e308, "cost_fp": 1e308})
    estimates = fm.bootstrap([0, 0, 1, 1], [0, 1, 0, 1], metrics=[costs], n_resamples=99, rng=1)
    with pytest.raises(ValueError, match=r"shows numbers up to 1e\+300, and 1e\+308 is beyond"):
        estimates["cost"].plot()


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
    assert legend_texts(result.plot())[0] == f"{200 - result.details.n_failed} replicates"
    one_sided = fm.bootstrap(Y, S, **FEW, alternative="less", method="percentile")["roc_auc"]
    assert np.isfinite(one_sided.plot().get_xlim()).all()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    table = fm.ScoreTable.from_scores(Y, S)
    band = fm.roc_band(table, kind="pointwise")
    result = fm.bootstrap(Y, S, **FEW)["roc_auc"]
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    plots = (fm.plots.plot_roc, fm.plots.plot_pr, fm.plots.plot_thresholds)
    for call in [*(partial(plot, table) for plot in plots), MATRIX.plot, band.plot, result.plot]:
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
