"""Splitters give disjoint sides, equal proportions, and the same splits for the same rng."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import fastmetrics as fm

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")

labels = st.lists(st.integers(0, 3), min_size=2, max_size=60).map(np.array)
seeds = st.integers(0, 2**32)


def rows_of_classes(least, most_classes=4):
    """Labels of classes of at least so many rows, in random order."""
    sizes = st.lists(st.integers(least, 20), min_size=1, max_size=most_classes)
    return st.builds(
        lambda sizes, seed: np.random.default_rng(seed).permutation(
            np.repeat(np.arange(len(sizes)), sizes)
        ),
        sizes,
        seeds,
    )


def splits_of(splitter, y, groups=None):
    splits = list(splitter.split(np.zeros((len(y), 1)), y, groups))
    assert len(splits) == splitter.get_n_splits(np.zeros((len(y), 1)), y, groups)
    return splits


def same(some, others):
    return len(some) == len(others) and all(
        np.array_equal(a, b)
        for pair, other in zip(some, others, strict=True)
        for a, b in zip(pair, other, strict=True)
    )


def check_sides(train, test, n):
    """Both sides ascend, and are all rows together."""
    assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
    assert (np.diff(train) > 0).all()
    assert (np.diff(test) > 0).all()
    assert train.dtype == test.dtype == np.intp


@given(labels, st.integers(2, 7), st.integers(1, 3), st.booleans(), seeds)
def test_folds_share_out_rows_and_classes(y, k, p, stratified, seed):
    assume(k <= np.bincount(y).max())
    splits = splits_of(fm.selection.Folds(k, n_repeats=p, stratified=stratified, rng=seed), y)
    for repeat in range(p):
        own = splits[repeat * k : (repeat + 1) * k]
        for train, test in own:
            check_sides(train, test, len(y))
            assert len(y) // k <= len(test) <= -(-len(y) // k)
        assert np.array_equal(np.sort(np.concatenate([test for _, test in own])), np.arange(len(y)))
        if stratified:
            for label in np.unique(y):
                exact = np.count_nonzero(y == label) / k
                for _, test in own:
                    assert abs(np.count_nonzero(y[test] == label) - exact) < 1


@given(rows_of_classes(2), st.floats(0, 1), seeds)
def test_hold_out_has_the_share_of_each_class(y, share, seed):
    n_classes = y.max() + 1
    n_test = int(n_classes + round(share * (len(y) - 2 * n_classes)))
    for train, test in splits_of(fm.selection.HoldOut(n_test, n_repeats=3, rng=seed), y):
        check_sides(train, test, len(y))
        assert len(test) == n_test
        for label in np.unique(y):
            exact = np.count_nonzero(y == label) * n_test / len(y)
            assert abs(np.count_nonzero(y[test] == label) - exact) < 1


def test_hold_out_rounds_shares_as_they_are_written():
    for share, n, rows in ((0.07, 100, 7), (0.35, 10, 4), (0.25, 10, 2), (0.1, 30, 3)):
        ((_, test),) = splits_of(
            fm.selection.HoldOut(share, n_repeats=1, stratified=False, rng=0), [0] * n
        )
        assert len(test) == rows


def test_hold_out_gives_small_classes_a_row_where_it_can():
    """Exact are 6.6, 5.6, .4 and .4 rows; the largest remainders would leave two classes out."""
    y = np.repeat(np.arange(4), (33, 28, 2, 2))
    for train, test in splits_of(fm.selection.HoldOut(0.2, rng=0), y):
        assert np.bincount(y[test]).tolist() == [6, 5, 1, 1]
        assert np.bincount(y[train]).tolist() == [27, 23, 1, 1]


def test_hold_out_leaves_small_classes_a_row_to_train_on_where_it_can():
    """Exact are 36.1 and 1.9 rows: the larger remainder would take both rows of the second."""
    y = np.repeat([0, 1], (38, 2))
    for train, test in splits_of(fm.selection.HoldOut(38, rng=0), y):
        assert np.bincount(y[test]).tolist() == [37, 1]
        assert np.bincount(y[train]).tolist() == [1, 1]


def test_hold_out_tosses_between_equal_remainders():
    y = np.repeat([0, 1], (5, 5))
    tested = {
        int(y[test].sum()) for _, test in splits_of(fm.selection.HoldOut(5, n_repeats=40, rng=0), y)
    }
    assert tested == {2, 3}


def test_more_classes_and_folds_than_a_byte_can_number():
    y = np.repeat(np.arange(257), 2)
    for train, test in splits_of(fm.selection.HoldOut(257, n_repeats=8, rng=0), y):
        assert y[train].tolist() == y[test].tolist() == list(range(257))
    rows = np.arange(257)
    for splitter, groups in (
        (fm.selection.Folds(257, stratified=False, rng=0), None),
        (fm.selection.GroupedFolds(257, rng=0), rows),
    ):
        tested = [test.tolist() for _, test in splits_of(splitter, rows, groups)]
        assert sorted(tested) == [[row] for row in rows]


@given(rows_of_classes(6), st.booleans(), seeds)
def test_five_by_two_are_five_different_halvings(y, stratified, seed):
    splits = splits_of(fm.selection.FiveByTwo(stratified=stratified, rng=seed), y)
    assert len({frozenset((tuple(train), tuple(test))) for train, test in splits}) == 5
    for (train, test), (test_next, train_next) in zip(splits[::2], splits[1::2], strict=True):
        assert np.array_equal(train, train_next)
        assert np.array_equal(test, test_next)
        check_sides(train, test, len(y))
        assert abs(len(train) - len(test)) <= 1
        if stratified:
            difference = np.bincount(y[train], minlength=4) - np.bincount(y[test], minlength=4)
            assert np.abs(difference).max() <= 1


def test_the_fewest_rows_with_five_halvings():
    """Five rows have 10 halvings; four have 3."""
    five = fm.selection.FiveByTwo(stratified=False, rng=0)
    assert len(splits_of(five, np.zeros(5))) == 10
    with pytest.raises(ValueError, match="5 different halvings"):
        five.split(np.zeros(4))


@pytest.mark.parametrize(
    "sizes", [(4,), (3, 1), (2, 2), (2, 1, 1), (5,), (3, 2), (3, 3), (4, 2), (2, 2, 2), (5, 1)]
)
def test_five_of_all_halvings_of_classes_are_dealt(sizes):
    y = np.repeat(np.arange(len(sizes)), sizes)
    halvings = set()
    for half in itertools.product((0, 1), repeat=len(y)):
        sides = [np.bincount(y[np.equal(half, side)], minlength=len(sizes)) for side in (0, 1)]
        if np.abs(sides[0] - sides[1]).max() <= 1 and abs((sides[0] - sides[1]).sum()) <= 1:
            halvings.add(tuple(np.equal(half, half[0]).tolist()))
    splitter = fm.selection.FiveByTwo(rng=0)
    if len(halvings) < 5:
        with pytest.raises(ValueError, match=f"of these classes have {len(halvings)}$"):
            splitter.split(y, y)
        return
    dealt = {tuple(np.isin(np.arange(len(y)), s).tolist()) for s, _ in splits_of(splitter, y)}
    assert len({half for half in dealt if half[0]}) == 5
    assert {half for half in dealt if half[0]} <= halvings


@given(st.integers(2, 200), seeds)
def test_out_of_bag_rows_are_those_not_drawn(n, seed):
    for train, test in splits_of(fm.selection.BootstrapOutOfBag(20, rng=seed), np.zeros(n)):
        assert len(train) == n
        assert set(train) <= set(range(n))
        assert list(test) == [i for i in range(n) if i not in set(train)]
        assert len(test) > 0


def test_the_bootstrap_draws_every_row_equally_often():
    n = 7
    n_resamples = 20_000
    drawn = np.zeros(n)
    for train, _ in fm.selection.BootstrapOutOfBag(n_resamples, rng=3).split(np.zeros(n)):
        drawn += np.bincount(train, minlength=n)
    assert np.abs(drawn / n_resamples - 1).max() < 5 / np.sqrt(n_resamples)


@given(labels, seeds)
def test_a_stratified_bootstrap_keeps_the_classes(y, seed):
    assume(np.bincount(y).max() >= 2)
    for train, test in splits_of(fm.selection.BootstrapOutOfBag(5, stratified=True, rng=seed), y):
        assert np.array_equal(np.sort(y[train]), np.sort(y))
        assert not set(train) & set(test)


def test_leave_one_out_is_that_of_scikit_learn():
    from sklearn.model_selection import LeaveOneOut

    X = np.zeros((9, 2))
    assert same(list(fm.selection.LeaveOneOut().split(X)), list(LeaveOneOut().split(X)))
    assert fm.selection.LeaveOneOut().get_n_splits(X) == 9
    assert len(splits_of(fm.selection.LeaveOneOut(), [0, 1])) == 2


SPLITTERS = [
    lambda rng: fm.selection.Folds(4, n_repeats=3, rng=rng),
    lambda rng: fm.selection.Folds(4, n_repeats=3, stratified=False, rng=rng),
    lambda rng: fm.selection.HoldOut(0.3, rng=rng),
    lambda rng: fm.selection.HoldOut(0.3, stratified=False, rng=rng),
    lambda rng: fm.selection.FiveByTwo(rng=rng),
    lambda rng: fm.selection.BootstrapOutOfBag(7, rng=rng),
    lambda rng: fm.selection.BootstrapOutOfBag(7, stratified=True, rng=rng),
    lambda rng: fm.selection.GroupedFolds(4, n_repeats=3, rng=rng),
    lambda rng: fm.selection.GroupedFolds(4, n_repeats=3, stratified=True, rng=rng),
]


@pytest.mark.filterwarnings("ignore:`groups` is ignored")
@pytest.mark.parametrize("make", SPLITTERS)
def test_the_same_rng_splits_alike(make):
    y = np.arange(80) % 3
    groups = np.arange(80) // 3
    splitter = make(5)
    first = splits_of(splitter, y, groups)
    assert same(first, splits_of(splitter, y, groups))
    assert same(first, splits_of(make(5), y, groups))
    assert same(first, splits_of(make(splitter.key), y, groups))
    assert same(first, splits_of(copy.deepcopy(splitter), y, groups))
    assert same(first, splits_of(pickle.loads(pickle.dumps(splitter)), y, groups))
    assert not same(first, splits_of(make(6), y, groups))
    generator = np.random.default_rng(5)
    assert not same(splits_of(make(generator), y, groups), splits_of(make(generator), y, groups))
    unseeded = make(None)
    assert same(splits_of(unseeded, y, groups), splits_of(unseeded, y, groups))
    assert eval(repr(splitter), {type(splitter).__name__: type(splitter)}).key == splitter.key


def test_repetitions_differ_and_do_not_depend_on_their_number():
    y = np.arange(60) % 3
    three = splits_of(fm.selection.Folds(4, n_repeats=3, rng=1), y)
    assert same(three[:4], splits_of(fm.selection.Folds(4, rng=1), y))
    assert len({tuple(test) for _, test in three}) == 12


@given(st.lists(st.sampled_from("abc"), min_size=12, max_size=40), seeds)
def test_labels_of_any_kind_split_alike(y, seed):
    assume(max(map(y.count, y)) >= 3)
    numbers = [ord(label) for label in y]
    splits = splits_of(fm.selection.Folds(3, rng=seed), np.array(y))
    for other in (np.array(numbers), np.array(numbers, np.float64), np.array(y, object)):
        assert same(splits, splits_of(fm.selection.Folds(3, rng=seed), other))


def test_each_row_is_equally_often_in_each_fold():
    """The rows left over go to random folds: no place among the rows is favoured."""
    y = np.array([0] * 5 + [1] * 2)
    counts = np.zeros((7, 3))
    for i, (_, test) in enumerate(fm.selection.Folds(3, n_repeats=4_000, rng=2).split(y, y)):
        counts[test, i % 3] += 1
    assert np.abs(counts / 4_000 - 1 / 3).max() < 5 * np.sqrt(2 / 9 / 4_000)
