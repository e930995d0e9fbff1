"""`ScoreRanges`: limits that hold for all scores that such counts can come from."""

import numpy as np
import pytest

from fastmetrics import average_precision_score, ks_statistic, roc_auc_score
from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.streams import ScoreRanges

MEASURES = {
    "roc_auc": roc_auc_score,
    "average_precision": average_precision_score,
    "ks_statistic": lambda y, s: ks_statistic(y, s).statistic,
}


def ranges_of(y, s, edges, weights=None):
    """Count rows in the ranges between edges, as a database would."""
    weights = np.ones(len(y), np.int64) if weights is None else weights
    place = np.searchsorted(edges, s, side="right")
    rows = []
    for each in np.unique(place):
        inside = place == each
        counts = [weights[inside & (y == label)].sum() for label in (1, 0)]
        rows.append((s[inside].min(), s[inside].max(), *counts))
    rows = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    return ScoreRanges(*map(np.array, zip(*rows, strict=True)))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("is_weighted", [False, True])
def test_exact_values_lie_within(seed, is_weighted):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60)
    s = np.round(rng.normal(size=60) + y, 1)
    w = rng.random(60) if is_weighted else None
    found = ranges_of(y, s, np.sort(rng.normal(size=rng.integers(1, 9))), w)
    for name, measure in MEASURES.items():
        exact = roc_auc_score(y, s, sample_weight=w) if name == "roc_auc" else measure(y, s)
        if w is None or name == "roc_auc":
            assert exact in getattr(found, name)()
    for threshold in (-0.5, 0.0, 0.3):
        at = found.at_threshold(threshold)
        ones = np.ones(60) if w is None else w
        assert at.tp.low - 1e-9 <= ones[(s >= threshold) & (y == 1)].sum() <= at.tp.high + 1e-9
        assert at.fp.low - 1e-9 <= ones[(s >= threshold) & (y == 0)].sum() <= at.fp.high + 1e-9


def test_limits_are_attained():
    """Within [.1, .4]: one positive and two negatives; the rest is known."""
    found = ScoreRanges([0.1, 0.6], [0.4, 0.6], [1, 1], [2, 1])
    y = np.array([1, 0, 0, 1, 0])
    best, worst = ([0.4, 0.1, 0.1, 0.6, 0.6], [0.1, 0.4, 0.4, 0.6, 0.6])
    for name, measure in MEASURES.items():
        bracket = getattr(found, name)()
        reached = sorted((measure(y, best), measure(y, worst)))
        if name == "roc_auc":
            np.testing.assert_allclose(list(bracket), reached, rtol=1e-15)
        assert bracket.low <= reached[0] <= reached[1] <= bracket.high


def test_ranges_of_one_score_are_exact():
    s, y = np.array([0.1, 0.1, 0.4, 0.8]), np.array([0, 1, 0, 1])
    found = ScoreRanges(s, s, y, 1 - y)
    assert found.is_exact
    assert len(found) == 3
    table = found.to_score_table()
    assert table.scores.tolist() == [0.8, 0.4, 0.1]
    assert found.roc_auc().low == found.roc_auc().high == roc_auc_score(y, s)


def test_ranges_that_overlap_or_touch_become_one():
    found = ScoreRanges([0.1, 0.3, 0.6, 0.9], [0.4, 0.6, 0.7, 0.9], [1, 2, 4, 8], [3, 0, 0, 1])
    assert found.low.tolist() == [0.9, 0.1]
    assert found.high.tolist() == [0.9, 0.7]
    assert found.positives.tolist() == [8, 7]
    assert found.negatives.tolist() == [1, 3]
    whole = ScoreRanges([0.0, 0.2, 0.5], [1.0, 0.3, 0.5], [1, 1, 1], [0, 1, 0])
    assert (len(whole), whole.is_exact) == (1, False)


def test_empty_ranges_are_left_out():
    found = ScoreRanges([0.1, 0.3, 0.6], [0.2, 0.4, 0.6], [1, 0, 4], [3, 0, 0])
    assert found.low.tolist() == [0.6, 0.1]
    with pytest.raises(ValueError, match="read-only"):
        found.low[0] = 1


def test_counts_beyond_32_bits_stay_exact():
    n = 10**12
    found = ScoreRanges([0.1, 0.5], [0.2, 0.5], [n, n], [n + 1, 0])
    assert found.n_negative == n + 1
    assert found.roc_auc().low == 0.5
    assert found.roc_auc().high == 1.0


def test_one_class_is_undefined():
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(ScoreRanges([0.1], [0.2], [3], [0]).roc_auc().low)


@pytest.mark.parametrize(
    ("columns", "match"),
    [
        (([0.1], [0.2], [1], [-1]), "`negatives` must not be negative"),
        (([0.3], [0.2], [1], [1]), r"`high` must not be below `low`: 0\.2 < 0\.3 at index 0"),
        (([np.nan], [0.2], [1], [1]), "`low`"),
        (([0.1], [np.inf], [1], [1]), "`high`"),
        (([0.1, 0.2], [0.2, 0.3], [1], [1]), "length|shape"),
        (([0.1], [0.2], [2**62, 2**62], [1]), "`positives` must sum"),
        (([], [], [], []), "`low` is empty"),
    ],
)
def test_what_are_no_counts_of_ranges(columns, match):
    with pytest.raises(ValueError, match=match):
        ScoreRanges(*columns)


def test_a_table_needs_distinct_scores():
    with pytest.raises(ValueError, match="1 of 2 ranges hold several scores"):
        ScoreRanges([0.1, 0.6], [0.4, 0.6], [1, 3], [5, 1]).to_score_table()
