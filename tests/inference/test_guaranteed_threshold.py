"""Thresholds with a guarantee: ranks and tests by their definitions, promises by simulation."""

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import fastmetrics as fm

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, 400)
S = RNG.normal(1.5 * Y)
P = 1 / (1 + np.exp(-(1.5 * S - 1.125)))


def largest_rank(n: int, probability: Fraction, delta: Fraction) -> int:
    """Return the largest k with P(X < k) <= delta, in whole numbers."""
    below, k = Fraction(0), 0
    while k <= n:
        below += math.comb(n, k) * probability**k * (1 - probability) ** (n - k)
        if below > delta:
            return k
        k += 1
    return n


@pytest.mark.parametrize("n", [1, 5, 58, 59, 60, 93, 200])
@pytest.mark.parametrize("delta", [Fraction(1, 2), Fraction(1, 20), Fraction(1, 1000)])
@pytest.mark.parametrize("bound", [Fraction(1, 2), Fraction(19, 20)])
@pytest.mark.filterwarnings("ignore::fastmetrics.errors.DegenerateDataWarning")
def test_ranks_are_those_of_the_binomial_distribution(
    n: int, delta: Fraction, bound: Fraction
) -> None:
    rank = largest_rank(n, 1 - bound, delta)
    scores = np.arange(n)
    y, s = np.append(np.ones(n, int), 0), np.append(scores, 0)
    found = fm.guaranteed_threshold(y, s, recall=float(bound), delta=float(delta))
    assert found.threshold == (scores[rank - 1] if rank else -math.inf)
    assert (found.n_samples, found.fn) == (n, max(rank - 1, 0))
    found = fm.guaranteed_threshold(
        1 - y, s, false_positive_rate=float(1 - bound), delta=float(delta)
    )
    above = (scores[n - rank :] + 1).tolist() if rank else [math.inf]
    assert found.threshold == (above[0] if above[0] < n else math.inf)
    assert found.fp == (rank - 1 if rank else 0)


def test_too_few_rows_say_how_many_it_takes() -> None:
    with pytest.warns(fm.DegenerateDataWarning, match="59 positive rows"):
        found = fm.guaranteed_threshold([1] * 58 + [0], np.arange(59), recall=0.95)
    assert found.threshold == -math.inf
    assert (found.tp, found.fp, found.value) == (58, 1, 1.0)
    with pytest.warns(fm.DegenerateDataWarning, match="59 negative rows"):
        found = fm.guaranteed_threshold([0] * 58 + [1], np.arange(59), false_positive_rate=0.05)
    assert found.threshold == math.inf
    assert (found.tp, found.fp, found.value) == (0, 0, 0.0)


@pytest.mark.parametrize("levels", [3, 10, 0])
@pytest.mark.parametrize(("measure", "bound"), [("recall", 0.8), ("false_positive_rate", 0.2)])
@pytest.mark.filterwarnings("ignore::fastmetrics.errors.DegenerateDataWarning")
def test_promises_are_kept_with_ties_and_without(measure: str, bound: float, levels: int) -> None:
    """By simulation, with the population known: broken in at most one of ten, of 2,000 sets."""
    rng, broken, n = np.random.default_rng(levels), 0, 2_000
    for _ in range(n):
        s = rng.random(60) if not levels else rng.integers(1, levels + 1, 60) / levels
        y = rng.permutation(np.arange(60) < 30).astype(int)
        given: dict[str, Any] = {measure: bound}
        t = fm.guaranteed_threshold(y, s, delta=0.1, **given).threshold
        if math.isinf(t):
            rate = float(t < 0)
        else:
            rate = 1 - t if not levels else (levels + 1 - round(t * levels)) / levels
        broken += rate < bound - 1e-12 if measure == "recall" else rate > bound + 1e-12
    assert broken / n <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / n)
    if not levels:  # P(X < 3) = .044 of 30 draws at 1/5; of negatives the next score is taken
        assert broken / n == pytest.approx(0.044 if measure == "recall" else 0.022, abs=0.013)


def chosen_by_definition(grid: np.ndarray, pvalues: list[float], delta: float) -> list[int]:
    """Return what ten starts reject, each with its share of delta, until one is not rejected."""
    n_starts, kept = min(10, len(grid)), set[int]()
    for k in range(n_starts):
        for at in range(k * len(grid) // n_starts, len(grid)):
            if pvalues[at] > delta / n_starts:
                break
            kept.add(at)
    return sorted(kept)


@pytest.mark.parametrize("bound", [0.6, 0.7, 0.8])
@pytest.mark.parametrize("size", [1, 7, 60])
@pytest.mark.filterwarnings("ignore::fastmetrics.errors.UndefinedMetricWarning")
def test_precision_is_tested_exactly(bound: float, size: int) -> None:
    grid = np.linspace(2.5, -1.0, size) if size > 1 else np.array([0.5])
    called = [(t <= S) for t in grid]
    pvalues = [binom.sf((Y[c] == 1).sum() - 1, c.sum(), bound) for c in called]
    kept = chosen_by_definition(grid, pvalues, 0.05)
    found = fm.guaranteed_threshold(Y, S, precision=bound, grid=RNG.permutation(grid))
    if not kept:
        assert math.isnan(found.threshold)
        assert (found.n_samples, found.tp, found.fn) == (0, 0, Y.sum())
        return
    assert found.threshold == grid[kept[-1]]
    assert found.value == Y[called[kept[-1]]].mean()
    assert found.n_samples == called[kept[-1]].sum()


def test_probabilities_have_a_grid_of_their_own() -> None:
    found = fm.guaranteed_threshold(Y, P, precision=0.7)
    odds = math.log(found.threshold / (1 - found.threshold))
    assert round(10 * odds) == pytest.approx(10 * odds, abs=1e-9)
    counts = ((found.threshold <= P) & (Y == 1)).sum(), ((found.threshold <= P) & (Y == 0)).sum()
    assert (found.tp, found.fp) == counts
    with pytest.raises(fm.InputError, match="scores leave \\[0, 1\\]: pass `guaranteed_threshold`"):
        fm.guaranteed_threshold(Y, S, precision=0.7)


def test_a_table_is_as_good_as_its_rows_but_weights_are_refused() -> None:
    table = fm.ScoreTable.from_scores(Y, S)
    for measure in ("recall", "false_positive_rate"):
        given: dict[str, Any] = {measure: 0.5}
        assert fm.guaranteed_threshold(table, **given) == fm.guaranteed_threshold(Y, S, **given)
    weighted = fm.ScoreTable.from_scores(Y, S, sample_weight=RNG.random(len(Y)))
    with pytest.raises(fm.InputTypeError, match="how many rows there were"):
        fm.guaranteed_threshold(weighted, recall=0.9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"precision": 0.9, "grid": []}, "`grid`"),
        ({"precision": 0.9, "grid": [math.nan]}, "`grid`"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises((fm.InputError, fm.InputTypeError), match=message):
        fm.guaranteed_threshold(Y, S, **given)


# --- in an evaluation -----------------------------------------------------------------------------


def test_an_evaluation_shows_what_each_model_can_promise() -> None:
    promises = {"recall": 0.8, "precision": 0.4}
    result = fm.evaluate(Y, {"a": P, "b": 1 - P}, guarantee=promises, confidence_level=0.9)
    found = result["a"].guarantees
    assert found == (
        fm.guaranteed_threshold(Y, P, recall=0.8, delta=1 - 0.9),
        fm.guaranteed_threshold(Y, P, precision=0.4, delta=1 - 0.9),
    )
    assert f"a: {found[0].verdict}." in re.sub(r"\s+", " ", str(result))
    assert [each["metric"] for each in result.to_dict()["models"][1]["guarantees"]] == [*promises]
    assert "guarantees" not in fm.evaluate(Y, P).to_dict()["models"][0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"guarantee": 0.9}, "`guarantee` must be a mapping"),
        ({"guarantee": {"recall": 0.9}, "groups": Y}, "not with `groups`"),
        ({"guarantee": {"recall": 0.9}, "sample_weight": Y}, "not with `sample_weight`"),
    ],
)
def test_promises_that_cannot_be_kept_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises((fm.InputError, fm.InputTypeError), match=message):
        fm.evaluate(Y, P, **given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"recall": 0.8}, r"score >= \S+ keeps recall .* with {fp} false alarms among {n}"),
        ({"recall": 0.9999}, "only calling everything positive keeps .* with {n} false alarms"),
        ({"false_positive_rate": 0.2}, r"score >= .* with {fn} of {p} positives missed"),
        ({"false_positive_rate": 1e-5}, "only calling nothing positive .* {p} of {p} positives"),
    ],
)
@pytest.mark.filterwarnings("ignore::fastmetrics.errors.DegenerateDataWarning")
def test_the_verdict_tells_the_price(given, said) -> None:
    found = fm.guaranteed_threshold(Y, S, **given)
    counts = {"fp": found.fp, "fn": found.fn, "p": sum(Y == 1), "n": sum(Y == 0)}
    assert re.match(said.format(**counts), found.verdict)
