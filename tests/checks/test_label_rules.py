"""Which labels are accepted, and which one is positive: scikit-learn's own answer, rule by rule."""

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as peer

import fastmetrics as fm

N = 6
# No other split of the rows gives the same curve: row i has score 2**i.
SCORES = 2.0 ** np.arange(N)

LABELS: dict[str, Any] = {
    "int 0 1": [0, 1, 1, 0, 1, 0],
    "int -1 1": [-1, 1, 1, -1, 1, -1],
    "int 1 2": [1, 2, 2, 1, 1, 2],
    "int 0 2": [0, 2, 2, 0, 2, 0],
    "int 1 3 of int8": np.array([1, 3, 3, 1, 3, 3], dtype=np.int8),
    "int8 0 1": np.array([0, 1, 1, 0, 1, 0], dtype=np.int8),
    "int8 -1 1": np.array([-1, 1, 1, -1, 1, 1], dtype=np.int8),
    "uint8 0 1": np.array([0, 1, 1, 0, 1, 0], dtype=np.uint8),
    "uint8 1 255": np.array([255, 1, 1, 255, 1, 255], dtype=np.uint8),
    "uint64 1 big": np.array([2**64 - 1, 1, 1, 1, 1, 1], dtype=np.uint64),
    "bool array": np.array([True, False, True, True, False, False]),
    "float 0 1": [0.0, 1.0, 1.0, 0.0, 0.0, 1.0],
    "float -1 1": [-1.0, 1.0, 1.0, -1.0, 1.0, 1.0],
    "float32 0 1": np.array([0, 1, 1, 0, 0, 1], dtype=np.float32),
    "soft": [0.0, 0.5, 1.0, 0.0, 1.0, 1.0],
    "soft two": [0.5, 1.0, 1.0, 0.5, 0.5, 1.0],
    "nan": [0.0, np.nan, 1.0, 0.0, 1.0, 1.0],
    "inf": [0.0, np.inf, np.inf, 0.0, 0.0, 0.0],
    "one class 0": [0] * N,
    "one class 1": [1] * N,
    "one class -1": [-1] * N,
    "one class int8 1": np.ones(N, dtype=np.int8),
    "one class True": [True] * N,
    "one class text": ["a"] * N,
    "three classes": [0, 1, 2, 0, 1, 2],
    "three classes around one": [-1, 0, 1, 0, 1, -1],
    "three classes text": ["a", "b", "c", "a", "b", "c"],
    "text": ["no", "yes", "yes", "no", "no", "yes"],
    "text objects": np.array(["no", "yes", "yes", "no", "no", "yes"], dtype=object),
    "number objects": np.array([0, 1, 1, 0, 0, 1], dtype=object),
    "bytes": np.array([b"a", b"b", b"b", b"a", b"a", b"a"]),
    "pandas category": pd.Series(["no", "yes", "yes", "no", "no", "yes"], dtype="category"),
    "pandas Int64": pd.Series([0, 1, 1, 0, 0, 1], dtype="Int64"),
    "pandas boolean": pd.Series([False, True, True, False, False, True], dtype="boolean"),
    "two columns": [[0, 1]] * N,
}
POS_LABELS = [None, 0, 1, 2, -1, 7, 1.0, True, False, "yes", "a", "1"]


def curve(library: Any, y: Any, pos_label: Any) -> list[bool]:
    """Return which rows a library takes for positive, read off the counts by threshold."""
    tps = library.confusion_matrix_at_thresholds(y, SCORES, pos_label=pos_label)[3]
    return list(np.diff(tps, prepend=0)[::-1] == 1)


def average_precision(library: Any, y: Any, pos_label: Any) -> float:
    options = {} if pos_label is None else {"pos_label": pos_label}
    return float(library.average_precision_score(y, SCORES, **options))


def strict(y: Any, pos_label: Any = None) -> list[bool]:
    """Return the same of a table, which takes nothing for granted."""
    table = fm.ScoreTable.from_scores(y, SCORES, pos_label=pos_label)
    return list(table.positives[::-1] == 1)


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return "value", call()
        except (ValueError, TypeError) as error:
            return "TypeError" if isinstance(error, TypeError) else "ValueError", None


@pytest.mark.parametrize("name", LABELS)
def test_curve(name: str) -> None:
    y = LABELS[name]
    for pos in POS_LABELS:
        found = outcome(functools.partial(curve, fm, y, pos))
        assert found == outcome(functools.partial(curve, peer, y, pos)), repr(pos)


@pytest.mark.parametrize("name", LABELS)
def test_average_precision(name: str) -> None:
    y = LABELS[name]
    for pos in POS_LABELS:
        kind, value = outcome(functools.partial(average_precision, peer, y, pos))
        got, found = outcome(functools.partial(average_precision, fm, y, pos))
        assert got == kind, repr(pos)
        if kind == "value":
            assert found == pytest.approx(value, rel=1e-12), repr(pos)


@pytest.mark.parametrize("name", LABELS)
def test_sorted(name: str) -> None:
    y = LABELS[name]
    kind, value = outcome(lambda: peer.roc_auc_score(y, SCORES))
    got, found = outcome(lambda: fm.roc_auc_score(y, SCORES))
    assert got == kind
    if kind == "value":
        assert found == pytest.approx(value, rel=1e-15, nan_ok=True)


@pytest.mark.parametrize("name", LABELS)
def test_strict_is_the_curve_rule_without_surprises(name: str) -> None:
    """What both accept without a positive label they read alike; objects are ours to convert."""
    y = LABELS[name]
    found = outcome(lambda: strict(y))
    theirs = outcome(lambda: curve(peer, y, None))
    assert found == theirs or name == "number objects"


@pytest.mark.parametrize("name", ["text", "text objects", "pandas category"])
def test_strict_text(name: str) -> None:
    expected = [label == "yes" for label in LABELS["text"]]
    assert strict(LABELS[name], "yes") == expected


def test_strict_wants_two_classes() -> None:
    assert strict([5, 7, 7, 5, 5, 7], 5) == [True, False, False, True, True, False]
    with pytest.raises(ValueError, match=r"3 classes, \{0, 1, 2\}.*y_true == 1.*`multi_class`"):
        strict([0, 1, 2, 0, 1, 2], 1)


def test_pos_label_must_be_a_scalar() -> None:
    with pytest.raises(TypeError, match="`pos_label` must be a number, a boolean or text"):
        fm.ScoreTable.from_scores([0, 1], [0.1, 0.2], pos_label=[1])
