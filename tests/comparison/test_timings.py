"""Times before and after: scipy's t tests of logarithms, Holm, decisions, their sizes, faults."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import fastmetrics as fm

RNG = np.random.default_rng(15)
GROWTH = {"same": 0.0, "near": 0.04, "slow": 0.3, "fast": -0.3}
BEFORE = {name: np.exp(RNG.normal(0, 0.04, 12)) for name in GROWTH}
AFTER = {name: np.exp(RNG.normal(growth, 0.04, 12)) for name, growth in GROWTH.items()}


def by_scipy(before, after, paired, side):
    """Return scipy's p-value that the ratio is the margin of 5 %, and its interval's limits."""
    x, y = np.log(after), np.log(before)
    shifted = x - math.log(1.05)
    if paired:
        found, plain = (stats.ttest_rel(z, y, alternative=side) for z in (shifted, x))
    else:
        found, plain = (
            stats.ttest_ind(z, y, equal_var=False, alternative=side) for z in (shifted, x)
        )
    return found.pvalue, plain.confidence_interval(0.95)


@pytest.mark.parametrize("paired", [True, False])
def test_scipy_and_holm(paired):
    compared = fm.comparison.compare_timings(BEFORE, AFTER, paired=paired)
    above = {name: by_scipy(BEFORE[name], AFTER[name], paired, "greater") for name in GROWTH}
    below = {name: by_scipy(BEFORE[name], AFTER[name], paired, "less") for name in GROWTH}
    adjusted = dict(
        zip(
            GROWTH,
            fm.comparison.adjust_pvalues([p for p, _ in above.values()], method="holm"),
            strict=True,
        )
    )
    for row in compared:
        name = row.name
        assert row.pvalue_worse == pytest.approx(adjusted[name], rel=1e-9)
        assert row.pvalue_not_worse == pytest.approx(below[name][0], rel=1e-9)
        low, high = np.exp([above[name][1].low, below[name][1].high])
        assert row.confidence_interval.low == pytest.approx(low, rel=1e-9)
        assert row.confidence_interval.high == pytest.approx(high, rel=1e-9)
        # What is not worse has an interval that ends below the margin, and the other way round.
        assert (row.decision == "not worse") == (high < 1.05)
        if row.decision == "worse":
            assert low > 1.05
    decisions = {row.name: row.decision for row in compared}
    assert decisions == {
        "same": "not worse",
        "near": "undecided",
        "slow": "worse",
        "fast": "not worse",
    }
    assert compared.decision == "worse"
    assert "1 worse" in repr(compared)


@pytest.mark.parametrize(
    ("names", "decision", "status"),
    [(["same", "fast"], "not worse", 0), (["same", "near"], "undecided", 3), (GROWTH, "worse", 1)],
)
def test_the_whole(names, decision, status):
    one, other = ({name: each[name] for name in names} for each in (BEFORE, AFTER))
    compared = fm.comparison.compare_timings(one, other, paired=True)
    assert (compared.decision, compared.exit_status) == (decision, status)
    assert ("two runs" in str(compared)) is False
    assert "two runs" in str(fm.comparison.compare_timings(one, other, paired=False))


@pytest.mark.parametrize("growth", [0.0, 0.03, 0.08])
def test_more_rounds_decide(growth):
    """So many rounds of the same mean and spread decide, and one fewer does not."""
    shape = np.array([-0.06, 0.0, 0.06])
    few = {"a": np.exp(growth + shape)}
    row = fm.comparison.compare_timings({"a": np.ones(3)}, few, paired=True)["a"]
    assert row.decision == "undecided"

    def decided(n):
        scores = stats.norm.ppf((np.arange(n) + 0.5) / n)
        scores *= shape.std(ddof=1) / scores.std(ddof=1)
        times = {"a": np.exp(growth + scores)}
        return fm.comparison.compare_timings({"a": np.ones(n)}, times, paired=True)["a"].decision

    n = 3 + row.more_rounds
    assert decided(n) == ("worse" if growth > math.log(1.05) else "not worse")
    assert decided(n - 1) == "undecided"


def test_what_no_rounds_decide():
    one = fm.comparison.compare_timings({"a": [1.0]}, {"a": [2.0]}, paired=False)["a"]
    assert one.decision == "undecided"
    assert one.more_rounds is None
    assert math.isnan(one.confidence_interval.low)
    at_the_margin = 1.05 * np.exp([-0.1, 0.1])
    row = fm.comparison.compare_timings({"a": [1.0, 1.0]}, {"a": at_the_margin}, paired=True)["a"]
    assert (row.decision, row.more_rounds) == ("undecided", None)


def test_times_that_do_not_vary():
    same = fm.comparison.compare_timings({"a": [1.0, 1.0]}, {"a": [1.0, 1.0]}, paired=False)
    assert same.decision == "not worse"
    assert (
        fm.comparison.compare_timings({"a": [1, 1]}, {"a": [2, 2]}, paired=True).decision == "worse"
    )


def test_size():
    """At the margin, of twenty works: any is called worse, or all not worse, one time in twenty."""
    rng, n_works, n_data = np.random.default_rng(3), 20, 400
    alarms = passed = 0
    for _ in range(n_data):
        before = {str(k): np.exp(rng.normal(0, 0.05, 8)) for k in range(n_works)}
        after = {str(k): 1.05 * np.exp(rng.normal(0, 0.05, 8)) for k in range(n_works)}
        alarms += fm.comparison.compare_timings(before, after, paired=True).decision == "worse"
        one = {"0": before["0"]}, {"0": after["0"]}
        passed += fm.comparison.compare_timings(*one, paired=True).decision == "not worse"
    bound = 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_data)
    assert 0 < alarms / n_data < bound
    assert 0 < passed / n_data < bound


@pytest.mark.parametrize(
    ("before", "after", "options", "message"),
    [
        ([1.0], {"a": [1.0]}, {}, "`before` must map the names of works to times: got list"),
        ({}, {}, {}, "`before` is empty"),
        ({"a": [1.0]}, {"b": [1.0]}, {}, "'a' is in one of them only, 2 in all"),
        ({"a": [1.0]}, {"a": [1.0, 0.0]}, {}, r"`after\['a'\]` must be above 0: got 0 at index 1"),
        ({"a": [1.0]}, {"a": [math.nan]}, {}, r"`after\['a'\]` must be finite"),
        ({"a": [1.0]}, {"a": []}, {}, r"`after\['a'\]` is empty"),
        ({"a": [1.0]}, {"a": [1.0, 2.0]}, {}, "of 'a', `before` has 1 and `after` 2"),
        ({"a": [1.0]}, {"a": [1.0]}, {"margin": 0.0}, "`margin` must be positive"),
        ({"a": [1.0]}, {"a": [1.0]}, {"confidence_level": 1.0}, "`confidence_level` must lie"),
        ({"a": [1.0]}, {"a": [1.0]}, {"paired": "yes"}, "`paired` must be one of True, False"),
    ],
)
def test_faults(before, after, options, message):
    with pytest.raises(ValueError, match=message):
        fm.comparison.compare_timings(before, after, **{"paired": True, **options})


def test_a_name_that_is_not_there():
    with pytest.raises(KeyError, match="did you mean 'slow'"):
        fm.comparison.compare_timings(BEFORE, AFTER, paired=True)["slwo"]
