"""The forms of a kernel that a run tests: machine code, and its own function as plain Python.

Each of the two special runs has one form. Without a compiler there is only plain Python; and with
bounds checks, which are in machine code alone, plain Python would be the third time the same.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"
HAS_PYTHON = not IS_COMPILED or os.environ.get("NUMBA_BOUNDSCHECK") != "1"


def plain(kernel: Any) -> Any:
    return kernel.py_func


def compiled(kernel: Any) -> Any:
    return kernel.compiled()


#: What gives the form of a kernel, as parameters of a test.
FORMS = [
    *([pytest.param(plain, id="py")] if HAS_PYTHON else []),
    *([pytest.param(compiled, id="compiled")] if IS_COMPILED else []),
]


def forms(kernel: Any) -> list[Any]:
    """Return the forms of one kernel, as parameters of a test."""
    return [pytest.param(form.values[0](kernel), id=form.id) for form in FORMS]
