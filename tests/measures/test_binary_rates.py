"""Specificity, NPV, the two error rates and Youden's J: definition, identities, label rules."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

from fastmetrics import (
    ConfusionMatrix,
    UndefinedMetricWarning,
    false_negative_rate,
    false_positive_rate,
    negative_predictive_value,
    specificity_score,
    youden_j,
)
from reference import count_oracle as oracle

RATES = {
    specificity_score: oracle.specificity,
    negative_predictive_value: oracle.npv,
    false_positive_rate: oracle.false_positive_rate,
    false_negative_rate: oracle.false_negative_rate,
    youden_j: oracle.informedness,
}


def test_three_ill_of_ten() -> None:
    y, p = [1, 1, 1] + [0] * 7, [1, 1, 0, 1] + [0] * 6
    assert false_positive_rate(y, p) == 1 / 7
    assert false_negative_rate(y, p) == 1 / 3
    assert youden_j(y, p) == pytest.approx(2 / 3 - 1 / 7, rel=1e-15)


@pytest.mark.parametrize("function", RATES)
def test_what_is_refused(function) -> None:
    for call, error, match in (
        (lambda: function(["a", "b"], ["a", "b"]), ValueError, "pass `pos_label`"),
        (lambda: function([5, 7], [5, 7]), ValueError, "pass `pos_label`"),
        (lambda: function([0, 1, 2], [0, 1, 1]), ValueError, "two classes, and there are 3"),
        (lambda: function([0, 1, 2], [0, 1, 1], pos_label=1), ValueError, "see multilabel_con"),
        (lambda: function([0, 1], [0, 1], pos_label=2), ValueError, "`pos_label`=2 is not a lab"),
        (lambda: function([0, 1]), TypeError, "`y_pred` is missing"),
        (lambda: function(ConfusionMatrix(), [0]), TypeError, "without `y_pred`"),
        (lambda: function(ConfusionMatrix.from_counts(np.eye(3))), ValueError, "there are 3"),
    ):
        with pytest.raises(error, match=match):
            call()


def test_a_positive_label_that_never_occurs_in_one_class() -> None:
    with pytest.warns(UndefinedMetricWarning, match="no positive example"):
        assert math.isnan(false_negative_rate(["ok", "ok"], ["ok", "ok"], pos_label="bad"))
    assert specificity_score(["ok", "ok"], ["ok", "ok"], pos_label="bad") == 1.0
    with pytest.warns(UndefinedMetricWarning, match="no negative example"):
        assert math.isnan(specificity_score(ConfusionMatrix()))


def many(kind: Any, n: int = 10_000, k: int = 1000) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y_true, y_pred = rng.permutation(n) % k, rng.integers(0, k, n)
    return kind(y_true), kind(y_pred)


@pytest.mark.parametrize("pos_label", [None, 5])
@pytest.mark.parametrize("weights", [None, np.r_[0.0, np.ones(9_999)]])
def test_many_classes_are_refused_before_a_matrix_of_them_is_made(pos_label, weights) -> None:
    y_true, y_pred = many(np.asarray)
    message = "and there are 1,000" if pos_label is not None else r"there are 1,000, \{0, 1, 2"
    for _ in range(2):  # what is loaded on first use is no part of it
        tracemalloc.start()
        with pytest.raises(ValueError, match=message):
            specificity_score(y_true, y_pred, pos_label=pos_label, sample_weight=weights)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 1e6


def test_two_classes_far_apart_among_rows_without_a_weight() -> None:
    y_true, y_pred = many(lambda y: np.where(y < 10, y, 10_000 * (y % 2)))
    weights = np.isin(y_true, (0, 10_000)) & np.isin(y_pred, (0, 10_000))
    kept = np.flatnonzero(weights)
    found = specificity_score(y_true, y_pred, pos_label=10_000, sample_weight=weights.astype(float))
    assert found == pytest.approx(specificity_score(y_true[kept] > 0, y_pred[kept] > 0), rel=1e-12)
    assert found == specificity_score(y_true[kept], y_pred[kept], pos_label=10_000)
