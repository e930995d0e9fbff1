"""Size of the tests on paired differences that are 0 on average."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.sizes.scenes import Measure, add, describe
from fastmetrics.comparison import one_sample_t_test, sign_flip_test, wilcoxon_signed_rank_test

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

INDEPENDENT = "Independent paired differences"

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
