"""The interval of how the fitted models do on average, against loops by the definitions."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm
from fastmetrics.results import ConfidenceInterval
from measure_names import MEASURES

X, y = (part[:240] for part in load_breast_cancer(return_X_y=True))
X = X[:, :4]
IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
BAYES = GaussianNB()


def of_models(metric, cv, groups=None, model=BAYES, data=(X, y)):
    found = fm.selection.evaluate_estimator(model, *data, cv=cv, metrics=metric, groups=groups)
    return found[metric].of_fitted_models, found[metric]


def splits_of(cv, data=(X, y), groups=None):
    return list(cv.split(*data, groups))


def moved_by_rows(cv, groups=None):
    """What each row adds to the mean log loss: deviations from the mean, averaged over repeats."""
    splits, losses = splits_of(cv, groups=groups), []
    for train, test in splits:
        p = BAYES.fit(X[train], y[train]).predict_proba(X[test])[np.arange(len(test)), y[test]]
        losses.append(-np.log(np.clip(p, np.finfo(float).eps, 1.0)))
    mean = np.mean([loss.mean() for loss in losses])
    moved = np.zeros(len(y))
    for (_, test), loss in zip(splits, losses, strict=True):
        for row, one in zip(test, loss, strict=True):
            moved[row] += (one - mean) / len(test) / len(splits)
    return mean, moved


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_a_mean_over_rows_has_the_spread_of_all_rows_losses(n_repeats):
    cv = fm.selection.Folds(5, n_repeats=n_repeats, rng=3)
    mean, moved = moved_by_rows(cv)
    found, whole = of_models("log_loss", cv)
    n = len(y)
    error = math.sqrt(n / (n - 1) * np.sum(moved**2))
    assert found.estimate == whole.estimate
    assert found.estimate == pytest.approx(mean, rel=1e-12)
    assert found.standard_error == pytest.approx(error, rel=1e-10)
    assert found.n_samples == n
    df = np.sum(moved**2) ** 2 / np.sum(moved**4)
    half = stats.t.ppf(0.975, df) * error / mean  # on the logarithm
    assert found.confidence_interval == pytest.approx(
        (mean * math.exp(-half), mean * math.exp(half)), rel=1e-9
    )


def test_of_one_round_of_equal_folds_it_is_that_of_bayle_and_others():
    cv = fm.selection.Folds(8, stratified=False, rng=1)
    losses = np.empty(len(y))
    for train, test in splits_of(cv):
        p = BAYES.fit(X[train], y[train]).predict_proba(X[test])[:, 1]
        losses[test] = (p - y[test]) ** 2
    found, _ = of_models("brier_score", cv)
    assert found.standard_error == pytest.approx(stats.sem(losses), rel=1e-12)


def test_leaving_one_out_has_one():
    data = DIABETES[0][:80], DIABETES[1][:80]
    found, _ = of_models("mean_squared_error", "loo", model=LinearRegression(), data=data)
    squares = []
    for row in range(80):
        rest = np.arange(80) != row
        model = LinearRegression().fit(data[0][rest], data[1][rest])
        squares.append((model.predict(data[0][row : row + 1])[0] - data[1][row]) ** 2)
    assert found.standard_error == pytest.approx(stats.sem(squares), rel=1e-10)


def test_groups_vary_not_rows():
    groups = np.arange(len(y)) // 4
    cv = fm.selection.GroupedFolds(5, rng=2)
    _, moved = moved_by_rows(cv, groups)
    sums = np.bincount(groups, moved)
    found, _ = of_models("log_loss", cv, groups)
    m = len(sums)
    assert found.standard_error == pytest.approx(math.sqrt(m / (m - 1) * sums @ sums), rel=1e-10)
    assert found.n_groups == m
    n = len(y)
    by_rows = n / (n - 1) * moved @ moved
    assert found.design_effect == pytest.approx(found.standard_error**2 / by_rows, rel=1e-10)
    few, _ = of_models("log_loss", cv, np.arange(len(y)) // 20)
    assert "below about 30 groups" in few.note


def test_the_auc_has_the_placements_of_each_fold():
    cv = fm.selection.Folds(6, rng=5)
    splits, parts = splits_of(cv), []
    of_cvauc, moved = [], np.zeros(len(y))
    for train, test in splits:
        p = BAYES.fit(X[train], y[train]).predict_proba(X[test])[:, 1]
        wins = (p[:, None] > p) + 0.5 * (p[:, None] == p)  # of the row over the column
        is_1 = y[test] == 1
        placed = np.where(is_1, wins[:, ~is_1].mean(1), wins[is_1].mean(0))
        auc = placed[is_1].mean()
        share = np.where(is_1, y.mean(), 1.0 - y.mean())
        of_cvauc.append(np.mean(((placed - auc) / share) ** 2))  # LeDell and others (2015), 4.1
        parts.append((test, placed, is_1, auc))
    mean = np.mean([auc for *_, auc in parts])
    for test, placed, is_1, _ in parts:
        size = np.where(is_1, is_1.sum(), (~is_1).sum())
        moved[test] += (placed - mean) / size / len(splits)
    variance = 0.0
    for label in (0, 1):
        m = np.sum(y == label)
        variance += m / (m - 1) * np.sum(moved[y == label] ** 2)
    found, _ = of_models("roc_auc", cv)
    assert found.estimate == pytest.approx(mean, rel=1e-12)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-10)
    published = math.sqrt(np.mean(of_cvauc) / len(y))
    assert published < found.standard_error < 1.1 * published


def test_a_share_of_rows_that_are_met_once_has_wilson_s_limits():
    found, _ = of_models("accuracy", fm.selection.Folds(5, rng=1))
    right = round(found.estimate * len(y))
    limits = fm.comparison.proportion_interval(right, len(y), method="wilson")
    assert found.method == "wilson"
    assert found.confidence_interval == pytest.approx(tuple(limits.confidence_interval), rel=1e-3)
    repeated, _ = of_models("accuracy", fm.selection.Folds(5, n_repeats=2, rng=1))
    assert repeated.method == "influence"


TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
KINDS = {
    "two": ((X, y), BAYES),
    "three": (IRIS, TREE),
    "numbers": ((DIABETES[0][:200], DIABETES[1][:200]), LinearRegression()),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore")
def test_every_measure_with_influences_has_an_interval_about_its_mean(kind):
    data, model = KINDS[kind]
    seen = 0
    for name, measure in MEASURES.items():
        if not measure.influences or name == "ks_statistic":
            continue
        try:
            found, whole = of_models(name, fm.selection.Folds(3, rng=1), model=model, data=data)
        except (TypeError, ValueError):
            continue  # of other data, or with a parameter that it must have
        if math.isnan(whole.estimate):
            assert found is None
            continue
        assert found is not None, name
        assert found.estimate == whole.estimate, name
        low, high = found.confidence_interval
        assert low <= found.estimate <= high or "no interval" in found.note, name
        seen += 1
    assert seen > 8


def test_the_influences_are_derivatives_of_the_value_in_a_fold():
    cv = fm.selection.HoldOut(0.4, n_repeats=1, rng=2)
    with pytest.warns(fm.UndefinedMetricWarning, match="one split"):
        found, _ = of_models("f1", cv)
    ((train, test),) = splits_of(cv)
    predicted = BAYES.fit(X[train], y[train]).predict(X[test])
    theirs = fm.estimate(y[test], predicted, metrics="f1")["f1"]
    assert found.standard_error == pytest.approx(theirs.standard_error, rel=1e-12)
    assert "covers this one on new examples" in found.note


def largest_error(y_true, y_pred):
    return float(np.mean(y_true != y_pred) ** 2)


def test_none_where_influences_are_unknown_or_the_target_is_another():
    found = fm.selection.evaluate_estimator(BAYES, X, y, cv=3, metrics={"own": largest_error})
    assert found["own"].of_fitted_models is None
    plus = fm.selection.evaluate_estimator(BAYES, X, y, cv=".632+", n_resamples=20, rng=1)
    assert plus["error_rate"].of_fitted_models is None
    assert "no interval" in str(plus)


def test_the_text_says_which_target_is_covered():
    found = fm.selection.evaluate_estimator(BAYES, X, y, cv=3, metrics="roc_auc", rng=1)
    said = " ".join(str(found).split())
    assert "covers the average of these 3 on new examples" in said
    assert "not models fitted on new training sets" in said
    assert isinstance(found["roc_auc"].of_fitted_models.confidence_interval, ConfidenceInterval)


def test_nested_cross_validation_has_that_of_its_outer_folds():
    model, grid = LogisticRegression(max_iter=500), {"C": [1.0]}
    outer = fm.selection.Folds(3, rng=1)
    found = fm.selection.nested_cross_validation(
        model, *IRIS, grid, metrics="log_loss", outer_cv=outer, inner_cv=2, confidence_level=0.9
    )
    plain = fm.selection.evaluate_estimator(
        model, *IRIS, cv=outer, metrics="log_loss", confidence_level=0.9
    )
    assert found.of_fitted_models == plain["log_loss"].of_fitted_models
    assert "average of these 3" in str(found)
