"""Distributions under the null hypothesis: the regions drawn are those that the tests use."""

import numpy as np
import pytest
from drawn import faults, legend_texts, line, texts
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
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
    found = {True: [], False: []}
    for patch in ax.patches:
        found[is_rejected(patch)].append(round(patch.get_x() + patch.get_width() / 2))
    return found[True], found[False]


def test_binomial_of_the_textbook():
    ax = ComparisonTest.plot(fm.comparison.binomial_test(6, 10, error_rate=0.3))
    assert bars(ax) == ([6, 7, 8, 9, 10], [0, 1, 2, 3, 4, 5])
    heights = {round(p.get_x() + 0.4): p.get_height() for p in ax.patches}
    chances = stats.binom.pmf(range(11), 10, 0.3)
    assert [heights[i] for i in range(11)] == pytest.approx(chances)
    assert legend_texts(ax) == [
        "binomial(10, 0.3)",
        "rejected: more than 5 errors (size 0.0473)",
        "observed: 6 (p = 0.0473, rejected at 0.05)",
    ]
    observed = line(ax, "observed: 6 (p = 0.0473, rejected at 0.05)")
    assert list(observed.get_xdata()) == [6, 6]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("errors of 10", "probability")
    assert_readable(ax)


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize(("n", "rate"), [(10, 0.3), (25, 0.5), (3, 0.9), (7, 0.0), (60, 0.02)])
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
    ("alternative", "side", "said"),
    [("greater", 1, "t ≥ 2.132 (0.05 in the tail)"), ("less", -1, "t ≤ -2.132 (0.05 in the tail)")],
)
def test_t_of_one_tail(alternative, side, said):
    ax = ComparisonTest.plot(
        fm.comparison.kfold_paired_t_test(
            *ERRORS, correction="none", alternative=alternative, higher_is_better=False
        )
    )
    assert len(ax.collections) == 1
    tail = ax.collections[0].get_paths()[0].vertices[:, 0] * side
    assert tail.min() == pytest.approx(2.1318, abs=1e-4)
    assert tail.max() == pytest.approx(ax.get_xlim()[1])
    assert legend_texts(ax)[1] == f"rejected: {said}"
    assert_readable(ax)


def test_other_t_tests():
    for test in (
        fm.comparison.one_sample_t_test([0.1, 0.3], error_rate=0.1),
        fm.comparison.five_by_two_cv_test(
            np.arange(10.0).reshape(5, 2) % 7 / 50, higher_is_better=False
        ),
        fm.comparison.kfold_paired_t_test(
            *ERRORS, correction="nadeau-bengio", confidence_level=0.9, higher_is_better=False
        ),
    ):
        ax = ComparisonTest.plot(test)
        assert abs(test.critical_value) < ax.get_xlim()[1]
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
