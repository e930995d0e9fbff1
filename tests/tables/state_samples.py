"""A state of each kind that travels: how to make one of part of the rows, and of none."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from fastmetrics import ConfusionMatrix, RankingTable, RegressionTable, ScoreTable
from fastmetrics.streams import BinLayout, BinnedScoreTable

LAYOUT = BinLayout([0.0, 0.5, float(np.nextafter(0.5, 1.0)), 1.0])
QUARTERS = np.array([0.25, 2.0, 1.5, 0.5, 3.0, 1.0, 0.25])


class State(NamedTuple):
    """How to make a state of part k of the rows; one of no rows, None where there is none."""

    of_part: Callable[[int], Any]
    empty: Callable[[], Any] | None = None
    merges: bool = True


def rows(k: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(k)
    return rng.integers(0, 2, 7), rng.integers(-3, 8, 7) / 4


def binned(layout: Any = LAYOUT, first_rows: int = 0, weight: Any = None) -> State:
    def of_part(k: int) -> BinnedScoreTable:
        table = BinnedScoreTable(layout, first_rows=first_rows)
        table.update(*rows(k), weight)
        return table

    return State(of_part, lambda: BinnedScoreTable(layout, first_rows=first_rows))


def matrix(words: Any = (0, 1, 2), weight: Any = None, **options: Any) -> State:
    def of_part(k: int) -> ConfusionMatrix:
        found = ConfusionMatrix(**options)
        found.update(*np.array(words)[np.random.default_rng(k).integers(0, 3, (2, 7))], weight)
        return found

    return State(of_part, lambda: ConfusionMatrix(**options))


def scores(weight: Any = None) -> State:
    return State(
        lambda k: ScoreTable.from_scores(*rows(k), sample_weight=weight),
        lambda: ScoreTable.from_counts([], [], []),
    )


def regression(**options: Any) -> State:
    def of_part(k: int) -> RegressionTable:
        numbers = np.random.default_rng(k).integers(1, 99, (2, 7, 2)) / 4
        return RegressionTable.from_arrays(*numbers, **options)

    return State(of_part)


def ranking(names: Callable[[int], Any], **options: Any) -> State:
    def of_part(k: int) -> RankingTable:
        grades, score = rows(k)
        return RankingTable.from_scores(grades, score, query=names(k), **options)

    return State(of_part)


STATES = {
    "scores": scores(),
    "scores, weights": scores(QUARTERS),
    "bins": binned(),
    "bins, weights": binned(weight=QUARTERS),
    "first rows": binned(None, 100),
    "first rows with a layout": binned(LAYOUT, 10),
    "labels": matrix(),
    "words": matrix(("a", "\0b", "c")),
    "labels, weights": matrix(weight=QUARTERS),
    "known labels": matrix(labels=[2, 0, 1]),
    "errors": regression(),
    "errors, weights": regression(sample_weight=QUARTERS, log_errors=True, powers=[1, 2.5]),
    "rankings": ranking(lambda k: 10 * k + np.array([2, 0, 1, 0, 2, 1, 0])),
    "rankings of words": ranking(
        lambda k: np.array([f"{k}b", f"{k}\0b"], object)[[0, 1, 1, 0, 1, 0, 0]], ids=list("abcdefg")
    ),
    "layout": State(lambda k: BinLayout.learn(rows(k)[1], n_bins=8), merges=False),
}
MERGED = [name for name, state in STATES.items() if state.merges]
PART = {name: state.of_part(0) for name, state in STATES.items()}


def numbers(table: RegressionTable) -> list[float]:
    sums = table._sums
    powers = [sums.of_powers[power] for power in sorted(sums.of_powers)]
    found = [sums.of_errors, *([] if sums.of_logs is None else [sums.of_logs]), *powers]
    return [table.n_samples, *np.concatenate([each[:, :1].ravel() for each in found])] + [
        value
        for each in ("under", "over", "squared_error", "target_variance")
        for value in table.mean(each)
    ]


def check_same(one: Any, other: Any) -> None:
    """Equal; sums of errors are so up to rounding."""
    if isinstance(one, RegressionTable):
        assert numbers(one) == pytest.approx(numbers(other), rel=1e-13)
    else:
        assert one == other
