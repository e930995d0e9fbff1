"""Tables of bins and layouts travel, as bytes, files, pickles and copies; or are refused."""

from typing import Any

import numpy as np
import pytest
from travels import changed

from fastmetrics.streams import BinLayout, BinnedScoreTable

LAYOUT = BinLayout([0.0, 0.5, float(np.nextafter(0.5, 1.0)), 1.0])


def binned(weight: Any = None) -> BinnedScoreTable:
    table = BinnedScoreTable(LAYOUT, first_rows=0)
    table.update([0, 1, 1, 0, 1], [0.2, 0.5, 0.7, 0.8, 3.0], weight)
    return table


def learning(weight: Any = None) -> BinnedScoreTable:
    table = BinnedScoreTable()
    table.update([0, 1, 1, 0, 1], [0.2, 0.5, 0.7, 0.8, 3.0], weight)
    return table


TABLES = {
    "bins": binned,
    "bins, counts": lambda: binned([1, 2, 3, 4, 5]),
    "bins, weights": lambda: binned([0.5, 2, 3, 4, 5]),
    "empty bins": lambda: BinnedScoreTable(LAYOUT, first_rows=0),
    "first rows with a layout": lambda: BinnedScoreTable(LAYOUT) + learning(),
    "bins after first rows": lambda: BinnedScoreTable(LAYOUT, first_rows=3) + learning(),
    "first rows": learning,
    "first rows, counts": lambda: learning([1, 2, 3, 4, 5]),
    "first rows, weights": lambda: learning([0.5, 2, 3, 4, 5]),
    "nothing": BinnedScoreTable,
    "bits": lambda: of_bits(),
}


def of_bits() -> BinnedScoreTable:
    table = BinnedScoreTable(BinLayout.of_bits(), first_rows=0)
    table.update([0, 1], [-np.inf, 0.3], allow_inf=True)
    return table


def test_files_are_replaced_when_they_are_whole(tmp_path: Any) -> None:
    path = tmp_path / "table.npz"
    binned().save(path)
    assert BinnedScoreTable.load(path) == binned()
    learning().save(path)
    assert BinnedScoreTable.load(path) == learning()
    assert [each.name for each in tmp_path.iterdir()] == ["table.npz"]
    LAYOUT.save(str(path))
    assert BinLayout.load(str(path)) == LAYOUT
    with pytest.raises(ValueError, match=r"table\.npz.*it holds a BinLayout"):
        BinnedScoreTable.load(path)
    binned().save(path)
    with pytest.raises(ValueError, match="it holds a BinnedScoreTable"):
        BinLayout.load(path)


COUNTS = np.zeros(10, np.int64)
FIVE = np.zeros(5)

#: Members that do not go together, by the rule that they break.
WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "future": ("bins", {"format": np.int64(2)}, "format 2, this version reads format 1"),
    "no format": ("bins", {"format": None}, "format"),
    "edges fall": ("bins", {"edges": LAYOUT.edges[::-1]}, "must rise"),
    "edges are nan": ("bins", {"edges": np.full(4, np.nan)}, "must be finite"),
    "other edges": ("bins", {"edges": LAYOUT.edges[1:]}, "not two of each of 4 bins"),
    "other bins": ("bins", {"edges": LAYOUT.edges + 0.4}, "`seen` does not go with counts"),
    "negative": ("bins", {"counts": COUNTS - 1}, "negative, or not finite"),
    "not finite": ("bins", {"counts": np.full(10, np.inf)}, "negative, or not finite"),
    "too many": (
        "bins",
        {"counts": binned()._bins.counts * 2**60},
        r"fewer than 2\*\*62 rows",
    ),
    "32 bits": ("bins", {"counts": COUNTS.astype(np.int32)}, "not two of each"),
    "no counts": ("bins", {"counts": COUNTS}, "`seen` does not go with counts"),
    "seen": ("bins", {"seen": FIVE}, "`seen` does not go with counts"),
    "short": ("bins", {"seen": FIVE[1:]}, "not of the bins"),
    "watched twice": ("bins", {"watched": np.full(5, 2, np.uint8)}, "is not 0 and 1"),
    "all watched": ("bins", {"watched": np.ones(5, np.uint8)}, "one value at most"),
    "none watched": (
        "bins",
        {"watched": np.zeros(5, np.uint8), "seen": np.full(5, np.nan)},
        "without rows",
    ),
    "roundings": ("bins", {"n_roundings": np.array(-1)}, "`n_roundings` must be one number"),
    "first_rows": ("bins", {"first_rows": np.array(-1)}, "`first_rows` must be"),
    "more first rows": ("first rows", {"first_rows": np.array(5)}, "not columns of first rows"),
    "labels": ("first rows", {"labels": np.full(5, 2, np.int8)}, "labels are not 0 and 1"),
    "bytes": ("first rows", {"labels": FIVE}, "other dtypes"),
    "nan": ("first rows", {"scores": np.full(5, np.nan)}, "must be finite"),
    "lengths": ("first rows", {"scores": np.zeros(4)}, "not columns of first rows"),
    "weights": ("first rows", {"weights": np.zeros(5, np.int64)}, "weights are not positive"),
    "no weights": ("first rows", {"weights": None}, "weights"),
    "an object": ("bins", {"seen": np.array([None] * 5, object)}, "pickle"),
}


@pytest.mark.parametrize("what", WRONG)
def test_members_that_are_wrong(what: str) -> None:
    name, members, message = WRONG[what]
    table = TABLES[name]()
    whole = table.to_bytes()
    assert BinnedScoreTable.from_bytes(changed(whole)) == table
    with pytest.raises(ValueError, match=message):
        BinnedScoreTable.from_bytes(changed(whole, **members))
