"""The targets of the bootstrap; their rows stand in the same table as the others."""

from __future__ import annotations

from benchmarks.data import Spec
from benchmarks.target import BYTES, NANOSECONDS, SECONDS, Target

_MILLION = Spec(rows=1_000_000)
_MANY = Spec(rows=100_000)

BOOTSTRAP: tuple[Target, ...] = (
    Target(
        "boot_replicate",
        "one bootstrap replicate of the AUC, 10⁶ rows, one thread",
        "replicates",
        "indices",
        0.4,
        spec=_MILLION,
    ),
    Target(
        "boot_replicate_1e5",
        "one replicate of the AUC, 10⁵ rows, one thread",
        "replicates",
        "indices",
        0.4,
        spec=_MANY,
    ),
    Target(
        "boot_vs_sklearn",
        "`bootstrap`, AUC, 10⁶ rows, 1,000 replicates, sort included",
        "bootstrap 1,000",
        "sklearn replicate",
        800,
        at_least=True,
        spec=_MILLION,
        scale=1_000,
    ),
    Target(
        "boot_threads",
        "replicates of the AUC, 10⁶ rows, all cores",
        "replicates, all cores",
        "replicates",
        1.8,
        at_least=True,
        spec=_MILLION,
    ),
    Target(
        "boot_500",
        "`bootstrap`, AUC, 500 rows, 100,000 replicates",
        "bootstrap 100,000",
        bound=0.15,
        unit=SECONDS,
        spec=Spec(rows=500),
    ),
    Target(
        "boot_tied",
        "replicates of the AUC, 10⁷ rows of 1,000 distinct scores",
        "replicates",
        "replicates of a hundredth",
        1.2,
        spec=Spec("three_decimals"),
    ),
    Target(
        "boot_ten",
        "ten threshold measures in one pass, 10⁶ rows",
        "replicates, ten measures",
        "replicates",
        4,
        spec=_MILLION,
    ),
    Target(
        "boot_bca",
        "`bootstrap` by BCa, 10⁶ rows, 1,000 replicates",
        "bootstrap 1,000, bca",
        "bootstrap 1,000",
        1.1,
        spec=_MILLION,
    ),
    Target(
        "boot_paired",
        "difference of two models, 10⁶ rows",
        "replicates, paired",
        "replicates",
        3,
        spec=_MILLION,
    ),
    Target(
        "boot_stratified",
        "stratified replicates of the AUC, 10⁶ rows",
        "replicates, stratified",
        "replicates",
        2,
        spec=_MILLION,
    ),
    Target(
        "boot_counts",
        "`bootstrap` of a confusion matrix, five measures, 10,000 replicates",
        "bootstrap of a matrix",
        bound=0.05,
        unit=SECONDS,
        spec=_MILLION,
    ),
    Target(
        "boot_memory",
        "memory of a replicate of 10⁷ rows, one thread, beyond the sorted rows",
        "bootstrap memory",
        bound=0.2,
        unit=BYTES,
    ),
)

CONTEXT: tuple[Target, ...] = (
    Target(
        "boot_vs_scipy",
        "`bootstrap`, AUC, 10⁵ rows, 1,000 replicates",
        "bootstrap 1,000",
        "scipy bootstrap",
        at_least=True,
        spec=_MANY,
        scale=100,
    ),
    Target(
        "boot_row",
        "one replicate of the AUC, 10⁶ rows, one thread, ns a row (pROC: about 300 as published)",
        "replicates",
        unit=NANOSECONDS,
        spec=_MILLION,
        scale=1e9 / 40 / 1e6,
    ),
)
