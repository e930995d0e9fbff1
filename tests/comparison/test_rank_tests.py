"""Tests of ranks: Friedman's, post-hoc, Wilcoxon's, and tables of all of them."""

import contextlib
import itertools
import math
import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from rank_samples import DEMSAR, DEMSAR_NAMES, TEXTBOOK, graded
from scipy import stats

from fastmetrics.comparison import (
    compare_table,
    friedman_test,
    nemenyi_test,
    wilcoxon_signed_rank_test,
)
from fastmetrics.comparison.friedman import (
    arrangement_count,
    arrangements,
    exact_distribution,
    permutation_pvalue,
    sum_of_squares,
)
from fastmetrics.comparison.post_hoc import groups_on_rank_line, nemenyi_quantile
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from peers import adjusted_by_statsmodels
from reference import paired_tests_oracle, rank_oracle as oracle

friedman = partial(friedman_test, higher_is_better=True)
wilcoxon = partial(wilcoxon_signed_rank_test, higher_is_better=False)
compare = partial(compare_table, higher_is_better=True)


def tables(max_rows, max_columns, min_columns=2):
    """Tables of few different scores, so that there are ties."""
    return st.integers(min_columns, max_columns).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, 3), min_size=k, max_size=k), min_size=1, max_size=max_rows
        )
    )


@contextlib.contextmanager
def degenerate_allowed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        yield


def test_the_textbook_table():
    test = friedman_test(ranks=TEXTBOOK, names="A B C".split())
    assert test.mean_ranks == (1.0, 2.125, 2.875)
    assert test.chi2 == test.statistic == 7.125
    assert test.f == pytest.approx(24.428571428571427, rel=1e-15)
    assert test.chi2_tie_corrected == pytest.approx(7.6, rel=1e-15)
    assert test.f_tie_corrected == pytest.approx(57.0, rel=1e-15)
    assert test.pvalue == 1 / 108
    assert test.pvalue_method == "exact"
    assert test.pvalue_chi2 == pytest.approx(0.028367816449713094, rel=1e-12)
    assert test.pvalue_f == pytest.approx(0.001308441162109375, rel=1e-12)
    assert test.reject
    assert test.better == "A"
    f = friedman_test(ranks=TEXTBOOK, pvalue_method="f")
    assert f.critical_value == pytest.approx(5.143252849784718, rel=1e-12)
    assert f.df == (2.0, 6.0)
    f = friedman_test(ranks=TEXTBOOK, pvalue_method="f", confidence_level=0.9)
    assert f.critical_value == pytest.approx(3.4633040700956514, rel=1e-12)


def test_demsar_2006():
    test = friedman_test(ranks=DEMSAR, pvalue_method="f")
    assert [round(rank, 3) for rank in test.mean_ranks] == [3.143, 2.0, 2.893, 1.964]
    assert round(test.chi2, 2) == 9.28
    assert round(test.f, 2) == 3.69
    assert round(test.critical_value, 2) == 2.85
    assert test.reject


@given(table=tables(6, 5))
def test_statistics_are_those_of_the_definition(table):
    if any(len(set(row)) > 1 for row in table) and len(table) > 1:
        ranks = [oracle.ranks_of(row, higher_is_better=True) for row in table]
        n, k = len(table), len(table[0])
        plain = oracle.chi_square(ranks)
        corrected = oracle.tie_corrected(ranks)
        with degenerate_allowed():
            test = friedman(table, pvalue_method="f")
        assert test.chi2 == float(plain)
        assert test.chi2_tie_corrected == float(corrected)
        assert test.f == float(oracle.iman_davenport(plain, n, k))
        assert test.f_tie_corrected == float(oracle.iman_davenport(corrected, n, k))
        assert test.effect_size == pytest.approx(float(corrected / (n * (k - 1))))
        means = [float(sum(column) / n) for column in zip(*ranks, strict=True)]
        assert list(test.mean_ranks) == means


@given(table=tables(3, 3))
def test_exact_pvalue_is_that_of_listing_every_arrangement(table):
    ranks = [oracle.ranks_of(row, higher_is_better=False) for row in table]
    with degenerate_allowed():
        test = friedman_test(table, higher_is_better=False)
    assert test.pvalue == pytest.approx(float(oracle.exact_pvalue(ranks)), rel=1e-13)
    assert test.pvalue_method == "exact"


@pytest.mark.parametrize(("n", "k"), [(5, 3), (2, 5), (4, 3)])
def test_exact_pvalue_without_ties(n, k):
    table = graded(n, k, 0.1).tolist()
    ranks = [oracle.ranks_of(row, higher_is_better=True) for row in table]
    assert friedman(table).pvalue == pytest.approx(float(oracle.exact_pvalue(ranks)), rel=1e-13)


@pytest.mark.parametrize(
    ("n", "k", "statistic", "tail"),
    # Tables of Friedman's statistic: Hollander & Wolfe, table A.22; Siegel & Castellan, table M.
    [
        (3, 3, 6.0, 0.028),
        (5, 3, 6.4, 0.039),
        (10, 3, 6.2, 0.046),
        (3, 4, 7.4, 0.033),
        (4, 4, 7.8, 0.036),
    ],
)
def test_published_tails(n, k, statistic, tail):
    values, tails = exact_distribution(np.tile(2 * np.arange(1, k + 1) - (k + 1), (n, 1)))
    chi2 = 3 * values / (n * k * (k + 1))
    place = int(np.argmin(np.abs(chi2 - statistic)))
    assert chi2[place] == pytest.approx(statistic)
    assert round(tails[place], 3) == tail


def test_the_critical_value_of_the_exact_test_is_the_first_that_rejects():
    test = friedman(graded(6, 3, 0.0, seed=3))
    values, tails = exact_distribution(np.tile([-2, 0, 2], (6, 1)))
    rejected = 3 * values / (6 * 3 * 4) >= test.critical_value
    assert (tails[rejected] <= 0.05).all()
    assert (tails[~rejected] > 0.05).all()
    assert rejected.any()


@pytest.mark.parametrize("ties", [False, True])
def test_scipy(ties):
    rng = np.random.default_rng(4)
    for n, k in [(3, 3), (10, 4), (40, 6)]:
        table = rng.integers(0, 4, (n, k)) if ties else rng.random((n, k))
        expected = stats.friedmanchisquare(*table.T)
        test = friedman(table, pvalue_method="chi2")
        assert test.chi2_tie_corrected == pytest.approx(expected.statistic, rel=1e-12)
        assert test.pvalue_chi2_tie_corrected == pytest.approx(expected.pvalue, rel=1e-12)


def test_permutations_agree_with_the_exact_pvalue():
    table = graded(8, 4, 0.12)
    exact = friedman(table)
    random = friedman(table, pvalue_method="permutation", n_resamples=20_000, rng=5)
    error = math.sqrt(exact.pvalue * (1 - exact.pvalue) / 20_000)
    assert abs(random.pvalue - exact.pvalue) < 4 * error
    again = friedman(table, pvalue_method="permutation", n_resamples=20_000, rng=random.key)
    assert again.pvalue == random.pvalue
    assert exact.key is None
    assert exact.n_resamples is None


def test_beyond_the_budget_it_takes_permutations_and_says_so():
    table = graded(30, 8, 0.01)
    test = friedman(table, n_resamples=499, rng=1)
    assert test.pvalue_method == "permutation"
    assert test.n_resamples == 499
    assert (test.pvalue * 500) == pytest.approx(round(test.pvalue * 500))
    apart = friedman(graded(30, 8, 0.5), n_resamples=499, rng=1)
    assert apart.pvalue == 1 / 500  # the data themselves counted in, once
    assert math.isnan(test.critical_value)
    with pytest.raises(ValueError, match="'exact' needs more than 2,000,000 arrangements"):
        friedman(table, pvalue_method="exact")


@pytest.mark.parametrize("table", [graded(6, 4, 0.1), np.round(graded(7, 4, 0.1), 1)])
def test_small_chunks_change_nothing(table, monkeypatch):
    from fastmetrics.comparison import friedman as module

    centred = (2 * stats.rankdata(table, axis=1) - 5).astype(np.int64)
    observed = permutation_pvalue(centred, 300, np.array([1, 2], np.uint64))
    monkeypatch.setattr(module, "_DRAWN", 30 * centred.size)
    assert permutation_pvalue(centred, 300, np.array([1, 2], np.uint64)) == observed


def test_many_columns_of_few_winners_need_long_codes():
    k, n = 40, 3
    ranks = np.full((n, k), (2 + k) / 2)
    ranks[:, 0] = 1
    with pytest.warns(DegenerateDataWarning, match="alike"):
        test = friedman_test(ranks=ranks)
    assert test.pvalue == pytest.approx(1 / k**2, rel=1e-13)


def test_arrangements():
    row = np.array([-2, -2, 1, 3])
    actual = arrangements(tuple(row.tolist()), {})
    assert len(actual) == arrangement_count(row) == 12
    assert len({tuple(each) for each in actual.tolist()}) == 12
    assert (np.sort(actual, axis=1) == row).all()
    assert sum_of_squares(np.array([[1, -1], [3, -3]])) == 32


def test_all_tied():
    with pytest.warns(DegenerateDataWarning, match="tie on every data set"):
        test = friedman(np.ones((4, 3)))
    assert (test.statistic, test.pvalue, test.f, test.pvalue_f) == (0.0, 1.0, 0.0, 1.0)
    assert (test.chi2_tie_corrected, test.effect_size) == (0.0, 0.0)
    assert not test.reject
    assert test.better is None


def test_all_alike():
    with pytest.warns(DegenerateDataWarning, match="all 4 data sets rank the algorithms alike"):
        test = friedman([[1, 2, 3]] * 4)
    assert test.chi2 == 8.0
    assert (test.f, test.pvalue_f) == (math.inf, 0.0)
    assert test.effect_size == 1.0
    assert test.pvalue == pytest.approx(1 / 216)
    assert test.better == "2"


def test_a_single_data_set():
    test = friedman([[1, 2, 3]])
    assert (test.pvalue, test.pvalue_method) == (1.0, "exact")
    assert math.isnan(test.f)
    with pytest.warns(UndefinedMetricWarning, match="F is not defined on a single data set"):
        test = friedman([[1, 2, 3]], pvalue_method="f")
    assert math.isnan(test.pvalue)
    assert not test.reject


@pytest.mark.parametrize(("wins", "losses"), [(9, 2), (45, 75), (300, 310)])
def test_two_algorithms_are_the_sign_test(wins, losses):
    test = friedman([[1, 2]] * wins + [[2, 1]] * losses, pvalue_method="exact")
    assert test.pvalue == pytest.approx(stats.binomtest(wins, wins + losses).pvalue, rel=1e-12)


@pytest.mark.parametrize(("n", "k"), [(2, 11), (3, 8), (30, 5)])
def test_ties_beyond_the_budget(n, k):
    """Where the exact distribution is given up for rows with ties."""
    table = np.random.default_rng(0).integers(0, 4, (n, k))
    if k > 5:
        table = np.tile(np.arange(k), (n, 1))
        table[1:, 0] = 1
    centred = (2 * stats.rankdata(table, axis=1) - (k + 1)).astype(np.int64)
    assert exact_distribution(centred) is None


def test_no_statistic_can_reject_on_two_data_sets():
    assert friedman([[1, 2], [2, 1]]).critical_value == math.inf


def test_displays():
    test = friedman_test(ranks=TEXTBOOK)
    assert "exact p-value: chi2(2)=7.125" in repr(test)
    assert "7.125" in test._repr_html_()
    assert test.to_dict()["mean_ranks"] == [1.0, 2.125, 2.875]


#: Quantiles over sqrt(2) for k = 2 ... 20, from the range of normals (published to 3 decimals).
QUANTILES = {
    0.05: "1.96 2.3437 2.569 2.7278 2.8497 2.9483 3.0309 3.1017 3.1637 3.2187 3.268 3.3127 3.3536 "
    "3.3912 3.426 3.4584 3.4887 3.5171 3.5438",
    0.10: "1.6449 2.0523 2.2913 2.4595 2.5885 2.6927 2.7799 2.8546 2.9199 2.9778 3.0297 3.0767 "
    "3.1197 3.1592 3.1957 3.2297 3.2615 3.2912 3.3192",
    0.01: "2.5758 2.9135 3.1133 3.2547 3.3637 3.4522 3.5265 3.5903 3.6463 3.696 3.7407 3.7813 "
    "3.8185 3.8527 3.8843 3.9138 3.9414 3.9674 3.9918",
}
#: scikit-posthocs 0.17.1, posthoc_nemenyi_friedman, on Demsar's ranks: the pairs in order.
POSTHOCS_DEMSAR = [
    0.08867270928888271,
    0.9561771752218107,
    0.07418479506874454,
    0.2592280701547286,
    0.999859449385133,
    0.22669688602641525,
]


def test_the_textbook_table_hoc():
    test = nemenyi_test(ranks=TEXTBOOK, names="A B C".split())
    assert test.critical_value == pytest.approx(2.343700586378409, rel=1e-12)
    assert test.critical_difference == pytest.approx(1.657246577699061, rel=1e-12)
    assert test["A", "B"].pvalue == pytest.approx(0.24949299075360054, rel=1e-9)
    assert test["C", "B"].pvalue == pytest.approx(0.5385951554164297, rel=1e-9)
    assert test["A", "C"].pvalue == pytest.approx(0.02183714820904159, rel=1e-9)
    assert [pair.reject for pair in test] == [False, True, False]
    assert test.groups == (("A", "B"), ("B", "C"))
    assert len(test) == 3
    test = nemenyi_test(ranks=TEXTBOOK, confidence_level=0.9)
    assert test.critical_difference == pytest.approx(1.4511901067141257, rel=1e-12)


@pytest.mark.parametrize("alpha", QUANTILES)
def test_quantiles(alpha):
    actual = [nemenyi_quantile(k, alpha) for k in range(2, 21)]
    np.testing.assert_allclose(actual, [float(q) for q in QUANTILES[alpha].split()], atol=6e-5)


@pytest.mark.parametrize(("k", "q"), [(50, 3.9923432900094076), (100, 4.302488463597363)])
def test_quantiles_beyond_any_table(k, q):
    assert nemenyi_quantile(k, 0.05) == pytest.approx(q, rel=1e-10)


@pytest.mark.parametrize(("k", "alpha"), [(2, 1e-6), (3, 0.3), (20, 0.05), (100, 0.999)])
def test_quantiles_against_the_range_of_normals(k, alpha):
    q = nemenyi_quantile(k, alpha) * math.sqrt(2)
    assert oracle.range_tail(q, k) == pytest.approx(alpha, rel=1e-6)


def test_demsar_2006_hoc():
    test = nemenyi_test(ranks=DEMSAR, names=DEMSAR_NAMES)
    assert round(test.critical_difference, 2) == 1.25
    assert test.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    tenth = nemenyi_test(ranks=DEMSAR, names=DEMSAR_NAMES, confidence_level=0.9)
    assert round(tenth.critical_difference, 2) == 1.12
    # "C4.5 performs significantly worse than C4.5+m and C4.5+m+cf"
    assert tenth["C4.5", "C4.5+m"].better == "C4.5+m"
    assert {frozenset((p.model_a, p.model_b)) for p in tenth if p.reject} == {
        frozenset(("C4.5", "C4.5+m")),
        frozenset(("C4.5", "C4.5+m+cf")),
    }


def test_scikit_posthocs():
    actual = [pair.pvalue for pair in nemenyi_test(ranks=DEMSAR)]
    np.testing.assert_allclose(actual, POSTHOCS_DEMSAR, rtol=1e-9)


def bonferroni_dunn(scores, **options):
    """Return Bonferroni and Dunn's test of a table, ranks being scores of which less is better."""
    options = {"higher_is_better": False, "pvalue_method": "f", **options}
    return compare_table(scores, post_hoc="bonferroni-dunn", **options).post_hoc


def test_demsar_2006_against_a_control():
    test = bonferroni_dunn(DEMSAR, names=DEMSAR_NAMES, control="C4.5")
    # The paper rounds q to 2.394 and prints 1.16; it is 1.1681.
    assert test.critical_difference == pytest.approx(1.16, abs=0.01)
    assert test.critical_value == pytest.approx(2.394, abs=5e-4)
    assert not test["C4.5+m", "C4.5"].reject  # 1.14 is just below
    assert test["C4.5+m+cf", "C4.5"].reject  # 1.18
    assert test.groups == (("C4.5+m", "C4.5+cf", "C4.5"),)
    assert len(test) == 3


@pytest.mark.parametrize(
    ("k", "published"),
    # Demsar (2006), table 5 (b). Its 2.724 of k = 9 is a slip: the quantile at .05/16 is 2.7344.
    list(enumerate([1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.724, 2.773], 2)),
)
def test_quantiles_of_bonferroni_dunn(k, published):
    test = bonferroni_dunn(graded(4, k, 0.1), higher_is_better=True, control="0")
    assert test.critical_value == pytest.approx(stats.norm.isf(0.05 / (2 * (k - 1))), rel=1e-12)
    assert test.critical_value == pytest.approx(2.7344 if k == 9 else published, abs=6e-4)


def test_bonferroni_dunn_pvalues():
    test = bonferroni_dunn(graded(10, 4, 0.15), higher_is_better=True, control="1")
    means = np.array(test.mean_ranks)
    z = (means - means[1]) / math.sqrt(4 * 5 / 60)
    expected = np.minimum(1, 3 * 2 * stats.norm.sf(np.abs(z)))
    for pair in test:
        assert pair.pvalue == pytest.approx(expected[int(pair.model_a)], rel=1e-10)
        assert pair.statistic == pytest.approx(z[int(pair.model_a)])
        assert pair.reject == (pair.pvalue <= 0.05)


def test_a_pvalue_is_at_most_alpha_where_the_difference_is_critical():
    for seed in range(10):
        test = nemenyi_test(graded(9, 6, 0.1, seed), higher_is_better=True)
        for pair in test:
            assert pair.reject == (pair.pvalue <= 0.05)
            assert pair.reject == (abs(pair.difference) >= test.critical_difference)
            assert 0 <= pair.pvalue <= 1


def test_far_apart_and_equal():
    test = nemenyi_test(ranks=[[1, 2.5, 2.5, 4]] * 400)
    assert test["1", "2"].pvalue == 1.0
    assert test["1", "2"].better is None
    assert 0 <= test["0", "3"].pvalue < 1e-12
    assert test.groups == (("0",), ("1", "2"), ("3",))


def test_wilcoxon_with_holm():
    table = graded(12, 4, 0.25, seed=2)
    test = compare(table, post_hoc="wilcoxon-holm").post_hoc
    pairs = list(itertools.combinations(range(4), 2))
    raw = [stats.wilcoxon(table[:, a], table[:, b]).pvalue for a, b in pairs]
    np.testing.assert_allclose(
        [pair.pvalue for pair in test], adjusted_by_statsmodels(raw, "holm"), rtol=1e-9
    )
    assert [pair.reject for pair in test] == [pair.pvalue <= 0.05 for pair in test]
    assert math.isnan(test.critical_difference)
    against = compare(table, post_hoc="wilcoxon-holm", control="3").post_hoc
    raw = [stats.wilcoxon(table[:, a], table[:, 3]).pvalue for a in range(3)]
    np.testing.assert_allclose(
        [pair.pvalue for pair in against], adjusted_by_statsmodels(raw, "holm"), rtol=1e-9
    )


@pytest.mark.parametrize("higher", [True, False])
def test_wilcoxon_names_the_better_one_by_its_own_ranks(higher):
    # "0" wins five times of eight, but by little: the mean ranks favour it, the sums do not.
    lead = [0.01, 0.02, 0.03, 0.04, 0.05, -0.5, -0.6, -0.7]
    table = np.column_stack([lead, np.zeros(8)]) * (1 if higher else -1)
    whole = compare_table(table, higher_is_better=higher, post_hoc="wilcoxon-holm")
    assert whole.friedman.better == "0"
    assert whole.post_hoc["0", "1"].better == "1"
    table = np.array([[1.0, 2.0], [2.0, 1.0]])
    tied = compare_table(table, higher_is_better=higher, post_hoc="wilcoxon-holm")
    assert tied.post_hoc["0", "1"].better is None


@given(
    ranks=st.lists(st.integers(2, 12).map(lambda twice: twice / 2), min_size=1, max_size=7),
    data=st.data(),
)
def test_groups_are_the_largest_runs(ranks, data):
    k = len(ranks)
    differs = np.zeros((k, k), bool)
    for a, b in itertools.combinations(range(k), 2):
        differs[a, b] = differs[b, a] = data.draw(st.booleans())
    actual = groups_on_rank_line(ranks, differs)
    assert {frozenset(group) for group in actual} == oracle.largest_groups(ranks, differs)
    assert set().union(*actual) == set(range(k))


def test_displays_hoc():
    test = bonferroni_dunn(TEXTBOOK, names=["<A>", "B", "C"], control="<A>")
    assert repr(test).startswith("PostHocTest(Bonferroni-Dunn against <A> at 0.05: critical diff")
    assert "&lt;A&gt;" in test._repr_html_()
    assert "<A>" not in test._repr_html_()
    assert test.to_dict()["pairs"][0]["model_a"] == "B"


ALTERNATIVES = ("two-sided", "less", "greater")
ZEROS = ("wilcox", "pratt", "zsplit")

# Hollander & Wolfe (1973), depression before and after; R: wilcox.test(x, y, paired = TRUE,
# alternative = "greater") gives V = 40, p = 0.01953.
DEPRESSION_X = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
DEPRESSION_Y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]


def test_the_example_of_hollander_and_wolfe():
    test = wilcoxon(DEPRESSION_X, DEPRESSION_Y, alternative="greater")
    assert (test.statistic, round(test.pvalue, 5)) == (40, 0.01953)
    assert test.details["w_minus"] == 5
    assert test.details["rank_biserial"] == pytest.approx(35 / 45)


def test_demsars_example():
    """C4.5 and C4.5+m on 14 data sets (Demsar 2006, table 2): R+ 93, R- 12, p < .05; two zeros."""
    plain = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000, 0.940, 0.619]
    tuned = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000, 0.962, 0.666]
    plain = [*plain, 0.972, 0.957]
    tuned = [*tuned, 0.981, 0.978]
    test = wilcoxon_signed_rank_test(
        tuned, plain, zero_method="zsplit", higher_is_better=True, names=("C4.5+m", "C4.5")
    )
    assert (test.details["w_plus"], test.details["w_minus"]) == (93, 12)
    assert test.reject
    assert test.better == "C4.5+m"


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=9),
    st.sampled_from([1, 10, 100]),
    st.sampled_from(ZEROS),
    st.sampled_from(ALTERNATIVES),
)
def test_every_choice_of_signs(values, divisor, zero_method, alternative):
    if not any(values):
        return
    exact = [Fraction(v) for v in values]
    plus, minus, pvalue = paired_tests_oracle.wilcoxon(exact, zero_method, alternative)
    test = wilcoxon(np.array(values) / divisor, zero_method=zero_method, alternative=alternative)
    assert (test.details["w_plus"], test.details["w_minus"]) == (plus, minus)
    assert test.statistic == (min(plus, minus) if alternative == "two-sided" else plus)
    assert test.pvalue == pytest.approx(float(pvalue), rel=1e-12)
    assert test.details["rank_biserial"] == pytest.approx(float((plus - minus) / (plus + minus)))
    median = np.median([float(w) for w in paired_tests_oracle.walsh_averages(exact)]) / divisor
    assert test.effect_size == pytest.approx(median, abs=1e-12)


def test_differences_that_tie_but_for_rounding():
    a, b = [0.3, 0.4, 0.7, 0.8], [0.2, 0.5, 0.6, 0.7]
    test = wilcoxon(a, b)
    assert (test.details["w_plus"], test.details["w_minus"]) == (7.5, 2.5)


def test_small_differences_count_beside_huge_ones():
    test = wilcoxon([1e20, 1e-20, -2.0, 3.0])
    assert (test.details["w_plus"], test.details["w_minus"]) == (8, 2)
    paired = wilcoxon([1e20, 1e-20, 0.3], [0.0, 0.0, 0.1 + 0.2])
    assert (paired.details["w_plus"], paired.details["n_zero"]) == (3, 1)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [3, 20, 50, 51, 200])
def test_exact_is_scipys_without_ties(n, alternative, rng):
    values = rng.normal(0.2, 1, n)
    peer = stats.wilcoxon(values, alternative=alternative, method="exact")
    test = wilcoxon(values, alternative=alternative)
    assert (test.statistic, test.pvalue) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-9)


@pytest.mark.parametrize("zero_method", ["wilcox", "pratt"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("correction", [True, False])
def test_normal_is_scipys_with_ties_and_zeros(zero_method, alternative, correction, rng):
    values = rng.integers(-6, 9, 120)
    options = {"zero_method": zero_method, "alternative": alternative}
    peer = stats.wilcoxon(values, method="asymptotic", correction=correction, **options)
    test = wilcoxon(values, method="normal", continuity_correction=correction, **options)
    assert test.statistic == peer.statistic
    assert test.pvalue == pytest.approx(peer.pvalue, rel=1e-9)
    assert abs(test.details["z"]) == pytest.approx(abs(peer.zstatistic))


def test_scipys_normal_p_counts_the_zeros_it_splits_as_if_they_had_signs(rng):
    """Half of a zero's rank goes to either sum for sure: it adds nothing to the variance."""
    values = np.concatenate((np.zeros(12), rng.integers(1, 6, 6) * np.array([1, 1, 1, 1, -1, 1])))
    options = {"zero_method": "zsplit"}
    peer = stats.wilcoxon(values, method="asymptotic", **options)
    test = wilcoxon(values, method="normal", continuity_correction=False, **options)
    ranks = [
        rank for rank, sign in paired_tests_oracle.signed_ranks(values.tolist(), "zsplit") if sign
    ]
    null = [
        sum(r for s, r in zip(signs, ranks, strict=True) if s > 0)
        for signs in paired_tests_oracle.sign_choices(len(ranks))
    ]
    deviation = np.std([float(one) for one in null])
    above = (test.details["w_plus"] - test.details["w_minus"]) / 2
    assert test.details["z"] == pytest.approx(above / deviation)
    assert abs(peer.zstatistic) < 0.95 * abs(test.details["z"])


def test_scipys_exact_p_ignores_ties():
    """Asked for "exact", scipy takes the ranks as 1 ... n; all signs say what is exact."""
    values = [1, 2, 2, 2, 3, -2]
    *_, pvalue = paired_tests_oracle.wilcoxon([Fraction(v) for v in values], "wilcox", "two-sided")
    assert wilcoxon(values).pvalue == pytest.approx(float(pvalue))
    assert stats.wilcoxon(values, method="exact").pvalue != pytest.approx(float(pvalue))


def test_exact_and_normal_agree_for_many(rng):
    values = np.round(rng.normal(0.08, 1, 700), 1)
    exact = wilcoxon(values, method="exact")
    normal = wilcoxon(values)
    assert normal.method.endswith("normal")
    assert exact.pvalue == pytest.approx(normal.pvalue, rel=0.02)


@pytest.mark.parametrize("zero_method", ZEROS)
@pytest.mark.parametrize("method", ["auto", "exact", "normal"])
def test_models_that_do_not_differ(method, zero_method):
    with pytest.warns(DegenerateDataWarning, match="W is 0 and p is 1"):
        test = wilcoxon([0.2] * 6, [0.2] * 6, method=method, zero_method=zero_method)
    assert (test.statistic, test.pvalue, test.reject, test.better) == (0, 1, False, None)
    assert (test.effect_size, test.details["rank_biserial"]) == (0, 0)


def test_one_difference():
    test = wilcoxon([0.2])
    assert (test.pvalue, test.effect_size) == (1, 0.2)
    assert (test.confidence_interval.low, test.confidence_interval.high) == (-math.inf, math.inf)


def test_a_hundred_thousand_differences(rng):
    test = wilcoxon(rng.normal(0.01, 1, 100_000))
    assert test.confidence_interval.low < 0.01 < test.confidence_interval.high


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [6, 9, 25])
def test_the_interval_holds_what_the_test_does_not_reject(n, alternative, rng):
    values = rng.normal(0.5, 1, n)
    test = wilcoxon(values, alternative=alternative)
    low, high = test.confidence_interval.low, test.confidence_interval.high
    for limit, inwards in ((low, 1), (high, -1)):
        if math.isinf(limit):
            continue
        for step, rejected in ((inwards * 1e-9, False), (-inwards * 1e-9, True)):
            assert wilcoxon(values - limit - step, alternative=alternative).reject == rejected
    assert (low == -math.inf) == (alternative == "less")
    assert (high == math.inf) == (alternative == "greater")


def test_the_interval_of_r():
    """R: wilcox.test(x, y, paired = TRUE, conf.int = TRUE) inverts the same distribution."""
    test = wilcoxon(DEPRESSION_X, DEPRESSION_Y)
    averages = [
        float(w)
        for w in paired_tests_oracle.walsh_averages(
            [
                a - b
                for a, b in zip(
                    paired_tests_oracle.fractions(DEPRESSION_X),
                    paired_tests_oracle.fractions(DEPRESSION_Y),
                    strict=True,
                )
            ]
        )
    ]
    # P(W <= 5) = 10 / 512 and P(W <= 6) = 14 / 512: the sixth from either end
    assert test.confidence_interval.low == pytest.approx(averages[5])
    assert test.confidence_interval.high == pytest.approx(averages[-6])
    assert test.effect_size == pytest.approx(0.46, abs=5e-4)


def test_few_differences_have_no_limits_at_a_high_level():
    test = wilcoxon([1, 2, 3, 4, 5])
    assert (test.confidence_interval.low, test.confidence_interval.high) == (-math.inf, math.inf)
    test = wilcoxon([1, 2, 3, 4, 5], confidence_level=0.9)
    assert (test.confidence_interval.low, test.confidence_interval.high) == (1, 5)


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=30), st.sampled_from(ZEROS))
def test_swapping_the_models(values, zero_method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        test = wilcoxon(values, zero_method=zero_method)
        swapped = wilcoxon([0] * len(values), values, zero_method=zero_method)
    assert swapped.pvalue == pytest.approx(test.pvalue, rel=1e-12)
    assert swapped.effect_size == -test.effect_size
    interval = test.confidence_interval
    other = swapped.confidence_interval
    assert (other.low, other.high) == (-interval.high, -interval.low)


@pytest.mark.parametrize("size", [1e308, -1e308, 1.7e308])
def test_the_largest_numbers(size):
    """Twice one of them is none."""
    options = {"higher_is_better": True, "confidence_level": 0.1}
    same = wilcoxon_signed_rank_test([size] * 5, **options)
    assert same.effect_size == size
    assert (same.confidence_interval.low, same.confidence_interval.high) == (size, size)
    values = np.array([1.0, -0.5, 0.25, 0.75, 1.0, 0.3])
    usual = wilcoxon_signed_rank_test(values, **options)
    large = wilcoxon_signed_rank_test(values * size, **options)
    assert large.effect_size == pytest.approx(usual.effect_size * size)
    assert large.pvalue == usual.pvalue
