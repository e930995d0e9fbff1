"""Matthews' coefficient and Cohen's kappa: scikit-learn's values, warnings and errors; matrices."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, strategies as st
from peer_samples import assert_same_as_peer

import fastmetrics as fm
from fastmetrics import (
    ConfusionMatrix,
    UndefinedMetricWarning,
    cohen_kappa_score,
    matthews_corrcoef,
)

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
                *(cohen_kappa_score, sk.cohen_kappa_score, y, p),
                **(options | {"weights": weights, "replace_undefined_by": other}),
            )


@given(few_labels, st.permutations(range(4)), st.integers(1, 4))
def test_kappa_of_some_labels_in_their_order(rows, order, n) -> None:
    y, p, w = zip(*rows, strict=True)
    for weights, sample_weight in itertools.product(KAPPA_WEIGHTS, (None, w)):
        assert_same_as_peer(
            *(cohen_kappa_score, sk.cohen_kappa_score, y, p),
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
        y, w = rng.integers(0, 3, n), rng.random(n)
        y[:2] = 0, 1
        assert matthews_corrcoef(y, np.ones(n, int), sample_weight=w) == 0.0
        assert matthews_corrcoef(np.ones(n, int), y, sample_weight=w) == 0.0
        assert matthews_corrcoef(y, y, sample_weight=w) <= 1.0


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: matthews_corrcoef([0, 1]), TypeError, "`y_pred` is missing"),
        (lambda: cohen_kappa_score([0, 1]), TypeError, "`y2` is missing"),
        (lambda: matthews_corrcoef([[0, 1]], [[0, 1]]), ValueError, "`y_true`"),
        (lambda: matthews_corrcoef(ConfusionMatrix(), [0]), TypeError, "without `y_pred`"),
        (lambda: cohen_kappa_score(ConfusionMatrix(), [0]), TypeError, "without `y2`"),
        (lambda: cohen_kappa_score([0, 1], [0, 1], labels=[7, 8]), ValueError, "present in `y1`"),
        (lambda: cohen_kappa_score([0, 1], [0, 1], labels=[1, 1]), ValueError, "1 comes twice"),
        (
            lambda: cohen_kappa_score([0], [0], replace_undefined_by=2),
            ValueError,
            "must lie in \\[-1, 1\\] or be nan",
        ),
    ],
)
def test_refusals(call, error, match) -> None:
    with pytest.raises(error, match=match):
        call()


# --- many classes: no matrix of them -------------------------------------------------------------

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
    true, predicted = true.astype(kind), predicted.astype(kind)
    found = FROM_SUMS[name](true, predicted)
    ones = np.ones(len(true), np.int64)
    assert found == FROM_SUMS[name](true, predicted, sample_weight=ones)
    if kind is not np.str_:
        matrix = fm.ConfusionMatrix.from_labels(true, predicted)
        assert found == FROM_SUMS[name](matrix)


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
