"""DeLong's test for several models against the definition over all pairs, and published figures."""

import itertools
import math
import warnings
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from fastmetrics import delong, delong_test
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from fastmetrics.results import Comparison
from reference import delong_oracle as oracle

Z95 = NormalDist().inv_cdf(0.975)

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


def of_all(result: Comparison) -> tuple[float, int, float]:
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
def test_definition(sample: tuple[list[int], list[list[int]]]) -> None:
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
        assert pair.pvalue_holm == pair.pvalue
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
    assert of_all(result) == (0, 0, 1)
    one_sided = quiet(y, {"a": s, "b": s}, alternative="greater")
    assert (one_sided.pairs[0].pvalue, one_sided.pairs[0].statistic) == (1, 0)


def test_identical_models_among_others(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 200)
    a, c = rng.normal(size=200) + y, rng.normal(size=200)
    with pytest.warns(DegenerateDataWarning, match="has rank 1, not 2"):
        result = delong_test(y, {"a": a, "b": a * 3 + 1, "c": c})
    two = delong_test(y, {"a": a, "c": c})
    assert of_all(result) == pytest.approx(of_all(two), rel=1e-9)
    assert result["a", "b"].statistic == 0
    assert result["a", "c"].statistic == result["b", "c"].statistic == two.pairs[0].statistic


def test_more_models_than_the_examples_tell_apart(rng: np.random.Generator) -> None:
    """Two and three examples: the spread has 1 + 2 dimensions at the most."""
    y = [1, 1, 0, 0, 0]
    for _ in range(20):
        scores = rng.integers(0, 9, (5, 6))
        result = quiet(y, scores, names=list("abcdef"))
        contrast = np.eye(6)[1:] - np.eye(6)[0]
        d, c = contrast @ result.estimate, contrast @ result.covariance @ contrast.T
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
    assert of_all(result) == (math.inf, 0, 0)
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


def test_one_example_of_a_class() -> None:
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
        for value in (pair.standard_error, pair.statistic, pair.pvalue, pair.pvalue_holm):
            assert math.isnan(value)
        assert math.isnan(pair.confidence_interval.low)


@pytest.mark.parametrize("scale", [1, 10**4, 10**9, 10**12])
def test_counts_of_any_size(scale: int) -> None:
    """Copies leave the spread of placements as it is: only the divisors move."""
    y = [1, 1, 0, 0, 1, 0]
    scores = [[6, 5, 4, 3, 2, 1], [3, 5, 3, 2, 4, 1], [2, 2, 1, 4, 5, 5]]
    exact = [[oracle.covariance(y, one, other) for other in scores] for one in scores]
    shrink = oracle.Fraction(2, 3 * scale - 1)
    options = {"names": ["a", "b", "c"], "weights_are": "frequencies"}
    result = delong_test(y, np.transpose(scores), sample_weight=[scale] * 6, **options)
    expected = [[float(c * shrink) for c in row] for row in exact]
    np.testing.assert_allclose(result.covariance, expected, rtol=1e-12)
    assert result.details["n_positive"] == 3 * scale
    for pair, (one, other) in zip(result, itertools.combinations(scores, 2), strict=True):
        variance = oracle.variance_of_difference(y, one, other) * shrink
        assert pair.standard_error == pytest.approx(math.sqrt(float(variance)), rel=1e-11)
    aucs = [oracle.components(y, one)[0] for one in scores]
    statistic = oracle.chi_square(aucs, exact)
    assert statistic is not None
    assert result.details["statistic"] == pytest.approx(float(statistic / shrink), rel=1e-9)
