"""What a test decides where p is exactly what its level leaves: to reject, but for the binomial."""

import math
from functools import partial

import pytest
from rank_samples import graded
from scipy import stats

import engine_sizes
import fastmetrics as fm

A = [0.20, 0.31, 0.12, 0.25, 0.19, 0.40, 0.28, 0.22]
B = [0.17, 0.28, 0.13, 0.20, 0.18, 0.33, 0.21, 0.24]
FIVE_BY_TWO = [[0.02, 0.01], [0.03, -0.01], [0.0, 0.02], [0.01, 0.03], [0.02, 0.0]]
RANKED = graded(6, 3, 0.3)

TESTS = {
    "one-sample t": partial(fm.comparison.one_sample_t_test, A, error_rate=0.2),
    "k-fold t": partial(
        fm.comparison.kfold_paired_t_test, A, B, correction="none", higher_is_better=False
    ),
    "k-fold t, corrected": partial(fm.comparison.kfold_paired_t_test, A, B, higher_is_better=False),
    "k-fold t, one-sided": partial(
        fm.comparison.kfold_paired_t_test,
        A,
        B,
        correction="none",
        alternative="greater",
        higher_is_better=False,
    ),
    **{
        f"5x2, {variant}": partial(
            fm.comparison.five_by_two_cv_test, FIVE_BY_TWO, variant=variant, higher_is_better=False
        )
        for variant in ("dietterich", "textbook", "f")
    },
    "Wilcoxon, exact": partial(
        fm.comparison.wilcoxon_signed_rank_test, A, B, higher_is_better=False
    ),
    "Wilcoxon, normal": partial(
        fm.comparison.wilcoxon_signed_rank_test, A, B, method="normal", higher_is_better=False
    ),
    "sign flip, exact": partial(fm.comparison.sign_flip_test, A, B, higher_is_better=False),
    "sign flip, random": partial(
        fm.comparison.sign_flip_test, A, B, method="monte-carlo", rng=1, higher_is_better=False
    ),
    **{
        f"McNemar, {method}": partial(fm.comparison.mcnemar_test, e01=3, e10=9, method=method)
        for method in ("corrected", "uncorrected", "exact", "mid-p")
    },
    **{
        f"Friedman, {method}": partial(
            fm.comparison.friedman_test, RANKED, higher_is_better=True, pvalue_method=method, rng=1
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
    found = run()
    assert run(confidence_level=around(found.pvalue)[0]).critical_value == found.statistic
    assert run(confidence_level=around(found.pvalue)[1]).critical_value > found.statistic


def test_the_interval_leaves_out_what_is_rejected():
    run = partial(
        fm.comparison.wilcoxon_signed_rank_test, [1, 2, -3, 4, 5, 6, 7, 8], higher_is_better=False
    )  # no ties
    pvalue = run().pvalue
    assert run(confidence_level=around(pvalue)[0]).confidence_interval.low > 0
    assert run(confidence_level=around(pvalue)[1]).confidence_interval.low <= 0


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_the_binomial_test_is_strict(alternative):
    run = partial(fm.comparison.binomial_test, 6, 10, error_rate=0.5, alternative=alternative)
    pvalue = run().pvalue
    assert run(confidence_level=1 - pvalue).reject is False
    assert run(confidence_level=1 - pvalue * (1 + 1e-9)).reject is True


def test_the_count_at_which_the_binomial_test_rejects_is_strict():
    size = float(stats.binom.sf(5, 10, 0.3))
    assert (
        fm.comparison.binomial_test(6, 10, error_rate=0.3, confidence_level=1 - size).critical_value
        == 6
    )
    assert (
        fm.comparison.binomial_test(
            6, 10, error_rate=0.3, confidence_level=1 - size * (1 + 1e-9)
        ).critical_value
        == 5
    )


@pytest.mark.parametrize("control", [None, "2"])
def test_wilcoxon_with_holm(control):
    run = partial(
        fm.comparison.compare_table,
        RANKED,
        higher_is_better=True,
        post_hoc="wilcoxon-holm",
        control=control,
    )
    pvalue = min(pair.pvalue for pair in run().post_hoc)
    at, below = (run(confidence_level=level).post_hoc for level in around(pvalue))
    assert [pair.reject for pair in at] == [pair.pvalue == pvalue for pair in at]
    assert not any(pair.reject for pair in below)


def test_friedman_in_a_table():
    run = partial(fm.comparison.compare_table, RANKED, higher_is_better=True)
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
            test = fm.comparison.nemenyi_test(ranks=ranks)
        else:
            test = fm.comparison.bonferroni_dunn_test(ranks=ranks, control=control)
        assert test["0", "2"].difference == 1.0
        assert test["0", "2"].reject is rejects
