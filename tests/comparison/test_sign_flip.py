"""Signs that flip, sums of random signs, ranks of Walsh averages, tables of tests."""

import json
import math
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from rank_samples import DEMSAR, DEMSAR_NAMES, graded
from scipy import stats

from fastmetrics._kernels import resampling
from fastmetrics.comparison import (
    compare_table,
    friedman_test,
    mcnemar_test,
    nemenyi_test,
    sign_flip_test,
)
from fastmetrics.comparison.paired import BATCH, random_sums, starts_of_ties, walsh_averages
from fastmetrics.errors import DegenerateDataWarning
from reference import paired_tests_oracle as oracle

sign_flip = partial(sign_flip_test, higher_is_better=False)
friedman = partial(friedman_test, higher_is_better=True)
compare = partial(compare_table, higher_is_better=True)

ALTERNATIVES = ("two-sided", "less", "greater")


@given(
    st.lists(st.integers(-6, 6), min_size=1, max_size=9),
    st.sampled_from([1, 10, 100]),
    st.sampled_from(ALTERNATIVES),
)
def test_every_choice_of_signs(values, divisor, alternative):
    if not any(values):
        return
    exact = oracle.sign_flip_pvalue(oracle.fractions(values), alternative)
    # decimals, whose sums round: 0.1 + 0.2 ties with 0.3
    test = sign_flip(np.array(values) / divisor, alternative=alternative)
    assert test.pvalue == pytest.approx(float(exact), rel=1e-12)
    assert test.effect_size == pytest.approx(sum(values) / len(values) / divisor, abs=1e-15)
    assert test.method.endswith("exact")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [5, 14])
def test_scipy(n, alternative, rng):
    values = rng.normal(0.4, 1, n)
    peer = stats.permutation_test(
        (values,),
        lambda v, axis: v.mean(axis=axis),
        permutation_type="samples",
        alternative=alternative,
        n_resamples=np.inf,
        vectorized=True,
    )
    test = sign_flip(values, alternative=alternative, method="exact")
    assert (test.statistic, test.pvalue) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-12)


def test_more_differences_than_could_be_enumerated(rng):
    """30 differences: 2^30 choices. The tails of both sides and the atom add up."""
    values = rng.integers(1, 40, 30) * rng.choice([-1, 1], 30)
    total = int(values.sum())
    weights = {0: 1}
    for value in values.tolist():
        after: dict[int, int] = {}
        for at, ways in weights.items():
            for step in (value, -value):
                after[at + step] = after.get(at + step, 0) + ways
        weights = after
    extreme = sum(ways for at, ways in weights.items() if at >= total)
    test = sign_flip(values, alternative="greater")
    assert test.pvalue == pytest.approx(extreme / 2**30, rel=1e-12)


def test_zero_one_losses_are_mcnemars_exact_test(rng):
    a = rng.random(5000) < 0.30
    b = rng.random(5000) < 0.28
    test = sign_flip(a, b)
    assert test.method.endswith("exact")
    e01 = int(np.sum(a & ~b))
    e10 = int(np.sum(b & ~a))
    assert test.details["n_zero"] == 5000 - e01 - e10
    expected = mcnemar_test(e01=e01, e10=e10, method="exact").pvalue
    assert test.pvalue == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_random_signs(alternative, rng):
    values = rng.normal(0.25, 1, 35)
    exact = sign_flip(values, alternative=alternative)
    options = {"method": "monte-carlo", "n_resamples": 4999, "alternative": alternative}
    test = sign_flip(values, rng=4, **options)
    assert test.method.endswith("Monte Carlo")
    error = math.sqrt(exact.pvalue * (1 - exact.pvalue) / 4999)
    assert abs(test.pvalue - exact.pvalue) < 4 * error + 1 / 5000
    assert test.pvalue * 5000 == pytest.approx(round(test.pvalue * 5000))
    assert sign_flip(values, rng=4, **options).pvalue == test.pvalue
    assert sign_flip(values, rng=5, **options).pvalue != test.pvalue


def test_random_signs_are_never_sure(rng):
    test = sign_flip(rng.random(300) + 1, rng=1, n_resamples=99)
    assert test.pvalue == 1 / 100
    assert test.method.endswith("Monte Carlo")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_models_that_do_not_differ(alternative):
    with pytest.warns(DegenerateDataWarning, match="all differences are 0"):
        test = sign_flip([0.3, 0.2], [0.3, 0.2], alternative=alternative)
    assert (test.statistic, test.pvalue, test.reject, test.better) == (0, 1, False, None)


def test_constant_differences_leave_one_choice_of_signs_on_each_side():
    test = sign_flip([0.1] * 8)
    assert test.pvalue == pytest.approx(2 / 2**8)
    assert test.better == "B"
    assert sign_flip([0.3, 0.4, 0.7, 0.8], [0.2, 0.3, 0.6, 0.7]).pvalue == pytest.approx(2 / 2**4)


def test_a_mean_of_zero_is_zero_in_spite_of_rounding():
    test = sign_flip([0.1, 0.2, -0.3])
    assert (test.statistic, test.pvalue, test.better) == (0, 1, None)


def test_small_differences_count_beside_large_ones():
    values = [10**12, 1, 2, -4]
    exact = oracle.sign_flip_pvalue(oracle.fractions(values), "two-sided")
    assert sign_flip(values).pvalue == float(exact)


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_extreme_magnitudes(size):
    values = np.array([1.0, 2.0, -1.5, 3.0])
    usual = sign_flip(values)
    extreme = sign_flip(values * size)
    assert extreme.pvalue == usual.pvalue
    assert extreme.statistic == pytest.approx(usual.statistic * size)


KEY, OTHER_KEY = np.array([[1, 2], [3, 4]], np.uint64)
BLOCK = 16 * 128


def signs(n: int, batch: int) -> np.ndarray:
    """Return the signs of n numbers in each choice of a batch, from Philox's words."""
    actual = np.empty((BATCH, n))
    for block in range(-(-n // BLOCK)):
        words = np.empty(2 * 16 * BATCH, np.uint64)
        resampling.philox(KEY, 0, block, batch, resampling.BITS, 16 * BATCH, words)
        coins = np.unpackbits(words.view(np.uint8), bitorder="little").reshape(2, 16, BATCH, 64)
        block_coins = coins.transpose(2, 1, 0, 3).reshape(BATCH, BLOCK)[:, : n - block * BLOCK]
        actual[:, block * BLOCK : block * BLOCK + BLOCK] = 2.0 * block_coins - 1.0
    return actual


@pytest.mark.parametrize("n", [1, 7, 8, 127, 129, BLOCK, BLOCK + 1, 5_000])
def test_sums_are_those_of_the_words_signs(n, rng):
    values = rng.integers(-1000, 1000, n).astype(np.float64)
    actual = random_sums(values, 4 * BATCH, KEY).reshape(4, BATCH)
    for batch in (0, 3):
        assert (actual[batch] == signs(n, batch) @ values).all()


def test_more_choices_are_the_same_ones_and_others(rng):
    values = rng.normal(size=300)
    actual = random_sums(values, 2 * BATCH + 5, KEY)
    assert len(actual) == 2 * BATCH + 5
    assert (random_sums(values, BATCH - 1, KEY) == actual[: BATCH - 1]).all()
    assert (random_sums(values, 5, OTHER_KEY) != actual[:5]).all()
    assert len(np.unique(actual)) == len(actual)


def test_random_sums_are_as_wide_as_signs_make_them():
    values = np.arange(1.0, 1001.0)
    actual = random_sums(values, 50_000, KEY)
    deviation = math.sqrt((values**2).sum())
    assert np.all(np.abs(actual) <= values.sum())
    assert np.all(actual % 2 == values.sum() % 2)
    assert abs(actual.mean()) < 4 * deviation / math.sqrt(50_000)
    assert actual.std() == pytest.approx(deviation, rel=4 / math.sqrt(2 * 50_000))


KINDS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "whole": lambda rng, n: np.round(3 * rng.normal(size=n)),
    "decimals": lambda rng, n: np.round(rng.normal(size=n), 3) - np.round(rng.normal(size=n), 3),
    "signs": lambda rng, n: rng.integers(-1, 2, n).astype(np.float64),
    "half zero": lambda rng, n: rng.normal(size=n) * (rng.random(n) < 0.5),
    "lattice": lambda rng, n: rng.permutation(n).astype(np.float64),
    "two clusters": lambda rng, n: rng.integers(0, 2, n) + 1e-9 * rng.normal(size=n),
    "two scales": lambda rng, n: rng.normal(size=n) * 1e20 ** rng.integers(0, 2, n),
    "an outlier": lambda rng, n: np.append(rng.normal(size=n - 1), -1e300),
    "heavy tails": lambda rng, n: np.exp(40 * rng.normal(size=n)),
    "equal": lambda _, n: np.full(n, 0.1),
    "the largest": lambda _, n: np.linspace(-1, 1, n) * np.finfo(np.float64).max,
    "subnormal": lambda _, n: np.linspace(-1, 1, n) * 1e-310,
    "far from 0": lambda rng, n: 2.0**52 + rng.integers(0, 9, n),
}


def all_averages(values):
    """Return them sorted; as sums of halves, none of which overflows."""
    i, j = np.triu_indices(len(values))
    return np.sort(values[i] / 2 + values[j] / 2)


@pytest.mark.parametrize("n", [1, 2, 40, 512, 513, 1500])
@pytest.mark.parametrize("kind", KINDS)
def test_ranks_without_all_averages(kind, n, rng):
    values = KINDS[kind](rng, n)
    want = all_averages(values)
    ranks = {1, 2, len(want) // 3, len(want) // 2, len(want) // 2 + 1, len(want) - 1, len(want)}
    spans = [(rank, rank) for rank in sorted(ranks) if 1 <= rank <= len(want)]
    spans += [(a, b) for (a, _), (b, _) in pairwise(spans) if b == a + 1]
    assert walsh_averages(values, *spans) == [(want[a - 1], want[b - 1]) for a, b in spans]


@pytest.mark.parametrize("kind", KINDS)
def test_ranks_of_many(kind, rng):
    """So many that samples are taken; averages are counted row by row."""
    values = np.sort(KINDS[kind](rng, 6_000))
    count = 6_000 * 6_001 // 2
    halves = values / 2
    for rank in (1, count // 5, count // 2):
        ((value, after),) = walsh_averages(values, (rank, rank + 1))
        below = up_to = 0
        for i, half in enumerate(halves):
            row = half + halves[i:]
            below += np.count_nonzero(row < value)
            up_to += np.count_nonzero(row <= value)
        assert below < rank <= up_to
        assert (after > value) == (rank == up_to)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=12))
def test_medians_of_any_numbers(values):
    values = np.array(values)
    want = all_averages(values)
    middle = (len(want) + 1) // 2, len(want) // 2 + 1
    assert walsh_averages(values, middle) == [(want[middle[0] - 1], want[middle[1] - 1])]


def test_ranks_of_a_hundred_thousand_differences(rng):
    values = rng.normal(0.01, 1, 100_000)
    rank = 100_000 * 100_001 // 8
    ((value, _),) = walsh_averages(values, (rank, rank))
    i, j = rng.integers(0, 100_000, (2, 400_000))
    share = np.mean((values[i] + values[j]) / 2 <= value)
    assert share == pytest.approx(0.25, abs=4 * math.sqrt(0.25 * 0.75 / 200_000))


def test_equal_differences_share_the_greatest_rounding():
    """Whichever comes last: the order of rows changes nothing."""
    ordered = np.array([1.0, 1.0, 1.5, 3.0])
    for roundings in ([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]):
        assert starts_of_ties(ordered, np.array(roundings)).tolist() == [0, 3]


NAMES = ("a", "b", "c", "d")
SETS = tuple(f"set {i}" for i in range(8))


@pytest.fixture(scope="module")
def table():
    return graded(8, 4, 0.3, seed=1)


def test_the_parts_are_those_of_the_single_calls(table):
    whole = compare(table, names=NAMES, datasets=SETS)
    alone = friedman(table, names=NAMES)
    nemenyi = nemenyi_test(table, higher_is_better=True, names=NAMES)
    assert repr(whole.friedman) == repr(alone)
    assert whole.post_hoc.to_dict() == nemenyi.to_dict()
    assert whole.datasets == SETS
    assert whole.mean_ranks == dict(
        sorted(zip(NAMES, alone.mean_ranks, strict=True), key=lambda item: item[1])
    )
    assert not whole.ranks.flags.writeable
    assert (whole.scores == table).all()


def test_the_best_come_first():
    whole = compare(-np.array(DEMSAR), names=DEMSAR_NAMES, confidence_level=0.9)
    assert list(whole.mean_ranks) == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    assert list(whole.mean_ranks.values()) == [27.5 / 14, 28 / 14, 40.5 / 14, 44 / 14]
    assert whole.post_hoc.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


@pytest.mark.parametrize("kind", ["pandas index", "pandas", "polars", "arrow", "mapping"])
def test_names_come_from_the_table(kind, table):
    frame = pd.DataFrame(table, columns=NAMES)
    given = {
        "pandas index": frame.set_index(pd.Index(SETS)),
        "pandas": frame,
        "polars": pl.DataFrame(frame.to_dict("list")),
        "arrow": pa.table(frame.to_dict("list")),
        "mapping": frame.to_dict("list"),
    }[kind]
    whole = compare(given, datasets=None if kind == "pandas index" else SETS)
    assert whole.names == NAMES
    assert whole.datasets == SETS
    assert (whole.scores == table).all()


def test_where_friedman_takes_permutations():
    table = graded(20, 9, 0.01)
    first = compare_table(table, higher_is_better=False, rng=3, n_resamples=199)
    again = compare_table(table, higher_is_better=False, rng=first.friedman.key, n_resamples=199)
    assert first.friedman.pvalue_method == "permutation"
    assert again.friedman.pvalue == first.friedman.pvalue


def test_displays(table):
    whole = compare(table, names=["<a>", *NAMES[1:]])
    assert repr(whole).startswith("TableComparison(8 data sets, 4 algorithms; Friedman, exact")
    assert "Nemenyi at 0.05: critical difference" in repr(whole)
    assert "<a>" not in whole._repr_html_()
    content = json.loads(json.dumps(whole.to_dict()))
    assert content["post_hoc"]["mean_ranks"] == list(whole.post_hoc.mean_ranks)
    assert content["friedman"]["pvalue_method"] == "exact"
