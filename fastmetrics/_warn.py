"""Warnings that point at the user's line, however deep the check that raises them sits."""

from __future__ import annotations

import os
import sys
import warnings

_PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the first line outside fastmetrics (``skip_file_prefixes`` needs Python 3.12)."""
    level = 2  # the caller of this function
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
