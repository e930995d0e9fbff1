"""States: laws, vocabulary, hostile bytes."""

import copy
import inspect
import io
import itertools
import json
import pickle
import re
import struct
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import confusion_samples
import numpy as np
import pytest
from binned_samples import BITS, COARSE, ROWS, VALUES, new, table_of
from hypothesis import given, strategies as st
from travels import TRAVELS, changed

import fastmetrics as fm
from fastmetrics import ConfusionMatrix, RankingTable, RegressionTable, ScoreTable
from fastmetrics.streams import BinLayout, BinnedScoreTable, ScoreRuns
from grids import few_examples
from public import NAMES, public

LAYOUT = BinLayout([0.0, 0.5, float(np.nextafter(0.5, 1.0)), 1.0])
QUARTERS = np.array([0.25, 2.0, 1.5, 0.5, 3.0, 1.0, 0.25])


class State(NamedTuple):
    """Builders of a state of chunk k of the rows, and of one without rows (None if impossible)."""

    build_part: Callable[[int], Any]
    empty: Callable[[], Any] | None = None
    merges: bool = True


def rows(k: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(k)
    return rng.integers(0, 2, 7), rng.integers(-3, 8, 7) / 4


def binned(layout: Any = LAYOUT, first_rows: int = 0, weight: Any = None) -> State:
    def build_part(k: int) -> BinnedScoreTable:
        table = BinnedScoreTable(layout, first_rows=first_rows)
        table.update(*rows(k), weight)
        return table

    return State(build_part, lambda: BinnedScoreTable(layout, first_rows=first_rows))


def matrix(words: Any = (0, 1, 2), weight: Any = None, **options: Any) -> State:
    def build_part(k: int) -> ConfusionMatrix:
        actual = ConfusionMatrix(**options)
        actual.update(*np.array(words)[np.random.default_rng(k).integers(0, 3, (2, 7))], weight)
        return actual

    return State(build_part, lambda: ConfusionMatrix(**options))


def scores(weight: Any = None) -> State:
    return State(
        lambda k: ScoreTable.from_scores(*rows(k), sample_weight=weight),
        lambda: ScoreTable.from_counts([], [], []),
    )


def regression(**options: Any) -> State:
    def build_part(k: int) -> RegressionTable:
        numbers = np.random.default_rng(k).integers(1, 99, (2, 7, 2)) / 4
        return RegressionTable.from_arrays(*numbers, **options)

    return State(build_part)


def ranking(names: Callable[[int], Any], **options: Any) -> State:
    def build_part(k: int) -> RankingTable:
        grades, score = rows(k)
        return RankingTable.from_scores(grades, score, query=names(k), **options)

    return State(build_part)


STATES = {
    "scores": scores(),
    "scores, weights": scores(QUARTERS),
    "bins": binned(),
    "bins, weights": binned(weight=QUARTERS),
    "first rows": binned(None, 100),
    "first rows with a layout": binned(LAYOUT, 10),
    "labels": matrix(),
    "words": matrix(("a", "\0b", "c")),
    "labels, weights": matrix(weight=QUARTERS),
    "known labels": matrix(labels=[2, 0, 1]),
    "errors": regression(),
    "errors, weights": regression(sample_weight=QUARTERS, log_errors=True, powers=[1, 2.5]),
    "rankings": ranking(lambda k: 10 * k + np.array([2, 0, 1, 0, 2, 1, 0])),
    "rankings of words": ranking(
        lambda k: np.array([f"{k}b", f"{k}\0b"], object)[[0, 1, 1, 0, 1, 0, 0]], ids=list("abcdefg")
    ),
    "layout": State(lambda k: BinLayout.learn(rows(k)[1], n_bins=8), merges=False),
}
MERGED = [name for name, state in STATES.items() if state.merges]
PART = {name: state.build_part(0) for name, state in STATES.items()}


def numbers(table: RegressionTable) -> list[float]:
    sums = table._sums
    powers = [sums.deviance_sums[power] for power in sorted(sums.deviance_sums)]
    actual = [sums.error_sums, *([] if sums.log_sums is None else [sums.log_sums]), *powers]
    return [table.n_samples, *np.concatenate([each[:, :1].ravel() for each in actual])] + [
        value
        for each in ("under", "over", "squared_error", "target_variance")
        for value in table.mean(each)
    ]


def check_same(one: Any, other: Any) -> None:
    """Equal; sums of errors are so up to rounding."""
    if isinstance(one, RegressionTable):
        assert numbers(one) == pytest.approx(numbers(other), rel=1e-13)
    else:
        assert one == other


def test_what_adds_up_travels_and_is_here() -> None:
    classes = [each for each in map(public, NAMES) if inspect.isclass(each)]
    sums = {each for each in classes if hasattr(each, "__add__") and not issubclass(each, tuple)}
    assert sums == {type(PART[name]) for name in MERGED}
    assert all(hasattr(each, "from_bytes") for each in classes if hasattr(each, "load"))
    assert {each for each in classes if hasattr(each, "to_bytes")} == set(map(type, PART.values()))


@pytest.mark.parametrize("name", STATES)
def test_states_travel_as_bytes(name: str, tmp_path: Any) -> None:
    state = PART[name]
    kind = type(PART[name])
    data = state.to_bytes()
    state.save(tmp_path / "state")  # under exactly this name
    assert [each.name for each in tmp_path.iterdir()] == ["state"]
    for actual in (
        *(kind.from_bytes(each) for each in (data, bytearray(data), memoryview(data))),
        kind.load(tmp_path / "state"),
        kind.load(str(tmp_path / "state")),
        kind.load(io.BytesIO(data)),
    ):
        assert type(actual) is kind
        assert actual == state
        assert actual.to_bytes() == data
        if STATES[name].merges:
            other = STATES[name].build_part(1)
            assert actual + other == state + other
        elif hasattr(actual, "update"):
            actual.update([0, 1], [0, 0])
            assert actual != state == kind.from_bytes(data)


@pytest.mark.parametrize("name", STATES)
def test_every_byte_counts(name: str) -> None:
    """A byte that is changed is found out, or (names and dates of an archive) changes nothing."""
    state = PART[name]
    kind = type(PART[name])
    data = state.to_bytes()
    for at in range(0, len(data), 1 + len(data) // 200):
        try:
            restored = kind.from_bytes(bytes([*data[:at], data[at] ^ 0x55, *data[at + 1 :]]))
        except ValueError:
            continue
        assert restored == state
    for end in range(0, len(data), len(data) // 17):
        with pytest.raises(ValueError, match=f"`data` does not hold a whole {kind.__name__}"):
            kind.from_bytes(data[:end])
    with pytest.raises(ValueError, match=f"hold a whole {kind.__name__}: it is no .npz archive$"):
        kind.from_bytes(b"counts")


@pytest.mark.parametrize("name", STATES)
def test_other_states_and_versions_are_refused_by_name(name: str) -> None:
    kind = type(PART[name])
    data = PART[name].to_bytes()
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
    restored = type(state).from_bytes(state.to_bytes())
    assert (restored, repr(restored)) == (state, repr(state))
    assert restored.weight_exponent == state.weight_exponent
    if isinstance(state, ConfusionMatrix):
        assert confusion_samples.state(restored) == confusion_samples.state(state)
    else:
        assert not restored.scores.flags.writeable


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
    "starts after the first": ("rankings", {"item_starts": PART["rankings"].item_starts.clip(1)}),
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


def scores_states(rows: Any) -> ScoreTable:
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
    "scores": Kind(_PAIRS, scores_states, lambda: scores_states([])),
    "errors": Kind(_TARGETS.filter(lambda rows: any(w for *_, w in rows)), errors, None),
    **{
        f"{name}, {weights}": bins(layout, weights, first_rows)
        for name, layout, first_rows, kinds in (
            ("bits", BITS, None, ("none", "quarters")),
            ("coarse", COARSE, None, ("counts",)),
            ("first rows", None, None, ("counts", "quarters")),
            ("bits later", BITS, 12, ("counts",)),
            ("coarse later", COARSE, 12, ("none", "quarters")),
        )
        for weights in kinds
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
    actual = empty() if empty is not None else copy.copy(parts[0])
    actual.merge(*parts)
    return actual


@pytest.mark.parametrize("name", KINDS)
@few_examples
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
@few_examples
@given(st.data())
def test_states_travel_and_go_on_by_themselves(name: str, data: Any) -> None:
    rows, of, empty = KINDS[name]
    state = of(data.draw(rows))
    other = of(data.draw(rows))
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
        (scores_states([(0, 1, 1)]), ScoreTable.from_scores([0], [0.5]), "merged exactly"),
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


WHOLE: Final = [0, 1, -1, 3, 2**31, 2**52, 2**61, 2**62 - 1, 2**63 - 1, -(2**63)]
REAL: Final = [np.nan, np.inf, -np.inf, 0.0, -1.0, 0.5, 1e72, 1e160, 1e308, 1e-72, 5e-324]
TEXTS: Final = ["", "x", "-1", "3", "9" * 40]
JSONS: Final = [
    *("null", "[]", "{}", "1", "[NaN]", "[1e400]", "[-1, 0]", '["a", 1]', "[[1]]", f"[{2**70}]"),
    *("[1, 0]", "[0, 1]", "[" * 10_000),
]
#: What a state that is right may say as well: it is full, or the other is of another kind.
LIMITS: Final = re.compile(
    r"2\*\*6[23]|differently scaled|is in both tables|can(not)? be (merged|added)"
    r"|this table holds no|pass `k`|too great for exponential"
)

SCORES: Final = fm.ScoreTable.from_scores(*rows(0))
ONE_OUTPUT: Final = fm.RegressionTable.from_arrays([1, 2, 4], [2, 2, 3], powers=[1, 1.5, 3])
HOSTILE: Final = PART | {"one output": ONE_OUTPUT}


def spoilt(member: Any, third: int) -> Iterator[Any]:
    """Yield the member with impossible numbers: every third of eleven positions, by each value."""
    kind = member.dtype.kind
    if member.dtype == np.uint8 and member.max(initial=0) > 1:  # bytes of JSON
        whole = json.loads(member.tobytes())
        texts = [*JSONS, *map(json.dumps, (whole[::-1], whole[1:], whole * 2))]
        yield from (np.frombuffer(text.encode(), np.uint8) for text in texts)
        return
    values: list[Any] = {"f": REAL, "U": TEXTS}.get(kind, WHOLE)
    if kind in "iu":
        ends = np.iinfo(member.dtype)
        values = [value for value in values if ends.min <= value <= ends.max]
    wide = member.astype("U99") if kind == "U" else member
    for turn, value in enumerate(values):
        if turn % 3 == third:
            yield np.full_like(wide, value)
        for at in range(turn % 11 + 11 * third, member.size if member.ndim else 0, 33):
            other = wide.copy()
            other.reshape(-1)[at] = value
            yield other
    if kind != "U":
        yield from (member * np.nan, member * 1.0)
    if member.ndim:
        yield from (member[::-1], member[1:], member[:0], np.concatenate([member, member]))


def use_scores(table: Any) -> Iterator[Any]:
    yield from (fm.roc_auc_score(table), fm.average_precision_score(table))
    yield from (fm.evaluate(table)[0].ks_statistic, *np.ravel(fm.roc_curve(table)[:2]))
    if not table.is_weighted:
        yield fm.delong(table).estimate


def use_bins(table: Any) -> Iterator[Any]:
    actual = table.at_threshold(0.5)
    for each in (
        *(table.roc_auc(), table.average_precision(), table.ks_statistic()),
        *(table.tpr_at_fpr(0.3), actual.precision, actual.f1),
    ):
        yield from (each.low, each.high)
    if table.is_exact:
        yield from use_scores(table.to_score_table())


def use_matrix(matrix: Any) -> Iterator[Any]:
    yield from (fm.accuracy_score(matrix), fm.f1_score(matrix, average="macro"))
    yield abs(fm.matthews_corrcoef(matrix))
    for label in matrix.labels[:1]:
        matrix.update([label], [label])
    yield fm.accuracy_score(matrix.copy())


def use_errors(table: Any) -> Iterator[Any]:
    for name in ("under", "over", "squared_error", "target_variance"):
        yield from (0.0 if value >= 0 else value for value in table.mean(name))
    fm.r2_score(table)
    for power, _ in table._terms.powers if table.n_outputs == 1 else ():
        yield max(fm.d2_tweedie_score(table, power=power), 0.0)


def use_rankings(table: Any) -> Iterator[Any]:
    yield fm.ranking.ndcg(table)
    yield fm.ranking.precision_at_k(table, k=2)
    for metric in (
        fm.ranking.bpref,
        fm.ranking.mean_average_precision,
        fm.ranking.mean_reciprocal_rank,
        fm.ranking.r_precision,
    ):
        yield metric(table)
    yield from (
        fm.ranking.rank_biased_precision(table, persistence=0.8),
        fm.ranking.expected_reciprocal_rank(table),
    )


USES: Final[dict[type, Callable[[Any], Iterator[Any]]]] = {
    fm.ScoreTable: use_scores,
    fm.streams.BinnedScoreTable: use_bins,
    fm.ConfusionMatrix: use_matrix,
    fm.RegressionTable: use_errors,
    fm.RankingTable: use_rankings,
    fm.streams.BinLayout: lambda layout: iter(layout.bins([0.3]) < 0),
}


def use(name: str, state: Any) -> None:
    """Ask all of a state: nothing raises that a right one would not, and shares are shares."""
    other = type(state).from_bytes(state.to_bytes())
    assert (repr(other), str(other)) == (repr(state), str(state))
    try:
        shares = [float(share) for share in USES[type(state)](state)]
        assert all(0.0 <= share <= 1.0 or share != share for share in shares), shares
        if name in STATES and STATES[name].merges:
            repr(sum([state, STATES[name].build_part(1)]))
    except (fm.InputError, OverflowError) as error:
        if not LIMITS.search(str(error)):
            raise


@pytest.mark.parametrize(
    "third", [0, *(pytest.param(k, marks=pytest.mark.exhaustive) for k in (1, 2))]
)
@pytest.mark.parametrize("name", HOSTILE)
def test_numbers_that_no_state_has(name: str, third: int) -> None:
    data = HOSTILE[name].to_bytes()
    kind = type(HOSTILE[name])
    with np.load(io.BytesIO(data)) as stored:
        members = {key: stored[key] for key in stored.files if key not in ("kind", "format")}
    n_refused = 0
    for key, member in members.items():
        for other in spoilt(member, third):
            try:
                state = kind.from_bytes(changed(data, **{key: other}))
            except ValueError as error:
                assert f"does not hold a whole {kind.__name__}" in str(error)  # noqa: PT017
                n_refused += 1
                continue
            with warnings.catch_warnings():
                for each in (fm.UndefinedMetricWarning, fm.DegenerateDataWarning):
                    warnings.simplefilter("ignore", each)
                try:
                    use(name, state)
                except Exception as error:
                    error.add_note(f"`{key}` was {other!r}")
                    raise
    assert n_refused > 5


@pytest.mark.parametrize("exponent", [2**63 - 1, -(2**63), 2**14, 0.5, [0, 0]])
@pytest.mark.parametrize("name", ["scores, weights", "labels, weights", "errors, weights"])
def test_a_scale_that_no_weights_have(name: str, exponent: Any) -> None:
    data = changed(PART[name].to_bytes(), weight_exponent=np.array(exponent))
    with pytest.raises(ValueError, match="`weight_exponent` must be"):
        type(PART[name]).from_bytes(data)


@pytest.mark.parametrize("weight", [1e-300, 1e300])
def test_extreme_weights_travel(weight: float) -> None:
    """Sums of many batches of extreme weights are read again, though checks refuse such rows."""
    y, scores = rows(0)
    weights = np.full(7, weight)
    table = sum(fm.ScoreTable.from_scores(y, scores, sample_weight=weights) for _ in range(50))
    assert fm.ScoreTable.from_bytes(table.to_bytes()) == table
    assert table.weight_exponent != 0
    matrix = fm.ConfusionMatrix()
    for _ in range(50):
        matrix.update(y, y[::-1], weights)
    assert fm.ConfusionMatrix.from_bytes(matrix.to_bytes()) == matrix
    errors = sum(fm.RegressionTable.from_arrays(y, scores, sample_weight=weights) for _ in "ab")
    assert fm.RegressionTable.from_bytes(errors.to_bytes()) == errors
    assert str(fm.RegressionTable.from_arrays(y, scores, sample_weight=weights * 1e8))


def test_settled_rankings_travel() -> None:
    table = PART["rankings of words"].settle_ties("trec_eval")
    assert fm.RankingTable.from_bytes(table.to_bytes()) == table
