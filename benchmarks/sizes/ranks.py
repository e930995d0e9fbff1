"""Size of the tests of several algorithms over benchmarks: Friedman, and what follows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.sizes.scenes import Measure, add, describe
from fastmetrics.comparison import compare_table, friedman_test, nemenyi_test

Draw = Callable[[np.random.Generator, tuple[int, int]], NDArray[Any]]

N_RESAMPLES = 199
COINS = 2

FRIEDMAN = "Several algorithms: Friedman"
MEAN_RANKS = "Several algorithms: all comparisons together, by mean ranks"
SIGNED_RANKS = "Several algorithms: all pairs together, by Wilcoxon and Holm"

TABLES = f"""A data set is a table of independent scores, "3 on 10" those of three algorithms on ten
    benchmarks, all drawn alike: normal, without ties; or heavily tied, the number of heads of
    {COINS} coins."""
TOGETHER = "The smallest adjusted p-value counts: it rejects where any two algorithms differ."

describe(FRIEDMAN, f"{TABLES} Permutations are {N_RESAMPLES} random ones.")
describe(MEAN_RANKS, f"{TABLES} {TOGETHER}")
describe(SIGNED_RANKS, f"{TABLES} {TOGETHER}")

KINDS: dict[str, Draw] = {
    "no ties": lambda rng, shape: rng.normal(size=shape),
    "tied": lambda rng, shape: rng.binomial(COINS, 0.5, size=shape),
}


def friedman(draw: Draw, k: int, n: int) -> Measure:
    """Return the measure of Friedman's test on k algorithms and n benchmarks."""
    methods: Any = ("chi2", "f", *(("exact",) if k == 3 else ()), "permutation")

    def measure(rng: np.random.Generator) -> dict[str, float]:
        scores = draw(rng, (n, k))
        tests = {
            method: friedman_test(
                scores,
                higher_is_better=True,
                pvalue_method=method,
                n_resamples=N_RESAMPLES,
                rng=rng,
            )
            for method in methods
        }
        found = {}
        for method, test in tests.items():
            found[f"friedman_test, {method}"] = test.pvalue
            if method in ("chi2", "f"):
                corrected = getattr(test, f"pvalue_{method}_tie_corrected")
                found[f"friedman_test, {method}, tie-corrected"] = corrected
        return found

    return measure


def mean_ranks(draw: Draw, k: int, n: int) -> Measure:
    """Return the measure of the post-hoc tests by mean ranks."""

    def measure(rng: np.random.Generator) -> dict[str, float]:
        scores = draw(rng, (n, k))
        pairs = nemenyi_test(scores, higher_is_better=True)
        options = {"post_hoc": "bonferroni-dunn", "control": "0", "pvalue_method": "f"}
        others = compare_table(scores, higher_is_better=True, **options).post_hoc
        return {
            "nemenyi_test": min(pair.pvalue for pair in pairs),
            "compare_table, bonferroni-dunn": min(pair.pvalue for pair in others),
        }

    return measure


def signed_ranks(draw: Draw, k: int, n: int) -> Measure:
    """Return the measure of Wilcoxon's test of all pairs with Holm's adjustment."""

    def measure(rng: np.random.Generator) -> dict[str, float]:
        comparison = compare_table(
            draw(rng, (n, k)),
            higher_is_better=True,
            post_hoc="wilcoxon-holm",
            pvalue_method="f",
        )
        return {"compare_table, wilcoxon-holm": min(pair.pvalue for pair in comparison.post_hoc)}

    return measure


# Algorithms, benchmarks, and the tables for Wilcoxon's test of every pair, which costs most.
for algorithms, n_benchmarks, n_tables in ((3, 10, 2_000), (5, 15, 1_000), (10, 30, 600)):
    for kind, draw_table in KINDS.items():
        heading = f"{algorithms} on {n_benchmarks}, {kind}"
        shape = (algorithms, n_benchmarks)
        add(FRIEDMAN, heading, n_data=4_000)(friedman(draw_table, *shape))
        add(MEAN_RANKS, heading, n_data=8_000)(mean_ranks(draw_table, *shape))
        add(SIGNED_RANKS, heading, n_data=n_tables)(signed_ranks(draw_table, *shape))
