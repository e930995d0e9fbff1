"""Size of the tests on right and wrong answers: binomial, McNemar."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.sizes.scenes import Measure, add, describe
from fastmetrics.comparison import binomial_test, mcnemar_test, sign_flip_test

ERROR_RATE = 0.3
DISAGREE = 0.2

ONE = "Errors of one model"
PAIRED = "Right answers of two models on the same examples"

describe(ONE, f"The true error rate is the one tested against, {ERROR_RATE:g}.")
describe(
    PAIRED,
    f"""Both models are fixed and equally often right; on {DISAGREE:.0%} of the population only one
    of them is.""",
)


def one_model(n: int) -> Measure:
    """Return the measure of the binomial test on n examples."""

    def measure(rng: np.random.Generator) -> dict[str, float]:
        errors = int(rng.binomial(n, ERROR_RATE))
        sides: Any = ("greater", "two-sided")
        return {
            f"binomial_test, {side}": binomial_test(
                errors, n, error_rate=ERROR_RATE, alternative=side
            ).pvalue
            for side in sides
        }

    return measure


def two_models(n: int) -> Measure:
    """Return the measure of McNemar's test on n examples."""

    def measure(rng: np.random.Generator) -> dict[str, float]:
        shares = [DISAGREE / 2, DISAGREE / 2, 1 - DISAGREE]
        e01, e10, same = map(int, rng.multinomial(n, shares))
        methods: Any = ("corrected", "uncorrected", "exact", "mid-p")
        found = {
            f"mcnemar_test, {method}": mcnemar_test(e01=e01, e10=e10, method=method).pvalue
            for method in methods
        }
        found["sign_flip_test"] = sign_flip_test(
            [1] * e01 + [-1] * e10 + [0] * same, higher_is_better=False
        ).pvalue
        return found

    return measure


for size in (10, 50, 500):
    add(ONE, f"{size} examples", n_data=5_000)(one_model(size))
for size in (30, 100, 500):
    add(PAIRED, f"{size} examples", n_data=5_000)(two_models(size))
