"""Agreement, likelihood ratios, rates, averages over classes, reports."""

import itertools
import math
import tracemalloc
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.metrics as sk
from hypothesis import given, strategies as st
from label_samples import ZERO_DIVISIONS, assert_as_scikit_learn
from peer_samples import assert_same_as_peer, labels_of, outcome, weights_of
from sklearn import metrics as peer

import engine_sizes
import fastmetrics as fm
from fastmetrics import (
    ConfusionMatrix,
    UndefinedMetricWarning,
    class_likelihood_ratios,
    cohen_kappa_score,
    count_metric,
    false_negative_rate,
    false_positive_rate,
    macro_micro,
    matthews_corrcoef,
    negative_predictive_value,
    specificity_score,
    youden_j,
)
from grids import few_examples
from reference import count_oracle as oracle

KAPPA_WEIGHTS = (None, "linear", "quadratic")
few_labels = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=7
).filter(lambda rows: any(w for _, _, w in rows))


@given(few_labels)
def test_small_cases_and_every_degenerate_one(rows) -> None:
    y, p, w = zip(*rows, strict=True)
    for sample_weight in (None, w):
        options = {"sample_weight": sample_weight}
        assert_same_as_peer(matthews_corrcoef, sk.matthews_corrcoef, y, p, **options)
        for weights, other in itertools.product(KAPPA_WEIGHTS, (math.nan, 0.0, -1.0)):
            assert_same_as_peer(
                cohen_kappa_score,
                sk.cohen_kappa_score,
                y,
                p,
                **(options | {"weights": weights, "replace_undefined_by": other}),
            )


@given(few_labels, st.permutations(range(4)), st.integers(1, 4))
def test_kappa_of_some_labels_in_their_order(rows, order, n) -> None:
    y, p, w = zip(*rows, strict=True)
    for weights, sample_weight in itertools.product(KAPPA_WEIGHTS, (None, w)):
        assert_same_as_peer(
            cohen_kappa_score,
            sk.cohen_kappa_score,
            y,
            p,
            labels=order[:n],
            weights=weights,
            sample_weight=sample_weight,
        )


@pytest.mark.parametrize(
    "matrix", [ConfusionMatrix(), ConfusionMatrix.from_counts([[0, 0], [0, 0]])]
)
def test_a_matrix_without_examples(matrix) -> None:
    with pytest.warns(UndefinedMetricWarning, match="there is no example"):
        assert math.isnan(matthews_corrcoef(matrix))
    with pytest.warns(UndefinedMetricWarning, match="`y2` contains no labels"):
        assert math.isnan(cohen_kappa_score(matrix))


def test_rounding_does_not_invent_a_correlation(rng) -> None:
    # n squared less a sum of squares, in floats, is now and then a little below or above 0
    for n in range(3, 40):
        y = rng.integers(0, 3, n)
        w = rng.random(n)
        y[:2] = 0, 1
        assert matthews_corrcoef(y, np.ones(n, int), sample_weight=w) == 0.0
        assert matthews_corrcoef(np.ones(n, int), y, sample_weight=w) == 0.0
        assert matthews_corrcoef(y, y, sample_weight=w) <= 1.0


FROM_SUMS = {
    "balanced_accuracy": fm.balanced_accuracy_score,
    "g_mean": fm.g_mean,
    "matthews_corrcoef": fm.matthews_corrcoef,
    "cohen_kappa": fm.cohen_kappa_score,
}


@pytest.mark.parametrize("name", FROM_SUMS)
@pytest.mark.parametrize("n_classes", [2, 3, 40, 300])
@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float64, np.str_])
def test_sums_give_the_bits_of_the_matrix(rng, name, n_classes, kind):
    n_classes = min(n_classes, 200) if kind is np.uint8 else n_classes
    true = np.r_[np.arange(n_classes), rng.integers(0, n_classes, 4000)]
    predicted = np.where(rng.random(len(true)) < 0.7, true, true[::-1])
    true = true.astype(kind)
    predicted = predicted.astype(kind)
    value = FROM_SUMS[name](true, predicted)
    assert value == FROM_SUMS[name](true, predicted, sample_weight=np.ones(len(true), np.int64))
    if kind is not np.str_:
        assert value == FROM_SUMS[name](fm.ConfusionMatrix.from_labels(true, predicted))


@pytest.mark.parametrize("name", FROM_SUMS)
def test_a_thousand_classes_take_no_matrix(rng, name):
    true, predicted = rng.permuted(np.tile(np.arange(1000), (2, 20)), axis=1)
    FROM_SUMS[name](true, predicted)
    tracemalloc.start()
    try:
        FROM_SUMS[name](true, predicted)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2e6  # a matrix of counts is 8 MB, and there were four


PEER = sk.class_likelihood_ratios
REPLACEMENTS = (
    *(np.nan, 1.0, {"LR+": 1.0, "LR-": 1.0}, {"LR+": math.inf, "LR-": 0.0}),
    {"LR+": np.nan, "LR-": 0.25},
)
binary_rows = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 3)), min_size=2, max_size=7
).filter(lambda rows: any(w for _, _, w in rows))


@pytest.mark.parametrize("replacement", REPLACEMENTS)
@few_examples
@given(binary_rows)
def test_small_cases_and_every_degenerate_one_ratios(replacement, rows) -> None:
    y, p, w = zip(*rows, strict=True)
    for sample_weight in (None, w):
        assert_same_as_peer(
            class_likelihood_ratios,
            PEER,
            y,
            p,
            sample_weight=sample_weight,
            replace_undefined_by=replacement,
        )
        for labels in ([0, 1], [1, 0], [0, 2]):
            options = {"labels": labels, "sample_weight": sample_weight}
            assert_same_as_peer(
                class_likelihood_ratios,
                PEER,
                y,
                p,
                **(options | {"replace_undefined_by": replacement}),
            )


@pytest.mark.parametrize(
    ("replacement", "error", "match"),
    [
        (0.0, ValueError, "must be 1.0, nan, or a dictionary"),
        ({"LR+": 1.0}, ValueError, "must have both 'LR\\+' and 'LR-'"),
        ({"LR+": 0.5, "LR-": 1.0}, ValueError, "\\['LR\\+'\\]` must lie in \\[1, inf\\]"),
        ({"LR+": 1.0, "LR-": 1.5}, ValueError, "\\['LR-'\\]` must lie in \\[0, 1\\]"),
    ],
)
def test_replacements_that_make_no_sense(replacement, error, match) -> None:
    with pytest.raises(error, match=match):
        class_likelihood_ratios([0, 1], [0, 1], replace_undefined_by=replacement)
    assert isinstance(outcome(PEER, [0, 1], [0, 1], replace_undefined_by=replacement)[0], type)


RATES = {
    specificity_score: oracle.specificity,
    negative_predictive_value: oracle.npv,
    false_positive_rate: oracle.false_positive_rate,
    false_negative_rate: oracle.false_negative_rate,
    youden_j: oracle.informedness,
}


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
    return kind(rng.permutation(n) % k), kind(rng.integers(0, k, n))


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
    value = specificity_score(y_true, y_pred, pos_label=10_000, sample_weight=weights.astype(float))
    assert value == pytest.approx(specificity_score(y_true[kept] > 0, y_pred[kept] > 0), rel=1e-12)
    assert value == specificity_score(y_true[kept], y_pred[kept], pos_label=10_000)


MACRO = tuple(
    partial(macro_micro, metrics=name)
    for name in ("precision_macro", "recall_macro", "macro_f1_harmonic")
)
MICRO = tuple(
    partial(macro_micro, metrics=name) for name in ("precision_micro", "recall_micro", "f1_micro")
)
macro_precision, macro_recall, macro_f1_harmonic = MACRO
micro_precision, micro_recall, micro_f1 = MICRO

cell = st.one_of(st.just(0), st.integers(0, 6))
stacks = st.lists(st.lists(cell, min_size=4, max_size=4), min_size=1, max_size=5).map(
    lambda fours: np.array(fours).reshape(-1, 2, 2)
)


def matrices_of(counts) -> list[ConfusionMatrix]:
    """Return a matrix of each [[TN, FP], [FN, TP]]."""
    return [ConfusionMatrix.from_counts(each) for each in counts]


def one_vs_rest(y, p, w=None) -> list[ConfusionMatrix]:
    """Return a matrix of each class against the rest."""
    return matrices_of(sk.multilabel_confusion_matrix(y, p, sample_weight=w))


def by_definition(counts) -> dict:
    """Return the six metrics of n matrices as the textbook has them, in Fractions."""
    fours = [[Fraction(int(c)) for c in matrix.ravel()] for matrix in counts]

    def precision(four):
        return four[3] / (four[3] + four[1]) if four[3] + four[1] else None

    def recall(four):
        return four[3] / (four[3] + four[2]) if four[3] + four[2] else None

    def harmonic(p, r):
        if p is None or r is None:
            return None
        return 2 * p * r / (p + r) if p + r else Fraction(0)

    averages = [sum(cells) / len(fours) for cells in zip(*fours, strict=True)]
    p, r = oracle.mean([*map(precision, fours)]), oracle.mean([*map(recall, fours)])
    tp = averages[3]
    errors = averages[1] + averages[2]
    return {
        macro_precision: p,
        macro_recall: r,
        macro_f1_harmonic: harmonic(p, r),
        micro_precision: precision(averages),
        micro_recall: recall(averages),
        micro_f1: 2 * tp / (2 * tp + errors) if 2 * tp + errors else None,
    }


@given(stacks)
def test_the_definition_over_a_stack(counts) -> None:
    stack = matrices_of(counts)
    for function, exact in by_definition(counts).items():
        got, messages = outcome(function, stack)
        if exact is None:
            assert math.isnan(got)
            assert messages == ["UndefinedMetricWarning"]
        else:
            assert got == pytest.approx(float(exact), rel=1e-14, abs=0)
            assert not messages


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("weighting", ["none", "counts", "importances"])
def test_classes_a_matrix_and_one_vs_rest_agree_with_scikit_learn(rng, k, weighting) -> None:
    y, p = labels_of(rng, 120, k)
    y[:k] = p[:k] = np.arange(k)
    w = weights_of(rng, 120, weighting)
    if w is not None:
        w[:k] = 1
    matrix = ConfusionMatrix.from_labels(y, p, sample_weight=w)
    stack = one_vs_rest(y, p, w)
    peers = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}
    for function in (*MACRO, *MICRO):
        name, _, average = function.keywords["metrics"].partition("_")
        assert function(y, p, sample_weight=w) == function(matrix)
        assert function(stack) == pytest.approx(function(matrix), rel=1e-14)
        if name in peers:
            wanted = peers[name](y, p, average=average, sample_weight=w)
            assert function(matrix) == pytest.approx(wanted, rel=1e-13)
    f1 = macro_micro(matrix, metrics="f1_macro")
    assert f1 == pytest.approx(sk.f1_score(y, p, average="macro", sample_weight=w), rel=1e-13)
    accuracy = pytest.approx(count_metric(matrix, "accuracy"), rel=1e-14)
    assert all(function(matrix) == accuracy for function in MICRO)
    harmonic = 2 / (1 / macro_precision(matrix) + 1 / macro_recall(matrix))
    assert macro_f1_harmonic(matrix) == pytest.approx(harmonic, rel=1e-14)
    assert count_metric(matrix, "macro_f1_harmonic") == macro_f1_harmonic(matrix)


@pytest.mark.parametrize("zero_division", [0, 1])
@given(stacks)
def test_zero_division_is_silent(zero_division, counts) -> None:
    stack = matrices_of(counts)
    for function in (*MACRO, *MICRO):
        got, messages = outcome(function, stack, zero_division=zero_division)
        assert not messages
        assert 0 <= got <= 1
    values = np.full(len(stack), float(zero_division))
    tp, fp = counts[:, 1, 1], counts[:, 0, 1]
    np.divide(tp, tp + fp, out=values, where=tp + fp > 0)
    got = macro_precision(stack, zero_division=zero_division)
    assert got == pytest.approx(values.mean(), rel=1e-14)


def test_parameters_and_what_is_undefined() -> None:
    counts = [[[3, 0], [2, 0]], [[3, 1], [2, 2]], [[1, 0], [0, 0]]]
    stack = dict(zip(("mon", "tue", "wed"), matrices_of(counts), strict=True))
    assert [count_metric(each, "precision", zero_division=0) for each in stack.values()] == [
        *(0, 2 / 3, 0)
    ]
    assert [count_metric(each, "cost", cost_fn=4, cost_fp=1) for each in stack.values()] == [
        *(1.6, 1.125, 0)
    ]
    with pytest.warns(UndefinedMetricWarning, match="2 of 3 matrices .'mon', 'wed'. without a pr"):
        assert math.isnan(macro_precision(stack))
    with pytest.warns(UndefinedMetricWarning, match="1 of 3 matrices .'wed'. without a true"):
        assert math.isnan(macro_recall(stack))
    with pytest.warns(UndefinedMetricWarning, match="2 of 3 classes .'b', 'c'. without a pred"):
        assert math.isnan(macro_precision(["a", "b", "c"], ["a", "a", "a"]))
    with pytest.warns(UndefinedMetricWarning, match="`f1` is not defined$"):
        assert math.isnan(count_metric(ConfusionMatrix(), "f1"))


NAME = "classification_report"
Y, P = [0, 1, 1, 0, 2, 2], [0, 1, 0, 0, 2, 1]


@pytest.mark.parametrize("output_dict", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sample_weight": [1, 2, 3, 4, 5, 6]},
        {"sample_weight": [0.5, 0.25, 0.125, 1e6, 0.75, 5]},
        {"labels": [2, 0]},
        {"labels": [2, 1, 0]},
        {"labels": [2, 0, 7]},
        {"labels": [2, 0, 1, 7]},
        {"labels": [8, 9]},
        {"labels": [0], "zero_division": 1},
        {"target_names": ["a", "b" * 20, "c"]},
        {"target_names": ["a", "b"]},
        {"target_names": np.array(["x", "y", "z"])},
        {"target_names": pd.Series(["x", "y", "z"], index=[2, 1, 0])},
        {"target_names": ["a", "b"], "labels": [1, 2, 0]},
        {"target_names": list("abcd"), "labels": [1, 2, 0]},
        {"digits": 0},
        {"digits": 4},
        {"digits": 12},
        {"digits": 20},
        {"digits": -1},
    ],
)
def test_text_and_dictionary_as_scikit_learn(options, output_dict):
    assert_as_scikit_learn(NAME, Y, P, output_dict=output_dict, **options)


@pytest.mark.parametrize("output_dict", [False, True])
@pytest.mark.parametrize("zero_division", ZERO_DIVISIONS)
def test_undefined_values_and_warnings_as_scikit_learn(zero_division, output_dict):
    options = {"zero_division": zero_division, "output_dict": output_dict}
    for y, p in (
        (["a", "b", "c"], ["a", "b", "b"]),
        (["a", "b", "b"], ["a", "b", "c"]),
        ([1, 1], [1, 1]),
        ([True, False], [True, True]),
        ([1.0, 2.0], [1.0, 1.0]),
    ):
        assert_as_scikit_learn(NAME, y, p, **options)


@pytest.mark.parametrize("output_dict", [False, True])
@pytest.mark.parametrize("zero_division", ZERO_DIVISIONS)
def test_indicators_as_scikit_learn(zero_division, output_dict):
    y = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 0]])
    p = np.array([[1, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 0]])
    forms = [
        (y, p, {}),
        (y, p, {"labels": [0, 2]}),
        (y, p, {"sample_weight": [0.5, 1, 2, 3]}),
        (y, p, {"labels": [0, 1], "target_names": list("abcd")}),
        (scipy.sparse.csr_matrix(y), p, {"target_names": list("abcd")}),
    ]
    for true, predicted, more in forms:
        options = {"zero_division": zero_division, "output_dict": output_dict, **more}
        assert_as_scikit_learn(NAME, true, predicted, **options)


WHOLE = np.array([0, 1, 1, 0])
SPELLED = {
    "bool": WHOLE.astype(bool),
    "int": WHOLE,
    "uint8": WHOLE.astype(np.uint8),
    "float": WHOLE.astype(float),
    "float32": WHOLE.astype(np.float32),
    "list": WHOLE.tolist(),
    "list of floats": [0, 1.0, 1, 0],
    "Int64": pd.Series(WHOLE, dtype="Int64"),
    "boolean": pd.Series(WHOLE, dtype="boolean"),
    "categories": pd.Series(WHOLE, dtype="category"),
    "other": np.array([0, 2, 1, 0]),
    "other floats": np.array([0.0, 2.0, 1.0, 0.0]),
}


@pytest.mark.parametrize("true", SPELLED)
def test_numbers_are_spelled_as_scikit_learn_spells_them(true):
    others = (true, "bool", "int", "float", "other floats")
    for output_dict, predicted in itertools.product((False, True), others):
        options = {"output_dict": output_dict, "zero_division": 0}
        expected = peer.classification_report(SPELLED[true], SPELLED[predicted], **options)
        assert fm.classification_report(SPELLED[true], SPELLED[predicted], **options) == expected


def test_labels_are_counted_once(monkeypatch):
    counted = engine_sizes.noted(monkeypatch, "label counts")
    fm.classification_report(Y, P)
    assert len(counted) == 1


def test_each_warning_is_given_once():
    with pytest.warns(UndefinedMetricWarning) as caught:
        fm.classification_report([0, 1, 1], [0, 0, 0])
    assert [str(warning.message).split()[0] for warning in caught] == ["Precision"]


def test_supports_are_whole_where_nothing_is_right():
    report = fm.classification_report([0, 0], [1, 1], zero_division=0)
    assert report.splitlines()[2].split() == ["0", "0.00", "0.00", "0.00", "2"]


def test_accuracy_counts_a_repeated_label_once():
    report = fm.classification_report(Y, P, labels=[2, 2, 1, 0], output_dict=True)
    assert report["accuracy"] == 4 / 6
    assert report["macro avg"]["support"] == 8.0


def test_names_need_not_be_text():
    rows = fm.classification_report(Y, P, target_names=[1, (2, 3), None]).splitlines()
    assert [line[:12].strip() for line in rows[2:5]] == ["1", "(2, 3)", "None"]
    report = fm.classification_report(Y, P, target_names=[1, (2, 3), None], output_dict=True)
    assert list(report)[:3] == [1, (2, 3), None]


def test_a_matrix_in_place_of_rows():
    matrix = fm.ConfusionMatrix.from_labels(Y, P)
    assert fm.classification_report(matrix) == fm.classification_report(Y, P)
    matrix = fm.ConfusionMatrix.from_labels(["a", "b", "b"], ["a", "a", "b"])
    expected = fm.classification_report(["a", "b", "b"], ["a", "a", "b"])
    assert fm.classification_report(matrix) == expected
