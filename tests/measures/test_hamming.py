"""hamming_loss."""

import numpy as np
import scipy.sparse
from hypothesis import given
from label_samples import (
    assert_close,
    indicator_rows,
    quarters,
    whole,
)

import fastmetrics as fm
from reference import classification_oracle as oracle


@given(indicator_rows(weights=whole) | indicator_rows(weights=quarters))
def test_indicators_against_the_definition(sample):
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
    y, p = np.array([[1, -1], [-1, 1]]), np.array([[1, 1], [-1, 1]])
    assert fm.hamming_loss(y, p) == 0.25
    assert fm.hamming_loss(y, p == 1) == 0.25
