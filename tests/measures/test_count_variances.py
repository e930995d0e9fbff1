"""Derivatives of count measures, and the variances that follow."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from count_samples import assert_close, expected, names_for

from fastmetrics.measures.decisions.count_measures import gradient, value


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


def test_gradients_in_closed_form(rng) -> None:
    for _ in range(20):
        four = positive(rng, 2).astype(float)
        for name, slopes in by_hand(four).items():
            assert_close(gradient(name, four), slopes, rtol=1e-12, atol=1e-17)


def delta_variance(name: str, counts: np.ndarray, **parameters: Any) -> float:
    """Return the variance by the delta method, the counts being multinomial (Agresti 2013)."""
    return float((counts * gradient(name, counts, **parameters) ** 2).sum())


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
