"""Tens of millions of rows, each case in a process of its own so that its memory can be read.

``python -m pytest -m large tests/tables/test_large.py``
"""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

pytestmark = [
    pytest.mark.large,
    pytest.mark.skipif(os.name != "posix", reason="reads its memory as POSIX does"),
]

MOST_MEMORY = 3 * 2**30

PROGRAM = """
import json, resource, sys
import numpy as np
from fastmetrics import ScoreTable, rank_loss, roc_auc_score

def unit_of_memory():
    return 1 if sys.platform == "darwin" else 1024

def report(**found):
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit_of_memory()
    print(json.dumps({"memory": memory, **found}), flush=True)

def twice_concordant(labels, scores):
    # Each positive finds its place among the sorted negatives: nothing of ours.
    negative, positive = np.sort(scores[labels == 0]), np.sort(scores[labels == 1])
    below = np.searchsorted(negative, positive, "left")
    not_above = np.searchsorted(negative, positive, "right")
    return int(below.sum()) + int(not_above.sum())

rng = np.random.default_rng(20_080_615)
"""


def start(text: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PROGRAM + text],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def reported(text: str) -> dict[str, Any]:
    process = start(text)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def test_float32_scores_count_beyond_2_to_24() -> None:
    """Row 47: a float32 counter would stop at 16,777,216."""
    actual = reported("""
n = 2**25 + 77
labels = np.zeros(n, np.int8)
labels[: 2**24 + 5] = 1
scores = np.full(n, 0.5, np.float32)
scores[-3:] = 0.25
table = ScoreTable.from_scores(labels, scores)
report(
    scores=table.scores.tolist(), positives=table.positives.tolist(),
    negatives=table.negatives.tolist(), true_positives=table.true_positives.tolist(),
    auc=roc_auc_score(labels, scores), of_table=roc_auc_score(table),
    loss=rank_loss(labels, scores), same=str(table.scores.dtype),
)
""")
    n_positive, n_negative = 2**24 + 5, 2**24 + 72
    tied = n_positive * (n_negative - 3)
    won = n_positive * 3
    assert actual["scores"] == [0.5, 0.25]
    assert actual["positives"] == [n_positive, 0]
    assert actual["negatives"] == [n_negative - 3, 3]
    assert actual["true_positives"] == [n_positive, n_positive]
    assert actual["auc"] == actual["of_table"] == (2 * won + tied) / (2 * n_positive * n_negative)
    assert actual["loss"] == tied / (2 * n_positive * n_negative)
    assert actual["same"] == "float32"
    assert actual["memory"] < MOST_MEMORY


DISTRIBUTIONS = {
    "normal": "rng.standard_normal(n)",
    "beta": "rng.beta(0.1, 0.1, n)",
    "saturated sigmoid": "1 / (1 + np.exp(-40 * rng.standard_normal(n)))",
    "float32": "rng.standard_normal(n, np.float32)",
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_forty_million_rows(name: str) -> None:
    """AUC equals what plain searching finds, in an engine that stays below its memory."""
    actual = reported(f"""
n = 4 * 10**7
scores = {DISTRIBUTIONS[name]}
labels = (rng.random(n, np.float32) < 0.3).astype(np.int8)
auc, loss = roc_auc_score(labels, scores), rank_loss(labels, scores)
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit_of_memory()
twice, n_positive = twice_concordant(labels, scores), int(labels.sum())
report(auc=auc, loss=loss, engine=memory, twice=twice, n_positive=n_positive)
""")
    pairs = actual["n_positive"] * (4 * 10**7 - actual["n_positive"])
    assert actual["auc"] == actual["twice"] / (2 * pairs)
    assert actual["loss"] == (2 * pairs - actual["twice"]) / (2 * pairs)
    assert actual["engine"] < MOST_MEMORY


def test_a_table_of_forty_million_rows() -> None:
    """Integer scores: the table is what counting them gives."""
    actual = reported("""
n = 4 * 10**7
scores = rng.integers(0, 10**6, n)
labels = (rng.random(n, np.float32) < 0.3).astype(np.int8)
table = ScoreTable.from_scores(labels, scores + 2**60)
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit_of_memory()
positives = np.bincount(scores[labels == 1], minlength=10**6)[::-1]
negatives = np.bincount(scores[labels == 0], minlength=10**6)[::-1]
there = positives + negatives > 0
report(
    engine=memory,
    same=bool(
        np.array_equal(table.scores, (2**60 + np.arange(10**6)[::-1])[there])
        and np.array_equal(table.positives, positives[there])
        and np.array_equal(table.negatives, negatives[there])
    ),
)
""")
    assert actual["same"]
    assert actual["engine"] < MOST_MEMORY
