"""Leave-one-out values and their moments, against sums that are exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kernel_forms import FORMS

from fastmetrics import ScoreTable, pr_auc
from fastmetrics._kernels.replicates import leave_one_out as kernels

pytestmark = [
    pytest.mark.parametrize("form", FORMS),
    pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 4_097, 9_000]),
    pytest.mark.parametrize("dtype", [np.int64, np.float64]),
]


def sample(rng, n, dtype):
    """Return values, some nan, with counts, some 0; and those that matter."""
    values, counts = rng.normal(3.0, 1e-3, n), rng.integers(0, 3, n).astype(dtype)
    values[rng.random(n) < 0.2] = np.nan
    kept = (counts > 0) & ~np.isnan(values)
    return values, counts, values[kept], counts[kept]


def test_extent(form, rng, n, dtype):
    values, counts, kept, times = sample(rng, n, dtype)
    found = np.array([1e-4, 2e-4, 0.5, 7.0])  # it goes on from other parts
    form(kernels.extent)(values, counts, 3.0, found)
    less = kept - 3.0
    assert found[0] == min([1e-4, *less])
    assert found[1] == max([2e-4, *less])
    assert found[2] == pytest.approx(0.5 + math.fsum(times * less), rel=1e-12)
    assert found[3] == 7.0 + times.sum()


def test_affine(form, rng, n, dtype):
    own, ends = rng.integers(0, 4, n), rng.integers(0, 10**6, n)
    for sign in (-1.0, 1.0):
        found = np.empty(n)
        form(kernels.affine)(own, ends, sign, 1e9, 0.25, 0.5, found)
        assert found.tolist() == ((sign * (ends - own / 2) + 1e9 + 0.25) * 0.5).tolist()


def test_central_sums(form, rng, n, dtype):
    values, counts, kept, times = sample(rng, n, dtype)
    found = np.array([0.25, 4.0])
    form(kernels.central_sums)(values, counts, 3.0, 2e-4, 1e3, found)
    u = (2e-4 - (kept - 3.0)) * 1e3
    assert found[0] == pytest.approx(0.25 + math.fsum(times * u * u), rel=1e-12)
    assert abs(found[1] - 4.0 - math.fsum(times * u**3)) <= 1e-12 * (
        4 + np.sum(times * abs(u) ** 3)
    )


def test_best_of_two(form, rng, n, dtype):
    top, bottom = rng.integers(0, 9, (2, n + 1)).astype(dtype)
    best = np.empty(n, np.int64)
    form(kernels.best_of_two)(top, bottom, best)
    for k in range(0, n, max(1, n // 70)):
        upper = int(np.argmax(top[: k + 1]))
        lower = k + 1 + int(np.argmax(bottom[k + 1 :]))
        assert best[k] == (n + 1 + lower if bottom[lower] > top[upper] else upper)


def test_steps_without_a_row(form, rng, n, dtype):
    """Against the measure of the rows that are left: all of one score, or few that are not."""
    cells = rng.integers(0, 3, (min(n, 40), 2))
    cells = cells[cells.sum(axis=1) > 0]
    tp, fp = np.cumsum(cells, axis=0).T.copy() if len(cells) else np.empty((2, 0), np.int64)
    if len(tp) == 0 or tp[-1] < 2:
        return
    whole = _steps(cells)
    found = np.empty((2, len(tp)))
    form(kernels.steps_without)(tp, fp, *found)
    for k, side in np.argwhere(cells > 0):
        less = cells.copy()
        less[k, side] -= 1
        assert found[side, k] == pytest.approx(_steps(less) - whole, abs=1e-13)


def test_segments_without_a_row(form, rng, n, dtype):
    """Against the public area of the rows that are left."""
    cells = rng.integers(0, 3, (min(n, 40), 2))
    cells = cells[cells.sum(axis=1) > 0]
    tp, fp = np.cumsum(cells, axis=0).T.copy() if len(cells) else np.empty((2, 0), np.int64)
    if len(tp) == 0 or tp[-1] < 2 or fp[-1] < 2:
        return
    whole = _continuous(cells)
    found = np.empty((2, len(tp)))
    form(kernels.segments_without)(tp, fp, *found)
    for k, side in np.argwhere(cells > 0):
        less = cells.copy()
        less[k, side] -= 1
        assert found[side, k] == pytest.approx(_continuous(less) - whole, abs=1e-13)


def _continuous(cells):
    table = ScoreTable.from_counts(np.arange(len(cells), 0, -1), *cells.T)
    return pr_auc(table)


def _steps(cells):
    """Return average precision of counts of both classes, highest score first."""
    tp, fp = np.cumsum(cells, axis=0).T
    held = cells.sum(axis=1) > 0
    return np.sum(cells[held, 0] * (tp / np.maximum(tp + fp, 1))[held]) / tp[-1]
