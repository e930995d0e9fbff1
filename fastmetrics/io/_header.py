"""Which columns a file has, before any of them is read."""

from __future__ import annotations

import os

from fastmetrics.io._formats import describe, file_format
from fastmetrics.io._paths import expand_paths
from fastmetrics.io._session import Session


def column_names(path: str | os.PathLike[str], expected: str) -> tuple[str, ...]:
    """Return the names of the columns of a file, as it spells them.

    Parameters
    ----------
    path : str or path-like
        A file, or a pattern: the first that matches.
    expected : str
        A column that the file should have: the delimiter of a text file is the one under which
        it does.

    Returns
    -------
    tuple of str
        In the order of the file, `expected` among them or not.

    Raises
    ------
    FileError
        The file is missing, empty or of an unknown kind.
    ImportError
        duckdb or pyarrow is not installed.
    """
    first = expand_paths([path])[0]
    file_format(first)
    with Session([first], 1) as session:
        return describe(session.connection, first, session.addresses[first], [expected]).header
