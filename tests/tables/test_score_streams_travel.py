"""Windows and decayed tables of scores travel, and go on as if nothing had been; or are refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from travels import TRAVELS, changed

from fastmetrics import evaluate, roc_auc_score
from fastmetrics.ranking import group_auc
from fastmetrics.streams import (
    BinLayout,
    BinnedScoreTable,
    DecayedBinnedScoreTable,
    GroupedBinnedScoreTable,
    WindowedBinnedScoreTable,
)

LAYOUT = BinLayout([0.0, 0.5, float(np.nextafter(0.5, 1.0)), 1.0])
SCORES = [0.2, 0.5, 0.7, 0.8, 3.0]

STREAMS: dict[str, Any] = {
    "window of rows": lambda: WindowedBinnedScoreTable(5),
    "window of bins": lambda: WindowedBinnedScoreTable(7, LAYOUT, first_rows=0),
    "window of bins after four": lambda: WindowedBinnedScoreTable(8, LAYOUT, first_rows=4),
    "window of learnt bins": lambda: WindowedBinnedScoreTable(6, first_rows=4),
    "decayed rows": lambda: DecayedBinnedScoreTable(2.5),
    "decayed bins": lambda: DecayedBinnedScoreTable(2.5, LAYOUT, first_rows=0),
    "decayed bins after four": lambda: DecayedBinnedScoreTable(2.5, LAYOUT, first_rows=4),
    "decayed batches": lambda: DecayedBinnedScoreTable(3, first_rows=4, per="batch"),
}

BATCHES = st.lists(
    st.lists(
        st.tuples(st.integers(0, 1), st.sampled_from([*SCORES, -0.0, -1.0])),
        min_size=1,
        max_size=9,
    ),
    max_size=4,
)


def of(name: str) -> Any:
    stream = STREAMS[name]()
    stream.update([0, 1, 1], SCORES[:3])
    stream.update([1, 0, 1, 1, 0], SCORES)
    return stream


@pytest.mark.parametrize("name", STREAMS)
@given(before=BATCHES, after=BATCHES)
def test_what_arrives_goes_on_alike(name: str, before: Any, after: Any) -> None:
    stream = STREAMS[name]()
    for rows in before:
        stream.update(*zip(*rows, strict=True))
    kept, arrived = stream.table, {}
    for way, travel in TRAVELS.items():
        arrived[way] = other = travel(stream)
        assert (other == stream, other.table == kept) == (True, True), way
        for rows in after:
            other.update(*zip(*rows, strict=True))
        assert stream.table == kept, f"{way}: it is one of its own"
        assert (stream == other) == (not after), way
    for rows in after:
        stream.update(*zip(*rows, strict=True))
    for way, other in arrived.items():
        assert (stream == other, stream.table == other.table) == (True, True), way


def test_one_is_not_the_other() -> None:
    window, decayed = of("window of rows"), of("decayed rows")
    assert window != decayed
    with pytest.raises(ValueError, match="it holds a WindowedBinnedScoreTable"):
        DecayedBinnedScoreTable.from_bytes(window.to_bytes())
    with pytest.raises(ValueError, match="it holds a DecayedBinnedScoreTable"):
        BinnedScoreTable.from_bytes(decayed.to_bytes())


CODES = np.zeros(7, np.uint32)
HEAVY = 9 * (of("decayed bins")._members()["counts"] > 0.0).astype(float)
#: Members that do not go together, by the rule that they break.
WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "window": ("window of bins", {"window": np.array(0)}, "`window`"),
    "windows": ("window of bins", {"window": np.array([7, 7])}, "must be one value"),
    "shorter": ("window of bins", {"window": np.array(6)}, "not those of 6 rows"),
    "fewer seen": ("window of bins", {"n_seen": np.array(6)}, "not those of 6 rows"),
    "seen": ("window of bins", {"n_seen": np.array(-1)}, "`n_seen`"),
    "no layout": ("window of bins", {"edges": None}, "first_rows"),
    "too early": ("window of bins", {"first_rows": np.array(9)}, "none yet"),
    "codes": ("window of bins", {"codes": CODES + 10}, "a bin that is not there"),
    "signed": ("window of bins", {"codes": CODES.astype(np.int64)}, "`codes` are not"),
    "other codes": ("window of bins", {"codes": CODES}, "`seen` does not go with counts"),
    "rows": ("window of rows", {"window": np.array(4)}, "not the last 4 rows"),
    "late rows": ("window of rows", {"first_rows": np.array(5)}, "not the last 5 rows"),
    "labels": ("window of rows", {"labels": np.full(5, 2, np.int8)}, "labels are not 0 and 1"),
    "nan": ("window of rows", {"scores": np.full(5, np.nan)}, "must be finite"),
    "half-life": ("decayed bins", {"half_life": np.array(-1.0)}, "`half_life`"),
    "per": ("decayed bins", {"per": np.array("day")}, "`per`"),
    "steps": ("decayed bins", {"n_steps": np.array(7)}, "steps are not those"),
    "more steps": ("decayed batches", {"n_steps": np.array(9)}, "steps are not those"),
    "weights": ("decayed bins", {"weights": np.array([4.0, 2.0])}, "the weights are none of"),
    "one weight": ("decayed bins", {"weights": np.array([4.0])}, "two numbers"),
    "heavy": ("decayed bins", {"counts": HEAVY}, "none of 8 rows"),
    "integers": ("decayed bins", {"counts": HEAVY.astype(int)}, "none of 8 rows"),
    "no bins": ("decayed bins", {"edges": None}, "first_rows"),
    "waiting": ("decayed rows", {"first_rows": np.array(8)}, "should be in bins"),
    "falling": ("decayed rows", {"steps": np.arange(8, 0, -1)}, "steps do not rise"),
    "future": ("decayed rows", {"steps": np.arange(2, 10)}, "steps do not rise"),
    "fewer": ("decayed rows", {"n_seen": np.array(7), "n_steps": np.array(7)}, "not the first"),
    "halves": ("decayed rows", {"steps": np.arange(1, 9) / 1.0}, "not the first rows"),
}


@pytest.mark.parametrize("what", WRONG)
def test_members_that_are_wrong(what: str) -> None:
    name, members, message = WRONG[what]
    stream = of(name)
    whole = stream.to_bytes()
    assert type(stream).from_bytes(changed(whole)) == stream
    with pytest.raises(ValueError, match=message):
        type(stream).from_bytes(changed(whole, **members))


@pytest.mark.parametrize(
    ("stream", "ask"),
    [
        (WindowedBinnedScoreTable(5), "stream.table.roc_auc()"),
        (DecayedBinnedScoreTable(5), "stream.table.roc_auc()"),
        (GroupedBinnedScoreTable(), "groups.group_auc()"),
    ],
)
def test_functions_of_rows_say_what_a_stream_has(stream: Any, ask: str) -> None:
    for call in (
        lambda: roc_auc_score(stream),
        lambda: roc_auc_score([0, 1], stream),
        lambda: evaluate(stream),
        lambda: evaluate({"a": stream}),
        lambda: group_auc(stream),
    ):
        with pytest.raises(
            TypeError, match=f"^a {type(stream).__name__} .* call `{re.escape(ask)}"
        ):
            call()
