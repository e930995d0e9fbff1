"""Bad: something for every family of ruff's rules that the project selects."""

from __future__ import annotations
import os
import os.path as path
import typing

import numpy as np
import pytest

from .. import errors  # type: ignore


def undocumented(x=[], unused: int | int = 0):
    assert x
    print(x, "one" "two", os.getcwd())
    return list(list(x))


def longLine():
    """A camel's name, and a line that is far too long for anybody to read without turning the head."""
    # TODO: shorten it
    np.random.seed(0)
    value = typing.Optional[int]
    if value == None: 
        return True
    else:
        return False


def test_everything():
    """Catch whatever comes, as a class with a needless `pass` does."""
    with pytest.raises(ValueError):
        longLine()
    value = sorted(list("ab"))
    for k in value:
        pass
        yield [k] + [*value]
