"""The laws of all that merges, whatever its rows are: one test over every kind of state.

Identity, commutativity, associativity, and that the parts of any cut are the whole; in place as by
``+``; what is added up stays what it was, and what a layout or an id forbids is refused whole.
"""

import copy
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import confusion_samples
import numpy as np
import pytest
from binned_samples import BITS, COARSE, ROWS, VALUES, new, table_of
from hypothesis import given, strategies as st
from state_samples import check_same
from travels import TRAVELS

from fastmetrics import ConfusionMatrix, RegressionTable, ScoreTable
from fastmetrics.streams import BinLayout, BinnedScoreTable, ScoreRuns


class Kind(NamedTuple):
    """A strategy of rows, what makes a state of some, and one of none where there is one."""

    rows: Any
    of: Callable[[Any], Any]
    empty: Callable[[], Any] | None


def streamed(empty: Callable[[], Any], rows: Any, columns: Callable[[Any], Any]) -> Kind:
    """Return a kind whose states take rows with `update`."""

    def of(some: Any) -> Any:
        state = empty()
        if some:
            state.update(*columns(some))
        return state

    return Kind(rows, of, empty)


def transposed(rows: Any) -> list[Any]:
    return [np.array(column) for column in zip(*rows, strict=True)]


def scores(rows: Any) -> ScoreTable:
    if not rows:
        return ScoreTable.from_counts([], [], [])
    labels, values, weights = transposed(rows)
    return ScoreTable.from_scores(labels, values, sample_weight=weights if weights.all() else None)


def errors(rows: Any) -> RegressionTable:
    y, p, w = transposed(rows)
    return RegressionTable.from_arrays(
        y, p, sample_weight=w, log_errors=True, powers=[-1.5, 1, 2.5]
    )


def bins(layout: BinLayout | None, weights: str, first_rows: int | None = None) -> Kind:
    return Kind(
        ROWS,
        lambda rows: table_of(rows, layout, weights, first_rows),
        lambda: new(layout, first_rows),
    )


def matrices(kind: str, scale: int = 1, **options: Any) -> Kind:
    labels, make = confusion_samples.KINDS[kind]

    def columns(some: Any) -> Any:
        y, p, w = confusion_samples.columns(some, make)
        return y, p, np.array(w) / scale if scale > 1 else w

    rows = st.lists(st.tuples(labels, labels, st.integers(1, 24)), max_size=9)
    return streamed(lambda: ConfusionMatrix(**options), rows, columns)


_PAIRS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(VALUES), st.just(1)), min_size=1, max_size=40
)
_NUMBERS = st.integers(1, 60).map(lambda i: i / 4)
_TARGETS = st.lists(st.tuples(_NUMBERS, _NUMBERS, st.integers(0, 3)), min_size=2, max_size=20)

KINDS: dict[str, Kind] = {
    "scores": Kind(_PAIRS, scores, lambda: scores([])),
    "errors": Kind(_TARGETS.filter(lambda rows: any(w for *_, w in rows)), errors, None),
    **{
        f"{name}, {weights}": bins(layout, weights, first_rows)
        for name, layout, first_rows in (
            ("bits", BITS, None),
            ("coarse", COARSE, None),
            ("first rows", None, None),
            ("bits later", BITS, 12),
            ("coarse later", COARSE, 12),
        )
        for weights in ("none", "counts", "quarters")
    },
    **{f"matrix of {kind}": matrices(kind) for kind in confusion_samples.KINDS},
    "matrix of weights": matrices("text", 8),
    "matrix of known labels": matrices("few integers", labels=range(4)),
    "runs": streamed(
        ScoreRuns,
        st.lists(st.tuples(st.integers(0, 1), st.sampled_from(VALUES)), max_size=30),
        transposed,
    ),
}


def total(parts: list[Any], empty: Callable[[], Any] | None) -> Any:
    """Return the sum; of runs, which have none, what takes all of them in place."""
    if hasattr(parts[0], "__add__"):
        return sum(parts)
    found = empty() if empty is not None else copy.copy(parts[0])
    found.merge(*parts)
    return found


@pytest.mark.parametrize("name", KINDS)
@given(st.data())
def test_laws_of_merging(name: str, data: Any) -> None:
    rows, of, empty = KINDS[name]
    some = data.draw(st.lists(rows, min_size=3, max_size=4))
    parts = [of(each) for each in some]
    before = [copy.deepcopy(part) for part in parts]
    whole = of(list(itertools.chain.from_iterable(some)))
    check_same(total(parts, empty), whole)
    check_same(total(data.draw(st.permutations(parts)), empty), whole)
    if empty is not None:
        for both in ([whole, empty()], [empty(), whole], [whole]):
            assert total(both, empty) == whole
    if hasattr(whole, "__add__"):
        one, two, three = parts[:3]
        check_same((one + two) + three, one + (two + three))
        check_same(one + two, two + one)
    if hasattr(whole, "merge"):
        grown = copy.copy(parts[0])
        grown.merge(*parts[1:])
        check_same(grown, whole)
    assert parts == before, "what is merged stays what it was"
    if hasattr(whole, "update") and hasattr(whole, "reset"):
        whole.reset()
        assert whole == empty()


@pytest.mark.parametrize("name", KINDS)
@given(st.data())
def test_states_travel_and_go_on_by_themselves(name: str, data: Any) -> None:
    rows, of, empty = KINDS[name]
    state, other = of(data.draw(rows)), of(data.draw(rows))
    for way, travel in TRAVELS.items():
        if way in ("copy", "bytes") and not hasattr(state, {"bytes": "to_bytes"}.get(way, way)):
            continue
        arrived = travel(state)
        assert (type(arrived), arrived == state) == (type(state), True), way
        check_same(total([arrived, other], empty), total([state, other], empty))
        if hasattr(arrived, "merge"):
            arrived.merge(arrived, other)
            assert state == travel(state), f"{way}: it is one of its own"


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        (BinnedScoreTable(COARSE), BinnedScoreTable(BITS), "different bins"),
        (ConfusionMatrix(labels=[0, 1]), ConfusionMatrix.from_labels([2], [2]), "label"),
        (errors([(1, 1, 1)]), RegressionTable.from_arrays([1.0], [1.0]), "same log errors"),
        (scores([(0, 1, 1)]), ScoreTable.from_scores([0], [0.5]), "merged exactly"),
    ],
    ids=lambda each: type(each).__name__ if not isinstance(each, str) else "",
)
def test_what_does_not_fit_is_refused_whole(one: Any, other: Any, message: str) -> None:
    before = copy.deepcopy(one)
    with pytest.raises((TypeError, ValueError), match=message):
        one + other
    if hasattr(one, "merge"):
        with pytest.raises((TypeError, ValueError), match=message):
            one.merge(other)
        with pytest.raises(TypeError, match=f"a {type(one).__name__} is needed: got object"):
            one.merge(object())
    assert one == before
