"""Bad: for mypy, something for each kind of error that the project asks it to look for."""

from __future__ import annotations


class Plain:
    pass


def half(n):
    return n / 2


def third(n: int) -> int:
    return n / 3


def fourth(n: int) -> str:
    return n  # type: ignore


def fifth(n: int) -> int:
    if n is None:
        return 0
    return n


def sixth(plain: Plain, n: int) -> bool:
    return bool(plain) or (isinstance(n, int) and n > 0)


def seventh(plain: Plain) -> int:
    return 1 if plain else 0
