"""DeLong's intervals: the definition over all pairs, unpaired, weighted, published figures."""

import itertools
import math
import warnings
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import fastmetrics as fm
from fastmetrics import ScoreTable, delong, delong_test, delong_unpaired_test
from fastmetrics.comparison import newcombe_interval
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from fastmetrics.results import Comparison
from reference import delong_oracle as oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


SCORES = st.lists(st.integers(0, 12), min_size=2, max_size=20)
Z95 = NormalDist().inv_cdf(0.975)


@given(SCORES, SCORES)
def test_definition(positives: list[int], negatives: list[int]) -> None:
    auc, variance = oracle.auc_and_variance(positives, negatives)
    y = [1] * len(positives) + [0] * len(negatives)
    s = positives + negatives
    if variance == 0:
        with pytest.warns(DegenerateDataWarning, match="newcombe_interval"):
            result = delong(y, s)
    else:
        result = delong(y, s)
    assert result.estimate == float(auc)
    assert result.details["variance"] == pytest.approx(float(variance), rel=1e-13)
    assert result.standard_error == math.sqrt(result.details["variance"])
    half = Z95 * result.standard_error
    assert result.confidence_interval.low == pytest.approx(max(0, float(auc) - half), abs=1e-15)
    assert result.confidence_interval.high == pytest.approx(min(1, float(auc) + half), abs=1e-15)
    sizes = result.details["n_positive"], result.details["n_negative"]
    assert sizes == (len(positives), len(negatives))


def test_published_figures() -> None:
    """CT ratings of Hanley & McNeil (1982), table I; Stata's manual [R] roctab has the figures."""
    result = delong(ScoreTable.from_counts([5, 4, 3, 2, 1], [33, 11, 2, 2, 3], [2, 11, 6, 6, 33]))
    assert (result.details["n_positive"], result.details["n_negative"]) == (51, 58)
    assert round(result.estimate, 4) == 0.8932
    assert round(result.standard_error, 4) == 0.0307
    assert round(result.confidence_interval.low, 5) == 0.83295
    assert round(result.confidence_interval.high, 5) == 0.95339
    assert (result.method, result.scale, result.confidence_level) == (
        "DeLong (1988)",
        "identity",
        0.95,
    )


def test_logit_scale() -> None:
    y, s = [1, 1, 1, 0, 0, 0], [6, 5, 2, 4, 3, 1]
    plain = delong(y, s)
    logit = delong(y, s, scale="logit", confidence_level=0.9)
    assert logit.standard_error == plain.standard_error
    auc = logit.estimate
    centre = math.log(auc / (1 - auc))
    error = logit.standard_error / (auc * (1 - auc))
    z = NormalDist().inv_cdf(0.95)
    expected = [1 / (1 + math.exp(-(centre + sign * z * error))) for sign in (-1, 1)]
    interval = logit.confidence_interval
    assert [interval.low, interval.high] == pytest.approx(expected, rel=1e-14)
    mirrored = delong(y, [-score for score in s], scale="logit", confidence_level=0.9)
    assert mirrored.confidence_interval.low == pytest.approx(1 - interval.high, rel=1e-12)


@pytest.mark.parametrize(("y", "auc"), [([1, 1, 0, 0], 1.0), ([0, 0, 1, 1], 0.0)])
@pytest.mark.parametrize("scale", ["plain", "logit"])
def test_perfect_separation(y: list[int], auc: float, scale: str) -> None:
    with pytest.warns(DegenerateDataWarning, match=r"newcombe_interval.*method 5") as record:
        result = delong(y, [4, 3, 2, 1], scale=scale)
    assert record[0].filename == __file__
    interval = result.confidence_interval
    assert (result.estimate, result.standard_error) == (auc, 0.0)
    assert (interval.low, interval.high) == (auc, auc)


def test_all_scores_tied() -> None:
    with pytest.warns(DegenerateDataWarning, match="AUC of 0.5"):
        result = delong([1, 1, 0, 0], [1, 1, 1, 1])
    assert (result.estimate, result.standard_error) == (0.5, 0.0)


@pytest.mark.parametrize(("y", "single"), [([1, 0, 0], "positive"), ([1, 1, 0], "negative")])
def test_one_example_of_a_class(y: list[int], single: str) -> None:
    with pytest.warns(UndefinedMetricWarning, match=f"one {single} example only"):
        result = delong(y, [3, 2, 1])
    assert result.estimate == 1.0
    assert math.isnan(result.standard_error)
    assert math.isnan(result.confidence_interval.low)
    assert math.isnan(result.confidence_interval.high)


@pytest.mark.parametrize("scale", [1, 10**4, 10**9, 10**12, 10**18 // 4])
def test_counts_of_any_size(scale: int) -> None:
    """Every example counts `scale` times."""
    p, n = [1, 2, 0, 1], [0, 1, 2, 1]
    table = ScoreTable.from_counts(
        [4, 3, 2, 1], [scale * count for count in p], [scale * count for count in n]
    )
    positives = [s for s, count in zip([4, 3, 2, 1], p, strict=True) for _ in range(count)]
    negatives = [s for s, count in zip([4, 3, 2, 1], n, strict=True) for _ in range(count)]
    auc, variance = oracle.auc_and_variance(positives, negatives)
    # Copies leave the spread of placements as it is: only the divisors move, alike in both classes.
    expected = variance * 12 / (4 * (4 * scale - 1))
    result = delong(table)
    assert result.estimate == float(auc)
    assert result.details["variance"] == pytest.approx(float(expected), rel=1e-13)


@given(
    st.floats(0, 1), st.integers(1, 5000), st.integers(1, 5000), st.sampled_from([0.5, 0.95, 0.999])
)
def test_newcombe_solves_its_equation(auc: float, m: int, n: int, level: float) -> None:
    interval = newcombe_interval(auc, m, n, confidence_level=level)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    assert 0 <= interval.low <= auc <= interval.high <= 1
    for limit in (interval.low, interval.high):
        if 1e-6 < limit < 1 - 1e-6:
            half = z * math.sqrt(oracle.newcombe_variance(limit, m, n))
            assert abs(auc - limit) == pytest.approx(half, rel=1e-6, abs=1e-9)
    if auc == 1:
        assert interval.high == 1
    if auc == 0:
        assert interval.low == 0
    assert interval.low < interval.high


def test_newcombe_by_hand() -> None:
    """AUC 1 with 10 and 10: t = low solves (1 - t)/t = z^2 [1 + 9 (...)]/100."""
    low = newcombe_interval(1.0, 10, 10).low
    bracket = 1 + 9 * ((1 - low) / (2 - low) + low / (1 + low))
    assert (1 - low) / low == pytest.approx(Z95**2 * bracket / 100, rel=1e-12)
    assert newcombe_interval(0.0, 10, 10).high == pytest.approx(1 - low, rel=1e-12)


#: 49 patients with ovarian cancer: albumin, total protein, K-G score, and whether an operation
#: did not help; DeLong et al. (1988) as printed in the SAS/STAT User's Guide, LOGISTIC procedure,
#: "Comparing Receiver Operating Characteristic Curves".
OVARIAN = """
3.0 5.8 10 0  3.2 6.3 5 1  3.9 6.8 3 1  2.8 4.8 6 0  3.2 5.8 3 1  0.9 4.0 5 0  2.5 5.7 8 0
1.6 5.6 5 1  3.8 5.7 5 1  3.7 6.7 6 1  3.2 5.4 4 1  3.8 6.6 6 1  4.1 6.6 5 1  3.6 5.7 5 1
4.3 7.0 4 1  3.6 6.7 4 0  2.3 4.4 6 1  4.2 7.6 4 0  4.0 6.6 6 0  3.5 5.8 6 1  3.8 6.8 7 1
3.0 4.7 8 0  4.5 7.4 5 1  3.7 7.4 5 1  3.1 6.6 6 1  4.1 8.2 6 1  4.3 7.0 5 1  4.3 6.5 4 1
3.2 5.1 5 1  2.6 4.7 6 1  3.3 6.8 6 0  1.7 4.0 7 0  3.7 6.1 5 1  3.3 6.3 7 1  4.2 7.7 6 1
3.5 6.2 5 1  2.9 5.7 9 0  2.1 4.8 7 1  2.8 6.2 8 0  4.0 7.0 7 1  3.3 5.7 6 1  3.7 6.9 5 1
3.6 6.6 5 1
"""


def quiet(*arguments: Any, **options: Any) -> Comparison:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        return delong_test(*arguments, **options)


def read_global_test(result: Comparison) -> tuple[float, int, float]:
    return tuple(result.details[name] for name in ("statistic", "df", "pvalue"))


def errors_of(result: Comparison) -> tuple[float, ...]:
    return tuple(model.standard_error for model in result.models)


def samples(models: int) -> st.SearchStrategy[tuple[list[int], list[list[int]]]]:
    """Draw labels with two examples at least of each class, and tied scores of each model."""

    def with_scores(labels: list[int]) -> Any:
        scores = st.lists(st.integers(0, 5), min_size=len(labels), max_size=len(labels))
        return st.tuples(st.just(labels), st.lists(scores, min_size=models, max_size=models))

    more = st.lists(st.integers(0, 1), max_size=12)
    return more.map(lambda labels: [0, 1, 1, 0, *labels]).flatmap(with_scores)


@given(samples(3))
def test_definition_delong_test(sample: tuple[list[int], list[list[int]]]) -> None:
    labels, scores = sample
    result = quiet(labels, dict(zip("abc", scores, strict=True)))
    exact = [[oracle.covariance(labels, one, other) for other in scores] for one in scores]
    aucs = [oracle.components(labels, one)[0] for one in scores]
    assert result.estimate == tuple(map(float, aucs))
    expected = [[float(c) for c in row] for row in exact]
    np.testing.assert_allclose(result.covariance, expected, rtol=1e-12, atol=1e-17)
    assert errors_of(result) == tuple(np.sqrt(np.diagonal(result.covariance)))
    for pair, (i, j) in zip(result, itertools.combinations(range(3), 2), strict=True):
        variance = oracle.variance_of_difference(labels, scores[i], scores[j])
        assert (pair.a, pair.b) == ("abc"[i], "abc"[j])
        assert pair.difference == pytest.approx(float(aucs[i] - aucs[j]), abs=2e-16)
        assert pair.standard_error == pytest.approx(math.sqrt(variance), rel=1e-11)
        assert (pair.standard_error == 0.0) == (variance == 0)
    statistic = oracle.chi_square(aucs, exact)
    assert (statistic is None) == (result.details["df"] < 2)
    if statistic is not None:
        assert result.details["statistic"] == pytest.approx(float(statistic), rel=1e-7)
        p = stats.chi2.sf(float(statistic), 2)
        assert result.details["pvalue"] == pytest.approx(p, rel=1e-6)


@given(samples(2))
def test_two_models_chi_square_is_z_squared(sample: tuple[list[int], list[list[int]]]) -> None:
    labels, scores = sample
    result = quiet(labels, {"a": scores[0], "b": scores[1]})
    pair = result["a", "b"]
    if pair.standard_error > 0:
        assert pair.statistic == pytest.approx(pair.difference / pair.standard_error, rel=1e-15)
        assert result.details["statistic"] == pytest.approx(pair.statistic**2, rel=1e-14)
        assert result.details["df"] == 1
        assert pair.pvalue == pytest.approx(2 * stats.norm.sf(abs(pair.statistic)), rel=1e-13)
        assert result.details["pvalue"] == pytest.approx(pair.pvalue, rel=1e-10, abs=1e-300)
        assert pair.pvalue_adjusted == pair.pvalue
    half = Z95 * pair.standard_error
    low, high = pair.confidence_interval.low, pair.confidence_interval.high
    assert low == pytest.approx(max(-1, pair.difference - half), abs=1e-15)
    assert high == pytest.approx(min(1, pair.difference + half), abs=1e-15)


def test_ovarian_cancer() -> None:
    """SAS prints 0.7366 (0.0927), 0.7258 (0.1028), 0.6478 (0.1000) and chi-square 2.5340."""
    rows = np.array(OVARIAN.split(), float).reshape(-1, 4)
    scores = {"albumin": -rows[:, 0], "K-G": rows[:, 2], "protein": -rows[:, 1]}
    result = delong_test(1 - rows[:, 3], scores)
    assert (result.details["n_positive"], result.details["n_negative"]) == (12, 31)
    assert result.n_groups is None
    assert [round(auc, 4) for auc in result.estimate] == [0.7366, 0.7258, 0.6478]
    assert [round(error, 4) for error in errors_of(result)] == [0.0927, 0.1028, 0.1]
    assert (round(result.details["statistic"], 4), result.details["df"]) == (2.5340, 2)
    assert round(result.details["pvalue"], 4) == 0.2817
    pair = result["albumin", "K-G"]
    assert (round(pair.difference, 4), round(pair.standard_error, 4)) == (0.0108, 0.0953)
    assert (round(pair.statistic**2, 4), round(pair.pvalue, 4)) == (0.0127, 0.9102)
    pair = result["K-G", "protein"]
    assert (round(pair.difference, 4), round(pair.standard_error, 4)) == (0.0780, 0.1046)
    assert (round(pair.statistic**2, 4), round(pair.pvalue, 4)) == (0.5554, 0.4561)


def test_identical_models() -> None:
    y, s = [0, 1, 1, 0, 1], [1.0, 2.0, 3.0, 2.5, 0.5]
    with pytest.warns(
        DegenerateDataWarning, match=r"nothing tells the models apart.*rank 0"
    ) as record:
        result = delong_test(y, {"a": s, "b": np.exp(s)})
    assert (len(record), record[0].filename) == (1, __file__)
    pair = result["a", "b"]
    assert (pair.difference, pair.standard_error, pair.statistic, pair.pvalue) == (0, 0, 0, 1)
    assert (pair.confidence_interval.low, pair.confidence_interval.high) == (0, 0)
    assert read_global_test(result) == (0, 0, 1)
    one_sided = quiet(y, {"a": s, "b": s}, alternative="greater")
    assert (one_sided.pairs[0].pvalue, one_sided.pairs[0].statistic) == (1, 0)


def test_identical_models_among_others(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 200)
    a = rng.normal(size=200) + y
    c = rng.normal(size=200)
    with pytest.warns(DegenerateDataWarning, match="has rank 1, not 2"):
        result = delong_test(y, {"a": a, "b": a * 3 + 1, "c": c})
    two = delong_test(y, {"a": a, "c": c})
    assert read_global_test(result) == pytest.approx(read_global_test(two), rel=1e-9)
    assert result["a", "b"].statistic == 0
    assert result["a", "c"].statistic == result["b", "c"].statistic == two.pairs[0].statistic


def test_more_models_than_the_examples_tell_apart(rng: np.random.Generator) -> None:
    """Two and three examples: the spread has 1 + 2 dimensions at the most."""
    y = [1, 1, 0, 0, 0]
    for _ in range(20):
        result = quiet(y, rng.integers(0, 9, (5, 6)), names=list("abcdef"))
        contrast = np.eye(6)[1:] - np.eye(6)[0]
        d = contrast @ result.estimate
        c = contrast @ result.covariance @ contrast.T
        assert result.details["df"] == np.linalg.matrix_rank(c, tol=1e-12) <= 3
        inverse = np.linalg.pinv(c, rcond=1e-12)
        if np.abs(c @ inverse @ d - d).max() > 1e-9:  # some contrast has no variance but a value
            assert (result.details["statistic"], result.details["pvalue"]) == (math.inf, 0)
        else:
            expected = d @ inverse @ d
            assert result.details["statistic"] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_sure_difference() -> None:
    with pytest.warns(DegenerateDataWarning, match=r"variance of 0 \(z is \+-inf\): p = 0"):
        result = delong_test([1, 1, 0, 0], {"best": [4, 3, 2, 1], "worst": [1, 2, 3, 4]})
    pair = result["best", "worst"]
    assert (pair.difference, pair.statistic, pair.pvalue) == (1, math.inf, 0)
    assert read_global_test(result) == (math.inf, 0, 0)
    scores = {"best": [4, 3, 2, 1], "worst": [1, 2, 3, 4]}
    assert quiet([1, 1, 0, 0], scores, alternative="less").pairs[0].pvalue == 1
    assert quiet([1, 1, 0, 0], scores, alternative="greater").pairs[0].pvalue == 0


def test_perfect_model_is_warned_about() -> None:
    y = [1, 1, 1, 0, 0, 0]
    with pytest.warns(DegenerateDataWarning, match="AUC of 'best' is 1 with an estimated"):
        result = delong_test(y, {"best": [6, 5, 4, 3, 2, 1], "good": [6, 5, 2, 3, 4, 1]})
    assert result.covariance[0].tolist() == [0, 0]
    error = pytest.approx(delong(y, [6, 5, 2, 3, 4, 1]).standard_error, rel=1e-14)
    assert result.pairs[0].standard_error == error


def test_one_example_of_a_class_delong_test() -> None:
    with pytest.warns(UndefinedMetricWarning, match="there is one positive example only") as record:
        result = delong_test([1, 0, 0], {"a": [3, 2, 1], "b": [2, 3, 1], "c": [1, 1, 1]})
    assert len(record) == 1
    assert result.estimate == (1.0, 0.5, 0.5)
    assert result["a", "b"].difference == 0.5
    assert np.isnan(result.covariance).all()
    assert result.details["df"] == 2
    for value in (result.details["statistic"], result.details["pvalue"], *errors_of(result)):
        assert math.isnan(value)
    for pair in result:
        for value in (pair.standard_error, pair.statistic, pair.pvalue, pair.pvalue_adjusted):
            assert math.isnan(value)
        assert math.isnan(pair.confidence_interval.low)


Y = [0, 1, 1, 0, 1, 0]
A = [1.0, 2.0, 3.0, 2.0, 0.0, 1.0]
B = [1.0, 3.0, 2.0, 2.0, 4.0, 0.0]
MODELS = {"a": A, "b": B}
MATRIX = np.column_stack([A, B])


def test_zeros_of_both_signs_tie() -> None:
    signed = delong_test([1, 0, 1, 0], {"a": [0.0, -0.0, 1, 2], "b": [1, 2, 3, 4]})
    assert signed.estimate[0] == 0.375


TWICE = pd.DataFrame(MATRIX, columns=["a", "a"])


@pytest.mark.parametrize(
    ("scores", "names", "error", "match"),
    [
        ({"a": A}, None, ValueError, "`scores` must name at least two models: got 1"),
        ({}, None, ValueError, "`scores` must name at least two models: got 0"),
        ((A, pd.Series(B)), None, TypeError, "`scores` is a tuple, which names no models"),
        ([A, B], None, TypeError, r"`scores` is a list, which names no models: pass .'a'"),
        ({1: A, "1": B}, None, ValueError, "`scores` names 2 models '1'"),
        (TWICE, None, ValueError, "`scores` names 2 models 'a': their names must differ"),
        ({"a": A, "b": MATRIX}, None, ValueError, r"`scores\['b'\]` must have shape \(n,\)"),
        (None, None, TypeError, "`scores` must be an array: got None"),
        (MATRIX[:, :1], ["a"], ValueError, "at least two models: got 1"),
        (MATRIX, ["a"], ValueError, "`names` must name the 2 columns of `scores`: got "),
        (MATRIX, ["a", "a"], ValueError, "`scores` names 2 models 'a'"),
        (MATRIX, ["a", 2], TypeError, "`names` must hold texts: got 2 at index 1"),
        (MATRIX, "ab", TypeError, "`names` must be a sequence of texts: got 'ab'"),
    ],
)
def test_models_that_are_refused(
    scores: Any, names: Any, error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        delong_test(Y, scores, names=names)


P = np.array([0.2, 0.7, 0.6, 0.1, 0.9, 0.65])
PROBA = np.column_stack([1 - P, P])


@pytest.mark.parametrize(
    "function",
    [
        delong_test,
        fm.evaluate,
        partial(fm.paired_bootstrap, n_resamples=20, rng=1),
        partial(fm.paired_permutation_test, n_resamples=20, rng=1),
    ],
    ids=["delong_test", "evaluate", "paired_bootstrap", "paired_permutation_test"],
)
class TestOneRule:
    """All functions of several models accept the same containers of models."""

    @pytest.mark.parametrize(
        "proba",
        [
            PROBA,
            PROBA.astype(np.float16),
            PROBA.astype(np.float32),
            PROBA.round(1),
            pd.DataFrame(PROBA),
            pl.DataFrame(PROBA),
            pa.table({"no": PROBA[:, 0], "yes": PROBA[:, 1]}),
        ],
    )
    def test_what_predict_proba_returns_is_no_two_models(self, function: Any, proba: Any) -> None:
        with pytest.raises(
            ValueError, match=r"sum to 1.*predict_proba pass \[:, 1\], the positive"
        ):
            function(Y, proba)
        if isinstance(proba, np.ndarray):
            with pytest.raises(ValueError, match=r"predict_proba pass \[:, 1\]"):
                function(Y, proba, names=["no", "yes"])

    def test_one_row_that_does_not_sum_to_one_makes_two_models(self, function: Any) -> None:
        other = np.tile(PROBA, (300, 1))
        other[-1] += 0.1
        function(Y * 300, other, names=["a", "b"])
        function(Y, {"a": 1 - P, "b": P})  # which says that they are two
        function(Y, PROBA - 0.5, names=["a", "b"])

    def test_an_array_has_no_names(self, function: Any) -> None:
        with pytest.raises(ValueError, match=r"`scores` of shape \(6, 2\) does not say.*`names`"):
            function(Y, MATRIX)
        with pytest.raises(TypeError, match="`names` is for an array"):
            function(Y, MODELS, names=["a", "b"])
        with pytest.raises(TypeError, match="`scores` is a list, which names no models"):
            function(Y, [np.array(A), np.array(B)])


@pytest.mark.parametrize(
    ("function", "other"), [("bootstrap", "paired_bootstrap"), ("delong", "delong_test")]
)
def test_functions_of_one_model_name_those_of_several(function: str, other: str) -> None:
    for models in (MODELS, pd.DataFrame(MODELS), pa.table(MODELS)):
        with pytest.raises(
            TypeError, match=f"`y_score` must be the scores of one model.*`{other}`"
        ):
            getattr(fm, function)(Y, models)
    with pytest.raises(TypeError, match=r"predict_proba pass \[:, 1\]"):
        getattr(fm, function)(Y, pd.DataFrame(PROBA))


S = [1.0, 2.0, 3.0, 2.5, 0.5, 0.7]
Y2 = [1, 0, 0, 1, 0]
S2 = [2.0, 2.0, 1.0, 4.0, 3.0]


@given(SCORES, SCORES, SCORES, SCORES)
@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
def test_definition_delong_unpaired(
    p: list[int], n: list[int], p2: list[int], n2: list[int]
) -> None:
    auc, variance = oracle.auc_and_variance(p, n)
    auc2, variance2 = oracle.auc_and_variance(p2, n2)
    result = delong_unpaired_test(
        [1] * len(p) + [0] * len(n), p + n, [1] * len(p2) + [0] * len(n2), p2 + n2
    )
    assert result.details["a"].estimate == float(auc)
    assert result.details["b"].estimate == float(auc2)
    assert result.difference == pytest.approx(float(auc - auc2), abs=2e-16)
    error = math.sqrt(variance + variance2)
    assert result.standard_error == pytest.approx(error, rel=1e-13)
    if error:
        z = float(auc - auc2) / error
        assert result.statistic == pytest.approx(z, rel=1e-13, abs=1e-14)
        assert result.pvalue == pytest.approx(2 * NormalDist().cdf(-abs(z)), rel=1e-11)


def test_ways_to_pass_tables() -> None:
    one = ScoreTable.from_scores(Y, S)
    other = ScoreTable.from_scores(Y2, S2)
    rows = delong_unpaired_test(Y, S, Y2, S2)
    assert delong_unpaired_test(one, other) == rows
    assert delong_unpaired_test(one, None, other, None) == rows
    assert delong_unpaired_test(one, None, Y2, S2) == rows
    assert delong_unpaired_test(Y, S, other) == rows


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
def test_both_perfect() -> None:
    result = delong_unpaired_test([0, 0, 1, 1], [1, 2, 3, 4], [0, 1, 0, 1], [1, 2, 1, 2])
    assert (result.difference, result.statistic, result.pvalue) == (0, 0, 1)
    worst = delong_unpaired_test([0, 0, 1, 1], [1, 2, 3, 4], [0, 1, 0, 1], [2, 1, 2, 1])
    assert (worst.difference, worst.statistic, worst.pvalue) == (1, math.inf, 0)


def test_one_perfect_is_warned_about() -> None:
    with pytest.warns(DegenerateDataWarning, match="sample b: .* at an AUC of 1 on") as record:
        result = delong_unpaired_test(Y, S, [0, 0, 1, 1], [1, 2, 3, 4])
    assert (len(record), record[0].filename) == (1, __file__)
    assert result.standard_error == delong(Y, S).standard_error


@pytest.mark.parametrize(
    ("y", "match"),
    [
        ([1, 1, 1], "sample b: the AUC is not defined: there is no negative"),
        ([1, 0, 0], "sample b: the standard error is not defined: there is one positive"),
    ],
)
def test_undefined(y: list[int], match: str) -> None:
    with pytest.warns(UndefinedMetricWarning, match=match):
        result = delong_unpaired_test(Y, S, y, [1, 2, 3])
    interval = result.confidence_interval
    for value in (result.standard_error, result.statistic, result.pvalue, interval.low):
        assert math.isnan(value)
