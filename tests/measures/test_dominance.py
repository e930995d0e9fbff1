"""Dominance of one curve over another, for ROC and precision-recall."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fastmetrics import ScoreTable, dominance
from reference import pr_oracle as oracle

CURVES = ["roc", "precision-recall"]
REVERSED = {"encloses": "is-enclosed", "is-enclosed": "encloses"}
PAIRED = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 7), st.integers(0, 7)), min_size=2, max_size=24
).filter(lambda data: len({y for y, *_ in data}) == 2)
ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 7)), min_size=2, max_size=16).filter(
    lambda data: len({y for y, _ in data}) == 2
)


@pytest.mark.parametrize("curve", CURVES)
@given(data=PAIRED)
def test_paired(curve: str, data: list[tuple[int, int, int]]) -> None:
    y, a, b = zip(*data, strict=True)
    found = dominance(y, a, b, curve=curve)
    assert (found.relation, len(found.crossings)) == oracle.dominance(y, a, y, b, curve)
    assert found.curve == curve
    on_both_curves(found.crossings, y, a, curve)
    on_both_curves(found.crossings, y, b, curve)
    back = dominance(y, b, a, curve=curve)
    assert back.relation == REVERSED.get(found.relation, found.relation)
    assert back.crossings == found.crossings


@pytest.mark.parametrize("curve", CURVES)
@given(first=ROWS, second=ROWS)
def test_different_data(
    curve: str, first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    (y_a, a), (y_b, b) = zip(*first, strict=True), zip(*second, strict=True)
    found = dominance(ScoreTable.from_scores(y_a, a), ScoreTable.from_scores(y_b, b), curve=curve)
    assert (found.relation, len(found.crossings)) == oracle.dominance(y_a, a, y_b, b, curve)
    on_both_curves(found.crossings, y_a, a, curve)
    on_both_curves(found.crossings, y_b, b, curve)


def on_both_curves(points: tuple, y: tuple, scores: tuple, curve: str) -> None:
    """Each crossing lies on the curve, up to the rounding of its coordinates."""
    corners = [(float(fpr), float(tpr)) for fpr, tpr in oracle.roc(y, scores)]
    ratio = sum(1 - label for label in y) / sum(y)
    for point in points:
        if curve == "roc":
            x, height = point
        else:  # back from precision at this recall to the FPR
            height, precision = point
            x = height * (1 / precision - 1) / ratio
        distances = [
            abs((x2 - x1) * (height - y1) - (y2 - y1) * (x - x1))
            for (x1, y1), (x2, y2) in itertools.pairwise(corners)
            if x1 - 1e-9 <= x <= x2 + 1e-9 and y1 - 1e-9 <= height <= y2 + 1e-9
        ]
        assert min(distances) < 1e-12


@given(data=PAIRED)
def test_roc_and_precision_recall_agree_on_one_data_set(data: list[tuple[int, int, int]]) -> None:
    """Davis & Goadrich (2006), theorem 3.2."""
    y, a, b = zip(*data, strict=True)
    roc, pr = dominance(y, a, b), dominance(y, a, b, curve="precision-recall")
    assert roc.relation == pr.relation
    for (fpr, tpr), (recall, precision) in zip(roc.crossings, pr.crossings, strict=True):
        assert recall == tpr
        negatives, positives = y.count(0), y.count(1)
        assert precision == pytest.approx(
            tpr * positives / (tpr * positives + fpr * negatives), rel=1e-14
        )


def test_where_they_cross() -> None:
    y = [1, 0, 1, 0]
    found = dominance(y, [4, 3, 2, 1], [4, 4, 4, 4])
    assert found.relation == "encloses"
    # Up-right-up-right against right-up-up-right, with a tie of both classes in the middle.
    found = dominance([1, 1, 0, 0], [4, 1, 3, 2], [2, 2, 2, 2])
    assert (found.relation, found.crossings) == ("crosses", ((0.5, 0.5),))
    found = dominance([1, 1, 0, 0], [4, 1, 3, 2], [2, 2, 2, 2], curve="precision-recall")
    assert found.crossings == ((0.5, 0.5),)


def test_a_stretch_in_common_counts_once() -> None:
    y = [1, 0, 1, 0, 1, 0]
    # Both run through (1/3, 1/3) to (2/3, 2/3) by one tie; A is above before it, below after it.
    a = [6, 5, 4, 4, 1, 2]
    b = [5, 6, 4, 4, 2, 1]
    found = dominance(y, a, b)
    assert found.relation == "crosses"
    assert found.crossings == ((2 / 3, 2 / 3),)


@pytest.mark.parametrize("scale", [1, 10**5, 10**10, 10**17])
@pytest.mark.parametrize("curve", CURVES)
def test_equal_shares_of_other_sizes_are_equal(scale: int, curve: str) -> None:
    """Thirds and sevenths, which no float holds: rounding must not make the curves cross."""
    shares = np.array([1, 3, 1, 2]), np.array([2, 1, 3, 1])
    small = ScoreTable.from_counts([4, 3, 2, 1], *shares)
    large = ScoreTable.from_counts([9, 7, 5, 1], *(3 * scale * share for share in shares))
    assert dominance(small, large, curve=curve).relation == "equal"
    first = 3 * scale * shares[0]
    first[0] += 1  # one positive more at the top, one fewer at the bottom
    first[3] -= 1
    better = ScoreTable.from_counts([9, 7, 5, 1], first, 3 * scale * shares[1])
    assert dominance(better, small, curve=curve).relation == "encloses"
    assert dominance(small, better, curve=curve).relation == "is-enclosed"


def test_class_ratio_moves_precision_recall_but_not_roc() -> None:
    table = ScoreTable.from_counts([3, 2, 1], [2, 1, 1], [1, 1, 2])
    diluted = ScoreTable.from_counts([3, 2, 1], [2, 1, 1], [10, 10, 20])
    assert dominance(table, diluted).relation == "equal"
    assert dominance(table, diluted, curve="precision-recall").relation == "encloses"


def test_crossings_are_the_nearest_doubles(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 300)
    a, b = rng.random(300), rng.random(300)
    found = dominance(y, a, b)
    assert found.relation == "crosses"
    p, n = int(y.sum()), int(300 - y.sum())
    for fpr, tpr in found.crossings:  # without ties every crossing is a pair of counts
        assert float(Fraction(round(fpr * n), n)) == fpr
        assert float(Fraction(round(tpr * p), p)) == tpr


def test_refusals() -> None:
    y, s = [0, 1], [1.0, 2.0]
    table = ScoreTable.from_scores(y, s)
    with pytest.raises(TypeError, match="`y_score_b` is missing"):
        dominance(y, s)
    with pytest.raises(TypeError, match="compared with a ScoreTable"):
        dominance(table, s)
    with pytest.raises(TypeError, match="compared with a ScoreTable"):
        dominance(y, table)
    with pytest.raises(TypeError, match="a ScoreTable comes alone"):
        dominance(table, table, s)
