"""The upper hull of a table: by definition, in chunks, weighted, and as isotonic regression."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import engine_sizes
from fastmetrics import ScoreTable
from fastmetrics._threads.workers import at_most
from fastmetrics.tables.score_table import upper_hull
from reference.hull_oracle import hull_ends

COUNTS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), min_size=1, max_size=60
)


def table_of(positives, negatives):
    return ScoreTable.from_counts(np.arange(len(positives), 0, -1), positives, negatives)


def same(left, right):
    names = "ends", "positives", "negatives"
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in names)


@given(COUNTS, st.sampled_from([1, 2, 7, 1000]))
def test_chunks_and_weights_have_the_vertices_of_the_definition(counts, chunk):
    positives, negatives = np.array(counts).T
    table = table_of(positives, negatives)
    with pytest.MonkeyPatch.context() as patch:
        engine_sizes.put(patch, hull_chunk_rows=chunk)
        found = upper_hull(table)
        weighted = upper_hull(table_of(positives * 0.1, negatives * 0.1))
    ends = hull_ends(positives.tolist(), negatives.tolist())
    assert found.ends.tolist() == weighted.ends.tolist() == ends
    assert found.true_positives.tolist() == [0, *np.cumsum(positives)[ends]]
    assert found.false_positives.tolist() == [0, *np.cumsum(negatives)[ends]]
    np.testing.assert_allclose(weighted.positives, found.positives * 0.1, rtol=1e-15, atol=0)


@given(COUNTS)
def test_counts_of_any_size_have_the_same_hull(counts):
    positives, negatives = np.array(counts).T
    scale = 2**55
    small = upper_hull(table_of(positives, negatives))
    large = upper_hull(table_of(positives * scale, negatives * scale))
    assert large.ends.tolist() == small.ends.tolist()
    assert large.positives.tolist() == (small.positives * scale).tolist()


def test_large_counts_are_told_apart_where_floats_are_not():
    n = 2**60
    # Odds of 1 + 1 / n against 1, which as quotients of float64 are one number.
    assert upper_hull(table_of([n + 1, n], [n, n])).ends.tolist() == [0, 1]
    assert upper_hull(table_of([n, n + 1], [n, n])).ends.tolist() == [1]


def test_threads_and_chunks_change_nothing(rng, monkeypatch):
    labels = rng.random(5_000) < 0.3
    scores = rng.normal(size=5_000) + labels
    for weight in (None, rng.random(5_000)):
        table = ScoreTable.from_scores(labels, scores, sample_weight=weight)
        engine_sizes.put(monkeypatch, hull_chunk_rows=300)
        found = []
        for n in (1, 2, 7):
            with at_most(n):
                found.append(upper_hull(table))
        assert same(found[0], found[1])
        assert same(found[0], found[2])
        monkeypatch.undo()
        whole = upper_hull(table)
        assert found[0].ends.tolist() == whole.ends.tolist()
        assert same(found[0], whole)


def test_the_blocks_are_those_of_isotonic_regression(rng):
    isotonic = pytest.importorskip("sklearn.isotonic")
    labels = rng.random(400) < 0.4
    scores = np.round(rng.normal(size=400) + labels, 1)
    for weight in (None, rng.random(400)):
        table = ScoreTable.from_scores(labels, scores, sample_weight=weight)
        found = upper_hull(table)
        fit = found.positives / (found.positives + found.negatives)
        assert np.all(np.diff(fit) < 0)
        lengths = np.diff(found.ends, prepend=-1)
        regression = isotonic.IsotonicRegression().fit(scores, labels, sample_weight=weight)
        np.testing.assert_allclose(
            np.repeat(fit, lengths), regression.predict(table.scores), rtol=1e-12, atol=1e-12
        )


def test_weights_that_are_no_whole_numbers_draw_no_vertex_on_an_edge():
    # 0.1 three times and 0.3 once lie on one line, though 0.1 + 0.1 + 0.1 is not 0.3.
    found = upper_hull(table_of([0.1, 0.1, 0.1, 0.3], [0.1, 0.1, 0.1, 0.3]))
    assert found.ends.tolist() == [3]
    assert found.positives.tolist() == [0.6]


def test_degenerate_tables():
    empty = upper_hull(ScoreTable.from_counts([], [], []))
    assert len(empty.ends) == 0
    assert empty.true_positives.tolist() == [0]
    for one_class in ([3, 1, 1], [0, 0, 0]), ([0, 0, 0], [1, 2, 1]):
        assert upper_hull(table_of(*one_class)).ends.tolist() == [2]
    apart = upper_hull(table_of([2, 3, 0, 0], [0, 0, 1, 4]))
    assert apart.ends.tolist() == [1, 3]
    assert apart.positives.tolist() == [5, 0]
