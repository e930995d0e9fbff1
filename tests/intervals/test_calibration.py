"""The interval and the test of calibration errors."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from fastmetrics.inference.calibration import count_labels, limits, mean_square
from metric_names import STRATEGIES
from reference import binned_calibration_oracle as binned, calibration_interval_oracle as oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


EIGHTHS = st.integers(0, 8).map(lambda k: k / 8)
ROWS = st.lists(st.tuples(st.integers(0, 1), EIGHTHS), min_size=1, max_size=16)


def parts_of(y: Any, p: Any, n_bins: int, strategy: str) -> list[binned.Problem]:
    parts: list[binned.Problem] = getattr(binned, strategy.replace("-", "_"))(
        binned.rows_of(y, p, None), n_bins
    )
    return parts


def bins_of(y: Any, p: Any, n_bins: int, strategy: str) -> list[list[tuple[int, Fraction]]]:
    return [[(row[0][0], row[1][0]) for row in rows] for rows in parts_of(y, p, n_bins, strategy)]


@given(ROWS, st.sampled_from([1, 2, 4]), st.sampled_from(STRATEGIES))
def test_parts_are_what_their_definitions_say(rows, n_bins, strategy) -> None:
    rows += [(1, 0.25), (0, 0.25)]
    y, p = map(list, zip(*rows, strict=True))
    bins = bins_of(y, p, n_bins, strategy)
    actual = mean_square(count_labels(y, p, pos_label=None, labels=None), n_bins, strategy)
    assert actual.estimate == pytest.approx(float(oracle.mean_square(bins)), rel=1e-12, abs=1e-14)
    assert actual.error_of_gaps == pytest.approx(oracle.error_of_gaps(bins), rel=1e-9, abs=1e-8)
    assert actual.error_of_pairs == pytest.approx(oracle.error_of_pairs(bins), rel=1e-9, abs=1e-8)
    assert actual.n_bins == len(bins)
    assert actual.n_single == sum(len(each) == 1 for each in bins)

    result = fm.calibration.calibration_error_interval(y, p, n_bins=n_bins, strategy=strategy)
    plug_in = float(binned.mean_square(parts_of(y, p, n_bins, strategy), "plug-in"))
    assert actual.plug_in == pytest.approx(plug_in, rel=1e-12, abs=1e-15)
    right = oracle.limits(*actual[:5], level=0.95)
    assert list(result.confidence_interval) == pytest.approx(right, rel=1e-9, abs=1e-12)
    assert result.details == actual
    if result.estimate > 0:
        by_root = actual.standard_error / (2 * result.estimate)
        assert result.standard_error == pytest.approx(by_root, rel=1e-12)
    else:
        assert math.isnan(result.standard_error)
    assert float(result) == result.estimate == math.sqrt(max(actual.estimate, 0.0))
    rms = fm.calibration.root_mean_square_calibration_error
    same = rms(y, p, n_bins=n_bins, strategy=strategy, estimator="sun")
    assert result.estimate == pytest.approx(same, rel=1e-9, abs=1e-8)
    assert (result.n_samples, result.confidence_level) == (len(y), 0.95)


def test_what_rows_do_not_show_is_said() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(60) < 3
    p = np.full(60, 0.01)
    with pytest.warns(fm.SmallSampleWarning, match="^3 of 60 rows are positive: below about 5"):
        fm.calibration.calibration_error_interval(y, p)
    columns = rng.dirichlet([9, 1, 1], 60)
    y = columns.argmax(axis=1)
    y[:2] = (y[:2] + 1) % 3
    with pytest.warns(fm.SmallSampleWarning, match="^2 of 60 rows are wrong: below about 5"):
        fm.calibration.calibration_error_interval(y, columns, labels=[0, 1, 2])
    with pytest.warns(fm.DegenerateDataWarning, match="is a point: outcomes as certain as these"):
        interval = fm.calibration.calibration_error_interval([0, 1] * 9, [0.0, 1.0] * 9)
    assert list(interval.confidence_interval) == [0, 0]


@pytest.mark.parametrize("n_bins", [1, 2, 3])
def test_error_of_a_calibrated_model_is_exact(n_bins) -> None:
    """By all outcomes: their mean is 0, and their variance is that of the estimate."""
    p = [Fraction(k, 8) for k in (1, 2, 2, 3, 5, 6, 7)]
    order = [float(each) for each in p]

    def value(outcomes: tuple[int, ...]) -> Fraction:
        return oracle.mean_square(bins_of(outcomes, p, n_bins, "uniform"))

    mean, variance = oracle.over_outcomes(p, value)
    assert mean == 0
    data = count_labels([0, 1] * 3 + [1], order, pos_label=None, labels=None)
    actual = mean_square(data, n_bins, "uniform")
    assert actual.error_if_calibrated == pytest.approx(math.sqrt(variance), rel=1e-12)


@pytest.mark.parametrize(
    ("square", "low"), [(10.0, 10 - 1.959964), (3.5, 1.75), (2.0, 2 - 1.644854), (1.0, 0.0)]
)
def test_cases_of_the_lower_limit(square, low) -> None:
    from fastmetrics.inference.calibration import MeanSquare

    actual = MeanSquare(square, 0.0, 1.0, 0.0, 0.1, 2, 0)
    assert limits(actual, 0.95) == pytest.approx((low, square + 1.959964), abs=1e-6)
    upper = limits(actual._replace(plug_in=square), 0.95)[1]
    assert upper - square == pytest.approx(1.959964 * math.sqrt(upper / square), abs=1e-5)
    assert limits(actual._replace(error_if_calibrated=square), 0.95)[0] == 0.0


def test_columns_are_read_by_their_greatest() -> None:
    rng = np.random.default_rng(2)
    columns = rng.dirichlet([1, 2, 3], 300)
    codes = rng.integers(0, 3, 300)
    hits = columns.argmax(axis=1) == codes
    right = fm.calibration.calibration_error_interval(hits, columns.max(axis=1), n_bins=5)
    assert fm.calibration.calibration_error_interval(codes, columns, n_bins=5) == right
    names = np.array(["a", "b", "c"])
    assert (
        fm.calibration.calibration_error_interval(names[codes], columns, n_bins=5, labels=names)
        == right
    )


def test_undefined() -> None:
    for data in (([0, 1], [0.1, 0.9]), (fm.ScoreTable.from_counts([], [], []),)):
        with pytest.warns(fm.UndefinedMetricWarning, match="no bin has two rows; take fewer"):
            interval = fm.calibration.calibration_error_interval(*data)
        assert math.isnan(interval.estimate)
        assert all(map(math.isnan, interval.confidence_interval))
        assert interval.n_samples == (2 if len(data) == 2 else 0)


@pytest.mark.parametrize(
    ("data", "options", "kind", "message"),
    [
        (([0, 1], [0.5, 0.5]), {"labels": [0, 1]}, TypeError, "`labels` is for a column of"),
        (([0, 1], [[0.5, 0.5]] * 2), {"pos_label": 1}, TypeError, "`pos_label` is for one column"),
        ((fm.ScoreTable.from_counts([0.5], [0.5], [1.0]),), {}, TypeError, "a ScoreTable of fract"),
    ],
)
def test_faults(data, options, kind, message) -> None:
    for function in (
        fm.calibration.calibration_error_interval,
        fm.calibration.calibration_test,
        fm.calibration.reliability_band,
    ):
        if options.keys() & {"n_bins", "confidence_level"} and function is not (
            fm.calibration.calibration_error_interval
        ):
            continue
        with pytest.raises(kind, match=message):
            function(*data, **options)


P = [Fraction(k, 8) for k in (1, 1, 2, 3, 4, 6, 7, 7)]
Y = [0, 1, 0, 1, 0, 1, 1, 0]
FLOATS = [float(p) for p in P]


def test_pvalue_is_that_of_all_outcomes() -> None:
    def statistic(outcomes: Sequence[int]) -> Fraction:
        return oracle.miscalibration(outcomes, P)

    right = float(oracle.exact_pvalue(Y, P, statistic))
    n = 4999
    test = fm.calibration.calibration_test(Y, FLOATS, n_resamples=n, rng=1)
    assert test.pvalue == pytest.approx(right, abs=4 * math.sqrt(right * (1 - right) / n))
    assert test.statistic == pytest.approx(float(statistic(Y)), rel=1e-12)
    mean = float(oracle.over_outcomes(P, statistic)[0])
    assert test.mean_if_calibrated == pytest.approx(mean, rel=0.05)
    assert (test.n_samples, test.n_resamples) == (8, n)


def test_outcomes_that_cannot_be_are_refuted() -> None:
    test = fm.calibration.calibration_test([1, 0], [0.0, 1.0], rng=1)
    assert (test.statistic, test.pvalue) == (0.75, 0.001)
    never = fm.calibration.calibration_test([0, 1], [0.0, 1.0], rng=1)
    assert (never.statistic, never.pvalue, never.mean_if_calibrated) == (0.0, 1.0, 0.0)


def test_no_rows() -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="a test of calibration is not defined"):
        test = fm.calibration.calibration_test(fm.ScoreTable.from_counts([], [], []))
    assert math.isnan(test.pvalue)
