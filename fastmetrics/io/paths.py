"""From what the user typed to a list of existing files."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator

from fastmetrics.errors import FileError


def expand_paths(patterns: Iterable[str | os.PathLike[str]]) -> list[str]:
    """Return the files that ``patterns`` name, in the order given, each exactly once.

    A name that exists is taken literally, so that ``a[1].csv`` is the file of that name;
    otherwise it is a glob pattern (``**`` included), whose matches are sorted by name.

    Names stay as they were given or matched, neither resolved nor made absolute. A FileError says
    that a name does not exist, a pattern matches nothing, a name is not a regular file, or the same
    file is named twice (its rows would count twice).

    Examples
    --------
    >>> expand_paths(["no/such/file.csv"])
    Traceback (most recent call last):
    ...
    fastmetrics.errors.FileError: no/such/file.csv: no such file
    """
    paths: list[str] = []
    first_name: dict[str, str] = {}
    for path in _matches(patterns):
        if not os.path.isfile(path):
            raise FileError(f"{path}: {_not_a_file(path)}")
        real = os.path.realpath(path)
        if real in first_name:
            also = "" if first_name[real] == path else f" (also as {first_name[real]})"
            raise FileError(f"{path}: named twice{also}; its rows would count twice")
        first_name[real] = path
        paths.append(path)
    if not paths:
        raise FileError("no file is named")
    return paths


def _matches(patterns: Iterable[str | os.PathLike[str]]) -> Iterator[str]:
    for item in patterns:
        pattern = os.fspath(item)
        if os.path.lexists(pattern):
            yield pattern
        elif glob.has_magic(pattern):
            found = sorted(p for p in glob.glob(pattern, recursive=True) if os.path.isfile(p))
            if not found:
                raise FileError(f"{pattern}: no file matches this pattern")
            yield from found
        else:
            raise FileError(f"{pattern}: no such file")


def _not_a_file(path: str) -> str:
    if os.path.isdir(path):
        return "is a directory; name its files, for example with a pattern in quotes: 'DIR/*.csv'"
    if not os.path.exists(path):
        return "is a link to a file that does not exist"
    return "is not a regular file"
