"""Confusion matrices in ``.npz`` files, without pickle."""

from __future__ import annotations

import json
import zipfile
import zlib
from os import PathLike
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import writing
from fastmetrics.errors import InputError
from fastmetrics.tables.confusion._label_counts import MOST_CLASSES, Labels, NewLabels
from fastmetrics.tables.confusion._matrix_checks import refuse_bad_counts
from fastmetrics.tables.confusion._matrix_state import Parts
from fastmetrics.tables.confusion._matrix_store import SparseStore, Store

#: Version of the files; a change of their meaning makes it another.
FORMAT: Final = 1

_NOT_A_MATRIX: Final = (
    zipfile.BadZipFile,
    zlib.error,
    KeyError,
    EOFError,
    OSError,
    ValueError,
    IndexError,
    TypeError,
    RuntimeError,  # also NotImplementedError: an archive that is encrypted, or seems to be
)


def write_matrix(
    file: str | PathLike[str] | IO[bytes],
    store: Store,
    labels: Labels,
    exponent: int,
    new_labels: NewLabels,
) -> None:
    """Write the state: the pairs that occur, labels as JSON, and how the matrix was made.

    NumPy's own texts cannot end in NUL, and its numbers are of one kind for all.
    """
    pairs = store.sparse()
    stored: dict[str, Any] = {
        "format": np.int64(FORMAT),
        "keys": pairs.keys,
        "values": pairs.values,
        "lost": np.zeros(0) if pairs.lost is None else pairs.lost,
        "labels": np.frombuffer(json.dumps(labels).encode(), np.uint8),
        "weight_exponent": np.int64(exponent),
        "new_labels": np.str_(new_labels),
        "sparse": np.bool_(store.is_sparse),
    }
    with writing(file) as opened:
        np.savez_compressed(opened, **stored)


def read_matrix(file: str | PathLike[str] | IO[bytes]) -> Parts:
    """Return the state that a file holds.

    Raises
    ------
    ValueError
        If the file is not one that `write_matrix` wrote, or not whole.
    """
    if isinstance(file, str | PathLike):
        with open(file, "rb") as opened:  # NumPy leaves a damaged file open
            return _read(opened, repr(str(file)))
    return _read(file, repr(file))


def _read(file: IO[bytes], name: str) -> Parts:
    try:
        with np.load(file, allow_pickle=False) as stored:
            found = {key: stored[key] for key in stored.files}
            version = found["format"]
            if version.shape != () or version != FORMAT:
                raise InputError(
                    f"ConfusionMatrix format {version}, this version reads format {FORMAT}"
                )
            return _checked(found)
    except _NOT_A_MATRIX as error:
        raise InputError(f"{name} does not hold a whole ConfusionMatrix: {error}") from error


def _checked(found: dict[str, NDArray[Any]]) -> Parts:
    labels = _labels(found["labels"])
    keys, values, lost = found["keys"], found["values"], found["lost"]
    k = len(labels)
    if keys.dtype != np.int64 or keys.ndim != 1 or values.shape != keys.shape:
        raise InputError("keys and values are not columns of one length")
    if len(keys) and (keys[0] < 0 or (np.diff(keys) <= 0).any()):
        raise InputError("keys do not rise")
    if len(keys) and max((keys >> 32).max(), (keys & (2**32 - 1)).max()) >= k:
        raise InputError("a pair names a class that is not there")
    if values.dtype not in (np.dtype(np.int64), np.dtype(np.float64)):
        raise InputError(f"values of dtype {values.dtype}")
    refuse_bad_counts(values)
    if values.dtype.kind == "f":
        if lost.dtype != np.float64 or lost.shape != values.shape or not np.isfinite(lost).all():
            raise InputError("`lost` does not go with values")
    elif len(lost):
        raise InputError("`lost` beside integers")
    new_labels = str(found["new_labels"])
    if new_labels not in ("extend", "raise"):
        raise InputError(f"`new_labels` is {new_labels!r}")
    if new_labels == "extend" and (None in labels or labels != tuple(sorted(labels))):
        raise InputError(f"labels that may become more must be sorted: got {labels}")
    exponent = found["weight_exponent"]
    if exponent.shape != () or exponent.dtype.kind != "i":
        raise InputError(f"`weight_exponent` must be one integer: got {exponent}")
    sparse = SparseStore(keys, values, lost if values.dtype.kind == "f" else None, k)
    is_sparse = bool(found["sparse"])
    if not is_sparse and k > MOST_CLASSES:
        raise InputError(f"a dense matrix of {k:,} classes")
    store: Store = sparse if is_sparse else sparse.dense()
    return store, labels, int(exponent), "extend" if new_labels == "extend" else "raise"


def _labels(stored: NDArray[Any]) -> Labels:
    """Return labels as they were: distinct, all text or all whole numbers, one perhaps None."""
    if stored.dtype != np.uint8 or stored.ndim != 1:
        raise InputError("labels are not JSON")
    labels = json.loads(stored.tobytes())
    if type(labels) is not list:
        raise InputError("labels are no list")
    known = labels[1:] if labels[:1] == [None] and len(labels) == 2 else labels
    is_text = {type(label) is str for label in known}
    are_whole = all(
        type(label) in (str, bool, int) or (type(label) is float and label.is_integer())
        for label in known
    )
    if not are_whole or len(is_text) > 1 or len(set(known)) < len(known):
        raise InputError("labels are not distinct texts or whole numbers")
    return tuple(labels)
