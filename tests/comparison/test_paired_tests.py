"""Tests of two models: t tests, 5x2cv, McNemar's, signs that flip."""

import json
import math
import warnings
from collections import defaultdict
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from fastmetrics.comparison import (
    five_by_two_cv_test,
    kfold_paired_t_test,
    mcnemar_test,
    one_sample_t_test,
    sign_flip_test,
)
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from reference import paired_tests_oracle as oracle

kfold = partial(kfold_paired_t_test, higher_is_better=False)
five_by_two = partial(five_by_two_cv_test, higher_is_better=False)
sign_flip = partial(sign_flip_test, higher_is_better=True)

CRITICAL = json.loads(
    (Path(__file__).parents[1] / "reference" / "reference_values.json").read_text("utf-8")
)["critical_values"]
ALTERNATIVES = ("two-sided", "less", "greater")
A = ["0.20", "0.24", "0.18", "0.22", "0.21", "0.19"]
B = ["0.18", "0.21", "0.18", "0.19", "0.22", "0.17"]
NUMBERS = st.lists(st.integers(-1000, 1000), min_size=2, max_size=30)


def gaps() -> list[Fraction]:
    return [a - b for a, b in zip(oracle.fractions(A), oracle.fractions(B), strict=True)]


def floats(values):
    return [float(value) for value in values]


# --- one sample ----------------------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_one_sample_is_scipys(alternative):
    rates = floats(A)
    test = one_sample_t_test(rates, error_rate=0.2, alternative=alternative, confidence_level=0.9)
    peer = stats.ttest_1samp(rates, 0.2, alternative=alternative)
    assert test.statistic == pytest.approx(peer.statistic, rel=1e-12)
    assert test.pvalue == pytest.approx(peer.pvalue, rel=1e-12)
    assert test.df == peer.df == 5
    interval = peer.confidence_interval(0.9)
    actual = (test.confidence_interval.low, test.confidence_interval.high)
    assert actual == pytest.approx((interval.low, interval.high), rel=1e-12)
    assert test.effect_size == pytest.approx(np.mean(rates))
    assert test.details["cohen_d"] == pytest.approx((np.mean(rates) - 0.2) / np.std(rates, ddof=1))


@pytest.mark.parametrize("alpha", ["05", "10"])
@pytest.mark.parametrize("k", [2, 5, 10, 20, 30])
def test_critical_values_of_the_tables(k, alpha):
    test = one_sample_t_test(
        np.random.default_rng(k).random(k), error_rate=0.5, confidence_level=1 - float(f"0.{alpha}")
    )
    assert test.critical_value == pytest.approx(CRITICAL[f"t_by_k_{alpha}"][str(k)], abs=5.1e-5)
    assert test.reject == (abs(test.statistic) >= test.critical_value)


@given(NUMBERS, st.integers(-1000, 1000))
def test_one_sample_by_definition(values, null):
    if len(set(values)) == 1:
        return
    test = one_sample_t_test(values, error_rate=null)
    exact = oracle.t_statistic([Fraction(v - null) for v in values])
    assert test.statistic == pytest.approx(exact, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_extreme_magnitudes(size):
    values = np.array([1.0, 2.0, 4.0])
    usual = one_sample_t_test(values, error_rate=1.5)
    extreme = one_sample_t_test(values * size, error_rate=1.5 * size)
    assert extreme.statistic == pytest.approx(usual.statistic, rel=1e-9)


@pytest.mark.parametrize(
    ("alternative", "above", "below"),
    [("two-sided", 0.0, 0.0), ("greater", 0.0, 1.0), ("less", 1.0, 0.0)],
)
def test_error_rates_that_do_not_vary(alternative, above, below):
    options = {"alternative": alternative}
    for null, statistic, pvalue in ((0.2, math.inf, above), (0.4, -math.inf, below)):
        with pytest.warns(DegenerateDataWarning, match="do not vary"):
            test = one_sample_t_test([0.3, 0.3, 0.3], error_rate=null, **options)
        assert (test.statistic, test.pvalue) == (statistic, pvalue)
        assert test.reject == (pvalue == 0)
        assert test.details["cohen_d"] == statistic
    with pytest.warns(DegenerateDataWarning, match="all differences are 0"):
        test = one_sample_t_test([0.3, 0.3, 0.3], error_rate=0.3, **options)
    assert (test.statistic, test.pvalue, test.reject) == (0, 1, False)


def test_one_error_rate():
    with pytest.warns(UndefinedMetricWarning, match="one number has no variance"):
        test = one_sample_t_test([0.3], error_rate=0.2)
    assert math.isnan(test.statistic)
    assert math.isnan(test.pvalue)
    assert not test.reject


@pytest.mark.parametrize("null", [0.0, 0.15])
def test_one_sample_of_folds_is_the_paired_test_of_their_differences(rng, null):
    table = rng.normal(0.2, 0.05, (3, 4))
    paired = kfold(table - null)
    test = one_sample_t_test(table, error_rate=null)
    assert test.statistic == pytest.approx(paired.statistic, rel=1e-12)
    assert test.pvalue == pytest.approx(paired.pvalue, rel=1e-12)
    assert test.effect_size == pytest.approx(paired.effect_size + null)
    assert test.confidence_interval.low == pytest.approx(paired.confidence_interval.low + null)
    assert (test.method, test.df) == ("one-sample t test, Nadeau-Bengio", 11)
    for said in ({"n_folds": 4}, {"n_repeats": 3}, {"n_folds": 4, "n_repeats": 3}):
        assert one_sample_t_test(table.ravel(), error_rate=null, **said) == test
    apart = one_sample_t_test(table.ravel(), error_rate=null)
    assert abs(apart.statistic) > abs(test.statistic)
    assert apart.method == "one-sample t test"


# --- k-fold --------------------------------------------------------------------------------------


def test_both_statistics_stand_side_by_side():
    ratio = Fraction(1, 5)  # six folds: one to five
    plain = kfold(floats(A), floats(B), correction="none")
    corrected = kfold(floats(A), floats(B))
    assert plain.statistic == pytest.approx(oracle.t_statistic(gaps()))
    assert corrected.statistic == pytest.approx(oracle.t_statistic(gaps(), ratio))
    errors = [dict(one.details).pop("standard_error") for one in (plain, corrected)]
    assert plain.details == {**corrected.details, "standard_error": errors[0]}
    assert errors[1] / errors[0] == pytest.approx(math.sqrt((1 / 6 + 1 / 5) * 6))
    assert plain.details["statistic_nadeau_bengio"] == corrected.statistic
    assert corrected.details["pvalue_uncorrected"] == plain.pvalue
    assert corrected.pvalue == pytest.approx(2 * stats.t.sf(abs(corrected.statistic), 5))
    assert corrected.method.endswith("Nadeau-Bengio")
    # 1 / 6 + 1 / 5 in place of 1 / 6
    ratio_of_t = corrected.statistic / plain.statistic
    assert ratio_of_t == pytest.approx(math.sqrt((1 / 6) / (1 / 6 + 1 / 5)))


def test_scikit_learns_example_of_repeated_cross_validation():
    """The corrected t of "Statistical comparison of models using grid search" in its docs."""
    table = np.random.default_rng(3).normal(0.01, 0.02, (10, 10))
    n_train = 90
    n_test = 10
    std = math.sqrt(np.var(table, ddof=1) * (1 / table.size + n_test / n_train))
    expected = table.mean() / std
    test = kfold(table)
    assert (test.statistic, test.df) == (pytest.approx(expected), 99)
    assert test.method.startswith("repeated")
    given_sizes = kfold(table.ravel(), correction="nadeau-bengio", n_train=n_train, n_test=n_test)
    assert given_sizes.statistic == pytest.approx(expected)


@given(NUMBERS, st.integers(1, 9))
def test_kfold_by_definition(values, ratio):
    if len(set(values)) == 1:
        return
    exact = [Fraction(v) for v in values]
    test = kfold(values, correction="nadeau-bengio", n_train=10, n_test=ratio)
    expected = oracle.t_statistic(exact, Fraction(ratio, 10))
    assert test.statistic == pytest.approx(expected, rel=1e-9, abs=1e-9)
    swapped = kfold([0] * len(values), values, correction="nadeau-bengio", n_train=10, n_test=ratio)
    assert swapped.statistic == pytest.approx(-test.statistic)
    assert swapped.pvalue == pytest.approx(test.pvalue)


def test_differences_that_are_equal_but_for_rounding():
    a, b = [0.3, 0.4, 0.7, 0.8], [0.2, 0.3, 0.6, 0.7]
    assert len(set(np.subtract(a, b))) > 1
    with pytest.warns(DegenerateDataWarning, match="the statistic is inf and p is 0"):
        test = kfold(a, b)
    assert (test.statistic, test.pvalue, test.reject, test.better) == (math.inf, 0, True, "B")
    assert test.effect_size == pytest.approx(0.1)
    with pytest.warns(DegenerateDataWarning, match="the statistic is -inf and p is 0"):
        test = kfold(b, a, correction="none")
    assert (test.statistic, test.better) == (-math.inf, "A")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_models_that_do_not_differ(alternative):
    with pytest.warns(DegenerateDataWarning, match="p is 1"):
        test = kfold(floats(A), floats(A), alternative=alternative)
    assert (test.statistic, test.pvalue, test.better, test.reject) == (0, 1, None, False)


@pytest.mark.parametrize("correction", ["none", "nadeau-bengio"])
def test_one_fold(correction):
    with pytest.warns(UndefinedMetricWarning, match="one number has no variance"):
        test = kfold([0.1], correction=correction)
    assert math.isnan(test.pvalue)


def test_names_and_scores():
    options = {"names": ("tree", "forest")}
    assert kfold(floats(A), floats(B), **options).better == "forest"
    scores = kfold_paired_t_test(floats(A), floats(B), higher_is_better=True, **options)
    assert scores.better == "tree"


# --- repetitions in one vector ------------------------------------------------------------------


def repeated_folds(rng, repeats, folds):
    """Return differences of equal models that correlate as Nadeau and Bengio suppose: by 1 / k."""
    common = math.sqrt(1 / folds) * rng.normal()
    return common + math.sqrt(1 - 1 / folds) * rng.normal(size=(repeats, folds))


def compare_folds(values, **said):
    return kfold_paired_t_test(values, higher_is_better=True, **said)


@pytest.mark.parametrize("said", [{"n_folds": 5}, {"n_repeats": 3}, {"n_folds": 5, "n_repeats": 3}])
def test_a_vector_of_repetitions_is_their_table(rng, said):
    table = repeated_folds(rng, 3, 5)
    assert compare_folds(table.ravel(), **said).to_dict() == compare_folds(table).to_dict()
    assert compare_folds(table, **said).to_dict() == compare_folds(table).to_dict()
    assert compare_folds(table[:1].ravel()).to_dict() == compare_folds(table[:1]).to_dict()


def test_ten_times_ten_folds_in_a_vector_keep_the_level(rng):
    """Taken for 100 folds they would reject 42 %; the t of equicorrelated normals is exact."""
    tables = [repeated_folds(rng, 10, 10) for _ in range(2000)]
    right = np.mean([compare_folds(one.ravel(), n_folds=10).reject for one in tables])
    wrong = np.mean([compare_folds(one.ravel(), n_folds=100).reject for one in tables])
    assert right == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / 2000))
    assert wrong == pytest.approx(0.42, abs=4 * math.sqrt(0.42 * 0.58 / 2000))


@pytest.mark.parametrize("correction", ["none", "nadeau-bengio"])
def test_a_long_vector_says_what_it_is(rng, correction):
    values = repeated_folds(rng, 10, 10).ravel()
    test = partial(kfold_paired_t_test, higher_is_better=True, correction=correction)
    assert test(values[:10]).df == 9
    assert test(values[:11], n_repeats=1).df == 10
    assert test(values[:11], n_train=110, n_test=10).df == 10


def test_repetitions_without_correction_warn(rng):
    table = repeated_folds(rng, 10, 10)
    test = partial(kfold_paired_t_test, higher_is_better=True, correction="none")
    warns = partial(pytest.warns, DegenerateDataWarning)
    with warns(match="10 repetitions correlate.*`correction='nadeau-bengio'`"):
        actual = test(table)
    assert actual.method == "repeated k-fold paired t test"
    with warns(match="10 repetitions"):
        assert test(table.ravel(), n_folds=10).to_dict() == actual.to_dict()
    with warns(match="20 repetitions"):  # of hold-out: 20 times a third is more than there is
        test(table.ravel()[:20], n_train=2, n_test=1)
    test(table.ravel()[:10], n_train=9, n_test=1)  # the folds of one partition


@pytest.mark.parametrize("options", [{}, {"correction": "none"}])
def test_the_largest_numbers(options):
    options = {"higher_is_better": False, **options}
    with pytest.raises(ValueError, match=r"standard deviation of -1\.7e\+308 .* is beyond"):
        kfold_paired_t_test([1.7e308, -1.7e308], **options)
    usual = kfold_paired_t_test([1.0, 0.5, 0.7], **options)
    large = kfold_paired_t_test([1e308, 0.5e308, 0.7e308], **options)
    assert large.statistic == pytest.approx(usual.statistic)
    with pytest.raises(ValueError, match="`n_train` is beyond the range of floats"):
        kfold_paired_t_test([0.1, 0.2], n_train=10**400, n_test=1, **options)


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
    test = five_by_two(TABLE, variant=variant)
    assert test.statistic == pytest.approx(statistic, rel=1e-12)
    assert test.pvalue == pytest.approx(pvalue, rel=1e-12)
    assert test.effect_size == pytest.approx(0.013)


def test_critical_values():
    for alpha in ("05", "10"):
        test = five_by_two(TABLE, confidence_level=1 - float(f"0.{alpha}"))
        assert test.critical_value == pytest.approx(FIGURES["t5_crit"][alpha], rel=1e-12)
        assert test.critical_value < FIGURES["t4_crit_05"]  # the notes' 2.776 has df 4
    test = five_by_two(TABLE, variant="f")
    assert test.critical_value == pytest.approx(FIGURES["F10_5_crit_05"], rel=1e-12)
    assert test.df == (10, 5)
    less = five_by_two(TABLE, alternative="less")
    assert less.critical_value == pytest.approx(stats.t.ppf(0.05, 5))
    assert less.pvalue == pytest.approx(stats.t.cdf(less.statistic, 5))


def test_figures_of_mlxtend():
    """Its paired_ttest_5x2cv and combined_ftest_5x2cv, 0.25.0, with these accuracies of folds."""
    a = np.array([[0.91, 0.93], [0.95, 0.90], [0.92, 0.94], [0.93, 0.95], [0.96, 0.91]])
    b = np.array([[0.90, 0.90], [0.93, 0.91], [0.92, 0.91], [0.90, 0.93], [0.93, 0.92]])
    t = five_by_two_cv_test(a, b, higher_is_better=True)
    f = five_by_two_cv_test(a, b, variant="f", higher_is_better=True)
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
    test = five_by_two(values, variant=variant)
    assert test.statistic == pytest.approx(expected, rel=1e-9, abs=1e-12)
    swapped = five_by_two(np.zeros((5, 2)), values, variant=variant)
    sign = 1 if variant == "f" else -1
    assert swapped.statistic == pytest.approx(sign * test.statistic, abs=1e-12)
    assert swapped.pvalue == pytest.approx(test.pvalue)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_scale_does_not_matter(variant, size):
    scaled = five_by_two(np.array(TABLE) * size, variant=variant)
    assert scaled.statistic == pytest.approx(five_by_two(TABLE, variant=variant).statistic)


@pytest.mark.parametrize("variant", VARIANTS)
def test_repetitions_without_variance(variant):
    same = [[0.1, 0.1], [0.2, 0.2], [0.1, 0.1], [0.3, 0.3], [0.1, 0.1]]
    with pytest.warns(DegenerateDataWarning, match="the statistic is inf and p is 0"):
        test = five_by_two(same, variant=variant)
    assert (test.statistic, test.pvalue, test.reject) == (math.inf, 0, True)
    with pytest.warns(DegenerateDataWarning, match="the statistic is 0 and p is 1"):
        test = five_by_two(np.zeros((5, 2)), variant=variant)
    assert (test.statistic, test.pvalue, test.reject, test.better) == (0, 1, False, None)


@pytest.mark.parametrize(("alternative", "pvalue"), [("greater", 1), ("less", 0)])
def test_one_sided_without_variance(alternative, pvalue):
    with pytest.warns(DegenerateDataWarning, match="-inf"):
        test = five_by_two(np.full((5, 2), -0.1), alternative=alternative)
    assert (test.statistic, test.pvalue) == (-math.inf, pvalue)


def test_first_repetition_without_a_difference():
    """0 / 0 for t: nothing speaks for a difference; F uses all ten."""
    table = [[0, 0], [0.1, 0.1], [0.1, 0.1], [0.1, 0.1], [0.1, 0.1]]
    with pytest.warns(DegenerateDataWarning, match="the statistic is 0 and p is 1"):
        test = five_by_two(table)
    assert (test.statistic, test.pvalue, test.better) == (0, 1, "B")
    with pytest.warns(DegenerateDataWarning, match="the statistic is inf and p is 0"):
        assert five_by_two(table, variant="f").pvalue == 0


def test_the_largest_numbers_two():
    """Ten of them have no sum."""
    table = np.array(TABLE) / np.abs(TABLE).max()
    usual, large = (five_by_two(table * size) for size in (1.0, 1.7e308))
    assert large.statistic == pytest.approx(usual.statistic)
    assert large.effect_size == pytest.approx(usual.effect_size * 1.7e308)


FIGURES_MCNEMAR = json.loads(
    (Path(__file__).parents[1] / "reference" / "reference_values.json").read_text("utf-8")
)
COUNTS = st.integers(0, 25)


@pytest.mark.parametrize("figures", FIGURES_MCNEMAR["mcnemar"], ids=lambda f: str(f["bc"]))
def test_published_figures_mcnemar(figures):
    b, c = figures["bc"]
    if "must" in figures:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateDataWarning)
            test = mcnemar_test(e01=b, e10=c)
        assert (test.statistic, test.pvalue, test.reject) == (0, 1, False)
        return
    names = {
        "corrected": ("chi2_cc", "p_cc"),
        "uncorrected": ("chi2", "p"),
        "exact": (None, "exact"),
        "mid-p": (None, "midp"),
    }
    for method, (statistic, pvalue) in names.items():
        test = mcnemar_test(e01=b, e10=c, method=method)
        if statistic in figures:
            assert test.statistic == pytest.approx(figures[statistic], rel=1e-12)
        if pvalue in figures:
            assert test.pvalue == pytest.approx(figures[pvalue], rel=1e-10)


def test_the_exact_p_that_mlxtends_page_prints_is_wrong():
    figures = next(f for f in FIGURES_MCNEMAR["mcnemar"] if "WRONG_published_by_mlxtend_doc" in f)
    b, c = figures["bc"]
    exact = oracle.mcnemar_pvalue(b, c, "two-sided", Fraction(1))
    assert exact == 2 * Fraction(1 + 12, 2**12)  # 0 or 1 of 12, either way
    assert mcnemar_test(e01=b, e10=c, method="exact").pvalue == pytest.approx(float(exact))
    assert float(exact) != figures["WRONG_published_by_mlxtend_doc"]


def test_the_critical_values():
    for alpha in ("05", "10"):
        for method in ("corrected", "uncorrected"):
            test = mcnemar_test(
                e01=3, e10=9, confidence_level=1 - float(f"0.{alpha}"), method=method
            )
            expected = FIGURES_MCNEMAR["critical_values"]["chi2_1"][alpha]
            assert test.critical_value == pytest.approx(expected, rel=1e-12)
            assert test.reject == (test.statistic >= test.critical_value)


@given(COUNTS, COUNTS, st.sampled_from(["two-sided", "less", "greater"]))
def test_enumeration(e01, e10, alternative):
    if e01 + e10 == 0:
        return
    for method, share in (("exact", Fraction(1)), ("mid-p", Fraction(1, 2))):
        test = mcnemar_test(e01=e01, e10=e10, method=method, alternative=alternative)
        expected = oracle.mcnemar_pvalue(e01, e10, alternative, share)
        assert test.pvalue == pytest.approx(float(expected), rel=1e-9)
        other = {"less": "greater", "greater": "less"}.get(alternative, alternative)
        swapped = mcnemar_test(e01=e10, e10=e01, method=method, alternative=other)
        assert swapped.pvalue == pytest.approx(test.pvalue, rel=1e-12)


@given(COUNTS, COUNTS)
def test_statsmodels(e01, e10):
    """Its correction is not clamped: at e01 = e10 it makes 1 of no difference."""
    if e01 + e10 == 0:
        return
    table = [[5, e10], [e01, 7]]
    for method, options in (
        ("exact", {"exact": True}),
        ("uncorrected", {"exact": False, "correction": False}),
        ("corrected", {"exact": False, "correction": True}),
    ):
        if method == "corrected" and e01 == e10:
            continue
        peer = mcnemar(table, **options)
        test = mcnemar_test(e01=e01, e10=e10, method=method)
        assert test.pvalue == pytest.approx(peer.pvalue, rel=1e-9)
        if method != "exact":
            assert test.statistic == pytest.approx(peer.statistic, rel=1e-12)


def test_the_correction_is_clamped():
    test = mcnemar_test(e01=3, e10=3)
    assert (test.statistic, test.pvalue, test.better) == (0, 1, None)
    assert mcnemar([[0, 3], [3, 0]], exact=False, correction=True).statistic > 0  # no difference
    test = mcnemar_test(e01=3, e10=4)
    assert (test.statistic, test.pvalue, test.better) == (0, 1, "A")


@pytest.mark.parametrize("method", ["corrected", "uncorrected", "exact", "mid-p"])
def test_models_that_never_differ(method):
    with pytest.warns(DegenerateDataWarning, match="p is 1"):
        test = mcnemar_test(e01=0, e10=0, method=method)
    assert (test.statistic, test.pvalue, test.reject, test.better) == (0, 1, False, None)
    assert math.isnan(test.effect_size)
    assert math.isnan(test.confidence_interval.low)


def test_the_odds_ratio():
    test = mcnemar_test(e01=6, e10=16, method="exact")
    share = stats.binomtest(6, 22).proportion_ci(0.95)
    assert test.effect_size == 6 / 16
    assert test.confidence_interval.low == pytest.approx(share.low / (1 - share.low))
    assert test.confidence_interval.high == pytest.approx(share.high / (1 - share.high))
    test = mcnemar_test(e01=6, e10=0)
    assert test.effect_size == test.confidence_interval.high == math.inf
    test = mcnemar_test(e01=0, e10=6)
    assert test.effect_size == test.confidence_interval.low == 0
    one_sided = mcnemar_test(e01=6, e10=16, method="exact", alternative="less")
    assert one_sided.confidence_interval.low == 0
    assert one_sided.confidence_interval.high < mcnemar_test(e01=6, e10=16).effect_size * 3


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=40
    )
)
def test_counts_from_labels(rows):
    e01 = sum(a != y == b for y, a, b in rows)
    e10 = sum(a == y != b for y, a, b in rows)
    y, a, b = (list(column) for column in zip(*rows, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        expected = mcnemar_test(e01=e01, e10=e10)
        test = mcnemar_test(y, a, b)
        texts = mcnemar_test(*([f"class {v}" for v in column] for column in (y, a, b)))
    for actual in (test, texts):
        assert (actual.details["e01"], actual.details["e10"]) == (e01, e10)
        assert (actual.statistic, actual.pvalue) == (expected.statistic, expected.pvalue)
        wrong = sum(y != a for y, a, _ in rows)
        assert actual.details["error_rate_a"] == pytest.approx(wrong / len(rows))
        assert actual.details["n"] == len(rows)


def test_names_go_to_the_better_model():
    assert mcnemar_test(e01=9, e10=1, names=("old", "new")).better == "new"
    greater = mcnemar_test(e01=9, e10=1, method="exact", alternative="greater")
    assert greater.reject  # the error of A is the greater


#: Rows of a difference, which is a whole number, and a group.
ROWS = st.lists(
    st.tuples(st.integers(-4, 4), st.sampled_from("abcde")), min_size=2, max_size=12
).filter(lambda rows: len({group for _, group in rows}) > 1)


def sums_by_group(values, groups):
    sums = defaultdict(Fraction)
    for value, group in zip(values, groups, strict=True):
        sums[group] += Fraction(value)
    return list(sums.values())


@given(ROWS, st.sampled_from([1, 10]), st.sampled_from(ALTERNATIVES))
def test_every_choice_of_signs_of_groups(rows, divisor, alternative):
    values, groups = zip(*rows, strict=True)
    sums = sums_by_group(values, groups)
    if not any(sums):
        return
    test = sign_flip(np.array(values) / divisor, groups=groups, alternative=alternative)
    exact = oracle.sign_flip_pvalue(sums, alternative)
    assert test.pvalue == pytest.approx(float(exact), rel=1e-12)
    assert test.effect_size == pytest.approx(sum(values) / len(values) / divisor, abs=1e-15)
    assert (test.details["n"], test.details["n_groups"]) == (len(rows), len(sums))
    assert test.details["n_zero"] == sums.count(0)
    assert test.method == "sign-flip test by groups, exact"


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
@pytest.mark.parametrize("scale", [1.0, 1e300, 1e-300])
def test_flips_of_rows_that_are_groups_of_their_own(rng, method, scale):
    values = rng.normal(0.3, 1, 20) * scale
    options = {"method": method, "rng": 3, "n_resamples": 999, "higher_is_better": True}
    plain = sign_flip_test(values, **options)
    own = sign_flip_test(values, groups=np.arange(20), **options)
    assert own.pvalue == plain.pvalue
    assert own.effect_size == plain.effect_size


def test_large_sums_of_groups():
    test = sign_flip(np.full(64, 1.5e308), groups=np.arange(64) // 8)
    assert (test.pvalue, test.effect_size) == (2 / 2**8, 1.5e308)


def test_signs_of_groups_that_cancel():
    with pytest.warns(DegenerateDataWarning, match="all sums of groups are 0"):
        test = sign_flip([0.1, 0.2, -0.3, 0.5, -0.5], groups=[1, 1, 1, 2, 2])
    assert (test.statistic, test.pvalue, test.better) == (0, 1, None)
