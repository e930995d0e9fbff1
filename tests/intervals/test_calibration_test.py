"""The test of calibration: its statistics, its p-values by enumeration, its draws."""

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest

import fastmetrics as fm
from reference import calibration_interval_oracle as oracle

P = [Fraction(k, 8) for k in (1, 1, 2, 3, 4, 6, 7, 7)]
Y = [0, 1, 0, 1, 0, 1, 1, 0]
FLOATS = [float(p) for p in P]


def test_pvalue_is_that_of_all_outcomes() -> None:
    def statistic(outcomes: Sequence[int]) -> Fraction:
        return oracle.miscalibration(outcomes, P)

    right = float(oracle.exact_pvalue(Y, P, statistic))
    n = 4999
    found = fm.calibration.calibration_test(Y, FLOATS, n_resamples=n, rng=1)
    assert found.pvalue == pytest.approx(right, abs=4 * math.sqrt(right * (1 - right) / n))
    assert found.statistic == pytest.approx(float(statistic(Y)), rel=1e-12)
    mean = float(oracle.over_outcomes(P, statistic)[0])
    assert found.mean_if_calibrated == pytest.approx(mean, rel=0.05)
    assert (found.n_samples, found.n_resamples) == (8, n)


def test_outcomes_that_cannot_be_are_refuted() -> None:
    found = fm.calibration.calibration_test([1, 0], [0.0, 1.0], rng=1)
    assert (found.statistic, found.pvalue) == (0.75, 0.001)
    never = fm.calibration.calibration_test([0, 1], [0.0, 1.0], rng=1)
    assert (never.statistic, never.pvalue, never.mean_if_calibrated) == (0.0, 1.0, 0.0)


def test_no_rows() -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="a test of calibration is not defined"):
        found = fm.calibration.calibration_test(fm.ScoreTable.from_counts([], [], []))
    assert math.isnan(found.pvalue)


@pytest.mark.parametrize(
    ("options", "kind", "message"), [({"n_resamples": 10**9}, ValueError, "take fewer replicates")]
)
def test_faults(options, kind, message) -> None:
    with pytest.raises(kind, match=message):
        fm.calibration.calibration_test(Y, FLOATS, **options)
