"""Metrics of labels as scikit-learn has them: values, warnings and errors."""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.metrics as sk
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
from peer_samples import labels_of, outcome

import fastmetrics as fm
from fastmetrics import ConfusionMatrix, UndefinedMetricWarning, balanced_accuracy_score, g_mean
from reference import classification_oracle as oracle


def check_values(rows, y, p, w):
    right = oracle.accuracy(rows)
    wrong = oracle.error_rate(rows)
    total = oracle.weight(rows, oracle.anything)
    assert_close(fm.accuracy_score(y, p, sample_weight=w), right)
    assert_close(fm.zero_one_loss(y, p, sample_weight=w), wrong)
    assert_close(fm.accuracy_score(y, p, sample_weight=w, normalize=False), right * total)
    assert_close(fm.zero_one_loss(y, p, sample_weight=w, normalize=False), wrong * total)


@given(indicator_rows(weights=whole) | indicator_rows(weights=quarters))
def test_indicators_against_the_definition(sample):
    y, p, w = sample
    rows = oracle.rows_of_indicators(y.tolist(), p.tolist(), w.tolist())
    for convert in (np.asarray, scipy.sparse.csr_matrix, pd.DataFrame):
        check_values(rows, convert(y), convert(p), w)
    check_values(oracle.rows_of_indicators(y.tolist(), p.tolist()), y, p, None)


def test_counts_beyond_doubles_are_divided_once():
    right, wrong = 2**61 + 1, 2**60 + 1
    matrix = fm.ConfusionMatrix.binary(tp=right, fn=wrong, fp=0, tn=0)
    assert fm.accuracy_score(matrix) == right / (right + wrong)
    assert fm.zero_one_loss(matrix) == wrong / (right + wrong)
    assert fm.zero_one_loss(matrix, normalize=False) == float(wrong)


def test_weights_whose_sums_leave_the_range_of_doubles():
    y = [0, 1, 1, 0, 2]
    p = [0, 1, 0, 1, 2]
    w = np.full(5, 1e308)
    options = {"sample_weight": w}
    assert fm.accuracy_score(y, p, **options) == 0.6
    assert fm.accuracy_score(y, p, normalize=False, **options) == np.inf
    assert fm.zero_one_loss(y, p, **options) == fm.hamming_loss(y, p, **options) == 0.4
    plain = fm.precision_recall_fscore_support(y, p)[:3]
    np.testing.assert_array_equal(fm.precision_recall_fscore_support(y, p, **options)[:3], plain)
    np.testing.assert_array_equal(
        fm.jaccard_score(y, p, average=None, **options), fm.jaccard_score(y, p, average=None)
    )
    np.testing.assert_array_equal(
        fm.confusion_matrix(y, p, normalize="all", **options),
        fm.confusion_matrix(y, p, normalize="all"),
    )
    assert fm.confusion_matrix(y, p, **options)[2, 2] == 1e308
    *_, support = fm.precision_recall_fscore_support(y, p, **options)
    assert support.tolist() == [np.inf, np.inf, 1e308]
    ones = np.eye(3, dtype=int)
    assert fm.f1_score(ones, ones, average="macro", sample_weight=w[:3]) == 1.0
    assert fm.hamming_loss(ones, ones[::-1], sample_weight=w[:3]) == 4 / 9


rows_of_labels = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=7
).filter(lambda rows: any(w for _, _, w in rows))


@given(rows_of_labels)
def test_small_cases_with_classes_that_are_never_true(rows) -> None:
    y, p, w = zip(*rows, strict=True)
    for sample_weight in (None, w):
        ours = outcome(balanced_accuracy_score, y, p, sample_weight=sample_weight)
        wanted = outcome(sk.balanced_accuracy_score, y, p, sample_weight=sample_weight)
        assert ours[0] == pytest.approx(wanted[0], rel=1e-14)
        assert ours[1] == wanted[1]


def test_adjusted_for_one_class_is_undefined() -> None:
    with (
        pytest.warns(UndefinedMetricWarning, match="only one class"),
        pytest.warns(UserWarning, match="single label"),
    ):
        assert math.isnan(balanced_accuracy_score([3, 3], [3, 3], adjusted=True))


def test_chance_is_zero_when_adjusted() -> None:
    assert balanced_accuracy_score([0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0], adjusted=True) == 0.0


def test_labels_and_a_matrix_without_examples(rng) -> None:
    y, p = labels_of(rng, 90, 4)
    assert g_mean(y, p, labels=[3, 2, 1, 0]) == pytest.approx(g_mean(y, p))
    for function in (balanced_accuracy_score, g_mean):
        with pytest.warns(UndefinedMetricWarning, match="not defined"):
            assert math.isnan(function(ConfusionMatrix()))


def test_g_mean_of_two_classes_is_the_root_of_recall_times_specificity() -> None:
    y = np.repeat([0, 0, 1, 1], [30, 10, 3, 7])
    p = np.repeat([0, 1, 0, 1], [30, 10, 3, 7])
    assert g_mean(y, p) == pytest.approx(math.sqrt(0.75 * 0.7), rel=1e-15)
    assert g_mean(1 - y, 1 - p) == g_mean(y, p)


@pytest.mark.parametrize("k", [16, 17, 90])
def test_g_mean_of_many_classes_does_not_vanish(k) -> None:
    counts = np.zeros((k, k), int)
    np.fill_diagonal(counts, 1)
    counts[np.arange(k), np.arange(k) - 1] = 9999
    matrix = ConfusionMatrix.from_counts(counts)
    assert g_mean(matrix) == pytest.approx(1e-4, rel=1e-13)
    assert balanced_accuracy_score(matrix) == pytest.approx(1e-4, rel=1e-13)
    counts[0, 0] = 0
    assert g_mean(ConfusionMatrix.from_counts(counts)) == 0.0


@given(indicator_rows(weights=whole) | indicator_rows(weights=quarters))
def test_indicators_against_the_definition_hamming(sample):
    y, p, w = sample
    for weights in (None, w):
        rows = oracle.rows_of_indicators(y.tolist(), p.tolist(), weights)
        expected = oracle.hamming(rows, y.shape[1])
        assert_close(fm.hamming_loss(y, p, sample_weight=weights), expected)
        sparse = scipy.sparse.csr_matrix(y), scipy.sparse.coo_array(p)
        assert_close(fm.hamming_loss(*sparse, sample_weight=weights), expected)
    assert fm.hamming_loss(y, p) == float(
        oracle.hamming(oracle.rows_of_indicators(y, p), y.shape[1])
    )


def test_signs_are_indicators():
    y = np.array([[1, -1], [-1, 1]])
    p = np.array([[1, 1], [-1, 1]])
    assert fm.hamming_loss(y, p) == 0.25
    assert fm.hamming_loss(y, p == 1) == 0.25


AVERAGES = (None, "micro", "macro", "weighted")


@given(
    indicator_rows(weights=whole) | indicator_rows(weights=quarters),
    st.sampled_from([*AVERAGES, "samples"]),
    st.sampled_from([0, 1]),
)
def test_indicators_against_the_definition_jaccard(sample, average, zero):
    y, p, w = sample
    rows = oracle.rows_of_indicators(y.tolist(), p.tolist(), w.tolist())
    expected = oracle.average(rows, range(y.shape[1]), oracle.jaccard, average, Fraction(zero))
    options = {"average": average, "zero_division": zero, "sample_weight": w}
    assert_close(fm.jaccard_score(y, p, **options), expected)
    assert_close(fm.jaccard_score(scipy.sparse.csr_array(y), p, **options), expected)


SCORES = ("precision_score", "recall_score", "f1_score", "precision_recall_fscore_support")
#: It shows all values and warnings; the others choose.
ALL = SCORES[-1]
LABEL_AVERAGES = (None, "micro", "macro", "weighted")


def measured(rows, labels, average, zero, beta=1.0):
    return [
        oracle.average(rows, labels, metric, average, zero)
        for metric in (oracle.precision, oracle.recall, oracle.fbeta(beta))
    ]


@given(label_rows())
def test_values_of_a_class_are_the_nearest_doubles(sample):
    y, p, _ = sample
    rows = oracle.rows_of_labels(y.tolist(), p.tolist())
    labels = oracle.labels_seen(rows)
    ours = fm.precision_recall_fscore_support(y, p, zero_division=0)
    for mine, expected in zip(ours, measured(rows, labels, None, Fraction(0)), strict=False):
        assert mine.tolist() == [float(value) for value in expected]


OF_LABELS = {
    "confusion_matrix": [{"normalize": each} for each in (None, "true", "pred", "all")],
    "multilabel_confusion_matrix": [{}],
    "classification_report": [{"output_dict": each} for each in (False, True)],
    ALL: [{"average": each} for each in LABEL_AVERAGES],
}


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("name", OF_LABELS)
def test_every_kind_of_labels_as_scikit_learn(rng, name, kind):
    y, p = rng.integers(0, 2 if kind == "bool" else 5, (2, 40))
    p[0] = y[0]
    as_kind = KINDS[kind]
    some = [None] if name == "classification_report" else [None, as_kind(np.array([1, 0]))]
    weights = [None, rng.integers(0, 4, 40), rng.integers(0, 9, 40) / 8, rng.random(40) < 0.5]
    for w, labels, options in itertools.product(weights, some, OF_LABELS[name]):
        options = {"labels": labels, "sample_weight": w, **options}
        assert_as_scikit_learn(name, as_kind(y), as_kind(p), **options)
    for code, w in itertools.product((0, 1), weights if name == ALL else []):
        options = {"average": "binary", "sample_weight": w}
        pos_label = next(iter(as_kind(np.array([code]))))
        assert_as_scikit_learn(ALL, as_kind(y % 2), as_kind(p % 2), pos_label=pos_label, **options)


NOTHING = [[0, 0, 0], [0, 0, 0]]
#: True and predicted labels, and those of `labels=`.
UNDEFINED = [
    ([0, 1, 1], [0, 0, 0], None),  # 1 is never predicted
    ([0, 0, 0], [0, 1, 0], None),  # 1 does not occur
    ([0, 0], [0, 0], None),
    ([1, 1], [1, 1], None),
    ([0, 1], [0, 1], [7]),
    ([0, 1, 2], [0, 1, 1], [1, 7, 2]),
    ([0, 1, 2], [0, 2, 2], [8, 9]),
    ([5, 5], [5, 5], None),
    ([[0, 1, 0], [0, 0, 0]], NOTHING, None),
    ([[0, 0, 0]], NOTHING[:1], None),
    ([[0, 1, 0], [0, 0, 0]], NOTHING, [2, 2]),
]


@pytest.mark.parametrize("zero_division", [*ZERO_DIVISIONS, 0.5])
@pytest.mark.parametrize("average", [*LABEL_AVERAGES, "binary", "samples"])
def test_undefined_values_and_warnings_as_scikit_learn(zero_division, average):
    names = ["jaccard_score"] if zero_division == 0.5 else ["jaccard_score", ALL]
    if zero_division == "warn":
        names += [*SCORES[:-1], "fbeta_score"]
    for name, (y, p, labels) in itertools.product(names, UNDEFINED):
        if average == "binary" and labels == [7]:
            continue  # refused: it does not name the positive class
        options = {"average": average, "labels": labels, "zero_division": zero_division}
        for beta in (0, 0.5, math.inf) if name == "fbeta_score" else (None,):
            more = {} if beta is None else {"beta": beta}
            assert_as_scikit_learn(name, y, p, **options, **more)
    options = {"average": average, "zero_division": zero_division}
    assert_as_scikit_learn("jaccard_score", [0, 1], [1, 1], pos_label=0, **options)


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
        (pd.DataFrame(y), p),
        (scipy.sparse.lil_matrix(y), scipy.sparse.dok_array(p)),
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
        hits = int((y & p).sum())
        square = beta * beta
        exact = Fraction((1 + square) * hits, square * int(y.sum()) + int(p.sum()))
        assert fm.fbeta_score(y, p, beta=beta) == float(exact)


@pytest.mark.parametrize("beta", [2.0**-21, 2.0**19, 2.0**20, 2.0**21, 3e6])
def test_large_betas_keep_their_digits(beta):
    """One positive found among 1,000 calls: the F score and its limit differ in the tenth digit."""
    y = np.arange(1_000) == 0
    p = np.ones(1_000, bool)
    square = Fraction(beta) ** 2
    exact = (1 + square) / (square + 1_000)
    for value in (
        fm.fbeta_score(y, p, beta=beta),
        fm.fbeta_score(y, p, beta=beta, average=None)[1],
    ):
        assert abs(Fraction(float(value)) - exact) <= exact * Fraction(1, 2**51)


def test_pos_label():
    assert fm.f1_score([0, 1], [1, 1], pos_label=np.int64(1)) == 2 / 3
    with pytest.warns(UserWarning, match="pos_label .set to 0. is ignored"):
        fm.f1_score([0, 1], [1, 1], pos_label=0, average="micro")
    for options in ({"pos_label": 0}, {"pos_label": 1}, {"pos_label": None}, {"pos_label": 1.0}):
        assert_as_scikit_learn("f1_score", [0, 1, 1], [1, 1, 0], average="macro", **options)


def test_a_matrix_stands_alone():
    matrix = fm.ConfusionMatrix.binary(tp=3, fp=1, fn=2, tn=4, labels=["no", "yes"])
    assert fm.f1_score(matrix, pos_label="yes") == 6 / 9
    assert fm.recall_score(matrix, pos_label="no") == 4 / 5


def test_counts_beyond_doubles_are_divided_once_precision_recall_f():
    hits = 2**61 + 1
    missed = 2**61 + 3
    matrix = fm.ConfusionMatrix.binary(tp=hits, fn=missed, fp=5, tn=7)
    assert fm.recall_score(matrix) == hits / (hits + missed)
    assert fm.f1_score(matrix) == 2 * hits / (2 * hits + missed + 5)
    assert fm.fbeta_score(matrix, beta=2) == 5 * hits / (5 * hits + 4 * missed + 5)
    *_, support = fm.precision_recall_fscore_support(matrix)
    assert support.tolist() == [12, hits + missed]


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
