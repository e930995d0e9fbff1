"""The 5x2cv tests against published figures, their definitions and mlxtend's figures."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning
from reference import paired_tests_oracle as oracle

FIGURES = json.loads(
    (Path(__file__).parents[1] / "reference" / "reference_values.json").read_text("utf-8")
)["5x2cv"]
TABLE = FIGURES["diffs_i_j"]
VARIANTS = ("dietterich", "textbook", "f")


@pytest.mark.parametrize(
    ("variant", "statistic", "pvalue"),
    [
        ("dietterich", FIGURES["dietterich_t"], FIGURES["dietterich_p"]),
        ("textbook", FIGURES["zhou_t"], FIGURES["zhou_p"]),
        ("f", FIGURES["alpaydin_F"], FIGURES["alpaydin_p"]),
    ],
)
def test_published_figures(variant, statistic, pvalue):
    test = fm.comparison.five_by_two_cv_test(TABLE, variant=variant, higher_is_better=False)
    assert test.statistic == pytest.approx(statistic, rel=1e-12)
    assert test.pvalue == pytest.approx(pvalue, rel=1e-12)
    assert test.effect_size == pytest.approx(0.013)


def test_critical_values():
    for alpha in ("05", "10"):
        test = fm.comparison.five_by_two_cv_test(
            TABLE, confidence_level=1 - float(f"0.{alpha}"), higher_is_better=False
        )
        assert test.critical_value == pytest.approx(FIGURES["t5_crit"][alpha], rel=1e-12)
        assert test.critical_value < FIGURES["t4_crit_05"]  # the notes' 2.776 has df 4
    test = fm.comparison.five_by_two_cv_test(TABLE, variant="f", higher_is_better=False)
    assert test.critical_value == pytest.approx(FIGURES["F10_5_crit_05"], rel=1e-12)
    assert test.df == (10, 5)
    less = fm.comparison.five_by_two_cv_test(TABLE, alternative="less", higher_is_better=False)
    assert less.critical_value == pytest.approx(stats.t.ppf(0.05, 5))
    assert less.pvalue == pytest.approx(stats.t.cdf(less.statistic, 5))


def test_figures_of_mlxtend():
    """Its paired_ttest_5x2cv and combined_ftest_5x2cv, 0.25.0, with these accuracies of folds."""
    a = np.array([[0.91, 0.93], [0.95, 0.90], [0.92, 0.94], [0.93, 0.95], [0.96, 0.91]])
    b = np.array([[0.90, 0.90], [0.93, 0.91], [0.92, 0.91], [0.90, 0.93], [0.93, 0.92]])
    t = fm.comparison.five_by_two_cv_test(a, b, higher_is_better=True)
    f = fm.comparison.five_by_two_cv_test(a, b, variant="f", higher_is_better=True)
    assert (t.statistic, t.pvalue) == pytest.approx(
        (0.5063696835418345, 0.634129019609397), rel=1e-9
    )
    assert (f.statistic, f.pvalue) == pytest.approx(
        (1.2051282051282057, 0.44330320402781137), rel=1e-9
    )
    assert t.better == "A"


@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=5, max_size=5),
    st.sampled_from(VARIANTS),
)
def test_definition(table, variant):
    if all(first == second for first, second in table):
        return
    expected = oracle.five_by_two([[Fraction(d, 100) for d in row] for row in table])[variant]
    values = np.array(table) / 100
    test = fm.comparison.five_by_two_cv_test(values, variant=variant, higher_is_better=False)
    assert test.statistic == pytest.approx(expected, rel=1e-9, abs=1e-12)
    swapped = fm.comparison.five_by_two_cv_test(
        np.zeros((5, 2)), values, variant=variant, higher_is_better=False
    )
    sign = 1 if variant == "f" else -1
    assert swapped.statistic == pytest.approx(sign * test.statistic, abs=1e-12)
    assert swapped.pvalue == pytest.approx(test.pvalue)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_scale_does_not_matter(variant, size):
    scaled = fm.comparison.five_by_two_cv_test(
        np.array(TABLE) * size, variant=variant, higher_is_better=False
    )
    usual = fm.comparison.five_by_two_cv_test(TABLE, variant=variant, higher_is_better=False)
    assert scaled.statistic == pytest.approx(usual.statistic)


@pytest.mark.parametrize("variant", VARIANTS)
def test_repetitions_without_variance(variant):
    same = [[0.1, 0.1], [0.2, 0.2], [0.1, 0.1], [0.3, 0.3], [0.1, 0.1]]
    with pytest.warns(DegenerateDataWarning, match="the statistic is inf and p is 0"):
        test = fm.comparison.five_by_two_cv_test(same, variant=variant, higher_is_better=False)
    assert (test.statistic, test.pvalue, test.reject) == (math.inf, 0, True)
    with pytest.warns(DegenerateDataWarning, match="the statistic is 0 and p is 1"):
        test = fm.comparison.five_by_two_cv_test(
            np.zeros((5, 2)), variant=variant, higher_is_better=False
        )
    assert (test.statistic, test.pvalue, test.reject, test.better) == (0, 1, False, None)


@pytest.mark.parametrize(("alternative", "pvalue"), [("greater", 1), ("less", 0)])
def test_one_sided_without_variance(alternative, pvalue):
    with pytest.warns(DegenerateDataWarning, match="-inf"):
        test = fm.comparison.five_by_two_cv_test(
            np.full((5, 2), -0.1), alternative=alternative, higher_is_better=False
        )
    assert (test.statistic, test.pvalue) == (-math.inf, pvalue)


def test_first_repetition_without_a_difference():
    """0 / 0 for t: nothing speaks for a difference; F uses all ten."""
    table = [[0, 0], [0.1, 0.1], [0.1, 0.1], [0.1, 0.1], [0.1, 0.1]]
    with pytest.warns(DegenerateDataWarning, match="the statistic is 0 and p is 1"):
        test = fm.comparison.five_by_two_cv_test(table, higher_is_better=False)
    assert (test.statistic, test.pvalue, test.better) == (0, 1, "B")
    with pytest.warns(DegenerateDataWarning, match="the statistic is inf and p is 0"):
        assert (
            fm.comparison.five_by_two_cv_test(table, variant="f", higher_is_better=False).pvalue
            == 0
        )


def test_differences_that_are_equal_but_for_rounding():
    a = np.array([[0.3, 0.4], [0.7, 0.8], [0.3, 0.7], [0.4, 0.8], [0.3, 0.3]])
    b = np.array([[0.2, 0.3], [0.6, 0.7], [0.2, 0.6], [0.3, 0.7], [0.2, 0.2]])
    assert (a - b).std() > 0
    with pytest.warns(DegenerateDataWarning, match="inf"):
        assert fm.comparison.five_by_two_cv_test(a, b, higher_is_better=False).statistic == math.inf


@pytest.mark.parametrize(
    ("table", "options", "match"),
    [
        (TABLE, {"variant": "f", "alternative": "less"}, "`variant='f'` is two-sided"),
    ],
)
def test_faults(table, options, match):
    with pytest.raises(ValueError, match=match):
        fm.comparison.five_by_two_cv_test(table, **options, higher_is_better=False)


def test_the_largest_numbers():
    """Ten of them have no sum."""
    table = np.array(TABLE) / np.abs(TABLE).max()
    usual, large = (
        fm.comparison.five_by_two_cv_test(table * size, higher_is_better=False)
        for size in (1.0, 1.7e308)
    )
    assert large.statistic == pytest.approx(usual.statistic)
    assert large.effect_size == pytest.approx(usual.effect_size * 1.7e308)
