"""States that are reduced across batches, threads and machines: one vocabulary, the same laws."""

import inspect
import io
import json
import pickle
import struct
from typing import Any

import confusion_samples
import numpy as np
import pytest
from state_samples import MERGED, PART, STATES
from travels import changed

from fastmetrics import ConfusionMatrix, ScoreTable
from public import NAMES, public


def test_what_adds_up_travels_and_is_here() -> None:
    found = map(public, NAMES)
    classes = [each for each in found if inspect.isclass(each)]
    sums = {each for each in classes if hasattr(each, "__add__") and not issubclass(each, tuple)}
    assert sums == {type(PART[name]) for name in MERGED}
    assert all(hasattr(each, "from_bytes") for each in classes if hasattr(each, "load"))
    assert {each for each in classes if hasattr(each, "to_bytes")} == set(map(type, PART.values()))


@pytest.mark.parametrize("name", STATES)
def test_states_travel_as_bytes(name: str, tmp_path: Any) -> None:
    state, kind = PART[name], type(PART[name])
    data = state.to_bytes()
    state.save(tmp_path / "state")  # under exactly this name
    assert [each.name for each in tmp_path.iterdir()] == ["state"]
    for found in (
        *(kind.from_bytes(each) for each in (data, bytearray(data), memoryview(data))),
        kind.load(tmp_path / "state"),
        kind.load(str(tmp_path / "state")),
        kind.load(io.BytesIO(data)),
    ):
        assert type(found) is kind
        assert found == state
        assert found.to_bytes() == data
        if STATES[name].merges:
            other = STATES[name].of_part(1)
            assert found + other == state + other
        elif hasattr(found, "update"):
            found.update([0, 1], [0, 0])
            assert found != state == kind.from_bytes(data)


@pytest.mark.parametrize("name", STATES)
def test_every_byte_counts(name: str) -> None:
    """A byte that is changed is found out, or (names and dates of an archive) changes nothing."""
    state, kind = PART[name], type(PART[name])
    data = state.to_bytes()
    for at in range(0, len(data), 1 + len(data) // 200):
        try:
            found = kind.from_bytes(bytes([*data[:at], data[at] ^ 0x55, *data[at + 1 :]]))
        except ValueError:
            continue
        assert found == state
    for end in range(0, len(data), len(data) // 17):
        with pytest.raises(ValueError, match=f"`data` does not hold a whole {kind.__name__}"):
            kind.from_bytes(data[:end])
    with pytest.raises(ValueError, match=f"hold a whole {kind.__name__}: it is no .npz archive$"):
        kind.from_bytes(b"counts")


@pytest.mark.parametrize("name", STATES)
def test_other_states_and_versions_are_refused_by_name(name: str) -> None:
    kind, data = type(PART[name]), PART[name].to_bytes()
    assert kind.from_bytes(changed(data)) == PART[name]
    for version in (0, 2):
        message = f"{kind.__name__} format {version}, this version reads format 1"
        with pytest.raises(ValueError, match=message):
            kind.from_bytes(changed(data, format=np.int64(version)))
    for other in map(type, PART.values()):
        if other is not kind:
            with pytest.raises(ValueError, match=f"it holds a {kind.__name__}$"):
                other.from_bytes(data)
    with pytest.raises(ValueError, match="does not hold"):
        kind.from_bytes(changed(data, format=None))
    with np.load(io.BytesIO(data)) as stored:
        missing = set(stored.files) - {"kind", "of_logs", "edges", "queries", "texts"}
    for member in missing:
        with pytest.raises(ValueError, match="does not hold"):
            kind.from_bytes(changed(data, **{member: None}))
        with pytest.raises(ValueError, match="does not hold"):  # and none is ever unpickled
            kind.from_bytes(changed(data, **{member: np.array([print], object)}))
    with pytest.raises(TypeError, match="`data` must be bytes: got str"):
        kind.from_bytes("state")


def mixed() -> ConfusionMatrix:
    matrix = ConfusionMatrix()
    matrix.update([True, False], [True, True])
    matrix.update([2, 0], [1, 2])
    matrix.update([7.0], [2.0])
    return matrix


def labelled(*labels: Any) -> ConfusionMatrix:
    y = np.array(labels, dtype=object) if isinstance(labels[0], str) else np.array(labels)
    return ConfusionMatrix.from_labels(y, y[::-1])


def scored(dtype: Any = np.float64, weights: Any = None) -> ScoreTable:
    scores = np.array([1, 8, 4, 4, 0]).astype(dtype)
    return ScoreTable.from_scores([0, 1, 1, 0, 1], scores, sample_weight=weights)


#: Numbers and labels that a careless file would change.
ODD: dict[str, Any] = {
    "singles": scored(np.float32),
    "int64": ScoreTable.from_counts([2**62 + 1, 2**62], [1, 0], [0, 1]),
    "uint64": ScoreTable.from_counts(np.array([2**63 + 1, 2], np.uint64), [1, 0], [0, 1]),
    "large weights of scores": scored(weights=[1e308, 1e308, 1e307, 1e308, 1e306]),
    "infinities": ScoreTable.from_scores([0, 1], [np.inf, -np.inf], allow_inf=True),
    "many rows": ScoreTable.from_counts([1.0, 2.0], [2**62, 1], [2**62, 2**61]),
    "no rows": ScoreTable.from_counts([], [], []),
    "booleans": labelled(True, False),
    "half a pair": labelled(True),
    "floats": labelled(1.0, -0.0, 1e300),
    "all of 64 bits": ConfusionMatrix.from_labels(np.array([2**64 - 1], np.uint64), [-(2**63)]),
    "wider than 64 bits": ConfusionMatrix.from_labels([2.0**70, 1.0], [3, 2]),
    "mixed numbers": mixed(),
    "empty text": labelled("", "a"),
    "NUL inside": labelled("a\0b", "a"),
    "spaces": labelled(" a", "a ", "a", "\t", "\n", "\r\n", " "),
    "other scripts": labelled("été", "e\u0301te\u0301", "猫", "\U0001f600", "ß"),
    "half a letter": labelled("\ud800", "\udfff"),
    "like JSON": labelled('"', "\\", "null", "[1]", "True", "1", "1.0", "{}"),
    "long": labelled("x" * 100_000, "y"),
    "a class without example": ConfusionMatrix.from_scores(
        ["bad"] * 2, [0.2, 0.8], threshold=0.5, pos_label="bad"
    ),
    "many pairs": ConfusionMatrix.from_counts([[2**62, 0], [1, 2**61]]),
    "tiny weights": ConfusionMatrix.from_labels([1, 2], [2, 2], sample_weight=[5e-324, 1e-320]),
    "nothing": ConfusionMatrix(),
    "nothing yet": ConfusionMatrix(["b", "a"]),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_numbers_and_labels_travel(name: str) -> None:
    state = ODD[name]
    found = type(state).from_bytes(state.to_bytes())
    assert (found, repr(found)) == (state, repr(state))
    assert found.weight_exponent == state.weight_exponent
    if isinstance(state, ConfusionMatrix):
        assert confusion_samples.state(found) == confusion_samples.state(state)
    else:
        assert not found.scores.flags.writeable


def test_what_rounding_took_away_is_kept() -> None:
    here = ConfusionMatrix([0, 1])
    here.update([1], [1], [2.0**54])
    there = here.copy()
    for _ in range(8):
        for matrix in (here, there):
            matrix.update([1], [1], [1.0])
        there = ConfusionMatrix.from_bytes(there.to_bytes())
    assert here.tp == there.tp == 2.0**54 + 8


class Evil:
    """Unpickled, it would raise something that is no ValueError."""

    def __reduce__(self) -> Any:
        return exec, ("raise SystemExit('code of a file was run')",)


def as_npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def repacked(data: bytes, at: int, value: int) -> bytes:
    """Return an archive with another flag, or method of compression, of its first member."""
    packed = bytearray(data)
    for start, shift in ((data.index(b"PK\x01\x02"), 0), (0, -2)):
        struct.pack_into("<H", packed, start + at + shift, value)
    return bytes(packed)


WORDS = PART["words"].to_bytes()
FOREIGN: dict[str, bytes] = {
    "nothing": b"",
    "text": b"label,count\na,1\n",
    "pickle": pickle.dumps([1, 2]),
    "evil pickle": pickle.dumps(Evil()),
    "npy": as_npy(np.arange(4)),
    "pickled npy": as_npy(np.array([Evil()], object)),
    "evil member": changed(WORDS, labels=np.array(Evil(), object)),
    "another archive": changed(WORDS, format=None, kind=np.int64(1)),
    "encrypted": repacked(WORDS, 8, 1),
    "packed otherwise": repacked(WORDS, 10, 99),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_foreign_files_are_refused(what: str, tmp_path: Any) -> None:
    path = tmp_path / "file"
    path.write_bytes(FOREIGN[what])
    for kind in {*map(type, PART.values())}:
        with pytest.raises(ValueError, match=f"file' does not hold a whole {kind.__name__}"):
            kind.load(path)
        with pytest.raises(FileNotFoundError, match="none"):
            kind.load(tmp_path / "none")


def pairs(*cells: tuple[int, int]) -> np.ndarray:
    return np.array([i << 32 | j for i, j in cells], np.int64)


def as_json(text: str | bytes) -> np.ndarray:
    return np.frombuffer(text if isinstance(text, bytes) else text.encode(), np.uint8)


#: Members of a ConfusionMatrix of the labels "a" and "b".
MATRIX: dict[str, Any] = {
    "format is text": {"format": np.array("one")},
    "two formats": {"format": np.array([1, 1])},
    "another policy": {"is_fixed": np.str_("ignore")},
    "keys that fall": {"keys": pairs((1, 1), (0, 1), (0, 0))},
    "a key twice": {"keys": pairs((0, 0), (0, 0), (1, 1))},
    "a negative key": {"keys": np.array([-1, 0, 1])},
    "a row too far": {"keys": pairs((0, 0), (0, 1), (2, 1))},
    "a column too far": {"keys": pairs((0, 0), (0, 2), (1, 1))},
    "keys are floats": {"keys": pairs((0, 0), (0, 1), (1, 1)).astype(float)},
    "lengths differ": {"values": np.array([1, 2])},
    "matrix of values": {"values": np.array([[3, 1, 2]])},
    "negative count": {"values": np.array([3, -1, 2])},
    "too many": {"values": np.array([2**62, 2**62, 1])},
    "nan": {"values": np.array([1, np.nan, 2]), "lost": np.zeros(3)},
    "weights without lost": {"values": np.array([1.0, 2.0, 3.0])},
    "lost is nan": {"values": np.array([1.0, 2, 3]), "lost": np.array([0, np.nan, 0])},
    "lost beside counts": {"lost": np.zeros(3)},
    "counts of 32 bits": {"values": np.array([1, 2, 3], np.int32)},
    "boolean counts": {"values": np.array([True, True, True])},
    "labels are text": {"labels": np.array(["a", "b"])},
    **{
        f"labels {text[:30]!r}": {"labels": as_json(text)}
        for text in (
            *('["a", "b"', '{"a": 0, "b": 1}', '["a", ["b"]]', "[" * 100_000, '["a", "a"]'),
            *("[1, 1.0]", '["a", 1]', "[0.5, 1]", "[NaN, 1]", "[1, Infinity]", '["a"]'),
            *('["a", null]', "[null, null]", '[null, "a", "b"]', '["b", "a"]', '[null, "a"]'),
            *(b'["\xff", "b"]', json.dumps(list(range(100_000)))),
        )
    },
}


@pytest.mark.parametrize("what", MATRIX)
def test_members_that_are_no_matrix(what: str) -> None:
    matrix = ConfusionMatrix()
    matrix.update(["a"] * 4 + ["b"] * 2, ["a"] * 3 + ["b"] * 3)
    data = matrix.to_bytes()
    assert ConfusionMatrix.from_bytes(changed(data)) == matrix
    with pytest.raises(ValueError, match="does not hold a whole ConfusionMatrix"):
        ConfusionMatrix.from_bytes(changed(data, **MATRIX[what]))


WRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "no such scores": ("scores", {"scores": PART["scores"].scores * np.nan}),
    "scores are texts": ("scores", {"scores": np.array(["a", "b"])}),
    "negative counts": ("scores", {"positives": PART["scores"].positives - 9}),
    "scores of other counts": ("scores", {"scores": np.array([1.0, 2.0])}),
    "no rows": ("errors", {"n_samples": np.array(0)}),
    "half a row": ("errors", {"n_samples": np.array(0.5)}),
    "two numbers of rows": ("errors", {"n_samples": np.array([7, 7])}),
    "unknown sums": ("errors", {"asked": np.array(16)}),
    "too few sums": ("errors", {"of_errors": np.ones((2, 19))}),
    "sums of another dtype": ("errors", {"of_errors": np.ones((2, 20), np.float32)}),
    "no outputs": ("errors", {"of_errors": np.ones((0, 20))}),
    "no weights": ("errors", {"of_errors": np.zeros((2, 20))}),
    "logarithms of other outputs": ("errors, weights", {"of_logs": np.ones((1, 20))}),
    "a power too few": ("errors, weights", {"powers": np.array([1.0])}),
    "a power twice": ("errors, weights", {"powers": np.array([1.0, 1.0])}),
    "no such power": ("errors, weights", {"powers": np.array([0.5, 1.0])}),
    "deviances of other outputs": ("errors, weights", {"of_powers": np.ones((2, 1, 5))}),
    "negative sizes": ("rankings", {"sizes": np.array([-1, 2, 2])}),
    "sizes of other queries": ("rankings", {"sizes": np.array([3, 2])}),
    "sizes are floats": ("rankings", {"sizes": np.ones(3)}),
    "starts that fall": ("rankings", {"item_starts": np.array([0, 9, 1, 4])}),
    "grades of other items": ("rankings", {"grades": np.ones(99)}),
    "grades are nan": ("rankings", {"grades": PART["rankings"].grades * np.nan}),
    "a query twice": ("rankings", {"queries": np.array([1, 1, 2])}),
    "queries of others": ("rankings", {"queries": np.array([1, 2])}),
    "below the last": ("rankings", {"tied": PART["rankings"].tied + 7}),
    "placed below": ("rankings of words", {"places": PART["rankings of words"].places + 7}),
    "texts are numbers": ("rankings of words", {"texts": np.frombuffer(b"[1, 2]", np.uint8)}),
    "texts are no list": ("rankings of words", {"texts": np.frombuffer(b'"ab"', np.uint8)}),
}


@pytest.mark.parametrize("what", WRONG)
def test_members_that_do_not_go_together(what: str) -> None:
    name, members = WRONG[what]
    with pytest.raises(ValueError, match=f"does not hold a whole {type(PART[name]).__name__}"):
        type(PART[name]).from_bytes(changed(PART[name].to_bytes(), **members))
