"""Bad: warnings that name a line of the package instead of the user's."""

from __future__ import annotations

import warnings
from warnings import warn


def undefined():
    warnings.warn("not defined", UserWarning, stacklevel=2)
    warn("not defined", UserWarning, stacklevel=2)
