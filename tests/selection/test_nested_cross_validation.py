"""Tuning is repeated in each outer fold, on its training rows alone."""

import json

import numpy as np
import pytest
from scripted import SEEN, Scripted, scripted
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm

X, Y = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 10]}


@pytest.fixture(autouse=True)
def _forget():
    SEEN.clear()


def test_against_its_definition():
    cv, inner = StratifiedKFold(4, shuffle=True, random_state=2), StratifiedKFold(3)
    found = fm.selection.nested_cross_validation(TREE, X, Y, GRID, outer_cv=cv, inner_cv=inner)
    search = GridSearchCV(TREE, GRID, cv=inner)
    assert 1 - found.values == pytest.approx(cross_val_score(search, X, Y, cv=cv))
    assert found.estimate == pytest.approx(found.values.mean())
    assert found.standard_deviation == pytest.approx(found.values.std(ddof=1))
    assert found.inner_estimate == pytest.approx(np.mean([t.value for t in found.tunings]))
    assert len(found.settings) == 4
    assert json.loads(json.dumps(found.to_dict()))["metric"] == "error_rate"


def test_test_rows_have_no_part_in_tuning():
    some, target = scripted(120)
    fm.selection.nested_cross_validation(
        Scripted(), some, target, {"a": [1, 2]}, outer_cv=3, inner_cv=2, rng=0
    )
    assert len(SEEN) == 3 * (2 * 2 + 1)
    for start in range(0, 15, 5):
        *inner, (_, train, test) = SEEN[start : start + 5]
        assert len(test) == 40
        assert sorted(train + test) == list(range(120))
        for _, fitted, judged in inner:
            assert set(fitted) | set(judged) == set(train)


def inner_tests(outer_cv, n_outer, **options):
    """Return each outer training fold with the test rows of its two inner folds."""
    some, target = scripted(120)
    fm.selection.nested_cross_validation(
        Scripted(), some, target, {"a": [1]}, outer_cv=outer_cv, inner_cv=2, rng=0, **options
    )
    folds = [SEEN[i : i + 3] for i in range(0, 3 * n_outer, 3)]  # the third is the outer test
    return [(np.array(outer[1]), list(one[2]), list(two[2])) for one, two, outer in folds]


def test_inner_folds_are_drawn_anew_for_each_outer_fold():
    first, second = np.arange(60), np.arange(60, 120)  # alike in length and in the order of labels
    found = inner_tests([(first, second), (second, first)], 2)
    places = [np.flatnonzero(np.isin(train, test)).tolist() for train, test, _ in found]
    assert places[0] != places[1]


def test_inner_folds_keep_groups_whole():
    groups = np.arange(120) // 8
    for train, one, two in inner_tests(3, 3, groups=groups):
        assert not set(groups[one]) & set(groups[two])
        assert sorted(one + two) == sorted(train)


def test_one_outer_fold_has_no_spread():
    cv = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    found = fm.selection.nested_cross_validation(TREE, X, Y, GRID, outer_cv=cv, inner_cv=2, rng=0)
    assert np.isnan(found.standard_deviation)
    assert found.estimate == found.values[0]


def test_inner_folds_are_no_row_numbers():
    with pytest.raises(ValueError, match="`inner_cv` must be a number of folds or an object"):
        fm.selection.nested_cross_validation(
            Scripted(), *scripted(), {"a": [1]}, inner_cv=[([0], [1])]
        )
