"""Splitters: what they promise, refuse, and are in scikit-learn."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm

X = np.zeros((6, 1))


def test_a_small_class_is_warned_of():
    y = [0] * 4 + [1] * 2
    with pytest.warns(fm.DegenerateDataWarning, match="fewer rows than n_splits=3.*class 1 has 2"):
        fm.selection.Folds(3).split(X, y)
    for splitter in (fm.selection.Folds(2), fm.selection.FiveByTwo()):
        with pytest.warns(fm.DegenerateDataWarning, match="class 1 has 1 row$"):
            splitter.split(X, [0] * 5 + [1])
    y = np.repeat([0, 1, 2], [50, 2, 2])
    for n_test in (3, 51):  # a class lacks a row to test on, or one to train on
        with pytest.warns(fm.DegenerateDataWarning, match="1 of 3 are missing on one side of each"):
            fm.selection.HoldOut(n_test).split(y, y)


@pytest.mark.parametrize(
    "splitter",
    [
        fm.selection.Folds(2),
        fm.selection.HoldOut(0.5),
        fm.selection.FiveByTwo(),
        fm.selection.BootstrapOutOfBag(2),
    ],
)
def test_groups_that_are_not_heeded_are_warned_of(splitter):
    y = [0, 0, 0, 1, 1, 1]
    with pytest.warns(UserWarning, match="`groups` is ignored by .*GroupedFolds keeps"):
        splitter.split(X, y, groups=[0, 0, 1, 1, 2, 2])


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
        assert np.array_equal(np.sort(np.concatenate([test for _, test in own])), np.arange(len(y)))
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


def test_a_class_in_too_few_groups_is_warned_of():
    groups = np.repeat(np.arange(6), 2)
    y = np.array([1, 1] + [0] * 10)
    with pytest.warns(fm.DegenerateDataWarning, match=r"class 1 is in 1 group$"):
        assert (
            len(list(fm.selection.GroupedFolds(3, stratified=True, rng=0).split(y, y, groups))) == 3
        )


X_SKLEARN, y = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0)


def test_grid_search():
    splitter = fm.selection.Folds(4, n_repeats=2, rng=3)
    grid = {"max_depth": [1, 3]}
    actual = GridSearchCV(TREE, grid, cv=splitter, n_jobs=2).fit(X_SKLEARN, y).cv_results_
    for i, depth in enumerate(grid["max_depth"]):
        tree = DecisionTreeClassifier(random_state=0, max_depth=depth)
        scores = cross_validate(tree, X_SKLEARN, y, cv=splitter)["test_score"]
        assert [actual[f"split{j}_test_score"][i] for j in range(8)] == scores.tolist()
