"""Cost curves of several models: who wins where, and where they cross."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from fastmetrics import ScoreTable

Y = [1, 0, 1, 0, 1]
A, B = [5, 4, 3, 2, 1], [4, 5, 3, 1, 2]
PLACES = (np.arange(400) + 0.5) / 400


def test_two_curves_that_cross() -> None:
    found = fm.costs.compare_cost_curves(Y, {"a": A, "b": B})
    assert [winner.names for winner in found.winners] == [("a",), ("b",)]
    assert found.winners[0].high == found.winners[1].low == pytest.approx(3 / 7)
    ((first, second, at, height),) = found.crossings
    assert (first, second) == ("a", "b")
    assert (at, height) == pytest.approx((3 / 7, 2 / 7))
    assert found.curves["a"] == fm.costs.cost_curve(Y, A)
    assert list(found.curves) == ["a", "b"]


@given(
    st.lists(
        st.tuples(st.integers(0, 1), *(st.integers(0, 6) for _ in range(3))),
        min_size=4,
        max_size=20,
    ).filter(lambda rows: len({row[0] for row in rows}) == 2)
)
def test_winners_are_the_cheapest_at_every_place(rows) -> None:
    labels, *scores = zip(*rows, strict=True)
    found = fm.costs.compare_cost_curves(labels, dict(zip("abc", map(list, scores), strict=True)))
    assert found.winners[0].low == 0
    assert found.winners[-1].high == 1
    for left, right in zip(found.winners[:-1], found.winners[1:], strict=True):
        assert left.high == right.low
        assert left.names != right.names
    costs = {name: curve.cost_at(PLACES) for name, curve in found.curves.items()}
    least = np.min(list(costs.values()), axis=0)
    for low, high, names in found.winners:
        inside = (low < PLACES) & (high > PLACES)
        for name, cost in costs.items():
            gap = (cost - least)[inside]
            assert (gap < 1e-12).all() if name in names else (gap > 1e-15).all()
    for a, b, at, height in found.crossings:
        assert found.curves[a].cost_at(at) == pytest.approx(height)
        assert found.curves[b].cost_at(at) == pytest.approx(height)


def test_curves_that_are_the_same_win_together() -> None:
    found = fm.costs.compare_cost_curves(Y, {"a": A, "twice": [2 * a for a in A], "b": B})
    assert [winner.names for winner in found.winners] == [("a", "twice"), ("b",)]
    assert len(found.crossings) == 2


def test_frames_arrays_and_tables_are_the_same() -> None:
    models = {"a": A, "b": B}
    found = fm.costs.compare_cost_curves(Y, models)
    assert fm.costs.compare_cost_curves(Y, pd.DataFrame(models)) == found
    assert fm.costs.compare_cost_curves(Y, np.array([A, B]).T, names=["a", "b"]) == found
    tables = {name: ScoreTable.from_scores(Y, column) for name, column in models.items()}
    assert fm.costs.compare_cost_curves(tables) == found
    weighed = fm.costs.compare_cost_curves(Y, models, sample_weight=[2.0] * 5)
    assert weighed.winners == found.winners


def test_faults() -> None:
    with pytest.raises(TypeError, match="a mapping of tables comes alone"):
        fm.costs.compare_cost_curves({"a": ScoreTable.from_scores(Y, A)}, {"b": B})
    with pytest.raises(TypeError, match="`y_true` must map names to ScoreTables: got list for 'a'"):
        fm.costs.compare_cost_curves({"a": A})
    with pytest.raises(ValueError, match="`y_true` must name at least one model"):
        fm.costs.compare_cost_curves({})
    with pytest.raises(ValueError, match="`scores` of shape"):
        fm.costs.compare_cost_curves(Y, np.array([A, B]).T)
