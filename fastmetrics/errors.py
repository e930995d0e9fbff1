"""Warning and error classes of fastmetrics, under the field's names; how the user is warned."""

from __future__ import annotations

import os
import sys
import warnings

__all__ = [
    "DataConversionWarning",
    "DegenerateDataWarning",
    "FileError",
    "UndefinedMetricWarning",
]


class UndefinedMetricWarning(UserWarning):
    """The measure has no value on these data; nan (or the stated convention) is returned."""


class DataConversionWarning(UserWarning):
    """The input was accepted, but had to be reshaped or converted to be used."""


class DegenerateDataWarning(UserWarning):
    """The estimate exists, but its interval or test is degenerate on these data."""


class FileError(ValueError):
    """A file cannot be read as asked: the message names the file and, where known, the row."""


_PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the first line outside fastmetrics (``skip_file_prefixes`` needs Python 3.12)."""
    level = 2  # the caller of this function
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
