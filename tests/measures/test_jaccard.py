"""jaccard_score."""

import math
from fractions import Fraction

import pytest
import scipy.sparse
from hypothesis import given, strategies as st
from label_samples import (
    assert_as_scikit_learn,
    assert_close,
    indicator_rows,
    quarters,
    whole,
)

import fastmetrics as fm
from reference import classification_oracle as oracle

AVERAGES = (None, "micro", "macro", "weighted")


@given(
    indicator_rows(weights=whole) | indicator_rows(weights=quarters),
    st.sampled_from([*AVERAGES, "samples"]),
    st.sampled_from([0, 1]),
)
def test_indicators_against_the_definition(sample, average, zero):
    y, p, w = sample
    rows = oracle.rows_of_indicators(y.tolist(), p.tolist(), w.tolist())
    expected = oracle.average(rows, range(y.shape[1]), oracle.jaccard, average, Fraction(zero))
    options = {"average": average, "zero_division": zero, "sample_weight": w}
    assert_close(fm.jaccard_score(y, p, **options), expected)
    assert_close(fm.jaccard_score(scipy.sparse.csr_array(y), p, **options), expected)


@pytest.mark.parametrize("zero_division", ["warn", 0, 1, math.nan, 0.5])
@pytest.mark.parametrize("average", [*AVERAGES, "binary", "samples"])
def test_undefined_values_and_warnings_as_scikit_learn(average, zero_division):
    options = {"average": average, "zero_division": zero_division}
    cases = [
        ([0, 0], [0, 0], None),
        ([0, 1], [1, 1], None),
        ([0, 1, 2], [0, 1, 1], [1, 7]),
        ([0, 1, 2], [0, 1, 1], [8, 7]),
        ([0, 1, 2], [0, 1, 1], [7]),
        ([[0, 1, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]], None),
        ([[0, 0, 0]], [[0, 0, 0]], None),
        ([[0, 1, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]], [2, 2]),
    ]
    for y, p, labels in cases:
        assert_as_scikit_learn("jaccard_score", y, p, labels=labels, **options)
    assert_as_scikit_learn("jaccard_score", [0, 1], [1, 1], pos_label=0, **options)
