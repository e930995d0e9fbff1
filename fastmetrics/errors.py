"""Warning and error classes of fastmetrics, under the field's names."""

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
