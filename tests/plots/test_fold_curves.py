"""Curves of the folds of scikit-learn's cross-validation: what is pooled, and what is averaged."""

import numpy as np
import pytest
from drawn import curves_on, faults, small
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import RocCurveDisplay
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

import fastmetrics as fm

X, Y = make_classification(300, 6, flip_y=0.2, random_state=0)
KEPT = {"return_estimator": True, "return_indices": True}
BAYES = cross_validate(GaussianNB(), X, Y, **KEPT)
RIDGE = cross_validate(RidgeClassifier(), X, Y, **KEPT)
TEXTS = np.array(["ok", "ill"])[Y]
PROBABILITIES = np.zeros(300)
for fitted, tested in zip(BAYES["estimator"], BAYES["indices"]["test"], strict=True):
    PROBABILITIES[tested] = fitted.predict_proba(X[tested])[:, 1]


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def drawn(ax):
    """Return the curve, the lines of the folds, the corners of the band and the legend's title."""
    (curve,) = curves_on(ax)
    folds = [each for each in ax.lines if " folds: " in str(each.get_label())]
    band = ax.collections[0].get_paths()[0].vertices
    return curve, folds, band, ax.get_legend().get_title().get_text()


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        (Y, None),
        (2 * Y - 1, None),
        (Y.astype(bool), None),
        (np.array(["no", "yes"])[Y], "yes"),
        (np.array(["ok", "ill"], dtype=object)[Y], "ill"),  # the first of the sorted classes
        (5 - Y, 4),
    ],
)
def test_probabilities_are_pooled(labels, pos_label):
    results = BAYES if labels is Y else cross_validate(GaussianNB(), X, labels, **KEPT)
    ax = fm.plots.from_cv_results(results, X, labels, pos_label=pos_label, rng=0)
    curve, folds, band, title = drawn(ax)
    order = np.concatenate(BAYES["indices"]["test"])
    expected = fm.roc_band(Y[order], PROBABILITIES[order], rng=0)
    assert_array_equal(curve.get_ydata(), expected.true_positive_rate)
    assert {*band[:, 1]} == {*expected.low, *expected.high}
    assert title == ""
    auc = fm.roc_auc_score(Y, PROBABILITIES)
    assert curve.get_label() == f"pooled: AUC {auc:.4f}"
    display = RocCurveDisplay.from_cv_results(BAYES, X, Y, drop_intermediate=False)
    for fold, fpr, tpr in zip(folds, display.fpr, display.tpr, strict=True):
        assert {*zip(*fold.get_data(), strict=True)} <= {*zip(fpr, tpr, strict=True)}
    low, high = min(display.roc_auc), max(display.roc_auc)
    assert folds[0].get_label() == f"5 folds: AUC {low:.4f} to {high:.4f}"


def test_weights_and_groups_are_those_of_the_rows():
    weights = np.random.default_rng(0).integers(1, 5, 300).astype(float)
    groups = np.arange(300) // 2
    ax = fm.plots.from_cv_results(BAYES, X, Y, sample_weight=weights, groups=groups, rng=0)
    curve, _, band, _ = drawn(ax)
    order = np.concatenate(BAYES["indices"]["test"])
    options = {"sample_weight": weights[order], "groups": groups[order], "rng": 0}
    expected = fm.roc_band(Y[order], PROBABILITIES[order], **options)
    assert {*band[:, 1]} == {*expected.low, *expected.high}
    auc = fm.roc_auc_score(Y, PROBABILITIES, sample_weight=weights)
    assert curve.get_label() == f"pooled: AUC {auc:.4f}"


def test_decision_values_are_not_pooled():
    ax = fm.plots.from_cv_results(RIDGE, X, Y, confidence_level=0.9)
    curve, folds, band, title = drawn(ax)
    assert title == "not pooled: scores are no probabilities"
    rates = []
    for model, rows in zip(RIDGE["estimator"], RIDGE["indices"]["test"], strict=True):
        one = fm.roc_band(Y[rows], model.decision_function(X[rows]), kind="pointwise")
        rates.append(one.true_positive_rate)
    assert_allclose(curve.get_ydata(), np.mean(rates, axis=0), rtol=1e-12)
    at = 50
    half = stats.t.ppf(0.95, 4) * np.std(rates, axis=0, ddof=1)[at] * np.sqrt(1 / 5 + 1 / 4)
    mean = curve.get_ydata()[at]
    heights = band[np.isclose(band[:, 0], 0.5), 1]
    assert_allclose([heights.min(), heights.max()], [mean - half, mean + half], rtol=1e-9)
    assert len(folds) == 5
    areas = [
        fm.roc_auc_score(Y[rows], model.decision_function(X[rows]))
        for model, rows in zip(RIDGE["estimator"], RIDGE["indices"]["test"], strict=True)
    ]
    assert curve.get_label() == f"mean: AUC {np.mean(areas):.4f}"


@pytest.mark.parametrize("kind", ["roc", "pr"])
def test_decision_values_are_those_of_the_positive_class(kind):
    labels = np.array(["ok", "ill"])[Y]
    results = cross_validate(RidgeClassifier(), X, labels, **KEPT)
    ax = fm.plots.from_cv_results(results, X, labels, kind=kind, pos_label="ill")
    expected = drawn(fm.plots.from_cv_results(RIDGE, X, Y, kind=kind))
    assert_allclose(drawn(ax)[0].get_ydata(), expected[0].get_ydata(), rtol=1e-12)
    assert drawn(ax)[1][0].get_label() == expected[1][0].get_label()


def test_rows_that_are_tested_twice_are_not_pooled():
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    results = cross_validate(GaussianNB(), X, Y, cv=cv, **KEPT)
    curve, folds, _, title = drawn(fm.plots.from_cv_results(results, X, Y, kind="pr", name="m"))
    assert title == "not pooled: rows are tested more than once"
    assert len(folds) == 6
    assert curve.get_label().startswith("m: mean: AP 0.")


@pytest.mark.parametrize("kind", ["roc", "pr"])
@pytest.mark.parametrize("results", [BAYES, RIDGE])
def test_everything_can_be_read(kind, results):
    ax = fm.plots.from_cv_results(results, X, Y, kind=kind, rng=0, ax=small())
    assert faults(ax)[:2] == ([], [])
    second = fm.plots.from_cv_results(results, X, Y, kind=kind, rng=0, ax=ax, name="again")
    assert second is ax
    one, other = curves_on(ax)
    assert one.get_color() != other.get_color()
    pooled = fm.plots.from_cv_results(BAYES, X, Y, kind=kind, rng=0, ax=ax, name="third")
    title = "" if results is BAYES else "not pooled: scores are no probabilities"
    assert pooled.get_legend().get_title().get_text() == title


def test_precision_and_recall_of_folds_are_those_of_plot_pr():
    _, folds, _, _ = drawn(fm.plots.from_cv_results(BAYES, X, Y, kind="pr", rng=0))
    rows = BAYES["indices"]["test"][0]
    (expected,) = curves_on(fm.plots.plot_pr(Y[rows], PROBABILITIES[rows]))
    assert_array_equal(folds[0].get_xydata(), expected.get_xydata())
    assert folds[0].get_drawstyle() == expected.get_drawstyle()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cv_results": cross_validate(GaussianNB(), X, Y)}, "return_indices=True"),
        ({"cv_results": None}, "`cv_results` needs 'estimator' and 'indices'"),
        ({"kind": "det"}, "`kind` must be"),
        ({"confidence_level": 2}, "`confidence_level` must"),
        ({"X": X[:200], "y": Y[:200]}, "has rows beyond the 200 of `X` and `y`"),
        ({"y": Y[:200]}, "lengths differ"),
        ({"sample_weight": np.ones(3)}, "`sample_weight` has 3 rows"),
        ({"y": np.arange(300) % 3}, "`y` must have two classes"),
        ({"y": TEXTS}, r"`y` takes its values in {'ill', 'ok'}: pass `pos_label`, or labels in"),
        ({"y": Y + 1}, r"`y` takes its values in {1, 2}: pass `pos_label`, or labels in"),
        ({"y": TEXTS, "pos_label": "il"}, "`pos_label`='il' is not a label of `y`, which"),
    ],
)
def test_wrong_arguments(change, message):
    with pytest.raises(ValueError, match=message):
        fm.plots.from_cv_results(**{"cv_results": BAYES, "X": X, "y": Y} | change)


def test_a_fold_of_one_class_has_no_curve():
    order = np.argsort(Y, kind="stable")
    results = cross_validate(GaussianNB(), X[order], Y[order], cv=KFold(5), **KEPT)
    with pytest.raises(fm.InputError, match="the test rows of fold 0 are of one class"):
        fm.plots.from_cv_results(results, X[order], Y[order])
