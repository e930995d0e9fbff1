"""Nemenyi, Bonferroni-Dunn, Wilcoxon with Holm: published figures, peers, groups."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from rank_samples import DEMSAR, DEMSAR_NAMES, TEXTBOOK, graded
from scipy import stats

import fastmetrics as fm
from fastmetrics.comparison.friedman import rank_table
from fastmetrics.comparison.post_hoc import groups_on_rank_line, nemenyi_quantile, wilcoxon_holm_of
from peers import adjusted_by_statsmodels
from reference import rank_oracle as oracle

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


def test_the_textbook_table():
    test = fm.comparison.nemenyi_test(ranks=TEXTBOOK, names="A B C".split())
    assert test.critical_value == pytest.approx(2.343700586378409, rel=1e-12)
    assert test.critical_difference == pytest.approx(1.657246577699061, rel=1e-12)
    assert test["A", "B"].pvalue == pytest.approx(0.24949299075360054, rel=1e-9)
    assert test["C", "B"].pvalue == pytest.approx(0.5385951554164297, rel=1e-9)
    assert test["A", "C"].pvalue == pytest.approx(0.02183714820904159, rel=1e-9)
    assert [pair.reject for pair in test] == [False, True, False]
    assert test.groups == (("A", "B"), ("B", "C"))
    assert len(test) == 3
    test = fm.comparison.nemenyi_test(ranks=TEXTBOOK, confidence_level=0.9)
    assert test.critical_difference == pytest.approx(1.4511901067141257, rel=1e-12)


@pytest.mark.parametrize("alpha", QUANTILES)
def test_quantiles(alpha):
    found = [nemenyi_quantile(k, alpha) for k in range(2, 21)]
    np.testing.assert_allclose(found, [float(q) for q in QUANTILES[alpha].split()], atol=6e-5)


@pytest.mark.parametrize(("k", "q"), [(50, 3.9923432900094076), (100, 4.302488463597363)])
def test_quantiles_beyond_any_table(k, q):
    assert nemenyi_quantile(k, 0.05) == pytest.approx(q, rel=1e-10)


@pytest.mark.parametrize(("k", "alpha"), [(2, 1e-6), (3, 0.3), (20, 0.05), (100, 0.999)])
def test_quantiles_against_the_range_of_normals(k, alpha):
    q = nemenyi_quantile(k, alpha) * math.sqrt(2)
    assert oracle.range_tail(q, k) == pytest.approx(alpha, rel=1e-6)


def test_demsar_2006():
    test = fm.comparison.nemenyi_test(ranks=DEMSAR, names=DEMSAR_NAMES)
    assert round(test.critical_difference, 2) == 1.25
    assert test.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    tenth = fm.comparison.nemenyi_test(ranks=DEMSAR, names=DEMSAR_NAMES, confidence_level=0.9)
    assert round(tenth.critical_difference, 2) == 1.12
    # "C4.5 performs significantly worse than C4.5+m and C4.5+m+cf"
    assert tenth["C4.5", "C4.5+m"].better == "C4.5+m"
    assert {frozenset((p.model_a, p.model_b)) for p in tenth if p.reject} == {
        frozenset(("C4.5", "C4.5+m")),
        frozenset(("C4.5", "C4.5+m+cf")),
    }


def test_scikit_posthocs():
    found = [pair.pvalue for pair in fm.comparison.nemenyi_test(ranks=DEMSAR)]
    np.testing.assert_allclose(found, POSTHOCS_DEMSAR, rtol=1e-9)


def test_demsar_2006_against_a_control():
    test = fm.comparison.bonferroni_dunn_test(ranks=DEMSAR, names=DEMSAR_NAMES, control="C4.5")
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
    test = fm.comparison.bonferroni_dunn_test(graded(4, k, 0.1), higher_is_better=True, control="0")
    exact = stats.norm.isf(0.05 / (2 * (k - 1)))
    assert test.critical_value == pytest.approx(exact, rel=1e-12)
    assert test.critical_value == pytest.approx(2.7344 if k == 9 else published, abs=6e-4)


def test_bonferroni_dunn_pvalues():
    table = graded(10, 4, 0.15)
    test = fm.comparison.bonferroni_dunn_test(table, higher_is_better=True, control="1")
    means = np.array(test.mean_ranks)
    z = (means - means[1]) / math.sqrt(4 * 5 / 60)
    expected = np.minimum(1, 3 * 2 * stats.norm.sf(np.abs(z)))
    for pair in test:
        assert pair.pvalue == pytest.approx(expected[int(pair.model_a)], rel=1e-10)
        assert pair.statistic == pytest.approx(z[int(pair.model_a)])
        assert pair.reject == (pair.pvalue <= 0.05)


def test_a_pvalue_is_at_most_alpha_where_the_difference_is_critical():
    for seed in range(10):
        test = fm.comparison.nemenyi_test(graded(9, 6, 0.1, seed), higher_is_better=True)
        for pair in test:
            assert pair.reject == (pair.pvalue <= 0.05)
            assert pair.reject == (abs(pair.difference) >= test.critical_difference)
            assert 0 <= pair.pvalue <= 1


def test_far_apart_and_equal():
    ranks = [[1, 2.5, 2.5, 4]] * 400
    test = fm.comparison.nemenyi_test(ranks=ranks)
    assert test["1", "2"].pvalue == 1.0
    assert test["1", "2"].better is None
    assert 0 <= test["0", "3"].pvalue < 1e-12
    assert test.groups == (("0",), ("1", "2"), ("3",))


def test_wilcoxon_with_holm():
    table = graded(12, 4, 0.25, seed=2)
    test = fm.comparison.compare_table(
        table, higher_is_better=True, post_hoc="wilcoxon-holm"
    ).post_hoc
    pairs = list(itertools.combinations(range(4), 2))
    raw = [stats.wilcoxon(table[:, a], table[:, b]).pvalue for a, b in pairs]
    np.testing.assert_allclose(
        [pair.pvalue for pair in test], adjusted_by_statsmodels(raw, "holm"), rtol=1e-9
    )
    assert [pair.reject for pair in test] == [pair.pvalue <= 0.05 for pair in test]
    assert math.isnan(test.critical_difference)
    against = fm.comparison.compare_table(
        table, higher_is_better=True, post_hoc="wilcoxon-holm", control="3"
    ).post_hoc
    raw = [stats.wilcoxon(table[:, a], table[:, 3]).pvalue for a in range(3)]
    np.testing.assert_allclose(
        [pair.pvalue for pair in against], adjusted_by_statsmodels(raw, "holm"), rtol=1e-9
    )


@pytest.mark.parametrize("higher", [True, False])
def test_wilcoxon_names_the_better_one_by_its_own_ranks(higher):
    # "0" wins five times of eight, but by little: the mean ranks favour it, the sums do not.
    lead = [0.01, 0.02, 0.03, 0.04, 0.05, -0.5, -0.6, -0.7]
    table = np.column_stack([lead, np.zeros(8)]) * (1 if higher else -1)
    whole = fm.comparison.compare_table(table, higher_is_better=higher, post_hoc="wilcoxon-holm")
    assert whole.friedman.better == "0"
    assert whole.post_hoc["0", "1"].better == "1"
    table = np.array([[1.0, 2.0], [2.0, 1.0]])
    tied = fm.comparison.compare_table(table, higher_is_better=higher, post_hoc="wilcoxon-holm")
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
    found = groups_on_rank_line(ranks, differs)
    assert {frozenset(group) for group in found} == oracle.largest_groups(ranks, differs)
    assert set().union(*found) == set(range(k))


def test_wilcoxon_needs_scores():
    with pytest.raises(TypeError, match="ranks alone do not tell differences"):
        wilcoxon_holm_of(rank_table(None, TEXTBOOK, None, None), 0.05, None, True)


def test_faults():
    with pytest.raises(ValueError, match="`control` must be one of '0', '1'"):
        fm.comparison.bonferroni_dunn_test(ranks=[[1, 2]], control="2")
    with pytest.raises(KeyError, match=r"\('0', '9'\): the pairs are \('0', '1'\)"):
        fm.comparison.nemenyi_test(ranks=[[1, 2]])["0", "9"]


def test_displays():
    test = fm.comparison.bonferroni_dunn_test(
        ranks=TEXTBOOK, names=["<A>", "B", "C"], control="<A>"
    )
    assert repr(test).startswith("PostHocTest(Bonferroni-Dunn against <A> at 0.05: critical diff")
    assert "&lt;A&gt;" in test._repr_html_()
    assert "<A>" not in test._repr_html_()
    assert test.to_dict()["pairs"][0]["model_a"] == "B"
