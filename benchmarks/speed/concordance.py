"""What is timed of concordance: a million rows, against the sort of their scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastmetrics
from benchmarks.speed.data import Data, Spec
from benchmarks.speed.timing import Target

Call = Callable[[], Any]

_MILLION = Spec(rows=1_000_000)
_BLOCK = 4_096


def _outcome(data: Data) -> NDArray[np.float64]:
    """Return numbers that the scores know something of."""
    return np.asarray(data.scores + 0.5 * data.weights, np.float64)


def _tau(data: Data) -> Call:
    outcome = _outcome(data)
    return lambda: fastmetrics.concordance.kendall_tau(outcome, data.scores)


def _scipy_tau(data: Data) -> Call:
    from scipy.stats import kendalltau

    outcome = _outcome(data)
    return lambda: kendalltau(outcome, data.scores).statistic


def _index(data: Data) -> Call:
    times, is_event = data.weights, data.labels == 1
    index = ("concordance_index", {"higher_score_means": "longer-time"})
    return lambda: fastmetrics.estimate(times, data.scores, event=is_event, metrics=index)


def later_pairs(data: Data) -> tuple[int, int]:
    """Return pairs of an event and a later row, and those whose later one scores higher.

    Block by block: every pair inside, and a search in the sorted scores of the rows beyond.
    """
    order = np.argsort(data.weights)
    scores, is_event = data.scores[order], (data.labels == 1)[order]
    pairs = higher = 0
    for start in range(0, len(scores), _BLOCK):
        rows = slice(start, start + _BLOCK)
        block, events = scores[rows], is_event[rows]
        beyond = np.sort(scores[start + _BLOCK :])
        found = np.searchsorted(beyond, block[events], side="right")
        pairs += len(found) * len(beyond)
        higher += int((len(beyond) - found).sum())
        inside = np.triu(np.ones((len(block), len(block)), np.bool_), 1)[events]
        pairs += int(np.count_nonzero(inside))
        higher += int(np.count_nonzero(inside & (block[None, :] > block[events, None])))
    return pairs, higher


def check_tau(data: Data, answer: float) -> None:
    np.testing.assert_allclose(answer, _scipy_tau(data)(), rtol=1e-9)


def check_index(data: Data, estimates: fastmetrics.results.Estimates) -> None:
    """Scores are continuous here: pairs do not tie."""
    answer = estimates["concordance_index"]
    pairs, higher = later_pairs(data)
    np.testing.assert_allclose(answer.estimate, higher / pairs, rtol=1e-12)
    assert 0 < answer.standard_error < 1 / len(data.scores) ** 0.5


WORKS: dict[str, Callable[[Data], Call]] = {"kendall tau": _tau, "concordance index": _index}
CHECKS: dict[str, Callable[[Data, Any], None]] = {
    "kendall tau": check_tau,
    "concordance index": check_index,
}
YARDSTICKS: dict[str, Callable[[Data], Call]] = {"scipy tau": _scipy_tau}
PEERS: dict[str, Callable[[Data], Call]] = {}
NAMES = {"scipy tau": "`scipy.stats.kendalltau`"}

TARGETS: tuple[Target, ...] = (
    Target("tau", "`kendall_tau`, 10⁶ rows", "kendall tau", "sort", 8, spec=_MILLION),
    Target(
        "tau_vs_scipy",
        "`kendall_tau`, 10⁶ rows",
        "kendall tau",
        "scipy tau",
        8,
        True,
        spec=_MILLION,
    ),
    Target(
        "concordance_index",
        "`estimate` of the concordance index, 10⁶ censored times",
        "concordance index",
        "sort",
        150,
        spec=_MILLION,
    ),
)
CONTEXT: tuple[Target, ...] = ()
