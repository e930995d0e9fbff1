"""Texts count by their value at every entry point, whatever NumPy makes of them."""

import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fastmetrics as fm
from fastmetrics.errors import InputError, InputTypeError


class Animal(str, enum.Enum):  # noqa: UP042  (as users write it: NumPy cuts what it prints)
    CAT = "cat"
    DOG = "dog"


class Text(str):
    __slots__ = ()


N = 80
CODES = np.arange(N) * 7 % 3 % 2
TRUE, CALLED = (["cat" if code else "dog" for code in codes] for codes in (CODES, CODES[::-1]))
SCORES = np.arange(N) * 13 % 17 / 17
MODELS: Any = {"cat": SCORES, "dog": SCORES[::-1]}

AS_MEMBERS = lambda texts: [Animal(text) for text in texts]  # noqa: E731
BOXES: dict[str, Callable[[list[str]], Any]] = {
    "list": AS_MEMBERS,
    "tuple": lambda texts: tuple(AS_MEMBERS(texts)),
    "column": lambda texts: [[member] for member in AS_MEMBERS(texts)],
    "objects": lambda texts: np.array(AS_MEMBERS(texts), object),
    "pandas": lambda texts: pd.Series(AS_MEMBERS(texts)),
    "categories": lambda texts: pd.Series(AS_MEMBERS(texts), dtype="category"),
    "subclass": lambda texts: [Text(text) for text in texts],
    "np.str_": lambda texts: [np.str_(text) for text in texts],
}
DOORS: dict[str, Callable[[Any, Any], Any]] = {
    "accuracy": fm.accuracy_score,
    "kappa": fm.cohen_kappa_score,
    "confusion matrix": lambda true, called: fm.confusion_matrix(true, called).tolist(),
    "table": lambda true, called: fm.ConfusionMatrix.from_labels(true, called),
    "roc_auc": lambda true, _: fm.roc_auc_score(true, SCORES),
    "pos_label": lambda true, _: fm.average_precision_score(true, SCORES, pos_label=true[0]),
    "estimate": lambda true, called: fm.estimate(true, called, metrics="accuracy"),
    "groups": lambda groups, _: fm.estimate(CODES, SCORES, metrics="roc_auc", groups=groups[:N]),
    "slices": lambda values, _: fm.evaluate(CODES, SCORES, slices={"k": values}).slices,
    "query": lambda query, _: fm.ranking.ndcg(CODES, SCORES, query=query),
    "names": lambda true, _: fm.compare(
        CODES, dict(zip(true[:2], MODELS.values(), strict=True)), metrics="roc_auc"
    ),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("box", BOXES)
@pytest.mark.filterwarnings("ignore")
def test_members_of_an_enumeration_are_their_values(box: str, door: str) -> None:
    if door in ("pos_label", "names", "estimate") and box in ("column", "pandas", "categories"):
        pytest.skip("these have no first member, and estimate takes no column")
    call = DOORS[door]
    assert repr(call(BOXES[box](TRUE), BOXES[box](CALLED))) == repr(call(TRUE, CALLED))


NULS = ["a\0", "a"] * (N // 2)


@pytest.mark.parametrize("door", [name for name in DOORS if name not in ("pos_label", "names")])
@pytest.mark.parametrize(
    "box",
    [
        list,
        lambda texts: np.array(texts, object),
        lambda texts: pd.Series(texts, dtype="category"),
        pl.Series,
        pa.array,
    ],
)
def test_text_that_ends_with_nul_is_refused(box: Callable[[list[str]], Any], door: str) -> None:
    with pytest.raises(InputError, match=r"NUL character.*'a\\x00'"):
        DOORS[door](box(NULS), box(NULS))


@pytest.mark.parametrize("values", [[b"a", "a"], ["a", 1], [["a"], [b"a"]]])
def test_bytes_and_mixtures_are_refused(values: Any) -> None:
    with pytest.raises(InputTypeError, match=r"mixes text with|dtype \|S2"):
        fm.accuracy_score(values, ["a", "a"])
