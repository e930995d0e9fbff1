"""McNemar's test against published figures, enumeration and statsmodels."""

import json
import math
import warnings
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning
from reference import paired_tests_oracle as oracle

FIGURES = json.loads(
    (Path(__file__).parents[1] / "reference" / "reference_values.json").read_text("utf-8")
)
COUNTS = st.integers(0, 25)


@pytest.mark.parametrize("figures", FIGURES["mcnemar"], ids=lambda f: str(f["bc"]))
def test_published_figures(figures):
    b, c = figures["bc"]
    if "must" in figures:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateDataWarning)
            test = fm.comparison.mcnemar_test(e01=b, e10=c)
        assert (test.statistic, test.pvalue, test.reject) == (0, 1, False)
        return
    names = {
        "corrected": ("chi2_cc", "p_cc"),
        "uncorrected": ("chi2", "p"),
        "exact": (None, "exact"),
        "mid-p": (None, "midp"),
    }
    for method, (statistic, pvalue) in names.items():
        test = fm.comparison.mcnemar_test(e01=b, e10=c, method=method)
        if statistic in figures:
            assert test.statistic == pytest.approx(figures[statistic], rel=1e-12)
        if pvalue in figures:
            assert test.pvalue == pytest.approx(figures[pvalue], rel=1e-10)


def test_the_exact_p_that_mlxtends_page_prints_is_wrong():
    figures = next(f for f in FIGURES["mcnemar"] if "WRONG_published_by_mlxtend_doc" in f)
    b, c = figures["bc"]
    exact = oracle.mcnemar_pvalue(b, c, "two-sided", Fraction(1))
    assert exact == 2 * Fraction(1 + 12, 2**12)  # 0 or 1 of 12, either way
    assert fm.comparison.mcnemar_test(e01=b, e10=c, method="exact").pvalue == pytest.approx(
        float(exact)
    )
    assert float(exact) != figures["WRONG_published_by_mlxtend_doc"]


def test_the_critical_values():
    for alpha in ("05", "10"):
        for method in ("corrected", "uncorrected"):
            test = fm.comparison.mcnemar_test(
                e01=3, e10=9, confidence_level=1 - float(f"0.{alpha}"), method=method
            )
            expected = FIGURES["critical_values"]["chi2_1"][alpha]
            assert test.critical_value == pytest.approx(expected, rel=1e-12)
            assert test.reject == (test.statistic >= test.critical_value)


@given(COUNTS, COUNTS, st.sampled_from(["two-sided", "less", "greater"]))
def test_enumeration(e01, e10, alternative):
    if e01 + e10 == 0:
        return
    for method, share in (("exact", Fraction(1)), ("mid-p", Fraction(1, 2))):
        test = fm.comparison.mcnemar_test(e01=e01, e10=e10, method=method, alternative=alternative)
        expected = oracle.mcnemar_pvalue(e01, e10, alternative, share)
        assert test.pvalue == pytest.approx(float(expected), rel=1e-9)
        other = {"less": "greater", "greater": "less"}.get(alternative, alternative)
        swapped = fm.comparison.mcnemar_test(e01=e10, e10=e01, method=method, alternative=other)
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
        test = fm.comparison.mcnemar_test(e01=e01, e10=e10, method=method)
        assert test.pvalue == pytest.approx(peer.pvalue, rel=1e-9)
        if method != "exact":
            assert test.statistic == pytest.approx(peer.statistic, rel=1e-12)


def test_the_correction_is_clamped():
    test = fm.comparison.mcnemar_test(e01=3, e10=3)
    assert (test.statistic, test.pvalue, test.better) == (0, 1, None)
    assert mcnemar([[0, 3], [3, 0]], exact=False, correction=True).statistic > 0  # no difference
    test = fm.comparison.mcnemar_test(e01=3, e10=4)
    assert (test.statistic, test.pvalue, test.better) == (0, 1, "A")


@pytest.mark.parametrize("method", ["corrected", "uncorrected", "exact", "mid-p"])
def test_models_that_never_differ(method):
    with pytest.warns(DegenerateDataWarning, match="p is 1"):
        test = fm.comparison.mcnemar_test(e01=0, e10=0, method=method)
    assert (test.statistic, test.pvalue, test.reject, test.better) == (0, 1, False, None)
    assert math.isnan(test.effect_size)
    assert math.isnan(test.confidence_interval.low)


def test_the_odds_ratio():
    test = fm.comparison.mcnemar_test(e01=6, e10=16, method="exact")
    share = stats.binomtest(6, 22).proportion_ci(0.95)
    assert test.effect_size == 6 / 16
    assert test.confidence_interval.low == pytest.approx(share.low / (1 - share.low))
    assert test.confidence_interval.high == pytest.approx(share.high / (1 - share.high))
    test = fm.comparison.mcnemar_test(e01=6, e10=0)
    assert test.effect_size == test.confidence_interval.high == math.inf
    test = fm.comparison.mcnemar_test(e01=0, e10=6)
    assert test.effect_size == test.confidence_interval.low == 0
    one_sided = fm.comparison.mcnemar_test(e01=6, e10=16, method="exact", alternative="less")
    assert one_sided.confidence_interval.low == 0
    assert (
        one_sided.confidence_interval.high
        < fm.comparison.mcnemar_test(e01=6, e10=16).effect_size * 3
    )


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
        expected = fm.comparison.mcnemar_test(e01=e01, e10=e10)
        test = fm.comparison.mcnemar_test(y, a, b)
        texts = fm.comparison.mcnemar_test(
            *([f"class {v}" for v in column] for column in (y, a, b))
        )
    for found in (test, texts):
        assert (found.details["e01"], found.details["e10"]) == (e01, e10)
        assert (found.statistic, found.pvalue) == (expected.statistic, expected.pvalue)
        wrong = sum(y != a for y, a, _ in rows)
        assert found.details["error_rate_a"] == pytest.approx(wrong / len(rows))
        assert found.details["n"] == len(rows)


def test_names_go_to_the_better_model():
    test = fm.comparison.mcnemar_test(e01=9, e10=1, names=("old", "new"))
    assert test.better == "new"
    greater = fm.comparison.mcnemar_test(e01=9, e10=1, method="exact", alternative="greater")
    assert greater.reject  # the error of A is the greater


@pytest.mark.parametrize(
    ("columns", "options", "error", "match"),
    [
        (
            (),
            {"e01": 1, "e10": 2, "alternative": "less"},
            ValueError,
            "`method='corrected'` is two-sided",
        ),
    ],
)
def test_faults(columns, options, error, match):
    with pytest.raises(error, match=match):
        fm.comparison.mcnemar_test(*columns, **options)
