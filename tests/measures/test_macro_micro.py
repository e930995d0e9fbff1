"""Textbook macro and micro measures: of classes and of stacks; what separates them from others."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, strategies as st
from peer_samples import labels_of, outcome, weights_of

from fastmetrics import ConfusionMatrix, UndefinedMetricWarning, count_measure, macro_micro
from measure_names import COUNT_MEASURES, PRICED
from reference import count_oracle as oracle

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
    """Return the six measures of n matrices as the textbook has them, in Fractions."""
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
    tp, errors = averages[3], averages[1] + averages[2]
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
        got, said = outcome(function, stack)
        if exact is None:
            assert math.isnan(got)
            assert said == ["UndefinedMetricWarning"]
        else:
            assert got == pytest.approx(float(exact), rel=1e-14, abs=0)
            assert not said


def test_the_separating_example() -> None:
    y, p = [0] * 6 + [1] * 4, [0] * 3 + [1] * 7
    assert macro_f1_harmonic(y, p) == pytest.approx(0.7674418604651163, rel=1e-15)
    matrix = ConfusionMatrix.from_labels(y, p)
    assert count_measure(matrix, "f1_macro") == pytest.approx(0.696969696969697, rel=1e-15)
    assert sk.f1_score(y, p, average="macro") == pytest.approx(0.696969696969697, rel=1e-15)
    stack = one_vs_rest(y, p)
    assert macro_f1_harmonic(stack) == macro_f1_harmonic(matrix) == macro_f1_harmonic(y, p)


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
    accuracy = pytest.approx(count_measure(matrix, "accuracy"), rel=1e-14)
    assert all(function(matrix) == accuracy for function in MICRO)
    harmonic = 2 / (1 / macro_precision(matrix) + 1 / macro_recall(matrix))
    assert macro_f1_harmonic(matrix) == pytest.approx(harmonic, rel=1e-14)
    assert count_measure(matrix, "macro_f1_harmonic") == macro_f1_harmonic(matrix)


@pytest.mark.parametrize("zero_division", [0, 1])
@given(stacks)
def test_zero_division_is_silent(zero_division, counts) -> None:
    stack = matrices_of(counts)
    for function in (*MACRO, *MICRO):
        got, said = outcome(function, stack, zero_division=zero_division)
        assert not said
        assert 0 <= got <= 1
    values = np.full(len(stack), float(zero_division))
    tp, fp = counts[:, 1, 1], counts[:, 0, 1]
    np.divide(tp, tp + fp, out=values, where=tp + fp > 0)
    got = macro_precision(stack, zero_division=zero_division)
    assert got == pytest.approx(values.mean(), rel=1e-14)


def test_micro_of_a_stack_is_the_measure_of_its_sum(rng) -> None:
    stack = matrices_of(rng.integers(1, 50, (7, 2, 2)))
    for function, name in zip(MICRO, ("precision", "recall", "f1"), strict=True):
        assert function(stack) == count_measure(sum(stack), name)
    values = [count_measure(matrix, "precision") for matrix in stack]
    assert macro_precision(stack) == pytest.approx(np.mean(values))


@pytest.mark.parametrize("name", sorted(set(COUNT_MEASURES) - PRICED))
def test_each_matrix_by_its_definition(rng, name) -> None:
    counts = rng.integers(1, 9, (5, 2, 2))
    got = [count_measure(matrix, name) for matrix in matrices_of(counts)]
    first_name = COUNT_MEASURES[name].name
    for value, cells in zip(got, counts.tolist(), strict=True):
        exact = oracle.value(first_name, oracle.rows_of_cells(cells), [0, 1])
        assert value == pytest.approx(exact, rel=1e-13, abs=1e-14)


def test_parameters_and_what_is_undefined() -> None:
    counts = [[[3, 0], [2, 0]], [[3, 1], [2, 2]], [[1, 0], [0, 0]]]
    stack = dict(zip(("mon", "tue", "wed"), matrices_of(counts), strict=True))
    assert [count_measure(each, "precision", zero_division=0) for each in stack.values()] == [
        *(0, 2 / 3, 0)
    ]
    assert [count_measure(each, "cost", cost_fn=4, cost_fp=1) for each in stack.values()] == [
        *(1.6, 1.125, 0)
    ]
    with pytest.warns(UndefinedMetricWarning, match="2 of 3 matrices .'mon', 'wed'. without a pr"):
        assert math.isnan(macro_precision(stack))
    with pytest.warns(UndefinedMetricWarning, match="1 of 3 matrices .'wed'. without a true"):
        assert math.isnan(macro_recall(stack))
    with pytest.warns(UndefinedMetricWarning, match="2 of 3 classes .'b', 'c'. without a pred"):
        assert math.isnan(macro_precision(["a", "b", "c"], ["a", "a", "a"]))
    with pytest.warns(UndefinedMetricWarning, match="`f1` is not defined$"):
        assert math.isnan(count_measure(ConfusionMatrix(), "f1"))
