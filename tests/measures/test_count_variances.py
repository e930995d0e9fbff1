"""Count measures without one example, their derivatives and their variances."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from count_samples import assert_close, cells, expected, names_for
from hypothesis import given

from fastmetrics.measures.decisions.count_measures import (
    delta_variance,
    gradient,
    leave_one_out,
    value,
)

# --- leave-one-out -----------------------------------------------------------------------------


@given(cells(least=1, most=4))
def test_leave_one_out_is_the_measure_of_the_other_examples(matrix) -> None:
    k = len(matrix)
    for name in names_for(k):
        got = leave_one_out(name, matrix)
        for i, j in itertools.product(range(k), repeat=2):
            if matrix[i][j] == 0:
                assert np.isnan(got[i, j])
                continue
            rest = [list(line) for line in matrix]
            rest[i][j] -= 1
            assert_close(got[i, j], expected(name, rest))


def test_leave_one_out_of_a_stack_and_of_parameters(rng) -> None:
    stack = rng.integers(0, 5, (4, 2, 2)).astype(float)
    whole = leave_one_out("cost", stack, cost_fn=3, cost_fp=1)
    assert whole.shape == (4, 2, 2)
    for matrix, got in zip(stack, whole, strict=True):
        np.testing.assert_array_equal(got, leave_one_out("cost", matrix, cost_fn=3, cost_fp=1))
    with pytest.raises(ValueError, match="whole counts"):
        leave_one_out("accuracy", [[0.5, 1], [1, 1]])


# --- derivatives and variances -----------------------------------------------------------------


def positive(rng: np.random.Generator, k: int) -> np.ndarray:
    return rng.integers(3, 60, (k, k)) + np.diag(rng.integers(50, 100, k))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_gradients_are_the_slopes_of_the_definition(rng, k) -> None:
    counts = positive(rng, k)
    for name in names_for(k):
        got = gradient(name, counts)
        assert_close((counts * got).sum(), 0.0, atol=1e-12)  # Euler: no change with the scale
        for i, j in itertools.product(range(k), repeat=2):
            ends = []
            for step in (-Fraction(1, 1000), Fraction(1, 1000)):
                moved = [[Fraction(int(cell)) for cell in line] for line in counts]
                moved[i][j] += step
                ends.append(expected(name, moved))
            assert_close(got[i, j], (ends[1] - ends[0]) * 500, rtol=1e-6, atol=1e-11)


def by_hand(four: Any) -> dict[str, list[list[float]]]:
    """Return derivatives in closed form, as [[by TN, by FP], [by FN, by TP]]."""
    (tn, fp), (fn, tp) = four
    n, called, f = tn + fp + fn + tp, tp + fp, 2 * tp + fp + fn
    p, q, a, b = tp + fp, tn + fn, tp + fn, tn + fp
    shared, spread = tp * tn - fp * fn, math.sqrt(p * q * a * b)
    mcc = shared / spread

    def half(*margins: float) -> float:
        return mcc * sum(1 / margin for margin in margins) / 2

    right, wrong = (n - tn - tp) / n**2, -(tn + tp) / n**2
    return {
        "accuracy": [[right, wrong], [wrong, right]],
        "precision": [[0, -tp / called**2], [0, fp / called**2]],
        "f1": [[0, -2 * tp / f**2], [-2 * tp / f**2, 2 * (fp + fn) / f**2]],
        "matthews_corrcoef": [
            [tp / spread - half(q, b), -fn / spread - half(p, b)],
            [-fp / spread - half(q, a), tn / spread - half(p, a)],
        ],
    }


def test_gradients_and_variances_in_closed_form(rng) -> None:
    for _ in range(20):
        four = positive(rng, 2).astype(float)
        for name, slopes in by_hand(four).items():
            assert_close(gradient(name, four), slopes, rtol=1e-12, atol=1e-17)
            shares, slopes = four / four.sum(), four.sum() * np.array(slopes)
            spread = (shares * slopes**2).sum() - (shares * slopes).sum() ** 2
            assert_close(delta_variance(name, four), spread / four.sum(), rtol=1e-12, atol=0)


def test_variances_of_proportions() -> None:
    four = [[60, 7], [5, 28]]
    for name, k, n in (("precision", 28, 35), ("recall", 28, 33), ("specificity", 60, 67)):
        assert_close(delta_variance(name, four), (k / n) * (1 - k / n) / n, rtol=1e-14)
    assert delta_variance("precision", [[60, 0], [5, 28]]) == 0.0
    assert np.isnan(delta_variance("precision", [[60, 0], [5, 0]]))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_variance_of_kappa_is_that_of_statsmodels(rng, k) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    counts = positive(rng, k)
    for weights in (None, "linear", "quadratic"):
        theirs = cohens_kappa(counts, wt=weights)
        assert_close(value("cohen_kappa", counts, weights=weights), theirs.kappa)
        got = delta_variance("cohen_kappa", counts, weights=weights)
        assert_close(got, theirs.var_kappa, rtol=1e-10, atol=0)


def test_variance_of_cost(rng) -> None:
    counts, costs = positive(rng, 3), rng.random((3, 3))
    per_row = np.repeat(costs.ravel(), counts.ravel())
    got = delta_variance("cost", counts, cost_matrix=costs)
    assert_close(got, per_row.var() / len(per_row), rtol=1e-12)


@pytest.mark.parametrize("k", [2, 4])
def test_variances_are_those_of_multinomial_draws(rng, k) -> None:
    counts = positive(rng, k) * 40
    drawn = rng.multinomial(counts.sum(), counts.ravel() / counts.sum(), 20_000).reshape(-1, k, k)
    for name in names_for(k):
        assert delta_variance(name, counts) == pytest.approx(value(name, drawn).var(), rel=0.06)
