"""``DecayedConfusionMatrix``: weights that halve, by definition, after streams of any length."""

from __future__ import annotations

import functools
import threading
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from confusion_samples import KINDS, batches, columns, state
from hypothesis import given, strategies as st

from fastmetrics import ConfusionMatrix, accuracy_score
from fastmetrics.streams import DecayedConfusionMatrix
from grids import few_examples

#: Relative error of a cell: the bound of compensated chunks, and of a few roundings.
CLOSE = 2.0**-49


@functools.cache
def weight(age: int, half_life: float) -> Decimal:
    """Return 2**(-age / half_life) to 40 digits."""
    with localcontext() as context:
        context.prec = 60
        share = Fraction(age) / Fraction(half_life)
        whole = share.numerator // share.denominator
        rest = share - whole
        power = Decimal(rest.numerator) / Decimal(rest.denominator)
        return Decimal(2) ** -power * Decimal(2) ** -whole


def by_definition(some: list[list[Any]], half_life: float, per: str, labels: Any) -> np.ndarray:
    """Return the sums of weights, row by row in decimals."""
    cells = {(t, p): Decimal(0) for t in labels for p in labels}
    n_rows = sum(map(len, some))
    row = 0
    for number, rows in enumerate(some):
        for t, p, *_ in rows:
            age = n_rows - 1 - row if per == "row" else len(some) - 1 - number
            cells[t, p] += weight(age, half_life)
            row += 1
    return np.array([[float(cells[t, p]) for p in labels] for t in labels])


HALF_LIVES = st.sampled_from([0.01, 0.3, 1, 2, 7.7, 100, 1e9, 1e300])


@pytest.mark.parametrize("per", ["row", "batch"])
@pytest.mark.parametrize("kind", KINDS)
@few_examples
@given(st.data())
def test_weights_halve(kind, per, data) -> None:
    labels, make = KINDS[kind]
    half_life = data.draw(HALF_LIVES)
    lately = DecayedConfusionMatrix(half_life, per=per)
    so_far = []
    for rows in data.draw(batches(labels)):
        y, p, _ = columns(rows, make)
        lately.update(y, p)
        pairs = list(zip(np.asarray(y).tolist(), np.asarray(p).tolist(), strict=True))
        so_far.append(pairs)
        matrix = lately.matrix
        seen = {label for batch in so_far for pair in batch for label in pair}
        assert seen <= set(matrix.labels)
        assert len(matrix.labels) <= max(2, len(seen))
        wanted = by_definition(so_far, half_life, per, matrix.labels)
        wanted[wanted < 2.0**-250] = 0
        np.testing.assert_allclose(matrix.counts, wanted, rtol=CLOSE)
        assert matrix.is_weighted
        assert matrix.weight_exponent == 0
    assert lately.n_seen == sum(map(len, so_far))


@given(batches(st.sampled_from(["c", "a", "b"])), st.permutations(["a", "b", "c", "never"]))
def test_given_labels(some, order) -> None:
    lately = DecayedConfusionMatrix(3, labels=order)
    for rows in some:
        lately.update(*columns(rows)[:2])
    assert lately.matrix.labels == tuple(order)
    wanted = by_definition(some, 3, "row", order)
    np.testing.assert_allclose(lately.matrix.counts, wanted, rtol=CLOSE)


@given(batches(st.integers(0, 2)), st.sampled_from([0.5, 3, 50.5]), st.integers(1, 9))
def test_where_batches_end_does_not_matter(some, half_life, size) -> None:
    rows = [row for batch in some for row in batch]
    ends = []
    for step in (len(rows), 1, size):
        lately = DecayedConfusionMatrix(half_life, labels=range(3))
        for start in range(0, len(rows), step):
            lately.update(*columns(rows[start : start + step])[:2])
        ends.append(lately.matrix.counts)
    np.testing.assert_allclose(ends[1], ends[0], rtol=CLOSE)
    np.testing.assert_allclose(ends[2], ends[0], rtol=CLOSE)


def test_a_long_stream_keeps_its_digits() -> None:
    """A geometric series: every cell is known in closed form."""
    half_life, steps = 500.5, 3_000
    lately = DecayedConfusionMatrix(half_life, labels=[0, 1])
    lately.update([0], [1])  # once, then never again
    for _ in range(steps):
        lately.update([1], [1])
    counts = lately.matrix.counts
    with localcontext() as context:
        context.prec = 60
        ratio = weight(1, half_life)
        series = (1 - ratio**steps) / (1 - ratio)
        once = weight(steps, half_life)
    assert abs(counts[1, 1] / float(series) - 1) < CLOSE
    assert abs(counts[0, 1] / float(once) - 1) < CLOSE


@pytest.mark.parametrize("half_life", [0.001, 0.1, 1e-300])
def test_a_stream_of_very_many_half_lives(half_life) -> None:
    lately = DecayedConfusionMatrix(half_life)
    lately.update([0, 1, 2], [0, 1, 2])
    with np.errstate(all="raise"):
        for k in range(1_000):
            lately.update([k % 2], [1])
    assert lately.matrix.labels == (0, 1, 2)
    counts = lately.matrix.counts
    rest = float(weight(1, half_life)) if half_life == 0.1 else 0.0
    series = 1 / (1 - rest * rest)  # every other row
    np.testing.assert_allclose(counts[:2, 1], [rest * series, series], rtol=CLOSE)
    assert not counts[2].any()
    assert accuracy_score(lately.matrix) == pytest.approx(1 / (1 + rest))


def test_years_of_batches() -> None:
    """More rows than any double tells apart, had their number been the weight."""
    lately = DecayedConfusionMatrix(10, per="batch", labels=[0, 1])
    for _ in range(2_000):
        lately.update([0, 1, 1], [0, 1, 0])
    sums = 1 / (1 - 2.0**-0.1)
    wanted = np.array([[sums, 0], [sums, sums]])
    np.testing.assert_allclose(lately.matrix.counts, wanted, rtol=CLOSE)
    assert abs(lately._now.sums.n) < 6 * sums, "kept in units of the present"


def test_very_long_half_lives_count_all_alike(rng) -> None:
    y, p = rng.integers(0, 3, (2, 50_000))
    lately = DecayedConfusionMatrix(1e300)
    for start in range(0, 50_000, 9_999):
        lately.update(y[start : start + 9_999], p[start : start + 9_999])
    assert lately.matrix.counts.tolist() == ConfusionMatrix.from_labels(y, p).counts.tolist()


def test_a_big_batch_against_a_plain_sum(rng) -> None:
    y, p = rng.integers(0, 3, (2, 100_000))
    lately = DecayedConfusionMatrix(20_000.5)
    lately.update(y, p)
    wanted = np.zeros((3, 3), np.longdouble)
    weights = np.exp2(-np.arange(100_000)[::-1].astype(np.longdouble) / np.longdouble(20_000.5))
    np.add.at(wanted, (y, p), weights)
    np.testing.assert_allclose(lately.matrix.counts, wanted.astype(float), rtol=2.0**-40)


def test_what_is_refused_changes_nothing() -> None:
    for options in ({}, {"labels": [2, 0, 1]}):
        lately = DecayedConfusionMatrix(3, **options)
        lately.update([0, 1, 2], [0, 0, 0])
        before = state(lately.matrix)
        bad = [([0], [0, 1]), ([], []), ([0], ["a"]), (["a"], ["b"]), ([0, np.nan], [0, 1])]
        for y, p in bad + ([([0, 7], [0, 0])] if options else []):
            with pytest.raises((ValueError, TypeError), match=r"`y_|lengths|text"):
                lately.update(y, p)
            assert state(lately.matrix) == before
            assert lately.n_seen == 3


@pytest.mark.parametrize(
    ("half_life", "options", "error", "match"),
    [
        (0, {}, ValueError, "`half_life` must be positive and finite"),
        (-1, {}, ValueError, "`half_life`"),
        (np.nan, {}, ValueError, "`half_life`"),
        (np.inf, {}, ValueError, "`half_life`"),
        ("5", {}, TypeError, "`half_life` must be a number"),
        (True, {}, TypeError, "`half_life`"),
        (5, {"per": "day"}, ValueError, "`per` must be one of"),
        (5, {"labels": ["a", "a"]}, ValueError, "'a' comes twice"),
        (5, {"new_labels": "raise"}, ValueError, "needs `labels`"),
    ],
)
def test_options_are_judged(half_life, options, error, match) -> None:
    with pytest.raises(error, match=match):
        DecayedConfusionMatrix(half_life, **options)


def test_copies_and_snapshots_go_on_by_themselves() -> None:
    lately = DecayedConfusionMatrix(2.5, per="batch")
    assert lately.matrix == ConfusionMatrix()
    lately.update(["a"], ["b"])
    other, matrix = lately.copy(), lately.matrix
    before = state(matrix)
    other.update(["c"], ["c"])
    assert state(lately.matrix) == state(matrix) == before
    matrix.update(["a"], ["a"])
    assert state(lately.matrix) == before
    assert (other.half_life, other.per, other.n_seen, other.new_labels) == (
        2.5,
        "batch",
        2,
        "extend",
    )
    assert other.matrix.labels == ("a", "b", "c")
    other.reset()
    assert (other.n_seen, other.matrix) == (0, ConfusionMatrix())
    other.update([5], [6])  # of any kind again
    assert other.matrix.n == 1


def test_threads() -> None:
    lately = DecayedConfusionMatrix(1e300, per="batch")

    def update(label: int) -> None:
        for _ in range(100):
            lately.update([label] * 3, [label] * 3)
            assert lately.matrix.n % 3 == 0

    threads = [threading.Thread(target=update, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lately.n_seen == 1_200
    assert lately.matrix.counts.tolist() == np.diag([300.0] * 4).tolist()
