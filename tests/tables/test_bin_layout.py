"""``BinLayout``: bins of bits, bins that are learnt, and the search that finds them."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from table_samples import KINDS

from fastmetrics._kernels import buckets as kernels
from fastmetrics.streams import BinLayout, BinnedScoreTable
from fastmetrics.tables.bin_layout import _knots

FINITE = [kind for kind in KINDS if not kind.startswith(("infin", "int64", "uint64"))]
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def counts_of(layout: BinLayout, scores: Any) -> np.ndarray:
    """Return how many scores each bin of a table has, by the search that a table uses."""
    table = BinnedScoreTable(layout, first_rows=0)
    table.update(np.zeros(len(scores), np.int8), scores, allow_inf=True)
    return table._bins.counts[::2]  # type: ignore[union-attr]


@pytest.mark.parametrize("n", [1, 2, 3, 64, 1_001, 123_456])
def test_ranks_that_edges_lie_between_have_both_ends_and_are_finer_towards_them(n: int) -> None:
    ranks = _knots(n)
    assert (ranks[0], ranks[-1]) == (0, n - 1)
    assert (n - 1 - ranks[::-1] == ranks).all()
    steps = np.diff(ranks)[: len(ranks) // 2]
    assert (steps >= 1).all()
    assert (np.diff(steps[:-1]) >= 0).all()  # the one in the middle is what is left


@given(st.lists(FLOATS, max_size=40), st.lists(st.floats(allow_nan=False), min_size=1, max_size=60))
def test_every_search_finds_the_bin(edges: list[float], scores: list[float]) -> None:
    layout = BinLayout(np.unique(edges))
    with np.errstate(over="ignore"):
        values = np.r_[scores, layout.edges, np.nextafter(layout.edges, -np.inf)]
    expected = np.bincount(layout.bins(values), minlength=layout.n_bins)
    np.testing.assert_array_equal(counts_of(layout, values), expected)


@pytest.mark.parametrize("kind", FINITE)
@pytest.mark.parametrize("n_bins", [2, 3, 64, 4096])
def test_learnt_bins_share_the_rows(rng: Any, kind: str, n_bins: int) -> None:
    scores = KINDS[kind](rng, 3_000)
    layout = BinLayout.learn(scores, n_bins=n_bins)
    assert layout == BinLayout.learn(scores[::-1], n_bins=n_bins)
    assert layout.n_bins <= n_bins
    values = np.unique(scores)
    narrow = np.nextafter(layout.edges[:-1], np.inf) == layout.edges[1:]
    recur = len(scores) - np.count_nonzero(np.unique(scores, return_counts=True)[1] == 1)
    if 2 * len(values) < n_bins and 2 * recur >= len(scores):  # each value alone
        assert set(values) <= set(layout.edges)
        assert np.count_nonzero(narrow) >= len(values)
        return
    counts = np.bincount(layout.bins(scores), minlength=layout.n_bins)
    assert counts[~np.r_[False, narrow, False]].max() <= 4 * len(scores) / n_bins + 1


def test_frequent_values_are_alone() -> None:
    scores = np.r_[np.full(500, 0.5), np.full(200, 1.0), np.linspace(0, 1, 1_000)]
    layout = BinLayout.learn(scores, n_bins=100)
    for value in (0.5, 1.0):
        assert {value, float(np.nextafter(value, 2))} <= set(layout.edges.tolist())
    assert np.bincount(layout.bins(scores[(scores != 0.5) & (scores != 1.0)])).max() <= 15


@pytest.mark.parametrize("share", [0.01, 0.3])
def test_learnt_bins_serve_average_precision(rng: Any, share: float) -> None:
    """Widths of the default bins: within 1.7 of the least of any bins of this number."""
    n = 1_000_000
    labels = (rng.random(n) < share).astype(np.int8)
    scores = rng.random(n) ** np.where(labels, 0.5, 1.0)
    table = BinnedScoreTable(BinLayout.learn(scores[:65_536], n_bins=8_192))
    table.update(labels, scores)
    # Rows above: u; positives among the rows at u and above it: q and precision.
    score = (np.arange(1_000_000) + 0.5) / 1_000_000
    tpr = 1 - score**2
    fpr = 1 - score
    density = 2 * score
    u = share * tpr + (1 - share) * fpr
    here = share * density + (1 - share)
    q = share * density / here
    precision = share * tpr / u
    weight = q * (q * (1 - precision) / 2 + (1 - q) * precision) / (share * u)
    least = np.mean(np.sqrt(weight) * here) ** 2 / 8_192
    assert 0.8 * least < table.average_precision().width < 1.7 * least
    assert table.roc_auc().width < 1.5 / 8_192
    assert table.ks_statistic().width < 2 / 8_192


def test_a_small_sample_makes_many_bins(rng: Any) -> None:
    scores = rng.normal(size=200_000)
    layout = BinLayout.learn(scores[:2_000])
    assert layout.n_bins > 30_000
    shares = np.bincount(layout.bins(scores), minlength=layout.n_bins) / len(scores)
    assert (shares**2).sum() < 4 / layout.n_bins  # 1 where all are alike
    assert scores[:2_000].max() < layout.edges[-1] < 10


def test_a_sample_of_single_precision_is_learnt_exactly(rng: Any) -> None:
    """A value that recurs is alone among doubles: the next float is far away."""
    scores = np.r_[np.full(900, np.float32(0.3)), rng.random(100, np.float32)].astype(np.float32)
    layout = BinLayout.learn(scores, n_bins=64)
    assert layout == BinLayout.learn(scores.astype(np.float64), n_bins=64)
    value = float(np.float32(0.3))
    assert {value, float(np.nextafter(value, 1.0))} <= set(layout.edges.tolist())


def test_edges_as_far_apart_as_can_be_warn_of_nothing(monkeypatch: Any) -> None:
    """Also where kernels are not compiled yet, and run as plain Python."""
    monkeypatch.setattr(kernels, "octave_cells", kernels.octave_cells.py_func)
    layout = BinLayout([-1.79e308, -1.78e308, 1.7e308, np.inf])
    assert counts_of(layout, [-1.79e308, 1e308, 1.75e308, np.inf]).tolist() == [0, 1, 1, 1, 1]


def test_the_largest_numbers_are_alone_too() -> None:
    most = float(np.finfo(np.float64).max)
    layout = BinLayout.learn([-most, 0.0, most, most])
    table = BinnedScoreTable(layout, first_rows=0)
    table.update([0, 1, 1, 0], [-most, most, most, 0.0])
    assert table.is_exact
    assert layout.edges[-1] == np.inf


def test_bits_are_those_of_numbers() -> None:
    layout = BinLayout.of_bits()
    assert layout.n_bins == 2**15
    octave = layout.edges[(layout.edges >= 1.0) & (layout.edges < 2.0)]
    np.testing.assert_array_equal(octave, 1 + np.arange(128) / 128)
    np.testing.assert_array_equal(layout.edges, -layout.edges[::-1])
    assert layout.edges[-1] == 2.0**63 * (1 + 127 / 128)
    assert layout.bins([-1e-300, 0.0, 1e-300, 1e300]).tolist() == [16383, 16384, 16384, 32767]
    for n_bins in (1024, 2048, 65536):
        assert BinLayout.of_bits(n_bins=n_bins).n_bins == n_bins


FAULTS = {
    "text": (["a"], TypeError, "real numbers"),
    "matrix": ([[1.0, 2.0], [3.0, 4.0]], ValueError, r"shape \(n,\)"),
    "nan": ([0.0, np.nan], ValueError, "`edges` must be finite: nan at index 1"),
    "falling": ([1.0, 2.0, 0.5], ValueError, "`edges` must rise: 2.0, 0.5 at index 1"),
    "twice": ([0.0, -0.0], ValueError, "`edges` must rise: 0.0, -0.0 at index 0"),
    "many": (np.arange(65_536.0), ValueError, "at most 65,535 `edges`"),
    "integers": ([0, 2**53 + 2], ValueError, "integers beyond"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_edges_are_checked(fault: str) -> None:
    edges, error, message = FAULTS[fault]
    with pytest.raises(error, match=message):
        BinLayout(edges)


def test_options_are_checked() -> None:
    for n_bins in (1, 65_537):
        with pytest.raises(ValueError, match="`n_bins`"):
            BinLayout.learn([1, 2], n_bins=n_bins)
    for n_bins in (512, 1025, 2**17):
        with pytest.raises(ValueError, match="`n_bins`"):
            BinLayout.of_bits(n_bins=n_bins)
    with pytest.raises(ValueError, match="`scores` must be finite: nan"):
        BinLayout.learn([np.nan])


def test_layouts_are_values() -> None:
    one = BinLayout([0, 0.5])
    two = BinLayout(np.array([0.0, 0.5]))
    assert one == two
    assert hash(one) == hash(two)
    assert one.name == two.name
    assert one != BinLayout([0.0, 0.5, 1.0])
    assert one != "layout"
    assert repr(one) == f"BinLayout(3 bins, {one.name})"
    for again in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert again == one
    edges = np.array([0.0, 0.5])
    layout = BinLayout(edges)
    edges[0] = -1
    assert layout == one
    assert not layout.edges.flags.writeable
    assert BinLayout([]).n_bins == 1
    assert BinLayout.learn([np.inf, -np.inf]).n_bins == 1
