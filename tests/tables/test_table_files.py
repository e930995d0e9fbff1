"""``save`` and ``load``: the same table comes back, and nothing else does."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pytest

from fastmetrics import ScoreTable


def sample(dtype: Any = np.float64, weights: Any = None) -> ScoreTable:
    labels, scores = np.array([0, 1, 1, 0, 1]), np.array([1, 8, 4, 4, 0]).astype(dtype)
    return ScoreTable.from_scores(labels, scores, sample_weight=weights)


TABLES = {
    "float64": sample(),
    "float32": sample(np.float32),
    "int64": ScoreTable.from_counts([2**62 + 1, 2**62], [1, 0], [0, 1]),
    "uint64": ScoreTable.from_counts(np.array([2**63 + 1, 2], np.uint64), [1, 0], [0, 1]),
    "weighted": sample(weights=[0.1, 0.2, 0.3, 0.4, 1e-9]),
    "extreme": sample(weights=[1e308, 1e308, 1e307, 1e308, 1e306]),
    "integer weights": sample(weights=[1, 2, 0, 3, 2**40]),
    "infinities": ScoreTable.from_scores([0, 1], [np.inf, -np.inf], allow_inf=True),
    "counts": ScoreTable.from_counts([1.0, 2.0], [2**62, 1], [2**62, 2**61]),
    "empty": ScoreTable.from_counts([], [], []),
}


def saved(table: ScoreTable) -> bytes:
    buffer = io.BytesIO()
    table.save(buffer)
    return buffer.getvalue()


def loaded(data: bytes) -> ScoreTable:
    return ScoreTable.load(io.BytesIO(data))


def archive(**columns: Any) -> bytes:
    """Return a file as ``save`` writes it, with members replaced or left out."""
    content = {
        "format": np.int64(1),
        "kind": np.str_("ScoreTable"),
        "scores": np.array([2.0, 1.0]),
        "positives": np.array([1, 0]),
        "negatives": np.array([1, 2]),
        "weight_exponent": np.int64(0),
    } | columns
    buffer = io.BytesIO()
    np.savez(buffer, **{name: value for name, value in content.items() if value is not None})
    return buffer.getvalue()


@pytest.mark.parametrize("name", TABLES)
def test_round_trip(tmp_path, name: str) -> None:
    table = TABLES[name]
    path = tmp_path / "a table.any"  # under exactly this name
    table.save(path)
    table.save(str(tmp_path / "text"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a table.any", "text"]
    with path.open("rb") as opened:
        found = [loaded(saved(table)), ScoreTable.load(path), ScoreTable.load(opened)]
    for again in [*found, ScoreTable.load(str(tmp_path / "text"))]:
        assert again == table
        assert again.weight_exponent == table.weight_exponent
        assert not again.scores.flags.writeable
    if name != "counts":  # twice as many would be too many
        assert found[0] + table == table + found[1]


def test_the_archive_used_here_is_that_of_save() -> None:
    table = ScoreTable.from_counts([2.0, 1.0], [1, 0], [1, 2])
    assert loaded(archive()) == table
    with np.load(io.BytesIO(saved(table)), allow_pickle=False) as stored:
        assert set(stored.files) == {*np.load(io.BytesIO(archive())).files}


def test_a_missing_file_is_an_os_error(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        ScoreTable.load(tmp_path / "none")


class Evil:
    """Unpickled, it would raise something that is no ValueError."""

    def __reduce__(self) -> Any:
        return exec, ("raise SystemExit('code of a file was run')",)


def as_npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


GOOD = saved(TABLES["float64"])
FOREIGN = {
    "nothing": b"",
    "text": b"score,label\n0.5,1\n",
    "pickle": pickle.dumps([1, 2]),
    "evil pickle": pickle.dumps(Evil()),
    "npy": as_npy(np.arange(3)),
    "pickled npy": as_npy(np.array([Evil()], object)),
    "cut in the head": GOOD[:20],
    "cut in half": GOOD[: len(GOOD) // 2],
    "cut at the end": GOOD[:-5],
    "another archive": archive(format=None, kind=np.int64(1)),
    "evil column": archive(scores=np.array([Evil(), Evil()], object)),
    "evil format": archive(format=np.array(Evil(), object)),
    "format of the future": archive(format=np.int64(2)),
    "format is text": archive(format=np.array("one")),
    "two formats": archive(format=np.array([1, 1])),
    "no scores": archive(scores=None),
    "no positives": archive(positives=None),
    "no exponent": archive(weight_exponent=None),
    "two exponents": archive(weight_exponent=np.array([0, 0])),
    "fractional exponent": archive(weight_exponent=np.float64(0.5)),
    "nan score": archive(scores=np.array([np.nan, 1.0])),
    "negative count": archive(positives=np.array([1, -1])),
    "nan weight": archive(negatives=np.array([np.nan, 1.0])),
    "text scores": archive(scores=np.array(["a", "b"])),
    "of another kind": archive(kind=np.array("BinLayout")),
    "lengths differ": archive(scores=np.array([1.0, 2.0, 3.0])),
    "matrix": archive(scores=np.array([[1.0, 2.0]])),
    "too many": archive(positives=np.array([2**62, 2**62])),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_load_refuses(name: str, tmp_path) -> None:
    with pytest.raises(ValueError, match="does not hold a whole ScoreTable: "):
        loaded(FOREIGN[name])
    path = tmp_path / "file"
    path.write_bytes(FOREIGN[name])
    with pytest.raises(ValueError, match=r"/file' does not hold a whole ScoreTable: "):
        ScoreTable.load(path)
