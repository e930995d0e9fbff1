"""confusion_matrix and multilabel_confusion_matrix."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, strategies as st
from label_samples import (
    KINDS,
    assert_as_scikit_learn,
    assert_close,
    indicator_rows,
    label_rows,
    quarters,
    whole,
)

import fastmetrics as fm
from reference import classification_oracle as oracle

NORMALIZE = (None, "true", "pred", "all")
ONE_CLASS = "ignore:A single label was found:UserWarning"


@pytest.mark.filterwarnings(ONE_CLASS)
@given(
    label_rows(weights=whole) | label_rows(weights=quarters),
    st.sampled_from([None, [2, 0, 1, 3], [1, 0], [9, 3, 0, 1]]),
)
def test_matrix_against_the_definition(sample, labels):
    y, p, w = sample
    y[0] = 0  # a label that is asked for
    rows = oracle.rows_of_labels(y.tolist(), p.tolist(), w.tolist())
    asked = oracle.labels_seen(rows) if labels is None else labels
    cells = oracle.matrix(rows, asked)
    assert_close(fm.confusion_matrix(y, p, labels=labels, sample_weight=w), cells)
    sums = {
        "true": [[sum(row)] * len(asked) for row in cells],
        "pred": [[sum(column) for column in zip(*cells, strict=True)]] * len(asked),
        "all": [[sum(map(sum, cells))] * len(asked)] * len(asked),
    }
    for normalize, whole_ in sums.items():
        shares = [
            [oracle.over(*pair) or 0 for pair in zip(*both, strict=True)]
            for both in zip(cells, whole_, strict=True)
        ]
        ours = fm.confusion_matrix(y, p, labels=labels, sample_weight=w, normalize=normalize)
        assert ours.dtype == np.float64
        assert_close(ours, shares)


@given(label_rows(weights=whole) | label_rows(weights=quarters))
def test_classes_against_the_rest_by_definition(sample):
    y, p, w = sample
    rows = oracle.rows_of_labels(y.tolist(), p.tolist(), w.tolist())
    for labels in (None, [2, 0, 9, 2]):
        asked = oracle.labels_seen(rows) if labels is None else labels
        ours = fm.multilabel_confusion_matrix(y, p, labels=labels, sample_weight=w)
        assert_close(ours, [oracle.two_by_two(rows, label) for label in asked])


@given(indicator_rows(weights=whole) | indicator_rows(weights=quarters))
def test_columns_and_rows_of_indicators_by_definition(sample):
    y, p, w = sample
    rows = oracle.rows_of_indicators(y.tolist(), p.tolist(), w.tolist())
    for labels in (None, [1, 0, 1]):
        asked = list(range(y.shape[1])) if labels is None else labels
        columns = [oracle.two_by_two(rows, label) for label in asked]
        of_rows = []
        for row in rows:
            parts = [oracle.two_by_two([row], label) for label in asked]
            of_rows.append([[sum(part[i][j] for part in parts) for j in (0, 1)] for i in (0, 1)])
        for form in (np.asarray, scipy.sparse.csr_matrix):
            options = {"labels": labels, "sample_weight": w}
            ours = fm.multilabel_confusion_matrix(form(y), form(p), **options)
            assert_close(ours, columns)
            ours = fm.multilabel_confusion_matrix(form(y), form(p), samplewise=True, **options)
            assert_close(ours, of_rows)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_labels_as_scikit_learn(rng, kind):
    y, p = rng.integers(0, 2 if kind == "bool" else 5, (2, 40))
    p[0] = y[0]
    as_kind = KINDS[kind]
    weights = [None, rng.integers(0, 4, 40), rng.random(40), rng.integers(0, 2, 40) == 1]
    for w in weights:
        for labels in (None, as_kind(np.array([1, 0])), as_kind(np.array([1]))):
            options = {"labels": labels, "sample_weight": w}
            for normalize in NORMALIZE:
                assert_as_scikit_learn(
                    "confusion_matrix", as_kind(y), as_kind(p), normalize=normalize, **options
                )
            assert_as_scikit_learn("multilabel_confusion_matrix", as_kind(y), as_kind(p), **options)


@pytest.mark.parametrize("weights", [None, [5, 1, 2, 3], [0.5, 1, 2, 3]])
def test_indicators_as_scikit_learn(weights):
    y = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 0]])
    p = np.array([[1, 0, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0]])
    forms = [
        (y, p),
        (y.astype(bool), p.astype(bool)),
        (pd.DataFrame(y), pd.DataFrame(p)),
        (scipy.sparse.csr_matrix(y), scipy.sparse.csc_matrix(p)),
        (scipy.sparse.csr_matrix(y.astype(float)), p),
        (scipy.sparse.lil_matrix(y), scipy.sparse.dok_array(p)),
    ]
    for true, predicted in forms:
        for labels in (None, [2, 0], [1, 1], [True, False]):
            for samplewise in (False, True):
                options = {"labels": labels, "samplewise": samplewise, "sample_weight": weights}
                assert_as_scikit_learn("multilabel_confusion_matrix", true, predicted, **options)


def test_a_stored_zero_is_a_zero():
    y, p = np.array([[1, 0], [1, 1]]), np.array([[1, 0], [0, 1]])
    stored = scipy.sparse.csr_matrix(y)
    stored.data[0] = 0
    y[0, 0] = 0
    expected = fm.multilabel_confusion_matrix(y, p)
    np.testing.assert_array_equal(fm.multilabel_confusion_matrix(stored, p), expected)
    assert stored.nnz == 3


def test_what_scikit_learn_warns_of_or_refuses():
    cases = [
        ([1, 1], [1, 1], {}),
        ([0, 1], [0, 1], {"labels": [0]}),
        ([1, 1], [1, 1], {"normalize": "true"}),
        ([0, 1], [0, 1], {"labels": [7, 8]}),
        ([0, 0], [1, 1], {"labels": [1]}),
        ([0, 1], [0, 1], {"labels": []}),
        ([0, 1], [0, 1], {"labels": ["a"]}),
        ([0, 1], [1, 1], {"labels": [0], "sample_weight": [0, 1]}),
        ([0, 1], [1, 1], {"labels": [0, 3], "sample_weight": [0, 1]}),
        ([0, 1], [0, 1], {"normalize": "rows"}),
        ([[0, 1]], [[0, 1]], {}),
        ([0, 1, 1], [0, 1], {}),
    ]
    for y, p, options in cases:
        assert_as_scikit_learn("confusion_matrix", y, p, **options)


@pytest.mark.parametrize(
    ("y_true", "options", "message"),
    [
        ([0, 1], {"labels": [1, 0, 1]}, "`labels` must be distinct: 1 comes twice"),
        ([0, 1], {"labels": [7]}, r"`labels`, \{7\}, must name at least one label of `y_true`"),
        ([[0, 1], [1, 1]], {}, "for multilabel-indicator targets"),
    ],
)
def test_wrong_input_of_the_matrix(y_true, options, message):
    with pytest.raises(ValueError, match=message):
        fm.confusion_matrix(y_true, y_true, **options)


def test_wrong_input_of_classes_against_the_rest():
    with pytest.raises(ValueError, match="rows are measured in multilabel targets only"):
        fm.multilabel_confusion_matrix([0, 1], [0, 1], samplewise=True)
    with pytest.raises(ValueError, match=r"must lie in \[0, 2\): got 2"):
        fm.multilabel_confusion_matrix([[0, 1]], [[0, 1]], labels=[2])


@given(label_rows(n_classes=3), st.sampled_from(NORMALIZE))
def test_a_matrix_in_place_of_rows(sample, normalize):
    y, p, _ = sample
    matrix = fm.ConfusionMatrix.from_labels(y, p, labels=[0, 1, 2])
    ours = fm.confusion_matrix(matrix, labels=[2, 0, 1], normalize=normalize)
    y, p = np.append(y, [0, 1, 2]), np.append(p, [0, 1, 2])
    w = np.append(np.ones(len(y) - 3, dtype=int), [0, 0, 0])
    rows = fm.confusion_matrix(y, p, sample_weight=w, labels=[2, 0, 1], normalize=normalize)
    np.testing.assert_array_equal(ours, rows)
    np.testing.assert_array_equal(
        fm.multilabel_confusion_matrix(matrix),
        fm.multilabel_confusion_matrix(y, p, sample_weight=w),
    )


def test_the_result_is_the_callers_own():
    matrix = fm.ConfusionMatrix.binary(tp=3, fp=1, fn=2, tn=4)
    cells = fm.confusion_matrix(matrix)
    cells[:] = 0
    assert matrix.tp == 3
    with pytest.raises(ValueError, match="at least one label"):
        fm.confusion_matrix(matrix, labels=[5])


def test_counts_beyond_doubles_are_exact():
    matrix = fm.ConfusionMatrix.binary(tp=2**61 + 1, fn=2**60 + 3, fp=0, tn=5)
    shares = fm.confusion_matrix(matrix, normalize="true")
    assert shares[1, 1] == (2**61 + 1) / (2**61 + 2**60 + 4)
    assert fm.multilabel_confusion_matrix(matrix)[1].tolist() == [[5, 0], [2**60 + 3, 2**61 + 1]]
