"""What a call costs when there is little to do, and what comes before the first one.

Warm calls of 10 to 1,000 rows; then imports, the first call, whole processes and memory, each in
processes of their own.
"""

from __future__ import annotations

from functools import partial

import pytest

import fastmetrics
from benchmarks.speed import naive
from benchmarks.speed.contests import CHECKS, PEERS, TOLERANCE, WORKS, assert_agree
from benchmarks.speed.data import ANY_DATA, Spec, make
from benchmarks.speed.processes import STOPWATCHES, Workshop
from benchmarks.speed.small import FUNCTIONS

pytestmark = pytest.mark.bench

few = pytest.mark.parametrize("n", [10, 100, 1_000])
kinds = pytest.mark.parametrize("labels", ["int8", "int64"])
names = pytest.mark.parametrize("name", FUNCTIONS)

ROUNDS = 3
#: What one probe may take beyond what it takes a row: threads' stacks, buffers of the partition.
FIXED_BYTES = 16e6


@kinds
@few
@pytest.mark.parametrize("work", ["auc", "table", "roc_curve", "weighted auc"])
def test_scores(timed, n, labels, work):
    data = make(Spec(rows=n, labels=labels))
    timed(WORKS[work](data), partial(CHECKS[work], data), f"{work}: {n} rows")


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
def test_scores_by_sklearn(timed, n, labels, work, peer):
    data = make(Spec(rows=n, labels=labels))
    right = WORKS[work](data)()
    CHECKS[work](data, right)
    timed(PEERS[peer](data), lambda answer: assert_agree(answer, right), f"{work}: {n} rows")


@few
@names
def test_small(timed, n, name):
    data, work = make(Spec(rows=n, labels="int64")), f"small {name}"
    timed(WORKS[work](data), partial(CHECKS[work], data), f"{name}: {n} rows")


@few
@names
def test_small_by_sklearn(timed, n, name):
    data = make(Spec(rows=n, labels="int64"))
    right = WORKS[f"small {name}"](data)()
    work = PEERS[f"sklearn small {name}"](data)
    timed(work, lambda answer: assert_agree(answer, right), f"{name}: {n} rows")


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


# --- processes -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("processes"), 1_000_000)


def group_of(name: str) -> str:
    if name.startswith("import"):
        return "import"
    return "fresh process, load and AUC" if name.startswith("process") else name


@pytest.mark.parametrize("name", STOPWATCHES)
def test_process(benchmark, shop, request, name):
    """The clock is the stopwatch's own: an import is timed inside the interpreter.

    Answers are checked by the stopwatches themselves.
    """
    rows = min(1_000_000, request.config.getoption("--rows"))
    watch = STOPWATCHES[name](shop, Spec(rows=rows))
    watch()
    inside = []
    benchmark.group = group_of(name)
    benchmark.pedantic(lambda: inside.append(watch()), rounds=ROUNDS, iterations=1)
    benchmark.extra_info["seconds inside"] = inside
    assert all(taken > 0 for taken in inside)


@pytest.mark.sizes(1_000_000, 10_000_000)
@pytest.mark.parametrize("kind", ["continuous", *ANY_DATA])
def test_extra_memory(benchmark, shop, rows, kind):
    spec = Spec(kind, rows)
    benchmark.group = f"extra memory, {rows:,} rows"
    found = benchmark.pedantic(lambda: shop.extra_memory(spec), rounds=1, iterations=1)
    shop.forget(spec)
    benchmark.extra_info["bytes a row"] = found
    assert found * rows <= 12 * rows + FIXED_BYTES
