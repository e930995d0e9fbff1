"""Spiegelhalter's Z and the Hosmer-Lemeshow test: definitions, weights, what is undefined, size."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import chi2

import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning
from reference import corp_oracle

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(1, 15)), min_size=3, max_size=30)


def sample(rng, n):
    p = rng.beta(2, 3, n)
    return (rng.random(n) < p).astype(int), p


@given(ROWS, st.integers(2, 12))
def test_hosmer_lemeshow_by_the_definition(rows, n_groups):
    labels, sixteenths = (np.array(column) for column in zip(*rows, strict=True))
    p = sixteenths / 16
    right, groups = corp_oracle.hosmer_lemeshow(labels, p, n_groups)
    found = fm.calibration.hosmer_lemeshow_test(
        labels, p, n_groups=n_groups, on_training_data=False, pos_label=1
    )
    assert found.statistic == pytest.approx(right, rel=1e-9, abs=1e-12)
    assert found.df == groups
    assert found.pvalue == pytest.approx(chi2.sf(right, groups), rel=1e-9)
    if groups > 2:
        trained = fm.calibration.hosmer_lemeshow_test(
            labels, p, n_groups=n_groups, on_training_data=True, pos_label=1
        )
        assert (trained.statistic, trained.df) == (found.statistic, groups - 2)


def test_groups_that_are_certain():
    kept = {"n_groups": 2, "on_training_data": False}
    right = fm.calibration.hosmer_lemeshow_test([0, 0, 1, 0], [0.0, 0.0, 0.5, 0.5], **kept)
    assert (right.statistic, right.pvalue, right.df) == (0.0, 1.0, 2)
    wrong = fm.calibration.hosmer_lemeshow_test([1, 0, 1, 0], [0.0, 0.0, 0.5, 0.5], **kept)
    assert (wrong.statistic, wrong.pvalue) == (math.inf, 0.0)


def test_hosmer_lemeshow_without_degrees_of_freedom():
    with pytest.warns(UndefinedMetricWarning, match="2 groups on training data leave no degree"):
        found = fm.calibration.hosmer_lemeshow_test([0, 1], [0.2, 0.7], on_training_data=True)
    assert math.isnan(found.pvalue)


def test_hosmer_lemeshow_faults():
    y, p = [0, 1], [0.2, 0.7]
    with pytest.raises(TypeError, match="on_training_data"):
        fm.calibration.hosmer_lemeshow_test(y, p)
    with pytest.raises(ValueError, match="needs counts: got importances"):
        fm.calibration.hosmer_lemeshow_test(y, p, on_training_data=True, sample_weight=[1, 2])
    with pytest.raises(ValueError, match="`n_groups` must be"):
        fm.calibration.hosmer_lemeshow_test(y, p, on_training_data=True, n_groups=1)
    table = fm.ScoreTable.from_scores(y, p, sample_weight=[0.5, 0.25])
    with pytest.raises(ValueError, match="needs counts: got importances"):
        fm.calibration.hosmer_lemeshow_test(table, on_training_data=True)


def test_spiegelhalter_where_nothing_is_uncertain():
    with pytest.warns(UndefinedMetricWarning, match="all probabilities are 0, 1/2 or 1"):
        found = fm.calibration.spiegelhalter_test([0, 1, 1], [0.0, 0.5, 1.0])
    assert math.isnan(found.statistic)
    assert math.isnan(found.pvalue)


def test_spiegelhalter_of_a_table_of_weights(rng):
    y, p = sample(rng, 50)
    table = fm.ScoreTable.from_scores(y, p, sample_weight=rng.random(50))
    with pytest.raises(TypeError, match="does not tell their squares: pass rows"):
        fm.calibration.spiegelhalter_test(table)
    assert fm.calibration.spiegelhalter_test(
        fm.ScoreTable.from_scores(y, p)
    ) == fm.calibration.spiegelhalter_test(y, p)
