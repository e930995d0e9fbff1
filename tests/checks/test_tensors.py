"""Tensors of PyTorch, JAX and CuPy are rows: in place, or copied to main memory once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics._input.containers import as_array
from fastmetrics.streams import BinnedScoreTable

Array = np.ndarray[Any, Any]

Y = np.array([0, 1, 1, 0, 1, 0])
S = np.array([0.25, 0.5, 0.75, 0.5, 2.0, -0.125])  # exact in bfloat16 too
P = np.array([0, 1, 0, 0, 1, 1])
W = np.array([1.0, 2.0, 0.5, 1.0, 4.0, 1.0])
CHANCES = np.c_[1 - W / 8, W / 8]


class OnDevice:
    """What CuPy 14 shows of an array: memory of CUDA, copied to main memory where that is asked."""

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
    """What DLPack cannot describe, such as an array on several devices; NumPy takes it."""

    def __dlpack_device__(self) -> tuple[int, int]:
        raise BufferError("only of one device")

    def __array__(self, *options: Any, **more: Any) -> Array:
        return self.values


def of_torch(values: Array) -> Any:
    return pytest.importorskip("torch").from_numpy(values)


def of_jax(values: Array) -> Any:
    return pytest.importorskip("jax.numpy").asarray(values)  # of 32 bits, unless told otherwise


def in_bfloat16_of_torch(values: Array) -> Any:
    tensor = of_torch(values)
    return tensor.bfloat16() if values.dtype.kind == "f" else tensor


def in_bfloat16_of_jax(values: Array) -> Any:
    return of_jax(values).astype("bfloat16") if values.dtype.kind == "f" else of_jax(values)


def with_gradient(values: Array) -> Any:
    tensor = in_bfloat16_of_torch(values)
    return 1 * tensor.clone().requires_grad_() if values.dtype.kind == "f" else tensor


KINDS: dict[str, Callable[[Array], Any]] = {
    "torch": of_torch,
    "torch, strided": lambda a: of_torch(np.repeat(a, 2, axis=0))[::2],
    "torch, bfloat16": in_bfloat16_of_torch,
    "torch, bfloat16 and gradient": with_gradient,
    "torch, few bits": lambda a: of_torch(a.astype(np.uint8) if a.dtype.kind == "i" else a),
    "torch, parameter": lambda a: pytest.importorskip("torch").nn.Parameter(
        of_torch(a), requires_grad=a.dtype.kind == "f"
    ),
    "jax": of_jax,
    "jax, bfloat16": in_bfloat16_of_jax,
    "device": OnDevice,
    "several devices": UnknownToDLPack,
}

#: What reads its data by every way that there is.
READERS: dict[str, Callable[[Callable[[Array], Any]], Any]] = {
    "roc_auc_score": lambda to: fm.roc_auc_score(to(Y), to(S), sample_weight=to(W)),
    "roc_auc_score, classes": lambda to: fm.roc_auc_score(to(Y), to(CHANCES)[:, 1]),
    "log_loss": lambda to: fm.log_loss(to(Y), to(CHANCES)),
    "accuracy_score": lambda to: fm.accuracy_score(to(Y), to(P), sample_weight=to(W)),
    "f1_score, booleans": lambda to: fm.f1_score(to(Y == 1), to(P == 1)),
    "r2_score": lambda to: fm.r2_score(to(W), to(S), sample_weight=to(W)),
    "ndcg_score": lambda to: fm.ndcg_score(to(Y[None]), to(S[None])),
    "evaluate": lambda to: fm.evaluate(to(Y), {"a": to(S)}).to_dict(),
    "ScoreTable": lambda to: fm.ScoreTable.from_scores(to(Y), to(S)).positives.tolist(),
    "RankingTable": lambda to: fm.RankingTable.from_scores(to(P), to(S), query=to(Y)).above.sum(),
    "BinnedScoreTable": lambda to: updated(BinnedScoreTable(), to(Y), to(S), to(W)).roc_auc(),
    "ConfusionMatrix": lambda to: updated(fm.ConfusionMatrix(), to(Y), to(P), to(W)),
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
    "device": lambda: [OnDevice(np.array(value)) for value in S],
    "device, numbers between": lambda: [OnDevice(np.array(S[0])), *S[1:].tolist()],
    "torch": lambda: torch_scalars(S),
    "torch, gradient": lambda: torch_scalars(S, requires_grad=True),
    "torch, numbers between": lambda: [*torch_scalars(S[:2], requires_grad=True), *S[2:]],
    "torch, bfloat16": lambda: [each.bfloat16() for each in torch_scalars(S, requires_grad=True)],
    "jax": lambda: list(of_jax(S)),
}


@pytest.mark.parametrize("kind", LISTS)
def test_lists_of_tensors_are_rows(kind: str) -> None:
    values = LISTS[kind]()
    assert fm.roc_auc_score(Y, values) == fm.roc_auc_score(Y, S)
    assert fm.roc_auc_score(Y, tuple(values)) == fm.roc_auc_score(Y, S)
    pairs = [[values[0], values[2]], [values[2], values[0]]]
    assert fm.log_loss([0, 1], pairs) == fm.log_loss([0, 1], [[0.25, 0.75], [0.75, 0.25]])


def test_lists_that_hold_no_numbers() -> None:
    with pytest.raises(ValueError, match=r"`y_score` must have shape \(n,\): got \(2, 3\)"):
        fm.roc_auc_score([0, 1], [OnDevice(S[:3]), OnDevice(S[3:])])
    with pytest.raises(ValueError, match="`y_score` is not a rectangular sequence"):
        fm.roc_auc_score([0, 1], [OnDevice(S[:3]), OnDevice(S[:2])])

    class Mute:
        def __array__(self, *options: Any, **more: Any) -> Array:
            raise RuntimeError("not now")

    with pytest.raises(TypeError, match="`y_score` is not a sequence of numbers: not now"):
        fm.roc_auc_score([0, 1], [Mute(), Mute()])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, np.bool_])
def test_a_device_is_left_once_and_in_the_own_dtype(dtype: Any) -> None:
    there = OnDevice(S.astype(dtype))
    found = as_array(there, "y_score")
    assert found.tolist() == S.astype(dtype).tolist()
    assert [found.dtype] == there.copied == [dtype]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "bool", "bfloat16"])
def test_a_tensor_leaves_its_device_once(dtype: str) -> None:
    """What PyTorch calls to move a tensor is called once, of as many bytes as it has."""
    torch = pytest.importorskip("torch")
    moved: list[Any] = []

    class OnCuda:
        requires_grad, device = True, torch.device("cuda:0")

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

    tensor = torch.from_numpy(S).to(getattr(torch, dtype))
    assert as_array(OnCuda(tensor), "y_score").tolist() == tensor.tolist()
    (sent,) = moved
    assert sent.element_size() == tensor.element_size()


def test_main_memory_is_read_in_place() -> None:
    for dtype in (np.float32, np.float64, np.int64, np.bool_):
        values = S.astype(dtype)
        tensor = of_torch(values)
        assert np.shares_memory(as_array(tensor, "y_score"), values)
        if dtype is np.float32:
            assert np.shares_memory(as_array(tensor.requires_grad_(), "y_score"), values)
            assert tensor.requires_grad


def test_every_bfloat16_is_a_float32() -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.arange(-(2**15), 2**15).to(torch.int16).view(torch.bfloat16)
    found, expected = as_array(tensor, "y_score"), tensor.float().numpy()
    assert found.dtype == np.float32
    assert np.array_equal(found, expected, equal_nan=True)
    of_numpy = pytest.importorskip("ml_dtypes").bfloat16
    assert np.array_equal(as_array(S.astype(of_numpy), "y_score"), S)


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
        table.update(Y, kind(S))
    assert table == BinnedScoreTable()


def test_inside_jit_there_are_no_numbers() -> None:
    jax = pytest.importorskip("jax")
    with pytest.raises(TypeError, match="traced array"):
        jax.jit(lambda scores: fm.roc_auc_score(Y, scores))(S)
