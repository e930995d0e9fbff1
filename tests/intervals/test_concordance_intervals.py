"""Standard errors of concordance: the derivative by each weight; R's formula; groups and pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from reference import concordance_oracle as oracle

LONGER: Any = {"higher_score_means": "longer-time"}
few = pytest.mark.filterwarnings("ignore:the weights leave:fastmetrics.errors.SmallSampleWarning")


def censored(rng: np.random.Generator, n: int = 15) -> tuple[list[int], list[bool], list[int]]:
    time = rng.integers(1, 12, n)
    return time.tolist(), (rng.random(n) < 0.7).tolist(), (time + rng.integers(0, 9, n)).tolist()


@few
@pytest.mark.parametrize("half", [True, False])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_index_error_is_that_of_r(rng, half, is_weighted) -> None:
    """R's is the sum of squares of the weight of each row times the derivative by it (dfbeta)."""
    time, event, score = censored(rng)
    weights = rng.integers(1, 5, len(time)).tolist() if is_weighted else [1] * len(time)
    against = [-s for s in score]
    by_row = oracle.influences(lambda w: oracle.index(time, event, against, w, half=half), weights)
    found = fm.concordance_index_interval(
        time,
        event,
        score,
        ties_in_score="half" if half else "excluded",
        sample_weight=weights if is_weighted else None,
        **LONGER,
    )
    assert found.estimate == oracle.index(time, event, against, weights, half=half)
    assert found.standard_error**2 == pytest.approx(sum(x * x for x in by_row), rel=1e-6)


def test_limits_are_symmetric_on_the_logit_scale(rng) -> None:
    time, event, score = censored(rng, 60)
    found = fm.concordance_index_interval(time, event, score, confidence_level=0.9, **LONGER)
    low, high, middle = (
        math.log(x / (1 - x)) for x in (*found.confidence_interval, found.estimate)
    )
    c = found.estimate
    half = 1.6448536269514722 * found.standard_error / (c * (1 - c))
    assert (low, high) == pytest.approx((middle - half, middle + half), rel=1e-9)


def test_a_difference_is_by_the_difference_of_derivatives(rng) -> None:
    time, event, score = censored(rng)
    other = rng.integers(0, 9, len(time)).tolist()
    ones = [1] * len(time)
    test = fm.concordance_index_test(time, event, {"a": score, "b": other}, **LONGER)

    def value(given: list[int], weights: Any) -> float:
        return oracle.index(time, event, [-s for s in given], weights)

    by_row = oracle.influences(lambda w: value(score, w) - value(other, w), ones)
    error = math.sqrt(sum(x * x for x in by_row))
    (pair,) = test
    assert pair is test["a", "b"]
    assert test.estimate == pytest.approx((value(score, ones), value(other, ones)), rel=1e-14)
    assert pair.difference == pytest.approx(value(score, ones) - value(other, ones), rel=1e-12)
    assert pair.standard_error == pytest.approx(error, rel=1e-6)
    z = pair.difference / error
    assert pair.statistic == pytest.approx(z, rel=1e-6)
    assert pair.pvalue == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), rel=1e-5)
    limits = [max(-1.0, pair.difference - 1.959964 * error)]
    limits.append(min(1.0, pair.difference + 1.959964 * error))
    assert [*pair.confidence_interval] == pytest.approx(limits, rel=1e-5)


def test_undefined() -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="no pair of times is comparable"):
        index = fm.concordance_index_interval([1, 2], [0, 0], [1, 2], **LONGER)
    assert math.isnan(index.confidence_interval.high)


def test_rows_and_threads_change_no_bit(rng) -> None:
    time, event, score = (np.array(column) for column in censored(rng, 3_000))
    whole = fm.concordance_index_interval(time, event, score, weighting="uno", **LONGER)
    order = rng.permutation(3_000)
    for threads in (1, 4):
        moved = fm.concordance_index_interval(
            time[order],
            event[order],
            score[order],
            weighting="uno",
            n_threads=threads,
            **LONGER,
        )
        assert moved == whole


def test_what_is_shown(rng) -> None:
    time, event, score = censored(rng, 60)
    found = fm.concordance_index_interval(time, event, score, **LONGER)
    assert "concordance index" in str(found)
    test = fm.concordance_index_test(time, event, {"a": score, "b": time[::-1]}, **LONGER)
    assert "concordance index; two-sided" in str(test)
    assert len(test.to_frame("pandas")) == 1
