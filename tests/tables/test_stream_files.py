"""Streams travel: copies, pickles and files of them go on as if nothing had been."""

from __future__ import annotations

import io
import json
import pickle
import threading
from typing import Any

import numpy as np
import pytest
from confusion_samples import KINDS, batches, columns, state
from hypothesis import given, strategies as st
from travels import TRAVELS

from fastmetrics import ConfusionMatrix
from fastmetrics.streams import DecayedConfusionMatrix, WindowedConfusionMatrix

Stream = WindowedConfusionMatrix | DecayedConfusionMatrix


def saved(stream: Stream | ConfusionMatrix) -> bytes:
    buffer = io.BytesIO()
    stream.save(buffer)
    return buffer.getvalue()


STREAMS = {
    "window of 1": lambda: WindowedConfusionMatrix(1),
    "window of 5": lambda: WindowedConfusionMatrix(5),
    "window of 1000": lambda: WindowedConfusionMatrix(1000),
    "rows": lambda: DecayedConfusionMatrix(2.7),
    "a row halves": lambda: DecayedConfusionMatrix(1e-3),
    "slowly": lambda: DecayedConfusionMatrix(1e9),
    "batches": lambda: DecayedConfusionMatrix(3, per="batch"),
}


def seen(stream: Stream) -> tuple[Any, ...]:
    """Return all that is to be seen of a stream."""
    options = (
        (stream.window, stream.n)
        if isinstance(stream, WindowedConfusionMatrix)
        else (stream.half_life, stream.per)
    )
    return (type(stream), options, stream.n_seen, stream.new_labels, state(stream.matrix))


@pytest.mark.parametrize("name", STREAMS)
@given(data=st.data())
def test_what_arrives_goes_on_alike(name: str, data: st.DataObject) -> None:
    labels, make = KINDS[data.draw(st.sampled_from(sorted(KINDS)))]
    stream = STREAMS[name]()
    before, after = data.draw(batches(labels)), data.draw(batches(labels))
    for rows in before:
        stream.update(*columns(rows, make)[:2])
    at_once, arrived = seen(stream), {}
    for way, travel in TRAVELS.items():
        arrived[way] = other = travel(stream)
        assert seen(other) == at_once, way
        assert stream == other, way
        for rows in after:
            other.update(*columns(rows, make)[:2])
        assert stream != other, way
        assert seen(stream) == at_once, f"{way}: it is one of its own"
    for rows in after:
        stream.update(*columns(rows, make)[:2])
    for way, other in arrived.items():
        assert seen(stream) == seen(other), way
        assert stream == other, way
    stream.reset()
    other.reset()
    assert seen(stream) == seen(other)
    assert stream == other


@pytest.mark.parametrize("way", TRAVELS)
@pytest.mark.parametrize("policy", [None, "extend"])
@pytest.mark.parametrize("cls", [WindowedConfusionMatrix, DecayedConfusionMatrix])
def test_given_labels_travel(cls: Any, policy: Any, way: str) -> None:
    stream = cls(3, labels=["a", "b"], new_labels=policy)
    for step in range(3):
        other = TRAVELS[way](stream)
        assert seen(other) == seen(stream)
        assert other == stream
        if policy is None:
            with pytest.raises(ValueError, match="'c'"):
                other.update(["c"], ["a"])
        else:
            other.update(["c"], ["a"])
            assert other.matrix.labels == ("a", "b", "c")
            other.reset()
            assert seen(other)[1:] == seen(cls(3, labels=["a", "b"], new_labels=policy))[1:] or (
                cls is DecayedConfusionMatrix  # which forgets labels that may become more
            )
        stream.update(["a", "b"], ["b", "b"])
        assert stream.n_seen == 2 * step + 2


def test_a_class_that_left_the_window_keeps_its_kind() -> None:
    last = WindowedConfusionMatrix(2)
    last.update([True, False], [True, True])
    for _ in range(2):
        last.update([0.0, 0.0], [2.0, 2.0])
    other = pickle.loads(pickle.dumps(last))
    for each in (last, other):
        each.update([1, 1], [1, 0])
    assert seen(last) == seen(other)


def test_classes_are_numbered_as_they_came_and_that_makes_no_difference() -> None:
    one, other = WindowedConfusionMatrix(4), WindowedConfusionMatrix(4)
    one.update([3, 1, 2], [3, 3, 3])
    for label in (3, 1, 2):
        other.update([label], [3])
    assert one == other
    assert other == one
    other.update([7], [7])
    one.update([2], [3])
    assert one != other
    assert other != one


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (WindowedConfusionMatrix(3), WindowedConfusionMatrix(4)),
        (WindowedConfusionMatrix(3), DecayedConfusionMatrix(3)),
        (WindowedConfusionMatrix(3), WindowedConfusionMatrix(3, labels=[0, 1])),
        (
            WindowedConfusionMatrix(3, labels=[0, 1]),
            WindowedConfusionMatrix(3, labels=[0, 1], new_labels="extend"),
        ),
        (DecayedConfusionMatrix(3), DecayedConfusionMatrix(4)),
        (DecayedConfusionMatrix(3), DecayedConfusionMatrix(3, per="batch")),
        (DecayedConfusionMatrix(3), ConfusionMatrix()),
        (
            DecayedConfusionMatrix(3, labels=[0, 1]),
            DecayedConfusionMatrix(3, labels=[0, 1], new_labels="extend"),
        ),
    ],
)
def test_streams_that_differ(one: Any, other: Any) -> None:
    assert one == one.copy()
    assert one != other
    assert other != one
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_order_within_the_window_counts() -> None:
    one, other = WindowedConfusionMatrix(3), WindowedConfusionMatrix(3)
    one.update([0, 1], [0, 0])
    other.update([1, 0], [0, 0])
    assert one.matrix == other.matrix
    assert one != other, "another row leaves first"


def window() -> WindowedConfusionMatrix:
    stream = WindowedConfusionMatrix(4)
    stream.update([0, 1], [0, 2])
    stream.update([2, 2, 1], [2, 1, 1])
    return stream


def decayed() -> DecayedConfusionMatrix:
    stream = DecayedConfusionMatrix(3.5)
    stream.update([0, 1, 2, 2, 1], [0, 2, 2, 1, 1])
    return stream


def changed(stream: Stream, **members: Any) -> io.BytesIO:
    """Return a file as `save` writes it, with some members replaced or (None) left out."""
    with np.load(io.BytesIO(saved(stream))) as found:
        content = {name: found[name] for name in found.files} | members
    buffer = io.BytesIO()
    np.savez(buffer, **{name: value for name, value in content.items() if value is not None})
    buffer.seek(0)
    return buffer


def as_json(value: Any) -> np.ndarray[Any, Any]:
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


REFUSED: list[tuple[Any, dict[str, Any]]] = [
    *((make, {"format": np.int64(2)}) for make in (window, decayed)),
    *((make, {"kind": np.str_("ConfusionMatrix")}) for make in (window, decayed)),
    *((make, {"kind": None}) for make in (window, decayed)),
    *((make, {"n_seen": np.float64(5)}) for make in (window, decayed)),
    *((make, {"n_seen": np.int64(-1)}) for make in (window, decayed)),
    *((make, {"n_seen": np.array([5])}) for make in (window, decayed)),
    *((make, {"n_seen": np.array({}, object)}) for make in (window, decayed)),
    *((make, {"labels": as_json([0, 1])}) for make in (window, decayed)),
    *((make, {"labels": as_json([0, 1, "2"])}) for make in (window, decayed)),
    *((make, {"labels": as_json([0, 1, 1])}) for make in (window, decayed)),
    *((make, {"labels": as_json({})}) for make in (window, decayed)),
    *((make, {"new_labels": np.str_("ignore")}) for make in (window, decayed)),
    (window, {"window": np.int64(0)}),
    (window, {"window": np.int64(3)}),
    (window, {"window": np.int64(5)}),
    (window, {"window": np.int64(2**48)}),
    (window, {"window": np.float64(4)}),
    (window, {"n_seen": np.int64(3)}),
    (window, {"n_given": np.int64(4)}),
    (window, {"n_given": np.int64(-1)}),
    (window, {"labels": as_json([2, 1, 0]), "n_given": np.int64(3)}),
    (window, {"labels": as_json([None, 1])}),
    (window, {"labels": as_json(list(range((1 << 14) + 1)))}),
    (window, {"new_labels": np.str_("raise")}),
    (window, {"rows": None}),
    (window, {"rows": np.zeros(3, np.uint32)}),
    (window, {"rows": np.zeros((4, 1), np.uint32)}),
    (window, {"rows": np.zeros(4, np.int64)}),
    (window, {"rows": np.full(4, 3, np.uint32)}),
    (window, {"rows": np.full(4, 3 << 16, np.uint32)}),
    (decayed, {"half_life": np.float64(0)}),
    (decayed, {"half_life": np.float64(np.nan)}),
    (decayed, {"half_life": np.str_("3")}),
    (decayed, {"per": np.str_("day")}),
    (decayed, {"n_seen": np.int64(1)}),
    (decayed, {"n_steps": np.int64(4)}),
    (decayed, {"n_steps": np.int64(-1)}),
    (decayed, {"n_steps": np.float64(5)}),
    (decayed, {"n_steps": np.array([5])}),
    (decayed, {"n_steps": None}),
    (decayed, {"weight_exponent": np.int64(3)}),
    (decayed, {"sparse": np.bool_(True)}),
    (decayed, {"values": np.full(5, np.inf)}),
    (decayed, {"values": np.full(5, 1e9)}),
    (decayed, {"lost": np.full(5, -9.0)}),
    (decayed, {"lost": np.full(5, np.nan)}),
]


@pytest.mark.parametrize(("make", "members"), REFUSED)
def test_load_refuses(make: Any, members: dict[str, Any]) -> None:
    stream = make()
    assert type(stream).load(changed(stream)) == stream
    with pytest.raises(ValueError, match=f"does not hold a whole {type(stream).__name__}: "):
        type(stream).load(changed(stream, **members))


def test_one_kind_is_not_taken_for_another() -> None:
    matrix = ConfusionMatrix.from_labels([0, 1], [1, 1])
    for holds in (window(), decayed(), matrix):
        for cls in (WindowedConfusionMatrix, DecayedConfusionMatrix, ConfusionMatrix):
            file = io.BytesIO(saved(holds))
            if type(holds) is cls:
                assert cls.load(file) == holds
                continue
            with pytest.raises(ValueError, match=f"it holds a {type(holds).__name__}"):
                cls.load(file)


def test_files_by_name(tmp_path) -> None:
    for stream in (window(), decayed()):
        for path in (tmp_path / "monitor", str(tmp_path / "monitor")):
            stream.save(path)
            assert type(stream).load(path) == stream
    assert [p.name for p in tmp_path.iterdir()] == ["monitor"]
    with pytest.raises(FileNotFoundError):
        WindowedConfusionMatrix.load(tmp_path / "none")


@pytest.mark.parametrize("make", [window, decayed])
def test_a_stream_may_be_saved_while_it_is_updated(make: Any) -> None:
    stream, stop = make(), threading.Event()

    def update() -> None:
        while not stop.wait(1e-4):  # whoever never waits may keep others from the lock
            stream.update([0, 1, 2], [0, 2, 1])

    thread = threading.Thread(target=update)
    thread.start()
    try:
        for _ in range(100):
            other = type(stream).load(io.BytesIO(saved(stream)))
            assert other.n_seen % 3 == 5 % 3
    finally:
        stop.set()
        thread.join()
