"""Rules of all tests: the binomial test, p-values, decisions, equality and directions."""

import json
import math
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy
from hypothesis import given, strategies as st
from packaging.version import Version
from rank_samples import graded
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import engine_sizes
import fastmetrics as fm
from fastmetrics.comparison import (
    adjust_pvalues,
    binomial_test,
    compare_table,
    five_by_two_cv_test,
    friedman_test,
    kfold_paired_t_test,
    mcnemar_test,
    nemenyi_test,
    one_sample_t_test,
    proportion_interval,
    sign_flip_test,
    wilcoxon_signed_rank_test,
)
from peers import adjusted_by_statsmodels
from reference import paired_tests_oracle as oracle

FIGURES = json.loads(
    (Path(__file__).parents[1] / "reference" / "reference_values.json").read_text("utf-8")
)["binomial"]
ALTERNATIVES = ("greater", "less", "two-sided")


@pytest.mark.parametrize(("n", "rate", "alpha", "count"), FIGURES["cases_m_eps0_alpha_C"])
def test_published_critical_counts(n, rate, alpha, count):
    test = binomial_test(count, n, error_rate=rate, confidence_level=1 - alpha)
    assert test.critical_value == count
    assert not test.reject
    assert binomial_test(count + 1, n, error_rate=rate, confidence_level=1 - alpha).reject


def test_rejecting_at_the_critical_count_has_too_large_a_size():
    assert binomial_test(6, 10, error_rate=0.3).pvalue == pytest.approx(
        FIGURES["tail_10_0.3_C5"], rel=1e-12
    )
    assert round(binomial_test(5, 10, error_rate=0.3).pvalue, 3) == 0.150


def test_a_tail_of_exactly_alpha_does_not_reject():
    edge = FIGURES["strict_vs_qbinom_edge"]
    n = edge["m"]
    rate = edge["eps0"]
    alpha = edge["alpha"]
    test = binomial_test(1, n, error_rate=rate, confidence_level=1 - alpha)
    assert (test.critical_value, test.reject) == (edge["strict"], False)
    assert stats.binom.ppf(1 - alpha, n, rate) == edge["qbinom"]  # rejects more than 0 errors


def test_figures_of_scipy_and_r():
    doc = FIGURES["scipy_doc"]
    test = binomial_test(doc["k"], doc["n"], error_rate=doc["p0"])
    assert test.pvalue == pytest.approx(doc["greater_p"], rel=1e-12)
    assert test.confidence_interval.low == pytest.approx(doc["ci_low"], rel=1e-9)
    assert test.confidence_interval.high == 1
    r = FIGURES["R_binom_test_682_925_0.75"]
    test = binomial_test(682, 925, error_rate=0.75, alternative="two-sided")
    assert test.pvalue == pytest.approx(r["p"], rel=1e-9)
    actual = (test.confidence_interval.low, test.confidence_interval.high)
    assert actual == pytest.approx(r["ci"], rel=1e-7)


@given(
    st.integers(1, 25),
    st.data(),
    st.integers(0, 20).map(lambda i: Fraction(i, 20)),
    st.sampled_from(["0.01", "0.05", "0.1", "0.25"]),
    st.sampled_from(ALTERNATIVES),
)
def test_enumeration(n, data, rate, alpha, alternative):
    errors = data.draw(st.integers(0, n))
    test = binomial_test(
        errors,
        n,
        error_rate=float(rate),
        confidence_level=1 - float(alpha),
        alternative=alternative,
    )
    level = Fraction(alpha)
    pvalues = [oracle.binomial_pvalue(i, n, rate, alternative) for i in range(n + 1)]
    assert test.pvalue == pytest.approx(float(pvalues[errors]), rel=1e-9, abs=1e-300)
    assert test.reject == (pvalues[errors] < level)
    rejected = [i for i in range(n + 1) if pvalues[i] < level]
    if alternative == "greater":
        assert test.critical_value == oracle.critical_count(n, rate, level)
        assert rejected == [i for i in range(n + 1) if i > test.critical_value]
    elif alternative == "less":
        assert rejected == [i for i in range(n + 1) if i < test.critical_value]
    else:
        low, high = test.details["critical_low"], test.details["critical_high"]
        assert rejected == [i for i in range(n + 1) if not low <= i <= high]
        assert math.isnan(test.critical_value)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("errors", "n", "rate"), [(0, 7, 0.2), (7, 7, 0.9), (130, 1000, 0.1)])
def test_scipy(errors, n, rate, alternative):
    peer = stats.binomtest(errors, n, rate, alternative=alternative)
    test = binomial_test(errors, n, error_rate=rate, alternative=alternative)
    assert test.pvalue == pytest.approx(peer.pvalue, rel=1e-10)
    interval = peer.proportion_ci(0.95)
    actual = (test.confidence_interval.low, test.confidence_interval.high)
    assert actual == pytest.approx((interval.low, interval.high), rel=1e-9, abs=1e-12)
    assert test.effect_size == errors / n


@given(st.integers(1, 300_000), st.floats(0.001, 0.999), st.floats(-5, 5))
def test_two_sided_is_scipys(n, rate, deviations):
    errors = round(n * rate + deviations * math.sqrt(n * rate * (1 - rate)))
    errors = min(n, max(0, errors))
    peer = stats.binomtest(errors, n, rate)
    test = binomial_test(errors, n, error_rate=rate, alternative="two-sided")
    assert test.pvalue == pytest.approx(peer.pvalue, rel=1e-8)
    low, high = test.details["critical_low"], test.details["critical_high"]
    assert test.reject == (not low <= errors <= high)


def test_the_interval_is_the_one_of_proportion_interval_and_statsmodels():
    test = binomial_test(9, 60, error_rate=0.1, confidence_level=0.9, alternative="two-sided")
    ours = proportion_interval(9, 60, method="clopper-pearson", confidence_level=0.9)
    low, high = test.confidence_interval.low, test.confidence_interval.high
    assert (low, high) == (ours.confidence_interval.low, ours.confidence_interval.high)
    assert (low, high) == pytest.approx(proportion_confint(9, 60, 0.1, method="beta"), rel=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("rate", "expected"), [(0, 0), (1, 5)])
def test_error_rates_without_chance(rate, expected, alternative):
    for errors in range(6):
        test = binomial_test(errors, 5, error_rate=rate, alternative=alternative)
        pvalue = float(oracle.binomial_pvalue(errors, 5, Fraction(rate), alternative))
        assert test.pvalue == pvalue
        assert test.reject == (pvalue == 0)
    assert binomial_test(expected, 5, error_rate=rate, alternative=alternative).pvalue == 1


def test_millions_of_examples():
    test = binomial_test(10**5 + 600, 10**6, error_rate=0.1, alternative="two-sided")
    assert test.pvalue == pytest.approx(stats.binomtest(100_600, 10**6, 0.1).pvalue)
    count = binomial_test(10**5 + 600, 10**6, error_rate=0.1).critical_value
    assert stats.binom.sf(count, 10**6, 0.1) < 0.05 <= stats.binom.sf(count - 1, 10**6, 0.1)


def test_more_examples_than_32_bits_count():
    n = 2**33
    accuracy = 1e-9 if Version(scipy.__version__) >= Version("1.17") else 1e-6  # of betainc
    test = binomial_test(n // 2 + 60_000, n, error_rate=0.5)
    assert test.pvalue == pytest.approx(stats.binom.sf(n // 2 + 59_999, n, 0.5), rel=1e-9)
    assert stats.binom.sf(test.critical_value, n, 0.5) < 0.05
    both = binomial_test(n // 2 - 60_000, n, error_rate=0.5, alternative="two-sided")
    assert both.pvalue == pytest.approx(2 * test.pvalue, rel=accuracy)


PEERS = {
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "benjamini-hochberg": "fdr_bh",
    "bonferroni": "bonferroni",
}
PVALUES = st.lists(
    st.sampled_from([0.0, 1e-300, 0.001, 0.01, 0.03, 0.05, 0.2, 0.7, 1.0]), min_size=1
)


@pytest.mark.parametrize("method", PEERS)
@given(pvalues=PVALUES)
def test_statsmodels(method, pvalues):
    expected = adjusted_by_statsmodels(pvalues, PEERS[method])
    np.testing.assert_allclose(adjust_pvalues(pvalues, method=method), expected, rtol=1e-14)


@given(pvalues=PVALUES)
def test_order_of_the_methods(pvalues):
    actual = {method: adjust_pvalues(pvalues, method=method) for method in PEERS}
    assert (actual["benjamini-hochberg"] <= actual["hochberg"] + 1e-15).all()
    assert (actual["hochberg"] <= actual["holm"]).all()
    assert (actual["holm"] <= actual["bonferroni"]).all()
    assert all((values >= pvalues).all() and (values <= 1).all() for values in actual.values())


@pytest.mark.parametrize("method", PEERS)
def test_undefined_ones_are_not_counted(method):
    whole = adjust_pvalues([0.01, np.nan, 0.04, 0.03], method=method)
    assert np.isnan(whole[1])
    assert (whole[[0, 2, 3]] == adjust_pvalues([0.01, 0.04, 0.03], method=method)).all()
    assert np.isnan(adjust_pvalues([np.nan, np.nan], method=method)).all()


A = [0.20, 0.31, 0.12, 0.25, 0.19, 0.40, 0.28, 0.22]
B = [0.17, 0.28, 0.13, 0.20, 0.18, 0.33, 0.21, 0.24]
FIVE_BY_TWO = [[0.02, 0.01], [0.03, -0.01], [0.0, 0.02], [0.01, 0.03], [0.02, 0.0]]
RANKED = graded(6, 3, 0.3)

TESTS = {
    "one-sample t": partial(one_sample_t_test, A, error_rate=0.2),
    "k-fold t": partial(kfold_paired_t_test, A, B, correction="none", higher_is_better=False),
    "k-fold t, corrected": partial(kfold_paired_t_test, A, B, higher_is_better=False),
    "k-fold t, one-sided": partial(
        kfold_paired_t_test, A, B, correction="none", alternative="greater", higher_is_better=False
    ),
    **{
        f"5x2, {variant}": partial(
            five_by_two_cv_test, FIVE_BY_TWO, variant=variant, higher_is_better=False
        )
        for variant in ("dietterich", "textbook", "f")
    },
    "Wilcoxon, exact": partial(wilcoxon_signed_rank_test, A, B, higher_is_better=False),
    "Wilcoxon, normal": partial(
        wilcoxon_signed_rank_test, A, B, method="normal", higher_is_better=False
    ),
    "sign flip, exact": partial(sign_flip_test, A, B, higher_is_better=False),
    "sign flip, random": partial(
        sign_flip_test, A, B, method="monte-carlo", rng=1, higher_is_better=False
    ),
    **{
        f"McNemar, {method}": partial(mcnemar_test, e01=3, e10=9, method=method)
        for method in ("corrected", "uncorrected", "exact", "mid-p")
    },
    **{
        f"Friedman, {method}": partial(
            friedman_test, RANKED, higher_is_better=True, pvalue_method=method, rng=1
        )
        for method in ("exact", "permutation", "f", "chi2")
    },
}


def complement(share: float) -> float:
    """Return 1 less a share, as it would be written in decimals."""
    return round(1.0 - share, 15)


def around(pvalue: float) -> tuple[float, float]:
    """Return levels that leave a trifle more, and less, than a p-value."""
    return 1 - pvalue - 2e-15, 1 - pvalue + 2e-15


@pytest.mark.parametrize("name", TESTS)
def test_a_pvalue_of_alpha_rejects(name):
    pvalue = TESTS[name]().pvalue
    assert 0 < pvalue < 1
    at, below = (TESTS[name](confidence_level=level) for level in around(pvalue))
    assert at.pvalue == below.pvalue == pvalue
    assert at.reject is True
    assert below.reject is False
    if complement(complement(pvalue)) == pvalue:  # as decimals and halves are
        assert TESTS[name](confidence_level=complement(pvalue)).reject is True


def test_the_critical_value_of_an_exact_test_rejects():
    run = TESTS["Friedman, exact"]
    actual = run()
    assert run(confidence_level=around(actual.pvalue)[0]).critical_value == actual.statistic
    assert run(confidence_level=around(actual.pvalue)[1]).critical_value > actual.statistic


def test_the_interval_leaves_out_what_is_rejected():
    run = partial(
        wilcoxon_signed_rank_test, [1, 2, -3, 4, 5, 6, 7, 8], higher_is_better=False
    )  # no ties
    pvalue = run().pvalue
    assert run(confidence_level=around(pvalue)[0]).confidence_interval.low > 0
    assert run(confidence_level=around(pvalue)[1]).confidence_interval.low <= 0


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_the_binomial_test_is_strict(alternative):
    run = partial(binomial_test, 6, 10, error_rate=0.5, alternative=alternative)
    pvalue = run().pvalue
    assert run(confidence_level=1 - pvalue).reject is False
    assert run(confidence_level=1 - pvalue * (1 + 1e-9)).reject is True


def test_the_count_at_which_the_binomial_test_rejects_is_strict():
    size = float(stats.binom.sf(5, 10, 0.3))
    assert binomial_test(6, 10, error_rate=0.3, confidence_level=1 - size).critical_value == 6
    assert (
        binomial_test(6, 10, error_rate=0.3, confidence_level=1 - size * (1 + 1e-9)).critical_value
        == 5
    )


@pytest.mark.parametrize("control", [None, "2"])
def test_wilcoxon_with_holm(control):
    run = partial(
        compare_table, RANKED, higher_is_better=True, post_hoc="wilcoxon-holm", control=control
    )
    pvalue = min(pair.pvalue for pair in run().post_hoc)
    at, below = (run(confidence_level=level).post_hoc for level in around(pvalue))
    assert [pair.reject for pair in at] == [pair.pvalue == pvalue for pair in at]
    assert not any(pair.reject for pair in below)


def test_friedman_in_a_table():
    run = partial(compare_table, RANKED, higher_is_better=True)
    pvalue = run().friedman.pvalue
    assert run(confidence_level=around(pvalue)[0]).friedman.reject
    assert not run(confidence_level=around(pvalue)[1]).friedman.reject


@pytest.mark.parametrize(
    ("alone", "control"), [("nemenyi_quantile", None), ("critical_value", "2")]
)
def test_mean_ranks_a_critical_difference_apart_differ(alone, control, monkeypatch):
    # 8 data sets and 3 algorithms have the standard error 1/2: nothing is rounded.
    ranks = [[3, 2, 1]] * 6 + [[1, 2, 3]] * 2
    for quantile, rejects in ((2.0, True), (math.nextafter(2.0, 3), False)):
        engine_sizes.put(monkeypatch, **{alone: lambda k, alpha, q=quantile: q})
        if control is None:
            test = nemenyi_test(ranks=ranks)
        else:
            options = {"post_hoc": "bonferroni-dunn", "pvalue_method": "f"}
            test = compare_table(ranks, higher_is_better=False, control=control, **options).post_hoc
        assert test["0", "2"].difference == 1.0
        assert test["0", "2"].reject is rejects


C = fm.comparison
UP = {"higher_is_better": True}
#: Two numbers, and whether tests tell them apart.
NUMBERS = [
    (0.1 + 0.2, 0.3, False),
    (-0.1 - 0.2, -0.3, False),
    (1e300 * (1 + 2**-52), 1e300, False),
    (0.3, math.nextafter(0.3, 1), False),
    (0.3, 0.3 * (1 + 1e-14), True),
    (0.0, 5e-324, True),
    (0.0, -0.0, False),
    (2**53, 2**53 + 1, True),
    (2**62, 2**62 + 1, True),
    (2**64 - 2, 2**64 - 1, True),
    (-(2**63), -(2**63) + 1, True),
    (-(2**63), 2**63 - 1, True),
    (7, 7, False),
]


def column(x):
    return np.array([x] * 6, dtype=np.uint64 if isinstance(x, int) and x >= 2**63 else None)


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.parametrize(("low", "high", "apart"), NUMBERS)
def test_tests_agree_on_what_is_equal(low, high, apart):
    a = column(low)
    b = column(high)
    if isinstance(high, int) and high >= 2**63:
        a = a.astype(np.uint64)
    table = {"a": a, "b": b}
    for test in (C.friedman_test, partial(C.friedman_test, pvalue_method="f")):
        assert (test(table, **UP).pvalue < 1) == apart
    against = C.compare_table(table, post_hoc="bonferroni-dunn", control="b", **UP).post_hoc
    for test in (C.nemenyi_test(table, **UP), against):
        assert (test["a", "b"].difference != 0) == apart
    assert (set(C.compare_table(table, **UP).ranks.ravel().tolist()) == {1.0, 2.0}) == apart
    for test in (C.wilcoxon_signed_rank_test, C.sign_flip_test):
        assert (test(a, b, **UP).pvalue < 1) == apart
        assert (test(a, b, **UP).better is not None) == apart


def test_rows_tie_in_runs_of_near_numbers():
    step = 2.0**-52
    rows = [[1.0, 1 + 3 * step, 1 + 6 * step, 2.0], [0.3, 0.1 + 0.2, 0.7 - 0.4, 0.1]]
    ranks = C.compare_table(rows, **UP).ranks
    assert ranks.tolist() == [[3, 3, 3, 1], [2, 2, 2, 4]]
    assert C.compare_table(np.array(rows)[:, ::-1], **UP).ranks.tolist() == ranks[:, ::-1].tolist()


#: Accuracies, as `cross_val_score` returns them: the first model's are the greater.
GOOD = [0.91, 0.93, 0.90, 0.92, 0.94, 0.91, 0.92, 0.93]
POOR = [0.80, 0.84, 0.80, 0.83, 0.81, 0.80, 0.79, 0.81]
FIVE_BY_TWO_WINNERS = [np.reshape([*scores, *scores[:2]], (5, 2)) for scores in (GOOD, POOR)]
TABLE = np.column_stack([[*GOOD, 0.7], [*POOR, 0.8]])


def _first(actual) -> str | None:
    """Return the winner as "A" or "B" where algorithms are called "0" and "1"."""
    return {"0": "A", "1": "B"}.get(actual, actual)


TESTS_WINNERS = {
    "k-fold t": partial(kfold_paired_t_test, GOOD, POOR),
    "5x2": partial(five_by_two_cv_test, *FIVE_BY_TWO_WINNERS),
    "Wilcoxon": partial(wilcoxon_signed_rank_test, GOOD, POOR),
    "sign flip": partial(sign_flip_test, GOOD, POOR),
    "Friedman": partial(friedman_test, TABLE),
    "Nemenyi": lambda **options: nemenyi_test(TABLE, **options)["0", "1"],
    "Bonferroni-Dunn": lambda **options: compare_table(
        TABLE, post_hoc="bonferroni-dunn", control="1", **options
    ).post_hoc["0", "1"],
    "table": lambda **options: compare_table(TABLE, **options).friedman,
    "table, Wilcoxon": lambda **options: compare_table(
        TABLE, post_hoc="wilcoxon-holm", **options
    ).post_hoc["0", "1"],
}
every_test = pytest.mark.parametrize("test", TESTS_WINNERS.values(), ids=TESTS_WINNERS)


@every_test
def test_the_direction_names_the_winner(test):
    for yes, no in ((True, False), (np.True_, np.False_)):
        assert _first(test(higher_is_better=yes).better) == "A"
        assert _first(test(higher_is_better=no).better) == "B"


def test_better_is_said_where_it_is_shown():
    named = {"higher_is_better": True, "names": ("new", "old")}
    t = partial(kfold_paired_t_test, **named)
    assert repr(t(GOOD, POOR)).endswith("reject at 0.05, better: new)")
    assert repr(t(GOOD, POOR, alternative="greater")).endswith("reject at 0.05, better: new)")
    assert repr(t([0.3, -0.2, 0.1])).endswith("do not reject at 0.05, ahead: new)")
    assert repr(t(GOOD, POOR, alternative="less")).endswith("do not reject at 0.05, ahead: new)")


def test_several_models_show_no_winner():
    """That some of them differ does not say that the first does."""
    test = friedman_test([[3, 2, 1]] * 5 + [[3, 1, 2]], higher_is_better=True)
    assert repr(test).endswith("reject at 0.05, ahead: 0)")


def test_no_difference_shown_is_not_called_none():
    table = compare_table(TABLE[-2:], higher_is_better=True)
    assert not table.post_hoc["0", "1"].reject
    shown = table._repr_html_()
    assert "no difference is shown" in shown
    assert "not differ" not in shown
