"""Ones of indicator matrices, by column and by row, in blocks of rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from fastmetrics._input.targets import check_targets
from fastmetrics._input.weights import check_weights
from fastmetrics.tables.confusion import _indicator_counts
from fastmetrics.tables.confusion._indicator_counts import counts_by_column, counts_by_row


@pytest.fixture(params=[1 << 18, 10], ids=["one block", "many blocks"])
def block(request, monkeypatch):
    monkeypatch.setattr(_indicator_counts, "_BLOCK", request.param)


def pairs(rng):
    y, p = rng.integers(0, 2, (2, 50, 4))
    return y, p, (y & p, y, p)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.usefixtures("block")
def test_by_column(rng, sparse):
    y, p, three = pairs(rng)
    data = check_targets(*(map(scipy.sparse.csr_matrix, (y, p)) if sparse else (y, p)))
    for found, ones in zip(counts_by_column(data, None), three, strict=True):
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, ones.sum(axis=0))
    for w in (rng.integers(0, 5, 50), rng.random(50)):
        weights = check_weights(w, 50)
        for found, ones in zip(counts_by_column(data, weights), three, strict=True):
            assert found.dtype == (np.int64 if weights.is_integer else np.float64)
            np.testing.assert_allclose(found, w @ ones, rtol=1e-14)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("multiplicity", [[1, 1, 1, 1], [0, 2, 1, 0], [0, 0, 0, 0]])
@pytest.mark.usefixtures("block")
def test_by_row(rng, sparse, multiplicity):
    y, p, three = pairs(rng)
    data = check_targets(*(map(scipy.sparse.csr_matrix, (y, p)) if sparse else (y, p)))
    for found, ones in zip(counts_by_row(data, np.array(multiplicity)), three, strict=True):
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, ones @ multiplicity)
