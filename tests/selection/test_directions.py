"""The better of two settings is chosen, whatever a measure's direction hangs on."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm

CANCER, DIABETES = load_breast_cancer(return_X_y=True), load_diabetes(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 4]}

#: Of each criterion: what it needs, and whether the greater value is the better one.
CRITERIA = {
    "youden": ({}, True),
    "closest-topleft": ({}, False),
    "fewest-errors": ({}, False),
    "fbeta": ({"beta": 2.0}, True),
    "precision_at_recall": ({"at_least": 0.9}, True),
    "recall_at_precision": ({"at_least": 0.8}, True),
    "recall_at_false_positive_rate": ({"at_most": 0.1}, True),
}
FIELDS = {
    "true_positive_rate": True,
    "false_positive_rate": False,
    "precision": True,
    "recall": True,
}
CASES = [
    *((criterion, "value", up) for criterion, (_, up) in CRITERIA.items()),
    *(("fewest-errors", of, up) for of, up in FIELDS.items()),
    *(("youden", of, up) for of, up in FIELDS.items()),
]


def asked(criterion, of):
    return "best_threshold", {"criterion": criterion, "of": of, **CRITERIA[criterion][0]}


@pytest.mark.parametrize(("criterion", "of", "up"), CASES)
def test_best_thresholds(criterion, of, up):
    found = fm.selection.tune_estimator(
        TREE, *CANCER, DEPTHS, metrics=asked(criterion, of), cv=5, rng=0
    )
    assert found.higher_is_better is up
    assert found.means[0] != found.means[1]
    assert found.index == (found.means.argmax() if up else found.means.argmin())
    assert found.table[found.index]["rank"] == 1
    nested = fm.selection.nested_cross_validation(
        TREE, *CANCER, DEPTHS, metrics=asked(criterion, of), outer_cv=3, inner_cv=3, rng=0
    )
    assert nested.higher_is_better is up
    for tuning in nested.tunings:
        assert tuning.value == (tuning.means.max() if up else tuning.means.min())
    curve = fm.selection.estimator_validation_curve(
        TREE, *CANCER, parameter="max_depth", values=[1, 4], metrics=asked(criterion, of), cv=5,
        rng=0,
    )  # fmt: skip
    assert curve.test_means.tolist() == found.means.tolist()
    assert curve.best_value == found.setting["max_depth"]


def test_a_tree_of_depth_4_makes_fewer_errors_than_a_stump():
    found = fm.selection.tune_estimator(
        TREE, *CANCER, DEPTHS, metrics=asked("fewest-errors", "value"), rng=0
    )
    assert found.means.tolist() == [5.7, 3.6]
    assert found.setting == {"max_depth": 4}


def tune(metric, estimator, data, grid, **options):
    return fm.selection.tune_estimator(
        estimator, *data, grid, metrics=metric, cv=3, rng=0, **options
    )


@pytest.mark.parametrize(
    ("metric", "estimator", "data", "grid"),
    [
        (asked("youden", "threshold"), TREE, CANCER, DEPTHS),
        (asked("closest-topleft", "threshold"), TREE, CANCER, DEPTHS),
        ("mean_error", Ridge(), DIABETES, {"alpha": [0.1, 10.0]}),
        ("mean", Ridge(), DIABETES, {"alpha": [0.1, 10.0]}),
    ],
)
def test_what_has_no_direction_asks_for_one(metric, estimator, data, grid):
    with pytest.raises(fm.InputError, match="`higher_is_better` is needed: no direction of"):
        tune(metric, estimator, data, grid)
    with pytest.raises(fm.InputError, match="`higher_is_better` is needed"):
        fm.selection.nested_cross_validation(estimator, *data, grid, metrics=metric)
    ((parameter, values),) = grid.items()
    with pytest.raises(fm.InputError, match="`higher_is_better` is needed"):
        fm.selection.estimator_validation_curve(
            estimator, *data, parameter=parameter, values=values, metrics=metric
        )
    if metric == "mean":
        with pytest.raises(fm.InputError, match="'mean' judges no prediction, and so no estimator"):
            tune(metric, estimator, data, grid, higher_is_better=True)
        return
    for up in (True, False):
        found = tune(metric, estimator, data, grid, higher_is_better=up)
        assert found.index == (found.means.argmax() if up else found.means.argmin())


def test_a_direction_may_be_turned():
    up = tune("error_rate", TREE, CANCER, DEPTHS, higher_is_better=True)
    down = tune("error_rate", TREE, CANCER, DEPTHS)
    assert (up.higher_is_better, down.higher_is_better) == (True, False)
    assert up.index != down.index
    assert np.array_equal(up.values, down.values)
