"""The best threshold by every criterion, and the decision rule that all measures share."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fastmetrics import ScoreTable, best_threshold, predict_at_threshold


def test_three_best_thresholds_differ() -> None:
    """Labels 0, 0, 1, 0 by rank: two errors at the corner nearest (0, 1), one at best."""
    y, s = [0, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]
    corner = best_threshold(y, s, criterion="closest-topleft")
    assert (corner.threshold, corner.fp + corner.fn) == (2.0, 2)
    fewest = best_threshold(y, s, criterion="fewest-errors")
    assert (fewest.threshold, fewest.value) == (math.inf, 1.0)
    assert best_threshold(y, s).threshold == 2.0


def test_no_float_decides_a_tie() -> None:
    """Both thresholds have TPR - FPR = 1/10 - 0 = 4/10 - 3/10, whose doubles differ."""
    table = ScoreTable.from_counts([3.0, 2.0, 1.0], [1, 3, 6], [0, 3, 7])
    assert best_threshold(table).threshold == 3.0
    assert 4 / 10 - 3 / 10 > 1 / 10


@pytest.mark.parametrize("big", [10**6, 10**9, 10**12, 2 * 10**18])
def test_counts_of_any_size(big: int) -> None:
    # One positive more for one negative more, of equally many: Youden and errors tie throughout.
    table = ScoreTable.from_counts([4, 3, 2, 1], [big, 1, 1, big], [big - 1, 1, 1, big + 1])
    assert best_threshold(table).threshold == 4
    assert best_threshold(table, criterion="fewest-errors").threshold == 4
    assert best_threshold(table, criterion="fewest-errors").value == float(2 * big + 1)
    # Precision big/(2 big - 1) is the largest, by less than a double can tell.
    best = best_threshold(table, criterion="precision_at_recall", at_least=0.0)
    assert best.threshold == 4
    best = best_threshold(table, criterion="fbeta", beta=1e3)
    assert best.threshold == 1


def test_a_constraint_is_met_by_the_rounded_rate() -> None:
    y, s = [1] * 10 + [0] * 10, [20, *range(9), *range(9, 19)]
    best = best_threshold(y, s, criterion="precision_at_recall", at_least=0.1)
    assert (best.threshold, best.recall, best.value) == (20, 0.1, 1.0)


def test_large_integer_scores_stay_whole() -> None:
    scores = np.array([2**60 + 1, 2**60, 2**60 - 1], dtype=np.int64)
    best = best_threshold([1, 0, 0], scores)
    assert best.threshold == 2**60 + 1
    np.testing.assert_array_equal(predict_at_threshold(scores, best.threshold), [1, 0, 0])


def test_refusals() -> None:
    y, s = [0, 1], [1, 2]
    with pytest.raises(TypeError, match="'recall_at_false_positive_rate' needs `at_most`"):
        best_threshold(y, s, criterion="recall_at_false_positive_rate")
    with pytest.raises(TypeError, match="`at_least` has no meaning for criterion 'youden'"):
        best_threshold(y, s, at_least=0.5)
    with pytest.raises(ValueError, match="`at_least` must lie in"):
        best_threshold(y, s, criterion="precision_at_recall", at_least=1.5)
    for beta in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="`beta` must be positive"):
            best_threshold(y, s, criterion="fbeta", beta=beta)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint64])
@given(
    threshold=st.one_of(st.floats(allow_nan=False), st.integers(-(2**70), 2**70), st.floats(-3, 3)),
    near=st.integers(-2, 2),
)
def test_decision_compares_real_numbers(dtype: type, threshold: float, near: int) -> None:
    if np.dtype(dtype).kind == "f":
        base = [0.1, -0.1, 1.0, 2.0**53, 3.4e38, -3.4e38, math.inf, -math.inf]
        with np.errstate(over="ignore"):
            base.append(float(dtype(min(max(threshold, -1e300), 1e300))))
        scores = np.array(base, dtype=dtype)
        steps = np.nextafter(scores, dtype(math.copysign(math.inf, near)))
        scores = np.concatenate((scores, steps))
    else:
        info = np.iinfo(dtype)
        at = 0 if math.isinf(threshold) else round(threshold)
        values = [info.min, info.max, 0, 1, 2**53, 2**53 + 1, at + near]
        scores = np.array([min(max(v, info.min), info.max) for v in values], dtype=dtype)
    expected = [int(score >= threshold) for score in scores.tolist()]
    assert predict_at_threshold(scores, threshold).tolist() == expected


def test_decision_of_float32_at_a_double() -> None:
    scores = np.array([0.1, 0.2], dtype=np.float32)  # float32(0.1) > 0.1, float32(0.3) > 0.3
    assert predict_at_threshold(scores, 0.1).tolist() == [1, 1]
    assert predict_at_threshold(scores, math.nextafter(float(scores[0]), 1)).tolist() == [0, 1]


def test_decision_labels() -> None:
    assert predict_at_threshold([1, 2], 2, labels=(-1, 1)).tolist() == [-1, 1]
    assert predict_at_threshold([1, 2], 2, labels=(False, True)).dtype == np.bool_
    assert predict_at_threshold([1, 2], math.inf).tolist() == [0, 0]
    assert predict_at_threshold([1, 2], -math.inf).tolist() == [1, 1]


def test_decision_refusals() -> None:
    with pytest.raises(ValueError, match="`threshold` must not be nan"):
        predict_at_threshold([1.0], math.nan)
    for labels in ((0, "no"), (0, 0), (0, 1, 2)):
        with pytest.raises(ValueError, match="`labels` must be two"):
            predict_at_threshold([1.0], 0.5, labels=labels)
