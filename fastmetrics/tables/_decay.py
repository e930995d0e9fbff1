"""Weights that fall by half, kept in units of the present that move by whole powers of two."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: Sums lighter than this are shown as 0: products of four of them would lose bits.
FORGOTTEN: Final = 2.0**-250
#: Rows of one batch weigh no less than 2**-1000 inside, so that they are seen.
OLDEST: Final = 1000.0
#: Shifting by more than this leaves nothing of any double.
WHOLE_RANGE: Final = 4096


def weights_at(ages: NDArray[Any], half_life: float) -> NDArray[np.float64]:
    """Return the weights of rows of some ages, as small as 2**-1000.

    The quotient age / half_life would lose as many bits as its whole part has: so that part, which
    the exact remainder gives, is an exponent.
    """
    ages = ages.astype(np.float64)
    rest = np.fmod(ages, half_life)
    with np.errstate(over="ignore"):
        whole = np.minimum(np.rint((ages - rest) / half_life), OLDEST)
    weights: NDArray[np.float64] = np.ldexp(np.exp2(-rest / half_life), -whole.astype(np.int64))
    return weights
