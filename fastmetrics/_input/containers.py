"""Convert any container to a NumPy array: in place where possible, nulls counted first."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import DataConversionWarning, InputError, InputTypeError, warn_user

_MAIN_MEMORY = frozenset({1, 3, 11})  # kDLCPU, kDLCUDAHost, kDLROCMHost of the DLPack header
_FRAME_LIBRARIES = frozenset({"pandas", "polars", "pyarrow", "modin", "cudf"})
_EXACT = 2**53  # the integers up to here are all doubles

#: The bits of bfloat16 scores, a dtype that NumPy lacks: the first half of a float32.
BFLOAT16 = np.dtype([("bfloat16", np.uint16)])

OF_PREDICT_PROBA = "of the two columns of predict_proba pass [:, 1], the positive class"


def as_array(values: Any, name: str) -> NDArray[Any]:
    """Return ``values`` as a plain ndarray of any dtype and dimension, in place if possible."""
    array = as_narrow_array(values, name)
    return widened(array) if array.dtype.kind == "V" else array


def as_narrow_array(values: Any, name: str) -> NDArray[Any]:
    """Run `as_array`, but return bfloat16 as `BFLOAT16`, in place where possible."""
    if type(values) is np.ndarray:
        return _known_dtype(values, name)
    if isinstance(values, np.ndarray):
        # looking at np.ma would import it, and without it no array is masked
        if "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray):
            if count := int(np.count_nonzero(np.ma.getmaskarray(values))):
                advice = "use `.compressed()` on every input alike"
                raise InputError(f"`{name}` has {count:,} masked: {advice}")
            values = values.data
        return _known_dtype(np.asarray(values), name)
    if type(values) is list or type(values) is tuple:
        return _from_sequence(values, name)
    _refuse_non_arrays(values, name)
    library = type(values).__module__.partition(".")[0]
    if library in _FRAME_LIBRARIES and library in sys.modules:
        return _from_frame_library(values, library, name)
    if _is_of_torch(values):
        return _from_torch(values, name)
    if _has_dlpack(values):
        return _from_dlpack(values, name)
    if isinstance(values, Sequence) and not hasattr(values, "__array__"):
        return _from_sequence(values, name)
    if hasattr(values, "__array__") or _has_buffer(values):
        return _known_dtype(np.asarray(values), name)
    raise InputTypeError(f"`{name}` must be an array or a sequence: got {_kind(values)}")


def as_vector(values: Any, name: str) -> NDArray[Any]:
    """Return ``values`` as a 1-D, non-empty ndarray; a column (n, 1) is accepted with a warning."""
    return _vector(as_array(values, name), name)


def as_narrow_vector(values: Any, name: str) -> NDArray[Any]:
    """Run `as_vector`, but return bfloat16 as `BFLOAT16`, in place where possible."""
    return _vector(as_narrow_array(values, name), name)


def widened(array: NDArray[Any]) -> NDArray[Any]:
    """Return floats of 16 bits as float32, exactly; others as they are."""
    if array.itemsize == 2 and array.dtype == np.float16:
        return array.astype(np.float32)
    if array.itemsize == 2 and array.dtype == BFLOAT16:
        return (array.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)
    return array


def narrow_bits(scores: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[np.uint16]:
    """Return the bits in float16 or `BFLOAT16` of float32 scores that either holds exactly."""
    if dtype == BFLOAT16:
        return (scores.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    return scores.astype(dtype).view(np.uint16)


def _vector(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.ndim != 1:
        array = _ravel(array, name)
    if len(array) == 0:
        raise InputError(f"`{name}` is empty: shape {array.shape}, at least one row is needed")
    return array


def null_message(name: str, count: int, first: int, what: str = "") -> str:
    """Return the message for missing values."""
    nulls = "1 null" if count == 1 else f"{count:,} nulls"
    return f"`{name}` contains {nulls}{what}, first at index {first}: drop or fill missing values"


def refuse_nulls(values: Sequence[Any], name: str) -> None:
    """Raise if some of these objects stand for missing values."""
    nulls = [i for i, value in enumerate(values) if is_null(value)]
    if nulls:
        raise InputError(null_message(name, len(nulls), nulls[0]))


def from_objects(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return an array of Python numbers as a real dtype that holds each of them exactly.

    Integers stay integers; an integer beyond 2**53 among floats is refused, because it would be
    rounded silently.
    """
    values = array.ravel().tolist()
    kinds = {kind: _object_fault(kind) for kind in set(map(type, values))}
    nulls = [i for i, value in enumerate(values) if kinds[type(value)] == "null"]
    if nulls:
        raise InputError(null_message(name, len(nulls), nulls[0]))
    for i, value in enumerate(values):
        if kinds[type(value)]:
            raise InputTypeError(
                f"`{name}` must hold real numbers: {kinds[type(value)]} at index {i}"
            )
    return _numbers(values, name).reshape(array.shape)


def plain_texts(values: list[Any], name: str) -> list[str]:
    """Return texts as Python's own strings: members of ``class A(str, Enum)`` become their values.

    NumPy makes text of such a member of what it prints, cut to the length of its value, and cuts
    off the NUL characters at the end of any text. Both would make distinct labels equal.
    """
    if any(kind is not str for kind in set(map(type, values))):
        values = [str.__str__(value) for value in values]
    if "\0" in "".join(values):
        cut = [value for value in values if value.endswith("\0")]
        if cut:
            raise InputError(
                f"`{name}` holds text that ends with a NUL character, which NumPy cuts off: "
                f"{cut[0]!r}, {len(cut):,} in all; use `.rstrip('\\0')`"
            )
    return values


def key_name(key: Any) -> str:
    """Return the key of a mapping or the label of a column as a name; a text is its own value."""
    return str.__str__(key) if isinstance(key, str) else str(key)


def key_names(keys: Iterable[Any], argument: str, what: str) -> list[str]:
    """Return keys of a mapping, or labels of columns, as names; raise where two read alike."""
    own_keys = list(keys)
    names = [key_name(key) for key in own_keys]
    for name, count in Counter(names).items():
        if count > 1:
            spelt = dict.fromkeys(repr(key) for key in own_keys if key_name(key) == name)
            alike = f", and {' and '.join(spelt)} read alike" if len(spelt) > 1 else ""
            raise InputError(
                f"`{argument}` names {count} {what} {name!r}: their names must differ{alike}"
            )
    return names


def by_names(values: Mapping[Any, Any], argument: str, what: str) -> dict[str, Any]:
    """Return a mapping by the names of its keys, as `key_names` returns them."""
    if not hasattr(values, "items"):
        raise InputTypeError(f"`{argument}` must be a mapping of names to {what}: got {values!r}")
    keys = list(values)
    columns = [column for _, column in values.items()]
    return dict(zip(key_names(keys, argument, what), columns, strict=True))


def is_null(value: Any) -> bool:
    """Return whether one Python object stands for a missing value (None, NA, NaT, nan)."""
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _known_dtype(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.dtype.kind == "V":
        if array.dtype.name == "bfloat16" or array.dtype == BFLOAT16:
            return array.view(BFLOAT16)
        raise InputTypeError(f"`{name}` must be an array of one plain dtype: got {array.dtype}")
    return array


def _kind(values: Any) -> str:
    cls = type(values)
    home = "" if cls.__module__ == "builtins" else f"{cls.__module__}."
    return home + cls.__qualname__


def _ravel(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.ndim == 0:
        raise InputTypeError(f"`{name}` must be an array of shape (n,): got a scalar (0-d array)")
    if array.ndim == 2 and array.shape[1] == 1:
        message = f"`{name}` is a column of shape {array.shape}: read as shape ({len(array)},)"
        warn_user(message, DataConversionWarning)
        return array[:, 0]
    advice = ""
    if array.ndim == 2 and array.shape[1] == 2 and name != "y_true":
        advice = f"; {OF_PREDICT_PROBA}"
    raise InputError(f"`{name}` must have shape (n,): got {array.shape}{advice}")


def _refuse_non_arrays(values: Any, name: str) -> None:
    """Raise for scalars, text, sets, mappings, iterators and sparse matrices."""
    if values is None:
        raise InputTypeError(f"`{name}` must be an array: got None")
    if isinstance(values, str | bytes | bytearray | int | float | complex | np.generic):
        raise InputTypeError(f"`{name}` must be an array of shape (n,): got the scalar {values!r}")
    if isinstance(values, set | frozenset | dict) or hasattr(values, "__next__"):
        raise InputTypeError(
            f"`{name}` must be an array: got {_kind(values)}; use the streaming API (a ScoreTable "
            "of each piece, added up), or pass a list"
        )
    if hasattr(values, "tocsr"):
        raise InputTypeError(f"`{name}` is a sparse matrix: pass `.toarray()`")
    if hasattr(values, "collect") and type(values).__name__ == "LazyFrame":
        raise InputTypeError(
            f"`{name}` is a lazy frame: pass `.collect()`, or `update` a table with each of its "
            "batches (in polars, `.collect_batches()`)"
        )


def _has_buffer(values: Any) -> bool:
    try:
        memoryview(values)
    except TypeError:
        return False
    return True


def _from_sequence(values: Sequence[Any], name: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise InputError(f"`{name}` is not a rectangular sequence of numbers: {error}") from None
    except (RuntimeError, TypeError) as error:  # as tensors with a gradient, or on a device
        is_read = [
            not isinstance(each, np.ndarray)
            and (_is_of_torch(each) or _has_dlpack(each) or isinstance(each, list | tuple))
            for each in values
        ]
        if not any(is_read):
            raise InputTypeError(f"`{name}` is not a sequence of numbers: {error}") from None
        read = zip(values, is_read, strict=True)
        return _from_sequence([as_array(v, name) if is_one else v for v, is_one in read], name)
    if array.dtype.kind == "f" and array.dtype.itemsize == 8:
        # NumPy's promotion to float64 may have rounded integers
        if not (np.abs(array) >= _EXACT).any():
            return array
        return from_objects(np.array(values, dtype=object), name)
    if array.dtype.kind in "SU":
        return _from_texts(values, array, name)
    if array.dtype.kind == "O" and array.ndim == 1:  # text stays as it is, numbers are converted
        if not any(isinstance(value, str) for value in values):
            return from_objects(array, name)
        refuse_nulls(values, name)
        return array
    return _known_dtype(array, name)


def _from_texts(values: Sequence[Any], array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return a sequence that NumPy reads as ``array`` of text, each text by its value.

    NumPy turns [1, "a"] and [b"a", "a"] into text too, silently.
    """
    flat = list(values) if array.ndim == 1 else np.array(values, dtype=object).ravel().tolist()
    kinds = set(map(type, flat))
    if all(issubclass(kind, bytes) for kind in kinds):
        return array  # refused where labels are read
    if not all(issubclass(kind, str) for kind in kinds):
        first = next(i for i, value in enumerate(flat) if not isinstance(value, str))
        raise InputTypeError(f"`{name}` mixes text with {_kind(flat[first])} at index {first}")
    texts = plain_texts(flat, name)  # which refuses some
    return array if kinds == {str} else np.array(texts).reshape(array.shape)


def _numbers(values: list[Any], name: str) -> NDArray[Any]:
    """Return real Python numbers as bool, int64, uint64 or float64, never rounding an integer."""
    if all(isinstance(value, int | np.integer | np.bool_) for value in values):
        low, high = int(min(values, default=0)), int(max(values, default=0))
        if all(isinstance(value, bool | np.bool_) for value in values):
            return np.array(values, dtype=np.bool_)
        if low >= -(2**63) and high < 2**63:
            return np.array([int(value) for value in values], dtype=np.int64)
        if low >= 0 and high < 2**64:
            return np.array([int(value) for value in values], dtype=np.uint64)
        raise InputError(f"`{name}` must fit 64-bit integers: from {low} to {high}")
    for i, value in enumerate(values):
        if isinstance(value, int | np.integer) and int(float(value)) != int(value):
            raise InputError(
                f"`{name}` mixes floats with the integer {value} at index {i}, which float64 "
                "cannot hold exactly"
            )
    is_long = any(isinstance(value, np.longdouble) for value in values)
    return np.array(values, dtype=np.longdouble if is_long else np.float64)


def _object_fault(kind: type) -> str:
    """Describe the fault of objects of this type in an array of numbers; "" if none."""
    if kind.__name__ in ("NoneType", "NAType", "NaTType"):
        return "null"
    if issubclass(kind, int | float | np.integer | np.floating | np.bool_):
        return ""
    if kind.__name__ in ("Decimal", "Fraction"):
        return f"{kind.__name__} (convert with float(), which may lose precision)"
    return kind.__qualname__


def _is_of_torch(values: Any) -> bool:
    return hasattr(values, "detach") and hasattr(values, "requires_grad")


def _has_dlpack(values: Any) -> bool:
    return hasattr(values, "__dlpack__") and hasattr(values, "__dlpack_device__")


def _from_torch(tensor: Any, name: str) -> NDArray[Any]:
    """Return a tensor of PyTorch: in place in main memory, else copied there once, as it is."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    device = tensor.device
    try:
        tensor = tensor.detach()  # nothing here has a gradient
        if dtype == "bfloat16":
            bits = tensor.view(sys.modules["torch"].int16).numpy(force=True)
            return np.asarray(bits.view(BFLOAT16))
        array: NDArray[Any] = tensor.numpy(force=True)
    except (RuntimeError, TypeError) as error:
        raise InputTypeError(
            f"`{name}` is a tensor of {dtype} on {device} that NumPy cannot hold ({error}): pass "
            "a dense one, `.float()` if it is of floats"
        ) from None
    return array


def _from_dlpack(values: Any, name: str) -> NDArray[Any]:
    """Return an array of another library: in place in main memory, else copied there once."""
    try:
        is_here = values.__dlpack_device__()[0] in _MAIN_MEMORY
        array = np.from_dlpack(values) if is_here else np.from_dlpack(values, device="cpu")
    except (BufferError, RuntimeError, TypeError) as error:
        with contextlib.suppress(TypeError):  # of CuPy, whose arrays do not move unasked
            if hasattr(values, "__array__"):
                return _known_dtype(np.asarray(values), name)
        raise InputTypeError(
            f"`{name}` cannot be read through DLPack ({error}): pass a copy in main memory, as "
            "float32 or float64"
        ) from None
    return array


def _from_frame_library(values: Any, library: str, name: str) -> NDArray[Any]:
    if library == "pyarrow" and hasattr(values, "null_count") and hasattr(values, "type"):
        return _from_arrow(values, name)
    if library == "pandas":
        pandas = sys.modules["pandas"]
        if isinstance(values, pandas.Index | pandas.api.extensions.ExtensionArray):
            values = pandas.Series(values)
        elif not isinstance(values, pandas.Series | pandas.DataFrame):
            raise InputTypeError(f"`{name}` must be an array or a sequence: got {_kind(values)}")
        if values.ndim == 1:
            if isinstance(values.dtype, np.dtype):
                return np.asarray(values)  # NumPy-backed: a nan is a nan, and nothing is null
            if type(values.dtype).__name__ == "ArrowDtype":
                return _from_arrow(values.array.__arrow_array__(), name)
        elif all(isinstance(dtype, np.dtype) for dtype in values.dtypes):
            return _one_dtype([values.iloc[:, j] for j in range(values.shape[1])], values, name)
    return _from_narwhals(values, name)


def _from_arrow(values: Any, name: str) -> NDArray[Any]:
    """Return an Arrow array as NumPy: the buffer itself for one chunk of plain numbers."""
    if hasattr(values, "combine_chunks"):
        values = values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()
    if values.null_count:
        first = int(np.argmax(values.is_null().to_numpy(zero_copy_only=False)))
        raise InputError(null_message(name, values.null_count, first))
    kind = str(values.type)
    if kind.startswith("dictionary"):
        return _from_arrow(values.dictionary_decode(), name)
    if kind.startswith("decimal"):
        raise InputTypeError(f"`{name}` holds {kind}: cast to double, which may lose precision")
    array: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return array


def _from_narwhals(values: Any, name: str) -> NDArray[Any]:
    import narwhals as nw

    if type(values).__name__ == "RecordBatch":
        values = sys.modules["pyarrow"].Table.from_batches([values])
    try:
        native = nw.from_native(values, eager_only=True, allow_series=True)
    except TypeError:
        raise InputTypeError(
            f"`{name}` must be an array or a sequence: got {_kind(values)}"
        ) from None
    if isinstance(native, nw.Series):
        return _from_series(native, name)
    return _one_dtype(list(native.iter_columns()), native, name)


def _from_series(series: Any, name: str) -> NDArray[Any]:
    count = int(series.null_count())
    if count:
        raise InputError(null_message(name, count, int(np.argmax(series.is_null().to_numpy()))))
    if str(series.dtype).startswith("Decimal"):
        raise InputTypeError(
            f"`{name}` holds {series.dtype}: cast to Float64, which may lose precision"
        )
    if str(series.dtype) in ("String", "Categorical", "Enum"):
        texts = series.to_list()
        if all(isinstance(word, str) for word in texts):  # else categories of numbers
            return np.array(plain_texts(texts, name))
    try:
        array: NDArray[Any] = series.to_numpy()
    except Exception as error:  # each library has its own exception classes
        raise InputTypeError(f"`{name}` of dtype {series.dtype} cannot be read: {error}") from None
    return array


def _one_dtype(columns: list[Any], frame: Any, name: str) -> NDArray[Any]:
    """Return a frame as one matrix, in place where its columns share one NumPy dtype."""
    if 0 in frame.shape:
        raise InputError(f"`{name}` is empty: shape {tuple(frame.shape)}")
    arrays = [
        as_array(column.to_native() if hasattr(column, "to_native") else column, name)
        for column in columns
    ]
    if len({array.dtype for array in arrays}) == 1:
        if len(arrays) == 1:
            return arrays[0][:, np.newaxis]
        whole: NDArray[Any] = frame.to_numpy()
        if whole.dtype == arrays[0].dtype:
            return whole
    target = np.result_type(*arrays)
    for array in arrays:
        is_rounded = array.dtype.kind in "iu" and target.kind == "f" and array.dtype.itemsize == 8
        if is_rounded and (array.max() > _EXACT or array.min() < -_EXACT):
            raise InputError(f"`{name}` mixes floats with integers beyond 2**53")
    matrix = np.empty((len(arrays[0]), len(arrays)), dtype=target, order="F")
    for j, array in enumerate(arrays):
        matrix[:, j] = array
    return matrix


def column_count(values: Any) -> int:
    """Return the number of columns of a two-dimensional container, 1 for a flat one.

    Only the shape is read: ten million flat labels are not converted to learn that.
    """
    shape = getattr(values, "shape", None)
    if shape is None and isinstance(values, list | tuple) and len(values) > 0:
        first = values[0]
        if isinstance(first, list | tuple):
            return len(first)
        shape = (len(values), *getattr(first, "shape", ()))
    return int(shape[1]) if shape is not None and len(shape) == 2 else 1


def has_names(scores: Any) -> bool:
    """Return whether scores come by the names of models: as a mapping or a data frame."""
    # an Arrow table has `column_names`, and its `columns` are no names; lazy frames are refused
    return isinstance(scores, Mapping) or (
        not hasattr(scores, "collect")
        and any(hasattr(scores, columns) for columns in ("column_names", "columns"))
    )


def column_names(values: Any) -> list[Any]:
    """Return the keys of a mapping, or the names of the columns of a data frame."""
    if isinstance(values, Mapping):
        return list(values)
    return list(getattr(values, "column_names", None) or values.columns)


def named_columns(values: Any, name: str) -> dict[str, NDArray[Any]]:
    """Return the columns of a mapping or a data frame by their names, each in its own dtype."""
    keys = column_names(values)
    return {
        text: as_array(values[each], f"{name}[{each!r}]")
        for text, each in zip(key_names(keys, name, "columns"), keys, strict=True)
    }
