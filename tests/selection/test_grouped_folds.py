"""Grouped folds: groups stay whole, folds are alike in rows and classes."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import fastmetrics as fm

rows = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=4, max_size=60)
lacking = pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")


@lacking
@given(rows, st.integers(2, 4), st.booleans(), st.integers(0, 2**32))
def test_groups_stay_whole(data, k, stratified, seed):
    groups, y = (np.array(column) for column in zip(*data, strict=True))
    assume(len(set(groups.tolist())) >= k)
    splitter = fm.selection.GroupedFolds(k, n_repeats=2, stratified=stratified, rng=seed)
    splits = list(splitter.split(y, y, groups))
    assert len(splits) == splitter.get_n_splits() == 2 * k
    for own in (splits[:k], splits[k:]):
        tested = np.concatenate([test for _, test in own])
        assert np.array_equal(np.sort(tested), np.arange(len(y)))
        sizes = [len(test) for _, test in own]
        assert min(sizes) > 0
        if not stratified:
            assert max(sizes) - min(sizes) <= np.bincount(groups).max()
        for train, test in own:
            assert not set(groups[train]) & set(groups[test])
            assert len(train) + len(test) == len(y)


def test_repetitions_differ_even_if_all_groups_do():
    groups = np.repeat(np.arange(12), np.arange(20, 32))
    splits = list(fm.selection.GroupedFolds(3, n_repeats=8, rng=0).split(groups, groups=groups))
    halvings = {
        frozenset(tuple(np.unique(groups[test])) for _, test in splits[i : i + 3])
        for i in range(0, 24, 3)
    }
    assert len(halvings) == 8


def test_large_groups_go_first():
    """Dealt at random, one huge group on top of many small ones would unbalance the folds."""
    groups = np.concatenate([np.zeros(100, int), np.repeat(np.arange(1, 201), 1)])
    splits = fm.selection.GroupedFolds(3, n_repeats=20, rng=0).split(groups, groups=groups)
    folds_of_the_large = set()
    for i, (_, test) in enumerate(splits):
        assert len(test) == 100
        if 0 in groups[test]:
            folds_of_the_large.add(i % 3)
    assert folds_of_the_large == {0, 1, 2}  # the first group put is in no fold of its own


def test_classes_count_by_their_shares_however_many_rows_they_have():
    """Rows of the classes 0 and 1: 60 and 0, 40 and 5, last 20 and 1.

    Of 120 and 6 rows, the last adds 60/120 20/120 to the first and 40/120 20/120 + 5/6 1/6 to the
    second: less to the first, though that has more rows.
    """
    groups = np.repeat([0, 1, 2], (60, 45, 21))
    y = np.repeat([0, 0, 1, 0, 1], (60, 40, 5, 20, 1))
    for seed in range(5):
        splits = fm.selection.GroupedFolds(2, stratified=True, rng=seed).split(y, y, groups)
        assert {frozenset(groups[test].tolist()) for _, test in splits} == {
            frozenset({0, 2}),
            frozenset({1}),
        }


def test_stratified_is_closer_to_the_classes_than_plain_and_no_worse_than_scikit_learn(rng):
    from sklearn.model_selection import StratifiedGroupKFold

    groups = rng.integers(0, 60, 600)
    rate = rng.beta(0.6, 1.5, 60)
    y = (rng.random(600) < rate[groups]).astype(int)

    def spread(splitter):
        return np.std([y[test].mean() for _, test in splitter.split(y, y, groups)])

    ours = np.mean(
        [spread(fm.selection.GroupedFolds(5, stratified=True, rng=i)) for i in range(10)]
    )
    plain = np.mean([spread(fm.selection.GroupedFolds(5, rng=i)) for i in range(10)])
    theirs = np.mean(
        [spread(StratifiedGroupKFold(5, shuffle=True, random_state=i)) for i in range(10)]
    )
    assert ours < plain / 2
    assert ours < 1.5 * theirs


def test_groups_of_text():
    groups = np.array(["ann", "bob", "ann", "cid", "bob", "cid"])
    tested = [
        set(groups[test])
        for _, test in fm.selection.GroupedFolds(3, rng=0).split(groups, None, groups)
    ]
    assert sorted(map(sorted, tested)) == [["ann"], ["bob"], ["cid"]]


def test_faults():
    X = np.zeros((6, 1))
    with pytest.raises(ValueError, match="GroupedFolds needs `groups`: got None"):
        fm.selection.GroupedFolds(3).split(X)
    with pytest.raises(ValueError, match="`n_splits` must not exceed the number of groups: got 3"):
        fm.selection.GroupedFolds(3).split(X, groups=[0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match=r"lengths differ.*`groups` has 5 rows"):
        fm.selection.GroupedFolds(2).split(X, groups=[0, 0, 0, 1, 1])
    with pytest.raises(ValueError, match="`stratified=True` needs `y`"):
        fm.selection.GroupedFolds(2, stratified=True).split(X, groups=[0, 0, 0, 1, 1, 1])


def test_a_class_in_too_few_groups_is_warned_of():
    groups, y = np.repeat(np.arange(6), 2), np.array([1, 1] + [0] * 10)
    with pytest.warns(fm.DegenerateDataWarning, match=r"class 1 is in 1 group$"):
        assert (
            len(list(fm.selection.GroupedFolds(3, stratified=True, rng=0).split(y, y, groups))) == 3
        )
