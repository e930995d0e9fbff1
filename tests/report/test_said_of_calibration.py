"""What an evaluation says of probabilities: no more than the interval does."""

import re

import numpy as np
import pytest

import fastmetrics as fm

RNG = np.random.default_rng(5)
P = RNG.beta(2, 3, 2000)
Y = RNG.random(2000) < P


def said(y, p, **options):
    (note,) = [note for note in fm.evaluate(y, p, **options).notes if "recalibration" in note]
    return note


@pytest.mark.parametrize(("shift", "way"), [(0.1, "high"), (-0.1, "low")])
@pytest.mark.parametrize("words", [{}, {"pos_label": "ill"}])
def test_bias_has_its_direction_and_its_interval(shift, way, words):
    p = np.clip(P + shift, 0.0, 1.0)
    y = np.where(Y, "ill", "well") if words else Y
    found = fm.estimate(Y, p, metrics="mean_error")["mean_error"]
    note = said(y, p, **words)
    assert f"too {way} on average, by {abs(found.estimate):.4f}" in note
    low, high = sorted(abs(limit) for limit in found.confidence_interval)
    assert [float(each) for each in re.search(r"\[(.*),.(.*)\]", note).groups()] == [
        pytest.approx(low, abs=1e-4),
        pytest.approx(high, abs=1e-4),
    ]
    parts = fm.calibration.score_decomposition(Y, p)
    assert f"at most {parts.miscalibration:.2g} of the Brier score of {parts.loss:.4f}" in note


def test_what_is_not_shown_is_not_said():
    assert "not shown to be off on average" in said(Y, P)


def test_groups_widen_the_interval():
    def width(note):
        low, high = re.search(r"\[(.*),.(.*)\]", note).groups()
        return float(high.replace("−", "-")) - float(low.replace("−", "-"))

    y, p = np.repeat(Y, 5), np.repeat(P, 5)
    assert width(said(y, p, groups=np.arange(10_000) // 5)) > 2 * width(said(y, p))


def test_scores_that_are_no_probabilities_have_no_sentence():
    assert not [n for n in fm.evaluate(Y, 3 * P).notes if "recalibration" in n]
