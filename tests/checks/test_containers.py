"""Every container and dtype gives the same rows, in place or copied once; none is changed."""

from __future__ import annotations

import array
import ctypes
import enum
import tempfile
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fastmetrics as fm
from fastmetrics._input.containers import as_array
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.streams import BinnedScoreTable

Y = np.array([0, 1, 1, 0, 1], dtype=np.int8)
S = np.array([0.5, 0.25, 0.75, 0.125, 2.0])  # exact in float16 too


class DLPack:
    """An array that is reached through DLPack only."""

    def __init__(self, values: np.ndarray[Any, Any]):
        self.values = values

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


TEXT: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "array": np.array,
    "objects": lambda t: np.array(t, dtype=object),
    "StringDType": lambda t: np.array(t, dtype=np.dtypes.StringDType()),
    "pandas": pd.Series,
    "pandas category": lambda t: pd.Series(t, dtype="category"),
    "pandas pyarrow": lambda t: pd.Series(t, dtype=pd.ArrowDtype(pa.string())),
    "polars": pl.Series,
    "polars Categorical": lambda t: pl.Series(t, dtype=pl.Categorical),
    "polars Enum": lambda t: pl.Series(t, dtype=pl.Enum(["no", "yes"])),
    "pyarrow": pa.array,
    "pyarrow chunks": lambda t: pa.chunked_array([t[:2], t[2:]]),
    "pyarrow dictionary": lambda t: pa.array(t).dictionary_encode(),
}


@pytest.mark.parametrize("name", TEXT)
def test_text_labels_of_each_container(name: str) -> None:
    text = ["yes" if label else "no" for label in Y]
    table = fm.ScoreTable.from_scores(TEXT[name](text), S, pos_label="yes")
    assert table == fm.ScoreTable.from_scores(Y, S)


def test_a_late_surprise_is_found_in_every_chunk() -> None:
    for n in (3, 65_536, 65_537, 200_000):
        for at in {0, n // 2, n - 1}:
            labels = np.ones(n, dtype=np.int64)
            labels[::2] = -1
            labels[at] = 0
            with pytest.raises(ValueError, match=r"takes its values in|3 classes"):
                fm.ScoreTable.from_scores(labels, np.zeros(n))
            with pytest.raises(ValueError, match=r"takes its values in|3 classes"):
                fm.ScoreTable.from_scores(labels.astype(np.int8), np.zeros(n))


NO_COPY: dict[str, Callable[[np.ndarray[Any, Any]], Any]] = {
    "array": lambda a: a,
    "read-only": lambda a: _view_read_only(a),
    "masked": np.ma.masked_array,
    "pandas": lambda a: pd.Series(a, copy=False),
    "pandas pyarrow": lambda a: pd.Series(pd.arrays.ArrowExtensionArray(pa.array(a))),
    "polars": lambda a: pl.Series(a),
    "pyarrow": pa.array,
    "pyarrow one chunk": lambda a: pa.chunked_array([pa.array(a)]),
    "DLPack": DLPack,
    "memory map": lambda a: _on_disk(a),
}  # fmt: skip


def _on_disk(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    with tempfile.TemporaryFile() as file:
        mapped = np.memmap(file, values.dtype, "w+", shape=values.shape)
    mapped[:] = values
    return mapped


def _view_read_only(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    view = values.view()
    view.flags.writeable = False
    return view


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", NO_COPY)
def test_columns_in_their_own_dtype_are_not_copied(name: str, dtype: Any) -> None:
    """Nor are weights, or labels of one byte."""
    values = np.random.default_rng(0).random(300_000).astype(dtype)
    given = NO_COPY[name](values)
    weights = NO_COPY[name](values.astype(np.float64))
    for labels in (values > 0.5, (values > 0.5).astype(np.int8)):
        fm.brier_score_loss(labels, given, sample_weight=weights, n_threads=1)
        tracemalloc.start()
        actual = fm.brier_score_loss(labels, given, sample_weight=weights, n_threads=1)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2 * len(values)  # masks have a byte a row
        assert actual == fm.brier_score_loss(values > 0.5, values, sample_weight=values * 1.0)


def test_buffers() -> None:
    values = array.array("d", S.tolist())
    right = fm.ScoreTable.from_scores(Y, S)
    for given in (values, memoryview(values), (ctypes.c_double * 5)(*S)):
        assert fm.ScoreTable.from_scores(Y, given) == right
    assert fm.ScoreTable.from_scores(Y, range(5)).scores.tolist() == [4, 3, 2, 1, 0]


def test_lists_keep_integers_exact() -> None:
    def read(values: list[Any]) -> list[Any]:
        return fm.ScoreTable.from_scores([0, 1], values).scores.tolist()

    assert read([2**63, 1]) == [2**63, 1]  # float64 to NumPy
    assert read([2**53 + 1, 1]) == [2**53 + 1, 1]
    assert read([1e300, 2**60]) == [1e300, 2.0**60]
    for values, message in (
        ([0.5, 2**53 + 1], "mixes floats with the integer 9007199254740993 at ind"),
        ([2**63, -1], "must fit 64-bit integers: from -1 to 9223372036854775808"),
        ([2**64, 0], "must fit 64-bit integers"),
    ):
        with pytest.raises(ValueError, match=message):
            read(values)


@pytest.mark.parametrize(
    ("values", "error", "match"),
    [
        ([1, "a"], TypeError, "`y_score` mixes text with int at index 0"),
        ([[1, 2], [3]], ValueError, "`y_score` is not a rectangular sequence"),
        ("text", TypeError, "`y_score` must be an array.*scalar 'text'"),
        (pl.LazyFrame({"a": [1]}), TypeError, r"lazy frame: pass `\.collect\(\)`"),
        (pl.Series([1, 2], dtype=pl.Int128), TypeError, "`y_score` of dtype Int128 cannot be read"),
        (pl.col("a"), TypeError, "`y_score` must be an array or a sequence: got polars"),
        (pd.array(["a", "b"]), TypeError, "`y_score` must hold real numbers"),
        (pa.array([None, None]), ValueError, "`y_score` contains 2 nulls, first at index 0"),
        (
            pd.DataFrame({"a": [1, 2]}).groupby("a"),
            TypeError,
            "`y_score` must be an array or a seq",
        ),
    ],
)
def test_strange_containers(values: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        fm.ScoreTable.from_scores([0, 1], values)


def test_sparse_matrix() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match=r"sparse matrix: pass `\.toarray\(\)`"):
        fm.ScoreTable.from_scores([0, 1], sparse.csr_matrix(np.eye(2)))


Array = np.ndarray[Any, Any]

LT = np.array([0, 1, 1, 0, 1, 0])
ST = np.array([0.25, 0.5, 0.75, 0.5, 2.0, -0.125])  # exact in bfloat16 too
P = np.array([0, 1, 0, 0, 1, 1])
W = np.array([1.0, 2.0, 0.5, 1.0, 4.0, 1.0])
CHANCES = np.c_[1 - W / 8, W / 8]


class OnDevice:
    """An array as CuPy 14 exports it: memory of CUDA, copied to main memory on request."""

    def __init__(self, values: Array):
        self.values, self.copied = values, list[np.dtype[Any]]()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __dlpack__(self, *, stream: Any = None, dl_device: Any = None, **options: Any) -> Any:
        assert stream is None, "so that it waits for the device"
        if dl_device != (1, 0):
            raise BufferError("the consumer has to know CUDA")
        self.copied.append(self.values.dtype)
        return self.values.copy().__dlpack__(**options)

    def __array__(self, *options: Any, **more: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")


class OldOnDevice(OnDevice):
    """CuPy before it copied: another device is not asked for."""

    def __dlpack__(self, stream: Any = None) -> Any:  # type: ignore[override]
        raise BufferError("the consumer has to know CUDA")


class UnknownToDLPack(OnDevice):
    """An array that DLPack cannot describe, such as one on several devices; NumPy takes it."""

    def __dlpack_device__(self) -> tuple[int, int]:
        raise BufferError("only of one device")

    def __array__(self, *options: Any, **more: Any) -> Array:
        return self.values


def to_torch(values: Array) -> Any:
    return pytest.importorskip("torch").from_numpy(values)


def to_jax(values: Array) -> Any:
    return pytest.importorskip("jax.numpy").asarray(values)  # of 32 bits, unless told otherwise


def in_bfloat16_of_torch(values: Array) -> Any:
    tensor = to_torch(values)
    return tensor.bfloat16() if values.dtype.kind == "f" else tensor


def in_bfloat16_of_jax(values: Array) -> Any:
    return to_jax(values).astype("bfloat16") if values.dtype.kind == "f" else to_jax(values)


def with_gradient(values: Array) -> Any:
    tensor = in_bfloat16_of_torch(values)
    return 1 * tensor.clone().requires_grad_() if values.dtype.kind == "f" else tensor


KINDS: dict[str, Callable[[Array], Any]] = {
    "torch": to_torch,
    "torch, strided": lambda a: to_torch(np.repeat(a, 2, axis=0))[::2],
    "torch, bfloat16": in_bfloat16_of_torch,
    "torch, bfloat16 and gradient": with_gradient,
    "torch, few bits": lambda a: to_torch(a.astype(np.uint8) if a.dtype.kind == "i" else a),
    "torch, parameter": lambda a: pytest.importorskip("torch").nn.Parameter(
        to_torch(a), requires_grad=a.dtype.kind == "f"
    ),
    "jax": to_jax,
    "jax, bfloat16": in_bfloat16_of_jax,
    "device": OnDevice,
    "several devices": UnknownToDLPack,
}

#: What reads its data by every way that there is.
READERS: dict[str, Callable[[Callable[[Array], Any]], Any]] = {
    "roc_auc_score": lambda to: fm.roc_auc_score(to(LT), to(ST), sample_weight=to(W)),
    "roc_auc_score, classes": lambda to: fm.roc_auc_score(to(LT), to(CHANCES)[:, 1]),
    "log_loss": lambda to: fm.log_loss(to(LT), to(CHANCES)),
    "accuracy_score": lambda to: fm.accuracy_score(to(LT), to(P), sample_weight=to(W)),
    "f1_score, booleans": lambda to: fm.f1_score(to(LT == 1), to(P == 1)),
    "r2_score": lambda to: fm.r2_score(to(W), to(ST), sample_weight=to(W)),
    "ndcg_score": lambda to: fm.ndcg_score(to(LT[None]), to(ST[None])),
    "evaluate": lambda to: fm.evaluate(to(LT), {"a": to(ST)}).to_dict(),
    "ScoreTable": lambda to: fm.ScoreTable.from_scores(to(LT), to(ST)).positives.tolist(),
    "RankingTable": lambda to: fm.RankingTable.from_scores(to(P), to(ST), query=to(LT)).above.sum(),
    "BinnedScoreTable": lambda to: updated(BinnedScoreTable(), to(LT), to(ST), to(W)).roc_auc(),
    "ConfusionMatrix": lambda to: updated(fm.ConfusionMatrix(), to(LT), to(P), to(W)),
}  # fmt: skip


def updated(state: Any, *rows: Any) -> Any:
    state.update(*rows)
    return state


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", KINDS)
def test_they_are_rows_to_everything(kind: str, reader: str) -> None:
    if "device" in kind and reader == "roc_auc_score, classes":
        pytest.skip("the stand-in has no columns")
    assert READERS[reader](KINDS[kind]) == READERS[reader](lambda values: values)


def torch_scalars(values: Array, **options: Any) -> list[Any]:
    torch = pytest.importorskip("torch")
    return [torch.tensor(float(value), **options) for value in values]


LISTS: dict[str, Callable[[], list[Any]]] = {
    "device": lambda: [OnDevice(np.array(value)) for value in ST],
    "device, numbers between": lambda: [OnDevice(np.array(ST[0])), *ST[1:].tolist()],
    "torch": lambda: torch_scalars(ST),
    "torch, gradient": lambda: torch_scalars(ST, requires_grad=True),
    "torch, numbers between": lambda: [*torch_scalars(ST[:2], requires_grad=True), *ST[2:]],
    "torch, bfloat16": lambda: [each.bfloat16() for each in torch_scalars(ST, requires_grad=True)],
    "jax": lambda: list(to_jax(ST)),
}


@pytest.mark.parametrize("kind", LISTS)
def test_lists_of_tensors_are_rows(kind: str) -> None:
    values = LISTS[kind]()
    assert fm.roc_auc_score(LT, values) == fm.roc_auc_score(LT, ST)
    assert fm.roc_auc_score(LT, tuple(values)) == fm.roc_auc_score(LT, ST)
    pairs = [[values[0], values[2]], [values[2], values[0]]]
    assert fm.log_loss([0, 1], pairs) == fm.log_loss([0, 1], [[0.25, 0.75], [0.75, 0.25]])


def test_lists_that_hold_no_numbers() -> None:
    with pytest.raises(ValueError, match=r"`y_score` must have shape \(n,\): got \(2, 3\)"):
        fm.roc_auc_score([0, 1], [OnDevice(ST[:3]), OnDevice(ST[3:])])
    with pytest.raises(ValueError, match="`y_score` is not a rectangular sequence"):
        fm.roc_auc_score([0, 1], [OnDevice(ST[:3]), OnDevice(ST[:2])])

    class Mute:
        def __array__(self, *options: Any, **more: Any) -> Array:
            raise RuntimeError("not now")

    with pytest.raises(TypeError, match="`y_score` is not a sequence of numbers: not now"):
        fm.roc_auc_score([0, 1], [Mute(), Mute()])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, np.bool_])
def test_a_device_is_left_once_and_in_the_own_dtype(dtype: Any) -> None:
    there = OnDevice(ST.astype(dtype))
    assert fm.ScoreTable.from_scores(LT, there) == fm.ScoreTable.from_scores(LT, ST.astype(dtype))
    assert there.copied == [dtype]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "bool", "bfloat16"])
def test_a_tensor_leaves_its_device_once(dtype: str) -> None:
    """PyTorch moves a tensor once, with as many bytes as it has."""
    torch = pytest.importorskip("torch")
    moved: list[Any] = []

    class OnCuda:
        requires_grad = True
        device = torch.device("cuda:0")

        def __init__(self, tensor: Any):
            self.tensor, self.dtype = tensor, tensor.dtype

        def detach(self) -> OnCuda:
            return self

        def view(self, dtype: Any) -> OnCuda:
            return OnCuda(self.tensor.view(dtype))

        def numpy(self, *, force: bool = False) -> Array:
            assert force, "NumPy would read memory that is not there"
            moved.append(self.tensor)
            return self.tensor.numpy()

    tensor = torch.from_numpy(ST).to(getattr(torch, dtype))
    assert as_array(OnCuda(tensor), "y_score").tolist() == tensor.tolist()
    (sent,) = moved
    assert sent.element_size() == tensor.element_size()


def test_main_memory_is_read_in_place() -> None:
    for dtype in (np.float32, np.float64, np.int64, np.bool_):
        values = ST.astype(dtype)
        tensor = to_torch(values)
        assert np.shares_memory(as_array(tensor, "y_score"), values)
        if dtype is np.float32:
            assert np.shares_memory(as_array(tensor.requires_grad_(), "y_score"), values)
            assert tensor.requires_grad


def test_every_bfloat16_is_a_float32() -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.arange(-(2**15), 2**15).to(torch.int16).view(torch.bfloat16)
    actual = as_array(tensor, "y_score")
    expected = tensor.float().numpy()
    assert actual.dtype == np.float32
    assert np.array_equal(actual, expected, equal_nan=True)
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    assert np.array_equal(as_array(ST.astype(bfloat16), "y_score"), ST)


class Unreadable(OnDevice):
    """A dtype that NumPy does not know, such as a float of eight bits."""

    __array__: Any = None

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("unsupported dtype")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda t: t.zeros(3, device="meta"), "tensor of float32 on meta .*no data"),
        (lambda t: t.zeros(3).to_sparse(), "tensor of float32 on cpu .*pass a dense one"),
        (lambda t: t.zeros(3, dtype=t.float8_e4m3fn), r"tensor of float8_e4m3fn.* `\.float\(\)`"),
        (lambda t: t.zeros(3, dtype=t.complex64), "complex numbers"),
    ],
)
def test_tensors_that_are_no_numbers_here(make: Any, message: str) -> None:
    tensor = make(pytest.importorskip("torch"))
    with pytest.raises(TypeError, match=f"`y_score`.*{message}"):
        fm.roc_auc_score([0, 1, 1], tensor)


@pytest.mark.parametrize("kind", [OldOnDevice, Unreadable])
def test_arrays_that_cannot_be_read(kind: Any) -> None:
    table = BinnedScoreTable()
    with pytest.raises(TypeError, match=r"`y_score` cannot be read .*: pass a copy in main memory"):
        table.update(LT, kind(ST))
    assert table == BinnedScoreTable()


def test_inside_jit_there_are_no_numbers() -> None:
    jax = pytest.importorskip("jax")
    with pytest.raises(TypeError, match="traced array"):
        jax.jit(lambda scores: fm.roc_auc_score(LT, scores))(ST)


class Animal(str, enum.Enum):  # noqa: UP042  (as users write it: NumPy cuts what it prints)
    CAT = "cat"
    DOG = "dog"


class Text(str):
    __slots__ = ()


N = 80
CODES = np.arange(N) * 7 % 3 % 2
TRUE, CALLED = (["cat" if code else "dog" for code in codes] for codes in (CODES, CODES[::-1]))
SCORES = np.arange(N) * 13 % 17 / 17
MODELS: Any = {"cat": SCORES, "dog": SCORES[::-1]}

AS_MEMBERS = lambda texts: [Animal(text) for text in texts]  # noqa: E731
BOXES: dict[str, Callable[[list[str]], Any]] = {
    "list": AS_MEMBERS,
    "tuple": lambda texts: tuple(AS_MEMBERS(texts)),
    "column": lambda texts: [[member] for member in AS_MEMBERS(texts)],
    "objects": lambda texts: np.array(AS_MEMBERS(texts), object),
    "pandas": lambda texts: pd.Series(AS_MEMBERS(texts)),
    "categories": lambda texts: pd.Series(AS_MEMBERS(texts), dtype="category"),
    "subclass": lambda texts: [Text(text) for text in texts],
    "np.str_": lambda texts: [np.str_(text) for text in texts],
}
DOORS: dict[str, Callable[[Any, Any], Any]] = {
    "accuracy": fm.accuracy_score,
    "kappa": fm.cohen_kappa_score,
    "confusion matrix": lambda true, called: fm.confusion_matrix(true, called).tolist(),
    "table": lambda true, called: fm.ConfusionMatrix.from_labels(true, called),
    "roc_auc": lambda true, _: fm.roc_auc_score(true, SCORES),
    "pos_label": lambda true, _: fm.average_precision_score(true, SCORES, pos_label=true[0]),
    "estimate": lambda true, called: fm.estimate(true, called, metrics="accuracy"),
    "groups": lambda groups, _: fm.estimate(CODES, SCORES, metrics="roc_auc", groups=groups[:N]),
    "slices": lambda values, _: fm.evaluate(CODES, SCORES, slices={"k": values}).slices,
    "query": lambda query, _: fm.ranking.ndcg(CODES, SCORES, query=query),
    "names": lambda true, _: fm.compare(
        CODES, dict(zip(true[:2], MODELS.values(), strict=True)), metrics="roc_auc"
    ),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("box", BOXES)
@pytest.mark.filterwarnings("ignore")
def test_members_of_an_enumeration_are_their_values(box: str, door: str) -> None:
    if door in ("pos_label", "names", "estimate") and box in ("column", "pandas", "categories"):
        pytest.skip("these have no first member, and estimate takes no column")
    call = DOORS[door]
    assert repr(call(BOXES[box](TRUE), BOXES[box](CALLED))) == repr(call(TRUE, CALLED))


NULS = ["a\0", "a"] * (N // 2)


@pytest.mark.parametrize("door", [name for name in DOORS if name not in ("pos_label", "names")])
@pytest.mark.parametrize(
    "box",
    [
        list,
        lambda texts: np.array(texts, object),
        lambda texts: pd.Series(texts, dtype="category"),
        pl.Series,
        pa.array,
    ],
)
def test_text_that_ends_with_nul_is_refused(box: Callable[[list[str]], Any], door: str) -> None:
    with pytest.raises(InputError, match=r"NUL character.*'a\\x00'"):
        DOORS[door](box(NULS), box(NULS))


@pytest.mark.parametrize("values", [[b"a", "a"], ["a", 1], [["a"], [b"a"]]])
def test_bytes_and_mixtures_are_refused(values: Any) -> None:
    with pytest.raises(InputTypeError, match=r"mixes text with|dtype \|S2"):
        fm.accuracy_score(values, ["a", "a"])
