"""precision_recall_curve and average_precision_score against scikit-learn and the definition."""

import warnings

import numpy as np
import pytest
import sklearn.metrics as peer

from fastmetrics import ScoreTable, average_precision_score, precision_recall_curve
from fastmetrics.errors import UndefinedMetricWarning

AVERAGES = ["micro", "macro", "weighted", "samples", None]


def same(ours: object, theirs: object) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)
        assert mine.dtype == other.dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_thresholds_keep_their_dtype(dtype: type, rng: np.random.Generator) -> None:
    y, s = rng.integers(0, 2, 500), rng.integers(-50, 50, 500).astype(dtype)
    same(precision_recall_curve(y, s), peer.precision_recall_curve(y, s))
    assert average_precision_score(y, s) == peer.average_precision_score(y, s)


def test_a_tie_is_one_step() -> None:
    y = np.zeros(10_000, dtype=int)
    y[17] = 1
    assert average_precision_score(y, np.ones(10_000)) == 0.0001


def test_no_positive_is_zero_with_scikit_learns_words() -> None:
    for function in (precision_recall_curve, average_precision_score):
        with pytest.warns(
            UndefinedMetricWarning, match="No positive class found in y_true"
        ) as seen:
            value = function([0, 0, 0], [0.1, 0.2, 0.3])
        assert seen[0].filename == __file__
    assert value == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(
            precision_recall_curve([0, 0], [0.1, 0.2]),
            peer.precision_recall_curve([0, 0], [0.1, 0.2]),
        )


def test_only_positives() -> None:
    same(
        precision_recall_curve([1, 1], [1.0, 2.0]), peer.precision_recall_curve([1, 1], [1.0, 2.0])
    )
    assert average_precision_score([1, 1], [1.0, 2.0]) == 1.0


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["multilabel", "multiclass"])
def test_averages(average: str | None, weighted: bool, kind: str, rng: np.random.Generator) -> None:
    n, k = 60, 4
    scores = rng.integers(0, 8, (n, k)) / 8.0
    if kind == "multilabel":
        y = rng.integers(0, 2, (n, k))
        y[:, 2] = rng.random(n) < 0.1
        y[y.sum(axis=1) == 0, 0] = 1
    else:
        y = np.array(["a", "b", "c", "d"])[rng.integers(0, k, n)]
    w = rng.random(n) if weighted else None
    ours = average_precision_score(y, scores, average=average, sample_weight=w)
    theirs = peer.average_precision_score(y, scores, average=average, sample_weight=w)
    if weighted:
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    else:
        np.testing.assert_array_equal(ours, theirs)
    assert type(ours) is type(theirs)


def test_a_label_without_positives_counts_zero_and_warns() -> None:
    y, s = np.array([[1, 0], [0, 0], [1, 0]]), np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.3]])
    for average in ("macro", "weighted"):
        with pytest.warns(UndefinedMetricWarning, match="No positive class"):
            ours = average_precision_score(y, s, average=average)
        with pytest.warns(UserWarning, match="No positive class"):
            assert ours == peer.average_precision_score(y, s, average=average)


def test_refusals() -> None:
    three, matrix = np.array([0, 1, 2]), np.eye(3)
    with pytest.raises(ValueError, match=r"`pos_label` must be 1 with .* several classes, got 2"):
        average_precision_score(three, matrix, pos_label=2)
    with pytest.raises(ValueError, match="`pos_label` must be 1 with a multilabel indicator"):
        average_precision_score(np.eye(3, dtype=int), matrix, pos_label=0)
    with pytest.raises(ValueError, match="`y_true`"):  # what is wrong with the labels comes first
        average_precision_score([[2, 2, 1], [1, 2, 0]], np.ones((2, 3)), pos_label=0)
    for scores in (matrix[:, :2], matrix[:, 0]):
        with pytest.raises(ValueError, match="needs to be of shape `\\(n_samples, n_classes\\)`"):
            average_precision_score(three, scores)
    with pytest.raises(ValueError, match="pos_label"):
        average_precision_score([0, 1], [0, 1], pos_label=2)
    with pytest.raises(ValueError, match="pos_label"):
        precision_recall_curve(["a", "b"], [1, 2])


def test_what_is_returned_may_be_written_to() -> None:
    table = ScoreTable.from_scores([0, 1, 1], [1.0, 2.0, 3.0])
    for array in precision_recall_curve(table):
        array[0] = -1.0
    np.testing.assert_array_equal(table.scores, [3.0, 2.0, 1.0])


def test_counts_of_any_size() -> None:
    big = 2**62
    table = ScoreTable.from_counts([2.0, 1.0], [big, big - 1], [big, big - 1])
    precision, recall, _ = precision_recall_curve(table)
    np.testing.assert_array_equal(precision, [0.5, 0.5, 1.0])
    np.testing.assert_array_equal(recall, [1.0, 0.5, 0.0])


def test_a_table_without_rows() -> None:
    empty = ScoreTable(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    with pytest.warns(UndefinedMetricWarning, match="No positive class"):
        assert np.isnan(average_precision_score(empty))
    with pytest.warns(UndefinedMetricWarning, match="No positive class"):
        precision, recall, thresholds = precision_recall_curve(empty)
    assert (precision.tolist(), recall.tolist(), thresholds.tolist()) == ([1.0], [0.0], [])
