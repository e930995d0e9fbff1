"""``ConfusionMatrix``: kinds of labels, their order, scores with a threshold, what is refused."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fastmetrics import ConfusionMatrix, ScoreTable, predict_at_threshold

# --- kinds of labels ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "p", "labels"),
    [
        ([1, 1], [1, 1], (0, 1)),  # half of a known pair
        ([0], [0], (0, 1)),
        ([-1], [-1], (-1, 1)),
        ([0.0], [0.0], (0.0, 1.0)),
        ([True], [True], (False, True)),
        ([True, False], [1, 0], (0, 1)),
        ([1, 0], [1.0, 2.0], (0, 1, 2)),
        ([2], [2], (2,)),
        (["yes"], ["yes"], ("yes",)),
        ([2**64 - 1], [2**64 - 2], (2**64 - 2, 2**64 - 1)),
        (np.array([2**64 - 1], np.uint64), np.array([-1]), (-1, 2**64 - 1)),
        (np.array([255], np.uint8), np.array([-1], np.int8), (-1, 255)),
        (np.array([300], ">i2"), np.array([299], ">u8"), (299, 300)),
    ],
)
def test_labels(y, p, labels) -> None:
    matrix = ConfusionMatrix.from_labels(y, p)
    assert matrix.labels == labels
    assert list(map(type, matrix.labels)) == list(map(type, labels))
    assert matrix.n == len(y)
    assert matrix.counts[labels.index(y[0]), labels.index(p[0])] >= 1


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        (([0, 1], ["0", "1"]), TypeError, "`y_true` holds numbers and `y_pred` text"),
        ((["0", "1"], [0, 1]), TypeError, "`y_true` holds text and `y_pred` numbers"),
        (([0, 1], [0.2, 0.9]), ValueError, "`y_pred` holds probabilities \\(0.2 at"),
        (([0.0, 1.5], [0, 1]), ValueError, "continuous values .1.5 at index 1"),
        (([0, 1], [0.0, np.inf]), ValueError, "`y_pred` must be finite: inf at"),
        (([0, 1], [[0.9, 0.1]] * 2), ValueError, "`y_pred` must .*: got \\(2, 2\\)"),
        ((np.ma.masked_array([0, 1], [0, 1]), [0, 1]), ValueError, "1 masked"),
        ((["a", object()], ["a", "b"]), TypeError, "mixes text with object at index 1"),
        (([0, 1], np.array([0, "1"], object)), TypeError, "`y_pred` mixes text with int"),
        ((np.arange(20_000), np.arange(20_000)), ValueError, "hold 20,000 labels, at most 16,384"),
    ],
)
def test_rows_that_are_refused(arguments, error, match) -> None:
    with pytest.raises(error, match=match):
        ConfusionMatrix.from_labels(*arguments)


@pytest.mark.parametrize(
    ("labels", "error", "match"),
    [
        ([0, 1], ValueError, "`y_pred` holds the label 7, first at index 2, which is not in `lab"),
        ([1, 7], ValueError, "`y_true` holds the label 0, first at index 0, .* `labels`, {1, 7}"),
        ([0, 1, 7, 1], ValueError, "`labels` must be distinct: 1 comes twice"),
        (["0", "1", "7"], TypeError, "`labels` holds text, `y_true` and `y_pred` hold numbers"),
        ([0, 1, 7, 0.5], ValueError, "`labels` must hold whole numbers or text: got continuous"),
        (np.arange(20_000), ValueError, "`labels` must name at most 16,384 classes"),
    ],
)
def test_labels_that_are_refused(labels, error, match) -> None:
    for far in (0, 10**9):  # both ways of counting
        y, p, known = [0, 1, 1, far], [1, 0, 7, far], labels
        if far and len(labels) and isinstance(labels[0], int):
            known = [*labels, far]
        with pytest.raises(error, match=match.replace(", 7}", "")):
            ConfusionMatrix.from_labels(y, p, labels=known)


# --- scores and a threshold --------------------------------------------------------------------

SCORES = st.sampled_from([-1.5, -0.0, 0.0, 0.25, 0.5, 0.1 + 0.2, 0.3, 0.7, 2.0])
ROWS = st.lists(st.tuples(st.booleans(), SCORES, st.integers(1, 3)), min_size=1, max_size=25)


@given(ROWS, SCORES | st.sampled_from([np.inf, -np.inf, 1, 10**400]), st.sampled_from("fdq"))
def test_scores_are_called_as_everywhere(rows, threshold, dtype) -> None:
    y, s, w = (np.array(column) for column in zip(*rows, strict=True))
    s = s.astype(dtype)
    called = [score >= threshold for score in s.tolist()]  # as Python compares: exactly
    for weights in (None, w, w / 4):
        wanted = ConfusionMatrix.from_labels(y, called, sample_weight=weights)
        got = ConfusionMatrix.from_scores(y, s, threshold=threshold, sample_weight=weights)
        assert got == wanted
        table = ScoreTable.from_scores(y, s, sample_weight=weights)
        assert ConfusionMatrix.from_scores(table, threshold=threshold) == wanted


@pytest.mark.parametrize(
    ("y", "pos_label", "labels", "tp"),
    [
        ([0, 1, 1], None, (0, 1), 2),
        ([-1, 1, 1], None, (-1, 1), 2),
        ([0, 1, 1], 0, (1, 0), 0),
        ([False, True, True], None, (False, True), 2),
        ([False, True, True], False, (True, False), 0),
        ([0.0, 1.0, 1.0], None, (0.0, 1.0), 2),
        (["good", "bad", "bad"], "bad", ("good", "bad"), 2),
        ([7, 5, 5], 5, (7, 5), 2),
        ([1, 1, 1], None, (0, 1), 2),
        ([0, 0, 0], None, (0, 1), 0),
        ([-1, -1, -1], None, (-1, 1), 0),
        ([False, False, False], None, (False, True), 0),
        ([True, True, True], None, (False, True), 2),
        ([True, True, True], True, (False, True), 2),
        (["good"] * 3, "bad", ("good", "bad"), 0),
        (["bad"] * 3, "bad", (None, "bad"), 2),
        ([5, 5, 5], 5, (None, 5), 2),
    ],
)
def test_the_positive_label_is_the_last(y, pos_label, labels, tp) -> None:
    matrix = ConfusionMatrix.from_scores(y, [0.1, 0.5, 0.9], threshold=0.5, pos_label=pos_label)
    assert matrix.labels == labels
    assert list(map(type, matrix.labels)) == list(map(type, labels))
    assert matrix.tp == tp
    assert matrix.tp + matrix.fp == 2
    assert matrix.n == 3
    assert matrix + matrix == pickle.loads(pickle.dumps(sum([matrix, matrix])))


def test_scores_that_are_refused() -> None:
    table = ScoreTable.from_scores([0, 1], [0.1, 0.9])
    for more in ({"y_score": [1, 2]}, {"sample_weight": [1, 2]}, {"pos_label": 1}):
        with pytest.raises(TypeError, match="a ScoreTable comes alone"):
            ConfusionMatrix.from_scores(table, threshold=0.5, **more)
    for y, s, more, error, match in (
        ([0, 1], [0.1, 0.9], {"threshold": np.nan}, ValueError, "`threshold` must not be nan"),
        ([0, 1], [0.1, 0.9], {"threshold": "0.5"}, TypeError, "`threshold` must be a number"),
        ([0, 1], [0.1, np.nan], {"threshold": 0.5}, ValueError, "`y_score` must be finite"),
        ([0, 1], None, {"threshold": 0.5}, TypeError, "`y_score` must be an array"),
        ([1, 2], [0.1, 0.9], {"threshold": 0.5}, ValueError, "pass `pos_label`"),
        ([0, 1, 2], [0.1, 0.9, 1], {"threshold": 0.5}, ValueError, "3 classes"),
    ):
        with pytest.raises(error, match=match):
            ConfusionMatrix.from_scores(y, s, **more)
    empty = ConfusionMatrix.from_scores(ScoreTable.from_counts([], [], []), threshold=0)
    assert empty.counts.tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("threshold", [0.3, 0.1 + 0.2, 0.7, 0.25, -np.inf, np.inf, 1])
def test_the_decision_is_that_of_predict_at_threshold(rng, threshold) -> None:
    y = rng.integers(0, 2, 51)
    near = np.append(rng.random(50), 0.7)  # as float32 it is below 0.7
    for s in (rng.integers(0, 8, 51) / 8, near, near.astype(np.float32), rng.integers(0, 3, 51)):
        called = predict_at_threshold(s, threshold)
        assert called.tolist() == [score >= threshold for score in s.tolist()]
        wanted = ConfusionMatrix.from_labels(y, called, labels=(0, 1))
        assert ConfusionMatrix.from_scores(y, s, threshold=threshold) == wanted
