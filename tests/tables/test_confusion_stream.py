"""``ConfusionMatrix`` as a stream: any batches are the whole, merging has laws, labels join."""

import itertools

import numpy as np
import pytest
from confusion_samples import KINDS, batches, check, columns, state, whole
from hypothesis import given, strategies as st

import engine_sizes
from fastmetrics import (
    ConfusionMatrix,
    balanced_accuracy_score,
    confusion_matrix,
    matthews_corrcoef,
)
from fastmetrics.errors import DataConversionWarning, UndefinedMetricWarning
from grids import few_examples

# --- batches -----------------------------------------------------------------------------------


@pytest.mark.pairwise
@pytest.mark.parametrize("weighting", ["none", "counts", "importances"])
@pytest.mark.parametrize("kind", KINDS)
@few_examples
@given(st.data())
def test_batches_are_the_whole(kind, weighting, data) -> None:
    labels, make = KINDS[kind]
    some = data.draw(batches(labels, weighted=weighting != "none"))
    scale = 8 if weighting == "importances" else 1
    matrix = ConfusionMatrix()
    for rows in some:
        y, p, w = columns(rows, make)
        weights = None if weighting == "none" else [k / scale for k in w] if scale > 1 else w
        matrix.update(y, p, weights)
    y, p, w = columns(whole(some), make)
    if weighting == "none":
        w = [1] * len(w)
    check(matrix, list(zip(y, p, w, strict=True)), scale=scale)
    assert matrix.is_weighted == (scale > 1)
    assert matrix.counts.dtype == (np.float64 if scale > 1 else np.int64)
    weights = None if weighting == "none" else np.array(w) / scale if scale > 1 else w
    at_once = ConfusionMatrix.from_labels(y, p, sample_weight=weights)
    assert (matrix.labels, matrix.counts.tolist()) == (at_once.labels, at_once.counts.tolist())
    assert list(map(type, matrix.labels)) == list(map(type, at_once.labels))
    assert matrix == at_once


@given(st.data())
def test_batches_of_given_labels(data) -> None:
    some = data.draw(batches(st.sampled_from(["c", "a", "b"])))
    order = tuple(data.draw(st.permutations(["a", "b", "c", "never"])))
    matrix = ConfusionMatrix(order)
    for rows in some:
        matrix.update(*columns(rows)[:2])
    assert matrix.labels == order
    check(matrix, [(t, p, 1) for t, p, _ in whole(some)])


@given(batches(st.integers(0, 3)), batches(st.sampled_from([0.0, 1.0, 4.0])))
def test_kinds_of_numbers_mix(integers, floats) -> None:
    matrix = ConfusionMatrix()
    rows = []
    for some in itertools.chain(*itertools.zip_longest(integers, floats, fillvalue=[])):
        parts = [("i2", some), (">i8", some), ("f4", some), ("u8", some)]
        for dtype, part in parts if some else []:
            y, p, _ = columns(part, lambda y, to=dtype: np.array(y).astype(to))
            matrix.update(y, p)
            rows += [(t, q, 1) for t, q in zip(y.tolist(), p.tolist(), strict=True)]
        if some and {t for t, *_ in some} <= {0, 1}:
            y, p, _ = columns(some)
            matrix.update(np.array(y) == 1, p)  # booleans beside numbers
            rows += [(t == 1, q, 1) for t, q in zip(y, p, strict=True)]
    check(matrix, rows)


def test_a_stream_without_rows() -> None:
    matrix = ConfusionMatrix()
    assert (matrix.labels, matrix.n, matrix.counts.shape) == ((), 0, (0, 0))
    assert matrix.counts.dtype == np.int64
    assert [len(each) for each in matrix.margins] == [0, 0, 0]
    assert repr(matrix) == "ConfusionMatrix(0 classes; n=0, 0 correct)"
    assert "<table>" in matrix._repr_html_()
    assert matrix == matrix.copy() == matrix + matrix == sum([matrix]) == matrix.reversed()
    with pytest.raises(ValueError, match="`tp` is for two classes, and this matrix has 0"):
        _ = matrix.tp
    assert confusion_matrix(matrix).sum() == 0


def test_half_of_a_pair_is_completed_in_every_view() -> None:
    for label, pair in itertools.product((1, 0, -1, True, 1.0), ((0, 1), (-1, 1))):
        if (label == -1) != (pair == (-1, 1)):
            continue
        matrix = ConfusionMatrix()
        matrix.update([label] * 3, [label] * 3)
        at = pair.index(label)
        wanted = np.zeros((2, 2), int)
        wanted[at, at] = 3
        assert matrix.labels == pair
        assert set(map(type, matrix.labels)) == {type(label)}
        assert matrix.counts.tolist() == wanted.tolist()
        assert matrix.margins.true.tolist() == wanted.sum(axis=1).tolist()
        assert (matrix.tp, matrix.tn) == (wanted[1, 1], wanted[0, 0])
        turned = matrix.reversed()
        assert turned.labels == pair[::-1]
        assert turned.counts.tolist() == wanted[::-1, ::-1].tolist()
        matrix.update([label, 7], [7, 7])  # no pair any more
        assert matrix.labels == tuple(sorted({label, 7}))
        assert matrix.n == 5


# --- new labels --------------------------------------------------------------------------------


def test_new_labels_are_refused_or_taken_in() -> None:
    fixed = ConfusionMatrix(["no", "yes"])
    fixed.update(["no"], ["yes"])
    before = state(fixed)
    for n in (1, 100):  # both ways of counting
        with pytest.raises(ValueError, match=f"`y_pred` holds the label 'maybe', .* index {n}, "):
            fixed.update(["no"] * n + ["yes"], ["yes"] * n + ["maybe"])
        assert state(fixed) == before
    growing = ConfusionMatrix()
    growing.update(["yes", "no"], ["yes", "no"])
    growing.update(["no", "yes"], ["yes", "maybe"])
    assert growing.labels == ("maybe", "no", "yes")
    assert growing.counts.tolist() == [[0, 0, 0], [0, 1, 1], [1, 0, 1]]
    growing.reset()
    assert growing.labels == ()
    fixed.reset()
    assert (fixed.labels, fixed.n) == (("no", "yes"), 0)


@pytest.mark.parametrize("labels", [None, ("a",)])
def test_a_row_of_weight_0_brings_no_label(labels) -> None:
    for n, make in itertools.product((2, 300), (list, lambda y: np.array(y, object))):
        y = make(["a"] * (n - 1) + ["b"])
        matrix = ConfusionMatrix(labels)
        matrix.update(y, y, sample_weight=[1] * (n - 1) + [0])
        assert (matrix.labels, matrix.n) == (("a",), n - 1)
        matrix.update([*y[:-1], "c"], [*y[:-1], "c"], sample_weight=[0.5] * (n - 1) + [0])
        assert (matrix.labels, matrix.n) == (("a",), 1.5 * (n - 1))


# --- laws of merging ---------------------------------------------------------------------------


def matrices(some, make, *, scale=1) -> list[ConfusionMatrix]:
    actual = []
    for rows in some:
        y, p, w = columns(rows, make)
        one = ConfusionMatrix()
        one.update(y, p, np.array(w) / scale if scale > 1 else w)
        actual.append(one)
    return actual


@given(batches(st.integers(0, 4), weighted=True))
def test_counts_and_weights_merge(some) -> None:
    counts = matrices(some, np.array)
    weights = matrices(some, np.array, scale=8)
    for a, b in itertools.product(counts, weights):
        assert a + b == b + a
        assert (a + b).is_weighted
        assert (a + b).n == a.n + b.n
    check(sum([*counts, *weights]), [(t, p, 9 * w) for t, p, w in whole(some)], scale=8)


def test_sums_of_weights_do_not_depend_on_the_cut(rng) -> None:
    y = rng.integers(0, 3, 50_000)
    w = rng.random(50_000) * 10.0 ** rng.integers(-8, 8, 50_000)
    at_once = ConfusionMatrix.from_labels(y, y, sample_weight=w)
    for size in (1000, 30_000):
        matrix = ConfusionMatrix()
        for start in range(0, 50_000, size):
            here = slice(start, start + size)
            matrix.update(y[here], y[here], w[here])
        np.testing.assert_allclose(matrix.counts, at_once.counts, rtol=2.0**-40)


def test_one_small_weight_after_another_is_not_lost() -> None:
    matrix = ConfusionMatrix([0, 1])
    matrix.update([1], [1], [2.0**54])
    for _ in range(1000):
        matrix.update([1], [1], [1.0])
    assert matrix.tp == 2.0**54 + 1000
    parts = sum([matrix, ConfusionMatrix.from_labels([1], [1], sample_weight=[3.0])])
    assert parts.tp == 2.0**54 + 1004  # 1003, to the nearest even


def test_given_labels_win_over_found_ones() -> None:
    given_ = ConfusionMatrix(["yes", "no"])
    actual = ConfusionMatrix.from_labels(["no", "yes"], ["no", "no"])
    for total in (given_ + actual, actual + given_, sum([actual, given_, actual])):
        assert total.labels == ("yes", "no")
        assert total._is_fixed
    stranger = ConfusionMatrix.from_labels(["maybe"], ["no"])
    for add in (lambda: given_ + stranger, lambda: stranger + given_):
        with pytest.raises(ValueError, match="'maybe' only in the second"):
            add()
    stranger.merge(given_)  # it takes all labels
    assert stranger.labels == ("maybe", "no", "yes")


def test_what_does_not_merge() -> None:
    text = ConfusionMatrix.from_labels(["1"], ["1"])
    numbers = ConfusionMatrix.from_labels([1], [1])
    for one, other in ((text, numbers), (numbers, text)):
        before = state(one)
        with pytest.raises(TypeError, match="text and one of numbers cannot be merged"):
            one.merge(other)
        with pytest.raises(TypeError, match="text"):
            one.update(*[list(other.labels)] * 2)
        assert state(one) == before
    half = ConfusionMatrix.from_scores(["bad"], [0.5], threshold=0, pos_label="bad")
    assert half.labels == (None, "bad")
    for matrix in (ConfusionMatrix(), text.copy()):
        before = state(matrix)
        with pytest.raises(ValueError, match=r"labels \(None, 'bad'\), one of them not known"):
            matrix.merge(half)
        assert state(matrix) == before
    assert ConfusionMatrix() + half == half == half + ConfusionMatrix()
    for other in (3, None, text.counts):
        with pytest.raises(TypeError, match="a ConfusionMatrix is needed"):
            text.merge(other)


# --- counts that were given --------------------------------------------------------------------


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [2, 3, 60])
def test_a_stream_goes_on_from_counts(order, n, rng) -> None:
    counts = rng.integers(0, 9, (n, n))
    for dtype in (np.int64, np.uint8, np.float64, np.int16):
        matrix = ConfusionMatrix.from_counts(np.array(counts, dtype, order=order))
        wanted = counts.copy()
        for size in (1, 5, 5000):
            y, p = rng.integers(0, n, (2, size))
            matrix.update(y, p)
            np.add.at(wanted, (y, p), 1)
        assert matrix.counts.tolist() == wanted.tolist()
        assert matrix.n == wanted.sum()


def test_counts_stay_below_the_limit() -> None:
    matrix = ConfusionMatrix([0, 1])
    matrix.merge(ConfusionMatrix.from_counts([[2**63 - 4, 0], [0, 1]]))
    matrix.update(np.array([0, 1]), np.array([0, 1]))
    before = state(matrix)
    for n in (1, 5000):
        with pytest.raises(ValueError, match="less than 2\\*\\*63: got 9,223,372,036,854,7"):
            matrix.update(np.zeros(n, int), np.zeros(n, int))
        with pytest.raises(ValueError, match="less than 2\\*\\*63"):
            matrix.update([0], [0], [1])
        assert state(matrix) == before
    matrix.update([1], [1], [1.0])  # weights have no such limit
    assert matrix.n == 2.0**63


def test_too_many_classes_for_a_dense_matrix(monkeypatch) -> None:
    engine_sizes.put(monkeypatch, dense_classes=100)
    matrix = ConfusionMatrix()
    matrix.update(range(100), range(100))
    before = state(matrix)
    for new in ([100], [-1] * 10_000, [2**40]):
        with pytest.raises(ValueError, match="101 labels, at most 100 make a matrix"):
            matrix.update(new, new)
        with pytest.raises(ValueError, match="101 labels"):
            matrix.merge(ConfusionMatrix.from_labels(new, new, labels=sorted(set(new))))
        assert state(matrix) == before


# --- snapshots ---------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [None, [2], [0.5]])
def test_a_snapshot_stays(weights) -> None:
    matrix = ConfusionMatrix(range(3))
    seen = []
    for k in range(30):
        y = np.array([k % 3])
        if k % 2:
            y = np.repeat(y, 200)  # another way of counting
        matrix.update(y, y, None if weights is None else weights * len(y))
        counts = matrix.counts
        copy = matrix.copy()
        seen.append((counts, np.array(matrix.counts), matrix.margins, copy, state(copy)))
        if k == 20:
            matrix.reset()
    for counts, then, margins, copy, before in seen:
        assert counts.tolist() == then.tolist()
        assert margins.true.tolist() == then.sum(axis=1).tolist()
        assert state(copy) == before


def test_nothing_that_is_handed_out_changes_the_matrix() -> None:
    for weights in (None, [1.5, 2.5]):
        matrix = ConfusionMatrix()
        matrix.update(["a", "b"], ["a", "a"], weights)
        before = state(matrix)
        with pytest.raises(ValueError, match="read-only"):
            matrix.counts[0, 0] = 99
        for margin in matrix.margins:
            margin[:] = 99
        assert state(matrix) == before


# --- odd columns and weights ------------------------------------------------------------------

Y, P = [0, 1, 2, 1], [0, 2, 2, 1]


def test_metrics_of_a_stream_without_rows() -> None:
    for metric in (balanced_accuracy_score, matthews_corrcoef):
        with pytest.warns(UndefinedMetricWarning):
            assert np.isnan(metric(ConfusionMatrix()))


def test_columns_are_converted_with_a_warning() -> None:
    for y, match in (
        (np.array(Y)[:, None], "`y_true` is a column"),
        (np.array(Y, object), "`y_true` has dtype object"),
    ):
        matrix = ConfusionMatrix()
        with pytest.warns(DataConversionWarning, match=match) as caught:
            matrix.update(y, P)
        assert caught[0].filename == __file__, "the warning points at the caller's line"
        assert matrix.counts.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]


def test_integer_weights_above_2_to_53() -> None:
    matrix = ConfusionMatrix([0, 1])
    for _ in range(1_000):  # each of them is exact, and so is what they come to
        matrix.update([1, 1], [1, 0], [2**53 - 1, 1])
    assert (matrix.tp, matrix.fn) == (1_000 * (2**53 - 1), 1_000)
    assert matrix.counts.dtype == np.int64
    matrix.update([1, 0], [1, 0], [2**53, 2**53])  # their sum is not
    assert matrix.is_weighted
