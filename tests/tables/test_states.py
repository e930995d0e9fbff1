"""States that are reduced across batches, threads and machines: one vocabulary, the same laws."""

from __future__ import annotations

import inspect
import io
from typing import Any

import numpy as np
import pytest
from state_samples import MERGED, PART, STATES
from travels import changed

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
    state.save(tmp_path / "state")
    for found in (
        *(kind.from_bytes(each) for each in (data, bytearray(data), memoryview(data))),
        kind.load(tmp_path / "state"),
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


WRONG: dict[str, tuple[str, dict[str, Any]]] = {
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
