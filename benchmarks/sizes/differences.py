"""Size of the tests on paired differences: of no size on average, and at a margin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.sizes.scenes import Measure, add, describe
from fastmetrics.comparison import (
    equivalence_test,
    non_inferiority_test,
    one_sample_t_test,
    sign_flip_test,
    wilcoxon_signed_rank_test,
)

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

MARGIN_OF_MEANS = 0.25
MARGIN_OF_SHARES = 0.1

INDEPENDENT = "Independent paired differences"
MEANS = "Paired differences at a margin"
SHARES = "Right answers of two models at a margin"

describe(
    INDEPENDENT,
    """Symmetric about 0: normal; t with 2 degrees of freedom, which has no variance; and normal
    ones with a standard deviation of 2 rounded to whole numbers, with ties and zeros.""",
)

KINDS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_t(2, size=n),
    "rounded": lambda rng, n: np.rint(rng.normal(scale=2, size=n)),
}


def differences(draw: Draw, n: int) -> Measure:
    """Return the measure of all tests on n differences."""

    def measure(rng: np.random.Generator) -> dict[str, float]:
        values = draw(rng, n)
        found = {
            "one_sample_t_test": one_sample_t_test(values, error_rate=0.0).pvalue,
            "sign_flip_test, exact": sign_flip_test(values, higher_is_better=False).pvalue,
            "sign_flip_test, 199 random signs": sign_flip_test(
                values, method="monte-carlo", n_resamples=199, rng=rng, higher_is_better=False
            ).pvalue,
        }
        options: Any = (("exact", "wilcox"), ("exact", "pratt"), ("normal", "wilcox"))
        for method, zeros in options:
            test = wilcoxon_signed_rank_test(
                values, method=method, zero_method=zeros, higher_is_better=False
            )
            found[f"wilcoxon_signed_rank_test, {method}, {zeros}"] = test.pvalue
        return found

    return measure


for kind, draw_one in KINDS.items():
    for size in (8, 20):
        add(INDEPENDENT, f"{size}, {kind}", n_data=4_000)(differences(draw_one, size))


# --- at a margin -------------------------------------------------------------------------------

describe(
    MEANS,
    f"""The first model is worse by {MARGIN_OF_MEANS:g} standard deviations, which is the margin, so
    that it is neither equivalent nor non-inferior. The differences are normal; or skewed, an
    exponential variable with its sign changed: a few large losses among many small gains. As long
    as the interval is wider than both margins together, equivalence is never found.""",
)
describe(
    SHARES,
    f"""The first model is right less often by {MARGIN_OF_SHARES:.0%} of the population, which is
    the margin. Only one of the two is right on the share named in the column. The tests are by
    counts (Tango).""",
)

AT_A_MARGIN: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: 1.0 - rng.exponential(size=n),
}


def means(draw: Draw, n: int) -> Measure:
    """Return the measure of both tests on n differences with a standard deviation of 1."""

    def measure(rng: np.random.Generator) -> dict[str, float]:
        values = draw(rng, n) - MARGIN_OF_MEANS
        return {
            "equivalence_test, t": equivalence_test(
                values, margin=MARGIN_OF_MEANS, rho=0, higher_is_better=True
            ).pvalue,
            "non_inferiority_test, t": non_inferiority_test(
                values, margin=MARGIN_OF_MEANS, rho=0, higher_is_better=True
            ).pvalue,
        }

    return measure


def shares(disagree: float) -> tuple[float, float, float]:
    """Return the shares on which only the first is right, only the second, and the others."""
    return (disagree - MARGIN_OF_SHARES) / 2, (disagree + MARGIN_OF_SHARES) / 2, 1 - disagree


def counts(disagree: float, n: int) -> Measure:
    """Return the measure of both tests on n examples."""

    def measure(rng: np.random.Generator) -> dict[str, float]:
        only_a, only_b, _ = map(int, rng.multinomial(n, shares(disagree)))
        counted, margin = (only_a, only_b, n), MARGIN_OF_SHARES
        return {
            "equivalence_test, counts": equivalence_test(counts=counted, margin=margin).pvalue,
            "non_inferiority_test, counts": non_inferiority_test(
                counts=counted, margin=margin
            ).pvalue,
        }

    return measure


for kind, draw_one in AT_A_MARGIN.items():
    for size in (50, 200, 1000):
        add(MEANS, f"{size}, {kind}", n_data=20_000)(means(draw_one, size))
for share in (0.12, 0.3):
    for size in (50, 200, 1000):
        add(SHARES, f"{size} examples, {share:.0%}", n_data=20_000)(counts(share, size))
