"""The pass that splits the classes finds, in any row, the faults that a first sample missed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from table_samples import LARGE, labels_of

from fastmetrics import ScoreTable, rank_loss, roc_auc_score

SIZES = [1_000, LARGE]
WEIGHTS = ["none", "counts", "reals"]
CALLS: dict[str, Callable[..., Any]] = {
    "table": ScoreTable.from_scores,
    "rank_loss": rank_loss,
    "roc_auc_score": roc_auc_score,
}

pytestmark = [
    pytest.mark.parametrize("n", SIZES),
    pytest.mark.parametrize("kind", WEIGHTS),
    pytest.mark.parametrize("name", CALLS),
]


def weights_of(kind: str, n: int) -> NDArray[Any] | None:
    return {"none": None, "counts": np.full(n, 2), "reals": np.full(n, 0.5)}[kind]


def test_minus_one_that_looks_like_zero(rng, name: str, kind: str, n: int) -> None:
    """Every row that the guess looks at is a 1."""
    labels = np.ones(n, np.int8)
    labels[1 : 1 + n // 100] = -1
    labels[:: n // 64 + 1] = 1
    assert (labels == -1).any()
    scores = rng.random(n)
    more = {"sample_weight": weights_of(kind, n)}
    assert CALLS[name](labels, scores, **more) == CALLS[name](labels == 1, scores, **more)


@pytest.mark.parametrize(("late", "dtype"), [(2, np.int8), (2, np.uint8), (-1, np.int8)])
def test_a_third_label_at_the_last_row(
    rng, name: str, kind: str, n: int, late: int, dtype: Any
) -> None:
    labels = labels_of(rng, n, 0.3).astype(dtype)
    scores = rng.random(n)
    labels[-1] = late
    classes = ", ".join(map(str, sorted((0, 1, late))))
    with pytest.raises(ValueError, match=rf"`y_true` has 3 classes, \{{{classes}\}}"):
        CALLS[name](labels, scores, sample_weight=weights_of(kind, n))
