"""Rows in ascending order: of every dtype, with ties, signs, neighbours and wide ranges."""

from __future__ import annotations

import numpy as np
import pytest

from fastmetrics.tables.concordance import _orders
from fastmetrics.tables.concordance._orders import ascending

N = 5_000


def kinds(rng: np.random.Generator) -> dict[str, np.ndarray]:
    smooth = rng.normal(size=N)
    few = smooth.copy()
    few[::50] = 1.0 + rng.integers(0, 9, N // 50) * 2.0**-52  # differ in bits that are lost
    return {
        "smooth": smooth,
        "float32": smooth.astype(np.float32),
        "ties": np.round(smooth, 1),
        "neighbours, few": few,
        "neighbours": 1.0 + rng.integers(0, 900, N) * 2.0**-52,
        "zeros": np.where(rng.random(N) < 0.5, 0.0, -0.0),
        "subnormal": rng.integers(-9, 9, N) * 5e-324,
        "huge": np.where(rng.random(N) < 0.5, -1.7e308, 1.7e308),
        "small integers": rng.integers(-50, 900, N),
        "wide integers": rng.integers(-(2**62), 2**62, N),
        "unsigned": rng.integers(0, 2**40, N, dtype=np.uint64) + np.uint64(2**63),
        "extremes": np.array([-(2**63), 2**63 - 1] * (N // 2)),
    }


@pytest.mark.parametrize("kind", kinds(np.random.default_rng(0)))
def test_rows_are_in_order(rng, kind) -> None:
    values = kinds(rng)[kind]
    before = values.copy()
    rows, ordered = ascending(values)
    assert np.array_equal(ordered, values[rows])
    assert np.array_equal(np.sort(rows), np.arange(N))
    assert np.array_equal(values[rows], np.sort(values))
    assert np.array_equal(values, before)


def test_what_the_fast_way_serves(rng, monkeypatch) -> None:
    def no_argsort(*_args, kind=None) -> None:
        raise AssertionError(kind)

    for kind in ("smooth", "float32", "ties", "zeros", "small integers", "unsigned"):
        values = kinds(rng)[kind]
        with monkeypatch.context() as patched:
            patched.setattr(_orders.np, "argsort", no_argsort)
            rows, _ = ascending(values)
        assert np.array_equal(values[rows], np.sort(values))


def test_few_and_many_rows_go_by_argsort(rng, monkeypatch) -> None:
    values = rng.normal(size=3_000)
    monkeypatch.setattr(_orders, "_packed", None)
    monkeypatch.setattr(_orders, "_MOST", 2_999)
    for some in (values, values[:500]):
        assert np.array_equal(ascending(some)[0], np.argsort(some))
