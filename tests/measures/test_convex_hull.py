"""The convex hull of the ROC curve: its vertices, its area, infinite slopes and weights."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from fastmetrics import ScoreTable
from reference import hull_oracle
from reference.roc_oracle import rows_of

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=2, max_size=25).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)


@given(ROWS)
def test_vertices_and_area(rows) -> None:
    labels, scores = (np.array(column) for column in zip(*rows, strict=True))
    hull = fm.costs.roc_convex_hull(labels, scores)
    definition = rows_of(labels.tolist(), scores.tolist())
    assert (
        hull.auc
        == fm.costs.roc_hull_auc(labels, scores)
        == float(hull_oracle.hull_area(definition))
    )
    assert (hull.false_positive_rate[0], hull.true_positive_rate[0], hull.thresholds[0]) == (
        0,
        0,
        math.inf,
    )
    assert (hull.false_positive_rate[-1], hull.true_positive_rate[-1]) == (1, 1)
    x, y = (
        np.array(list(map(Fraction, c.tolist())))
        for c in (hull.false_positive_rate, hull.true_positive_rate)
    )
    dx, dy = np.diff(x), np.diff(y)
    turns = dy[:-1] * dx[1:] - dy[1:] * dx[:-1]
    assert all(turn > 1e-12 for turn in turns)  # infinite slopes first, flat ones last
    for threshold, fpr, tpr in zip(
        hull.thresholds, hull.false_positive_rate, hull.true_positive_rate, strict=True
    ):
        assert (scores >= threshold)[labels == 0].mean() == fpr
        assert (scores >= threshold)[labels == 1].mean() == tpr


def test_the_curve_of_isotonic_probabilities_is_its_own_hull(rng) -> None:
    isotonic = pytest.importorskip("sklearn.isotonic")
    labels = rng.integers(0, 2, 300)
    scores = rng.normal(size=300) + labels
    fit = isotonic.IsotonicRegression().fit_transform(scores, labels).round(9)
    hull, again = fm.costs.roc_convex_hull(labels, scores), fm.costs.roc_convex_hull(labels, fit)
    np.testing.assert_allclose(again.false_positive_rate, hull.false_positive_rate, rtol=1e-15)
    assert again.auc == hull.auc == fm.roc_auc_score(labels, fit)


def test_counts_beyond_int64_products() -> None:
    big = 2**61
    table = ScoreTable.from_counts([3, 2, 1], [big, big - 1, 1], [big, big, 1])
    found = fm.costs.roc_convex_hull(table)
    p, n = [big, big, 0], [big, big, 1]  # the last two rows are one block
    whole = 2 * big
    assert found.thresholds.tolist() == [math.inf, 3, 1]
    # Odds 1, then big / (big + 1): hardly below.
    exact = (
        Fraction(big, whole) * Fraction(big, 2 * big + 1) / 2
        + Fraction(big + 1, 2 * big + 1) * (Fraction(big, whole) + 1) / 2
    )
    assert found.auc == float(exact)
    assert sum(p) == whole
    assert sum(n) == 2 * big + 1


def test_scores_of_equal_value_are_one_edge() -> None:
    hull = fm.costs.roc_convex_hull([0, 1, 0, 1], [1, 1, 1, 1])
    assert hull.false_positive_rate.tolist() == hull.true_positive_rate.tolist() == [0, 1]
    assert hull.auc == 0.5
