"""Scores in one of four canonical dtypes: float32, float64, int64, uint64; order kept exactly."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_array, as_vector, from_objects
from fastmetrics.errors import DataConversionWarning, InputError, InputTypeError, warn_user

CHUNK: Final = 1 << 16
"""Rows per step of a chunked pass, so that its temporaries stay in cache."""

_HELD: Final = {
    "b": "booleans",
    "c": "complex numbers",
    "m": "durations",
    "M": "dates",
    "V": "records",
}

CANONICAL: Final = frozenset(map(np.dtype, (np.float32, np.float64, np.int64, np.uint64)))


def canonical_scores(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return ``array`` in a canonical dtype, C-contiguous, aligned and native; itself if it is."""
    if array.dtype not in CANONICAL:
        array = _canonical_dtype(array, name)
    return contiguous(array)


def float_thresholds(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Return scores as float64 thresholds, inf before the first; raise where one is rounded.

    A rounded threshold may lie above its own score, and two may be equal.
    """
    check_float_thresholds(scores)
    return np.concatenate(([np.inf], scores.astype(np.float64, copy=False)))


def check_float_thresholds(scores: NDArray[Any]) -> None:
    """Raise if an integer score is no float64: most beyond 2^53 are none."""
    if scores.dtype.kind == "f":
        return
    above = 2.0 ** (8 * scores.dtype.itemsize - (scores.dtype.kind == "i"))
    floats = scores.astype(np.float64)
    fits = floats < above  # the greatest integer of a dtype may be rounded up to beyond it
    is_kept = np.where(fits, floats, 0.0).astype(scores.dtype) == scores
    if not (fits & is_kept).all():
        at = int(np.argmin(fits & is_kept))
        raise InputError(
            f"the score {int(scores[at])} is no float, as the thresholds of this curve are: whole "
            "numbers beyond 2**53 would be rounded; subtract one number from all scores, or take "
            "`confusion_matrix_at_thresholds` or `precision_recall_curve`, which keep integers"
        )


def contiguous(array: NDArray[Any]) -> NDArray[Any]:
    """Return ``array``, or a C-contiguous and aligned copy of it."""
    flags = array.flags
    if flags.c_contiguous and flags.aligned:
        return array
    return array.astype(array.dtype, order="C")


def check_finite(
    scores: NDArray[Any], name: str, allow_inf: bool = False, *, in_table: bool = True
) -> None:
    """Raise ValueError with the first index and the count of nan, or of inf unless allowed.

    One pass in chunks, without a temporary of the size of the data. ``in_table`` says whether a
    table of the scores would do instead, which may hold infinities.
    """
    if scores.dtype.kind != "f":
        return
    rows = max(1, CHUNK // scores.shape[1]) if scores.ndim == 2 else CHUNK
    chunks = (scores[start : start + rows] for start in range(0, len(scores), rows))
    if all(np.isfinite(chunk).all() for chunk in chunks):
        return
    refuse(np.isnan(scores), name, "must be finite: nan")
    if not allow_inf:
        inf = np.isinf(scores)
        sign = "-inf" if scores.ravel()[np.argmax(inf)] < 0 else "inf"
        in_table &= name == "y_score" and scores.ndim == 1
        advice = "; score tables rank infinities with `allow_inf=True`" if in_table else ""
        refuse(inf, name, f"must be finite: {sign}", advice=advice)


def refuse(
    found: NDArray[np.bool_],
    name: str,
    rule: str,
    values: NDArray[Any] | None = None,
    advice: str = "",
) -> None:
    """Raise where something was found that breaks a rule: the first, where, and how many."""
    if found.any():
        first = np.unravel_index(int(np.argmax(found)), found.shape)
        at = int(first[0]) if found.ndim == 1 else tuple(map(int, first))
        came = "" if values is None else f" {values[first].item()!r}"
        count = np.count_nonzero(found)
        raise InputError(f"`{name}` {rule}{came} at index {at}, {count:,} in all{advice}")


def real_numbers(array: NDArray[Any], name: str, kinds: str = "iubf") -> NDArray[Any]:
    """Return an array of real numbers, Python objects converted with a warning, or raise."""
    if array.dtype.kind == "O":
        array = from_objects(array, name)
        warn_user(f"`{name}` has dtype object: converted to {array.dtype}", DataConversionWarning)
    if array.dtype.kind not in kinds:
        raise InputTypeError(f"`{name}` must hold real numbers: got {dtype_fault(array.dtype)}")
    return array


def check_scores_array(
    values: Any, name: str = "y_score", *, allow_inf: bool = False
) -> NDArray[Any]:
    """Return one vector of scores, C-contiguous in a canonical dtype and fully verified."""
    scores = canonical_scores(as_vector(values, name), name)
    check_finite(scores, name, allow_inf)
    return scores


def check_score_matrix(y_score: Any, name: str = "y_score") -> NDArray[Any]:
    """Return a matrix (n, k) of scores in a canonical dtype, fully verified, in its own order.

    A matrix already canonical is returned itself, whatever its strides: take its columns with
    `score_column`, one contiguous copy at a time.
    """
    matrix = score_matrix(y_score, name)
    check_finite(matrix, name)
    return matrix


def score_matrix(y_score: Any, name: str = "y_score") -> NDArray[Any]:
    """Return what `check_score_matrix` does of scores that may not be finite."""
    array = as_array(y_score, name)
    if array.ndim != 2:
        raise InputError(f"`{name}` must have shape (n_samples, n_classes): got {array.shape}")
    if array.size == 0:
        raise InputError(f"`{name}` is empty: shape {array.shape}")
    if array.dtype not in CANONICAL:
        array = _canonical_dtype(array, name)
    if not array.flags.aligned:
        array = array.copy()
    return array


def score_column(matrix: NDArray[Any], column: int) -> NDArray[Any]:
    """Return one column of a checked matrix as a contiguous vector (a view where it can be)."""
    return contiguous(matrix[:, column])


def check_probabilities(values: Any, name: str = "y_proba") -> NDArray[Any]:
    """Return a vector of probabilities, verified to lie in [0, 1]."""
    scores = check_scores_array(values, name)
    check_unit_interval(scores, name)
    return scores


def check_unit_interval(numbers: NDArray[Any], name: str, advice: str = "") -> None:
    """Raise ValueError with the first index and the count of numbers outside [0, 1], if any."""
    low, high = numbers.min(), numbers.max()
    if low < 0 or high > 1:
        rule = f"must lie in [0, 1]: from {low.item()!r} to {high.item()!r};"
        refuse((numbers < 0) | (numbers > 1), name, rule, numbers, advice)


def _canonical_dtype(array: NDArray[Any], name: str) -> NDArray[Any]:
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind == "f":
        if array.dtype.char == "g":
            return _from_longdouble(array, name)
        return array.astype(np.float64 if size == 8 else np.float32)
    if kind in "iu" and size == 8:
        return array.astype(np.int64 if kind == "i" else np.uint64)
    if kind in "iub":
        return array.astype(np.float64)
    return canonical_scores(real_numbers(array, name), name)


def dtype_fault(dtype: np.dtype[Any]) -> str:
    """Return what a dtype that holds no real numbers does hold, with advice where there is some."""
    return f"{_HELD.get(dtype.kind, 'text; convert it with `.astype(float)`')} (dtype {dtype})"


def _from_longdouble(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return float64 if that keeps every distinct value distinct, else raise."""
    with np.errstate(over="ignore"):
        doubles: NDArray[np.float64] = array.astype(np.float64)
        if ((doubles == array) | np.isnan(array)).all():
            return doubles
        ordered = np.sort(array, axis=None)
        rounded = ordered.astype(np.float64)
    new_ties = (ordered[1:] != ordered[:-1]) & (rounded[1:] == rounded[:-1])
    if new_ties.any() or (np.isinf(doubles) & np.isfinite(array)).any():
        # An overflow is at an end, where a new tie need not be. `str`: a format would round.
        at = np.argmax(new_ties) if new_ties.any() else np.argmax(np.isinf(rounded))
        such = " and ".join(map(str, ordered[at : at + 1 + new_ties.any()]))
        raise InputError(
            f"`{name}` is longdouble and float64 would tie or overflow distinct values "
            f"(such as {such}): pass ranks instead"
        )
    return doubles
