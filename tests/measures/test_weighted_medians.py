"""Weighted medians and quantiles of many rows, against rows repeated as often as they weigh."""

import numpy as np
import pytest

import fastmetrics as fm

N = 40_000

TARGETS = {
    "normal": lambda rng: rng.normal(size=N),
    "tied": lambda rng: np.round(rng.normal(size=N), 1),
    "sorted": lambda rng: np.sort(rng.normal(size=N)),
    "equal": lambda _: np.full(N, 0.5),
    "every other one huge": lambda rng: rng.normal(size=N) * np.where(np.arange(N) % 2, 1, 1e9),
}
WEIGHTS = {
    "few": lambda rng: rng.integers(0, 4, N),
    "ones": lambda _: np.ones(N, np.int64),
    "few rows": lambda rng: (rng.random(N) < 1e-3).astype(np.int64),
    "uneven": lambda rng: np.minimum(rng.pareto(0.9, N), 200).astype(np.int64),
    "the last": lambda _: (np.arange(N) == N - 1).astype(np.int64),
}


def quantile(values, level):
    """Return Hyndman and Fan's second definition."""
    ordered, rank = np.sort(values), level * len(values)
    if rank == int(rank) and 0 < rank < len(values):
        return (ordered[int(rank) - 1] + ordered[int(rank)]) / 2
    return ordered[min(int(rank), len(values) - 1)]


@pytest.mark.parametrize("targets", ["normal", "tied"])
@pytest.mark.parametrize("alpha", [0.0, 0.001, 0.25, 0.9, 0.999, 1.0])
def test_quantiles_of_any_level(rng, targets, alpha):
    y, w = TARGETS[targets](rng), WEIGHTS["few"](rng)
    p = y + rng.normal(size=N)
    many = np.repeat(np.arange(N), w)
    best = quantile(y[many], alpha)
    loss = fm.mean_pinball_loss(y, p, sample_weight=w, alpha=alpha)
    of_best = fm.mean_pinball_loss(y, np.full(N, best), sample_weight=w, alpha=alpha)
    found = fm.d2_pinball_score(y, p, sample_weight=w, alpha=alpha)
    if of_best:
        assert found == pytest.approx(1 - loss / of_best, rel=1e-12)
    else:
        assert found == (1.0 if loss == 0 else 0.0)
