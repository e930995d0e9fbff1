"""What a call costs when there is little to do: 10 to 1,000 rows, warm."""

from __future__ import annotations

import pytest

import fastmetrics
from benchmarks import naive
from benchmarks.contests import CHECKS, PEERS, TOLERANCE, WORKS, assert_agree
from benchmarks.data import Spec, make

pytestmark = pytest.mark.bench

few = pytest.mark.parametrize("n", [10, 100, 1_000])
kinds = pytest.mark.parametrize("labels", ["int8", "int64"])


@kinds
@few
@pytest.mark.parametrize("work", ["auc", "table", "roc_curve", "weighted auc"])
def test_fastmetrics(timed, n, labels, work):
    spec = Spec(rows=n, labels=labels)
    data = make(spec)
    timed(WORKS[work](data), lambda answer: CHECKS[work](data, answer), f"{work}: {n} rows")


@kinds
@few
@pytest.mark.parametrize(
    ("work", "peer"),
    [
        ("auc", "sklearn auc"),
        ("roc_curve", "sklearn roc_curve"),
        ("weighted auc", "sklearn weighted"),
    ],
)
def test_sklearn(timed, n, labels, work, peer):
    data = make(Spec(rows=n, labels=labels))
    right = WORKS[work](data)()
    CHECKS[work](data, right)
    timed(PEERS[peer](data), lambda answer: assert_agree(answer, right), f"{work}: {n} rows")


@few
def test_lists(timed, n):
    """Python lists, the way a first example is typed."""
    spec = Spec(rows=n)
    data = make(spec)
    labels, scores = data.labels.tolist(), data.scores.tolist()

    def check(answer):
        assert answer == naive.exact_auc(spec)

    timed(lambda: fastmetrics.roc_auc_score(labels, scores), check, f"auc: {n} rows")


@few
def test_mannwhitneyu(timed, n):
    spec = Spec(rows=n)

    def check(answer):
        assert answer == pytest.approx(naive.exact_auc(spec), rel=TOLERANCE)

    timed(PEERS["mannwhitneyu"](make(spec)), check, f"auc: {n} rows")
