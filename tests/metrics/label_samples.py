"""Targets of every kind for the metrics of classes, and the comparison with scikit-learn."""

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from public import public

WORDS = np.array(["ant", "bee", "cat", "dog", "eel"])
TENS = np.array([-20, -1, 0, 7, 30])

#: Class numbers 0 to 4 to labels of a kind; only two of them for booleans.
KINDS = {
    "int": lambda codes: codes,
    "int8": lambda codes: codes.astype(np.int8),
    "uint64": lambda codes: codes.astype(np.uint64),
    "negative": lambda codes: TENS[codes],
    "wide": lambda codes: TENS[codes] * 10**12,
    "bool": lambda codes: codes % 2 == 1,
    "str": lambda codes: WORDS[codes],
    "object": lambda codes: WORDS[codes].astype(object),
    "float": lambda codes: codes.astype(np.float64),
    "list": lambda codes: codes.tolist(),
    "words": lambda codes: WORDS[codes].tolist(),
    "series": lambda codes: pd.Series(codes, index=codes[::-1]),
    "categorical": lambda codes: pd.Series(pd.Categorical(WORDS[codes], categories=WORDS)),
}
ZERO_DIVISIONS = ("warn", 0, 1, math.nan)


@st.composite
def label_rows(draw, n_classes=4, weights=None):
    """Draw class numbers of both columns, and weights (None, or of the strategy given)."""
    rows = st.tuples(
        *[st.integers(0, n_classes - 1)] * 2, st.none() if weights is None else weights
    )
    y_true, y_pred, w = zip(*draw(st.lists(rows, min_size=1, max_size=14)), strict=True)
    if weights is None:
        return np.array(y_true), np.array(y_pred), None
    w = np.array(w)
    if not w.any():
        w[0] = 1
    return np.array(y_true), np.array(y_pred), w


@st.composite
def indicator_rows(draw, weights=None):
    n, k = draw(st.integers(1, 6)), draw(st.integers(2, 4))
    cells = st.lists(st.integers(0, 1), min_size=n * k, max_size=n * k)
    y_true, y_pred = (np.array(draw(cells)).reshape(n, k) for _ in range(2))
    if weights is None:
        return y_true, y_pred, None
    w = np.array(draw(st.lists(weights, min_size=n, max_size=n)))
    if not w.any():
        w[0] = 1
    return y_true, y_pred, w


whole = st.integers(0, 3)
quarters = st.integers(0, 12).map(lambda number: number / 4)


def outcome(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, list[tuple[str, str]]]:
    """Return the result (or the class of the error) and the distinct warnings, in their order."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*args, **kwargs)
        except (TypeError, ValueError) as error:
            return type(error), []
    messages = [(warning.category.__name__, str(warning.message)) for warning in caught]
    return result, list(dict.fromkeys(messages))


def assert_as_scikit_learn(name: str, *args: Any, **kwargs: Any) -> None:
    """Compare result, type, dtype and warnings; an error must be an error of the same family."""
    import sklearn.metrics

    ours, messages = outcome(public(name), *args, **kwargs)
    theirs, peer_messages = outcome(getattr(sklearn.metrics, name), *args, **kwargs)
    if isinstance(theirs, type) or isinstance(ours, type):
        assert isinstance(ours, type), (ours, theirs)
        assert isinstance(theirs, type), (ours, theirs)
        assert issubclass(ours, ValueError | TypeError)
        return
    assert_same(ours, theirs)
    assert messages == peer_messages


def assert_same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, tuple):
        assert isinstance(ours, tuple)
        for mine, other in zip(ours, theirs, strict=True):
            assert_same(mine, other)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        for key, value in theirs.items():
            assert_same(ours[key], value)
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-15)
    elif theirs is None or isinstance(theirs, str):
        assert ours == theirs
    else:
        assert type(ours) is float
        np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-15)


def assert_close(ours: Any, expected: Any) -> None:
    """Compare with an oracle's Fractions, in which None is nan."""
    if isinstance(expected, list):
        for mine, other in zip(list(ours), expected, strict=True):
            assert_close(mine, other)
    elif expected is None:
        assert math.isnan(ours)
    else:
        assert math.isclose(ours, float(expected), rel_tol=1e-14, abs_tol=1e-15)
