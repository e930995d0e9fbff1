"""Grouped folds: groups stay whole, folds are alike in rows and classes."""

import itertools

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


def unlike(splitter, y, groups, n_splits):
    """Return the largest deviation of a class's share from 1/k, and the sum of squared shares."""
    held = np.array([np.bincount(y[t], minlength=y.max() + 1) for _, t in splitter])
    shares = held / held.sum(axis=0)
    return np.array([abs(shares - 1 / n_splits).max(), (shares**2).sum()])


def grouped_rows(seed, n_groups):
    """Return classes and groups whose sizes and classes are skewed; every class is there."""
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 5))
    sizes = np.ceil(rng.pareto(1.2, n_groups) * 3 + 1).clip(1, 2000).astype(int)
    rates = rng.dirichlet(rng.dirichlet(np.full(n_classes, 0.7)) * 2 + 1e-3, n_groups).cumsum(1)
    groups = np.repeat(np.arange(n_groups), sizes)
    y = (rng.random(len(groups))[:, None] > rates[groups][:, :-1]).sum(axis=1)
    return np.unique(y, return_inverse=True)[1], groups


def test_perfect_folds_are_found_whatever_the_seed():
    y = np.repeat([0, 1], (12, 6))
    groups = np.array([1, 1, 3, 3, 3, 4, 5, 5, 5, 5, 7, 7, 2, 2, 6, 6, 8, 8])
    for seed in range(100):
        splitter = fm.selection.GroupedFolds(3, stratified=True, rng=seed)
        assert [np.bincount(y[test]).tolist() for _, test in splitter.split(y, y, groups)] == [
            [4, 2]
        ] * 3
        plain = fm.selection.GroupedFolds(3, rng=seed).split(y, groups=groups)
        assert [len(test) for _, test in plain] == [6] * 3


@lacking
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("n_groups", "n_sets"), [(10, 30), (40, 30), (800, 2)])
def test_folds_are_never_less_alike_than_scikit_learn_s(n_groups, n_sets):
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    better = 0
    for seed in range(n_sets):
        y, groups = grouped_rows([seed, n_groups], n_groups)
        k = 2 + seed % 5
        if np.bincount(y).max() < k:
            continue
        ours = fm.selection.GroupedFolds(k, stratified=True, rng=seed).split(y, y, groups)
        theirs = StratifiedGroupKFold(k, shuffle=True, random_state=seed).split(y, y, groups)
        found, expected = (unlike(splits, y, groups, k) for splits in (ours, theirs))
        assert (found <= expected + 1e-9).all()
        better += bool((found < expected - 1e-9).any())
        ours = fm.selection.GroupedFolds(k, rng=seed).split(y, y, groups)
        found, expected = (
            max(abs(len(test) - len(y) / k) for _, test in splits)
            for splits in (ours, GroupKFold(k).split(y, y, groups))
        )
        assert found <= expected + 1e-9
    assert better > n_sets / 4


def test_few_groups_are_put_as_well_as_can_be():
    """Against every way to put seven groups into three folds."""
    ways = np.array([way for way in itertools.product(range(3), repeat=7) if len(set(way)) == 3])
    for seed in range(15):
        rng = np.random.default_rng(seed)
        groups = np.repeat(np.arange(7), rng.integers(1, 8, 7))
        y = rng.permutation(np.arange(len(groups)) % 3 // 2)
        splits = list(fm.selection.GroupedFolds(3, stratified=True, rng=seed).split(y, y, groups))
        cells = np.array([np.bincount(y[groups == g], minlength=2) for g in range(7)])
        held = np.array([[cells[way == fold].sum(axis=0) for fold in range(3)] for way in ways])
        best = (abs(held / held[0].sum(axis=0) - 1 / 3)).max(axis=(1, 2)).min()
        assert unlike(splits, y, groups, 3)[0] == pytest.approx(best, rel=1e-9)


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
