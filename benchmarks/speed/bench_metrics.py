"""Every metric of the registry against its peer or its naive twin: nothing is timed unchecked.

Those of scores also by size, ties and dtype. The answer on tied scores is the oracle's, in rational
numbers: rows of one score and class are one row with a count, so that it ends at any size.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from benchmarks.speed import naive
from benchmarks.speed.data import Data, Spec, make
from fastmetrics import ScoreTable
from registry import ENTRIES, Entry
from registry.decisions import COSTS
from registry.entry import SCORES, Sample, example

pytestmark = pytest.mark.bench

ROWS = 100_000

every = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
of_scores = pytest.mark.parametrize(
    "entry", [e for e in ENTRIES if e.data == SCORES], ids=lambda entry: entry.name
)
floats = pytest.mark.parametrize("scores", ["float32", "float64"])
ties = pytest.mark.parametrize("kind", ["continuous", "tied"])


def _best(name: str, bound: float = 0.5, what: slice = slice(None)) -> Callable[..., Any]:
    return lambda labels, scores: naive.best_threshold(labels, scores, name, bound)[what]


_BOUNDS = {"recall_at_false_positive_rate": 0.25}
#: What nobody else computes, by NumPy.
TWINS: dict[str, Callable[..., Any]] = {
    "partial_auc[fpr]": partial(naive.partial_auc, low=0.125, high=0.5, over="fpr"),
    "partial_auc[tpr]": partial(naive.partial_auc, low=0.5, high=1.0, over="tpr"),
    "pr_auc": naive.per_positive(partial(naive.precision_area, 2)),
    "break_even_point": naive.per_positive(naive.break_even),
    **{
        f"best_threshold[{name}]": _best(name, _BOUNDS.get(name, 0.5))
        for name in naive.CRITERIA
        if name != "-"
    },
    "recall_at_false_positive_rate": _best("recall_at_false_positive_rate", 0.25, slice(1)),
    "precision_at_recall": _best("precision_at_recall", 0.5, slice(1)),
    "recall_at_precision": _best("recall_at_precision", 0.5, slice(1)),
    "delong": naive.delong,
    "macro_f1_harmonic": naive.macro_f1_harmonic,
    "g_mean": naive.g_mean,
    "cost": partial(naive.mean_cost, costs=np.array([[0, 1], [5, 0]])),
    "cost[matrix]": partial(naive.mean_cost, costs=np.array(COSTS)),
}


def by_twin(entry: Entry, true: Any, given: Any) -> tuple[Any, ...]:
    """Return what the peer, or else the twin, makes of rows."""
    if entry.peer is not None:
        return entry.by_peer(true, given)
    found = TWINS[entry.name](true, given)
    return found if isinstance(found, tuple) else (found,)


def same(entry: Entry, right: tuple[Any, ...], *, exact: bool = False) -> Callable[..., None]:
    """Return the check: thresholds and exact values bit by bit, the rest up to rounding."""

    def check(answer: tuple[Any, ...]) -> None:
        for k, (mine, theirs) in enumerate(zip(answer, right, strict=False)):
            pair = [np.asarray(value, dtype=np.float64) for value in (mine, theirs)]
            if k in entry.thresholds or (exact and entry.exact):
                np.testing.assert_array_equal(*pair)
            else:
                np.testing.assert_allclose(*pair, rtol=1e-9, atol=1e-12)

    return check


@every
def test_measure(timed, entry):
    rows = example(entry.data, ROWS)
    right = same(entry, by_twin(entry, *rows))
    timed(lambda: entry.fast(*rows), right, f"{entry.name}: {ROWS:,} rows")


@every
def test_twin(timed, entry):
    rows = example(entry.data, ROWS)
    right = same(entry, entry.fast(*rows))
    timed(lambda: by_twin(entry, *rows), right, f"{entry.name}: {ROWS:,} rows", rounds=2)


def test_every_measure_is_timed_against_another():
    assert TWINS.keys() == {entry.name for entry in ENTRIES if entry.peer is None}


# --- scores: size, ties, dtype -------------------------------------------------------------------


def counted(data: Data) -> Sample:
    """Return the data as one row for each score and class, weighted by its count."""
    scores, *columns = naive.table(data)
    rows = [
        (label, float(score), Fraction(int(count)))
        for label, counts in zip((1, 0), columns, strict=True)
        for score, count in zip(scores, counts, strict=True)
        if count
    ]
    return Sample(*zip(*rows, strict=True))


def doubles(value):
    """Return an oracle's value, a number or a list of them, as the nearest doubles."""
    return [float(item) for item in value] if isinstance(value, list | tuple) else float(value)


def right_answer(entry: Entry, data: Data) -> Callable[..., None]:
    """Return the check against the oracle where rows are tied, else against peer or twin."""
    if data.spec.kind == "tied" and entry.name != "delong":  # whose oracle visits every row
        right = tuple(doubles(value) for value in entry.oracle(counted(data)))
        return same(entry, right, exact=True)
    return same(entry, by_twin(entry, data.labels, data.scores))


@of_scores
@floats
@ties
@pytest.mark.sizes(1_000, 10_000_000)
def test_scores(timed, rows, entry, kind, scores):
    data = make(Spec(kind, rows, scores=scores))
    check = right_answer(entry, data)
    timed(lambda: entry.fast(data.labels, data.scores), check, f"{entry.name}: {data.spec.title}")


@of_scores
@ties
def test_from_a_table(timed, rows, entry, kind):
    """What a metric costs once the table is there."""
    data = make(Spec(kind, rows))
    table = ScoreTable.from_scores(data.labels, data.scores)
    check = right_answer(entry, data)
    timed(lambda: entry.fast(table), check, f"{entry.name}: {data.spec.title}")


def test_tied_data_has_few_scores():
    """The oracle's cost depends on it."""
    assert len(counted(make(Spec("tied", 1_000))).true) <= 80
