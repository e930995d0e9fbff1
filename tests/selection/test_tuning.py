"""A grid is tried on the folds, the choice is the rule's, and the final model saw all the data."""

import numpy as np
import pytest
from scripted import SEEN, Scripted, scripted
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer, zero_one_loss
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import engine_sizes
import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning

X, Y = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 10]}


@pytest.fixture(autouse=True)
def _forget():
    SEEN.clear()


@pytest.mark.parametrize(
    ("estimator", "data", "grid", "cv", "metric", "scoring"),
    [
        (TREE, load_iris, GRID, StratifiedKFold(4, shuffle=True, random_state=1), "accuracy",
         "accuracy"),
        (TREE, load_breast_cancer, GRID, StratifiedKFold(3), "roc_auc", "roc_auc"),
        (Ridge(), load_diabetes, {"alpha": [0.01, 0.1, 1.0]}, KFold(5), None,
         "neg_mean_squared_error"),
        (make_pipeline(StandardScaler(), LogisticRegression()), load_breast_cancer,
         {"logisticregression__C": [0.01, 1.0]}, KFold(3), get_scorer("neg_log_loss"),
         "neg_log_loss"),
    ],
)  # fmt: skip
def test_against_grid_search(estimator, data, grid, cv, metric, scoring):
    some, target = data(return_X_y=True)
    found = fm.selection.tune_estimator(estimator, some, target, grid, cv=cv, metrics=metric)
    search = GridSearchCV(estimator, grid, cv=cv, scoring=scoring).fit(some, target)
    sign = 1 if found.higher_is_better else -1
    theirs = search.cv_results_
    for setting, mean in zip(found.settings, found.means, strict=True):
        at = theirs["params"].index(setting)
        assert sign * mean == pytest.approx(theirs["mean_test_score"][at], rel=1e-12)
    assert sign * found.value == pytest.approx(search.best_score_, rel=1e-12)
    assert (found.estimator.predict(some) == search.best_estimator_.predict(some)).all()


def test_the_final_model_is_fitted_on_all_the_data():
    some, target = scripted()
    found = fm.selection.tune_estimator(Scripted(), some, target, {"a": [3, 1, 2]}, cv=4, rng=0)
    assert found.setting == {"a": 1}
    assert found.estimator.a == 1
    assert found.estimator.rows_ == tuple(range(200))
    assert found.value == pytest.approx(0.05)
    assert Scripted().a == 0
    # the same folds for every setting, and no row on both sides
    folds = {a: [(train, test) for b, train, test in SEEN if b == a] for a in (3, 1, 2)}
    assert folds[1] == folds[2] == folds[3]
    assert all(not set(train) & set(test) for train, test in folds[1])
    assert sorted(row for _, test in folds[1] for row in test) == list(range(200))


def test_the_estimator_and_its_parameters_are_left_alone():
    inner = LogisticRegression()
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=1))
    grid = {"decisiontreeclassifier": [inner, TREE]}
    found = fm.selection.tune_estimator(pipeline, X, Y, grid, cv=3, rng=0)
    assert not hasattr(inner, "coef_")
    assert not hasattr(TREE, "tree_")
    assert pipeline[1].max_depth == 1
    assert found.setting["decisiontreeclassifier"] in (inner, TREE)


VALUES = {0: [0.255, 0.255], 1: [0.30, 0.34], 2: [0.26, 0.30], 3: [0.20, 0.28], 4: [0.22, 0.25]}
# Sixteenths, on four folds: the mean of 7 is 4 and its standard error 1, both without rounding.
VALUES |= {5: [6 / 16] * 4, 6: [5 / 16] * 4, 7: [7 / 16, 3 / 16, 3 / 16, 3 / 16]}


class Tabled(BaseEstimator):
    def __init__(self, depth=1, width=0):
        self.depth, self.width = depth, width

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), VALUES[self.depth][int(X[0, 0])])


class Crossed(Tabled):
    """Is bad where both parameters are equal."""

    def predict(self, X):
        return np.full(len(X), 0.25 + (self.depth == self.width))


def tabled(grid, n_folds=2, estimator=None, **options):
    fold = np.repeat(np.arange(n_folds), 5)
    cv = [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(n_folds)]
    options = {"metrics": lambda _, p: float(p[0]), "higher_is_better": False, "cv": cv, **options}
    y = np.linspace(0, 1, len(fold))
    return fm.selection.tune_estimator(estimator or Tabled(), fold[:, None], y, grid, **options)


def test_one_standard_error():
    # means .32, .28, .24, .235; the best, 4, has the standard error .03 / sqrt(2) / sqrt(2) = .015
    best = tabled({"depth": [1, 2, 3, 4]})
    assert (best.setting, best.best_index) == ({"depth": 4}, 3)
    assert best.means == pytest.approx([0.32, 0.28, 0.24, 0.235])
    assert best.standard_error == pytest.approx(0.015)
    simple = tabled({"depth": [1, 2, 3, 4]}, rule="one-standard-error", complexity="depth")
    assert (simple.setting, simple.index, simple.best_index) == ({"depth": 3}, 2, 3)
    assert simple.value == pytest.approx(0.24)
    assert simple.standard_error == pytest.approx(0.04)
    # .255 is beyond .235 + .015: one standard error, not two
    assert tabled({"depth": [0, 3, 4]}, rule="one-standard-error", complexity="depth").index == 1
    # where larger is simpler, nothing is simpler than the best
    other = tabled({"depth": [1, 2, 3, 4]}, rule="one-standard-error", complexity="-depth")
    assert other.setting == {"depth": 4}


@pytest.mark.parametrize("up", [False, True])
def test_a_setting_at_exactly_one_standard_error_is_within_it(up):
    found = tabled(
        {"depth": [5, 6, 7]},
        n_folds=4,
        metrics=(lambda _, p: 1 - float(p[0])) if up else (lambda _, p: float(p[0])),
        higher_is_better=up,
        rule="one-standard-error",
        complexity="depth",
    )
    assert found.standard_errors.tolist() == [0.0, 0.0, 1 / 16]
    assert found.means.tolist() == ([10 / 16, 11 / 16, 12 / 16] if up else [6 / 16, 5 / 16, 4 / 16])
    assert (found.setting, found.best_index) == ({"depth": 6}, 2)


def test_one_fold_has_no_standard_error_and_the_best_is_chosen():
    cv = [(np.arange(5, 10), np.arange(5))]
    found = tabled({"depth": [1, 2, 3, 4]}, cv=cv, rule="one-standard-error", complexity="depth")
    assert (found.index, found.best_index) == (2, 2)
    assert np.isnan(found.standard_error)


def test_several_names_of_complexity_count_in_their_order():
    grid, rule = {"width": [1, 2], "depth": [1, 2]}, {"rule": "one-standard-error"}
    for names, setting in (
        (["width", "depth"], {"width": 1, "depth": 2}),
        (["depth", "width"], {"width": 2, "depth": 1}),
        (["-depth", "width"], {"width": 1, "depth": 2}),
    ):
        assert tabled(grid, estimator=Crossed(), complexity=names, **rule).setting == setting


def test_ties_go_to_the_simplest_and_then_to_the_first():
    grid = {"width": [2, 1, 3], "depth": [4, 3]}
    assert tabled(grid).setting == {"width": 2, "depth": 4}
    assert tabled(grid, complexity="width").setting == {"width": 1, "depth": 4}
    rule = {"rule": "one-standard-error"}
    assert tabled(grid, complexity=["-width", "depth"], **rule).setting == {"width": 3, "depth": 3}
    assert tabled(grid, complexity=["depth", "width"], **rule).setting == {"width": 1, "depth": 3}


def test_undefined_settings_are_not_chosen():
    def metric(_, p):
        return np.nan if p[0] == 0.25 else float(p[0])

    with pytest.warns(UndefinedMetricWarning, match="undefined for 1 of 4 settings"):
        found = tabled({"depth": [1, 2, 3, 4]}, metrics=metric)
    assert found.setting == {"depth": 3}
    assert found.table[3]["rank"] == 4
    with pytest.raises(ValueError, match="undefined for every setting"):
        tabled({"depth": [4]}, metrics=metric)


def test_functions_seeds_processes_and_groups():
    options = {"metrics": zero_one_loss, "higher_is_better": False, "cv": 5, "rng": 3}
    one = fm.selection.tune_estimator(TREE, X, Y, GRID, **options)
    two = fm.selection.tune_estimator(TREE, X, Y, GRID, n_jobs=2, **options)
    default = fm.selection.tune_estimator(TREE, X, Y, GRID, cv=5, rng=3)
    assert one.to_dict() == two.to_dict()
    assert one.values == pytest.approx(default.values)
    assert (one.metric, default.metric) == ("zero_one_loss", "error_rate")
    some, target = scripted()
    groups = np.arange(200) // 10
    fm.selection.tune_estimator(Scripted(), some, target, {"a": [1]}, cv=4, groups=groups, rng=1)
    for _, train, test in SEEN:
        assert not set(groups[list(train)]) & set(groups[list(test)])


def test_the_largest_grid(monkeypatch):
    engine_sizes.put(monkeypatch, most_settings=4)
    assert len(tabled({"depth": [1, 2], "width": [1, 2]}).settings) == 4
    with pytest.raises(ValueError, match="`grid` must have 1 to 4 settings: got 5"):
        tabled({"depth": [0, 1, 2, 3, 4]})


@pytest.mark.parametrize(
    ("grid", "options", "error", "message"),
    [
        ({}, {}, ValueError, "`grid` must have 1 to 1,000,000 settings: got 0"),
        ({"a": 1}, {}, TypeError, "`grid` must map names to sequences of values: got 'a': 1"),
        ({"a": "xy"}, {}, TypeError, "`grid` must map names to sequences"),
        ({"a": []}, {}, ValueError, "`grid` has no value for 'a'"),
        ({"c": [1]}, {}, ValueError, "`estimator` has no parameter 'c': Scripted has a, b"),
        ({"a": range(1001), "b": range(1000)}, {}, ValueError, "got 1001000"),
        ({"a": [1]}, {"rule": "one-standard-error"}, ValueError, "standard-error'` needs"),
        ({"a": [1]}, {"complexity": "b"}, ValueError, "`complexity` must name parameters"),
        ({"a": [1]}, {"metrics": lambda y, p: 0.0}, ValueError, "`higher_is_better` is needed"),
        ({"a": [1]}, {"metrics": ["f1", "accuracy"]}, ValueError, "`metrics` must be one measure"),
        ({"a": [1]}, {"cv": ".632"}, ValueError, "`cv` must split the rows, and '.632' is a way"),
        ({"a": [1]}, {"cv": []}, ValueError, "`cv` yields no split"),
    ],
)
def test_faults(grid, options, error, message):
    with pytest.raises(error, match=message):
        fm.selection.tune_estimator(Scripted(), *scripted(), grid, **options)
    assert not SEEN  # before any fit


def test_the_setting_of_a_fit_that_fails_is_named():
    with pytest.raises(ValueError, match="max_depth") as caught:
        fm.selection.tune_estimator(TREE, X, Y, {"max_depth": [1, -1]}, cv=2)
    assert "with the setting {'max_depth': -1}" in " ".join(caught.value.__notes__)


def test_progress(capsys):
    fm.selection.tune_estimator(TREE, X, Y, GRID, cv=2, rng=0, progress=True)
    assert "/12 [" in capsys.readouterr().err
    fm.selection.tune_estimator(TREE, X, Y, GRID, cv=2, rng=0)
    assert capsys.readouterr().err == ""


def test_a_function_that_nobody_knows_says_what_it_was_given():
    def share(y_true, y_pred):
        return float(np.mean(y_true == y_pred))

    found = fm.selection.tune_estimator(
        TREE, X, Y, {"max_depth": [1, 2]}, metrics=share, higher_is_better=True, cv=3, rng=0
    )
    assert found.metric == "share (given predictions)"
    assert (
        fm.selection.tune_estimator(TREE, X, Y, {"max_depth": [1]}, cv=3, rng=0).metric
        == "error_rate"
    )
