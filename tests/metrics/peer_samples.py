"""Labels of every type that scikit-learn takes, and a comparison of values and of warnings."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np


def outcome(function: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, list[str]]:
    """Return the value, or the kind of error, and the names of the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function(*args, **options)
        except (TypeError, ValueError) as error:
            return type(error), []
    categories = [each.category.__name__ for each in caught]
    return value, sorted(name for name in categories if name != "RuntimeWarning")


def assert_same_as_peer(
    ours: Callable[..., Any],
    peer: Callable[..., Any],
    *args: Any,
    rtol: float = 1e-12,
    atol: float = 1e-12,
    **options: Any,
) -> None:
    got, categories = outcome(ours, *args, **options)
    wanted, peer_categories = outcome(peer, *args, **options)
    context = (args, options, got, wanted, categories, peer_categories)
    if isinstance(wanted, type):
        assert isinstance(got, type), context
        assert issubclass(got, TypeError) == issubclass(wanted, TypeError), context
        return
    assert not isinstance(got, type), context
    assert categories == peer_categories, context
    assert type(got) is tuple if isinstance(wanted, tuple) else type(got) is float, context
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol, err_msg=repr(context))


def labels_of(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw class numbers and predictions that are right two times in three."""
    y = rng.integers(0, k, n)
    return y, np.where(rng.random(n) < 0.6, y, rng.integers(0, k, n))


def weights_of(rng: np.random.Generator, n: int, kind: str) -> np.ndarray | None:
    """Draw weights: none, counts, or importances, zeros among both."""
    if kind == "none":
        return None
    drawn = rng.integers(0, 4, n) if kind == "counts" else rng.random(n) * (rng.random(n) < 0.8)
    drawn[0] = 1
    return drawn
