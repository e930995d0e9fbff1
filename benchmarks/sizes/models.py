"""Size of `compare` on several models: all pairs together, by Holm and by max-T."""

from __future__ import annotations

import numpy as np

from benchmarks.sizes.scenes import Measure, add, describe
from fastmetrics import compare
from fastmetrics.comparison import adjust_pvalues

PAIRS = "Several models on the same rows: all pairs together"
SHARED = 2.0

describe(
    PAIRS,
    f"""Fixed models of equal AUC on rows of two classes, half or a tenth of them positive: scores
    are the class, what all models share (normal, of deviation {SHARED:g}) and noise of their own
    (of deviation 1). The smallest p-value counts, adjusted for all pairs.""",
)


def auc(k: int, n: int, share: float) -> Measure:
    """Return the measure of k models on n rows."""

    def measure(rng: np.random.Generator) -> dict[str, float]:
        y = np.arange(n) < share * n
        shared = 2.0 * y + rng.normal(0.0, SHARED, n)
        scores = {f"model {j}": shared + rng.normal(size=n) for j in range(k)}
        found = compare(y, scores, metrics="roc_auc", n_threads=1)["roc_auc"]
        return {
            "compare, Holm": float(min(adjust_pvalues([pair.pvalue for pair in found]))),
            "compare, max-T": min(pair.pvalue_adjusted for pair in found),
        }

    return measure


for models, rows, positive in ((3, 100, 0.5), (3, 1_000, 0.1), (5, 100, 0.5), (5, 1_000, 0.1)):
    heading = f"{models} models, {rows:,} rows, {positive:.0%} positive"
    add(PAIRS, heading, n_data=2_000)(auc(models, rows, positive))
