"""Decision curves and the cheapest threshold: definitions, errors, weights, groups."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm, t as student

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from reference import row_cost_oracle as oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.SmallSampleWarning")


GRID = np.array([0.05, 0.2, 0.5, 0.7])
ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 10), st.integers(0, 3)), min_size=3, max_size=30
).filter(lambda rows: {y for y, _, w in rows if w} == {0, 1})


def by_rows(y, p, w, t, prevalence=None, standardized=False):
    """Return net benefit from its definition."""
    called = p >= t
    odds = t / (1 - t)
    share = (w * y).sum() / w.sum() if prevalence is None else prevalence
    tpr = (w * y * called).sum() / (w * y).sum()
    fpr = (w * (1 - y) * called).sum() / (w * (1 - y)).sum()
    actual = share * tpr - (1 - share) * fpr * odds
    return actual / share if standardized else actual


@pytest.mark.filterwarnings("ignore::fastmetrics.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@given(rows=ROWS, prevalence=st.sampled_from([None, 0.02]), standardized=st.booleans())
def test_definition(rows, prevalence, standardized) -> None:
    y, p, w = (np.array(column) for column in zip(*rows, strict=True))
    p = p / 10
    options = {"prevalence": prevalence, "standardized": standardized, "sample_weight": w}
    curve = fm.costs.decision_curve(y, p, thresholds=GRID, **options)
    for t, value in zip(GRID, curve.net_benefit[0], strict=True):
        expected = by_rows(y, p, w, t, prevalence, standardized)
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-14)
        single = fm.costs.net_benefit(y, p, threshold=t, **options)
        assert single == pytest.approx(expected, rel=1e-12, abs=1e-14)
        table = fm.ScoreTable.from_scores(y, p, sample_weight=w)
        more = {"prevalence": prevalence, "standardized": standardized}
        assert fm.costs.net_benefit(table, threshold=t, **more) == single
    everybody = [by_rows(y, p + 1, w, t, prevalence, standardized) for t in GRID]
    assert curve.treat_all == pytest.approx(everybody, rel=1e-12, abs=1e-14)


#: Family history and cancer among 750 men, and what R's dcurves makes of them at thresholds.
HISTORY = {(0, 0): 554, (0, 1): 81, (1, 0): 91, (1, 1): 24}
OF_R = [
    (0.05, 0.025614035087719297, -1.3133333333333335),
    (0.1, 0.018518518518518517, -0.2333333333333334),
    (0.2, 0.0016666666666666635, 0.3066666666666666),
    (0.35, -0.033333333333333354, 0.5380952380952382),
]


def history() -> tuple[np.ndarray, np.ndarray]:
    y, p = np.array([(y, p) for (p, y), n in HISTORY.items() for _ in range(n)]).T
    return y, p


def test_the_figures_of_dcurves() -> None:
    y, p = history()
    curve = fm.costs.decision_curve(y, p, thresholds=[row[0] for row in OF_R])
    assert curve.net_benefit[0] == pytest.approx([row[1] for row in OF_R], rel=1e-13)
    assert curve.interventions_avoided[0] == pytest.approx([row[2] for row in OF_R], rel=1e-12)
    assert curve.prevalence == 0.14


def sample(n: int = 300, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    a, b = (1 / (1 + np.exp(1 - d * y - rng.normal(size=n))) for d in (2.0, 1.2))
    return y, np.round(a, 2), np.round(b, 2)


def cost_factors(y, p, t):
    return np.where(p >= t, np.where(y == 1, 1.0, -t / (1 - t)), 0.0)


def test_errors_are_those_of_means_over_rows() -> None:
    y, a, b = sample()
    n = len(y)
    curve = fm.costs.decision_curve(y, {"a": a, "b": b}, thresholds=GRID)
    apart = fm.costs.decision_curve(y, {"a": a, "b": b}, reference="b", thresholds=GRID)
    ratio = fm.costs.decision_curve(y, a, thresholds=GRID, standardized=True)
    fixed = fm.costs.decision_curve(y, a, thresholds=GRID, prevalence=0.1)
    z = norm.ppf(0.975)
    for j, t in enumerate(GRID):
        benefit_a = cost_factors(y, a, t)
        benefit_b = cost_factors(y, b, t)
        for i, each in enumerate((benefit_a, benefit_b)):
            error = each.std(ddof=1) / math.sqrt(n)
            assert curve.standard_error[i, j] == pytest.approx(error, rel=1e-10)
            # one more of each: called of either class, and not called
            rare = [(x - each.mean()) / n for x in (1, -t / (1 - t), 0, 0)]
            wide = z * math.hypot(error, *rare)
            assert curve.low[i, j] == pytest.approx(each.mean() - wide, rel=1e-10)
            assert curve.high[i, j] == pytest.approx(each.mean() + wide, rel=1e-10)
        assert apart.net_benefit[0, j] == pytest.approx((benefit_a - benefit_b).mean(), rel=1e-10)
        error = (benefit_a - benefit_b).std(ddof=1) / math.sqrt(n)
        assert apart.standard_error[0, j] == pytest.approx(error, rel=1e-10)
        linear = (benefit_a - ratio.net_benefit[0, j] * y) / y.mean()
        error = linear.std(ddof=1) / math.sqrt(n)
        assert ratio.standard_error[0, j] == pytest.approx(error, rel=1e-10)
        parts = [
            share * benefit_a[y == k].std(ddof=1) / math.sqrt((y == k).sum())
            for k, share in ((1, 0.1), (0, 0.9))
        ]
        assert fixed.standard_error[0, j] == pytest.approx(math.hypot(*parts), rel=1e-10)


def test_simultaneous_bands_are_wider_and_come_again() -> None:
    y, a, b = sample()
    models = {"a": a, "b": b}
    for reference in (None, "b"):
        more = {"kind": "simultaneous", "reference": reference}
        wide = fm.costs.decision_curve(y, models, rng=1, **more)
        narrow = fm.costs.decision_curve(y, models, reference=reference)
        assert (wide.high - wide.low >= narrow.high - narrow.low).all()
        assert fm.costs.decision_curve(y, models, rng=wide.key, **more) == wide
        assert np.ravel(narrow.critical_value) == pytest.approx(norm.ppf(0.975))
        assert (np.ravel(wide.critical_value) > 2.3).all()
        assert (np.ravel(wide.critical_value) < 3.5).all()


def test_groups_of_one_row_have_errors_of_rows_and_limits_of_student() -> None:
    y, a, b = sample()
    for more in ({}, {"reference": "b"}):
        data = {"y_true": y, "scores": {"a": a, "b": b}, "thresholds": GRID, **more}
        groups = np.arange(len(y))
        rows = fm.costs.decision_curve(**data)
        apart = fm.costs.decision_curve(**data, groups=groups)
        assert apart.standard_error == pytest.approx(rows.standard_error, rel=1e-9)
        assert (apart.high - apart.low > rows.high - rows.low).all()
        band = {**data, "groups": groups, "kind": "simultaneous", "rng": 1}
        assert (fm.costs.decision_curve(**band).low < apart.low).all()
        with pytest.warns(UndefinedMetricWarning, match="all rows are of one group"):
            one = fm.costs.decision_curve(**data, groups=np.zeros(len(y)))
        assert np.isnan(one.low).all()
        assert (one.net_benefit == rows.net_benefit).all()
        with pytest.warns(fm.SmallSampleWarning, match="there are 4 groups"):
            fm.costs.decision_curve(**data, groups=groups % 4)


def test_the_largest_of_one_threshold_is_normal() -> None:
    y, a, _ = sample()
    one = fm.costs.decision_curve(y, a, thresholds=[0.3], kind="simultaneous", rng=1)
    assert one.critical_value[0] == pytest.approx(norm.ppf(0.975), rel=0.02)


def test_nobody_called_has_no_error_but_limits() -> None:
    y, a, _ = sample()
    curve = fm.costs.decision_curve(
        y, a / 2, thresholds=[0.2, 0.6, 0.9], kind="simultaneous", rng=1
    )
    assert curve.net_benefit[0, 1:].tolist() == [0.0, 0.0]
    assert (curve.low[0, 1:] < 0).all()
    assert curve.low[0].tolist() == (2 * curve.net_benefit[0] - curve.high[0]).tolist()
    assert curve.standard_error[0, 0] > 0 == curve.standard_error[0, 1]
    assert not fm.costs.decision_curve(y, {"a": a, "b": a}, reference="b").standard_error.any()


@pytest.mark.parametrize("options", [{"standardized": True}, {"prevalence": 0.3}])
def test_no_mistake_has_limits(options) -> None:
    y, p = [0, 0, 1, 1, 1], [0.1, 0.2, 0.6, 0.7, 0.8]
    curve = fm.costs.decision_curve(y, p, thresholds=[0.15, 0.3, 0.5], **options)
    assert (curve.standard_error[0] > 0).tolist() == [True, False, False]
    assert (curve.low < curve.net_benefit).all()
    several = {"a": p, "b": [0.6, 0.2, 0.1, 0.1, 0.7]}
    apart = fm.costs.decision_curve(y, several, reference="b", thresholds=[0.5], **options)
    assert apart.low[0, 0] < 0.3


def test_positives_that_nobody_calls_differently_could_be() -> None:
    y = [1] * 20 + [0] * 130
    models = {
        "a": [0.5] * 20 + [0.04] * 10 + [0.5] * 120,
        "b": [0.5] * 20 + [0.06] * 10 + [0.5] * 120,
    }
    curve = fm.costs.decision_curve(y, models, reference="b", thresholds=[0.05])
    # by hand: ten negatives of b alone, and half a row more of each of four kinds
    odds = 0.05 / 0.95
    n = 150
    value = odds * 10 / n
    rows = 10 * (odds - value) ** 2 + 140 * value**2
    more = [odds - value, -odds - value, 1 - value, -1 - value]
    error = math.sqrt(rows / n / (n - 1) + 0.5 * sum((x / n) ** 2 for x in more))
    assert curve.net_benefit[0, 0] == pytest.approx(value)
    assert curve.standard_error[0, 0] == pytest.approx(math.sqrt(rows / n / (n - 1)))
    assert curve.high[0, 0] - value == pytest.approx(norm.ppf(0.975) * error, rel=1e-10)
    assert curve.low[0, 0] < 0 < curve.high[0, 0]


def test_a_positive_that_nobody_missed_could_be() -> None:
    y, p = [1] * 25 + [0] * 125, [0.9] * 25 + [0.5] * 60 + [0.01] * 65
    curve = fm.costs.decision_curve(y, p, thresholds=[0.05], prevalence=0.17)
    missed = 0.17 / 25  # what one positive less called takes away
    assert curve.low[0, 0] < curve.net_benefit[0, 0] - 1.9 * missed


FAULTS = [
    ({"p": [0.1, 1.2, 0.3, 0.4]}, ValueError, r"must lie in \[0, 1\]: from 0.1 to 1.2"),
    ({"p": [-0.1, 0.2, 0.3, 0.4]}, ValueError, r"must lie in \[0, 1\]: from -0.1 to 0.4"),
]


@pytest.mark.parametrize(("given_", "error", "message"), FAULTS)
def test_faults(given_, error, message) -> None:
    given_ = dict(given_)
    p = given_.pop("p", [0.1, 0.2, 0.3, 0.4])
    y = [0, 1, 0, 1]
    with pytest.raises(error, match=message):
        fm.costs.decision_curve(y, p, **given_)
    with pytest.raises(error, match=message):
        fm.costs.net_benefit(y, p, threshold=0.5, **given_)
    with pytest.raises(error, match=message):
        fm.costs.decision_curve(y, {"a": [0.1] * 4, "b": p}, reference="b", **given_)


def test_no_positive_is_told() -> None:
    with pytest.warns(UndefinedMetricWarning, match="there is no positive example"):
        assert math.isnan(fm.costs.net_benefit([0, 0], [0.1, 0.2], threshold=0.5))


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
@pytest.mark.parametrize("standardized", [False, True])
@pytest.mark.parametrize("prevalence", [None, 0.3])
@pytest.mark.parametrize(
    ("y", "missing"),
    [([0] * 3, "no positive"), ([1] * 3, "no negative"), ([0, 1, 1], "one negative")],
)
def test_a_class_without_rows_or_spread(y, missing, prevalence, standardized, kind) -> None:
    models = {"a": [0.2, 0.6, 0.7], "b": [0.6, 0.2, 0.9]}
    options = {"thresholds": [0.3, 0.5], "prevalence": prevalence, "standardized": standardized}
    is_defined = missing.startswith("one")
    if is_defined and prevalence is None:
        return
    for reference in (None, "b"):
        with pytest.warns(UndefinedMetricWarning, match=f"not defined: there is {missing} ex"):
            curve = fm.costs.decision_curve(
                y, models, reference=reference, **options, kind=kind, rng=1
            )
        assert (np.isnan(curve.net_benefit) != is_defined).all()
        for column in (curve.low, curve.high, curve.standard_error):
            assert np.isnan(column).all()


def test_a_frame_names_its_models() -> None:
    y, a, b = sample()
    frame = pd.DataFrame({"a": a, "b": b})
    assert fm.costs.decision_curve(y, frame) == fm.costs.decision_curve(y, {"a": a, "b": b})
    assert fm.costs.decision_curve(y, np.c_[a, b], names=["a", "b"]).names == ("a", "b")


def test_many_thresholds_are_not_counted_in_cells() -> None:
    y, a, b = sample(n=30)
    actual = [
        fm.costs.decision_curve(y, {"a": a, "b": b}, reference="b", thresholds=grid)
        for grid in (np.arange(1, 1000) / 1000, np.arange(1, 10) / 10)
    ]
    np.testing.assert_allclose(
        actual[0].standard_error[0, 99::100], actual[1].standard_error[0], rtol=1e-10
    )


ROWS_THRESHOLD_COST = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 6), st.integers(1, 9), st.integers(1, 9)),
    min_size=3,
    max_size=25,
).filter(lambda rows: {row[0] for row in rows} == {0, 1})


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@given(rows=ROWS_THRESHOLD_COST)
def test_each_row_is_left_out(rows: list[tuple[int, ...]]) -> None:
    y, s, fn, fp = (np.array(column) for column in zip(*rows, strict=True))
    interval = fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp)
    true = [oracle.Row(a, b, Fraction(c), Fraction(d)) for a, b, c, d in rows]
    assert (interval.threshold, interval.cost) == pytest.approx(oracle.cheapest(true), rel=1e-15)
    assert interval.left_out_cost == pytest.approx(float(oracle.left_out(true)), rel=1e-13)
    assert interval.threshold_interval.low <= interval.threshold <= interval.threshold_interval.high
    low, high = interval.confidence_interval
    assert low <= interval.cost * (1 + 1e-12)
    assert interval.left_out_cost <= high * (1 + 1e-12)
    costs = fm.costs.threshold_costs(y, s, cost_fn=fn, cost_fp=fp)
    for name in ("threshold", "cost", "cost_all_positive", "cost_all_negative"):
        assert getattr(interval, name) == pytest.approx(getattr(costs, name), rel=1e-15)


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@given(rows=ROWS_THRESHOLD_COST)
def test_tenths_are_left_out_as_whole_numbers_are(rows: list[tuple[int, ...]]) -> None:
    y, s, fn, fp = (np.array(column) for column in zip(*rows, strict=True))
    interval = fm.costs.threshold_cost_interval(y, s, cost_fn=fn / 10, cost_fp=fp / 10)
    true = [oracle.Row(a, b, Fraction(int(c)), Fraction(int(d))) for a, b, c, d in rows]
    assert interval.left_out_cost == pytest.approx(float(oracle.left_out(true) / 10), rel=1e-13)


def data(n: int = 400, seed: int = 1) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return y, np.round(y + rng.normal(size=n), 1), rng.integers(1, 100, n), rng.integers(1, 20, n)


def test_limits_of_a_given_threshold_are_those_of_a_mean() -> None:
    y, s, fn, fp = data()
    interval = fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp, threshold=0.5)
    losses = np.where(y == 1, fn * (s < 0.5), fp * (s >= 0.5))
    mean = losses.mean()
    error = losses.std(ddof=1) / math.sqrt(len(y))
    factor = math.exp(norm.ppf(0.975) * error / mean)
    assert interval.confidence_interval.low == pytest.approx(mean / factor, rel=1e-12)
    assert interval.confidence_interval.high == pytest.approx(mean * factor, rel=1e-12)
    assert interval.cost == interval.left_out_cost == pytest.approx(mean, rel=1e-14)
    assert tuple(interval.threshold_interval) == (0.5, 0.5)


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_the_metric_of_two_prices_has_the_same_error(prevalence: float | None) -> None:
    y, s, _, _ = data()
    prices = {"cost_fn": 5.0, "cost_fp": 1.0, "prevalence": prevalence}
    interval = fm.costs.threshold_cost_interval(y, s, **prices, threshold=0.5)
    one = fm.estimate(y, s, metrics=[("expected_cost", prices)], threshold=0.5)["expected_cost"]
    low, high = interval.confidence_interval
    assert one.estimate == pytest.approx(interval.cost, rel=1e-12)
    error = math.log(high / low) / 2 / norm.ppf(0.975) * interval.cost
    assert one.standard_error == pytest.approx(error, rel=1e-12)
    if prevalence is None:  # on the same scale, by Student's t
        low, high = one.confidence_interval
        assert low * high == pytest.approx(interval.cost**2, rel=1e-12)


def test_thresholds_that_are_not_dearer() -> None:
    """A threshold is inside when the rows between it and the best do not tell them apart."""
    y, s, fn, fp = data()
    interval = fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp)
    candidates = np.array([math.inf, *np.unique(s)[::-1]])
    inside = []
    for t in candidates:
        sign = (s >= t).astype(int) - (s >= interval.threshold)
        change = np.where(y == 1, -fn * sign, fp * sign)
        if change.sum() <= norm.ppf(0.975) * math.sqrt(np.square(change).sum()):
            inside.append(t)
    assert interval.threshold_interval.high == max(inside)
    lower = np.unique(s)
    assert interval.threshold_interval.low == lower[lower < min(inside)].max()


def test_equal_importances_are_no_weights() -> None:
    y, s, fn, fp = data()
    weighted = fm.costs.threshold_cost_interval(
        y, s, cost_fn=fn, cost_fp=fp, sample_weight=np.full(len(y), 0.5)
    )
    plain = fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp)
    for name in ("threshold", "cost", "left_out_cost", "confidence_interval", "threshold_interval"):
        got = getattr(weighted, name)
        assert np.ravel(got) == pytest.approx(np.ravel(getattr(plain, name)), rel=1e-12), name


def test_a_table_of_counts_holds_rows_enough() -> None:
    y, s, _, _ = data()
    for prevalence in (None, 0.1):
        costs = {"cost_fn": 7, "cost_fp": 2, "prevalence": prevalence}
        from_rows = fm.costs.threshold_cost_interval(y, s, **costs)
        from_table = fm.costs.threshold_cost_interval(fm.ScoreTable.from_scores(y, s), **costs)
        for name in ("threshold", "cost", "left_out_cost", "savings", "cost_at_half"):
            expected = pytest.approx(getattr(from_rows, name), rel=1e-12, nan_ok=True)
            assert getattr(from_table, name) == expected, name
        for name in ("confidence_interval", "threshold_interval"):
            got = tuple(getattr(from_table, name))
            assert got == pytest.approx(tuple(getattr(from_rows, name)), rel=1e-12), name


def test_no_mistake_is_told() -> None:
    with pytest.warns(DegenerateDataWarning, match="no mistake costs anything on these data"):
        interval = fm.costs.threshold_cost_interval(
            [0, 0, 1, 1], [1, 2, 3, 4], cost_fn=1, cost_fp=0.001, threshold=3
        )
    assert tuple(interval.confidence_interval) == (0.0, 0.0)


@pytest.mark.parametrize("y", [[0, 0, 0, 1], [1, 1, 1, 0]])
@pytest.mark.parametrize("weights", [None, "importances", "frequencies"])
def test_one_row_of_a_class_has_no_spread(y, weights) -> None:
    options = {} if weights is None else {"sample_weight": [1] * 4, "weights_are": weights}
    options |= {"cost_fn": 1, "cost_fp": 1, "prevalence": 0.2}
    missing = "positive" if sum(y) == 1 else "negative"
    for threshold in (None, 2):
        with pytest.warns(UndefinedMetricWarning, match=f"cost is not defined: .* one {missing} "):
            interval = fm.costs.threshold_cost_interval(
                y, [1, 2, 3, 4 if sum(y) == 1 else 0], threshold=threshold, **options
            )
        assert interval.left_out_cost > 0
        assert np.isnan(tuple(interval.confidence_interval)).all()


ROWS_THRESHOLD_COST_GROUPS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.integers(0, 6),
        st.integers(1, 9),
        st.integers(1, 9),
        st.integers(0, 5),
        st.integers(1, 3),
    ),
    min_size=3,
    max_size=30,
).filter(lambda rows: len({row[0] for row in rows}) == 2 <= len({row[4] for row in rows}))


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.parametrize("weights_are", [None, "importances", "frequencies"])
@pytest.mark.parametrize("unit", [1, 10])
@given(rows=ROWS_THRESHOLD_COST_GROUPS)
def test_each_group_is_left_out(unit, weights_are, rows) -> None:
    y, s, fn, fp, groups, w = (np.array(column) for column in zip(*rows, strict=True))
    weights = {} if weights_are is None else {"sample_weight": w, "weights_are": weights_are}
    interval = fm.costs.threshold_cost_interval(
        y, s, cost_fn=fn / unit, cost_fp=fp / unit, groups=groups, **weights
    )
    used = w if weights else np.ones(len(y), int)
    rows_of = zip(y, s, fn, fp, used, strict=True)
    true = [
        oracle.Row(a, b, Fraction(int(c)), Fraction(int(d)), int(e)) for a, b, c, d, e in rows_of
    ]
    expected = float(oracle.left_out(true, groups.tolist()) / unit)
    assert interval.left_out_cost == pytest.approx(expected, rel=1e-12)
    threshold, cost = oracle.cheapest(true)
    assert (interval.threshold, interval.cost * unit) == pytest.approx((threshold, cost), rel=1e-13)


def data_threshold_cost_groups(n: int = 400, seed: int = 1) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    groups = np.sort(rng.integers(0, 60, n))
    y = (rng.random(n) < 0.3).astype(int)
    s = np.round(y + rng.normal(size=60)[groups] + rng.normal(size=n), 1)
    return y, s, rng.integers(1, 100, n), rng.integers(1, 20, n), groups


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_a_given_threshold_has_the_interval_of_the_metric(prevalence) -> None:
    """The interval is that of `estimate` at the threshold, on the scale of the logarithm."""
    y, s, _, _, groups = data_threshold_cost_groups()
    prices = {"cost_fn": 5.0, "cost_fp": 1.0, "prevalence": prevalence}
    interval = fm.costs.threshold_cost_interval(y, s, **prices, threshold=0.5, groups=groups)
    asked = [("expected_cost", prices)]
    one = fm.estimate(y, s, metrics=asked, threshold=0.5, groups=groups)["expected_cost"]
    assert interval.cost == interval.left_out_cost == pytest.approx(one.estimate, rel=1e-12)
    low, high = interval.confidence_interval
    half = student.ppf(0.975, one.df) * one.standard_error / one.estimate
    assert (low, high) == pytest.approx(
        (one.estimate * math.exp(-half), one.estimate * math.exp(half)), rel=1e-12
    )
    if prevalence is None:
        assert (low, high) == pytest.approx(tuple(one.confidence_interval), rel=1e-12)


def test_repeated_rows_say_no_more() -> None:
    y, s, fn, fp, _ = data_threshold_cost_groups()
    once = fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp, groups=np.arange(len(y)))
    y, s, fn, fp, groups = (np.repeat(each, 3) for each in (y, s, fn, fp, np.arange(len(y))))
    thrice = fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp, groups=groups)
    for name in ("threshold", "cost", "left_out_cost", "confidence_interval", "threshold_interval"):
        got = getattr(thrice, name)
        assert np.ravel(got) == pytest.approx(np.ravel(getattr(once, name)), rel=1e-9), name


def test_few_groups_are_told() -> None:
    y, s, fn, fp, groups = data_threshold_cost_groups()
    with pytest.warns(fm.SmallSampleWarning, match="there are 4 groups"):
        fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp, groups=groups // 15)
    with pytest.warns(fm.UndefinedMetricWarning, match="one positive example only"):
        interval = fm.costs.threshold_cost_interval(
            y, s, cost_fn=1, cost_fp=1, prevalence=0.1, groups=np.where(y == 1, 99, groups)
        )
    assert np.isnan(tuple(interval.confidence_interval)).all()
