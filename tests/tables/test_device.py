"""Scores on an accelerator: the numbers of main memory, of which only counts are brought back.

Two stand-ins for accelerators: the second device of array_api_strict, whose arrays mix with no
others and have no name that the standard lacks; and tensors of PyTorch that say they are CUDA's.
"""

import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.errors import InputError

strict = pytest.importorskip("array_api_strict", reason="array_api_strict is not installed")
compat = pytest.importorskip("array_api_compat", reason="array_api_compat is not installed")

#: Private switches are set here: which memory is an accelerator's, and how many rows are few.
DEVICE = "fastmetrics._input.device"
Copied = list[int]
Converter = Callable[[Any], Any]


def columns_of_table(y_true: Any, y_score: Any, **options: Any) -> tuple[Any, ...]:
    table = fm.ScoreTable.from_scores(y_true, y_score, **options)
    return table.scores, table.positives, table.negatives


DOORS = {
    "roc_auc_score": fm.roc_auc_score,
    "rank_loss": fm.rank_loss,
    "average_precision_score": fm.average_precision_score,
    "roc_curve": fm.roc_curve,
    "precision_recall_curve": fm.precision_recall_curve,
    "ScoreTable": columns_of_table,
}
OF_PAIRS = ("roc_auc_score", "rank_loss")


def on_strict_device(values: Any) -> Any:
    return strict.asarray(values, device=strict.Device("device1"))


def cuda_tensors(copied: Copied) -> Converter:
    """Return a function that makes tensors which behave as if they were in the memory of CUDA.

    They mix with no other tensors, and note how many numbers are moved or read.
    """
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    reads = {"item", "__bool__", "__int__", "__index__", "__float__", "nonzero"}

    class OnCuda(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None):
            name = function.__name__
            assert name not in {"cpu", "tolist", "__array__", "__dlpack__"}, name
            flat = [*args, *(args[0] if isinstance(args[0], list | tuple) else [])]
            tensors = [each for each in flat if isinstance(each, torch.Tensor)]
            assert all(isinstance(each, cls) for each in tensors), f"{name} mixes devices"
            if name == "numpy" or (name == "to" and args[1:] == ("cpu",)):
                copied.append(args[0].numel())
                with torch._C.DisableTorchFunctionSubclass():
                    here = args[0].detach().clone().as_subclass(torch.Tensor)
                return here.numpy() if name == "numpy" else here
            assert name != "argsort" or not args[0].requires_grad
            if name in reads:
                copied.append(1)
            return super().__torch_function__(function, types, args, kwargs or {})

        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

    def convert(values: Any) -> Any:
        tensor = values if isinstance(values, torch.Tensor) else torch.from_numpy(values)
        return tensor.as_subclass(OnCuda)

    return convert


@pytest.fixture
def copied() -> Copied:
    """Return the sizes of what is copied to main memory, one for each copy."""
    return []


@pytest.fixture(params=["strict", pytest.param("torch", marks=pytest.mark.integrations)])
def convert(request: Any, monkeypatch: pytest.MonkeyPatch, copied: Copied) -> Converter:
    """Return a function that puts an array on an accelerator, where few rows are counted too."""
    monkeypatch.setattr(f"{DEVICE}._LEAST_ROWS", 1)
    if request.param == "torch":
        return cuda_tensors(copied)

    def to_device(values: Any, _: str) -> Any:
        copied.append(math.prod(values.shape))
        return values.to_device(strict.Device("CPU_DEVICE"))

    monkeypatch.setattr(compat, "to_device", to_device)
    monkeypatch.setattr(f"{DEVICE}._ACCELERATORS", {1})
    return on_strict_device


@pytest.fixture
def are_counted(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return whether the rows of each call that may be on an accelerator were counted there."""
    rows = sys.modules["fastmetrics._input.rows"]
    answers = list[bool]()

    def note(*arrays: Any, count: Any = rows.count_on_device, **options: Any) -> Any:
        counts = count(*arrays, **options)
        answers.append(counts is not None)
        return counts

    monkeypatch.setattr(rows, "count_on_device", note)
    return answers


@pytest.fixture
def counted(convert: Converter, are_counted: list[bool]) -> Iterator[Converter]:
    """Return `convert`, where rows on the accelerator must not be copied to main memory."""
    yield convert
    assert are_counted
    assert all(are_counted)


def outcome(door: Callable[..., Any], *arrays: Any, **options: Any) -> tuple[Any, ...]:
    """Return the bits of a result and the warnings, or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = door(*arrays, **options)
        except (ValueError, TypeError) as error:
            return type(error), str(error)
    columns = [np.asarray(each) for each in (result if isinstance(result, tuple) else [result])]
    bits = [(each.dtype, each.shape, each.tobytes()) for each in columns]
    return bits, [(each.category, str(each.message)) for each in caught]


def converted(convert: Converter, options: dict[str, Any]) -> dict[str, Any]:
    """Return options whose arrays are on the accelerator."""
    are_arrays = {key: isinstance(value, np.ndarray) for key, value in options.items()}
    return {key: convert(value) if are_arrays[key] else value for key, value in options.items()}


def assert_same(
    convert: Converter, labels: Any, scores: Any, doors: Any = tuple(DOORS), **options: Any
) -> None:
    """Assert that each function has the same outcome from arrays on the accelerator."""
    for name in doors:
        here = outcome(DOORS[name], labels, scores, **options)
        there = converted(convert, options)
        assert outcome(DOORS[name], convert(labels), convert(scores), **there) == here, name


def make_scores(kind: str, labels: Any, rng: np.random.Generator) -> Any:
    scores = rng.normal(size=len(labels)) + labels
    match kind:
        case "ties":
            return np.round(scores, 1).astype(np.float32)
        case "equal":
            return np.full(len(labels), 0.5)
        case "zeros":
            return np.where(rng.random(len(labels)) < 0.5, -0.0, np.sign(np.round(scores)))
        case "integers":
            return 2**62 + np.round(scores * 3).astype(np.int64)
        case "booleans":
            return scores > 0
        case "small integers":
            return np.round(scores * 9).astype(np.int8)
        case _:
            return scores.astype(kind)


KINDS = ["float32", "float64", "ties", "equal", "zeros", "integers", "booleans", "small integers"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_bits_are_those_of_main_memory(counted: Converter, kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    for n in (1, 2, 300):
        for fraction in (0.5, 0.0, 1.0):
            labels = rng.random(n) < fraction
            scores = make_scores(kind, labels, rng)
            counts = rng.integers(0, 3, n)
            counts[0] = 1
            assert_same(counted, labels, scores)
            assert_same(counted, labels, scores, sample_weight=counts)
            assert_same(counted, labels, scores, sample_weight=counts > 0)


LABELS = {
    "zero and one": (np.array([0, 1, 1, 0], np.int64), {}),
    "signs": (np.array([-1, 1, 1, -1], np.int8), {}),
    "bytes": (np.array([0, 1, 1, 0], np.uint8), {}),
    "floats": (np.array([-0.0, 1.0, 1.0, 0.0], np.float32), {}),
    "all negative": (np.array([-1, -1, -1, -1], np.int64), {}),
    "low is positive": (np.array([0, 1, 1, 0], np.int64), {"pos_label": 0}),
    "others": (np.array([3, 7, 7, 3], np.int64), {"pos_label": 7}),
    "low of others": (np.array([3.0, 7.0, 7.0, 3.0]), {"pos_label": 3}),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_follow_the_rules_of_each_function(counted: Converter, name: str) -> None:
    labels, options = LABELS[name]
    doors = [door for door in DOORS if door != "roc_auc_score"]
    assert_same(counted, labels, np.array([0.1, 0.4, 0.4, 0.8]), doors, **options)


def test_the_greater_of_any_two_labels_is_positive_for_the_auc(counted: Converter) -> None:
    labels = np.array([3, 7, 7, 3], np.int64)
    assert_same(counted, labels, np.array([0.1, 0.4, 0.4, 0.8]), ["roc_auc_score"])


def test_a_curve_has_no_positive_where_no_label_is_the_positive_one(counted: Converter) -> None:
    labels = np.array([3, 7, 7, 3], np.int64)
    assert_same(counted, labels, np.array([0.1, 0.4, 0.4, 0.8]), ["roc_curve"], pos_label=5)


def test_infinite_scores_are_ranked_where_that_is_allowed(counted: Converter) -> None:
    labels, scores = np.array([0, 1, 1, 0]), np.array([-np.inf, np.inf, 0.0, np.inf])
    assert_same(counted, labels, scores, ["ScoreTable"], allow_inf=True)


def test_the_area_up_to_a_false_positive_rate_is_the_same(counted: Converter) -> None:
    rng = np.random.default_rng(5)
    labels, scores = rng.random(200) < 0.3, np.round(rng.normal(size=200), 1)
    assert_same(counted, labels, scores, ["roc_auc_score"], max_fpr=0.2)


def test_pairs_beyond_64_bits_are_exact(counted: Converter) -> None:
    labels = np.array([1, 0, 1, 0, 0])
    scores = np.array([0.9, 0.8, 0.5, 0.5, 0.1])
    weights = np.array([2**50 + 1, 2**50 + 3, 2**49 + 5, 2**51 + 7, 9])
    a, b, c, d, e = weights.tolist()
    concordant = a * (b + d + e) + c * e + Fraction(c * d, 2)
    wanted = concordant / ((a + c) * (b + d + e))
    options = converted(counted, {"sample_weight": weights})
    assert fm.roc_auc_score(counted(labels), counted(scores), **options) == float(wanted)
    assert fm.rank_loss(counted(labels), counted(scores), **options) == float(1 - wanted)


FAULTS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "nan": ([0, 1, 1], [0.5, np.nan, 0.1], {}),
    "infinity": ([0, 1, 1], [0.5, -np.inf, 0.1], {}),
    "nan among infinities": ([0, 1, 1], [np.inf, np.nan, 0.1], {"allow_inf": True}),
    "no flag": ([0, 1, 1], [0.5, 0.2, 0.1], {"allow_inf": "yes"}),
    "three labels": ([0, 1, 2], [0.5, 0.2, 0.1], {}),
    "unknown labels": ([4, 6, 6], [0.5, 0.2, 0.1], {}),
    "soft labels": ([0.0, 0.5, 0.5], [0.5, 0.2, 0.1], {}),
    "nan label": ([0.0, np.nan, 1.0], [0.5, 0.2, 0.1], {}),
    "no such label": ([0, 1, 1], [0.5, 0.2, 0.1], {"pos_label": 3}),
    "lengths": ([0, 1], [0.5, 0.2, 0.1], {}),
    "no rows": ([], [], {}),
    "two columns": ([0, 1], [[0.5, 0.5], [0.2, 0.8]], {}),
    "complex": ([0, 1, 1], [0.5, 1j, 0.1], {}),
    "negative weight": ([0, 1, 1], [0.5, 0.2, 0.1], {"sample_weight": np.array([1, -1, 2])}),
    "no weight": ([0, 1, 1], [0.5, 0.2, 0.1], {"sample_weight": np.array([0, 0, 0])}),
    "nan weight": ([0, 1, 1], [0.5, 0.2, 0.1], {"sample_weight": np.array([1, np.nan, 2])}),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_refused_in_the_same_words(convert: Converter, name: str) -> None:
    labels, scores, options = FAULTS[name]
    error, _ = outcome(columns_of_table, np.array(labels), np.array(scores), **options)
    assert issubclass(error, ValueError)
    assert_same(convert, np.array(labels), np.array(scores), ["ScoreTable"], **options)


NOT_COUNTED: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "a column": ([0, 1, 1], [[0.5], [0.2], [0.1]], {}),
    "a column of labels": ([[0], [1], [1]], [0.5, 0.2, 0.1], {}),
    "three labels in a curve": ([0, 1, 2], [0.5, 0.2, 0.1], {"pos_label": 1}),
    "weights": ([0, 1, 1], [0.5, 0.2, 0.1], {"sample_weight": np.array([0.5, 1.0, 2.0])}),
    "large weights": ([0, 1, 1], [0.5, 0.2, 0.1], {"sample_weight": np.array([1, 2**53, 2])}),
    "vast weights": ([0, 1, 1], [0.5, 0.2, 0.1], {"sample_weight": np.array([2**62] * 3)}),
}


@pytest.mark.parametrize("name", NOT_COUNTED)
def test_other_rows_are_copied(convert: Converter, name: str) -> None:
    labels, scores, options = NOT_COUNTED[name]
    doors = ["roc_curve", "ScoreTable"]
    assert_same(convert, np.array(labels), np.array(scores), doors, **options)


def test_three_labels_are_refused_for_the_auc(convert: Converter) -> None:
    labels, scores = np.array([0, 1, 2]), np.array([0.5, 0.2, 0.1])
    assert outcome(fm.roc_auc_score, labels, scores)[0] is InputError
    assert_same(convert, labels, scores, ["roc_auc_score"])


def test_several_columns_of_scores_are_copied(convert: Converter) -> None:
    labels = np.array([0, 1, 2, 1])
    scores = np.array([[0.5, 0.3, 0.2], [0.2, 0.4, 0.4], [0.1, 0.4, 0.5], [0.5, 0.25, 0.25]])
    assert_same(convert, labels, scores, ["roc_auc_score"], multi_class="ovr")


@pytest.mark.parametrize("name", DOORS)
def test_only_counts_are_copied(counted: Converter, copied: Copied, name: str) -> None:
    """Few copies, whatever the number of rows: integers, or a row for each distinct score."""
    n_copies = []
    for n in (3_000, 30_000):
        rng = np.random.default_rng(n)
        labels = rng.integers(0, 2, n)
        scores = rng.integers(0, 500, n).astype(np.float32)
        weights = rng.integers(0, 5, n)
        copied.clear()
        DOORS[name](counted(labels), counted(scores), sample_weight=counted(weights))
        assert max(copied) <= (3 if name in OF_PAIRS else 500)
        n_copies.append(len(copied))
    assert n_copies[0] == n_copies[1] <= 16


@pytest.mark.parametrize("largest", [127, 128, 2**15, 2**31])
def test_counts_travel_in_the_narrowest_integers(counted: Converter, largest: int) -> None:
    labels, scores = np.array([1, 0, 1, 0]), np.array([0.1, 0.1, 0.3, 0.2])
    weights = np.array([largest, 1, 2, largest - 1])
    assert_same(counted, labels, scores, ["ScoreTable"], sample_weight=weights)


def test_a_table_is_writable_for_kernels_and_independent(counted: Converter) -> None:
    table = fm.ScoreTable.from_scores(counted(np.array([0, 1])), counted(np.array([0.5, 0.25])))
    for column in (table.scores, table.positives, table.negatives):
        assert column.base.flags.writeable
        assert column.flags.c_contiguous


# --- where rows are copied as ever ----------------------------------------------------------------

SMALL = np.array([0, 1, 1, 0]), np.array([0.1, 0.4, 0.35, 0.8])


def test_without_array_api_compat_rows_are_copied(
    convert: Converter, are_counted: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    labels, scores = map(convert, SMALL)
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    assert fm.roc_auc_score(labels, scores) == 0.5
    assert are_counted == [False]


def test_few_rows_are_copied(
    convert: Converter, are_counted: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    labels, scores = map(convert, SMALL)
    monkeypatch.setattr(f"{DEVICE}._LEAST_ROWS", 5)
    assert fm.roc_auc_score(labels, scores) == 0.5
    monkeypatch.setattr(f"{DEVICE}._LEAST_ROWS", 4)
    assert fm.roc_auc_score(labels, scores) == 0.5
    assert are_counted == [False, True]


def test_labels_in_main_memory_are_met_there(convert: Converter, are_counted: list[bool]) -> None:
    assert fm.roc_auc_score(SMALL[0], convert(SMALL[1])) == 0.5
    assert are_counted == [False]


def test_arrays_of_jax_are_copied(
    convert: Converter, are_counted: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its integers have 32 bits unless it is told otherwise."""
    monkeypatch.setattr(compat, "is_jax_array", lambda values: True)
    assert fm.roc_auc_score(*map(convert, SMALL)) == 0.5
    assert are_counted == [False]


@pytest.mark.parametrize("error", [MemoryError, RuntimeError])
def test_rows_are_copied_where_the_device_has_no_room_or_no_sort(
    convert: Converter,
    are_counted: list[bool],
    monkeypatch: pytest.MonkeyPatch,
    error: type[Exception],
) -> None:
    def fail(*arrays: Any, **options: Any) -> Any:
        raise error("out of memory")

    labels, scores = map(convert, SMALL)
    monkeypatch.setattr(compat.array_namespace(scores), "argsort", fail)
    assert fm.roc_auc_score(labels, scores) == 0.5
    assert are_counted == [False]


# --- PyTorch alone --------------------------------------------------------------------------------


@pytest.mark.integrations
@pytest.mark.parametrize("convert", ["torch"], indirect=True)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_tensors_of_any_precision_and_with_gradients_are_counted(
    counted: Converter, dtype: str
) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(3)
    labels = torch.from_numpy(rng.integers(0, 2, 400))
    scores = torch.from_numpy(rng.normal(size=400)).to(getattr(torch, dtype))
    wide = scores.float() if scores.itemsize == 2 else scores
    for name, door in DOORS.items():
        here = outcome(door, labels.numpy(), wide.numpy())
        there = counted(scores.clone().requires_grad_())
        assert outcome(door, counted(labels), there) == here, name


@pytest.mark.integrations
@pytest.mark.skipif("not __import__('torch').cuda.is_available()", reason="no CUDA device")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int64"])
def test_on_a_device_of_cuda(dtype: str, are_counted: list[bool]) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(4)
    n = 200_000
    labels = rng.integers(0, 2, n)
    scores = torch.from_numpy(rng.normal(size=n) * 50 + labels).to(getattr(torch, dtype))
    wide = scores.float() if scores.itemsize == 2 else scores
    weights = rng.integers(0, 4, n)
    for name, door in DOORS.items():
        for options in ({}, {"sample_weight": weights}):
            here = outcome(door, labels, wide.numpy(), **options)
            there = converted(lambda values: torch.from_numpy(values).cuda(), options)
            there_labels = torch.from_numpy(labels).cuda()
            assert outcome(door, there_labels, scores.cuda(), **there) == here, name
    assert are_counted == [True] * 2 * len(DOORS)


@pytest.mark.integrations
@pytest.mark.source_tree
def test_the_block_of_the_guide_prints_what_stands_below(capsys: Any) -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/training.md").read_text("utf-8")
    pattern = r"<!-- ci:device -->\n```python\n(.*?)```\n\n```text\n(.*?)```"
    (block,) = re.findall(pattern, page, re.DOTALL)
    exec(block[0], {"np": np, "fm": fm})
    assert capsys.readouterr().out == block[1]
