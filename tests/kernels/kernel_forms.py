"""The forms of a kernel that a run tests: machine code, and its own function as plain Python.

Each of the two special runs has one form. Without a compiler there is only plain Python; and with
bounds checks, which are in machine code alone, plain Python would be the third time the same.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from fastmetrics._kernels import resampling
from fastmetrics.inference.bootstrap._draws import fill_totals

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


def totals_of(form, key, first, count, stratum, sizes, is_poisson):
    """Return multinomial totals by a form of the kernels, as `fill_totals` has them drawn."""
    sizes, totals = np.array(sizes, np.int64), np.full((count, len(sizes)), -1)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("poisson_numbers", "multinomial_totals"):
            patch.setattr(resampling, name, form(getattr(resampling, name)))
        fill_totals(key, first, stratum, sizes, is_poisson, totals)
    return totals
