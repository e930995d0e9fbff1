"""precision_score, recall_score, f1_score, fbeta_score, precision_recall_fscore_support."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, strategies as st
from label_samples import (
    KINDS,
    ZERO_DIVISIONS,
    assert_as_scikit_learn,
    assert_close,
    indicator_rows,
    label_rows,
    quarters,
    whole,
)

import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning
from reference import classification_oracle as oracle

SCORES = ("precision_score", "recall_score", "f1_score", "precision_recall_fscore_support")
#: It shows all values and warnings; the others choose.
ALL = SCORES[-1]
LABEL_AVERAGES = (None, "micro", "macro", "weighted")
ZEROS = {0: Fraction(0), 1: Fraction(1), math.nan: None}


def measured(rows, labels, average, zero, beta=1.0):
    return [
        oracle.average(rows, labels, measure, average, zero)
        for measure in (oracle.precision, oracle.recall, oracle.fbeta(beta))
    ]


@given(
    indicator_rows(weights=whole) | indicator_rows(weights=quarters),
    st.sampled_from([*LABEL_AVERAGES, "samples"]),
    st.sampled_from(list(ZEROS)),
)
def test_indicators_against_the_definition(sample, average, zero):
    y, p, w = sample
    rows = oracle.rows_of_indicators(y.tolist(), p.tolist(), w.tolist())
    for labels in (None, [1, 0], [1, 1, 0]):
        asked = range(y.shape[1]) if labels is None else labels
        options = {"labels": labels, "average": average, "zero_division": zero}
        expected = measured(rows, asked, average, ZEROS[zero])
        for form in (np.asarray, scipy.sparse.csr_matrix):
            ours = fm.precision_recall_fscore_support(form(y), form(p), sample_weight=w, **options)
            for mine, other in zip(ours, expected, strict=False):
                assert_close(mine, other)


@given(label_rows())
def test_values_of_a_class_are_the_nearest_doubles(sample):
    y, p, _ = sample
    rows = oracle.rows_of_labels(y.tolist(), p.tolist())
    labels = oracle.labels_seen(rows)
    ours = fm.precision_recall_fscore_support(y, p, zero_division=0)
    for mine, expected in zip(ours, measured(rows, labels, None, Fraction(0)), strict=False):
        assert mine.tolist() == [float(value) for value in expected]


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("weights", [None, "counts", "fractions"])
def test_every_kind_of_labels_as_scikit_learn(rng, kind, weights):
    n_classes = 2 if kind == "bool" else 5
    y, p = rng.integers(0, n_classes, (2, 40))
    p[0] = y[0]
    w = {"counts": rng.integers(0, 4, 40), "fractions": rng.random(40)}.get(weights)
    as_kind = KINDS[kind]
    for labels in (None, as_kind(np.array([1, 0]))):
        for average in LABEL_AVERAGES:
            options = {"labels": labels, "average": average, "sample_weight": w}
            assert_as_scikit_learn(ALL, as_kind(y), as_kind(p), **options)
    y, p = y % 2, p % 2
    options = {"average": "binary", "sample_weight": w}
    for code in (0, 1):
        pos_label = next(iter(as_kind(np.array([code]))))
        assert_as_scikit_learn(ALL, as_kind(y), as_kind(p), pos_label=pos_label, **options)


@pytest.mark.parametrize("zero_division", ZERO_DIVISIONS)
@pytest.mark.parametrize("average", [*LABEL_AVERAGES, "binary"])
def test_undefined_values_and_warnings_as_scikit_learn(zero_division, average):
    cases = [
        ([0, 1, 1], [0, 0, 0], None),  # 1 is never predicted
        ([0, 0, 0], [0, 1, 0], None),  # 1 does not occur
        ([0, 0], [0, 0], None),
        ([1, 1], [1, 1], None),
        ([0, 1], [0, 1], [7]),
        ([0, 1, 2], [0, 1, 1], [1, 7, 2]),
        ([0, 1, 2], [0, 2, 2], [8, 9]),
        ([5, 5], [5, 5], None),
    ]
    for y, p, labels in cases:
        if average == "binary" and labels == [7]:
            continue  # refused: it does not name the positive class
        for name in (*SCORES, "fbeta_score"):
            options = {"average": average, "labels": labels, "zero_division": zero_division}
            if name == "fbeta_score":
                for beta in (0, 0.5, math.inf):
                    assert_as_scikit_learn(name, y, p, beta=beta, **options)
            else:
                assert_as_scikit_learn(name, y, p, **options)


@pytest.mark.pairwise
@pytest.mark.parametrize("zero_division", ZERO_DIVISIONS)
@pytest.mark.parametrize("average", [*LABEL_AVERAGES, "binary", "samples"])
@pytest.mark.parametrize("weights", [None, [0.5, 1, 2, 3]])
def test_indicators_as_scikit_learn(zero_division, average, weights):
    y = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 0]])
    p = np.array([[1, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 0]])
    forms = [
        (y, p),
        (y.astype(bool), p.astype(float)),
        (y.tolist(), p),
        (scipy.sparse.csr_matrix(y), scipy.sparse.csc_array(p)),
        (scipy.sparse.coo_matrix(y), p),
    ]
    options = {"average": average, "zero_division": zero_division, "sample_weight": weights}
    for true, predicted in forms:
        assert_as_scikit_learn(ALL, true, predicted, **options)
    for labels in ([3], [1, 1, 0]):
        assert_as_scikit_learn(ALL, y, p, labels=labels, **options)
    for name in SCORES[:-1]:
        assert_as_scikit_learn(name, y, p, **options)


def test_one_row_is_not_one_of_several():
    for y, p in ([[[0, 1]], [[0, 0]]], [[[0, 0]], [[0, 1]]]):
        assert_as_scikit_learn(ALL, y, p, average="samples")


@pytest.mark.parametrize(
    "warn_for", [(), ("precision",), ["recall"], {"f-score"}, ("precision", "f-score"), ("x",)]
)
def test_warn_for(warn_for):
    assert_as_scikit_learn(ALL, [0, 0], [0, 0], average="binary", warn_for=warn_for)
    assert_as_scikit_learn(ALL, [0, 1, 0], [0, 2, 0], warn_for=warn_for)


def test_extreme_betas_have_limits():
    y, p = [0, 1, 1, 2, 1], [0, 1, 0, 2, 2]
    precision, recall, _, _ = fm.precision_recall_fscore_support(y, p)
    near_precision = fm.fbeta_score(y, p, beta=1e-200, average=None)
    near_recall = fm.fbeta_score(y, p, beta=1e200, average=None)
    np.testing.assert_allclose(near_precision, precision, rtol=1e-15)
    np.testing.assert_allclose(near_recall, recall, rtol=1e-15)
    assert fm.fbeta_score([0, 1], [0, 0], beta=1e-200) == 0.0  # 1 is missed: F is 0, not 0/0


@pytest.mark.parametrize("beta", [3, 2**20 - 1])
def test_whole_betas_are_divided_once(rng, beta):
    """The double nearest to the fraction, where the products have more bits than a double too."""
    for _ in range(5):
        y, p = rng.integers(0, 2, (2, 100_000))
        hits, square = int((y & p).sum()), beta * beta
        exact = Fraction((1 + square) * hits, square * int(y.sum()) + int(p.sum()))
        assert fm.fbeta_score(y, p, beta=beta) == float(exact)


@pytest.mark.parametrize("beta", [2.0**-21, 2.0**19, 2.0**20, 2.0**21, 3e6])
def test_large_betas_keep_their_digits(beta):
    """One positive found among 1,000 calls: the F score and its limit differ in the tenth digit."""
    y, p = np.arange(1_000) == 0, np.ones(1_000, bool)
    square = Fraction(beta) ** 2
    exact = (1 + square) / (square + 1_000)
    for found in (
        fm.fbeta_score(y, p, beta=beta),
        fm.fbeta_score(y, p, beta=beta, average=None)[1],
    ):
        assert abs(Fraction(float(found)) - exact) <= exact * Fraction(1, 2**51)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"average": "samples"}, ValueError, "is for multilabel targets"),
        ({"average": "binary"}, ValueError, "targets are multiclass with 3"),
        ({"warn_for": "recall"}, TypeError, "`warn_for` must be a list"),
        ({"labels": ["a"]}, TypeError, "`labels` holds text"),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        fm.precision_recall_fscore_support([0, 1, 2], [0, 2, 2], **options)


def test_pos_label():
    with pytest.raises(ValueError, match=r"`pos_label`=7 is not a label .* \{0, 1\}"):
        fm.f1_score([0, 1], [1, 1], pos_label=7)
    with pytest.raises(ValueError, match=r"`pos_label`=1 is not a label .*'no', 'yes'"):
        fm.f1_score(["no", "yes"], ["yes", "yes"])
    with pytest.raises(ValueError, match="`pos_label`=None"):
        fm.f1_score([0, 1], [1, 1], pos_label=None)
    with pytest.raises(ValueError, match="`pos_label`='1'"):
        fm.f1_score([0, 1], [1, 1], pos_label="1")
    assert fm.f1_score([0, 1], [1, 1], pos_label=np.int64(1)) == 2 / 3
    with pytest.warns(UserWarning, match="pos_label .set to 0. is ignored"):
        fm.f1_score([0, 1], [1, 1], pos_label=0, average="micro")
    for options in ({"pos_label": 0}, {"pos_label": 1}, {"pos_label": None}, {"pos_label": 1.0}):
        assert_as_scikit_learn("f1_score", [0, 1, 1], [1, 1, 0], average="macro", **options)


def test_columns_of_indicators_are_numbered():
    y = [[0, 1], [1, 1]]
    with pytest.raises(ValueError, match=r"must lie in \[0, 2\): got 2"):
        fm.recall_score(y, y, average=None, labels=[0, 2])
    with pytest.raises(ValueError, match="got -1"):
        fm.recall_score(y, y, average=None, labels=[-1])
    with pytest.raises(TypeError, match="numbers of columns: got text"):
        fm.recall_score(y, y, average=None, labels=["a"])
    with pytest.raises(ValueError, match="'samples'"):
        fm.recall_score(y, y)


def test_a_matrix_stands_alone():
    matrix = fm.ConfusionMatrix.binary(tp=3, fp=1, fn=2, tn=4, labels=["no", "yes"])
    assert fm.f1_score(matrix, pos_label="yes") == 6 / 9
    assert fm.recall_score(matrix, pos_label="no") == 4 / 5
    with pytest.raises(TypeError, match="`y_pred` must be left out"):
        fm.f1_score(matrix, [0, 1])
    with pytest.raises(ValueError, match="`pos_label`=1 is not a label"):
        fm.f1_score(matrix)


def test_counts_beyond_doubles_are_divided_once():
    hits, missed = 2**61 + 1, 2**61 + 3
    matrix = fm.ConfusionMatrix.binary(tp=hits, fn=missed, fp=5, tn=7)
    assert fm.recall_score(matrix) == hits / (hits + missed)
    assert fm.f1_score(matrix) == 2 * hits / (2 * hits + missed + 5)
    assert fm.fbeta_score(matrix, beta=2) == 5 * hits / (5 * hits + 4 * missed + 5)
    *_, support = fm.precision_recall_fscore_support(matrix)
    assert support.tolist() == [12, hits + missed]


# --- what must hold ------------------------------------------------------------------------------


@given(indicator_rows(weights=whole))
def test_rows_of_indicators_follow_the_same_laws(sample):
    y, p, w = sample
    options = {"average": "samples", "zero_division": math.nan}
    ours = fm.precision_recall_fscore_support(y, p, sample_weight=w, **options)
    repeated = fm.precision_recall_fscore_support(np.repeat(y, w, 0), np.repeat(p, w, 0), **options)
    np.testing.assert_allclose(ours[:3], repeated[:3], rtol=1e-14)


def test_row_of_no_weight_does_not_warn():
    y, p = [[1, 0], [0, 0]], [[1, 0], [0, 0]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fm.f1_score(y, p, average="samples", sample_weight=[1, 0]) == 1.0
    with pytest.warns(UndefinedMetricWarning, match="in samples with no true nor predicted"):
        assert fm.f1_score(y, p, average="samples") == 0.5
