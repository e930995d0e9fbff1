"""How much memory may be taken: bytes, or a text such as "1GB"."""

from __future__ import annotations

import re
from typing import Any, Final

from fastmetrics._input.scalars import check_integer
from fastmetrics.errors import InputError

_UNITS: Final = {
    "": 1,
    **{unit + "b": 1000**power for power, unit in enumerate(("", "k", "m", "g", "t"))},
    **{unit + "ib": 1024**power for power, unit in enumerate(("k", "m", "g", "t"), start=1)},
}

#: An exbibyte: more than any machine has, and no engine's arithmetic overflows.
_MOST: Final = 1 << 60


def check_memory_size(name: str, value: Any, *, low: int) -> int:
    """Return a number of bytes: an integer, or a text such as 1GB, 1.5 GiB or 500MB."""
    if not isinstance(value, str):
        return check_integer(name, value, low=low, high=_MOST)
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*([a-z]*)\s*", value.lower())
    if found is None or found[2] not in _UNITS:
        raise InputError(f"`{name}` must be a size such as '1GB' or '500MB': got {value!r}")
    size = float(found[1]) * _UNITS[found[2]]
    if not low <= size <= _MOST:
        bound = f"at least {low:,}" if size < low else f"at most {_MOST:,}"
        raise InputError(f"`{name}` must be {bound} bytes: got {value!r}")
    return int(size)
