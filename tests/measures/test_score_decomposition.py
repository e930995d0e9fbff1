"""CORP decompositions: published figures, the definition, sums that are exact, faults."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from reference import corp_oracle

Y = [0, 0, 0, 1, 1, 1]
P = [0.4, 0.3, 0.2, 0.1, 0.5, 0.9]
PARTS = ("loss", "miscalibration", "discrimination", "uncertainty")
ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 8), st.integers(0, 3)), min_size=1, max_size=20
).filter(lambda rows: any(weight for _, _, weight in rows))


def parts(found):
    return [getattr(found, name) for name in PARTS]


def adds_up(found):
    return found.miscalibration - found.discrimination + found.uncertainty == found.loss


@pytest.mark.parametrize(
    ("score", "published"),
    [  # R's reliabilitydiag, as the tests of model-diagnostics print it
        ("brier_score", [0.2266667, 0.1016667, 0.125, 0.25]),
        ("log_loss", [0.6986228, 0.3237327, 0.3182571, 0.6931472]),
    ],
)
def test_published_figures(score, published):
    found = fm.calibration.score_decomposition(Y, P, loss=score)
    np.testing.assert_allclose(parts(found), published, atol=5e-8, rtol=0)
    assert adds_up(found)
    assert float(found) == found.loss
    assert found.metric == score


@given(
    ROWS, st.sampled_from(["none", "counts", "quarters"]), st.sampled_from(["brier", "log_loss"])
)
def test_by_the_definition(rows, weighting, name):
    labels, eighths, weights = (np.array(column) for column in zip(*rows, strict=True))
    p = eighths / 8
    given_weights = {"none": None, "counts": weights, "quarters": weights / 4}[weighting]
    points = corp_oracle.points(labels, p, given_weights)
    right = corp_oracle.decomposition(getattr(corp_oracle, name), points)
    score = "brier_score" if name == "brier" else name
    found = fm.calibration.score_decomposition(
        labels, p, loss=score, sample_weight=given_weights, pos_label=1
    )
    np.testing.assert_allclose(parts(found), [float(x) for x in right], rtol=1e-13, atol=1e-14)
    assert adds_up(found)
    assert found.miscalibration >= 0 <= found.discrimination


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-8, 1e-3, 1.0, 4.0]))
def test_parts_add_up_to_the_last_bit(seed, power):
    rng = np.random.default_rng(seed)
    p = rng.random(50) ** power
    y = (rng.random(50) < p).astype(int)
    for score in ("brier_score", "log_loss"):
        found = fm.calibration.score_decomposition(y, p, loss=score, pos_label=1)
        assert adds_up(found)
        m, d, u = map(Fraction, parts(found)[1:])
        assert m - d + u == Fraction(found.loss)


def test_the_score_is_that_of_the_drop_ins(rng):
    p = rng.random(20_000).astype(np.float32)
    p[:3] = 0, 1, 0.5
    y = (rng.random(20_000) < p).astype(int)
    y[0] = 1  # a probability of 0: clipped to the epsilon of float32
    w = rng.random(20_000)
    for weights in (None, w):
        found = fm.calibration.score_decomposition(y, p, sample_weight=weights)
        assert found.loss == pytest.approx(
            fm.brier_score_loss(y, p, sample_weight=weights), rel=1e-14
        )
        found = fm.calibration.score_decomposition(y, p, loss="log_loss", sample_weight=weights)
        assert found.loss == pytest.approx(fm.log_loss(y, p, sample_weight=weights), rel=1e-14)


def test_a_callable_is_any_proper_score():
    def spherical(y, p):
        return -np.where(y == 1, p, 1 - p) / np.hypot(p, 1 - p)

    found = fm.calibration.score_decomposition(Y, P, loss=spherical)
    assert found.metric == "spherical"
    assert adds_up(found)

    def exact(label, p):
        return -float(p if label else 1 - p) / math.hypot(p, 1 - p)

    right = corp_oracle.decomposition(exact, corp_oracle.points(Y, P))
    np.testing.assert_allclose(parts(found), right, rtol=1e-14)
    squares = fm.calibration.score_decomposition(Y, P, loss=lambda y, p: (y - p) ** 2)
    assert parts(squares) == parts(fm.calibration.score_decomposition(Y, P))


def test_an_infinite_score_is_miscalibration():
    def unclipped(y, p):
        with np.errstate(divide="ignore"):
            return -np.log(np.where(y == 1, p, 1 - p))

    found = fm.calibration.score_decomposition([1, 0, 1], [0.0, 0.3, 0.6], loss=unclipped)
    assert found.loss == found.miscalibration == math.inf
    assert 0 < found.uncertainty < 1


def test_what_is_no_proper_score_is_refused():
    with pytest.raises(ValueError, match="`loss` must be proper"):
        fm.calibration.score_decomposition(Y, P, loss=lambda y, p: -((y - p) ** 2))
    with pytest.raises(ValueError, match="`loss` must return a number for each row"):
        fm.calibration.score_decomposition(Y, P, loss=lambda y, p: 1.0)
    with pytest.raises(ValueError, match=r"`loss` must not be nan: label 1, probability 0\.9"):
        fm.calibration.score_decomposition(Y, P, loss=lambda y, p: np.where(p > 0.6, np.nan, p))
    with pytest.raises(TypeError, match="`loss` must be a name or callable: got int"):
        fm.calibration.score_decomposition(Y, P, loss=3)


def test_one_class_and_calibrated_probabilities():
    found = fm.calibration.score_decomposition([1, 1], [0.5, 1.0], pos_label=1)
    assert parts(found) == [0.125, 0.125, 0, 0]
    found = fm.calibration.score_decomposition([0, 1, 0, 1], [0, 1, 0.5, 0.5])
    assert parts(found) == [0.125, 0, 0.125, 0.25]
