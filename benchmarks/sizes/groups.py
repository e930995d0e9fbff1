"""Size of the tests of two models on examples that come in groups, by rows and by groups."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
from scipy.special import ndtri

from benchmarks.sizes.scenes import Measure, add, describe
from fastmetrics.comparison import mcnemar_test, sign_flip_test, wilcoxon_signed_rank_test

CORRELATION = 0.5
ONLY_ONE = 0.2
METHODS: Final[tuple[Literal["exact", "normal"], ...]] = ("exact", "normal")

GROUPED = "Paired differences that come in groups"

describe(
    GROUPED,
    f"""Groups of 1 to 9 examples. Differences are normal, those of a group correlating at
    {CORRELATION:g}. For McNemar's test the {ONLY_ONE:.0%} at either end are right for one model
    alone. "Rows" takes examples for independent, "groups" is `groups=`.""",
)


def grouped(n_groups: int) -> Measure:
    """Return the measure of all tests on so many groups; one alone knows of groups."""
    groups = np.repeat(np.arange(n_groups), np.arange(n_groups) % 9 + 1)
    flips: Any = "auto" if n_groups < 20 else "monte-carlo"  # 2^20 sums take half a second

    def measure(rng: np.random.Generator) -> dict[str, float]:
        shared = rng.normal(size=n_groups)[groups] * np.sqrt(CORRELATION)
        values = shared + rng.normal(size=len(groups)) * np.sqrt(1 - CORRELATION)
        edge = ndtri(ONLY_ONE)
        right_a, right_b = (one.astype(np.int64) for one in (values > edge, values < -edge))
        found = {
            "mcnemar_test, rows": mcnemar_test(
                np.ones_like(right_a), right_a, right_b, method="uncorrected"
            )
        }
        for what, by in (("rows", None), ("groups", groups)):
            found[f"sign_flip_test, {what}"] = sign_flip_test(
                values, groups=by, method=flips, n_resamples=999, rng=1, higher_is_better=True
            )
        for method in METHODS:
            found[f"wilcoxon_signed_rank_test, rows, {method}"] = wilcoxon_signed_rank_test(
                values, method=method, higher_is_better=True
            )
        return {name: test.pvalue for name, test in found.items()}

    return measure


for count in (6, 12, 40):
    add(GROUPED, f"{count} groups", n_data=4_000)(grouped(count))
