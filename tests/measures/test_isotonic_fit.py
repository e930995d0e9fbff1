"""Isotonic fits: by the min-max formula, by scikit-learn, of tables and weights."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.isotonic import IsotonicRegression

import fastmetrics as fm
from reference import corp_oracle

ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=25
).filter(lambda rows: any(weight for _, _, weight in rows))


def values_at(fit, scores):
    return [fit.values[np.flatnonzero((fit.low <= s) & (s <= fit.high))].item() for s in scores]


@given(ROWS, st.sampled_from(["none", "counts", "quarters"]))
def test_labels_by_the_definition(rows, weighting):
    labels, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    given_weights = {"none": None, "counts": weights, "quarters": weights / 4}[weighting]
    points = corp_oracle.points(labels, scores, given_weights)
    fit = fm.calibration.isotonic_fit(labels, scores, sample_weight=given_weights, pos_label=1)
    right = corp_oracle.isotonic(points)
    assert values_at(fit, [score for score, _, _ in points]) == list(map(float, right))
    assert fit.values.tolist() == sorted(set(map(float, right)))
    assert Fraction(float(fit.weights.sum())) == sum(weight for _, _, weight in points)


@pytest.mark.parametrize("decimals", [1, 3, 16])
@pytest.mark.parametrize("weighted", [False, True])
def test_agrees_with_scikit_learn(rng, decimals, weighted):
    scores = np.round(rng.random(3_000), decimals)
    y = (rng.random(3_000) < scores).astype(float)
    weights = rng.random(3_000) if weighted else None
    fit = fm.calibration.isotonic_fit(y, scores, sample_weight=weights)
    peer = IsotonicRegression(out_of_bounds="clip").fit(scores, y, sample_weight=weights)
    new = np.linspace(-0.1, 1.1, 1_000)
    np.testing.assert_allclose(fit.predict(new), peer.predict(new), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(fit.predict(scores), peer.predict(scores), rtol=1e-9, atol=1e-11)


def test_a_table_serves_as_well_as_rows(rng):
    labels, scores = rng.integers(0, 2, 500), np.round(rng.random(500), 2)
    table = fm.ScoreTable.from_scores(labels, scores)
    assert fm.calibration.isotonic_fit(table) == fm.calibration.isotonic_fit(labels, scores)
    assert fm.calibration.isotonic_fit(labels, scores, n_threads=1) == fm.calibration.isotonic_fit(
        labels, scores
    )


def test_large_integers_are_told_apart():
    big = 2**62
    fit = fm.calibration.isotonic_fit([0, 1], [big, big + 1])
    assert fit.low.tolist() == [big, big + 1]


def test_faults_of_targets():
    with pytest.raises(ValueError, match="`y_true`"):
        fm.calibration.isotonic_fit([0, 2], [0.1, 0.2])
