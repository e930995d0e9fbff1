"""Tuning, nested folds, and bias and variance of estimators."""

import json

import numpy as np
import pytest
from scripted import SEEN, Scripted, scripted
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import get_scorer, zero_one_loss
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import engine_sizes
from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.selection import (
    bias_variance,
    bias_variance_curve,
    estimator_bias_variance,
    nested_cross_validation,
    tune_estimator,
)

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
    actual = tune_estimator(estimator, some, target, grid, cv=cv, metrics=metric)
    search = GridSearchCV(estimator, grid, cv=cv, scoring=scoring).fit(some, target)
    sign = 1 if actual.higher_is_better else -1
    theirs = search.cv_results_
    for setting, mean in zip(actual.settings, actual.means, strict=True):
        at = theirs["params"].index(setting)
        assert sign * mean == pytest.approx(theirs["mean_test_score"][at], rel=1e-12)
    assert sign * actual.value == pytest.approx(search.best_score_, rel=1e-12)
    assert (actual.estimator.predict(some) == search.best_estimator_.predict(some)).all()


def test_the_final_model_is_fitted_on_all_the_data():
    some, target = scripted()
    search = tune_estimator(Scripted(), some, target, {"a": [3, 1, 2]}, cv=4, rng=0)
    assert search.setting == {"a": 1}
    assert search.estimator.a == 1
    assert search.estimator.rows_ == tuple(range(200))
    assert search.value == pytest.approx(0.05)
    assert Scripted().a == 0
    # the same folds for every setting, and no row on both sides
    folds = {a: [(train, test) for b, train, test in SEEN if b == a] for a in (3, 1, 2)}
    assert folds[1] == folds[2] == folds[3]
    assert all(not set(train) & set(test) for train, test in folds[1])
    assert sorted(row for _, test in folds[1] for row in test) == list(range(200))


def test_the_estimator_and_its_parameters_are_left_alone():
    inner = LogisticRegression()
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=1))
    search = tune_estimator(pipeline, X, Y, {"decisiontreeclassifier": [inner, TREE]}, cv=3, rng=0)
    assert not hasattr(inner, "coef_")
    assert not hasattr(TREE, "tree_")
    assert pipeline[1].max_depth == 1
    assert search.setting["decisiontreeclassifier"] in (inner, TREE)


VALUES = {0: [0.255, 0.255], 1: [0.30, 0.34], 2: [0.26, 0.30], 3: [0.20, 0.28], 4: [0.22, 0.25]}
# Sixteenths, on four folds: the mean of 7 is 4 and its standard error 1, both without rounding.
VALUES |= {5: [6 / 16] * 4, 6: [5 / 16] * 4, 7: [7 / 16, 3 / 16, 3 / 16, 3 / 16]}


class Tabled(BaseEstimator):
    def __init__(self, depth=1, width=0):
        self.depth = depth
        self.width = width

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
    return tune_estimator(estimator or Tabled(), fold[:, None], y, grid, **options)


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
    simpler = {"rule": "one-standard-error", "complexity": lambda setting: setting["depth"]}
    kept = tabled({"depth": [1, 2, 3, 4]}, **simpler, refit=False)
    assert (kept.index, kept.estimator) == (2, None)
    # where larger is simpler, nothing is simpler than the best
    other = tabled({"depth": [1, 2, 3, 4]}, rule="one-standard-error", complexity="-depth")
    assert other.setting == {"depth": 4}


@pytest.mark.parametrize("up", [False, True])
def test_a_setting_at_exactly_one_standard_error_is_within_it(up):
    actual = tabled(
        {"depth": [5, 6, 7]},
        n_folds=4,
        metrics=(lambda _, p: 1 - float(p[0])) if up else (lambda _, p: float(p[0])),
        higher_is_better=up,
        rule="one-standard-error",
        complexity="depth",
    )
    assert actual.standard_errors.tolist() == [0.0, 0.0, 1 / 16]
    assert actual.means.tolist() == (
        [10 / 16, 11 / 16, 12 / 16] if up else [6 / 16, 5 / 16, 4 / 16]
    )
    assert (actual.setting, actual.best_index) == ({"depth": 6}, 2)


def test_one_fold_has_no_standard_error_and_the_best_is_chosen():
    cv = [(np.arange(5, 10), np.arange(5))]
    actual = tabled({"depth": [1, 2, 3, 4]}, cv=cv, rule="one-standard-error", complexity="depth")
    assert (actual.index, actual.best_index) == (2, 2)
    assert np.isnan(actual.standard_error)


def test_several_names_of_complexity_count_in_their_order():
    grid = {"width": [1, 2], "depth": [1, 2]}
    rule = {"rule": "one-standard-error"}
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
        actual = tabled({"depth": [1, 2, 3, 4]}, metrics=metric)
    assert actual.setting == {"depth": 3}
    assert actual.table[3]["rank"] == 4
    with pytest.raises(ValueError, match="undefined for every setting"):
        tabled({"depth": [4]}, metrics=metric)


def test_functions_seeds_processes_and_groups():
    options = {"metrics": zero_one_loss, "higher_is_better": False, "cv": 5, "rng": 3}
    one = tune_estimator(TREE, X, Y, GRID, **options)
    two = tune_estimator(TREE, X, Y, GRID, n_jobs=2, **options)
    default = tune_estimator(TREE, X, Y, GRID, cv=5, rng=3)
    assert one.to_dict() == two.to_dict()
    assert one.values == pytest.approx(default.values)
    assert (one.metric, default.metric) == ("zero_one_loss", "error_rate")
    some, target = scripted()
    groups = np.arange(200) // 10
    tune_estimator(Scripted(), some, target, {"a": [1]}, cv=4, groups=groups, rng=1)
    for _, train, test in SEEN:
        assert not set(groups[list(train)]) & set(groups[list(test)])


def test_the_largest_grid(monkeypatch):
    engine_sizes.put(monkeypatch, most_settings=4)
    assert len(tabled({"depth": [1, 2], "width": [1, 2]}).settings) == 4
    with pytest.raises(ValueError, match="`grid` must have 1 to 4 settings: got 5"):
        tabled({"depth": [0, 1, 2, 3, 4]})


def test_the_setting_of_a_fit_that_fails_is_named():
    with pytest.raises(ValueError, match="max_depth") as caught:
        tune_estimator(TREE, X, Y, {"max_depth": [1, -1]}, cv=2)
    assert "with the setting {'max_depth': -1}" in " ".join(caught.value.__notes__)


def test_progress(capsys):
    tune_estimator(TREE, X, Y, GRID, cv=2, rng=0, progress=True)
    assert "/12 [" in capsys.readouterr().err
    tune_estimator(TREE, X, Y, GRID, cv=2, rng=0)
    assert capsys.readouterr().err == ""


def test_a_function_that_nobody_knows_says_what_it_was_given():
    def share(y_true, y_pred):
        return float(np.mean(y_true == y_pred))

    search = tune_estimator(
        TREE, X, Y, {"max_depth": [1, 2]}, metrics=share, higher_is_better=True, cv=3, rng=0
    )
    assert search.metric == "share (given predictions)"
    assert tune_estimator(TREE, X, Y, {"max_depth": [1]}, cv=3, rng=0).metric == "error_rate"


def test_against_its_definition():
    cv = StratifiedKFold(4, shuffle=True, random_state=2)
    inner = StratifiedKFold(3)
    actual = nested_cross_validation(TREE, X, Y, GRID, outer_cv=cv, inner_cv=inner)
    search = GridSearchCV(TREE, GRID, cv=inner)
    assert 1 - actual.values == pytest.approx(cross_val_score(search, X, Y, cv=cv))
    assert actual.estimate == pytest.approx(actual.values.mean())
    assert actual.standard_deviation == pytest.approx(actual.values.std(ddof=1))
    assert actual.inner_estimate == pytest.approx(np.mean([t.value for t in actual.tunings]))
    assert len(actual.settings) == 4
    options = {"outer_cv": cv, "rng": 1}
    five = nested_cross_validation(TREE, X, Y, GRID, inner_cv=5, **options)
    assert nested_cross_validation(TREE, X, Y, GRID, **options).to_dict() == five.to_dict()
    assert json.loads(json.dumps(actual.to_dict()))["metric"] == "error_rate"


def test_test_rows_have_no_part_in_tuning():
    some, target = scripted(120)
    nested_cross_validation(Scripted(), some, target, {"a": [1, 2]}, outer_cv=3, inner_cv=2, rng=0)
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
    nested_cross_validation(
        Scripted(), some, target, {"a": [1]}, outer_cv=outer_cv, inner_cv=2, rng=0, **options
    )
    folds = [SEEN[i : i + 3] for i in range(0, 3 * n_outer, 3)]  # the third is the outer test
    return [(np.array(outer[1]), list(one[2]), list(two[2])) for one, two, outer in folds]


def test_inner_folds_are_drawn_anew_for_each_outer_fold():
    first, second = np.arange(60), np.arange(60, 120)  # alike in length and in the order of labels
    actual = inner_tests([(first, second), (second, first)], 2)
    places = [np.flatnonzero(np.isin(train, test)).tolist() for train, test, _ in actual]
    assert places[0] != places[1]


def test_inner_folds_keep_groups_whole():
    groups = np.arange(120) // 8
    for train, one, two in inner_tests(3, 3, groups=groups):
        assert not set(groups[one]) & set(groups[two])
        assert sorted(one + two) == sorted(train)


def test_one_outer_fold_has_no_spread():
    cv = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    search = nested_cross_validation(TREE, X, Y, GRID, outer_cv=cv, inner_cv=2, rng=0)
    assert np.isnan(search.standard_deviation)
    assert search.estimate == search.values[0]


ROWS_OF_FITS: list[np.ndarray] = []


class Recorder(RegressorMixin, BaseEstimator):
    """Remembers the rows, numbered in the first column, and predicts the mean label plus a."""

    def __init__(self, a=0.0):
        self.a = a

    def fit(self, X, y):
        ROWS_OF_FITS.append(np.asarray(X)[:, 0].astype(int))
        self.mean_ = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_ + self.a)


class Majority(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.most_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full((len(X), 1), self.most_)


@pytest.fixture(autouse=True)
def _forget_estimator_bias_variance():
    ROWS_OF_FITS.clear()


def numbered(n):
    return np.arange(n, dtype=float)[:, None]


def run(**options):
    y = np.arange(60.0) ** 2
    options = {"n_models": 7, "rng": 1, **options}
    return estimator_bias_variance(Recorder(), numbered(60), y, [[0.0]], [100.0], **options), y


def test_bootstrap_samples_are_drawn_with_replacement():
    actual, y = run()
    assert [len(rows) for rows in ROWS_OF_FITS] == [60] * 7
    assert all(0.4 < len(set(rows.tolist())) / 60 < 0.85 for rows in ROWS_OF_FITS)
    assert len({tuple(rows) for rows in ROWS_OF_FITS}) == 7
    predictions = [[y[rows].mean()] for rows in ROWS_OF_FITS]
    assert actual.to_dict() == bias_variance([100.0], predictions).to_dict()


def test_train_size_and_seed():
    first, _ = run(train_size=10)
    assert [len(rows) for rows in ROWS_OF_FITS] == [10] * 7
    again, _ = run(train_size=10)
    other, _ = run(train_size=10, rng=2)
    assert first.to_dict() == again.to_dict() != other.to_dict()


def test_processes_change_nothing():
    x = np.random.default_rng(0).normal(size=(80, 2))
    tree = DecisionTreeRegressor(random_state=0)
    one, two = (
        estimator_bias_variance(tree, x, x[:, 0], x, x[:, 1], n_models=6, rng=3, n_jobs=n)
        for n in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


def test_noise_of_replicate_labels():
    x = np.linspace(0, 1, 50)[:, None]
    replicates = np.array([x[:, 0] + 0.5, x[:, 0] - 0.5])
    decomposition = estimator_bias_variance(
        LinearRegression(), x, x[:, 0], x, replicates, n_models=5, rng=0
    )
    assert (decomposition.noise, decomposition.n_replicates) == (0.25, 2)
    assert decomposition.bias + decomposition.variance < 1e-25


def test_classifier_with_texts():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    tree = DecisionTreeClassifier(random_state=0)
    for decomposition in ("domingos", "kohavi-wolpert"):
        actual = estimator_bias_variance(
            tree,
            X[::2],
            names[::2],
            X[1::2],
            names[1::2],
            decomposition=decomposition,
            n_models=9,
            rng=1,
        )
        assert actual.bias + actual.variance == pytest.approx(actual.loss)
        assert 0.0 < actual.loss < 0.2
    column = estimator_bias_variance(
        Majority(), X, names, X, names, decomposition="domingos", n_models=3, rng=1
    )
    assert column.loss == pytest.approx(2 / 3)


def test_curve():
    actual = bias_variance_curve(
        Recorder(), numbered(30), np.zeros(30), [[0.0], [0.0]], [1.0, 1.0],
        parameter="a", values=[0.0, 1.0, 3.0], n_models=4, rng=5,
    )  # fmt: skip
    assert actual.bias.tolist() == actual.loss.tolist() == [1.0, 0.0, 4.0]
    assert actual.variance.tolist() == actual.noise.tolist() == [0.0] * 3
    assert (actual.parameter, actual.best_value, actual.values) == ("a", 1.0, (0.0, 1.0, 3.0))
    for i in range(4):  # the same training sets at every value
        assert (
            ROWS_OF_FITS[i].tolist() == ROWS_OF_FITS[i + 4].tolist() == ROWS_OF_FITS[i + 8].tolist()
        )
    assert len(json.loads(json.dumps(actual.to_dict()))["points"]) == 3
    assert Recorder().a == 0.0


def test_deeper_trees_trade_bias_for_variance(rng):
    x = rng.uniform(0, 6, (1500, 1))
    y = np.sin(x[:, 0]) + rng.normal(0, 0.3, 1500)
    grid = np.linspace(0, 6, 60)[:, None]
    curve = bias_variance_curve(
        DecisionTreeRegressor(random_state=0), x, y, grid, np.sin(grid[:, 0]),
        parameter="max_depth", values=np.array([1, 3, 10]), train_size=60, n_models=25,
        rng=1,
    )  # fmt: skip
    assert curve.bias[0] > 10 * curve.bias[1:].max()
    assert (np.diff(curve.variance) > 0).all()
    assert curve.best_value == 3
    assert type(curve.values[0]) is int
