"""What every test shares: hypothesis profiles and a seeded generator."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from fastmetrics._kernels import _compile

# Derandomised: a red run is about the change, not about the day. `thorough` is for looking for
# trouble: `python -m pytest --hypothesis-profile=thorough`.
settings.register_profile(
    "default",
    deadline=None,  # the first call of a kernel compiles it
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", deadline=None, max_examples=2_000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("default")

# Which path counts must not depend on which test comes first; NumPy's has tests of its own.
_compile.numpy_rows_left = 0


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator that starts in the same place in every test."""
    return np.random.default_rng(20_080_615)


# A shell that starts pytest in the background makes it, and what it starts, deaf to interrupts: the
# tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
