"""Every work with its check, every yardstick with its answer, every target; and one contest."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchmarks.speed import (
    around,
    bootstrap,
    calibration,
    concordance,
    costs,
    labels,
    libraries,
    processes,
    reports,
    scores,
    small,
)
from benchmarks.speed.data import Data, make
from benchmarks.speed.timing import (
    BUDGET,
    SLOW_SECONDS,
    Measured,
    Target,
    measure,
    seconds,
    slow_stopwatch,
    stopwatch,
)

Prepare = Callable[[Data], Callable[[], Any]]
#: Relative error granted where float sums are involved; integers and their ratios get none.
TOLERANCE = 1e-9

SUBJECTS = (
    *(scores, libraries, small, bootstrap, labels, costs, calibration, concordance, around),
    reports,
)


def _joined(what: str) -> dict[str, Any]:
    return {name: value for subject in SUBJECTS for name, value in getattr(subject, what).items()}


WORKS: dict[str, Prepare] = _joined("WORKS")
CHECKS: dict[str, Callable[[Data, Any], None]] = _joined("CHECKS")
YARDSTICKS: dict[str, Prepare] = _joined("YARDSTICKS")
#: Yardsticks that compute the same thing, so that the answers must agree.
PEERS: dict[str, Prepare] = _joined("PEERS")
#: How the yardsticks are called in print.
NAMES = {"": "", **dict.fromkeys(PEERS, "scikit-learn"), **_joined("NAMES"), **processes.NAMES}

TARGETS: tuple[Target, ...] = (
    *(*scores.TARGETS, *small.TARGETS, *processes.TARGETS),
    *(*bootstrap.TARGETS, *labels.TARGETS, *costs.TARGETS, *calibration.TARGETS),
    *(*concordance.TARGETS, *around.TARGETS, *reports.TARGETS),
)
CONTEXT: tuple[Target, ...] = (
    *(*scores.CONTEXT, *libraries.CONTEXT, *small.CONTEXT, *processes.CONTEXT),
    *(*bootstrap.CONTEXT, *labels.CONTEXT, *costs.CONTEXT, *calibration.CONTEXT),
    *(*around.CONTEXT, *reports.CONTEXT),
)
ROWS = TARGETS + CONTEXT
BY_KEY = {row.key: row for row in ROWS}
#: Rows of the README's table: the naive algorithm first, then the libraries that people use.
COMPARISONS: tuple[str, ...] = tuple(
    """
    auc_vs_all_pairs auc_vs_sklearn auc_vs_torchmetrics auc_vs_polars_ds auc_vs_lightgbm
    auc_vs_duckdb average_precision_vs_sklearn boot_vs_sklearn report_vs_sklearn fresh_process
    """.split()
)


def assert_agree(left: Any, right: Any) -> None:
    """Assert that two answers agree up to rounding: numbers, or tuples or mappings of them."""
    if isinstance(right, Mapping):
        assert left.keys() == right.keys()
        left, right = tuple(left.values()), tuple(right.values())
    if isinstance(right, tuple):
        for mine, theirs in zip(left, right, strict=True):
            assert_agree(mine, theirs)
    else:
        np.testing.assert_allclose(left, right, rtol=TOLERANCE, atol=1e-12)


def run_contest(row: Target, most_rows: int, budget: float = BUDGET) -> Measured:
    """Check the answer, warm up, and take turns with the yardstick."""
    data = make(row.spec.scaled(most_rows))
    work = WORKS[row.work](data)
    answer = work()  # compiles
    CHECKS[row.work](data, answer)
    compare = functools.partial(measure, at_least=row.at_least, budget=budget)
    if not row.yardstick:
        return compare(stopwatch(work), None).scaled(row.scale)
    if row.yardstick in YARDSTICKS:
        yardstick = YARDSTICKS[row.yardstick](data)
        slow = seconds(yardstick) > SLOW_SECONDS / 2
        theirs = slow_stopwatch(yardstick) if slow else stopwatch(yardstick)
        return compare(stopwatch(work), theirs).scaled(row.scale)
    peer = PEERS[row.yardstick](data)
    answers: list[Any] = []
    first = seconds(lambda: answers.append(peer()))
    assert_agree(answer, answers[0])
    if first > SLOW_SECONDS / 2:  # two rounds only: ours is called several times in each
        return compare(stopwatch(work, 5), slow_stopwatch(peer))
    return compare(stopwatch(work), stopwatch(peer))
