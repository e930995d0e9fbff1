"""Thresholds that a curve returns are scores: integers are kept, or refused where floats round."""

import numpy as np
import pytest

import fastmetrics as fm

Y = np.array([0, 1, 0, 1, 1, 0])
#: Returns thresholds, of which inf is none of the scores.
IN_FLOATS = {
    "roc_curve": lambda y, s: fm.roc_curve(y, s)[2],
    "roc_curve, all": lambda y, s: fm.roc_curve(y, s, drop_intermediate=False)[2],
    "roc_curve, weighted": lambda y, s: fm.roc_curve(y, s, sample_weight=y + 1)[2],
    "det_curve": lambda y, s: fm.det_curve(y, s)[2],
    "det_curve, weighted": lambda y, s: fm.det_curve(y, s, sample_weight=y + 1)[2],
    "roc_convex_hull": lambda y, s: fm.costs.roc_convex_hull(y, s).thresholds,
    "cost_curve": lambda y, s: fm.costs.cost_curve(y, s).thresholds,
    "gains_curve": lambda y, s: fm.costs.gains_curve(y, s).thresholds,
    "threshold_costs": lambda y, s: fm.costs.threshold_costs(y, s, cost_fn=2, cost_fp=1).thresholds,
}
AS_GIVEN = {
    "precision_recall_curve": lambda y, s: fm.precision_recall_curve(y, s)[2],
    "confusion_matrix_at_thresholds": lambda y, s: fm.confusion_matrix_at_thresholds(y, s)[4],
    "best_threshold": lambda y, s: np.array([fm.best_threshold(y, s).threshold]),
    "guaranteed_threshold": lambda y, s: np.array(
        [fm.guaranteed_threshold(y, s, recall=0.5, delta=0.5).threshold]
    ),
    "break_even_point": lambda y, s: np.array([fm.break_even_point(y, s).threshold]),
}


def scores(start, step, dtype):
    return np.array([start + step * i for i in (0, 1, 2, 3, 5, 4)], dtype=dtype)


@pytest.mark.parametrize("name", IN_FLOATS)
@pytest.mark.parametrize(
    ("start", "step", "dtype"),
    [
        (-3, 1, np.int64),
        (2**53 - 5, 1, np.int64),
        (-(2**53), 1, np.int64),
        (2**60, 2**10, np.int64),
        (2**63, 2**11, np.uint64),
        (0.5, 0.25, np.float32),
    ],
)
def test_thresholds_in_floats_are_scores(name, start, step, dtype):
    given = scores(start, step, dtype)
    found = {int(t) if dtype != np.float32 else t for t in IN_FLOATS[name](Y, given) if t != np.inf}
    assert found
    assert found <= set(given.tolist())


@pytest.mark.parametrize("name", IN_FLOATS)
@pytest.mark.parametrize(
    ("start", "step", "dtype"),
    [
        (2**53 + 1, 2, np.int64),
        (-(2**53) - 11, 2, np.int64),
        (2**63 - 11, 2, np.int64),
        (2**64 - 11, 2, np.uint64),
    ],
)
def test_thresholds_that_floats_would_round_are_refused(name, start, step, dtype):
    with pytest.raises(ValueError, match=r"the score -?\d{16,20} is no float.*beyond 2\*\*53"):
        IN_FLOATS[name](Y, scores(start, step, dtype))


@pytest.mark.parametrize("name", AS_GIVEN)
@pytest.mark.parametrize(("start", "dtype"), [(2**53, np.int64), (2**64 - 6, np.uint64)])
def test_other_thresholds_keep_integers(name, start, dtype):
    given = scores(start, 1, dtype)
    found = AS_GIVEN[name](Y, given)
    assert found.dtype.kind in "iu"
    assert set(found.tolist()) <= set(given.tolist())


@pytest.mark.filterwarnings("ignore::fastmetrics.errors.DegenerateDataWarning")
@pytest.mark.parametrize("threshold", [2**53 + 6, 2**53 + 7, 2.0**53 + 6, -np.inf])
def test_a_given_threshold_beyond_2_53_is_compared_exactly(threshold):
    given = scores(2**53 + 1, 2, np.int64)
    called = np.array([s >= threshold for s in given.tolist()]).astype(int)
    assert fm.predict_at_threshold(given, threshold).tolist() == called.tolist()
    found = fm.estimate(Y, given, metrics="f1", threshold=threshold)
    assert found["f1"].estimate == fm.f1_score(Y, called)
    pair = fm.compare(Y, {"a": given, "b": -given}, metrics="f1", threshold=threshold)
    assert pair["f1"]["a"].estimate == fm.f1_score(Y, called)
