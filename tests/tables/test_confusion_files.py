"""Confusion matrices in files: the same one comes back, and nothing else does."""

from __future__ import annotations

import io
import json
import pickle
import struct
from typing import Any

import numpy as np
import pytest
from confusion_samples import KINDS, batches, columns, state
from hypothesis import given, strategies as st

from fastmetrics import ConfusionMatrix


def saved(matrix: ConfusionMatrix) -> bytes:
    buffer = io.BytesIO()
    matrix.save(buffer)
    return buffer.getvalue()


def loaded(data: bytes) -> ConfusionMatrix:
    return ConfusionMatrix.load(io.BytesIO(data))


def of(*labels: Any, **options: Any) -> ConfusionMatrix:
    y = np.array(labels, dtype=object) if isinstance(labels[0], str) else np.array(labels)
    return ConfusionMatrix.from_labels(y, y[::-1], **options)


def mixed() -> ConfusionMatrix:
    matrix = ConfusionMatrix()
    matrix.update([True, False], [True, True])
    matrix.update([2, 0], [1, 2])
    matrix.update([7.0], [2.0])
    return matrix


MATRICES = {
    "integers": of(3, -1, 2, 3),
    "booleans": of(True, False),
    "half a pair": of(True),
    "floats": of(1.0, -0.0, 1e300),
    "all of 64 bits": ConfusionMatrix.from_labels(np.array([2**64 - 1], np.uint64), [-(2**63)]),
    "wider than 64 bits": ConfusionMatrix.from_labels([2.0**70, 1.0], [3, 2]),
    "mixed numbers": mixed(),
    "text": of("a", "B", "c"),
    "empty text": of("", "a"),
    "NUL inside": of("a\0b", "a"),
    "spaces": of(" a", "a ", "a", "\t", "\n", "\r\n", " "),
    "other scripts": of("été", "e\u0301te\u0301", "猫", "\U0001f600", "ß"),
    "half a letter": of("\ud800", "\udfff"),
    "like JSON": of('"', "\\", "null", "[1]", "True", "1", "1.0", "{}"),
    "long": of("x" * 100_000, "y"),
    "given order": ConfusionMatrix.from_labels([2, 1], [1, 1], labels=[2, 0, 1]),
    "a class without example": ConfusionMatrix.from_scores(
        ["bad"] * 2, [0.2, 0.8], threshold=0.5, pos_label="bad"
    ),
    "counts": ConfusionMatrix.from_counts([[2**62, 0], [1, 2**61]]),
    "integer weights": of(1, 2, 3, sample_weight=[0, 5, 2**40]),
    "weights": of(1, 2, 3, sample_weight=[0.1, 0.2, 1e-9]),
    "extreme weights": of(1, 2, 3, sample_weight=[1e308, 1e308, 1e300]),
    "tiny weights": of(1, 2, 3, sample_weight=[5e-324, 1e-320, 0]),
    "nothing": ConfusionMatrix(),
    "nothing yet": ConfusionMatrix(["b", "a"]),
    "to be extended": ConfusionMatrix(["a", "b"], new_labels="extend"),
}


@pytest.mark.parametrize("name", MATRICES)
def test_round_trip(tmp_path, name) -> None:
    matrix = MATRICES[name]
    path = tmp_path / "a matrix.any"  # under exactly this name
    matrix.save(path)
    matrix.save(str(tmp_path / "text"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a matrix.any", "text"]
    with path.open("rb") as opened:
        found = [loaded(saved(matrix)), ConfusionMatrix.load(path), ConfusionMatrix.load(opened)]
    found.append(pickle.loads(pickle.dumps(matrix)))
    for again in [*found, ConfusionMatrix.load(str(tmp_path / "text"))]:
        assert again == matrix
        assert state(again) == state(matrix)
        again.reset()
    assert matrix == found[1] or matrix.n == 0 or found[1].n == 0, "they are independent"


@given(st.data())
def test_a_stream_goes_on_after_a_file(data) -> None:
    kind = data.draw(st.sampled_from(sorted(KINDS)))
    scale = data.draw(st.sampled_from([1, 8]))
    labels, make = KINDS[kind]
    there = ConfusionMatrix()
    here = there.copy()
    for rows in data.draw(batches(labels, weighted=True)):
        y, p, w = columns(rows, make)
        for matrix in (here, there):
            matrix.update(y, p, w if scale == 1 else np.array(w) / scale)
        there = loaded(saved(there))
        assert state(here) == state(there)
    assert state(loaded(saved(here + there))) == state(there + here)


def test_what_rounding_took_away_is_kept() -> None:
    here = ConfusionMatrix([0, 1])
    here.update([1], [1], [2.0**54])
    there = here.copy()
    for _ in range(8):
        for matrix in (here, there):
            matrix.update([1], [1], [1.0])
        there = loaded(saved(there))
    assert here.tp == there.tp == 2.0**54 + 8


# --- what is no matrix -------------------------------------------------------------------------


def pairs(*cells: tuple[int, int]) -> np.ndarray:
    return np.array([i << 32 | j for i, j in cells], np.int64)


def as_json(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


def archive(**columns: Any) -> bytes:
    """Return a file as ``save`` writes it, with members replaced or left out."""
    content = {
        "format": np.int64(1),
        "kind": np.str_("ConfusionMatrix"),
        "keys": pairs((0, 0), (0, 1), (1, 1)),
        "values": np.array([3, 1, 2]),
        "lost": np.zeros(0),
        "labels": as_json('["a", "b"]'),
        "weight_exponent": np.int64(0),
        "new_labels": np.str_("extend"),
    } | columns
    buffer = io.BytesIO()
    np.savez(buffer, **{name: value for name, value in content.items() if value is not None})
    return buffer.getvalue()


class Evil:
    """Unpickled, it would raise something that is no ValueError."""

    def __reduce__(self) -> Any:
        return exec, ("raise SystemExit('code of a file was run')",)


def as_npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


GOOD = saved(MATRICES["text"])
FOREIGN = {
    "nothing": b"",
    "text": b"label,count\na,1\n",
    "pickle": pickle.dumps([1, 2]),
    "evil pickle": pickle.dumps(Evil()),
    "npy": as_npy(np.arange(4)),
    "cut in the head": GOOD[:20],
    "cut in half": GOOD[: len(GOOD) // 2],
    "cut at the end": GOOD[:-5],
    "another archive": archive(format=None, kind=np.int64(1)),
    "evil column": archive(values=np.array([Evil()] * 3, object)),
    "evil labels": archive(labels=np.array(Evil(), object)),
    "format of the future": archive(format=np.int64(2)),
    "format is text": archive(format=np.array("one")),
    "two formats": archive(format=np.array([1, 1])),
    "no keys": archive(keys=None),
    "no lost": archive(lost=None),
    "no exponent": archive(weight_exponent=None),
    "no policy": archive(new_labels=None),
    "another policy": archive(new_labels=np.str_("ignore")),
    "fractional exponent": archive(weight_exponent=np.float64(0.5)),
    "two exponents": archive(weight_exponent=np.array([0, 0])),
    "keys that fall": archive(keys=pairs((1, 1), (0, 1), (0, 0))),
    "a key twice": archive(keys=pairs((0, 0), (0, 0), (1, 1))),
    "a negative key": archive(keys=np.array([-1, 0, 1])),
    "a row too far": archive(keys=pairs((0, 0), (0, 1), (2, 1))),
    "a column too far": archive(keys=pairs((0, 0), (0, 2), (1, 1))),
    "keys are floats": archive(keys=pairs((0, 0), (0, 1), (1, 1)).astype(float)),
    "lengths differ": archive(values=np.array([1, 2])),
    "matrix of values": archive(values=np.array([[3, 1, 2]])),
    "negative count": archive(values=np.array([3, -1, 2])),
    "too many": archive(values=np.array([2**62, 2**62, 1])),
    "nan": archive(values=np.array([1, np.nan, 2]), lost=np.zeros(3)),
    "inf": archive(values=np.array([1, np.inf, 2]), lost=np.zeros(3)),
    "weights without lost": archive(values=np.array([1.0, 2.0, 3.0])),
    "lost is nan": archive(values=np.array([1.0, 2, 3]), lost=np.array([0, np.nan, 0])),
    "lost beside counts": archive(lost=np.zeros(3)),
    "counts of 32 bits": archive(values=np.array([1, 2, 3], np.int32)),
    "boolean counts": archive(values=np.array([True, True, True])),
    "labels are text": archive(labels=np.array(["a", "b"])),
    "labels are no JSON": archive(labels=as_json('["a", "b"')),
    "labels are a map": archive(labels=as_json('{"a": 0, "b": 1}')),
    "labels of lists": archive(labels=as_json('["a", ["b"]]')),
    "a deep label": archive(labels=as_json("[" * 100_000)),
    "a label twice": archive(labels=as_json('["a", "a"]')),
    "equal labels": archive(labels=as_json("[1, 1.0]")),
    "labels mixed": archive(labels=as_json('["a", 1]')),
    "soft labels": archive(labels=as_json("[0.5, 1]")),
    "nan label": archive(labels=as_json("[NaN, 1]")),
    "inf label": archive(labels=as_json("[1, Infinity]")),
    "too few labels": archive(labels=as_json('["a"]')),
    "the last is unknown": archive(labels=as_json('["a", null]')),
    "both are unknown": archive(labels=as_json("[null, null]")),
    "three and one unknown": archive(labels=as_json('[null, "a", "b"]')),
    "unsorted, to be extended": archive(labels=as_json('["b", "a"]')),
    "unknown, to be extended": archive(labels=as_json('[null, "a"]')),
    "labels are not UTF-8": archive(labels=np.frombuffer(b'["\xff", "b"]', np.uint8)),
    "very many classes": archive(labels=as_json(json.dumps(list(range(100_000))))),
}


def test_the_archive_used_here_is_that_of_save() -> None:
    matrix = ConfusionMatrix.from_labels(["a"] * 4 + ["b"] * 2, ["a"] * 3 + ["b"] * 3)
    assert state(loaded(archive())) == state(matrix)
    with np.load(io.BytesIO(saved(matrix)), allow_pickle=False) as stored:
        assert set(stored.files) == {*np.load(io.BytesIO(archive())).files}
    for labels in ('["b", "a"]', '[null, "a"]'):
        assert loaded(archive(labels=as_json(labels), new_labels=np.str_("raise"))).n == 6


@pytest.mark.parametrize("name", FOREIGN)
def test_load_refuses(name, tmp_path) -> None:
    with pytest.raises(ValueError, match="does not hold a whole ConfusionMatrix"):
        loaded(FOREIGN[name])
    path = tmp_path / "file"
    path.write_bytes(FOREIGN[name])
    with pytest.raises(ValueError, match="file' does not hold a whole ConfusionMatrix"):
        ConfusionMatrix.load(path)


def test_another_version_is_named() -> None:
    with pytest.raises(ValueError, match="format 2, this version reads format 1"):
        loaded(archive(format=np.int64(2)))


def test_a_missing_file_is_an_os_error(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        ConfusionMatrix.load(tmp_path / "none")


def test_an_encrypted_or_strangely_packed_archive() -> None:
    central = GOOD.index(b"PK\x01\x02")
    for at, value in ((8, 1), (10, 99)):  # flags, method of compression
        data = bytearray(GOOD)
        for start, shift in ((central, 0), (0, -2)):
            struct.pack_into("<H", data, start + at + shift, value)
        with pytest.raises(ValueError, match="does not hold a whole ConfusionMatrix"):
            loaded(bytes(data))
