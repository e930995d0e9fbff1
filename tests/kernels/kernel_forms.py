"""The forms of a kernel that a run tests: machine code and its twins in plain Python, and NumPy.

Each of the two special runs has one form. Without a compiler there is only the twin; and with
bounds checks, which are in machine code alone, the twin would be the third time the same.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"
HAS_TWIN = not IS_COMPILED or os.environ.get("NUMBA_BOUNDSCHECK") != "1"


def plain(kernel: Any) -> Any:
    return kernel.py_func


def compiled(kernel: Any) -> Any:
    return kernel.compiled()


#: What gives the form of a kernel, as parameters of a test.
FORMS = [
    *([pytest.param(plain, id="py")] if HAS_TWIN else []),
    *([pytest.param(compiled, id="compiled")] if IS_COMPILED else []),
]


def in_numpy(kernel: Any) -> Any:
    return kernel.in_numpy or kernel.py_func


#: The same where some kernels have a twin in NumPy too.
FORMS_AND_NUMPY = [*FORMS, *([pytest.param(in_numpy, id="numpy")] if HAS_TWIN else [])]


def forms(kernel: Any) -> list[Any]:
    """Return the forms of one kernel, as parameters of a test."""
    found = FORMS_AND_NUMPY if kernel.in_numpy else FORMS
    return [pytest.param(form.values[0](kernel), id=form.id) for form in found]
