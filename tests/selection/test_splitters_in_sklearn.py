"""Our splitters where scikit-learn takes ``cv=``, in one process and in several."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm

X, y = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0)


def by_hand(splitter, groups=None):
    scores = []
    for train, test in splitter.split(X, y, groups):
        model = DecisionTreeClassifier(random_state=0).fit(X[train], y[train])
        scores.append(np.mean(model.predict(X[test]) == y[test]))
    return scores


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    "make",
    [
        lambda: fm.selection.Folds(3, n_repeats=2, rng=1),
        lambda: fm.selection.HoldOut(0.3, n_repeats=3, rng=1),
        lambda: fm.selection.FiveByTwo(rng=1),
        lambda: fm.selection.BootstrapOutOfBag(4, rng=1),
        lambda: fm.selection.Folds(3, rng=np.random.default_rng(2)),
        lambda: fm.selection.Folds(3),
    ],
)
def test_cross_validate(make, n_jobs):
    splitter = make()
    found = cross_validate(TREE, X, y, cv=splitter, n_jobs=n_jobs)["test_score"]
    assert found.tolist() == by_hand(splitter)


def test_cross_validate_with_groups():
    groups = np.arange(150) // 4
    splitter = fm.selection.GroupedFolds(3, n_repeats=2, stratified=True, rng=0)
    found = cross_validate(TREE, X, y, groups=groups, cv=splitter)["test_score"]
    assert found.tolist() == by_hand(splitter, groups)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search(n_jobs):
    splitter = fm.selection.Folds(4, n_repeats=2, rng=3)
    grid = {"max_depth": [1, 3]}
    found = GridSearchCV(TREE, grid, cv=splitter, n_jobs=n_jobs).fit(X, y).cv_results_
    for i, depth in enumerate(grid["max_depth"]):
        tree = DecisionTreeClassifier(random_state=0, max_depth=depth)
        scores = cross_validate(tree, X, y, cv=splitter)["test_score"]
        own = [found[f"split{j}_test_score"][i] for j in range(8)]
        assert own == scores.tolist()
