"""Rows enough for every path of the sort, and for several threads: the same bits, and the peers."""

import functools
import inspect
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from samples import assert_close, assert_same, fast, undefined_is_fine

from public import public
from registry import ENTRIES, Entry
from registry.curves import MULTICLASS
from registry.entry import example

Array = np.ndarray[Any, Any]
ROWS = 150_000
SCORES = ("smooth", "three decimals", "one score", "clustered")
#: One for each way to count scores: by pairs, by a table, placements, by points of a curve.
COUNTED = ("roc_auc", "average_precision", "delong", "roc_curve[corners]")


@functools.cache
def scores(kind: str) -> tuple[Array, Array]:
    rng = np.random.default_rng(41)
    labels = (rng.random(ROWS) < 0.3).astype(np.int8)
    actual = rng.normal(labels, 1.0)
    if kind == "three decimals":
        actual = np.round(actual, 3)
    elif kind == "one score":
        actual[:] = 0.5
    elif kind == "clustered":
        actual = np.sort(actual)
        actual[: ROWS // 3 * 2] = 7.0 + np.arange(ROWS // 3 * 2) * 2.0**-49
    return labels, actual


many = functools.cache(functools.partial(example, n=ROWS))


@functools.cache
def counts() -> Array:
    return np.random.default_rng(7).integers(0, 4, ROWS)


def weights_of(weighting: str) -> Array | None:
    return {"none": None, "counts": counts(), "quarters": counts() * 0.1 + 0.05}[weighting]


def has_threads(entry: Entry) -> bool:
    if not entry.function_name:
        return True  # an estimate of `bootstrap`
    return "n_threads" in inspect.signature(public(entry.function_name)).parameters


def weighted(entries: Iterable[Entry]) -> pytest.MarkDecorator:
    """Parametrize by entries, each with every kind of weights that it takes.

    An AUC of several classes is up to twelve of two, which take every path themselves; of all
    classes together, calibration is that of three times the rows.
    """
    both = []
    for entry in entries:
        is_of_several = entry in MULTICLASS or "full]" in entry.name
        both += [(entry, kind) for kind in ("none", *(() if is_of_several else entry.weights))]
    ids = [f"{entry.name}-{kind}" for entry, kind in both]
    return pytest.mark.parametrize(("entry", "weighting"), both, ids=ids)


#: One entry of each function and kind of data: its options do not share out the rows.
THREADED = {(e.function_name or e.name, e.data): e for e in reversed(ENTRIES) if has_threads(e)}


@weighted(THREADED.values())
def test_threads_change_no_bit(entry: Entry, weighting: str) -> None:
    weights = weights_of(weighting)
    data = many(entry.data)
    actual = fast(entry, *data, weights, n_threads=1)
    assert_same(entry, actual, fast(entry, *data, weights, n_threads=3))


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", SCORES)
@weighted(entry for entry in ENTRIES if entry.name in COUNTED)
def test_every_path_of_the_sort_gives_the_same_bits(
    entry: Entry, kind: str, weighting: str
) -> None:
    weights = weights_of(weighting)
    labels, values = scores(kind)
    actual = fast(entry, labels, values, weights, n_threads=1)
    for n_threads in (2, 7):
        assert_same(entry, actual, fast(entry, labels, values, weights, n_threads=n_threads))
    if weighting != "quarters":  # whose sums depend on the order in which they are added
        order = np.random.default_rng(3).permutation(ROWS)
        moved = None if weights is None else weights[order]
        assert_same(entry, actual, fast(entry, labels[order], values[order], moved))


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES if e.peer and e not in MULTICLASS], ids=lambda entry: entry.name
)
def test_agrees_with_its_peer(entry: Entry) -> None:
    weights = counts() if entry.weights and entry.peer_takes_weights else None
    data = many(entry.data)
    actual = fast(entry, *data, weights)
    with undefined_is_fine():
        other = entry.by_peer(*data, weights)
    assert_close(entry, actual[: len(other)], other)
