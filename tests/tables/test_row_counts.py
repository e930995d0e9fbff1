"""Partners of rows, bins of bits and tables of regression."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import engine_sizes
import fastmetrics as fm
from fastmetrics import RegressionTable
from fastmetrics.tables.concordance import (
    RankPairs,
    count_pairs,
    count_rows,
    in_order,
    rank_values,
    sum_rows,
)
from fastmetrics.tables.pairs import pairs_of_weights
from fastmetrics.tables.regression import Terms
from public import public
from reference import concordance_oracle as oracle, regression_oracle

KINDS = {
    "distinct": (10**9, 10**9),
    "tied keys": (40, 10**9),
    "tied scores": (10**9, 300),
    "tied": (30, 200),
    "one score": (50, 1),
    "one key": (1, 50),
}
SLOPES = [(1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0)]


@pytest.mark.pairwise
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("leads", ["all", "some", "none"])
@pytest.mark.parametrize("n", [1, 2, 700, 5_000])
@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_sums_of_weights_of_1(rng, monkeypatch, kind, n, leads, turned) -> None:
    engine_sizes.put(monkeypatch, pair_job_rows=900)
    keys, scores = (rng.integers(0, most, n) for most in KINDS[kind])
    share = {"all": 1.0, "some": 0.5, "none": 0.0}[leads]
    ones = np.ones(n)
    by_keys = rank_values(keys)
    by_scores = rank_values(scores)
    is_lead = (rng.random(by_keys.n_ranks) < share)[by_keys.ranks]
    by_scores = by_scores.reverse() if turned else by_scores
    wanted = sum_rows(in_order(by_keys, by_scores), ones, is_lead.astype(np.float64))
    for threads in (1, 3):
        monkeypatch.setenv("FASTMETRICS_NUM_THREADS", str(threads))
        actual = count_rows(by_keys, by_scores, None if leads == "all" else is_lead)
        assert actual.totals() == wanted.totals()
        partners = [actual.influences(slopes, 0.25) for slopes in SLOPES]
        for slopes, each in zip(SLOPES, partners, strict=True):
            assert each.tolist() == wanted.influences(slopes, 0.25).tolist()
    assert actual.every(False) == (n * (n - 1) / 2, n - 1)


@pytest.mark.parametrize("n_values", [(3, 2), (40, 900), (10**6, 10**6)])
@pytest.mark.parametrize("n", [1, 2, 300])
def test_pairs_are_every_pair(rng, n_values, n) -> None:
    outcome, score = (rng.integers(0, most, n) for most in n_values)
    pairs = count_pairs(outcome, score)
    assert pairs[3:] == oracle.pairs(outcome.tolist(), score.tolist())
    assert pairs[:3] == (n, len(np.unique(score)), len(np.unique(outcome)))
    assert all(type(count) is int for count in pairs)


def test_pairs_of_a_run_beyond_64_bits() -> None:
    """Squares of runs are Python's integers where their sum might not fit."""
    n = (1 << 20) + 1
    pairs = count_pairs(np.zeros(n), np.arange(n))
    assert (pairs.tied_in_outcome, pairs.total) == (n * (n - 1) // 2,) * 2


def test_auc_is_somers_d_of_two_classes_to_the_bit(rng) -> None:
    labels = rng.integers(0, 2, 3_000)
    score = np.round(rng.normal(labels, 1.0), 2)
    rank_pairs = count_pairs(labels, score)
    table = fm.ScoreTable.from_scores(labels, score)
    class_pairs = pairs_of_weights(table.positives, table.negatives)
    assert 2 * rank_pairs.concordant + rank_pairs.tied_in_score == class_pairs.twice_concordant
    assert 2 * rank_pairs.discordant + rank_pairs.tied_in_score == class_pairs.twice_discordant
    over = rank_pairs.apart_in_outcome
    assert (over + rank_pairs.excess) / (2 * over) == fm.roc_auc_score(labels, score)
    assert fm.concordance.somers_d(labels, score) == rank_pairs.excess / over


def test_counts_of_pairs_are_of_any_size() -> None:
    huge = RankPairs(10**12, 9, 9, 10**23, 1, 10**20, 10**20, 7)
    assert huge.excess == 10**23 - 1
    assert huge.total == 10**12 * (10**12 - 1) // 2


POWERS = (-1.5, 1, 1.5, 2, 3)
FROM_SUMS = {
    "mean_squared_error": {},
    "root_mean_squared_error": {},
    "mean_absolute_error": {},
    "mean_absolute_percentage_error": {},
    "mean_squared_log_error": {},
    "root_mean_squared_log_error": {},
    "max_error": {},
    "mean_pinball_loss": {"alpha": 0.25},
    "r2_score": {},
    "explained_variance_score": {},
    "mean_poisson_deviance": {},
    "mean_gamma_deviance": {},
    **{f"mean_tweedie_deviance {power}": {"power": power} for power in (0, *POWERS)},
    **{f"d2_tweedie_score {power}": {"power": power} for power in (0, *POWERS)},
}

QUARTERS = st.integers(1, 60).map(lambda i: i / 4)
ROWS = st.lists(st.tuples(QUARTERS, QUARTERS, st.integers(0, 8).map(lambda i: i / 4)), min_size=1)


def table_of(rows: list[tuple[float, float, float]]) -> RegressionTable:
    y, p, w = np.array(rows).T
    return RegressionTable.from_arrays(y, p, sample_weight=w, log_errors=True, powers=POWERS)


@given(ROWS.filter(lambda rows: len({y for y, _, w in rows if w > 0}) > 1))
def test_metrics_of_a_table_are_those_of_the_definition(rows):
    data = regression_oracle.rows(*zip(*rows, strict=True))
    table = table_of(rows)
    for label, options in FROM_SUMS.items():
        name = label.split()[0]
        right = float(getattr(regression_oracle, name)(data, **options))
        assert public(name)(table, **options) == pytest.approx(right, rel=1e-11, abs=1e-12), label


@pytest.mark.parametrize("cuts", [[1], [1024, 1025], list(range(50, 3000, 50))])
def test_merged_parts_of_several_outputs_are_the_whole(rng, cuts):
    y = rng.gamma(2.0, 2.0, (3000, 3))
    p = y * rng.gamma(5.0, 0.2, (3000, 3))
    options = {"log_errors": True, "powers": POWERS}
    parts = zip(np.split(y, cuts), np.split(p, cuts), strict=True)
    merged = sum(RegressionTable.from_arrays(a, b, **options) for a, b in parts)
    whole = RegressionTable.from_arrays(y, p, **options)
    for what in ("under", "over", "squared_error", "relative_error", "squared_log_error", "target"):
        np.testing.assert_allclose(merged.mean(what), whole.mean(what), rtol=1e-14)
    for power, from_mean in itertools.product(POWERS, (False, True)):
        actual, right = (t.mean_deviance(power, from_mean=from_mean) for t in (merged, whole))
        np.testing.assert_allclose(actual, right, rtol=1e-12)


@pytest.mark.parametrize(("offset", "parts"), [(0.0, 1), (1e9, 500), (-3e12, 7)])
def test_r2_of_targets_far_from_zero_keeps_its_digits(rng, offset, parts):
    y = offset + rng.normal(size=4000)
    p = y + 0.25 * rng.normal(size=4000)
    pieces = zip(np.array_split(y, parts), np.array_split(p, parts), strict=True)
    table = sum(RegressionTable.from_arrays(a, b) for a, b in pieces)
    errors = [Fraction(a - b) for a, b in zip(y.tolist(), p.tolist(), strict=True)]
    exact = [Fraction(a) for a in y.tolist()]
    mean = sum(exact) / len(exact)
    right = 1 - sum(e * e for e in errors) / sum((a - mean) ** 2 for a in exact)
    assert fm.r2_score(table) == pytest.approx(float(right), rel=1e-14)
    bias = sum(errors) / len(errors)
    right = 1 - sum((e - bias) ** 2 for e in errors) / sum((a - mean) ** 2 for a in exact)
    assert fm.explained_variance_score(table) == pytest.approx(float(right), rel=1e-14)


@pytest.mark.parametrize("power", [1, 1.5, 2, 3, -1])
def test_deviance_from_the_mean_keeps_its_digits(rng, power):
    """Targets that hardly differ: the textbook's difference of two means has no digit left."""
    y = 1e6 * (1 + 1e-7 * rng.integers(-8, 9, 300))
    table = sum(
        RegressionTable.from_arrays(part, part, powers=[power]) for part in np.split(y, [10, 100])
    )
    data = regression_oracle.rows(y.tolist(), y.tolist())
    mean = sum(a for a, *_ in data) / len(data)
    right = regression_oracle.mean_tweedie_deviance([(a, mean, w) for a, _, w in data], power)
    assert table.mean_deviance(power, from_mean=True)[0] == pytest.approx(float(right), rel=1e-7)


def test_deviance_from_a_mean_that_is_positive_in_the_whole_only():
    y = np.array([-4.0, -2.0, 9.0, 8.0])
    p = np.array([1.0, 2.0, 7.0, 9.0])
    parts = [RegressionTable.from_arrays(y[i], p[i], powers=[-1.5]) for i in ([0, 1], [2, 3])]
    right = float(
        regression_oracle.d2_tweedie_score(regression_oracle.rows(y.tolist(), p.tolist()), -1.5)
    )
    assert fm.d2_tweedie_score(parts[0] + parts[1], power=-1.5) == pytest.approx(right, rel=1e-13)
    assert fm.d2_tweedie_score(parts[1] + parts[0], power=-1.5) == pytest.approx(right, rel=1e-13)


@pytest.mark.parametrize("unit", [1e-300, 1e300, 2.0**-1000])
def test_extreme_weights(unit):
    y = np.array([1.0, 2.0, 5.0])
    p = np.array([2.0, 2.0, 3.0])
    w = np.array([1.0, 2.0, 3.0])
    plain = RegressionTable.from_arrays(y, p, sample_weight=w, powers=[1])
    extreme = RegressionTable.from_arrays(y, p, sample_weight=w * unit, powers=[1])
    assert extreme.weight_exponent != 0
    assert extreme.total_weight == pytest.approx(6 * unit, rel=1e-15)
    both = extreme + extreme
    for metric in (fm.mean_squared_error, fm.r2_score, fm.mean_poisson_deviance):
        for table in (extreme, both):
            assert metric(table) == pytest.approx(metric(plain), rel=1e-14)
    mixed = plain + extreme
    heavier = plain if unit < 1 else extreme
    assert mixed.weight_exponent == min(0, extreme.weight_exponent)
    assert fm.mean_squared_error(mixed) == pytest.approx(fm.mean_squared_error(heavier), rel=1e-14)


def test_what_a_table_does_not_hold_is_named():
    table = RegressionTable.from_arrays([1, 2], [2, 2], powers=[0, 1])
    assert fm.mean_tweedie_deviance(table) == 0.5
    with pytest.raises(ValueError, match="holds no log errors: build it with `log_errors=True`"):
        fm.mean_squared_log_error(table)
    with pytest.raises(ValueError, match="holds no deviances of power 2: name it in `powers`"):
        fm.mean_gamma_deviance(table)
    with pytest.raises(TypeError, match="median_absolute_error needs the rows themselves"):
        fm.median_absolute_error(table, None)
    with pytest.raises(TypeError, match="d2_pinball_score needs the rows themselves"):
        fm.d2_pinball_score(table, None)
    for more in ({"y_pred": [1, 2]}, {"sample_weight": [1, 2]}):
        with pytest.raises(TypeError, match=f"`{next(iter(more))}` must be left out where"):
            fm.mean_squared_error(table, **more)


def test_what_a_table_does_not_hold_is_named_before_any_value_is_found():
    single = RegressionTable.from_arrays([2.0], [3.0])
    metrics = ["mean_squared_error", ("d2_tweedie_score", {"power": 1})]  # nan, of one row
    with pytest.raises(ValueError, match="holds no deviances of power 1"):
        fm.regression_metrics(single, metrics=metrics)


def test_terms_are_contained_in_those_that_ask_for_more():
    one = frozenset({(1.0, False)})
    two = frozenset({(1.0, True)})
    some = Terms(4, powers=two)
    for held in (Terms(), Terms(4), Terms(powers=one), Terms(4, False, two)):
        assert held in some
    for missing in (Terms(8), Terms(log_errors=True), Terms(0, True, two)):
        assert missing not in some
    assert some not in Terms(4, powers=one)


def test_the_rest_of_a_sum_is_not_lost():
    """Blocks of 1,024 small terms beside a sum so large that each alone would be rounded away."""
    gap = np.repeat([2.0**27, 1.0], [1024, 8 * 1024])
    exact = Fraction(1024 * 2**54 + 8 * 1024, 9 * 1024)
    assert fm.mean_squared_error(gap, np.zeros(len(gap))) == float(exact)
    assert fm.mean_squared_error(np.stack([gap, gap], 1), np.zeros((len(gap), 2))) == float(exact)


def test_tables_that_do_not_fit_are_not_added():
    table = RegressionTable.from_arrays([1, 2], [2, 2])
    with pytest.raises(ValueError, match="tables of 1 and of 2 outputs cannot be added"):
        table + RegressionTable.from_arrays([[1, 2]], [[2, 2]])
    with pytest.raises(ValueError, match="hold the same log errors and powers"):
        table + RegressionTable.from_arrays([1, 2], [2, 2], log_errors=True)
    with pytest.raises(TypeError, match="unsupported operand"):
        table + 1
    with pytest.raises(TypeError, match="unsupported operand"):
        1 + table
