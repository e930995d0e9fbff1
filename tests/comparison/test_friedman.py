"""Friedman's test: published figures, scipy, exact enumeration, and every degenerate case."""

import contextlib
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from rank_samples import DEMSAR, TEXTBOOK, graded
from scipy import stats

import fastmetrics as fm
from fastmetrics.comparison.friedman import (
    arrangement_count,
    arrangements,
    exact_distribution,
    permutation_pvalue,
    sum_of_squares,
)
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from reference import rank_oracle as oracle


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
    test = fm.comparison.friedman_test(ranks=TEXTBOOK, names="A B C".split())
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
    f = fm.comparison.friedman_test(ranks=TEXTBOOK, pvalue_method="f")
    assert f.critical_value == pytest.approx(5.143252849784718, rel=1e-12)
    assert f.df == (2.0, 6.0)
    f = fm.comparison.friedman_test(ranks=TEXTBOOK, pvalue_method="f", confidence_level=0.9)
    assert f.critical_value == pytest.approx(3.4633040700956514, rel=1e-12)


def test_demsar_2006():
    test = fm.comparison.friedman_test(ranks=DEMSAR, pvalue_method="f")
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
        plain, corrected = oracle.chi_square(ranks), oracle.tie_corrected(ranks)
        with degenerate_allowed():
            test = fm.comparison.friedman_test(table, higher_is_better=True, pvalue_method="f")
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
        test = fm.comparison.friedman_test(table, higher_is_better=False)
    assert test.pvalue == pytest.approx(float(oracle.exact_pvalue(ranks)), rel=1e-13)
    assert test.pvalue_method == "exact"


@pytest.mark.parametrize(("n", "k"), [(5, 3), (2, 5), (4, 3)])
def test_exact_pvalue_without_ties(n, k):
    table = graded(n, k, 0.1).tolist()
    ranks = [oracle.ranks_of(row, higher_is_better=True) for row in table]
    test = fm.comparison.friedman_test(table, higher_is_better=True)
    assert test.pvalue == pytest.approx(float(oracle.exact_pvalue(ranks)), rel=1e-13)


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
    centred = np.tile(2 * np.arange(1, k + 1) - (k + 1), (n, 1))
    values, tails = exact_distribution(centred)
    chi2 = 3 * values / (n * k * (k + 1))
    place = int(np.argmin(np.abs(chi2 - statistic)))
    assert chi2[place] == pytest.approx(statistic)
    assert round(tails[place], 3) == tail


def test_the_critical_value_of_the_exact_test_is_the_first_that_rejects():
    test = fm.comparison.friedman_test(graded(6, 3, 0.0, seed=3), higher_is_better=True)
    centred = np.tile([-2, 0, 2], (6, 1))
    values, tails = exact_distribution(centred)
    chi2 = 3 * values / (6 * 3 * 4)
    rejected = chi2 >= test.critical_value
    assert (tails[rejected] <= 0.05).all()
    assert (tails[~rejected] > 0.05).all()
    assert rejected.any()


@pytest.mark.parametrize("ties", [False, True])
def test_scipy(ties):
    rng = np.random.default_rng(4)
    for n, k in [(3, 3), (10, 4), (40, 6)]:
        table = rng.integers(0, 4, (n, k)) if ties else rng.random((n, k))
        expected = stats.friedmanchisquare(*table.T)
        test = fm.comparison.friedman_test(table, higher_is_better=True, pvalue_method="chi2")
        assert test.chi2_tie_corrected == pytest.approx(expected.statistic, rel=1e-12)
        assert test.pvalue_chi2_tie_corrected == pytest.approx(expected.pvalue, rel=1e-12)


def test_permutations_agree_with_the_exact_pvalue():
    table = graded(8, 4, 0.12)
    exact = fm.comparison.friedman_test(table, higher_is_better=True)
    random = fm.comparison.friedman_test(
        table, higher_is_better=True, pvalue_method="permutation", n_resamples=20_000, rng=5
    )
    error = math.sqrt(exact.pvalue * (1 - exact.pvalue) / 20_000)
    assert abs(random.pvalue - exact.pvalue) < 4 * error
    again = fm.comparison.friedman_test(
        table,
        higher_is_better=True,
        pvalue_method="permutation",
        n_resamples=20_000,
        rng=random.key,
    )
    assert again.pvalue == random.pvalue
    assert exact.key is None
    assert exact.n_resamples is None


def test_beyond_the_budget_it_takes_permutations_and_says_so():
    table = graded(30, 8, 0.01)
    test = fm.comparison.friedman_test(table, higher_is_better=True, n_resamples=499, rng=1)
    assert test.pvalue_method == "permutation"
    assert test.n_resamples == 499
    assert (test.pvalue * 500) == pytest.approx(round(test.pvalue * 500))
    assert math.isnan(test.critical_value)
    with pytest.raises(ValueError, match="'exact' needs more than 2,000,000 arrangements"):
        fm.comparison.friedman_test(table, higher_is_better=True, pvalue_method="exact")


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
        test = fm.comparison.friedman_test(ranks=ranks)
    assert test.pvalue == pytest.approx(1 / k**2, rel=1e-13)


def test_arrangements():
    row = np.array([-2, -2, 1, 3])
    found = arrangements(tuple(row.tolist()), {})
    assert len(found) == arrangement_count(row) == 12
    assert len({tuple(each) for each in found.tolist()}) == 12
    assert (np.sort(found, axis=1) == row).all()
    assert sum_of_squares(np.array([[1, -1], [3, -3]])) == 32


def test_all_tied():
    with pytest.warns(DegenerateDataWarning, match="tie on every data set"):
        test = fm.comparison.friedman_test(np.ones((4, 3)), higher_is_better=True)
    assert (test.statistic, test.pvalue, test.f, test.pvalue_f) == (0.0, 1.0, 0.0, 1.0)
    assert (test.chi2_tie_corrected, test.effect_size) == (0.0, 0.0)
    assert not test.reject
    assert test.better is None


def test_all_alike():
    with pytest.warns(DegenerateDataWarning, match="all 4 data sets rank the algorithms alike"):
        test = fm.comparison.friedman_test([[1, 2, 3]] * 4, higher_is_better=True)
    assert test.chi2 == 8.0
    assert (test.f, test.pvalue_f) == (math.inf, 0.0)
    assert test.effect_size == 1.0
    assert test.pvalue == pytest.approx(1 / 216)
    assert test.better == "2"


def test_a_single_data_set():
    test = fm.comparison.friedman_test([[1, 2, 3]], higher_is_better=True)
    assert (test.pvalue, test.pvalue_method) == (1.0, "exact")
    assert math.isnan(test.f)
    with pytest.warns(UndefinedMetricWarning, match="F is not defined on a single data set"):
        test = fm.comparison.friedman_test([[1, 2, 3]], higher_is_better=True, pvalue_method="f")
    assert math.isnan(test.pvalue)
    assert not test.reject


@pytest.mark.parametrize(("wins", "losses"), [(9, 2), (45, 75), (300, 310)])
def test_two_algorithms_are_the_sign_test(wins, losses):
    table = [[1, 2]] * wins + [[2, 1]] * losses
    test = fm.comparison.friedman_test(table, higher_is_better=True, pvalue_method="exact")
    expected = stats.binomtest(wins, wins + losses).pvalue
    assert test.pvalue == pytest.approx(expected, rel=1e-12)


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
    test = fm.comparison.friedman_test([[1, 2], [2, 1]], higher_is_better=True)
    assert test.critical_value == math.inf


def test_integers_beyond_the_floats_do_not_tie():
    table = np.array([[2**60, 2**60 + 1, 2**60 + 2]] * 3)
    with pytest.warns(DegenerateDataWarning, match="alike"):
        test = fm.comparison.friedman_test(table, higher_is_better=True)
    assert test.mean_ranks == (3.0, 2.0, 1.0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, TypeError, "pass either `scores` or `ranks`: got neither"),
        ({"scores": [[1, 2]], "ranks": [[1, 2]]}, TypeError, "got both"),
        ({"ranks": [[1, 2]], "higher_is_better": True}, TypeError, "is about scores"),
        ({"ranks": [[1, 3]]}, ValueError, "row 0 is .1, 3."),
        ({"ranks": [[1.5, 1.5], [1, 1]]}, ValueError, "row 1 is .1.0, 1.0."),
        ({"ranks": [[1], [1]]}, ValueError, "2 or more algorithms: got 1"),
        ({"scores": [[1], [2]], "higher_is_better": True}, ValueError, "2 or more algorithms"),
        ({"ranks": [[1, 2]], "names": ["a", "a"]}, ValueError, "2 algorithms 'a'"),
        ({"scores": {}, "higher_is_better": True}, ValueError, "2 or more algorithms: got 0"),
    ],
)
def test_faults(arguments, error, message):
    with pytest.raises(error, match=message):
        fm.comparison.friedman_test(**arguments)


def test_displays():
    test = fm.comparison.friedman_test(ranks=TEXTBOOK)
    assert "exact p-value: chi2(2)=7.125" in repr(test)
    assert "7.125" in test._repr_html_()
    assert test.to_dict()["mean_ranks"] == [1.0, 2.125, 2.875]
