"""Labels of every kind, probabilities and weights, and a call of scikit-learn beside ours."""

import warnings
from typing import Any

import numpy as np
import sklearn.metrics
from numpy.typing import NDArray

import fastmetrics

#: Codes 0, 1, ... to labels of another kind, in the same order.
KINDS = {
    "int64": lambda codes: codes,
    "int8": lambda codes: codes.astype(np.int8),
    "uint8": lambda codes: codes.astype(np.uint8) * 50,
    "big-endian": lambda codes: codes.astype(">i4"),
    "uint64": lambda codes: codes.astype(np.uint64),
    "floats": lambda codes: codes.astype(np.float32),
    "from 1": lambda codes: codes + 1,
    "gaps": lambda codes: codes * 7 - 3,
    "signs": lambda codes: 2 * codes - 1,
    "text": lambda codes: np.array(list("abcdefgh"))[codes],
    "objects": lambda codes: np.array(list("abcdefgh"), dtype=object)[codes],
    "strided": lambda codes: np.repeat(codes, 3)[::3],
}
WEIGHTS = ("none", "counts", "fractions")


def weights_of(kind: str, n: int, rng: np.random.Generator) -> NDArray[Any] | None:
    if kind == "none":
        return None
    return rng.integers(0, 3, n) + (np.arange(n) == 0) if kind == "counts" else rng.random(n)


def probabilities(n: int, k: int, rng: np.random.Generator) -> NDArray[np.float64]:
    p = rng.random((n, k)) ** 3
    return p / p.sum(axis=1, keepdims=True)


def outcome(module: Any, name: str, *args: Any, **more: Any) -> tuple[Any, set[str]]:
    """Return the value, or the class of the error, and the classes of the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = getattr(module, name)(*args, **more)
        except (TypeError, ValueError) as error:
            value = "TypeError" if isinstance(error, TypeError) else "ValueError"
    return value, {warning.category.__name__ for warning in caught}


def same_as_sklearn(name: str, *args: Any, rtol: float = 1e-12, **more: Any) -> None:
    """Check that value, error and warnings are scikit-learn's."""
    ours, our_warnings = outcome(fastmetrics, name, *args, **more)
    theirs, their_warnings = outcome(sklearn.metrics, name, *args, **more)
    if isinstance(theirs, str):
        assert ours == theirs
    else:
        assert our_warnings == their_warnings
        assert type(ours) is float
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=rtol)
