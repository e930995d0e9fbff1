"""Which rows of a regression problem kernels read in place, and which are copied piece by piece.

A kernel would read the others too, with the same result: by another version, compiled for them.
"""

import numpy as np
import pytest

from fastmetrics._input.regression_targets import check_regression


def frozen(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


def unaligned(values: np.ndarray) -> np.ndarray:
    return np.frombuffer(b"." + values.tobytes(), values.dtype, offset=1)


PLAIN = np.arange(1.0, 9.0)
WIDE = np.arange(1.0, 17.0).reshape(8, 2)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PLAIN, PLAIN),
        (PLAIN.astype("f4"), PLAIN.astype("f4")),
        (WIDE, WIDE),
        (PLAIN, frozen(PLAIN.copy())),
        (PLAIN, PLAIN[:, np.newaxis]),
        (PLAIN.tolist(), PLAIN),
    ],
)
def test_read_in_place(one, other) -> None:
    for pair in ((one, other), (other, one)):
        assert check_regression(*pair).is_canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PLAIN, PLAIN.astype("f4")),
        (PLAIN, PLAIN.astype(">f8")),
        (PLAIN.astype("i8"), PLAIN.astype("i8")),
        (PLAIN.astype("f2"), PLAIN.astype("f2")),
        (PLAIN, np.repeat(PLAIN, 2)[::2]),
        (WIDE, np.asfortranarray(WIDE)),
        (PLAIN, unaligned(PLAIN)),
    ],
)
def test_copied_piece_by_piece(one, other) -> None:
    for pair in ((one, other), (other, one)):
        rows = check_regression(*pair)
        assert not rows.is_canonical
        pieces = rows.piece(0, len(rows.y_true))[:2]
        for piece, whole in zip(pieces, pair, strict=True):
            assert piece.dtype == np.float64
            assert piece.flags.c_contiguous
            assert piece.flags.aligned
            np.testing.assert_array_equal(piece, np.asarray(whole).ravel())


@pytest.mark.parametrize("targets", [PLAIN, WIDE])
def test_a_constant_is_not_in_memory_row_by_row(targets) -> None:
    constant = np.arange(1.0, 1.0 + (targets.ndim == 2) + 1)
    rows = check_regression(targets, targets).with_constant(constant)
    assert not rows.is_canonical
    np.testing.assert_array_equal(rows.piece(0, 8)[1], np.resize(constant, targets.size))
