"""Dask that computes in this thread, for tests that need no other."""

from collections.abc import Iterator

import dask
import pytest


@pytest.fixture
def synchronous() -> Iterator[None]:
    with dask.config.set(scheduler="synchronous"):
        yield
