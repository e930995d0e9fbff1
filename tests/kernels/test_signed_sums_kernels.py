"""Sums under choices of signs against products with signs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from kernel_forms import forms

from fastmetrics._kernels import signed_sums as kernels


@pytest.mark.parametrize("sums_of_choices", forms(kernels.sums_of_choices))
def test_sums_of_choices(rng, sums_of_choices):
    values = rng.normal(size=24)
    found = np.full(3 * kernels.CHOICES, np.nan)
    sums_of_choices(values, found)
    for eight, sums in zip(values.reshape(3, 8), found.reshape(3, -1), strict=True):
        choices = itertools.product((-1, 1), repeat=8)  # the last sign changes first
        want = [math.fsum(np.array(signs[::-1]) * eight) for signs in choices]
        np.testing.assert_allclose(sums, want, atol=1e-14)


@pytest.mark.parametrize("add_signed_sums", forms(kernels.add_signed_sums))
@pytest.mark.parametrize("chunks", [1, 3])
def test_add_signed_sums(rng, add_signed_sums, chunks):
    """Whole numbers: sums are exact."""
    values = rng.integers(-99, 99, chunks * kernels.CHUNK).astype(np.float64)
    words = rng.integers(0, 2**64, (2, chunks, 5), dtype=np.uint64)
    sums = np.full(5, 0.5)
    add_signed_sums(values, words.ravel(), sums)
    bits = np.unpackbits(words.view(np.uint8).reshape(2, chunks, 5, 8), axis=3, bitorder="little")
    signs = 2.0 * bits.transpose(2, 1, 0, 3).reshape(5, -1) - 1.0
    assert (sums == 0.5 + signs @ values).all()
