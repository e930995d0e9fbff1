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
METRICS = {
    "tau_a": ("kendall_tau", {"variant": "a"}),
    "tau_b": "kendall_tau",
    "tau_c": ("kendall_tau", {"variant": "c"}),
    "somers_d": "somers_d",
    "somers_d_score": ("somers_d", {"given": "score"}),
    "somers_d_symmetric": ("somers_d", {"given": "neither"}),
    "gamma": "goodman_kruskal_gamma",
}


def ranked(rng: np.random.Generator, n: int = 16) -> tuple[list[int], list[int], list[int]]:
    outcome = rng.integers(0, 6, n)
    return (
        outcome.tolist(),
        (outcome + rng.integers(0, 5, n)).tolist(),
        rng.integers(1, 5, n).tolist(),
    )


@few
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("name", METRICS)
def test_error_is_the_sum_of_squared_derivatives(rng, name, is_weighted) -> None:
    outcome, score, weights = ranked(rng)
    used = weights if is_weighted else [1] * len(weights)
    by_row = oracle.influences(lambda w: oracle.measure(name, outcome, score, w), used)
    found = fm.concordance_interval(
        outcome, score, metric=METRICS[name], sample_weight=weights if is_weighted else None
    )
    assert found.estimate == pytest.approx(oracle.measure(name, outcome, score, used), rel=1e-13)
    assert found.standard_error**2 == pytest.approx(sum(x * x for x in by_row), rel=1e-6)
    assert float(found) == found.estimate


@pytest.mark.parametrize("name", METRICS)
def test_values_are_those_of_the_functions(rng, name) -> None:
    outcome, score, _ = ranked(rng, 60)
    found = fm.concordance_interval(outcome, score, metric=METRICS[name])
    assert found.estimate == pytest.approx(oracle.measure(name, outcome, score), rel=1e-14)


@pytest.mark.parametrize("name", METRICS)
def test_frequencies_are_rows(rng, name) -> None:
    outcome, score, weights = ranked(rng, 30)
    rows = [np.repeat(column, weights) for column in (outcome, score)]
    counted = fm.concordance_interval(
        outcome, score, metric=METRICS[name], sample_weight=weights, weights_are="frequencies"
    )
    repeated = fm.concordance_interval(*rows, metric=METRICS[name])
    assert counted.estimate == pytest.approx(repeated.estimate, rel=1e-14)
    assert counted.standard_error == pytest.approx(repeated.standard_error, rel=1e-12)
    assert counted.n_samples == repeated.n_samples == sum(weights)


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


def test_groups_of_one_row_are_rows(rng) -> None:
    outcome, score, _ = ranked(rng, 50)
    alone = fm.concordance_interval(outcome, score)
    grouped = fm.concordance_interval(outcome, score, groups=np.arange(50))
    assert grouped.standard_error == pytest.approx(alone.standard_error * math.sqrt(50 / 49))
    assert (grouped.n_groups, alone.n_groups) == (50, None)


def test_copies_in_a_group_tell_nothing_more(rng) -> None:
    outcome, score, _ = ranked(rng, 50)
    once = fm.concordance_interval(outcome, score, metric="somers_d", groups=np.arange(50))
    twice = fm.concordance_interval(
        outcome * 2, score * 2, metric="somers_d", groups=np.tile(np.arange(50), 2)
    )
    assert twice.estimate == once.estimate
    assert twice.standard_error == pytest.approx(once.standard_error, rel=1e-12)


@pytest.mark.parametrize("is_index", [False, True])
def test_a_difference_is_by_the_difference_of_derivatives(rng, is_index) -> None:
    time, event, score = censored(rng)
    other = rng.integers(0, 9, len(time)).tolist()
    ones = [1] * len(time)
    if is_index:
        test = fm.concordance_index_test(time, event, {"a": score, "b": other}, **LONGER)
    else:
        test = fm.concordance_test(time, {"a": score, "b": other}, metric="somers_d")

    def value(given: list[int], weights: Any) -> float:
        if is_index:
            return oracle.index(time, event, [-s for s in given], weights)
        return oracle.measure("somers_d", time, given, weights)

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
    reach = 1.0 if is_index else 2.0
    limits = [max(-reach, pair.difference - 1.959964 * error)]
    limits.append(min(reach, pair.difference + 1.959964 * error))
    assert [*pair.confidence_interval] == pytest.approx(limits, rel=1e-5)


def test_a_model_beside_itself() -> None:
    scores = {"a": [1, 3, 2, 4], "b": [10, 30, 20, 40]}
    with pytest.warns(fm.DegenerateDataWarning, match="the variance of a difference is 0"):
        (pair,) = fm.concordance_test([1, 2, 3, 4], scores)
    assert (pair.difference, pair.statistic, pair.pvalue) == (0.0, 0.0, 1.0)


def test_perfect_order_has_no_interval() -> None:
    with pytest.warns(fm.DegenerateDataWarning, match="its interval is not defined"):
        found = fm.concordance_interval([1, 2, 3], [1, 2, 3])
    assert found.estimate == 1.0
    assert math.isnan(found.confidence_interval.low)


def test_undefined() -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="`kendall_tau` is undefined"):
        found = fm.concordance_interval([1, 1, 1], [1, 2, 3])
    assert math.isnan(found.estimate)
    assert math.isnan(found.standard_error)
    with pytest.warns(fm.UndefinedMetricWarning, match="no pair of times is comparable"):
        index = fm.concordance_index_interval([1, 2], [0, 0], [1, 2], **LONGER)
    assert math.isnan(index.confidence_interval.high)


def test_other_measures_are_refused() -> None:
    with pytest.raises(ValueError, match="`metric` must be one of 'kendall_tau', 'somers_d'"):
        fm.concordance_interval([1, 2], [1, 2], metric="spearman_rho")
    with pytest.raises(TypeError, match="has no parameter 'given'"):
        fm.concordance_interval([1, 2], [1, 2], metric=("kendall_tau", {"given": "score"}))


def test_few_groups_and_heavy_weights_are_told(rng) -> None:
    outcome, score, _ = ranked(rng, 50)
    with pytest.warns(fm.SmallSampleWarning, match="there are 5 groups"):
        fm.concordance_interval(outcome, score, groups=np.arange(50) % 5)
    with pytest.warns(fm.SmallSampleWarning, match="worth"):
        fm.concordance_interval(outcome, score, sample_weight=np.r_[1000.0, np.ones(49)])


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


def test_replicates_are_of_the_function(rng) -> None:
    outcome, score, weights = ranked(rng, 60)
    given: Any = {"metrics": "somers_d", "n_resamples": 40, "rng": 1}
    found = fm.bootstrap(outcome, score, **given)["somers_d"]
    assert found.estimate == fm.somers_d(outcome, score)
    assert np.ptp(found.bootstrap_distribution) > 0
    with pytest.raises(ValueError, match="'somers_d' has no weights in replicates"):
        fm.bootstrap(outcome, score, sample_weight=weights, **given)


@few
def test_weights_leave_no_rounding_where_there_is_no_pair(rng) -> None:
    weights = rng.random(400)
    for outcome, score in ((np.zeros(400), rng.random(400)), (rng.random(400), np.zeros(400))):
        with pytest.warns(fm.UndefinedMetricWarning, match="too many values tie"):
            found = fm.concordance_interval(outcome, score, sample_weight=weights)
        assert math.isnan(found.estimate)
    one_way = np.arange(400.0)
    with pytest.warns(fm.DegenerateDataWarning, match="does not vary"):
        found = fm.concordance_interval(one_way, one_way, sample_weight=weights)
    assert found.estimate == pytest.approx(1.0, rel=1e-15)
