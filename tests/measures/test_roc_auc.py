"""roc_auc_score of two classes and of indicator matrices, and rank_loss."""

from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics as sk

from fastmetrics import ScoreTable, rank_loss, roc_auc_score
from fastmetrics.errors import UndefinedMetricWarning
from reference import roc_oracle

AVERAGES = ["macro", "micro", "samples", "weighted", None]


@pytest.mark.parametrize("size", [10**3, 10**10, 10**12, 2**61 - 1])
def test_injected_counts(size):
    positives = np.array([size, 1, 0, size // 3], dtype=np.int64)
    negatives = np.array([7, size // 2, 5, size // 2 + 1], dtype=np.int64)
    table = ScoreTable(np.array([4.0, 3.0, 2.0, 1.0]), positives, negatives)
    rows = [
        (score, Fraction(p), Fraction(n))
        for score, p, n in zip((4, 3, 2, 1), positives.tolist(), negatives.tolist(), strict=True)
    ]
    assert roc_auc_score(table) == float(roc_oracle.auc(rows))
    assert rank_loss(table) == float(roc_oracle.rank_loss(rows))
    for max_fpr in (0.1, 0.25, 2.0**-40):
        expected = float(roc_oracle.mcclish(rows, 0, Fraction(max_fpr)))
        assert roc_auc_score(table, max_fpr=max_fpr) == expected


def test_any_two_labels():
    s = [0.1, 0.4, 0.35, 0.8]
    for y in ([1, 1, 2, 2], ["a", "a", "b", "b"], [False, False, True, True], [-3.0, -3, 7, 7]):
        assert roc_auc_score(y, s) == sk.roc_auc_score(y, s) == 0.75


def test_a_table_comes_alone():
    table = ScoreTable.from_scores([0, 1], [0.1, 0.2])
    with pytest.raises(TypeError, match="alone"):
        roc_auc_score(table, [0.1, 0.2])
    with pytest.raises(TypeError, match="alone"):
        rank_loss(table, sample_weight=[1, 2])


def test_predict_proba_unsliced_is_named():
    with pytest.raises(ValueError, match=r"\[:, 1\]"):
        roc_auc_score([0, 1, 1], [[0.5, 0.5], [0.1, 0.9], [0.2, 0.8]])


def indicator(rng, n=40, k=4):
    y = rng.integers(0, 2, (n, k))
    y[:2] = [[0, 1, 0, 1], [1, 0, 1, 0]]
    y[:, 0] |= y.sum(axis=1) == 0
    y[:, 1] &= y.sum(axis=1) != k
    return y, rng.integers(0, 9, (n, k)) / 8


@pytest.mark.pairwise
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_fpr", [None, 0.4])
@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, np.asfortranarray])
def test_multilabel(rng, average, weighted, max_fpr, form):
    y, s = indicator(rng)
    w = rng.random(len(y)) if weighted else None
    ours = roc_auc_score(form(y), form(s), average=average, sample_weight=w, max_fpr=max_fpr)
    theirs = sk.roc_auc_score(y, s, average=average, sample_weight=w, max_fpr=max_fpr)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert type(ours) is type(theirs) is (np.ndarray if average is None else float)


def test_multilabel_columns_are_exact(rng):
    y, s = indicator(rng)
    for k, area in enumerate(roc_auc_score(y, s, average=None)):
        assert area == float(roc_oracle.auc(roc_oracle.rows_of(y[:, k], s[:, k])))


@pytest.mark.parametrize("average", AVERAGES)
def test_multilabel_with_a_column_of_one_class(average):
    y, s = np.array([[0, 1, 1], [0, 0, 1], [0, 1, 0]]), np.array([[3, 2, 1], [1, 3, 2], [2, 1, 3]])
    options = {"average": average}
    if average == "micro":
        assert roc_auc_score(y, s, **options) == pytest.approx(sk.roc_auc_score(y, s, **options))
        return
    if average == "samples":
        y = y[:, ::-1] * (np.arange(3) > 0)[:, None]
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        ours = roc_auc_score(y, s, **options)
    with pytest.warns(sk._ranking.UndefinedMetricWarning, match="Only one class"):
        theirs = sk.roc_auc_score(y, s, **options)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_multilabel_without_a_positive_averages_to_zero_when_weighted():
    y, s = np.zeros((3, 2), dtype=int), np.arange(6).reshape(3, 2)
    assert roc_auc_score(y, s, average="weighted") == sk.roc_auc_score(y, s, average="weighted")


def test_multilabel_refuses():
    with pytest.raises(ValueError, match="indicator"):
        roc_auc_score([[0, 1], [2, 1]], [[0.1, 0.2], [0.3, 0.4]])
    with pytest.raises(ValueError, match="same shape"):
        roc_auc_score([[0, 1], [1, 0]], [[0.1, 0.2, 0.3], [0.3, 0.4, 0.5]])


def test_in_a_scorer_and_cross_validation(rng):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    model = LogisticRegression()
    scorer = sk.make_scorer(roc_auc_score, response_method="predict_proba")
    ours = cross_val_score(model, X, y, scoring=scorer, cv=4)
    np.testing.assert_allclose(ours, cross_val_score(model, X, y, scoring="roc_auc", cv=4))

    z = y + (X[:, 1] > 0.5)
    scorer = sk.make_scorer(roc_auc_score, response_method="predict_proba", multi_class="ovo")
    ours = cross_val_score(model, X, z, scoring=scorer, cv=3)
    np.testing.assert_allclose(ours, cross_val_score(model, X, z, scoring="roc_auc_ovo", cv=3))
