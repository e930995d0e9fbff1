"""Weights of scorers, and values of parameters."""

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn import clone, config_context
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import engine_sizes
import fastmetrics as fm
from metric_names import METRICS

X, y = load_breast_cancer(return_X_y=True)
X = X[:240, :5]
y = y[:240]
WEIGHTS = np.random.default_rng(0).integers(1, 5, 240).astype(float)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())


@pytest.mark.parametrize("enabled", [True, False])
def test_several_scorers_without_metadata(enabled):
    """test_metadata_routing_multimetric_metadata_routing of scikit-learn."""
    model = clone(MODEL).fit(X, y)
    with config_context(enable_metadata_routing=enabled):
        actual = _MultimetricScorer(scorers={"acc": fm.scorer("accuracy")})(model, X, y)
    assert actual == {"acc": model.score(X, y)}


def test_without_routing_weights_reach_the_scorers_that_take_them():
    """test_multimetric_scoring_kwargs of scikit-learn."""
    several = _MultimetricScorer(scorers={"ours": fm.scorer("r2"), "max": fm.scorer("max_error")})
    data, target = load_diabetes(return_X_y=True)
    weights = np.arange(len(target)) % 3
    model = LinearRegression().fit(data, target)
    actual = several(model, data, target, sample_weight=weights)
    assert actual["ours"] == fm.r2_score(target, model.predict(data), sample_weight=weights)
    assert actual["max"] == -fm.max_error(target, model.predict(data))
    with pytest.raises(fm.InputError, match="'max_error' takes no weights: got `sample_weight`"):
        fm.scorer("max_error")(model, data, target, sample_weight=weights)


@pytest.mark.parametrize(
    "name",
    [
        m.name
        for m in METRICS.values()
        if m.needs not in ("nothing", "rankings", "values")
        and m.family != "own"
        and m.classes != 3
        and not m.parameters
        and m.direction({}) is not None
    ],
)
def test_a_weight_is_that_many_rows(name):
    """A weight of 2 is a row that comes twice, whichever way the metric is found."""
    model = clone(MODEL).fit(X[::2], y[::2])
    scorer = fm.scorer(name)
    times = WEIGHTS.astype(int)
    repeated = np.repeat(np.arange(len(y)), times)
    expected = scorer(model, X[repeated], y[repeated])
    assert scorer(model, X, y, sample_weight=times) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_function_with_options_takes_weights():
    model = clone(MODEL).fit(X[::2], y[::2])
    scorer = fm.scorer(fm.precision_score, pos_label=0)
    expected = fm.precision_score(y, model.predict(X), pos_label=0, sample_weight=WEIGHTS)
    assert scorer(model, X, y, sample_weight=WEIGHTS) == expected


def test_neither_splitters_nor_their_split_load_scikit_learn():
    code = (
        "import sys, fastmetrics as fm\n"
        "folds = fm.selection.GroupedFolds(2, stratified=True, rng=0)\n"
        "list(folds.split([[0]] * 4, [0, 1, 0, 1], [0, 0, 1, 1]))\nprint('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_textbook_ranges_have_five_values():
    assert fm.selection.parameter_range(0, 0.2, 0.05) == (0.0, 0.05, 0.1, 0.15, 0.2)
    assert fm.selection.parameter_range(0, 1, 0.2, closed="right") == (0.2, 0.4, 0.6, 0.8, 1.0)
    # where floats are multiplied and added, they drift
    assert fm.selection.parameter_range(1, 1.3, 0.1, closed="left") == (1.0, 1.1, 1.2)
    assert len(np.arange(1, 1.3, 0.1)) == 4
    assert fm.selection.parameter_range(0.1, 0.7, 0.1)[2] == 0.3 != 0.1 + 0.1 + 0.1


@pytest.mark.parametrize(
    ("closed", "expected"),
    [("both", (1, 2, 3)), ("left", (1, 2)), ("right", (2, 3)), ("neither", (2,))],
)
def test_ends(closed, expected):
    actual = fm.selection.parameter_range(1, 3, 1, closed=closed)
    assert actual == expected
    assert all(type(value) is int for value in actual)
    floats = fm.selection.parameter_range(1.0, 3, 1, closed=closed)
    assert floats == expected
    assert all(type(value) is float for value in floats)


def test_the_most_values_are_counted_without_the_ends_left_out(monkeypatch):
    engine_sizes.put(monkeypatch, most_values=3)
    assert fm.selection.parameter_range(0, 2, 1) == (0, 1, 2)
    assert fm.selection.parameter_range(0, 3, 1, closed="left") == (0, 1, 2)
    assert fm.selection.parameter_range(0, 4, 1, closed="neither") == (1, 2, 3)
    for ends, closed in (((0, 3, 1), "both"), ((0, 4, 1), "right")):
        with pytest.raises(ValueError, match="`step` must leave at most 3 values: got 4"):
            fm.selection.parameter_range(*ends, closed=closed)


def test_an_end_that_is_not_hit():
    assert fm.selection.parameter_range(0, 1, 0.3) == (0.0, 0.3, 0.6, 0.9)
    assert fm.selection.parameter_range(0, 1, 0.3, closed="left") == (0.0, 0.3, 0.6, 0.9)
    assert fm.selection.parameter_range(2, 2, 1) == (2,)
    assert fm.selection.parameter_range(np.float32(0.1), Decimal("0.3"), np.float64(0.1)) == (
        0.1,
        0.2,
        0.3,
    )


@given(
    st.integers(-50, 50), st.integers(0, 60), st.integers(1, 20), st.sampled_from([1, 8, 10, 1000])
)
def test_against_fractions(start, steps, step, scale):
    floats = [number / scale for number in (start, start + steps * step, step)]
    for closed, first, last in (("both", 0, steps), ("right", 1, steps), ("left", 0, steps - 1)):
        expected = [float(Fraction(start + i * step, scale)) for i in range(first, last + 1)]
        if expected:
            assert list(fm.selection.parameter_range(*floats, closed=closed)) == expected
        else:
            with pytest.raises(ValueError, match="no value lies in"):
                fm.selection.parameter_range(*floats, closed=closed)


CANCER = load_breast_cancer(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
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
]


def asked(criterion, of):
    return "best_threshold", {"criterion": criterion, "of": of, **CRITERIA[criterion][0]}


@pytest.mark.parametrize(("criterion", "of", "up"), CASES)
def test_best_thresholds(criterion, of, up):
    search = fm.selection.tune_estimator(
        TREE, *CANCER, DEPTHS, metrics=asked(criterion, of), cv=5, rng=0
    )
    assert search.higher_is_better is up
    assert search.means[0] != search.means[1]
    assert search.index == (search.means.argmax() if up else search.means.argmin())
    assert search.table[search.index]["rank"] == 1
    nested = fm.selection.nested_cross_validation(
        TREE, *CANCER, DEPTHS, metrics=asked(criterion, of), outer_cv=3, inner_cv=3, rng=0
    )
    assert nested.higher_is_better is up
    for tuning in nested.tunings:
        assert tuning.value == (tuning.means.max() if up else tuning.means.min())


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
    if metric == "mean":
        with pytest.raises(fm.InputError, match="'mean' judges no prediction, and so no estimator"):
            tune(metric, estimator, data, grid, higher_is_better=True)
        return
    for up in (True, False):
        actual = tune(metric, estimator, data, grid, higher_is_better=up)
        assert actual.index == (actual.means.argmax() if up else actual.means.argmin())


def test_a_direction_may_be_turned():
    up = tune("error_rate", TREE, CANCER, DEPTHS, higher_is_better=True)
    down = tune("error_rate", TREE, CANCER, DEPTHS)
    assert (up.higher_is_better, down.higher_is_better) == (True, False)
    assert up.index != down.index
    assert np.array_equal(up.values, down.values)
