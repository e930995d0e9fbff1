"""Tables of groups travel, and go on alike; what is damaged or put together wrongly is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from travels import TRAVELS, changed

from fastmetrics.streams import BinLayout, BinnedScoreTable, GroupedBinnedScoreTable

LAYOUT = BinLayout([0.0, 0.5, float(np.nextafter(0.5, 1.0)), 1.0])


def of(layout: BinLayout | None, first_rows: int, groups: Any = "baabc") -> Any:
    table = GroupedBinnedScoreTable(layout, first_rows=first_rows)
    table.update([0, 1, 1, 0, 1], [0.2, 0.5, 0.7, 0.8, 3.0], list(groups))
    return table


TABLES: dict[str, Any] = {
    "bins": lambda: of(LAYOUT, 0),
    "bins after three": lambda: of(LAYOUT, 3),
    "numbers": lambda: of(LAYOUT, 0, [2**60, 1, -1, 7, 7]),
    "texts": lambda: of(LAYOUT, 0, ["é", "NUL\0", "", "é", "a"]),
    "rows": lambda: of(None, 10),
    "rows with a layout": lambda: of(LAYOUT, 10),
    "learnt": lambda: of(None, 4),
    "nothing": GroupedBinnedScoreTable,
}


@pytest.mark.parametrize("way", TRAVELS)
@pytest.mark.parametrize("name", TABLES)
def test_what_arrives_goes_on_alike(name: str, way: str) -> None:
    table = TABLES[name]()
    before, other = table.copy(), TRAVELS[way](table)
    assert other == table
    assert other.groups.tolist() == table.groups.tolist()
    groups = [3, 7] if name == "numbers" else ["a", "z"]
    for each in (other, table):
        each.update([1, 0], [0.5, 0.6], groups)
        assert (each == before) is False
    assert other == table
    assert TRAVELS[way](other) + before == table + before


def test_one_is_not_the_other() -> None:
    with pytest.raises(ValueError, match="it holds a GroupedBinnedScoreTable"):
        BinnedScoreTable.from_bytes(TABLES["bins"]().to_bytes())
    with pytest.raises(TypeError, match="`data` must be bytes: got str"):
        GroupedBinnedScoreTable.from_bytes("table")  # type: ignore[arg-type]


def ids(value: Any) -> dict[str, Any]:
    return {"groups": np.frombuffer(json.dumps(value).encode(), np.uint8)}


KEYS = TABLES["bins"]()._members()["keys"]
FIVE = np.ones(5, np.int64)
WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "future": ("bins", {"format": np.int64(2)}, "format 2, this version reads format 1"),
    "no json": ("bins", {"groups": np.frombuffer(b"[", np.uint8)}, "Expecting"),
    "no list": ("bins", ids(3), "not iterable"),
    "an object": ("bins", ids({"a": 1, "b": 2, "c": 3}), "whole numbers, or texts"),
    "mixed": ("bins", ids(["a", 1, "c"]), "whole numbers, or texts"),
    "halves": ("bins", ids([0.5, 1.5, 2.5]), "whole numbers, or texts"),
    "booleans": ("bins", ids([False, True]), "whole numbers, or texts"),
    "falling": ("bins", ids(["c", "b", "a"]), "do not rise"),
    "twice": ("bins", ids(["a", "b", "b"]), "do not rise"),
    "more groups": ("bins", ids(["a", "b", "c", "d"]), "a group has no row"),
    "fewer groups": ("bins", ids(["a", "b"]), "a group has no row"),
    "no edges": ("bins", {"edges": None}, "first_rows"),
    "fewer edges": ("bins", {"edges": LAYOUT.edges[1:]}, "a group has no row"),
    "other edges": ("bins", {"edges": LAYOUT.edges + 0.4}, "`seen` does not go"),
    "keys fall": ("bins", {"keys": KEYS[::-1]}, "do not rise"),
    "keys": ("bins", {"keys": KEYS.astype(np.float64)}, "columns of whole numbers"),
    "short": ("bins", {"keys": KEYS[1:]}, "columns of whole numbers"),
    "none": ("bins", {"counts": 0 * FIVE}, "counts are none"),
    "too many": ("bins", {"counts": FIVE << 61}, r"fewer than 2\*\*62 rows"),
    "seen": ("bins", {"seen": np.zeros(5)}, "`seen` does not go"),
    "numbers": ("rows", {"numbers": FIVE / 1}, "numbers are not those of rows"),
    "other numbers": ("rows", {"numbers": FIVE}, "a group has no row"),
    "labels": ("rows", {"labels": np.full(5, 2, np.int8)}, "labels are not 0 and 1"),
    "nan": ("rows", {"scores": np.full(5, np.nan)}, "must be finite"),
    "late": ("rows", {"first_rows": np.array(5)}, "not columns of first rows"),
}


@pytest.mark.parametrize("what", WRONG)
def test_members_that_are_wrong(what: str) -> None:
    name, members, message = WRONG[what]
    table = TABLES[name]()
    whole = table.to_bytes()
    assert GroupedBinnedScoreTable.from_bytes(changed(whole)) == table
    with pytest.raises(ValueError, match=message):
        GroupedBinnedScoreTable.from_bytes(changed(whole, **members))
