"""What the splitters refuse or warn of, and in which words."""

import numpy as np
import pytest

import fastmetrics as fm

X = np.zeros((6, 1))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: fm.selection.LeaveOneOut().get_n_splits(), ValueError, "`X` must be given"),
        (lambda: fm.selection.LeaveOneOut().split([[1]]), ValueError, "at least 2 rows"),
        (
            lambda: fm.selection.Folds(7).split(X, X[:, 0]),
            ValueError,
            "number of rows: got 7 for 6 rows",
        ),
        (
            lambda: fm.selection.Folds(2).split(X),
            ValueError,
            "`stratified=True` needs `y`: got None",
        ),
        (
            lambda: fm.selection.Folds(2).split(X, [0, 1]),
            ValueError,
            "lengths differ: `X` has 6 rows, `y`",
        ),
        (
            lambda: fm.selection.Folds(2).split(X, np.arange(6) + 0.5),
            ValueError,
            "Folds with `stratified=True` needs classes: .*pass `stratified=False`",
        ),
        (
            lambda: fm.selection.Folds(4).split(X, [0, 0, 0, 1, 1, 1]),
            ValueError,
            "number of rows of every class: got 4, and the largest class has 3 rows",
        ),
        (
            lambda: fm.selection.Folds(2, stratified=False).split(3),
            TypeError,
            "`X` must be an array",
        ),
        (lambda: fm.selection.Folds(2, stratified=False).split([]), ValueError, "`X` is empty"),
        (
            lambda: fm.selection.HoldOut(0.5).split(X, [0, 0, 0, 0, 0, 1]),
            ValueError,
            "at least 2 rows, one on each side: class 1 has 1",
        ),
        (
            lambda: fm.selection.HoldOut(2).split(X, [0, 0, 1, 1, 2, 2]),
            ValueError,
            "each of the 3 classes a row on both sides: there are 2 test rows",
        ),
        (
            lambda: fm.selection.HoldOut(0.01, stratified=False).split(X),
            ValueError,
            "got 0.01, which is 0 of 6 rows",
        ),
        (
            lambda: fm.selection.HoldOut(6, stratified=False).split(X),
            ValueError,
            "which is 6 of 6 rows",
        ),
        (
            lambda: fm.selection.BootstrapOutOfBag().split([[1]]),
            ValueError,
            "at least 2 rows: got 1",
        ),
        (
            lambda: fm.selection.BootstrapOutOfBag(stratified=True).split([[1], [2]], ["a", "b"]),
            ValueError,
            "at least 2 rows in some class",
        ),
    ],
)
def test_faults_are_raised_by_the_call_itself(make, error, message):
    with pytest.raises(error, match=message):
        make()


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
