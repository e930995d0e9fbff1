"""Limits of replicates, and examples in the order in which replicates read them."""

import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st

import fastmetrics as fm
from fastmetrics._input.rows import check_binary
from fastmetrics._kernels.replicates import SEGMENT
from fastmetrics.inference.bootstrap import _parse, bootstrap
from fastmetrics.inference.bootstrap._parse import SortedRows
from fastmetrics.inference.bootstrap.bootstrap import acceleration, limits, pvalue_from_limits
from fastmetrics.inference.reference import holm
from fastmetrics.inference.units import narrowed_level, widened_level
from peers import adjusted_by_statsmodels
from reference import bootstrap_oracle as oracle

ALTERNATIVES = ["two-sided", "less", "greater"]
METHODS = ["percentile", "basic", "bca"]

# Efron & Tibshirani (1993), table 14.1: the spatial test, 26 children, column A.
SPATIAL_A = [48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41]
SPATIAL_A += [24, 26, 30, 41]

SMALL = st.integers(-8, 8).map(lambda i: i / 4)


def both(result: Any) -> tuple[float, float]:
    return result[0].low, result[0].high


def jackknife(sample: np.ndarray, statistic, *others: np.ndarray) -> np.ndarray:
    """Return the influences that SciPy takes: what lacks without each value, over n."""
    rest = [statistic(np.delete(sample, i), *others) for i in range(len(sample))]
    return -np.array(rest) * (len(sample) - 1) / len(sample)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("level", [0.95, 0.6])
@pytest.mark.parametrize("discrete", [False, True])
def test_scipy(rng, alternative: str, method: str, level: float, discrete: bool) -> None:
    sample = rng.gamma(2.0, size=37)
    if discrete:  # replicates that tie with the estimate
        sample = np.floor(sample)

    def statistic(x, axis=-1):
        return np.mean(x > 1, axis=axis) if discrete else np.mean(x, axis=axis)

    peer = scipy.stats.bootstrap(
        (sample,),
        statistic,
        n_resamples=1234,
        confidence_level=level,
        method=method,
        alternative=alternative,
        rng=rng,
    )
    actual = limits(
        peer.bootstrap_distribution,
        float(statistic(sample)),
        method=method,
        confidence_level=level,
        alternative=alternative,
        acceleration=acceleration([jackknife(sample, statistic)]),
    )
    assert actual[1] is None
    expected = peer.confidence_interval
    # BCa's levels depend on the acceleration's last bit.
    approx = pytest.approx((expected.low, expected.high), rel=1e-12 if method == "bca" else 0)
    assert both(actual) == approx


def test_scipy_with_two_samples(rng) -> None:
    x = rng.gamma(1.5, size=30)
    y = rng.gamma(4.0, size=11)

    def difference(a, b, axis=-1):
        return np.mean(a, axis=axis) - np.mean(b, axis=axis) ** 2

    peer = scipy.stats.bootstrap((x, y), difference, n_resamples=999, method="BCa", rng=rng)
    jackknife_x = jackknife(x, difference, y)
    jackknife_y = jackknife(y, lambda b, a: difference(a, b), x)
    actual = limits(
        peer.bootstrap_distribution,
        float(difference(x, y)),
        method="bca",
        confidence_level=0.95,
        acceleration=acceleration([jackknife_x, jackknife_y], stratified=True),
    )
    expected = peer.confidence_interval
    assert both(actual) == pytest.approx((expected.low, expected.high), rel=1e-12)


@given(
    st.lists(SMALL, min_size=2, max_size=30),
    st.data(),
    st.sampled_from([0.5, 0.9, 0.95]),
    st.sampled_from(ALTERNATIVES),
)
def test_definitions(values: list[float], data, level: float, alternative: str) -> None:
    estimate = data.draw(st.sampled_from(values))
    options = {"confidence_level": level, "alternative": alternative}
    with_failures = [*values, math.nan]

    actual = limits(with_failures, estimate, method="percentile", **options)
    assert both(actual) == pytest.approx(oracle.percentile(values, level, alternative), abs=1e-12)
    assert (actual[1] == bootstrap.ALL_EQUAL) == (len(set(values)) == 1)
    actual = limits(with_failures, estimate, method="basic", **options)
    expected = oracle.basic(values, estimate, level, alternative)
    assert both(actual) == pytest.approx(expected, abs=1e-12)
    if len(set(values)) == 1:
        return
    a = data.draw(st.sampled_from([-0.16, 0.0, 0.1]))
    actual = limits(with_failures, estimate, method="bca", acceleration=a, **options)
    expected = oracle.bca(values, estimate, a, level, alternative)
    assert both(actual) == pytest.approx(expected, abs=1e-9)


def test_quantiles_are_numpys_too(rng) -> None:
    values = rng.normal(size=100_000)
    actual = limits(values, 0.0, method="percentile", confidence_level=0.95)
    assert both(actual) == pytest.approx(tuple(np.percentile(values, [2.5, 97.5])), rel=1e-13)


def test_infinite_replicates_do_not_make_the_other_limit_nan() -> None:
    values = [0.1, 0.2, 0.3, 0.4, math.inf]
    assert both(limits(values, 0.3, method="percentile", confidence_level=0.5)) == (0.2, 0.4)
    assert limits(values, 0.3, method="percentile", confidence_level=0.9)[0].high == math.inf


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    ("values", "estimate", "reason"),
    [
        ([0.1, 0.2, 0.3], math.nan, "estimate is not defined"),
        ([], 0.5, "fewer than two"),
        ([math.nan, 0.5, math.nan], 0.5, "fewer than two"),
    ],
)
def test_no_limits(method: str, alternative: str, values, estimate: float, reason: str) -> None:
    actual = limits(
        values,
        estimate,
        method=method,
        confidence_level=0.95,
        alternative=alternative,
        acceleration=0.0,
    )
    assert np.isnan(both(actual)).all()
    assert reason in actual[1]


@pytest.mark.parametrize("noise", [0.0, 2.0**-53])
def test_equal_replicates(noise: float) -> None:
    values = [1.0, 1.0 - noise, 1.0 - noise, 1.0]
    for method in ("percentile", "basic"):
        actual = limits(values, 1.0, method=method, confidence_level=0.95)
        assert both(actual) == pytest.approx((1.0, 1.0), abs=1e-15)
        assert "all replicates are equal" in actual[1]
    actual = limits(values, 1.0, method="bca", confidence_level=0.95, acceleration=0.0)
    assert np.isnan(both(actual)).all()
    assert "analytic interval" in actual[1]


@pytest.mark.parametrize(
    ("estimate", "a", "reason"),
    [
        (0.05, 0.0, "outside its replicates"),
        (0.35, 0.0, "outside its replicates"),
        (0.2, math.nan, "acceleration is not defined"),
        (0.2, 0.6, "no finite limit"),
        (0.2, -0.6, "no finite limit"),
    ],
)
def test_bca_is_degenerate(estimate: float, a: float, reason: str) -> None:
    actual = limits([0.1, 0.2, 0.3], estimate, method="bca", confidence_level=0.95, acceleration=a)
    assert np.isnan(both(actual)).all()
    assert reason in actual[1]
    assert "percentile" in actual[1]


def test_published_acceleration() -> None:
    """Efron & Tibshirani (1993), section 14.3: the variance of the spatial data, a = .061."""
    sample = np.array(SPATIAL_A, dtype=float)
    assert round(sample.var(), 1) == 171.5
    assert round(acceleration([(sample - sample.mean()) ** 2 - sample.var()]), 3) == 0.061


CELLS = st.lists(
    st.tuples(st.integers(-20, 20), st.integers(0, 5)), min_size=1, max_size=12
).filter(lambda cells: sum(count for _, count in cells) > 0)


@given(st.lists(CELLS, min_size=1, max_size=3))
def test_acceleration_by_rows(strata: list[list[tuple[int, int]]]) -> None:
    rows = [[Fraction(-v) for v, count in cells for _ in range(count)] for cells in strata]
    moved = [[u * len(own) / max(len(own) - 1, 1) for u in own] for own in rows]
    expected = oracle.acceleration(moved)
    values, times = zip(*(np.array([*cells, (math.nan, 0)]).T for cells in strata), strict=True)
    for scale in (1.0, 2.0**-400, 2.0**300):
        for shift in (0.0, 1000.0 * scale):
            actual = acceleration([v * scale + shift for v in values], times, stratified=True)
            assert actual == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
            assert math.isnan(actual) or abs(actual) <= 1 / 6 + 1e-12


def test_acceleration_of_large_counts() -> None:
    """Three values with 10^12 rows each: the sums in rational numbers."""
    values = [Fraction(1), Fraction(2), Fraction(7)]
    counts = [10**12, 3 * 10**12, 5]
    mean = sum(v * c for v, c in zip(values, counts, strict=True)) / sum(counts)
    cubes = sum(c * (v - mean) ** 3 for v, c in zip(values, counts, strict=True))
    squares = sum(c * (v - mean) ** 2 for v, c in zip(values, counts, strict=True))
    expected = float(cubes) / (6 * float(squares) ** 1.5)
    actual = acceleration([np.array([float(v) for v in values])], [np.array(counts)])
    assert actual == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "values", [[0.5, 0.5], [0.1 + 0.2, 0.3], [math.nan], [3.0], [1.0, math.inf]], ids=str
)
def test_acceleration_where_there_is_none(values: list[float]) -> None:
    """Where influences are equal, but for rounding, or not finite."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(acceleration([np.array(values)]))


@given(st.lists(SMALL, min_size=1, max_size=30), SMALL, st.sampled_from(ALTERNATIVES))
def test_pvalues(values: list[float], estimate: float, alternative: str) -> None:
    """The method "basic" mirrors the replicates, and 0, at the estimate."""
    actual = pvalue_from_limits([*values, math.nan], estimate, alternative=alternative)
    assert actual == pytest.approx(float(oracle.pvalue(values, 0.0, alternative)), rel=1e-15)
    assert 0 < actual <= 1
    basic = pvalue_from_limits(values, estimate, method="basic", alternative=alternative)
    mirrored = [2 * estimate - value for value in values]
    mirrored = [0.0 if abs(value) < 1e-11 else value for value in mirrored]
    assert basic == pytest.approx(float(oracle.pvalue(mirrored, 0.0, alternative)), rel=1e-15)


@pytest.mark.parametrize("n_groups", [None, 8.0])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("method", ["percentile", "basic"])
def test_pvalue_and_interval_agree(method: str, alternative: str, n_groups, rng) -> None:
    """The interval at 1 - p ends at 0, and those of other levels on either side."""
    skew = rng.exponential(size=9_999) - 1.0
    for shift in np.linspace(-0.6, 0.6, 13):
        values = shift + 0.2 * skew
        how = {"method": method, "alternative": alternative, "n_groups": n_groups}
        p = pvalue_from_limits(values, shift, **how)
        if not (0.002 if n_groups is None else 0.06) < p < 0.9:  # what 9,999 replicates resolve
            continue
        for level, inside in ((1 - 0.9 * p, True), (1 - p / 0.9, False)):
            if 0 < level < 1:
                low, high = limits(values, shift, confidence_level=level, **how)[0]
                assert (low <= 0 <= high) == inside


def test_ties_of_differences_are_ties_up_to_rounding() -> None:
    estimate = 0.8 - 0.7  # twice it is not quite 0.2
    assert 2 * estimate != 0.2
    assert pvalue_from_limits([0.2] * 9, estimate, method="basic", alternative="greater") == 1.0


def test_pvalues_at_the_ends() -> None:
    assert math.isnan(pvalue_from_limits([math.nan], 0.0))
    for method in ("percentile", "basic"):
        given = {"method": method}
        assert pvalue_from_limits(np.zeros(99), 0.0, **given) == 1.0  # identical models
        assert pvalue_from_limits(np.ones(99), 1.0, **given) == 0.02
        assert pvalue_from_limits(np.ones(99), 1.0, alternative="greater", **given) == 0.01
        assert pvalue_from_limits(np.ones(99), 1.0, alternative="less", **given) == 1.0


@pytest.mark.parametrize("level", [0.005, 0.025, 0.3, 0.5])
@pytest.mark.parametrize("groups", [1.4, 2.0, 15.0, 1e6])
def test_levels_of_few_groups(level: float, groups: float) -> None:
    """Student's t takes a normal quantile's place, and both ways lead back."""
    widened = widened_level(level, groups)
    z = scipy.stats.norm.ppf(widened)
    t = scipy.stats.t.ppf(level, groups - 1)
    if widened > 1e-300:
        assert z == pytest.approx(t * math.sqrt(groups / (groups - 1)), abs=1e-9)
        assert narrowed_level(widened, groups) == pytest.approx(level, rel=1e-9)
    assert widened <= level
    assert (widened_level(level, None), narrowed_level(level, None)) == (level, level)
    assert widened_level(level, 1.0) == 0.0


PROBABILITIES = st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0])


@given(st.lists(PROBABILITIES, min_size=1, max_size=12))
def test_holm(pvalues: list[float]) -> None:
    adjusted = holm(pvalues)
    assert adjusted == pytest.approx(oracle.holm(pvalues), rel=1e-12)
    assert adjusted == pytest.approx(adjusted_by_statsmodels(pvalues, "holm"), rel=1e-12)
    with_gaps = holm([math.nan, *pvalues, math.nan])
    assert np.isnan([with_gaps[0], with_gaps[-1]]).all()
    assert with_gaps[1:-1] == adjusted


def test_holm_as_r_adjusts() -> None:
    """Figures of R's p.adjust(c(.01, .02, .03, .04, .05), "holm")."""
    assert holm([0.01, 0.02, 0.03, 0.04, 0.05]) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert holm([]) == []


#: Negatives and positives of each score, the highest first.
CELLS_SORTED_ROWS: dict[str, list[tuple[int, int]]] = {
    "few": [(0, 1), (2, 1), (3, 0), (1, 2)],
    "a segment": [(SEGMENT - 1, 1)],
    "a tie ends with a segment": [(300, 212), (1, 2), (4, 4)],
    "a tie over a segment's end": [(300, 211), (1, 2), (SEGMENT - 4, 3), (0, 7)],
    "a tie over many segments": [(2, 3), (1500, 700), (SEGMENT, 1), (40, 1)],
    "all equal": [(900, 800)],
    "all distinct": [(k % 2, 1 - k % 2) for k in range(1200)],
}


def made(kind: str, way: str, rng: np.random.Generator) -> SortedRows:
    cells = CELLS_SORTED_ROWS[kind]
    scores = [float(-k) for k in range(len(cells))]
    if way == "table":
        positives = [p for _, p in cells]
        negatives = [n for n, _ in cells]
        return _parse.expand_table(fm.ScoreTable.from_counts(scores, positives, negatives))
    labels = np.repeat([0, 1] * len(cells), [size for cell in cells for size in cell])
    row_scores = np.repeat(scores, [sum(cell) for cell in cells])
    order = rng.permutation(len(labels))
    rows, actual = _parse.sort_rows(check_binary(labels[order], row_scores[order]))
    assert row_scores[order][actual].tolist() == row_scores.tolist()
    return rows


def by_hand(kind: str) -> dict[str, list[Any]]:
    """Return label, tie and whether a tie ends there, row by row: the positives of a tie first."""
    cells = CELLS_SORTED_ROWS[kind]
    labels = [y for n, p in cells for y in [1] * p + [0] * n]
    ties = [k for k, (n, p) in enumerate(cells) for _ in range(n + p)]
    ends = [one != other for one, other in zip(ties, [*ties[1:], None], strict=True)]
    return {"labels": labels, "ties": ties, "ends": ends}


@pytest.mark.parametrize("way", ["table", "arrays"])
@pytest.mark.parametrize("kind", CELLS_SORTED_ROWS)
def test_rows_of_a_sample(rng, kind: str, way: str) -> None:
    rows = made(kind, way, rng)
    want = by_hand(kind)
    n = len(want["labels"])
    assert rows.n == n
    assert len(rows.masks) == len(rows.ends) == _parse.padded(n)
    assert rows.labels.tolist() == want["labels"]
    assert rows.masks.tolist() == [255 * y for y in want["labels"]] + [0] * (-n % 8)
    assert rows.ends.tolist() == [int(end) for end in want["ends"]] + [0] * (-n % 8)
    assert rows.scores.tolist() == [-tie for tie in want["ties"]]
    assert rows.score_at(np.arange(n)).tolist() == rows.scores.tolist()


@pytest.mark.parametrize("way", ["table", "arrays"])
@pytest.mark.parametrize("kind", CELLS_SORTED_ROWS)
def test_anchors_are_segments_that_start_with_a_tie(rng, kind: str, way: str) -> None:
    rows = made(kind, way, rng)
    ends = by_hand(kind)["ends"]
    anchors = []
    last = 0
    for segment in range(-(-_parse.padded(len(ends)) // SEGMENT)):
        if segment == 0 or ends[segment * SEGMENT - 1]:
            last = segment
        anchors.append(last)
    assert rows.anchors.tolist() == anchors


@pytest.mark.parametrize("way", ["table", "arrays"])
@pytest.mark.parametrize("kind", CELLS_SORTED_ROWS)
def test_ties_of_both_classes(rng, kind: str, way: str) -> None:
    rows = made(kind, way, rng)
    start = 0
    want = []
    for negatives, positives in CELLS_SORTED_ROWS[kind]:
        stop = start + negatives + positives
        if negatives and positives:
            want.append([start, start + positives, stop])
        start = stop
    assert rows.ties.tolist() == want
    for first, last in ((0, rows.n), (1, 3), (SEGMENT, 2 * SEGMENT), (3, 3)):
        inside = [each for each in want if each[2] > first and each[0] < last]
        pieces = [
            [*(min(max(row, first), last) - first for row in each), int(each[2] <= last)]
            for each in inside
        ]
        for _ in range(2):  # made, and known
            assert rows.tie_pieces(first, last).tolist() == pieces


def test_rows_called_positive(rng) -> None:
    rows = made("few", "arrays", rng)  # scores 0, -1, -2, -3 of 1, 3, 3 and 3 rows
    assert rows.called_positive(None) is None
    asked = (0.5, 0.0, -0.5, -1.0, -2.5, -3, -9)
    assert [rows.called_positive(at) for at in asked] == [0, 1, 1, 4, 7, 10, 10]
