"""Ones of indicator matrices, by column and by row, in blocks of rows."""

import numpy as np
import pytest
import scipy.sparse

import engine_sizes
import fastmetrics as fm


@pytest.fixture(params=[1 << 18, 10], ids=["one block", "many blocks"])
def block(request, monkeypatch):
    engine_sizes.put(monkeypatch, indicator_block=request.param)


def pairs(rng):
    y, p = rng.integers(0, 2, (2, 50, 4))
    return y, p, (y & p, y, p)


def counts_of(matrices):
    """Return how many are in both, true, and predicted, of each matrix."""
    both = matrices[:, 1, 1]
    return both, both + matrices[:, 1, 0], both + matrices[:, 0, 1]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.usefixtures("block")
def test_by_column(rng, sparse):
    y, p, three = pairs(rng)
    data = [scipy.sparse.csr_matrix(each) if sparse else each for each in (y, p)]
    for w in (None, rng.integers(0, 5, 50), rng.random(50)):
        found = fm.multilabel_confusion_matrix(*data, sample_weight=w)
        weights = np.ones(50, int) if w is None else w
        assert found.dtype == (np.int64 if w is None else np.float64)
        for counted, ones in zip(counts_of(found), three, strict=True):
            np.testing.assert_allclose(counted, weights @ ones, rtol=1e-14)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("labels", [None, [1, 2], [3]])
@pytest.mark.usefixtures("block")
def test_by_row(rng, sparse, labels):
    y, p, three = pairs(rng)
    data = [scipy.sparse.csr_matrix(each) if sparse else each for each in (y, p)]
    found = fm.multilabel_confusion_matrix(*data, samplewise=True, labels=labels)
    assert found.dtype == np.int64
    for counted, ones in zip(counts_of(found), three, strict=True):
        np.testing.assert_array_equal(counted, ones[:, labels or range(4)].sum(axis=1))
