"""Count the distinct scores of both classes on the accelerator that holds them.

`argsort` of float32 moves 96 bytes a row (keys of 4 and indices of 8 bytes, four radix passes, read
and written), and the gathers of scores and labels behind it some 70 (sectors of 32 bytes). Packed
keys of score and label need no gather but would move 256 (PyTorch sorts 8-byte keys in eight
passes, always with indices), and the array API cannot view the bits of a float to pack them.

Only names of the array API are used, which `array_api_compat` gives to PyTorch and CuPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import encode_labels
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_flag
from fastmetrics._input.scores import canonical_scores, check_finite

#: kDLCUDA, kDLROCM and kDLCUDAManaged of the DLPack header.
_ACCELERATORS: Final = frozenset({2, 10, 13})
#: Fewer rows are copied: each of some forty operations takes microseconds, whatever its size.
_LEAST_ROWS = 1 << 16
#: Frequencies in main memory are float64, whose sums are exact up to here.
_MOST_FREQUENCY: Final = 2**53


@dataclass(frozen=True, slots=True, eq=False)
class DeviceCounts:
    """Distinct scores of rows, ascending, with the int64 count of each class, on their device.

    ``xp`` is the namespace of their library.
    """

    xp: Any
    scores: Any
    positives: Any
    negatives: Any
    weight_exponent: int = 0

    def columns(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return scores, descending, positives and negatives in main memory.

        Counts travel in the narrowest integers: those of distinct scores are bytes.
        """
        xp = self.xp
        ends = _to_host(xp.stack([xp.max(self.positives), xp.max(self.negatives)]))
        narrow = getattr(xp, np.min_scalar_type(-int(ends.max()) - 1).name)
        positives, negatives = (
            _to_host(xp.astype(xp.flip(column), narrow)).astype(np.int64)
            for column in (self.positives, self.negatives)
        )
        scores = canonical_scores(_to_host(xp.flip(self.scores)), "y_score")
        return scores + scores.dtype.type(0), positives, negatives  # -0.0 becomes 0.0

    def pair_sums(self) -> tuple[int, int, int]:
        """Return the positives, the negatives, and twice the concordant pairs, modulo 2**64."""
        xp = self.xp
        below = xp.cumulative_sum(self.negatives) - self.negatives
        twice = xp.sum(self.positives * (2 * below + self.negatives))
        sums = xp.stack([xp.sum(self.positives), xp.sum(self.negatives), twice])
        n_positive, n_negative, twice_concordant = _to_host(sums).tolist()
        return n_positive, n_negative, twice_concordant


def count_on_device(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    allow_inf: bool = False,
    label_rule: str = "strict",
) -> DeviceCounts | None:
    """Return the counts of rows whose arrays lie on one accelerator, or None to copy the rows.

    None where rows are few, weights are no integers, or array_api_compat is missing; where a check
    fails, which then raises in main memory; or where the device lacks memory or an operation.
    """
    arrays = [y_true, y_score] if sample_weight is None else [y_true, y_score, sample_weight]
    try:
        if all(map(_is_on_accelerator, arrays)):
            return _count(arrays, pos_label, check_flag("allow_inf", allow_inf), label_rule)
    except (BufferError, ImportError, MemoryError, RuntimeError, TypeError, ValueError):
        pass
    return None


def _is_on_accelerator(values: Any) -> bool:
    return hasattr(values, "__dlpack_device__") and values.__dlpack_device__()[0] in _ACCELERATORS


def _to_host(values: Any) -> NDArray[Any]:
    """Copy an array to main memory."""
    from array_api_compat import to_device

    return as_array(to_device(values, "cpu"), "y_score")


def _count(
    arrays: list[Any], pos_label: Any, allow_inf: bool, label_rule: str
) -> DeviceCounts | None:
    """Return the counts of labels, scores and weights; raise, or return None, where it cannot."""
    from array_api_compat import array_namespace, is_jax_array

    labels, scores, *weights = (a.detach() if hasattr(a, "detach") else a for a in arrays)
    xp = array_namespace(labels, scores, *weights)
    n = scores.shape[0] if scores.ndim == 1 else 0
    are_plain = n >= _LEAST_ROWS and all(a.ndim == 1 and a.shape[0] == n for a in arrays)
    if not are_plain or is_jax_array(scores):  # JAX sums in 32 bits unless told otherwise
        return None
    labels, scores = (
        xp.astype(a, xp.uint8) if xp.isdtype(a.dtype, "bool") else a for a in (labels, scores)
    )
    ends = canonical_scores(_to_host(xp.stack([xp.min(scores), xp.max(scores)])), "y_score")
    check_finite(ends, "y_score", allow_inf)  # a nan is the least and the greatest
    is_positive = _positives(xp, labels, pos_label, label_rule)
    frequencies = _frequencies(xp, weights[0], n) if weights else None
    if is_positive is None or (weights and frequencies is None):
        return None
    if frequencies is not None:
        (kept,) = xp.nonzero(frequencies)  # without weight a score is as good as absent
        scores, is_positive, frequencies = scores[kept], is_positive[kept], frequencies[kept]
    order = xp.argsort(scores, stable=False)
    scores, is_positive = scores[order], is_positive[order]
    is_last = xp.concat([scores[1:] != scores[:-1], scores[:1] == scores[:1]])
    (last,) = xp.nonzero(is_last)
    if frequencies is None:
        positives = _run_sums(xp, is_positive, last)
        totals = _steps(xp, last + 1)
    else:
        frequencies = frequencies[order]
        positives = _run_sums(xp, is_positive * frequencies, last)
        totals = _run_sums(xp, frequencies, last)
    return DeviceCounts(xp, scores[last], positives, totals - positives)


def _positives(xp: Any, labels: Any, pos_label: Any, label_rule: str) -> Any:
    """Return 1 for each positive and 0 for each negative; None if there are more than two labels.

    Two labels are the least and the greatest, and the rule decides on these.
    """
    low, high = xp.min(labels), xp.max(labels)
    if not bool(xp.all((labels == low) | (labels == high))):
        return None
    pair = _to_host(xp.stack([low, high]))
    codes = encode_labels(pair, pos_label, label_rule, defer=False)[0].tolist()
    is_positive = labels == (high if codes[1] == 1 else low) if 1 in codes else labels < low
    return xp.astype(is_positive, xp.uint8)


def _frequencies(xp: Any, weights: Any, n: int) -> Any:
    """Return integer weights that are counted exactly, as int64; None for all others."""
    if not xp.isdtype(weights.dtype, ("bool", "integral")):
        return None
    weights = xp.astype(weights, xp.int64)
    low, high = _to_host(xp.stack([xp.min(weights), xp.max(weights)])).tolist()
    are_valid = low >= 0 and high > 0 and high * n < 2**63
    return weights if are_valid and int(xp.sum(weights)) <= _MOST_FREQUENCY else None


def _run_sums(xp: Any, values: Any, last: Any) -> Any:
    """Return the sum of each run of equal scores, which end at the indices ``last``."""
    return _steps(xp, xp.cumulative_sum(values, dtype=xp.int64)[last])


def _steps(xp: Any, sums: Any) -> Any:
    return xp.concat([sums[:1], sums[1:] - sums[:-1]])
