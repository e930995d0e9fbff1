"""Bad: for ruff (an unused import, an assert, a print), its formatter, and mypy."""

from __future__ import annotations
import os


def half( n ) :
    assert n > 0
    print(n)
    return n/2


def third(n: int) -> int:
    return n / 3
