"""DeLong's interval against the definition over all pairs, and published figures."""

import math
from statistics import NormalDist

import pytest
from hypothesis import given, strategies as st

from fastmetrics import ScoreTable, delong
from fastmetrics.comparison import newcombe_interval
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from reference import delong_oracle as oracle

SCORES = st.lists(st.integers(0, 12), min_size=2, max_size=20)
Z95 = NormalDist().inv_cdf(0.975)


@given(SCORES, SCORES)
def test_definition(positives: list[int], negatives: list[int]) -> None:
    auc, variance = oracle.auc_and_variance(positives, negatives)
    y, s = [1] * len(positives) + [0] * len(negatives), positives + negatives
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
    table = ScoreTable.from_counts([5, 4, 3, 2, 1], [33, 11, 2, 2, 3], [2, 11, 6, 6, 33])
    result = delong(table)
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
    plain, logit = delong(y, s), delong(y, s, scale="logit", confidence_level=0.9)
    assert logit.standard_error == plain.standard_error
    auc = logit.estimate
    centre, error = math.log(auc / (1 - auc)), logit.standard_error / (auc * (1 - auc))
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


def test_a_table_of_fractional_weights_is_refused() -> None:
    table = ScoreTable.from_counts([2.0, 1.0], [0.5, 1.5], [1.0, 1.0])
    with pytest.raises(TypeError, match="ScoreTable of fractional weights does not tell how many"):
        delong(table)
    table = ScoreTable.from_scores([0, 1, 1, 0], [1, 2, 3, 4])
    with pytest.raises(TypeError, match="`sample_weight` needs rows"):
        delong(table, sample_weight=[1, 1, 1, 1])
    with pytest.raises(TypeError, match="a ScoreTable comes alone"):
        delong(table, sample_weight=[1, 1, 1, 1], weights_are="frequencies")


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
    mirrored = newcombe_interval(0.0, 10, 10)
    assert mirrored.high == pytest.approx(1 - low, rel=1e-12)


@pytest.mark.parametrize("sizes", [(5, 0.5)])
def test_newcombe_refuses(sizes: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match=r"`n_(positive|negative)`|`n_positive` and"):
        newcombe_interval(0.5, *sizes)
    with pytest.raises(ValueError, match="`auc` must lie in"):
        newcombe_interval(1.5, 3, 3)
