"""`estimate` of a confusion matrix alone: as of its rows, shares by Wilson, errors by delta."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from reference import proportion_oracle as oracle

CELLS = {"tp": 40, "fp": 10, "fn": 5, "tn": 95}
SHARES = {
    "accuracy": (135, 150),
    "error_rate": (15, 150),
    "precision": (40, 50),
    "recall": (40, 45),
    "specificity": (95, 105),
    "npv": (95, 100),
    "false_positive_rate": (10, 105),
    "false_negative_rate": (5, 45),
    "jaccard": (40, 55),
}
POSITIVE = st.tuples(*[st.integers(1, 300)] * 4)


def matrix(cells: tuple[int, ...]) -> fm.ConfusionMatrix:
    return fm.ConfusionMatrix.binary(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_shares_have_wilsons_limits(alternative: Any) -> None:
    options: Any = {"confidence_level": 0.9, "alternative": alternative}
    found = fm.estimate(fm.ConfusionMatrix.binary(**CELLS), metrics=list(SHARES), **options)
    for name, (k, n) in SHARES.items():
        wilson = fm.comparison.proportion_interval(k, n, **options)
        assert found[name].confidence_interval == wilson.confidence_interval
        assert found[name].estimate == pytest.approx(k / n, rel=1e-15)
        assert found[name].method == "wilson"
        assert found[name].n_samples == 150


@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes")])
def test_a_matrix_is_its_rows(rng: np.random.Generator, labels: tuple[Any, Any]) -> None:
    y, predicted = rng.integers(0, 2, 300), rng.integers(0, 2, 300) | (rng.random(300) < 0.3)
    named = np.array(labels)
    metrics = ["f1", "recall", "matthews_corrcoef", "balanced_accuracy", "cohen_kappa"]
    table = fm.ConfusionMatrix.from_labels(named[y], named[predicted], labels=labels)
    of_table, of_rows = (
        fm.estimate(table, metrics=metrics),
        fm.estimate(y, predicted, metrics=metrics),
    )
    for name, one in of_rows.items():
        assert of_table[name].estimate == pytest.approx(one.estimate, rel=1e-14)
        assert of_table[name].standard_error == pytest.approx(one.standard_error, rel=1e-12)
        assert of_table[name].df == pytest.approx(one.df, rel=1e-11)
        limits = tuple(of_table[name].confidence_interval)
        assert limits == pytest.approx(tuple(one.confidence_interval), rel=1e-12)


def test_several_classes(rng: np.random.Generator) -> None:
    y, predicted = rng.integers(0, 4, 200), rng.integers(0, 4, 200)
    table = fm.ConfusionMatrix.from_labels(y, predicted, labels=range(4))
    for name in ("accuracy", "f1_macro", "matthews_corrcoef"):
        of_table = fm.estimate(table, metrics=name)[name]
        of_rows = fm.estimate(y, predicted, metrics=name)[name]
        assert of_table.standard_error == pytest.approx(of_rows.standard_error, rel=1e-12)
        limits = tuple(of_rows.confidence_interval)
        assert tuple(of_table.confidence_interval) == pytest.approx(limits, rel=1e-12)


@given(POSITIVE)
def test_standard_errors_by_the_delta_method(cells: tuple[int, ...]) -> None:
    """Against g' (diag(p) - p p') g / (n - 1) with a gradient taken in 60 digits."""
    found = fm.estimate(matrix(cells), metrics=["f1", "matthews_corrcoef"])
    n = sum(cells)
    for name, measure in (("f1", oracle.f1), ("matthews_corrcoef", oracle.mcc)):
        estimate, error = oracle.delta_method(measure, cells)
        assert found[name].estimate == pytest.approx(estimate, rel=1e-12, abs=1e-15)
        expected = error * math.sqrt(n / (n - 1))
        assert found[name].standard_error == pytest.approx(expected, rel=1e-10)


@given(POSITIVE)
def test_f1_rises_with_the_share_it_follows_from(cells: tuple[int, ...]) -> None:
    """Lam, Gopal & Qian (2023): F1 = 2 F* / (1 + F*), F* a proportion of TP + FP + FN."""
    tp, fp, fn, _ = cells
    share = fm.comparison.proportion_interval(tp, tp + fp + fn).confidence_interval
    found = fm.estimate(matrix(cells), metrics="f1")["f1"].confidence_interval
    assert tuple(found) == pytest.approx([2 * end / (1 + end) for end in share], rel=1e-15)


@pytest.mark.parametrize("metrics", ["precision", "matthews_corrcoef", "f1"])
def test_undefined(metrics: str) -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match=f"`{metrics}` is not defined") as seen:
        found = fm.estimate(matrix((0, 0, 0, 9)), metrics=metrics)[metrics]
    assert seen[0].filename == __file__
    assert all(map(math.isnan, (found.estimate, found.standard_error, *found.confidence_interval)))


@pytest.mark.parametrize(
    ("table", "metrics", "options", "error", "match"),
    [
        (matrix((4, 1, 2, 9)), "roc_auc", {}, ValueError, "a ConfusionMatrix has counts of labels"),
        (matrix((4, 1, 2, 9)), "f1", {"groups": [1]}, TypeError, "a ConfusionMatrix comes alone"),
        (
            fm.ConfusionMatrix.from_counts([[0.5, 1.5], [2.5, 1.0]]),
            "f1",
            {},
            TypeError,
            "a ConfusionMatrix of fractional weights",
        ),
        (fm.ScoreTable.from_scores([0, 1], [1, 2]), "f1", {}, ValueError, "scores and counts"),
    ],
)
def test_refused(table: Any, metrics: str, options: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        fm.estimate(table, metrics=metrics, **options)
